"""A check box that is cut tells its words in full, and stays one that can be ticked."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.candidates import ElidedCheckBox


def test_words_are_cut_where_there_is_no_room_and_told_by_a_tool_tip(qtbot: QtBot) -> None:
    box = ElidedCheckBox("&Only candidates that can run")
    qtbot.addWidget(box)
    box.show()
    box.resize(box.sizeHint())
    assert box.shown_text() == "&Only candidates that can run"
    assert not box.toolTip()
    assert box.minimumSizeHint().width() < box.sizeHint().width() * 2 // 3
    box.resize(box.minimumSizeHint())
    assert box.shown_text().endswith("…")
    assert box.toolTip() == "Only candidates that can run"
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    assert box.isChecked()
