"""The verdict stays that of the plan, whatever is looked at; without a workload there is none."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.window.main_window import MainWindow
from tests.desktop.conftest import PLAN_WAIT_MS

NONE = "This scenario has no workload. Open Serving or Training under Inputs to add one."


def test_without_a_workload_nothing_of_the_old_plan_is_told(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    pane = window.results_pane
    assert pane is not None
    table = pane.candidates.tables["serving"]
    assert table.isVisible()
    window.menus.actions["remove_serving"].trigger()
    qtbot.waitUntil(lambda: pane.results is not None and pane.results.workloads() == (), timeout=PLAN_WAIT_MS)
    qtbot.waitUntil(lambda: window.compute.state == PlanState.CURRENT, timeout=PLAN_WAIT_MS)
    qtbot.waitUntil(lambda: window.verdict.accessibleDescription() == NONE, timeout=PLAN_WAIT_MS)
    qtbot.waitUntil(lambda: [text for text in seen(window) if "Computing" in text] == [], timeout=PLAN_WAIT_MS)
    assert not table.isVisible()
    assert not pane.candidates.show_all.isVisible()
    qtbot.waitUntil(lambda: seen(window).count(NONE) == 3, timeout=PLAN_WAIT_MS)  # Verdict, findings and table.
    assert not any("No findings" in text for text in seen(window))
    window.store.undo_stack.undo()
    qtbot.waitUntil(table.isVisible, timeout=PLAN_WAIT_MS)
    qtbot.waitUntil(lambda: NONE not in seen(window), timeout=PLAN_WAIT_MS)


def test_a_plans_ranges_stay_whichever_candidate_is_looked_at(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    pane = window.results_pane
    assert pane is not None
    tasks = window.decision.tasks
    qtbot.waitUntil(lambda: tasks.answer is not None and tasks.answer.uncertainty is not None, timeout=PLAN_WAIT_MS)
    qtbot.waitUntil(lambda: "(simulated)" in window.verdict.accessibleDescription(), timeout=PLAN_WAIT_MS)
    said = window.verdict.accessibleDescription()
    assert "80 % range" in said
    assert "per M output tokens ($" in said, "how sure the cost is"
    results = pane.results
    assert results is not None
    assert results.plan.serving is not None
    best = results.plan.serving.best
    other = pane.candidates.models["serving"].source_at(4)
    assert other != best
    for looked_at in (other, best):
        with qtbot.waitSignal(window.compute.settled, timeout=PLAN_WAIT_MS):
            window.planner.select_candidate("serving", looked_at)
        qtbot.waitUntil(lambda: not window.verdict.is_drawing(), timeout=PLAN_WAIT_MS)
        assert pane.results is not None
        assert pane.results.candidate("serving") == looked_at
        assert window.verdict.accessibleDescription() == said


def seen(window: MainWindow) -> list[str]:
    return [label.text() for label in window.findChildren(QLabel) if label.isVisible() and label.text()]
