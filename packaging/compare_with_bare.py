"""How heavy and how slow is our build beside a bare PySide6 and pyqtgraph window, built the same way?

    python packaging/compare_with_bare.py [RUNS]

Needs a build under build/package/gpuplanner. Sizes are of plain files, links not counted; starts are from the start of
the process, warm, in turn, as medians: of the bare window to the first paint of its plot, of ours to its first paint
(on screen) and to the paint of all its views (usable).
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from build import EXAMPLE, FOLDER, REPOSITORY, SUFFIX, TARGET, programs_in, resources_in, run_pyinstaller

BARE = TARGET / "bare"
LIMIT_S = 300


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    if not BARE.is_dir():
        run_pyinstaller(REPOSITORY / "packaging" / "bare.spec")
    ours, bare = size_of(FOLDER), size_of(BARE)
    print(f"size: {ours / 1e6:.0f} MB beside {bare / 1e6:.0f} MB bare, {ours / bare:.2f} times")
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as home:
        for number in range(runs + 1):
            for name in ("bare", "ours"):
                # The first of each fills the page cache.
                for what, seconds in start_times(name, Path(home)).items() if number else ():
                    times.setdefault(f"{name} {what}", []).append(seconds)
    base = statistics.median(times["bare usable"])
    for what, values in times.items():
        print(
            f"{what}: {statistics.median(values):.2f} s, {statistics.median(values) / base:.2f} times, median of {runs}"
        )
    return 0


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def start_times(name: str, home: Path) -> dict[str, float]:
    """Seconds from process start to what the program reports; one run that fails ends the comparison."""
    environment = dict(os.environ, BENCH_START=str(time.time()), QT_QPA_PLATFORM="offscreen", GPUPLANNER_HOME=str(home))
    example = resources_in(FOLDER) / "examples" / EXAMPLE
    command = [str(BARE / f"bare{SUFFIX}")]
    if name == "ours":
        command = [str(programs_in(FOLDER) / f"gpuplanner-gui{SUFFIX}"), str(example), "--smoke"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-500:]}")
    lines = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
    return {what: float(seconds) for what, seconds in lines}


if __name__ == "__main__":
    sys.exit(main())
