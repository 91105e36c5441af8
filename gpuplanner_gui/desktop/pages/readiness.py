"""Is the service ready: stress tests, replicas and their start, the cheapest configuration by simulated targets."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.widgets.labels import ElidedLabel
from gpuplanner_gui.desktop.widgets.layouts import STRETCH, lay_out
from gpuplanner_gui.desktop.widgets.tables import RowsModel, row_height, rows_table, show_whole
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.load_rows import FAILED, PASSED, fleet_rows, search_rows, stress_rows
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows
from gpuplanner_gui.drawing.words.load import readiness_summary, search_summary

LEAST_LAST_COLUMN = 74
LEAST_WIDTH_OF_TWO = 1180
"""Of the page, for two tables beside each other at the usual size of type."""
WIDEST_WRAPPED = 0.33
"""Share of a table's width that a column of wrapped text takes beside the last one."""
ROW_PADDING = 8
"""Pixels that a row of several lines gets beside them."""
Index = QModelIndex | QPersistentModelIndex


class ReadinessPage(ResultView):
    """Three tables; the stress tests run while the page is on screen, the search when it is asked for."""

    search_requested = Signal()
    follows = ("simulation",)
    wanted = ("readiness",)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.stress = _Table(tr("Stress tests"), self, wraps=True)
        self.fleet = _Table(tr("Replicas"), self, wraps=True)
        self.search = _Table(tr("Cheapest by simulated targets"), self, wraps=True)
        self.search_button = QPushButton(tr("Search"), self)
        self.search_button.setToolTip(
            tr("Simulates every configuration that could be cheapest, with other batch limits too; takes some seconds")
        )
        self.search_button.clicked.connect(self.search_requested)
        self.search.heading_row.addWidget(self.search_button)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(8, 8, 8, 8)
        self._grid.setSpacing(16)
        self._grid.setRowStretch(3, 1)
        self._columns = 0
        self._arrange(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(2 if self.width() >= scaled(LEAST_WIDTH_OF_TWO) else 1)

    def _arrange(self, columns: int) -> None:
        """Beside each other where there is room for whole lines, else one below the other."""
        if columns == self._columns:
            return
        self._columns = columns
        places = ((0, 0, 1), (0, 1, 2), (1, 0, 1)) if columns == 2 else ((0, 0, 1), (1, 0, 1), (2, 0, 1))
        for table, (row, column, rows) in zip((self.stress, self.fleet, self.search), places):
            self._grid.removeWidget(table)
            self._grid.addWidget(table, row, column, rows, 1)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1 if columns == 2 else 0)

    def draw(self, context: Results) -> None:
        simulation = context.simulation
        readiness = simulation.readiness if simulation is not None else None
        if readiness is not None:
            self.stress.show_rows(readiness_summary(readiness), stress_rows(readiness, context.scenario))
        else:
            has_fleet = simulation is not None and simulation.fleet is not None
            self.stress.show_rows(tr("Simulating…") if has_fleet else tr("Waiting for the load curve…"), NO_ROWS)
        if simulation is not None and simulation.fleet is not None:
            self.fleet.show_rows("", fleet_rows(simulation.fleet, simulation.arrangement))
        else:
            self.fleet.show_rows("", NO_ROWS)
        if simulation is not None and simulation.search is not None:
            self.search.show_rows(search_summary(simulation.search), search_rows(simulation.search, context))
        else:
            self.search.show_rows(tr("Candidates are ranked by the quick estimate until you search."), NO_ROWS)
        self.search_button.setEnabled(context.plan.serving is not None)

    def recolour(self) -> None:
        for table in (self.stress, self.fleet, self.search):
            table.model.use_colours(self.theme().good, self.theme().bad)

    def showEvent(self, event: QShowEvent) -> None:
        self.recolour()
        super().showEvent(event)


class _MarkedRows(RowsModel):
    """Marks of passed and failed tests in their colours."""

    def __init__(self) -> None:
        super().__init__()
        self._colours: dict[str, QColor] = {}

    def use_colours(self, good: str, bad: str) -> None:
        self._colours = {PASSED: QColor(good), FAILED: QColor(bad)}

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.isValid() and role in (Qt.ItemDataRole.ForegroundRole, Qt.ItemDataRole.ToolTipRole):
            cell = self.rows.cells[index.row()][index.column()]
            if role == Qt.ItemDataRole.ForegroundRole:
                return self._colours.get(cell) if isinstance(cell, str) else None
            return cell if isinstance(cell, str) and len(cell) > 24 else None
        return super().data(index, role)


class _Table(QWidget):
    """A heading, a sentence and a table."""

    def __init__(self, title: str, parent: QWidget, wraps: bool = False) -> None:
        super().__init__(parent)
        self._wraps = wraps
        heading = QLabel(title, self)
        heading.setObjectName("sectionTitle")
        self.sentence = ElidedLabel(self)
        self.model = _MarkedRows()
        self.table: QTableView = rows_table(self.model, self)
        self.table.setAccessibleName(title)
        self.table.setWordWrap(wraps)
        self.table.verticalHeader().setMinimumSectionSize(row_height())
        self.table.horizontalHeader().setStretchLastSection(not wraps)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.table.setMinimumWidth(200)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.heading_row = QHBoxLayout()
        self.heading_row.addWidget(heading, 1)
        lay_out(
            QVBoxLayout(self), self.heading_row, self.sentence, self.table, STRETCH, margins=(0, 0, 0, 0), spacing=4,
        )  # fmt: skip

    def show_rows(self, sentence: str, rows: Rows) -> None:
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        if rows != self.model.rows:
            self.model.show_rows(rows)
            self._fit()
        self.table.setVisible(bool(rows.cells))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Columns as wide as their contents, the last one as wide as there is room; wrapped text takes less."""
        self.table.resizeColumnsToContents()
        *others, last = range(len(self.model.rows.columns)) or (-1,)
        if last >= 0:
            room = self.table.width() - 2
            if self._wraps:
                for column in others:
                    widest = int(WIDEST_WRAPPED * room)
                    self.table.setColumnWidth(column, min(self.table.columnWidth(column), widest))
            before = sum(self.table.columnWidth(column) for column in others)
            header = self.table.horizontalHeader()
            contents = max(self.table.sizeHintForColumn(last), header.sectionSizeHint(last))
            least = LEAST_LAST_COLUMN if self._wraps else contents
            if self.model.is_number_column(last) and before + contents < room:
                # Numbers far off at the edge would be read in the wrong line.
                more = (room - before - contents) // (len(others) + 1)
                for column in others:
                    self.table.setColumnWidth(column, self.table.columnWidth(column) + more)
                self.table.setColumnWidth(last, contents + more)
            else:
                self.table.setColumnWidth(last, max(least, room - before))
        if self._wraps:
            for row in range(len(self.model.rows.cells)):
                needed = self.table.sizeHintForRow(row)
                self.table.setRowHeight(row, needed + ROW_PADDING if needed > row_height() else row_height())
        show_whole(self.table)
