"""Long and failing work in the window: how far it is, called off, said why, tried again; what was there stays."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets import message_bar
from gpuplanner_gui.desktop.window.main_window import MainWindow
from tests.desktop.dragging import drag_files

LEFT = Qt.MouseButton.LeftButton
RATE = "serving.classes[0].peak_rate_per_s"
WAIT_MS = 30_000


class Failing(ShippedEngine):
    """The shipped engine on a machine that runs out of memory now and then."""

    fails = False

    def plan(self, *arguments: Any) -> Any:
        if self.fails:
            raise MemoryError("no room for the candidates")
        return super().plan(*arguments)


@pytest.fixture
def engine() -> Failing:
    return Failing()


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, user_home: Path, engine: Failing) -> MainWindow:
    made = MainWindow(lambda: engine, settings)
    qtbot.addWidget(made, before_close_func=lambda closed: closed.store.undo_stack.setClean())
    made.resize(1280, 720)
    made.show()
    made.build_results()
    with qtbot.waitSignal(made.compute.completed, timeout=WAIT_MS):
        made.compute.start()
        made.planner.ask()
    return made


def test_a_stage_that_fails_says_why_keeps_the_results_and_is_tried_again(
    window: MainWindow, engine: Failing, qtbot: QtBot
) -> None:
    before = window.compute.results
    assert window.results_pane is not None
    rows = window.results_pane.candidates.tables["serving"].model().rowCount()
    engine.fails = True
    window.store.edit(RATE, 77.0, "rate")
    qtbot.waitUntil(lambda: window.compute.state == PlanState.FAILED, timeout=WAIT_MS)
    assert window.status.state.text().startswith("Failed:")
    assert window.compute.results is before
    assert window.results_pane.candidates.tables["serving"].model().rowCount() == rows
    assert window.status.retry.isVisible()
    qtbot.mouseClick(window.status.retry, LEFT)
    qtbot.waitUntil(lambda: window.compute.state == PlanState.FAILED, timeout=WAIT_MS)
    engine.fails = False
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        qtbot.mouseClick(window.status.retry, LEFT)
    assert window.status.state.text() == "Quick estimate"
    assert not window.status.retry.isVisible()
    assert window.compute.results is not None
    assert window.compute.results.plan.serving is not None
    assert window.compute.results.plan.serving.peak_rate_per_s == 77.0


def test_a_long_trace_tells_how_far_it_is_and_is_called_off_with_a_click(
    window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_bar, "CANCEL_AFTER_S", 0.0)
    path, dice, time_s = tmp_path / "gateway.csv", random.Random(1), 0.0
    with path.open("w", encoding="utf-8") as file:
        file.write("TIMESTAMP,ContextTokens,GeneratedTokens\n")
        for _ in range(400_000):
            time_s += dice.expovariate(30.0)
            file.write(f"{time_s:.3f},{dice.randrange(1, 4000)},{dice.randrange(1, 900)}\n")
    before = window.compute.results
    assert drag_files(window, [path], QPoint(40, 40))
    qtbot.waitUntil(lambda: window.status.task.text().startswith("Reading the trace"), timeout=WAIT_MS)
    assert window.status.cancel.isVisible()
    qtbot.mouseClick(window.status.cancel, LEFT)
    qtbot.waitUntil(lambda: not window.status.cancel.isVisible(), timeout=WAIT_MS)
    assert window.load.simulations.trace is None
    assert window.compute.results is before
    assert window.compute.state == PlanState.CURRENT


def test_nothing_that_fits_is_a_table_of_reasons_and_no_scenario_a_way_to_begin(
    window: MainWindow, qtbot: QtBot
) -> None:
    assert window.results_pane is not None
    candidates = window.results_pane.candidates
    table = candidates.tables["serving"]
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.commands.use_model(window.compute.catalog.models["llama-3.1-405b"].model)
        window.store.edit("hardware.accelerators", ("nvidia-t4",), "one device alone")
        window.store.edit("hardware.max_devices_per_replica", 1, "one device alone")
    assert table.model().rowCount() > 0, "each with its reason"
    qtbot.mouseClick(candidates.only_running, LEFT)
    assert table.model().rowCount() == 0
    assert not table.isVisible(), "no white table"
    assert candidates.empty.isVisible()
    qtbot.mouseClick(candidates.show_all, LEFT)
    assert not candidates.only_running.isChecked()
    assert table.isVisible()
    assert table.model().rowCount() > 0
    qtbot.keyClicks(candidates.filter, "zzqx")
    assert candidates.empty.isVisible()
    assert any("zzqx" in label.text() for label in candidates.empty.findChildren(QLabel))
    qtbot.mouseClick(candidates.show_all, LEFT)
    assert table.isVisible()
    assert not candidates.filter.text()
    while window.store.project.scenarios:
        window.menus.actions["remove_scenario"].trigger()
    assert window.compute.state == PlanState.EMPTY
    assert not window.menus.actions["remove_scenario"].isEnabled()
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        qtbot.mouseClick(window.inputs._add_first, LEFT)
    window.menus.actions["undo"].trigger()
    assert window.store.project.scenarios == ()
