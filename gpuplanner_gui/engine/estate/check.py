"""An independent check of an estate's decisions: capacity in every hour class, money to a cent, power, dates.

It shares no line with the program that made the decisions: it walks through periods and adds up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.estate.problem import FIRST_DAY_HOURS, Decisions, ProgramInputs

TINY = 1e-6
HOUR = 1e-2


@dataclass(frozen=True)
class Violation:
    """A promise that the decisions break: code, where, by how much."""

    code: str
    place: tuple[int, ...]
    excess: float


@dataclass(frozen=True)
class Evaluation:
    """What decisions cost and take, period by period."""

    capital_usd: Floats
    """(T,) orders of own hardware."""
    running_usd: Floats
    """(T,) own hardware, electricity included."""
    rented_usd: Floats
    """(T,) by the hour."""
    reserved_usd: Floats
    """(T,)"""
    moving_usd: Floats
    """(T,)"""
    proceeds_usd: Floats
    """(T + 1,) of hardware sold; the last entry is what stands at the end."""
    present_value_usd: float
    """Present value of all of these, less proceeds."""
    site_kw: Floats
    """(S, T) at the socket."""
    emissions_kg: Floats
    """(T,)"""
    capacity: Floats
    """(P, H, T, C) devices that are there."""
    used: Floats
    """(P, H, T, C) devices that workloads take; of queued runs the widest at work."""
    unserved: tuple[int, ...]
    """Workloads that are left out."""
    violations: tuple[Violation, ...]

    @property
    def operating_usd(self) -> Floats:
        return self.running_usd + self.rented_usd + self.reserved_usd + self.moving_usd


class _Ledger:
    """Adds up while periods are walked through."""

    def __init__(self, problem: ProgramInputs) -> None:
        periods = problem.periods
        self.capital, self.running = np.zeros(periods), np.zeros(periods)
        self.rented, self.reserved, self.moving = np.zeros(periods), np.zeros(periods), np.zeros(periods)
        self.proceeds, self.kg = np.zeros(periods + 1), np.zeros(periods)
        self.kw = np.zeros((len(problem.sites), periods))
        self.racks, self.air_kw, self.liquid_kw = np.zeros_like(self.kw), np.zeros_like(self.kw), np.zeros_like(self.kw)
        self.violations: list[Violation] = []

    def demand(self, code: str, place: tuple[int, ...], value: float, limit: float, slack: float = TINY) -> None:
        if value > limit + slack * max(1.0, abs(limit)):
            self.violations.append(Violation(code, place, value - limit))


def evaluated(problem: ProgramInputs, made: Decisions) -> Evaluation:
    """Walk through the estate with these decisions and write down what happens."""
    book = _Ledger(problem)
    owned = _hardware(problem, made, book)
    shape = (len(problem.pools), len(problem.units), problem.periods, problem.classes)
    used = np.zeros(shape)
    unserved = []
    for index, load in enumerate(problem.loads):
        walk = _walk_run if load.is_run else _walk_service
        if not walk(problem, made, index, book, used):
            unserved.append(index)
    _queues(problem, made, book, used)
    capacity = _capacity(problem, made, owned)
    for place in np.argwhere(used > capacity + TINY):
        spot = tuple(int(one) for one in place)
        book.violations.append(Violation("capacity", spot, float(used[spot] - capacity[spot])))
    _limits(problem, book)
    paid = book.running + book.rented + book.reserved + book.moving
    return Evaluation(
        book.capital, book.running, book.rented, book.reserved, book.moving, book.proceeds,
        float(paid @ problem.paid_discount + book.capital @ problem.discount[:-1] - book.proceeds @ problem.discount),
        book.kw, book.kg, capacity, used, tuple(unserved), tuple(book.violations),
    )  # fmt: skip


def _hardware(problem: ProgramInputs, made: Decisions, book: _Ledger) -> np.ndarray:
    """Orders, deliveries, sales and what stands, unit by unit."""
    owned = np.zeros(made.bought.shape, np.int64)
    delivered = np.zeros((len(problem.units), problem.periods), np.int64)
    for pool, place in enumerate(problem.pools):
        for hardware, unit in enumerate(problem.units):
            count = int(place.standing[hardware])
            for period in range(problem.periods):
                ordered = int(made.bought[pool, hardware, period])
                if ordered:
                    if np.isnan(unit.buy_usd[period]) or place.site < 0:
                        book.violations.append(Violation("not_sold", (pool, hardware, period), ordered))
                        continue
                    book.capital[period] += ordered * unit.buy_usd[period]
                came = (
                    int(made.bought[pool, hardware, period - unit.lead_periods]) if period >= unit.lead_periods else 0
                )
                delivered[hardware, period] += came
                gone = int(made.sold[pool, hardware, period])
                count += came - gone
                book.demand("sold_more", (pool, hardware, period), -count, 0)
                book.proceeds[period] += gone * unit.resale_usd[period]
                owned[pool, hardware, period] = count
                if count > 0:
                    _stands(problem, book, place.site, hardware, period, count)
            book.proceeds[-1] += count * unit.resale_usd[-1]
            _rents(problem, made, book, pool, hardware)
    for hardware, unit in enumerate(problem.units):
        for period in range(problem.periods):
            if unit.most_delivered is not None:
                book.demand("wave", (hardware, period), delivered[hardware, period], unit.most_delivered)
    return owned


def _stands(problem: ProgramInputs, book: _Ledger, place: int, hardware: int, period: int, count: int) -> None:
    site, unit = problem.sites[place], problem.units[hardware]
    energy = unit.energy_kwh[period] * site.pue * count
    book.running[period] += unit.running_usd[period] * count + energy * site.usd_per_kwh
    book.kg[period] += energy * site.kg_per_kwh
    book.kw[place, period] += unit.rated_kw * site.pue * count
    book.racks[place, period] += unit.racks * count
    (book.liquid_kw if unit.is_liquid else book.air_kw)[place, period] += unit.rated_kw * count


def _rents(problem: ProgramInputs, made: Decisions, book: _Ledger, pool: int, hardware: int) -> None:
    unit = problem.units[hardware]
    for period in range(problem.periods):
        day = problem.hours[period].sum()
        for part in range(problem.classes):
            count = int(made.rented[pool, hardware, period, part])
            if not count:
                continue
            if np.isnan(unit.rent_usd_per_hour[period]):
                book.violations.append(Violation("not_rented", (pool, hardware, period), count))
                continue
            book.rented[period] += count * unit.rent_usd_per_hour[period] * problem.hours[period, part]
            kwh = unit.energy_kwh[period] * problem.hours[period, part] / day
            book.kg[period] += count * kwh * problem.rented_kg_per_kwh
    for term, terms in enumerate(unit.reservations):
        for start, count in enumerate(made.reserved.get((pool, hardware, term), ())):
            if not count:
                continue
            monthly = terms.usd_per_unit[start]
            if np.isnan(monthly):
                book.violations.append(Violation("not_reserved", (pool, hardware, start), count))
                continue
            book.reserved[start] += count * round(monthly * terms.periods * terms.upfront_share, 2)
            for period in range(start, min(start + terms.periods, problem.periods)):
                book.reserved[period] += count * round(monthly * (1 - terms.upfront_share), 2)
                book.kg[period] += count * unit.energy_kwh[period] * problem.rented_kg_per_kwh


def _walk_service(problem: ProgramInputs, made: Decisions, index: int, book: _Ledger, used: np.ndarray) -> bool:
    load = problem.loads[index]
    is_open, before = False, -1
    for period in range(problem.periods):
        number = int(made.choice[index, period])
        if not load.first <= period <= load.last:
            if number >= 0:
                book.violations.append(Violation("date", (index, period), 1.0))
            continue
        if number < 0:
            if is_open:
                book.violations.append(Violation("interrupted", (index, period), 1.0))
            continue
        if not is_open:
            book.demand("date", (index, period), period, load.latest_first)
        if is_open and number != before:
            book.moving[period] += load.moving_usd
        is_open, before = True, number
        choice = load.choices[number]
        for part in range(problem.classes):
            used[load.pool, choice.hardware, period, part] += choice.devices[period, part]
    return is_open


def _walk_run(problem: ProgramInputs, made: Decisions, index: int, book: _Ledger, used: np.ndarray) -> bool:
    load, hours = problem.loads[index], made.run_hours[index]
    numbers = {int(one) for one in made.choice[index] if one >= 0}
    if not numbers:
        return False
    if len(numbers) > 1:
        book.violations.append(Violation("changed", (index,), len(numbers)))
    choice = load.choices[min(numbers)]
    book.demand("unfinished", (index,), choice.run_hours, float(hours.sum()), HOUR)
    for period in range(problem.periods):
        worked = float(hours[period].sum())
        if worked and not load.first <= period <= load.last:
            book.violations.append(Violation("date", (index, period), worked))
        book.demand("hours", (index, period), worked, float(problem.hours[period].sum() * load.open_share[period]))
        if choice.is_apart and worked:
            unit, units = problem.units[choice.hardware], problem.apart_units(choice)
            book.rented[period] += worked * unit.rent_usd_per_hour[period] * units
            kwh = unit.energy_kwh[period] / problem.hours[period].sum() * worked * units
            book.kg[period] += kwh * problem.rented_kg_per_kwh
    if load.is_fixed:
        book.demand("date", (index,), min(FIRST_DAY_HOURS, choice.run_hours), float(hours[load.first].sum()), HOUR)
    return True


def _queues(problem: ProgramInputs, made: Decisions, book: _Ledger, used: np.ndarray) -> None:
    """Runs of a pool on the same hardware work one after another; the widest one sets what is taken."""
    wide, busy = np.zeros(used.shape), np.zeros(used.shape)
    for index, load in enumerate(problem.loads):
        if not load.is_run or made.choice[index].max() < 0:
            continue
        choice = load.choices[int(made.choice[index].max())]
        if choice.is_apart:
            continue
        for period, part in np.argwhere(made.run_hours[index] > 0):
            spot = (load.pool, choice.hardware, int(period), int(part))
            wide[spot] = max(wide[spot], float(choice.devices.max()))
            busy[spot] += made.run_hours[index][period, part]
    for place in np.argwhere(busy > 0):
        spot = (int(place[0]), int(place[1]), int(place[2]), int(place[3]))
        book.demand("queue", spot, float(busy[spot]), float(problem.hours[spot[2], spot[3]]))
    used += wide


def _capacity(problem: ProgramInputs, made: Decisions, owned: np.ndarray) -> np.ndarray:
    found = np.zeros(made.rented.shape)
    for pool, hardware, period, part in np.ndindex(*found.shape):
        unit = problem.units[hardware]
        units = int(owned[pool, hardware, period]) + int(made.rented[pool, hardware, period, part])
        for term, terms in enumerate(unit.reservations):
            signed = made.reserved.get((pool, hardware, term))
            if signed is not None:
                units += int(signed[max(period - terms.periods + 1, 0) : period + 1].sum())
        found[pool, hardware, period, part] = units * unit.devices
    return found


def _limits(problem: ProgramInputs, book: _Ledger) -> None:
    operating = book.running + book.rented + book.reserved + book.moving
    for year, limits in enumerate(problem.limits):
        of_year = problem.year_of == year
        book.demand("capital", (year,), float(book.capital[of_year].sum()), limits.capital_usd)
        book.demand("operating", (year,), float(operating[of_year].sum()), limits.operating_usd)
        book.demand("emissions", (year,), float(book.kg[of_year].sum()), limits.emissions_kg)
    for index, site in enumerate(problem.sites):
        for period in range(problem.periods):
            for code, taken, limit in (
                ("power", book.kw, site.max_kw),
                ("racks", book.racks, site.racks),
                ("air", book.air_kw, site.max_air_kw),
                ("liquid", book.liquid_kw, site.max_liquid_kw),
            ):
                book.demand(code, (index, period), float(taken[index, period]), limit)
