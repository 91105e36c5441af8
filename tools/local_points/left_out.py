"""Results as fits predict them that have not seen their group: what a planner with a new model meets."""

from __future__ import annotations

import math

import msgspec
import numpy as np

from gpuplanner_gui.domain.local_calibration import LocalPhase, LocalPoint
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.cases import Observation, is_prompt_alone, month_of
from gpuplanner_gui.engine.evidence.points import points_of
from tools.fit_serving.closed_loops import (
    ENGINES,
    LoopProblem,
    left_out_logs,
    loop_fit,
    loop_problem,
    measured_families,
    step_space,
)
from tools.fit_serving.passes import neutral_context
from tools.fit_serving.tables import measured_cases
from tools.fit_training.fit import left_out_errors, material
from tools.local_points.score import GroupedPoints, run_of, told_once


def left_out_points(context: Context) -> dict[LocalPhase, GroupedPoints]:
    """Closed loops and training steps beside the prediction of a fit without their group. Takes some minutes."""
    return _loops(context) | {"training": steps_left_out(context)}


def steps_left_out(context: Context) -> GroupedPoints:
    """Step times of training beside the prediction of a fit without their group, one figure of each run."""
    runs: dict[bytes, int] = {}
    known = material(context)
    for index in np.flatnonzero(known.is_scored):
        runs.setdefault(run_of(known.rows[index].case), int(index))
    errors = left_out_errors(known)
    observed = [
        Observation(
            "training", "step_time", float(known.step_s[index]),
            msgspec.structs.replace(known.rows[index].case, metric="step_time"), "step_time", measurement_index=index,
            release=document_of(known.rows[index].row),
        )
        for index in runs.values()
    ]  # fmt: skip
    grouped = GroupedPoints([], [])
    for point in points_of(observed, context):
        place = point.measurement_index
        grouped.points.append(_predicted_by(point, math.log(point.measured) + float(errors[place])))
        grouped.groups.append(known.rows[place].group)
    return grouped


def document_of(row: dict[str, str]) -> str:
    """What stands for a training row's release, which few sources state: the document that it was published in."""
    return f"{row['source']} {row['source_locator']}"


def _loops(context: Context) -> dict[LocalPhase, GroupedPoints]:
    """TPOT and TTFT of every closed loop, each run once."""
    catalog, calibration = context.catalog, context.calibration
    neutral, families = neutral_context(catalog, calibration), measured_families()
    cases, _ = measured_cases("serving", catalog, calibration)
    problems = [loop_problem(cases, engine, neutral, families) for engine in ENGINES]
    space = step_space(tuple(family.family for family in families))
    predicted = left_out_logs(problems, space, loop_fit(problems, space))
    found: dict[LocalPhase, GroupedPoints] = {
        "decode": GroupedPoints([], []),
        "prefill": GroupedPoints([], []),
    }
    for problem in problems:
        ttft, tpot = predicted[problem.engine]
        for phase, quantity, logs, measured in (
            ("prefill", "ttft_mean", ttft, problem.log_ttft),
            ("decode", "tpot_mean", tpot, problem.log_tpot),
        ):
            _add(found[phase], phase, quantity, problem, logs, measured, context)  # type: ignore[index, arg-type]
    return {phase: told_once(grouped) for phase, grouped in found.items()}


def _add(
    grouped: GroupedPoints,
    phase: LocalPhase,
    quantity: str,
    problem: LoopProblem,
    logs: np.ndarray,
    measured: np.ndarray,
    context: Context,
) -> None:
    """Points of one phase, with the left-out prediction in place of the shipped one."""
    observed = [
        Observation(
            phase,
            quantity,
            math.exp(value),
            one.case,
            quantity,
            measurement_index=index,
            release=one.row.get("backend_version", ""),
            month=month_of(one.row.get("measured_on", "")),
        )
        for index, (one, value) in enumerate(zip(problem.cases, measured))
        if np.isfinite(value) and (phase != "prefill" or is_prompt_alone(one.case))
    ]
    for point in points_of(observed, context):
        index = point.measurement_index
        grouped.points.append(_predicted_by(point, float(logs[index])))
        grouped.groups.append(problem.cases[index].group)


def _predicted_by(point: LocalPoint, log_predicted: float) -> LocalPoint:
    value, reach = math.exp(log_predicted), point.high80 / point.predicted
    return msgspec.structs.replace(
        point,
        predicted=value,
        low80=value / reach,
        high80=value * reach,
        log_residual=math.log(point.measured) - log_predicted,
        log2_time=log_predicted / math.log(2.0),
        measurement_index=0,
    )
