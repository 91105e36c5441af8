"""What differs by phase: two accelerators of the planner's choice, in training, prefill and decoding."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.editors.choices_edit import PickList
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.widgets.labels import ElidedLabel
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.desktop.widgets.tables import RowsModel, row_height, rows_table
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.drawing.candidates import best_of_each_device
from gpuplanner_gui.drawing.gain_rows import gain_rows, measured_rows, peak_text
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.numbers import phases_stage
from gpuplanner_gui.drawing.plots.phase_gain import PhaseGainPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS
from gpuplanner_gui.drawing.words.candidates import accelerator_name

PLOT_HEIGHT = 300


class PhasesPage(ResultView):
    """Above what is compared, then the gains as a picture and as numbers, and the published pairs with sources."""

    follows = ("decision",)
    wanted = ("phases",)
    kept = ("gain_view",)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chosen: dict[str, str] = {}
        self.first, self.second = _AcceleratorButton(self), _AcceleratorButton(self)
        self.first.setAccessibleName(tr("Accelerator compared with"))
        self.second.setAccessibleName(tr("Accelerator that is compared"))
        for side, button in (("first", self.first), ("second", self.second)):
            button.picked.connect(lambda name, side=side: self._on_picked(side, name))
        self.gain_view = PlotView(PhaseGainPlot, self)
        assert isinstance(self.gain_view.plot, PhaseGainPlot)
        self._plot = self.gain_view.plot
        self.gain_view.be_at_least(PLOT_HEIGHT)
        self.gains_table, self._gains = self._table(tr("Gains by phase"))
        self.published_table, self._published = self._table(tr("Published results of the pair"))
        self._peaks = ElidedLabel(self)
        self._peaks.setObjectName("quiet")
        self._about = QLabel(tr("Published results of the pair"), self)
        layout = lay_out(
            QVBoxLayout(self), self._top(), (self.gain_view, 1), self._peaks, margins=(8, 8, 8, 8), spacing=8,
        )  # fmt: skip
        for widget in (self.gains_table, self._about, self.published_table):
            layout.addWidget(widget)
        self._veil.raise_()

    def named_stages(self) -> tuple[str, ...]:
        return (phases_stage(*self._plot.pair),) if all(self._plot.pair) else ()

    def _top(self) -> QHBoxLayout:
        swap = QToolButton(self)
        swap.setText("⇄")
        swap.setToolTip(tr("Turn the comparison round"))
        swap.setAccessibleName(tr("Turn the comparison round"))
        swap.clicked.connect(self._swap)
        top = QHBoxLayout()
        top.setContentsMargins(12, 0, 8, 0)
        top.setSpacing(8)
        for widget in (QLabel(tr("From"), self), self.first, QLabel(tr("to"), self), self.second, swap):
            top.addWidget(widget)
        top.addStretch(1)
        return top

    def _table(self, name: str) -> tuple[QTableView, RowsModel]:
        model = RowsModel()
        table = rows_table(model, self)
        table.setAccessibleName(name)
        table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        table.horizontalHeader().setStretchLastSection(True)
        return table, model

    def draw(self, context: Results) -> None:
        first, second = self._pair(context)
        self.first.offer(context.catalog, first)
        self.second.offer(context.catalog, second)
        self._plot.pair = (first, second)
        self.gain_view.show_results(context)
        found = self._plot.found
        _fill(self.gains_table, self._gains, gain_rows(found, context.catalog) if found is not None else NO_ROWS)
        has_published = found is not None and bool(found.measured)
        published = measured_rows(found) if found is not None and has_published else NO_ROWS
        _fill(self.published_table, self._published, published)
        self._about.setVisible(has_published)
        self._peaks.setText(peak_text(found) if found is not None else "")

    def _pair(self, context: Results) -> tuple[str, str]:
        """What the planner chose; else the device of the candidate on screen, and the best other one."""
        known = context.catalog.accelerators
        ranked = [name for name in _devices_by_rank(context) if name in known]
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
        self._choices: tuple[tuple[str, str], ...] = ()
        self._catalog: Catalog | None = None
        self.clicked.connect(self._open)

    def offer(self, catalog: Catalog, chosen: str) -> None:
        if catalog is not self._catalog:
            self._catalog = catalog
            entries = ((entry.id, entry.name) for entry in catalog.accelerators.values())
            self._choices = tuple(sorted(entries, key=lambda one: one[1].casefold()))
        self.setText(accelerator_name(chosen, catalog))

    def _open(self) -> None:
        picker = PickList(self._choices, None, tr("Search accelerators"), self)
        picker.picked.connect(self.picked)
        picker.open_under(self)


def _devices_by_rank(context: Results) -> list[str]:
    """Accelerators of the candidates that plots speak of, the one on screen first."""
    for workload in context.workloads():
        answer, selected = context.answer(workload), context.candidate(workload)
        if answer is not None and selected >= 0:
            best = best_of_each_device(answer, 4, selected)
            ranked = [selected, *(one for one in best if one != selected)]
            return list(dict.fromkeys(context.plan.accelerators[int(answer.table.accelerator[one])] for one in ranked))
    return []


def _fill(table: QTableView, model: RowsModel, rows: object) -> None:
    """Show rows, as tall as they are: the page scrolls, not the table."""
    if rows != model.rows:
        model.show_rows(rows)  # type: ignore[arg-type]
    count = len(model.rows.cells)
    table.setVisible(count > 0)
    header = max(table.horizontalHeader().sizeHint().height(), row_height())
    bar = table.horizontalScrollBar().sizeHint().height()
    table.setFixedHeight(header + count * row_height() + bar + 4)
