"""What is compared: scenarios and pinned candidates beside each other, and two accelerators phase by phase."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, partial

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import (
    QDoubleSpinBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.editors.choices_edit import PickList
from gpuplanner_gui.desktop.pages.candidate_model import CandidateModel
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.calm import CalmDoubleSpinBox
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import LinesLabel, plain_label
from gpuplanner_gui.desktop.widgets.rows_table import RowsModel, RowsTable
from gpuplanner_gui.desktop.widgets.table_columns import WrappedColumns
from gpuplanner_gui.desktop.widgets.tables import Index, row_height
from gpuplanner_gui.desktop.widgets.theme import tool_button
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.drawing.candidates import best_of_each_device
from gpuplanner_gui.drawing.comparison_rows import comparison_rows, is_heading
from gpuplanner_gui.drawing.gain_rows import beside_text, gain_rows, measured_rows, work_text
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.numbers import phases_stage
from gpuplanner_gui.drawing.plots.phase_gain import PhaseGainPlot
from gpuplanner_gui.drawing.plots.ranking import CRITERIA, RankingPlot
from gpuplanner_gui.drawing.results import Results, awaited_text
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows
from gpuplanner_gui.drawing.words.candidates import accelerator_name, candidate_text
from gpuplanner_gui.drawing.words.decision import criterion_name
from gpuplanner_gui.engine.decision.compare import criteria_of

PLOT_HEIGHT = 300
MOST_LINES, MOST_LINES_OF_WORK = 8, 5
"""Most lines of what is said under the plot, five sentences of which some take two, and beside the devices."""


class PhasesPage(ResultView):
    """Above what is compared, then the gains as a picture and as numbers, and the published pairs with sources."""

    follows = ("decision",)
    wanted = ("phases",)
    kept = ("gain_view",)

    def __init__(self) -> None:
        super().__init__()
        self._chosen: dict[str, str] = {}
        self.first, self.second = _AcceleratorButton(self), _AcceleratorButton(self)
        self.first.setAccessibleName(tr("Accelerator compared with"))
        self.second.setAccessibleName(tr("Accelerator that is compared"))
        for side, button in (("first", self.first), ("second", self.second)):
            button.picked.connect(lambda name, side=side: self._on_picked(side, name))
        self.gains_table = self._table(tr("Gains by phase"))
        self.published_table = self._table(tr("Published results of the pair"))
        self._peaks, self._work = LinesLabel(MOST_LINES, self), LinesLabel(MOST_LINES_OF_WORK, self)
        for label in (self._peaks, self._work):
            label.setObjectName("quiet")
        self._about = QLabel(tr("Published results of the pair"), self)
        lay_out(
            QVBoxLayout(self), self._top(), self._peaks, self.gains_table, self._about, self.published_table,
            margins=(8, 8, 8, 8), spacing=8,
        )  # fmt: skip

    @cached_property
    def gain_view(self) -> PlotView:
        """The picture, under the choice of devices; a plot takes a turn of its own to be made."""
        view = PlotView(PhaseGainPlot, self)
        view.be_at_least(PLOT_HEIGHT)
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(1, view, 1)
        self._veil.raise_()
        return view

    @property
    def _plot(self) -> PhaseGainPlot:
        assert isinstance(self.gain_view.plot, PhaseGainPlot)
        return self.gain_view.plot

    def named_stages(self) -> tuple[str, ...]:
        return (phases_stage(*self._plot.pair),) if all(self._plot.pair) else ()

    def _top(self) -> QHBoxLayout:
        swap = tool_button(
            "⇄", self._swap, self, tip=tr("Swap the two accelerators"), said=tr("Swap the two accelerators")
        )
        top = lay_out(
            QHBoxLayout(), QLabel(tr("From"), self), self.first, QLabel(tr("to"), self), self.second, swap,
            (self._work, 1), margins=(12, 0, 8, 0), spacing=8,
        )  # fmt: skip
        return top

    def _table(self, name: str) -> RowsTable:
        table = RowsTable(name, self, fits=True)
        table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.horizontalHeader().setStretchLastSection(True)
        return table

    def draw(self, context: Results) -> None:
        first, second = self._pair(context)
        self.first.offer(context.catalog, first)
        self.second.offer(context.catalog, second)
        plot = partial(self._draw_plot, context, (first, second))
        self.draw_in_turns(lambda: self.gain_view, plot, partial(self._draw_tables, context))

    def _draw_plot(self, context: Results, pair: tuple[str, str]) -> None:
        self._plot.pair = pair
        self.gain_view.show_results(context)

    def _draw_tables(self, context: Results) -> None:
        found = self._plot.found
        _fill(self.gains_table, gain_rows(found, context.catalog) if found is not None else NO_ROWS)
        has_published = found is not None and bool(found.measured)
        _fill(self.published_table, measured_rows(found) if found is not None and has_published else NO_ROWS)
        self._about.setVisible(has_published)
        scenario = context.scenario
        work = work_text(found, scenario.model.name, scenario.serving is not None) if found is not None else ""
        self._work.setText(work)
        self._peaks.setText(beside_text(found, context.catalog) if found is not None else "")

    def _pair(self, context: Results) -> tuple[str, str]:
        """The two devices to compare: the planner's choice, else the device on screen and the best other one, or where
        the hardware choice leaves none the one that is offered most."""
        known = context.catalog.accelerators
        offered = Counter(one.accelerator_id for one in context.catalog.offers.values())
        usual = (name for name, _ in offered.most_common())
        ranked = [name for name in (*_devices_by_rank(context), *usual) if name in known]
        first, second = (self._chosen.get(side, "") for side in ("first", "second"))
        first = first if first in known else next(name for name in (*ranked, *known) if name != second)
        second = second if second in known else next(name for name in (*ranked, *known) if name != first)
        return first, second

    def _on_picked(self, side: str, name: str) -> None:
        self._chosen[side] = name
        self._draw_again()

    def _swap(self) -> None:
        first, second = self._plot.pair
        self._chosen = {"first": second, "second": first}
        self._draw_again()

    def more_kept(self) -> dict[str, str]:
        return dict(self._chosen)

    def take_kept(self, chosen: dict[str, str]) -> None:
        """The pair of devices that was chosen."""
        self._chosen = dict(chosen)
        self._draw_again()

    def _draw_again(self) -> None:
        if self.context is not None:
            self.draw(self.context)


class _AcceleratorButton(QPushButton):
    """Shows the accelerator that is chosen, and opens the list of all."""

    picked = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._catalog: Catalog | None = None
        self.clicked.connect(self._open)

    def offer(self, catalog: Catalog, chosen: str) -> None:
        self._catalog = catalog
        self.setText(accelerator_name(chosen, catalog))

    def _open(self) -> None:
        if self._catalog is not None:
            PickList.pick_one(self, self._catalog.accelerators, tr("Search accelerators"), self.picked.emit)


def _devices_by_rank(context: Results) -> list[str]:
    """Accelerators of the candidates that plots speak of, the one on screen first."""
    for workload, answer in context.plan.answers.items():
        selected = context.candidate(workload)
        if selected >= 0:
            best = best_of_each_device(answer, 4, selected)
            allowed = [one for one in best if one != selected and answer.table.reason[one] != Reason.EXCLUDED]
            ranked = [selected, *allowed]
            return list(dict.fromkeys(context.plan.accelerators[int(answer.table.accelerator[one])] for one in ranked))
    return []


def _fill(table: RowsTable, rows: Rows) -> None:
    """Show rows, as tall as they are: the page scrolls, not the table."""
    table.show_rows(rows)
    count = len(rows.cells)
    table.setVisible(count > 0)
    header = max(table.horizontalHeader().sizeHint().height(), row_height())
    bar = table.horizontalScrollBar().sizeHint().height()
    table.setFixedHeight(header + count * row_height() + bar + 4)


class ComparePage(ResultView):
    """A table with a column for each scenario; above it the weights, beside it the ranking."""

    follows = ("decision",)
    wanted = ("comparison",)

    def __init__(self) -> None:
        super().__init__()
        self.model = _ComparisonModel()
        self.table = RowsTable(tr("Scenarios compared"), self, self.model)
        self._columns = WrappedColumns(self.table, lambda: None)
        self.pinned = RowsTable(tr("Pinned candidates compared"), self, fits=True)
        self.pinned.hide()
        self.weights = {name: self._weight(name) for name in CRITERIA}
        top = lay_out(QHBoxLayout(), QLabel(tr("Weights"), self), margins=(20, 8, 16, 4), spacing=6)
        self._weight_labels = {name: plain_label(criterion_name(name), self, name="quiet") for name in CRITERIA}
        for name, box in self.weights.items():
            label = self._weight_labels[name]
            label.setBuddy(box)
            top.addSpacing(8)
            top.addWidget(label)
            top.addWidget(box)
        top.addStretch(1)
        self._body = lay_out(QHBoxLayout(), (self.table, 5), margins=(8, 0, 8, 8), spacing=8)
        self.scenarios = QWidget(self)
        lay_out(QVBoxLayout(self.scenarios), top, (self._body, 1), margins=(0, 0, 0, 0), spacing=0)
        lay_out(QVBoxLayout(self), (self.scenarios, 3), (self.pinned, 2), margins=(0, 0, 0, 0), spacing=8)

    @cached_property
    def ranking(self) -> PlotView:
        """The picture beside the table; a plot takes a turn of its own to be made."""
        view = PlotView(RankingPlot, self)
        view.scenario_selected.connect(self.scenario_selected)
        self._body.addWidget(view, 2)
        return view

    def draw(self, context: Results) -> None:
        self.draw_in_turns(
            partial(self._draw_table, context), lambda: self.ranking, lambda: self.ranking.show_results(context),
            partial(self._draw_pinned, context),
        )  # fmt: skip

    def _draw_table(self, context: Results) -> None:
        answer = context.known.comparison
        waiting = Rows((Column(""),), ((awaited_text(context.known, "comparison", tr("Comparing…")),),))
        rows = comparison_rows(answer, context.catalog) if answer is not None else waiting
        if self.table.show_rows(rows):
            self._columns.wrap(tuple(range(len(rows.columns))))

    def _draw_pinned(self, context: Results) -> None:
        pinned = pinned_rows(context)
        self.pinned.setVisible(bool(pinned.cells))
        self.scenarios.setVisible(len(context.project.scenarios) > 1)
        self.pinned.show_rows(pinned)
        judged = criteria_of(context.project.scenarios)
        for name, box in self.weights.items():
            box.setVisible(name in judged)
            self._weight_labels[name].setVisible(name in judged)
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
                "Duplicate the scenario (Ctrl+D) and edit the copy, or pin candidates (Ctrl-click a row) to "
                "compare them here."
            )
        super().set_state(state, message)

    def _weight(self, name: str) -> QDoubleSpinBox:
        box = CalmDoubleSpinBox(self)
        box.setRange(0.0, 100.0)
        box.setDecimals(1)
        box.setKeyboardTracking(False)
        box.setFixedWidth(52)
        box.setAccessibleName(tr("Weight of {criterion}").format(criterion=criterion_name(name)))
        box.valueChanged.connect(lambda value, name=name: self.value_edited.emit(f"economics.ranking.{name}", value))
        return box


def pinned_rows(results: Results) -> Rows:
    """A column for each pinned candidate and, first, the recommended one; a row for each figure of its table."""
    rows: list[tuple[str, ...]] = []
    for workload, answer in results.plan.answers.items():
        pinned = results.pinned.get(workload, ())
        if not pinned:
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
