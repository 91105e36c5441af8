"""Load in the window: simulated curves, readiness, traces by drop and menu, usual request classes, cancel."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.measurement_columns import TraceColumnsDialog
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.serving_plots import LoadPage, ReadinessPage
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.page_controls import trace_message
from gpuplanner_gui.domain.load_result import Stage
from gpuplanner_gui.drawing.language import ENGLISH
from gpuplanner_gui.drawing.translations import use_language
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.engine.simulation.traffic import trace_figures
from gpuplanner_gui.files.traces import read_trace
from tests.desktop.dragging import drag_files

pytestmark = pytest.mark.usefixtures("short_simulations")

TRACE = Path(__file__).parents[2] / "files" / "traces" / "data" / "azure-llm-2023-conv.csv"
WAIT_MS = 60_000
LOAD, READINESS = "load", "readiness"


@pytest.fixture
def window(planned_window: MainWindow) -> MainWindow:
    return planned_window


def show(window: MainWindow, title: str) -> None:
    pane = window.results_pane
    assert pane is not None
    pane.show_page_named(title)


def page(window: MainWindow, kind: type[Any]) -> Any:
    found = window.findChildren(kind)
    assert len(found) == 1
    return found[0]


def simulated(window: MainWindow, qtbot: QtBot) -> Any:
    """What is simulated of the plan on screen, when nothing runs any more."""

    def is_done() -> bool:
        known = window.load.simulations.simulation
        return known is not None and known.fleet is not None and not window.load.simulations.is_running

    qtbot.waitUntil(is_done, timeout=WAIT_MS)
    return window.load.simulations.simulation


def test_load_page_shows_the_closed_form_then_the_simulation(window: MainWindow, qtbot: QtBot) -> None:
    show(window, LOAD)
    found = simulated(window, qtbot)
    assert found.curve.stage is Stage.FINAL
    load = page(window, LoadPage)
    qtbot.waitUntil(lambda: not load.is_drawing(), timeout=WAIT_MS)
    ttft = load.plot_view("ttft").plot
    assert ttft.columns.is_simulated
    assert len(ttft.columns.rates_per_s) == 20
    assert load._rates.text().startswith("Saturates at ")
    assert window.status.task.text() == ""


def test_an_edit_shows_its_own_closed_form_until_it_is_simulated(window: MainWindow, qtbot: QtBot) -> None:
    show(window, LOAD)
    before = simulated(window, qtbot)
    path = "serving.classes[0].output_tokens"
    window.store.edit(path, 64.0, "edit")
    assert window.load.simulations.simulation is None
    after = simulated(window, qtbot)
    assert after.curve.stage is Stage.FINAL
    assert after.curve.max_rate_per_s != before.curve.max_rate_per_s


def test_readiness_is_checked_when_it_is_looked_at(window: MainWindow, qtbot: QtBot) -> None:
    window.resize(1600, 1000)
    found = simulated(window, qtbot)
    assert found.readiness is None
    show(window, READINESS)
    qtbot.waitUntil(
        lambda: (
            window.load.simulations.simulation is not None
            and window.load.simulations.simulation.readiness is not None
            and window.load.simulations.simulation.readiness.is_complete
            and not window.load.simulations.is_running
        ),
        timeout=WAIT_MS,
    )
    readiness = page(window, ReadinessPage)
    assert readiness.stress.model.rowCount() == 6
    assert "tests" in readiness.stress.sentence.text()
    assert readiness.fleet.model.rowCount() >= 9
    table = readiness.stress.table
    qtbot.waitUntil(lambda: not readiness.is_drawing())
    assert table.width() > 500, "beside the replicas"
    assert table.horizontalHeader().length() <= table.width(), "no heading stands beyond the edge"


def test_search_button_finds_the_cheapest_configuration(window: MainWindow, qtbot: QtBot) -> None:
    window.store.edit("hardware.accelerators", ("nvidia-h100-sxm-80gb", "nvidia-l40s"), "edit")
    show(window, READINESS)
    simulated(window, qtbot)
    readiness = page(window, ReadinessPage)
    button = next(one for one in readiness.findChildren(QPushButton) if one.text() == "Search")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(
        lambda: (
            window.load.simulations.simulation is not None and window.load.simulations.simulation.search is not None
        ),
        timeout=WAIT_MS,
    )
    qtbot.waitUntil(lambda: readiness.search.model.rowCount() >= 1, timeout=WAIT_MS)  # Drawn a turn later.
    assert readiness.search.sentence.text().startswith("Cheapest within every simulated target")


def drop(window: MainWindow, *paths: Path) -> None:
    drag_files(window, paths, QPoint(50, 50))


def test_a_dropped_trace_is_replayed_and_can_be_planned_with(window: MainWindow, qtbot: QtBot) -> None:
    show(window, LOAD)
    simulated(window, qtbot)
    drop(window, TRACE)
    qtbot.waitUntil(lambda: window.load.simulations.trace is not None, timeout=WAIT_MS)
    found = simulated(window, qtbot)
    assert found.curve.is_trace
    assert found.trace.requests == 600
    assert "600 requests" in window.messages.text.text()
    load = page(window, LoadPage)
    assert load._trace.isVisible()
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    scenario = window.store.scenario
    assert scenario is not None
    assert scenario.serving is not None
    assert scenario.serving.traffic.arrivals == "trace"
    assert scenario.serving.traffic.trace is not None
    assert scenario.serving.traffic.trace.name == TRACE.name
    qtbot.mouseClick(load._close_trace, Qt.MouseButton.LeftButton)
    assert window.load.simulations.trace is None


def test_a_trace_is_imported_by_the_menu(window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(TRACE), ""))
    with qtbot.waitSignal(window.load.simulations.trace_read, timeout=WAIT_MS):
        window.menus.actions["import_trace"].trigger()
    assert window.load.simulations.trace is not None


def test_a_file_that_is_no_trace_is_told_in_the_message_bar(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    with qtbot.waitSignal(window.load.simulations.problem, timeout=WAIT_MS):
        drop(window, path)
    assert "there is no column for the time" in window.messages.text.text()


def test_a_table_of_unknown_headings_asks_for_its_columns(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "gateway.csv"
    rows = "".join(f"{number * 100},{50 + number},{20 + number % 7}\n" for number in range(200))
    path.write_text("began,in,out\n" + rows + "soon,1,1\n")
    drop(window, path)
    qtbot.waitUntil(lambda: bool(window.findChildren(TraceColumnsDialog)), timeout=WAIT_MS)
    (dialog,) = window.findChildren(TraceColumnsDialog)
    for part, heading in (("time", "began"), ("prompt", "in"), ("output", "out")):
        dialog.choices[part].setCurrentText(heading)
    dialog.unit.setCurrentText("milliseconds")
    qtbot.mouseClick(dialog.import_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.load.simulations.trace is not None, timeout=WAIT_MS)
    assert window.load.simulations.trace is not None
    assert len(window.load.simulations.trace) == 200
    assert "1 of 201 rows hold no request" in window.messages.text.text()


def test_usual_request_classes_are_added_under_names_of_their_own(window: MainWindow) -> None:
    menu = window.menus.menus["request_presets"]
    menu.aboutToShow.emit()
    titles = {action.text(): action for action in menu.actions()}
    assert list(titles) == ["Chat", "Retrieval", "Code completion", "Agent", "Batch"]
    titles["Chat"].trigger()
    titles["Batch"].trigger()
    scenario = window.store.scenario
    assert scenario is not None
    assert scenario.serving is not None
    names = [one.name for one in scenario.serving.classes]
    assert names[-2:] == ["chat 2", "batch"]
    assert len(set(names)) == len(names)
    window.store.undo_stack.undo()
    assert window.store.scenario is not None
    assert window.store.scenario.serving is not None
    # Edits of one thing that follow each other at once are one step.
    assert [one.name for one in window.store.scenario.serving.classes] == names[:-2]


def test_escape_stops_a_simulation_within_50_ms(window: MainWindow, qtbot: QtBot) -> None:
    simulated(window, qtbot)
    window.load.simulations.search()
    qtbot.waitUntil(lambda: window.status.task.text() != "", timeout=WAIT_MS)
    assert window.menus.actions["cancel"].isEnabled()
    start = time.perf_counter()
    window.menus.actions["cancel"].trigger()
    assert time.perf_counter() - start < 0.05
    assert not window.load.simulations.is_running
    assert window.status.task.text() == ""


def test_bad_rows_are_told_in_the_language_of_the_window(tmp_path: Path, qapp: QApplication) -> None:
    lines = TRACE.read_text(encoding="utf-8").splitlines()
    lines[3], lines[6] = "nonsense", "2023-11-16 18:15:46.6805900,abc,44"
    path = tmp_path / "bad.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    trace = read_trace(path)
    assert "(line 4: 1 of 3 cells; line 7: 'abc' is not a number)" in trace_message(trace, trace_figures(trace))
    assert use_language("zh_TW")
    try:
        told = trace_message(trace, trace_figures(trace))
    finally:
        use_language(ENGLISH)
    assert "cells" not in told
    assert "no number" not in told
    assert "'abc'" in told


def test_a_stage_that_fails_says_why_and_is_tried_again(
    answered_window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    window = answered_window
    assert window.results_pane is not None
    assert window.compute.engine is not None

    def stumble(*_: object, **__: object) -> None:
        raise ValueError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(doors, "uncertainty", stumble)
        with qtbot.waitSignal(window.decision.tasks.problem, timeout=WAIT_MS):
            window.results_pane.show_page_named("uncertainty")
    assert window.messages.text.text() == "Uncertainty: the disk is full"
    plots = window.results_pane.view_in_front().findChildren(PlotView)
    qtbot.waitUntil(lambda: any(one.plot.message == "Failed: the disk is full" for one in plots), timeout=WAIT_MS)
    assert window.messages.action.text() == "Try again"
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    assert not window.messages.isVisible()
    qtbot.waitUntil(
        lambda: window.decision.tasks.answer is not None and window.decision.tasks.answer.uncertainty is not None,
        timeout=WAIT_MS,
    )
