"""What tests wait for before they look: forms and plots come in turns of their own."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.widgets.event_turns import drawing_queue

WAIT_MS = 60_000


def wait_until_drawn(qtbot: QtBot) -> None:
    """Until nothing is left to be made, drawn or painted."""
    qtbot.waitUntil(lambda: not drawing_queue().is_drawing(), timeout=WAIT_MS)
