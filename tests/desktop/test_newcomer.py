"""A newcomer's first walk, with real events: from the start page to an answer for their own model, rate and target."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from tests.desktop.person import Person

CONFIG = Path(__file__).resolve().parents[1] / "files" / "model_import" / "configs" / "llama-3.1-70b.json"
MOST_ACTIONS = 12
MOST_PROGRAM_TIME_S = 60.0
"""Processor time of this program, which a crowded machine does not lengthen."""


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
    newcomer = Person(window, qtbot)
    newcomer.picks(CONFIG, monkeypatch)
    window.compute.start()
    newcomer.press("Plan a model's config.json…")
    newcomer.go_to("Serving")
    newcomer.fill_in("Peak rate", "40")
    newcomer.fill_in("Limit 1", "1 s")
    serving = window.store.scenario.serving if window.store.scenario is not None else None
    assert serving is not None
    assert serving.classes[0].peak_rate_per_s == 40.0
    assert serving.classes[0].slos[0].limit_s == 1.0
    newcomer.wait_for_the_answer()
    answer = newcomer.reads()
    assert "chance of meeting every target" in answer, answer
    assert "per replica" in answer
    assert "per M output tokens" in answer
    assert len(newcomer.actions) <= MOST_ACTIONS, newcomer.actions
    assert time.process_time() - began_s < MOST_PROGRAM_TIME_S
