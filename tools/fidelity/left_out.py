"""Contexts of fits that have not seen a group of architecture × accelerator, as they would ship."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from tools.fit_serving.catalogue import calibration_of
from tools.fit_serving.closed_loops import (
    LoopProblem,
    all_loop_problems,
    left_out_fits,
    logs_of,
    loop_fit,
    step_space,
)
from tools.fit_serving.tables import MeasuredCase
from tools.repository import grouped

Times = dict[str, dict[str, float]]
"""By case and metric. [s]"""


@dataclass(frozen=True)
class LeftOut:
    """Closed loops as fits predict them that have not seen their group."""

    problems: list[LoopProblem]
    observed_logs: dict[str, tuple[Floats, Floats]]
    """Logarithms of TTFT and TPOT as sources saw them, by engine."""
    plain_s: Times
    """What the program would answer."""
    contexts: dict[str, Context]
    """By group."""


def left_out(cases: Sequence[MeasuredCase], context: Context) -> LeftOut:
    """For every group of closed loops, engines and families fitted to all others."""
    problems, space = all_loop_problems(cases, context), step_space()
    fits = left_out_fits(problems, space, loop_fit(problems, space))
    contexts = {
        group: Context(context.catalog, calibration_of(context.calibration, fit, problems))
        for group, fit in fits.items()
    }
    return LeftOut(problems, logs_of(problems, fits), _plain_s(problems, contexts), contexts)


def _plain_s(problems: Sequence[LoopProblem], contexts: Mapping[str, Context]) -> Times:
    """Every case as a program with the fit without its group would answer it."""
    cases = (one for problem in problems for one in problem.cases)
    found: Times = {}
    for group, own in grouped(cases, lambda one: one.group).items():
        found |= plain_times(own, contexts[group])
    return found


def plain_times(rows: Sequence[MeasuredCase], context: Context) -> Times:
    """What the program answers of rows; without metrics that it refuses."""
    answers = serving_answers([one.case for one in rows], context)
    return {
        one.case.case_id: {answer.metric: answer.value for answer in own if answer.value is not None}
        for one, own in zip(rows, answers, strict=True)
    }
