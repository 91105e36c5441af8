"""Rules on rows that a planner has entered: owned devices, quotations, currencies, loads by hour."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import HOURS_PER_DAY
from gpuplanner_gui.domain.economics import Economics, PriceOverride
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import WARNING, finding, remedy
from gpuplanner_gui.engine.cost.quotations import (
    QUOTED_PRICES,
    QuotedPrice,
    money_usd,
    quoted_purchase,
    quoted_rents,
)


def unusable_rows(scenario: Scenario, catalog: Catalog) -> Iterator[Finding]:
    """A row of owned devices or quoted prices that names no accelerator, so that nothing counts it; a row whose
    price is in a currency of which the scenario says no worth, so that it does not count; a currency of which it
    says several; a quotation that another one undercuts; and loads by hour of no single day, as 168 of a week."""
    owned = [one.accelerator for one in scenario.hardware.owned]
    quoted = [one.accelerator for one in scenario.economics.overrides]
    for field, names in (("owned", owned), ("overrides", quoted)):
        for place, name in enumerate(names):
            if name not in catalog.accelerators:
                values = {"row": place + 1, "field": field}
                yield finding("row_without_device", "both", WARNING, values, remedy=remedy("choose_device_of_row"))
    economics = scenario.economics
    rated = {one.currency: economics.usd_per_unit(one.currency) for one in economics.rates}
    for currency in (one for one, usd in rated.items() if math.isnan(usd)):
        count = len({one.usd_per_unit for one in economics.rates if one.currency == currency})
        values = {"currency": currency, "count": count}
        yield finding("rates_differ", "both", WARNING, values, remedy=remedy("keep_one_rate"))
    prices = [("overrides", place, one.rent_per_device_hour) for place, one in enumerate(economics.overrides)]
    prices += [("overrides", place, one.purchase_per_device) for place, one in enumerate(economics.overrides)]
    prices += [("order", place, one.unit_price) for place, one in enumerate(economics.order)]
    asked = {(field, place, one.currency) for field, place, one in prices if one is not None}
    for field, place, currency in sorted(asked):
        if currency not in {"USD", *rated}:
            values = {"row": place + 1, "field": field, "currency": currency}
            yield finding("currency_without_rate", "both", WARNING, values, remedy=remedy("enter_rate"))
    yield from _undercut_quotations(economics, catalog)
    hours = () if scenario.serving is None or scenario.serving.traffic.is_batch else scenario.serving.traffic.hours
    if len(hours) not in (0, HOURS_PER_DAY):
        cure = remedy("state_days")
        yield finding("hours_of_one_day", "serving", WARNING, {"count": float(len(hours))}, remedy=cure)


def _undercut_quotations(economics: Economics, catalog: Catalog) -> Iterator[Finding]:
    for price, unit in QUOTED_PRICES.items():
        for place, row in enumerate(economics.overrides):
            money, entry = getattr(row, price), catalog.accelerators.get(row.accelerator)
            lowest = _lowest_usd(row, price, economics)
            if entry is None or money is None or not money_usd(money, economics) > lowest:
                continue
            values = {"row": place + 1, "field": "overrides", "device": entry.name, f"lowest_{unit}": lowest}
            yield finding(f"undercut_{price}", "both", WARNING, values, remedy=remedy("remove_quotation"))


def _lowest_usd(row: PriceOverride, price: QuotedPrice, economics: Economics) -> float:
    """What counts of all quotations like a row's: of a rent, on the term of the row on which that is highest."""
    if price == "purchase_per_device":
        bought = quoted_purchase(row.accelerator, economics)
        return math.inf if bought is None else bought.usd
    rents = quoted_rents(row.accelerator, economics)
    return max((one.usd for term, one in rents.items() if row.term in (None, term)), default=math.inf)
