"""What the cells of a price list say: a number, a date, a currency, and what the price is paid for."""

from __future__ import annotations

import datetime
import math
import re
from typing import get_args

from gpuplanner_gui.domain.price import PriceTerm
from gpuplanner_gui.domain.quantity import Currency

_TERMS: tuple[tuple[str, PriceTerm], ...] = (
    (r"spot|preempt|interrupt", "spot"),
    (r"annual|reserv|commit", "reserved_1y"),
    (r"on.?demand|hour|/\s*h\b|payg|pay.as|rent|lease", "on_demand"),
    (r"purchas|buy|capex|list|unit|each|piece|hardware|sale|quote", "purchase"),
)
_LENGTH = re.compile(r"((?<![\d.])\d+(?:\.\d+)?|\b(?:one|two|three|four|five))\s*-?\s*(y(?:ea)?r?s?|m(?:onth|o)?s?)\b")
_IN_WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_RESERVED_MONTHS: dict[float, PriceTerm] = {12: "reserved_1y", 36: "reserved_3y"}
_HOUR = re.compile(r"hour|/\s*hr?\b|\bper hr?\b")
_OTHER_TIME = re.compile(
    r"(?:\b(?:per|each)\s+|/\s*)(?:\w+[\s-]+)?(?:months?|mo|years?|yr|y|annum|weeks?|wk|days?)\b"
    r"|\b(?:month|week|dai)ly\b|\bannually\b|\b(?:annual|yearly)\W+(?:price|rent|cost|fee|rate|charge)"
)
_CENTS = re.compile(r"\b(?:us)?cents?\b|\bpence\b|¢")
CURRENCY_CODES = frozenset(get_args(Currency))
CURRENCY_SIGNS: tuple[tuple[str, str], ...] = (
    ("NT$", "TWD"), ("US$", "USD"), ("HK$", "HKD"), ("$", "USD"), ("€", "EUR"), ("£", "GBP"), ("¥", "JPY"),
    ("₩", "KRW"), ("₹", "INR"),
)  # fmt: skip
_NUMBER = re.compile(r"\d[\d.,'\u00a0\u202f ]*(?:[eE][+-]?\d+)?")
_DAY_FIRST = re.compile(r"^(\d{1,2})\.(\d{1,2})\.(\d{4})$")
_ISO = re.compile(r"^(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?(?:[T ].*)?$")


def currency_of(text: str) -> str:
    """Code of the currency that a text names by code or sign; empty where it names none."""
    codes = [code for code in re.findall(r"[A-Z]{3}", text.upper()) if code in CURRENCY_CODES]
    if codes:
        return str(codes[0])
    return next((code for sign, code in CURRENCY_SIGNS if sign in text), "")


def number_in(text: str, has_decimal_comma: bool = False) -> float | None:
    """The one number in a cell, whichever way its thousands and decimals are marked; None: none, or it is unclear.

    28,500 is 28 500, for no price has three decimals; so is 28.500 where the list writes decimals with a comma.
    """
    found = _NUMBER.findall(text)
    if len(found) != 1 or "-" in text.partition(found[0])[0]:
        return None
    digits = re.sub(r"['\u00a0\u202f ]", "", found[0]).rstrip(".,")
    if "," in digits and "." in digits:
        decimal = max(digits.rfind(","), digits.rfind("."))
        digits = re.sub(r"[.,]", "", digits[:decimal]) + "." + digits[decimal + 1 :]
    elif digits.count(",") > 1 or re.fullmatch(r"[1-9]\d{0,2},\d{3}", digits):
        digits = digits.replace(",", "")
    elif digits.count(".") > 1 or (has_decimal_comma and re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", digits)):
        digits = digits.replace(".", "")
    digits = digits.replace(",", ".")
    try:
        value = float(digits)
    except ValueError:
        return None
    scale = 1e3 if re.search(r"\d\s*k\b", text.casefold()) else 1.0
    return value * scale if math.isfinite(value) else None


def term_of(text: str) -> PriceTerm | None:
    """What a price is paid for, by the words of a cell; None too for a reservation of other than one or three years."""
    plain = text.casefold().replace("_", " ")
    length = _LENGTH.search(plain)
    if length is not None and not re.search(_TERMS[0][0], plain):
        months = (_IN_WORDS.get(length[1]) or float(length[1])) * (12 if length[2].startswith("y") else 1)
        return _RESERVED_MONTHS.get(months)
    return next((term for pattern, term in _TERMS if re.search(pattern, plain)), None)


def is_hourly(text: str) -> bool | None:
    """Whether a price is said to be for an hour; None where no time is said."""
    plain = text.casefold().replace("_", " ")
    if _HOUR.search(plain):
        return True
    return False if _OTHER_TIME.search(plain) else None


def is_in_cents(text: str) -> bool:
    return _CENTS.search(text.casefold().replace("_", " ")) is not None


def iso_date(text: str) -> str:
    """2026-10-10, 2026-10, 10.10.2026 or 2026/10/10 as a date of the catalogue; empty for what is none or unclear."""
    text = text.strip()
    german = _DAY_FIRST.match(text)
    iso = _ISO.match(text)
    if german:
        parts = (german[3], german[2], german[1])
    elif iso:
        parts = (iso[1], iso[2], iso[3] or "")
    else:
        return text if re.fullmatch(r"(19|20)\d\d", text) else ""
    year, month, day = int(parts[0]), int(parts[1]), int(parts[2] or 1)
    try:
        found = datetime.date(year, month, day).isoformat()
    except ValueError:
        return ""
    return found if parts[2] else found[:7]
