"""The training thread works on what a page on screen asks for; what is old stays, marked, until the new is there.

In the window: a layout is taken over with real clicks, and Undo takes it back.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QSettings, Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.layouts import LayoutsPage
from gpuplanner_gui.desktop.tasks.decision_tasks import TrainingTasks
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.training_workload import Parallelism, TrainingWorkload
from gpuplanner_gui.drawing.results import Results

WAIT_MS = 60_000
LEFT = Qt.MouseButton.LeftButton
DEVICES = ("nvidia-h100-sxm-80gb", "nvidia-l40s")


@pytest.fixture(scope="module")
def engine() -> ShippedEngine:
    return ShippedEngine()


@pytest.fixture(scope="module")
def scenario(engine: ShippedEngine) -> Scenario:
    return Scenario(
        name="run",
        model=engine.catalog.models["llama-3.1-8b"].model,
        training=TrainingWorkload(tokens=1e11),
        hardware=HardwareChoice(accelerators=DEVICES, training_devices=32, max_training_devices=32),
    )


@pytest.fixture(scope="module")
def results(engine: ShippedEngine, scenario: Scenario) -> Results:
    project = Project(scenarios=(scenario,))
    found = engine.plan(project, scenario, lambda: False)
    return Results(project=project, scenario=scenario, plan=found, catalog=engine.catalog)


@pytest.fixture
def tasks(engine: ShippedEngine, qtbot: QtBot) -> Iterator[TrainingTasks]:
    made = TrainingTasks(lambda: engine)
    yield made
    made.stop()


def wait_for(qtbot: QtBot, tasks: TrainingTasks, part: str) -> None:
    qtbot.waitUntil(
        lambda: (
            tasks.answer is not None and getattr(tasks.answer, part) is not None and part not in tasks.answer.outdated
        ),
        timeout=WAIT_MS,
    )


def test_nothing_is_worked_out_that_no_page_shows(tasks: TrainingTasks, results: Results, qtbot: QtBot) -> None:
    tasks.follow(results)
    qtbot.wait(200)
    assert tasks.answer is None
    assert not tasks.is_running


def test_what_a_page_wants_comes_once(tasks: TrainingTasks, results: Results, qtbot: QtBot) -> None:
    tasks.follow(results)
    tasks.want("scaling", True)
    wait_for(qtbot, tasks, "scaling")
    assert tasks.answer is not None
    first = tasks.answer.scaling
    tasks.follow(replace(results, rooflines={}))
    tasks.want("scaling", True)
    qtbot.wait(200)
    assert tasks.answer.scaling is first
    assert tasks.answer.step is None


def test_another_candidate_is_worked_out_anew_and_the_old_stays_until_then(
    tasks: TrainingTasks, results: Results, qtbot: QtBot
) -> None:
    tasks.want("step", True)
    tasks.follow(results)
    wait_for(qtbot, tasks, "step")
    assert tasks.answer is not None
    old = tasks.answer.step
    assert results.plan.training is not None
    other = int(results.plan.training.table.order[3])
    tasks.follow(replace(results, selected={"training": other}))
    assert tasks.answer.step is old
    assert tasks.answer.outdated == {"step"}
    wait_for(qtbot, tasks, "step")
    assert tasks.answer.step is not None
    assert tasks.answer.step.candidate == other


def test_layouts_are_ranked_as_they_are_asked_for(tasks: TrainingTasks, results: Results, qtbot: QtBot) -> None:
    tasks.want("layouts", True)
    tasks.follow(results)
    wait_for(qtbot, tasks, "layouts")
    tasks.rank_layouts("cost", 0)
    assert tasks.answer is not None
    assert "layouts" in tasks.answer.outdated
    wait_for(qtbot, tasks, "layouts")
    assert tasks.answer.layouts is not None
    assert tasks.answer.layouts.objective == "cost"


def test_what_fails_is_said_and_tried_again_for_another_question(
    tasks: TrainingTasks, results: Results, qtbot: QtBot
) -> None:
    tasks.want("layouts", True)
    tasks.rank_layouts("devices", 0)
    tasks.follow(results)
    qtbot.waitUntil(lambda: tasks.answer is not None and bool(tasks.answer.failures), timeout=WAIT_MS)
    assert tasks.answer is not None
    assert "deadline" in tasks.answer.failures["layouts"]
    tasks.rank_layouts("time", 0)
    wait_for(qtbot, tasks, "layouts")
    assert tasks.answer.failures == {}


def test_a_layout_is_taken_over_with_a_click_and_undone(
    qtbot: QtBot, settings: QSettings, engine: ShippedEngine, scenario: Scenario
) -> None:
    window = MainWindow(lambda: engine, settings, Project(scenarios=(scenario,)))
    qtbot.addWidget(window, before_close_func=lambda it: it.store.undo_stack.setClean())
    window.resize(1280, 720)
    window.show()
    window.build_results()
    with qtbot.waitSignal(window.compute.completed, timeout=WAIT_MS):
        window.compute.start()
        window.planner.ask()
    assert window.results_pane is not None
    bar = window.results_pane.bar
    qtbot.mouseClick(bar.places["why"], LEFT)
    qtbot.mouseClick(bar.pages, LEFT, pos=bar.pages.tabRect(bar.pages.names.index("layouts")).center())
    layouts = window.results_pane.view_in_front()
    assert isinstance(layouts, LayoutsPage)
    qtbot.waitUntil(lambda: layouts.model.rowCount() > 5, timeout=WAIT_MS)
    ranking = layouts.model.source
    assert ranking is not None
    qtbot.mouseClick(layouts.table.viewport(), LEFT, pos=layouts.table.visualRect(layouts.model.index(3, 0)).center())
    qtbot.mouseClick(layouts.use, LEFT)
    fixed = window.store.scenario
    assert fixed is not None
    assert fixed.training is not None
    assert fixed.training.parallelism.tensor == ranking.table.tensor_parallel[3]
    assert "Use layout" in window.store.undo_stack.undoText()
    qtbot.waitUntil(
        lambda: window.compute.results is not None and window.compute.results.scenario is fixed, timeout=WAIT_MS
    )
    planned = window.compute.results
    assert planned is not None
    assert planned.plan.training is not None
    looked_at = planned.candidate("training")
    assert planned.plan.training.table.step_time_s[looked_at] == pytest.approx(ranking.table.step_time_s[3])
    assert planned.plan.accelerators[planned.plan.training.table.accelerator[looked_at]] == ranking.accelerator
    qtbot.mouseClick(layouts.free, LEFT)
    assert window.store.scenario is not None
    assert window.store.scenario.training is not None
    assert window.store.scenario.training.parallelism == Parallelism()
    window.store.undo_stack.undo()
    window.store.undo_stack.undo()
    assert window.store.scenario == scenario
