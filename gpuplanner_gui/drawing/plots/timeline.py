"""Fleets over the horizon: when devices are held, how many, and when they are released."""

from __future__ import annotations

from gpuplanner_gui.domain.constants import SECONDS_PER_HOUR
from gpuplanner_gui.domain.decision import FleetSpan, StrategyAnswer
from gpuplanner_gui.drawing.language import labelled, phrase, tr
from gpuplanner_gui.drawing.plots.bars import ALL_ROWS, BarPlot, Mark, Span
from gpuplanner_gui.drawing.plots.strategies import waiting_text
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Rows, rows_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.decision import horizon_text, role_name, short_name, strategy_name


class TimelinePlot(BarPlot):
    """A row for each fleet of each strategy, the cheapest strategy first; bars as thick as the fleet is large."""

    ABOUT = phrase(
        "When each fleet is held over the horizon, the cheapest strategy on top. The thicker a bar, the more devices."
    )

    LENGTH, UNIT = phrase("Time since the start"), "s"
    LEGEND = (
        (phrase("held all the time"), "accent"), (phrase("rented by the hour"), "series 3"),
        (phrase("training window"), "muted", "dash"),
    )  # fmt: skip
    _shown: tuple[tuple[StrategyAnswer, str, tuple[FleetSpan, ...]], ...] = ()

    def draw(self, results: Results) -> None:
        answer = results.known.fleets
        if answer is None or answer.best is None:
            self.show_nothing(waiting_text(results))
            return
        ordered = sorted((one for one in answer.strategies if one.is_possible), key=lambda one: one.usd)
        self._shown = tuple(
            (one, role, tuple(span for span in one.timeline if span.role == role))
            for one in ordered
            for role in dict.fromkeys(span.role for span in one.timeline)
        )[: self.most_rows]
        names = [labelled(strategy_name(one.strategy), role_name(role)) for one, role, _ in self._shown]
        horizon = answer.horizon_h * SECONDS_PER_HOUR
        largest = max((span.devices for _, _, spans in self._shown for span in spans), default=1.0)
        drawn, notes = [], []
        for row, (_, _, spans) in enumerate(self._shown):
            for span in spans:
                colour = self.theme.accent if span.tier == "committed" else self.theme.series[3]
                thick = 0.35 + 0.65 * span.devices / largest
                drawn.append(Span(row, span.start_h * SECONDS_PER_HOUR, span.end_h * SECONDS_PER_HOUR, colour, thick))
            notes.append(self._note(results, spans))
        marks = [
            Mark(ALL_ROWS, edge * SECONDS_PER_HOUR, self.theme.muted, 1.0, is_dashed=True)
            for window in answer.windows_h[:24]
            for edge in window
        ]
        self.show_spans(names, drawn, (0.0, horizon), marks=marks, notes=notes, notes_at=[horizon] * len(notes))
        self.say(self._sentence(answer.best, answer.opens_h, answer.horizon_h))

    def _note(self, results: Results, spans: tuple[FleetSpan, ...]) -> str:
        count = format_value(max(span.devices for span in spans), "", 2)
        return f"{count} × {short_name(spans[0].accelerator, results.catalog)}"

    def _sentence(self, best: StrategyAnswer, opens_h: float, horizon_h: float) -> str:
        released = [span for span in best.timeline if span.role == "training" and span.end_h < horizon_h]
        horizon = horizon_text(horizon_h)
        if not released:
            return tr("{strategy} over {horizon}").format(strategy=strategy_name(best.strategy), horizon=horizon)
        held = format_value((released[0].end_h - released[0].start_h) * SECONDS_PER_HOUR, "s", 2)
        opens = format_value(opens_h * SECONDS_PER_HOUR, "s", 2)
        return tr("{count} training runs of {held} each; the service opens after {opens}").format(
            count=len(released), held=held, opens=opens
        )

    def row_readout(self, results: Results, row: int, x: float) -> str:
        for span in self._shown[row][2]:
            if span.start_h * SECONDS_PER_HOUR <= x <= span.end_h * SECONDS_PER_HOUR:
                return tr("{count} × {device}, {usd}, until {end}").format(
                    count=format_value(span.devices), usd=format_value(span.usd, "USD"),
                    device=accelerator_name(span.accelerator, results.catalog),
                    end=format_value(span.end_h * SECONDS_PER_HOUR, "s"),
                )  # fmt: skip
        return ""

    def table(self, results: Results) -> Rows:
        return rows_of(
            [(one, span) for one, _, spans in self._shown for span in spans],
            (tr("Strategy"), "", lambda row: strategy_name(row[0].strategy)),
            (tr("Fleet"), "", lambda row: role_name(row[1].role)),
            (tr("Device"), "", lambda row: accelerator_name(row[1].accelerator, results.catalog)),
            (tr("From"), "s", lambda row: row[1].start_h * SECONDS_PER_HOUR),
            (tr("Until"), "s", lambda row: row[1].end_h * SECONDS_PER_HOUR),
            (tr("Devices"), "", lambda row: row[1].devices),
            (tr("Cost"), "USD", lambda row: row[1].usd),
        )
