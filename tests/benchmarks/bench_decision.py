"""Prints how long findings, fleets and a Monte Carlo over a whole project take, as shares of their budgets.

Processor time of one core, so that other work on the machine does not count. Run by `make bench`.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.advisor import findings
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

SAMPLES = 10_000
BUDGETS_S = {"findings": 0.01, "one fleet or two": 0.2, f"{SAMPLES} samples": 1.0}


def best_of(repeats: int, run: Callable[[], object]) -> float:
    run()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    catalog, calibration = load_shipped_catalog(), load_calibration()
    project = load_project(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    scenario = next(one for one in project.scenarios if one.training is not None and one.serving is not None)
    found, context = plan(scenario, catalog, calibration), context_of(catalog, calibration)
    runs: dict[str, Callable[[], object]] = {
        "findings": lambda: findings(scenario, found, context),
        "one fleet or two": lambda: doors.fleets(scenario, catalog, calibration, found),
        f"{SAMPLES} samples": lambda: doors.uncertainty(scenario, catalog, calibration, found, 1, SAMPLES),
    }
    for name, run in runs.items():
        seconds = best_of(3, run)
        print(f"{name}: {seconds:.4f} s, {seconds / BUDGETS_S[name]:.2f} of budget")


if __name__ == "__main__":
    main()
