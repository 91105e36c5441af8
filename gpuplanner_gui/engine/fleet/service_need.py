"""The usual week of a service, hour by hour, and the replicas that it needs at any load.

The week is the one shape that sizes, costs and energy follow from. Replicas are the plan's own number at today's peak,
and on from there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.constants import HOURS_PER_DAY, HOURS_PER_YEAR, SECONDS_PER_HOUR
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.plan import ServingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.traffic import DAYS_PER_WEEK, Traffic
from gpuplanner_gui.domain.workload import Availability, ServingWorkload
from gpuplanner_gui.engine.cost.bill import PlanYears
from gpuplanner_gui.engine.cost.units import PaidFleet
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.fleet.cold_start import lone_start_s
from gpuplanner_gui.engine.simulation.replicas import fleet_replicas

one_each, none_each = partial(np.ones, 1), partial(np.zeros, 1)
BY_THE_HOUR: tuple[Procurement, ...] = ("rent_on_demand", "rent_spot")
"""Terms on which a device that is switched off costs nothing."""


@dataclass(frozen=True)
class ServiceNeed:
    """One sizing for every page: what a year, an hour or a sample needs is counted as the plan's fleet was."""

    availability: Availability
    planned_rate_per_s: Floats
    """Planned rate of one replica of each candidate, shape (candidates,); 0 where it cannot serve."""
    more_replicas: Floats
    """Replicas of the plan beyond those for load, zones and spares."""
    start_s: Floats
    """Time from the order of a replica of each candidate until it serves, shape (candidates,)."""
    per_unit: Floats = field(default_factory=one_each)
    """Replicas of each candidate that a unit as sold holds; 1 where each takes a unit or more, shape (candidates,)."""
    filled: Floats = field(default_factory=one_each)
    """Rented replicas over the places for them in the units of the fleet at the peak, shape (candidates,)."""
    owned: Floats = field(default_factory=none_each)
    """Replicas of each candidate on devices that are owned: used first, paid for at all hours, shape (candidates,)."""

    @staticmethod
    def of(
        answer: ServingPlan, rows: NDArray[np.int64], serving: ServingWorkload, fleet: PaidFleet | None = None,
        replicas: Floats | None = None,
    ) -> ServiceNeed:  # fmt: skip
        """The need of some candidates of a plan, as it pays for them or otherwise, in its numbers or others; rows of -1
        cannot serve."""
        table, known = answer.table, np.maximum(rows, 0)
        peak, planned, load = (
            np.full(len(rows), answer.peak_rate_per_s), table.replicas[known], table.load_per_replica_per_s[known]
        )  # fmt: skip
        if replicas is not None:
            load = peak / np.maximum(peak / load - (planned - replicas), 1.0)
        each = rate_of_each(peak, table.slo_rate_per_s[known], load, serving)
        weights = (table.weights_bytes * table.devices_per_replica)[known]
        units, owned = (
            (table.unit_devices[known], table.owned_devices[known]) if fleet is None
            else (fleet.unit_devices, fleet.stock_devices)
        )  # fmt: skip
        count = planned if replicas is None else replicas
        need = ServiceNeed.counted(serving, np.where(rows >= 0, each, 0.0), count, peak, weights)
        return need.in_units(count, units, table.devices_per_replica[known], owned)

    @staticmethod
    def counted(
        serving: ServingWorkload, each: Floats, replicas: Floats, peak_rate_per_s: Floats, weight_bytes: Floats
    ) -> ServiceNeed:
        """The need of candidates whose replicas are planned for so much each and load so many bytes of weights, and
        their number at the peak; in no units yet, and none owned."""
        rate, start_s = np.nan_to_num(each, posinf=0.0), lone_start_s(serving.start, np.nan_to_num(weight_bytes))
        expected = ServiceNeed(serving.availability, rate, np.zeros(len(rate)), start_s)
        load_alone = expected.along(peak_rate_per_s[:, None])[:, 0]
        more = np.maximum(np.nan_to_num(replicas - load_alone, posinf=0.0, neginf=0.0), 0.0)
        return replace(expected, more_replicas=more)

    def in_units(
        self, replicas: Floats, unit_devices: Floats, devices_per_replica: Floats | Integers, owned_devices: Floats
    ) -> ServiceNeed:
        """The same, so many replicas at the peak being paid for in units as sold, and some devices being owned."""
        per_unit = replicas_per_unit(unit_devices, devices_per_replica)
        owned = np.nan_to_num(owned_devices // devices_per_replica)
        return replace(self, per_unit=per_unit, filled=filled_share(replicas - owned, per_unit), owned=owned)

    def running(self, rates_per_s: Floats) -> Floats:
        """Replicas of every candidate that run at rates, shape (candidates, rates): none without load. [1]"""
        return np.asarray(np.where(rates_per_s > 0, self.along(rates_per_s), 0.0))

    def paid(self, rates_per_s: Floats) -> Floats:
        """Replicas of every candidate that are paid for at rates: owned ones, and those of rented units. [1]"""
        return np.asarray(self.owned[:, None] + self.rented(rates_per_s))

    def rented(self, rates_per_s: Floats) -> Floats:
        """Replicas beyond the owned ones that are paid for at rates: a unit is, whole, while one of its replicas runs.
        [1]

        As at the peak, where the price of what stands empty in units is spread over the replicas.
        """
        each, filled = self.per_unit[:, None], self.filled[:, None]
        beyond = np.maximum(self.running(rates_per_s) - self.owned[:, None], 0.0)
        return np.asarray(np.ceil(beyond / each) * each * filled)

    def replicas(self, rate_per_s: Floats) -> Floats:
        """All replicas of the first candidate that are paid for at some rates, of any shape. [1]"""
        return np.asarray(self.at_rate(rate_per_s, self.planned_rate_per_s[0]) + self.more_replicas[0])

    def along(self, rates_per_s: Floats) -> Floats:
        """Replicas of every candidate along rates, shape (candidates, rates); infinite where one cannot serve. [1]"""
        return np.asarray(self.at_rate(rates_per_s, self.planned_rate_per_s[:, None]) + self.more_replicas[:, None])

    def at_rate(self, rate_per_s: Floats, planned_rate_per_s: Floats) -> Floats:
        """Replicas, zones and spares included, where each is planned for so much: broadcast. [1]"""
        wanted = self.availability
        with np.errstate(divide="ignore", invalid="ignore"):
            return fleet_replicas(rate_per_s, planned_rate_per_s, 1.0, wanted.zones, wanted.spare_replicas)


def replicas_per_unit(unit_devices: Floats, devices_per_replica: Floats | Integers) -> Floats:
    """Replicas that a unit as sold holds, 1 where one takes a unit or more. [1]"""
    return np.asarray(np.fmax(np.floor(unit_devices / devices_per_replica), 1.0), np.float64)


def filled_share(replicas: Floats | float, per_unit: Floats) -> Floats:
    """Replicas over the places for them in all units of the fleet; 1 for no fleet. [1]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = replicas / (np.ceil(replicas / per_unit) * per_unit)
    return np.asarray(np.where(np.isfinite(share) & (share > 0), share, 1.0))


def rate_of_each(
    peak_rate_per_s: Floats, slo_rate_per_s: Floats, load_per_replica_per_s: Floats, serving: ServingWorkload
) -> Floats:
    """Rate that each replica is sized for, of every candidate, where the load grows or varies over the hours. [1/s]

    What leaves the headroom that is stated, as far as it explains the fleet's number at the peak: of a fleet that is
    larger for confidence, the highest rate for which one replica fewer would not do. A higher rate never costs more.
    A batch is worked off at what replicas take, however many there are.
    """
    full = slo_rate_per_s * serving.availability.target_utilisation
    if serving.traffic.is_batch:
        return np.fmax(full, load_per_replica_per_s)
    with np.errstate(divide="ignore", invalid="ignore"):
        count = np.round(peak_rate_per_s / load_per_replica_per_s)
        below_fewer = peak_rate_per_s / (count - 1.0) * (1.0 - 1e-6)
        return np.asarray(np.clip(full, load_per_replica_per_s, np.where(count > 1, below_fewer, np.inf)))


def can_be_stopped(serving: ServingWorkload, term: Procurement) -> bool:
    """Whether replicas follow the load and cost nothing while they are switched off."""
    return serving.start.is_autoscaled and term in BY_THE_HOUR


@formula(
    title="Replicas that are paid for",
    unit="1",
    expression="Σ units(highest load from the hour until a replica ordered then serves) / (168 · units)",
    source="count over the week; a rented unit is paid for while any of its replicas runs, none where no load comes "
    "in that time, and owned replicas at all hours (docs/derivations/load.md#load-over-a-day)",
)
def running_share(serving: ServingWorkload, term: Procurement, need: ServiceNeed, peak_rate_per_s: Floats) -> Floats:
    """Mean over a week of the replicas that are paid for, over those at the peak, of every candidate. [1]"""
    if not can_be_stopped(serving, term):
        return np.ones(len(peak_rate_per_s))
    running = paid_over_week(serving.traffic, need, peak_rate_per_s, MEAN_OF_WEEK)[:, 0]
    return _known_share(running, need.along(peak_rate_per_s[:, None])[:, 0])


def _known_share(running: Floats, most: Floats) -> Floats:
    """Replicas over those at the peak; 1 for candidates that no number is enough for. [1]"""
    is_known = np.isfinite(most) & (most > 0) & np.isfinite(running)
    return np.asarray(np.divide(running, most, out=np.ones(running.shape), where=is_known))


def replicas_by_hour(
    serving: ServingWorkload, need: ServiceNeed, peak_rate_per_s: float, hours: int, growth_per_year: float
) -> Floats:
    """Replicas of the first candidate that are paid for in each hour, the load growing steadily from today's. [1]"""
    grown = peak_rate_per_s * (1.0 + growth_per_year) ** (np.arange(hours) / HOURS_PER_YEAR)
    if serving.traffic.is_batch:
        return np.asarray(_paid_of_batch(serving.traffic, need, grown[None, :])[0])
    whole, part = np.divmod(need.start_s[0] / SECONDS_PER_HOUR, 1.0)
    now, later = (
        need.paid(np.resize(week_ahead(serving.traffic, whole + more), (1, hours)) * grown)[0] for more in (0, 1)
    )
    return np.asarray(now + part * (later - now))


HOURS_OF_WEEK = DAYS_PER_WEEK * HOURS_PER_DAY
MEAN_OF_WEEK = np.full((HOURS_OF_WEEK, 1), 1.0 / HOURS_OF_WEEK)


def paid_over_week(
    traffic: Traffic, need: ServiceNeed, peak_rate_per_s: Floats, weights: Floats | None = None
) -> Floats:
    """Replicas of every candidate that are paid for in each hour of the week, shape (candidates, 168); or, with
    `weights` of shape (168, n), their sums over the hours, shape (candidates, n). [1]

    A replica must be ordered its start-up time before the load needs it: what counts is the most that is needed from
    then until it serves. In the last part of an hour, as long as the start-up goes beyond whole hours, that
    time reaches one hour further.
    """
    of_hours = np.eye(HOURS_OF_WEEK) if weights is None else weights
    if traffic.is_batch:
        return _paid_of_batch(traffic, need, np.repeat(peak_rate_per_s[:, None], len(of_hours), axis=1)) @ of_hours
    whole, part = np.divmod(need.start_s / SECONDS_PER_HOUR, 1.0)
    paid = np.zeros((len(whole), of_hours.shape[1]))
    for hours in np.unique(whole):
        ahead = np.stack([week_ahead(traffic, hours), week_ahead(traffic, hours + 1)])
        loads, places = np.unique(ahead, return_inverse=True)
        # Many hours are alike: each load is counted once.
        of_loads = (places.reshape(ahead.shape)[:, None] == np.arange(len(loads))[:, None]) @ of_hours
        with np.errstate(invalid="ignore"):  # No number is enough for a candidate that cannot serve.
            now, later = need.paid(peak_rate_per_s[:, None] * loads) @ of_loads
            paid = np.where(whole[:, None] == hours, now + part[:, None] * (later - now), paid)
    return paid


def _paid_of_batch(traffic: Traffic, need: ServiceNeed, peak_rate_per_s: Floats) -> Floats:
    """Replicas that are paid for in each hour of so many from Monday's first, of batches with a peak each, shape
    (candidates, hours): all of them, spares at work as well, from their order until a batch is expected to be done;
    owned ones at all hours."""
    hours = np.arange(peak_rate_per_s.shape[1])
    rates = peak_rate_per_s * np.resize(np.repeat(traffic.week, HOURS_PER_DAY), len(hours))
    each, start_s = need.planned_rate_per_s[:, None], need.start_s[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        busy = np.nan_to_num(rates / (each * need.running(rates)), nan=1.0)
    worked_s = busy * need.availability.target_utilisation * traffic.batch_time_s + start_s
    until = HOURS_PER_DAY * worked_s / max(traffic.batch_time_s, HOURS_PER_DAY * SECONDS_PER_HOUR)
    with np.errstate(invalid="ignore"):  # No number is enough for a candidate that cannot serve.
        rented = need.rented(rates) * np.clip(until - hours % HOURS_PER_DAY, 0.0, 1.0)
        return np.asarray(need.owned[:, None] + rented)


def week_ahead(traffic: Traffic, hours: float) -> Floats:
    """Highest load of each hour of the week and of so many after it, as a share of the peak, shape (168,). [1]"""
    week = service_week(traffic).ravel()
    return np.asarray(np.max([np.roll(week, -later) for later in range(min(int(hours) + 1, week.size))], axis=0))


GROWTHS = 33
"""Rates of growth that are counted hour by hour; others lie between two of them."""


def running_by_year(
    serving: ServingWorkload, need: ServiceNeed, peak_rate_per_s: float, years: PlanYears, growth_per_year: Floats
) -> Floats:
    """Replicas of the first candidate that are paid for on average in each year, shape (years, growths). [1]"""
    hours, begins = years.lengths * HOURS_PER_YEAR, (years.starts * HOURS_PER_YEAR).astype(np.int64)
    known = np.unique(np.linspace(growth_per_year.min(), growth_per_year.max(), GROWTHS))
    whole = round(float(hours.sum()))
    counts = [
        np.add.reduceat(replicas_by_hour(serving, need, peak_rate_per_s, whole, one), begins) / hours for one in known
    ]
    return np.stack([np.interp(growth_per_year, known, of_year) for of_year in np.stack(counts, axis=1)])


def carried_share(serving: ServingWorkload, term: Procurement, answer: ServingPlan, rows: NDArray[np.int64]) -> Floats:
    """Mean load over what all replicas that run could take together, of some candidates of a plan. [1]"""
    need = ServiceNeed.of(answer, rows, serving)
    running = running_share(serving, term, need, np.full(len(rows), answer.peak_rate_per_s))
    capacity = answer.table.replicas[rows] * running * answer.table.max_rate_per_s[rows]
    mean = np.full(len(rows), answer.peak_rate_per_s * serving.traffic.mean_share_of_peak)
    is_known = np.isfinite(capacity) & (capacity > 0)
    return np.asarray(np.divide(mean, capacity, out=np.zeros(len(rows)), where=is_known))


PEAK_HOUR = 15
STEEPEST = 2_000.0
LEVELS = 10
"""Number of load levels at which power is counted."""
NIGHT = 0.02
"""Load at the quietest hour of the plain cosine, as a share of the peak; no service is ever idle."""
PLAIN_COSINE = (1 + NIGHT) / 2
"""Mean over peak of a cosine that falls to `NIGHT`."""


def service_week(traffic: Traffic) -> NDArray[np.float64]:
    """Load in each hour from Monday's first as a share of the peak, shape (7, 24).

    The busiest day has the stated or made hours, the others their share of it: the mean is `mean_share_of_peak`.
    """
    week: NDArray[np.float64] = np.outer(traffic.week, service_day(traffic))
    return week


@dataclass(frozen=True)
class LoadHours:
    """A service's week by load: how much of the time it has which, and what runs then; of shape (levels,), or
    (candidates, levels) where candidates differ."""

    load: Floats
    """Mean of each level, as a share of the peak: beyond it where a batch is worked off faster than it has to be."""
    share: Floats
    """Share of all hours; where these sum to less than 1, nothing runs in the rest."""
    running: Floats
    """Replicas that are paid for in these hours, and take the load, over those at the peak."""


def load_hours(serving: ServingWorkload, need: ServiceNeed, peak_rate_per_s: Floats, stops: Booleans) -> LoadHours:
    """Hours at each load, in levels of equal width from nothing to the peak; levels without hours are left out. What
    follows the load is not paid for in all of them where a candidate `stops`. A batch is at work or waits."""
    traffic, peak = serving.traffic, np.asarray(peak_rate_per_s)
    most = need.along(peak[:, None])
    if traffic.is_batch:
        nothing = np.zeros(len(peak))
        alone = replace(need, start_s=nothing, per_unit=one_each(), filled=one_each(), owned=nothing)
        working, running = (
            _known_share(paid_over_week(traffic, one, peak, MEAN_OF_WEEK), most) for one in (alone, need)
        )
        waiting = np.maximum(np.where(stops[:, None], running, 1.0) - working, 0.0)
        load = traffic.mean_share_of_peak / working
        return LoadHours(np.hstack([0.0 * load, load]), np.hstack([waiting, working]), np.ones(2))
    week = service_week(traffic).ravel()
    level = np.minimum((week * LEVELS).astype(np.int64), LEVELS - 1)
    hours, total = np.bincount(level, minlength=LEVELS), np.bincount(level, week, LEVELS)
    has_some = hours > 0
    load, share, running = total[has_some] / hours[has_some], hours[has_some] / week.size, np.ones(int(has_some.sum()))
    if stops.any():
        of_level = (level[:, None] == np.flatnonzero(has_some)) / hours[has_some]
        paid = _known_share(paid_over_week(traffic, need, peak, of_level), most)
        running = np.where(stops[:, None], paid, 1.0)
    return LoadHours(load, share, running)


def service_day(traffic: Traffic) -> NDArray[np.float64]:
    """Load in each hour of the busiest day as a share of the peak, shape (24,).

    Numbers stated for other than 24 parts of a day are spread evenly over it; an hour has the mean of its parts.
    """
    if not traffic.known_hours:
        return day_profile(central(traffic.mean_over_peak))
    stated = np.asarray(traffic.known_hours, dtype=np.float64)
    if HOURS_PER_DAY % stated.size == 0:
        whole: NDArray[np.float64] = np.repeat(stated / stated.max(), HOURS_PER_DAY // stated.size)
        return whole
    # Load up to a time of the day: straight between the edges of the parts.
    so_far = np.concatenate([[0.0], np.cumsum(stated)]) / stated.size
    edges = np.linspace(0.0, 1.0, HOURS_PER_DAY + 1)
    parts: NDArray[np.float64] = np.diff(np.interp(edges, np.linspace(0.0, 1.0, stated.size + 1), so_far))
    return parts * (HOURS_PER_DAY / float(stated.max()))


@lru_cache(maxsize=64)
def day_profile(mean_over_peak: float) -> NDArray[np.float64]:
    """Load in each hour of a day as a share of the peak, shape (24,), with the stated mean.

    A cosine with its peak at 15 h (docs/derivations/load.md#load-over-a-day) where that has such a mean; for lower
    means a cosine down to night, raised to the power that gives it: the busy time gets shorter. Means below what one
    busy hour gives keep that hour.
    """
    cosine = np.cos(2 * np.pi * (np.arange(HOURS_PER_DAY) - PEAK_HOUR) / HOURS_PER_DAY)
    if mean_over_peak >= PLAIN_COSINE:
        profile: NDArray[np.float64] = mean_over_peak + (1 - mean_over_peak) * cosine
    else:
        raised = PLAIN_COSINE + (1 - PLAIN_COSINE) * cosine
        low, high = 1.0, STEEPEST
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if float((raised**middle).mean()) > mean_over_peak else (low, middle)
        profile = raised ** ((low + high) / 2)
    profile.flags.writeable = False
    return profile
