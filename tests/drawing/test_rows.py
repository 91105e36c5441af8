"""Exported numbers are numbers with units, and no text from a file becomes a formula."""

from __future__ import annotations

import csv
import io

import pytest

from gpuplanner_gui.drawing.rows import Column, Rows


def test_csv_has_units_in_its_headings_and_plain_numbers() -> None:
    rows = Rows((Column("Rate", "req/s"), Column("Note")), ((46.25, "fine"), (-3.0, None), (float("nan"), "–")))
    read = list(csv.reader(io.StringIO(rows.csv_text())))
    assert read == [["Rate [req/s]", "Note"], ["46.25", "fine"], ["-3.0", ""], ["", "–"]]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_text_that_starts_a_formula_is_made_harmless(start: str) -> None:
    hostile = f"{start}cmd|' /C calc'!A0"
    rows = Rows((Column(hostile),), ((hostile,),))
    read = list(csv.reader(io.StringIO(rows.csv_text(), newline="")))
    assert read == [[f"'{hostile}"], [f"'{hostile}"]]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\r@"])
def test_what_is_pasted_into_a_spreadsheet_is_no_formula_either(start: str) -> None:
    hostile = f"{start}cmd|' /C calc'!A0"
    rows = Rows(
        (Column("Name"), Column("Change"), Column("Rate", "req/s")), ((hostile, "-12.5 %", -3.0), ("a\tb", None, 1))
    )
    lines = [line.split("\t") for line in rows.tabbed_text().split("\n")]
    assert lines[0] == ["Name", "Change", "Rate [req/s]"]
    assert lines[1] == [f"'{hostile.strip()}", "-12.5 %", "-3.0"]
    assert lines[2] == ["a b", "", "1"]


def test_a_calculation_that_begins_like_a_number_is_no_number() -> None:
    assert Rows((Column("Name"),), (("-2+3+cmd|' /C calc'!A0",),)).tabbed_text().endswith("\n'-2+3+cmd|' /C calc'!A0")
