"""Where values stand on an axis, how its ticks read, and when its range moves.

pyqtgraph's log mode transforms curves but not InfiniteLine, TextItem, ScatterPlotItem or fills. Here no item is in log
mode: everything is placed through `AxisScale.place`, and the axis writes the values back.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QPainter, QPicture

from gpuplanner_gui.drawing.language import phrase
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.shown_money import is_money, money_shown, shown_amount, shown_money
from gpuplanner_gui.drawing.units import (
    Scale,
    decimals_text,
    rounded_text,
    scale_for,
    shown_scales,
    with_signs,
    with_unit,
)

WIDTH_STEP = 8
"""Pixels in which the width of names goes, so that little moves when others of nearly the same length come."""
NAMES_SHARE, NAMES_MOST_SHARE, NAMES_PIXELS = 0.4, 0.5, 230
"""Share of a picture's width that names may take, and the larger share of a narrow one, up to so many pixels."""
UNCUT_NAMES_SHARE = 0.58
"""Share of a picture's width that names may take where they would be cut otherwise."""
_REMARK = re.compile(r"\s*\([^)]*\)")
_LAYOUT = re.compile(r"( · (TP|PP|VPP|DP|CP|EP|ETP|ZeRO|HSDP) \d+)+")
TICKS = (1.0, 2.0, 5.0)
TEXTS_APART = 4.0
"""Pixels between the texts of an axis."""
END_TEXT = 40.0
"""Pixels by which the text of a tick may reach beyond the end of a horizontal axis before it is moved in."""
STEPS = (0.5, *TICKS, 10.0)
MEMORY_TITLE = phrase("Memory per device (1 GB = 2³⁰ bytes)")
"""Memory counts as vendors name cards; files, disks and wires count powers of ten (docs/nomenclature.md)."""
LEAST_TICKS = 3
"""Least ticks of a linear axis; with fewer its scale can't be read."""

MOST_DECADES = 60.0
"""Decades from 1 in either direction that an axis can show; zooming could go beyond any value of a plan."""


@dataclass(frozen=True)
class AxisScale:
    """Linear, or logarithmic to base ten."""

    is_log: bool = False

    def place(self, values: ArrayLike) -> NDArray[np.float64]:
        """Positions on the axis; NaN for what has none."""
        numbers = np.asarray(values, dtype=np.float64)
        if not self.is_log:
            return numbers
        with np.errstate(divide="ignore", invalid="ignore"):
            placed: NDArray[np.float64] = np.where(numbers > 0, np.log10(np.where(numbers > 0, numbers, 1.0)), np.nan)
        return placed

    def place_one(self, value: float) -> float:
        if not self.is_log:
            return float(value)
        return math.log10(value) if value > 0 else math.nan

    def value_at(self, position: float) -> float:
        return 10.0 ** min(max(position, -MOST_DECADES), MOST_DECADES) if self.is_log else position


class HeldRange:
    """A range that moves in steps: small changes of the data leave it, so that only what changed is redrawn."""

    def __init__(self, is_log: bool) -> None:
        self.is_log = is_log
        self._held: tuple[float, float] | None = None

    def forget(self) -> None:
        self._held = None

    @property
    def highest(self) -> float:
        """Its upper end; infinite before there is any."""
        return self._held[1] if self._held is not None else math.inf

    def around(self, low: float, high: float) -> tuple[float, float]:
        """Values between which the axis should run, in data units."""
        if not (math.isfinite(low) and math.isfinite(high)) or high <= 0:
            return self._held or ((0.1, 10.0) if self.is_log else (0.0, 1.0))
        if self._held is None or not self._suits(low, high):
            self._held = (_step_below(low), _step_above(high)) if self.is_log else (0.0, _step_above(high * 1.04))
        return self._held

    def _suits(self, low: float, high: float) -> bool:
        held_low, held_high = self._held or (0.0, 0.0)
        if not self.is_log:
            return 0.5 * held_high <= high <= 0.99 * held_high
        if not held_low * 0.999 <= low or not high <= held_high * 1.001:
            return False
        return math.log10(high / low) > 0.55 * math.log10(held_high / held_low)


def _step_above(value: float) -> float:
    decade = 10.0 ** math.floor(math.log10(value))
    return next(
        step * decade
        for step in (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
        if step * decade >= value * 0.999
    )


def _step_below(value: float) -> float:
    decade = 10.0 ** math.floor(math.log10(value))
    return next(step * decade for step in (5.0, 2.0, 1.0) if step * decade <= value * 1.001)


class PlainAxis(pg.AxisItem):
    """An axis that keeps what it draws, and not a picture of it.

    Played back from a `QPicture`, as pyqtgraph does, a text of two typefaces (Chinese beside Latin letters) stands on
    two lines.
    """

    picture: Any
    """The drawing as `generateDrawSpecs` gave it; None where it is outdated."""

    def resizeEvent(self, event: Any = None) -> None:
        """The label of a horizontal axis ends within it, away from the legend below; a long one begins further left."""
        super().resizeEvent(event)
        if self.orientation == "bottom" and self.label is not None:
            size, taken = self.size(), self.label.boundingRect()
            self.label.setPos(min(self.label.x(), size.width() - taken.width()), size.height() - taken.height())

    def boundingRect(self) -> QRectF:
        """With room for the texts at both ends of a horizontal axis, which are left out where they reach beyond it."""
        rect: QRectF = super().boundingRect()
        return rect.adjusted(-END_TEXT, 0.0, END_TEXT, 0.0) if self.orientation == "bottom" else rect

    def measure(self) -> bool:
        """Work out what is painted; False where its texts ask for another width, so that the plot is laid out anew."""
        if self.picture is None:
            paper = QPicture()
            ruler = QPainter(paper)
            ruler.setFont(self.style["tickFont"] or self.font())
            try:
                specs = self.generateDrawSpecs(ruler)
            finally:
                ruler.end()  # A picture that goes while it is painted on takes the program with it.
            self.picture = (specs,)
        return self.picture is not None

    def paint(self, painter: QPainter, *arguments: Any) -> None:
        self.measure()
        (specs,) = self.picture
        if specs is not None:
            painter.save()
            self.drawPicture(painter, *specs)
            painter.restore()


class ValueAxis(PlainAxis):
    """Ticks with the unit's own steps: 500 ms, 1 s, 2 s; 20 GB, 40 GB."""

    def __init__(self, orientation: str, unit: str, scale: AxisScale) -> None:
        super().__init__(orientation)
        self.unit = unit
        self.value_scale = scale
        self._money = shown_money()
        """Currency of the amounts, kept because an axis is painted later, outside its scenario."""
        self.least_step = 0.0
        """No ticks nearer to each other: 1 where whole things are counted."""
        self.most = math.inf
        """No ticks above: room for notes behind bars is no part of the axis."""
        self.enableAutoSIPrefix(False)

    def follow_money(self) -> None:
        """Write amounts in the currency of the moment from now on."""
        if self._money != shown_money():
            self._money = shown_money()
            if is_money(self.unit):
                self.picture = None
                self.update()

    def use_scale(self, scale: AxisScale) -> None:
        """Write values of this scale from now on."""
        self.value_scale = scale
        self.picture = None
        self.update()

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        with money_shown(self._money):
            ticks = self._ticks(minVal, maxVal, size)
        return [(spacing, [one for one in values if one <= self.most]) for spacing, values in ticks]

    def _ticks(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        low, high = sorted((minVal, maxVal))
        if low < self.most < high and not self.value_scale.is_log:
            # Values beyond are not written: those before them have to be enough to read the axis by.
            size, high = size * (self.most - low) / (high - low), self.most
        wanted = max(2, int(size / scaled(28 if self.orientation == "left" else 84)))
        if self.value_scale.is_log:
            low_value, high_value = self.value_scale.value_at(low), self.value_scale.value_at(high)
            one = shown_amount(1.0, self.unit)
            round_values = log_ticks(low_value * one, high_value * one, wanted, self.unit)
            ticks = [math.log10(value / one) for value in round_values]
        else:
            size_of_unit = float(scale_for(max(abs(low), abs(high)), self.unit).size)
            least = self.least_step / size_of_unit
            ticks = [tick * size_of_unit for tick in even_ticks(low / size_of_unit, high / size_of_unit, wanted, least)]
        return [(1.0, ticks)]

    def generateDrawSpecs(self, p: Any) -> Any:
        """Texts that would be cut at the end of a horizontal axis are moved in, or left out where there is no room."""
        specs = super().generateDrawSpecs(p)
        if specs is None or self.orientation != "bottom":
            return specs
        end, before, kept = self.size().width(), -math.inf, []
        for place, flags, text in sorted(specs[2], key=lambda one: one[0].left()):
            inside = place.translated(min(end - place.right(), 0.0), 0.0)
            if inside.left() > before:
                kept.append((inside, flags, text))
                before = inside.right() + TEXTS_APART
        return specs[0], specs[1], kept

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        with money_shown(self._money):
            return self._texts(values)

    def _texts(self, values: list[float]) -> list[str]:
        numbers = [self.value_scale.value_at(value) for value in values]
        if self.value_scale.is_log:
            return [tick_text(number, self.unit) for number in numbers]
        largest = max((abs(number) for number in numbers), default=0.0)
        finest = max((tick_decimals(number, self.unit, largest) for number in numbers), default=0)
        return [tick_text(number, self.unit, largest, finest) for number in numbers]


def even_ticks(low: float, high: float, wanted: int, least_step: float = 0.0) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten, about as many as wanted; more where less than three were left.

    None are nearer to each other than the least step.
    """
    raw = max((high - low) / max(wanted, 1), least_step)
    if not (math.isfinite(raw) and raw > 0):
        return []
    decade = 10.0 ** math.floor(math.log10(raw))
    usual = next(place for place in range(1, len(STEPS)) if STEPS[place] * decade >= raw * 0.999)
    ticks: list[float] = []
    for place in (usual, usual - 1):
        step = STEPS[place] * decade
        if step < 0.999 * least_step:
            break
        ticks = [index * step for index in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]
        if len(ticks) >= LEAST_TICKS:
            break
    return ticks


TIMES_S = (
    *(step * 10.0**decade for decade in range(-9, 0) for step in TICKS),
    1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0, 21600.0, 43200.0, 86400.0,
    172800.0, 432000.0, 864000.0, 1728000.0, 4320000.0, 8640000.0, 17280000.0, 31557600.0, 63115200.0, 157788000.0,
    315576000.0, 3155760000.0, 31557600000.0,
)  # fmt: skip
"""Round times: in seconds to a minute, then minutes, hours, days and years."""
COARSE_TIMES_S = (
    *(10.0**decade for decade in range(-9, 2)),
    60.0, 600.0, 3600.0, 86400.0, 864000.0, 8640000.0, 31557600.0, 315576000.0, 3155760000.0, 31557600000.0,
)  # fmt: skip
"""Those of them that stand alone where there is no room for all."""


ENDS_CUT = 1.1
"""Ratio to the end of a logarithmic axis within which a tick may have no room for its text."""


def log_ticks(low: float, high: float, wanted: int, unit: str) -> list[float]:
    """Round values from low to high, thinned to at most as many as wanted; of what is counted, none below one."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    low = max(low, 0.999) if unit == "" else low
    finest: Sequence[float] = [step * 10.0**decade for decade in decades for step in TICKS]
    coarse: Sequence[float] = [10.0**decade for decade in decades]
    if unit == "s":
        finest, coarse = TIMES_S, COARSE_TIMES_S
    inside, wide = (
        [value for value in choice if low * 0.999 <= value <= high * 1.001] for choice in (finest, coarse)
    )  # fmt: skip
    if len(inside) <= wanted:
        return inside
    # Every second or third of 1, 2, 5 are uneven steps. A text at the very end of an axis is cut.
    is_enough = sum(low * ENDS_CUT < value < high / ENDS_CUT for value in wide) > 1
    shown = wide if is_enough else inside
    return shown[:: math.ceil(len(shown) / wanted)]


def tick_decimals(value: float, unit: str, largest: float) -> int:
    """Decimals of a round value in the display unit of the largest on the axis."""
    return len(f"{value / float(scale_for(largest, unit).size):.4g}".partition(".")[2]) if largest < math.inf else 0


def tick_text(value: float, unit: str, largest: float = 0.0, decimals: int = 0) -> str:
    """A round value in the display unit of itself, or of the largest on the axis; at least so many decimals."""
    if value == 0:
        return "0"
    shown = exact_scale(value, unit) if not largest else scale_for(largest, unit)
    scaled = value / float(shown.size)
    number = rounded_text(round(scaled), 6) if abs(scaled) >= 1000 else with_signs(f"{scaled:.4g}")
    if decimals and abs(scaled) < 1000:
        number = decimals_text(scaled, decimals)
    return with_unit(number, shown)


def exact_scale(value: float, unit: str) -> Scale:
    """The largest display unit in which a round value is whole, so that an hour is 1 h and not 60 min."""
    whole = [scale for scale in shown_scales(unit) if value / float(scale.size) >= 0.999]
    exact = [scale for scale in whole if abs(value / float(scale.size) / round(value / float(scale.size)) - 1) < 1e-6]
    return (exact or whole or [shown_scales(unit)[0]])[-1]


class NameAxis(PlainAxis):
    """Names beside horizontal bars, the first one on top."""

    def __init__(self) -> None:
        super().__init__("left")
        self.enableAutoSIPrefix(False)
        self._names: tuple[str, ...] = ()
        self._room = 220.0
        self._most_room = 220.0
        self.names_width = 0.0
        """Pixels of the longest name as it is shown."""

    def use_width(self, width: float) -> bool:
        """Keep to a part of a picture's width, which is larger of a narrow one's; True where that cuts names anew."""
        room = max(NAMES_SHARE * width, min(NAMES_MOST_SHARE * width, scaled(NAMES_PIXELS)))
        is_changed = abs(room - self._room) >= 1.0
        if is_changed:
            self._room, self._most_room = room, max(room, UNCUT_NAMES_SHARE * width)
            names, self._names = self._names, ()
            self.show_names(names)
            # The axis itself only ever grows, so that bars stand still while names change; a new size is a new start.
            self.textWidth = math.ceil(self.names_width)
            self._updateWidth()
        return is_changed

    def show_names(self, names: tuple[str, ...]) -> None:
        if names == self._names:
            return
        self._names = names
        metrics = QFontMetricsF(self.style["tickFont"] or QGuiApplication.font())
        needed = max((math.ceil(least_width(name, metrics)) for name in names), default=0)
        # A name that is too long for the most room takes all of it: cut shorter, it would cut the others too.
        room = min(max(needed, self._room), self._most_room)
        shown = fitted_names(names, room, metrics)
        self.names_width = max((metrics.horizontalAdvance(name) for name in shown), default=0.0)
        self.setTicks([list(enumerate(shown))])
        # Left to itself, the axis stays as wide as for the longest names that it has ever held.
        width = WIDTH_STEP * math.ceil((self.names_width + self.style["tickTextOffset"][0] + 1) / WIDTH_STEP)
        if width != self.maximumWidth():
            self.setWidth(width)

    def generateDrawSpecs(self, p: Any) -> Any:
        """Names without the small lines that would join them to the bars."""
        specs = super().generateDrawSpecs(p)
        return None if specs is None else (specs[0], [], specs[2])


def fitted_names(names: Sequence[str], pixels: float, metrics: QFontMetricsF) -> list[str]:
    """Each name by the room that there is, with separators in all layouts or in none; names that would be cut to the
    same words keep both of their ends."""
    bare = [_REMARK.sub("", name) for name in names]
    is_close = any(metrics.horizontalAdvance(name) > pixels for name in bare)
    is_closest = any(metrics.horizontalAdvance(_set_closer(name)) > pixels for name in bare)
    blank = NO_BLANK if is_closest else THIN_BLANK if is_close else None
    shown = [fitted(name, pixels, metrics, blank) for name in names]
    return [
        metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, pixels) if shown.count(cut) > names.count(name) else cut
        for name, cut in zip(names, shown)
    ]


LEAST_HEAD = 0.4
"""Share of a name's room that a device keeps before its layout; with less, the layout's end is cut."""
THIN_BLANK, NO_BLANK = "\u2009", ""
"""Between a word of a layout and its number: TP 2, or TP2 where room is short."""


def least_width(name: str, metrics: QFontMetricsF) -> float:
    """Pixels that a name takes at least before it is cut."""
    return metrics.horizontalAdvance(_set_closer(_REMARK.sub("", name)))


def fitted(name: str, pixels: float, metrics: QFontMetricsF, blank: str | None = None) -> str:
    """A name cut to the room in pixels; a layout loses separators, then blanks, before its numbers are cut.

    `blank`: it has only these in any case, as those have that it stands beside.
    """
    bare = _REMARK.sub("", name)
    looser = [name, bare] if blank is None else []
    closer = [_set_closer(name), _set_closer(bare)] if blank != NO_BLANK else []
    closest = _set_closer(bare, NO_BLANK)
    for whole in (*looser, *closer, closest):
        if metrics.horizontalAdvance(whole) <= pixels:
            return whole
    layout = _LAYOUT.search(bare)
    head, tail = (bare[: layout.start()], closest[layout.start() :]) if layout is not None else (closest, "")
    left = pixels - metrics.horizontalAdvance(tail)
    if left < LEAST_HEAD * pixels:
        head, tail, left = closest, "", pixels
    cut = metrics.elidedText(head, Qt.TextElideMode.ElideRight, left)
    return f"{cut.rstrip('…').rstrip(' ·,')}…{tail}"


def _set_closer(name: str, blank: str = THIN_BLANK) -> str:
    """TP 2 · PP 2 as TP 2 PP 2, where the name has a layout; blanks within each part are thin, or `blank`."""
    found = _LAYOUT.search(name)
    if found is None:
        return name
    sizes = (part.replace(" ", blank) for part in found[0].strip(" ·").split(" · "))
    return " ".join((name[: found.start()], *sizes)) + name[found.end() :]


def shortened(name: str, longest: int) -> str:
    """A name without remarks in brackets, cut if it is still too long."""
    if len(name) > longest:
        name = _REMARK.sub("", name)
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip(' ·,')}…"
