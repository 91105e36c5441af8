"""A window with one plot of five curves and one table: how heavy and how slow is that alone?

Prints the seconds from `BENCH_START` to the first paint of the plot, and ends.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QApplication, QMainWindow, QTableView, QTabWidget


class Painted(QObject):
    """Reports the first paint and ends the program."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802  (Qt's name)
        if event.type() == QEvent.Type.Paint:
            QTimer.singleShot(0, self.report)
        return False

    def report(self) -> None:
        print("usable", time.time() - float(os.environ["BENCH_START"]), flush=True)
        QApplication.exit(0)


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
painted = Painted()
plot.viewport().installEventFilter(painted)
window.show()
app.exec()
