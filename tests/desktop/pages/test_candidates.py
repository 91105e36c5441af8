"""The table of candidates sorts, filters, selects and explains by the plan's own indices, however it is arranged."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.candidate_table import MARK, PADDING
from gpuplanner_gui.desktop.pages.candidates import CandidatesView
from gpuplanner_gui.desktop.pages.result_view import theme_of
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.domain.plan import Reason, Resource, ServingTable
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.candidates import candidate_text, resource_name
from tests.drawing import synthetic

Show = Callable[[QWidget], None]


@pytest.fixture
def view(shown: Show, results: Results) -> CandidatesView:
    made = CandidatesView()
    shown(made)
    made.show_results(results)
    return made


def column_of(view: CandidatesView, title: str, workload: str = "serving") -> int:
    return [column.title for column in view.models[workload].columns].index(title)


def texts(model: QAbstractItemModel, column: int, rows: int = 20) -> list[str]:
    return [model.index(row, column).data() for row in range(min(rows, model.rowCount()))]


def serving_table(results: Results) -> ServingTable:
    assert results.plan.serving is not None
    return results.plan.serving.table


def test_rows_stand_in_the_order_of_the_plan(view: CandidatesView, results: Results) -> None:
    model = view.models["serving"]
    assert model.rowCount() == 2000
    assert [model.source_at(row) for row in range(2000)] == serving_table(results).order.tolist()
    assert texts(model, 0, 3) == ["1", "2", "3"]


def test_models_keep_qt_s_rules_sorted_and_filtered(view: CandidatesView, qtmodeltester: ModelTester) -> None:
    model = view.models["serving"]
    view.tables["serving"].sortByColumn(column_of(view, "TTFT p95"), Qt.SortOrder.DescendingOrder)
    view.filter.setText("nvidia")
    qtmodeltester.check(model)


def test_sorting_uses_numbers_and_leaves_what_cannot_run_last(view: CandidatesView, results: Results) -> None:
    table, model = serving_table(results), view.models["serving"]
    for order in (Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder):
        view.tables["serving"].sortByColumn(column_of(view, "TTFT p95"), order)
        values = table.ttft_p95_s[model.shown_sources()]
        able = values[np.isfinite(values)]
        assert np.isnan(values[len(able) :]).all()
        steps = np.diff(able)
        assert ((steps >= 0) if order is Qt.SortOrder.AscendingOrder else (steps <= 0)).all()


def test_filter_finds_every_word(qtbot: QtBot, view: CandidatesView, results: Results) -> None:
    qtbot.keyClicks(view.filter, "h200 fp8")
    model = view.models["serving"]
    assert 0 < model.rowCount() < 100
    for source in model.shown_sources():
        text = candidate_text(results.plan, results.catalog, "serving", int(source))
        assert "H200" in text
        assert "FP8" in text


def test_typed_letters_read_no_rows(qtbot: QtBot, view: CandidatesView) -> None:
    """Qt looks through every row for what is typed: 1.3 s for each letter of a large search."""
    table = view.tables["serving"]
    table.setCurrentIndex(table.model().index(0, 0))
    qtbot.keyClick(table, "7")
    assert table.currentIndex().row() == 0


def test_only_those_that_run_can_be_shown(qtbot: QtBot, view: CandidatesView) -> None:
    model = view.models["serving"]
    running, total = model.counts()
    assert 0 < running < total
    view.only_running.click()
    assert model.rowCount() == running


@pytest.mark.parametrize("title", ["Accelerator", "TTFT p95", "Limit", "#"])
def test_chosen_row_is_told_by_its_index_in_the_plan_after_sort_and_filter(
    qtbot: QtBot, view: CandidatesView, results: Results, title: str
) -> None:
    view.tables["serving"].sortByColumn(column_of(view, title), Qt.SortOrder.DescendingOrder)
    qtbot.keyClicks(view.filter, "nvidia")
    model, table = view.models["serving"], view.tables["serving"]
    accelerator = column_of(view, "Accelerator")
    with qtbot.waitSignal(view.candidate_selected) as told:
        place = table.visualRect(model.index(4, accelerator)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)
    workload, candidate = told.args
    assert workload == "serving"
    name = results.catalog.accelerators[results.plan.accelerators[serving_table(results).accelerator[candidate]]].name
    assert model.index(4, accelerator).data() == name


def test_the_limit_is_never_cut(view: CandidatesView) -> None:
    """“memory bandwidth” has fewer letters than “partly filled tiles”, and is wider."""
    table, place = view.tables["serving"], column_of(view, "Limit")
    room = table.columnWidth(place) - 2 * PADDING - MARK - 6
    for resource in Resource:
        assert table.cut(resource_name(resource), room) == resource_name(resource)


def test_devices_of_a_replica_of_all_and_paid_for_are_told_apart(view: CandidatesView) -> None:
    titles = [column.title for column in view.models["serving"].columns]
    assert [title for title in titles if "evices" in title] == ["Devices/replica", "Devices", "Devices paid for"]


def test_results_select_quietly_and_keep_the_arrangement(qtbot: QtBot, view: CandidatesView, results: Results) -> None:
    view.tables["serving"].sortByColumn(column_of(view, "Replicas"), Qt.SortOrder.AscendingOrder)
    before = view.models["serving"].shown_sources().tolist()
    other = msgspec.structs.replace(serving_table(results))
    assert results.plan.serving is not None
    plan = msgspec.structs.replace(results.plan, serving=msgspec.structs.replace(results.plan.serving, table=other))
    with qtbot.assertNotEmitted(view.candidate_selected):
        view.show_results(replace(results, plan=plan, selected={"serving": before[7]}))
    assert view.models["serving"].shown_sources().tolist() == before
    assert view.tables["serving"].currentIndex().row() == 7


def test_rows_that_were_marked_are_not_while_others_stand_there(
    qtbot: QtBot, view: CandidatesView, results: Results
) -> None:
    table, model = view.tables["serving"], view.models["serving"]
    marked, rows = QItemSelectionModel.SelectionFlag.Select, QItemSelectionModel.SelectionFlag.Rows
    chosen = int(model.source_at(3))
    view.show_results(replace(results, selected={"serving": chosen}))
    table.selectionModel().select(model.index(5, 0), marked | rows)
    view.show_results(replace(results, selected={"serving": chosen}))
    assert [one.row() for one in table.selectionModel().selectedRows()] == [3, 5]
    turned = msgspec.structs.replace(serving_table(results), order=serving_table(results).order[::-1].copy())
    assert results.plan.serving is not None
    plan = msgspec.structs.replace(results.plan, serving=msgspec.structs.replace(results.plan.serving, table=turned))
    with qtbot.assertNotEmitted(model.modelReset), qtbot.assertNotEmitted(view.candidate_selected):
        view.show_results(replace(results, plan=plan, selected={"serving": chosen}))
    row = model.rowCount() - 1 - 3
    assert [one.row() for one in table.selectionModel().selectedRows()] == [row]
    assert model.source_at(row) == chosen


def test_reason_stands_in_place_of_results(view: CandidatesView, results: Results) -> None:
    model = view.models["serving"]
    row = next(row for row in range(model.rowCount()) if not model.runs_at(model.source_at(row)))
    assert model.index(row, column_of(view, "TTFT p95")).data() == ""
    assert model.index(row, column_of(view, "Accelerator")).data()
    assert model.reason_at(model.source_at(row))
    assert model.index(row, 3).data(Qt.ItemDataRole.ToolTipRole)


def test_what_misses_a_target_is_painted_as_what_nobody_may_choose(view: CandidatesView, results: Results) -> None:
    """It ran, had a number and a lower price, and looked like the best of all."""
    model, table = view.models["serving"], view.tables["serving"]
    best = model.source_at(0)
    known = serving_table(results)
    missed = known.reason.copy()
    missed[best] = Reason.MISSES_TARGET
    assert results.plan.serving is not None
    changed = msgspec.structs.replace(results.plan.serving, table=msgspec.structs.replace(known, reason=missed))
    assert model.is_rival_at(best)
    view.show_results(replace(results, plan=msgspec.structs.replace(results.plan, serving=changed)))
    assert model.runs_at(best)
    assert not model.is_rival_at(best)
    inks = [table._ink_of(is_rival, theme_of(table), False) for is_rival in (True, False)]
    assert inks[0] != inks[1]


def test_reason_is_painted_across_the_cells(view: CandidatesView, qtbot: QtBot) -> None:
    model, table = view.models["serving"], view.tables["serving"]
    row = next(row for row in range(model.rowCount()) if not model.runs_at(model.source_at(row)))
    table.scrollTo(model.index(row, 0))
    image = table.viewport().grab().toImage()
    cells = [
        table.visualRect(model.index(row, column_of(view, title))) for title in ("Replicas", "$/M output", "$/month")
    ]
    painted = [
        len({image.pixel(x, y) for x in range(cell.left(), cell.right()) for y in range(cell.top(), cell.bottom())}) > 1
        for cell in cells
    ]
    assert sum(painted) >= 2


def test_headings_explain_themselves(view: CandidatesView) -> None:
    model = view.models["serving"]
    column = column_of(view, "Load reserve")
    help_text = model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert help_text == "How much more load meets the targets: estimated, or found by simulation."
    number = model.index(0, column).data(Qt.ItemDataRole.TextAlignmentRole)
    assert number & int(Qt.AlignmentFlag.AlignRight)


def test_menu_asks_why_about_the_cell_under_the_mouse(qtbot: QtBot, view: CandidatesView, results: Results) -> None:
    model, table = view.models["serving"], view.tables["serving"]
    table.sortByColumn(column_of(view, "Devices"), Qt.SortOrder.AscendingOrder)
    index = model.index(2, column_of(view, "Load reserve"))
    menu = view.menu_for("serving", index)
    with qtbot.waitSignal(view.explain_requested) as asked:
        menu.actions()[0].trigger()
    assert asked.args == ["serving", model.source_at(2), "headroom"]


def test_rows_are_copied_with_headings(qtbot: QtBot, view: CandidatesView) -> None:
    table = view.tables["serving"]
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("#\tAccelerator\t")
    assert lines[1].startswith("2\t")


def test_table_is_saved_as_it_is_shown(view: CandidatesView, tmp_path: Path) -> None:
    view.filter.setText("h200")
    view.save_csv("serving", tmp_path / "table.csv")
    with (tmp_path / "table.csv").open(encoding="utf-8-sig", newline="") as file:
        lines = list(csv.reader(file))
    assert len(lines) == view.models["serving"].rowCount() + 1
    assert lines[0][-1] == "Reason"


def test_training_has_its_own_table(qtbot: QtBot, view: CandidatesView, results: Results) -> None:
    view.show_workload("training")
    model = view.models["training"]
    assert model.rowCount() == 2000
    with qtbot.waitSignal(view.candidate_selected) as told:
        view.tables["training"].selectRow(3)
    assert results.plan.training is not None
    assert told.args == ["training", int(results.plan.training.table.order[3])]


def test_empty_plan_shows_no_rows(view: CandidatesView, results: Results) -> None:
    table = serving_table(results)
    empty = msgspec.structs.replace(
        table, **{name: getattr(table, name)[:0] for name in ServingTable.__struct_fields__}
    )
    assert results.plan.serving is not None
    serving = msgspec.structs.replace(results.plan.serving, table=empty, best=-1)
    view.show_results(replace(results, plan=msgspec.structs.replace(results.plan, serving=serving, training=None)))
    assert view.models["serving"].rowCount() == 0
    view.filter.setText("anything")
    view.tables["serving"].sortByColumn(4, Qt.SortOrder.DescendingOrder)
    assert view.models["serving"].rowCount() == 0


def test_ten_thousand_rows_are_all_there(shown: Show) -> None:
    view = CandidatesView()
    shown(view)
    view.show_results(synthetic.results(12_480))
    model = view.models["serving"]
    assert model.rowCount() == 12_480
    last = model.index(12_479, 0)
    assert isinstance(last, QModelIndex)
    view.tables["serving"].scrollTo(last)
    assert sorted(model.shown_sources().tolist()) == list(range(12_480))


def test_what_candidates_are_ranked_by_is_seen_in_a_small_window(view: CandidatesView) -> None:
    view.resize(929, 200)
    for workload, quantity in (("serving", "usd_per_million_output_tokens"), ("training", "usd_per_run")):
        view.show_workload(workload)
        table = view.tables[workload]
        column = [one.quantity for one in view.models[workload].columns].index(quantity)
        assert table.columnViewportPosition(column) + table.columnWidth(column) <= table.viewport().width()


@pytest.mark.parametrize("width", [640, 929, 1009])
def test_no_column_is_cut_at_the_right_edge(view: CandidatesView, width: int) -> None:
    view.resize(width, 200)
    table = view.tables["serving"]
    view.show_workload("serving")
    QApplication.processEvents()
    header, room = table.horizontalHeader(), table.viewport().width()
    ends = [
        header.sectionViewportPosition(place) + header.sectionSize(place)
        for place in range(header.count()) if not header.isSectionHidden(place)
    ]  # fmt: skip
    assert ends[-1] > room, "the table scrolls"
    assert room in ends
    header.resizeSection(2, 300)
    table.whole_columns.fit()
    assert header.sectionSize(2) < 300, "no hand was at it"


def test_no_number_of_an_old_plan_stays_where_nothing_is_planned(view: CandidatesView) -> None:
    assert "ranked by cost" in (view._count.toolTip() or view._count.text())
    view.set_state(PlanState.EMPTY, "The project has no scenario. Add one to plan.")
    assert view._count.text() == ""
    said = [label.text() for label in view.findChildren(QLabel) if label.isVisible()]
    assert "The ranked candidates appear here." in said
