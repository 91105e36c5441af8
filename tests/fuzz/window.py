"""Plans opened in the window, each in a process of its own: the longest stall of its thread, and its memory.

    python -m tests.fuzz.window --count 200 --stall-ms 2000 --log build/deep/window.log

First the plans that were made to exhaust (`exhausting`), then damaged ones that can still be read. A finding is an
exception, more than 1 GB, a stall longer than `--stall-ms`, or a window that neither opens nor refuses it in time.
The goal is 50 ms; what is seen is logged for every plan, so that a bound can be set where it holds.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

from tests.fuzz.deep import exhausting, readable
from tests.fuzz.fuzz import note
from tests.fuzz.limited import LONGEST_S, MOST_MEMORY_BYTES

BEAT_MS = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stall-ms", type=float, default=2000.0)
    parser.add_argument("--log", type=Path, default=None)
    parser.add_argument("--open", type=Path, help="open this plan in the process itself, and print what was seen")
    options = parser.parse_args()
    if options.open is not None:
        print(json.dumps(seen_in_window(options.open)))
        return 0
    if options.log is not None:
        options.log.parent.mkdir(parents=True, exist_ok=True)
    findings = 0
    with tempfile.TemporaryDirectory(prefix="gpuplanner-window-") as folder:
        for name, content in [*exhausting(), *readable(options.seed, 0, options.count)]:
            path = Path(folder, "tried.gpuplan")
            path.write_bytes(content)
            line, is_finding = _tried(path, Path(folder), options.stall_ms)
            findings += is_finding
            note(options.log, f"{'FINDING ' if is_finding else ''}{name}: {line}")
    note(options.log, f"{findings} findings")
    return 1 if findings else 0


def _tried(path: Path, home: Path, most_ms: float) -> tuple[str, bool]:
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", GPUPLANNER_HOME=str(home / "home"))
    command = [sys.executable, "-m", "tests.fuzz.window", "--open", str(path)]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=LONGEST_S + 30, check=False
        )
    except subprocess.TimeoutExpired:
        return "neither opened nor refused in time", True
    if done.returncode:
        return f"exit status {done.returncode}: {done.stderr.strip()[-400:]}", True
    seen = json.loads(done.stdout.splitlines()[-1])
    if "Traceback" in done.stderr and seen["state"] != "failed":  # A stage that fails says so, and logs why.
        return done.stderr.strip()[-400:], True
    line = f"{seen['state']}, longest stall {seen['stall_ms']:.0f} ms, {seen['memory_bytes'] / 1e6:.0f} MB"
    is_bad = seen["stall_ms"] > most_ms or seen["memory_bytes"] > MOST_MEMORY_BYTES or seen["state"] == "computing"
    return line, is_bad


def seen_in_window(path: Path) -> dict[str, float | str]:
    """Open a plan in a window and watch its thread until the plan is drawn or refused."""
    import time

    from PySide6.QtCore import QEventLoop, QTimer
    from PySide6.QtWidgets import QApplication

    from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
    from gpuplanner_gui.desktop.window.main_window import MainWindow

    application = QApplication([])
    window = MainWindow(ShippedEngine)
    window.show()
    window.build_results()
    window.compute.start()
    _run(lambda: window.compute.catalog is not None)
    beats: list[float] = []
    timer = QTimer()
    timer.timeout.connect(lambda: beats.append(time.perf_counter()))
    timer.start(BEAT_MS)
    _run(lambda: len(beats) > 3)
    start = time.perf_counter()
    is_open = window.file.open(path)
    _run(lambda: not is_open or window.compute.state.value in ("current", "failed"))
    shown = QEventLoop()
    QTimer.singleShot(500, shown.quit)
    shown.exec()
    times = [start, *(beat for beat in beats if beat > start)]
    stall_s = max((later - before for before, later in pairwise(times)), default=0.0)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    state = window.compute.state.value if is_open else "refused"
    window.store.undo_stack.setClean()
    window.close()
    application.processEvents()
    return {"state": state, "stall_ms": stall_s * 1e3, "memory_bytes": memory}


def _run(is_done: Callable[[], bool]) -> None:
    """Let the window work until something is so, for a minute at most."""
    from PySide6.QtCore import QEventLoop, QTimer

    loop, look, end = QEventLoop(), QTimer(), QTimer()
    look.timeout.connect(lambda: loop.quit() if is_done() else None)
    look.start(20)
    end.setSingleShot(True)
    end.timeout.connect(loop.quit)
    end.start(int(LONGEST_S * 1e3))
    loop.exec()


if __name__ == "__main__":
    sys.exit(main())
