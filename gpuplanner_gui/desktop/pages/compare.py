"""Scenarios and pinned candidates beside each other: what differs, results with bands, a ranking by weights."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QDoubleSpinBox, QHBoxLayout, QHeaderView, QLabel, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.pages.candidate_model import CandidateModel
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.desktop.widgets.tables import Index, RowsModel, rows_table
from gpuplanner_gui.drawing.decision_rows import comparison_rows, is_heading
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.ranking import CRITERIA, RankingPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows
from gpuplanner_gui.drawing.words.candidates import candidate_text
from gpuplanner_gui.drawing.words.decision import criterion_name


class ComparePage(ResultView):
    """A table with a column for each scenario; above it the weights, beside it the ranking."""

    follows = ("decision",)
    wanted = ("comparison",)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = _ComparisonModel()
        self.table = rows_table(self.model, self)
        self.table.setAccessibleName(tr("Scenarios compared"))
        self.table.setWordWrap(False)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.pinned_model = RowsModel()
        self.pinned = rows_table(self.pinned_model, self)
        self.pinned.setAccessibleName(tr("Pinned candidates compared"))
        self.pinned.setWordWrap(False)
        self.pinned.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.pinned.hide()
        self.ranking = PlotView(RankingPlot, self)
        self.ranking.scenario_selected.connect(self.scenario_selected)
        self.weights = {name: self._weight(name) for name in CRITERIA}
        top = lay_out(QHBoxLayout(), QLabel(tr("Weights"), self), margins=(20, 8, 16, 4), spacing=6)
        for name, box in self.weights.items():
            label = QLabel(criterion_name(name), self)
            label.setObjectName("quiet")
            label.setBuddy(box)
            top.addSpacing(8)
            top.addWidget(label)
            top.addWidget(box)
        top.addStretch(1)
        body = lay_out(QHBoxLayout(), (self.table, 5), (self.ranking, 2), margins=(8, 0, 8, 8), spacing=8)
        self.scenarios = QWidget(self)
        lay_out(QVBoxLayout(self.scenarios), top, (body, 1), margins=(0, 0, 0, 0), spacing=0)
        lay_out(QVBoxLayout(self), (self.scenarios, 3), (self.pinned, 2), margins=(0, 0, 0, 0), spacing=8)
        self._veil.raise_()

    def draw(self, context: Results) -> None:
        answer = context.known.comparison
        rows = comparison_rows(answer, context.catalog) if answer is not None else NO_ROWS
        if rows != self.model.rows:
            self.model.show_rows(rows)
        self.ranking.show_results(context)
        pinned = pinned_rows(context)
        self.pinned.setVisible(bool(pinned.cells))
        self.scenarios.setVisible(len(context.project.scenarios) > 1)
        if pinned != self.pinned_model.rows:
            self.pinned_model.show_rows(pinned)
        for name, box in self.weights.items():
            if not box.hasFocus():
                box.blockSignals(True)
                box.setValue(getattr(context.scenario.economics.ranking, name))
                box.blockSignals(False)

    def set_state(self, state: PlanState, message: str = "") -> None:
        context = self.context
        has_one = context is not None and len(context.project.scenarios) < 2 and not any(context.pinned.values())
        if state is PlanState.CURRENT and has_one:
            self.context = None
            state = PlanState.EMPTY
            message = tr(
                "Duplicate the scenario (Ctrl+D) and change what differs, or pin candidates (Ctrl-click a row): "
                "they stand side by side here."
            )
        super().set_state(state, message)

    def _weight(self, name: str) -> QDoubleSpinBox:
        box = QDoubleSpinBox(self)
        box.setRange(0.0, 100.0)
        box.setDecimals(1)
        box.setKeyboardTracking(False)
        box.setButtonSymbols(QDoubleSpinBox.ButtonSymbols.NoButtons)
        box.setFixedWidth(52)
        box.setAccessibleName(tr("Weight of {criterion}").format(criterion=criterion_name(name)))
        box.valueChanged.connect(lambda value, name=name: self._on_weight(name, value))
        return box

    def _on_weight(self, name: str, value: float) -> None:
        self.value_edited.emit(f"economics.ranking.{name}", value)


def pinned_rows(results: Results) -> Rows:
    """A column for each pinned candidate and, first, the recommended one; a row for each figure of its table."""
    rows: list[tuple[str, ...]] = []
    for workload in results.workloads():
        answer, pinned = results.answer(workload), results.pinned.get(workload, ())
        if answer is None or not pinned:
            continue
        shown = [*([answer.best] if answer.best >= 0 and answer.best not in pinned else []), *pinned]
        model = CandidateModel(workload)
        model.show_results(results)
        table = model.as_rows(np.array(shown))
        rows.append(("", *(candidate_text(results.plan, results.catalog, workload, one) for one in shown)))
        figures = zip(table.columns, zip(*table.cells, strict=True), strict=True)
        rows += [(column.title, *map(str, cells)) for column, cells in figures if any(cells)]
    if not rows:
        return NO_ROWS
    heads, *rows = [(*row, *[""] * (max(map(len, rows)) - len(row))) for row in rows]
    return Rows(tuple(map(Column, heads)), tuple(rows))


class _ComparisonModel(RowsModel):
    """Headings of sections stand out."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        is_style = role in (Qt.ItemDataRole.FontRole, Qt.ItemDataRole.ForegroundRole)
        if not index.isValid() or not is_style or not is_heading(self.rows.cells[index.row()]):
            return super().data(index, role)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QGuiApplication.palette().placeholderText()
        font = QFont()
        font.setPointSizeF(font.pointSizeF() * 0.85)
        font.setWeight(QFont.Weight.DemiBold)
        return font
