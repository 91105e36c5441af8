"""A project opens where it was left: on the same page and scenario."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.settings import Key
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.paths import resources_dir


@pytest.fixture(scope="module")
def engine() -> ShippedEngine:
    return ShippedEngine()


def opened(qtbot: QtBot, settings: QSettings, engine: ShippedEngine, file: Path) -> MainWindow:
    window = MainWindow(lambda: engine, settings)
    qtbot.addWidget(window, before_close_func=lambda it: it.store.undo_stack.setClean())
    window.show()
    window.build_results()
    assert window.file.open(file)
    return window


@pytest.fixture
def file(tmp_path: Path) -> Path:
    copy = tmp_path / "plan.gpuplan"
    copy.write_bytes((resources_dir() / "examples" / "13b-two-deployments.gpuplan").read_bytes())
    return copy


def test_project_opens_where_it_was_left(
    qtbot: QtBot, settings: QSettings, engine: ShippedEngine, file: Path, tmp_path: Path
) -> None:
    first = opened(qtbot, settings, engine, file)
    assert first.results_pane is not None
    first.store.duplicate_scenario(0, "duplicate")
    assert first.file.save()
    first.results_pane.show_page_named("cost")
    first.store.select_scenario(1)
    again = opened(qtbot, settings, engine, file)
    assert again.results_pane is not None
    assert again.results_pane.page_name() == "cost"
    assert again.store.current == 1
    assert not again.file.is_modified
    other = tmp_path / "other.gpuplan"
    other.write_bytes(file.read_bytes())
    again.file.open(other)
    assert again.store.current == 0
    again.file.open(file)
    assert again.store.current == 1, "forgotten while the other file was opened"


@pytest.mark.parametrize("entry", ["", "[]", '["{file}", "nowhere", 99]', '["{file}", 3, "x"]', "\x00["])
def test_settings_of_another_making_do_no_harm(
    qtbot: QtBot, settings: QSettings, engine: ShippedEngine, file: Path, entry: str
) -> None:
    settings.setValue(Key.SESSIONS, [entry.replace("{file}", str(file)), "second"])
    assert opened(qtbot, settings, engine, file).store.current == 0
