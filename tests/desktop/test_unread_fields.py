"""Text that cannot be taken: a save says so with the way to the field, and closing asks before it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QLineEdit, QMessageBox
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.deploy import ReportDialog
from gpuplanner_gui.desktop.editors.base import PARTS
from gpuplanner_gui.desktop.editors.field_row import FieldRow
from gpuplanner_gui.desktop.editors.struct_form import FormSection
from gpuplanner_gui.desktop.settings import Key
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.windows import Windows
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.files.project import load_project
from tests.desktop.drawn import wait_until_drawn
from tests.desktop.question_box import answer_next

RATE = "serving.classes[0].peak_rate_per_s"
CONTROL = Qt.KeyboardModifier.ControlModifier
SERVING, HARDWARE = (next(part for part in PARTS if part.path == path) for path in ("serving", "hardware"))
WAIT_MS = 60_000


def forget_work(window: MainWindow) -> None:
    window.store.undo_stack.setClean()
    window.file.unread = str


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, project: Project, tmp_path: Path) -> MainWindow:
    made = MainWindow(ShippedEngine, settings, project)
    qtbot.addWidget(made, before_close_func=forget_work)
    made.resize(1280, 900)
    made.show()
    made.inputs.show_part(SERVING)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.file.path = tmp_path / "mine.gpuplan"
    return made


def line_of(window: MainWindow, title: str) -> QLineEdit:
    form = window.inputs.editor.page_editor(SERVING)
    assert form is not None
    row = next(row for row in form.findChildren(FieldRow) if row.label.text() == title)
    line = row.editor.focus_widget()
    assert isinstance(line, QLineEdit)
    return line


def section_of(window: MainWindow, title: str) -> FormSection:
    form = window.inputs.editor.page_editor(SERVING)
    assert form is not None
    return next(one for one in form.findChildren(FormSection) if one.title == title)


def type_in(window: MainWindow, qtbot: QtBot, title: str, text: str) -> QLineEdit:
    wait_until_drawn(qtbot)
    line = line_of(window, title)
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)
    return line


def save(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_S, CONTROL)


def test_saving_says_what_was_not_taken_and_leads_there(window: MainWindow, qtbot: QtBot) -> None:
    before = window.store.value(RATE)
    kept = line_of(window, "Peak rate").text()
    line = type_in(window, qtbot, "Peak rate", "abc")
    save(window, qtbot)
    assert window.file.path is not None
    saved = load_project(window.file.path).scenarios[0].serving
    assert saved is not None
    assert saved.classes[0].peak_rate_per_s == before
    said = window.messages.text.text()
    assert said == f"Saved. “Peak rate” was not changed, because “abc” is not valid; it is still {kept}."
    assert line.text() == "abc", "what was typed stays"
    window.inputs.show_part(HARDWARE)
    assert not line.isVisible()
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    assert QApplication.focusWidget() is line
    assert line.isVisible()
    qtbot.keyClick(line, Qt.Key.Key_A, CONTROL)
    qtbot.keyClicks(line, "55")
    save(window, qtbot)
    assert not window.messages.isVisible()
    saved = load_project(window.file.path).scenarios[0].serving
    assert saved is not None
    assert saved.classes[0].peak_rate_per_s == 55.0


def test_a_field_in_a_closed_section_is_told_and_shown(window: MainWindow, qtbot: QtBot) -> None:
    traffic = section_of(window, "Traffic")
    qtbot.mouseClick(traffic.header, Qt.MouseButton.LeftButton)
    line = type_in(window, qtbot, "Growth", "a lot")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    qtbot.mouseClick(traffic.header, Qt.MouseButton.LeftButton)
    assert not line.isVisible()
    save(window, qtbot)
    assert "“Growth”" in window.messages.text.text()
    assert "“a lot”" in window.messages.text.text()
    qtbot.mouseClick(window.messages.action, Qt.MouseButton.LeftButton)
    assert line.isVisible()
    assert QApplication.focusWidget() is line


def test_a_save_that_has_everything_says_nothing(window: MainWindow, qtbot: QtBot) -> None:
    type_in(window, qtbot, "Peak rate", "55")
    save(window, qtbot)
    assert not window.file.is_modified
    assert not window.messages.isVisible()


def test_closing_asks_though_nothing_else_is_unsaved(window: MainWindow, qtbot: QtBot) -> None:
    line = type_in(window, qtbot, "Peak rate", "abc")
    asked: list[str] = []
    answer_next(qtbot, "", asked, Qt.Key.Key_Escape)
    window.close()
    assert asked == ["One field has an entry that is not valid. Discard it?"]
    assert window.isVisible()
    assert line.text() == "abc"
    answer_next(qtbot, "Discard", asked)
    window.close()
    assert len(asked) == 2
    assert not window.isVisible()


def test_the_question_about_unsaved_work_names_the_field(window: MainWindow, qtbot: QtBot) -> None:
    window.store.edit("name", "another", "rename")
    type_in(window, qtbot, "Peak rate", "abc")
    told: list[str] = []

    def give_up() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(20, give_up)
            return
        told.append(box.informativeText())
        qtbot.keyClick(box, Qt.Key.Key_Escape)

    QTimer.singleShot(0, give_up)
    window.close()
    assert window.isVisible()
    assert "“Peak rate”" in told[0]


def test_a_copy_for_the_next_start_does_not_hold_it_so_it_is_asked(
    windows: Windows, qtbot: QtBot, settings: QSettings
) -> None:
    settings.setValue(Key.RESTORES_SESSION, True)
    window = windows.front
    window.inputs.show_part(SERVING)
    window.activateWindow()
    window.store.edit("name", "another", "rename")
    type_in(window, qtbot, "Peak rate", "abc")
    asked: list[str] = []
    answer_next(qtbot, "Cancel", asked)
    windows.quit()
    assert len(asked) == 1
    assert windows.all == [window]


@pytest.mark.slow
def test_a_report_says_it_too(
    answered_window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = answered_window
    window.inputs.show_part(SERVING)
    window.activateWindow()
    type_in(window, qtbot, "Peak rate", "abc")
    path = tmp_path / "plan.html"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "HTML (*.html)"))
    monkeypatch.setattr(ReportDialog, "exec", lambda *_: int(QDialog.DialogCode.Accepted))
    with qtbot.waitSignal(window.report.finished, timeout=WAIT_MS):
        window.menus.actions["export_report"].trigger()
    assert path.is_file()
    said = window.messages.text.text()
    assert str(path) in said
    assert "“Peak rate”" in said
    window.file.unread = str
