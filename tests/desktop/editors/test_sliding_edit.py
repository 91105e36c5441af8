"""A slider beside a number: pulled, pressed by keys, following what is typed."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QStyle, QStyleOptionSlider
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import Place, Surroundings
from gpuplanner_gui.desktop.editors.number_edit import MIDDLE, QUANTITY, STEPS, SlidingEdit
from gpuplanner_gui.domain.field import About, fields_of
from gpuplanner_gui.domain.quantity import Range
from gpuplanner_gui.domain.workload import RequestClass

RATE = About("Peak rate", "req/s", above=0)
SHARE = About("Hits", "", minimum=0, maximum=1)


def shown(qtbot: QtBot, about: About, value: Any) -> tuple[SlidingEdit, list[Any]]:
    def check(new: Any) -> str:
        return "" if not isinstance(new, float) or new > 0 or about.minimum == 0 else "not above 0"

    editor = SlidingEdit(Place(object, "x", Surroundings(), check=check), QUANTITY, about, False)
    told: list[Any] = []
    editor.edited.connect(lambda _, new: told.append(new))
    editor.show_value(value)
    editor.resize(160, 60)
    qtbot.addWidget(editor)
    editor.show()
    return editor, told


def handle(editor: SlidingEdit) -> QPoint:
    option = QStyleOptionSlider()
    editor.slider.initStyleOption(option)
    place = editor.slider.style().subControlRect(
        QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, editor.slider
    )
    return place.center()


def pull(editor: SlidingEdit, pixels: int) -> None:
    start = handle(editor)
    QTest.mousePress(editor.slider, Qt.MouseButton.LeftButton, pos=start)
    for share in (0.25, 0.5, 0.75, 1.0):
        QTest.mouseMove(editor.slider, start + QPoint(round(pixels * share), 0))
    QTest.mouseRelease(editor.slider, Qt.MouseButton.LeftButton, pos=start + QPoint(pixels, 0))


def test_a_share_is_pulled_between_its_bounds(qtbot: QtBot) -> None:
    editor, told = shown(qtbot, SHARE, 0.25)
    assert editor.slider.value() == STEPS // 4
    pull(editor, 1000)
    assert told[-1] == 1.0
    assert editor.line.text() == "1"
    pull(editor, -1000)
    assert told[-1] == 0.0
    assert all(0 <= one <= 1 for one in told)


def test_a_rate_is_pulled_by_factors_and_the_handle_goes_back_to_the_middle(qtbot: QtBot) -> None:
    editor, told = shown(qtbot, RATE, 40.0)
    pull(editor, 1000)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(400.0)
    assert editor.line.text() == "400 req/s"
    assert editor.slider.value() == MIDDLE
    pull(editor, -1000)
    assert told[-1] == pytest.approx(40.0)


def test_keys_move_it_and_a_wheel_does_not(qtbot: QtBot) -> None:
    editor, told = shown(qtbot, RATE, 40.0)
    qtbot.keyClick(editor.slider, Qt.Key.Key_Right)
    assert told[-1] > 40.0
    before = list(told)
    wheel = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(0, 120), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(editor.slider, wheel)
    assert told == before


def test_typed_values_move_the_handle_and_a_range_has_none(qtbot: QtBot) -> None:
    editor, told = shown(qtbot, SHARE, 0.25)
    editor.line.setFocus()
    editor.line.selectAll()
    qtbot.keyClicks(editor.line, "75%")
    qtbot.keyClick(editor.line, Qt.Key.Key_Return)
    assert told == [0.75]
    assert editor.slider.value() == STEPS * 3 // 4
    editor.show_value(Range(0.2, 0.4))
    assert not editor.slider.isEnabled()
    editor.show_value(0.5)
    assert editor.slider.isEnabled()


def test_a_value_that_does_not_fit_is_not_taken(qtbot: QtBot) -> None:
    editor, told = shown(qtbot, About("Share", "", above=0, maximum=1), 0.5)
    pull(editor, -1000)
    assert told == [], "nothing lies above 0 where the handle was left"
    assert editor.slider.value() == STEPS // 2, "the handle is not where the value is"


def test_the_fields_that_are_tried_out_say_so() -> None:
    assert {field.name for field in fields_of(RequestClass) if field.about.slides} == {
        "peak_rate_per_s", "prefix_cache_share",
    }  # fmt: skip


def test_the_peak_rate_starts_in_the_middle_whatever_bound_keeps_slips_out(qtbot: QtBot) -> None:
    """Its bound of ten million put the handle of 40 req/s at the far left, and one step was 50,000 req/s."""
    (field,) = (one for one in fields_of(RequestClass) if one.name == "peak_rate_per_s")
    editor, told = shown(qtbot, field.about, 40.0)
    assert editor.slider.value() == MIDDLE
    qtbot.keyClick(editor.slider, Qt.Key.Key_Right)
    assert 40.0 < told[-1] < 42.0
