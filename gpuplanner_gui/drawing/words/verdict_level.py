"""The engine's verdict in sentences: its level and chance, what is weakest, and what would raise it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from gpuplanner_gui.domain.plan import Plan, ServingPlan, TrainingPlan
from gpuplanner_gui.domain.verdict import Finding, MeasuredAlternative, Verdict, VerdictLevel
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import precisions_text
from gpuplanner_gui.drawing.words.findings import finding_text
from gpuplanner_gui.engine.decision.verdicts import REFUSED

Status = Literal["good", "warning", "bad"]

LEAST_DIFFERENCE_USD = 0.5
"""Costs that differ by less are the same."""
STATUSES: dict[VerdictLevel, Status] = {"holds": "good", "likely": "warning", "open": "warning", "fails": "bad"}
_CHANCES = {
    "holds": "Holds: {chance} chance of meeting {target}.",
    "likely": "Likely: {chance} chance of meeting {target}.",
    "open": "Uncertain: {chance} chance of meeting {target}.",
    "fails": "Fails: {chance} chance of meeting {target}.",
}
_BUT = {
    "likely": "Likely: {chance} chance of meeting {target}, but {why}.",
    "open": "Uncertain: {chance} chance of meeting {target}, but {why}.",
}
"""Where the chance is high enough and something else keeps the level down."""
_UNCONFIRMED = "Uncertain prediction ({why}): {chance} chance of meeting {target}."
_TOGETHER = {
    "holds": "Together it holds: {chance} chance of meeting every target of both.",
    "likely": "Together it is likely: {chance} chance of meeting every target of both.",
    "open": "Together it is uncertain: {chance} chance of meeting every target of both.",
    "fails": "Together it fails: {chance} chance of meeting every target of both.",
}
_LEVELS = {"holds": "Holds", "likely": "Likely", "open": "Uncertain", "fails": "Fails"}
_BROKEN = {
    "refused": "Fails: requests are longer than the largest context.",
    "misses_targets": "Fails: no candidate meets every target; this one comes closest.",
    "not_measured": "Fails: no measured candidate meets every target.",
    "site": "Fails: the site cannot power or cool it.",
}
_WITHOUT_TARGETS = {
    "holds": "No deadline or budget is set.",
    "likely": "No deadline or budget is set.",
    "open": "Uncertain: no deadline or budget is set.",
    "fails": "Fails: no deadline or budget is set.",
}
_WEAKEST = {
    "serving.load": "the load at peak",
    "serving.deadline": "the deadline",
    "serving.budget": "the monthly budget",
    "serving.availability": "availability",
    "training.date": "the deadline",
    "training.budget": "the budget of the run",
    "evidence": "too few similar runs",
    "unpriced": "no price is known for it",
    "refused": "requests are refused because they are longer than the largest context",
    "whole_batches": "static and dynamic batches are a rough estimate until they are simulated",
    "both_exceed_site": "training and serving together draw more power than the site provides",
}
_MISSED = (
    "serving.targets", "serving.deadline", "serving.budget", "serving.availability", "training.date", "training.budget",
)  # fmt: skip
_HELD_DOWN_BY = {
    **{one: _WEAKEST[one] for one in ("evidence", "unpriced", "whole_batches")},
    "serious": "a finding is serious",
    "stress": "a stress test misses a target",
    "untested": "it is not yet tested under stress",
}
_TESTS = {
    "burst": "a burst",
    "replica_loss": "the loss of a replica",
    "zone_loss": "the loss of a zone",
    "reload": "a rollout",
    "cold_cache": "a cold prefix cache",
    "longer_prompts": "longer prompts",
    "longer_requests": "longer requests",
}
_ALLOWED = "Allowing {value} would keep it with {confidence}."
_RAISED = {
    "replicas": "For {confidence} confidence: {value} replicas.",
    **dict.fromkeys(("deadline_s", "budget_usd", "budget_usd_per_month"), _ALLOWED),
    "measure": "Your own benchmark on this device would narrow the ranges most.",
    "spares": "More spare replicas raise the chance.",
}
_UNITS = {"replicas": "", "deadline_s": "s", "budget_usd": "USD", "budget_usd_per_month": "USD/month"}


def verdict_state(verdict: Verdict, target: str) -> str:
    """Level and chance of meeting `target`, in a few words; empty where nothing is asked for."""
    first = verdict.reasons[0].partition(":")[0] if verdict.reasons else ""
    if first in _BROKEN:
        return tr(_BROKEN[first])
    if not target:
        return tr(_WITHOUT_TARGETS[verdict.level])
    chance, why = _chance_of(verdict), _held_down_by(verdict)
    if why:
        words = _UNCONFIRMED if why == "evidence" else _BUT[verdict.level]
        return tr(words).format(chance=chance, target=target, why=tr(_HELD_DOWN_BY[why]))
    return tr(_CHANCES[verdict.level]).format(chance=chance, target=target)


def _held_down_by(verdict: Verdict) -> str:
    """What keeps a verdict from *holds* although the chance is as high as asked for; empty where the chance does."""
    if verdict.level not in _BUT or not verdict.chance >= verdict.confidence:
        return ""
    first = verdict.reasons[0].partition(":")[0]
    return first if first in _HELD_DOWN_BY else ""


def together_state(verdict: Verdict) -> str:
    """Of both workloads together."""
    return tr(_TOGETHER[verdict.level]).format(chance=_chance_of(verdict))


def verdict_cell(verdict: Verdict) -> str:
    """Level and chance in a table."""
    return tr("{level} ({chance} chance)").format(level=tr(_LEVELS[verdict.level]), chance=_chance_of(verdict))


def held_back_text(verdict: Verdict) -> str:
    """What keeps the level down although the chance is high enough; empty where nothing does."""
    why = _held_down_by(verdict)
    return tr(_HELD_DOWN_BY[why]) if why else ""


def _chance_of(verdict: Verdict) -> str:
    """Never rounded up to the confidence that it misses."""
    is_short = verdict.chance < verdict.confidence <= round(verdict.chance, 2)
    return chance_text(verdict.confidence - 0.01 if is_short else verdict.chance)


def chance_text(chance: float) -> str:
    """A chance, or a share of simulations, as a person would say it: never all, never nothing."""
    if not np.isfinite(chance):
        return NOTHING
    if chance > 0.99:
        return tr("over 99 %")
    if chance < 0.01:
        return tr("under 1 %")
    return format_value(round(chance, 2), "share", 2)


def verdict_advice(
    plan: Plan, verdict: Verdict, state: str, target: str, money_unit: str, is_idle_counted: bool
) -> str:
    """The weakest point, unless `state` says it, and what would raise it.

    `target` names the latency target that is nearest to its limit. `is_idle_counted`: costs of runs are compared with
    the time in which their devices are held and idle.
    """
    weakest = weakest_text(plan, verdict, target)
    is_new = bool(weakest) and weakest not in state
    said = tr("Most likely to be missed: {weakest}.") if verdict.weakest in _MISSED else tr("Weakest point: {weakest}.")
    lines = [said.format(weakest=weakest)] if is_new else []
    is_untested = "untested" in verdict.reasons and _held_down_by(verdict) != "untested"
    lines += [tr("Not yet tested under stress.")] if is_untested else []
    raised = verdict.raised_by
    if raised is not None and (weakest or lines):
        value = format_value(raised.value, _UNITS[raised.code]) if np.isfinite(raised.value) else ""
        lines.append(tr(_RAISED[raised.code]).format(
            confidence=format_value(verdict.confidence, "share", 2), value=value
        ))  # fmt: skip
    is_run = money_unit == "USD"
    refused = next((one for one in plan.findings if one.code == REFUSED), None)
    if refused is not None and not is_run and verdict.weakest != "refused":
        share = format_value(float(refused.values["refused_share"]), "share", 2)
        lines.append(tr("{share} of the requests are too long and are refused.").format(share=share))
    if verdict.measured is not None:
        answer = plan.training if is_run else plan.serving
        lines.append(_measured_text(plan, answer, verdict.measured, money_unit, is_idle_counted and is_run))
    return " ".join(lines)


def _measured_text(
    plan: Plan, answer: ServingPlan | TrainingPlan | None, measured: MeasuredAlternative, money_unit: str,
    is_idle_counted: bool,
) -> str:  # fmt: skip
    more = tr("{usd} less") if measured.more_usd < 0 else tr("{usd} more")
    if abs(measured.more_usd) < LEAST_DIFFERENCE_USD:
        more = tr("the same")
    text = tr("Better documented: on {device}, the plan has more published runs behind it and costs {difference}.")
    if is_idle_counted:
        text = tr(
            "Better documented: on {device}, the plan has more published runs behind it and costs {difference}, idle "
            "time included."
        )
    device = measured.device
    if isinstance(answer, ServingPlan):
        table = answer.table
        if table.accelerator[answer.best] == table.accelerator[measured.candidate]:
            formats = precisions_text(plan, table, measured.candidate)
            device = tr("the same device with {formats}").format(formats=formats)
    difference = more.format(usd=format_value(abs(measured.more_usd), money_unit))
    return text.format(device=device, difference=difference)


def weakest_text(plan: Plan, verdict: Verdict, target: str) -> str:
    """What a verdict is weakest in; empty where nothing is."""
    kind, _, detail = verdict.weakest.partition(":")
    if verdict.weakest == "serving.targets":
        return tr("{target} at peak").format(target=target)
    if kind in _WEAKEST:
        return tr(_WEAKEST[kind])
    if kind == "stress":
        return tr("a target is missed in the stress test of {test}").format(test=tr(_TESTS[detail]))
    if detail in _WEAKEST:
        return tr(_WEAKEST[detail])
    found = _finding(plan, detail)
    return finding_text(found).rstrip(".") if found is not None else ""


def _finding(plan: Plan, code: str) -> Finding | None:
    return next((one for one in plan.findings if one.code == code), None)
