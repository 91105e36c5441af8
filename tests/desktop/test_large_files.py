"""A large project is read and checked on a thread of its own; the newest wish counts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop import main
from gpuplanner_gui.desktop.store import Store
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.project_file import READ_AT_ONCE_BYTES, ProjectFile
from gpuplanner_gui.desktop.window.windows import Windows
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files import project as project_files
from gpuplanner_gui.files.project import project_to_bytes
from tests.desktop.test_project_file import RATE, answer_question, by_key

WAIT_MS = 60_000


@pytest.fixture
def store(project: Project, qtbot: QtBot) -> Store:
    return Store(project)


@pytest.fixture
def file(store: Store, settings: QSettings, qtbot: QtBot) -> Iterator[ProjectFile]:
    window = QWidget()
    qtbot.addWidget(window)
    made = ProjectFile(store, settings, window, lambda project: project)
    yield made
    made.stop()


class Reading:
    """Notes the threads that read projects, and lets them go on when the test says so."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []
        self.go_on = threading.Event()
        self.go_on.set()

    def read(self, load: Callable[[Path], Project], path: Path) -> Project:
        self.threads.append(threading.current_thread())
        assert self.go_on.wait(WAIT_MS / 1e3)
        return load(path)


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reading]:
    seen, load = Reading(), project_files.load_project
    monkeypatch.setattr(project_files, "load_project", lambda path: seen.read(load, path))
    yield seen
    seen.go_on.set()


def large(folder: Path, name: str) -> Path:
    """A valid project that takes megabytes, told from others by its notes."""
    path = folder / f"{name}.gpuplan"
    content = project_to_bytes(Project(notes=name))
    path.write_bytes(content + b" " * (5_000_000 - len(content)))
    return path


def small(folder: Path, name: str) -> Path:
    path = folder / f"{name}.gpuplan"
    path.write_bytes(project_to_bytes(Project(notes=name)))
    assert path.stat().st_size <= READ_AT_ONCE_BYTES
    return path


def come_to_rest(qtbot: QtBot, file: ProjectFile) -> None:
    qtbot.waitUntil(lambda: not file.is_reading, timeout=WAIT_MS)


@pytest.mark.parametrize("way", ["open", "open_template", "read_again"])
def test_large_project_is_never_read_on_the_windows_thread(
    file: ProjectFile, store: Store, reading: Reading, tmp_path: Path, qtbot: QtBot, way: str
) -> None:
    path = large(tmp_path, "much")
    if way == "read_again":
        file.path = path
        file.read_again()
    else:
        assert getattr(file, way)(path)
    assert file.is_reading
    assert store.project.notes == ""
    come_to_rest(qtbot, file)
    assert store.project.notes == "much"
    assert file.path == (None if way == "open_template" else path)
    assert [one for one in reading.threads if one is threading.main_thread()] == []
    assert len(reading.threads) == 1


def test_small_project_is_open_at_once(file: ProjectFile, store: Store, tmp_path: Path) -> None:
    assert file.open(small(tmp_path, "little"))
    assert store.project.notes == "little"
    assert not file.is_reading


@pytest.mark.parametrize("make", [large, small])
def test_newest_wish_counts(
    file: ProjectFile,
    store: Store,
    reading: Reading,
    tmp_path: Path,
    qtbot: QtBot,
    make: Callable[[Path, str], Path],
) -> None:
    reading.go_on.clear()
    file.open(large(tmp_path, "first"))
    qtbot.waitUntil(lambda: len(reading.threads) == 1, timeout=WAIT_MS)
    newest = make(tmp_path, "newest")
    if make is small:
        reading.go_on.set()
    file.open(newest)
    reading.go_on.set()
    come_to_rest(qtbot, file)
    # Whatever the first would still tell is told before the end of a third.
    file.stop()
    QApplication.processEvents()
    assert store.project.notes == "newest"
    assert file.path == newest


def test_given_up_reading_changes_nothing(
    file: ProjectFile, store: Store, reading: Reading, tmp_path: Path, qtbot: QtBot
) -> None:
    before = store.project
    reading.go_on.clear()
    file.open(large(tmp_path, "much"))
    qtbot.waitUntil(lambda: len(reading.threads) == 1, timeout=WAIT_MS)
    file.cancel_reading()
    assert not file.is_reading
    reading.go_on.set()
    file.stop()
    QApplication.processEvents()
    assert store.project is before
    assert file.path is None


def test_large_damaged_file_is_refused_with_its_sentence(
    file: ProjectFile, store: Store, tmp_path: Path, qtbot: QtBot
) -> None:
    bad, before = tmp_path / "bad.gpuplan", store.project
    bad.write_bytes(b'{"format": "gpuplan", "version": 2, "scenarios": [' + b" " * 200_000)
    with qtbot.waitSignal(file.problem, timeout=WAIT_MS) as told:
        assert file.open(bad)
    assert "not valid JSON" in file_problem_text(told.args[0])
    come_to_rest(qtbot, file)
    assert store.project is before
    assert file.recent.paths() == []


def test_what_is_edited_while_a_file_is_read_is_asked_about(
    file: ProjectFile, store: Store, reading: Reading, tmp_path: Path, qtbot: QtBot
) -> None:
    reading.go_on.clear()
    file.open(large(tmp_path, "much"))
    store.edit(RATE, 77.0, "Change Peak rate")
    said = answer_question(qtbot, "unsaved", by_key(qtbot, Qt.Key.Key_Escape))
    reading.go_on.set()
    come_to_rest(qtbot, file)
    assert said
    assert store.value(RATE) == 77.0
    assert file.path is None


def test_window_says_what_it_reads_and_gives_it_up(
    planned_window: MainWindow, reading: Reading, tmp_path: Path, qtbot: QtBot
) -> None:
    window, before = planned_window, planned_window.store.project
    reading.go_on.clear()
    window.commands.open_paths([large(tmp_path, "much")])
    assert window.menus.actions["cancel"].isEnabled()
    qtbot.waitUntil(lambda: window.messages.shown is not None, timeout=WAIT_MS)
    assert "much.gpuplan" in window.messages.text.text()
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    assert window.messages.shown is None
    assert not window.file.is_reading
    window.commands.open_paths([large(tmp_path, "more")])
    qtbot.waitUntil(lambda: window.messages.shown is not None, timeout=WAIT_MS)
    window.menus.actions["cancel"].trigger()
    assert window.messages.shown is None
    assert window.store.project is before


@pytest.mark.parametrize("is_good", [True, False])
def test_program_begins_with_a_large_file(
    windows: Windows, tmp_path: Path, qtbot: QtBot, is_good: bool, user_home: Path
) -> None:
    path, window = large(tmp_path, "much"), windows.front
    if not is_good:
        path.write_bytes(path.read_bytes()[:-4_000_000] + b"!")
    window.store.open_project(Project())
    assert main._begin(windows, path, [])
    come_to_rest(qtbot, window.file)
    if is_good:
        assert window.file.path == path
        assert window.workspace.is_at_work
    else:
        assert window.store.project.scenarios
        assert not window.workspace.is_at_work
        assert "much.gpuplan" in window.messages.text.text()
