"""Offers unsaved work that a program left behind which ended without asking."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QDateTime, QLocale, QSize, Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.questions import SaveAnswer
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.files.recovery import RecoveryCopy

_PATH = Qt.ItemDataRole.UserRole


class RecoveryDialog(QDialog):
    """A list of what was found, the newest first; closing it leaves everything for another time."""

    def __init__(self, copies: list[tuple[Path, RecoveryCopy]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("recovery")
        self.setWindowTitle(tr("Unsaved work was found"))
        self.answer = SaveAnswer.CANCEL
        said = tr("GPU Planner closed before this work was saved. Restoring it does not change any file.")
        words = plain_label(said, wraps=True)
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Unsaved work"))
        self.list.setAlternatingRowColors(True)
        for path, copy in copies:
            item = QListWidgetItem(_described(copy))
            item.setData(_PATH, str(path))
            item.setSizeHint(QSize(0, 2 * self.fontMetrics().lineSpacing() + 12))
            self.list.addItem(item)
        self.list.setCurrentRow(0)
        self.list.itemDoubleClicked.connect(lambda _: self._end(SaveAnswer.SAVE))
        buttons = QDialogButtonBox()
        restore = buttons.addButton(tr("&Restore"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.restore_all = buttons.addButton(tr("Restore &all"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.restore_all.setToolTip(tr("Each in a window of its own"))
        self.restore_all.setVisible(len(copies) > 1)
        self.restore_all.clicked.connect(lambda: self._end(SaveAnswer.ALL))
        discard = buttons.addButton(tr("&Delete"), QDialogButtonBox.ButtonRole.DestructiveRole)
        buttons.addButton(tr("&Later"), QDialogButtonBox.ButtonRole.RejectRole)
        restore.setDefault(True)
        restore.clicked.connect(lambda: self._end(SaveAnswer.SAVE))
        discard.clicked.connect(lambda: self._end(SaveAnswer.DISCARD))
        buttons.rejected.connect(self.reject)
        lay_out(QVBoxLayout(self), words, (self.list, 1), buttons, spacing=12)

    @property
    def chosen(self) -> Path | None:
        item = self.list.currentItem()
        return Path(item.data(_PATH)) if item is not None else None

    def sizeHint(self) -> QSize:
        return QSize(52 * self.fontMetrics().averageCharWidth() + 120, 16 * self.fontMetrics().height())

    def _end(self, answer: SaveAnswer) -> None:
        self.answer = answer
        self.accept()


def _described(copy: RecoveryCopy) -> str:
    kept_at = QDateTime.fromSecsSinceEpoch(int(copy.kept_at.timestamp()))
    moment = QLocale().toString(kept_at, QLocale.FormatType.ShortFormat)
    scenarios = ", ".join(scenario.name for scenario in copy.project.scenarios[:3])
    name = copy.original.name if copy.original else tr("Untitled")
    return f"{name} — {moment}\n{scenarios}"
