"""The target that a verdict tells, with the latency of the recommended fleet beside it."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.plan import ServingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.value_ranges import format_range
from gpuplanner_gui.drawing.words.decision import to_overload
from gpuplanner_gui.drawing.words.simulated_fleet import known_multiple
from gpuplanner_gui.drawing.words.targets import (
    latency_of_target,
    owned_target_name,
    planned_ends_s,
    sampled_target,
    targets_of,
    told_target,
)
from gpuplanner_gui.engine.serving.fleet_split import load_multiple
from gpuplanner_gui.engine.simulation.refusal import refusal_of_best


def target_text(results: Results, answer: ServingPlan) -> str:
    """The target that is told, with the latency beside it and the load at which it is held."""
    return _at_peak(_beside_target(results, answer), results.scenario)


def _beside_target(results: Results, answer: ServingPlan) -> str:
    scenario = results.scenario
    targets, table, best = targets_of(scenario), answer.table, answer.best
    serving = scenario.serving
    if serving is not None and serving.traffic.is_batch:
        return tr("{count} requests done in {time}, deadline {limit}").format(
            count=format_value(serving.traffic.batch_requests),
            time=format_value(batch_time_s(serving.traffic, answer), "s"),
            limit=format_value(serving.traffic.batch_time_s, "s"),
        )
    tightest = told_target(results, answer)
    if tightest < 0:
        if scenario.first_latency == "e2e":
            return tr("E2E p95 {value}").format(value=format_value(table.e2e_p95_s[best], "s"))
        return tr("TTFT p95 {value}").format(value=format_value(table.ttft_p95_s[best], "s"))
    slo, value = targets[tightest][1], latency_of_target(scenario, answer, tightest)
    name, limit = owned_target_name(scenario, tightest), format_value(slo.limit_s, "s")
    if not np.isfinite(value):
        return tr("tightest target: {name} {limit}").format(name=name, limit=limit)
    band = _band_text(results, answer, tightest, value)
    words = tr("{name} {value}{band}, target {limit}")
    if not np.isfinite(table.replicas[best]):  # No load keeps the target: this is the nearest to it.
        words = tr("{name} {value} at best{band}, target {limit}")
    if refusal_of_best(answer) is not None:
        words = tr("{name} {value} at best (simulated), target {limit}")
    elif value > slo.limit_s and table.meets_targets[best] and answer.simulation_of_best is not None:
        words = tr("{name} within {limit} (simulated; {value} by the quick estimate)")
    return words.format(name=name, value=format_value(value, "s"), band=band, limit=limit)


def batch_time_s(traffic: Traffic, answer: ServingPlan) -> float:
    """Time in which the best candidate's fleet works off a batch [s], at all that it can take, spares included."""
    table, best = answer.table, answer.best
    whole = float(table.replicas[best] * table.load_per_replica_per_s[best]) / answer.peak_rate_per_s
    return traffic.batch_time_s / (load_multiple(answer) * whole)


def _band_text(results: Results, answer: ServingPlan, place: int, value: float) -> str:
    """Where a target's 95th percentile lies with 80 %: of all that is uncertain, and until then of the step time."""
    slo = targets_of(results.scenario)[place][1]
    if slo.percentile != 95.0 or slo.metric == "itl":
        return ""
    ends, is_beside_simulated = planned_ends_s(results, answer, slo.metric, value), known_multiple(results, answer)[1]
    sure = sampled_target(results, answer, place)
    if sure is not None:
        ends = sure.p10, sure.p90
    if not np.isfinite(ends[0]):
        return ""
    band = to_overload(ends[0])
    if np.isfinite(ends[1]):
        band = format_range(*ends, "s", 2, beside=value)
    words = tr(" (quick estimate, 80 % range {band})") if is_beside_simulated else tr(" (80 % range {band})")
    if sure is None:
        words = tr(" (80 % range {band} if only the step time is uncertain)")
        if is_beside_simulated:
            words = tr(" (quick estimate, 80 % range {band} if only the step time is uncertain)")
    return words.format(band=band)


def _at_peak(target: str, scenario: Scenario) -> str:
    """The target with the load at which it is held."""
    serving = scenario.serving
    if serving is not None and serving.traffic.arrivals == "users":
        users = central(serving.traffic.users)
        words = tr("{target} for one user") if users == 1 else tr("{target} for {users} users")
        return words.format(target=target, users=format_value(users, ""))
    rate = serving.peak_rate_per_s if serving is not None and not serving.traffic.is_batch else 0.0
    return tr("{target} at {rate}").format(target=target, rate=format_value(rate, "req/s")) if rate > 0 else target
