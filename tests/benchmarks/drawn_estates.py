"""Estates drawn at random with a seed: services and runs on eight kinds of hardware, with budgets and a power feed."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.estate import (
    Estate,
    EstateHardware,
    EstatePool,
    EstateSite,
    EstateWorkload,
    ReservationTerm,
    StandingUnits,
    YearLimits,
)
from gpuplanner_gui.engine.estate.problem import Option


def drawn_estate(
    seed: int, workloads: int = 20, periods: int = 12, options: int = 40
) -> tuple[Estate, dict[tuple[str, str], tuple[Option, ...]]]:
    """An estate and its workloads' options, `options` of each."""
    draw = np.random.default_rng(seed)
    kinds = 8
    speed = np.sort(draw.uniform(1.0, 6.0, kinds))
    hardware = tuple(_hardware(index, float(speed[index]), draw) for index in range(kinds))
    pools = (
        EstatePool(name="chat", site="north", standing=(StandingUnits(hardware="kind 1", units=6),)),
        EstatePool(name="agents", site="north"),
        EstatePool(name="research", site="south", standing=(StandingUnits(hardware="kind 2", units=4),)),
        EstatePool(name="burst"),
    )
    sites = (EstateSite(name="north", max_kw=900.0), EstateSite(name="south", max_kw=600.0, racks=20.0))
    loads, found = [], {}
    for index in range(workloads):
        is_run = index % 4 == 3
        name, part = f"workload {index}", "training" if is_run else "serving"
        first = int(draw.integers(0, 6)) * 3
        loads.append(
            EstateWorkload(
                scenario=name, part=part, pool=pools[int(draw.integers(0, 4))].name, start=_month(first),  # type: ignore[arg-type]
                end=_month(first + 9) if is_run else None, date="flexible" if is_run else "fixed",
                growth_per_year=float(draw.uniform(0.0, 0.8)), priority=int(draw.integers(1, 4)),
            )
        )  # fmt: skip
        found[(name, part)] = _options(is_run, options, speed, draw)
    budget = YearLimits(capital_usd=12e6, operating_usd=20e6)
    estate = Estate(
        start="2027-01", periods=periods, workloads=tuple(loads), hardware=hardware, pools=pools, sites=sites,
        years=(budget,) * (periods // 4 or 1),
    )  # fmt: skip
    return estate, found


def _month(after: int) -> str:
    return f"{2027 + after // 12}-{after % 12 + 1:02d}"


def _hardware(index: int, speed: float, draw: np.random.Generator) -> EstateHardware:
    rent = round(float(0.9 * speed**0.9 * draw.uniform(0.85, 1.2)), 2)
    return EstateHardware(
        name=f"kind {index}", accelerator=f"kind-{index}", kw_per_unit=float(5 + 2 * speed), racks_per_unit=0.25,
        purchase_usd=round(float(90_000 * speed**0.9 * draw.uniform(0.85, 1.2)), -3), running_usd_per_month=1500.0,
        rent_usd_per_device_hour=rent, rent_trend_per_year=-0.15,
        reservations=(ReservationTerm(months=12, usd_per_device_hour=round(rent * 0.7, 2)),),
        lead_time_months=3, units_per_period=30,
        available_from="2027-10" if index == 7 else None,
    )  # fmt: skip


def _options(is_run: bool, count: int, speed: np.ndarray, draw: np.random.Generator) -> tuple[Option, ...]:
    work = float(draw.uniform(3_000, 40_000)) if is_run else float(draw.uniform(8, 120))
    found = []
    for number in range(count):
        kind = number % len(speed)
        pace = float(speed[kind] * draw.uniform(0.7, 1.15))
        size = int(2 ** draw.integers(0, 4))
        if is_run:
            devices = int(2 ** draw.integers(3, 8))
            hours = work / (devices**0.95 * pace)
            found.append(Option(number, f"kind-{kind}", devices, 1.0, 0, hours))
        else:
            found.append(Option(number, f"kind-{kind}", size, work / (pace * size), int(draw.integers(0, 2))))
    return tuple(found)
