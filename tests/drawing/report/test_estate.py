"""The estate in a report and a workbook, whose sums follow from its numbers alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.drawing.report import rendered, report_of
from tests.drawing import synthetic
from tests.drawing.estates import planned, with_estate
from tests.drawing.report.spreadsheet import read_workbook, worked_out


def test_sums_of_the_workbook_are_the_evaluators(qapp: QApplication) -> None:
    results = with_estate(synthetic.results())
    report = report_of(results.project, [results])
    content = rendered(report, ".xlsx", {}, Path("plan.xlsx"))[Path("plan.xlsx")]
    (sheet,) = [one for one in read_workbook(content) if one.name == "Estate"]
    assert sum(formula.startswith("SUM(") for formula in sheet.formulas.values()) == 8
    found = worked_out(sheet)
    for where, value in found.items():
        assert value == pytest.approx(sheet.numbers[where], rel=1e-9, abs=1e-6), where
    checked = planned().found.evaluation
    paid = float((checked.capital_usd + checked.operating_usd).sum() - checked.proceeds_usd[:-1].sum())
    heading = next(where for where, text in sheet.texts.items() if text == "Net")
    total = next(where for where, text in sheet.texts.items() if text == "Total")
    assert found[heading[0] + total[1:]] == pytest.approx(paid, abs=0.01)


def test_the_report_says_what_to_do_now_and_who_is_served(qapp: QApplication) -> None:
    results = with_estate(synthetic.results())
    report = report_of(results.project, [results])
    text = rendered(report, ".md", {}, Path("plan.md"))[Path("plan.md")].decode()
    for words in ("Plan of the estate", "Orders by date", "Where workloads run", "Futures", "over 3 futures"):
        assert words in text
    assert any(words in text for words in ("Now: ", "can wait"))
    names = {figure.name for figure in report.figures()}
    assert sum("estate-" in name for name in names) == 3
