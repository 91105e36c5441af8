"""Two windows in one program: each on a project of its own, closed one by one, files in the one in front."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.windows import Windows
from gpuplanner_gui.paths import resources_dir

WAIT_MS = 30_000


@pytest.fixture
def windows(qtbot: QtBot, settings: QSettings) -> Iterator[Windows]:
    engine = ShippedEngine()
    made = Windows(lambda: MainWindow(lambda: engine, settings))
    first = MainWindow(lambda: engine, settings)
    made.take(first)
    first.show()
    first.build_results()
    first.compute.start()
    yield made
    for window in list(made.all):
        window.store.undo_stack.setClean()
        window.close()


def test_each_window_has_a_project_of_its_own(windows: Windows, qtbot: QtBot) -> None:
    first = windows.front
    first.menus.actions["new_window"].trigger()
    second = windows.front
    assert second is not first
    assert second.isVisible()
    second.commands.add_scenario()
    assert len(second.store.project.scenarios) == 2
    assert len(first.store.project.scenarios) == 1
    assert not first.isWindowModified()
    assert second.isWindowModified()


def test_closing_one_keeps_the_other_at_work(windows: Windows, qtbot: QtBot) -> None:
    first = windows.front
    second = windows.open_new()
    fronts: list[object] = []
    windows.front_changed.connect(fronts.append)
    second.close()
    assert windows.all == [first]
    assert fronts[-1] is first
    qtbot.wait(50)
    with qtbot.waitSignal(first.compute.completed, timeout=WAIT_MS):
        first.planner.ask()
        first.store.edit("serving.classes[0].peak_rate_per_s", 77.0, "edit")
    assert first.compute.results is not None
    first.store.undo_stack.setClean()


def test_a_window_that_is_kept_stays_among_them(windows: Windows, monkeypatch: pytest.MonkeyPatch) -> None:
    first = windows.front
    second = windows.open_new()
    monkeypatch.setattr(second.file, "may_leave", lambda: False)
    second.close()
    assert windows.all == [first, second]
    monkeypatch.undo()


def test_a_file_that_is_open_already_is_shown_where_it_is(windows: Windows, tmp_path: Path) -> None:
    path = tmp_path / "plan.gpuplan"
    path.write_bytes((resources_dir() / "examples" / "rag.gpuplan").read_bytes())
    first = windows.front
    assert first.file.open(path)
    first.commands.add_scenario()
    second = windows.open_new()
    assert not second.file.open(tmp_path / "." / "plan.gpuplan")
    assert windows.front is first
    assert first.messages.text.text() == "plan.gpuplan is already open in this window."
    assert second.file.path is None
    assert windows.open_beside(str(path)) is first
    assert windows.all == [second, first]


def test_a_file_from_outside_opens_in_the_front_window(windows: Windows, qtbot: QtBot, tmp_path: Path) -> None:
    example = resources_dir() / "examples" / "70b-chat.gpuplan"
    file = tmp_path / "plan.gpuplan"
    file.write_bytes(example.read_bytes())
    first = windows.front
    second = windows.open_new()
    with qtbot.waitSignal(second.file.opened, timeout=WAIT_MS):
        windows.open_from_outside(str(file))
    assert second.file.path == file
    assert first.file.path is None
    windows.show_next()
    assert windows.front is first
