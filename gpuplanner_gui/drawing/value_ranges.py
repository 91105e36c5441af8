"""Two or more values in one text for reading: ranges, distributions, and what something changes."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.quantity import Lognormal, Normal, Quantity, Range, Triangular
from gpuplanner_gui.drawing.units import (
    CENTS,
    NOTHING,
    decimals_text,
    entered_text,
    format_value,
    has_cents,
    is_money,
    scale_for,
    with_unit,
)

MOST_APART = 2
"""Powers of ten between two amounts that are told to the same place."""


def format_change(before: float, after: float, unit: str = "") -> tuple[str, str]:
    """Two amounts that a reader subtracts, rounded to the same place: $12 780 and $7 710."""
    ends = [abs(one) for one in (before, after) if math.isfinite(one) and one]
    apart = _exponent(max(ends)) - _exponent(min(ends)) if is_money(unit) and len(ends) > 1 else 0
    is_near = scale_for(before, unit) == scale_for(after, unit) and 0 < apart <= MOST_APART

    def text(value: float) -> str:
        return format_value(value, unit, 3 + apart if is_near and abs(value) == max(ends) else 3)

    return text(before), text(after)


def format_quantity(quantity: Quantity, unit: str = "", digits: int = 3) -> str:
    """A value, range or distribution for reading."""
    if isinstance(quantity, Normal):
        return f"{format_value(quantity.mean, unit, digits)} ± {format_value(quantity.sd, unit, digits)}"
    if isinstance(quantity, (Range, Triangular, Lognormal)):
        low, high = quantity.extremes()
        spread = format_range(low, high, unit, digits, None if isinstance(quantity, Range) else quantity.central)
        return spread if isinstance(quantity, Range) else f"{format_value(quantity.central, unit, digits)} ({spread})"
    return format_value(quantity, unit, digits)


LEAST_OF_RANGE = 0.1
"""A lower end below this share of the upper end's unit is told in its own."""


def format_range(low: float, high: float, unit: str = "", digits: int = 3, beside: float | None = None) -> str:
    """Two ends in one unit: 0.51–0.78 s, $1.10–1.90; in that of the value that it stands `beside`, if given.

    Ends far apart have each its own: 57 ms–1.3 s.
    """
    if not (math.isfinite(low) and math.isfinite(high)):
        return NOTHING
    scale = scale_for(max(abs(low), abs(high)) if beside is None else beside, unit, digits)
    if beside is None and 0 < abs(low) < LEAST_OF_RANGE * float(scale.size) and scale_for(low, unit, digits) != scale:
        return "–".join(format_value(end, unit, digits) for end in (low, high))
    ends = [float(f"{end / float(scale.size):.{max(digits, 3)}g}") for end in (low, high)]
    decimals = max(digits - 1 - _exponent(ends[1]), 0)
    if all(abs(end - round(end)) < 1e-9 * max(abs(end), 1) for end in ends):
        decimals = 0
    elif ends[0]:
        # The lower end keeps two digits of its own.
        decimals = max(decimals, 1 - _exponent(ends[0]))
    if decimals == 1 and has_cents(scale):
        decimals = CENTS
    texts = [decimals_text(end, decimals) for end in ends]
    text = "–".join(dict.fromkeys(texts))
    return with_unit(text, scale)


def _exponent(value: float) -> int:
    return math.floor(math.log10(abs(value))) if value else 0


def entered_quantity_text(quantity: Quantity, unit: str = "") -> str:
    """A value, range or distribution as it was entered, for reading."""
    if isinstance(quantity, Normal):
        return f"{entered_text(quantity.mean, unit)} ± {entered_text(quantity.sd, unit)}"
    if isinstance(quantity, (Triangular, Lognormal)):
        low, high = quantity.extremes()
        return f"{entered_text(quantity.central, unit)} ({format_range(low, high, unit, 3, quantity.central)})"
    return format_quantity(quantity, unit) if isinstance(quantity, Range) else entered_text(quantity, unit)
