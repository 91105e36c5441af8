"""The currency in which money is read: results are in dollars and are turned by the scenario's own rate.

Inputs stay as they were typed, and files keep dollars. Where the scenario gives no rate for the currency that it asks
for, dollars are shown, and `missing_rate` says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import get_args

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.quantity import Currency
from gpuplanner_gui.drawing.language import language, tr

DOLLAR = "USD"
CURRENCIES: tuple[str, ...] = get_args(Currency)
_SIGNS = {
    DOLLAR: "$", "EUR": "€", "GBP": "£", "JPY": "¥", "CNY": "CN¥", "TWD": "NT$", "KRW": "₩", "INR": "₹", "CAD": "CA$",
    "AUD": "A$", "SGD": "S$", "HKD": "HK$", "BRL": "R$",
}  # fmt: skip

_DOLLAR_SIGNS = {"zh_TW": "US$"}
"""Dollar signs in languages where the bare sign means another dollar."""


@dataclass(frozen=True)
class ShownMoney:
    """A currency, and what one unit of it is worth."""

    currency: str = DOLLAR
    usd_per_unit: float = 1.0

    @property
    def sign(self) -> str:
        return money_sign(self.currency)


DOLLARS = ShownMoney()
# Of each thread its own: a report about one project is written while another is on the screen.
_shown: ContextVar[ShownMoney] = ContextVar("shown_money", default=DOLLARS)


def money_sign(currency: str) -> str:
    """The sign before an amount; a currency code is followed by a space."""
    return _SIGNS.get(currency, f"{currency}\N{NO-BREAK SPACE}")


def local_sign(sign: str) -> str:
    """A currency's sign as the readers of the moment know it."""
    return _DOLLAR_SIGNS.get(language(), sign) if sign == "$" else sign


def shown_money() -> ShownMoney:
    """The currency of the moment."""
    return _shown.get()


def use_shown_money(money: ShownMoney) -> None:
    """Show amounts in this currency from now on."""
    _shown.set(money)


@contextmanager
def money_shown(money: ShownMoney) -> Iterator[None]:
    """Show amounts in this currency for a while."""
    before = _shown.set(money)
    try:
        yield
    finally:
        _shown.reset(before)


def money_of(economics: Economics) -> ShownMoney:
    """The currency that a scenario asks for, by its rate; dollars where it gives none, or several that differ."""
    wanted = economics.display_currency
    rate = economics.usd_per_unit(wanted)
    return DOLLARS if math.isnan(rate) or wanted == DOLLAR else ShownMoney(wanted, rate)


def missing_rate(economics: Economics) -> str:
    """The note that amounts are in dollars for lack of an exchange rate; empty otherwise."""
    wanted = economics.display_currency
    if wanted == DOLLAR or money_of(economics) is not DOLLARS:
        return ""
    if any(one.currency == wanted for one in economics.rates):
        return tr("in dollars, because Money has different exchange rates for {currency}").format(currency=wanted)
    return tr("in dollars, because Money has no exchange rate for {currency}").format(currency=wanted)


def is_money(unit: str) -> bool:
    """Whether a canonical unit is one of amounts: USD, USD/h."""
    return unit == DOLLAR or unit.startswith(f"{DOLLAR}/")


def shown_unit(unit: str) -> str:
    """The unit of amounts in the currency of the moment; any other unit as it is."""
    return unit.replace(DOLLAR, shown_money().currency, 1) if is_money(unit) else unit


def shown_amount(value: float, unit: str) -> float:
    """A value in `shown_unit(unit)`."""
    return value / shown_money().usd_per_unit if is_money(unit) else value


def rounded_amount(usd: float, digits: int) -> float:
    """An amount in dollars that has so many decimals in the currency of the moment."""
    each = shown_money().usd_per_unit
    return round(usd / each, digits) * each
