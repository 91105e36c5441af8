"""What a fleet is billed in each year of a plan, by part: the one sum of money over time.

One case or many samples of it: years stand on the first axis, samples on the last where there are any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, MONTHS_PER_YEAR
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.cost.finance import Values
from gpuplanner_gui.engine.cost.plan_years import (
    LONGEST_PLAN_YEARS,
    PlanYears,
    along_years,
    ladder_of,
    priced_by_year,
    worth_of_capital,
    worth_of_payments,
)
from gpuplanner_gui.engine.explaining.formula import formula, leaf

GIGABYTE = 1e9


@dataclass(frozen=True)
class Beside:
    """What is billed beside the devices, before support, and the support on the whole bill."""

    usd: Floats
    """Storage and egress of a month of service, or of a training run. [USD]"""
    support_share: float

    def billed_usd(self, devices_usd: Values) -> Floats:
        """The whole bill where the devices cost so much. [USD]"""
        return np.asarray((devices_usd + self.usd) * (1.0 + self.support_share))


NOTHING_BESIDE = Beside(np.asarray(0.0), 0.0)


@formula(
    title="Storage and egress",
    unit="USD",
    expression="stored_gb · months · storage_usd_per_gb_month + egress_gb · egress_usd_per_gb",
    source="list prices of clouds, per decimal gigabyte (docs/derivations/cost.md#storage-egress-and-support)",
)
def storage_and_egress_usd(
    stored_gb: float, months: float, storage_usd_per_gb_month: float, egress_gb: Values, egress_usd_per_gb: float
) -> Floats:
    """What data cost beside the devices. [USD]"""
    usd = stored_gb * months * storage_usd_per_gb_month + egress_gb * egress_usd_per_gb
    return np.asarray(usd, np.float64)


def beside_month(economics: Economics, procurement: Procurement, load: Values = 1.0) -> Beside:
    """Monthly storage and egress of a service at so many times today's load; egress grows with it."""
    moved = central(economics.renting.serving_egress_bytes_per_month) * load
    return _beside(economics, procurement, 1.0, moved)


def beside_run(economics: Economics, procurement: Procurement) -> Beside:
    """Storage and egress of a training run, with its share of a year's storage."""
    runs = central(economics.fleets.training_runs_per_year)
    months = MONTHS_PER_YEAR / runs if runs > 0 else 0.0
    return _beside(economics, procurement, months, central(economics.renting.training_egress_bytes_per_run))


def beside_year(economics: Economics, procurement: Procurement, load: Values, is_service: bool) -> Beside:
    """Yearly storage and egress: of a service at so many times today's load, or of a year's training runs."""
    if is_service:
        each, times = beside_month(economics, procurement, load), float(MONTHS_PER_YEAR)
    else:
        each, times = beside_run(economics, procurement), central(economics.fleets.training_runs_per_year)
    return Beside(each.usd * times, each.support_share)


def _beside(economics: Economics, procurement: Procurement, months: float, egress_bytes: Values) -> Beside:
    if procurement == "own":
        return NOTHING_BESIDE
    terms, source = economics.renting, "scenario: rental bill"
    usd = storage_and_egress_usd(
        leaf(central(terms.stored_bytes) / GIGABYTE, "stored_gb", "GB", source),
        leaf(months, "months", "months", "a month, or a run's share of a year"),
        leaf(central(terms.storage_usd_per_gb_month), "storage_usd_per_gb_month", "USD/GB/month", source),
        leaf(egress_bytes / GIGABYTE, "egress_gb", "GB", source),
        leaf(central(terms.egress_usd_per_gb), "egress_usd_per_gb", "USD/GB", source),
    )
    return Beside(usd, leaf(central(terms.support_share), "support_share", "", source))


@dataclass(frozen=True)
class YearlyNeed:
    """What a fleet must hold through each year, whatever way it is paid for."""

    years: PlanYears
    devices: Floats
    """Devices for the highest load of each year."""
    load: Floats
    """Mean load of each year over today's."""
    is_service: bool

    @staticmethod
    def of(
        economics: Economics, growth_per_year: Values, devices: Callable[[Floats], Floats], is_service: bool
    ) -> YearlyNeed:
        """The need over the planner's horizon; `devices` gives the devices for so many times today's load."""
        years = PlanYears.of(min(central(economics.horizon_years), float(LONGEST_PLAN_YEARS)))
        needed = devices(years.highest_load(growth_per_year))
        return YearlyNeed(years, needed, years.mean_load(growth_per_year), is_service)

    @property
    def horizon_years(self) -> float:
        return float(self.years.lengths.sum())


@dataclass(frozen=True)
class YearlyBill:
    """Dollars of each year."""

    years: PlanYears
    devices_usd: Floats
    beside_usd: Floats
    """Data held and moved out."""
    support_usd: Floats
    capital_share: float = 0.0
    """Share of the yearly cost of owned devices that is the annuity of their purchase."""

    @property
    def usd(self) -> Floats:
        return np.asarray(self.devices_usd + self.beside_usd + self.support_usd)

    def present_usd(self, cost_of_capital: float) -> Floats:
        """Worth today of all years. [USD]"""
        worth = worth_of_payments(self.years, cost_of_capital)
        if self.capital_share:
            capital = worth_of_capital(self.years, cost_of_capital)
            worth = self.capital_share * capital + (1.0 - self.capital_share) * worth
        return np.asarray((self.usd * along_years(worth, self.usd[0])).sum(axis=0))


def bill_on_term(
    need: YearlyNeed,
    economics: Economics,
    term: Procurement,
    usd_per_device_hour: Callable[[Procurement], Values],
    price_trend_per_year: Values = 0.0,
    use: Values = 1.0,
    capital_share: float = 0.0,
) -> YearlyBill:
    """Bill of a need on a term, on shorter ones where the longest would outlast the plan.

    Parameters
    ----------
    usd_per_device_hour : price today of a device in use on a term; NaN where it is not to be had. [USD/h]
    price_trend_per_year : of what is rented; a term keeps the price of the day on which it begins. [1/y]
    use : share of the hours that are paid for. [1]
    capital_share : of an owned device's yearly cost. [1]
    """
    priced = priced_by_year(need.devices, need.years.whole, ladder_of(term, usd_per_device_hour), price_trend_per_year)
    return billed(
        need, economics, term, priced * along_years(need.years.lengths, priced[0]) * HOURS_PER_YEAR * use, capital_share
    )


def billed(
    need: YearlyNeed, economics: Economics, term: Procurement, devices_usd: Floats, capital_share: float = 0.0
) -> YearlyBill:
    """The whole bill where the devices cost so much in each year: storage, egress and support beside them."""
    beside: Beside = beside_year(economics, term, need.load, need.is_service)
    data_usd = np.asarray(beside.usd * along_years(need.years.lengths, devices_usd[0]))
    return YearlyBill(need.years, devices_usd, data_usd, (devices_usd + data_usd) * beside.support_share, capital_share)
