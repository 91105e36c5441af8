"""What a finding rests on: the rule that made it, and the candidate's figures that the rule read to make it.

A plan about candidates that the planner chose instead of the recommended ones has findings about them.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan, ServingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor import findings
from gpuplanner_gui.engine.advisor.case import Advised, BothCase, Chosen, serving_case, training_case
from gpuplanner_gui.engine.advisor.rules import RULES, Rule
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.decision.sized_plan import sized_plan
from gpuplanner_gui.engine.fleet.readiness import stressed_plan
from gpuplanner_gui.engine.recent import aside
from gpuplanner_gui.engine.serving.resizing import peak_rate_of, with_latencies
from gpuplanner_gui.engine.training.run import with_stores


@dataclass(frozen=True)
class _Watched(Chosen):
    """A candidate that notes which of its columns are read."""

    read: list[tuple[str, str]] = field(default_factory=list)

    def of(self, name: str) -> float:
        if (self.workload, name) not in self.read:
            self.read.append((self.workload, name))
        return super().of(name)


@dataclass(frozen=True)
class FindingReason:
    """Why a finding was made."""

    rule: str
    """What the rule looks for."""
    columns: tuple[tuple[str, str], ...]
    """Workload and column of each figure that it read of the recommended candidates."""


def reason_of(scenario: Scenario, plan: Plan, context: Context, finding: Finding) -> FindingReason | None:
    """The rule run again, watched; None for a finding that no rule about the plan makes."""
    for rule in RULES:
        if rule.codes_of_replanning and finding.code not in rule.codes_of_replanning:
            continue
        read: list[tuple[str, str]] = []
        case = _watched_case(rule, scenario, plan, context, read)
        if case is None:
            continue
        if any(one.code == finding.code and one.workload == finding.workload for one in rule.look(case)):
            first = (inspect.getdoc(rule.look) or "").split("\n")[0]
            return FindingReason(first, tuple(dict.fromkeys(read)))
    return None


def _watched_case(
    rule: Rule, scenario: Scenario, plan: Plan, context: Context, read: list[tuple[str, str]]
) -> Advised | BothCase | None:
    serving, training = serving_case(scenario, plan, context, _again), training_case(scenario, plan, context, _again)
    if serving is not None:
        serving = replace(serving, best=_watched(serving.best, read))
    if training is not None:
        training = replace(training, best=_watched(training.best, read))
    if rule.kind == "both":
        return BothCase(scenario, plan, context, serving, training) if serving and training else None
    return serving if rule.kind == "serving" else training


def _again(scenario: Scenario, context: Context, /, found: Plan | None = None) -> Plan:
    """Which columns a rule reads hangs neither on the samples' seed nor on a simulation."""
    with aside():
        return found or sized_plan(scenario, context, 0, lambda: None)[0]


def _watched(best: Chosen, read: list[tuple[str, str]]) -> _Watched:
    return _Watched(best.workload, best.table, best.row, best.accelerator, read)


def plan_about(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    chosen: Mapping[str, int],
    seed: int = 0,
) -> Plan:
    """The plan with the chosen candidates, by workload, in the recommended ones' place.

    Raises IndexError for a candidate that the plan lacks, ValueError for one that cannot run.
    """
    changed, context = plan, context_of(catalog, calibration)
    for workload, candidate in chosen.items():
        answer = plan.answers.get(workload)
        if answer is None or not 0 <= candidate < len(answer.table.accelerator):
            raise IndexError(f"the plan has no candidate {candidate} of {workload}")
        if not answer.table.fits[candidate]:
            raise ValueError(f"candidate {candidate} of {workload} cannot run")
        if candidate == answer.best:
            continue
        about = msgspec.structs.replace(answer, best=candidate)
        if isinstance(about, ServingPlan):
            rate_per_s = peak_rate_of(about, scenario, candidate)
            about = with_latencies(msgspec.structs.replace(about, peak_rate_per_s=rate_per_s), scenario, context)
        changed = msgspec.structs.replace(changed, **{workload: about})
        changed = with_stores(scenario, changed, context) if workload == "training" else changed
    if changed is plan:
        return plan
    changed = msgspec.structs.replace(changed, findings=findings(scenario, changed, context))
    return stressed_plan(scenario, catalog, calibration, changed, seed)
