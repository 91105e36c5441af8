"""Units in the words of a language: shown as it writes them, read in its words and in English at any time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular
from gpuplanner_gui.drawing.language import ENGLISH, in_turn, tr, without_mnemonic
from gpuplanner_gui.drawing.rows import Column
from gpuplanner_gui.drawing.translations import LANGUAGES, Spaced, use_language
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_money, parse_value
from gpuplanner_gui.drawing.unit_table import unit_of
from gpuplanner_gui.drawing.unit_words import UNIT_WORDS
from gpuplanner_gui.drawing.units import (
    SCALES,
    NumberSigns,
    exact_quantity_text,
    exact_text,
    format_value,
    use_number_signs,
)
from tools.translations.sources import _described_fields

CHINESE = "zh_TW"
FORMS = (NumberSigns(), NumberSigns(".", ","), NumberSigns(",", ".", True), NumberSigns(",", "\u00a0", True))
SHOWN_UNITS = sorted({field.about.unit for _, field in _described_fields()} | set(SCALES))


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    use_language(ENGLISH)
    use_number_signs(None)


@pytest.mark.parametrize(
    ("value", "unit", "english", "chinese"),
    [
        (3 * 86400.0, "s", "3 d", "3 天"),
        (9 * 3600.0, "s", "9 h", "9 小時"),
        (0.25, "s", "250 ms", "250 ms"),
        (40.0, "req/s", "40 req/s", "40 請求/秒"),
        (1.0, "devices", "1 device", "1 個裝置"),
        (8.0, "devices", "8 devices", "8 個裝置"),
        (1.5e12, "tok", "1.50 T tok", "1.50 T token"),
        (70e9, "param", "70 B param", "70 B 參數"),
        (3.35e12, "bytes/s", "3.35 TB/s", "3.35 TB/s"),
        (1.42, "USD/h", "$1.42/h", "US$1.42/小時"),
        (2.5e6, "USD/month", "$2.50 M/month", "US$2.50 M/月"),
        (1.42, "USD/Mtok", "$1.42/Mtok", "US$1.42/百萬 token"),
        (0.5, "1/y", "0.500 /y", "0.500 /年"),
    ],
)
def test_units_are_shown_in_the_words_of_the_language(value: float, unit: str, english: str, chinese: str) -> None:
    assert format_value(value, unit) == english
    use_language(CHINESE)
    assert format_value(value, unit) == chinese


def test_headings_name_units_in_the_language() -> None:
    use_language(CHINESE)
    assert Column("成本", "USD/month").heading == "成本 [USD/月]"
    assert Column("速率", "req/s").heading == "速率 [請求/秒]"
    assert Column("頻寬", "bytes/s").heading == "頻寬 [bytes/s]"


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_word_for_a_unit_is_read_as_that_unit(code: str) -> None:
    english = {word: unit_of(f"1{word}" if word.startswith("/") else word) for word in UNIT_WORDS if _is_read(word)}
    use_language(code)
    for word, unit in english.items():
        said = tr(word)
        assert unit_of(f"1{said}" if said.startswith("/") else said) == unit, said


def _is_read(word: str) -> bool:
    return word not in ("experts", "share")


@pytest.mark.parametrize("code", LANGUAGES)
@given(
    value=st.floats(min_value=1e-6, max_value=1e15), unit=st.sampled_from(SHOWN_UNITS), form=st.sampled_from(FORMS)
)  # fmt: skip
def test_what_an_editor_shows_reads_back_in_its_language_and_in_any_other(
    code: str, value: float, unit: str, form: NumberSigns
) -> None:
    use_number_signs(form)
    use_language(code)
    shown = exact_text(value, unit)
    for reading in LANGUAGES:
        use_language(reading)
        assert parse_value(shown, unit) == value, shown


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unit", ["s", "USD/h", "req/s", "devices", "1/d", "tok"])
@pytest.mark.parametrize(
    "quantity",
    [Range(1.5, 1234.5), Range(1.234, 5.678), Triangular(0.5, 1.25, 86400.0), Normal(40.0, 2.5), Lognormal(0.25, 0.5)],
)
def test_ranges_and_distributions_read_back_in_chinese(form: NumberSigns, unit: str, quantity: Range) -> None:
    use_number_signs(form)
    use_language(CHINESE)
    assert parse_value(exact_quantity_text(quantity, unit), unit) == quantity


@pytest.mark.parametrize(
    ("typed", "unit", "value"),
    [
        ("2 週", "s", 1_209_600.0), ("2 weeks", "s", 1_209_600.0), ("18 個月", "y", 1.5), ("3天", "s", 259_200.0),
        ("90 分鐘", "s", 5400.0), ("１．５ 小時", "s", 5400.0), ("250 毫秒", "s", 0.25), ("40 請求/秒", "req/s", 40.0),
        ("2400 次/分鐘", "req/s", 40.0), ("每分鐘 2400", "req/s", 40.0), ("每分鐘2400請求", "req/s", 40.0),
        ("15 兆 token", "tok", 15e12), ("70億參數", "param", 7e9), ("3 萬個請求/天", "req/s", 30_000 / 86400),
        ("3 百萬", "tok", 3e6), ("8 張", "devices", 8.0), ("8 個裝置", "devices", 8.0), ("4 個副本", "replicas", 4.0),
        ("20～60 請求/秒", "req/s", Range(20.0, 60.0)), ("20 到 60", "req/s", Range(20.0, 60.0)),
        ("2 天至 3 天", "s", Range(172_800.0, 259_200.0)), ("10 美元/小時", "USD/h", 10.0),
        ("80 GB", "bytes on disk", 80e9),
        ("中位數 0.004 /天 σ 0.5", "1/d", Lognormal(0.004, 0.5)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("code", LANGUAGES)
def test_chinese_and_english_words_are_read_in_every_language(code: str, typed: str, unit: str, value: object) -> None:
    use_language(code)
    assert parse_value(typed, unit) == value


@pytest.mark.parametrize(
    ("typed", "amount", "currency"),
    [
        ("NT$30/小時", 30.0, "TWD"), ("新台幣 30 /h", 30.0, "TWD"), ("30 美元/小時", 30.0, "USD"),
        ("US$30/小時", 30.0, "USD"), ("HK$30", 30.0, "HKD"), ("CN¥30", 30.0, "CNY"), ("30 €/h", 30.0, "EUR"),
        ("日圓 500", 500.0, "JPY"),
    ],
)  # fmt: skip
def test_amounts_are_read_with_the_names_of_currencies(typed: str, amount: float, currency: str) -> None:
    money = parse_money(typed, "1/h")
    assert (money.amount, money.currency) == (amount, currency)


@pytest.mark.parametrize(("typed", "unit"), [("30 元/小時", "USD/h"), ("80 天", "bytes"), ("3 個", "s"), ("5 甲", "s")])
def test_what_is_ambiguous_or_no_unit_is_refused(typed: str, unit: str) -> None:
    use_language(CHINESE)
    with pytest.raises(NotUnderstood) as caught:
        parse_value(typed, unit)
    assert not any(word in str(caught.value) for word in ("weeks", "tokens", "per min", "Try"))
    assert "請試" in str(caught.value), "examples that are written in the language of the moment"


@pytest.mark.parametrize(("time_s", "said"), [(7200.0, "最近的工作（2 小時前）"), (0.25, "最近的工作（250 ms 前）")])
def test_a_blank_stands_only_between_latin_and_chinese(time_s: float, said: str) -> None:
    sentence = Spaced("最近的工作（{time} 前）")
    use_language(CHINESE)
    assert sentence.format(time=format_value(time_s, "s")) == said


def test_commands_lose_their_letter_and_sentences_their_blank_in_chinese() -> None:
    assert without_mnemonic("新增專案(&N)…") == "新增專案…"
    assert without_mnemonic("&Save && close") == "Save & close"
    assert in_turn("不含數字。", "請試 40。") == "不含數字。請試 40。"
    assert in_turn("No number.", "", "Try 40.") == "No number. Try 40."
