"""Names that look like markup are shown as they are, in every label, tip and page of the window, and load nothing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from PySide6 import QtGui
from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.report.html import text
from gpuplanner_gui.files.project import project_from_bytes, project_to_bytes

EVIL = '<img src="file:///evil.png"><b>evil</b>'
RESULT_WAIT_MS = 60_000


def with_names(value: Any) -> Any:
    """Plain data whose every name and note is hostile."""
    if isinstance(value, dict):
        return {
            key: EVIL if key in ("name", "notes", "source") and isinstance(inner, str) else with_names(inner)
            for key, inner in value.items()
        }
    return [with_names(one) for one in value] if isinstance(value, list) else value


@pytest.fixture
def hostile(project: Project) -> Project:
    data = with_names(msgspec.json.decode(project_to_bytes(project)))
    return project_from_bytes(msgspec.json.encode(data))


def hostile_markup(window: QWidget) -> list[str]:
    """Where a name would be taken for markup: what it says and which widget says it."""
    found = []
    for widget in [window, *window.findChildren(QWidget)]:
        if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText:
            found.append(("label", widget.objectName(), widget.text()))
        found += [("tip", widget.objectName(), widget.toolTip()), ("tip", widget.objectName(), widget.whatsThis())]
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            model = widget.model()
            for row in range(min(model.rowCount(), 30)):
                for column in range(model.columnCount()):
                    tip = model.index(row, column).data(Qt.ItemDataRole.ToolTipRole)
                    found.append(("item's tip", widget.objectName(), str(tip or "")))
    found += [("action", action.objectName(), action.toolTip()) for action in window.findChildren(QAction)]
    return [f"{kind} {name}: {words[:200]}" for kind, name, words in found
            if "evil</b>" in words and QtGui.Qt.mightBeRichText(words)]  # fmt: skip


@pytest.mark.slow
def test_names_are_never_markup(qtbot: QtBot, settings: QSettings, hostile: Project) -> None:
    window = MainWindow(ShippedEngine, settings, hostile)
    qtbot.addWidget(window, before_close_func=lambda closed: closed.store.undo_stack.setClean())
    window.resize(1280, 720)
    window.show()
    window.build_results()
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        window.compute.start()
        window.planner.ask()
    pane = window.results_pane
    assert pane is not None
    for name in pane.page_names():
        pane.show_page_named(name)
        qtbot.wait(20)
    window.messages.show_message(EVIL, Severity.NOTE)
    assert any(EVIL in label.text() for label in window.findChildren(QLabel))
    assert hostile_markup(window) == []


def test_reports_show_markup_as_text() -> None:
    assert "<" not in text(EVIL)
    assert '"' not in text(EVIL)
