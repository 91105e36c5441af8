"""Drawing is spread over turns of the event loop, in order, whatever fails or goes in between."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.widgets.event_turns import BesideDrawing, DrawingQueue, DrawingTurn, drawing_queue

WAIT_MS = 20_000


def drawn(qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not drawing_queue().is_drawing(), timeout=WAIT_MS)


def test_each_is_drawn_in_a_turn_of_its_own_in_the_order_asked_for(qtbot: QtBot) -> None:
    owner = QObject()
    seen: list[Any] = []
    turns = [DrawingTurn(owner, partial(seen.append, name)) for name in "abc"]
    between = QTimer()
    between.timeout.connect(lambda: seen.append("."))
    between.start(0)
    for turn in turns:
        turn.start()
    assert not seen
    drawn(qtbot)
    between.stop()
    text = "".join(seen)
    assert [one for one in text if one != "."] == ["a", "b", "c"]
    assert "ab" not in text
    assert "bc" not in text


def test_long_lists_go_on_only_while_nothing_is_drawn(qtbot: QtBot) -> None:
    owner, seen = QObject(), list[bool]()
    beside = BesideDrawing(owner, lambda: seen.append(drawing_queue().is_drawing()))
    done: list[str] = []
    turns = [DrawingTurn(owner, partial(done.append, name)) for name in "abc"]
    for turn in turns:
        turn.start()
    beside.start()
    drawn(qtbot)
    qtbot.waitUntil(lambda: len(seen) > 2, timeout=WAIT_MS)
    beside.stop()
    assert done == ["a", "b", "c"]
    assert not any(seen)


def test_asked_twice_is_drawn_once_and_later_again(qtbot: QtBot) -> None:
    owner = QObject()
    seen: list[Any] = []
    turn = DrawingTurn(owner, lambda: seen.append(1))
    turn.start()
    turn.start()
    assert turn.is_waiting()
    drawn(qtbot)
    assert seen == [1]
    assert not turn.is_waiting()
    turn.start()
    drawn(qtbot)
    assert seen == [1, 1]


def test_what_fails_or_is_gone_keeps_nothing_from_its_turn(qtbot: QtBot) -> None:
    owner, gone, seen = QObject(), QObject(), []

    def fail() -> None:
        raise ValueError("no plot")

    DrawingTurn(owner, fail).start()
    of_gone = DrawingTurn(gone, lambda: seen.append("gone"))
    of_gone.start()
    last = DrawingTurn(owner, lambda: seen.append("last"))
    last.start()
    gone.deleteLater()
    QCoreApplication.sendPostedEvents(gone, QEvent.Type.DeferredDelete.value)
    with qtbot.captureExceptions() as problems:
        drawn(qtbot)
    assert [str(problem[1]) for problem in problems] == ["no plot"]
    assert seen == ["last"]


def test_all_drawn_is_said_once_when_nothing_waits_any_more(qtbot: QtBot) -> None:
    queue, owner, seen = DrawingQueue(), QObject(), []

    def turn(work: Callable[[], None]) -> DrawingTurn:
        return DrawingTurn(owner, work)

    queue.all_drawn.connect(lambda: seen.append("all"))
    queue.add(turn(lambda: seen.append("first")))
    queue.add(turn(lambda: seen.append("second")))
    assert queue.is_drawing()
    qtbot.waitUntil(lambda: not queue.is_drawing(), timeout=WAIT_MS)
    assert seen == ["first", "second", "all"]


def test_the_turn_that_asks_paints_before_anything_is_drawn(qtbot: QtBot) -> None:
    queue, owner, seen = DrawingQueue(), QObject(), []
    queue.add(DrawingTurn(owner, lambda: seen.append("drawn")))
    QCoreApplication.processEvents()  # What is laid out and painted in the turn that asked.
    assert queue.is_drawing()
    assert seen == []
    qtbot.waitUntil(lambda: not queue.is_drawing(), timeout=WAIT_MS)
    assert seen == ["drawn"]
