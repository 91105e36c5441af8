"""The verdict says whether the recommended fleet is a quick estimate or simulated, after typing in a form."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import PARTS
from gpuplanner_gui.desktop.editors.field_row import FieldRow
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.window.main_window import MainWindow

WAIT_MS = 60_000
RATE = "serving.classes[0].peak_rate_per_s"


@pytest.mark.usefixtures("whole_simulations")
def test_the_verdict_turns_from_quick_to_simulated_once_the_planner_pauses(
    answered_window: MainWindow, qtbot: QtBot
) -> None:
    window, said = answered_window, []
    qtbot.waitUntil(lambda: "simulated requests confirm" in window.verdict.accessibleDescription(), timeout=WAIT_MS)
    window.compute.results_changed.connect(lambda results: said.append(results.plan.serving.simulated is not None))
    window.inputs.show_part(next(part for part in PARTS if part.path == "serving"))
    form = window.inputs.editor.page_editor(next(part for part in PARTS if part.path == "serving"))
    row = next(one for one in form.findChildren(FieldRow) if one.label.text() == "Peak rate")
    line = row.editor.focus_widget()
    assert isinstance(line, QLineEdit)
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, "90")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    assert window.store.value(RATE) == 90.0
    qtbot.waitUntil(lambda: "Quick estimate, not yet" in window.verdict.accessibleDescription(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: "simulated requests confirm" in window.verdict.accessibleDescription(), timeout=WAIT_MS)
    assert said[0] is False
    assert said[-1] is True
    results = window.compute.results
    assert results is not None
    assert results.plan.serving is not None
    assert results.plan.serving.peak_rate_per_s == 90.0
    window.store.note_saved(window.planner.stamped(window.store.project))
    window.store.rename_scenario(0, "Night shift", "Rename scenario")
    renamed = window.compute.results
    assert renamed is not None
    assert (renamed.scenario.name, renamed.plan) == ("Night shift", results.plan), "a name changes no number"
    assert window.compute.state is PlanState.CURRENT
    assert "simulated requests confirm" in window.verdict.accessibleDescription()
