"""What tests of views share: results to draw, and a place to put a widget."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.drawing.results import Results
from tests.drawing import synthetic


@pytest.fixture(scope="session")
def results() -> Results:
    return synthetic.results()


@pytest.fixture
def shown(qtbot: QtBot) -> Iterator[Callable[[QWidget], None]]:
    """Puts a widget on screen at the size it has in a small window, and takes it away while it is still held.

    A widget that Python drops while Qt still paints it is deleted by the garbage collector in the middle of its own
    painting, and takes the interpreter along.
    """
    held: list[QWidget] = []

    def show(widget: QWidget) -> None:
        held.append(widget)
        widget.resize(980, 420)
        widget.show()
        qtbot.waitExposed(widget)

    yield show
    for widget in held:
        widget.close()
        widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
