from __future__ import annotations

import datetime
from typing import Any

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import Place, Surroundings
from gpuplanner_gui.desktop.editors.number_edit import COUNT, MONEY, NUMBER, QUANTITY, NumberEdit, NumberKind, stepped
from gpuplanner_gui.domain.field import About
from gpuplanner_gui.domain.quantity import Lognormal, Money, Normal, Range, Triangular
from gpuplanner_gui.drawing.typed_values import parse_value

Key = Qt.Key


class Shown:
    """An editor on screen with what it told."""

    def __init__(
        self, qtbot: QtBot, kind: NumberKind, unit: str, value: Any, optional: bool, limit: float, zero: str
    ) -> None:
        def check(new: Any) -> str:
            return "too large" if isinstance(new, (int, float)) and new > limit else ""

        self.editor = NumberEdit(
            Place(object, "x", Surroundings(), check=check), kind, About("X", unit, zero_means=zero), optional
        )
        self.told: list[Any] = []
        self.problems: list[str] = []
        self.editor.edited.connect(lambda path, new: self.told.append(new))
        self.editor.problem_changed.connect(self.problems.append)
        self.editor.show_value(value)
        qtbot.addWidget(self.editor)
        self.editor.show()
        self._qtbot = qtbot

    @property
    def text(self) -> str:
        return self.editor.line.text()

    def type(self, text: str) -> None:
        self.editor.line.setFocus()
        self.editor.line.selectAll()
        self._qtbot.keyClicks(self.editor.line, text)

    def press(self, key: Qt.Key) -> None:
        self._qtbot.keyClick(self.editor.line, key)


def shown(
    qtbot: QtBot,
    kind: NumberKind = NUMBER,
    unit: str = "",
    value: Any = 1.0,
    optional: bool = False,
    limit: float = 1e99,
    zero: str = "",
) -> Shown:
    return Shown(qtbot, kind, unit, value, optional, limit, zero)


def test_a_zero_that_leaves_the_choice_to_the_program_is_told_in_words(qtbot: QtBot) -> None:
    field = shown(qtbot, COUNT, "seq", 0, zero="by search")
    assert field.text == ""
    assert field.editor.line.placeholderText() == "by search"
    field.type("8")
    field.press(Key.Key_Return)
    field.editor.line.clear()
    field.type(" ")
    field.press(Key.Key_Return)
    assert field.told == [8, 0]
    assert field.problems == []
    assert field.text == ""


@pytest.mark.parametrize(
    ("unit", "typed", "value", "text"),
    [
        ("bytes", "80GB", 80.0 * 2**30, "80 GB"),
        ("bytes/s", "3.35 TB/s", 3.35e12, "3.35 TB/s"),
        ("s", "2 weeks", 1_209_600.0, "14 d"),
        ("req/s", "2400 per min", 40.0, "40 req/s"),
    ],
)
def test_value_is_typed_with_any_unit_and_shown_tidily(
    qtbot: QtBot, unit: str, typed: str, value: float, text: str
) -> None:
    field = shown(qtbot, NUMBER, unit)
    field.type(typed)
    field.press(Key.Key_Return)
    assert field.told == [value]
    assert field.text == text


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("20..60", Range(20.0, 60.0)),
        ("20..30..60", Triangular(20.0, 30.0, 60.0)),
        ("40 ±10", Normal(40.0, 10.0)),
        ("median 40 sigma 0.5", Lognormal(40.0, 0.5)),
    ],
)
def test_quantity_may_be_a_range_or_a_distribution(qtbot: QtBot, typed: str, value: Any) -> None:
    field = shown(qtbot, QUANTITY, "req/s")
    field.type(typed)
    field.press(Key.Key_Return)
    assert field.told == [value]
    field.editor.show_value(value)
    text = field.text
    field.type(text)
    field.press(Key.Key_Return)
    assert field.told == [value], "its own text must read back as the same value"


@pytest.mark.parametrize(
    ("kind", "unit", "value", "text"),
    [
        (NUMBER, "req/s", 100 / 3, "33.3333 req/s"),
        (QUANTITY, "req/s", Range(100 / 3, 200 / 3), "33.3333 .. 66.6667 req/s"),
        (MONEY, "1/h", Money(10 / 3), "USD 3.33333/h"),
        (QUANTITY, "y", parse_value("2 weeks", "y"), "0.0383299 y"),
        (NUMBER, "req/s", 1234.5678 * 60 / 60.00000000000001, "1234.5678 req/s"),
        (NUMBER, "bytes", float(2**40), "1 TB"),
        (NUMBER, "req/s", 0.1 + 0.2, "0.3 req/s"),
    ],
)
def test_long_numbers_leave_room_for_their_unit_and_stay_as_they_are(
    qtbot: QtBot, kind: NumberKind, unit: str, value: Any, text: str
) -> None:
    field = shown(qtbot, kind, unit, value)
    assert field.text == text
    field.editor.line.setFocus()
    field.press(Key.Key_Return)
    field.editor.line.clearFocus()
    assert field.told == []
    field.type(text)
    field.press(Key.Key_Return)
    assert field.told == [], "its own text means its own value"
    assert field.text == text


def test_an_old_text_typed_again_after_a_pause_means_the_old_value(qtbot: QtBot) -> None:
    field = shown(qtbot, NUMBER, "req/s", 40.0)
    field.type("55")
    qtbot.waitUntil(lambda: field.told == [55.0])
    field.type("40 req/s")
    field.press(Key.Key_Return)
    assert field.told == [55.0, 40.0]


def test_bad_input_keeps_the_text_and_says_what_is_wrong(qtbot: QtBot) -> None:
    field = shown(qtbot, NUMBER, "bytes", 80e9)
    field.type("80 elephants")
    field.press(Key.Key_Return)
    assert field.told == []
    assert field.text == "80 elephants"
    assert "elephants" in field.problems[-1]
    assert field.editor.line.property("invalid") is True


def test_corrected_input_takes_the_message_away(qtbot: QtBot) -> None:
    field = shown(qtbot, NUMBER, "bytes", 80e9)
    field.type("80 elephants")
    field.press(Key.Key_Return)
    field.type("96 GB")
    field.press(Key.Key_Return)
    assert field.told == [96 * 2**30]
    assert field.problems[-1] == ""
    assert field.editor.line.property("invalid") is False


def test_value_out_of_bounds_is_not_taken(qtbot: QtBot) -> None:
    field = shown(qtbot, NUMBER, "", 1.0, limit=10)
    field.type("11")
    field.press(Key.Key_Return)
    assert field.told == []
    assert field.problems == ["too large"]


def test_escape_gives_the_old_text_back(qtbot: QtBot) -> None:
    field = shown(qtbot, NUMBER, "", 5.0)
    field.type("nonsense")
    field.press(Key.Key_Escape)
    assert field.text == "5"
    assert field.told == []


def test_readable_value_is_taken_when_typing_pauses(qtbot: QtBot) -> None:
    field = shown(qtbot, NUMBER, "", 5.0)
    field.type("42")
    qtbot.waitUntil(lambda: field.told == [42.0])
    field.editor.show_value(42.0)
    assert field.text == "42"
    assert field.problems == []


def test_half_typed_value_is_not_complained_about_during_a_pause(qtbot: QtBot) -> None:
    field = shown(qtbot, NUMBER, "bytes", 5e9)
    field.type("7 el")
    qtbot.wait(500)
    assert field.told == []
    assert field.problems == []


def test_value_from_outside_replaces_the_text(qtbot: QtBot) -> None:
    field = shown(qtbot, NUMBER, "", 5.0)
    field.type("wrong text")
    field.press(Key.Key_Return)
    field.editor.show_value(6.0)
    assert field.text == "6"
    assert field.problems[-1] == ""


def test_same_value_again_leaves_the_line_as_it_is(qtbot: QtBot) -> None:
    editor = shown(qtbot, NUMBER, "", 4.0).editor
    editor.line.setCursorPosition(1)
    editor.show_value(4.0)
    assert editor.line.cursorPosition() == 1
    editor.line.setText("5")
    editor.show_value(4.0)
    assert editor.line.text() == "4"


def test_wrong_text_survives_a_refresh_with_the_same_value(qtbot: QtBot) -> None:
    field = shown(qtbot, NUMBER, "", 5.0)
    field.type("wrong text")
    field.press(Key.Key_Return)
    field.editor.show_value(5.0)
    assert field.text == "wrong text"


def test_empty_optional_field_is_nothing(qtbot: QtBot) -> None:
    field = shown(qtbot, NUMBER, "s", 5.0, optional=True)
    field.type(" ")
    field.press(Key.Key_Return)
    assert field.told == [None]


def test_count_refuses_fractions(qtbot: QtBot) -> None:
    field = shown(qtbot, COUNT, "", 8)
    field.type("8.5")
    field.press(Key.Key_Return)
    assert field.told == []
    assert "whole" in field.problems[-1]


def test_arrows_step_by_a_tenth_of_the_leading_place(qtbot: QtBot) -> None:
    field = shown(qtbot, COUNT, "", 16)
    field.press(Key.Key_Up)
    assert field.told == [17]
    assert stepped(1024, 1, is_whole=True) == 1124
    assert stepped(0.3, 1, is_whole=False) == 0.31
    assert stepped(1.0, -1, is_whole=False) == 0.9
    assert stepped(0, 1, is_whole=True) == 1


def test_step_over_a_bound_is_not_taken(qtbot: QtBot) -> None:
    field = shown(qtbot, COUNT, "", 16, limit=16)
    field.press(Key.Key_Up)
    assert field.told == []
    assert field.text == "16"


def test_money_keeps_its_currency(qtbot: QtBot) -> None:
    field = shown(qtbot, MONEY, "1/h", Money(2.0))
    field.type("EUR 1.5..2.5")
    field.press(Key.Key_Return)
    assert field.told == [Money(Range(1.5, 2.5), "EUR")]
    text = field.text
    field.type(text)
    field.press(Key.Key_Return)
    assert len(field.told) == 1, "its own text must read back as the same money"


def test_a_duration_may_be_a_date_or_a_range_of_dates(qtbot: QtBot) -> None:
    today, day_s = datetime.date.today(), 86_400.0
    near, far = (today + datetime.timedelta(days=days) for days in (30, 60))
    field = shown(qtbot, QUANTITY, "s", 3600.0, limit=1e9)
    field.type(f"{near}")
    field.press(Key.Key_Return)
    assert field.told == [30 * day_s]
    field.type(f"{near}..{far}")
    field.press(Key.Key_Return)
    assert field.told[-1] == Range(30 * day_s, 60 * day_s)
    field.type(f"{far}..{near}")
    field.press(Key.Key_Return)
    assert "Enter the lower end of a range first" in field.problems[-1]
