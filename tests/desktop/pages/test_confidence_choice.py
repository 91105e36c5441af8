"""How sure a plan has to be is chosen beside the verdict, changes the fleet, and can be undone."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.window.main_window import MainWindow

WAIT_MS = 60_000
PATH = "economics.uncertainty"


def _asked(window: MainWindow) -> float:
    results = window.compute.results
    assert results is not None
    assert results.plan.verdicts is not None
    return results.plan.verdicts.both.confidence


def _is_current(window: MainWindow) -> bool:
    return window.compute.state == "current"


def test_a_higher_confidence_is_chosen_by_keys_and_undone(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    choice = window.verdict.confidence
    qtbot.waitUntil(choice.isVisible, timeout=WAIT_MS)
    assert choice.confidence.currentText() == "80 %"
    assert _asked(window) == 0.8
    qtbot.keyClick(choice.confidence, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: window.store.value(f"{PATH}.confidence") == "p95", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: _is_current(window) and _asked(window) == 0.95, timeout=WAIT_MS)
    assert choice.confidence.currentText() == "95 %"
    window.store.undo_stack.undo()
    assert window.store.value(f"{PATH}.confidence") == "p80"
    qtbot.waitUntil(lambda: choice.confidence.currentText() == "80 %", timeout=WAIT_MS)


def test_measured_only_is_an_edit_that_can_be_undone(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    choice = window.verdict.confidence
    box = choice.measured_only
    qtbot.waitUntil(box.isVisible, timeout=WAIT_MS)
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    assert window.store.value(f"{PATH}.measured_only") is True
    window.store.undo_stack.undo()
    assert window.store.value(f"{PATH}.measured_only") is False
    qtbot.waitUntil(lambda: not choice.measured_only.isChecked(), timeout=WAIT_MS)
