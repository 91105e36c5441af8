"""What an estate does not count of the scenarios whose workloads it plans: parts of owned stock, data, later years."""

from __future__ import annotations

from collections import Counter

from gpuplanner_gui.domain.constants import MONTHS_PER_YEAR
from gpuplanner_gui.domain.estate import MONTHS_OF, Estate
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.engine.cost.bill import beside_month, beside_run


def longest_horizon_years(project: Project) -> float:
    """The longest time over which a scenario compares costs. [y]"""
    return max(central(one.economics.horizon_years) for one in project.scenarios)


def owned_stock(project: Project) -> dict[str, int]:
    """Devices that the scenarios own; what several name is the same stock, and the largest number holds."""
    found: Counter[str] = Counter()
    for one in project.scenarios:
        own: Counter[str] = Counter()
        for stock in one.hardware.owned:
            own[stock.accelerator] += stock.devices
        found |= own
    return dict(found)


def replaced_after_years(project: Project, estate: Estate) -> float | None:
    """Useful life of what the estate may buy, where it is shorter than the estate; a first estate's running costs then
    hold its replacement. [y]"""
    life = central(project.scenarios[0].economics.ownership.useful_life_years)
    years = estate.periods * MONTHS_OF[estate.period] / MONTHS_PER_YEAR
    is_sold = any(one.purchase_usd is not None for one in estate.hardware)
    return life if is_sold and life < years else None


def left_out_stock(project: Project, estate: Estate) -> dict[str, int]:
    """Owned devices that are in none of the estate's units in place: a part of a unit, or of no kind that it has."""
    size = {one.name: (one.accelerator, one.devices_per_unit) for one in estate.hardware}
    placed: Counter[str] = Counter()
    for held in (held for pool in estate.pools for held in pool.standing if held.hardware in size):
        accelerator, devices = size[held.hardware]
        placed[accelerator] += held.units * devices
    return dict(Counter(owned_stock(project)) - placed)


def left_out_data_usd(project: Project, estate: Estate) -> dict[tuple[str, str], float]:
    """Storage, egress and the support on them by scenario and part, of a month of service or of a run, where devices
    are rented; those that cost nothing are not named. [USD]"""
    planned = {(one.scenario, one.part) for one in estate.workloads}
    found = {}
    for one in project.scenarios:
        for part, beside in (("serving", beside_month), ("training", beside_run)):
            if (one.name, part) in planned:
                found[one.name, part] = float(beside(one.economics, "rent_on_demand").billed_usd(0.0))
    return {workload: usd for workload, usd in found.items() if usd > 0}
