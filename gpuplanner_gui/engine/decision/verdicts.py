"""The verdict on a plan, made here alone from all that is known: samples, stress tests, evidence, serious findings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.load_result import Readiness
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan, ServingTable, TrainingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import (
    LEVELS,
    EvidenceName,
    Finding,
    MeasuredAlternative,
    Raising,
    Verdict,
    VerdictLevel,
    Verdicts,
)
from gpuplanner_gui.engine.advisor.metrics import enough_replicas_up
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.energy import WATTS_PER_KW
from gpuplanner_gui.engine.decision.plan_model import LOAD_OVER_LIMIT
from gpuplanner_gui.engine.decision.plan_samples import (
    UNDER_LOAD,
    all_held,
    held_targets,
    limits_of,
    sampled_results,
)
from gpuplanner_gui.engine.decision.serving_response import ServingResponse
from gpuplanner_gui.engine.decision.sized_plan import fleet_watts
from gpuplanner_gui.engine.decision.uncertain_plan import plan_model
from gpuplanner_gui.engine.evidence.record import best_measured
from gpuplanner_gui.engine.serving.fleet_split import fleet_split
from gpuplanner_gui.engine.simulation.refusal import refusal_of_best
from gpuplanner_gui.engine.training.held_cost import held_usd
from gpuplanner_gui.engine.uncertainty.sampling import band, chance_asked

LIKELY, OPEN = 0.5, 0.2
"""Least chances of these levels."""
EVIDENCE_NAMES: dict[EvidenceKind, EvidenceName] = {
    EvidenceKind.OWN: "own", EvidenceKind.PUBLISHED: "published", EvidenceKind.TIMED: "timed",
    EvidenceKind.RELATIVE: "relative", EvidenceKind.DATASHEET: "datasheet",
}  # fmt: skip
RUNS: frozenset[EvidenceName] = frozenset(("own", "published"))
"""Kinds that rest on whole runs of the device; without them a verdict stays open."""
PLANNABLE = frozenset((Reason.NONE, Reason.NO_PRICE, Reason.BELOW_CONFIDENCE, Reason.OVER_POWER, Reason.COOLING))
"""Reasons with which the targets are met by the expected figures; what a site cannot hold, findings say."""
SERIOUS = 2
HARD_LIMITS = frozenset(("node_exceeds_rack", "fleet_exceeds_site", "liquid_is_missing"))
"""Findings about what a site cannot hold, however sure the rest is."""
OUTAGES = frozenset(("replica_loss", "zone_loss", "reload"))
"""Stress tests that take replicas down."""
REFUSED = "requests_refused"
"""More requests are too long for the model than the targets' percentiles leave out."""
_LOWEST: dict[str, VerdictLevel] = {
    "nothing_runs": "fails", "refused": "fails", "not_measured": "fails", "misses_targets": "fails", "site": "fails",
    "chance_low": "fails",
    "unpriced": "open", "whole_batches": "open", "serious": "open", "evidence": "open", "chance_open": "open",
    "stress": "likely", "untested": "likely", "chance": "likely",
}  # fmt: skip
"""Highest level that each reason leaves; gravest first."""


@dataclass(frozen=True)
class _Known:
    """All that a verdict on one workload rests on."""

    answer: ServingPlan | TrainingPlan
    findings: tuple[Finding, ...]
    held: dict[str, NDArray[np.bool_]]
    results: dict[str, Floats]
    is_sampled: bool
    failed_tests: tuple[str, ...] | None
    """Stress tests that miss a target; None before they were run."""
    batches_whole: bool
    confidence: float
    """Chance that the planner asks for."""


def judged(
    scenario: Scenario,
    plan: Plan,
    context: Context,
    seed: int,
    check: Callable[[], None] = lambda: None,
    stress: Readiness | None = None,
    served: ServingResponse | None = None,
) -> Plan:
    """The plan with its verdicts, none where nothing is planned. `stress` is of the recommended fleet; None before it
    was tested. `served` is what the engine answered about it already.

    `check` raises when the caller has lost interest.
    """
    if not plan.answers:
        return plan
    results: dict[str, Floats] = {}
    held: dict[str, NDArray[np.bool_]] = {}
    model = plan_model(scenario, plan, context, check, with_rivals=False, served=served)
    if model is not None:
        _, results = sampled_results(model, scenario, scenario.economics.uncertainty.samples, seed, check)
        held = held_targets(scenario, plan, results, context.calibration.uncertainty, seed)
    serving = scenario.serving
    batches_whole = serving is not None and serving.engine.batches_whole
    found = {}
    for name, answer in plan.answers.items():
        known = _Known(
            answer=answer,
            findings=tuple(one for one in plan.findings if one.workload in (name, "both")),
            held={code: one for code, one in held.items() if code.startswith(name)},
            results=results,
            is_sampled=any(code.startswith(name) for code in results),
            failed_tests=_failed_tests(scenario, plan, stress) if stress and isinstance(answer, ServingPlan) else None,
            batches_whole=isinstance(answer, ServingPlan)
            and batches_whole
            and not (answer.simulation_of_best or refusal_of_best(answer)),
            confidence=chance_asked(scenario),
        )
        found[name] = _verdict(known, name, scenario, context)
    both = _together(scenario, plan, context, found, held)
    verdicts = Verdicts(serving=found.get("serving"), training=found.get("training"), both=both)
    return msgspec.structs.replace(plan, verdicts=verdicts, stress=stress)


def _failed_tests(scenario: Scenario, plan: Plan, stress: Readiness) -> tuple[str, ...]:
    """Stress tests that miss a target; without those that leave no replica up where that is rare enough.

    A fleet that stands still no longer than its availability target allows does what was asked of it.
    """
    is_rare = enough_replicas_up(scenario, plan) >= scenario.service.availability.target
    return tuple(
        one.disturbance
        for one in stress.tests
        if not one.passes
        and not (is_rare and one.disturbance in OUTAGES and one.replicas_hit >= stress.simulated_replicas)
    )


def evidence_kind(answer: ServingPlan | TrainingPlan) -> EvidenceName:
    """What the recommendation rests on: the one place that reads it."""
    if answer.best < 0:
        return "datasheet"
    return EVIDENCE_NAMES[EvidenceKind(int(answer.table.evidence_kind[answer.best]))]


def _verdict(known: _Known, name: str, scenario: Scenario, context: Context) -> Verdict:
    joint = all_held(known.held)
    chance = float(joint.mean()) if joint is not None else float(known.is_sampled)
    reasons = _reasons(known, name, chance)
    weakest, weakest_chance = _weakest(known, reasons)
    return Verdict(
        level=_level(reasons), chance=chance, confidence=known.confidence, weakest=weakest,
        weakest_chance=weakest_chance, reasons=reasons, evidence_kind=evidence_kind(known.answer),
        raised_by=_raising(known, weakest, weakest_chance), measured=_measured(known.answer, scenario, context),
        run_time_band_s=_run_time_band(known), missed_metric=_missed_metric(known, scenario),
        chance_of_expected_fleet=_chance_of_expected_fleet(known, scenario),
    )  # fmt: skip


def _chance_of_expected_fleet(known: _Known, scenario: Scenario) -> float:
    """Chance of all targets with the replicas of the expected load alone, whatever they cost; NaN where no more are
    planned."""
    answer, over = known.answer, known.results.get(LOAD_OVER_LIMIT)
    split = fleet_split(scenario, answer, answer.best) if isinstance(answer, ServingPlan) and answer.best >= 0 else None
    if split is None or over is None or not (split.added > 0 and split.expected > 0):
        return float("nan")
    at_work = split.total if scenario.service.traffic.is_batch else split.expected + split.added
    fewer = over * at_work / (at_work - split.added) <= 1
    others = [one for code, one in known.held.items() if code not in (*UNDER_LOAD, "serving.budget")]
    return float(np.logical_and.reduce([fewer, *others]).mean())


def _missed_metric(known: _Known, scenario: Scenario) -> str:
    """Of one class of requests alone: of several, samples tell the latency of all together, and no class has that."""
    serving, table, best = scenario.serving, known.answer.table, known.answer.best
    if serving is None or len(serving.classes) != 1 or not isinstance(known.answer, ServingPlan):
        return ""
    if best < 0 or not table.meets_targets[best]:
        return ""
    limits = {metric: limits_of(scenario).get(f"serving.{metric}_p95_s") for metric in ("ttft", "tpot", "e2e")}
    missed = {
        metric: float(np.mean(known.results[f"serving.{metric}_p95_s"] > limit))
        for metric, limit in limits.items()
        if limit is not None and f"serving.{metric}_p95_s" in known.results
    }
    oftenest = max(missed, key=lambda metric: missed[metric], default="")
    return oftenest if oftenest and missed[oftenest] > 0 else ""


def _run_time_band(known: _Known) -> tuple[float, float] | None:
    found = known.results.get("training.run_time_s") if isinstance(known.answer, TrainingPlan) else None
    ends = band(found) if found is not None else None
    return None if ends is None else (float(ends.p10), float(ends.p90))


def _reasons(known: _Known, name: str, chance: float) -> tuple[str, ...]:
    """All that keeps a verdict from *holds*, gravest first; after a colon, the finding or test."""
    answer, best = known.answer, known.answer.best
    found: list[str] = []
    if best < 0:
        return ("nothing_runs",)
    reason = int(answer.table.reason[best])
    if reason not in PLANNABLE or not answer.table.meets_targets[best]:
        found.append("not_measured" if reason == Reason.NOT_MEASURED else "misses_targets")
    found += ["unpriced"] if reason == Reason.NO_PRICE else []
    serious = [one.code for one in known.findings if one.severity >= SERIOUS]
    found += ["refused"] if REFUSED in serious else []
    found += [f"site:{code}" for code in serious if code in HARD_LIMITS]
    found += _reasons_of_chance(chance, known.confidence)
    found += ["whole_batches"] if known.batches_whole else []
    found += [f"serious:{code}" for code in serious if code not in (*HARD_LIMITS, REFUSED)]
    found += ["evidence"] if evidence_kind(answer) not in RUNS else []
    if name == "serving":
        found += [f"stress:{one}" for one in known.failed_tests or ()]
        found += ["untested"] if known.failed_tests is None else []
    return _gravest_first(found)


def _gravest_first(reasons: list[str]) -> tuple[str, ...]:
    """Each reason once."""
    order = list(_LOWEST)
    return tuple(sorted(dict.fromkeys(reasons), key=lambda one: order.index(one.partition(":")[0])))


def _reasons_of_chance(chance: float, confidence: float) -> list[str]:
    if chance >= confidence:
        return []
    return ["chance" if chance >= LIKELY else "chance_open" if chance >= OPEN else "chance_low"]


def _level(reasons: tuple[str, ...]) -> VerdictLevel:
    levels = [_LOWEST[one.partition(":")[0]] for one in reasons]
    return max(levels, key=LEVELS.index, default="holds")


def _weakest(known: _Known, reasons: tuple[str, ...]) -> tuple[str, float]:
    """What a planner looks at first: a limit that is broken or a finding; else the target that is missed oftenest.

    Thin evidence comes first only where the chance is high enough: else the target says what to allow.
    """
    first = reasons[0] if reasons else ""
    is_low = any(one.startswith("chance") for one in reasons)
    is_chance = first.startswith("chance") or first in ("", "untested") or (first == "evidence" and is_low)
    if known.held and is_chance:
        code = min(known.held, key=lambda one: float(known.held[one].mean()))
        value = float(known.held[code].mean())
        return (code, value) if value < 1 else ("", float("nan"))
    return ("" if is_chance else first), float("nan")


def _raising(known: _Known, weakest: str, weakest_chance: float) -> Raising | None:
    """What would lift the weakest point to the confidence, as far as a number says it; None if it is there."""
    if weakest_chance >= known.confidence:
        return None
    wanted = {
        "serving.targets": ("replicas", "serving.replicas_needed"),
        "serving.load": ("replicas", "serving.replicas_needed"),
        "serving.deadline": ("replicas", "serving.replicas_needed"),
        "serving.budget": ("budget_usd_per_month", "serving.usd_per_month"),
        "training.date": ("deadline_s", "training.run_time_s"),
        "training.budget": ("budget_usd", "training.usd_per_run"),
    }
    if weakest in wanted:
        code, result = wanted[weakest]
        value = float(np.quantile(known.results[result], known.confidence, method="inverted_cdf"))
        return Raising(code=code, value=value) if np.isfinite(value) else Raising(code="measure")
    if weakest == "serving.availability":
        return Raising(code="spares")
    return Raising(code="measure") if weakest == "evidence" else None


def _measured(answer: ServingPlan | TrainingPlan, scenario: Scenario, context: Context) -> MeasuredAlternative | None:
    """The best measured alternative, with the difference in cost at the same confidence.

    Of devices that are bought or reserved for a run, idle time counts, as it does in the choice.
    """
    table, best = answer.table, answer.best
    other = best_measured(table, best) if best >= 0 else -1
    if other < 0:
        return None
    if isinstance(table, ServingTable):
        usd = table.usd_per_month
    else:
        usd = held_usd(scenario, context, table, table.usd_per_run, table.device_hours)
    device = context.accelerators[int(table.accelerator[other])].name
    return MeasuredAlternative(device=device, more_usd=float(usd[other] - usd[best]), candidate=other)


def _together(
    scenario: Scenario, plan: Plan, context: Context, found: dict[str, Verdict], held: dict[str, NDArray[np.bool_]]
) -> Verdict:
    """The worse of both, with the chance that both hold, and what the site has for both at once."""
    worst = max(found.values(), key=lambda one: (LEVELS.index(one.level), -one.chance))
    if len(found) < 2:
        return worst
    joint = all_held(held)
    chance = min((one.chance for one in found.values()), default=0.0)
    if joint is not None:
        chance = min(chance, float(joint.mean()))
    reasons = _gravest_first(
        [*_over_site(scenario, plan, context), *worst.reasons, *_reasons_of_chance(chance, worst.confidence)]
    )
    is_over = bool(reasons) and reasons[0].startswith("site:both")
    return msgspec.structs.replace(
        worst, level=_level(reasons), chance=chance, reasons=reasons,
        weakest=reasons[0] if is_over else worst.weakest,
        weakest_chance=float("nan") if is_over else worst.weakest_chance,
    )  # fmt: skip


def _over_site(scenario: Scenario, plan: Plan, context: Context) -> list[str]:
    """Whether both fleets together draw more than the site has."""
    limit_kw = scenario.hardware.max_kw_total
    if limit_kw is None:
        return []
    fleets = [(fleet_watts(scenario, context, one), one.best) for one in plan.answers.values() if one.best >= 0]
    is_over = sum(float(watts[best]) for watts, best in fleets) > limit_kw * WATTS_PER_KW
    return ["site:both_exceed_site"] if is_over else []
