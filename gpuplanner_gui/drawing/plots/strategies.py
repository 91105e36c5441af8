"""One shared fleet, two fleets, or bursts: what each way to cover both workloads costs, and what of it is used."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.decision import Fleet, FleetsAnswer, StrategyAnswer
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.language import labelled, listed, phrase, tr
from gpuplanner_gui.drawing.palette import resource_colour
from gpuplanner_gui.drawing.plots.bars import BarPlot, Span
from gpuplanner_gui.drawing.results import Results, awaited_text
from gpuplanner_gui.drawing.rows import Rows, rows_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name, resource_letter, resource_name
from gpuplanner_gui.drawing.words.decision import (
    NEEDS_BOTH,
    fleets_sentence,
    percent,
    role_name,
    short_name,
    strategy_name,
    waste_sentence,
)


def waiting_text(results: Results) -> str:
    """Why fleets are not there: still being weighed, or nothing to weigh."""
    if "fleets" in results.known.failures:
        return awaited_text(results.decision, "fleets", tr(NEEDS_BOTH))
    if results.plan.serving is None or results.plan.training is None:
        return tr(NEEDS_BOTH)
    return tr("Weighing fleets…")


class StrategiesPlot(BarPlot):
    """Cost over the horizon of each strategy, divided by fleet."""

    ABOUT = phrase(
        "What each way to cover both workloads costs over the horizon: one shared fleet, two fleets, or "
        "bursts that are rented. Colours are fleets; the shortest bar is the cheapest."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("Cost over the horizon"), "USD", 4
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
            (tr("Devices"), "", lambda row: row[1].devices),
            (tr("Cost"), "USD", lambda row: row[1].usd),
            (tr("Of this, devices"), "USD", lambda row: row[1].devices_usd),
            (tr("Storage"), "USD", lambda row: row[1].storage_usd),
            (tr("Egress"), "USD", lambda row: row[1].egress_usd),
            (tr("Unused"), "USD", lambda row: row[1].unused_usd),
            (tr("Hours in use"), "share", lambda row: row[1].busy_share),
        )


def _of_role(one: StrategyAnswer, role: str) -> float:
    return sum(fleet.usd for fleet in one.fleets if fleet.role == role)


class PaidUsedPlot(BarPlot):
    """What a fleet pays for each of the five resources, and the part of it that does work."""

    ABOUT = phrase(
        "What a fleet pays for each of the five resources, and in colour the part that does work. Long "
        "grey bars are money for what the workload does not use."
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
        at = [fleet.paid.values()[place] for fleet, place in self._rows_shown]
        self.show_spans(names, spans, (0.0, highest), notes=notes, notes_at=at)
        self.say(
            waste_sentence(
                answer.of("shared") if answer.of("shared").is_possible else answer.strategies[-1], results.catalog
            )
        )

    def _name(self, results: Results, fleet: Fleet, place: int) -> str:
        resource = Resource(place)
        letter = f"{resource_letter(resource)} {resource_name(resource)}"
        device = short_name(fleet.accelerator, results.catalog)
        return labelled(listed((device, role_name(fleet.role))), letter) if place == 0 else letter

    def row_readout(self, results: Results, row: int, x: float) -> str:
        fleet, place = self._rows_shown[row]
        paid, used = fleet.paid.values()[place], fleet.used.values()[place]
        return tr("{device}: {resource} costs {paid}, {used} of it used").format(
            device=accelerator_name(fleet.accelerator, results.catalog), resource=resource_name(place),
            paid=format_value(paid, "USD"), used=format_value(used, "USD"),
        )  # fmt: skip

    def table(self, results: Results) -> Rows:
        return rows_of(
            [(fleet, place, *_money_of(fleet, place)) for fleet, place in self._rows_shown],
            (tr("Fleet"), "", lambda row: role_name(row[0].role)),
            (tr("Device"), "", lambda row: accelerator_name(row[0].accelerator, results.catalog)),
            (tr("Resource"), "", lambda row: resource_name(row[1])),
            (tr("Paid"), "USD", lambda row: row[2]),
            (tr("Used"), "USD", lambda row: row[3]),
            (tr("Share used"), "share", lambda row: row[3] / row[2] if row[2] else 0.0),
        )


def _money_of(fleet: Fleet, place: int) -> tuple[float, float]:
    """What is paid for a resource, and the part of it that is used."""
    return fleet.paid.values()[place], fleet.used.values()[place]


def _shown_fleets(answer: FleetsAnswer) -> tuple[Fleet, ...]:
    """The shared fleet, and the serving fleet that two fleets would have."""
    shared, burst = answer.of("shared"), answer.of("burst")
    fleets = list(shared.fleets) if shared.is_possible else []
    if burst.is_possible:
        fleets += [fleet for fleet in burst.fleets if fleet.role == "serving"]
    return tuple(fleets)
