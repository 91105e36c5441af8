"""Plans opened in the window, each in a process of its own: the longest turn of its thread, and its memory.

    python -m tests.fuzz.window --count 200 --log build/deep/window.log

First the plans that were made to exhaust (`exhausting`), then damaged ones that can still be read. Each is opened in a
window that has drawn an example and built all of its pages, as somebody's at work has; then every form and page is
looked at. A finding is an exception, more than 1 GB, a turn of the event loop with more processor time than
`--stall-ms`, or a window that neither opens nor refuses it in time. Processor time of the window's own thread is
counted, so that what else the machine does counts for nothing; the window must not wait for others anyway.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.deep import exhausting, readable
from tests.fuzz.fuzz import note
from tests.fuzz.limited import LONGEST_S, MOST_MEMORY_BYTES

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.main_window import MainWindow

BEAT_MS = 2


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stall-ms", type=float, default=100.0)
    parser.add_argument("--log", type=Path, default=None)
    parser.add_argument("--open", type=Path, help="open this plan in the process itself, and print what was seen")
    options = parser.parse_args()
    if options.open is not None:
        print(json.dumps(seen_in_window(options.open)), flush=True)
        os._exit(0)  # As the program ends where a thread has not heard yet that it is to stop.
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
            command, env=environment, capture_output=True, text=True, timeout=2 * LONGEST_S + 30, check=False
        )
    except subprocess.TimeoutExpired:
        return "neither opened nor refused in time", True
    if done.returncode:
        return f"exit status {done.returncode}: {done.stderr.strip()[-400:]}", True
    seen = json.loads(done.stdout.splitlines()[-1])
    if "Traceback" in done.stderr and seen["state"] != "failed":  # A stage that fails says so, and logs why.
        return done.stderr.strip()[-400:], True
    line = (
        f"{seen['state']}, longest turn {seen['stall_ms']:.0f} ms ({seen['looked_ms']:.0f} ms looking at all pages), "
        f"{seen['memory_bytes'] / 1e6:.0f} MB"
    )
    is_bad = seen["stall_ms"] > most_ms or seen["memory_bytes"] > MOST_MEMORY_BYTES or seen["state"] == "computing"
    return line, is_bad


def seen_in_window(path: Path) -> dict[str, float | str]:
    """Open a plan in a window and watch its thread until the plan is drawn or refused."""
    from PySide6.QtWidgets import QApplication

    from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
    from gpuplanner_gui.desktop.window.main_window import MainWindow
    from gpuplanner_gui.paths import resources_dir

    application = QApplication([])
    window = MainWindow(ShippedEngine)
    window.show()
    window.build_results()
    window.compute.start()
    window.file.open_template(resources_dir() / "examples" / "70b-chat.gpuplan")
    _run(lambda: _is_drawn(window) and not window._prepare_one())
    turns = Turns()
    is_open = window.file.open(path)
    _run(lambda: not is_open or _is_drawn(window))
    _wait(500)
    opened_s = turns.longest_s()
    looked_s = _looked_at_all(window, turns) if is_open else 0.0
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    state = window.compute.state.value if is_open else "refused"
    window.store.undo_stack.setClean()
    window.close()
    application.processEvents()
    return {"state": state, "stall_ms": opened_s * 1e3, "looked_ms": looked_s * 1e3, "memory_bytes": memory}


class Turns:
    """The processor time of the window's thread in each turn of its event loop, from the first to `longest_s`."""

    def __init__(self) -> None:
        from PySide6.QtCore import QTimer

        self._at_s = [time.thread_time()]
        self._timer = QTimer()
        self._timer.timeout.connect(lambda: self._at_s.append(time.thread_time()))
        self._timer.start(BEAT_MS)

    def longest_s(self) -> float:
        """Since the last call."""
        times, self._at_s = self._at_s, [time.thread_time()]
        return max((later - before for before, later in pairwise(times)), default=0.0)


def _is_drawn(window: MainWindow) -> bool:
    compute = window.compute
    return compute.state.value == "failed" or (
        compute.state.value == "current"
        and compute.results is not None
        and compute.results.scenario is window.store.scenario
    )


def _looked_at_all(window: MainWindow, turns: Turns) -> float:
    """Every form of the inputs and every page of the results, one after the other; the longest turn, in seconds."""
    from gpuplanner_gui.desktop.editors.base import PARTS

    pane = window.results_pane
    assert pane is not None
    longest_s = 0.0
    looks = [partial(window.inputs.show_part, part) for part in PARTS]
    looks += [partial(pane.show_page_named, name) for name in pane.page_names()]
    for look in looks:
        look()
        _wait(100)
        longest_s = max(longest_s, turns.longest_s())
    return longest_s


def _wait(time_ms: int) -> None:
    from PySide6.QtCore import QEventLoop, QTimer

    loop = QEventLoop()
    QTimer.singleShot(time_ms, loop.quit)
    loop.exec()


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
