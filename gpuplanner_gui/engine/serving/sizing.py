"""How much each replica takes within the targets, how many replicas that makes, and what latency then is.

Three kinds of arrivals: at a rate, in bursts, and by users who wait for their answers. Replicas behind a router that
knows who is busy share their places.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.explaining.formula import carried, formula, leaf
from gpuplanner_gui.engine.serving.confidence import Doubt
from gpuplanner_gui.engine.serving.demand import Demand
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.load.rates import (
    Slowdown,
    highest_load_within,
    loads_within,
    requests_at_load,
    risen,
)
from gpuplanner_gui.engine.serving.load.states import LoadStates
from gpuplanner_gui.engine.serving.load_grid import LoadGrid, draft_gain, load_grid, load_model, states_of
from gpuplanner_gui.engine.simulation.arrivals import BurstArrivals
from gpuplanner_gui.engine.simulation.failures import FailureRule
from gpuplanner_gui.engine.simulation.replicas import replicas_needed, replicas_over_zones

N = TypeVar("N", np.float64, np.int64)

HALVINGS = 6
MOST_FOR_CONFIDENCE = 4.0
"""Most replicas at the confidence over the expected ones. Where more would be needed it is a single request that is too
slow, which hardly any replica cures: 241 replicas of 16 devices for 80 %, 10 for 34 %. Our choice."""


@dataclass(frozen=True)
class Sized:
    """What a replica, or a unit of two pools, takes, and how many there are; an entry per candidate."""

    draft_gain: Floats
    """Time per output token without drafts over that with them, at the planned batch; 1 without drafts."""
    capacity_per_s: Floats
    slo_rate_per_s: Floats
    first_slo: Integers
    """Position among the demand's targets; -1 without one."""
    rate_per_s: Floats
    """Rate of one replica at the planned load, bursts averaged out."""
    peak_rate_per_s: Floats
    """Rate of the whole service: as stated, or as its users cause it."""
    replicas: Floats
    """Replicas at the required confidence."""
    replicas_expected: Floats
    share_kept: Floats
    """Load within the targets at the confidence over the expected one; 0 where no sensible number is enough."""

    @property
    def columns(self) -> dict[str, Floats]:
        """Columns of the table that say what a replica takes."""
        return {
            "max_rate_per_s": self.capacity_per_s,
            "slo_rate_per_s": self.slo_rate_per_s,
            "load_per_replica_per_s": self.rate_per_s,
            "headroom": self.slo_rate_per_s / self.rate_per_s - 1,
            "draft_gain": self.draft_gain,
        }


@dataclass(frozen=True)
class UnderLoad(Sized):
    """Replicas and their latency at the load that their own number leaves each."""

    states: LoadStates
    """Load at the planned rate, one entry per deployment; during bursts if requests arrive in bursts."""
    nearest: LoadStates
    """The load at which targets are nearest to their limits, if missed: the lowest of the grid, where nobody waits; of
    full batches the planned one, or that which fills them soonest for the time that they take."""


def under_load(
    serving: ServingWorkload, part: LoadGrid, demand: Demand, doubt: Doubt, base_replicas: Floats | None = None
) -> UnderLoad:
    """Size every deployment of a part of the search; or so many replicas that carry the peak, where they are given."""
    limits = limits_of(part, demand)
    kept = doubt.share_kept(
        limits.load, doubt.load_log_sd(part.states), lambda slower: limits_of(part, demand, slower).load
    )
    base = replicas_for(serving, demand, limits.load)
    if base_replicas is not None:
        base = leaf(base_replicas, "base_replicas", "", "samples at the confidence, or the simulation")
    pooled = np.ones_like(base)
    few = np.flatnonzero(base > 1) if demand.shares_places else np.zeros(0, np.int64)
    if len(few):
        count = base[few] if base_replicas is not None else _sharing(serving, part, demand, base, few)
        limits, pooled = _pooled(part, demand, limits, count, few)
    if len(few) and base_replicas is None:
        base = replicas_for(serving, demand, limits.load)
    kept = share_borne(kept, base, _asked(demand), limits.load)
    fleets = fleets_of(serving, demand, limits.load, base, doubt, kept if base_replicas is None else None)
    base = fleets.base
    load = _asked(demand) / np.maximum(base, 1.0)
    load = np.where(np.isfinite(load), load, _nearest_load(serving, part, demand, limits.axis))
    oneself = 1.0 if demand.users else 0.0
    # A replica with less than one user leaves a request nobody to wait for.
    others = np.maximum(load * limits.burst - oneself, 0.0)
    if demand.is_batch:
        others = part.capacity_per_s
    planned = requests_at_load(limits.axis - oneself, part.requests_per_step, others)[None, :]
    states = states_of(part.model, demand, planned, pooled)
    if demand.is_batch:  # What a request takes from the moment that it is begun.
        states = states.waiting(np.zeros_like(states.wait_s))
    rate = load / (states.e2e_mean_s[0] + demand.think_s) if demand.users else load
    if demand.filled is not None and not demand.is_batch and base_replicas is None:
        limits, fleets = _if_filled_in_time(limits, fleets, states, demand)
    return UnderLoad(
        states=states,
        nearest=part.states.first_point() if demand.filled is None else states,
        draft_gain=draft_gain(part.model, demand, planned, states),
        capacity_per_s=part.capacity_per_s,
        slo_rate_per_s=limits.rate_per_s,
        first_slo=limits.first_slo,
        rate_per_s=rate,
        peak_rate_per_s=rate * base if demand.users else np.full(len(rate), demand.peak_rate_per_s),
        replicas=fleets.total,
        replicas_expected=fleets.expected,
        share_kept=kept,
    )


def _nearest_load(serving: ServingWorkload, part: LoadGrid, demand: Demand, axis: Floats) -> Floats:
    """The load at which the target that is missed most is missed least: the lowest where batches wait for nobody, else
    what a whole number of replicas with their headroom leaves of the best."""
    if demand.filled is None or not demand.slos:
        return np.asarray(axis[0])
    over = np.stack([part.states.latency_s(slo) / slo.limit_s for slo in demand.slos]).max(axis=0)
    nearest = np.nan_to_num(over, nan=np.inf).argmin(axis=0)
    best = axis[nearest, np.arange(axis.shape[1])]
    return np.asarray(_asked(demand) / replicas_for(serving, demand, best))


def _if_filled_in_time(
    limits: LoadLimits, fleets: Fleets, states: LoadStates, demand: Demand
) -> tuple[LoadLimits, Fleets]:
    """Nothing is carried where so many replicas leave each too few requests to fill its batches in time."""
    missed = np.array(
        [np.broadcast_to(states.latency_s(slo)[0], fleets.base.shape) > slo.limit_s for slo in demand.slos]
    )
    if not missed.size or not missed.any():
        return limits, fleets
    late, first = missed.any(axis=0), missed.argmax(axis=0)
    limits = replace(
        limits, load=np.where(late, 0.0, limits.load), rate_per_s=np.where(late, 0.0, limits.rate_per_s),
        first_slo=np.where(late, first, limits.first_slo),
    )  # fmt: skip
    return limits, Fleets(*(np.where(late, np.nan, one) for one in (fleets.base, fleets.total, fleets.expected)))


@dataclass(frozen=True)
class Fleets:
    """Replicas of every deployment."""

    base: Floats
    """Replicas that carry the peak at the confidence,"""
    total: Floats
    """and all that are paid for,"""
    expected: Floats
    """and as many if every figure is as expected."""


def fleets_of(
    serving: ServingWorkload,
    demand: Demand,
    load: Floats,
    expected: Floats,
    doubt: Doubt,
    share_kept: Floats | None,
) -> Fleets:
    """Fleets at the confidence, with zones, spares, and enough of them up; of `expected` alone without `share_kept`.

    `load` is what a replica takes within the targets. Of replicas that were given none is the expected number.
    """
    base = expected
    if share_kept is not None:
        base = replicas_at_confidence(expected, _asked(demand), load, share_kept)
    usual_s = central(serving.start.mtbf_s)
    total = paid_replicas(serving, _asked(demand), load, base, doubt.between_failures_s)
    if share_kept is None:
        return Fleets(base, total, np.full_like(total, np.nan))
    return Fleets(base, total, paid_replicas(serving, _asked(demand), load, expected, usual_s))


def paid_replicas(
    serving: ServingWorkload, asked: float, load: Floats, base: Floats, between_failures_s: float
) -> Floats:
    """Those that carry the peak, over zones, with spares, and with as many more as the availability needs.

    `load` is what a replica takes within the targets: what of the others the availability needs follows from it.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        # What carries the peak with its headroom carries it, whatever the closed form's load says.
        carrying = np.where(load > 0, np.fmin(asked / load, base), np.nan)
    kept_up = FailureRule.of(serving).replicas(carrying, between_failures_s)
    return with_enough_up(with_zones_and_spares(serving, base), kept_up)


@formula(
    title="Replicas for availability",
    unit="",
    expression="max(replicas, replicas_kept_up)",
    source="the fewest of which as many as carry the peak within the targets are up for the stated share of the time, "
    "or with which such a share of batches is done in time (docs/derivations/load.md#replicas-and-availability)",
)
def with_enough_up(replicas: Floats, replicas_kept_up: Floats) -> Floats:
    """All replicas that are paid for. [1]"""
    return np.asarray(np.fmax(replicas, replicas_kept_up))


def share_borne(share_kept: Floats, expected: Floats, asked: float, load: Floats) -> Floats:
    """Share of the load that is kept at the confidence; 0 where only an absurd number of replicas would bear it."""
    with np.errstate(invalid="ignore", divide="ignore"):
        is_absurd = asked > MOST_FOR_CONFIDENCE * expected * load * share_kept
    return np.where(is_absurd, 0.0, share_kept)


@formula(
    title="Replicas at the confidence",
    unit="",
    expression="max(expected_replicas, ⌈asked / (load_within_targets · share_kept)⌉)",
    source="first-order reliability: slower machines and heavier load as likely as the confidence allows"
    " (docs/derivations/uncertainty.md#fleets-at-a-confidence); the expected ones where no number is enough",
)
def replicas_at_confidence(
    expected_replicas: Floats, asked: float, load_within_targets: Floats, share_kept: Floats
) -> Floats:
    """Replicas that carry the peak with a chance: never fewer than the expected ones with their headroom. [1]"""
    sure = load_within_targets * share_kept
    with np.errstate(invalid="ignore", divide="ignore"):
        needed = np.where(sure > 0, np.ceil(asked / sure - 1e-9), expected_replicas)
    return np.asarray(np.maximum(expected_replicas, needed))


def closed_loop_states(deployed: Deployments, demand: Demand, users: Floats) -> LoadStates:
    """Replicas whose users ask anew as soon as they have thought about their answer, shape (1, deployments).

    Users that find no place at once wait as long as Little's law has them wait.
    """
    part = load_grid(load_model(deployed, demand), demand)
    axis = _users_along(part, demand.think_s)
    # A request finds the others alone: a lone user's is idle, however long its prompt is beside its answer.
    others = np.maximum(users - 1.0, 0.0)
    states = states_of(part.model, demand, requests_at_load(axis - 1.0, part.requests_per_step, others)[None, :])
    is_open = np.isfinite(states.wait_s) & (states.utilisation < 1.0) & (users <= axis[-1])
    served = states.waiting(np.zeros_like(states.wait_s))
    with np.errstate(divide="ignore"):
        shared_s = np.where(states.rate_per_s > 0, users / states.rate_per_s, 0.0)
    queued_s = np.maximum(shared_s - demand.think_s - served.e2e_mean_s, 0.0)
    return states.waiting(np.where(is_open, np.where(is_open, states.wait_s, 0.0), queued_s))


@dataclass(frozen=True)
class LoadLimits:
    """How much one replica takes within all targets."""

    axis: Floats
    """Load at each point of the grid: requests a second, or users."""
    load: Floats
    """The highest load within the targets, bursts averaged out."""
    rate_per_s: Floats
    """The same in requests a second."""
    first_slo: Integers
    burst: Floats
    """Load in a burst over the mean, as long as a request is there; 1 without bursts."""


def limits_of(part: LoadGrid, demand: Demand, slower: Slowdown | None = None) -> LoadLimits:
    """Read off the grid of load; what slower machines take, of users or requests a second."""
    axis, capacity = _load_axis(part, demand, slower)
    burst = _burst_load(part.states, demand.bursts)
    if demand.bursts is None:
        load, first = highest_load_within(axis, part.states, demand.slos, capacity, part.rising_latency_s, slower)
    else:
        load, first = _within_bursts(axis, part, demand, capacity, demand.bursts, burst, slower)
    rate = load
    if demand.users:
        requests = requests_at_load(axis - 1.0, part.requests_per_step, load - 1.0)
        rate = np.where(load > 0, requests_at_load(part.requests_per_step, part.rising_rate_per_s, requests), 0.0)
    return LoadLimits(axis, load, rate, first, burst)


def loads_within_each(part: LoadGrid, demand: Demand, slower: Slowdown | None = None) -> Floats:
    """Users, or requests a second, that a replica can take at all, and those with which each target holds, bursts
    averaged out; shape (1 + targets, candidates)."""
    axis, capacity = _load_axis(part, demand, slower)
    each = loads_within(axis, part.states, demand.slos, capacity, part.rising_latency_s, slower)
    return np.stack([capacity, *each])


def _load_axis(part: LoadGrid, demand: Demand, slower: Slowdown | None) -> tuple[Floats, Floats]:
    """Load at each point of the grid, and the highest."""
    pause = 1.0 if slower is None else slower.step
    if demand.users:
        axis = _users_along(part, demand.think_s / pause)
        return axis, axis[-1]
    return part.rising_rate_per_s / pause, part.capacity_per_s / pause


def _within_bursts(
    axis: Floats,
    part: LoadGrid,
    demand: Demand,
    capacity: Floats,
    bursts: BurstArrivals,
    burst: Floats,
    slower: Slowdown | None,
) -> tuple[Floats, Integers]:
    """Targets that may be missed by more requests than come in bursts hold at the mean load, the others in bursts."""
    in_bursts = bursts.burst_ratio * bursts.burst_share
    seldom = tuple(slo for slo in demand.slos if 1.0 - slo.percentile / 100 < in_bursts)
    load, first = highest_load_within(axis, part.states, demand.slos, capacity, part.rising_latency_s, slower)
    if not seldom:
        return load, first
    in_burst, first_seldom = highest_load_within(axis, part.states, seldom, capacity, part.rising_latency_s, slower)
    is_tighter = in_burst / burst < load
    places = np.array([demand.slos.index(slo) for slo in seldom] + [-1])
    return np.minimum(load, in_burst / burst), np.where(is_tighter, places[first_seldom], first)


def _burst_load(states: LoadStates, bursts: BurstArrivals | None) -> Floats:
    """Load in a burst over the mean, averaged over the time that a request is there."""
    if bursts is None:
        return np.ones(states.rate_per_s.shape[1])
    return burst_load(bursts.burst_ratio, bursts.burst_s, states.e2e_mean_s[0])


@formula(
    title="Load in a burst",
    unit="",
    expression="covered · burst_ratio + (1 - covered), covered = min(burst_s / request_s, 1)",
    source="a request sees the mean load over its own time: of a burst that ends before it, a part",
)
def burst_load(burst_ratio: float, burst_s: float, request_s: Floats) -> Floats:
    """Load in a burst over the mean load. [1]"""
    covered = np.minimum(burst_s / request_s, 1.0)
    return np.asarray(covered * burst_ratio + (1.0 - covered))


def _users_along(part: LoadGrid, think_s: Floats | float) -> Floats:
    """Users of one replica along the grid, rising."""
    states = part.states
    known = np.isfinite(states.wait_s) & (states.utilisation < 1.0)
    waited = np.where(known, states.wait_s, 0.0)
    e2e_s = np.where(known, states.e2e_mean_s, states.waiting(waited).e2e_mean_s)
    return risen(users_of_loop(states.rate_per_s, e2e_s, think_s))


@formula(
    title="Users of a closed loop",
    unit="",
    expression="1 + rate_per_s · (e2e_s + think_s)",
    source="Little's law with the arrival theorem: a user's request finds the others' load, which is rate_per_s",
)
def users_of_loop(rate_per_s: Floats, e2e_s: Floats, think_s: Floats | float) -> Floats:
    """Users with whom a request finds such a load of others. [1]"""
    return np.asarray(1.0 + rate_per_s * (e2e_s + think_s))


def _sharing(serving: ServingWorkload, part: LoadGrid, demand: Demand, base: Floats, few: Integers) -> Floats:
    """The fewest replicas that suffice where replicas of few places share them."""
    model = part.model.at(few)

    def needed(shared: Floats) -> Floats:
        return replicas_for(serving, demand, limits_of(load_grid(model, demand, shared), demand).load)

    # The more share, the fewer are needed: what the most leave is too few at most, and what those need is enough.
    fewest = needed(base[few])
    count = np.minimum(needed(fewest), base[few])
    for _ in range(HALVINGS):
        middle = np.floor((fewest + count) / 2)
        suffice = needed(middle) <= middle
        fewest, count = np.where(suffice, fewest, middle + 1), np.where(suffice, middle, count)
        if (fewest >= count).all():
            break
    return count


def _pooled(
    part: LoadGrid, demand: Demand, limits: LoadLimits, count: Floats, few: Integers
) -> tuple[LoadLimits, Floats]:
    """Limits where so many replicas share their places."""
    own = limits_of(load_grid(part.model.at(few), demand, count), demand)
    merged = LoadLimits(
        _replaced(limits.axis, own.axis, few),
        _replaced(limits.load, own.load, few),
        _replaced(limits.rate_per_s, own.rate_per_s, few),
        _replaced(limits.first_slo, own.first_slo, few),
        _replaced(limits.burst, own.burst, few),
    )
    pooled = np.ones_like(limits.load)
    pooled[few] = count
    return merged, pooled


def _replaced(columns: NDArray[N], some: NDArray[N], places: Integers) -> NDArray[N]:
    found = columns.copy()
    found[..., places] = some
    return found


def _asked(demand: Demand) -> float:
    """Load of the whole service: users, or requests a second."""
    return demand.users or demand.peak_rate_per_s


def replicas_for(serving: ServingWorkload, demand: Demand, load: Floats) -> Floats:
    """Replicas that carry the peak; NaN where no load meets the targets."""
    reachable = carried(np.where(load > 0, load, np.nan), load)
    name, unit = ("users", "") if demand.users else ("peak_rate_per_s", "req/s")
    peak = leaf(_asked(demand), name, unit, "scenario: request classes")
    target = leaf(serving.availability.target_utilisation, "target_utilisation", "", "scenario")
    return replicas_needed(peak, reachable, target)


def with_zones_and_spares(serving: ServingWorkload, base: Floats) -> Floats:
    wanted = serving.availability
    total = replicas_over_zones(base, wanted.zones) if wanted.zones > 1 else base
    return with_spares(total, leaf(float(wanted.spare_replicas), "spare_replicas", "", "scenario"))


@formula(
    title="Replicas with spares",
    unit="",
    expression="replicas + spare_replicas",
    source="N+1, N+2",
)
def with_spares(replicas: Floats, spare_replicas: float) -> Floats:
    """All replicas that are paid for. [1]"""
    return replicas + spare_replicas
