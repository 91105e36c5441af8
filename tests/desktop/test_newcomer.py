"""A newcomer's first walk, with real events: from the start page to an answer for their own model, rate and target."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow

CONFIG = Path(__file__).resolve().parents[1] / "files" / "model_import" / "configs" / "llama-3.1-70b.json"
LEFT = Qt.MouseButton.LeftButton
MOST_ACTIONS = 12
MOST_PROGRAM_TIME_S = 60.0
"""Processor time of this program, which a crowded machine does not lengthen."""
RESULT_WAIT_MS = 60_000


class Newcomer:
    """Does one thing after another, as a person would, and counts."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self.qtbot = window, qtbot
        self.actions: list[str] = []

    def press(self, text: str) -> None:
        """Click the button that says this."""
        buttons = [one for one in self.window.findChildren(QPushButton) if one.text().replace("&", "") == text]
        button = next(one for one in buttons if one.isVisible())
        self.actions.append(f"press “{text}”")
        self.qtbot.mouseClick(button, LEFT)

    def go_to(self, part: str) -> None:
        """Click a part of the project's tree."""
        tree = self.window.inputs.tree
        item = tree.findItems(part, Qt.MatchFlag.MatchRecursive)[0]
        self.actions.append(f"click “{part}”")
        self.qtbot.mouseClick(tree.viewport(), LEFT, pos=tree.visualItemRect(item).center())

    def fill_in(self, name: str, text: str) -> None:
        """Double-click a field, type over what stands there, and press Enter: three actions."""
        field = next(one for one in self.fields() if one.accessibleName() == name)
        self.actions += [f"double-click “{name}”", f"type “{text}”", "press Enter"]
        self.qtbot.mouseDClick(field, LEFT)
        field.selectAll()
        self.qtbot.keyClicks(field, text)
        self.qtbot.keyClick(field, Qt.Key.Key_Return)

    def fields(self) -> list[QLineEdit]:
        return [one for one in self.window.inputs.findChildren(QLineEdit) if one.isVisible()]

    def reads(self) -> str:
        """What stands in the verdict."""
        return " ".join(one.text() for one in self.window.verdict.findChildren(QLabel) if one.isVisible())


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, user_home: Path) -> MainWindow:
    window = MainWindow(ShippedEngine, settings)
    qtbot.addWidget(window, before_close_func=lambda it: it.store.undo_stack.setClean())
    window.resize(1280, 720)
    window.show()
    window.workspace.show_start_page()
    window.build_results()
    return window


def test_answer_for_a_config_json_a_rate_and_a_target(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Serve this config.json at 40 requests/s under 1 s TTFT."""
    began_s = time.process_time()
    newcomer = Newcomer(window, qtbot)

    def pick_file(*_: object) -> tuple[str, str]:
        newcomer.actions += ["choose the file", "press “Open”"]
        return str(CONFIG), ""

    monkeypatch.setattr(QFileDialog, "getOpenFileName", pick_file)
    window.compute.start()
    newcomer.press("Plan a model's config.json…")
    newcomer.go_to("Serving")
    newcomer.fill_in("Peak rate", "40")
    newcomer.fill_in("Limit 1", "1 s")
    serving = window.store.scenario.serving if window.store.scenario is not None else None
    assert serving is not None
    assert serving.classes[0].peak_rate_per_s == 40.0
    assert serving.classes[0].slos[0].limit_s == 1.0
    qtbot.waitUntil(lambda: is_answered(window), timeout=RESULT_WAIT_MS)
    answer = newcomer.reads()
    assert "chance of meeting every target" in answer, answer
    assert "per replica" in answer
    assert "per M output tokens" in answer
    assert len(newcomer.actions) <= MOST_ACTIONS, newcomer.actions
    assert time.process_time() - began_s < MOST_PROGRAM_TIME_S


def is_answered(window: MainWindow) -> bool:
    results = window.compute.results
    return window.compute.state == "current" and results is not None and results.scenario == window.store.scenario
