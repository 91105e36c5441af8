"""What to order: positions with price and source, cash by quarter, and what is unknown, for each workload."""

from __future__ import annotations

from PySide6.QtWidgets import QHeaderView, QTabBar, QTableView, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel
from gpuplanner_gui.desktop.widgets.tables import RowsModel, rows_table
from gpuplanner_gui.domain.order import OrderList
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.order_rows import cash_rows, order_lines, order_rows
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS

TITLES = {"serving": "Serving", "training": "Training"}


class OrderPage(ResultView):
    """One workload's list at a time, kept and filled anew."""

    follows = ("decision",)
    wanted = ("ownership",)
    kept = ("tabs",)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._orders: tuple[OrderList, ...] = ()
        self._is_awaited = False
        self.tabs = QTabBar(self)
        self.tabs.setAccessibleName(tr("Workload"))
        self.tabs.addTab(tr("Workload"))
        self.tabs.currentChanged.connect(self._show_chosen)
        self.summary = WrappingLabel("", self, is_selectable=True)
        self.lines, self.cash = RowsModel(), RowsModel()
        self.lines_table = self._table(self.lines, tr("Order list"))
        self.cash_table = self._table(self.cash, tr("Cash by quarter"))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 8, 16, 8)
        layout.addWidget(self.tabs)
        layout.addWidget(self.summary)
        layout.addWidget(self.lines_table, 3)
        layout.addWidget(self.cash_table, 1)
        layout.addStretch()
        self._veil.raise_()

    def _table(self, model: RowsModel, name: str) -> QTableView:
        table = rows_table(model, self)
        table.setAccessibleName(name)
        table.setWordWrap(False)
        table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        return table

    def draw(self, context: Results) -> None:
        found = context.decision.ownership.values() if context.decision is not None else ()
        recommended = [context.answer(one) for one in context.workloads()]
        self._is_awaited = not found and any(one is not None and one.best >= 0 for one in recommended)
        self._orders = tuple(one.order for one in found if one.order is not None)
        names = [tr(TITLES[one.workload]) for one in self._orders] or [tr("Workload")]
        self.tabs.blockSignals(True)
        while self.tabs.count() > len(names):
            self.tabs.removeTab(self.tabs.count() - 1)
        for place, name in enumerate(names):
            if place < self.tabs.count():
                self.tabs.setTabText(place, name)
            else:
                self.tabs.addTab(name)
        self.tabs.blockSignals(False)
        self.tabs.setVisible(len(names) > 1)
        self._show_chosen()

    def _show_chosen(self) -> None:
        place = max(self.tabs.currentIndex(), 0)
        order = self._orders[place] if place < len(self._orders) else None
        nothing = (
            tr("The order is being worked out.")
            if self._is_awaited
            else tr("Nothing to order: no plan is recommended, or its price is not known.")
        )
        self.summary.setText("\n".join(order_lines(order)) if order is not None else nothing)
        self.lines_table.setVisible(order is not None)
        self.cash_table.setVisible(order is not None)
        self.lines.show_rows(order_rows(order) if order is not None else NO_ROWS)
        self.cash.show_rows(cash_rows(order) if order is not None else NO_ROWS)
