"""Any number of any page can be asked why: from a plot's menu, a table's cell, words and tiles, or the page's list."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QTreeWidget, QTreeWidgetItem
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.explain_panel import LISTED_A_TURN
from gpuplanner_gui.desktop.pages.place_bar import PAGES
from gpuplanner_gui.desktop.pages.plot_menu import fill_plot_menu
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.widgets.ask_why import ask_why
from gpuplanner_gui.desktop.widgets.rows_table import RowsTable
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.drawing.numbers import STAGES, numbers_of
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.words.explain import expression_of

pytestmark = pytest.mark.usefixtures("short_simulations")

WAIT_MS = 60_000


def listed(window: MainWindow) -> int:
    return window.explain_panel.numbers.tree.topLevelItemCount()


def explained(window: MainWindow, qtbot: QtBot) -> str:
    qtbot.waitUntil(lambda: window.explain_panel.explanation is not None, timeout=WAIT_MS)
    return window.explain_panel.explanation.name


def test_every_page_is_known_to_the_list():
    assert {page.name for page in PAGES} - {"catalog_browser"} == set(STAGES)


def test_opening_the_panel_lists_the_numbers_of_the_page_in_front(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    together: list[int] = []
    model = window.explain_panel.numbers.tree.model()
    model.rowsInserted.connect(lambda _, first, last: together.append(last - first + 1))
    window.explain_action.trigger()
    qtbot.waitUntil(lambda: listed(window) > 0)
    qtbot.waitUntil(lambda: not window.explain_panel.numbers.listing.isActive())
    assert max(together) <= LISTED_A_TURN, "a thousand at once would hold up the window"
    of_overview, of_memory = (len(list(numbers_of(window.results_pane.results, one))) for one in ("overview", "memory"))
    assert listed(window) == of_overview
    window.results_pane.show_page_named("memory")
    assert listed(window) == of_overview, "to find a thousand numbers takes a turn of its own, after the page's"
    qtbot.waitUntil(lambda: listed(window) == of_memory, timeout=WAIT_MS)
    field = window.explain_panel.numbers.filter
    field.setText("Replicas")
    qtbot.wait(0)
    field.returnPressed.emit()
    assert explained(window, qtbot) == "replicas"
    window.explain_panel.back.click()
    assert window.explain_panel.explanation is None
    assert listed(window) > 20


def test_a_plot_and_the_verdict_are_asked_by_their_menus(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    page = window.results_pane.frame_in_front()
    qtbot.waitUntil(lambda: (view := page.findChild(PlotView)) is not None and bool(view.plot.title), timeout=WAIT_MS)
    view = page.findChild(PlotView)
    menu = QMenu(view)
    fill_plot_menu(menu, view)
    next(action for action in menu.actions() if "Why" in action.text()).trigger()
    assert window.explain_dock.isVisible()
    qtbot.waitUntil(lambda: listed(window) > 0)
    assert 3 < listed(window) < len(list(numbers_of(window.results_pane.results, "overview")))
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, QPoint(40, 12), window.verdict.mapToGlobal(QPoint(40, 12))
    )
    QApplication.sendEvent(window.verdict, event)
    shown = window.verdict.findChild(QMenu)
    assert shown is not None
    shown.actions()[0].trigger()
    shown.close()
    names = {window.explain_panel.numbers.tree.topLevelItem(row).text(0) for row in range(listed(window))}
    assert names
    assert names <= {one.title for one in numbers_of(window.results_pane.results, "verdict")}


def test_a_plot_of_the_plan_before_lists_the_pages_numbers(answered_window: MainWindow, qtbot: QtBot) -> None:
    """Its candidates are rows of a longer table."""
    window, pane = answered_window, answered_window.results_pane
    assert pane is not None
    pane.show_page_named("memory")
    page = pane.frame_in_front()
    qtbot.waitUntil(lambda: (view := page.findChild(PlotView)) is not None and bool(view.plot.title), timeout=WAIT_MS)
    plot = page.findChild(PlotView).plot
    shown = max(max(rows) for rows in plot.shown_candidates().values())
    pane.show_page_named("overview")
    for field in ("serving.weight_precisions", "serving.kv_precisions"):
        window.store.edit(field, ("fp8",), "one format")

    def is_shorter() -> bool:
        return pane.results is not None and len(pane.results.plan.serving.table.order) <= shown

    qtbot.waitUntil(is_shorter, timeout=WAIT_MS)
    window.explaining.take_plot(plot)
    qtbot.waitUntil(lambda: listed(window) > 0)


def test_words_with_one_number_are_explained_at_once(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    numbers = list(numbers_of(window.results_pane.results, "verdict"))
    texts = [one.text for one in numbers]
    alone = next(one for one in numbers if texts.count(one.text) == 1 and len(one.text) > 7)
    window.explaining.take_words(f"it is {alone.text}, they say", "verdict")
    assert explained(window, qtbot) in (alone.place.split("/")[-1], "")


def test_a_widget_in_no_view_asks_nobody(qtbot: QtBot) -> None:
    menu = QMenu()
    qtbot.addWidget(menu)
    beside = ResultView()
    qtbot.addWidget(beside)
    asked: list[str] = []
    beside.why_asked.connect(asked.append)
    ask_why(menu, "7")
    assert asked == []
    within = QMenu(beside)
    ask_why(within, "7")
    assert asked == ["7"]


def test_a_number_of_a_scenario_that_was_removed_is_said_to_be_gone(
    answered_window: MainWindow, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither the plan nor the question is at fault: nothing of it is logged."""
    window, pane = answered_window, answered_window.results_pane
    assert pane is not None
    window.commands.duplicate_scenario()
    pane.show_page_named("compare")
    qtbot.waitUntil(lambda: len(compared_scenarios(window)) == 2, timeout=WAIT_MS)
    gone = next(one for one in window.explaining.numbers() if one.place.startswith("scenarios/0/"))
    window.store.remove_scenario(0, "remove")
    qtbot.waitUntil(lambda: pane.results is not None and len(pane.results.project.scenarios) == 1, timeout=WAIT_MS)
    for stage, place in ((gone.stage, gone.place), ("training", "17/tensor_parallel")):
        with qtbot.waitSignal(window.compute.explaining_failed, timeout=WAIT_MS) as answered:
            window.explaining.ask(stage, place)
        assert "no longer in the plan" in answered.args[0]
    assert not caplog.records


def compared_scenarios(window: MainWindow) -> tuple[object, ...]:
    pane = window.results_pane
    comparison = pane.results.known.comparison if pane is not None and pane.results is not None else None
    return comparison.scenarios if comparison is not None else ()


def test_the_key_asks_about_the_current_cell(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    table = window.results_pane.candidates.tables["serving"]
    model = window.results_pane.candidates.models["serving"]
    place = next(place for place, one in enumerate(model.columns) if one.quantity == "usd_per_month")
    table.setCurrentIndex(model.index(1, place))
    table.setFocus()
    qtbot.waitUntil(table.hasFocus, timeout=WAIT_MS)
    qtbot.keyClick(table, Qt.Key.Key_F4)
    assert window.explain_dock.isVisible()
    assert explained(window, qtbot) == "usd_per_month"
    assert window.explaining.asked == ("serving", str(model.source_at(1)), "usd_per_month")


def test_a_cell_without_a_calculation_is_answered_in_words(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    candidates = window.results_pane.candidates
    table, model = candidates.tables["serving"], candidates.models["serving"]
    window.explaining.ask_column("serving", model.source_at(0), "usd_per_month")
    window.desk.open_explanation()
    assert explained(window, qtbot) == "usd_per_month"
    places = {one.title: place for place, one in enumerate(model.columns)}
    for title, said in (("Evidence", "What the prediction is based on."), ("Accelerator", "no calculation")):
        table.setCurrentIndex(model.index(1, places[title]))
        table.setFocus()
        qtbot.waitUntil(table.hasFocus, timeout=WAIT_MS)
        qtbot.keyClick(table, Qt.Key.Key_F4)
        told = [one.text() for one in window.explain_panel.findChildren(QLabel) if one.isVisible() and one.text()]
        assert any(text.startswith(f"{title}: ") and said in text for text in told)
        assert not window.explain_panel.tree.isVisible(), "the answer to another question"


def shown_items(tree: QTreeWidget) -> list[QTreeWidgetItem]:
    found, item = [], tree.topLevelItem(0)
    while item is not None:
        found.append(item)
        item = tree.itemBelow(item)
    return found


def test_a_cell_of_a_page_without_a_calculation_is_answered_in_words(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    window.results_pane.show_page_named("memory")
    table = RowsTable("Order list", window.results_pane.frame_in_front())
    table.show_rows(Rows((Column("Item"),), (("$1,234,567",),)))
    table.cell_asked.emit(table.rows_model.index(0, 0))
    assert window.explain_panel._message.text() == "$1,234,567: This cell has no calculation to show."


def test_values_and_formulas_have_room_beside_long_names(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    window.resize(1280, 720)
    window.explain_action.trigger()
    window.explaining.ask("serving", f"{window.results_pane.results.candidate('serving')}/usd_per_month")
    assert explained(window, qtbot)
    panel = window.explain_panel
    value = panel.explanation
    qtbot.waitUntil(lambda: bool(panel.details.text()), timeout=WAIT_MS)
    # Narrow as the dock is at first, formulas and sources stand below, and names are not cut for them.
    tree = panel.tree
    assert tree.columnWidth(0) + tree.columnWidth(1) <= tree.viewport().width()
    assert tree.columnWidth(0) > tree.viewport().width() / 2
    assert all(item.text(1) for item in shown_items(tree))
    assert expression_of(value) in panel.details.text()
    qtbot.keyClick(panel.tree, Qt.Key.Key_Down)
    assert panel.tree.currentItem().text(2) in panel.details.text()
    window.desk.resizeDocks([window.explain_dock], [700], Qt.Orientation.Horizontal)
    qtbot.waitUntil(lambda: tree.columnWidth(2) > 100, timeout=WAIT_MS)
    assert tree.columnWidth(0) < tree.viewport().width() / 2
    assert not all(item.text(1) for item in shown_items(tree))
