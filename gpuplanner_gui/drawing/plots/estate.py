"""The estate over time: fleets and workloads on a timeline, cash by period, power by period."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gpuplanner_gui.drawing.estate_rows import CASH, last_month, month_after, month_of, shown_title
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.plots.axes import AxisScale, ValueAxis
from gpuplanner_gui.drawing.plots.bars import ALL_ROWS, BarPlot, Mark, Part, Span
from gpuplanner_gui.drawing.plots.legend import LegendEntry, keyed
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows, numbers_beside, rows_of
from gpuplanner_gui.drawing.units import format_value

if TYPE_CHECKING:
    from gpuplanner_gui.engine.estate.answer import EstateAnswer

SHADES = ("#2B7FB8", "#C4500A", "#0B8A66", "#A2387F", "#7E8F2D", "#A88400", "#6A3DE8", "#8C969E")
"""Kinds of hardware, and of cash: no resources, so colours of their own."""
MOST_BARS = 20
LEAST_APART, LEAST_APART_YEARS = 64, 30
"""Pixels between two months that are written, and two years."""


def estate_of(results: Results) -> EstateAnswer | None:
    return results.estate.answer if results.estate is not None else None


def waiting_text(results: Results) -> str:
    """Why there is no plan to draw."""
    found = results.estate
    if found is not None and "estate" in found.failures:
        return found.failures["estate"]
    return tr("Planning the estate…")


class MonthAxis(ValueAxis):
    """Months since the beginning, written as 2027-01; the first of years as 2027."""

    start = "2027-01"

    def _ticks(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        low, high = sorted((minVal, maxVal))
        steps = ((3, LEAST_APART), (6, LEAST_APART), *((one, self._year_pixels) for one in (12, 24)))
        step = next((one for one, apart in steps if (high - low) / one * apart <= max(size, 1.0)), 60)
        return [(1.0, [float(one) for one in np.arange(np.ceil(low / step) * step, high + 1e-9, step)])]

    def _texts(self, values: list[float]) -> list[str]:
        months = [month_after(self.start, round(value)) for value in values]
        are_years = all(one.endswith("-01") for one in months) and self._year_pixels < LEAST_APART
        return [one.removesuffix("-01") for one in months] if are_years else months

    @property
    def _year_pixels(self) -> int:
        return LEAST_APART_YEARS if self.start.endswith("-01") else LEAST_APART


@dataclass(frozen=True)
class _Stretch:
    """Periods in which a row is the same."""

    first: int
    last: int
    hardware: int
    devices: float
    """Devices that are installed, or that a workload uses in its busiest hours."""
    fill: float = 1.0


class EstateTimelinePlot(BarPlot):
    """A row for each fleet, then one for each workload; colours tell kinds of hardware apart."""

    ABOUT = phrase(
        "Hardware of each pool, own and rented, and which workloads run on it. Hatched bars are devices there, solid "
        "bars are devices in use in the busiest hours. Thicker bars mean more devices; the number behind a row is its "
        "largest."
    )

    LENGTH, MOST_ROWS = phrase("Month"), 64
    _rows: Sequence[tuple[str, list[_Stretch]]] = ()

    def make_axis(self, unit: str) -> ValueAxis:
        self._months = MonthAxis("bottom", unit, AxisScale())
        return self._months

    def draw(self, results: Results) -> None:
        answer = estate_of(results)
        if answer is None:
            self._rows = ()
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
            notes.append(" " + tr("up to {devices}").format(devices=format_value(most, "devices")) if stretches else "")
        marks = [Mark(ALL_ROWS, float(year), self.theme.line, 1.0) for year in range(12, round(horizon), 12)]
        names_shown = [name for name, _ in shown]
        self.show_spans(names_shown, spans, (0.0, horizon), marks=marks, notes=notes, are_notes_at_end=True)
        names = [unit.name for unit in answer.problem.units]
        used = sorted({one.hardware for _, row in self._rows for one in row})
        self.set_legend(
            *(LegendEntry(names[one], SHADES[one % len(SHADES)]) for one in used),
            LegendEntry(tr("in use"), self.theme.muted),
            LegendEntry(tr("there, but not in use"), self.theme.muted, "hatch"),
        )
        self.say(self._sentence(answer))

    def _sentence(self, answer: EstateAnswer) -> str:
        checked = answer.found.evaluation
        served = len(answer.problem.loads) - len(checked.unserved)
        text = tr("{served} of {count} workloads served, {first} to {last}: {usd} (present value)")
        return text.format(
            served=served, count=len(answer.problem.loads), usd=format_value(checked.present_value_usd, "USD"),
            first=answer.estate.start, last=last_month(answer),
        )  # fmt: skip

    def row_readout(self, results: Results, row: int, x: float) -> str:
        answer = estate_of(results)
        if answer is None:
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

    def table(self, results: Results) -> Rows:
        answer = estate_of(results)
        if answer is None:
            return NO_ROWS
        return rows_of(
            [(name, one) for name, stretches in self._rows for one in stretches],
            (tr("Fleet or workload"), "", lambda row: row[0]),
            (tr("Hardware"), "", lambda row: answer.problem.units[row[1].hardware].name),
            (tr("From"), "", lambda row: month_of(answer, row[1].first)),
            (tr("Until"), "", lambda row: month_of(answer, row[1].last + 1)),
            (tr("Devices"), "", lambda row: row[1].devices),
            (tr("In use"), "share", lambda row: row[1].fill),
        )


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
            rows.append((tr("Pool {pool}: {hardware}").format(pool=place.name, hardware=unit.name), stretches))
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


def _groups(answer: EstateAnswer, most: int) -> list[tuple[str, np.ndarray]]:
    """Names and periods of the bars: each period, or each year where there is no room for more."""
    periods = np.arange(answer.problem.periods)
    if len(periods) <= most:
        return [(month_of(answer, int(one)), np.array([one])) for one in periods]
    years = answer.problem.year_of
    return [(month_of(answer, int(np.flatnonzero(years == one)[0])), periods[years == one]) for one in np.unique(years)]


class _PeriodBars(BarPlot):
    """A bar for each period, or for each year where there is no room for more."""

    MOST_ROWS = MOST_BARS
    _names: Sequence[str] = ()

    def draw(self, results: Results) -> None:
        answer = estate_of(results)
        reason = waiting_text(results) if answer is None else self.nothing_text(answer)
        if answer is None or reason:
            self.show_nothing(reason)
            return
        groups = _groups(answer, self.rows)
        self._names, self._shown = [name for name, _ in groups], self.parts_of(answer)
        self._lengths = np.array([self.lengths(answer, periods) for _, periods in groups])
        notes = [
            format_value(float(row.sum()), self.UNIT) + self.note(answer, periods)
            for row, (_, periods) in zip(self._lengths, groups)
        ]
        rows, most = min(len(groups), self.rows), self.most(answer)
        self.show_stacks(
            self._names[:rows], self._shown, self._lengths[:rows], notes=notes[:rows], capacity=np.full(rows, most),
            is_noted_at_ends=True,
        )  # fmt: skip
        entries = keyed(LegendEntry(part.name, part.colour) for part in self._shown)
        limited = tr("limit {most}").format(most=format_value(most, self.UNIT))
        limit = (LegendEntry(limited, self.theme.text, "line"),) if np.isfinite(most) else ()
        self.set_legend(*(entry for place, entry in enumerate(entries) if self._lengths[:, place].any()), *limit)
        self.say(self.sentence(answer))

    @abstractmethod
    def parts_of(self, answer: EstateAnswer) -> tuple[Part, ...]:
        """The parts of the bars."""

    @abstractmethod
    def lengths(self, answer: EstateAnswer, periods: np.ndarray) -> list[float]:
        """Length of each part in these periods together."""

    @abstractmethod
    def sentence(self, answer: EstateAnswer) -> str:
        """The title sentence."""

    def nothing_text(self, answer: EstateAnswer) -> str:
        """Why there is nothing to be seen; empty where there is."""
        return ""

    def note(self, answer: EstateAnswer, periods: np.ndarray) -> str:
        """The note behind the bar of some periods."""
        return ""

    def most(self, answer: EstateAnswer) -> float:
        """What no bar may be longer than; NaN without such a limit."""
        return math.nan

    def table(self, results: Results) -> Rows:
        columns = (Column(tr("Period")), *(Column(part.name, self.UNIT) for part in self._shown))
        return Rows(columns, numbers_beside(self._names, self._lengths))


class EstateCashPlot(_PeriodBars):
    """Payments in each period, by kind."""

    ABOUT = phrase(
        "Payments in each period by kind, in nominal dollars. Proceeds of sales are shown beside them; the value of "
        "the hardware left at the end is not among them."
    )
    LENGTH, UNIT = phrase("Paid"), "USD"

    def parts_of(self, answer: EstateAnswer) -> tuple[Part, ...]:
        return tuple(Part(shown_title(kind), SHADES[place]) for place, kind in enumerate(CASH))

    def lengths(self, answer: EstateAnswer, periods: np.ndarray) -> list[float]:
        return [getattr(answer.found.evaluation, kind)[periods].sum() for kind in CASH]

    def note(self, answer: EstateAnswer, periods: np.ndarray) -> str:
        sold = float(answer.found.evaluation.proceeds_usd[periods].sum())
        return tr(", {usd} from sales").format(usd=format_value(sold, "USD")) if sold else ""

    def sentence(self, answer: EstateAnswer) -> str:
        proceeds = answer.found.evaluation.proceeds_usd
        paid, sold, left = float(self._lengths.sum()), float(proceeds[:-1].sum()), float(proceeds[-1])
        text = tr("{usd} paid over all periods; not discounted")
        if sold:
            text = tr("{usd} paid over all periods, {sold} received from sales; not discounted")
        text = text.format(usd=format_value(paid, "USD"), sold=format_value(sold, "USD"))
        if not left:
            return text
        worth = format_value(left, "USD")
        return tr("{text}. Hardware left at the end is worth {worth}").format(text=text, worth=worth)

    def table(self, results: Results) -> Rows:
        made, answer = super().table(results), estate_of(results)
        if answer is None:
            return NO_ROWS
        proceeds = answer.found.evaluation.proceeds_usd
        sold = [float(proceeds[periods].sum()) for _, periods in _groups(answer, self.rows)]
        cells = tuple((*row, one) for row, one in zip(made.cells, sold, strict=True))
        return Rows((*made.columns, Column(tr("Sold"), "USD")), cells)


class EstatePowerPlot(_PeriodBars):
    """Power of own hardware at each site."""

    ABOUT = phrase("Rated power of the hardware at each site, PUE included: the highest month of each period.")
    LENGTH, UNIT = phrase("Power"), "kW"

    def nothing_text(self, answer: EstateAnswer) -> str:
        return "" if answer.found.evaluation.site_kw.any() else tr("No hardware is owned: everything is rented.")

    def parts_of(self, answer: EstateAnswer) -> tuple[Part, ...]:
        return tuple(Part(site.name, SHADES[place % len(SHADES)]) for place, site in enumerate(answer.problem.sites))

    def lengths(self, answer: EstateAnswer, periods: np.ndarray) -> list[float]:
        return [site[periods].max() for site in answer.found.evaluation.site_kw]

    def most(self, answer: EstateAnswer) -> float:
        feed = sum(site.max_kw for site in answer.problem.sites)
        return feed if math.isfinite(feed) else math.nan

    def sentence(self, answer: EstateAnswer) -> str:
        most = format_value(float(answer.found.evaluation.site_kw.sum(axis=0).max()), "kW")
        feed = self.most(answer)
        if not np.isfinite(feed):
            return tr("Own hardware draws up to {most}").format(most=most)
        return tr("Own hardware draws up to {most} of {feed}").format(most=most, feed=format_value(feed, "kW"))
