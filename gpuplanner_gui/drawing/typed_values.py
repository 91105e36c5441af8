"""What a planner types into a field: a number, a range or a distribution, with any unit of the field's dimension."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import get_args

from gpuplanner_gui.domain.constants import SECONDS_PER_DAY
from gpuplanner_gui.domain.hardware import PCIE_LANE_BYTES_PER_S
from gpuplanner_gui.domain.quantity import Currency, Lognormal, Money, Normal, Quantity, Range, Triangular
from gpuplanner_gui.drawing.language import in_turn, listed, tr
from gpuplanner_gui.drawing.unit_table import EAST_ASIAN_NUMBER_WORDS, NUMBER_WORDS, MeasuringUnit, UnknownUnit, unit_of
from gpuplanner_gui.drawing.unit_words import unit_text
from gpuplanner_gui.drawing.units import number_signs

_BLANK_GROUPS = r"\d{1,3}(?:[ _']\d{3})+(?!\d)"
_NUMBER = re.compile(rf"[+-]?(?:(?:{_BLANK_GROUPS}|\d+)(?:[.,]\d+)*\.?|[.,]\d+)(?:[eE][+-]?\d+)?")
_BETWEEN = re.compile(
    r"\s*(?:\.\.+|…|–|—|\bto\b|到|至)\s*|(?<=[\d\w%])\s+-\s+(?=[\d.$])|(?<=\d)-(?=\d)|(?<=[\w%])\s*~\s*(?=[\d.$])"
)
_GROUPED = re.compile(r"[1-9]\d{0,2}(?:[.,]\d{3})+")
_MOST_BEFORE_GROUPS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")
_PER_FIRST = re.compile(r"^每\s*(?P<time>[^\s\d]+?)\s*(?P<rest>[\d.,].*)$")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " "}
"""ASCII characters for what an East Asian keyboard types."""
_SLOT = re.compile(r"(?:PCIe|gen)\s*(?:gen\s*)?(?P<generation>\d)(?:\.0)?\s*[x×]\s*(?P<lanes>\d{1,2})", re.IGNORECASE)
"""A slot as it is sold: PCIe 4.0 x8."""
_BETWEEN_EXAMPLES = re.compile(", |、")
_SPREAD = re.compile(r"\s*(?:±|\+/-|\+-)\s*")
_MEDIAN = re.compile(r"^(?:median|中位數)\s+(?P<median>.+?)\s+(?:sigma|σ)\s+(?P<sigma>\S+)$", re.IGNORECASE)
_CODES: tuple[Currency, ...] = get_args(Currency)
_CURRENCY_SIGNS: dict[str, Currency] = {
    "NT$": "TWD", "US$": "USD", "CA$": "CAD", "HK$": "HKD", "A$": "AUD", "S$": "SGD", "R$": "BRL", "$": "USD",
    "€": "EUR", "£": "GBP", "CN¥": "CNY", "¥": "JPY", "₩": "KRW", "₹": "INR", "新臺幣": "TWD", "新台幣": "TWD",
    "臺幣": "TWD", "台幣": "TWD", "美元": "USD", "美金": "USD", "歐元": "EUR", "英鎊": "GBP", "日圓": "JPY",
    "人民幣": "CNY", "韓元": "KRW", "港幣": "HKD",
    **{code: code for code in _CODES},
}  # fmt: skip
"""Longer ones that end with another's sign stand before it."""

_EXAMPLE_WORDS = {
    "bytes": "80 GB, 512 MB",
    "B": "80 GB, 512 MB",
    "bytes on disk": "80 GB, 1.5 TB",
    "bytes/s": "3.35 TB/s, 400 Gbit/s",
    "B/s": "3.35 TB/s, 400 Gbit/s",
    "s": "250 ms, 1 s, 2 weeks",
    "y": "3, 18 months",
    "1/y": "0.1, 10 %",
    "1/day": "8, 8/day",
    "1/d": "0.004, 0.004/d",
    "tok": "1024, 1.5k tok, 15T tokens",
    "req/s": "40, 40 req/s, 2000 per min",
    "USD": "$250000, 250k USD",
    "USD/h": "$2.50/h, $1800/month",
    "flop/s": "989 TFLOP/s, 2 PFLOPS",
    "kW": "40, 40 kW, 1.2 MW",
    "W": "700, 0.7 kW",
    "USD/kWh": "0.12, $0.12/kWh",
    "L/kWh": "1.8, 1.8 L/kWh",
    "share": "10 %, 0.1",
    "bytes/param": "2, 4",
    "": "0.5, 50 %, 2",
}
_RANGE_WORDS = {
    "y": ("2..4", "3 ±1"),
    "1/y": ("5..15 %", "0.1 ±0.02"),
    "1/d": ("0.002..0.008", "0.004 ±0.001"),
    "USD/kWh": ("0.08..0.2", "0.12 ±0.02"),
    "L/kWh": ("1..2", "1.8 ±0.2"),
    "share": ("10..20 %", "0.15 ±0.05"),
    "": ("0.4..0.6", "0.5 ±0.1"),
}
"""A range and a spread that fields of a unit hold, where those of `_ANY_RANGE` are too much or too little."""
_ANY_RANGE = ("20..60", "40 ±10")
"""As the hint has them in every language."""


SECONDS_OF = {"s": 1.0, "y": 31_557_600.0}
"""Units of durations, in which a date is as good as a time from today."""
DATE_EXAMPLE = "2027-01-10"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

_MEMORY_UNITS = ("bytes", "B")
_VENDORS_BYTES = re.compile(r"\b(?:([kKMGTP])(?:B|bytes?)|([kmgtp])b)\b")
"""GB, Gbyte, gb: powers of 1024 where memory is meant; Gb is a gigabit."""

_HINTS = {
    "range": "Try {examples}; a range is 20..60, a spread 40 ±10.",
    "number": "Try {examples}.",
    "count": "Try 8, 1000, 1.5k.",
}
"""Hints by the kind of field."""


class NotUnderstood(ValueError):
    """Raised for typed text that is no value of the field's unit; `str()` is a sentence that says what is expected."""

    def __init__(self, text: str, unit: str, why: str, holds: str = "range") -> None:
        super().__init__(text, unit, why)
        self.text = text
        self.unit = unit
        self.why = why
        self._holds = holds

    def __str__(self) -> str:
        return self.told_by(lambda value: "")

    def told_by(self, objection: Callable[[Quantity], str]) -> str:
        """The sentence of a field, with the examples alone that it has no objection to."""
        known = _EXAMPLE_WORDS.get(self.unit)
        examples = tr(known) if known else f"40 {unit_text(self.unit)}".strip()
        if self.unit in SECONDS_OF:
            examples = f"{examples}, {DATE_EXAMPLE}"
        shapes = _RANGE_WORDS.get(self.unit, _ANY_RANGE)
        holds = self._holds
        if holds != "count":
            examples = listed(one for one in _BETWEEN_EXAMPLES.split(examples) if self._is_taken(one, objection))
        if holds == "range" and not all(self._is_taken(one, objection) for one in shapes):
            holds = "number"
        hint = tr(_HINTS[holds]).format(examples=examples) if examples else ""
        for any_shape, shape in zip(_ANY_RANGE, shapes, strict=True):
            hint = hint.replace(any_shape, shape)
        return in_turn(self.why, hint)

    def _is_taken(self, example: str, objection: Callable[[Quantity], str]) -> bool:
        try:
            return not objection(parse_value(example, self.unit))
        except NotUnderstood:
            return False

    def where_it_holds(self, holds: str) -> NotUnderstood:
        """The same about a field that holds less: a number, a count."""
        return NotUnderstood(self.text, self.unit, self.why, holds)


def parse_value(text: str, unit: str = "") -> Quantity:
    """Read a typed value in canonical units. A bare number is in the field's unit. Raises NotUnderstood."""
    typed = _tidied(text)
    if not typed:
        raise NotUnderstood(text, unit, tr("Enter a value."))
    dates = [end.strip() for end in typed.split("..")]
    if unit in SECONDS_OF and all(map(_DATE.fullmatch, dates)):
        return _of_ends([_until(date, unit, text) for date in dates], unit, text)
    slot = _SLOT.fullmatch(typed)
    if slot and unit == "bytes/s" and int(slot["generation"]) in PCIE_LANE_BYTES_PER_S:
        return PCIE_LANE_BYTES_PER_S[int(slot["generation"])] * int(slot["lanes"])
    median = _MEDIAN.match(typed)
    if median:
        return Lognormal(_number(median["median"], unit, text), _number(median["sigma"], "", text))
    spread = _SPREAD.split(typed.lstrip("~ "))
    if len(spread) == 2:
        return _normal(spread[0], spread[1], unit, text)
    ends = [end for end in _BETWEEN.split(typed) if end.strip()]
    if len(ends) in (2, 3) and _BETWEEN.search(typed):
        return _between(ends, unit, text)
    return _number(typed.lstrip("~≈ "), unit, text)


def _until(date: str, unit: str, text: str) -> float:
    """Time from today to a date, in the unit of a duration."""
    try:
        days = (datetime.date.fromisoformat(date) - datetime.date.today()).days
    except ValueError:
        raise NotUnderstood(
            text, unit, tr("“{text}” is not a date. Enter one such as 2027-01-10.").format(text=date)
        ) from None
    if days <= 0:
        raise NotUnderstood(text, unit, tr("{date} is in the past. Enter a later date.").format(date=date))
    return days * SECONDS_PER_DAY / SECONDS_OF[unit]


def parse_number(text: str, unit: str = "") -> float:
    """Parse a single number; a range is refused."""
    try:
        value = parse_value(text, unit)
    except NotUnderstood as problem:
        raise problem.where_it_holds("number") from None
    if not isinstance(value, float):
        raise NotUnderstood(text, unit, tr("Enter one number, not a range."), "number")
    return value


def parse_count(text: str, unit: str = "") -> int:
    """Parse a whole number."""
    try:
        value = parse_number(text, unit)
    except NotUnderstood as problem:
        raise problem.where_it_holds("count") from None
    if value != int(value):
        raise NotUnderstood(text, unit, tr("Enter a whole number."), "count")
    return int(value)


def parse_money(text: str, unit: str = "") -> Money:
    """An amount with its currency, as sign or code; `unit` is what it is paid for (1/h). Raises NotUnderstood."""
    typed = _tidied(text)
    usd_unit = "USD" if unit in ("", "1") else f"USD/{unit.removeprefix('1/')}"
    for sign, code in _CURRENCY_SIGNS.items():
        if sign in typed:
            # The arithmetic of units is the same for every currency; its name is kept beside.
            return Money(parse_value(typed.replace(sign, "$"), usd_unit), code)
    return Money(parse_value(typed, usd_unit))


def _tidied(text: str) -> str:
    plain = text.translate(_FULL_WIDTH).replace("−", "-").replace("’", "'")
    for blank in ("\u202f", "\u00a0", "\u2009"):
        plain = plain.replace(blank, " ")
    per_first = _PER_FIRST.match(plain.strip())
    # 每分鐘 2000: what it is counted per stands first.
    return f"{per_first['rest']}/{per_first['time']}" if per_first else plain.strip()


def _normal(middle: str, spread: str, unit: str, text: str) -> Normal:
    mean = _number(middle if _unit_text(middle) else f"{middle} {_unit_text(spread)}".replace("%", ""), unit, text)
    if spread.rstrip().endswith("%") and unit != "%":
        return Normal(mean, abs(mean) * _number(spread, "", text))
    return Normal(mean, _number(spread if _unit_text(spread) else f"{spread} {_unit_text(middle)}", unit, text))


def _between(ends: list[str], unit: str, text: str) -> Quantity:
    """Ends without a unit take that of the last one."""
    last = _unit_text(ends[-1])
    with_units = [end if _unit_text(end) or not last else f"{end} {last}" for end in ends]
    return _of_ends([_number(end, unit, text) for end in with_units], unit, text)


def _of_ends(numbers: list[float], unit: str, text: str) -> Quantity:
    """One number, or the two or three of a range in rising order."""
    if numbers != sorted(numbers) or len(numbers) > 3:
        raise NotUnderstood(text, unit, tr("Enter the lower end of a range first, such as 20..60."))
    return numbers[0] if len(numbers) == 1 else Range(*numbers) if len(numbers) == 2 else Triangular(*numbers)


def _unit_text(part: str) -> str:
    """The words behind the number, without those that are a sign before it."""
    match = _NUMBER.search(part)
    return part[match.end() :].strip() if match else ""


def _number(part: str, unit: str, text: str) -> float:
    part = part.strip()
    match = _NUMBER.search(part)
    if match is None:
        raise NotUnderstood(text, unit, tr("“{text}” contains no number.").format(text=text.strip()))
    before, after = part[: match.start()].strip(), part[match.end() :].strip()
    number = _decimal(match.group(), text, unit)
    if before.startswith("-"):
        before, number = before[1:], -number
    value = float(number * _factor(before, after, unit, text))
    if not math.isfinite(value):
        raise NotUnderstood(text, unit, tr("“{text}” is too large.").format(text=text.strip()))
    return value


def _decimal(digits: str, text: str, unit: str) -> Decimal:
    try:
        return Decimal(_with_point(digits))
    except InvalidOperation:
        raise NotUnderstood(text, unit, tr("“{number}” is not a number.").format(number=digits)) from None


def _with_point(digits: str) -> str:
    """1.234,5 and 1,234.5 → 1234.5, in whichever way a country writes numbers.

    The last of two marks stands before decimals, the other between thousands. One mark before three digits may be
    either: there the form of numbers that is in use decides, where thousands are not grouped by blanks already.
    """
    number, power, exponent = re.sub(r"[eE]", "e", digits).partition("e")
    plain = re.sub(r"[ _']", "", number)
    sign, plain = (plain[0], plain[1:]) if plain[:1] in "+-" else ("", plain)
    marks = [mark for mark in plain if mark in ".,"]
    if len(set(marks)) == 2:
        whole, decimals = plain[: plain.rindex(marks[-1])], plain[plain.rindex(marks[-1]) + 1 :]
        is_well = marks.count(marks[-1]) == 1 and _GROUPED.fullmatch(whole)
        plain = f"{re.sub('[.,]', '', whole)}.{decimals}" if is_well else plain
    elif len(marks) > 1:
        plain = re.sub("[.,]", "", plain) if _GROUPED.fullmatch(plain) else plain
    elif marks:
        is_open = bool(_MOST_BEFORE_GROUPS.fullmatch(plain)) and not power and not re.search(r"[ _']", number)
        plain = plain.replace(marks[0], "" if is_open and _groups(marks[0]) else ".")
    return f"{sign}{plain}{power}{exponent}"


def _groups(mark: str) -> bool:
    """Whether a mark before three digits stands between thousands, in the form of numbers that is in use."""
    signs = number_signs()
    return mark == signs.group or (mark == "," and signs.decimal != ",")


def _factor(before: str, after: str, unit: str, text: str) -> Decimal:
    """Canonical units in one typed unit."""
    words = f"{before or '1'}{after}" if after.startswith("/") else f"{before} {after}".strip()
    if words in ("", unit):
        return Decimal(1)
    canonical = unit_of("1" if unit in ("", "share") else unit.removesuffix(" on disk"))
    if unit in _MEMORY_UNITS:
        words = _VENDORS_BYTES.sub(lambda found: f"{found.group()[0].upper()}iB", words)
    try:
        ratio = _ratio(unit_of(words), canonical, unit)
        fault = tr("“{words}” is not a unit for this field.").format(words=words)
    except UnknownUnit as unknown:
        ratio = None
        fault = tr("“{unit}” is not a known unit.").format(unit=unknown.word)
    if ratio is None:
        ratio = _counted_ratio(before, after, canonical, unit)
    if ratio is None:
        raise NotUnderstood(text, unit, fault)
    return ratio


def _counted_ratio(before: str, after: str, canonical: MeasuringUnit, unit: str) -> Decimal | None:
    """Factor of a multiplier before a unit, as in 15T tokens, 7B, $1.5M, 3 million per day."""
    match = re.match(r"[A-Za-z]+|百萬|十億|[千萬億兆]", after)
    size = {**NUMBER_WORDS, **EAST_ASIAN_NUMBER_WORDS}.get(match.group()) if match else None
    if match is None or size is None:
        return None
    multiplier = Decimal(size)
    rest = after[match.end() :].strip()
    words = f"{before or '1'}{rest}" if rest.startswith("/") else f"{before} {rest}".strip()
    if not words:
        return multiplier
    try:
        ratio = _ratio(unit_of(words), canonical, unit)
    except UnknownUnit:
        return None
    return None if ratio is None else multiplier * ratio


def _ratio(typed: MeasuringUnit, canonical: MeasuringUnit, unit: str) -> Decimal | None:
    """Canonical units in one typed unit; None where the dimensions differ."""
    if typed.dimension == canonical.dimension:
        return typed.size / canonical.size
    numerator = tuple((name, power) for name, power in canonical.dimension if power > 0)
    denominator = tuple((name, power) for name, power in canonical.dimension if power < 0)
    if denominator and typed.dimension == denominator:
        # "2000 per min" in a field of requests per second: what is counted goes without saying.
        return typed.size / canonical.size
    if denominator and typed.dimension == numerator:
        # "$2" in a field of dollars per hour.
        return typed.size / unit_of(unit.partition("/")[0]).size
    if not typed.dimension and typed.size == 1:
        return Decimal(1)
    return None
