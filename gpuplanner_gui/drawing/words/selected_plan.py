"""Sentences about a candidate that the planner chose instead of the recommended one."""

from __future__ import annotations

from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan
from gpuplanner_gui.drawing.candidate_keys import candidate_of_key
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_of, candidate_text, precisions_text
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES


def named_text(results: Results, workload: str) -> str:
    """That the file names another candidate than the recommended one; empty if it does not."""
    answer, key = results.answer(workload), results.scenario.chosen.get(workload, "")
    if answer is None or not key:
        return ""
    named = candidate_of_key(results.plan, workload, key)
    if named < 0 or not answer.table.fits[named]:
        return tr(
            "The file names a candidate that cannot run here, {key}: the recommended one takes its place."
        ).format(key=key)
    if named == answer.best:
        return ""
    text = tr(
        "The file names another candidate, {chosen}, for {cost}: report, order, flags, deploy and load are about it."
    )
    name = candidate_text(results.plan, results.catalog, workload, named)
    return text.format(chosen=name, cost=_cost_text(answer, named))


def selected_text(results: Results, workload: str) -> str:
    """That the plan is about a candidate that the planner chose, and what is recommended; empty if that is the same."""
    answer, recommended = results.answer(workload), results.recommended.get(workload, -1)
    if answer is None or recommended < 0:
        return ""
    text = tr(
        "{workload}: this report describes the selected candidate, {chosen}, for {cost}. The ranking "
        "recommends {recommended}, for {other}."
    )
    return text.format(
        workload=tr(WORKLOAD_TITLES[workload]), chosen=_fleet_text(results, answer, answer.best),
        cost=_cost_text(answer, answer.best), recommended=_fleet_text(results, answer, recommended),
        other=_cost_text(answer, recommended),
    )  # fmt: skip


def _fleet_text(results: Results, answer: ServingPlan | TrainingPlan, candidate: int) -> str:
    name = accelerator_of(results.plan, results.catalog, answer.table, candidate)
    devices = format_value(float(answer.table.devices[candidate]))
    formats = f", {precisions_text(results.plan, answer.table, candidate)}" if isinstance(answer, ServingPlan) else ""
    return f"{devices} × {name}{formats}"


def _cost_text(answer: ServingPlan | TrainingPlan, candidate: int) -> str:
    if isinstance(answer, ServingPlan):
        return format_value(float(answer.table.usd_per_month[candidate]), "USD/month")
    return format_value(float(answer.table.usd_per_run[candidate]), "USD")
