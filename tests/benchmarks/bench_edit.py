"""From an edit to redrawn table and plots, and the longest stall of the GUI thread meanwhile.

python tests/benchmarks/bench_edit.py [EDITS]
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("GPUPLANNER_HOME", tempfile.mkdtemp())

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

TICK_MS = 2
PAUSE_S = 0.5
"""From one edit to the next; the simulation of the plan before is done by then."""

EDITS = (
    ("rate", "serving.classes[0].peak_rate_per_s", 20.0, 1.0),
    ("target", "serving.classes[0].slos[0].limit_s", 1.0, 0.01),
    ("prompt", "serving.classes[0].prompt_tokens", 1000.0, 10.0),
    ("site", "economics.site.pue", 1.2, 0.001),
)
"""What is edited in turn: path, first value and step."""


class Pulse:
    """A timer that notes how late it is called: what a planner would feel as a stall."""

    def __init__(self) -> None:
        self.gaps_s: list[float] = []
        self._last = time.perf_counter()
        self._timer = QTimer()
        self._timer.timeout.connect(self._beat)
        self._timer.start(TICK_MS)

    def _beat(self) -> None:
        now = time.perf_counter()
        self.gaps_s.append(now - self._last)
        self._last = now


def wait_for(signal: object, limit_ms: int = 30_000) -> None:
    loop = QEventLoop()
    signal.connect(loop.quit)  # type: ignore[attr-defined]
    QTimer.singleShot(limit_ms, loop.quit)
    loop.exec()


def settle(app: QApplication, seconds: float = 0.5) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)


def main() -> None:
    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.desktop.settings import window_settings
    from gpuplanner_gui.paths import resources_dir

    app = QApplication([])
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    window = MainWindow(settings=window_settings())
    window.resize(1920, 1080)
    window.show()
    window.compute.start()
    window.build_results()
    window.commands.open_path(Path(resources_dir() / "examples" / "70b-chat.gpuplan"))
    wait_for(window.compute.completed)
    settle(app, 3.0)
    pulse = Pulse()
    times: dict[str, list[float]] = {}
    for number in range(edits):
        name, path, first, step = EDITS[number % len(EDITS)]
        start = time.perf_counter()
        window.store.edit(path, first + step * number, name)
        wait_for(window.compute.completed)
        app.processEvents()
        times.setdefault(name, []).append(time.perf_counter() - start)
        settle(app, PAUSE_S)
    gaps = sorted(pulse.gaps_s)
    every = [one for each in times.values() for one in each]
    print(f"edit to redrawn table and plots: median {statistics.median(every) * 1e3:.0f} ms, "
          f"longest {max(every) * 1e3:.0f} ms of {edits}")  # fmt: skip
    for name, each in times.items():
        print(f"  {name}: median {statistics.median(each) * 1e3:.0f} ms, best {min(each) * 1e3:.0f} ms")
    print(f"GUI thread: longest stall {gaps[-1] * 1e3:.0f} ms, 99 % below {gaps[int(0.99 * len(gaps))] * 1e3:.0f} ms")
    window.store.undo_stack.setClean()
    window.close()


if __name__ == "__main__":
    main()
