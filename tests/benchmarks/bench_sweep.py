"""Screening rate through `engine.plan`, and the time of one candidate in full detail; processor time of one core.

python tests/benchmarks/bench_sweep.py
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from itertools import count as count_from

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import msgspec
import numpy as np

from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine import explain, load_curve, plan, roofline
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.explaining.replay import replayed_table
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

RUNS = 15


def median_s(action: Callable[[], object], runs: int = RUNS) -> float:
    """Median processor time after one warm-up. [s]"""
    action()
    times = []
    for _ in range(runs):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return statistics.median(times)


def unit_s() -> float:
    """Time of a fixed piece of NumPy work, so that figures of different machines compare as ratios. [s]"""
    values = np.linspace(1.0, 2.0, 1_000_000)
    return median_s(lambda: np.sqrt(values * values + values).sum())


def report(name: str, scenario: Scenario, unit: float) -> None:
    catalog, calibration = load_shipped_catalog(), load_calibration()
    found = plan(scenario, catalog, calibration)
    # Every run asks about another model, so that nothing is left over from the run before.
    others = (_with_vocabulary(scenario, more) for more in count_from(1))
    seconds = median_s(lambda: plan(next(others), catalog, calibration))
    part = found.serving or found.training
    assert part is not None
    count = len(part.table.order)
    workload = "serving" if found.serving else "training"
    print(f"{name}: {count:,} candidates in {seconds * 1e3:.1f} ms = {count / seconds:,.0f} per second "
          f"({seconds / unit:.1f} units)")  # fmt: skip
    context = context_of(catalog, calibration)
    quantity = "usd_per_month" if workload == "serving" else "usd_per_run"
    # An explanation is kept for the plan that it explains, so every run asks for another candidate's.
    ranked = iter(part.table.order.tolist())
    details: dict[str, Callable[[], object]] = {
        "one candidate, every column": lambda: replayed_table(next(others), context, found, workload, part.best),
        "explain a cost": lambda: explain(scenario, catalog, calibration, found, workload, next(ranked), quantity),
        "roofline": lambda: roofline(next(others), catalog, calibration, found, workload, part.best),
    }
    if found.serving is not None:
        details["load curve"] = lambda: load_curve(next(others), catalog, calibration, found, part.best)
    for title, action in details.items():
        print(f"  {title}: {median_s(action) * 1e3:.2f} ms")


def _with_vocabulary(scenario: Scenario, more: int) -> Scenario:
    model = scenario.model
    return msgspec.structs.replace(scenario, model=msgspec.structs.replace(model, vocab_size=model.vocab_size + more))


def main() -> None:
    unit = unit_s()
    print(f"unit of work: {unit * 1e3:.2f} ms")
    for name in ("70b-chat", "7b-continued-pretraining"):
        project = load_project(resources_dir() / "examples" / f"{name}.gpuplan")
        report(name, project.scenarios[0], unit)


if __name__ == "__main__":
    main()
