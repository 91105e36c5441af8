"""How many sequences fit against how long they are, for every weight format on the selected devices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pyqtgraph as pg

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.curves import ServingLimits
from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.limit_rows import context_text, limits_sentence
from gpuplanner_gui.drawing.plots.curves import CurveAxis, CurvePlot
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.pens import pen
from gpuplanner_gui.drawing.plots.picks import Pick, candidate_pick, nearest_curve
from gpuplanner_gui.drawing.plots.rival_marks import OverlayCurves, overlays_of
from gpuplanner_gui.drawing.results import Results, ScenarioOverlay, awaited_text, is_awaited
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows, numbers_beside
from gpuplanner_gui.drawing.units import NOTHING, decimals_text
from gpuplanner_gui.drawing.words.candidates import precisions_text
from gpuplanner_gui.engine.fleet.fleet_sizing import most_at_once

MOST_CURVES = 5
LEAST_SEQUENCES = 0.6
USUAL_SHORTEST = 256.0
SAME_LINE = 0.1
"""Lines that differ by less, as a share, lie on one another: on an axis of four powers of ten, by about a pixel."""
ONE = 1.0
"""Sequences by which whole numbers of them differ where the lines do not."""


class MemoryFrontierPlot(CurvePlot):
    """A falling line for each format; under it everything fits. The point is what is planned."""

    ABOUT = phrase(
        "How many sequences fit in memory by their length, for each number format. Below a line they fit; "
        "above it memory runs out. The cross is the plan."
    )

    switchable = ("x", "y")

    X = CurveAxis(phrase("Tokens per sequence"), "", is_log=True)
    Y = CurveAxis(phrase("Sequences at once"), "", is_log=True)

    def __init__(self) -> None:
        super().__init__()
        self._curves = [pg.PlotCurveItem(antialias=True) for _ in range(MOST_CURVES)]
        self._overlays = OverlayCurves(self.item)
        self._planned = pg.ScatterPlotItem(pxMode=True, symbol="+", size=14)
        self._rows: list[int] = []
        self._names: list[str] = []
        self._drawn_by: list[int] = []
        """For each format the curve that shows it: its own, or that of one before it which runs on the same line."""
        self._empty: set[int] = set()
        """Formats of which nothing fits."""
        self.add(*self._curves, self._planned)
        by_format = {f"curve{place}": (one,) for place, one in enumerate(self._curves)}
        self.set_toggles(planned=(self._planned,), **by_format, **self._overlays.toggles())

    def recolour(self) -> None:
        for place, (curve, colour) in enumerate(zip(self._curves, self.theme.series)):
            curve.setPen(pen(colour, 2.5 if place == 0 else 1.5))
        self._planned.setPen(pen(self.theme.bad, 2.5))
        self._overlays.recolour(self.theme)
        super().recolour()

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        entries = [
            LegendEntry(self._legend_name(place), colour, "line", f"curve{place}")
            for place, (by, colour) in enumerate(zip(self._drawn_by, self.theme.series))
            if by == place
        ]
        return (*entries, LegendEntry(tr("planned"), self.theme.bad, "+", "planned"), *self._overlays.entries())

    def _legend_name(self, place: int) -> str:
        """The formats that one line shows."""
        together = [name for name, by in zip(self._names, self._drawn_by) if by == place]
        name = " / ".join(dict.fromkeys(together))
        return tr("{name}: does not fit").format(name=name) if place in self._empty else name

    def draw(self, results: Results) -> None:
        limits, selected = results.known.limits, results.candidate("serving")
        answer = results.plan.serving
        if answer is not None and selected >= 0 and is_awaited(results.known, "limits") and self.keep_outdated():
            return
        if limits is None or answer is None or selected < 0:
            waiting = awaited_text(results.known, "limits", tr("Calculating memory limits…"))
            self.show_message(waiting if selected >= 0 else tr("No candidate to show."))
            return
        self._rows = formats_of(answer.table, selected)[:MOST_CURVES]
        self._names = [precisions_text(results.plan, answer.table, row) for row in self._rows]
        self._drawn_by, self._empty = _shared_lines(limits, self._rows), set()
        drawn = 0.0
        for place, curve in enumerate(self._curves):
            if place >= len(self._rows) or self._drawn_by[place] != place:
                curve.setData([], [])
                continue
            contexts, held = _line_of(limits, self._rows[place])
            self._empty |= set() if len(held) else {place}
            drawn = max(drawn, float(held.max(initial=0.0)))
            curve.setData(self.x_scale.place(contexts), self.y_scale.place(held))
        self._planned.setData(
            self.x_scale.place([limits.context_tokens]), self.y_scale.place([max(limits.concurrency, 1.0)])
        )
        drawn = max(drawn, self._show_overlays(results))
        top = max(drawn, limits.concurrency, 4.0)
        # Below one sequence is room for the whole of a cross that stands at one.
        self.set_ranges((self._shortest(limits), self._longest(limits)), (LEAST_SEQUENCES, top * 1.3))
        self.set_legend(*self.legend_entries())
        most = most_at_once(results.scenario.service, answer.table, selected)
        self.say(limits_sentence(limits, selected, most, results.scenario.service.engine.max_sequences))

    def _show_overlays(self, results: Results) -> float:
        """Curves of other scenarios' best candidates; returns the highest."""
        lines, highest = [], 0.0
        for one in _serving_overlays(results):
            fits = np.isfinite(one.concurrency) & (one.concurrency >= 1)
            highest = max(highest, float(one.concurrency[fits].max(initial=0.0)))
            held = np.where(fits, one.concurrency, np.nan)
            lines.append((Pick(one.scenario.name), self.x_scale.place(one.contexts), self.y_scale.place(held)))
        self._overlays.show(lines)
        return highest

    def _shortest(self, limits: ServingLimits) -> float:
        """The usual beginning, or so far left of shorter sequences that the cross of the plan is in sight."""
        before = limits.contexts[limits.contexts <= min(USUAL_SHORTEST, limits.context_tokens / 2)]
        return float(before[-1] if len(before) else limits.contexts[0])

    def _longest(self, limits: ServingLimits) -> float:
        """The model's maximum where it is stated: no sequence is longer, but for a plan that is."""
        most = max(limits.context_tokens * 4, 32_768.0)
        if limits.model_context:
            most = max(float(limits.model_context), limits.context_tokens * 1.3)
        return min(most, float(limits.contexts[-1]))

    def pick_at(self, x: float, y: float) -> Pick | None:
        """Each curve stands for a candidate in another weight format, or for another scenario."""
        view = self.item.getViewBox()
        place = nearest_curve(self._curves[: len(self._rows)], view, x, y)
        if place >= 0:
            return candidate_pick(self.results, "serving", self._rows[place])
        return self._overlays.pick_at(view, x, y)

    def readout_at(self, x: float, y: float) -> str:
        limits = self.results.known.limits if self.results is not None else None
        if limits is None or not self._rows:
            return ""
        tokens = self.x_scale.value_at(x)
        held = [
            f"{name} {_count_text(_held_at(tokens, *_points_of(limits, row)))}"
            for name, row in zip(self._names, self._rows)
        ]
        for overlay in _serving_overlays(self.results) if self.results is not None else ():
            count = _held_at(tokens, overlay.contexts, overlay.concurrency)
            held.append(f"{overlay.scenario.name} {_count_text(count)}")
        return tr("{tokens} tokens: {held} sequences").format(tokens=decimals_text(tokens), held=" · ".join(held))

    def shown_candidates(self) -> Mapping[str, Sequence[int]]:
        return {"serving": self._rows}

    def table(self, results: Results) -> Rows:
        limits = results.known.limits
        if limits is None or not self._rows:
            return NO_ROWS
        columns = (Column(tr("Context"), "tok"), *(Column(name, "seq") for name in self._names))
        cells = numbers_beside(map(float, limits.contexts), limits.concurrency_by_context[:, self._rows])
        longest = (tr("Longest context at the planned batch"), *(context_text(limits, row) for row in self._rows))
        return Rows(columns, (*cells, longest))


def formats_of(table: ServingTable, selected: int) -> list[int]:
    """The selected candidate, and those on the same devices in other weight formats with the same KV format."""
    same = table.accelerator == table.accelerator[selected]
    for name in ("tensor_parallel", "pipeline_parallel", "kv_precision"):
        column = getattr(table, name)
        same &= column == column[selected]
    others = [int(one) for one in np.flatnonzero(same) if one != selected]
    return [selected, *sorted(others, key=lambda one: float(-table.weights_bytes[one]))]


def _shared_lines(limits: ServingLimits, rows: Sequence[int]) -> list[int]:
    """For each row the first whose line it shares; one that ends a little sooner shares it too, one of nothing none."""
    of_rows = limits.concurrency_by_context[:, list(rows)]
    fits = of_rows >= 1
    held = np.where(fits, of_rows, 1.0)

    def is_same(first: int, place: int) -> bool:
        both_fit = bool(fits[:, first].any() == fits[:, place].any())
        return both_fit and np.allclose(held[:, first], held[:, place], rtol=SAME_LINE, atol=ONE)

    return [
        next(first for first in range(place + 1) if is_same(first, place)) for place in range(len(rows))
    ]  # fmt: skip


def _points_of(limits: ServingLimits, row: int) -> tuple[Floats, Floats]:
    """Lengths from short to long, and sequences of each that fit: the axis's, the plan's, and that of one alone."""
    contexts, held = limits.contexts, limits.concurrency_by_context[:, row]
    known = [(limits.context_tokens, float(limits.largest_concurrency[row])), (float(limits.longest_alone[row]), 1.0)]
    for tokens, count in known:
        if 0 < tokens < contexts[-1]:
            at = int(np.searchsorted(contexts, tokens))
            contexts, held = np.insert(contexts, at, tokens), np.insert(held, at, count)
    return contexts, held


def _line_of(limits: ServingLimits, row: int) -> tuple[Floats, Floats]:
    """The points at which sequences fit, up to the model's maximum where it is stated, or the plan if that is beyond;
    none where nothing fits."""
    contexts, held = _points_of(limits, row)
    most = max(float(limits.model_context), limits.context_tokens) if limits.model_context else math.inf
    if most < contexts[-1]:
        at = int(np.searchsorted(contexts, most))
        contexts = np.append(contexts[:at], most)
        held = np.append(held[:at], np.floor(_held_at(most, *_points_of(limits, row))))
    fits = (held >= 1) & np.isfinite(held)
    return contexts[fits], held[fits]


def _held_at(tokens: float, contexts: Floats, held: Floats) -> float:
    """Sequences of a length that fit: as many tokens of twice the length are half as many sequences."""
    logs = np.log(np.maximum(held, LEAST_SEQUENCES))
    return float(np.exp(np.interp(math.log(max(tokens, 1.0)), np.log(contexts), logs)) + ROUNDING)


ROUNDING = 1e-6
"""Part of a sequence by which logarithms may miss a whole number."""


def _count_text(sequences: float) -> str:
    """Whole sequences; of a model that keeps nothing of them, any number."""
    if math.isinf(sequences):
        return tr("any number of")
    return decimals_text(math.floor(sequences)) if math.isfinite(sequences) else NOTHING


def _serving_overlays(results: Results) -> list[ScenarioOverlay]:
    return [one for one in overlays_of(results) if len(one.contexts)]
