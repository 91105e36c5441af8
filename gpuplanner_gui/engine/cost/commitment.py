"""Which part of a varying need to reserve, and for how long; the rest is rented by the hour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.engine.cost.bill import PlanYears, factors_of_years, worth_of_payments


@dataclass(frozen=True)
class MixPrices:
    """One provider's prices of one unit of capacity. Infinite for a tier that is not offered. [USD/h]"""

    on_demand_usd_per_h: float
    one_year_usd_per_h: float = np.inf
    three_year_usd_per_h: float = np.inf
    provider: str = ""
    """Empty for a quotation of the planner's that names nobody."""
    quoted: tuple[tuple[int, str], ...] = ()
    """Tiers (0 by the hour, 1 and 3 for years) that were quoted to the planner, each with its provider."""


OWNED = 100
"""Tier of what is owned already."""


@dataclass(frozen=True)
class CommitmentPlan:
    """The cheapest mix for a need over years.

    Arrays have a level on the first axis, a year on the second. A level is as many units of capacity as are needed in
    exactly the same hours: the first and lowest of them always, the last only at the highest peak.
    """

    units: NDArray[np.int64]
    """How many units each level is."""

    tier: NDArray[np.int8]
    """0 by the hour, 1 for one year, 3 for three years, `OWNED` for good."""
    use: NDArray[np.float64]
    """Share of the year's hours in which the level's units are needed. [1]"""
    usd: NDArray[np.float64]
    """Cost of all units of the level."""
    provider: str = ""
    quoted: tuple[tuple[int, str], ...] = ()
    on_demand_usd_per_h: float = np.nan
    """That provider's price of a unit by the hour, today. [USD/h]"""

    def reserved_units(self, years: int) -> NDArray[np.int64]:
        """Units under a term of that many years, for each year."""
        return self._units_where(self.tier == years)

    def units_by_the_hour(self) -> NDArray[np.int64]:
        """Units without a term that are needed at all, for each year."""
        return self._units_where((self.tier == 0) & (self.use > 0))

    @property
    def quoted_by(self) -> str | None:
        """Who else quoted prices that the mix pays; empty where a quotation names nobody, None where nobody did."""
        others = {name for tier, name in self.quoted if tier in self._tiers_paid} - {self.provider}
        return ", ".join(sorted(filter(None, others))) if others else None

    @property
    def paid_to(self) -> str:
        """Everybody from whom something is rented; empty where no name is known."""
        by_tier = dict(self.quoted)
        names = {by_tier.get(tier, self.provider) for tier in self._tiers_paid - {OWNED}}
        return ", ".join(sorted(filter(None, names)))

    @property
    def _tiers_paid(self) -> set[int]:
        is_paid = (self.units[:, None] > 0) & ((self.tier > 0) | (self.use > 0))
        return {int(one) for one in np.unique(self.tier[is_paid])}

    def paid_hours(self, years: PlanYears) -> Floats:
        """Paid hours of all units by level and year. [h]"""
        use = np.where((self.tier > 0) & (self.tier < OWNED), years.lengths, self.use)
        return np.asarray(self.units[:, None] * use * HOURS_PER_YEAR)

    def present_usd(self, years: PlanYears, cost_of_capital: float) -> Floats:
        """Worth today by level and year. [USD]"""
        return np.asarray(self.usd * worth_of_payments(years, cost_of_capital))

    def beside_owned(self, units: Floats, years: PlanYears, usd_per_hour: Floats) -> CommitmentPlan:
        """The mix with a lowest level of owned units, so many in each year, which cost so much at all hours."""
        usd, most = usd_per_hour * HOURS_PER_YEAR * years.lengths, round(float(units.max()))
        return replace(
            self, units=np.concatenate([[most], self.units]), usd=np.vstack([usd, self.usd]),
            tier=np.vstack([np.full_like(usd, OWNED, np.int8), self.tier]),
            use=np.vstack([units / most * years.lengths, self.use]),
        )  # fmt: skip

    def _units_where(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        units: NDArray[np.int64] = (chosen * self.units[:, None]).sum(axis=0)
        return units


def yearly_use(need: NDArray[Any], years: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Units of each level, and the share of each year's hours in which they are needed.

    `need` is units for each hour of `years` years, none where it is cut short; a part of a unit is one that is needed
    for that part of the hour. There is a level for each need that occurs, so that a fleet of millions takes no more
    than one of a dozen. The first array has a level, the second levels × years.
    """
    hours = years * HOURS_PER_YEAR
    stated = np.asarray(need)[:hours]
    hourly = np.pad(stated, (0, hours - stated.size)).reshape(years, -1)
    least, most = np.floor(hourly).astype(np.int64), np.ceil(hourly).astype(np.int64)
    tops = np.unique(np.concatenate([[0], least.ravel(), most.ravel()]))
    part = hourly - least

    def hours_at(level: NDArray[np.int64], weight: Floats) -> Floats:
        places = np.searchsorted(tops, level)
        return np.stack([np.bincount(*year, minlength=len(tops)) for year in zip(places, weight, strict=True)], axis=1)

    counts = hours_at(least, 1 - part) + hours_at(most, part)
    at_least = counts[::-1].cumsum(axis=0)[::-1]
    return np.diff(tops), at_least[1:] / hourly.shape[1]


def commitment_plan(
    need: NDArray[Any],
    years: int,
    prices: MixPrices,
    price_trend_per_year: float = 0.0,
    worth: NDArray[np.float64] | None = None,
) -> CommitmentPlan:
    """Cheapest mix of hourly, one-year and three-year capacity, level by level.

    Parameters
    ----------
    need : units needed on average in each hour of `years` years; the last may be cut short. [1]
    years : years planned; terms start at the start of a year and must end within the plan.
    prices : of one unit, today.
    price_trend_per_year : a term keeps the price of the day on which it begins. [1/y]
    worth : today, of a dollar paid in each year, by which the cheapest is chosen; None: all alike. [1]

    Notes
    -----
    For each level the best sequence of terms over the years is found exactly, by dynamic programming backwards from
    the last year; levels are independent, since a unit is either reserved or not.
    """
    units, use = yearly_use(need, years)
    whole = len(need) // HOURS_PER_YEAR
    present = np.ones(years) if worth is None else worth
    hourly_usd = use * HOURS_PER_YEAR * prices.on_demand_usd_per_h * factors_of_years(price_trend_per_year, years, 0)
    begun = factors_of_years(price_trend_per_year, years, 1)
    one_year_usd = prices.one_year_usd_per_h * HOURS_PER_YEAR * begun
    three_year_usd = prices.three_year_usd_per_h * HOURS_PER_YEAR * 3 * begun
    levels = use.shape[0]
    best = np.zeros((levels, years + 4))
    choice = np.zeros((levels, years), np.int8)
    for year in range(years - 1, -1, -1):
        short = one_year_usd[year] * present[year] if year < whole else np.inf
        is_long = year + 3 <= whole
        long = three_year_usd[year] / 3 * present[year : year + 3].sum() + best[:, year + 3] if is_long else np.inf
        options = np.stack(
            [
                hourly_usd[:, year] * present[year] + best[:, year + 1],
                short + best[:, year + 1],
                np.broadcast_to(long, levels),
            ],
            axis=1,
        )
        picked = options.argmin(axis=1)
        choice[:, year] = np.array([0, 1, 3], np.int8)[picked]
        best[:, year] = options[np.arange(levels), picked]
    found = _plan_of_choices(choice, units, use, hourly_usd, one_year_usd, three_year_usd / 3)
    return replace(
        found, provider=prices.provider, quoted=prices.quoted, on_demand_usd_per_h=prices.on_demand_usd_per_h
    )


def cheapest_commitment(
    need: NDArray[Any],
    years: PlanYears,
    offers: Iterable[MixPrices],
    price_trend_per_year: float,
    cost_of_capital: float,
) -> CommitmentPlan | None:
    """The mix with the least present value over all providers; None where nobody rents the device out."""
    worth = worth_of_payments(years, cost_of_capital)
    plans = (commitment_plan(need, len(worth), one, price_trend_per_year, worth) for one in dict.fromkeys(offers))
    found = min(plans, key=lambda one: float((one.usd.sum(axis=0) * worth).sum()), default=None)
    return found if found is not None and np.isfinite(found.usd).all() else None


def _plan_of_choices(
    choice: NDArray[np.int8],
    units: NDArray[np.int64],
    use: NDArray[np.float64],
    hourly_usd: NDArray[np.float64],
    one_year_usd: NDArray[np.float64],
    three_year_usd_per_year: NDArray[np.float64],
) -> CommitmentPlan:
    """Follow the choices forward, so that a three-year term fills the years it covers."""
    tier, begun = choice.copy(), np.zeros(choice.shape, np.int64)
    remaining = np.zeros(choice.shape[0], np.int64)
    for year in range(choice.shape[1]):
        tier[:, year] = np.where(remaining > 0, 3, choice[:, year])
        begun[:, year] = np.where(remaining > 0, begun[:, max(year - 1, 0)], year)
        remaining = np.where(remaining > 0, remaining - 1, np.where(choice[:, year] == 3, 2, 0))
    with np.errstate(invalid="ignore"):
        usd = np.select([tier == 1, tier == 3], [one_year_usd, three_year_usd_per_year[begun]], hourly_usd)
    return CommitmentPlan(units, tier, use, usd * units[:, None])
