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
    scale_for,
    with_unit,
)

USUAL_DIGITS, MOST_DIGITS = 3, 6


def format_change(before: float, after: float, unit: str = "") -> tuple[str, str]:
    """Two values with three digits, as each is told elsewhere; with more where they would read alike."""
    texts = format_value(before, unit, USUAL_DIGITS), format_value(after, unit, USUAL_DIGITS)
    digits = USUAL_DIGITS
    while texts[0] == texts[1] and before != after and digits < MOST_DIGITS:
        digits += 1
        texts = format_value(before, unit, digits), format_value(after, unit, digits)
    return texts


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


def format_sum(total: float, part: float, unit: str) -> tuple[str, str, str]:
    """A total, its largest part, and what the rest takes off again: in one unit, and so rounded that they add up."""
    scale = scale_for(max(abs(total), abs(part)), unit, 2)
    if abs(total) < LEAST_OF_RANGE * float(scale.size):
        scale = scale_for(total, unit, 2)
    decimals = max(1 - _exponent(total / float(scale.size)), 0)
    whole, most = (round(one / float(scale.size), decimals) for one in (total, part))
    said = [with_unit(decimals_text(one, decimals), scale) for one in (whole, most, most - whole)]
    return said[0], said[1], said[2]


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
