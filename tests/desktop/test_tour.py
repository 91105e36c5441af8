"""The tour: five steps at most, on the real parts of the window, left at any time, found again in the Help menu."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import QPoint, QRect, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import PARTS, SCENARIO_PART
from gpuplanner_gui.desktop.editors.field_row import FieldRow
from gpuplanner_gui.desktop.settings import Key, flag_setting
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets.theme import use_reduced_motion
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.tour import STEPS, Tour, lead, offer_at_first_run
from tests.desktop.drawn import wait_until_drawn

WAIT_MS = 30_000


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings) -> Iterator[MainWindow]:
    settings.setValue(Key.REDUCED_MOTION, True)
    made = MainWindow(ShippedEngine, settings)
    made.show()
    made.build_results()
    yield made
    made.store.undo_stack.setClean()
    made.close()


def place_of(widget: QWidget, window: MainWindow) -> QRect:
    return QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())


def _marks(tour: Tour, target: QWidget, window: MainWindow) -> bool:
    return tour.spotlight.marked == place_of(target, window)


def test_each_step_marks_a_part_that_is_there_and_follows_it(window: MainWindow, qtbot: QtBot) -> None:
    tour = Tour(window.parts)
    tour.start()
    assert 1 <= len(STEPS) <= 5
    for step in STEPS:
        target = step.find(window.parts)
        assert target is not None
        marks_it = partial(_marks, tour, target, window)
        assert marks_it()
        assert window.rect().contains(tour.bubble.geometry())
        window.resize(window.width() + 40, window.height() + 20)
        qtbot.waitUntil(marks_it, timeout=WAIT_MS)
        tour.go_on()
    assert tour.place == -1
    assert flag_setting(window.settings, Key.TOUR_DONE)


def test_a_tour_that_is_asked_for_again_begins_again_and_stays_one(window: MainWindow) -> None:
    first = lead(window.parts)
    first.go_on()
    assert lead(window.parts) is first
    assert first.place == 0
    first.end()
    assert lead(window.parts) is not first


def test_no_click_gets_through_to_the_window(window: MainWindow, qtbot: QtBot) -> None:
    pane = window.results_pane
    assert pane is not None
    tour = Tour(window.parts)
    tour.start()
    button = pane.bar.places["library"]
    place = button.mapTo(window, button.rect().center())
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert not button.isChecked()
    tour.end()
    QTest.qWait(50)
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)
    assert button.isChecked(), "the same click, without the tour"


def test_keys_walk_and_escape_leaves_and_the_help_menu_brings_it_back(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.inputs.tree.setFocus()
    part = window.inputs.editor.part
    window.menus.actions["tour"].trigger()
    tour = window.findChild(Tour)
    assert tour is not None
    # To whatever has the focus, as the platform does it.
    for key, place in ((Qt.Key.Key_Right, 1), (Qt.Key.Key_Right, 2), (Qt.Key.Key_Left, 1), (Qt.Key.Key_Return, 2)):
        qtbot.keyClick(QApplication.focusWidget(), key)
        qtbot.waitUntil(partial(_is_at, tour, place))
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(Tour) is None)
    assert window.inputs.editor.part is part, "the keys went to the tour alone"
    assert QApplication.focusWidget() is window.inputs.tree, "as before the tour"
    assert flag_setting(window.settings, Key.TOUR_DONE)
    window.menus.actions["tour"].trigger()
    again = window.findChild(Tour)
    assert again is not None
    for _ in STEPS:
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.findChild(Tour) is None)


def _is_at(tour: Tour, place: int) -> bool:
    return tour.place == place


def test_it_comes_by_itself_once(window: MainWindow, qtbot: QtBot) -> None:
    window.settings.setValue(Key.TOUR_DONE, True)
    offer_at_first_run(window.parts)
    window.compute.completed.emit()
    assert window.findChild(Tour) is None


def test_it_comes_by_itself_with_the_first_plan(window: MainWindow, qtbot: QtBot) -> None:
    offer_at_first_run(window.parts)
    window.workspace.show_start_page()
    window.compute.start()
    window.planner.ask()
    qtbot.waitUntil(lambda: window.compute.state == PlanState.CURRENT, timeout=WAIT_MS)
    assert window.findChild(Tour) is None, "there is no plan on screen yet"
    assert window.workspace.start_page is not None
    qtbot.keyClick(window.workspace.start_page, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(Tour) is not None)
    tour = window.findChild(Tour)
    assert tour is not None, "at once, not in the middle of the first edit"
    assert tour.bubble.isAncestorOf(QApplication.focusWidget()), "its keys work at once"
    tour.end()


def test_every_field_says_what_it_is(window: MainWindow, qtbot: QtBot) -> None:
    for part in (*PARTS, SCENARIO_PART):
        window.inputs.show_part(part)
    wait_until_drawn(qtbot)
    rows = window.inputs.findChildren(FieldRow)
    assert len(rows) > 60
    silent = [row.field.about.title for row in rows if not row.editor.whatsThis() or not row.label.whatsThis()]
    assert silent == []


def test_escape_leaves_from_a_field_too_and_the_start_page_ends_it(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.commands.show_tour()
    window.inputs.focus_editor()
    field = QApplication.focusWidget()
    assert field is not None
    assert window.inputs.isAncestorOf(field)
    tour = window.findChild(Tour)
    assert tour is not None
    qtbot.keyClick(field, Qt.Key.Key_Right)
    assert tour.place == 0, "the field's own key"
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: window.findChild(Tour) is None)
    window.commands.show_tour()
    window.workspace.show_start_page()
    qtbot.waitUntil(lambda: window.findChild(Tour) is None)


@pytest.mark.parametrize("is_reduced", [True, False])
def test_the_mark_slides_unless_motion_is_reduced(window: MainWindow, qtbot: QtBot, is_reduced: bool) -> None:
    effects = [effect for effect in Qt.UIEffect if QApplication.isEffectEnabled(effect)]
    window.commands.show_preferences()
    dialog = window.commands.preferences
    assert dialog is not None
    box = dialog.findChild(QCheckBox, "reduced_motion")
    assert box is not None
    for _ in range(2 if is_reduced else 1):
        # Set at the start of each test here: a click takes it away, another sets it again.
        qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    assert box.isChecked() is is_reduced
    dialog.close()
    tour = Tour(window.parts)
    tour.start()
    qtbot.mouseClick(tour.bubble.next, Qt.MouseButton.LeftButton)
    target = STEPS[1].find(window.parts)
    assert target is not None
    assert _marks(tour, target, window) is is_reduced
    qtbot.waitUntil(partial(_marks, tour, target, window), timeout=WAIT_MS)
    tour.end()
    if not is_reduced:
        assert set(effects) <= {effect for effect in Qt.UIEffect if QApplication.isEffectEnabled(effect)}


def test_what_the_platform_does_not_move_stays_still_without_reduced_motion(qapp: QApplication) -> None:
    use_reduced_motion(False)
    before = {effect: QApplication.isEffectEnabled(effect) for effect in Qt.UIEffect}
    use_reduced_motion(True)
    assert not QApplication.isEffectEnabled(Qt.UIEffect.UI_AnimateMenu)
    use_reduced_motion(False)
    assert {effect: QApplication.isEffectEnabled(effect) for effect in Qt.UIEffect} == before


def test_no_key_gets_behind_the_tour(window: MainWindow, qtbot: QtBot) -> None:
    before = window.store.project
    tour = lead(window.parts)
    qtbot.waitUntil(tour.bubble.next.hasFocus, timeout=WAIT_MS)
    for key, modifier in (
        (Qt.Key.Key_F2, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier),
        (Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_Tab, Qt.KeyboardModifier.NoModifier),
        (Qt.Key.Key_F2, Qt.KeyboardModifier.NoModifier),
    ):  # fmt: skip
        QTest.keyClick(QApplication.focusWidget() or window, key, modifier)
        QTest.qWait(20)
        assert tour.bubble.isAncestorOf(QApplication.focusWidget())
    assert window.store.project is before
    QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: tour.place == -1, timeout=WAIT_MS)
