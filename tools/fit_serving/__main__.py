"""Fit engines to the published closed loops and write the catalogues."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import msgspec
import numpy as np

from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import CALIBRATED_ENGINES
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.fit_serving.catalogue import pool_changes, practice_changes, write_engines, write_loop_fit
from tools.fit_serving.closed_loops import (
    LoopFit,
    all_loop_problems,
    loop_fit,
    loop_problem,
    measured_families,
    neutral_context,
    step_space,
)
from tools.fit_serving.parameters import group_weights
from tools.fit_serving.pools import all_pool_facts, pool_problem
from tools.fit_serving.tables import MeasuredCase, completed, load_pool_recipes, measured_cases
from tools.observation.habits import habits_of, write_habits

STEPS = (1.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 100.0)
FEWEST_CASES = 30
"""With attention groups, from which a habit shows."""


def gathering_changes(cases: Sequence[MeasuredCase], context: Context, fit: LoopFit) -> dict[str, dict[str, float]]:
    """The steps that put an engine's TPOT with attention groups least off, where enough of it was measured."""
    neutral, found = neutral_context(context.catalog, context.calibration), {}
    for engine in CALIBRATED_ENGINES:
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


def main() -> None:
    """Fit on all groups; the fidelity report says how the fit does on groups it has not seen."""
    parser = argparse.ArgumentParser(prog="python -m tools.fit_serving", description=__doc__)
    parser.add_argument("--pools", action="store_true", help="only what separate pools add; loops stay as they are")
    catalog, calibration = load_shipped_catalog(), load_calibration()
    cases, _ = measured_cases("serving", catalog, calibration)
    chosen = parser.parse_args()
    if chosen.pools:
        fit_pools(cases, Context(catalog, calibration))
        return
    space = step_space()
    first = loop_fit(all_loop_problems(cases, Context(catalog, calibration)), space)
    write_habits(gathering_changes(cases, Context(catalog, calibration), first))
    problems = all_loop_problems(cases, Context(catalog, load_calibration()))
    fit = loop_fit(problems, space, first)
    write_loop_fit(fit, measured_families(), problems)
    fit_pools(cases, Context(catalog, load_calibration()))
    print(f"Fitted {sum(len(problem.cases) for problem in problems)} closed loops.")


def fit_pools(cases: Sequence[MeasuredCase], context: Context) -> None:
    """Write what pools add to fitted engines."""
    engines = {engine: context.calibration.engine(engine) for engine in CALIBRATED_ENGINES}
    in_full = [completed(one, context.catalog, load_pool_recipes()) for one in cases]
    problems = [pool_problem(in_full, cases, facts) for facts in engines.values()]
    found = all_pool_facts(problems, context)
    write_engines({engine: pool_changes(facts) for engine, facts in found.items()})
    write_habits({engine: practice_changes(facts.practice) for engine, facts in found.items()})


if __name__ == "__main__":
    main()
