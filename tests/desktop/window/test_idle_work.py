from __future__ import annotations

from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.widgets.event_turns import IdleWork


def test_pieces_are_done_one_by_one_only_while_nothing_runs(qtbot: QtBot) -> None:
    left = ["a", "b", "c"]
    idle = False
    parent = QObject()

    def do_one() -> bool:
        assert idle
        return bool(left and left.pop())

    work = IdleWork(lambda: idle, do_one, parent)
    work.start()
    work.start()
    qtbot.wait(200)
    assert len(left) == 3
    idle = True
    qtbot.waitUntil(lambda: not left, timeout=20_000)


def test_nothing_is_asked_for_once_all_is_done(qtbot: QtBot) -> None:
    asked: list[int] = []
    parent = QObject()

    def do_one() -> bool:
        asked.append(1)
        return False

    work = IdleWork(lambda: True, do_one, parent)
    work.start()
    qtbot.waitUntil(lambda: len(asked) == 1, timeout=20_000)
    work.start()
    qtbot.wait(200)
    assert len(asked) == 1
