"""How soon estates of 20 workloads, 12 quarters and 40 options each are planned; ten drawn, seeds 1 to 10.

python -m tests.benchmarks.bench_estate [workloads periods options]
"""

from __future__ import annotations

import statistics
import sys
import time

from gpuplanner_gui.engine.estate.building import problem_of
from gpuplanner_gui.engine.estate.solve import solved
from tests.benchmarks.drawn_estates import drawn_estate

SEEDS = range(1, 11)


def main() -> None:
    sizes = [int(one) for one in sys.argv[1:4]] or [20, 12, 40]
    rows = []
    for seed in SEEDS:
        begun, used = time.perf_counter(), time.process_time()
        problem = problem_of(*drawn_estate(seed, *sizes))
        made = time.perf_counter() - begun
        found = solved(problem, gap=0.01, most_s=20.0)
        whole, used = time.perf_counter() - begun, time.process_time() - used
        checked = found.evaluation
        rows.append((whole, found.gap, found.first_feasible_s + made))
        print(
            f"seed {seed:2d}  {whole:5.1f} s, {used:4.1f} s of it computing  gap {found.gap:7.3%}  "
            f"first {found.first_feasible_s + made:5.2f} s  "
            f"left out {len(checked.unserved)}  violations {len(checked.violations)}  "
            f"{checked.present_value_usd:13,.0f} USD",
            flush=True,
        )
    whole, gap, first = (statistics.median(column) for column in zip(*rows, strict=True))
    print(f"median   {whole:5.1f} s  gap {gap:7.3%}  first {first:5.2f} s")


if __name__ == "__main__":
    main()
