"""How long recipes let groups with attention in parallel gather prompts: one number of an engine, tried on a grid."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from gpuplanner_gui.engine.context import Context
from tools.fit_serving.closed_loops import ENGINES, LoopFit, loop_problem, measured_families
from tools.fit_serving.gauss_newton import group_weights
from tools.fit_serving.passes import neutral_context
from tools.fit_serving.tables import MeasuredCase
from tools.observation.habits import habits_of

STEPS = (1.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 100.0)
FEWEST_CASES = 30
"""With attention groups, from which a habit shows."""


def gathering_changes(cases: Sequence[MeasuredCase], context: Context, fit: LoopFit) -> dict[str, dict[str, float]]:
    """The steps that put an engine's TPOT with attention groups least off, where enough of it was measured."""
    neutral, found = neutral_context(context.catalog, context.calibration), {}
    for engine in ENGINES:
        own = [one for one in cases if one.case.engine == engine and one.case.load == "closed_loop"]
        own = [one for one in own if one.case.layout.data_parallel > 1]
        if len(own) < FEWEST_CASES:
            continue
        errors = []
        for steps in STEPS:
            tried = msgspec.structs.replace(habits_of(engine), gathering_steps=steps)
            problem = loop_problem(own, engine, neutral, measured_families(), tried)
            off = np.abs(fit.logs(problem)[1] - problem.log_tpot)
            errors.append(float(group_weights([one.group for one in problem.cases]) @ off))
        found[engine] = {"gathering_steps": STEPS[int(np.argmin(errors))]}
    return found
