"""What the planner was quoted: the rows of the scenario that count, by price and term."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from gpuplanner_gui.domain.economics import RENTED_TERMS, Economics, PriceOverride, Procurement
from gpuplanner_gui.domain.quantity import Money, central

QuotedPrice = Literal["rent_per_device_hour", "purchase_per_device"]
QUOTED_PRICES: dict[QuotedPrice, str] = {"rent_per_device_hour": "usd_per_hour", "purchase_per_device": "usd"}
"""What a row of quoted prices may state, and what it is in."""


@dataclass(frozen=True)
class Quotation:
    """What the planner was quoted for an accelerator, and by whom; empty where no row says it."""

    usd: float
    provider: str = ""


def money_usd(money: Money, economics: Economics) -> float:
    """An amount in dollars by the scenario's rates. NaN where the currency has none, or several that differ."""
    return central(money.amount) * economics.usd_per_unit(money.currency)


def quoted_price(rows: Iterable[PriceOverride], price: QuotedPrice, economics: Economics) -> Quotation | None:
    """The lowest of some quotations of a price, which a planner takes. None where no row states one in a currency with
    a rate: the catalogue's price holds then."""
    stated = [(money, row.provider) for row in rows if (money := getattr(row, price)) is not None]
    amounts = [Quotation(money_usd(money, economics), provider) for money, provider in stated]
    return min((one for one in amounts if not math.isnan(one.usd)), key=lambda one: one.usd, default=None)


def quoted_purchase(accelerator: str, economics: Economics) -> Quotation | None:
    """What counts of the scenario's quotations of a purchase. [USD]"""
    rows = [one for one in economics.overrides if one.accelerator == accelerator]
    return quoted_price(rows, "purchase_per_device", economics)


def quoted_rents(accelerator: str, economics: Economics) -> dict[Procurement, Quotation]:
    """What counts of the scenario's quotations of a rent, by term: a row without a term is of every one. Terms that
    nobody quoted are left out. [USD/h]"""
    rows = [one for one in economics.overrides if one.accelerator == accelerator]
    if not rows:
        return {}
    found = {
        term: quoted_price((one for one in rows if one.term in (None, term)), "rent_per_device_hour", economics)
        for term in RENTED_TERMS
    }
    return {term: one for term, one in found.items() if one is not None}


def quoted_accelerators(economics: Economics) -> tuple[str, ...]:
    """Accelerators of which a quotation counts."""
    named = dict.fromkeys(one.accelerator for one in economics.overrides)
    return tuple(one for one in named if quoted_rents(one, economics) or quoted_purchase(one, economics))


def rents_usd(rents: Mapping[Procurement, Quotation]) -> dict[Procurement, float]:
    """The amounts of some quotations. [USD/h]"""
    return {term: one.usd for term, one in rents.items()}
