"""An estate in plain numbers: what every workload needs, and what hardware costs in each period.

T periods, C hour classes, P pools, H kinds of hardware. Money is nominal, in US dollars.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import Plan, Reason, ServingTable, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.fleet.devices_over_time import held_hours
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed
from gpuplanner_gui.engine.simulation.replicas import fleet_replicas

_TAKEN = (
    Reason.NONE, Reason.NO_PRICE, Reason.BELOW_CONFIDENCE, Reason.MISSES_DEADLINE, Reason.OVER_BUDGET,
    Reason.END_OF_LIFE,
)  # fmt: skip
"""Reasons that an estate judges by its own dates, prices and budgets."""


def usable_candidates(table: ServingTable | TrainingTable) -> NDArray[np.bool_]:
    """Candidates that can carry a workload of an estate, by its own dates, prices and budgets."""
    return np.asarray(table.fits & np.isin(table.reason, _TAKEN))


@dataclass(frozen=True)
class Option:
    """A candidate that can carry a workload, and what it takes."""

    candidate: int
    accelerator: str
    devices_per_replica: int
    """Devices of a replica; for a run all its devices."""
    carrying_replicas: float
    """Replicas that carry a service at its peak, not rounded; 1 for a run."""
    spare_replicas: int
    run_hours: float = 0.0
    zones: int = 1

    def devices(self, load: Floats | float) -> Integers:
        """Devices in whole replicas at shares of the planned peak; spares stay."""
        needed = fleet_replicas(load * self.carrying_replicas, 1.0, 1.0, self.zones, self.spare_replicas)
        needed = np.maximum(needed, 1 + self.spare_replicas)
        return np.asarray(needed * self.devices_per_replica, np.int64)


def options_of(
    scenario: Scenario, plan: Plan, part: str, accelerators: frozenset[str], most: int
) -> tuple[Option, ...]:
    """The Pareto candidates of a plan on some accelerators, at most `most` of each, the plan's best first."""
    found = _serving(scenario, plan, accelerators) if part == "serving" else _training(plan, accelerators)
    kept: dict[str, list[tuple[Option, Integers]]] = {}
    for option in found:
        same, taken = kept.setdefault(option.accelerator, []), option.devices(SEEN_LOADS)
        if not any(other.run_hours <= option.run_hours and (least <= taken).all() for other, least in same):
            same.append((option, taken))
    return tuple(one for same in kept.values() for one, _ in same[:most])


SEEN_LOADS = np.array([0.05, 0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0])
"""Loads at which candidates are compared; one that is never better in devices or hours is left out."""


def _serving(scenario: Scenario, plan: Plan, accelerators: frozenset[str]) -> list[Option]:
    """Candidates of a service, sized at every load as the plan's own fleet is."""
    if plan.serving is None or scenario.serving is None:
        return []
    table, wanted = plan.serving.table, scenario.serving.availability
    names = [plan.accelerators[int(one)] for one in table.accelerator[table.order]]
    is_taken = usable_candidates(table) & np.isfinite(table.replicas) & (table.replicas >= 1)
    rows = np.array(
        [row for row, name in zip(table.order, names, strict=True) if is_taken[row] and name in accelerators], np.int64
    )
    need, peak = ServiceNeed.of(plan.serving, rows, scenario.serving), plan.serving.peak_rate_per_s
    found = []
    for row, rate, more in zip(rows, need.planned_rate_per_s, need.more_replicas, strict=True):
        if rate > 0 and peak > 0:
            spares = wanted.spare_replicas + round(float(more))
            found.append(Option(
                int(row), plan.accelerators[int(table.accelerator[row])], int(table.devices_per_replica[row]),
                peak / float(rate), spares, zones=wanted.zones,
            ))  # fmt: skip
    return found


def _training(plan: Plan, accelerators: frozenset[str]) -> list[Option]:
    if plan.training is None:
        return []
    table = plan.training.table
    found, is_usable, held_h = [], usable_candidates(table), held_hours(table)
    for candidate in (int(one) for one in table.order):
        name = plan.accelerators[int(table.accelerator[candidate])]
        hours = float(held_h[candidate])
        if name in accelerators and is_usable[candidate] and math.isfinite(hours) and hours > 0:
            found.append(Option(candidate, name, int(table.devices[candidate]), 1.0, 0, hours))
    return found


FIRST_DAY_HOURS = 24.0
"""A run with a fixed date works at least so long in its first period."""


@dataclass(frozen=True)
class Reservation:
    """A term for which units are kept."""

    periods: int
    usd_per_unit: Floats
    """(T,) price of one unit for one period, by the period of signing. [USD]"""
    upfront_share: float


@dataclass(frozen=True)
class Unit:
    """A kind of hardware, in units as sold."""

    name: str
    accelerator: str
    devices: int
    rated_kw: float
    energy_kwh: Floats
    """(T,) of a unit that stands, in each period, before PUE."""
    racks: float
    is_liquid: bool
    buy_usd: Floats
    """(T,) of an order in each period; NaN: cannot be ordered."""
    lead_periods: int
    most_delivered: int | None
    """Units in a period, over all pools."""
    running_usd: Floats
    """(T,) of an owned unit in each period, electricity apart."""
    rent_usd_per_hour: Floats
    """(T,) of a unit; NaN: cannot be rented."""
    reservations: tuple[Reservation, ...]
    resale_usd: Floats
    """(T + 1,) proceeds of one unit sold at the beginning of each period, and at the end."""


@dataclass(frozen=True)
class Choice:
    """One candidate of a workload on one kind of hardware."""

    candidate: int
    """Index into the plan of its scenario."""
    hardware: int
    devices: Integers
    """(T, C) of a service; of a run as many as it runs on."""
    run_hours: float = 0.0
    """Hours of a run on all its devices; 0 for a service."""
    is_apart: bool = False
    """A run on units rented for its hours alone."""


@dataclass(frozen=True)
class Load:
    """A service or a run on the estate."""

    name: str
    is_run: bool
    pool: int
    first: int
    """Period in which it begins; a flexible one may begin later."""
    last: int
    """Last period in which it is there."""
    latest_first: int
    is_fixed: bool
    priority: int
    moving_usd: float
    choices: tuple[Choice, ...]
    open_share: Floats
    """(T,) of each period's hours that lie between its first and last month."""


@dataclass(frozen=True)
class ProgramPool:
    """Hardware that several workloads share."""

    name: str
    site: int
    """-1: rented only."""
    standing: Integers
    """(H,) own units at the beginning."""


@dataclass(frozen=True)
class ProgramSite:
    """Limits of a place; infinite where there is none."""

    name: str
    max_kw: float
    racks: float
    max_air_kw: float
    max_liquid_kw: float
    pue: float
    usd_per_kwh: float
    kg_per_kwh: float


@dataclass(frozen=True)
class Limits:
    """Limits of one year; infinite where there is none."""

    capital_usd: float
    operating_usd: float
    emissions_kg: float


@dataclass(frozen=True)
class Pin:
    """A decision that is made already."""

    kind: str
    period: int
    pool: int
    hardware: int
    units: int
    load: int
    term: int = 0
    """Term of a reservation."""


@dataclass(frozen=True)
class ProgramInputs:
    """Everything that the program and its check need."""

    periods: int
    year_of: Integers
    """(T,)"""
    discount: Floats
    """(T + 1,) worth today of what is bought or sold as a period begins."""
    paid_discount: Floats
    """(T,) worth today of what is paid all through a period: at the end of its year."""
    hours: Floats
    """(T, C) of each class in each period."""
    units: tuple[Unit, ...]
    loads: tuple[Load, ...]
    pools: tuple[ProgramPool, ...]
    sites: tuple[ProgramSite, ...]
    limits: tuple[Limits, ...]
    """Limits by year."""
    rented_kg_per_kwh: float
    pins: tuple[Pin, ...] = ()

    @property
    def classes(self) -> int:
        return int(self.hours.shape[1])

    def apart_units(self, choice: Choice) -> int:
        """Whole units that a run apart rents."""
        return -(-int(choice.devices.max()) // self.units[choice.hardware].devices)


@dataclass(frozen=True)
class Decisions:
    """What is done, when: whole units, and where each workload runs."""

    bought: Integers
    """(P, H, T) by the period of the order."""
    sold: Integers
    """(P, H, T)"""
    rented: Integers
    """(P, H, T, C)"""
    reserved: dict[tuple[int, int, int], Integers]
    """(pool, hardware, reservation): (T,) by the period of signing."""
    choice: Integers
    """(L, T) index into the load's choices; -1: not served."""
    run_hours: dict[int, Floats]
    """Hours in which each run works, shape (T, C); separate runs are spread evenly over hour classes."""

    def owned(self, problem: ProgramInputs) -> Integers:
        """(P, H, T) own units in use."""
        found = np.zeros(self.bought.shape, np.int64)
        for pool, place in enumerate(problem.pools):
            for hardware, unit in enumerate(problem.units):
                arrived = np.zeros(problem.periods, np.int64)
                late = problem.periods - unit.lead_periods
                if late > 0:
                    arrived[unit.lead_periods :] = self.bought[pool, hardware, :late]
                held = np.cumsum(arrived - self.sold[pool, hardware])
                found[pool, hardware] = place.standing[hardware] + held
        return found

    def kept(self, problem: ProgramInputs) -> Integers:
        """(P, H, T) reserved units in use."""
        found = np.zeros(self.bought.shape, np.int64)
        for (pool, hardware, term), signed in self.reserved.items():
            length = problem.units[hardware].reservations[term].periods
            for period in np.flatnonzero(signed):
                found[pool, hardware, period : period + length] += signed[period]
        return found
