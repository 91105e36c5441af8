from __future__ import annotations

import gc
import weakref

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop import main as program
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn


class Knot:
    """Refers to itself, so that only a collection frees it."""

    def __init__(self) -> None:
        self.me = self


def test_cycles_are_freed_by_the_timer_and_not_by_themselves(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "INTERVAL_MS", 10)
    monkeypatch.setattr(program, "ALL_EVERY", 2)
    gc.enable()
    parent = QObject()
    made = program.Collector(parent)
    assert not gc.isenabled()
    known = weakref.ref(Knot())
    assert known() is not None
    qtbot.waitUntil(lambda: known() is None, timeout=20_000)
    made.deleteLater()


def no_list(generation: int | None = None) -> list[object]:
    raise AssertionError("a list of all objects makes a thread fail that is filling a tuple")


def test_what_stays_is_spared_once_a_look_through_it_takes_too_long(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "INTERVAL_MS", 10)
    monkeypatch.setattr(program, "ALL_EVERY", 2)
    monkeypatch.setattr(program, "LONGEST_LOOK_S", 0.0)
    monkeypatch.setattr(gc, "get_objects", no_list)
    parent = QObject()
    kept = [Knot() for _ in range(20_000)]
    made = program.Collector(parent)
    qtbot.waitUntil(lambda: gc.get_freeze_count() > len(kept), timeout=20_000)
    known = weakref.ref(Knot())
    qtbot.waitUntil(lambda: known() is None, timeout=20_000)
    made.deleteLater()
    gc.unfreeze()


def test_nothing_is_spared_while_something_is_drawn(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy of a plot that a picture is taken of is garbage soon after, and holds a plan of 20 MB."""
    monkeypatch.setattr(program, "INTERVAL_MS", 10)
    monkeypatch.setattr(program, "ALL_EVERY", 2)
    monkeypatch.setattr(program, "LONGEST_LOOK_S", 0.0)
    parent = QObject()
    is_over = False

    def draw() -> None:
        if not is_over:
            turn.start()

    turn = DrawingTurn(parent, draw)
    turn.start()
    made = program.Collector(parent)
    qtbot.wait(300)
    assert gc.get_freeze_count() == 0
    is_over = True
    qtbot.waitUntil(lambda: gc.get_freeze_count() > 0, timeout=20_000)
    made.deleteLater()
    gc.unfreeze()


def old_garbage() -> weakref.ref[Knot]:
    """What only a look through all finds."""
    knot = Knot()
    gc.collect()
    return weakref.ref(knot)


def test_a_look_through_all_waits_until_a_drag_is_over(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "INTERVAL_MS", 10)
    monkeypatch.setattr(program, "ALL_EVERY", 2)
    dragged = QWidget()
    qtbot.addWidget(dragged)
    dragged.show()
    made = program.Collector(dragged)
    QTest.mousePress(dragged, Qt.MouseButton.LeftButton)
    gone = old_garbage()
    qtbot.wait(300)
    assert gone() is not None, "a look through all takes longer than a picture of a drag"
    QTest.mouseRelease(dragged, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: gone() is None, timeout=20_000)
    made.deleteLater()


def test_a_look_through_all_waits_for_a_pause_in_typing(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "INTERVAL_MS", 10)
    monkeypatch.setattr(program, "ALL_EVERY", 2)
    monkeypatch.setattr(program, "REST_S", 3.0)  # A busy machine presses keys late.
    line = QLineEdit()
    qtbot.addWidget(line)
    made = program.Collector(line)
    with qtbot.waitActive(line):
        line.show()
        line.activateWindow()
    handle = line.windowHandle()
    QTest.keyClick(handle, Qt.Key.Key_1)
    gone = old_garbage()
    for _ in range(10):
        QTest.keyClick(handle, Qt.Key.Key_1)
        qtbot.wait(30)
        assert gone() is not None, "a look through all holds up what is typed"
    assert line.text() == "1" * 11
    qtbot.waitUntil(lambda: gone() is None, timeout=20_000)
    made.deleteLater()


def test_what_was_spared_is_looked_through_while_another_program_is_in_front(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "INTERVAL_MS", 10)
    monkeypatch.setattr(program, "ALL_EVERY", 2)
    monkeypatch.setattr(program, "is_in_front", lambda: True)
    form = Knot()
    gone = weakref.ref(form)
    gc.collect()
    gc.freeze()
    parent = QObject()
    made = program.Collector(parent)
    del form
    qtbot.wait(200)
    assert gone() is not None, "a look through all that stays would hold the window up"
    monkeypatch.setattr(program, "is_in_front", lambda: False)
    qtbot.waitUntil(lambda: gone() is None, timeout=20_000)
    made.deleteLater()
    gc.unfreeze()
