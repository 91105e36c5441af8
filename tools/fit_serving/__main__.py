"""Fit engines to the published closed loops and write the catalogues."""

from __future__ import annotations

from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.fit_serving.catalogue import pool_changes, write_engines, write_loop_fit
from tools.fit_serving.closed_loops import ENGINES, loop_fit, loop_problem, measured_families, step_space
from tools.fit_serving.passes import neutral_context
from tools.fit_serving.pools import all_pool_facts, pool_problem
from tools.fit_serving.tables import measured_cases


def main() -> None:
    """Fit on all groups; the fidelity report says how the fit does on groups it has not seen."""
    catalog, calibration = load_shipped_catalog(), load_calibration()
    context, families = neutral_context(catalog, calibration), measured_families()
    cases, _ = measured_cases("serving", catalog, calibration)
    problems = [loop_problem(cases, engine, context, families) for engine in ENGINES]
    space = step_space(tuple(family.family for family in families))
    write_loop_fit(loop_fit(problems, space), families)
    fitted = load_calibration()
    with_families = Context(catalog, fitted)
    pools = all_pool_facts([pool_problem(cases, fitted.engine(engine), with_families) for engine in ENGINES])
    gains = {engine: fitted.engine(engine).unstated_speculation for engine in ENGINES}
    write_engines({engine: pool_changes(facts, gains[engine]) for engine, facts in pools.items()})
    print(f"Fitted {sum(len(problem.cases) for problem in problems)} closed loops.")


if __name__ == "__main__":
    main()
