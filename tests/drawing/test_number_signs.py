"""Numbers as a planner's country writes them: shown with its marks, typed with either, the same in files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.quantity import Range
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_money, parse_value
from gpuplanner_gui.drawing.units import NumberSigns, exact_text, format_value, use_number_signs
from gpuplanner_gui.drawing.value_ranges import format_range

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


@pytest.mark.parametrize("signs", [None, AMERICAN, GERMAN, FRENCH, NumberSigns(".", "'")])
@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("1.234,5", 1234.5), ("1,234.5", 1234.5), ("12,345.67", 12345.67), ("1.234.567", 1_234_567.0),
        ("1,234,567.25", 1_234_567.25), ("0.125", 0.125), ("0,125", 0.125), ("1234.125", 1234.125),
        ("1,5e3", 1500.0), ("1.234e2", 123.4), ("1'234.5", 1234.5), ("1 234,5", 1234.5), (".5", 0.5), (",5", 0.5),
        ("-1.234,5", -1234.5),
    ],
)  # fmt: skip
def test_a_number_that_can_mean_one_thing_only_is_read_so_in_every_form(
    signs: NumberSigns | None, typed: str, value: float
) -> None:
    use_number_signs(signs)
    assert parse_value(typed) == value


@pytest.mark.parametrize("signs", [None, AMERICAN, GERMAN, FRENCH])
@pytest.mark.parametrize("typed", ["1.23.4", "1,2,3", "1.2,3.4", "1,23.4,5", "12,34.5", "1.234,567.8"])
def test_marks_that_make_no_number_are_refused(signs: NumberSigns | None, typed: str) -> None:
    use_number_signs(signs)
    with pytest.raises(NotUnderstood):
        parse_value(typed)


@pytest.mark.parametrize(
    ("signs", "value"), [(AMERICAN, 1234.0), (GERMAN, 1.234), (FRENCH, 1.234), (NumberSigns(), 1234.0)]
)
def test_one_comma_before_three_digits_is_read_as_the_numbers_on_screen_are(signs: NumberSigns, value: float) -> None:
    use_number_signs(signs)
    assert parse_value("1,234") == value


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (1.42, "USD/h", "1,42 $/h"), (-5.0, "USD", "−5 $"), (2.5e6, "USD/month", "2,50 M $/month"),
        (2.5e6, "USD", "2,50 M $"), (1230.0, "USD", "1.230 $"),
    ],
)  # fmt: skip
def test_amounts_stand_before_their_sign_where_a_country_writes_them_so(value: float, unit: str, shown: str) -> None:
    use_number_signs(NumberSigns(",", ".", is_money_behind=True))
    assert format_value(value, unit) == shown
    assert parse_value(shown, unit) == pytest.approx(value)
    assert format_range(1.1, 1.9, "USD") == "1,10–1,90 $"
    assert parse_money("2,50 €/h", "1/h").amount == 2.5
