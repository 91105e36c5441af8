"""Numbers as a planner's country writes them: shown with its marks, typed with either, the same in files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.quantity import Range
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_money, parse_value
from gpuplanner_gui.drawing.units import NumberSigns, exact_text, format_range, format_value, use_number_signs

GERMAN, FRENCH, AMERICAN = NumberSigns(",", "."), NumberSigns(",", "\u00a0"), NumberSigns(".", ",")
UNITS = ("", "bytes", "s", "USD/h", "tok", "share")


@pytest.fixture(autouse=True)
def plain_signs_afterwards() -> Iterator[None]:
    yield
    use_number_signs(None)


@pytest.mark.parametrize(
    ("signs", "whole", "small", "money", "ends"),
    [
        (GERMAN, "12.345", "2,35 TB/s", "$1.230/h", "1,51–1,78 s"),
        (FRENCH, "12\u00a0345", "2,35 TB/s", "$1\u00a0230/h", "1,51–1,78 s"),
        (AMERICAN, "12,345", "2.35 TB/s", "$1,230/h", "1.51–1.78 s"),
    ],
)
def test_results_have_the_marks_of_the_moment(
    signs: NumberSigns, whole: str, small: str, money: str, ends: str
) -> None:
    use_number_signs(signs)
    assert format_value(12345) == whole
    assert format_value(2.35e12, "bytes/s") == small
    assert format_value(1230, "USD/h") == money
    assert format_range(1.51, 1.78, "s") == ends


@pytest.mark.parametrize(
    ("typed", "unit", "value"),
    [
        ("3,35 TB/s", "bytes/s", 3.35e12), ("1.234,5", "", 1234.5), ("1.234", "", 1234.0), ("1.5", "", 1.5),
        ("0,5", "", 0.5), ("1.234.567", "", 1_234_567.0), ("20,5..60,25", "", Range(20.5, 60.25)),
        ("1.000..2.000", "", Range(1000.0, 2000.0)), ("12 345,6", "", 12345.6),
    ],
)  # fmt: skip
def test_typing_takes_the_decimal_comma(typed: str, unit: str, value: object) -> None:
    use_number_signs(GERMAN)
    assert parse_value(typed, unit) == value


def test_a_point_between_blank_groups_stands_before_decimals() -> None:
    use_number_signs(FRENCH)
    assert parse_value("1.234") == 1.234
    assert parse_value("1\u202f234,5") == 1234.5


@pytest.mark.parametrize(("typed", "value"), [("４０", 40.0), ("１．５", 1.5), ("２０．．６０", Range(20.0, 60.0))])
def test_full_width_signs_are_read(typed: str, value: object) -> None:
    assert parse_value(typed) == value


def test_money_and_what_is_no_number() -> None:
    use_number_signs(GERMAN)
    assert parse_money("€ 2,50/h", "1/h").amount == 2.5
    with pytest.raises(NotUnderstood):
        parse_value("1,2,3,x")


@given(
    value=st.floats(min_value=1e-6, max_value=1e15), unit=st.sampled_from(UNITS),
    signs=st.sampled_from([GERMAN, FRENCH, AMERICAN]),
)  # fmt: skip
def test_what_stands_in_an_editor_reads_back_in_every_form(value: float, unit: str, signs: NumberSigns) -> None:
    use_number_signs(signs)
    assert parse_value(exact_text(value, unit), unit) == value


def test_files_are_written_the_same_everywhere() -> None:
    rows = Rows((Column("Rate", "req/s"),), ((1234.5,),))
    plain = rows.csv_text()
    use_number_signs(GERMAN)
    assert rows.csv_text() == plain
