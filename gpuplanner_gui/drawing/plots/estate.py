"""The estate over time: fleets and workloads on a timeline, cash by period, power by period."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.drawing.estate_rows import CASH, month_after, month_of, shown_title
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.plots.axes import AxisScale, ValueAxis
from gpuplanner_gui.drawing.plots.bars import ALL_ROWS, BarPlot, Mark, Part, Span
from gpuplanner_gui.drawing.plots.legend import Entry, keyed
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.estate.answer import EstateAnswer

SHADES = ("#2B7FB8", "#C4500A", "#0B8A66", "#A2387F", "#7E8F2D", "#A88400", "#6A3DE8", "#8C969E")
"""Kinds of hardware, and of cash: no resources, so colours of their own."""
MOST_BARS = 20


def estate_of(results: Results) -> EstateAnswer | None:
    return results.estate.answer if results.estate is not None else None


def waiting_text(results: Results) -> str:
    """Why there is no plan to draw."""
    found = results.estate
    if found is not None and "estate" in found.failures:
        return found.failures["estate"]
    return tr("Planning the estate…")


class MonthAxis(ValueAxis):
    """Months since the beginning, written as 2027-01."""

    start = "2027-01"

    def _ticks(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        low, high = sorted((minVal, maxVal))
        step = next((one for one in (3, 6, 12, 24) if (high - low) / one * 84 <= max(size, 1.0)), 60)
        return [(1.0, [float(one) for one in np.arange(np.ceil(low / step) * step, high + 1e-9, step)])]

    def _texts(self, values: list[float]) -> list[str]:
        return [month_after(self.start, round(value)) for value in values]


@dataclass(frozen=True)
class _Stretch:
    """Periods in which a row is the same."""

    first: int
    last: int
    hardware: int
    devices: float
    """That are there, or that a workload takes in its busiest hours."""
    fill: float = 1.0


class EstateTimelinePlot(BarPlot):
    """A row for each fleet, then one for each workload; colours tell kinds of hardware apart."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__("", tr("Month"), theme, 64)
        self._rows: list[tuple[str, list[_Stretch]]] = []
        self.use_theme(theme)

    def make_axis(self, unit: str) -> ValueAxis:
        self._months = MonthAxis("bottom", unit, AxisScale())
        return self._months

    def about(self) -> str:
        return tr(
            "Which devices stand where, and on which hardware each workload runs. Of a fleet, the hatched bar is what "
            "is there, the full one what its workloads use in the busiest hours. The thicker a bar, the more devices."
        )

    def draw(self, results: Results) -> None:
        answer = estate_of(results)
        if answer is None:
            self._rows = []
            self.show_nothing(waiting_text(results))
            return
        months = answer.months_per_period
        self._months.start = answer.estate.start
        fleets = _fleet_rows(answer)
        self._rows = [*fleets, *_workload_rows(answer)]
        shown = self._rows[: self.rows]
        horizon = float(answer.problem.periods * months)
        largest = max((one.devices for _, row in self._rows for one in row), default=1.0)
        spans, notes = [], []
        for row, (_, stretches) in enumerate(shown):
            for one in stretches:
                colour = SHADES[one.hardware % len(SHADES)]
                thick = 0.45 + 0.55 * one.devices / largest
                start, end = one.first * months, (one.last + 1) * months
                if row < len(fleets):
                    spans.append(Span(row, start, end, colour, thick, is_hatched=True))
                    thick *= one.fill
                spans.append(Span(row, start, end, colour, thick))
            most = max((one.devices for one in stretches), default=0.0)
            notes.append(f" {format_value(most, '', 3)}" if stretches else "")
        marks = [Mark(ALL_ROWS, float(year), self.theme.line, 1.0) for year in range(12, round(horizon), 12)]
        names_shown = [name for name, _ in shown]
        self.show_spans(names_shown, spans, (0.0, horizon), marks=marks, notes=notes, notes_at=[horizon] * len(notes))
        names = [unit.name for unit in answer.problem.units]
        used = sorted({one.hardware for _, row in self._rows for one in row})
        self.set_legend(*(Entry(names[one], SHADES[one % len(SHADES)]) for one in used))
        self.say(self._sentence(answer))

    def _sentence(self, answer: EstateAnswer) -> str:
        checked = answer.found.evaluation
        served = len(answer.problem.loads) - len(checked.unserved)
        text = tr("{served} of {count} workloads served for {usd} (present value)")
        return text.format(
            served=served, count=len(answer.problem.loads), usd=format_value(checked.present_value_usd, "USD")
        )  # fmt: skip

    def readout_at(self, x: float, y: float) -> str:
        answer, row = estate_of(self.results) if self.results is not None else None, self.row_at(y)
        if answer is None or row < 0:
            return ""
        name, stretches = self._rows[row]
        period = int(x // answer.months_per_period)
        for one in stretches:
            if one.first <= period <= one.last:
                return tr("{name}: {count} × {device}, {share} in use, {first} to {last}").format(
                    name=name, count=format_value(one.devices), device=answer.problem.units[one.hardware].name,
                    share=format_value(one.fill, "share", 2), first=month_of(answer, one.first),
                    last=month_of(answer, one.last + 1),
                )  # fmt: skip
        return ""

    def _row_count(self) -> int:
        return min(len(self._rows), self.rows)

    def as_rows(self) -> Rows:
        answer = estate_of(self.results) if self.results is not None else None
        if answer is None:
            return NO_ROWS
        columns = (
            Column(tr("Fleet or workload")), Column(tr("Hardware")), Column(tr("From")), Column(tr("Until")),
            Column(tr("Devices")), Column(tr("In use"), "share"),
        )  # fmt: skip
        cells: list[tuple[Cell, ...]] = [
            (name, answer.problem.units[one.hardware].name, month_of(answer, one.first), month_of(answer, one.last + 1),
             one.devices, one.fill)
            for name, stretches in self._rows
            for one in stretches
        ]  # fmt: skip
        return Rows(columns, tuple(cells))


def timeline_rows(answer: EstateAnswer) -> int:
    """Rows that all fleets and workloads need."""
    return len(_fleet_rows(answer)) + len(answer.problem.loads)


def _fleet_rows(answer: EstateAnswer) -> list[tuple[str, list[_Stretch]]]:
    """A row for each pool's kind of hardware that is ever there."""
    problem, checked = answer.problem, answer.found.evaluation
    rows = []
    for pool, place in enumerate(problem.pools):
        for hardware, unit in enumerate(problem.units):
            there, used = checked.capacity[pool, hardware], checked.used[pool, hardware]
            if not there.any():
                continue
            busiest = used.argmax(axis=1)
            stretches: list[_Stretch] = []
            for period in np.flatnonzero(there.any(axis=1)):
                devices = float(there[period].max())
                fill = float(used[period, busiest[period]] / max(there[period, busiest[period]], 1.0))
                stretches.append(_Stretch(int(period), int(period), hardware, devices, fill))
            rows.append((f"{place.name}: {unit.name}", stretches))
    return rows


def _workload_rows(answer: EstateAnswer) -> list[tuple[str, list[_Stretch]]]:
    problem, made = answer.problem, answer.found.decisions
    rows: list[tuple[str, list[_Stretch]]] = []
    for index, load in enumerate(problem.loads):
        stretches: list[_Stretch] = []
        for period in range(problem.periods):
            number = int(made.choice[index, period])
            is_at_work = number >= 0 and (not load.is_run or made.run_hours[index][period].sum() > 0)
            if not is_at_work:
                continue
            choice = load.choices[number]
            stretches.append(_Stretch(period, period, choice.hardware, float(choice.devices[period].max())))
        name = load.name if stretches else tr("{name} (not served)").format(name=load.name)
        rows.append((name, stretches))
    return rows


class _PeriodBars(BarPlot):
    """A bar for each period, or for each year where there is no room for more."""

    def __init__(self, unit: str, length: str, theme: Theme) -> None:
        super().__init__(unit, length, theme, MOST_BARS)
        self.let_parts_hide()
        self._columns: tuple[Column, ...] = ()
        self._cells: tuple[tuple[Cell, ...], ...] = ()
        self.use_theme(theme)

    def show_periods(self, names: list[str], parts: list[Part], lengths: np.ndarray, notes: list[str]) -> None:
        """One stacked bar for each name; `lengths` (rows, parts)."""
        rows = min(len(names), self.rows)
        self.show_stacks(names[:rows], parts, lengths[:rows], notes=notes[:rows])
        self.set_legend(*keyed(Entry(part.name, part.colour) for part in parts))

    def show_reason(self, reason: str) -> None:
        self._columns, self._cells = (), ()
        self.show_nothing(reason)

    def as_rows(self) -> Rows:
        return Rows(self._columns, self._cells) if self._cells else NO_ROWS


def _groups(answer: EstateAnswer, most: int) -> list[tuple[str, np.ndarray]]:
    """Names and periods of the bars: each period, or each year where there is no room for more."""
    periods = np.arange(answer.problem.periods)
    if len(periods) <= most:
        return [(month_of(answer, int(one)), np.array([one])) for one in periods]
    years = answer.problem.year_of
    return [(month_of(answer, int(np.flatnonzero(years == one)[0])), periods[years == one]) for one in np.unique(years)]


class EstateCashPlot(_PeriodBars):
    """What is paid in each period, by kind."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__("USD", tr("Paid"), theme)

    def about(self) -> str:
        return tr("What is paid in each period, by kind, in that period's money. Proceeds of sales stand beside it.")

    def draw(self, results: Results) -> None:
        answer = estate_of(results)
        if answer is None:
            self.show_reason(waiting_text(results))
            return
        checked, groups = answer.found.evaluation, _groups(answer, self.rows)
        lengths = np.array([[getattr(checked, kind)[periods].sum() for kind in CASH] for _, periods in groups])
        parts = [Part(shown_title(kind), SHADES[place]) for place, kind in enumerate(CASH)]
        sold = [float(checked.proceeds_usd[periods].sum()) for _, periods in groups]
        notes = [format_value(float(row.sum()), "USD") for row in lengths]
        for place, one in enumerate(sold):
            if one:
                notes[place] += tr(", {usd} back").format(usd=format_value(one, "USD"))
        self.show_periods([name for name, _ in groups], parts, lengths, notes)
        titles = (Column(tr("Period")), *(Column(part.name, "USD") for part in parts), Column(tr("Sold"), "USD"))
        self._columns = titles
        self._cells = tuple(
            (name, *map(float, row), back) for (name, _), row, back in zip(groups, lengths, sold, strict=True)
        )
        self.say(tr("{usd} paid over all periods").format(usd=format_value(float(lengths.sum()), "USD")))


class EstatePowerPlot(_PeriodBars):
    """Power of own hardware at each site."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__("kW", tr("Power"), theme)

    def about(self) -> str:
        return tr("Rated power of what stands at each site, at the socket, in each period: the most of its months.")

    def draw(self, results: Results) -> None:
        answer = estate_of(results)
        if answer is None:
            self.show_reason(waiting_text(results))
            return
        kw, groups = answer.found.evaluation.site_kw, _groups(answer, self.rows)
        if not kw.any():
            self.show_reason(tr("No own hardware stands anywhere: all is rented."))
            return
        lengths = np.array([[site[periods].max() for site in kw] for _, periods in groups])
        parts = [Part(site.name, SHADES[place % len(SHADES)]) for place, site in enumerate(answer.problem.sites)]
        notes = [format_value(float(row.sum()), "kW") for row in lengths]
        self.show_periods([name for name, _ in groups], parts, lengths, notes)
        self._columns = (Column(tr("Period")), *(Column(part.name, "kW") for part in parts))
        self._cells = tuple((name, *map(float, row)) for (name, _), row in zip(groups, lengths, strict=True))
        self.say(self._sentence(answer, kw))

    def _sentence(self, answer: EstateAnswer, kw: np.ndarray) -> str:
        most = format_value(float(kw.sum(axis=0).max()), "kW")
        feed = sum(site.max_kw for site in answer.problem.sites)
        if not np.isfinite(feed):
            return tr("Own hardware takes up to {most}").format(most=most)
        return tr("Own hardware takes up to {most} of {feed}").format(most=most, feed=format_value(feed, "kW"))
