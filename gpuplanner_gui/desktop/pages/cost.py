"""The pages of Money & risk: costs, the order, how sure the plan is, and training and serving side by side."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.calm import CalmComboBox
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, flowing, lay_out
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel, plain_label, plain_tool_tip
from gpuplanner_gui.desktop.widgets.rows_table import RowsTable
from gpuplanner_gui.desktop.widgets.theme import push_button
from gpuplanner_gui.domain.decision import OwnershipAnswer, UncertaintyAnswer
from gpuplanner_gui.domain.price import OrderList
from gpuplanner_gui.drawing.decision_rows import (
    alternatives_text,
    commitment_text,
    energy_text,
    investment_text,
    levers_text,
    unit_costs_text,
)
from gpuplanner_gui.drawing.language import labelled, tr
from gpuplanner_gui.drawing.order_rows import cash_rows, order_conditions, order_rows, order_totals
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.cost import CostPlot
from gpuplanner_gui.drawing.plots.ownership import OwnedPartsPlot, TermsPlot
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.plots.uncertainty import BandsPlot, RivalsPlot, TornadoPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES
from gpuplanner_gui.drawing.words.decision import (
    assumed_text,
    just_enough_text,
    measurement_text,
    probability_name,
    result_name,
    skewed_text,
)
from gpuplanner_gui.drawing.words.verdict_level import chance_text


class OrderPage(ResultView):
    """One workload's list at a time, kept and filled anew."""

    follows = ("decision",)
    wanted = ("ownership",)
    kept = ("tabs",)

    def __init__(self) -> None:
        super().__init__()
        self._orders: tuple[OrderList, ...] = ()
        self._left_out: tuple[str, ...] = ()
        self._is_awaited = False
        self.tabs = QTabBar(self)
        self.tabs.setAccessibleName(tr("Workload"))
        self.tabs.addTab(tr("Workload"))
        self.tabs.currentChanged.connect(self._show_chosen)
        self.summary = WrappingLabel("", self, is_selectable=True)
        self.conditions = WrappingLabel("", self, is_selectable=True)
        self.lines_table = RowsTable(tr("Order list"), self, fits=True)
        self.cash_table = RowsTable(tr("Cash by quarter"), self, fits=True)
        lay_out(
            QVBoxLayout(self), self.tabs, self.summary, self.lines_table, self.conditions, self.cash_table, STRETCH,
            margins=(20, 8, 16, 8), spacing=16,
        )  # fmt: skip

    def draw(self, context: Results) -> None:
        found = context.known.ownership.values()
        self._is_awaited = not found and any(one.best >= 0 for one in context.plan.answers.values())
        self._orders = tuple(one.order for one in found if one.order is not None)
        missing = (tr(WORKLOAD_TITLES[one.workload]) for one in found if one.order is None)
        self._left_out = tuple(tr("{workload} is left out: no price is known.").format(workload=one) for one in missing)
        names = [tr(WORKLOAD_TITLES[one.workload]) for one in self._orders] or [tr("Workload")]
        with QSignalBlocker(self.tabs):
            while self.tabs.count() > len(names):
                self.tabs.removeTab(self.tabs.count() - 1)
            while self.tabs.count() < len(names):
                self.tabs.addTab("")
            for place, name in enumerate(names):
                self.tabs.setTabText(place, name)
        self.tabs.setVisible(len(names) > 1)
        self._show_chosen()

    def _show_chosen(self) -> None:
        place = max(self.tabs.currentIndex(), 0)
        order = self._orders[place] if place < len(self._orders) else None
        nothing = (
            tr("Calculating the order…")
            if self._is_awaited
            else tr("Nothing to order: no plan is recommended, or its price is not known.")
        )
        # Totals and positions come first: in large type on a small screen the rest is scrolled to.
        self.summary.setText(
            "\n".join((*order_totals(order), *self._left_out)) if order is not None else nothing
        )  # fmt: skip
        self.conditions.setText("\n".join(order_conditions(order)) if order is not None else "")
        self.conditions.setVisible(order is not None)
        for table, rows_of_order in ((self.lines_table, order_rows), (self.cash_table, cash_rows)):
            table.setVisible(order is not None)
            table.show_rows(rows_of_order(order) if order is not None else NO_ROWS)
        if order is not None:
            self.lines_table.wrap(tr("Item"), tr("Details"), tr("Source"))
            self.cash_table.show_whole()


MOST_TILES = 5
LEAST_PLOT_HEIGHT = 270
"""Pixels in which the lines of all headline results are read."""
LEAST_CHOICE = 150
"""Pixels of the box that says which result is explained, where the page is narrow."""


class UncertaintyPage(ResultView):
    """A row of probabilities above three plots; sampled anew when a number changes while the page is on screen."""

    cancelled = Signal()
    """The planner has waited long enough."""
    follows = ("decision",)
    wanted = ("uncertainty",)
    kept = ("choice",)

    def __init__(self) -> None:
        super().__init__()
        self.tiles = [_Tile(self) for _ in range(MOST_TILES)]
        self.progress = QProgressBar(self)
        self.progress.setRange(0, 100)
        self.progress.setTextVisible(False)
        self.progress.setFixedSize(160, 8)
        self.progress.setAccessibleName(tr("Progress of the samples"))
        self.cancel = push_button(tr("Cancel"), self.cancelled, self)
        self.choice = CalmComboBox(self)
        self.choice.setAccessibleName(tr("Result to explain"))
        self.choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.choice.setMinimumWidth(round(scaled(LEAST_CHOICE)))
        self.choice.currentIndexChanged.connect(self._on_choice)
        # A box of nothing would be taken for a fault.
        self.choice.hide()
        self.measure = plain_label("", self, wraps=True)
        self.measure.setContentsMargins(20, 0, 16, 8)
        self.plots = _UncertaintyPlots(self)
        self.plots.candidate_selected.connect(self.candidate_selected)
        figures = flowing((*self.tiles, self.progress, self.cancel), self, spacing=24, line_spacing=4)
        top = lay_out(
            QHBoxLayout(), (figures, 1), (self.choice, 0, Qt.AlignmentFlag.AlignTop), margins=(20, 8, 16, 4),
            spacing=24,
        )  # fmt: skip
        lay_out(QVBoxLayout(self), top, (self.plots, 1), self.measure, margins=(0, 0, 0, 0), spacing=0)

    def draw(self, context: Results) -> None:
        answer = context.known.uncertainty
        self._show_progress(context, answer)
        self._show_tiles(answer)
        self._fill_choice(answer)
        lines = [measurement_text(answer), just_enough_text(answer, context.plan.serving)] if answer else []
        lines += [skewed_text(answer)] if answer else []
        self.measure.setText("\n".join(line for line in lines if line))
        self.plots.show_results(context)

    def set_state(self, state: PlanState, message: str = "") -> None:
        super().set_state(state, message)
        if self.context is not None:
            self.plots.set_state(PlanState.CURRENT)

    def _show_progress(self, context: Results, answer: UncertaintyAnswer | None) -> None:
        is_running = answer is None and "uncertainty" not in context.known.failures
        self.progress.setVisible(is_running)
        self.cancel.setVisible(is_running)
        self.progress.setValue(round(100 * context.known.progress))

    def _show_tiles(self, answer: UncertaintyAnswer | None) -> None:
        sure = answer.probabilities if answer is not None else ()
        for tile, one in zip(self.tiles, [*sure, *[None] * MOST_TILES]):
            tile.setVisible(one is not None)
            if one is not None:
                tile.show_value(chance_text(one.value), probability_name(one.code))

    def _fill_choice(self, answer: UncertaintyAnswer | None) -> None:
        codes = [one.code for one in answer.tornados if one.bars] if answer is not None else []
        if codes == [self.choice.itemData(index) for index in range(self.choice.count())] or not codes:
            return
        chosen = self.choice.currentData()
        with QSignalBlocker(self.choice):
            self.choice.clear()
            for code in codes:
                self.choice.addItem(result_name(code), code)
            self.choice.setCurrentIndex(max(self.choice.findData(chosen), 0))
        self._tell_choice()
        self.choice.show()
        self.plots.code = str(self.choice.currentData())

    def _tell_choice(self) -> None:
        """The words in full too: they are cut where the page is very narrow."""
        purpose = tr("Choose the result whose inputs are shown")
        self.choice.setToolTip(plain_tool_tip(labelled(purpose, self.choice.currentText())))

    def _on_choice(self) -> None:
        self._tell_choice()
        self.plots.code = str(self.choice.currentData())
        if self.context is not None:
            self.plots.draw(self.context)


class _Tile(QWidget):
    """A probability, large, above what it is of."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._value, self._name = QLabel(self), QLabel(self)
        font = self._value.font()
        font.setPointSizeF(font.pointSizeF() * 1.7)
        font.setWeight(font.Weight.DemiBold)
        self._value.setFont(font)
        self._name.setObjectName("quiet")
        for label in (self._value, self._name):
            label.setTextFormat(Qt.TextFormat.PlainText)
        lay_out(QVBoxLayout(self), self._value, self._name, margins=(0, 0, 0, 0), spacing=0)

    def show_value(self, value: str, name: str) -> None:
        self._value.setText(value)
        self._name.setText(name)
        self.setAccessibleName(f"{name}: {value}")


class _UncertaintyPlots(PlotPage):
    """Bands, the tornado of the chosen result, and rivals of each workload."""

    is_tall = True
    least_height = LEAST_PLOT_HEIGHT

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.code = ""

    def plots_for(self, context: Results) -> tuple[str, ...]:
        answer = context.known.uncertainty
        known = [one.code for one in answer.tornados] if answer is not None else []
        code = self.code if self.code in known else (known[0] if known else "serving.usd_per_month_needed")
        workloads = dict.fromkeys(one.workload for one in answer.rivals) if answer is not None else {}
        return ("bands", f"tornado:{code}", *(f"rivals:{one}" for one in workloads))

    def make_plot(self, name: str) -> Plot:
        kind, _, what = name.partition(":")
        if kind == "bands":
            return BandsPlot()
        if kind == "rivals":
            return RivalsPlot(what)
        return TornadoPlot(what, "s" if what.endswith("_s") else "USD/month" if what.startswith("serving") else "USD")


LAST_ROW = 90
"""Row of the page's grid below all plots."""


class CostPage(PlotPage):
    """Cost by candidate at once; terms, parts of an owned hour and figures without a picture when they are known."""

    follows = ("decision",)
    is_tall = True
    least_height = 190
    wanted = ("ownership", "alternatives")

    def __init__(self) -> None:
        super().__init__()
        self.facts = plain_label("", self, wraps=True, is_selectable=True)
        self.facts.setContentsMargins(12, 0, 8, 0)
        self.facts.hide()
        self._grid.addWidget(self.facts, LAST_ROW, 0, 1, 2)

    def draw(self, context: Results) -> None:
        found = context.known.ownership
        lines = [text for answer in found.values() if (text := _facts(answer, context, len(found) > 1))]
        lines += [one for one in (alternatives_text(context),) if one and found]
        self.facts.setText("\n".join(lines))
        self.facts.setVisible(bool(lines))
        super().draw(context)

    def plots_for(self, context: Results) -> tuple[str, ...]:
        workloads = context.workloads()
        known = context.known.ownership
        terms = tuple(f"terms:{one}" for one in workloads if one in known)
        owned = tuple(f"owned:{one}" for one in workloads if one in known) if len(workloads) < 2 else ()
        return (*workloads, *terms, *owned)

    def make_plot(self, name: str) -> Plot:
        kind, _, workload = name.partition(":")
        if not workload:
            return CostPlot(kind, rows=9)
        return TermsPlot(workload) if kind == "terms" else OwnedPartsPlot(workload)


def _facts(answer: OwnershipAnswer, context: Results, names_workload: bool) -> str:
    """What no picture shows, with its workload before it where there are two."""
    makers = (levers_text, commitment_text, investment_text, energy_text)
    costs = unit_costs_text(answer, context.scenario)
    parts = [costs, *(text(answer) for text in makers), assumed_text(answer, context.scenario)]
    text = "\n".join(part for part in parts if part)
    title = tr("Serving: ") if answer.workload == "serving" else tr("Training: ")
    return f"{title}{text}" if names_workload and text else text
