"""Plots share the options that pyqtgraph makes a form of for each, and end by themselves."""

from __future__ import annotations

import gc
import weakref

import pyqtgraph as pg
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.drawing.plots.plot_item import plot_item

WIDGETS_EACH = 15
"""pyqtgraph's own have 44."""


def made() -> pg.PlotItem:
    return plot_item(pg.AxisItem("bottom"), pg.AxisItem("left"))


def test_a_plot_brings_few_widgets(qtbot: QtBot) -> None:
    kept = [made()]
    before = len(QApplication.allWidgets())
    kept += [made() for _ in range(5)]
    assert len(QApplication.allWidgets()) - before <= 5 * WIDGETS_EACH


def test_plots_end_one_by_one(qtbot: QtBot) -> None:
    first, second = made(), made()
    gone = weakref.ref(first)
    del first
    gc.collect()
    assert gone() is None
    curve = second.plot([1.0, 2.0, 4.0])
    assert list(curve.getData()[1]) == [1.0, 2.0, 4.0]
    assert second.ctrl.averageGroup.isChecked() is pg.PlotItem().ctrl.averageGroup.isChecked() is False
