"""A plan's answer with all that a document shows: load curve, rooflines, fleets, terms, uncertainty, comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from gpuplanner_gui.domain.curves import Roofline
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan
from gpuplanner_gui.domain.price import Alternative
from gpuplanner_gui.drawing.candidates import RivalRoofline, rival_marks, rivals_of
from gpuplanner_gui.drawing.results import Decision, EstateFindings, Results
from gpuplanner_gui.engine import rooflines
from gpuplanner_gui.engine.advisor.reasons import plan_about
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.engine.serving.curves import best_load_curve

IsCancelled = Callable[[], bool]


def never() -> bool:
    return False


def chosen_candidates(results: Results) -> dict[str, int]:
    """Candidates that the planner chose, which can run and are not the recommended ones, by workload."""
    seen = ((name, answer, results.candidate(name)) for name, answer in results.plan.answers.items())
    return {name: one for name, answer, one in seen if 0 <= one != answer.best and answer.table.fits[one]}


def about(results: Results, calibration: Calibration, chosen: Mapping[str, int]) -> Results:
    """A scenario's answer about candidates that the planner chose; those that cannot run stay the recommended ones."""
    answers: dict[str, ServingPlan | TrainingPlan | None] = {
        workload: results.answer(workload) for workload in results.workloads()
    }
    kept = {
        workload: candidate
        for workload, candidate in chosen.items()
        if (answer := answers.get(workload)) is not None
        and 0 <= candidate < len(answer.table.accelerator)
        and candidate != answer.best
        and answer.table.fits[candidate]
    }
    best = {name: answer.best for name, answer in answers.items() if answer is not None}
    if not kept:
        return results.of_recommended()
    plan = plan_about(results.scenario, results.catalog, calibration, results.plan, kept, results.project.seed)
    return replace(
        results, plan=plan, selected=best | kept, recommended={name: best[name] for name in kept}, load_curve=None,
        rooflines={}, rivals={}, simulation=None, training=None, decision=None,
    )  # fmt: skip


def about_chosen(results: Results, calibration: Calibration) -> Results:
    """A scenario's answer about the candidates that its file names as chosen, where it names some."""
    return about(results, calibration, chosen_candidates(results))


def ranked_candidate(results: Results, workload: str, rank: int) -> int:
    """The candidate at a place of the ranking, 1 the recommended. Raises IndexError where there is none that runs."""
    answer = results.answer(workload)
    if answer is None or not 1 <= rank <= len(answer.table.order):
        raise IndexError(rank)
    return int(answer.table.order[rank - 1])


def in_depth(
    results: Results,
    calibration: Calibration,
    on_progress: Callable[[float], None] = lambda share: None,
    is_cancelled: IsCancelled = never,
) -> Results:
    """A scenario's answer with everything about its best candidates. Raises CancelledError."""
    scenario, plan, catalog = results.scenario, results.plan, results.catalog
    curve = best_load_curve(scenario, catalog, calibration, plan, is_cancelled)
    own, rivals = _rooflines(results, calibration)
    uncertainty = doors.uncertainty(
        scenario, catalog, calibration, plan, results.project.seed,
        on_progress=on_progress, is_cancelled=is_cancelled,
    )  # fmt: skip
    return replace(
        results,
        load_curve=curve,
        rooflines=own,
        rivals=rivals,
        decision=Decision(
            fleets=doors.fleets(scenario, catalog, calibration, plan),
            ownership=doors.ownership(scenario, catalog, calibration, plan) or {},
            alternatives=alternatives_of(results, calibration, is_cancelled),
            uncertainty=uncertainty,
        ),
    )


def alternatives_of(
    results: Results, calibration: Calibration, is_cancelled: IsCancelled = never
) -> tuple[Alternative, ...]:
    """Alternatives for the service's requests (APIs, smaller models, CPUs) at known prices."""
    found = doors.alternatives(
        results.scenario, results.catalog, calibration, results.plan, results.project.seed,
        is_cancelled=is_cancelled,
    )  # fmt: skip
    return found or ()


def _rooflines(
    results: Results, calibration: Calibration
) -> tuple[dict[str, Roofline], dict[str, tuple[RivalRoofline, ...]]]:
    """Rooflines of the best candidates and of their rivals."""
    own: dict[str, Roofline] = {}
    rivals: dict[str, tuple[RivalRoofline, ...]] = {}
    for workload in results.workloads():
        answer = results.answer(workload)
        if answer is not None and answer.best >= 0:
            marks = rival_marks(answer, answer.best)
            shown = (answer.best, *marks)
            made = rooflines(results.scenario, results.catalog, calibration, results.plan, workload, shown)
            own[workload], rivals[workload] = made[0], rivals_of(marks, made[1:])
    return own, rivals


def with_estate(answers: Sequence[Results], is_cancelled: IsCancelled = never) -> Sequence[Results]:
    """The answers with the project's estate in the first, if all of its scenarios are among them."""
    from gpuplanner_gui.engine.estate import answer, solve

    estate = answers[0].project.estate if answers else None
    plans = {one.scenario.name: one.plan for one in answers}
    if estate is None or not estate.workloads or any(one.scenario not in plans for one in estate.workloads):
        return answers
    options = answer.options_of_plans(estate, answers[0].project.scenarios, plans)
    try:
        found = answer.planned_estate(estate, options, is_cancelled=is_cancelled)
        ahead = answer.robust(estate, options, is_cancelled=is_cancelled) if estate.futures else None
    except solve.NoPlan:
        return answers
    return (replace(answers[0], estate=EstateFindings(answer=found, ahead=ahead)), *answers[1:])


def compared(
    answers: Sequence[Results], calibration: Calibration, is_cancelled: IsCancelled = never
) -> tuple[Results, ...]:
    """The answers with scenarios beside each other, where there are several, and the estate. Raises CancelledError."""
    answers = with_estate(answers, is_cancelled)
    first = answers[: doors.MOST_SCENARIOS]
    if len(first) < 2:
        return tuple(answers)
    one = first[0]
    planned = [(results.scenario, results.plan) for results in first]
    weights = one.scenario.economics.ranking
    seed = one.project.seed
    comparison = doors.compared(planned, one.catalog, calibration, seed, weights, is_cancelled=is_cancelled)
    decision = replace(one.decision or Decision(), comparison=comparison)
    return (replace(one, decision=decision), *answers[1:])
