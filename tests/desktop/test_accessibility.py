"""A screen reader names every input of the window, with every page and form built."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPushButton,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.own_device import OwnDeviceDialog
from gpuplanner_gui.desktop.dialogs.price_list import PriceListDialog
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.files.price_list import read_price_table

RESULT_WAIT_MS = 30_000
Role = QAccessible.Role
INPUTS = {
    Role.EditableText, Role.ComboBox, Role.CheckBox, Role.RadioButton, Role.Slider, Role.SpinBox, Role.PushButton,
    Role.ButtonMenu, Role.ButtonDropDown, Role.Table, Role.Tree, Role.List, Role.PageTabList,
}  # fmt: skip

WHOLES = (Role.Table, Role.Tree, Role.List, Role.ComboBox)
"""What is inside has no name of its own: cells, rows, and Qt's list of a box's choices."""


@pytest.fixture(scope="module")
def engine() -> ShippedEngine:
    return ShippedEngine()


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, engine: ShippedEngine) -> MainWindow:
    scenario = Scenario(
        name="both",
        model=engine.catalog.models["llama-3.1-8b"].model,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),)),
        training=TrainingWorkload(tokens=1e9),
    )
    window = MainWindow(lambda: engine, settings, Project(scenarios=(scenario, scenario)))
    qtbot.addWidget(window, before_close_func=lambda it: it.store.undo_stack.setClean())
    window.resize(1280, 720)
    window.show()
    window.build_results()
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        window.compute.start()
        window.planner.ask()
    while window._prepare_one():
        pass
    QApplication.processEvents()
    return window


def inputs_under(interface: QAccessibleInterface) -> list[QAccessibleInterface]:
    """Inputs that a screen reader comes across, from the window down; a table's cells are read by the table."""
    found = []
    for place in range(interface.childCount()):
        child = interface.child(place)
        if child is None or not child.isValid():
            continue
        widget = child.object()
        if isinstance(widget, QPushButton) and widget.isHidden() and not widget.text():
            continue  # It gets its words with what it is shown for.
        if child.role() in INPUTS:
            found.append(child)
        if child.role() not in WHOLES:
            found += inputs_under(child)
    return found


def described(interface: QAccessibleInterface) -> str:
    thing, path = interface.object(), []
    while thing is not None:
        path.append(f"{type(thing).__name__}#{thing.objectName()}")
        thing = thing.parent()
    return f"{interface.role().name}: {' < '.join(path[:6])}"


def test_every_input_has_a_name(window: MainWindow) -> None:
    found = inputs_under(QAccessible.queryAccessibleInterface(window))
    assert len(found) > 100, "the walk did not get into the pages"
    roles = {one.role() for one in found}
    assert {Role.EditableText, Role.ComboBox, Role.CheckBox, Role.Table, Role.Tree} <= roles
    nameless = [described(one) for one in found if not one.text(QAccessible.Text.Name).strip()]
    assert not nameless, "\n".join(nameless)


def test_every_input_can_be_reached_by_keyboard(window: MainWindow) -> None:
    """By the Tab key, by arrow keys within a group, or by the menu of the part that it belongs to."""
    unreachable = unreachable_under(window)
    assert not unreachable, "\n".join(unreachable)


def test_every_input_of_a_dialog_has_a_name_and_is_reached(window: MainWindow, tmp_path: Path) -> None:
    for make in (own_device_dialog, price_list_dialog, comparison):
        widget = make(window, tmp_path)
        widget.show()
        QApplication.processEvents()
        found = inputs_under(QAccessible.queryAccessibleInterface(widget))
        assert len(found) >= 3
        nameless = [described(one) for one in found if not one.text(QAccessible.Text.Name).strip()]
        unreachable = unreachable_under(widget)
        assert not nameless, "\n".join(nameless)
        assert not unreachable, "\n".join(unreachable)
        if isinstance(widget, QDialog):
            # It would ask about what was entered.
            widget.done(QDialog.DialogCode.Rejected)
        widget.close()


def own_device_dialog(window: MainWindow, folder: Path) -> QWidget:
    """With a doubt."""
    catalog = window.compute.catalog
    dialog = OwnDeviceDialog(catalog.accelerators["nvidia-h100-sxm-80gb"], catalog, window.surroundings, False, window)
    dialog._on_edited("tdp_w", 0.7)
    dialog.check()
    return dialog


def price_list_dialog(window: MainWindow, folder: Path) -> QWidget:
    path = folder / "prices.csv"
    path.write_text("GPU;Preis;Currency;Count\nH100 SXM;1,5;EUR;8\n", encoding="utf-8")
    return PriceListDialog(read_price_table(path), window.compute.catalog, {}, datetime.date(2026, 11, 21), window)


def comparison(window: MainWindow, folder: Path) -> QWidget:
    assert window.results_pane is not None
    window.results_pane.show_catalog_page()
    browser = window.results_pane.catalog_browser
    assert browser is not None
    browser.show_catalog(window.compute.catalog)
    page = browser.page("accelerators")
    for entry in page.model.entries[:2]:
        page.toggle_pin(entry.id)
    page.open_comparison()
    return page.comparison


def unreachable_under(root: QWidget) -> list[str]:
    """Enabled inputs that no key leads to."""
    unreachable = []
    for one in inputs_under(QAccessible.queryAccessibleInterface(root)):
        widget = one.object()
        if not isinstance(widget, QWidget) or not widget.isEnabled():
            continue
        takes_keys = widget.focusProxy() or widget
        if not takes_keys.focusPolicy() & Qt.FocusPolicy.TabFocus and not is_in_a_group(widget):
            unreachable.append(described(one))
    return unreachable


def is_in_a_group(widget: QWidget) -> bool:
    """Reached by the keys of what holds it: a field's own button, a bar of tabs, a table's heading."""
    holders = (QLineEdit, QTabBar, QComboBox, QAbstractItemView)
    above = widget.parentWidget()
    if widget.objectName().startswith("qt_dockwidget_"):
        return True  # Qt's buttons on a dock's title: F4 closes it, and it need not float.
    return isinstance(widget, QTabBar) or isinstance(above, holders)
