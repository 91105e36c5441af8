"""Random events, the same in every run, find no exception, and no work is lost to undo.

`python tests/benchmarks/monkey.py` does 20,000.
"""

from __future__ import annotations

import gc
import sys
import traceback
import weakref
from types import TracebackType

import pytest
from PySide6.QtCore import QEvent, QSettings
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets.calm import CalmComboBox
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.paths import resources_dir
from tests.desktop.monkey import Monkey, widgets_within

EVENTS = 300
RESULT_WAIT_MS = 30_000


def forget_work(window: MainWindow) -> None:
    """Nothing is asked when it closes, also about what is half typed."""
    window.store.undo_stack.setClean()
    window.file.unread = str


@pytest.mark.parametrize("seed", [1])
def test_random_use_raises_nothing_and_can_be_undone(
    qtbot: QtBot, settings: QSettings, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    raised: list[str] = []

    def note(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
        raised.append("".join(traceback.format_exception(kind, problem, trace)))

    monkeypatch.setattr(sys, "excepthook", note)
    engine = ShippedEngine()
    window = MainWindow(lambda: engine, settings)
    qtbot.addWidget(window, before_close_func=forget_work)
    window.resize(1280, 720)
    window.show()
    window.build_results()
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        window.compute.start()
        window.file.open_template(resources_dir() / "examples" / "70b-chat.gpuplan")
    first = window.store.project
    monkey = Monkey(window, seed)
    monkey.run(EVENTS)
    assert raised == [], monkey.done
    assert window.store.scenario is not None
    stack = window.store.undo_stack
    if stack.count() < stack.undoLimit():
        while stack.canUndo():
            stack.undo()
        assert window.store.project.scenarios == first.scenarios, "undoing everything does not lead back"


def test_looking_for_widgets_holds_none_of_them(qtbot: QtBot) -> None:
    """Memory of a long run would be the monkey's."""
    page, box = QWidget(), CalmComboBox()
    qtbot.addWidget(page)
    QVBoxLayout(page).addWidget(box)
    box.view()
    seen = [weakref.ref(one) for one in widgets_within(page)]
    assert len(seen) > 5, "the list of a box of choices is made of widgets of Qt's own"
    box.deleteLater()
    del box
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gc.collect()
    assert [one() for one in seen if one() is not None] == []
