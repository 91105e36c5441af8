"""Which part of a varying need to buy or to reserve, and for how long; the rest is rented by the hour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.engine.cost.plan_years import PlanYears, factors_of_years, worth_of_capital, worth_of_payments


@dataclass(frozen=True)
class MixPrices:
    """One provider's prices of one unit of capacity. Infinite for a tier that is not offered. [USD/h]"""

    on_demand_usd_per_h: float
    one_year_usd_per_h: float = np.inf
    three_year_usd_per_h: float = np.inf
    provider: str = ""
    """Empty for the planner's own quotation."""
    bought_usd_per_h: float = np.inf
    """The yearly cost of an own unit over its hours, whatever the provider."""


BOUGHT = 100
"""Tier of what is bought: it stays to the end of the plan."""


@dataclass(frozen=True)
class CommitmentPlan:
    """The cheapest mix for a need over years.

    Arrays have a level on the first axis, a year on the second. A level is as many units of capacity as are needed in
    exactly the same hours: the first and lowest of them always, the last only at the highest peak.
    """

    units: NDArray[np.int64]
    """How many units each level is."""

    tier: NDArray[np.int8]
    """0 by the hour, 1 for one year, 3 for three years, `BOUGHT`."""
    use: NDArray[np.float64]
    """Share of the year's hours in which the level's units are needed. [1]"""
    usd: NDArray[np.float64]
    """Of all the level's units."""
    provider: str = ""

    def reserved_units(self, years: int) -> NDArray[np.int64]:
        """Units under a term of that many years, or bought, for each year."""
        return self._units_where(self.tier == years)

    def units_by_the_hour(self) -> NDArray[np.int64]:
        """Units without a term that are needed at all, for each year."""
        return self._units_where((self.tier == 0) & (self.use > 0))

    def _units_where(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        units: NDArray[np.int64] = (chosen * self.units[:, None]).sum(axis=0)
        return units


def yearly_use(need: NDArray[Any], years: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Units of each level, and the share of each year's hours in which they are needed.

    `need` is whole units for each hour of `years` years, none where it is cut short. There is a level for each need
    that occurs, so that a fleet of millions takes no more than one of a dozen. The first array has a level, the second
    levels × years.
    """
    hours = years * HOURS_PER_YEAR
    stated = np.asarray(need, np.int64)[:hours]
    hourly = np.pad(stated, (0, hours - stated.size)).reshape(years, -1)
    tops, level_of_hour = np.unique(np.append(hourly, 0), return_inverse=True)
    places = level_of_hour[:-1].reshape(hourly.shape)
    counts = np.stack([np.bincount(year, minlength=len(tops)) for year in places], axis=1)
    at_least = counts[::-1].cumsum(axis=0)[::-1]
    return np.diff(tops), at_least[1:] / hourly.shape[1]


def commitment_plan(
    need: NDArray[Any],
    years: int,
    prices: MixPrices,
    price_trend_per_year: float = 0.0,
    worth: NDArray[np.float64] | None = None,
    bought_worth: NDArray[np.float64] | None = None,
) -> CommitmentPlan:
    """Cheapest mix of hourly, one-year, three-year and bought capacity, level by level.

    Parameters
    ----------
    need : whole units needed in each hour of `years` years; the last may be cut short. [1]
    years : years planned; terms start at the start of a year and must end within the plan, what is bought stays.
    prices : of one unit, today.
    price_trend_per_year : of rent; a term keeps the price of the day on which it begins. [1/y]
    worth, bought_worth : today, of a dollar paid in each year for rent and for what is bought, by which the cheapest
        is chosen; None: all alike. [1]

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
    lengths = np.clip(len(need) / HOURS_PER_YEAR - np.arange(years), 0.0, 1.0)
    bought_usd = prices.bought_usd_per_h * HOURS_PER_YEAR * lengths
    bought_present = (bought_usd * (present if bought_worth is None else bought_worth))[::-1].cumsum()[::-1]
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
                np.broadcast_to(bought_present[year], levels),
            ],
            axis=1,
        )
        picked = options.argmin(axis=1)
        choice[:, year] = np.array([0, 1, 3, BOUGHT], np.int8)[picked]
        best[:, year] = options[np.arange(levels), picked]
    found = _plan_of_choices(choice, units, use, hourly_usd, one_year_usd, three_year_usd / 3, bought_usd)
    return replace(found, provider=prices.provider)


def cheapest_commitment(
    need: NDArray[Any],
    years: PlanYears,
    offers: Iterable[MixPrices],
    price_trend_per_year: float,
    cost_of_capital: float,
    capital_share: float = 0.0,
) -> CommitmentPlan | None:
    """Of the cheapest mixes with each provider the one that is worth least today; None where nobody sells any.

    `capital_share` is that of what an own unit costs in a year.
    """
    worth = worth_of_payments(years, cost_of_capital)
    bought = capital_share * worth_of_capital(years, cost_of_capital) + (1.0 - capital_share) * worth
    trend = price_trend_per_year
    plans = [commitment_plan(need, len(worth), one, trend, worth, bought) for one in dict.fromkeys(offers)]

    def present(one: CommitmentPlan) -> float:
        worth_of_tier = np.where(one.tier == BOUGHT, bought, worth)
        return float((one.usd * worth_of_tier).sum())

    found = min(plans, key=present, default=None)
    return found if found is not None and np.isfinite(found.usd).all() else None


def _plan_of_choices(
    choice: NDArray[np.int8],
    units: NDArray[np.int64],
    use: NDArray[np.float64],
    hourly_usd: NDArray[np.float64],
    one_year_usd: NDArray[np.float64],
    three_year_usd_per_year: NDArray[np.float64],
    bought_usd: NDArray[np.float64],
) -> CommitmentPlan:
    """Follow the choices forward, so that a longer term fills the years it covers."""
    tier, begun = choice.copy(), np.zeros(choice.shape, np.int64)
    remaining, kept = np.zeros(choice.shape[0], np.int64), np.zeros(choice.shape[0], np.int8)
    for year in range(choice.shape[1]):
        runs_on = remaining > 0
        tier[:, year] = np.where(runs_on, kept, choice[:, year])
        begun[:, year] = np.where(runs_on, begun[:, max(year - 1, 0)], year)
        remaining = np.where(runs_on, remaining, tier[:, year]) - 1
        kept = tier[:, year]
    with np.errstate(invalid="ignore"):
        rented = np.select([tier == 1, tier == 3], [one_year_usd, three_year_usd_per_year[begun]], hourly_usd)
        usd = np.where(tier == BOUGHT, bought_usd, rented)
    return CommitmentPlan(units, tier, use, usd * units[:, None])
