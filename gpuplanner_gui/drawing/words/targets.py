"""Latency targets by name, and the one that is told beside a verdict."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from gpuplanner_gui.domain.decision import Headline
from gpuplanner_gui.domain.plan import ServingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.drawing.language import labelled
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.decision import result_name
from gpuplanner_gui.engine.serving.curves import planned_band

_SERVING_COLUMNS = {
    ("ttft", 50.0): "ttft_p50_s",
    ("ttft", 95.0): "ttft_p95_s",
    ("ttft", 99.0): "ttft_p99_s",
    ("e2e", 95.0): "e2e_p95_s",
    ("tpot", 95.0): "tpot_p95_s",
    ("itl", 99.0): "itl_p99_s",
}


def targets_of(scenario: Scenario) -> list[tuple[str, Slo]]:
    """Every latency target with its path in the scenario, classes in order."""
    if scenario.serving is None or scenario.serving.traffic.is_batch:
        return []
    return [
        (f"serving.classes[{row}].slos[{column}].limit_s", slo)
        for row, request_class in enumerate(scenario.serving.classes)
        for column, slo in request_class.held_slos
    ]


def target_name(slo: Slo) -> str:
    """TTFT p95."""
    return f"{slo.metric.upper()} p{slo.percentile:g}"


def column_of(slo: Slo) -> str | None:
    """The candidates' column that a target limits; None where they have none."""
    return _SERVING_COLUMNS.get((slo.metric, float(slo.percentile)))


def owned_target_name(scenario: Scenario, place: int) -> str:
    """TTFT p95; with its class where there are several."""
    classes = scenario.serving.classes if scenario.serving is not None else ()
    owners = [one.name for one in classes for _ in one.held_slos]
    name = target_name(targets_of(scenario)[place][1])
    return labelled(owners[place], name) if len(classes) > 1 else name


def latency_of_target(scenario: Scenario, answer: ServingPlan, place: int) -> float:
    """What a target limits, of the best candidate at its planned load; NaN where it is not known."""
    if place < len(answer.target_latency_s):
        return answer.target_latency_s[place]
    column = column_of(targets_of(scenario)[place][1])
    return float(getattr(answer.table, column)[answer.best]) if column is not None else float("nan")


def p95_targets(results: Results, metric: str) -> list[int]:
    """Positions of the targets for the 95th percentile of a latency."""
    targets = enumerate(targets_of(results.scenario))
    return [place for place, (_, slo) in targets if slo.metric == metric and slo.percentile == 95.0]


def sampled_target(results: Results, answer: ServingPlan, place: int) -> Headline | None:
    """What a target limits over the samples; None where that was not sampled.

    Samples tell the latency of all requests together. A class's range is as wide, as a share of what it is planned at.
    """
    slo, known = targets_of(results.scenario)[place][1], results.known.uncertainty
    one = known.headline(f"serving.{slo.metric}_p95_s") if known is not None and slo.percentile == 95.0 else None
    if one is None or len(results.scenario.service.classes) == 1:
        return one
    planned = latency_of_target(results.scenario, answer, place)
    share = planned / one.planned if one.planned > 0 else math.nan
    if not (math.isfinite(share) and share > 0):
        return None
    ends = {name: getattr(one, name) * share for name in ("p10", "p50", "p90")}
    return msgspec.structs.replace(one, planned=planned, limit=slo.limit_s, **ends)


def told_latencies(results: Results, answer: ServingPlan, metric: str) -> list[tuple[str, float, float]]:
    """Name, planned p95 and limit of each target for a latency; without any, of all requests together. [s]"""
    scenario, places = results.scenario, p95_targets(results, metric)
    if not places:
        planned_s = float(getattr(answer.table, f"{metric}_p95_s")[answer.best])
        return [(f"{metric.upper()} p95", planned_s, math.nan)]
    limits = {place: targets_of(scenario)[place][1].limit_s for place in places}
    return [
        (owned_target_name(scenario, place), latency_of_target(scenario, answer, place), limit_s)
        for place, limit_s in limits.items()
    ]


def told_headlines(results: Results) -> tuple[tuple[str, Headline], ...]:
    """Sampled results by name; of several classes the latencies of each with a target, beside its own limit."""
    known, answer, found = results.known.uncertainty, results.plan.serving, []
    for one in known.headlines if known is not None else ():
        metric = one.code.removeprefix("serving.").removesuffix("_p95_s")
        places = p95_targets(results, metric) if answer is not None and one.unit == "s" else []
        of_targets = [(place, sampled_target(results, answer, place)) for place in places] if answer is not None else []
        told = [(owned_target_name(results.scenario, place), each) for place, each in of_targets if each is not None]
        found += told or [(result_name(one.code), one)]
    return tuple(found)


def told_target(results: Results, answer: ServingPlan) -> int:
    """Position of the target that is told beside the verdict; -1 without targets.

    The one that samples miss oftenest; else the one that a growing load reaches first.
    """
    scenario = results.scenario
    targets, place = targets_of(scenario), answer.limiting_slo
    if not 0 <= place < len(targets):
        place = _nearest_target(scenario, answer)
    judged = results.judged("serving")
    if judged is None or not judged.missed_metric or place < 0 or not _is_sampled(targets[place][1]):
        return place
    return next(one for one, (_, slo) in enumerate(targets) if _is_sampled(slo) and slo.metric == judged.missed_metric)


def _is_sampled(slo: Slo) -> bool:
    return slo.percentile == 95.0 and slo.metric != "itl"


def _nearest_target(scenario: Scenario, answer: ServingPlan) -> int:
    """Where saturation comes before any target: the target that the best candidate comes closest to; -1 for none."""
    ratios = {}
    for place, (_, slo) in enumerate(targets_of(scenario)):
        ratio = latency_of_target(scenario, answer, place) / slo.limit_s
        if np.isfinite(ratio):
            ratios[place] = ratio
    return max(ratios, key=lambda place: ratios[place], default=-1)


def planned_ends_s(results: Results, answer: ServingPlan, metric: str, latency_s: float) -> tuple[float, float]:
    """80 % range of a latency at the planned load if only the step time is uncertain; NaN until there is a load curve.

    The upper end is infinite where the slower machines can't keep up. [s]
    """
    curve = results.load_curve
    if curve is None or curve.candidate != answer.best:
        return math.nan, math.nan
    low, high = planned_band(curve, metric, thinking_s(results.scenario))
    return latency_s * low, latency_s * high


def thinking_s(scenario: Scenario) -> float | None:
    """What users think before they ask again; None where requests come at a rate, whatever answers take. [s]"""
    traffic = scenario.serving.traffic if scenario.serving is not None else None
    return central(traffic.think_time_s) if traffic is not None and traffic.arrivals == "users" else None
