"""How heavy and how slow is our build beside a bare PySide6 and pyqtgraph window, built the same way?

    python packaging/compare_with_bare.py [RUNS]

Needs a build under build/package/gpuplanner. Sizes are of plain files, links not counted; starts are from process start
to a window with every view painted (ours) and to the first paint of the plot (bare), warm, in turn, as medians.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from build import EXAMPLE, FOLDER, REPOSITORY, SUFFIX, TARGET, run_pyinstaller

BARE = TARGET / "bare"
LIMIT_S = 300


def main() -> int:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    if not BARE.is_dir():
        run_pyinstaller(REPOSITORY / "packaging" / "bare.spec")
    ours, bare = size_of(FOLDER), size_of(BARE)
    print(f"size: {ours / 1e6:.0f} MB beside {bare / 1e6:.0f} MB bare, {ours / bare:.2f} times")
    times: dict[str, list[float]] = {"ours": [], "bare": []}
    with tempfile.TemporaryDirectory() as home:
        for number in range(runs + 1):
            for name in times:
                seconds = start_seconds(name, Path(home))
                # The first of each fills the page cache.
                if number:
                    times[name].append(seconds)
    medians = {name: statistics.median(values) for name, values in times.items()}
    print(f"start: {medians['ours']:.2f} s beside {medians['bare']:.2f} s bare, "
          f"{medians['ours'] / medians['bare']:.2f} times, medians of {runs}")  # fmt: skip
    return 0


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def start_seconds(name: str, home: Path) -> float:
    """Process start to the first paint of the window, as the program reports it."""
    start = time.time()
    environment = dict(os.environ, BENCH_START=str(start), QT_QPA_PLATFORM="offscreen", GPUPLANNER_HOME=str(home))
    example = FOLDER / "_internal" / "gpuplanner_gui" / "_resources" / "examples" / EXAMPLE
    command = [str(BARE / f"bare{SUFFIX}")]
    if name == "ours":
        command = [str(FOLDER / f"gpuplanner-gui{SUFFIX}"), str(example), "--smoke"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    word, _, seconds = done.stdout.strip().rpartition(" ")
    if done.returncode or word != "usable":
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr[-500:]}")
    return float(seconds)


if __name__ == "__main__":
    sys.exit(main())
