"""From process start to a usable window, against a bare PySide6 + pyqtgraph window; warm, both in turn, as ratios.

    python tests/benchmarks/bench_start.py [RUNS]

The bare window has five curves of 2,000 points, a legend and a table of 50 × 8. "On screen" is the first paint of the
shell, "usable" when every view is built and painted, "answered" when the example's first plan stands in it. Bytecode is
compiled beforehand, as set-up and builds leave it.
"""

from __future__ import annotations

import compileall
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

BARE = """
import os, sys, time
import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QMainWindow, QTableView, QTabWidget

app = QApplication([])
window = QMainWindow()
window.menuBar().addMenu("File").addAction("Quit")
window.statusBar().showMessage("ready")
plot = pg.PlotWidget()
plot.addLegend()
x = np.linspace(0, 10, 2000)
for number in range(5):
    plot.plot(x, np.sin(x + number), pen=pg.intColor(number), name=f"curve {number}")
model = QStandardItemModel(50, 8)
for row in range(50):
    for column in range(8):
        model.setItem(row, column, QStandardItem(f"{row}.{column}"))
table = QTableView()
table.setModel(model)
tabs = QTabWidget()
tabs.addTab(plot, "plot")
tabs.addTab(table, "table")
window.setCentralWidget(tabs)
window.resize(1200, 800)

class Painted(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self.report)
        return False
    def report(self):
        print("usable", time.time() - float(os.environ["BENCH_START"]), flush=True)
        QApplication.exit(0)

painted = Painted()
plot.viewport().installEventFilter(painted)
window.show()
app.exec()
"""

PROGRAM = """
import os, sys, time
from pathlib import Path
from gpuplanner_gui.desktop import main

def say(what):
    print(what, time.time() - float(os.environ["BENCH_START"]), flush=True)

show = main._show

def observed(windows, file, **others):
    window = windows.front
    from PySide6.QtCore import QEvent, QObject, QTimer
    from PySide6.QtWidgets import QApplication

    class FirstPaint(QObject):
        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Paint:
                watched.removeEventFilter(self)
                say("on screen")
            return False

    first = FirstPaint(window)
    window.installEventFilter(first)
    window.results_built.connect(lambda: QTimer.singleShot(0, lambda: (window.repaint(), say("usable"))))
    def answered():
        window.repaint()
        say("answered")
        window.store.undo_stack.setClean()
        window.close()
        QApplication.exit(0)
    window.compute.completed.connect(lambda: QTimer.singleShot(0, answered))
    show(windows, file, **others)
    window._bench = first

main._show = observed
main.main([sys.argv[1], "--separate"])
"""


def run(script: str, *arguments: str) -> dict[str, float]:
    """Seconds from the start of a process to each thing that it reports."""
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", BENCH_START=str(time.time()))
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], capture_output=True, text=True, env=environment, timeout=60,
        check=True,
    )  # fmt: skip
    lines = [line.rsplit(" ", 1) for line in done.stdout.splitlines()]
    return {name: float(seconds) for name, seconds in lines}


def main() -> None:
    import gpuplanner_gui
    from gpuplanner_gui.paths import resources_dir

    compileall.compile_dir(Path(gpuplanner_gui.__file__).parent, quiet=1)
    example = str(resources_dir() / "examples" / "70b-chat.gpuplan")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    run(BARE), run(PROGRAM, example)
    bare: list[float] = []
    ours: dict[str, list[float]] = {}
    for _ in range(runs):
        bare.append(run(BARE)["usable"])
        for name, seconds in run(PROGRAM, example).items():
            ours.setdefault(name, []).append(seconds)
    base = statistics.median(bare)
    print(f"bare window: {base * 1e3:.0f} ms (median of {runs})")
    for name, of_ours in ours.items():
        middle = statistics.median(of_ours)
        print(f"{name}: {middle * 1e3:.0f} ms = {middle / base:.2f} × bare")


if __name__ == "__main__":
    main()
