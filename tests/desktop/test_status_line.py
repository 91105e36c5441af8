"""The status bar says how far a task is and when it will be done, and calls it off."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.widgets import message_bar
from gpuplanner_gui.desktop.widgets.message_bar import StatusLine, TaskPace
from gpuplanner_gui.domain.curves import SimulatedFleet
from gpuplanner_gui.drawing.words.simulated_fleet import simulated_text
from tests.drawing import synthetic

LEFT = Qt.MouseButton.LeftButton


def test_time_left_follows_the_pace_since_the_task_began() -> None:
    pace = TaskPace()
    assert pace.left_s("load", 0.2, 100.0) == 0, "nothing is known at first"
    assert pace.left_s("load", 0.3, 101.0) == 0, "a second says little"
    assert pace.left_s("load", 0.4, 104.0) == pytest.approx(12.0)
    assert pace.left_s("load", 0.8, 112.0) == pytest.approx(4.0)
    assert pace.left_s("stress tests", 0.1, 113.0) == 0, "another task has a pace of its own"
    assert pace.left_s("stress tests", 0.05, 120.0) == 0, "begun anew"
    assert pace.left_s("", 0.0, 121.0) == 0


def test_a_long_task_tells_its_end_and_is_called_off(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(message_bar.time, "monotonic", lambda: now)
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(900, 30)
    line.show()
    line.show_task("Simulating load", 0.0)
    assert line.task.text() == "Simulating load 0 %"
    assert not line.cancel.isVisible(), "it may be over in a moment"
    now = 10.0
    line.show_task("Simulating load", 0.25)
    assert line.task.text() == "Simulating load 25 % · 30 s left"
    assert line.cancel.isVisible()
    with qtbot.waitSignal(line.cancel_requested):
        qtbot.mouseClick(line.cancel, LEFT)
    line.show_task("", 0.0)
    assert not line.cancel.isVisible()
    assert not line.task.text()


def test_nothing_is_said_of_results_while_they_are_not_on_screen(qtbot: QtBot) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(900, 30)
    line.show()
    line.show_state("current", "")
    line.set_blank(True)
    line.show_state("failed", "Out of memory")
    line.show_task("Simulating load", 0.5)
    assert not any(one.isVisible() for one in (line.state, line.facts, line.task, line.retry, line.cancel))
    line.set_blank(False)
    assert line.state.isVisible()
    assert line.retry.isVisible()


def test_a_quick_estimate_is_told_as_the_verdict_tells_it(qtbot: QtBot) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    results = synthetic.results()
    assert results.plan.serving is not None
    line.show_state("current", "")
    line.show_results(results)
    assert line.state.text() == "Quick estimate"
    assert simulated_text(results).startswith(line.state.text())
    fleet = SimulatedFleet(candidate=0, replicas=2, quick_replicas=2, rate_share=1.0, requests=3000, seed=1)
    served = msgspec.structs.replace(results.plan.serving, best=0, simulated=fleet)
    line.show_results(replace(results, plan=msgspec.structs.replace(results.plan, serving=served)))
    assert line.state.text() == "Up to date"


def test_the_time_of_a_plan_is_told_in_its_own_unit(qtbot: QtBot) -> None:
    line = StatusLine()
    qtbot.addWidget(line)
    line.resize(900, 30)
    results = synthetic.results()
    slow = replace(results, plan=msgspec.structs.replace(results.plan, elapsed_s=1.421))
    line.show_results(slow)
    assert "candidates in 1.42 s" in line.facts.text().replace("\u00a0", " ")
