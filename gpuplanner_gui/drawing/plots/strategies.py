"""Ways to cover both workloads: what each costs, what of it is used, and which fleet is held when."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.constants import SECONDS_PER_HOUR
from gpuplanner_gui.domain.decision import Fleet, FleetsAnswer, FleetSpan, StrategyAnswer
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.language import labelled, listed, phrase, tr
from gpuplanner_gui.drawing.palette import resource_colour
from gpuplanner_gui.drawing.plots.bars import ALL_ROWS, BarPlot, Mark, Span
from gpuplanner_gui.drawing.results import Results, awaited_text
from gpuplanner_gui.drawing.rows import Rows, rows_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name, resource_name
from gpuplanner_gui.drawing.words.decision import (
    NEEDS_BOTH,
    fleets_sentence,
    horizon_text,
    percent,
    role_name,
    short_name,
    strategy_name,
    waste_sentence,
)


def waiting_text(results: Results) -> str:
    """Why fleets are not there: still being weighed, or nothing to weigh."""
    is_awaited = results.plan.serving is not None and results.plan.training is not None
    is_awaited = is_awaited and "fleets" not in results.known.failures
    return awaited_text(results.known, "fleets", tr("Comparing fleets…") if is_awaited else tr(NEEDS_BOTH))


class StrategiesPlot(BarPlot):
    """Cost over the horizon of each strategy, divided by fleet."""

    ABOUT = phrase(
        "What each way to cover both workloads costs over the horizon, at planned inputs: one shared fleet, two "
        "fleets, or training devices that are released after each run. Colours are fleets; the shortest bar is the "
        "cheapest."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("Present value over the horizon"), "USD", 4
    PARTS = (
        (phrase("for both"), "muted"), (phrase("training fleet"), "series 0"), (phrase("serving fleet"), "accent"),
    )  # fmt: skip

    def draw(self, results: Results) -> None:
        answer = results.known.fleets
        if answer is None:
            self.show_nothing(waiting_text(results))
            return
        possible = [one for one in answer.strategies if one.is_possible]
        lengths = np.array([[_of_role(one, role) for role in ("shared", "training", "serving")] for one in possible])
        best = answer.best
        names = tuple(strategy_name(one.strategy) for one in possible)
        notes = tuple(self._note(one, best) for one in possible)
        chosen = possible.index(best) if best is not None else -1
        self.show_stacks(names, self.parts(), lengths, notes=notes, chosen_row=chosen)
        self.say(fleets_sentence(answer, results.catalog))

    def _note(self, one: StrategyAnswer, best: StrategyAnswer | None) -> str:
        text = format_value(one.usd, "USD")
        if best is None or one is best or best.usd <= 0:
            return text
        return f"{text} (× {format_value(one.usd / best.usd, '', 2)})"

    def table(self, results: Results) -> Rows:
        answer = results.known.fleets
        return rows_of(
            [(one, fleet) for one in (answer.strategies if answer is not None else ()) for fleet in one.fleets],
            (tr("Strategy"), "", lambda row: strategy_name(row[0].strategy)),
            (tr("Fleet"), "", lambda row: role_name(row[1].role)),
            (tr("Device"), "", lambda row: accelerator_name(row[1].accelerator, results.catalog)),
            (tr("Devices (mean)"), "", lambda row: row[1].devices),
            (tr("Cost"), "USD", lambda row: row[1].usd),
            (tr("Of this, devices"), "USD", lambda row: row[1].devices_usd),
            (tr("Storage and egress"), "USD", lambda row: row[1].data_usd),
            (tr("Provider"), "", lambda row: row[1].provider),
            (tr("Unused"), "USD", lambda row: row[1].unused_usd),
            (tr("Hours in use"), "share", lambda row: row[1].busy_share),
        )


def _of_role(one: StrategyAnswer, role: str) -> float:
    return sum(fleet.usd for fleet in one.fleets if fleet.role == role)


class PaidUsedPlot(BarPlot):
    """Payment of a fleet for each of the five resources, and the part of it that does work."""

    ABOUT = phrase(
        "What a fleet pays for each of the five resources. The coloured part does work; grey is paid for but not used."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("Cost over the horizon"), "USD", 10
    LEGEND = ((phrase("used, in the resource's colour"), "text"), (phrase("paid for, not used"), "unused"))
    _rows_shown: tuple[tuple[Fleet, int], ...] = ()

    def draw(self, results: Results) -> None:
        answer = results.known.fleets
        fleets = _shown_fleets(answer) if answer is not None else ()
        if answer is None or not fleets:
            self.show_nothing(waiting_text(results))
            return
        self._rows_shown = tuple((fleet, place) for fleet in fleets for place in range(len(fleet.paid.values())))
        highest = max(max(fleet.paid.values()) for fleet in fleets)
        names = [self._name(results, fleet, place) for fleet, place in self._rows_shown]
        spans, notes = [], []
        for row, (fleet, place) in enumerate(self._rows_shown):
            paid, used = fleet.paid.values()[place], fleet.used.values()[place]
            spans.append(Span(row, 0.0, paid, self.theme.unused))
            spans.append(Span(row, 0.0, used, resource_colour(place, self.theme)))
            share = percent(used / paid) if paid > 0 else percent(0.0)
            notes.append(tr("{paid}, {share} used").format(paid=format_value(paid, "USD"), share=share))
        self.show_spans(names, spans, (0.0, highest), notes=notes)
        self.say(
            waste_sentence(
                answer.of("shared") if answer.of("shared").is_possible else answer.strategies[-1], results.catalog
            )
        )

    def _name(self, results: Results, fleet: Fleet, place: int) -> str:
        resource = Resource(place)
        used = resource_name(resource)
        device = short_name(fleet.accelerator, results.catalog)
        return labelled(listed((device, role_name(fleet.role))), used) if place == 0 else used

    def row_readout(self, results: Results, row: int, x: float) -> str:
        fleet, place = self._rows_shown[row]
        paid, used = fleet.paid.values()[place], fleet.used.values()[place]
        return tr("{device}: {resource} costs {paid}, {used} of it used").format(
            device=accelerator_name(fleet.accelerator, results.catalog), resource=resource_name(place),
            paid=format_value(paid, "USD"), used=format_value(used, "USD"),
        )  # fmt: skip

    def table(self, results: Results) -> Rows:
        return rows_of(
            [(one, place, one.paid.values()[place], one.used.values()[place]) for one, place in self._rows_shown],
            (tr("Fleet"), "", lambda row: role_name(row[0].role)),
            (tr("Device"), "", lambda row: accelerator_name(row[0].accelerator, results.catalog)),
            (tr("Resource"), "", lambda row: resource_name(row[1])),
            (tr("Paid"), "USD", lambda row: row[2]),
            (tr("Used"), "USD", lambda row: row[3]),
            (tr("Share used"), "share", lambda row: row[3] / row[2] if row[2] else 0.0),
        )


def _shown_fleets(answer: FleetsAnswer) -> tuple[Fleet, ...]:
    """The shared fleet, and the serving fleet that two fleets would have."""
    shared, burst = answer.of("shared"), answer.of("burst")
    fleets = list(shared.fleets) if shared.is_possible else []
    if burst.is_possible:
        fleets += [fleet for fleet in burst.fleets if fleet.role == "serving"]
    return tuple(fleets)


class TimelinePlot(BarPlot):
    """A row for each fleet of each strategy, the cheapest strategy first; bars as thick as the fleet is large."""

    ABOUT = phrase(
        "When each fleet is held over the horizon, the cheapest strategy on top. Thicker bars mean more devices."
    )

    LENGTH, UNIT = phrase("Time since the start"), "s"
    LEGEND = (
        (phrase("bought or reserved"), "accent"), (phrase("rented by the hour"), "series 3"),
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
        self.show_spans(names, drawn, (0.0, horizon), marks=marks, notes=notes, are_notes_at_end=True)
        self.say(self._sentence(answer.best, answer.opens_h, answer.horizon_h))

    def _note(self, results: Results, spans: tuple[FleetSpan, ...]) -> str:
        largest = max(spans, key=lambda span: span.devices)
        return _devices_text(largest, short_name(largest.accelerator, results.catalog))

    def _sentence(self, best: StrategyAnswer, opens_h: float, horizon_h: float) -> str:
        released = [span for span in best.timeline if span.role == "training" and span.end_h < horizon_h]
        horizon = horizon_text(horizon_h)
        if not released:
            return tr("{strategy} over {horizon}").format(strategy=strategy_name(best.strategy), horizon=horizon)
        held = format_value((released[0].end_h - released[0].start_h) * SECONDS_PER_HOUR, "s", 2)
        opens = format_value(opens_h * SECONDS_PER_HOUR, "s", 2)
        return tr("{count} training runs hold devices for {held} each; the service opens after {opens}").format(
            count=len(released), held=held, opens=opens
        )

    def row_readout(self, results: Results, row: int, x: float) -> str:
        for span in self._shown[row][2]:
            if span.start_h * SECONDS_PER_HOUR <= x <= span.end_h * SECONDS_PER_HOUR:
                return tr("{devices}, {usd}, until {end}").format(
                    devices=_devices_text(span, accelerator_name(span.accelerator, results.catalog)),
                    usd=format_value(span.usd, "USD"),
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
            (tr("Devices (mean)"), "", lambda row: row[1].devices),
            (tr("Cost"), "USD", lambda row: row[1].usd),
        )


def _devices_text(span: FleetSpan, device: str) -> str:
    """The devices of a fleet as text; a fleet that follows the load says "on average"."""
    count = format_value(span.devices, "", 2)
    if span.devices == round(span.devices):
        return f"{count} × {device}"
    return tr("{count} × {device} on average").format(count=count, device=device)
