"""How many replicas of a candidate: for the peak, for failures, over a day; and how long they take to start.

Cold start of replicas, alone and when many load at once; what autoscaling must keep in hand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.constants import SECONDS_PER_HOUR
from gpuplanner_gui.domain.load_result import FleetSizing, SimulatedCurve, StartTimes
from gpuplanner_gui.domain.plan import Plan, ServingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import ReplicaStart, ServingWorkload
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed
from gpuplanner_gui.engine.fleet.service_week import service_week
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats
from gpuplanner_gui.engine.simulation.queues import erlang_delay_share, square_root_delay_share
from gpuplanner_gui.engine.simulation.replicas import (
    availability,
    enough_replicas_share,
    replicas_for_availability,
    replicas_needed,
    replicas_within_targets,
)


@dataclass(frozen=True)
class ColdStart:
    """Time from the decision to start a replica until it serves, in parts that follow each other. [s]"""

    provision_s: Floats
    image_s: Floats
    weights_s: Floats
    compile_s: Floats
    graph_capture_s: Floats
    warm_up_s: Floats

    @property
    def total(self) -> Floats:
        parts = (self.image_s, self.weights_s, self.compile_s, self.graph_capture_s, self.warm_up_s)
        return sum(parts, start=self.provision_s)


@formula(
    title="Cold start of a replica",
    unit="s",
    expression="provision_s + image_s + weight load + compile_s + graph_capture_s + warm_up_s;"
    "  weight load = weight_bytes/min(replica_bytes_per_s, storage_bytes_per_s/replicas)",
    source="sum of serial phases; storage shared equally by all replicas that load",
)
def cold_start(
    weight_bytes: Numbers,
    replica_bytes_per_s: Numbers,
    storage_bytes_per_s: Numbers = np.inf,
    replicas: Numbers = 1,
    provision_s: Numbers = 0.0,
    image_s: Numbers = 0.0,
    compile_s: Numbers = 0.0,
    graph_capture_s: Numbers = 0.0,
    warm_up_s: Numbers = 0.0,
) -> ColdStart:
    """Cold start of `replicas` replicas that start together.

    Parameters
    ----------
    weight_bytes : float array
        What one replica loads. [bytes]
    replica_bytes_per_s : float array
        What one replica can read at. [bytes/s]
    storage_bytes_per_s : float array
        What the shared storage or network gives all of them together. [bytes/s]
    replicas : int array
        Replicas that load at the same time. [1]
    provision_s, image_s, compile_s, graph_capture_s, warm_up_s : float array
        Phases that do not depend on the number of replicas. [s]

    All arguments broadcast.
    """
    shared = as_floats(storage_bytes_per_s) / as_floats(replicas)
    weights = as_floats(weight_bytes) / np.minimum(as_floats(replica_bytes_per_s), shared)
    phases = (provision_s, image_s, weights, compile_s, graph_capture_s, warm_up_s)
    return ColdStart(*(np.asarray(phase, dtype=np.float64) for phase in np.broadcast_arrays(*phases)))


@formula(
    title="Time to bring a model to all replicas",
    unit="s",
    expression="waves · cold start;  waves = ⌈replicas/replicas_at_once⌉",
    source="rolling update in equal waves",
)
def rollout_s(replicas: Numbers, replicas_at_once: Numbers, wave_cold_start_s: Numbers) -> Floats:
    """Time until every replica runs a new model, when `replicas_at_once` are replaced together.

    `wave_cold_start_s` is the total of `cold_start` for `replicas_at_once` replicas. [s]
    """
    return np.ceil(as_floats(replicas) / as_floats(replicas_at_once)) * as_floats(wave_cold_start_s)


@formula(
    title="Headroom that autoscaling needs",
    unit="1/s",
    expression="growth_per_s2·(metric_window_s + cold_start_s)",
    source="load that arrives before a new replica serves",
)
def autoscaling_headroom_per_s(growth_per_s2: Numbers, metric_window_s: Numbers, cold_start_s: Numbers) -> Floats:
    """Request rate to keep free so that growth is carried until a new replica serves.

    Parameters
    ----------
    growth_per_s2 : float array
        Largest growth of the arrival rate. [1/s²]
    metric_window_s, cold_start_s : float array
        Time until the autoscaler notices, and until its replica serves. [s]
    """
    return as_floats(growth_per_s2) * (as_floats(metric_window_s) + as_floats(cold_start_s))


@dataclass(frozen=True)
class ScaleToZero:
    """What one request costs in billed seconds when an idle replica is switched off after a while. [s]"""

    service_s: Floats
    idle_s: Floats
    cold_start_s: Floats
    cold_share: Floats
    always_on_s: Floats

    @property
    def total(self) -> Floats:
        return self.service_s + self.idle_s + self.cold_start_s

    @property
    def saving_share(self) -> Floats:
        return 1 - self.total / self.always_on_s


@formula(
    title="Billed time per request with scale to zero",
    unit="s",
    expression="service_s + (1 − e^(−keep_alive_s/idle_gap_s))·idle_gap_s + e^(−keep_alive_s/idle_gap_s)·cold_start_s",
    source="Poisson gaps between requests",
)
def scale_to_zero(service_s: Numbers, idle_gap_s: Numbers, keep_alive_s: Numbers, cold_start_s: Numbers) -> ScaleToZero:
    """Billed seconds per request, and the share of requests that meet a cold replica.

    Parameters
    ----------
    service_s : float array
        Service time of a request on a warm replica. [s]
    idle_gap_s : float array
        Mean idle time between requests, exponential. [s]
    keep_alive_s : float array
        Idle time after which the replica is switched off; infinity for never. [s]
    cold_start_s : float array
        Billed time to start again. [s]

    Notes
    -----
    Saves money only if the mean gap is longer than the cold start; whether the cold share may wait that long is a
    question for the latency target.
    """
    gap = as_floats(idle_gap_s)
    cold = np.exp(-as_floats(keep_alive_s) / gap)
    service, idle, cold_s, cold, always = np.broadcast_arrays(
        as_floats(service_s), (1 - cold) * gap, cold * as_floats(cold_start_s), cold, as_floats(service_s) + gap
    )
    return ScaleToZero(service, idle, cold_s, cold, always)


@dataclass(frozen=True)
class DiurnalSizing:
    """Replica-hours of one profile, for the peak all the time and following the load."""

    static_hours: float
    autoscaled_hours: float

    @property
    def saving_share(self) -> float:
        return 1 - self.autoscaled_hours / self.static_hours


def diurnal_sizing(needed: Integers, period_hours: float) -> DiurnalSizing:
    """Replica-hours over a period whose times are equally spaced in `needed`, shape (times,)."""
    return DiurnalSizing(int(needed.max()) * period_hours, float(needed.mean()) * period_hours)


MOST_SPARES = 200
"""Most spares that the search for an availability target tries."""

MOST_EXACT_SLOTS = 20_000
"""Above, the share that waits is taken from the limit of large pools."""

WEEK_HOURS = 168.0


def fleet_sizing(
    scenario: Scenario,
    plan: Plan,
    candidate: int,
    simulated: SimulatedCurve | None = None,
) -> FleetSizing:
    """Size a fleet of one candidate; by the simulated rate at the targets where there is one.

    Raises
    ------
    ValueError
        For a plan without serving, or a candidate that does not fit.
    """
    serving = scenario.serving
    if plan.serving is None or serving is None or not plan.serving.table.fits[candidate]:
        raise ValueError("the candidate does not fit")
    table = plan.serving.table
    is_simulated, slo_rate = _rate_at_targets(table, candidate, simulated)
    peak = serving.peak_rate_per_s
    load = float(table.load_per_replica_per_s[candidate])
    counts = _counts(peak, load if slo_rate > 0 else 0.0, float(table.replicas[candidate]))
    carrying = replicas_within_targets(peak, slo_rate)
    up = float(availability(central(serving.start.mtbf_s), central(serving.start.repair_s)))
    weight_bytes = float(table.weights_bytes[candidate] * table.devices_per_replica[candidate])
    need = ServiceNeed.of(plan.serving, np.array([candidate]), serving.availability)
    day = _day(serving, peak, need if need.planned_rate_per_s[0] > 0 else None)
    starts = _starts(serving.start, weight_bytes, counts.total, day.growth_per_s2)
    idle = _scale_to_zero(serving, day.quietest_per_s, _service_s(table, candidate), starts.alone_s)
    slots = _slots(serving, table, candidate, counts.base)
    return FleetSizing(
        candidate=candidate,
        slo_rate_per_s=slo_rate,
        is_simulated=is_simulated,
        peak_rate_per_s=peak,
        base=counts.base,
        base_expected=int(replicas_needed(peak, slo_rate, serving.availability.target_utilisation)) if slo_rate else 0,
        replaced_at_once=serving.start.replaced_at_once,
        spares=serving.availability.spare_replicas,
        zones=serving.availability.zones,
        total=counts.total,
        replica_availability=up,
        enough_up_share=float(enough_replicas_share(carrying, counts.total, up)) if carrying else 0.0,
        availability_target=serving.availability.target,
        needed_for_availability=_needed_for(serving.availability.target, carrying, up),
        slots=slots,
        waiting_share=_waiting_share(slots, _busy_slots(table, candidate, counts.base)),
        weight_bytes=weight_bytes,
        start=starts.alone,
        start_together_s=starts.together_s,
        rollout_s=starts.rollout_s,
        headroom_per_s=starts.headroom_per_s,
        growth_per_s2=day.growth_per_s2,
        static_replica_hours=day.static_hours,
        autoscaled_replica_hours=day.autoscaled_hours,
        idle_gap_s=idle.gap_s,
        scale_to_zero_saving=idle.saving,
        cold_share=idle.cold_share,
        scale_to_zero_breaks_targets=idle.breaks_targets,
    )


def _rate_at_targets(table: ServingTable, candidate: int, simulated: SimulatedCurve | None) -> tuple[bool, float]:
    """Whether a simulation says the rate of a replica at the targets, and the rate; 0 where no rate keeps them."""
    is_simulated = simulated is not None and math.isfinite(simulated.slo_rate_per_s)
    rate = simulated.slo_rate_per_s if simulated is not None and is_simulated else table.slo_rate_per_s[candidate]
    return is_simulated, max(float(rate), 0.0) if math.isfinite(rate) else 0.0


@dataclass(frozen=True)
class _Starts:
    """How long replicas take to start, alone, all at once and wave by wave."""

    alone: StartTimes
    alone_s: float
    together_s: float
    rollout_s: float
    headroom_per_s: float
    """Load to keep in hand while one more starts."""


def _starts(start: ReplicaStart, weight_bytes: float, replicas: int, growth_per_s2: float) -> _Starts:
    alone, together, wave = (
        cold_start_of(start, weight_bytes, count) for count in (1, max(replicas, 1), start.replaced_at_once)
    )
    alone_s = float(alone.total)
    return _Starts(
        alone=StartTimes(**{name: float(getattr(alone, name)) for name in StartTimes.__struct_fields__}),
        alone_s=alone_s,
        together_s=float(together.total),
        rollout_s=float(rollout_s(replicas, start.replaced_at_once, float(wave.total))),
        headroom_per_s=float(autoscaling_headroom_per_s(growth_per_s2, central(start.metric_window_s), alone_s)),
    )


def cold_start_of(start: ReplicaStart, weight_bytes: float, replicas: int) -> ColdStart:
    """Cold start of replicas that start together, under a scenario's figures."""
    return cold_start(
        weight_bytes,
        central(start.replica_read_bytes_per_s),
        central(start.storage_read_bytes_per_s),
        replicas,
        central(start.provision_s),
        central(start.image_s),
        central(start.compile_s),
        central(start.graph_capture_s),
        central(start.warm_up_s),
    )


@dataclass(frozen=True)
class _Counts:
    base: int
    total: int


def _counts(peak: float, planned_rate: float, total: float) -> _Counts:
    """Replicas that carry the peak, and all of the plan's; 0 where no number does."""
    if not planned_rate > 0 or not math.isfinite(total):
        return _Counts(0, 0)
    return _Counts(round(peak / planned_rate), int(total))


def _needed_for(target_share: float, base: int, up: float) -> int:
    if not base:
        return 0
    try:
        return replicas_for_availability(base, up, target_share, limit=base + MOST_SPARES)
    except ValueError:
        return 0


def _slots(serving: ServingWorkload, table: ServingTable, candidate: int, base: int) -> int:
    held = float(table.max_sequences[candidate])
    each = min(held, serving.engine.max_sequences) if math.isfinite(held) else serving.engine.max_sequences
    return int(each) * base


def _service_s(table: ServingTable, candidate: int) -> float:
    mean = float(table.e2e_mean_s[candidate])
    return mean if math.isfinite(mean) else 0.0


def _busy_slots(table: ServingTable, candidate: int, base: int) -> float:
    """Requests in work at the peak, over all replicas that carry it; those in the queue are in no slot. [1]"""
    batch = float(table.batch[candidate])
    return batch * base if math.isfinite(batch) else math.inf


def _waiting_share(slots: int, offered: float) -> float:
    if slots <= 0:
        return 1.0
    if slots <= MOST_EXACT_SLOTS:
        return float(erlang_delay_share(slots, offered))
    grade = (slots - offered) / math.sqrt(max(offered, 1.0))
    return float(square_root_delay_share(grade)) if grade > 0 else 1.0


@dataclass(frozen=True)
class _Day:
    """A week of load, hour by hour."""

    needed: NDArray[np.int64]
    static_hours: float
    autoscaled_hours: float
    growth_per_s2: float
    quietest_per_s: float


def _day(serving: ServingWorkload, peak: float, need: ServiceNeed | None) -> _Day:
    """Replicas that the load needs hour by hour, sized as the fleet is: headroom, zones and spares included."""
    rates = peak * service_week(serving.traffic).ravel()
    steps = np.diff(np.append(rates, rates[0]))
    growth, quietest = float(steps.max() / SECONDS_PER_HOUR), float(rates.min())
    if need is None:
        return _Day(np.zeros(len(rates), np.int64), 0.0, 0.0, growth, quietest)
    needed = need.running(rates[None, :])[0].astype(np.int64)
    sizing = diurnal_sizing(needed, WEEK_HOURS)
    return _Day(needed, sizing.static_hours, sizing.autoscaled_hours, max(growth, 0.0), quietest)


@dataclass(frozen=True)
class _Idle:
    gap_s: float
    saving: float
    cold_share: float
    breaks_targets: bool


def _scale_to_zero(serving: ServingWorkload, quietest_per_s: float, service_s: float, start_s: float) -> _Idle:
    """Switching the last replica off in the quietest hour: what it saves, and whether a target allows it."""
    gap = 1 / quietest_per_s if quietest_per_s > 0 else SECONDS_PER_HOUR
    found = scale_to_zero(service_s, gap, central(serving.start.keep_alive_s), start_s)
    share = float(found.cold_share)
    broken = any(
        slo.limit_s < start_s and share > 1 - slo.percentile / 100
        for _, slo in serving.targets
        if slo.metric in ("ttft", "e2e")
    )
    return _Idle(gap, float(found.saving_share), share, broken)
