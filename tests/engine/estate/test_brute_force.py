"""Three small estates, planned as cheaply as by trying everything."""

from __future__ import annotations

import itertools
from typing import Any

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.estate import (
    Estate,
    EstateHardware,
    EstatePool,
    EstateSite,
    EstateWorkload,
    HourClass,
    ReservationTerm,
    StandingUnits,
    YearLimits,
)
from gpuplanner_gui.engine.estate.building import problem_of
from gpuplanner_gui.engine.estate.check import evaluated
from gpuplanner_gui.engine.estate.problem import Decisions, Option, ProgramInputs
from gpuplanner_gui.engine.estate.solve import solved

HOURS = (HourClass(name="day", hours_per_day=12), HourClass(name="night", hours_per_day=12, load_share=0.4))
OLD = EstateHardware(
    name="old", accelerator="a", devices_per_unit=4, kw_per_unit=4.0, purchase_usd=60_000.0,
    running_usd_per_month=300.0,
    rent_usd_per_device_hour=1.5, reservations=(ReservationTerm(months=6, usd_per_device_hour=1.1, upfront_share=0.2),),
)  # fmt: skip
NEW = EstateHardware(
    name="new", accelerator="b", devices_per_unit=8, kw_per_unit=10.0, purchase_usd=150_000.0,
    running_usd_per_month=900.0,
    rent_usd_per_device_hour=3.0, available_from="2027-04", units_per_period=1,
)  # fmt: skip
CHAT = {("chat", "serving"): (Option(0, "a", 2, 2.6, 1), Option(1, "b", 1, 2.2, 1), Option(2, "a", 4, 1.2, 0))}
SEARCH = {("search", "serving"): (Option(0, "a", 1, 3.0, 1),)}
BASE = Estate(
    periods=2, hours=HOURS, hardware=(OLD, NEW), pools=(EstatePool(name="p", site="hall"),),
    sites=(EstateSite(name="hall", max_kw=30.0),),
    workloads=(EstateWorkload(scenario="chat", pool="p", growth_per_year=1.5),),
)  # fmt: skip
TWO = msgspec.structs.replace(
    BASE,
    workloads=(*BASE.workloads, EstateWorkload(scenario="search", pool="p", priority=2)),
    pools=(EstatePool(name="p", site="hall", standing=(StandingUnits(hardware="old", units=2),)),),
    sites=(EstateSite(name="hall", max_kw=11.0),),
)
POOR = msgspec.structs.replace(
    TWO,
    years=(YearLimits(capital_usd=70_000.0, operating_usd=14_000.0),),
    sites=(EstateSite(name="hall", max_kw=16.0),),
)
ESTATES: dict[str, Any] = {
    "hardware to come": (BASE, CHAT),
    "little power": (TWO, CHAT | SEARCH),
    "little money": (POOR, CHAT | SEARCH),
}


def everything(problem: ProgramInputs, most_bought: int = 2, most_reserved: int = 2):
    """Every way to buy, sell, reserve and run; rented is what is missing."""
    pools, units, periods = 1, len(problem.units), problem.periods
    can_buy = [(h, t) for h in range(units) for t in range(periods) if np.isfinite(problem.units[h].buy_usd[t])]
    can_sell = [(h, t) for h in range(units) for t in range(periods) if problem.pools[0].standing[h]]
    terms = [(h, r, t) for h in range(units) for r in range(len(problem.units[h].reservations)) for t in range(periods)]
    runs = [itertools.product(range(-1, len(load.choices)), repeat=periods) for load in problem.loads]
    kept = [[way for way in ways if (-1 in way) <= (set(way) == {-1})] for ways in runs]
    for amounts in itertools.product(
        *[range(most_bought + 1)] * (len(can_buy) + len(can_sell)), *[range(most_reserved + 1)] * len(terms)
    ):
        bought, sold = np.zeros((pools, units, periods), np.int64), np.zeros((pools, units, periods), np.int64)
        for (h, t), n in zip(can_buy, amounts):
            bought[0, h, t] = n
        for (h, t), n in zip(can_sell, amounts[len(can_buy) :]):
            sold[0, h, t] = n
        reserved: dict = {}
        for (h, r, t), n in zip(terms, amounts[len(can_buy) + len(can_sell) :]):
            reserved.setdefault((0, h, r), np.zeros(periods, np.int64))[t] = n
        for ways in itertools.product(*kept):
            yield bought, sold, reserved, np.array(ways)


def cheapest(problem: ProgramInputs) -> tuple[int, float]:
    """Workloads served, by priority, and the lowest present value, by trying everything."""
    best = (-1, np.inf)
    size = np.array([unit.devices for unit in problem.units])[:, None, None]
    for bought, sold, reserved, choice in everything(problem):
        none = np.zeros((1, len(problem.units), problem.periods, problem.classes), np.int64)
        made = Decisions(bought, sold, none, reserved, choice, {})
        there = (made.owned(problem) + made.kept(problem))[0][:, :, None] * size
        need = np.zeros(none.shape[1:])
        for load, way in zip(problem.loads, choice):
            for t, number in enumerate(way):
                if number >= 0:
                    need[load.choices[number].hardware, t] += load.choices[number].devices[t]
        missing = np.maximum(-(-(need - there) // size), 0).astype(np.int64)
        can = np.array([np.isfinite(unit.rent_usd_per_hour) for unit in problem.units])[:, :, None]
        if (missing * ~can).any():
            continue
        checked = evaluated(problem, Decisions(bought, sold, missing[None], reserved, choice, {}))
        if checked.violations:
            continue
        left_out = sum(1000 ** (5 - problem.loads[one].priority) for one in checked.unserved)
        served = -left_out
        if best[0] == -1 or (served, -checked.present_value_usd) > (best[0], -best[1]):
            best = (served, checked.present_value_usd)
    return best


@pytest.mark.parametrize("name", ESTATES)
def test_no_way_to_do_it_is_cheaper(name: str):
    problem = problem_of(*ESTATES[name])
    found = solved(problem, gap=0.0, most_s=60.0)
    left_out = sum(1000 ** (5 - problem.loads[one].priority) for one in found.evaluation.unserved)
    assert not found.evaluation.violations
    served, usd = cheapest(problem)
    assert served == -left_out
    assert found.evaluation.present_value_usd == pytest.approx(usd, abs=0.02)
