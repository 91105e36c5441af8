"""pyqtgraph's plot item, without a form of options of its own.

WORKAROUND for pyqtgraph (seen in 0.14.0): each plot item makes a form of some thirty widgets for a menu that this
program never shows: 0.6 MB and milliseconds for each plot. Here all plots read the defaults of one form.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import pyqtgraph as pg
from pyqtgraph.graphicsItems.PlotItem import plotConfigTemplate_generic as template
from PySide6.QtWidgets import QGroupBox, QMenu, QWidget

_Form = template.Ui_Form
_GROUPS = ("transformGroup", "decimateGroup", "averageGroup", "alphaGroup", "gridGroup", "pointsGroup")
"""Parts of the form that each plot item's menu takes for its own, and ends with it."""


def plot_item(x_axis: pg.AxisItem, y_axis: pg.AxisItem) -> pg.PlotItem:
    """An empty plot over these axes, without menus."""
    with _shared_form():
        item = pg.PlotItem(axisItems={"bottom": x_axis, "left": y_axis}, enableMenu=False)
    # Its menus, seven windows with six groups, would each hear of every dialog that opens.
    menu, item.ctrlMenu = item.ctrlMenu, _no_menu()
    for name in _GROUPS:
        getattr(item.ctrl, name).deleteLater()
        setattr(item.ctrl, name, getattr(_form()[0], name))
    menu.deleteLater()
    return item


@contextmanager
def _shared_form() -> Iterator[None]:
    template.Ui_Form = _SharedForm
    try:
        yield
    finally:
        template.Ui_Form = _Form


class _SharedForm:
    """Has the widgets of the one form; of the groups only whether they are checked."""

    def setupUi(self, _: QWidget) -> None:
        shared, _ = _form()
        vars(self).update(vars(shared))
        for name in _GROUPS:
            box, known = QGroupBox(), getattr(shared, name)
            if isinstance(known, QGroupBox):
                box.setCheckable(known.isCheckable())
                box.setChecked(known.isChecked())
            box.setObjectName(name)
            setattr(self, name, box)


@cache
def _no_menu() -> QMenu:
    """What every plot has for a menu; pyqtgraph takes one away from its parent where a plot closes."""
    return QMenu()


@cache
def _form() -> tuple[Any, QWidget]:
    """The form, and the widget that holds it until the program ends."""
    form, holder = _Form(), QWidget()
    form.setupUi(holder)
    return form, holder
