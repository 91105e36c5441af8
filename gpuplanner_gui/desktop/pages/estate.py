"""The estate: fleets and workloads over time, cash and power by period, orders, and decisions pinned by hand.

One service and one training job are the smallest estate: there it comes down to one fleet or two.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QTabBar,
    QVBoxLayout,
)

from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.tasks.estate_tasks import FUTURES, PLAN, REASONS
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.ask_why import scroll_area_around
from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel
from gpuplanner_gui.desktop.widgets.rows_table import RowsTable
from gpuplanner_gui.desktop.widgets.theme import push_button
from gpuplanner_gui.domain.estate import EstatePin
from gpuplanner_gui.drawing.estate_rows import (
    future_rows,
    limit_lines,
    now_lines,
    order_rows,
    period_rows,
    price_rows,
    runner_up_rows,
    shown,
    workload_rows,
)
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.cost import ResourceUsePlot
from gpuplanner_gui.drawing.plots.estate import (
    EstateCashPlot,
    EstatePowerPlot,
    EstateTimelinePlot,
    estate_of,
    timeline_rows,
)
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.plots.strategies import PaidUsedPlot, StrategiesPlot, TimelinePlot
from gpuplanner_gui.drawing.results import EstateFindings, Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.estate import (
    estate_lines,
    futures_line,
    futures_meaning,
    left_out_lines,
    unsure_lines,
)

ORDERS, WORKLOADS, PERIODS, AHEAD, LIMITS, OTHERS, PAIR = range(7)
TABS = ("Orders", "Workloads", "Periods", "Futures", "Limits", "Runners-up", "One fleet or two")
WANTED_BY = {AHEAD: FUTURES, LIMITS: REASONS, OTHERS: REASONS, PAIR: "fleets"}
"""The part of the results that each tab needs; it is computed while the tab is in front."""
CAN_PIN = ("buy", "sell", "reserve")
TABLE_HEIGHT = 230
ROW_HEIGHT, AROUND_ROWS = 18, 100
"""Pixels of a row of the timeline, and of its title, axis and legend."""


class EstatePage(ResultView):
    """Plots of the plan above its tables; a selected order or workload can be pinned, and the rest is planned anew."""

    pin_wanted = Signal(object)
    unpin_wanted = Signal(object)
    stop_wanted = Signal()
    search_wanted = Signal()
    inputs_wanted = Signal()
    draft_wanted = Signal()
    """Make an estate of all workloads of the project."""
    follows = ("estate", "decision")
    wanted = (PLAN,)
    kept = ("tabs",)

    def __init__(self) -> None:
        super().__init__()
        self.summary = WrappingLabel("", self, is_selectable=True)
        tip = tr("Stop the search and keep the best plan so far")
        self.stop = push_button(tr("Stop"), self.stop_wanted, self, tip=tip)
        tip = tr("Continue the search for a cheaper plan")
        self.again = push_button(tr("Search longer"), self.search_wanted, self, tip=tip)
        tip = tr("Workloads and dates, hardware, pools, sites, limits and futures")
        self.inputs = push_button(tr("Inputs…"), self.inputs_wanted, self, tip=tip)
        self.draft = push_button(tr("Plan All as One Estate"), self.draft_wanted, self)
        self.plots, self.fleets = _EstatePlots(self), _FleetPlots(self)
        self.tabs = QTabBar(self)
        self.tabs.setAccessibleName(tr("Tables of the estate"))
        self.tabs.setExpanding(False)
        for name in TABS:
            self.tabs.addTab(tr(name))
        self.tabs.currentChanged.connect(self._on_tab)
        self.pin = push_button(tr("Pin"), self._on_pin, self)
        self.note = WrappingLabel("", self, is_selectable=True)
        self.table = RowsTable(tr("Orders, workloads and periods"), self, fits=True)
        self.rows = self.table.rows_model
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setMinimumHeight(round(scaled(TABLE_HEIGHT)))
        self.table.selectionModel().selectionChanged.connect(lambda *_: self._offer_pin())
        self._data: list[dict[str, Any]] = []
        self._wanted_part = ""
        self._into_view = NextTurn(self, self._scroll_to_table)
        self._lay_out()
        self._offer_pin()

    def _lay_out(self) -> None:
        buttons = (self.inputs, self.stop, self.again, self.draft)
        top = lay_out(QHBoxLayout(), (self.summary, 1), *buttons, margins=(20, 8, 16, 4))
        below = lay_out(QHBoxLayout(), (self.tabs, 1), self.pin, margins=(20, 4, 16, 4))
        note = lay_out(QVBoxLayout(), self.note, margins=(20, 0, 16, 0))
        tables = lay_out(QVBoxLayout(), self.table, margins=(20, 0, 16, 8))
        parts = (top, (self.plots, 3), below, note, (self.fleets, 5), (tables, 2))
        lay_out(QVBoxLayout(self), *parts, margins=(0, 0, 0, 0), spacing=0)

    def draw(self, context: Results) -> None:
        found = context.estate if context.estate is not None else EstateFindings()
        self._show_parts(context)
        self.fleets.show_results(replace(context, selected={}))
        if not _has_estate(context):
            text = tr("One service and one training job. As an estate they get dates, budgets, sites and limits.")
            self.summary.setText(text)
            return
        self.summary.setText("\n".join(_lines(found, context)))
        is_searching = found.progress is not None
        self.stop.setVisible(is_searching)
        self.again.setVisible(not is_searching and found.answer is not None and not found.answer.found.is_optimal)
        # While a search tells how far it is, what it found before stays as it is.
        if not is_searching or found.answer is None or self.plots.context is None:
            self.plots.show_results(context)
        self._mark_plots()
        self._fill(found)

    def _show_parts(self, context: Results) -> None:
        """The estate's plan with a table, or the ways to cover one service and one training job."""
        is_estate, is_pair = _has_estate(context), len(context.workloads()) > 1
        if not is_pair and self.tabs.currentIndex() == PAIR:
            self.tabs.setCurrentIndex(ORDERS)
        self.tabs.setTabVisible(PAIR, is_pair)
        is_of_fleets = is_pair and (not is_estate or self.tabs.currentIndex() == PAIR)
        self.inputs.setVisible(is_estate)
        self.tabs.setVisible(is_estate)
        self.draft.setVisible(not is_estate)
        for button in (self.stop, self.again, self.pin) if not is_estate else ():
            button.hide()
        self.fleets.setVisible(is_of_fleets)
        self.plots.setVisible(not is_of_fleets)
        self.table.setVisible(not is_of_fleets)
        self.note.setVisible(is_estate and bool(self.note.text()))
        if self.isVisible():
            self._want(self._part_in_front())

    def is_drawing(self) -> bool:
        return super().is_drawing() or self.plots.is_drawing() or self.fleets.is_drawing()

    def _part_in_front(self) -> str:
        """The part of the results that the visible tab needs."""
        is_alone = self.context is not None and not _has_estate(self.context)
        return WANTED_BY[PAIR] if is_alone else WANTED_BY.get(self.tabs.currentIndex(), "")

    def set_state(self, state: PlanState, message: str = "") -> None:
        super().set_state(state, message)
        if self.context is not None:
            self._mark_plots()
            self.fleets.set_state(PlanState.CURRENT)

    def _mark_plots(self) -> None:
        """Dim a plan that waits for the one of the present inputs, as its table is."""
        found = self.context.estate if self.context is not None else None
        is_old = found is not None and found.answer is not None and found.is_outdated
        self.plots.set_state(PlanState.OUTDATED if is_old else PlanState.CURRENT)

    def hideEvent(self, event: Any) -> None:
        super().hideEvent(event)
        self._want("")

    def showEvent(self, event: Any) -> None:
        super().showEvent(event)
        self._want(self._part_in_front())

    def _want(self, part: str) -> None:
        if part != self._wanted_part:
            before, self._wanted_part = self._wanted_part, part
            if before:
                self.part_wanted.emit(before, False)
            if part:
                self.part_wanted.emit(part, True)

    def _on_tab(self, place: int) -> None:
        if self.context is not None and _has_estate(self.context):
            self._show_parts(self.context)
            self._fill(self.context.estate or EstateFindings())
            if self.isVisible():
                self._into_view.start()

    def _scroll_to_table(self) -> None:
        """What a tab holds lies below the plots: in a low window the page scrolls to it."""
        around = scroll_area_around(self)
        if around is not None:
            below = self.fleets if self.fleets.isVisible() else self.table
            around.ensureWidgetVisible(below, 0, 0)
            around.ensureWidgetVisible(self.tabs, 0, 0)

    def _fill(self, found: EstateFindings) -> None:
        place = self.tabs.currentIndex()
        data = _rows(found, place)
        self.note.setText(_note(found, place))
        self.note.setVisible(bool(self.note.text()))
        if data != self._data:
            self._data = data
            self.rows.show_rows(shown(data))
        self.rows.set_dimmed(found.is_outdated)
        self._offer_pin()

    def _chosen(self) -> dict[str, Any] | None:
        """The selected row."""
        places = (one.row() for one in self.table.selectionModel().selectedRows())
        return next((self._data[place] for place in places if place < len(self._data)), None)

    def _pins(self) -> list[EstatePin]:
        """The decisions that the selected row would pin; empty if it cannot be pinned."""
        row = self._chosen()
        found = self.context.estate if self.context is not None else None
        if row is None or found is None or found.answer is None:
            return []
        if self.tabs.currentIndex() == ORDERS and row["kind"] in CAN_PIN:
            return [
                EstatePin(
                    kind=row["kind"], period=row["period"], pool=row["pool"], hardware=row["hardware"],
                    units=row["units"], term_months=row["term_months"],
                )
            ]  # fmt: skip
        if self.tabs.currentIndex() == WORKLOADS:
            return [
                EstatePin(
                    kind="run_on", period=row["period"], hardware=row["hardware"], workload=row["scenario"],
                    part=row["part"],
                )
            ]  # fmt: skip
        return []

    def _offer_pin(self) -> None:
        pins, row = self._pins(), self._chosen()
        is_pinned = bool(pins) and row is not None and bool(row["is_pinned"])
        self.pin.setText(tr("Unpin") if is_pinned else tr("Pin"))
        self.pin.setEnabled(bool(pins))
        self.pin.setVisible(self.tabs.currentIndex() in (ORDERS, WORKLOADS))
        self.pin.setToolTip(
            tr("Keep the selected decision and plan the rest around it")
            if pins
            else tr("Select a purchase, sale, reservation or workload to pin it")
        )

    def _on_pin(self) -> None:
        row = self._chosen()
        wish = self.unpin_wanted if row is not None and row["is_pinned"] else self.pin_wanted
        for one in self._pins():
            wish.emit(one)


class _EstatePlots(PlotPage):
    """The timeline, then cash and power."""

    is_tall = True
    least_height = 316
    plots: ClassVar = {"timeline": EstateTimelinePlot, "cash": EstateCashPlot, "power": EstatePowerPlot}

    def draw(self, context: Results) -> None:
        """All fleets and workloads have their row; a page that gets too high scrolls."""
        answer = estate_of(context)
        needed = ROW_HEIGHT * timeline_rows(answer) + AROUND_ROWS if answer is not None else 0
        self.plot_view("timeline").be_at_least(max(needed, self.least_height))
        super().draw(context)


class _FleetPlots(PlotPage):
    """Ways to cover one service and one training job, when each fleet is held, and what of it does work."""

    is_tall = True
    least_height = 270
    plots: ClassVar = {
        "strategies": StrategiesPlot, "paid": PaidUsedPlot, "timeline": TimelinePlot, "use": ResourceUsePlot,
    }  # fmt: skip


def _has_estate(context: Results) -> bool:
    """Whether there is one to show; one that was just made may be planned before anything else is."""
    return context.has_estate or (context.estate is not None and not context.estate.is_outdated)


def _lines(found: EstateFindings, context: Results) -> list[str]:
    """The plan in a few sentences, and how far the search is."""
    lines = estate_lines(found.answer) if found.answer is not None else []
    if found.answer is not None:
        text = tr("The verdict above plans {scenario} alone. The estate plans all workloads together and may differ.")
        lines.insert(1, text.format(scenario=context.scenario.name))
        lines += left_out_lines(context.project, found.answer.estate, context.catalog)
        lines += unsure_lines(context.known.comparison, found.answer)
        if found.is_outdated:
            lines.insert(0, tr("Updating: this plan is for the earlier inputs."))
    now = found.progress
    if now is not None and math.isinf(now.cost_usd):
        lines.append(tr("Searching for {time}; no plan yet.").format(time=format_value(now.elapsed_s, "s", 2)))
    elif now is not None and now.gap > 1:
        text = tr("Searching for {time}: best so far {cost}, {count} workloads served.")
        time, cost = format_value(now.elapsed_s, "s", 2), format_value(now.cost_usd, "USD")
        lines.append(text.format(time=time, cost=cost, count=now.served))
    elif now is not None:
        text = tr("Searching for {time}: best so far {cost}; lower bound {bound} (gap {gap}).")
        lines.append(text.format(
            time=format_value(now.elapsed_s, "s", 2), cost=format_value(now.cost_usd, "USD"),
            bound=format_value(now.bound_usd, "USD"), gap=format_value(now.gap, "share", 2),
        ))  # fmt: skip
    elif found.is_outdated or (found.answer is None and PLAN not in found.failures):
        lines.append(tr("Planning every workload…"))
    lines += [text for part, text in found.failures.items() if part == PLAN]
    return lines


def _rows(found: EstateFindings, tab: int) -> list[dict[str, Any]]:
    answer = found.answer
    if answer is None or tab == PAIR:
        return []
    if tab == AHEAD:
        return future_rows(found.ahead) if found.ahead is not None else []
    if tab in (LIMITS, OTHERS):
        makers = {LIMITS: price_rows, OTHERS: runner_up_rows}
        return makers[tab](answer, found.reasons) if found.reasons is not None else []
    return {ORDERS: order_rows, WORKLOADS: workload_rows, PERIODS: period_rows}[tab](answer)


def _note(found: EstateFindings, tab: int) -> str:
    """The sentence above a table: its summary, or why it is not there yet."""
    part = WANTED_BY.get(tab, "")
    if part in found.failures:
        return found.failures[part]
    if tab == AHEAD:
        return _futures_note(found)
    if tab == PAIR:
        return tr(
            "This comparison takes each workload's recommended device, planned terms and expected run time. The "
            "estate may choose other devices, and allows each run the time that the chosen confidence requires."
        )
    if tab in (LIMITS, OTHERS) and found.reasons is None:
        return tr("Calculating the value of each limit and each workload's second choice…")
    if tab == LIMITS and found.reasons is not None and found.answer is not None:
        return "\n".join(limit_lines(found.answer, found.reasons))
    if tab == OTHERS and found.reasons is not None:
        return tr(
            "If a workload could not run on the hardware chosen for it: the next best, and how much more the whole "
            "plan would cost at most. The optimality gap says how near that plan is proved to be to the cheapest."
        )
    return ""


def _futures_note(found: EstateFindings) -> str:
    if found.ahead is None or found.answer is None:
        return tr("Planning all futures together, and each alone…")
    return "\n".join([futures_line(found.ahead), *now_lines(found.answer, found.ahead), futures_meaning(found.answer)])
