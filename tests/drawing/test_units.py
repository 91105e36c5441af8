"""Values are shown with three digits, and what an editor shows reads back exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.economics import Economics, FleetTerms, Ownership, RentalTerms, Site
from gpuplanner_gui.domain.field import fields_of, problems_of
from gpuplanner_gui.domain.quantity import Lognormal, Money, Normal, Quantity, Range, Triangular, central
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.domain.training_workload import Checkpoints
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_count, parse_money, parse_number, parse_value
from gpuplanner_gui.drawing.units import (
    SCALES,
    as_dragged,
    edited_quantity_text,
    entered_text,
    exact_quantity_text,
    exact_text,
    format_value,
)  # fmt: skip
from gpuplanner_gui.drawing.value_ranges import entered_quantity_text, format_quantity, format_range
from gpuplanner_gui.drawing.words.files import problem_text
from tools.translations.sources import _described_fields

UNITS = (
    *SCALES,
    "B",
    "B/s",
    "FLOP/s",
    "req/s",
    "1/y",
    "1/d",
    "y",
    "h",
    "d",
    "",
    "seq",
    "devices",
    "%",
    "bytes/param",
    "g/kWh",
)


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (80 * 2**30, "bytes", "80 GB"),
        (12.44 * 2**30, "bytes", "12.4 GB"),
        (2**30, "bytes", "1 GB"),
        (80e9, "bytes on disk", "80 GB"),
        (0.9996, "share", "99.96 %"),
        (1.0, "share", "100 %"),
        (3.1e-86, "share", "<0.0001 %"),
        (3.35e12, "bytes/s", "3.35 TB/s"),
        (989e12, "flop/s", "989 TFLOP/s"),
        (0.618, "s", "618 ms"),
        (1.0, "s", "1 s"),
        (95.0, "s", "95 s"),
        (0.0, "s", "0 s"),
        (7200.0, "s", "2 h"),
        (14 * 86400.0, "s", "14 d"),
        (1.4167, "USD", "$1.42"),
        (1.4167, "USD/h", "$1.42/h"),
        (-1.5, "USD", "−$1.50"),
        (3.996, "USD", "$4.00"),
        (4.0, "USD", "$4"),
        (20.4, "USD", "$20.40"),
        (20.44, "USD/h", "$20.44/h"),
        (20.0, "USD", "$20"),
        (0.1, "USD", "$0.10"),
        (0.6761, "USD/h", "$0.676/h"),
        (61_344.0, "USD/month", "$61\u00a0300/month"),
        (2.5e6, "USD", "$2.50 M"),
        (9813.0, "tok/s", "9\u00a0810 tok/s"),
        (12_480.0, "", "12\u00a0480"),
        (12_480.3, "", "12\u00a0500"),
        (0.314159, "share", "31.4 %"),
        (43_000.0, "W", "43 kW"),
        (math.inf, "s", "–"),
        (math.nan, "bytes", "–"),
        (1023.96 * 2**30, "bytes", "1.00 TB"),
    ],
)
def test_results_are_scaled_and_rounded_to_three_digits(value: float, unit: str, shown: str) -> None:
    assert format_value(value, unit) == shown


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("80GB", "bytes", 80 * 2**30),
        ("80 gb", "bytes", 80 * 2**30),
        ("80GB", "bytes on disk", 80e9),
        ("80 Gb", "bytes", 10e9),
        ("80 GiB", "bytes", 80 * 2**30),
        ("3.35 TB/s", "B/s", 3.35e12),
        ("400 Gbit/s", "bytes/s", 50e9),
        ("400Gbps", "bytes/s", 50e9),
        ("40 req/s", "req/s", 40.0),
        ("2400 per min", "req/s", 40.0),
        ("2 weeks", "s", 1_209_600.0),
        ("250 ms", "s", 0.25),
        ("18 months", "y", 1.5),
        ("1.5k tok", "tok", 1500.0),
        ("15T tokens", "tok", 15e12),
        ("3 million", "tok", 3e6),
        ("7B", "param", 7e9),
        ("1,500", "tok", 1500.0),
        ("1,5", "s", 1.5),
        ("12\u00a0000", "tok", 12_000.0),
        ("50 %", "", 0.5),
        ("50 %", "%", 50.0),
        ("$2.50/h", "USD/h", 2.5),
        ("$24/day", "USD/h", 1.0),
        ("$2", "USD/h", 2.0),
        ("$1.5M", "USD", 1.5e6),
        ("250k USD", "USD", 250e3),
        ("2 PFLOPS", "flop/s", 2e15),
        ("0.7 kW", "W", 700.0),
        ("3 kWh", "J", 10.8e6),
        ("-3", "s", -3.0),
        ("1e-3", "s", 0.001),
    ],
)
def test_values_are_read_in_any_unit_of_the_dimension(text: str, unit: str, value: float) -> None:
    assert parse_value(text, unit) == value


@pytest.mark.parametrize(
    ("text", "unit", "quantity"),
    [
        ("20..60", "req/s", Range(20.0, 60.0)),
        ("20–60 req/s", "req/s", Range(20.0, 60.0)),
        ("20 to 60", "req/s", Range(20.0, 60.0)),
        ("20-60", "tok", Range(20.0, 60.0)),
        ("20 GB .. 1 TB", "bytes on disk", Range(20e9, 1e12)),
        ("1k..4k tok", "tok", Range(1e3, 4e3)),
        ("0.07 .. 0.1 .. 0.15", "1/y", Triangular(0.07, 0.1, 0.15)),
        ("~40 ±10", "req/s", Normal(40.0, 10.0)),
        ("40 req/s ± 10 %", "req/s", Normal(40.0, 4.0)),
        ("200 ± 50 ms", "s", Normal(0.2, 0.05)),
        ("median 0.004 sigma 0.5", "1/d", Lognormal(0.004, 0.5)),
    ],
)
def test_ranges_and_distributions_are_read(text: str, unit: str, quantity: object) -> None:
    assert parse_value(text, unit) == quantity


@pytest.mark.parametrize(
    ("text", "unit", "says"),
    [
        ("", "s", "Enter a value"),
        ("soon", "s", "“soon” contains no number"),
        ("80 flurb", "bytes", "“flurb” is not a known unit"),
        ("80 s", "bytes", "“s” is not a unit"),
        ("60..20", "req/s", "Enter the lower end of a range first"),
        ("1e999", "s", "too large"),
        ("5 GB", "req/s", "40 req/s"),
    ],
)
def test_what_is_not_understood_gets_a_sentence_with_examples(text: str, unit: str, says: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        parse_value(text, unit)
    assert says in str(caught.value)
    assert "20..60" in str(caught.value)


def test_fields_of_one_number_refuse_ranges_and_counts_refuse_fractions() -> None:
    assert parse_number("1 GiB", "bytes") == 2**30
    assert parse_count("4k tok", "tok") == 4000
    with pytest.raises(NotUnderstood, match="one number"):
        parse_number("20..60", "req/s")
    with pytest.raises(NotUnderstood, match="whole number"):
        parse_count("1.5", "")


def test_money_keeps_its_currency() -> None:
    assert parse_money("€2.50", "1/h") == Money(2.5, "EUR")
    assert parse_money("30000 CHF") == Money(30000.0, "CHF")
    assert parse_money("NT$ 1,000") == Money(1000.0, "TWD")
    assert parse_money("$2..3/h", "1/h") == Money(Range(2.0, 3.0), "USD")


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e40, max_value=1e40), st.sampled_from(UNITS))
def test_exact_text_reads_back_exactly(value: float, unit: str) -> None:
    assert parse_value(exact_text(value, unit), unit) == value


_positive = st.floats(min_value=1e-9, max_value=1e18, allow_nan=False)


@given(st.lists(_positive, min_size=3, max_size=3), st.sampled_from(UNITS))
def test_exact_quantity_text_reads_back_exactly(numbers: list[float], unit: str) -> None:
    low, middle, high = sorted(numbers)
    for quantity in (Range(low, high), Triangular(low, middle, high), Normal(high, low), Lognormal(middle, low)):
        assert parse_value(exact_quantity_text(quantity, unit), unit) == quantity


@given(st.text(max_size=30), st.sampled_from(UNITS))
def test_any_text_is_read_or_refused_with_a_sentence(text: str, unit: str) -> None:
    try:
        sentence = exact_quantity_text(parse_value(text, unit), unit)
    except NotUnderstood as refusal:
        sentence = str(refusal)
    assert sentence


def test_every_fields_unit_may_be_typed_and_another_is_refused() -> None:
    units = {field.about.unit for _, field in _described_fields()}
    assert {"replicas", "L/kWh", "USD/h"} <= units
    for unit in units:
        assert parse_value(f"3 {unit}", unit) == 3 * central(parse_value("1", unit)) or unit == "%"
        with pytest.raises(NotUnderstood):
            parse_value("3 furlongs", unit)


@given(st.floats(min_value=1e-6, max_value=1e20), st.sampled_from([one for one in UNITS if one not in ("bytes", "B")]))
def test_shown_value_is_within_three_digits_of_the_value(value: float, unit: str) -> None:
    shown = format_value(value, unit)
    read = parse_value(shown, "" if unit == "share" else unit)
    assert read == pytest.approx(value, rel=5.1e-3)


def test_ranges_are_shown_in_one_unit() -> None:
    assert format_range(0.51, 0.78, "s") == "510–780 ms"
    assert format_range(1.1, 1.9, "USD") == "$1.10–1.90"
    assert format_range(1.2, 20.4, "USD") == "$1.20–20.40"
    assert format_range(20, 60, "req/s") == "20–60 req/s"
    assert format_quantity(Range(200e9, 1e12), "bytes on disk") == "0.20–1.00 TB"
    assert format_range(2.0, 2.0, "s") == "2 s"
    assert format_range(1.0, math.inf, "s") == "–"


def test_ends_of_a_range_that_lie_far_apart_have_each_its_own_unit() -> None:
    assert format_range(0.0566, 1.31, "s", 2) == "57 ms–1.3 s"
    assert format_quantity(Range(20e9, 1e12), "bytes on disk") == "20 GB–1 TB"
    assert format_range(0.0566, 1.31, "s", 2, beside=0.222) == "57–1\u00a0310 ms"


def test_editor_text_is_short() -> None:
    assert exact_text(80 * 2**30, "bytes") == "80 GB"
    assert exact_text(80 * 2**30, "bytes on disk") == "80 GiB"
    assert exact_text(3600.0, "s") == "1 h"
    assert exact_text(0.05, "s") == "50 ms"
    assert exact_text(2.5, "USD/h") == "$2.50/h"
    assert exact_quantity_text(Range(20.0, 60.0), "req/s") == "20 .. 60 req/s"


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (4096.0, "tok", "4\u00a0096 tok"), (262_144.0, "tok", "262\u00a0144 tok"), (0.004, "1/d", "0.004 /d"),
        (2e9, "tok", "2 B tok"), (600.0, "s", "10 min"), (0.0850, "USD/kWh", "$0.085/kWh"),
        (40e9, "bytes/s", "40 GB/s"),
        (0.1, "share", "10 %"), (1 / 3, "", "0.3333333"), (float("nan"), "s", "–"), (0.0, "tok", "0 tok"),
    ],
)  # fmt: skip
def test_what_was_entered_is_read_exactly(value: float, unit: str, shown: str) -> None:
    assert entered_text(value, unit) == shown


def test_distributions_that_were_entered_keep_their_middle() -> None:
    assert entered_quantity_text(Triangular(low=8, mode=12.345, high=20), "req/s").startswith("12.345 req/s (")
    assert entered_quantity_text(Normal(mean=4096, sd=10), "tok") == "4\u00a0096 tok ± 10 tok"
    assert entered_quantity_text(Range(1.0, 3.0), "s") == "1–3 s"


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("2 000,5 req / s", 2000.5),
        ("2 000.5", 2000.5),
        ("12'345,25", 12345.25),
        ("1 000,500", 1000.5),
        ("2 000", 2000.0),
    ],
)
def test_groups_between_blanks_may_have_decimals_behind_a_comma(typed: str, value: float) -> None:
    assert parse_value(typed, "req/s") == value


def test_advice_names_only_what_the_field_can_hold() -> None:
    said = {}
    for parse in (parse_value, parse_number, parse_count):
        with pytest.raises(NotUnderstood) as caught:
            parse("many", "tok")
        said[parse] = str(caught.value)
    assert "20..60" in said[parse_value]
    assert not any("20..60" in said[parse] for parse in (parse_number, parse_count))
    assert "1.5k tok" in said[parse_number]
    with pytest.raises(NotUnderstood, match=r"whole number\. Try 8"):
        parse_count("1.5")


@pytest.mark.parametrize(
    ("value_s", "text"), [(1_499_904.0, "17 d"), (0.0523, "52 ms"), (1.27, "1.3 s"), (7_000.0, "2 h")]
)
def test_a_dragged_value_is_round_in_the_unit_that_it_is_shown_in(value_s: float, text: str) -> None:
    assert exact_quantity_text(as_dragged(value_s, "s"), "s") == text


@pytest.mark.parametrize("unit", ["bytes", "B", "bytes on disk"])
def test_gigabytes_that_are_typed_are_shown_as_typed(unit: str) -> None:
    assert format_value(parse_number("80 GB", unit), unit) == "80 GB"
    assert exact_text(parse_number("1.5 TB", unit), unit) == "1.5 TB"


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(4194304.0, "tok", "4 194 304 tok"), (1024.0, "tok", "1024 tok"), (123456.5, "USD", "$123 456.50")],
)
def test_long_numbers_in_a_field_are_grouped_and_read_back(value: float, unit: str, shown: str) -> None:
    text = edited_quantity_text(value, unit)
    assert text.replace("\u00a0", " ") == shown
    assert parse_value(text, unit) == value


def objection(struct: msgspec.Struct, name: str, value: Quantity) -> str:
    found = problems_of(msgspec.structs.replace(struct, **{name: value}))
    return problem_text(found[0]) if found else ""


def hinted(unit: str, objection: Callable[[Quantity], str]) -> list[Quantity]:
    """What the hint of a field offers, read as if it was typed."""
    with pytest.raises(NotUnderstood) as caught:
        parse_value("abc", unit)
    singles, _, shapes = (
        caught.value.told_by(objection).partition("Try ")[2].removesuffix(".").partition("; a range is ")
    )
    return [parse_value(text, unit) for text in (*singles.split(", "), *shapes.split(", a spread ")) if text]


@pytest.mark.parametrize("kind", [Ownership, Site, FleetTerms, RentalTerms, Economics, Checkpoints])
def test_what_a_hint_offers_is_accepted_by_the_field(kind: type[msgspec.Struct]) -> None:
    default = kind()
    fields = [one for one in fields_of(kind) if one.is_quantity]
    assert fields
    for field in fields:
        for value in hinted(field.about.unit, partial(objection, default, field.name)):
            said = objection(default, field.name, value)
            assert not said, f"{field.name}: {said}"


def test_a_hint_leaves_out_what_the_field_refuses() -> None:
    with pytest.raises(NotUnderstood) as caught:
        parse_value("abc", "")
    said = caught.value.told_by(partial(objection, Site(), "pue"))
    assert said == "“abc” contains no number. Try 2."
    assert str(caught.value).endswith("Try 0.5, 50 %, 2; a range is 0.4..0.6, a spread 0.5 ±0.1.")


def test_a_limit_is_told_in_the_unit_of_the_field() -> None:
    wrong = (HardwareChoice(min_memory_headroom=12.0), Economics(horizon_years=40.0))
    assert [problem_text(problems_of(one)[0], with_path=False) for one in wrong] == [
        "Memory headroom must be at most 90 %; it is 1\u00a0200 %.", "Horizon must be at most 30 y; it is 40 y."
    ]  # fmt: skip
