"""Prints how long the window's thread is busy at most in one turn of its event loop while a plot is saved or copied.

python tests/benchmarks/bench_take_plot.py [PAGE ...]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop.pages import plot_menu
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from tests.benchmarks.bench_frames import Watch
from tests.benchmarks.example_window import example_window, settle, wait

PAGES = ("overview", "memory", "roofline", "load", "cost", "uncertainty")
LIMIT_S = 20.0


def taken(ask: Callable[[], None]) -> tuple[float, float, float]:
    """Longest turn in milliseconds of processor time and on the clock, and until it was done."""
    watch, began = Watch(), time.perf_counter()
    watch.start()
    ask()
    while plot_menu._under_way and time.perf_counter() - began < LIMIT_S:
        QApplication.processEvents()
        time.sleep(0.0005)
    whole = (time.perf_counter() - began) * 1e3
    wait(20)
    watch.stop()
    return max(watch.busy_ms), max(watch.wall_ms), whole


def main() -> None:
    with example_window() as window, tempfile.TemporaryDirectory() as folder:
        assert window.results_pane is not None
        for page in sys.argv[1:] or PAGES:
            window.results_pane.show_page_named(page)
            settle(window)
            for view in window.results_pane.findChildren(PlotView):
                if not view.isVisible() or view.plot.message:
                    continue
                report(page, view, Path(folder))


def report(page: str, view: PlotView, folder: Path) -> None:
    ways = {suffix: lambda suffix=suffix: view.save_as(folder / f"plot{suffix}") for suffix in (".png", ".svg", ".csv")}
    for name, ask in (ways | {"copy": view.copy_picture}).items():
        busy, wall, whole = taken(ask)
        what = f"{page}, {type(view.plot).__name__}, {name}"
        print(f"{what}: longest turn {busy:.1f} ms, {wall:.1f} on the clock; done after {whole:.0f} ms")


if __name__ == "__main__":
    main()
