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
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    window = MainWindow(settings=window_settings())
    window.resize(1920, 1080)
    window.show()
    window.compute.start()
    window.build_results()
    window.commands.open_path(Path(resources_dir() / "examples" / "70b-chat.gpuplan"))
    wait_for(window.compute.completed)
    settle(app)
    pulse = Pulse()
    times = []
    for number in range(edits):
        start = time.perf_counter()
        window.store.edit("serving.classes[0].peak_rate_per_s", 20.0 + number, "rate")
        wait_for(window.compute.completed)
        app.processEvents()
        window.repaint()
        times.append(time.perf_counter() - start)
        settle(app, 0.05)
    gaps = sorted(pulse.gaps_s)
    print(f"edit to redrawn table and plots: median {statistics.median(times) * 1e3:.0f} ms, "
          f"longest {max(times) * 1e3:.0f} ms of {edits}")  # fmt: skip
    print(f"GUI thread: longest stall {gaps[-1] * 1e3:.0f} ms, 99 % below {gaps[int(0.99 * len(gaps))] * 1e3:.0f} ms")
    window.store.undo_stack.setClean()
    window.close()


if __name__ == "__main__":
    main()
