"""Rent or buy: what each term costs over the horizon, and what an owned hour is made of."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.domain.ownership import OwnedParts
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.drawing.decision_rows import TermRow, term_rows, usd_per_hour_in_use, ways_rows
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.results import Results, awaited_text
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.decision import part_of_owning, runs_text, term_name
from gpuplanner_gui.engine.fleet.service_need import BY_THE_HOUR, can_be_stopped

SHADES = ("#0A5C46", "#2B7FB8", "#C4500A", "#7E8F2D", "#A2387F", "#A88400", "#8C969E")
"""Parts of an owner's cost: no resources, so colours of their own."""


RARELY = 0.95
"""Share of the time in use below which the cost of an hour in use is told beside that of an hour that is held."""


class TermsPlot(BarPlot):
    """The recommended fleet over the horizon, paid for in each way."""

    ABOUT = phrase(
        "Present value of serving the load, or of all runs, over the horizon: rented on demand, reserved or bought. "
        "The shortest bar is the cheapest. What follows the load is started ahead of the hour that needs it: no "
        "request waits for a cold start."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("Present value over the horizon"), "USD", 6
    _terms: tuple[TermRow, ...] = ()
    """Open ones first, the cheapest of them at the top."""

    def draw(self, results: Results) -> None:
        answer = results.known.ownership.get(self.workload)
        found = tuple(term_rows(answer)) if answer is not None else ()
        self._terms = tuple(sorted(found, key=lambda one: (bool(one.reason), np.nan_to_num(one.usd))))
        if answer is None or self._terms[0].reason:
            waiting = awaited_text(results.known, "ownership", tr("Comparing terms…"))
            self.show_nothing(waiting if answer is None else tr("No term has a known price."))
            return
        costs = np.array([[0.0 if one.reason else one.usd] for one in self._terms])
        names = [one.name for one in self._terms]
        planned = _planned_term(results, answer)
        chosen = next((row for row, one in enumerate(self._terms) if one.term == planned), -1)
        notes = [_note(one, answer) for one in self._terms]
        if chosen >= 0 and not self._terms[chosen].reason:
            names[chosen] = tr("{name} (planned)").format(name=names[chosen])
        self.show_stacks(names, (Part("", self.theme.accent),), costs, notes=notes, chosen_row=chosen)
        self.say(self._sentence(results, answer, self._terms[0]))

    def _sentence(self, results: Results, answer: OwnershipAnswer, least: TermRow) -> str:
        hourly = next((one for one in answer.terms if one.term == "rent_on_demand"), None)
        words = tr("Cheapest way to pay for {count} × {device} over {years}: {name}, {usd} (present value)")
        if least.term == "mixed":
            words = tr("Cheapest way to pay for up to {count} × {device} over {years}: {name}, {usd} (present value)")
        if self.workload == "training":
            words = tr("Cheapest way to pay for {runs}, on {count} × {device}: {name}, {usd} (present value)")
        runs = runs_text(central(results.scenario.economics.fleets.training_runs_per_year), answer.horizon_years)
        text = words.format(
            name=f"{least.name[0].lower()}{least.name[1:]}", usd=format_value(least.usd, "USD"),
            count=_devices_text(answer), runs=runs,
            device=accelerator_name(answer.accelerator, results.catalog), years=format_value(answer.horizon_years, "y"),
        )  # fmt: skip
        if hourly is None or not np.isfinite(hourly.break_even_share):
            return text
        if hourly.break_even_share > 1:
            more = tr("{text}. Renting by the hour costs less than buying, even for devices always in use")
            if answer.bought_devices > answer.devices:
                more = tr("{text}. Renting {count} by the hour costs less than buying {bought} (whole nodes)")
            return more.format(
                text=text, count=format_value(answer.devices), bought=format_value(answer.bought_devices)
            )
        share = format_value(hourly.break_even_share, "share", 2)
        more = tr("{text}. Buying beats renting by the hour for devices that would be rented over {share} of the time")
        if self.workload == "training":
            use = format_value(answer.use_share, "share", 2)
            return tr("{text}; here: {use}").format(text=more.format(text=text, share=share), use=use)
        return more.format(text=text, share=share)

    def table(self, results: Results) -> Rows:
        answer = results.known.ownership.get(self.workload)
        return ways_rows(answer) if answer is not None else NO_ROWS


def _note(one: TermRow, answer: OwnershipAnswer) -> str:
    """The note of a term: its cost, or why it is not available; of devices held between runs, how little they do."""
    if one.reason:
        return one.reason
    usd = format_value(one.usd, "USD")
    if answer.workload == "training" and one.term not in BY_THE_HOUR:
        # What an hour costs says little of devices that mostly wait for the next run.
        return tr("{usd}, in use {share}").format(usd=usd, share=format_value(answer.use_share, "share", 2))
    each = one.usd_per_device_hour
    if not np.isfinite(each):
        return usd
    return tr("{usd}, {each} per device").format(usd=usd, each=format_value(each, "USD/h"))


def _planned_term(results: Results, answer: OwnershipAnswer) -> str:
    """The term on which the scenario pays; what stands there already is owned whatever the term."""
    economics, serving = results.scenario.economics, results.scenario.serving
    if answer.is_owned_already and not any(one.usd_by_year for one in answer.terms if one.term != "own"):
        return "own"
    if answer.workload == "training" or serving is None:
        return economics.training_procurement
    term = economics.serving_procurement
    return "mixed" if can_be_stopped(serving, term) else term


def _devices_text(answer: OwnershipAnswer) -> str:
    """40, or 40 → 90 where what is held changes with the load."""
    each = answer.devices / answer.replicas if answer.replicas else 0.0
    ends = [round(one * each) for one in (answer.replicas_by_year[:1] + answer.replicas_by_year[-1:])]
    if len(set(ends)) < 2:
        return format_value(float(ends[0]) if ends else answer.devices)
    return " → ".join(format_value(float(one)) for one in ends)


class OwnedPartsPlot(BarPlot):
    """An owned device-hour by part, beside what other owners pay for theirs."""

    ABOUT = phrase(
        "Cost of an owned device-hour: purchase, power, site, staff and the rest. Other bars: the same hour "
        "at other owners' terms or rented."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("Cost of a device-hour"), "USD/h", 4

    def parts(self) -> tuple[Part, ...]:
        names = OwnedParts.__struct_fields__
        return tuple(Part(part_of_owning(name), colour) for name, colour in zip(names, SHADES, strict=True))

    def draw(self, results: Results) -> None:
        answer = results.known.ownership.get(self.workload)
        is_known = answer is not None and bool(np.isfinite(answer.owned_usd_per_calendar_hour))
        if answer is None or not is_known:
            waiting = awaited_text(results.known, "ownership", tr("Calculating the cost of owning…"))
            self.show_nothing(waiting if answer is None else tr("No purchase price is known."))
            return
        own = np.array(answer.annual.values()) / _hours_up(answer)
        rows = _beside(answer)
        lengths = np.zeros((1 + len(rows), len(own) + 1))
        lengths[0, :-1] = own
        lengths[1:, -1] = [usd for _, usd in rows]
        names = (tr("Owned, on your terms"), *(name for name, _ in rows))
        notes = tuple(format_value(float(usd), "USD/h") for usd in lengths.sum(axis=1))
        parts = (*self.parts(), Part("", self.theme.unused))
        self.show_stacks(names, parts, lengths, notes=notes, chosen_row=0)
        largest = int(np.argmax(own))
        said = tr("An owned {device} costs {usd} in use{basis}; {share} of it is {part}")
        if answer.use_share < RARELY:
            said = tr(
                "An owned {device} costs {usd} while it is up{basis}. It is needed {use} of the time, so an hour in "
                "use costs {more}"
            )
        self.say(
            said.format(
                use=format_value(answer.use_share, "share", 2),
                more=format_value(usd_per_hour_in_use(answer, "own", float(own.sum())), "USD"),
                basis=_basis_text(answer, results),
                device=accelerator_name(answer.accelerator, results.catalog).split(" (")[0],
                usd=format_value(float(own.sum()), "USD/h"),
                share=format_value(float(own[largest] / own.sum()), "share", 2),
                part=part_of_owning(OwnedParts.__struct_fields__[largest]).lower(),
            )
        )

    def table(self, results: Results) -> Rows:
        answer = results.known.ownership.get(self.workload)
        if answer is None:
            return NO_ROWS
        columns = (Column(tr("Part")), Column(tr("Per year"), "USD/y"), Column(tr("Per available hour"), "USD/h"))
        hours = _hours_up(answer)
        names = OwnedParts.__struct_fields__
        cells: list[tuple[Cell, ...]] = [
            (part_of_owning(name), usd, usd / hours) for name, usd in zip(names, answer.annual.values(), strict=True)
        ]
        cells.append((tr("Total"), answer.annual.total, answer.annual.total / hours))
        cells += [(name, None, usd) for name, usd in _beside(answer)]
        return Rows(columns, tuple(cells))


def _basis_text(answer: OwnershipAnswer, results: Results) -> str:
    """What an hour in use pays for beside itself: devices that are bought with it, and time out of order."""
    parts = []
    if answer.bought_devices > answer.devices:
        bought, count = format_value(answer.bought_devices), format_value(answer.devices)
        parts.append(tr("{bought} bought, {count} in use").format(bought=bought, count=count))
    available = central(results.scenario.economics.ownership.availability)
    if available < 1:
        parts.append(tr("{share} available").format(share=format_value(available, "share", 2)))
    return f" ({'; '.join(parts)})" if parts else ""


def _hours_up(answer: OwnershipAnswer) -> float:
    """Hours of a year in which a paid device is up, used or not. [h]"""
    return HOURS_PER_YEAR * answer.owned_usd_per_calendar_hour / answer.held_usd_per_hour


def _beside(answer: OwnershipAnswer) -> list[tuple[str, float]]:
    """Bars of a device-hour on other owners' terms and rented by the hour."""
    others = [(tr("Owner: {title}").format(title=one.title), one.usd_per_device_hour) for one in answer.owners]
    hourly = [
        (term_name(one.term), one.usd_per_device_hour)
        for one in answer.terms
        if one.term == "rent_on_demand" and np.isfinite(one.usd_per_device_hour)
    ]
    return [*others, *hourly]
