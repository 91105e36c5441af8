"""Contexts of fits that have not seen a group of architecture × accelerator, as they would ship."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplanner_gui.engine.context import Context
from tools.fit_serving.bands import bands_of, loop_residuals
from tools.fit_serving.catalogue import calibration_of
from tools.fit_serving.closed_loops import (
    ENGINES,
    left_out_fits,
    logs_of,
    loop_fit,
    loop_problem,
    measured_families,
    step_space,
)
from tools.fit_serving.passes import neutral_context
from tools.fit_serving.tables import MeasuredCase


def left_out_contexts(cases: Sequence[MeasuredCase], context: Context) -> dict[str, Context]:
    """For every group of closed loops, engines and families fitted to all others, bands from the others' errors."""
    neutral, families = neutral_context(context.catalog, context.calibration), measured_families()
    problems = [loop_problem(cases, engine, neutral, families) for engine in ENGINES]
    space = step_space(tuple(family.family for family in families))
    fits = left_out_fits(problems, space, loop_fit(problems, space))
    logs = logs_of(problems, fits)
    residuals = [one for problem in problems for one in loop_residuals(problem, logs[problem.engine], context)]
    found = {}
    for group, fit in fits.items():
        bands = bands_of([one for one in residuals if one.group != group])
        found[group] = Context(context.catalog, calibration_of(context.calibration, fit, problems, bands))
    return found
