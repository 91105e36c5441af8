"""No part of a text becomes a formula, whichever sign a spreadsheet takes for a separator."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.files.text import without_formula

MARKS = "=+-@|＝＋－＠"


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("before", ["", "x;", "x; ", "x\t", "x\n", " "])
def test_each_part_that_would_be_computed_gets_an_apostrophe(mark: str, before: str) -> None:
    assert "'" in without_formula(f"{before}{mark}SUM(A1)")
    assert not begins_a_formula(without_formula(f"{before}{mark}SUM(A1)"))


@pytest.mark.parametrize("text", ["-12.5 %", "+3", "a - b", "1.2e-5", "H100 | SXM", "p95 = 3"])
def test_text_that_is_none_stays_as_it_is(text: str) -> None:
    assert without_formula(text) == text


@example("-1")
@given(st.text(alphabet=f"{MARKS}x;1 \t,\"'", max_size=12))
def test_a_table_read_with_any_separator_holds_no_formula(text: str) -> None:
    written = Rows((Column("Name"), Column("Other")), ((text, text),)).csv_text()
    for delimiter in ",;\t":
        for line in csv.reader(io.StringIO(written, newline=""), delimiter=delimiter):
            assert not any(begins_a_formula(cell) for cell in line), (delimiter, line)


def begins_a_formula(text: str) -> bool:
    """As a spreadsheet sees it: signs in front, and neither a number nor several, which have nothing to compute."""
    parts = text.replace("\t", ";").replace("\n", ";").split(";")
    return any(part.strip().startswith(tuple(MARKS)) and not all(map(is_number, part.split(","))) for part in parts)


def is_number(text: str) -> bool:
    plain = text.strip().lstrip("+-")
    return bool(plain) and plain[0].isdigit() and not any(mark in plain for mark in MARKS)
