"""Prints how long the comparison of one fleet with two takes. Run by `make bench`."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from gpuplanner_gui.engine.cost.fleet_plan import compare_strategies
from gpuplanner_gui.engine.cost.fleets import FleetDemand, FleetHardware, TrainingWindow
from gpuplanner_gui.engine.cost.plan_years import hourly_load
from gpuplanner_gui.engine.cost.resources import Resources

FLEET_BUDGET_S = 0.2


def best_of(repeats: int, run: Callable[[], object]) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def fleets(options: int, years: int) -> Callable[[], object]:
    generator = np.random.default_rng(0)
    day = 40 * (0.6 - 0.4 * np.cos(2 * np.pi * (np.arange(24) - 3) / 24))
    year = day * generator.uniform(0.7, 1.3, (365, 1))
    demand = FleetDemand(
        hourly_load(year, 0.3, 8_760 * years), (TrainingWindow(720, 1_440), TrainingWindow(5_000, 6_000))
    )
    even = Resources(*(np.full(options, 0.2) for _ in range(5)))
    hardware = FleetHardware(
        devices_per_node=np.full(options, 8.0),
        devices_per_replica=np.full(options, 2.0),
        requests_per_s_per_replica=generator.uniform(2, 10, options),
        training_device_hours=generator.uniform(2e4, 2e5, options),
        training_least_devices=np.full(options, 16.0),
        committed_usd_per_h=generator.uniform(0.5, 2, options),
        on_demand_usd_per_h=generator.uniform(2.1, 5, options),
        cost_shares=even,
        training_use=even,
        serving_use=even,
        names=tuple(f"option {place}" for place in range(options)),
        serving=np.arange(options),
        training=np.arange(options),
    )
    return lambda: compare_strategies(demand, hardware)


def main() -> None:
    for options, years in ((20, 1), (20, 3), (125, 1)):
        took = best_of(3, fleets(options, years))
        print(f"one fleet or two, {options} options, {years} y: {took:.3f} s, {took / FLEET_BUDGET_S:.2f} of budget")


if __name__ == "__main__":
    main()
