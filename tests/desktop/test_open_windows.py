"""Quitting and beginning again: every window comes back, on its file, page and unsaved work, where that is wanted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gpuplanner_gui.desktop.settings import Key
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.recovery import LostWork, recovery_dir
from gpuplanner_gui.desktop.window.windows import Windows, kept_open_windows
from gpuplanner_gui.paths import resources_dir

CONTROL = Qt.KeyboardModifier.ControlModifier
RATE = "serving.classes[0].peak_rate_per_s"
WAIT_MS = 30_000


@pytest.fixture(scope="module")
def engine() -> ShippedEngine:
    return ShippedEngine()


class Program:
    """Runs of the program one after the other, with the same settings."""

    def __init__(self, engine: ShippedEngine, settings: QSettings) -> None:
        self._engine, self._settings = engine, settings
        self.made: list[MainWindow] = []
        self.windows = Windows(self._made)

    def _made(self) -> MainWindow:
        self.made.append(MainWindow(lambda: self._engine, self._settings))
        return self.made[-1]

    def start(self) -> Windows:
        self.windows = Windows(self._made)
        first = self._made()
        self.windows.take(first)
        first.show()
        first.build_results()
        self.windows.bring_back(kept_open_windows(self._settings))
        return self.windows


@pytest.fixture
def program(engine: ShippedEngine, settings: QSettings, user_home: Path, qtbot: QtBot) -> Iterator[Program]:
    made = Program(engine, settings)
    yield made
    for window in list(made.windows.all):
        window.store.undo_stack.setClean()
        window.close()
    for window in filter(isValid, made.made):
        window.deleteLater()  # the last of each run, which a program keeps until its end


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    found = []
    for name in ("70b-chat", "7b-continued-pretraining"):
        copy = tmp_path / f"{name}.gpuplan"
        copy.write_bytes((resources_dir() / "examples" / copy.name).read_bytes())
        found.append(copy)
    return found


def quits(windows: Windows, qtbot: QtBot) -> None:
    """Ctrl+Q in the front window, until all are gone."""
    front = windows.front
    front.activateWindow()
    qtbot.waitUntil(front.isActiveWindow)
    qtbot.keyClick(front, Qt.Key.Key_Q, CONTROL)
    qtbot.waitUntil(lambda: windows.all == [], timeout=WAIT_MS)


def answers(qtbot: QtBot, button: str, asked: list[str]) -> None:
    """Press a button of the next question."""

    def press() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(20, press)
            return
        asked.append(box.text())
        pressed = next(one for one in box.buttons() if one.text().replace("&", "") == button)
        qtbot.mouseClick(pressed, Qt.MouseButton.LeftButton)

    QTimer.singleShot(0, press)


def test_every_window_comes_back_with_its_file_page_and_unsaved_work(
    program: Program, settings: QSettings, files: list[Path], qtbot: QtBot
) -> None:
    settings.setValue(Key.RESTORES_SESSION, True)
    windows = program.start()
    first = windows.front
    assert first.file.open(files[0])
    assert first.results_pane is not None
    first.results_pane.show_page_named("cost")
    second = windows.open_new()
    assert second.file.open(files[1])
    second.setGeometry(30, 40, 760, 610)
    size = second.size()
    second.store.duplicate_scenario(0, "duplicate")
    third = windows.open_new()
    third.workspace.show_workspace()
    third.store.edit(RATE, 123.0, "rate")
    quits(windows, qtbot)

    again = program.start()
    assert [one.file.path for one in again.all] == [*files, None], "in the same order, the front one last"
    back_first, back_second, back_third = again.all
    assert back_first.results_pane is not None
    assert back_first.results_pane.page_name() == "cost"
    assert not back_first.file.is_modified
    assert len(back_second.store.project.scenarios) == 2
    assert back_second.store.current == 1
    assert back_second.file.is_modified
    assert back_second.size() == size
    assert back_third.store.value(RATE) == 123.0
    assert back_third.file.is_modified
    assert all(one.isVisible() for one in again.all)
    assert len(list(recovery_dir().glob("*.recovery"))) == 2, "each under the lock of its window, no copy of a copy"
    assert LostWork(recovery_dir()).copies == []


def test_without_the_wish_quitting_asks_about_each_window_and_may_be_called_off(
    program: Program, files: list[Path], qtbot: QtBot
) -> None:
    windows = program.start()
    first = windows.front
    first.store.edit(RATE, 12.0, "rate")
    second = windows.open_new()
    second.workspace.show_workspace()
    asked: list[str] = []
    answers(qtbot, "Cancel", asked)
    second.activateWindow()
    qtbot.waitUntil(second.isActiveWindow)
    qtbot.keyClick(second, Qt.Key.Key_Q, CONTROL)
    qtbot.waitUntil(lambda: bool(asked))
    qtbot.wait(50)
    assert len(windows.all) == 2, "none is closed where one is kept"
    answers(qtbot, "Discard", asked)
    quits(windows, qtbot)
    assert len(asked) == 2
    assert not list(recovery_dir().glob("*.recovery"))
    assert program.start().front.file.path is None


def test_the_window_command_closes_one_window_and_asks(program: Program, qtbot: QtBot, settings: QSettings) -> None:
    settings.setValue(Key.RESTORES_SESSION, True)
    windows = program.start()
    first, second = windows.front, windows.open_new()
    second.workspace.show_workspace()
    second.store.edit(RATE, 12.0, "rate")
    asked: list[str] = []
    answers(qtbot, "Discard", asked)
    second.activateWindow()
    qtbot.waitUntil(second.isActiveWindow)
    qtbot.keyClick(second, Qt.Key.Key_W, CONTROL)
    qtbot.waitUntil(lambda: windows.all == [first])
    assert len(asked) == 1


def test_closing_the_last_window_is_quitting(
    program: Program, qtbot: QtBot, settings: QSettings, files: list[Path]
) -> None:
    settings.setValue(Key.RESTORES_SESSION, True)
    only = program.start().front
    only.file.open(files[0])
    only.store.edit(RATE, 77.0, "rate")
    only.close()
    back = program.start().front
    assert back.file.path == files[0]
    assert back.store.value(RATE) == 77.0
    assert back.file.is_modified


def test_file_that_is_gone_is_said_and_the_others_are_opened(
    program: Program, qtbot: QtBot, settings: QSettings, files: list[Path]
) -> None:
    settings.setValue(Key.RESTORES_SESSION, True)
    windows = program.start()
    windows.front.file.open(files[0])
    windows.open_new().file.open(files[1])
    quits(windows, qtbot)
    files[1].unlink()
    again = program.start()
    assert [one.file.path for one in again.all] == [files[0]]
    assert files[1].name in again.front.messages.text.text()


@pytest.mark.parametrize(
    "entry", ["", "[]", "{}", '{"path": 3}', '{"copy": "../../x"}', '{"nonsense": ""}', '{"geometry": "&&&"}', "\x00"]
)
def test_settings_of_another_making_do_no_harm(program: Program, settings: QSettings, entry: str) -> None:
    settings.setValue(Key.RESTORES_SESSION, True)
    settings.setValue(Key.OPEN_WINDOWS, [entry, json.dumps({"path": "/nowhere/x.gpuplan"})])
    windows = program.start()
    assert len(windows.all) == 1
    assert "x.gpuplan" in windows.front.messages.text.text()
