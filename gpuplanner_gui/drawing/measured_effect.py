"""What own measurements have changed in a plan: which of them it can learn from, and what it would be without them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.local_calibration import LocalCalibration, LocalPhase, LocalPoint
from gpuplanner_gui.domain.measurement import Workload
from gpuplanner_gui.domain.plan import Plan, Reason
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.calibration import concern_text, effect_text, release_text
from gpuplanner_gui.drawing.words.candidates import accelerator_name, candidate_text
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.local_fit.knowledge import knowledge_of
from gpuplanner_gui.engine.local_fit.rows import model_signature

NO_CANDIDATES = (Reason.EXCLUDED, Reason.END_OF_LIFE)
"""Of what the planner did not ask about."""
PHASES: dict[Workload, tuple[LocalPhase, ...]] = {"serving": ("decode", "prefill"), "training": ("training",)}
FIGURES: dict[Workload, tuple[tuple[str, str], ...]] = {
    "serving": (("tpot_mean_s", "s"), ("usd_per_month", "USD/month")),
    "training": (("step_time_s", "s"), ("usd_per_run", "USD")),
}
"""Of a candidate, by which a planner knows it again."""


@dataclass(frozen=True)
class _Made:
    of: tuple[Any, ...]
    plan: Plan


_last: list[_Made] = []
"""The plan without own measurements that was made last: switching sets on and off asks for the same again."""


def effect_sentences(
    results: Results, calibration: Calibration, shipped: Calibration, check: Callable[[], None] = lambda: None
) -> tuple[str, ...]:
    """Of each workload that the plan answers: which cases concern it, which release it is for, what has changed.

    `calibration` is the shipped one with what the measurements make of it.
    """
    local = calibration.local
    lines: list[str] = []
    for workload in results.workloads():
        points = [point for point in (local.points if local is not None else ()) if point.phase in PHASES[workload]]
        if not points and not calibration.own:
            continue
        concerned = [point for point in points if _concerns(point, results, workload)]
        if local is not None and len(concerned) < len(points):
            others = tuple(dict.fromkeys(_other(point, results, local) for point in points if point not in concerned))
            lines.append(concern_text(workload, len(concerned), len(points), others))
        if local is not None and concerned:
            lines += _of_release(results, workload, local)
        if concerned or calibration.own:
            check()
            without = _without(results, shipped)
            before, after = (_named(one, results.catalog, workload) for one in (without, results.plan))
            if before and after and (concerned or before != after):
                lines.append(effect_text(workload, before, after))
    return tuple(lines)


def _concerns(point: LocalPoint, results: Results, workload: Workload) -> bool:
    answer, names = results.answer(workload), results.plan.accelerators
    if answer is None or point.model != model_signature(results.scenario.model) or point.accelerator not in names:
        return False
    rows = answer.table.accelerator == names.index(point.accelerator)
    return bool(np.any(rows & ~np.isin(answer.table.reason, NO_CANDIDATES)))


def _other(point: LocalPoint, results: Results, local: LocalCalibration) -> str:
    """What a case that does not concern the plan is of: another model, else an accelerator that is no candidate."""
    run = results.project.measurements[point.set_index].measurements[point.measurement_index]
    if point.model != model_signature(results.scenario.model):
        entry = results.catalog.models.get(run.context.model)
        return entry.model.name if entry is not None else run.context.model
    return accelerator_name(point.accelerator, results.catalog)


def _of_release(results: Results, workload: Workload, local: LocalCalibration) -> list[str]:
    scenario, known = results.scenario, knowledge_of(local)
    serving, training = scenario.serving, scenario.training
    engine = serving.engine.engine if workload == "serving" and serving else training.framework if training else ""
    phase = known.phase(PHASES[workload][0])
    taken = phase.build_of(engine)[0] if phase is not None else ""
    own = [point.release for point in local.points if point.phase in PHASES[workload] and point.engine == engine]
    others = tuple(dict.fromkeys(release for release in own if release and release != taken))
    return [release_text(engine, taken, others)] if taken and others else []


def _without(results: Results, shipped: Calibration) -> Plan:
    asked = (results.scenario, results.catalog, shipped)
    for known in tuple(_last):
        if all(one is other for one, other in zip(known.of, asked, strict=True)):
            return known.plan
    made = plan(*asked)
    _last[:] = [_Made(asked, made)]
    return made


def _named(found: Plan, catalog: Catalog, workload: Workload) -> str:
    """The recommended candidate with its figures; empty without one."""
    answer = found.serving if workload == "serving" else found.training
    if answer is None or answer.best < 0:
        return ""
    figures = (format_value(float(getattr(answer.table, name)[answer.best]), unit) for name, unit in FIGURES[workload])
    return f"{candidate_text(found, catalog, workload, answer.best)} ({', '.join(figures)})"
