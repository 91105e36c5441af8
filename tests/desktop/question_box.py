"""Answering a question that the program is about to ask, with a click on one of its buttons or a key."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot


def answer_next(qtbot: QtBot, button: str, asked: list[str], key: Qt.Key | None = None) -> None:
    """Click the button with these words as soon as a question is there, or press a key; its words are noted."""

    def press() -> None:
        box = QApplication.activeModalWidget()
        if not isinstance(box, QMessageBox):
            QTimer.singleShot(20, press)
            return
        asked.append(box.text())
        if key is not None:
            qtbot.keyClick(box, key)
            return
        found = [one for one in box.buttons() if one.text().replace("&", "") == button]
        qtbot.mouseClick(found[0], Qt.MouseButton.LeftButton)

    QTimer.singleShot(0, press)
