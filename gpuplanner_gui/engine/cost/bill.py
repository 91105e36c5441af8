"""What a fleet is billed in each year of a plan: the one sum of money over time.

The years of a plan have their load, what is held through each of them, and what its payments are worth today. One case
or many samples of it: years stand on the first axis, samples on the last where there are any.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Values
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, MONTHS_PER_YEAR
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.cost.ownership import held_over_years
from gpuplanner_gui.engine.explaining.formula import formula, leaf


@formula(
    title="Price after some years",
    unit="1",
    expression="(1 + price_trend_per_year)^years",
    source="a steady change, as planned or as the usual spread has it",
)
def trended(price_trend_per_year: float, years: NDArray[np.floating[Any]] | float) -> NDArray[np.float64]:
    """Price at some time over today's. [1]"""
    return np.asarray((1.0 + price_trend_per_year) ** np.asarray(years, np.float64))


def factors_of_years(price_trend_per_year: float, years: int, term_years: int) -> NDArray[np.float64]:
    """Price in each year over today's: of a term, as on the day that it began; of 0 years, the year's mean. [1]"""
    place = np.arange(years, dtype=np.float64)
    return trended(price_trend_per_year, place + 0.5 if term_years == 0 else place // term_years * term_years)


LONGEST_PLAN_YEARS = 10
TERM_LENGTHS: dict[Procurement, int] = {"rent_1y": 1, "rent_3y": 3}
"""Years for which a term binds."""
HELD_TERMS: tuple[Procurement, ...] = ("own", *TERM_LENGTHS)
"""Ways to pay for devices whether they work or not."""
LEAST_GROWTH = -0.999


@dataclass(frozen=True)
class PlanYears:
    """Years one after the other, the last of them perhaps in part. [y]"""

    starts: Floats
    lengths: Floats

    @staticmethod
    def of(years: float) -> PlanYears:
        whole = int(years)
        starts = np.arange(whole + (1 if years > whole else 0), dtype=np.float64)
        return PlanYears(starts, np.minimum(years - starts, 1.0))

    @property
    def whole(self) -> int:
        """Years that are not cut short."""
        return int((self.lengths >= 1.0).sum())

    @property
    def ends(self) -> Floats:
        return self.starts + self.lengths

    def highest_load(self, growth_per_year: Values) -> Floats:
        """Highest load of each year over today's, growing steadily from the first day; years on the first axis. [1]"""
        growth = np.maximum(np.asarray(growth_per_year, np.float64), LEAST_GROWTH)
        ends, starts = (along_years(one, growth) for one in (self.ends, self.starts))
        return np.asarray((1.0 + growth) ** np.where(growth >= 0, ends, starts))

    def mean_load(self, growth_per_year: Values) -> Floats:
        """Mean load of each year over today's; years on the first axis. [1]"""
        rate = np.log1p(np.maximum(np.asarray(growth_per_year, np.float64), LEAST_GROWTH))
        starts, lengths = (along_years(one, rate) for one in (self.starts, self.lengths))
        steep = np.where(rate == 0, 1.0, rate * lengths)
        return np.asarray(np.exp(rate * starts) * np.where(rate == 0, 1.0, np.expm1(steep) / steep))


def along_years(of_years: Floats, other: Floats) -> Floats:
    """Figures of years, shaped so that they broadcast with those of samples."""
    return of_years.reshape(-1, *(1,) * other.ndim)


@formula(
    title="Present value of a year's payments",
    unit="1",
    expression="1 / (1 + cost_of_capital)^(end of the year)",
    source="net present value; what flows through a year counts at its end (docs/derivations/cost.md#present-value)",
)
def worth_of_payments(years: PlanYears, cost_of_capital: float) -> Floats:
    """Present value of a dollar that flows through each year; of a part of one, at the end of that part. [1]"""
    return np.asarray((1.0 + cost_of_capital) ** -years.ends)


Ladder = tuple[tuple[int, Values], ...]
"""Terms from the longest to the shortest with their prices today; 0 years: by the hour, at the price of the day."""


def priced_by_year(needed: Floats, whole_years: int, ladder: Ladder, price_trend_per_year: Values = 0.0) -> Floats:
    """What is held in each year times its price: on the first day on the ladder's own term, later on the same where it
    ends within the plan, else on whichever of the shorter ones costs the least.

    Parameters
    ----------
    needed : at each year's start, years on the first axis. [1]
    whole_years : after which no later term may run on.
    ladder : prices that are not known are NaN and passed over. [USD/h]
    price_trend_per_year : a term keeps the price of the day on which it begins. [1/y]

    Notes
    -----
    What runs on from earlier years counts first. A term of the first day binds however short the plan is, and is
    counted as far as the plan goes. What is added later, where that term would outlast the plan, is taken a year at a
    time, reserved or by the hour; only where neither is offered, the shortest term is.
    """
    known = [(term, price) for term, price in ladder if np.isfinite(price).all()]
    wanted = np.asarray(needed, np.float64)
    held = np.zeros_like(wanted)
    priced = np.zeros(np.broadcast_shapes(wanted.shape, np.shape(price_trend_per_year)))
    if not known:
        return np.full(priced.shape, np.nan)
    for year in range(len(wanted)):
        fitting = [one for one in known if year == 0 or one[0] == 0 or year + one[0] <= whole_years] or known[-1:]
        # Shorter terms than the ladder's own are all of a year or less.
        term, rungs = fitting[0][0], fitting[: 1 if fitting[0] is known[0] else None]
        usd = [price * (1.0 + price_trend_per_year) ** (year + (0.5 if one == 0 else 0.0)) for one, price in rungs]
        end = min(year + max(term, 1), len(wanted))
        new = np.maximum(wanted[year] - held[year], 0.0)
        held[year:end] += new
        priced[year:end] += new * np.minimum.reduce(usd)
    return priced


def ladder_of(term: Procurement, usd_per_hour: Callable[[Procurement], Values]) -> Ladder:
    """The terms that a way of paying falls back on, each with its price."""
    if term not in TERM_LENGTHS:
        return ((0, usd_per_hour(term)),)
    shorter = [(years, name) for name, years in TERM_LENGTHS.items() if years <= TERM_LENGTHS[term]]
    terms = [*((years, usd_per_hour(name)) for years, name in sorted(shorter, reverse=True))]
    return (*terms, (0, usd_per_hour("rent_on_demand")))


GIGABYTE = 1e9


OWNED_BILL = "scenario: rental bill; nothing where no device is rented"


@dataclass(frozen=True)
class Beside:
    """What is billed beside the devices, before support, and the support on the whole bill."""

    usd: Floats
    """Storage and egress of a month of service, or of a training run. [USD]"""
    support_share: Values

    def where(self, is_rented: NDArray[np.bool_]) -> Beside:
        """The same for fleets of which some rent nothing: those pay no provider."""
        if self is NOTHING_BESIDE or is_rented.all():
            return self
        usd, support = (np.where(is_rented, one, 0.0) for one in (self.usd, self.support_share))
        return Beside(leaf(usd, "beside_usd", "USD", OWNED_BILL), leaf(support, "support_share", "", OWNED_BILL))

    def billed_usd(self, devices_usd: Values, owned_usd: Values = 0.0) -> Floats:
        """The whole bill where the devices cost so much, a part of it what owned ones take to run: nobody supports
        those. [USD]"""
        return np.asarray((devices_usd + self.usd) * (1.0 + self.support_share) - owned_usd * self.support_share)


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
    """Dollars of each year: devices, data held and moved out, support."""

    years: PlanYears
    usd: Floats
    owned_usd: Values = 0.0
    """Their part for devices that are owned already."""

    def present_usd(self, cost_of_capital: float) -> Floats:
        """Worth today of all years. [USD]"""
        return self._present_usd(self.usd, cost_of_capital)

    def present_added_usd(self, cost_of_capital: float) -> Floats:
        """Worth today of what is paid beside the devices that are owned already. [USD]"""
        return self._present_usd(self.usd - self.owned_usd, cost_of_capital)

    def _present_usd(self, usd: Floats, cost_of_capital: float) -> Floats:
        worth = worth_of_payments(self.years, cost_of_capital)
        return np.asarray((usd * along_years(worth, usd[0])).sum(axis=0))


@dataclass(frozen=True)
class FleetYears:
    """How a need is met in each year on a term: by owned devices first, by bought or rented ones beyond them.

    Owned devices cost what they take to run, whatever the prices and the support of a provider are.
    """

    need: YearlyNeed
    term: Procurement
    ladder: Ladder
    """The terms that it falls back on, with their prices over the first one's; what is bought has none."""
    owned_devices: Floats
    """Used in each year."""
    added_devices: Floats
    """Paid for beyond them, in whole units."""
    owned_usd_per_hour: Floats
    """Of all owned devices of each year."""
    added_usd_per_hour: Floats
    """Of all added ones, at today's price of the term; of a free one, at what its ladder's prices are over."""
    owned_use: Values = 1.0
    """Share of the hours in which owned devices are paid for. [1]"""
    added_use: Values = 1.0
    unit_devices: float = 1.0
    """Of the units that are paid for in the year that needs most."""

    def bill(
        self, economics: Economics, price_trend_per_year: Values | None = None, owned_times: Values = 1.0,
        added_times: Values = 1.0,
    ) -> YearlyBill:  # fmt: skip
        """What it comes to; or at another trend of rents, or at so many times today's costs of either part."""
        trend = central(economics.price_trend_per_year) if price_trend_per_year is None else price_trend_per_year
        if self.term == "own":
            priced = self.held(economics, self.added_usd_per_hour)
        else:
            priced = priced_by_year(self.added_usd_per_hour, self.need.years.whole, self.ladder, trend)
        added = np.where(self.is_added, priced * self.added_use * added_times, 0.0)
        hours = along_years(self.need.years.lengths * HOURS_PER_YEAR, added[0])
        owned = self.owned_usd_per_hour * self.owned_use * owned_times * hours
        return billed(self.need, economics, self.term, added * hours + owned, owned, self.is_added)

    def held(self, economics: Economics, needed: Floats) -> Floats:
        """What is held in each year, on average over it, of what is bought for a need and stays for its useful life."""
        years, life = self.need.years, central(economics.ownership.useful_life_years)
        return held_over_years(needed, years.starts, years.ends, life)

    @property
    def is_added(self) -> NDArray[np.bool_]:
        """Whether a year needs more than owned devices: what was bought or reserved before counts, and what has no
        price (NaN)."""
        is_missing = ~(self.added_devices <= 0)
        return np.asarray(np.logical_or.accumulate(is_missing) if self.term in HELD_TERMS else is_missing)

    def data_bill(self, economics: Economics) -> YearlyBill:
        """What a provider bills beside its devices."""
        return billed(self.need, economics, self.term, np.zeros(self.added_devices.shape), 0.0, self.is_added)


def billed(
    need: YearlyNeed, economics: Economics, term: Procurement, devices_usd: Floats, owned_usd: Values = 0.0,
    is_rented: Values | NDArray[np.bool_] = True,
) -> YearlyBill:  # fmt: skip
    """The whole bill where the devices cost so much in each year: storage, egress and support beside what is rented."""
    beside: Beside = beside_year(economics, term, need.load, need.is_service)
    data = np.asarray(beside.usd * along_years(need.years.lengths, devices_usd[0])) * is_rented
    return YearlyBill(need.years, Beside(data, beside.support_share).billed_usd(devices_usd, owned_usd), owned_usd)
