"""Memory per device, of each workload; and what it would hold: larger models, longer contexts, more sequences."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHeaderView, QWidget

from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.desktop.views.rows_model import RowsModel, rows_table, show_whole
from gpuplanner_gui.drawing.decision import is_awaited
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.limit_rows import limit_rows, neighbours
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.memory_frontier import MemoryFrontierPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows

FRONTIER = "frontier"
MOST_LINES = 24


class MemoryPage(PlotPage):
    """What fills a device, for the selected candidate, its neighbours and its rivals; under it the inverse answers."""

    follows = ("decision",)
    is_tall = True
    wanted = ("limits", "overlays")
    least_height = 220

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._limits = RowsModel()
        self.limits_table = rows_table(self._limits, self)
        self.limits_table.setAccessibleName(tr("What the selected accelerator's memory holds"))
        self.limits_table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.limits_table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.limits_table.hide()

    def plots_for(self, context: Results) -> tuple[str, ...]:
        workloads = context.workloads()
        return (*workloads, FRONTIER) if "serving" in workloads else workloads

    def make_plot(self, name: str) -> Plot:
        return MemoryFrontierPlot() if name == FRONTIER else MemoryPlot(name, rows=9)

    def draw(self, context: Results) -> None:
        super().draw(context)
        # What is there stays, dimmed: a table that goes and comes back would move the plots above it.
        is_old = _are_rows_awaited(context) and bool(self._limits.rows.cells)
        self._limits.set_dimmed(is_old)
        if is_old:
            return
        rows = _limit_rows(context)
        if rows != self._limits.rows:
            self._limits.show_rows(rows)
            show_whole(self.limits_table)
        self.limits_table.setVisible(bool(rows.cells))

    def _arrange(self, names: tuple[str, ...]) -> None:
        """The table lies under all plots."""
        super()._arrange(names)
        lines = -(-len(names) // max(self._columns, 1))
        if self._grid.indexOf(self.limits_table) < 0 or self._table_line != lines:
            self._grid.removeWidget(self.limits_table)
            self._grid.addWidget(self.limits_table, lines, 0, 1, -1)
            self._table_line = lines

    _table_line = -1


def _are_rows_awaited(context: Results) -> bool:
    has_answer = context.plan.serving is not None and context.candidate("serving") >= 0
    return has_answer and is_awaited(context.decision, "limits")


def _limit_rows(context: Results) -> Rows:
    limits = context.decision.limits if context.decision is not None else None
    answer, selected = context.plan.serving, context.candidate("serving")
    if limits is None or answer is None or selected < 0:
        return NO_ROWS
    table, precisions = answer.table, context.plan.precisions
    rows = neighbours(table, selected, MOST_LINES)
    return limit_rows(
        limits,
        rows,
        [str(int(table.devices_per_replica[row])) for row in rows],
        [precisions[int(table.weight_precision[row])] for row in rows],
        [precisions[int(table.kv_precision[row])] for row in rows],
    )
