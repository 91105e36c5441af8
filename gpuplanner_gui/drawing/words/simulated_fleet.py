"""What the replicas of a fleet are for, and what the simulation of the recommended one says."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.load_result import FleetSplit
from gpuplanner_gui.domain.plan import ServingPlan
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import replicas_text
from gpuplanner_gui.engine.serving.fleet_split import fleet_split, load_multiple
from gpuplanner_gui.engine.simulation.refusal import is_left_quick, refusal_of_best


def known_multiple(results: Results, answer: ServingPlan) -> tuple[float, bool]:
    """Load that the recommended fleet takes within its targets over the planned, and whether a simulation says so."""
    fleet = results.simulation.fleet if results.simulation is not None else None
    if fleet is not None and fleet.is_simulated and fleet.candidate == answer.best:
        return fleet.slo_rate_per_s / float(answer.table.load_per_replica_per_s[answer.best]), True
    simulated, times = answer.simulation_of_best, load_multiple(answer)
    if simulated is not None and simulated.rate_share != 1.0:
        return times, True
    return min(times, _most_of_users(results.scenario.service, answer)), False


def _most_of_users(serving: ServingWorkload, answer: ServingPlan) -> float:
    """Load over the planned at which users hardly ever wait for a place: how long they would, the quick estimate does
    not know. Infinite where nobody waits for an answer before asking again."""
    if serving.traffic.arrivals != "users":
        return math.inf
    places = serving.engine.max_sequences * float(answer.table.replicas[answer.best])
    at_once = answer.peak_rate_per_s * float(answer.table.e2e_mean_s[answer.best])
    # A mean with three standard deviations of a Poisson number above it fills all places.
    most = (math.sqrt(places + 2.25) - 1.5) ** 2
    return max(places / serving.traffic.users, most / at_once)


def is_quick_estimate(results: Results) -> bool:
    """Whether the recommended fleet stands without a simulation."""
    answer = results.plan.serving
    return answer is not None and answer.best >= 0 and not (answer.simulation_of_best or refusal_of_best(answer))


def simulated_text(results: Results) -> str:
    """What the recommended replicas are for, and whether they were simulated; empty where nothing can serve."""
    answer = results.plan.serving
    if answer is None or answer.best < 0:
        return ""
    simulated, refusal = answer.simulation_of_best, refusal_of_best(answer)
    if refusal is not None:
        words = tr(
            "{requests} simulated requests: no number of replicas up to {most} meets every target; nearest: {nearest}."
        )
        if refusal.most_replicas == 1:
            words = tr("{requests} simulated requests: 1 replica does not meet every target.")
        return words.format(
            requests=format_value(refusal.requests), most=format_value(refusal.most_replicas),
            nearest=format_value(refusal.nearest_replicas),
        )  # fmt: skip
    if is_left_quick(answer):
        return tr("Quick estimate, not simulated: cheaper candidates were, and they miss a target.")
    if simulated is None:
        return tr("Quick estimate, not yet simulated.")
    split = fleet_split(results.scenario, answer, answer.best)
    requests = format_value(simulated.requests)
    count = split.expected if split is not None else simulated.replicas
    text = tr("{requests} simulated requests confirm that {count} carry the load")
    if count == 1:
        text = tr("{requests} simulated requests confirm that 1 is enough")
    text = text.format(requests=requests, count=format_value(count))
    if simulated.replicas != simulated.quick_replicas:
        text = tr("{requests} simulated requests: the load takes {count}, by the quick estimate {quick}").format(
            requests=requests, count=format_value(simulated.replicas), quick=format_value(simulated.quick_replicas)
        )
    if split is None:
        return tr("{simulated}.").format(simulated=text)
    verdict = results.plan.verdicts.serving if results.plan.verdicts is not None else None
    without = verdict.chance_of_expected_fleet if verdict is not None else math.nan
    return tr("{split}; {simulated}.").format(split=split_text(split, without), simulated=text)


def split_text(split: FleetSplit, without: float = math.nan) -> str:
    """20 replicas = 12 for the expected load (headroom included) + 7 for 80 % confidence + 1 spare."""
    if split.expected == split.total and split.zones <= 1:
        enough = (
            tr("1 replica is enough, headroom included")
            if split.total == 1
            else tr("{count} replicas are enough, headroom included")
        )
        return enough.format(count=format_value(split.total))
    total = replicas_text(split.total)
    return tr("{total} = {parts}").format(total=total, parts=split_parts_text(split, without))


def split_parts_text(split: FleetSplit, without: float = math.nan) -> str:
    """12 for the expected load (headroom included) + 7 for 80 % confidence (71 % chance without these 7) + 1 spare.

    `without` is the chance that is left without those for the confidence; NaN where nobody asked.
    """
    expected = tr("{count} for the expected load (headroom included)")
    if split.zones > 1:
        expected = tr("{count} for the expected load (headroom and zones included)")
    surer = tr("{count} for {chance} confidence")
    if not math.isnan(without):
        surer = tr("{count} for {chance} confidence ({without} chance without these {count})")
    parts = (
        (expected, split.expected), (surer, split.added),
        (tr("{count} spare"), split.spares), (tr("{count} for availability"), split.kept_up),
    )  # fmt: skip
    chance = format_value(split.chance, "share", 2)
    left = format_value(without, "share", 2 if format_value(without, "share", 2) != chance else 3)
    return " + ".join(
        words.format(count=format_value(count), chance=chance, without=left) for words, count in parts if count > 0
    )
