"""What is seen at first without a file: ways to begin, what was worked on last, and examples."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, Gap, lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.theme import push_button
from gpuplanner_gui.desktop.window.project_file import template_files, template_words
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.pens import scaled

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.commands import WindowCommands
    from gpuplanner_gui.desktop.window.project_file import ProjectFile

WIDEST = 860
"""Pixels at the usual size of type."""
LEAST_ROWS = 6
"""Least rows of files that are visible in the lowest window."""
_PATH = Qt.ItemDataRole.UserRole


class _Files(QListWidget):
    """A list as high as its rows; it scrolls if there is no room."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.maximumHeight())


class StartPage(QWidget):
    """Ways to begin at the left, files to open at the right; Escape goes on with an empty project."""

    def __init__(self, commands: WindowCommands, file: ProjectFile) -> None:
        super().__init__()
        self.setObjectName("start-page")
        self._commands, self._file = commands, file
        title = plain_label(tr("What do you want to plan?"), name="startTitle")
        text = tr("Which accelerators to buy or rent to train and to serve a model, and what that costs.")
        words = plain_label(text, name="quiet", wraps=True)
        self.recent = self._file_list(tr("Recent projects"))
        self.examples = self._file_list(tr("Examples"))
        for path in template_files():
            _add_file(self.examples, path, template_words(path))
        self.recent.itemActivated.connect(lambda item: commands.open_path(_path_of(item)))
        self.recent.itemClicked.connect(lambda item: commands.open_path(_path_of(item)))
        self.examples.itemActivated.connect(lambda item: file.open_template(_path_of(item)))
        self.examples.itemClicked.connect(lambda item: file.open_template(_path_of(item)))
        file.recent.changed.connect(self._list_recent)
        self._none = plain_label(tr("Projects that you save or open are listed here."), name="quiet", wraps=True)
        self._none.setAlignment(Qt.AlignmentFlag.AlignTop)
        columns = QGridLayout()
        columns.setHorizontalSpacing(40)
        columns.setVerticalSpacing(8)
        columns.addLayout(self._ways(), 0, 0, 4, 1)
        columns.addWidget(plain_label(tr("Recent projects"), name="partTitle"), 0, 1)
        columns.addWidget(self._none, 1, 1)
        columns.addWidget(self.recent, 1, 1)
        columns.addWidget(plain_label(tr("Examples"), name="partTitle"), 2, 1)
        columns.addWidget(self.examples, 3, 1)
        columns.setColumnStretch(1, 1)
        middle = QWidget()
        middle.setMaximumWidth(round(scaled(WIDEST)))
        middle.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        lay_out(QVBoxLayout(middle), title, words, Gap(12), columns, spacing=10)
        across = lay_out(QHBoxLayout(), STRETCH, (middle, 20), STRETCH)
        lay_out(QVBoxLayout(self), STRETCH, across, Gap(stretch=2), margins=(24, 24, 24, 24))

    def refresh(self) -> None:
        """List the projects that were opened or saved last."""
        self._list_recent()
        _fit_height(self.examples)
        self.guided.setFocus(Qt.FocusReason.OtherFocusReason)

    def _list_recent(self) -> None:
        self.recent.clear()
        for path in self._file.recent.paths():
            _add_file(self.recent, path, f"{path.stem} — {path.parent}")
        is_empty = self.recent.count() == 0
        self.recent.setVisible(not is_empty)
        self._none.setVisible(is_empty)
        _fit_height(self.recent)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._commands.begin_empty()
        else:
            super().keyPressEvent(event)

    def _ways(self) -> QVBoxLayout:
        commands = self._commands
        column = QVBoxLayout()
        column.setSpacing(8)
        self.guided = self._way("scenario", tr("&Guided start…"), commands.start_guided)
        self.guided.setDefault(True)
        column.addWidget(self.guided)
        column.addWidget(self._way("import", tr("Plan a &model's config.json…"), commands.begin_with_model))
        column.addWidget(self._way("new", tr("Empt&y project"), commands.begin_empty))
        column.addWidget(self._way("open", tr("&Open a project…"), commands.parts.file.open_by_dialog))
        column.addStretch(1)
        return column

    def _way(self, name: str, text: str, act: Callable[[], object]) -> QPushButton:
        return push_button(text, lambda: act(), picture=name, side=18, name="startWay")

    def _file_list(self, name: str) -> QListWidget:
        found = _Files()
        found.setAccessibleName(name)
        found.setObjectName("startFiles")
        found.setCursor(Qt.CursorShape.PointingHandCursor)
        found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        found.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        return found


def _add_file(found: QListWidget, path: Path, words: str) -> None:
    item = QListWidgetItem(words)
    item.setData(_PATH, str(path))
    found.addItem(item)


def _path_of(item: QListWidgetItem) -> Path:
    return Path(item.data(_PATH))


def _fit_height(found: QListWidget) -> None:
    found.ensurePolished()
    found.doItemsLayout()
    row = found.sizeHintForRow(0) if found.count() else 0
    found.setMinimumHeight(min(found.count(), LEAST_ROWS) * row + 6)
    found.setMaximumHeight(found.count() * row + 6)
