"""Columns of a table that scrolls sideways: as many as fit stand whole, none is cut at the right edge."""

from __future__ import annotations

from itertools import accumulate

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTableView


class WholeColumns(QObject):
    """Widens the columns that fit a little, so that the next begins beyond the edge, until a hand changes a width."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self._least: list[int] = []
        self._is_fitting = False
        table.viewport().installEventFilter(self)
        table.horizontalHeader().sectionResized.connect(self._on_resized)

    def set_least(self, widths: list[int]) -> None:
        """Take the widths in pixels that headings and texts need, by column."""
        self._least = widths
        self.fit()

    def fit(self) -> None:
        """Widen what fits; where all columns do, they keep the widths that they need."""
        header = self._table.horizontalHeader()
        if len(self._least) != header.count():
            return
        places = [header.logicalIndex(place) for place in range(header.count())]
        shown = [place for place in places if not header.isSectionHidden(place)]
        room = self._table.viewport().width()
        ends = list(accumulate(self._least[place] for place in shown))
        whole = sum(end <= room for end in ends)
        more, left = divmod(room - ends[whole - 1], whole) if 0 < whole < len(shown) else (0, 0)
        self._is_fitting = True
        for nth, place in enumerate(shown):
            header.resizeSection(place, self._least[place] + (more + (nth < left) if nth < whole else 0))
        self._is_fitting = False

    def _on_resized(self) -> None:
        """Leave the widths alone from now on, if a hand is at the header; columns are also hidden and stretched."""
        if not self._is_fitting and QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._least = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.fit()
        return super().eventFilter(watched, event)
