"""The page of the order list shows what the command prints, for each workload."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
from PySide6.QtCore import QRect, Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.desktop.pages.cost import OrderPage
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets.painted_table import CELL_PADDING
from gpuplanner_gui.drawing.order_rows import cash_rows, order_lines, order_rows
from gpuplanner_gui.drawing.results import Decision
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project


def test_the_page_shows_the_list_of_the_workload_that_is_chosen(qtbot: QtBot) -> None:
    (results,) = answered(load_project(Path("resources/examples/13b-two-deployments.gpuplan")), is_judged=False)[:1]
    found = doors.ownership(results.scenario, results.catalog, load_calibration(), results.plan) or {}
    page = OrderPage()
    qtbot.addWidget(page)
    page.resize(1000, 600)
    page.show()
    page.show_results(replace(results, decision=Decision(ownership=found)))
    page.set_state(PlanState.CURRENT)
    qtbot.waitUntil(lambda: page.lines_table.rows_model.rowCount() > 0)
    orders = [one.order for one in found.values() if one.order is not None]
    assert page.tabs.count() == len(orders) == 2
    for place, order in enumerate(orders):
        page.tabs.setCurrentIndex(place)
        assert page.lines_table.rows_model.rows == order_rows(order)
        assert page.cash_table.rows_model.rows == cash_rows(order)
        table, model = page.lines_table, page.lines_table.rows_model
        shown = [place for place in range(model.columnCount()) if not table.isColumnHidden(place)]
        assert sum(table.columnWidth(place) for place in shown) <= table.viewport().width(), "no column beyond the edge"
        for row in range(model.rowCount()):
            for column in shown:
                room = QRect(0, 0, table.columnWidth(column) - 2 * CELL_PADDING, 1000)
                text = str(model.index(row, column).data() or "")
                lines = table.fontMetrics().boundingRect(room, int(Qt.TextFlag.TextWordWrap), text)
                assert lines.height() < table.rowHeight(row), f"{text!r} touches the border of its row"
                assert lines.height() <= 4 * table.fontMetrics().lineSpacing(), text
        for one in (table, page.cash_table):
            rows = one.verticalHeader().length() + one.horizontalHeader().height()
            assert rows <= one.height() <= rows + 24, "all rows are seen, and no room is left empty"
        assert "".join(order_lines(order)[0].split()) in "".join(page.summary.text().split())


def test_a_workload_without_a_price_is_not_left_out_in_silence(qtbot: QtBot) -> None:
    (results,) = answered(load_project(Path("resources/examples/13b-two-deployments.gpuplan")), is_judged=False)[:1]
    found = doors.ownership(results.scenario, results.catalog, load_calibration(), results.plan) or {}
    found = {
        name: msgspec.structs.replace(one, order=None) if name == "training" else one for name, one in found.items()
    }
    page = OrderPage()
    qtbot.addWidget(page)
    page.show()
    page.show_results(replace(results, decision=Decision(ownership=found)))
    page.set_state(PlanState.CURRENT)
    qtbot.waitUntil(lambda: page.lines_table.rows_model.rowCount() > 0)
    assert "Training is left out: no price is known." in page.summary.text()
