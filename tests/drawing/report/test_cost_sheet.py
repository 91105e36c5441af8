"""The workbook's formulas, worked out from its given numbers alone, are the engine's figures."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.domain.economics import RentalTerms
from gpuplanner_gui.drawing.in_depth import in_depth
from gpuplanner_gui.drawing.report import rendered, report_of
from gpuplanner_gui.drawing.report.money import cost_sheets
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir
from tests.drawing.report.spreadsheet import ReadSheet, read_workbook, worked_out


@cache
def results() -> Results:
    project = load_project(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    return in_depth(answered(project, is_judged=False)[0], load_calibration())


@cache
def workbook() -> list[ReadSheet]:
    report = report_of(results().project, [results()])
    return read_workbook(rendered(report, ".xlsx", {}, Path("plan.xlsx"))[Path("plan.xlsx")])


def test_formulas_give_the_engines_numbers(qapp: QApplication) -> None:
    sheets = [sheet for sheet in workbook() if sheet.formulas]
    assert sum(len(sheet.formulas) for sheet in sheets) > 40
    for sheet in sheets:
        for where, value in worked_out(sheet).items():
            assert value == pytest.approx(sheet.numbers[where], rel=1e-9, abs=1e-12), (where, sheet.formulas[where])


def test_cost_sheet_ends_in_the_plans_costs(qapp: QApplication) -> None:
    plan = results().plan
    assert plan.serving is not None
    assert plan.training is not None
    rows = {(sheet.title, row.key): row.value for sheet in cost_sheets(results()) for row in sheet.rows}
    served, trained = plan.serving, plan.training
    assert rows["Cost of the service", "month"] == served.table.usd_per_month[served.best]
    million = served.table.usd_per_million_output_tokens[served.best]
    assert rows["Cost of the service", "million"] == million
    assert rows["Cost of training", "run"] == trained.table.usd_per_run[trained.best]
    assert results().decision is not None
    owned = results().decision.ownership["serving"]
    assert rows["Owning, serving", "useful_hour"] == owned.owned_usd_per_useful_hour
    assert rows["Owning, serving", "year"] == owned.annual.total


def test_a_changed_price_changes_what_follows() -> None:
    (sheet,) = [one for one in workbook() if one.formulas]
    price = next(where for where, text in sheet.texts.items() if text == "Price of a device").replace("A", "B")
    before = worked_out(sheet)
    dearer = ReadSheet(sheet.name, sheet.texts, {**sheet.numbers, price: 2 * sheet.numbers[price]}, sheet.formulas)
    after = worked_out(dearer)
    doubled = [where for where in before if after[where] == pytest.approx(2 * before[where]) and before[where]]
    assert len(doubled) >= 4


def test_sheets_have_names_of_their_own_that_a_spreadsheet_takes() -> None:
    names = [sheet.name for sheet in workbook()]
    assert len({name.casefold() for name in names}) == len(names)
    assert all(0 < len(name) <= 31 and not set(name) & set("[]:*?/\\'") for name in names)


def test_no_cost_sheet_without_a_price() -> None:
    serving = results().plan.serving
    assert serving is not None
    table = msgspec.structs.replace(serving.table, usd_per_device_hour=serving.table.usd_per_device_hour * float("nan"))
    plan = msgspec.structs.replace(results().plan, serving=msgspec.structs.replace(serving, table=table), training=None)
    unpriced = Results(project=results().project, scenario=results().scenario, plan=plan, catalog=results().catalog)
    assert list(cost_sheets(unpriced)) == []


def test_a_rental_bill_is_redone_by_the_sheet(qapp: QApplication) -> None:
    project = results().project
    terms = RentalTerms(
        serving_egress_bytes_per_month=5e12, training_egress_bytes_per_run=1e12, stored_bytes=2e12, support_share=0.1
    )
    scenario = project.scenarios[0]
    economics = msgspec.structs.replace(scenario.economics, renting=terms)
    billed = msgspec.structs.replace(scenario, economics=economics)
    answer = answered(msgspec.structs.replace(project, scenarios=(billed,)), is_judged=False)[0]
    report = report_of(answer.project, [answer])
    sheets = read_workbook(rendered(report, ".xlsx", {}, Path("plan.xlsx"))[Path("plan.xlsx")])
    (sheet,) = [one for one in sheets if one.formulas]
    assert {"Stored data", "Egress", "Support, share of the bill"} <= set(sheet.texts.values())
    for where, value in worked_out(sheet).items():
        assert value == pytest.approx(sheet.numbers[where], rel=1e-9, abs=1e-12), (where, sheet.formulas[where])
    assert answer.plan.serving is not None
    month = float(answer.plan.serving.table.usd_per_month[answer.plan.serving.best])
    assert month in sheet.numbers.values()
