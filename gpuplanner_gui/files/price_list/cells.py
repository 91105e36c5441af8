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
    (r"3\s*-?\s*y|three.year|36\s*-?\s*m", "reserved_3y"),
    (r"1\s*-?\s*y|one.year|annual|12\s*-?\s*m|reserv|commit", "reserved_1y"),
    (r"on.?demand|hour|/\s*h\b|payg|pay.as|rent|lease", "on_demand"),
    (r"purchas|buy|capex|list|unit|each|piece|hardware|sale|quote", "purchase"),
)
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
    """What a price is paid for, by the words of a cell."""
    plain = text.casefold().replace("_", " ")
    return next((term for pattern, term in _TERMS if re.search(pattern, plain)), None)


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
