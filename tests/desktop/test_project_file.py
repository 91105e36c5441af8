from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.store import Store
from gpuplanner_gui.desktop.window.project_file import ProjectFile
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.project import load_project, project_to_bytes

RATE = "serving.classes[0].peak_rate_per_s"


@pytest.fixture
def store(project: Project, qtbot: QtBot) -> Store:
    return Store(project)


@pytest.fixture
def file(store: Store, settings: QSettings, qtbot: QtBot) -> ProjectFile:
    window = QWidget()
    qtbot.addWidget(window)
    return ProjectFile(store, settings, window, lambda project: project)


@pytest.fixture
def saved(tmp_path: Path, project: Project) -> Path:
    path = tmp_path / "saved.gpuplan"
    path.write_bytes(project_to_bytes(project))
    return path


def answer_question(qtbot: QtBot, name: str, press: Callable[[QMessageBox], None]) -> list[str]:
    """When the question comes up, press something in it; what it said is in the list afterwards."""
    said: list[str] = []

    def act() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(10, act)
            return
        assert box.objectName() == name
        said.append(box.text())
        press(box)

    QTimer.singleShot(0, act)
    return said


def by_button(qtbot: QtBot, words: str) -> Callable[[QMessageBox], None]:
    def press(box: QMessageBox) -> None:
        button = next(b for b in box.findChildren(QPushButton) if b.text().replace("&", "").startswith(words))
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    return press


def by_key(qtbot: QtBot, key: Qt.Key) -> Callable[[QMessageBox], None]:
    return lambda box: qtbot.keyClick(box, key)


def say_path(monkeypatch: pytest.MonkeyPatch, dialog: str, path: Path | str) -> None:
    monkeypatch.setattr(QFileDialog, dialog, lambda *_, **__: (str(path), ""))


def edit(store: Store, rate: float = 77.0) -> None:
    store.edit(RATE, rate, "Change Peak rate")


def test_saved_project_reads_back_equal(
    file: ProjectFile, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edit(store)
    say_path(monkeypatch, "getSaveFileName", tmp_path / "mine")
    assert file.save()
    path = tmp_path / "mine.gpuplan"
    assert file.path == path
    assert load_project(path).scenarios == store.project.scenarios
    assert not file.is_modified
    assert file.recent.paths() == [path]


def test_save_writes_to_the_same_file_without_asking(file: ProjectFile, store: Store, saved: Path) -> None:
    assert file.open(saved)
    edit(store)
    assert file.is_modified
    assert file.save()
    assert load_project(saved).scenarios[0] == store.scenario


def test_cancelled_save_as_changes_nothing(file: ProjectFile, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(store)
    say_path(monkeypatch, "getSaveFileName", "")
    assert not file.save()
    assert file.path is None
    assert file.is_modified


def test_failed_save_keeps_name_and_modified_state(
    file: ProjectFile, store: Store, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    file.open(saved)
    edit(store)
    say_path(monkeypatch, "getSaveFileName", tmp_path / "no such folder" / "x.gpuplan")
    with qtbot.waitSignal(file.not_saved) as told:
        assert not file.save_as()
    assert "could not be written" in file_problem_text(told.args[0])
    assert file.path == saved
    assert file.is_modified
    assert file.recent.paths() == [saved]


def test_damaged_file_is_refused_with_a_sentence_and_the_project_stays(
    file: ProjectFile, store: Store, tmp_path: Path, qtbot: QtBot
) -> None:
    bad = tmp_path / "bad.gpuplan"
    bad.write_text('{"format": "gpuplan", "version": 1, "scenarios": [')
    before = store.project
    with qtbot.waitSignal(file.problem) as told:
        assert not file.open(bad)
    assert "bad.gpuplan" in file_problem_text(told.args[0])
    assert store.project is before
    assert file.recent.paths() == []


def test_unsaved_work_default_is_save(file: ProjectFile, store: Store, saved: Path, qtbot: QtBot) -> None:
    file.open(saved)
    edit(store)
    said = answer_question(qtbot, "unsaved", by_key(qtbot, Qt.Key.Key_Return))
    assert file.may_leave()
    assert "saved.gpuplan" in said[0]
    assert load_project(saved).scenarios[0].serving.classes[0].peak_rate_per_s == 77.0


def test_unsaved_work_can_be_discarded(file: ProjectFile, store: Store, saved: Path, qtbot: QtBot) -> None:
    file.open(saved)
    before = saved.read_bytes()
    edit(store)
    answer_question(qtbot, "unsaved", by_button(qtbot, "Discard"))
    assert file.new()
    assert saved.read_bytes() == before
    assert file.path is None


def test_escape_at_the_unsaved_question_keeps_working(
    file: ProjectFile, store: Store, saved: Path, qtbot: QtBot
) -> None:
    edit(store)
    answer_question(qtbot, "unsaved", by_key(qtbot, Qt.Key.Key_Escape))
    assert not file.open(saved)
    assert store.value(RATE) == 77.0


def test_file_changed_by_others_is_not_overwritten_unasked(
    file: ProjectFile, store: Store, saved: Path, qtbot: QtBot
) -> None:
    file.open(saved)
    edit(store)
    saved.write_bytes(saved.read_bytes() + b"\n")
    others = saved.read_bytes()
    said = answer_question(qtbot, "disk-change", by_key(qtbot, Qt.Key.Key_Escape))
    assert not file.save()
    assert "nother program" in said[0]
    assert saved.read_bytes() == others
    answer_question(qtbot, "disk-change", by_button(qtbot, "Replace"))
    assert file.save()
    assert load_project(saved).scenarios[0] == store.scenario


def test_own_save_is_no_change_by_others(file: ProjectFile, store: Store, saved: Path) -> None:
    file.open(saved)
    edit(store)
    assert file.save()
    edit(store, 78.0)
    assert file.save()


def test_template_opens_without_a_name(file: ProjectFile, saved: Path) -> None:
    assert file.open_template(saved)
    assert file.path is None
    assert not file.is_modified


def test_undo_back_to_the_saved_state_is_unmodified(file: ProjectFile, store: Store, saved: Path) -> None:
    file.open(saved)
    edit(store)
    store.undo_stack.undo()
    assert not file.is_modified


def test_removed_file_is_written_again(file: ProjectFile, store: Store, saved: Path) -> None:
    file.open(saved)
    edit(store)
    saved.unlink()
    assert file.save()
    assert load_project(saved).scenarios[0] == store.scenario


def test_removed_folder_is_told_and_the_work_stays_open(
    file: ProjectFile, store: Store, saved: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    moved = tmp_path / "folder" / "plan.gpuplan"
    moved.parent.mkdir()
    saved.rename(moved)
    file.open(moved)
    edit(store)
    shutil.rmtree(moved.parent)
    with qtbot.waitSignal(file.not_saved) as told:
        assert not file.save()
    assert "another folder" in file_problem_text(told.args[0])
    assert file.is_modified


def test_clock_that_goes_back_hides_no_change_by_others(
    file: ProjectFile, store: Store, saved: Path, qtbot: QtBot
) -> None:
    file.open(saved)
    edit(store)
    others = saved.read_bytes().replace(b'"notes": ""', b'"notes": "x"', 1)
    saved.write_bytes(others)
    os.utime(saved, (1, 1))
    said = answer_question(qtbot, "disk-change", by_key(qtbot, Qt.Key.Key_Escape))
    assert not file.save()
    assert said
    assert saved.read_bytes() == others


def test_second_window_on_one_file_is_asked_before_it_overwrites(
    file: ProjectFile, store: Store, saved: Path, settings: QSettings, project: Project, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    other_store = Store(project)
    other = ProjectFile(other_store, settings, window, lambda changed: changed)
    file.open(saved)
    other.open(saved)
    edit(store, 77.0)
    edit(other_store, 78.0)
    assert file.save()
    said = answer_question(qtbot, "disk-change", by_key(qtbot, Qt.Key.Key_Escape))
    assert not other.save()
    assert "nother program" in said[0]
    assert load_project(saved).scenarios[0] == store.scenario
    assert other.is_modified


def test_what_could_not_be_opened_again_is_not_written(
    file: ProjectFile, store: Store, saved: Path, qtbot: QtBot
) -> None:
    file.open(saved)
    before = saved.read_bytes()
    store.edit_project("notes", "x" * 200_000, "Change notes")
    with qtbot.waitSignal(file.not_saved) as told:
        assert not file.save()
    assert "at most 100" in file_problem_text(told.args[0])
    assert saved.read_bytes() == before
