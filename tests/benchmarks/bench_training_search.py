"""Layouts screened per second, with reasons, breakdowns, run and cost; processor time of one core.

python tests/benchmarks/bench_training_search.py
"""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.training.exploring import scaling_curve
from gpuplanner_gui.engine.training.layout_ranking import layout_search
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

RUNS = 15
ACCELERATOR = "nvidia-h100-sxm-80gb"
DEVICES = 16_384


def median_s(action: Callable[[], object]) -> float:
    """Median processor time after one warm-up. [s]"""
    action()
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        action()
        times.append(time.process_time() - start)
    return statistics.median(times)


def keep_going() -> None:
    """Nobody cancels a benchmark."""


def large_scenario(context: Context) -> Scenario:
    """405B parameters, 15.6e12 tokens."""
    workload = TrainingWorkload(tokens=15.6e12, sequence_length=8192, global_batch_tokens=16 * 2**20)
    return Scenario(name="405B", model=context.catalog.models["llama-3.1-405b"].model, training=workload)


def main() -> None:
    context = context_of(load_shipped_catalog(), load_calibration())
    large = large_scenario(context)
    count = len(layout_search(large, context, ACCELERATOR, DEVICES, keep_going).table.order)
    seconds = median_s(lambda: layout_search(large, context, ACCELERATOR, DEVICES, keep_going))
    print(f"every layout of 405B on {DEVICES:,} devices: {count:,} in {seconds * 1e3:.1f} ms"
          f" = {count / seconds:,.0f} per second")  # fmt: skip
    seconds = median_s(lambda: scaling_curve(large, context, ACCELERATOR, keep_going))
    print(f"scaling curve of 405B to 100,000 devices: {seconds * 1e3:.0f} ms")
    small = load_project(resources_dir() / "examples" / "7b-continued-pretraining.gpuplan").scenarios[0]
    count = len(training_plan(small, context, keep_going).table.order)
    seconds = median_s(lambda: training_plan(small, context, keep_going))
    print(f"plan of the example: {count:,} candidates in {seconds * 1e3:.1f} ms = {count / seconds:,.0f} per second")


if __name__ == "__main__":
    main()
