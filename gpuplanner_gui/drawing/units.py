"""Values with units, as planners read and type them.

Display keeps three significant digits and scales where a field's practice does (GB, TB/s, TFLOP/s, ms). What is put
into an editor is exact instead: `parse_value(exact_text(value, unit), unit) == value` for every value.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property, lru_cache

import msgspec

from gpuplanner_gui.domain.quantity import Lognormal, Normal, Quantity, Range, Triangular
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.shown_money import (
    CURRENCIES,
    DOLLARS,
    ShownMoney,
    is_money,
    local_sign,
    money_sign,
    shown_money,
)
from gpuplanner_gui.drawing.unit_words import counted_text, is_counted, unit_text

NOTHING = "–"
DIGITS_TYPED = 7
"""Numbers with more digits were worked out, not typed."""
DIGITS_EDITED, DIGITS_WORKED_OUT = 12, 6
"""More than the first come from a calculation, a third of 100 say: a field shows as many as the second of those."""


@dataclass(frozen=True)
class NumberSigns:
    """What stands before decimals and between thousands where a planner reads; files know one form only."""

    decimal: str = "."
    group: str = "\u00a0"
    """A plain blank would let a line break there."""
    is_money_behind: bool = False
    """Whether the sign of a currency follows its number: 1.230 €."""


_signs = NumberSigns()


def number_signs() -> NumberSigns:
    return _signs


def use_number_signs(signs: NumberSigns | None) -> None:
    """Take other signs from now on; None: a point, and blanks between thousands."""
    global _signs  # one form of numbers at a time for the whole program
    _signs = signs or NumberSigns()


MINUS = "\u2212"


def with_signs(number: str) -> str:
    """A number as Python writes it (-1,234.5), with the signs of the moment and the minus of a reading text."""
    return number.translate({ord(","): _signs.group, ord("."): _signs.decimal, ord("-"): MINUS})


def decimals_text(value: float, decimals: int = 0) -> str:
    """A number with as many decimals, thousands grouped."""
    return with_signs(f"{value:,.{decimals}f}")


MOST_ROUNDED = 1.5
"""Rounding to one digit or more makes no number larger, or smaller, by more than this factor."""


@dataclass(frozen=True)
class Scale:
    """A display unit: how many canonical units one of it is."""

    text: str
    size: str
    sign: str = ""
    """What stands before the number: that of a currency."""
    used_from: str = ""
    """Smallest value shown in this unit; empty: one of it. 90 s reads better than 1.5 min."""

    @cached_property
    def amount(self) -> float:
        return float(self.size)

    @cached_property
    def threshold(self) -> float:
        return float(self.used_from or self.size)

    def is_reached(self, value: float, digits: int) -> bool:
        """Whether a value, rounded, is shown in this unit."""
        share, least = value / self.amount, self.threshold / self.amount * (1 - 1e-12)
        if share >= MOST_ROUNDED * least or share * MOST_ROUNDED < least:
            return share >= least  # Whatever it is rounded to, and without the time that takes.
        return _rounded(share, digits) >= least


def _steps(unit: str, *prefixes: tuple[str, str]) -> tuple[Scale, ...]:
    return tuple(Scale(f"{prefix}{unit}", size) for prefix, size in prefixes)


_BASE, _KILO, _MEGA, _GIGA, _TERA, _PETA, _EXA, _ZETTA, _YOTTA = (
    ("", "1"), ("k", "1e3"), ("M", "1e6"), ("G", "1e9"), ("T", "1e12"), ("P", "1e15"), ("E", "1e18"), ("Z", "1e21"),
    ("Y", "1e24"),
)  # fmt: skip
_TIME = (
    Scale("ns", "1e-9"), Scale("µs", "1e-6"), Scale("ms", "1e-3"), Scale("s", "1"),
    Scale("min", "60", used_from="120"), Scale("h", "3600", used_from="7200"), Scale("d", "86400", used_from="172800"),
    Scale("y", "31557600", used_from="63115200"),
)  # fmt: skip
_COUNT = (("", "1"), ("M ", "1e6"), ("B ", "1e9"), ("T ", "1e12"))


def _money(sign: str, tail: str = "") -> tuple[Scale, ...]:
    # "$1 B/GB" would be read as bytes per gigabyte.
    steps = _MONEY_STEPS[:1] if "GB" in tail else _MONEY_STEPS
    return tuple(Scale(f"{step}{tail}" if step else tail, size, sign=sign) for step, size in steps)


_MONEY_STEPS = (("", "1"), ("M", "1e6"), ("B", "1e9"))
_MONEY_TAILS = (
    "", "/h", "/d", "/month", "/y", "/kWh", "/kW/month", "/request", "/Mtok", "/GB", "/GB/month",
)  # fmt: skip

SCALES: dict[str, tuple[Scale, ...]] = {
    # Memory as vendors name it: a card of 80 GB has 80 · 2³⁰ bytes. Disks and wires count in powers of ten.
    "bytes": _steps("B", *((prefix, str(1024**power)) for power, prefix in enumerate(("", "k", "M", "G", "T", "P")))),
    "bytes on disk": _steps("B", _BASE, _KILO, _MEGA, _GIGA, _TERA, _PETA),
    "bytes/s": _steps("B/s", _BASE, _KILO, _MEGA, _GIGA, _TERA, _PETA),
    "bit/s": _steps("bit/s", _BASE, _KILO, _MEGA, _GIGA, _TERA),
    "flop/s": _steps("FLOP/s", _BASE, _KILO, _MEGA, _GIGA, _TERA, _PETA, _EXA),
    "op/s": _steps("OP/s", _BASE, _KILO, _MEGA, _GIGA, _TERA, _PETA),
    "flop": _steps("FLOP", _BASE, _KILO, _MEGA, _GIGA, _TERA, _PETA, _EXA, _ZETTA, _YOTTA),
    "flop/bytes": (Scale("FLOP/B", "1"),),
    "s": _TIME,
    "W": _steps("W", _BASE, _KILO, _MEGA, _GIGA),
    "kW": (Scale("W", "1e-3"), Scale("kW", "1"), Scale("MW", "1e3"), Scale("GW", "1e6")),
    "J": (Scale("J", "1"), Scale("Wh", "3600"), Scale("kWh", "3.6e6"), Scale("MWh", "3.6e9"), Scale("GWh", "3.6e12")),
    "Hz": _steps("Hz", _BASE, _KILO, _MEGA, _GIGA),
    "tok": _steps("tok", *_COUNT),
    "param": _steps("param", *_COUNT),
    "tok/s": _steps("tok/s", ("", "1"), ("M ", "1e6")),
    "share": (Scale("%", "0.01"),),
    **{f"USD{tail}": _money("$", tail) for tail in _MONEY_TAILS},
}
_AMOUNTS = {f"{code}{tail}": _money(money_sign(code), tail) for code in CURRENCIES for tail in _MONEY_TAILS}
"""Of every currency that may be shown; typed are dollars."""
_SAME = {
    "B": "bytes",
    "B/s": "bytes/s",
    "FLOP/s": "flop/s",
    "OP/s": "op/s",
    "FLOP": "flop",
    "tokens": "tok",
    "FLOP/B": "flop/bytes",
}
_ALSO_TYPED = {
    "share": (Scale("", "1"),),
    "bytes on disk": _steps("B", ("Ki", str(2**10)), ("Mi", str(2**20)), ("Gi", str(2**30)), ("Ti", str(2**40))),
}
"""Units that an editor may show beside those of results."""
LEAST_SHARE = 1e-6
"""Smaller shares are said to be less than this."""
MOST_DIGITS = 9
_WHOLE = ("", "devices", "seq", "cores", "replicas")
"""Counted one by one: a whole number of these is never rounded."""


def scales_of(unit: str) -> tuple[Scale, ...]:
    """Display units that stand for a canonical unit, smallest first."""
    unit = _SAME.get(unit, unit)
    is_plain = unit == "1" or unit.startswith("1/")
    return SCALES.get(unit) or _AMOUNTS.get(unit) or (Scale(unit.removeprefix("1") if is_plain else unit, "1"),)


def shown_scales(unit: str) -> tuple[Scale, ...]:
    """Display units of a result: amounts in the currency of the moment."""
    money = shown_money()
    return scales_of(unit) if money is DOLLARS or not is_money(unit) else _converted(unit, money)


@lru_cache(maxsize=64)
def _converted(unit: str, money: ShownMoney) -> tuple[Scale, ...]:
    """Scales of dollars as those of another currency: as many dollars as one of it is worth."""
    rate = Decimal(repr(money.usd_per_unit))
    scales = scales_of(unit.replace(DOLLARS.currency, money.currency, 1))
    return tuple(replace(scale, size=str(Decimal(scale.size) * rate)) for scale in scales)


WHOLE_PERCENTS = 3
"""Digits that tell shares from 100 to 999 % whole: 115 % is never rounded to 110 % beside a table that has 115 %."""


def format_value(value: float, unit: str = "", digits: int = 3) -> str:
    """A result for reading: scaled, rounded to significant digits; a dash for what is not finite."""
    value = float(value)
    if not math.isfinite(value):
        return NOTHING
    if unit in _WHOLE and value == round(value) and abs(value) < 1e9:
        return with_unit(decimals_text(value), scales_of(unit)[0])
    if unit == "share" and value >= 1:
        digits = max(digits, WHOLE_PERCENTS)
    scale = scale_for(value, unit, digits)
    if unit == "share" and 0 < value < LEAST_SHARE:
        return with_unit(f"<{_local(_plain(100 * Decimal(repr(LEAST_SHARE))))}", scale)
    if unit == "share" and value < 1 - 1e-9:
        # Less than all is never said to be all.
        digits = next((more for more in range(digits, MOST_DIGITS) if _rounded(value, more) < 1), MOST_DIGITS)
    number = value / scale.amount
    text = rounded_text(number, digits)
    if has_cents(scale) and abs(number) >= WHOLE_FROM:
        return with_unit(decimals_text(_rounded(number, digits)), scale)
    is_cut = has_cents(scale) and len(text.partition(_signs.decimal)[2]) == 1
    return with_unit(decimals_text(number, CENTS) if is_cut else text, scale)


WHOLE_FROM = 1_000.0
"""Results of so much money are told without cents, however many digits are asked for."""
CENTS = 2
"""Decimals of an amount of money that has any; less than one dollar may have more."""


def has_cents(scale: Scale) -> bool:
    """Whether values of a scale are amounts that people write with two decimals; millions and billions are not."""
    return bool(scale.sign) and (not scale.text or scale.text.startswith("/"))


def with_cents(number: str) -> str:
    """An amount with none or at least two decimals: 20, 20.40, 0.676."""
    whole, sign, decimals = number.partition(_signs.decimal)
    return f"{whole}{sign}{decimals.rstrip('0').ljust(CENTS, '0')}" if decimals.isdigit() else number


def with_unit(number: str, scale: Scale) -> str:
    """A number with what stands before and behind it: 40 GB, $1.42/h, -€3 M; 1,42 €/h; amounts with their cents."""
    number = with_cents(number) if has_cents(scale) else number
    if not scale.sign:
        return counted_text(number, scale.text) if is_counted(scale.text) else _beside(number, unit_text(scale.text))
    sign, tail = local_sign(scale.sign), unit_text(scale.text)
    if _signs.is_money_behind:
        step, slash, per = tail.partition("/")
        return f"{_beside(number, step.strip())} {sign.strip()}{slash}{per}"
    signed = f"{number[0]}{sign}{number[1:]}" if number[0] in f"-{MINUS}" else f"{sign}{number}"
    return f"{signed}{tail}" if tail.startswith("/") else _beside(signed, tail)


TIMES = "×"
"""Stands at its number: 1.5×."""


def _beside(number: str, unit: str) -> str:
    return f"{number}{'' if unit == TIMES else ' '}{unit}" if unit else number


def scale_for(value: float, unit: str, digits: int = 3) -> Scale:
    """The display unit in which the rounded value is at least 1; the smallest one for zero."""
    scales = shown_scales(unit)
    for scale in reversed(scales):
        if scale.is_reached(abs(value), digits):
            return scale
    plain = next((scale for scale in scales if Decimal(scale.size) == 1), scales[0])
    return plain if value == 0 else scales[0]


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{max(digits, 1) - 1}e}")


def as_dragged(value: float, unit: str) -> float:
    """A value that a hand has set: two digits in the unit that it is shown in, as 17 d and not 25 000 min."""
    size = Decimal(scale_for(value, unit).size)
    return float(Decimal(f"{value / float(size):.2g}") * size)


def rounded_text(value: float, digits: int = 3) -> str:
    """A number with significant digits, thousands grouped; whole numbers keep no zeros behind the point."""
    if not math.isfinite(value):
        return NOTHING
    rounded = _rounded(value, digits)
    if rounded == 0:
        return "0"
    exponent = math.floor(math.log10(abs(rounded)))
    if exponent < -4 or exponent > 14:
        return with_signs(f"{rounded:.{digits - 1}e}")
    if abs(value - round(value)) <= 1e-12 * abs(value):
        return decimals_text(rounded)
    return decimals_text(rounded, max(digits - 1 - exponent, 0))


def _local(number: str) -> str:
    """A number without groups, with the mark of the moment before its decimals."""
    return number.replace(".", _signs.decimal)


def exact_text(value: float, unit: str = "") -> str:
    """The shortest text that reads back as exactly this value; for editors."""
    if not math.isfinite(value):
        return NOTHING
    number, scale = _exact_parts(value, unit)
    return with_unit(_local(number), scale)


def entered_text(value: float, unit: str = "") -> str:
    """A value as it was entered, for reading: exact as far as people type, thousands grouped."""
    if not math.isfinite(value):
        return NOTHING
    number, scale = _exact_parts(value, unit)
    if unit == "share" and not scale.text:
        # Shorter to type; read alone it is no share.
        number, scale = _plain(Decimal(number) * 100), scales_of(unit)[0]
    is_long = sum(sign.isdigit() for sign in number.strip("0.-")) > DIGITS_TYPED or "e" in number
    if is_long or (is_money(unit) and shown_money() is not DOLLARS):
        return format_value(value, unit, DIGITS_TYPED)
    _, _, decimals = number.partition(".")
    return with_unit(decimals_text(float(number), len(decimals)), scale)


def _exact_parts(value: float, unit: str) -> tuple[str, Scale]:
    exact = Decimal(repr(float(value)))
    found = []
    for scale in (*scales_of(unit), *_ALSO_TYPED.get(_SAME.get(unit, unit), ())):
        number = exact / Decimal(scale.size)
        is_small = 0 < abs(number) < 1
        if number * Decimal(scale.size) == exact and (scale.size == "1" or (number != 0 and not is_small)):
            found.append((len(_plain(number)), -Decimal(scale.size), _plain(number), scale))
    _, _, number_text, scale = min(found, key=lambda entry: entry[:2])
    return number_text, scale


def _plain(number: Decimal) -> str:
    """Without exponent or superfluous zeros, unless that would be long."""
    normal = number.normalize()
    exponent = int(normal.as_tuple().exponent)
    if -25 <= exponent <= 9:
        return f"{normal:f}"
    return f"{normal:e}".replace("e+", "e")


def exact_quantity_text(quantity: Quantity, unit: str = "") -> str:
    """A value, range or distribution as it may be typed, exact."""
    if isinstance(quantity, Range):
        return _joined(" .. ", (quantity.low, quantity.high), unit)
    if isinstance(quantity, Triangular):
        return _joined(" .. ", (quantity.low, quantity.mode, quantity.high), unit)
    if isinstance(quantity, Normal):
        # A spread in % would be read as a share of the mean.
        return _joined(" ± ", (quantity.mean, quantity.sd), "" if unit == "share" else unit)
    if isinstance(quantity, Lognormal):
        return tr("median {median} sigma {sigma}").format(
            median=exact_text(quantity.median, unit), sigma=exact_text(quantity.sigma)
        )
    return exact_text(quantity, unit)


def edited_quantity_text(quantity: Quantity, unit: str = "") -> str:
    """A value, range or distribution for a field: exact, or to 6 digits where it was worked out.

    The shorter text may read back as a value beside the one shown; whoever takes it must know its own text.
    """
    exact = exact_quantity_text(quantity, unit)
    rounded = exact_quantity_text(_rounded_quantity(quantity), unit)
    return _LONG_WHOLE.sub(_grouped, rounded if len(rounded) < len(exact) else exact)


_LONG_WHOLE = re.compile(r"(?<![\w.,])\d{5,}(?!\w)")


def _grouped(number: re.Match[str]) -> str:
    return decimals_text(int(number.group()))


def _rounded_quantity(quantity: Quantity) -> Quantity:
    if isinstance(quantity, int):
        return quantity
    if isinstance(quantity, float):
        return _rounded_number(quantity)
    numbers = {name: _rounded_number(getattr(quantity, name)) for name in quantity.__struct_fields__}
    return msgspec.structs.replace(quantity, **numbers)


def _rounded_number(number: float) -> float:
    rounded = float(f"{number:.{DIGITS_EDITED}g}")
    # 1234.5678 min in seconds and back: noise behind what was typed.
    is_typed = number == rounded or rounded == float(f"{number:.{DIGITS_EDITED - 3}g}")
    return rounded if is_typed else float(f"{number:.{DIGITS_WORKED_OUT}g}")


def _joined(sign: str, numbers: tuple[float, ...], unit: str) -> str:
    """The unit once, at the end, where all numbers are in the same one."""
    parts = [_exact_parts(number, unit) for number in numbers]
    units = {scale.text for _, scale in parts}
    if unit == "share" and len(units) > 1:
        return _joined(sign, numbers, "")
    if len(units) > 1 and parts[0][1].sign:
        # "$1 .. $2 M" would be read as a million to two million.
        plain = scales_of(unit)[0]
        return sign.join(with_unit(_plain(Decimal(repr(float(number)))), plain) for number in numbers)
    if len(units) > 1 or parts[0][1].sign:
        return sign.join(exact_text(number, unit) for number in numbers)
    # Numbers and unit as one: of several things a language may say more than the unit alone.
    return with_unit(sign.join(_local(number) for number, _ in parts), parts[0][1])
