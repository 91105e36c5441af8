"""Pinned candidates: by a click, in every plot, over edits, and back again."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.candidate_table import CandidateTable
from gpuplanner_gui.desktop.pages.compare import ComparePage
from gpuplanner_gui.desktop.pages.results_pane import ResultsPane
from gpuplanner_gui.desktop.pages.serving_plots import LoadPage
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.drawing.candidate_keys import candidate_key
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.paths import resources_dir
from tests.desktop.conftest import PLAN_WAIT_MS, forget_changes

NONE, CONTROL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


def pane_of(window: MainWindow) -> ResultsPane:
    assert window.results_pane is not None
    return window.results_pane


def shown(window: MainWindow) -> Results:
    results = pane_of(window).results
    assert results is not None
    return results


def pinned(window: MainWindow) -> tuple[int, ...]:
    return shown(window).pinned.get("serving", ())


def table_of(window: MainWindow) -> CandidateTable:
    return pane_of(window).candidates.tables["serving"]


def click(window: MainWindow, row: int, keys: Qt.KeyboardModifier) -> None:
    table = table_of(window)
    place = QPoint(60, table.rowViewportPosition(row) + 5)
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, keys, place)


def pin(qtbot: QtBot, window: MainWindow, row: int, count: int) -> None:
    click(window, row, CONTROL)
    qtbot.waitUntil(lambda: len(pinned(window)) == count, timeout=PLAN_WAIT_MS)


def test_ctrl_click_pins_candidates_and_plots_show_them_with_the_selected_one(
    qtbot: QtBot, planned_window: MainWindow
) -> None:
    window, table = planned_window, table_of(planned_window)
    best = shown(window).candidate("serving")
    pin(qtbot, window, 2, 1)
    pin(qtbot, window, 4, 2)
    results = shown(window)
    assert results.candidate("serving") == best, "pinning selects nothing"
    assert table.pinned == pinned(window)
    assert [one.candidate for one in results.rivals["serving"]] == list(pinned(window))
    assert set(results.pinned_curves) == set(pinned(window))
    assert pane_of(window).candidates.pins.isVisible()
    # The same click again takes the pin away; Space and the Plan menu do as a click does.
    pin(qtbot, window, 2, 1)
    QTest.keyClick(table, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: best in pinned(window), timeout=PLAN_WAIT_MS)
    window.menus.actions["pin"].trigger()
    qtbot.waitUntil(lambda: best not in pinned(window), timeout=PLAN_WAIT_MS)


def test_pins_are_kept_over_edits_and_a_fifth_is_refused(qtbot: QtBot, planned_window: MainWindow) -> None:
    window = planned_window
    for count, row in enumerate((1, 2, 3, 4), 1):
        pin(qtbot, window, row, count)
    before = window.planner.pinned["serving"]
    click(window, 5, CONTROL)
    assert "Unpin one first" in window.messages.text.text()
    assert window.planner.pinned["serving"] == before
    window.store.edit("serving.classes[0].peak_rate_per_s", 7.0, "Change rate")
    qtbot.waitUntil(lambda: shown(window).scenario is window.store.scenario, timeout=PLAN_WAIT_MS)
    assert tuple(candidate_key(shown(window).plan, "serving", one) for one in pinned(window)) == before
    assert not window.messages.isVisible(), "the plan is another one"
    click(window, 5, CONTROL)
    assert "Unpin one first" in window.messages.text.text()
    assert window.messages.isVisible()
    window.menus.actions["unpin_all"].trigger()
    qtbot.waitUntil(lambda: not pinned(window), timeout=PLAN_WAIT_MS)
    assert not window.messages.isVisible(), "nothing need be unpinned any more"


def test_keys_pin_where_the_table_was_out_of_sight_since_the_window_opened(
    qtbot: QtBot, settings: QSettings, engine: ShippedEngine
) -> None:
    """The table then knows no workload: a training plan's candidate was looked for under no name."""
    window = MainWindow(lambda: engine, settings)
    qtbot.addWidget(window, before_close_func=forget_changes)
    window.desk.candidates_dock.hide()
    window.show()
    window.build_results()
    with qtbot.waitSignal(window.compute.completed, timeout=PLAN_WAIT_MS):
        window.compute.start()
        window.file.open_template(resources_dir() / "examples" / "7b-continued-pretraining.gpuplan")
    window.desk.candidates_dock.hide()
    qtbot.waitUntil(lambda: shown(window).plan.training is not None, timeout=PLAN_WAIT_MS)
    window.menus.actions["pin"].trigger()
    qtbot.waitUntil(lambda: len(shown(window).pinned.get("training", ())) == 1, timeout=PLAN_WAIT_MS)


def test_the_recommended_candidate_is_one_click_away(qtbot: QtBot, planned_window: MainWindow) -> None:
    window, pane = planned_window, pane_of(planned_window)
    best = shown(window).candidate("serving")
    click(window, 3, NONE)
    qtbot.waitUntil(lambda: shown(window).candidate("serving") != best, timeout=PLAN_WAIT_MS)
    pane.show_place("why")
    qtbot.waitUntil(pane.bar.back.isVisible)
    QTest.mouseClick(pane.bar.back, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shown(window).candidate("serving") == best, timeout=PLAN_WAIT_MS)


def test_a_file_opens_with_the_candidate_that_it_names(qtbot: QtBot, planned_window: MainWindow) -> None:
    window = planned_window
    plan, scenario = shown(window).plan, window.store.scenario
    assert plan.serving is not None
    assert scenario is not None
    third = int(plan.serving.table.order[2])
    named = msgspec.structs.replace(scenario, chosen_serving=candidate_key(plan, "serving", third))
    window.store.open_project(msgspec.structs.replace(window.store.project, scenarios=(named,)))
    qtbot.waitUntil(lambda: shown(window).scenario is window.store.scenario, timeout=PLAN_WAIT_MS)
    assert shown(window).candidate("serving") == third


def test_pinned_candidates_stand_side_by_side_in_compare(qtbot: QtBot, planned_window: MainWindow) -> None:
    pane = pane_of(planned_window)
    pin(qtbot, planned_window, 2, 1)
    pane.show_place("compare")
    page = pane.view_in_front()
    assert isinstance(page, ComparePage)
    qtbot.waitUntil(lambda: bool(page.pinned.rows_model.rows.cells), timeout=PLAN_WAIT_MS)
    rows = page.pinned.rows_model.rows
    assert len(rows.columns) == 3, "titles, the recommended candidate, the pinned one"
    assert {"TTFT p95", "$/month"} <= {row[0] for row in rows.cells}


def test_plots_of_load_grow_with_the_legend_of_pinned_candidates(qtbot: QtBot, planned_window: MainWindow) -> None:
    pane = pane_of(planned_window)
    pane.show_page_named("load")
    page = next(inside for name, _, inside in pane.built_pages() if name == "load")
    assert isinstance(page, LoadPage)
    qtbot.waitUntil(lambda: not page.is_drawing() and page.plot_view("ttft").isVisible(), timeout=PLAN_WAIT_MS)
    before = page.plot_view("ttft").minimumHeight()
    pin(qtbot, planned_window, 2, 1)
    pin(qtbot, planned_window, 4, 2)
    qtbot.waitUntil(lambda: page.plot_view("ttft").minimumHeight() == before + 70, timeout=PLAN_WAIT_MS)
