"""One helper places items on a log axis, ticks are round in their own unit, a range is held while it suits."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QFontMetricsF, QPainter, QPicture, QPixmap
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.drawing.plots.axes import (
    AxisScale,
    HeldRange,
    NameAxis,
    ValueAxis,
    even_ticks,
    fitted,
    fitted_names,
    least_width,
    log_ticks,
    shortened,
    tick_text,
)


def test_log_axis_places_values_at_their_exponent() -> None:
    scale = AxisScale(is_log=True)
    assert scale.place([0.01, 1.0, 1000.0]).tolist() == pytest.approx([-2, 0, 3])
    assert np.isnan(scale.place([0.0, -1.0, np.nan])).all()
    assert scale.value_at(scale.place_one(46.0)) == pytest.approx(46.0)


def test_linear_axis_leaves_values_alone() -> None:
    assert AxisScale().place([0.0, -1.0, 5.0]).tolist() == [0.0, -1.0, 5.0]


@given(st.floats(1e-6, 1e15), st.floats(1.1, 1e6))
def test_held_range_covers_the_data(low: float, factor: float) -> None:
    held_low, held_high = HeldRange(is_log=True).around(low, low * factor)
    assert held_low <= low * 1.001
    assert held_high >= low * factor * 0.999
    assert HeldRange(is_log=False).around(0.0, low)[1] >= low


def test_range_stays_while_data_moves_a_little_and_follows_when_it_leaves() -> None:
    held = HeldRange(is_log=False)
    first = held.around(0.0, 70.0)
    assert held.around(0.0, 65.0) == first
    assert held.around(0.0, 79.0) == first
    assert held.around(0.0, 200.0)[1] > 200
    assert held.around(0.0, 10.0)[1] < 20


def test_range_without_numbers_is_something_drawable() -> None:
    assert HeldRange(is_log=True).around(np.nan, np.inf) == (0.1, 10.0)
    assert HeldRange(is_log=False).around(0.0, 0.0) == (0.0, 1.0)


def test_even_ticks_are_round_and_few() -> None:
    assert even_ticks(0.0, 80.0, 4) == [0.0, 20.0, 40.0, 60.0, 80.0]
    assert even_ticks(0.0, 0.0, 4) == []


@pytest.mark.parametrize("high", [1.1, 2.4, 4.9, 6.0, 9.9])
def test_even_ticks_are_enough_to_read_off_a_length(high: float) -> None:
    ticks = even_ticks(0.0, high, 2)
    assert 3 <= len(ticks) <= 6
    assert ticks[0] == 0.0


def test_time_ticks_are_minutes_hours_and_days() -> None:
    shown = [tick_text(value, "s") for value in log_ticks(1800.0, 14 * 86400.0, 20, "s")]
    assert shown == ["30 min", "1 h", "2 h", "6 h", "12 h", "1 d", "2 d", "5 d", "10 d"]


def test_times_that_have_no_room_for_all_ticks_stand_in_even_steps() -> None:
    """Every second of 1, 2, 5 would be steps of 5, 4 and 5."""
    shown = [tick_text(value, "s") for value in log_ticks(0.08, 8.0, 3, "s")]
    assert shown == ["100 ms", "1 s"]
    shown = [tick_text(value, "s") for value in log_ticks(0.1, 8.0, 3, "s")]
    assert shown == ["100 ms", "500 ms", "2 s"], "one that can be read is no scale"
    assert [tick_text(value, "s") for value in log_ticks(1.5, 40.0, 9, "s")] == ["2 s", "5 s", "10 s", "20 s"]


@given(st.floats(1e-8, 1e8), st.floats(1.5, 1e12), st.integers(2, 12), st.sampled_from(["s", "flop/s", "bytes", ""]))
def test_log_ticks_lie_inside_and_are_not_more_than_wanted(low: float, factor: float, wanted: int, unit: str) -> None:
    ticks = log_ticks(low, low * factor, wanted, unit)
    assert len(ticks) <= wanted
    assert all(low * 0.99 <= tick <= low * factor * 1.01 for tick in ticks)


@pytest.mark.parametrize(
    ("value", "unit", "largest", "text"),
    [
        (0.5, "s", 0.0, "500 ms"),
        (3600.0, "s", 0.0, "1 h"),
        (40 * 2**30, "bytes", 80 * 2**30, "40 GB"),
        (0.5 * 2**40, "bytes", 2 * 2**40, "0.5 TB"),
        (0.1, "USD", 0.3, "$0.10"),
        (0.0, "bytes", 80e9, "0"),
        (1e13, "flop/s", 0.0, "10 TFLOP/s"),
        (10_000.0, "flop/bytes", 0.0, "10\u00a0000 FLOP/B"),
    ],
)
def test_ticks_read_in_their_unit(value: float, unit: str, largest: float, text: str) -> None:
    assert tick_text(value, unit, largest) == text


def test_long_names_lose_remarks_before_they_are_cut() -> None:
    assert shortened("GB200 (one GPU of an NVL72) · FP8", 20) == "GB200 · FP8"
    assert shortened("RTX PRO 6000 Blackwell Max-Q", 12) == "RTX PRO 600…"


def test_name_is_cut_by_the_room_that_there_is(qapp: QApplication) -> None:
    metrics = QFontMetricsF(qapp.font())
    name = "GB200 (one GPU of an NVL72) · FP8"
    assert fitted(name, metrics.horizontalAdvance(name), metrics) == name
    assert fitted(name, metrics.horizontalAdvance(name) - 1, metrics) == "GB200 · FP8"
    cut = fitted(name, metrics.horizontalAdvance("GB200 · FP8") - 1, metrics)
    assert cut.startswith("GB200")
    assert cut.endswith("…")
    assert metrics.horizontalAdvance(cut) < metrics.horizontalAdvance("GB200 · FP8")


def test_names_take_over_half_of_a_narrow_picture_and_less_of_a_wide_one(qapp: QApplication) -> None:
    axis = NameAxis()
    name = "16 × RTX PRO 6000 Blackwell Workstation Edition · FP8 · TP 4 · PP 2 · DP 2 · ZeRO 1"
    axis.show_names((name,))
    axis.use_width(400)
    assert 120 < axis.names_width <= 0.58 * 400
    axis.use_width(4000)
    assert axis.names_width == pytest.approx(QFontMetricsF(qapp.font()).horizontalAdvance(name))


def test_axis_gives_back_the_room_of_names_that_are_gone(qapp: QApplication) -> None:
    axis = NameAxis()
    axis.show_names(("16 × RTX PRO 6000 Blackwell",))
    wide = axis.maximumWidth()
    axis.show_names(("H200",))
    assert axis.names_width < axis.maximumWidth() < wide / 2


def test_texts_of_two_typefaces_are_painted_and_not_played_back(qapp: QApplication) -> None:
    """A text of Chinese and Latin letters, played back from a `QPicture`, stands on two lines."""
    plot = pg.PlotWidget(axisItems={"left": NameAxis()})
    axis = plot.getAxis("left")
    axis.show_names(("B 記憶體頻寬",))
    plot.grab()
    assert not isinstance(axis.picture, QPicture)
    assert [text for _, _, text in axis.picture[0][2]] == ["B 記憶體頻寬"]


def test_an_axis_far_beyond_all_numbers_is_painted(qapp: QApplication) -> None:
    """A wheel leads there; a fault while its picture was painted on ended the program."""
    plot = pg.PlotWidget(axisItems={"left": ValueAxis("left", "bytes", AxisScale(is_log=True))})
    plot.resize(300, 200)
    plot.setYRange(-500.0, 500.0, padding=0)
    assert not plot.grab().isNull()
    assert AxisScale(is_log=True).value_at(1e9) == pytest.approx(1e60)
    axis = plot.getAxis("left")
    axis.tickValues = lambda *_: 1 / 0
    axis.picture = None
    paper = QPixmap(10, 10)
    painter = QPainter(paper)
    with pytest.raises(ZeroDivisionError):
        axis.paint(painter, None, None)
    painter.end()


def test_texts_of_an_even_axis_have_the_same_decimals(qapp: QApplication) -> None:
    axis = ValueAxis("bottom", "USD/h", AxisScale())
    assert axis.tickStrings([0.0, 0.5, 1.0, 1.5], 1.0, 0.5) == ["0", "$0.50/h", "$1.00/h", "$1.50/h"]
    assert axis.tickStrings([0.0, 1.0, 2.0], 1.0, 1.0) == ["0", "$1/h", "$2/h"]
    plain = ValueAxis("bottom", "s", AxisScale())
    assert plain.tickStrings([0.5, 1.0, 1.5], 1.0, 0.5) == ["0.5 s", "1.0 s", "1.5 s"]


def test_layout_is_set_closer_before_its_numbers_are_cut(qapp: QApplication) -> None:
    metrics = QFontMetricsF(qapp.font())
    name, close = "8 × H100 PCIe 80GB · TP 2 · VPP 5 · ZeRO 1", "8 × H100 PCIe 80GB TP\u20092 VPP\u20095 ZeRO\u20091"
    assert fitted(name, metrics.horizontalAdvance(name) - 1, metrics) == close
    assert metrics.horizontalAdvance(close) < 0.95 * metrics.horizontalAdvance(name)
    closest = "8 × H100 PCIe 80GB TP2 VPP5 ZeRO1"
    assert fitted(name, metrics.horizontalAdvance(close) - 1, metrics) == closest
    moved = f"{closest} · activations on the host"
    assert fitted(f"{name} · activations on the host", metrics.horizontalAdvance(moved), metrics) == moved
    assert fitted("1 × Instinct MI300X · FP8", 10_000, metrics) == "1 × Instinct MI300X · FP8"


def test_one_name_that_is_too_long_does_not_cut_the_others(qapp: QApplication) -> None:
    axis = NameAxis()
    long = "16 × RTX PRO 6000 Blackwell Workstation Edition · FP8 · TP 4 · PP 2 · DP 2 · ZeRO 1"
    name = "8 × H100 PCIe 80GB · TP 2 · PP 2 · VPP 5 · DP 2 · ZeRO 1"
    axis.show_names((name, long))
    axis.use_width(least_width(name, QFontMetricsF(qapp.font())) / 0.55)
    shown = [text for _, text in axis._tickLevels[0]]
    assert shown[0] == "8 × H100 PCIe 80GB TP2 PP2 VPP5 DP2 ZeRO1"
    assert "…" in shown[1]


def test_a_long_device_is_cut_before_its_layout(qapp: QApplication) -> None:
    metrics = QFontMetricsF(qapp.font())
    name = "16 × RTX PRO 6000 Blackwell Workstation Edition · TP 2 · DP 8 · ZeRO 1"
    room = metrics.horizontalAdvance("16 × RTX PRO 6000 Blackwell TP2 DP8 ZeRO1")
    shown = fitted(name, room, metrics)
    assert shown.endswith("… TP2 DP8 ZeRO1")
    assert shown.startswith("16 × RTX PRO")
    assert metrics.horizontalAdvance(shown) <= room + 1


def test_names_that_differ_at_their_ends_keep_them(qapp: QApplication) -> None:
    metrics = QFontMetricsF(qapp.font())
    names = ("Training devices only during runs: training", "Training devices only during runs: serving", "One fleet")
    room = metrics.horizontalAdvance("Training devices only during runs")
    shown = fitted_names(names, room, metrics)
    assert shown[0].endswith("training")
    assert shown[1].endswith("serving")
    assert shown[2] == "One fleet"
    assert all(metrics.horizontalAdvance(one) <= room + 1 for one in shown)


def test_names_that_would_be_cut_take_more_than_half_of_a_picture(qapp: QApplication) -> None:
    axis = NameAxis()
    name = "8 × H100 PCIe 80GB · TP 2 · PP 2 · VPP 5 · DP 2 · ZeRO 1"
    axis.show_names(("2 × B300 SXM · TP 2", name))
    needed = least_width(name, QFontMetricsF(qapp.font()))
    axis.use_width(needed / 0.55)
    assert axis.names_width == pytest.approx(needed, abs=1), "whole, set closer"
    axis.show_names(("2 × B300 SXM · TP 2",))
    axis.use_width(needed / 0.9)
    axis.show_names((name,))
    assert axis.names_width < needed, "the bars keep their room"


def test_a_title_longer_than_its_axis_ends_within_it(qapp: QApplication) -> None:
    """It stood in the axis's middle and was cut at the picture's edge."""
    axis = ValueAxis("bottom", "bytes", AxisScale())
    axis.setLabel("Memory per device, each row at its planned batch (1 GB = 2³⁰ bytes)")
    for width in (120.0, 2000.0):
        axis.resize(width, 60.0)
        title = axis.label.boundingRect()
        assert axis.label.x() + title.width() <= width
    assert axis.label.x() > 0
