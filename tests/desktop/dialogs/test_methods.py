"""Help › Methods: found from the menu, the palette and "why?", searched, and told with formulas."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.methods import MethodsDialog
from gpuplanner_gui.desktop.pages.explain_panel import ExplainPanel
from gpuplanner_gui.desktop.window.command_palette import CommandPalette
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.files.shipped_tables import methods

WAIT_MS = 20_000


@pytest.fixture
def window(user_home: object, settings: QSettings, qtbot: QtBot) -> MainWindow:
    made = MainWindow(settings=settings)
    qtbot.addWidget(made, before_close_func=lambda window: window.store.undo_stack.setClean())
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def dialog(window: MainWindow, qtbot: QtBot) -> MethodsDialog:
    """As it opens from the menu."""
    menu = window.menus.menus["help"]
    menu.popup(window.mapToGlobal(window.rect().center()))
    action = window.menus.actions["methods"]
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())
    return shown_dialog(window, qtbot)


def shown_dialog(window: MainWindow, qtbot: QtBot) -> MethodsDialog:
    found = window.findChild(MethodsDialog)
    assert isinstance(found, MethodsDialog)
    qtbot.waitUntil(found.isVisible, timeout=WAIT_MS)
    return found


def listed(dialog: MethodsDialog) -> list[str]:
    items = [dialog.list.item(row) for row in range(dialog.list.count())]
    return [item.text() for item in items if not item.isHidden()]


def is_told(dialog: MethodsDialog, text: str) -> bool:
    return text in dialog.page.toPlainText()


def test_a_click_on_a_title_tells_its_formulas(dialog: MethodsDialog, qtbot: QtBot) -> None:
    assert listed(dialog) == [one.title for one in methods()]
    row = listed(dialog).index("Collectives")
    place = dialog.list.visualItemRect(dialog.list.item(row)).center()
    qtbot.mouseClick(dialog.list.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: is_told(dialog, "Thakur et al. 2005"), timeout=WAIT_MS)
    assert is_told(dialog, "All-reduce\n")
    assert is_told(dialog, "Limits")


def test_words_are_searched_on_all_pages(dialog: MethodsDialog, qtbot: QtBot) -> None:
    qtbot.keyClicks(dialog.typed, "erlang exponential")
    qtbot.waitUntil(lambda: listed(dialog) == ["Queues for a number of slots"], timeout=WAIT_MS)
    qtbot.waitUntil(lambda: is_told(dialog, "Erlang 1917"), timeout=WAIT_MS)
    qtbot.keyClicks(dialog.typed, " xqzzv")
    qtbot.waitUntil(lambda: not listed(dialog), timeout=WAIT_MS)
    assert dialog.nothing.isVisible()
    assert not dialog.page.isVisible(), "what was read before is no answer"
    qtbot.keyClick(dialog.typed, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(dialog.typed, Qt.Key.Key_Delete)
    assert len(listed(dialog)) == len(methods())
    assert dialog.page.isVisible()
    assert not dialog.page.textCursor().hasSelection()
    qtbot.keyClick(dialog.typed, Qt.Key.Key_Down)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_palette_offers_each_method(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = QApplication.activePopupWidget()
    assert isinstance(palette, CommandPalette)
    qtbot.keyClicks(palette.typed, "failures, checkpoints")
    qtbot.keyClick(palette.typed, Qt.Key.Key_Return)
    dialog = shown_dialog(window, qtbot)
    qtbot.waitUntil(lambda: is_told(dialog, "Daly 2006"), timeout=WAIT_MS)


def test_why_leads_to_the_formula_of_the_chosen_value(window: MainWindow, qtbot: QtBot) -> None:
    panel = ExplainPanel()
    qtbot.addWidget(panel)
    panel.method_requested.connect(window.commands.show_formula)
    panel.resize(700, 400)
    panel.show()
    qtbot.waitExposed(panel)
    price = ExplainedValue(name="usd_per_kwh", title="Price", unit="USD/kWh", value=0.1, source="planner")
    energy = ExplainedValue(
        name="energy_kwh", title="Energy", unit="kWh", value=2.0, expression="e", formula="cost.energy.energy_kwh"
    )
    panel.show_explanation(
        ExplainedValue(name="usd", title="Cost", unit="USD", value=0.2, expression="x", inputs=(price, energy))
    )
    assert not panel.method.isEnabled()
    root = panel.tree.topLevelItem(0)
    assert root is not None
    below = panel.tree.visualItemRect(root.child(1)).center()
    qtbot.mouseClick(panel.tree.viewport(), Qt.MouseButton.LeftButton, pos=below)
    qtbot.waitUntil(panel.method.isEnabled, timeout=WAIT_MS)
    qtbot.mouseClick(panel.method, Qt.MouseButton.LeftButton)
    dialog = shown_dialog(window, qtbot)
    qtbot.waitUntil(lambda: is_told(dialog, "power_w/1000·hours"), timeout=WAIT_MS)
    assert dialog.list.currentItem().text() == "Energy, carbon and water"


def test_f1_tells_the_method_of_the_page_in_front(answered_window: MainWindow, qtbot: QtBot) -> None:
    pane = answered_window.results_pane
    assert pane is not None
    known = {one.code for one in methods()}
    for page, title in (("roofline", "Roofline"), ("uncertainty", "Uncertainty"), ("overview", "Uncertainty")):
        pane.show_page_named(page)
        answered_window.activateWindow()
        qtbot.keyClick(answered_window, Qt.Key.Key_F1)
        # A page without a method of its own leaves open what was read last.
        assert shown_dialog(answered_window, qtbot).list.currentItem().text() == title
        assert pane.method_code() in {*known, ""}
