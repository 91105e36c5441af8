"""The mixed-integer program of an estate: columns and rows by name, for one future or for several with a common start.

Money is in thousands of dollars here, so that its numbers stand beside those of devices.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.estate.problem import FIRST_DAY_HOURS, Choice, Decisions, Load, ProgramInputs

USD = 1e-3
Key = tuple[Any, ...]
"""Future (-1: common to all), kind, place."""
Terms = list[tuple[int, float]]
COMMON = ("buy", "reserve")
"""Decisions of the first period that every future shares."""


@dataclass(frozen=True)
class Item:
    """A choice that a service can make on hardware, in one period."""

    column: int
    load: int
    devices: Integers
    """(C,)"""


@dataclass
class Cover:
    """What one pool's hardware must carry in one period, for rounding cuts."""

    size: int
    """Devices of a unit."""
    items: list[Item] = field(default_factory=list)
    units: list[Terms] = field(default_factory=list)
    """Columns that add up to the available units, by hour class."""


@dataclass
class Program:
    """Columns and rows as they are added; `column` and `row_of` find them by name."""

    costs: list[float] = field(default_factory=list)
    upper: list[float] = field(default_factory=list)
    lower: list[float] = field(default_factory=list)
    is_whole: list[bool] = field(default_factory=list)
    column: dict[Key, int] = field(default_factory=dict)
    rows: list[tuple[float, float, Terms]] = field(default_factory=list)
    row_of: dict[Key, int] = field(default_factory=dict)
    covers: dict[Key, Cover] = field(default_factory=dict)

    def add(self, key: Key, upper: float, cost: float, is_whole: bool) -> int:
        """A column from 0 to `upper`; one that is there already gets the cost on top."""
        if key in self.column:
            self.costs[self.column[key]] += cost
            return self.column[key]
        self.column[key] = len(self.costs)
        self.costs.append(cost)
        self.lower.append(0.0)
        self.upper.append(upper)
        self.is_whole.append(is_whole)
        return self.column[key]

    def limit(self, terms: Iterable[tuple[int, float]], low: float, high: float, key: Key | None = None) -> None:
        """A row: low ≤ sum of terms ≤ high."""
        if key is not None:
            self.row_of[key] = len(self.rows)
        self.rows.append((low, high, list(terms)))

    def fix(self, key: Key, value: float) -> None:
        """Hold a column at a value; one that does not exist can only be 0 and is left alone."""
        if key in self.column:
            index = self.column[key]
            self.lower[index] = self.upper[index] = value


def program_of(problems: Sequence[ProgramInputs], weights: Sequence[float]) -> Program:
    """The program whose cost is the mean over futures; their first orders are the same columns."""
    program = Program()
    for future, (problem, weight) in enumerate(zip(problems, weights, strict=True)):
        _Block(program, problem, future, weight).build()
    return program


class _Block:
    """One future's columns and rows."""

    def __init__(self, program: Program, problem: ProgramInputs, future: int, weight: float) -> None:
        self.program, self.problem, self.future, self.weight = program, problem, future, weight
        self.capital: dict[int, Terms] = {}
        self.operating: dict[int, Terms] = {}
        self.emitted: dict[int, Terms] = {}
        self.used: dict[tuple[int, int, int, int], Terms] = {}
        """Devices that workloads take: pool, hardware, period, class."""
        self.queues: dict[tuple[int, int, int, int], Terms] = {}
        """Hours of runs one after another."""

    def key(self, kind: str, *place: int) -> Key:
        is_common = kind in COMMON and place[-1] == 0
        return (-1 if is_common else self.future, kind, *place)

    def at(self, kind: str, *place: int) -> int | None:
        return self.program.column.get(self.key(kind, *place))

    def cover(self, pool: int, hardware: int, period: int) -> Cover:
        key = self.key("cover", pool, hardware, period)
        return self.program.covers.setdefault(key, Cover(self.problem.units[hardware].devices))

    def pay(self, column: int, period: int, usd: float, is_capital: bool = False) -> None:
        """Money of a period: into the objective and into the year's budget."""
        worth = self.problem.discount if is_capital else self.problem.paid_discount
        self.program.costs[column] += self.weight * usd * USD * float(worth[period])
        book = self.capital if is_capital else self.operating
        book.setdefault(int(self.problem.year_of[period]), []).append((column, usd * USD))

    def emit(self, column: int, period: int, kg: float) -> None:
        self.emitted.setdefault(int(self.problem.year_of[period]), []).append((column, kg / 1000))

    def build(self) -> None:
        self._hardware()
        for index, load in enumerate(self.problem.loads):
            served = self.program.add(self.key("served", index), 1.0, 0.0, True)
            (self._run if load.is_run else self._service)(index, load, served)
        self._capacity()
        self._limits()
        self._pins()

    def _hardware(self) -> None:
        problem = self.problem
        for pool, place in enumerate(problem.pools):
            for hardware in range(len(problem.units)):
                most = _most_units(problem, pool, hardware)
                if most or place.standing[hardware]:
                    self._own(pool, hardware, most)
                    self._rent(pool, hardware, most)

    def _own(self, pool: int, hardware: int, most: int) -> None:
        problem, unit, place = self.problem, self.problem.units[hardware], self.problem.pools[pool]
        standing = int(place.standing[hardware])
        orders = known_periods(unit.buy_usd) if place.site >= 0 else []
        if not standing and not orders:
            return
        site, before = problem.sites[place.site], None
        for period in orders:
            column = self.program.add(self.key("buy", pool, hardware, period), most, 0.0, True)
            self.pay(column, period, float(unit.buy_usd[period]), is_capital=True)
        for period in range(problem.periods):
            sold = self.program.add(self.key("sell", pool, hardware, period), most + standing, 0.0, True)
            self.program.costs[sold] -= (
                self.weight * USD * float(unit.resale_usd[period]) * float(problem.discount[period])
            )
            owned = self.program.add(self.key("own", pool, hardware, period), most + standing, 0.0, False)
            energy = float(unit.energy_kwh[period]) * site.pue
            self.pay(owned, period, float(unit.running_usd[period]) + energy * site.usd_per_kwh)
            self.emit(owned, period, energy * site.kg_per_kwh)
            terms: Terms = [(owned, 1.0), (sold, 1.0)]
            arrived = self.at("buy", pool, hardware, period - unit.lead_periods)
            if period >= unit.lead_periods and arrived is not None:
                terms.append((arrived, -1.0))
            if before is not None:
                terms.append((before, -1.0))
            held = float(standing) if before is None else 0.0
            self.program.limit(terms, held, held)
            before = owned
        last = problem.periods
        assert before is not None
        self.program.costs[before] -= self.weight * USD * float(unit.resale_usd[last]) * float(problem.discount[last])

    def _rent(self, pool: int, hardware: int, most: int) -> None:
        problem, unit = self.problem, self.problem.units[hardware]
        hours = problem.hours
        for period in known_periods(unit.rent_usd_per_hour):
            for part in range(problem.classes):
                column = self.program.add(self.key("rent", pool, hardware, period, part), most, 0.0, True)
                self.pay(column, period, float(unit.rent_usd_per_hour[period] * hours[period, part]))
                share = hours[period, part] / hours[period].sum()
                kg = float(unit.energy_kwh[period] * share) * problem.rented_kg_per_kwh
                self.emit(column, period, kg)
        for index, term in enumerate(unit.reservations):
            for signed in known_periods(term.usd_per_unit):
                column = self.program.add(self.key("reserve", pool, hardware, index, signed), most, 0.0, True)
                for period, usd in reservation_payments(problem, hardware, index, signed):
                    self.pay(column, period, usd)
                for period in range(signed, min(signed + term.periods, problem.periods)):
                    self.emit(column, period, float(unit.energy_kwh[period]) * problem.rented_kg_per_kwh)

    def _service(self, index: int, load: Load, served: int) -> None:
        program = self.program
        before: dict[int, int] = {}
        opened_before: int | None = None
        for period in range(load.first, load.last + 1):
            now = {}
            for number, choice in enumerate(load.choices):
                column = program.add(self.key("run", index, number, period), 1.0, 0.0, True)
                now[number] = column
                self.cover(load.pool, choice.hardware, period).items.append(Item(column, index, choice.devices[period]))
                for part in range(self.problem.classes):
                    place = (load.pool, choice.hardware, period, part)
                    self.used.setdefault(place, []).append((column, float(choice.devices[period, part])))
            opened = served
            if period < load.latest_first:
                opened = program.add(self.key("open", index, period), 1.0, 0.0, True)
                program.limit([(opened, 1.0), (served, -1.0)], -np.inf, 0.0)
            program.limit([*((one, 1.0) for one in now.values()), (opened, -1.0)], 0.0, 0.0)
            if opened_before is not None and opened_before != opened:
                program.limit([(opened_before, 1.0), (opened, -1.0)], -np.inf, 0.0)
            if before and load.moving_usd and len(now) > 1:
                for number, column in now.items():
                    moved = program.add(self.key("move", index, number, period), 1.0, 0.0, False)
                    self.pay(moved, period, load.moving_usd)
                    program.limit([(before[number], 1.0), (column, -1.0), (moved, -1.0)], -np.inf, 0.0)
            before, opened_before = now, opened

    def _run(self, index: int, load: Load, served: int) -> None:
        program, chosen, begun = self.program, [], []
        for number, choice in enumerate(load.choices):
            column = program.add(self.key("job", index, number), 1.0, 0.0, True)
            chosen.append((column, 1.0))
            worked: Terms = []
            for period in range(load.first, load.last + 1):
                hours = self._hours_of(index, number, choice, load, period, column)
                worked += hours
                if period == load.first and load.is_fixed:
                    begun += [*hours, (column, -min(FIRST_DAY_HOURS, choice.run_hours))]
            program.limit([*worked, (column, -choice.run_hours)], 0.0, 0.0)
        program.limit([*chosen, (served, -1.0)], 0.0, 0.0)
        if begun:
            program.limit(begun, 0.0, np.inf, self.key("date", index))

    def _hours_of(self, index: int, number: int, choice: Choice, load: Load, period: int, chosen: int) -> Terms:
        """Columns of the hours in which a run works in a period, and what they take."""
        program, problem = self.program, self.problem
        unit = problem.units[choice.hardware]
        if choice.is_apart:
            rent = float(unit.rent_usd_per_hour[period])
            if not np.isfinite(rent):
                return []
            whole = float(problem.hours[period].sum())
            most = whole * float(load.open_share[period])
            column = program.add(self.key("apart", index, number, period), most, 0.0, False)
            units = problem.apart_units(choice)
            self.pay(column, period, rent * units)
            self.emit(column, period, float(unit.energy_kwh[period]) / whole * units * problem.rented_kg_per_kwh)
            program.limit([(column, 1.0), (chosen, -most)], -np.inf, 0.0)
            return [(column, 1.0)]
        found: Terms = []
        for part in range(problem.classes):
            long = float(problem.hours[period, part] * load.open_share[period])
            column = program.add(self.key("work", index, number, period, part), long, 0.0, False)
            at_work = program.add(self.key("on", index, number, period, part), 1.0, 0.0, True)
            program.limit([(column, 1.0), (at_work, -min(long, choice.run_hours))], -np.inf, 0.0)
            program.limit([(at_work, 1.0), (chosen, -1.0)], -np.inf, 0.0)
            place = (load.pool, choice.hardware, period, part)
            widest = program.add(self.key("queue", *place), np.inf, 0.0, False)
            program.limit([(at_work, float(choice.devices.max())), (widest, -1.0)], -np.inf, 0.0)
            self.queues.setdefault(place, []).append((column, 1.0))
            found.append((column, 1.0))
        return found

    def _capacity(self) -> None:
        problem = self.problem
        for place in sorted({*self.used, *self.queues}):
            pool, hardware, period, part = place
            size = float(problem.units[hardware].devices)
            terms, units = list(self.used.get(place, [])), []
            if place in self.queues:
                terms.append((self.program.column[self.key("queue", *place)], 1.0))
                self.program.limit(self.queues[place], -np.inf, float(problem.hours[period, part]))
            for kind, spot in (("own", (pool, hardware, period)), ("rent", place)):
                column = self.at(kind, *spot)
                if column is not None:
                    units.append(column)
            for index, term in enumerate(problem.units[hardware].reservations):
                for signed in range(max(period - term.periods + 1, 0), period + 1):
                    column = self.at("reserve", pool, hardware, index, signed)
                    if column is not None:
                        units.append(column)
            self.program.limit([*terms, *((one, -size) for one in units)], -np.inf, 0.0)
            if place in self.used:
                self.cover(pool, hardware, period).units.append([(one, 1.0) for one in units])

    def _limits(self) -> None:
        problem, program = self.problem, self.program
        for year, limits in enumerate(problem.limits):
            for name, book, most in (
                ("capital", self.capital, limits.capital_usd * USD),
                ("operating", self.operating, limits.operating_usd * USD),
                ("emissions", self.emitted, limits.emissions_kg / 1000),
            ):
                if np.isfinite(most) and book.get(year):
                    program.limit(_joined(book[year]), -np.inf, most, (self.future, name, year))
        for index, site in enumerate(problem.sites):
            for period in range(problem.periods):
                owned = [
                    (column, unit)
                    for pool, place in enumerate(problem.pools)
                    for hardware, unit in enumerate(problem.units)
                    if place.site == index and (column := self.at("own", pool, hardware, period)) is not None
                ]
                for name, most, rows in (
                    ("power", site.max_kw, [(one, unit.rated_kw * site.pue) for one, unit in owned]),
                    ("racks", site.racks, [(one, unit.racks) for one, unit in owned]),
                    ("air", site.max_air_kw, [(one, unit.rated_kw) for one, unit in owned if not unit.is_liquid]),
                    ("liquid", site.max_liquid_kw, [(one, unit.rated_kw) for one, unit in owned if unit.is_liquid]),
                ):
                    if np.isfinite(most) and rows:
                        program.limit(rows, -np.inf, most, self.key(name, index, period))
        for hardware, unit in enumerate(problem.units):
            for period in range(problem.periods) if unit.most_delivered is not None else ():
                orders = [
                    self.at("buy", pool, hardware, period - unit.lead_periods) for pool in range(len(problem.pools))
                ]
                terms = [(one, 1.0) for one in orders if one is not None]
                if terms and period >= unit.lead_periods:
                    program.limit(terms, -np.inf, float(unit.most_delivered or 0), self.key("wave", hardware, period))

    def _pins(self) -> None:
        for pin in self.problem.pins:
            if pin.kind in ("buy", "sell"):
                self.program.fix(self.key(pin.kind, pin.pool, pin.hardware, pin.period), pin.units)
            elif pin.kind == "rent":
                for part in range(self.problem.classes):
                    self.program.fix(self.key("rent", pin.pool, pin.hardware, pin.period, part), pin.units)
            elif pin.kind == "reserve":
                self.program.fix(self.key("reserve", pin.pool, pin.hardware, pin.term, pin.period), pin.units)
            elif pin.load >= 0:
                load = self.problem.loads[pin.load]
                for number, choice in enumerate(load.choices):
                    kept = choice.hardware == pin.hardware
                    key = ("job", pin.load, number) if load.is_run else ("run", pin.load, number, pin.period)
                    if not kept:
                        self.program.fix(self.key(*key), 0.0)


def known_periods(usd: Floats) -> list[int]:
    """Periods with a price."""
    return [int(one) for one in np.flatnonzero(np.isfinite(usd))]


def _joined(terms: Terms) -> Terms:
    """Each column once."""
    found: dict[int, float] = {}
    for column, value in terms:
        found[column] = found.get(column, 0.0) + value
    return list(found.items())


def _most_units(problem: ProgramInputs, pool: int, hardware: int) -> int:
    """Units beyond which no more are ever used in a pool; what is pinned may be more."""
    size, devices = problem.units[hardware].devices, 0
    for load in (one for one in problem.loads if one.pool == pool):
        devices += max((int(one.devices.max()) for one in load.choices if one.hardware == hardware), default=0)
    pinned = [one.units for one in problem.pins if one.pool == pool and one.hardware == hardware]
    return max(-(-devices // size), max(pinned, default=0))


def reservation_payments(problem: ProgramInputs, hardware: int, term: int, signed: int) -> list[tuple[int, float]]:
    """What a unit reserved in a period costs, by period, within the estate's time. [USD]"""
    one = problem.units[hardware].reservations[term]
    whole = float(one.usd_per_unit[signed]) * one.periods
    upfront, rest = round(whole * one.upfront_share, 2), round(whole * (1 - one.upfront_share) / one.periods, 2)
    last = min(signed + one.periods, problem.periods)
    return [(signed, rest + upfront), *((period, rest) for period in range(signed + 1, last))]


def worth_of(problem: ProgramInputs) -> dict[int, float]:
    """Value of serving a workload, by priority: more than leaving it out could save, and than all later priorities.
    [USD]"""
    base = 1e5
    whole = problem.hours.sum()
    for load in problem.loads:
        dearest = 0.0
        for choice in load.choices:
            unit = problem.units[choice.hardware]
            units = problem.apart_units(choice)
            rent, buy = np.nan_to_num(unit.rent_usd_per_hour).max(), np.nan_to_num(unit.buy_usd).max()
            length = choice.run_hours if load.is_run else whole
            running = unit.running_usd.sum()
            dearest = max(dearest, units * max(rent * length, buy + running))
        base += dearest
    found, later = {}, 0
    for priority in sorted({load.priority for load in problem.loads}, reverse=True):
        found[priority] = base * (1 + later)
        later += sum(load.priority == priority for load in problem.loads) * (1 + later)
    return found


def decisions_of(program: Program, values: np.ndarray, problem: ProgramInputs, future: int = 0) -> Decisions:
    """What the solution's values say, in one future."""

    def value(kind: str, *place: int) -> float:
        is_common = kind in COMMON and place[-1] == 0
        column = program.column.get((-1 if is_common else future, kind, *place))
        return 0.0 if column is None else float(values[column])

    pools, units, periods, classes = len(problem.pools), len(problem.units), problem.periods, problem.classes
    bought, sold = np.zeros((pools, units, periods), np.int64), np.zeros((pools, units, periods), np.int64)
    rented = np.zeros((pools, units, periods, classes), np.int64)
    reserved: dict[tuple[int, int, int], np.ndarray] = {}
    for pool, hardware, period in np.ndindex(pools, units, periods):
        bought[pool, hardware, period] = round(value("buy", pool, hardware, period))
        sold[pool, hardware, period] = round(value("sell", pool, hardware, period))
        for part in range(classes):
            rented[pool, hardware, period, part] = round(value("rent", pool, hardware, period, part))
        for term in range(len(problem.units[hardware].reservations)):
            signed = round(value("reserve", pool, hardware, term, period))
            reserved.setdefault((pool, hardware, term), np.zeros(periods, np.int64))[period] = signed
    choice, run_hours = np.full((len(problem.loads), periods), -1, np.int64), {}
    for index, load in enumerate(problem.loads):
        if load.is_run:
            hours = np.zeros((periods, classes))
            for number, one in enumerate(load.choices):
                if value("job", index, number) > 0.5:
                    choice[index, load.first : load.last + 1] = number
                    for period in range(load.first, load.last + 1):
                        share = problem.hours[period] / problem.hours[period].sum()
                        for part in range(classes):
                            work = value("work", index, number, period, part)
                            apart = value("apart", index, number, period) * share[part]
                            hours[period, part] = apart if one.is_apart else work
            run_hours[index] = np.where(hours > 1e-6, hours, 0.0)
            continue
        for period, number in np.ndindex(periods, len(load.choices)):
            if value("run", index, number, period) > 0.5:
                choice[index, period] = number
    return Decisions(bought, sold, rented, reserved, choice, run_hours)
