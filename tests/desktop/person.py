"""Somebody at the window: clicks and types one thing after another, and counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QTabBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.window.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton
WAIT_MS = 60_000
W = TypeVar("W", bound=QWidget)
RESULT_WAIT_MS = 240_000
"""On a crowded machine."""


class Person:
    """Every click, typed text and key is an action; a double click is one."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self.qtbot = window, qtbot
        self.actions: list[str] = []

    def _seen(self, place: QWidget, kind: type[W], is_meant: Callable[[W], bool]) -> W:
        """What a person looks for, as soon as it is on screen: forms come in turns of their own."""
        found: list[W] = []

        def look() -> bool:
            found[:] = [one for one in place.findChildren(kind) if one.isVisible() and is_meant(one)]
            return bool(found)

        self.qtbot.waitUntil(look, timeout=WAIT_MS)
        return found[0]

    def press(self, text: str, within: QWidget | None = None) -> None:
        """Click the button that says this."""
        place = within if within is not None else self.window
        button = self._seen(place, QAbstractButton, lambda one: plain(one.text()) == text and one.isEnabled())
        self.actions.append(f"press “{text}”")
        # The words of a wide radio button stand at its left.
        self.qtbot.mouseClick(button, LEFT, pos=QPoint(min(8, button.width() // 2), button.height() // 2))

    def go_to(self, part: str) -> None:
        """Click a part of the project's tree."""
        tree = self.window.inputs.tree
        item = tree.findItems(part, Qt.MatchFlag.MatchRecursive)[0]
        self.actions.append(f"click “{part}”")
        self.qtbot.mouseClick(tree.viewport(), LEFT, pos=tree.visualItemRect(item).center())

    def open_page(self, title: str) -> None:
        """Click a page's tab."""

        def titles(bar: QTabBar) -> list[str]:
            """Without the count that some have behind their name, once it is known."""
            return [plain(bar.tabText(place)).partition(" (")[0] for place in range(bar.count())]

        bar = self._seen(self.window, QTabBar, lambda one: title in titles(one))
        place = titles(bar).index(title)
        self.actions.append(f"click “{title}”")
        self.qtbot.mouseClick(bar, LEFT, pos=bar.tabRect(place).center())

    def fill_in(self, name: str, text: str, within: QWidget | None = None, has_enter: bool = True) -> None:
        """Double-click a field, type over what stands there, and press Enter: three actions, two without the key."""
        place = within if within is not None else self.window.inputs
        field = self._seen(place, QLineEdit, lambda one: one.accessibleName() == name)
        self.actions += [f"double-click “{name}”", f"type “{text}”"]
        self.qtbot.mouseDClick(field, LEFT)
        field.selectAll()
        self.qtbot.keyClicks(field, text)
        if has_enter:
            self.actions.append("press Enter")
            self.qtbot.keyClick(field, Qt.Key.Key_Return)

    def type(self, text: str) -> None:
        """Type where the cursor is."""
        field = QApplication.focusWidget()
        assert field is not None
        self.actions.append(f"type “{text}”")
        self.qtbot.keyClicks(field, text)

    def wait_for_a_field(self) -> None:
        """Until the cursor stands in a line of text."""
        self.qtbot.waitUntil(lambda: isinstance(QApplication.focusWidget(), (QLineEdit, QAbstractSpinBox)))

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        self.actions.append(f"press {key.name}")
        self.qtbot.keyClick(QApplication.focusWidget() or self.window, key, modifiers)

    def choose(self, name: str, item: str) -> None:
        """Open a box and click one of its items, when the answer before is there: two actions."""
        self.wait_for_the_answer()
        box = self._seen(self.window.inputs, QComboBox, lambda one: one.accessibleName() == name)
        self.actions += [f"open “{name}”", f"click “{item}”"]
        self.qtbot.mouseClick(box, LEFT)
        view = box.view()
        self.qtbot.waitUntil(view.isVisible)
        # Sooner, Qt takes it for the end of the click that opened the box.
        self.qtbot.wait(QApplication.doubleClickInterval() + 20)
        index = box.model().index(box.findText(item), 0)
        self.qtbot.waitUntil(lambda: view.visualRect(index).isValid() and view.isVisible())

        def click_while_open() -> bool:
            # Qt's own timer for that is late where the window was busy: a box that stays open is clicked again.
            if view.isVisible() and box.currentText() != item:
                self.qtbot.mouseClick(view.viewport(), LEFT, pos=view.visualRect(index).center())
            return box.currentText() == item

        self.qtbot.waitUntil(click_while_open)

    def reads(self) -> str:
        """What stands in the verdict."""
        return " ".join(one.text() for one in self.window.verdict.findChildren(QLabel) if one.isVisible())

    def wait_for_the_answer(self) -> None:
        self.qtbot.waitUntil(self.is_answered, timeout=RESULT_WAIT_MS)

    def is_answered(self) -> bool:
        results = self.window.compute.results
        return (
            self.window.compute.state == "current"
            and results is not None
            and results.scenario == self.window.store.scenario
            and not self.reads().startswith("Computing")  # It is painted a turn later.
        )

    def picks(self, path: Path, monkeypatch: pytest.MonkeyPatch, dialog: str = "getOpenFileName") -> None:
        """The next file dialog: the name and its button are two actions."""

        def pick(*_: object, **__: object) -> tuple[str, str]:
            self.actions += ["choose the file", "press its button"]
            return str(path), ""

        monkeypatch.setattr(QFileDialog, dialog, pick)

    def export_pdf(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The menu's keys, the report as it is proposed, and a name: four actions."""
        self.picks(path, monkeypatch, "getSaveFileName")

        def accept() -> None:
            dialog = QApplication.activeModalWidget()
            if isinstance(dialog, QDialog) and dialog.isVisible():
                self.press("Choose file…", dialog)
            else:
                QTimer.singleShot(50, accept)

        QTimer.singleShot(0, accept)
        with self.qtbot.waitSignal(self.window.report.finished, timeout=RESULT_WAIT_MS) as done:
            self.key(Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        assert done.args == [True]


def plain(text: str) -> str:
    return text.replace("&", "")
