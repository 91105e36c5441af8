"""What own measurements have taught, ready to be drawn: sets, cases before and after, drift, what to measure next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.knowledge import Calibration, LocalCalibration, LocalPhase, LocalPoint
from gpuplanner_gui.domain.measurement import Measurement, MeasurementSet, Workload, foreign_phases, missing_context
from gpuplanner_gui.domain.plan import Plan, Reason
from gpuplanner_gui.drawing.calibration_view import CalibrationView
from gpuplanner_gui.drawing.evidence import evidence_cases, evidence_text
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.measuring_commands import benchmark_command, training_command
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Cell, Rows, table_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.calibration import (
    case_text,
    concern_text,
    drift_text,
    effect_text,
    field_title,
    foreign_text,
    memory_text,
    outside_text,
    own_kernels_text,
    phase_title,
    quantity_title,
    quantity_unit,
    recorded_text,
    release_text,
    reserve_text,
    runs_of,
    scaling_text,
    summary_text,
)
from gpuplanner_gui.drawing.words.candidates import accelerator_name, candidate_text, precisions_text
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.evidence.cases import middle
from gpuplanner_gui.engine.evidence.knowledge import (
    Drift,
    PointVerdict,
    drift,
    knowledge_of,
    local_calibration,
    outside_main_kernels,
    verdicts_of,
)
from gpuplanner_gui.engine.evidence.next_measurement import (
    NextMeasurement,
    NextTrainingRun,
    next_measurements,
    next_training_runs,
)
from gpuplanner_gui.engine.evidence.own_kernels import is_told_of, with_own_kernels
from gpuplanner_gui.engine.evidence.posterior import local_prior, model_signature
from gpuplanner_gui.engine.evidence.training_own import memory_growth, memory_reserves, scaling_fit
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.measurements.sets import TITLES

NO_CANDIDATES = (Reason.EXCLUDED, Reason.END_OF_LIFE)
"""The candidates of a workload that is not planned: none."""
PHASES: dict[Workload, tuple[LocalPhase, ...]] = {"serving": ("decode", "prefill"), "training": ("training",)}
FIGURES: dict[Workload, tuple[tuple[str, str], ...]] = {
    "serving": (("tpot_mean_s", "s"), ("usd_per_month", "USD/month")),
    "training": (("step_time_s", "s"), ("usd_per_run", "USD")),
}
"""Figures by which a planner recognises a candidate."""


_without_own: Recent[Plan] = Recent()
"""The plan without own measurements that was made last: switching sets on and off asks for the same again."""


def effect_sentences(
    results: Results, calibration: Calibration, shipped: Calibration, check: Callable[[], None] = lambda: None
) -> tuple[str, ...]:
    """Sentences about each planned workload: which cases concern it, which release it is for, what has changed.

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
            others = tuple(dict.fromkeys(_other(point, results) for point in points if point not in concerned))
            lines.append(concern_text(workload, runs_of(concerned), runs_of(points), others))
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


def _other(point: LocalPoint, results: Results) -> str:
    """Why a case does not concern the plan: another model, or an accelerator that is no candidate."""
    run = results.project.measurements[point.set_index].measurements[point.measurement_index]
    if point.model != model_signature(results.scenario.model):
        entry = results.catalog.models.get(run.context.model)
        return entry.model.name if entry is not None else run.context.model
    return accelerator_name(point.accelerator, results.catalog)


def _of_release(results: Results, workload: Workload, local: LocalCalibration) -> list[str]:
    scenario, known = results.scenario, knowledge_of(local)
    serving, training = scenario.serving, scenario.training
    engine = serving.engine.engine if workload == "serving" and serving else training.framework if training else ""
    phase = known.get(PHASES[workload][0])
    taken = phase.build_of(engine)[0] if phase is not None else ""
    own = [point.release for point in local.points if point.phase in PHASES[workload] and point.engine == engine]
    others = tuple(dict.fromkeys(release for release in own if release and release != taken))
    return [release_text(engine, taken, others)] if taken and others else []


def _without(results: Results, shipped: Calibration) -> Plan:
    asked = (results.scenario, results.catalog, shipped)
    return _without_own.of(asked, lambda: plan(*asked))


def _named(found: Plan, catalog: Catalog, workload: Workload) -> str:
    """The recommended candidate with its figures; empty without one."""
    answer = found.serving if workload == "serving" else found.training
    if answer is None or answer.best < 0:
        return ""
    figures = (format_value(float(getattr(answer.table, name)[answer.best]), unit) for name, unit in FIGURES[workload])
    return f"{candidate_text(found, catalog, workload, answer.best)} ({', '.join(figures)})"


NODE_DEVICES = 8
"""Devices of a server, where the accelerator's links reach no further."""
OUTLIER = "▲"


def calibration_view(results: Results, check: Callable[[], None] = lambda: None) -> CalibrationView:
    """Look at a project's measurements from its plan at hand; `check` may raise to cancel."""
    sets, catalog, shipped = results.project.measurements, results.catalog, load_calibration()
    calibration = calibrated_by(sets, catalog, shipped)
    verdicts = verdicts_of(calibration.local) if calibration.local is not None else ()
    drifted = _drift(sets, results, shipped, calibration, check)
    context, prior = context_of(catalog, calibration), local_prior(calibration.errors)
    served = next_measurements(results.scenario, context, results.plan, prior)
    trained = next_training_runs(results.scenario, context, results.plan, prior)
    evidence = evidence_cases(results, shipped, check)
    effects = effect_sentences(results, calibration, shipped, check)
    sentences = tuple(_sentences(results, calibration, verdicts, drifted, effects))
    return CalibrationView(sets, verdicts, drifted, served, trained, evidence, sentences)


def _drift(
    sets: tuple[MeasurementSet, ...],
    results: Results,
    shipped: Calibration,
    calibration: Calibration,
    check: Callable[[], None],
) -> Drift | None:
    """New measurements are those of sets that are off: they are compared, and change nothing."""
    # All sets stay, those in use without runs, so that points know their set.
    new = tuple(
        msgspec.structs.replace(one, is_used=True, measurements=() if one.is_used else one.measurements) for one in sets
    )
    if not any(one.measurements for one in new):
        return None
    # Beside what operations timed alone make of the prediction, as those in use were.
    base = with_own_kernels(shipped, sets, results.catalog)
    points = local_calibration(new, context_of(results.catalog, base), local_prior(base.errors), check).points
    return drift(points, calibration.local) if points else None


def _sentences(
    results: Results,
    calibration: Calibration,
    verdicts: tuple[PointVerdict, ...],
    drifted: Drift | None,
    effects: tuple[str, ...],
) -> list[str]:
    sets, local = results.project.measurements, calibration.local
    runs = [run for one in sets if one.is_used for run in one.measurements]
    whole = [run for run in runs if not run.context.operation]
    lines = [summary_text(verdicts, sets, bool(calibration.own)), *effects]
    for workload in results.workloads():
        lines += [foreign_text(workload, phases) for phases in [_foreign(whole, workload)] if phases]
    lines += [own_kernels_text(one, results.catalog) for one in calibration.own]
    timed = [run for run in runs if run.context.operation and not missing_context(run)]
    kept = tuple(dict.fromkeys(run.context.operation for run in timed if not is_told_of(run, calibration.own)))
    if kept:
        lines.append(recorded_text(kept))
    lines += _scaling(runs, results)
    lines += [memory_text(one, results.catalog) for one in memory_growth(runs, results.catalog)]
    if local is not None:
        lines += [reserve_text(one, results.catalog) for one in memory_reserves(local.memory, local.prior.memory)]
    outside = outside_main_kernels(runs)
    if outside is not None:
        lines.append(outside_text(outside))
    if drifted is not None:
        lines.append(drift_text(drifted))
    return lines


def evidence_sentences(view: CalibrationView, results: Results) -> tuple[str, ...]:
    """Sentences about the nearest measured cases of each planned workload."""
    return tuple(evidence_text(view.evidence, workload) for workload in results.workloads())


def _scaling(runs: list[Measurement], results: Results) -> list[str]:
    """A sentence for each job that was measured on several counts of devices: one model, device, recipe and length."""
    groups: dict[tuple[object, ...], list[tuple[int, float]]] = {}
    for run in runs:
        context, step = run.context, middle(run.figures, "step_time")
        if missing_context(run) or step is None or context.accelerator not in results.catalog.accelerators:
            continue
        rate = context.global_batch * context.sequence_length / step.value / context.devices
        job = (context.accelerator, context.model, context.engine, context.weight_precision, context.sequence_length)
        groups.setdefault(job, []).append((context.devices, rate))
    lines = []
    for of_job, measured in groups.items():
        devices, rates = np.array(measured, float).T
        if len(set(devices)) < 2:
            continue
        entry = results.catalog.accelerators[str(of_job[0])]
        node = max((entry.scale_up.domain_size or 0) if entry.scale_up else 0, NODE_DEVICES)
        fit = scaling_fit(devices, rates, node)
        lines.append(scaling_text(fit, entry.name, 4 * int(devices.max())))
    return lines


def _foreign(runs: list[Measurement], workload: Workload) -> tuple[str, ...]:
    return tuple(dict.fromkeys(phase for run in runs for phase in foreign_phases(run, workload)))


def set_rows(view: CalibrationView) -> Rows:
    """One row for each set: whether it is used, what it holds, what it lacks."""
    return table_of(
        view.sets,
        (tr("Used"), "", _use_text),
        (tr("Set"), "", lambda one: one.name),
        (tr("Tool"), "", lambda one: tr(TITLES.get(one.tool, one.tool))),
        (tr("Runs"), "", lambda one: len(one.measurements)),
        (tr("Accepted"), "", _taken),
        (tr("About"), "", lambda one: listed(map(phase_title, phases_of(one)))),
        (tr("Missing"), "", lambda one: listed(field_title(name).lower() for name in missing_fields(one))),
    )


def _taken(one: MeasurementSet) -> int:
    """Runs of a set that say all that is needed."""
    return sum(not missing_context(run) for run in one.measurements)


def _use_text(one: MeasurementSet) -> str:
    """Whether plans rest on a set; one that is wanted but lacks context is not."""
    if not one.is_used:
        return tr("excluded")
    taken = _taken(one)
    return tr("yes") if taken == len(one.measurements) else tr("partly") if taken else tr("not yet")


def phases_of(one: MeasurementSet) -> tuple[str, ...]:
    """Phases that a set's figures speak of: the tag without which it is used for nothing."""
    return tuple(dict.fromkeys(phase for run in one.measurements for phase in run.phases))


def missing_fields(one: MeasurementSet) -> tuple[str, ...]:
    """Fields of the context that at least one run of a set lacks."""
    return tuple(dict.fromkeys(name for run in one.measurements for name in missing_context(run)))


def verdict_rows(view: CalibrationView, results: Results) -> Rows:
    """Each measured case: as predicted before, as the other measurements say now, and how much slower it was."""
    shown, value = _case_columns(view, results), _in_its_unit
    return table_of(
        view.verdicts,
        ("", "", lambda one: OUTLIER if one.is_outlier else ""), *shown,
        (tr("Shipped"), "", lambda one: value(one, one.point.predicted)),
        (tr("Error"), "share", lambda one: one.slowness_before - 1.0),
        (tr("Prediction (other runs)"), "", lambda one: value(one, one.after)),
        (tr("Error"), "share", lambda one: one.slowness_after - 1.0),
        (tr("Set"), "", lambda one: view.sets[one.point.set_index].name),
    )  # fmt: skip


def _case_columns(view: CalibrationView, results: Results) -> tuple[tuple[str, str, Callable[[Any], Cell]], ...]:
    """Columns of a measured case: name, quantity and measured value."""

    def case(one: Any) -> str:
        run = view.sets[one.point.set_index].measurements[one.point.measurement_index]
        return case_text(run.context, results.catalog)

    return (
        (tr("Run"), "", case), (tr("Quantity"), "", lambda one: quantity_title(one.point.quantity)),
        (tr("Measured"), "", lambda one: _in_its_unit(one, one.point.measured)),
    )  # fmt: skip


def _in_its_unit(one: Any, value: float) -> str:
    return format_value(value, quantity_unit(one.point.quantity))


def drift_rows(view: CalibrationView, results: Results) -> Rows:
    """Each new measurement against what is expected of it, with the band."""
    value, band = _in_its_unit, tr("{low} to {high}")
    return table_of(
        view.drift.points if view.drift is not None else (),
        ("", "", lambda one: OUTLIER if one.is_beyond else ""), *_case_columns(view, results),
        (tr("Expected"), "", lambda one: value(one, one.expected)),
        (tr("80 % range"), "", lambda one: band.format(low=value(one, one.low80), high=value(one, one.high80))),
        (tr("Error"), "share", lambda one: float(np.expm1(one.log_residual))),
        (tr("Set"), "", lambda one: view.sets[one.point.set_index].name),
    )  # fmt: skip


def next_rows(view: CalibrationView, results: Results) -> Rows:
    """Rows of the table "What to measure next": the band before and after, and the uncertainty removed."""
    runs: tuple[NextMeasurement | NextTrainingRun, ...] = (*view.next_runs, *view.next_training)
    removed = ((tr("Share of all candidates' uncertainty removed"), "share", lambda one: getattr(one, "share", None)),)
    return table_of(
        runs,
        (tr("Accelerator"), "", lambda one: results.catalog.accelerators[one.accelerator].name),
        (tr("Run"), "", lambda one: _run_text(one, results)),
        (tr("Step time at P90, before (× predicted)"), "", lambda one: _reach(one.width_before)),
        (tr("Step time at P90, after (× predicted)"), "", lambda one: _reach(one.width_after)),
        (tr("Published runs (same device, software, format)"), "", lambda one: one.published_runs),
        *(removed if view.next_runs else ()),
    )


def _run_text(one: NextMeasurement | NextTrainingRun, results: Results) -> str:
    """A run to be measured, in a line."""
    if isinstance(one, NextTrainingRun):
        return tr("training on {devices}, {batch} sequences per step").format(
            devices=format_value(one.devices, "devices"), batch=one.global_batch
        )
    text = tr("serving on {devices}, {precision}, {at_once} concurrent requests")
    if one.concurrency == 1:
        text = tr("serving on {devices}, {precision}, 1 concurrent request")
    return text.format(
        devices=format_value(one.tensor_parallel * one.pipeline_parallel, "devices"),
        precision=precisions_text(results.plan, results.plan.served.table, one.candidate), at_once=one.concurrency,
    )  # fmt: skip


def next_commands(view: CalibrationView, results: Results) -> tuple[str, ...]:
    """Shell commands for each run of `next_rows`."""
    served = (benchmark_command(one, results) for one in view.next_runs)
    return (*served, *(training_command(one, results) for one in view.next_training))


def step_time_words(view: CalibrationView) -> str:
    """What the first run's factor of the step time means; empty where no run is worth a measurement."""
    runs: tuple[NextMeasurement | NextTrainingRun, ...] = (*view.next_runs, *view.next_training)
    if not runs:
        return ""
    text = tr("There, {factor} means: in 9 of 10 cases, a step takes at most {factor} times as long as predicted.")
    return text.format(factor=format_value(_reach(runs[0].width_before)))


def _reach(log_sd: float) -> float:
    """Upper end of the 80 % range over its middle: 1.97 where a run may take up to 1.97 times its prediction."""
    return float(np.exp(Z_80 * log_sd))
