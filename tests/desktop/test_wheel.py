"""A wheel turned over a page, a form or a dialog scrolls it and changes no box that it passes."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QPointF, QSignalBlocker, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.deploy import DeployDialog
from gpuplanner_gui.desktop.window.guided_start import GuidedStart
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.preferences import PreferencesDialog
from gpuplanner_gui.paths import resources_dir
from tests.desktop.drawn import wait_until_drawn

Box = QComboBox | QAbstractSpinBox


def boxes_in(place: QWidget) -> Iterator[Box]:
    yield from place.findChildren(QComboBox)
    yield from place.findChildren(QAbstractSpinBox)


def shown_by(box: Box) -> str:
    return box.currentText() if isinstance(box, QComboBox) else box.text()


def changed_by_wheel(place: QWidget) -> tuple[int, list[str]]:
    """How many boxes there are, and the names of those that a turn either way changes."""
    boxes, changed = list(boxes_in(place)), []
    for box in boxes:
        if isinstance(box, QComboBox) and box.count() < 2:
            with QSignalBlocker(box):
                box.addItems(["nothing is worked out yet", "that it could show"])
        before, middle = shown_by(box), box.rect().center()
        for turn in (-120, 120):
            event = QWheelEvent(
                QPointF(middle), QPointF(box.mapToGlobal(middle)), QPoint(0, 0), QPoint(0, turn),
                Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.sendEvent(box, event)
            if shown_by(box) != before:
                changed.append(box.accessibleName() or type(box).__name__)
    return len(boxes), changed


def test_the_wheel_changes_nothing_in_the_window_and_its_dialogs(answered_window: MainWindow, qtbot: QtBot) -> None:
    window = answered_window
    with qtbot.waitSignal(window.compute.completed, timeout=60_000):
        window.commands.open_path(resources_dir() / "examples" / "7b-continued-pretraining.gpuplan")
    pane = window.results_pane
    assert pane is not None
    for name in pane.page_names():
        pane.show_page_named(name)
        wait_until_drawn(qtbot)
    before = window.store.undo_stack.index()
    count, changed = changed_by_wheel(window)
    assert not changed
    assert count > 10, "confidence, layouts, weights, uncertainty, calibration and forms"
    assert window.store.undo_stack.index() == before
    preferences = PreferencesDialog(window.settings, window.appearance, window)
    for dialog in (GuidedStart(window.surroundings, window), preferences, DeployDialog(window)):
        count, changed = changed_by_wheel(dialog)
        assert not changed
        assert count, type(dialog).__name__
