"""Prints how long the window's thread was busy in each turn of its event loop while a value is dragged for ten seconds.

    python tests/benchmarks/bench_frames.py [SECONDS] [PAGE]

Goal: 99 % of frames under 16 ms, none over 50 ms; 50 ms for a plot over another scale or range. Busy time is processor
time of the window's thread, which other programs do not lengthen; beside it stands the time on the clock, with what
waiting for the interpreter adds. Where the thread was in the longest frames is said too.
"""

from __future__ import annotations

import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.drawing.plots.curves import CurvePlot
from tests.benchmarks.example_window import example_window, settle

SECONDS = 10.0
DRAG_MS = 16
TICK_MS = 1
FRAME_BUDGET_MS = 16.0
STALL_BUDGET_MS = 50.0
RESCALING_BUDGET_MS = 50.0
SAMPLE_S = 0.002
DRAWING_MS = 1.0
"""A turn that was busy for so long drew or painted something."""
PATH = "serving.classes[0].peak_rate_per_s"


class Watch:
    """Notes the event loop's turns, and where its thread is while one lasts."""

    def __init__(self) -> None:
        self.busy_ms: list[float] = []
        self.wall_ms: list[float] = []
        self.places: list[tuple[float, str]] = []
        self.answers = 0
        self._seen: Counter[str] = Counter()
        self._busy, self._wall = time.thread_time(), time.perf_counter()
        self._timer = QTimer()
        self._timer.setInterval(TICK_MS)
        self._timer.timeout.connect(self._tick)

    def start(self) -> None:
        self.forget()
        self._timer.start()
        # By a signal: a thread that looks at this one's frames would be the last to hold widgets, and end them there.
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, SAMPLE_S, SAMPLE_S)

    @contextmanager
    def spared(self) -> Iterator[None]:
        """Leave out what is no work of the window."""
        busy, wall, seen = time.thread_time(), time.perf_counter(), self._seen.copy()
        yield
        self._busy += time.thread_time() - busy
        self._wall += time.perf_counter() - wall
        self._seen = seen

    def forget(self) -> None:
        """Begin the present turn anew."""
        self._busy, self._wall = time.thread_time(), time.perf_counter()
        self._seen = Counter()

    def stop(self) -> None:
        self._timer.stop()
        signal.setitimer(signal.ITIMER_PROF, 0.0)

    def _tick(self) -> None:
        busy, wall = time.thread_time(), time.perf_counter()
        spent = (busy - self._busy) * 1e3
        seen, self._seen = self._seen, Counter()  # First: a sample may be taken meanwhile.
        self.busy_ms.append(spent)
        self.wall_ms.append((wall - self._wall) * 1e3)
        if spent > FRAME_BUDGET_MS and seen:
            self.places.append((spent, seen.most_common(1)[0][0]))
        self._busy, self._wall = busy, wall

    def _sample(self, _: int, frame: FrameType | None) -> None:
        if frame is not None:
            self._seen[_place(frame)] += 1


def _place(frame: FrameType) -> str:
    """The program's own functions that the thread is in, the innermost last."""
    path: list[str] = []
    inner: FrameType | None = frame
    while inner is not None and len(path) < 4:
        name = inner.f_code.co_filename
        if "gpuplanner_gui" in name or "pyqtgraph" in name:
            path.append(f"{Path(name).name}:{inner.f_code.co_name}")
        inner = inner.f_back
    return " < ".join(path) or "Qt"


def drag(window: MainWindow, seconds: float) -> Watch:
    """Move the rate to and fro within a range that the plots hold."""
    watch, began, step = Watch(), time.perf_counter(), 0
    mover = QTimer()

    def move() -> None:
        nonlocal step
        step += 1
        window.store.edit(PATH, 30.0 + 10.0 * float(np.sin(step / 40)), "drag")

    def count(*_: object) -> None:
        watch.answers += 1

    window.compute.results_changed.connect(count)
    mover.timeout.connect(move)
    mover.start(DRAG_MS)
    watch.start()
    while time.perf_counter() - began < seconds:
        QApplication.processEvents()
        time.sleep(0.0005)
    mover.stop()
    watch.stop()
    window.compute.results_changed.disconnect(count)
    return watch


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    page = sys.argv[2] if len(sys.argv) > 2 else "overview"
    with example_window() as window:
        assert window.results_pane is not None
        window.results_pane.show_page_named(page)
        settle(window)
        drag(window, 1.0)
        settle(window)
        report(drag(window, seconds), page)
        settle(window)
        report_rescaling(window, page)


def report(watch: Watch, page: str) -> None:
    print(f"{page}: {watch.answers} answers were drawn")
    busy, wall = np.array(watch.busy_ms), np.array(watch.wall_ms)
    drew = busy > DRAWING_MS
    for what, found in (("busy", busy), ("on the clock", wall), ("busy, turns that drew", busy[drew])):
        within = float(np.mean(found < FRAME_BUDGET_MS))
        print(
            f"{page}, {what}: {len(found)} turns, {within:.2%} under {FRAME_BUDGET_MS:.0f} ms,"
            f" 99 % within {np.quantile(found, 0.99):.1f} ms, longest {found.max():.1f} ms"
            f" ({found.max() / STALL_BUDGET_MS:.2f} of the budget)"
        )
    for spent, place in sorted(watch.places, reverse=True)[:8]:
        print(f"   {spent:5.1f} ms in {place}")


def report_rescaling(window: MainWindow, page: str) -> None:
    """Say how long each plot of the page takes to be drawn over another scale, and over another range."""
    assert window.results_pane is not None
    times: dict[str, list[float]] = {"scale": [], "range": []}
    for view in window.results_pane.findChildren(PlotView):
        plot = view.plot
        if not view.isVisible() or not isinstance(plot, CurvePlot):
            continue
        for axis in plot.switchable:
            for is_log in (not plot.is_log(axis), plot.is_log(axis)):
                times["scale"].append(drawn_ms(partial(plot.use_scale, axis, is_log)))
        times["range"].append(drawn_ms(partial(plot.zoom, 2.0)))
        times["range"].append(drawn_ms(plot.zoom_back))
    for what, found in times.items():
        if found:
            print(
                f"{page}, another {what}: median {np.median(found):.1f} ms, longest {max(found):.1f} ms"
                f" ({max(found) / RESCALING_BUDGET_MS:.2f} of the budget) of {len(found)}"
            )


def drawn_ms(change: Callable[[], object]) -> float:
    """Processor time of the window's thread until what changed has been painted."""
    QApplication.processEvents()
    began = time.thread_time()
    change()
    QApplication.processEvents()
    return (time.thread_time() - began) * 1e3


if __name__ == "__main__":
    main()
