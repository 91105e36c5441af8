"""From an estate of the file and its workloads' options to plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import HOURS_PER_MONTH
from gpuplanner_gui.domain.estate import (
    MONTHS_OF,
    Estate,
    EstateFuture,
    EstateHardware,
    EstatePin,
    EstatePool,
    EstateSite,
    EstateWorkload,
    months_between,
)
from gpuplanner_gui.engine.cost.bill import PlanYears, worth_of_payments
from gpuplanner_gui.engine.estate.problem import (
    Choice,
    Limits,
    Load,
    Option,
    Pin,
    ProgramInputs,
    ProgramPool,
    ProgramSite,
    Reservation,
    Unit,
)

PLANNED = EstateFuture(name="planned", probability=1.0)
Options = Mapping[tuple[str, str], Sequence[Option]]
"""Options by scenario and part."""


def problem_of(estate: Estate, options: Options, future: EstateFuture = PLANNED) -> ProgramInputs:
    """The numbers of an estate in one future."""
    months, periods = MONTHS_OF[estate.period], estate.periods
    starts = np.arange(periods + 1) * months
    year_of = (starts[:-1] // 12).astype(np.int64)
    pools, names = _pools(estate)
    units = tuple(_unit(one, estate, future) for one in estate.hardware)
    by_hardware = {one.name: index for index, one in enumerate(estate.hardware)}
    loads = tuple(
        _load(one, estate, options.get((one.scenario, one.part), ()), units, names[index], future)
        for index, one in enumerate(estate.workloads)
    )
    pool_of = {one.name: index for index, one in enumerate(pools)}
    pins = tuple(
        Pin(
            kind=one.kind,
            period=one.period,
            pool=pool_of.get(one.pool, -1),
            hardware=by_hardware[one.hardware],
            units=one.units,
            load=_load_of(one, estate),
            term=_term_of(one, estate.hardware[by_hardware[one.hardware]]),
        )
        for one in estate.pins
        if one.hardware in by_hardware and one.period < periods
    )
    years = math.ceil(periods * months / 12)
    stated = [
        Limits(_or_none(one.capital_usd), _or_none(one.operating_usd), _or_none(one.emissions_kg))
        for one in estate.years[:years]
    ]
    free = Limits(math.inf, math.inf, math.inf)
    return ProgramInputs(
        periods=periods,
        year_of=year_of,
        discount=(1 + estate.discount_per_year) ** (-starts / 12.0),
        paid_discount=worth_of_payments(PlanYears.of(periods * months / 12), estate.discount_per_year)[year_of],
        hours=np.array([[one.hours_per_day / 24 * HOURS_PER_MONTH * months for one in estate.hours]] * periods),
        units=units,
        loads=loads,
        pools=pools,
        sites=tuple(_site(one) for one in estate.sites),
        limits=(*stated, *[free] * (years - len(stated))),
        rented_kg_per_kwh=estate.rented_g_co2e_per_kwh / 1000,
        pins=pins,
    )


def _load_of(pin: EstatePin, estate: Estate) -> int:
    """The workload that a pin means, of several runs the last that has begun by then; -1 for none."""
    same = [index for index, one in enumerate(estate.workloads) if one.scenario == pin.workload]
    same = [index for index in same if estate.workloads[index].part == pin.part] or same
    month = pin.period * MONTHS_OF[estate.period]
    begins = [months_between(estate.start, estate.workloads[index].start or estate.start) for index in same]
    begun = [index for index, begin in zip(same, begins, strict=True) if begin <= month]
    return (begun[-1:] or same[:1] or [-1])[0]


def _term_of(pin: EstatePin, hardware: EstateHardware) -> int:
    """The reservation that a pin means, by its months."""
    months = [one.months for one in hardware.reservations]
    return months.index(pin.term_months) if pin.term_months in months else 0


def _or_none(limit: float | None) -> float:
    return math.inf if limit is None else limit


def _site(one: EstateSite) -> ProgramSite:
    limits = (_or_none(one.max_kw), _or_none(one.racks), _or_none(one.max_air_kw), _or_none(one.max_liquid_kw))
    return ProgramSite(one.name, *limits, one.pue, one.electricity_usd_per_kwh, one.grid_g_co2e_per_kwh / 1000)


def _pools(estate: Estate) -> tuple[tuple[ProgramPool, ...], list[int]]:
    """The pools, those of workloads without one among them, and the pool of each workload."""
    site_of = {one.name: index for index, one in enumerate(estate.sites)}
    stated: list[EstatePool] = list(estate.pools)
    place: list[int] = []
    by_name = {one.name: index for index, one in enumerate(stated)}
    for load in estate.workloads:
        if load.pool:
            place.append(by_name[load.pool])
        else:
            place.append(len(stated))
            stated.append(EstatePool(name=load.scenario))
    pools = []
    for one in stated:
        standing = np.zeros(len(estate.hardware), np.int64)
        for held in one.standing:
            standing[[item.name for item in estate.hardware].index(held.hardware)] += held.units
        pools.append(ProgramPool(one.name, site_of.get(one.site, -1), standing))
    return tuple(pools), place


def _unit(one: EstateHardware, estate: Estate, future: EstateFuture) -> Unit:
    months, periods = MONTHS_OF[estate.period], estate.periods
    years = np.arange(periods + 1) * months / 12.0
    from_month = months_between(estate.start, one.available_from) if one.available_from else 0
    is_there = np.arange(periods) * months >= from_month
    price = (1 + future.price_per_year) ** years
    rent = (1 + one.rent_trend_per_year) ** years * price
    buy = (1 + one.purchase_trend_per_year) ** years * price
    nothing = np.full(periods, math.nan)
    lead = math.ceil(one.lead_time_months / months)
    can_arrive = np.arange(periods) + lead < periods
    bought = (
        nothing if one.purchase_usd is None else np.where(is_there & can_arrive, one.purchase_usd * buy[:-1], math.nan)
    )
    hourly = one.rent_usd_per_device_hour
    rented = nothing if hourly is None else np.where(is_there, hourly * one.devices_per_unit * rent[:-1], math.nan)
    pinned = [pin.period for pin in estate.pins if pin.kind == "reserve" and pin.hardware == one.name]
    ends = [np.arange(periods) + math.ceil(term.months / months) for term in one.reservations]
    terms = tuple(
        Reservation(
            math.ceil(term.months / months),
            # A term that would outlast the estate binds money that nobody counts; only a pin signs it.
            np.where(
                is_there & ((end <= periods) | np.isin(np.arange(periods), pinned)),
                term.usd_per_device_hour * one.devices_per_unit * HOURS_PER_MONTH * months * rent[:-1],
                math.nan,
            ),
            term.upfront_share,
        )
        for term, end in zip(one.reservations, ends, strict=True)
    )
    new = one.purchase_usd or 0.0
    return Unit(
        name=one.name,
        accelerator=one.accelerator,
        devices=one.devices_per_unit,
        rated_kw=one.kw_per_unit,
        energy_kwh=np.full(periods, one.kw_per_unit * one.power_use_share * HOURS_PER_MONTH * months),
        racks=one.racks_per_unit,
        is_liquid=one.cooling == "liquid",
        buy_usd=_cents(bought),
        lead_periods=lead,
        most_delivered=one.units_per_period,
        running_usd=_cents(np.full(periods, one.running_usd_per_month * months)),
        rent_usd_per_hour=rented,
        reservations=terms,
        resale_usd=_cents(new * one.resale_share * (1 + one.resale_trend_per_year) ** years),
    )


def _cents(usd: Floats) -> Floats:
    return np.asarray(np.round(usd, 2), np.float64)


def _load(
    one: EstateWorkload, estate: Estate, options: Sequence[Option], units: Sequence[Unit], pool: int,
    future: EstateFuture,
) -> Load:  # fmt: skip
    months, periods = MONTHS_OF[estate.period], estate.periods
    begins = months_between(estate.start, one.start) if one.start else 0
    ends = months_between(estate.start, one.end) if one.end else periods * months
    first = min(max(begins // months, 0), periods - 1)
    last = min(max(math.ceil(ends / months) - 1, first), periods - 1)
    latest = first if one.date == "fixed" else min(first + one.slack_months // months, last)
    choices: list[Choice] = []
    for hardware, unit in enumerate(units):
        here = [option for option in options if option.accelerator == unit.accelerator]
        made = [_choice(one, estate, option, hardware, future) for option in here]
        choices += _undominated(made)
    is_run, open_share = one.part == "training", _open_share(begins, ends, months, periods)
    if is_run:
        rentable = [choice for choice in choices if np.isfinite(units[choice.hardware].rent_usd_per_hour).any()]
        apart = [Choice(c.candidate, c.hardware, c.devices, c.run_hours, is_apart=True) for c in rentable]
        choices += _worth_renting(apart, units, months * HOURS_PER_MONTH * float(open_share[open_share > 0].min()))
    return Load(
        name=_name_of(one, estate),
        is_run=is_run,
        pool=pool,
        first=first,
        last=last,
        latest_first=latest,
        is_fixed=one.date == "fixed",
        priority=one.priority,
        moving_usd=one.moving_usd,
        choices=tuple(choices),
        open_share=open_share,
    )


def _open_share(begins: int, ends: int, months: int, periods: int) -> Floats:
    """(T,) Share of each period's months between two months; a window beyond the plan is open in its nearest one."""
    opening = np.arange(periods) * months
    inside = np.clip(np.minimum(ends, opening + months) - np.maximum(begins, opening), 0, months) / months
    return np.asarray(inside if inside.any() else np.ones(periods), np.float64)


def _name_of(one: EstateWorkload, estate: Estate) -> str:
    """The scenario, its part where both are planned, and its date where there are several runs."""
    same = [other for other in estate.workloads if other.scenario == one.scenario]
    if len(same) < 2:
        return one.scenario
    name = f"{one.scenario}: {one.part}"
    return f"{name} {one.start}" if one.start and sum(other.part == one.part for other in same) > 1 else name


def _choice(one: EstateWorkload, estate: Estate, option: Option, hardware: int, future: EstateFuture) -> Choice:
    shape = (estate.periods, len(estate.hours))
    if option.run_hours:
        return Choice(option.candidate, hardware, np.full(shape, option.devices_per_replica), option.run_hours)
    yearly = (1 + one.growth_per_year) * (1 + future.demand_per_year)
    # A period holds what its highest load needs: that of its end where the load grows.
    years = (np.arange(estate.periods) + (1 if yearly > 1 else 0)) * MONTHS_OF[estate.period] / 12.0
    growth = yearly**years
    shares = one.load_shares or tuple(item.load_share for item in estate.hours)
    return Choice(option.candidate, hardware, option.devices(np.outer(growth, shares)))


def _undominated(choices: list[Choice]) -> list[Choice]:
    """Choices that no other one on the same hardware beats in every hour."""
    kept: list[Choice] = []
    for one in sorted(choices, key=lambda choice: (choice.run_hours, int(choice.devices.sum()))):
        if not any((other.devices <= one.devices).all() and other.run_hours <= one.run_hours for other in kept):
            kept.append(one)
    return kept


def _worth_renting(apart: list[Choice], units: Sequence[Unit], open_hours: float) -> list[Choice]:
    """Separate runs that no other choice on the same hardware does with fewer unit-hours, in any period that is open.

    Such another one can follow the same periods in the same shares, and costs less in each: it takes no longer, or no
    longer than the shortest time for which a period is open.
    """

    def unit_hours(one: Choice) -> float:
        return -(-int(one.devices.max()) // units[one.hardware].devices) * one.run_hours

    kept: list[Choice] = []
    for one in sorted(apart, key=unit_hours):
        longest = max(one.run_hours, open_hours)
        if not any(other.hardware == one.hardware and other.run_hours <= longest for other in kept):
            kept.append(one)
    return kept
