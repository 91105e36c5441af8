"""How many replicas of a candidate: for the peak, for failures, over a day; and how long they take to start.

Cold start of replicas, alone and when many load at once; what autoscaling must keep in hand.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import SECONDS_PER_HOUR
from gpuplanner_gui.domain.load_result import FleetSizing, SimulatedCurve
from gpuplanner_gui.domain.plan import Plan, ServingPlan, ServingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import ServingWorkload, Slo
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.fleet.cold_start import cold_start_of
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed, can_be_stopped, paid_over_week, service_week
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.fleet_split import fleet_split
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats
from gpuplanner_gui.engine.simulation.failures import FailureRule, carrying_replicas
from gpuplanner_gui.engine.simulation.fleet_part import are_places_shared
from gpuplanner_gui.engine.simulation.queues import erlang_delay_share, square_root_delay_share, users_delay_share
from gpuplanner_gui.engine.simulation.replicas import availability


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
class WeekFromZero:
    """A week of a replica that is switched off whenever nobody has asked for a while."""

    saving_share: float
    """Of the hours of one that always runs."""
    cold_share: float
    """Of the requests of the week."""


def week_from_zero(rates_per_s: Floats, service_s: float, keep_alive_s: float, start_s: float) -> WeekFromZero:
    """What scaling to zero does over a week whose hours have these rates; requests come at random within each."""
    rates = rates_per_s[rates_per_s > 0]
    if not len(rates):
        return WeekFromZero(1.0, 0.0)
    gap_s = np.maximum(1 / rates - service_s, 0.0)
    has_gap = gap_s > 0
    spent = scale_to_zero(service_s, np.where(has_gap, gap_s, 1.0), keep_alive_s, start_s)
    billed = np.where(has_gap, spent.total * rates, 1.0).sum() / len(rates_per_s)
    cold = np.where(has_gap, spent.cold_share, 0.0)
    return WeekFromZero(float(1 - billed), float(cold @ rates / rates.sum()))


TINY = 1e-9
"""Users who do not think at all are as if they thought so short. [s]"""

MOST_EXACT_SLOTS = 20_000
"""Above, the share that waits is taken from the limit of large pools."""

WEEK_HOURS = 168.0


def fleet_sizing(
    scenario: Scenario, plan: Plan, candidate: int, simulated: SimulatedCurve | None = None
) -> FleetSizing:
    """Size a fleet of one candidate; by the simulated rate at the targets where there is one.

    Raises ValueError for a plan without serving, or a candidate that does not fit.
    """
    serving = scenario.serving
    if plan.serving is None or serving is None or not plan.serving.table.fits[candidate]:
        raise ValueError("the candidate does not fit")
    table, wanted, start = plan.serving.table, serving.availability, serving.start
    peak, is_by_users = plan.serving.peak_rate_per_s, serving.traffic.arrivals == "users"
    is_simulated, slo_rate = _rate_at_targets(scenario, plan, candidate, simulated)
    load = float(table.load_per_replica_per_s[candidate]) if slo_rate > 0 else 0.0
    is_sized = load > 0 and math.isfinite(table.replicas[candidate])
    base, total = (round(peak / load), int(table.replicas[candidate])) if is_sized else (0, 0)
    rule, between_s, carrying = FailureRule.of(serving), central(start.mtbf_s), carrying_replicas(peak, slo_rate)
    weight_bytes = float(table.weights_bytes[candidate] * table.devices_per_replica[candidate])
    at_once = (1, max(total, 1), start.replaced_at_once)
    alone, together, wave = (cold_start_of(start, weight_bytes, count) for count in at_once)
    rates = peak * service_week(serving.traffic).ravel()
    growth = float(np.diff(rates, append=rates[0]).max() / SECONDS_PER_HOUR)
    needed = _paid_by_hour(plan.serving, candidate, serving)
    service_s = float(np.nan_to_num(table.e2e_mean_s[candidate], posinf=0.0))
    idle = week_from_zero(rates, service_s, central(start.keep_alive_s), alone.total_s)
    slots = most_at_once(serving, table, candidate) * base
    return FleetSizing(
        candidate=candidate,
        slo_rate_per_s=slo_rate,
        is_simulated=is_simulated,
        peak_rate_per_s=peak,
        base=base,
        split=fleet_split(scenario, plan.serving, candidate) if is_sized else None,
        replaced_at_once=start.replaced_at_once,
        spares=wanted.spare_replicas,
        zones=wanted.zones,
        total=total,
        replica_availability=float(availability(between_s, central(start.repair_s))),
        enough_up_share=float(rule.held_share(carrying, total, between_s)),
        availability_target=wanted.target,
        needed_for_availability=int(np.nan_to_num(rule.replicas(np.array([carrying]), between_s)[0])),
        slots=slots,
        users=round(central(serving.traffic.users)) if is_by_users else 0,
        waiting_share=_waiting_share(serving.traffic, slots, float(table.batch[candidate]) * base, peak),
        weight_bytes=weight_bytes,
        start=alone,
        start_together_s=together.total_s,
        rollout_s=float(rollout_s(total, start.replaced_at_once, wave.total_s)),
        headroom_per_s=float(autoscaling_headroom_per_s(growth, central(start.metric_window_s), alone.total_s)),
        growth_per_s2=growth,
        static_replica_hours=float(needed.max()) * WEEK_HOURS,
        autoscaled_replica_hours=float(needed.mean()) * WEEK_HOURS,
        mean_gap_s=float(1 / rates.mean()) if rates.any() else math.inf,
        scale_to_zero_saving=idle.saving_share,
        cold_share=idle.cold_share,
        scale_to_zero_breaks_targets=broken_by_cold_starts(serving, alone.total_s, idle.cold_share) is not None,
        is_batch=serving.traffic.is_batch,
        is_stopped=can_be_stopped(serving, scenario.economics.serving_procurement),
    )


def _paid_by_hour(answer: ServingPlan, candidate: int, serving: ServingWorkload) -> Floats:
    """Replicas that are paid for through the week, headroom, zones and spares included; none that can't serve."""
    need = ServiceNeed.of(answer, np.array([candidate]), serving)
    paid = paid_over_week(serving.traffic, need, np.array([answer.peak_rate_per_s]))[0]
    return paid if need.planned_rate_per_s[0] > 0 else np.zeros(len(paid))


def broken_by_cold_starts(serving: ServingWorkload, start_s: float, cold_share: float) -> Slo | None:
    """The target that too large a share of requests misses by their cold starts; of several the strictest."""
    broken = (
        slo for _, slo in serving.targets
        if slo.metric in ("ttft", "e2e") and slo.limit_s < start_s and cold_share > allowed_share(slo)
    )  # fmt: skip
    return min(broken, key=lambda slo: (allowed_share(slo), slo.limit_s), default=None)


def allowed_share(slo: Slo) -> float:
    """Share of requests that may miss a target. [1]"""
    return 1 - slo.percentile / 100


def _rate_at_targets(
    scenario: Scenario, plan: Plan, candidate: int, simulated: SimulatedCurve | None
) -> tuple[bool, float]:
    """Whether a simulation says the rate of a replica at the targets, and the rate; 0 where no rate keeps them.

    Where several share their places, a replica alone keeps the targets at a lower rate than one of them.
    """
    answer, table = plan.served, plan.served.table
    rate, is_simulated = float(table.slo_rate_per_s[candidate]), False
    is_one = answer.peak_rate_per_s < 1.5 * table.load_per_replica_per_s[candidate]
    is_alike = is_one or not are_places_shared(scenario, serving_candidate(plan, candidate))
    if simulated is not None and math.isfinite(simulated.slo_rate_per_s) and is_alike:
        # Users who wait for answers ask as often as the fleet lets them: not as in a trace, nor at random as separate
        # pools are simulated.
        is_by_users = scenario.service.traffic.arrivals == "users"
        is_simulated = not (is_by_users and (simulated.is_trace or table.prefill_workers[candidate] > 0))
        rate = simulated.slo_rate_per_s if is_simulated else rate
    return is_simulated, max(float(rate), 0.0) if math.isfinite(rate) else 0.0


def most_at_once(serving: ServingWorkload, table: ServingTable, candidate: int) -> int:
    """Sequences that one replica runs at most: what memory holds, up to the engine's largest batch."""
    return int(np.fmin(table.max_sequences[candidate], serving.engine.max_sequences))


def _waiting_share(traffic: Traffic, slots: int, offered: float, rate_per_s: float) -> float:
    """Requests that find no free slot; `offered` are in work, those in the queue are in no slot.

    Users each wait for an answer before they ask again.
    """
    if slots <= 0 or not math.isfinite(offered):
        return 1.0
    if traffic.arrivals == "users":
        think_s = max(central(traffic.think_time_s), TINY)
        return users_delay_share(slots, round(central(traffic.users)), offered / rate_per_s / think_s)
    if slots <= MOST_EXACT_SLOTS:
        return float(erlang_delay_share(slots, offered))
    grade = (slots - offered) / math.sqrt(max(offered, 1.0))
    return float(square_root_delay_share(grade)) if grade > 0 else 1.0
