"""Typing in the fields of the window: undo, Escape, help and the menu at a field, by real keys and clicks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtGui import QAction, QContextMenuEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import PARTS, SCENARIO_PART, EditorPart
from gpuplanner_gui.desktop.editors.field_row import FieldRow
from gpuplanner_gui.desktop.editors.struct_form import FormSection
from gpuplanner_gui.desktop.widgets.ask_why import scroll_area_around
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.scenario import Project
from tests.desktop.drawn import wait_until_drawn

RATE = "serving.classes[0].peak_rate_per_s"
PROMPT = "serving.classes[0].prompt_tokens"
HOURS = "serving.traffic.hours"
CONTROL = Qt.KeyboardModifier.ControlModifier
SERVING = next(part for part in PARTS if part.path == "serving")


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, project: Project) -> MainWindow:
    made = MainWindow(settings=settings, project=project)
    qtbot.addWidget(made, before_close_func=lambda it: it.store.undo_stack.setClean())
    made.resize(1280, 900)
    made.show()
    made.inputs.show_part(SERVING)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


class Hands:
    """What a planner does in the form."""

    def __init__(self, window: MainWindow, qtbot: QtBot, part: EditorPart = SERVING) -> None:
        self.window, self.qtbot = window, qtbot
        form = window.inputs.editor.page_editor(part)
        assert form is not None
        self.form = form
        wait_until_drawn(qtbot)

    def open(self, title: str) -> None:
        for section in self.form.findChildren(FormSection):
            if section.title == title:
                section.header.setChecked(True)
        wait_until_drawn(self.qtbot)

    def row(self, title: str) -> FieldRow:
        return next(row for row in self.form.findChildren(FieldRow) if row.label.text() == title)

    def line(self, title: str) -> QLineEdit:
        found = self.row(title).editor.focus_widget()
        assert isinstance(found, QLineEdit)
        return found

    def type(self, title: str, text: str) -> QLineEdit:
        line = self.line(title)
        line.setFocus()
        line.selectAll()
        self.qtbot.keyClicks(line, text)
        return line

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        focused = QApplication.focusWidget()
        assert focused is not None
        self.qtbot.keyClick(focused, key, modifier)

    def undo(self) -> None:
        self.press(Qt.Key.Key_Z, CONTROL)


def test_undo_takes_the_last_edit_back_also_where_the_next_field_has_the_keys(window: MainWindow, qtbot: QtBot) -> None:
    hands = Hands(window, qtbot)
    before = window.store.value(RATE)
    hands.type("Peak rate", "55")
    hands.press(Qt.Key.Key_Return)
    assert window.store.value(RATE) == 55.0
    hands.line("Prompt").setFocus()
    hands.undo()
    assert window.store.value(RATE) == before
    assert not window.store.undo_stack.canUndo()
    hands.press(Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert window.store.value(RATE) == 55.0


def test_undo_in_the_field_that_was_typed_in_is_the_projects(window: MainWindow, qtbot: QtBot) -> None:
    hands = Hands(window, qtbot)
    before = window.store.value(RATE)
    line = hands.type("Peak rate", "55")
    was = window.store.undo_stack.count()
    qtbot.waitUntil(lambda: window.store.value(RATE) == 55.0)
    hands.undo()
    assert window.store.value(RATE) == before
    assert window.store.undo_stack.count() == was + 1, "undo made an edit"
    assert "55" not in line.text()


@pytest.mark.parametrize("key", [(Qt.Key.Key_Z, CONTROL), (Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)])
@pytest.mark.parametrize(("title", "path", "typed"), [("Peak rate", RATE, "forty"), ("Load by hour", HOURS, "1, 2, x")])
def test_what_cannot_be_read_is_given_up_with_its_complaint(
    window: MainWindow,
    qtbot: QtBot,
    title: str,
    path: str,
    typed: str,
    key: tuple[Qt.Key, Qt.KeyboardModifier],
) -> None:
    hands = Hands(window, qtbot)
    hands.open("Traffic")
    hands.open("More")
    before, text = window.store.value(path), hands.line(title).text()
    line = hands.type(title, typed)
    hands.press(Qt.Key.Key_Return)
    row = hands.row(title)
    assert row.problem.isVisible()
    assert line.property("invalid") is True
    hands.press(*key)
    assert line.text() == text
    assert not row.problem.isVisible()
    assert line.property("invalid") is False
    assert window.store.value(path) == before


def test_mean_over_peak_is_seen_to_be_out_of_use_beside_a_load_by_hour(window: MainWindow, qtbot: QtBot) -> None:
    hands = Hands(window, qtbot)
    hands.open("Traffic")
    hands.open("More")
    mean, hours, days = (hands.row(title) for title in ("Mean over peak", "Load by hour", "Load by day"))
    assert mean.editor.isEnabled()
    assert not mean.note.isVisible()
    hands.type("Load by hour", "1 2 3")
    hands.press(Qt.Key.Key_Return)
    assert window.store.value(HOURS) == (1.0, 2.0, 3.0)
    assert not mean.editor.isEnabled()
    assert mean.note.isVisible()
    assert "Not used" in mean.note.text()
    assert "24 hours" in hours.note.text()
    assert "3 values" in hours.note.text()
    hands.type("Load by hour", " ".join(["1", "2"] * 12))
    hands.press(Qt.Key.Key_Return)
    assert not hours.note.isVisible()
    assert not mean.editor.isEnabled()
    hands.undo()
    hands.undo()
    assert mean.editor.isEnabled()
    assert not mean.note.isVisible()
    hands.type("Load by day", "1 1 1 1 1 0.5")
    hands.press(Qt.Key.Key_Return)
    assert "from Monday" in days.note.text()
    assert "the other days of the week have no load" in days.note.text()
    assert mean.editor.isEnabled()


def test_names_and_notes_leave_undo_to_the_project(window: MainWindow, qtbot: QtBot) -> None:
    window.inputs.show_part(SCENARIO_PART)
    hands = Hands(window, qtbot, SCENARIO_PART)
    before = window.store.value("name")
    line = hands.type("Name", "another")
    hands.press(Qt.Key.Key_Return)
    assert window.store.value("name") == "another"
    hands.undo()
    assert window.store.value("name") == before
    assert line.text() == before
    notes = hands.form.findChild(QPlainTextEdit)
    assert notes is not None
    notes.setFocus()
    hands.press(Qt.Key.Key_Y, CONTROL)
    hands.press(Qt.Key.Key_Z, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert window.store.value("name") == "another"


@pytest.mark.parametrize("keys", [(Qt.Key.Key_F1, None), (Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)])
@pytest.mark.parametrize("title", ["Peak rate", "Targets"])
def test_the_keys_for_help_speak_of_the_field_at_hand(
    window: MainWindow, qtbot: QtBot, title: str, keys: tuple[Qt.Key, Qt.KeyboardModifier | None]
) -> None:
    hands = Hands(window, qtbot)
    hands.row(title).editor.focus_widget().setFocus()
    hands.press(keys[0], keys[1] or Qt.KeyboardModifier.NoModifier)
    bubble = next((one for one in QApplication.topLevelWidgets() if one.inherits("QWhatsThat")), None)
    assert bubble is not None
    assert bubble.isVisible()
    assert not [one for one in window.findChildren(QWidget) if one.isWindow() and one.inherits("QDialog")]
    qtbot.keyClick(bubble, Qt.Key.Key_Escape)


def menu_at(widget: QWidget) -> dict[str, QAction]:
    place = widget.rect().center()
    QApplication.sendEvent(
        widget, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, widget.mapToGlobal(QPoint(place)))
    )
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return {one.text().replace("&", "").partition("\t")[0]: one for one in menu.actions() if not one.isSeparator()}


def test_the_menu_at_a_field_leads_back_to_its_default(window: MainWindow, qtbot: QtBot) -> None:
    hands = Hands(window, qtbot)
    default = window.store.value(PROMPT)
    hands.type("Prompt", "1.5k")
    hands.press(Qt.Key.Key_Return)
    assert window.store.value(PROMPT) == 1500.0
    entries = menu_at(hands.line("Prompt"))
    assert {"Copy", "Paste", "Back to 1024 tok", "What's This?"} <= set(entries)
    assert not {"Undo", "Redo"} & set(entries)
    entries["Back to 1024 tok"].trigger()
    assert window.store.value(PROMPT) == default
    entries = menu_at(hands.line("Prompt"))
    assert not entries["Back to 1024 tok"].isEnabled()
    menu_at(hands.row("Prompt").label)


def test_a_box_has_the_same_menu(window: MainWindow, qtbot: QtBot) -> None:
    hands = Hands(window, qtbot)
    hands.open("Traffic")
    box = hands.row("Arrivals").editor.focus_widget()
    assert isinstance(box, QComboBox)
    box.setFocus()
    hands.press(Qt.Key.Key_Down)
    assert window.store.value("serving.traffic.arrivals") != "poisson"
    menu_at(box)["Back to Poisson"].trigger()
    assert window.store.value("serving.traffic.arrivals") == "poisson"


def stops_by_tab(window: MainWindow, start: QWidget, qtbot: QtBot, most: int = 120) -> list[QWidget]:
    """Where the Tab key goes from a widget, as long as it stays in the inputs."""
    start.setFocus()
    found = [start]
    for _ in range(most):
        qtbot.keyClick(found[-1], Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        if focused is None or focused in found or not window.inputs.editor.isAncestorOf(focused):
            break
        found.append(focused)
    return found


def test_tab_goes_through_a_form_as_one_reads_it(window: MainWindow, qtbot: QtBot) -> None:
    hands = Hands(window, qtbot)
    hands.type("Prompt", "1.5k")  # Its way back to the default is a stop behind it.
    hands.press(Qt.Key.Key_Return)
    add = next(one for one in hands.form.findChildren(QPushButton) if one.text() == "Add request class")
    qtbot.mouseClick(add, Qt.MouseButton.LeftButton)
    hands.open("Traffic")
    qtbot.wait(800)  # The new form is laid out some turns after it is there, on a busy machine late.
    first = next(one for one in hands.form.findChildren(QToolButton) if one.accessibleName() == "Copy entry 1")
    found = stops_by_tab(window, first, qtbot)
    assert len(found) > 40
    assert hands.line("Prompt") in found
    assert hands.line("Growth") in found
    page = hands.form
    places = [(one, one.mapTo(page, QPoint(0, 0)), one.height()) for one in found]
    for (one, place, height), (other, other_place, other_height) in pairwise(places):
        is_below = other_place.y() >= place.y() + min(height, other_height) // 2
        is_beside = abs(other_place.y() - place.y()) <= max(height, other_height) and other_place.x() > place.x()
        assert is_below or is_beside, f"{other.accessibleName()} comes after {one.accessibleName()}"


def test_tab_leads_from_the_tree_into_the_form(window: MainWindow, qtbot: QtBot) -> None:
    hands = Hands(window, qtbot)
    qtbot.wait(50)
    window.inputs.tree.setFocus()
    hands.press(Qt.Key.Key_Tab)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert hands.form.isAncestorOf(focused)


def test_tab_into_a_form_that_is_scrolled_down_brings_its_first_field_into_view(
    window: MainWindow, qtbot: QtBot
) -> None:
    hands = Hands(window, qtbot)
    hands.open("Traffic")
    area = scroll_area_around(hands.form)
    assert area is not None
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    area.verticalScrollBar().setValue(area.verticalScrollBar().maximum())
    window.inputs.tree.setFocus()
    hands.press(Qt.Key.Key_Tab)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert hands.form.isAncestorOf(focused)
    assert focused.visibleRegion().boundingRect() == focused.rect()


def test_the_cursor_goes_into_a_new_entry(window: MainWindow, qtbot: QtBot) -> None:
    hands = Hands(window, qtbot)
    add = next(one for one in hands.form.findChildren(QPushButton) if one.text() == "Add request class")
    add.setFocus()
    hands.press(Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), QLineEdit), timeout=30_000)
    focused = QApplication.focusWidget()
    qtbot.keyClick(focused, Qt.Key.Key_A, CONTROL)
    qtbot.keyClicks(focused, "batch")
    hands.press(Qt.Key.Key_Return)
    assert window.store.value("serving.classes[1].name") == "batch"


def test_the_command_for_inputs_puts_the_cursor_into_the_first_field(window: MainWindow, qtbot: QtBot) -> None:
    hands = Hands(window, qtbot)
    qtbot.wait(50)
    window.inputs.tree.setFocus()
    window.inputs.focus_editor()
    assert QApplication.focusWidget() is hands.line("Name")
