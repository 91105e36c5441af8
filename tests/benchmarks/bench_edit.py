"""From an edit to redrawn table and plots, and the longest stall of the GUI thread meanwhile.

python tests/benchmarks/bench_edit.py [EDITS]
"""

from __future__ import annotations

import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop.widgets.event_turns import drawing_queue
from gpuplanner_gui.desktop.window.main_window import MainWindow
from tests.benchmarks.example_window import example_window

WIDE_SCREEN = (1920, 1080)
TICK_MS = 2
LIMIT_MS = 30_000
EDIT_COUNT = 40
SECONDS_BEFORE = 3.0
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


def rest(seconds: float) -> None:
    """Let the window do what it does between edits."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 5)


def drawn_s(window: MainWindow, path: str, value: float, words: str) -> float:
    """Time from an edit until its answer has been drawn and painted."""
    loop = QEventLoop()

    def end_if_drawn() -> None:
        if window.compute.state == "current" and not drawing_queue().is_drawing():
            loop.quit()

    signals = (window.compute.completed, drawing_queue().all_drawn)
    for signal in signals:
        signal.connect(end_if_drawn)
    QTimer.singleShot(LIMIT_MS, loop, loop.quit)
    began = time.perf_counter()
    window.store.edit(path, value, words)
    loop.exec()
    took = time.perf_counter() - began
    for signal in signals:
        signal.disconnect(end_if_drawn)
    return took


def main() -> None:
    edits = int(sys.argv[1]) if len(sys.argv) > 1 else EDIT_COUNT
    with example_window(WIDE_SCREEN) as window:
        rest(SECONDS_BEFORE)
        pulse = Pulse()
        times: dict[str, list[float]] = {}
        for number in range(edits):
            name, path, first, step = EDITS[number % len(EDITS)]
            times.setdefault(name, []).append(drawn_s(window, path, first + step * number, name))
            rest(PAUSE_S)
        report(times, pulse)


def report(times: dict[str, list[float]], pulse: Pulse) -> None:
    gaps = sorted(pulse.gaps_s)
    every = [one for each in times.values() for one in each]
    print(f"edit to redrawn table and plots: median {statistics.median(every) * 1e3:.0f} ms, "
          f"longest {max(every) * 1e3:.0f} ms of {len(every)}")  # fmt: skip
    for name, each in times.items():
        print(f"  {name}: median {statistics.median(each) * 1e3:.0f} ms, best {min(each) * 1e3:.0f} ms")
    print(f"GUI thread: longest stall {gaps[-1] * 1e3:.0f} ms, 99 % below {gaps[int(0.99 * len(gaps))] * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
