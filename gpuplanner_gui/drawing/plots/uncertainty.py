"""How sure: bands of the headline results, what moves one of them, and rivals over the same samples."""

from __future__ import annotations

import math

import numpy as np

from gpuplanner_gui.domain.decision import Headline, Rival, Tornado
from gpuplanner_gui.drawing.language import labelled, phrase, tr
from gpuplanner_gui.drawing.plots.bars import ALL_ROWS, BarPlot, Mark, Span
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.results import Results, awaited_text
from gpuplanner_gui.drawing.rows import Rows, rows_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.decision import (
    band_of,
    band_text,
    headline_range,
    input_name,
    input_value_text,
    percent,
    result_name,
)
from gpuplanner_gui.drawing.words.targets import told_headlines
from gpuplanner_gui.drawing.words.verdict_level import chance_text
from gpuplanner_gui.engine.training.held_cost import counts_idle_time

MOST_RATIO = 4.5
"""Longer bands end in an arrow at the end of the axis; their numbers stand beside them."""
MOST_BARS = 8


def waiting_text(results: Results) -> str:
    nothing = tr("No candidate meets its targets, so there is no plan to simulate.")
    has_ended = "uncertainty" in results.known.failures
    return awaited_text(results.known, "uncertainty", nothing if has_ended else tr("Simulating…"))


class BandsPlot(BarPlot):
    """P10 to P90 of each headline result, in percent of the plan; the target, budget or date as a mark."""

    ABOUT = phrase(
        "How far results may differ from what they are at planned inputs: 80 % of the simulations lie within the band. "
        "The dashed mark is a target, budget or deadline; it stands beside the range too. An arrow means that the band "
        "goes on. P50 is the middle of the simulations, not the result at planned inputs."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("Result, in % of that at planned inputs"), "share", 12
    LEGEND = (
        (phrase("P10 to P90"), "accent"), (phrase("P50 of the simulations"), "text", "line"),
        (phrase("target, budget or deadline"), "bad", "dash"),
    )  # fmt: skip
    _shown: tuple[Headline, ...] = ()
    _names: tuple[str, ...] = ()
    _has_limit = False
    """Whether a target is within the axis."""

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        """A target beyond the axis is told beside its range alone."""
        return super().legend_entries()[: None if self._has_limit else -1]

    def draw(self, results: Results) -> None:
        answer = results.known.uncertainty
        if answer is None:
            self.show_nothing(waiting_text(results))
            return
        known = [one for one in told_headlines(results) if one[1].planned > 0][: self.most_rows]
        self._names, self._shown = tuple(name for name, _ in known), tuple(one for _, one in known)
        ends = [share for one in self._shown for share in (one.p90 / one.planned, 1.05 * one.limit / one.planned)]
        highest = max([1.2, *(one for one in ends if one <= MOST_RATIO)])
        if any(np.isfinite(one.p90) and one.p90 / one.planned > MOST_RATIO for one in self._shown):
            highest = MOST_RATIO
        spans, marks, notes = [], [Mark(ALL_ROWS, 1.0, self.theme.muted, 1.0)], []
        for row, one in enumerate(self._shown):
            spans.append(Span(row, one.p10 / one.planned, one.p90 / one.planned, self.theme.accent, 0.8))
            if np.isfinite(one.p50):
                marks.append(Mark(row, one.p50 / one.planned, self.theme.text, 2.0))
            if np.isfinite(one.limit):
                marks.append(Mark(row, one.limit / one.planned, self.theme.bad, 2.0, is_dashed=True))
            notes.append(_note(one))
        self.show_spans(self._names, spans, (0.0, highest), marks=marks, notes=notes, are_notes_at_end=True)
        self._has_limit = any(one.is_dashed and one.at <= highest for one in marks)
        self.set_legend(*self.legend_entries())
        said = tr("80 % range of each result ({count} simulations)").format(count=format_value(answer.samples))
        needs = [one for one in self._shown if one.code.endswith("_needed")]
        whole = ", ".join(format_value(one.planned, one.unit or "replicas") for one in reversed(needs))
        needed = tr("{text}. 100 %: the result of the inputs as entered ({whole} with spares, without headroom)")
        self.say(needed.format(text=said, whole=whole) if needs else said)

    def row_readout(self, results: Results, row: int, x: float) -> str:
        one = self._shown[row]
        text = tr(
            "{name}: {band}, at planned inputs {planned}. Inputs cause {share} of the spread; prediction error causes "
            "the rest"
        )
        return text.format(
            name=self._names[row], band=band_text(one), planned=format_value(one.planned, one.unit),
            share=percent(one.input_share),
        )  # fmt: skip

    def table(self, results: Results) -> Rows:
        return rows_of(
            tuple(zip(self._names, self._shown, strict=True)),
            (tr("Result"), "", lambda one: one[0]),
            (tr("At planned inputs"), "", lambda one: format_value(one[1].planned, one[1].unit)),
            (tr("P10"), "", lambda one: format_value(one[1].p10, one[1].unit)),
            (tr("P50"), "", lambda one: format_value(one[1].p50, one[1].unit)),
            (tr("P90"), "", lambda one: format_value(one[1].p90, one[1].unit)),
            (tr("Target"), "", lambda one: format_value(one[1].limit, one[1].unit)),
            (tr("Spread from inputs"), "", lambda one: percent(one[1].input_share)),
        )


def _note(one: Headline) -> str:
    """The range of a result, and its target, budget or deadline."""
    if not np.isfinite(one.limit):
        return headline_range(one)
    text = tr("{range}, target {limit}")
    if one.code == "training.run_time_s":
        text = tr("{range}, deadline {limit}")
    elif one.unit != "s":
        text = tr("{range}, budget {limit}")
    return text.format(range=headline_range(one), limit=format_value(one.limit, one.unit))


class TornadoPlot(BarPlot):
    """Effect of each input on one result between its P10 and P90, the strongest on top."""

    ABOUT = phrase(
        "Effect of each uncertain input on the result, the largest on top. One end is the result with the "
        "input at its P10, the other at its P90; without a bar, that end changes nothing. The line between them is the "
        "result with all inputs at their medians, which need not be the P50 of the simulations."
    )

    LEGEND = (
        (phrase("input at its P90"), "series 3"), (phrase("input at its P10"), "accent"),
    )  # fmt: skip

    def __init__(self, code: str, unit: str) -> None:
        self.code, self._unit = code, unit
        self.tornado: Tornado | None = None
        super().__init__(length=result_name(code), unit=unit, most_rows=MOST_BARS)

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        """Both ends of an input, and the result between them."""
        middle = "" if self.tornado is None else format_value(self.tornado.middle, self._unit)
        text = tr("all inputs at their medians: {middle}").format(middle=middle)
        return (*super().legend_entries(), LegendEntry(text, self.theme.text, "line"))

    def draw(self, results: Results) -> None:
        answer = results.known.uncertainty
        self.tornado = next((one for one in answer.tornados if one.code == self.code), None) if answer else None
        if self.tornado is None or not self.tornado.bars:
            self.show_nothing(
                waiting_text(results) if answer is None else tr("No uncertain input affects this result.")
            )
            return
        middle = self.tornado.middle
        bars = self.tornado.bars[: min(self.rows, MOST_BARS)]
        reach = [value for bar in bars for value in (bar.result_at_low, bar.result_at_high) if np.isfinite(value)]
        finite = [value for value in (middle, *reach) if np.isfinite(value)]
        low, high = min(finite, default=0.0), max(finite, default=1.0)
        if np.isfinite(middle) and high > 4 * middle:
            high = 4 * middle
        margin = 0.04 * (high - low)
        spans, notes = [], []
        for row, bar in enumerate(bars):
            for end, colour in ((bar.result_at_low, self.theme.accent), (bar.result_at_high, self.theme.series[3])):
                end = math.inf if math.isnan(end) else end
                spans.append(Span(row, min(middle, end), max(middle, end), colour, 0.85))
            values = [input_value_text(bar.input, value) for value in (bar.low_input, bar.high_input)]
            notes.append(tr("input {range}").format(range=_briefly(values)))
        marks = [Mark(ALL_ROWS, middle, self.theme.text, 1.0)]
        names = [input_name(bar.input) for bar in bars]
        ends = (low - margin, high + margin)
        self.show_spans(names, spans, ends, marks=marks, notes=notes, are_notes_at_end=True)
        self.set_legend(*self.legend_entries())
        self.say(self._sentence(bars[0].input))

    def _sentence(self, strongest: str) -> str:
        assert self.tornado is not None
        bar = self.tornado.bars[0]
        ends = [format_value(value, self._unit) for value in sorted((bar.result_at_low, bar.result_at_high))]
        text = tr("{name} has the largest effect: {low} to {high}")
        if len(self.tornado.bars) == 1:
            text = tr("One input at a time, only {name} has an effect: {low} to {high}")
            answer = self.results.known.uncertainty if self.results is not None else None
            whole = answer.headline(self.code) if answer is not None else None
            if whole is not None:
                text = tr("{text}; all together: {range}").format(text=text, range=headline_range(whole))
        return text.format(
            name=input_name(strongest), low=ends[0],
            high=ends[1] if np.isfinite(max(bar.result_at_low, bar.result_at_high)) else tr("never reached"),
        )  # fmt: skip

    def table(self, results: Results) -> Rows:
        return rows_of(
            self.tornado.bars if self.tornado is not None else (),
            (tr("Input"), "", lambda bar: input_name(bar.input)),
            (tr("P10"), "", lambda bar: input_value_text(bar.input, bar.low_input)),
            (tr("P90"), "", lambda bar: input_value_text(bar.input, bar.high_input)),
            (tr("Result at P10"), self._unit, lambda bar: bar.result_at_low),
            (tr("Result at P90"), self._unit, lambda bar: bar.result_at_high),
        )


def _briefly(values: list[str]) -> str:
    """Two values as a range: 73–138 % of plan; a unit that both have stands once."""
    remarks = [tr(one).format(share="").strip() for one in ("{share} of plan", "{share} of predicted")]
    said = next((one for one in remarks if all(one in value for value in values)), "")
    values = [value.replace(said, "").strip() for value in values]
    *first, last = values
    number, blank, unit = last.rpartition(" ")
    ends = [one.removesuffix(f"{blank}{unit}") if number else one for one in first]
    return " ".join(filter(None, ("–".join((*ends, last)), said)))


class RivalsPlot(BarPlot):
    """The recommended candidate against the best of other devices: P10 to P90 of the cost of what is needed."""

    ABOUT = phrase(
        "Cost of the recommended candidate and of the best candidates of other devices, in the same "
        "simulations. Each gets as many replicas as its targets need. 80 % lie within the band. Where bands overlap, "
        "either may be cheaper. Where a candidate misses its targets at any cost, its band ends in an arrow."
    )

    LENGTH_OF = {  # noqa: RUF012
        "serving": phrase("Cost of the replicas that each simulation needs"),
        "training": phrase("Cost of the run"),
    }
    LEGEND = ((phrase("P10 to P90"), "accent"), (phrase("P50"), "text", "line"))

    def __init__(self, workload: str) -> None:
        self._unit = "USD/month" if workload == "serving" else "USD"
        super().__init__(workload, length=self.LENGTH_OF[workload].retold(), unit=self._unit)
        self._rivals: tuple[Rival, ...] = ()
        self._shown: tuple[Rival, ...] = ()

    def draw(self, results: Results) -> None:
        answer = results.known.uncertainty
        rivals = [one for one in answer.rivals if one.workload == self.workload] if answer else []
        if not rivals:
            self.show_nothing(waiting_text(results))
            return
        self._rivals, self._shown = tuple(rivals), tuple(rivals[: self.rows])
        self.candidates = tuple(one.candidate for one in self._shown)
        names = [accelerator_name(one.accelerator, results.catalog) for one in self._shown]
        middle = [one.p50_usd for one in self._shown if np.isfinite(one.p50_usd)]
        reach = [one.p90_usd for one in self._shown if np.isfinite(one.p90_usd)]
        high = min(max(reach, default=1.0), 4 * max(middle, default=1.0))
        spans, marks, notes = [], [], []
        for row, one in enumerate(self._shown):
            spans.append(Span(row, one.p10_usd, one.p90_usd, self.theme.accent, 0.8))
            if np.isfinite(one.p50_usd):
                marks.append(Mark(row, one.p50_usd, self.theme.text, 2.0))
            best = tr("cheapest in {share} of simulations").format(share=chance_text(one.best_share))
            notes.append(best)
        self.show_spans(names, spans, (0.0, high), marks=marks, notes=notes, are_notes_at_end=True)
        self.say(self._sentence(results))

    def _sentence(self, results: Results) -> str:
        first = self._shown[0]
        name = accelerator_name(first.accelerator, results.catalog)
        second = max(self._rivals[1:], key=lambda one: one.best_share, default=None)
        words = {
            "serving": tr("Serving: {name}, sized for each simulation, is cheapest in {share} of them"),
            "training": tr("Training: {name} is cheapest in {share} of the simulations"),
        }
        text = words[self.workload].format(name=name, share=chance_text(first.best_share))
        if self.workload == "training" and counts_idle_time(results.scenario):
            text = tr("{text}, idle time of held devices included").format(text=text)
        if second is None:
            return text
        other = accelerator_name(second.accelerator, results.catalog)
        return tr("{text}; {other} in {share}").format(text=text, other=other, share=chance_text(second.best_share))

    def row_readout(self, results: Results, row: int, x: float) -> str:
        one = self._shown[row]
        name = accelerator_name(one.accelerator, results.catalog)
        text = labelled(name, band_of(one.p10_usd, one.p50_usd, one.p90_usd, self._unit))
        if row == 0:
            return text
        return tr("{text}; cheaper than the recommended one in {share}").format(
            text=text, share=chance_text(one.beats_recommended)
        )

    def table(self, results: Results) -> Rows:
        return rows_of(
            self._shown,
            (tr("Device"), "", lambda one: accelerator_name(one.accelerator, results.catalog)),
            ("P10", self._unit, lambda one: one.p10_usd),
            ("P50", self._unit, lambda one: one.p50_usd),
            ("P90", self._unit, lambda one: one.p90_usd),
            (tr("Cheapest"), "", lambda one: chance_text(one.best_share)),
            (tr("Cheaper than the recommended"), "", lambda one: chance_text(one.beats_recommended)),
        )
