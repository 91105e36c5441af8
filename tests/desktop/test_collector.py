from __future__ import annotations

import gc
import weakref

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop import main as program


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


def test_what_stays_is_spared_before_a_look_through_it_holds_the_window_up(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "INTERVAL_MS", 10)
    monkeypatch.setattr(program, "ALL_EVERY", 2)
    parent = QObject()
    kept = [Knot() for _ in range(2 * program.MOST_OLD)]
    made = program.Collector(parent)
    qtbot.waitUntil(lambda: len(gc.get_objects(program.ALL)) < program.MOST_OLD, timeout=20_000)
    known = weakref.ref(Knot())
    qtbot.waitUntil(lambda: known() is None, timeout=20_000)
    made.deleteLater()
    assert kept
    gc.unfreeze()


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
