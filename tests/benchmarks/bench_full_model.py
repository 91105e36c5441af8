"""The full model over 100,000 configurations: TTFT and TPOT of closed loops; processor time of one core.

python tests/benchmarks/bench_full_model.py

The goal is 50 µs for each configuration; the ratio to a fixed piece of NumPy work compares machines.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import numpy as np

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import of_closed_loop, serving_answers
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

MODEL = "llama-3.1-70b"
CONFIGURATIONS = 100_000
GOAL_S = 50e-6
ANSWERED = 5_000
"""Configurations whose answers, bands and remarks are made as well."""
TENSOR_PARALLEL = (1, 2, 4, 8)
CONCURRENCY = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
PROMPTS = (256, 1024, 2048, 4096, 8192, 16384, 32768)
ANSWERS = (128, 512, 1024, 4096)


def configurations(context: Context) -> Iterator[ServingCase]:
    """One model on every accelerator, by layout, concurrency and lengths, over and over."""
    model = context.catalog.models[MODEL].model
    layouts = [PoolLayout(tensor_parallel=tp) for tp in TENSOR_PARALLEL]
    grid = itertools.product(context.catalog.accelerators, layouts, CONCURRENCY, PROMPTS, ANSWERS)
    for name, layout, concurrency, prompt, answer in itertools.cycle(grid):
        yield ServingCase(
            case_id="", model=model, accelerator=name, engine="vllm", load="closed_loop", layout=layout,
            prompt_tokens=float(prompt), output_tokens=float(answer), concurrency=float(concurrency),
            metrics=("ttft_mean", "tpot_mean"),
        )  # fmt: skip


def unit_s() -> float:
    """Time of a fixed piece of NumPy work. [s]"""
    values = np.linspace(1.0, 2.0, 1_000_000)
    times = []
    for _ in range(9):
        start = time.process_time()
        np.sqrt(values * values + values).sum()
        times.append(time.process_time() - start)
    return float(np.median(times))


def main() -> None:
    context = Context(load_shipped_catalog(), load_calibration())
    cases = list(itertools.islice(configurations(context), CONFIGURATIONS))
    engine = context.calibration.engine("vllm")
    of_closed_loop(cases[:100], context, engine)
    unit = unit_s()
    start = time.process_time()
    of_closed_loop(cases, context, engine)
    each = (time.process_time() - start) / len(cases)
    start = time.process_time()
    serving_answers(cases[:ANSWERED], context)
    answered = (time.process_time() - start) / ANSWERED
    print(f"full model, {len(cases):,} configurations: {each * 1e6:.1f} µs each = {each / GOAL_S:.2f} of the goal "
          f"({1e3 * each / unit:.1f} thousandths of the unit of work)")  # fmt: skip
    print(f"with answers, bands and remarks: {answered * 1e6:.1f} µs each")


if __name__ == "__main__":
    main()
