"""Prints how long the fleet comparison and a Monte Carlo over ranked candidates take. Run by `make bench`."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

from gpuplanner_gui.domain.quantity import Lognormal, Quantity, Triangular
from gpuplanner_gui.engine.cost.fleet_plan import compare_strategies
from gpuplanner_gui.engine.cost.fleets import FleetDemand, FleetHardware, TrainingWindow
from gpuplanner_gui.engine.cost.horizon import hourly_load
from gpuplanner_gui.engine.cost.ownership import OwnershipTerms, owned_cost
from gpuplanner_gui.engine.cost.resources import Resources
from gpuplanner_gui.engine.uncertainty import model_error, monte_carlo, sensitivity
from gpuplanner_gui.engine.uncertainty.sampling import sample_inputs

FLEET_BUDGET_S = 0.2
MONTE_CARLO_BUDGET_S = 1.0
SAMPLES = 10_000
CANDIDATES = 50

INPUTS: dict[str, Quantity] = {
    "peak_rate": Lognormal(40.0, 0.4),
    "life": Triangular(4.0, 4.0, 6.0),
    "rate": Triangular(0.07, 0.10, 0.15),
    "residual": Triangular(0.0, 0.1, 0.25),
    "electricity": Triangular(0.064, 0.085, 0.106),
    "pue": Triangular(1.1, 1.25, 1.6),
    "power_use": Triangular(0.6, 0.76, 0.85),
    "node_usd": Lognormal(1.0, 0.2),
}


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
    )
    return lambda: compare_strategies(demand, hardware)


def owned_fleet_cost(values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    node_usd = np.linspace(150e3, 500e3, CANDIDATES)[:, None] * values["node_usd"]
    requests_per_s = np.linspace(3.0, 14.0, CANDIDATES)[:, None]
    terms = OwnershipTerms(
        0.1, 3_000.0, 600.0, 0.02, values["life"], values["residual"], values["rate"], 195.0, 0.12, values["power_use"],
        values["pue"], values["electricity"], 0.02, 0.0, 400.0, 0.0,
    )  # fmt: skip
    devices = 8 * np.ceil(values["peak_rate"] / requests_per_s)
    return {"usd": owned_cost(terms, node_usd, 8, 10_200).total * devices}


def monte_carlo_with_everything() -> None:
    sample = sample_inputs(INPUTS, SAMPLES, seed=1, correlations={("peak_rate", "node_usd"): 0.3})
    usd = monte_carlo.run(owned_fleet_cost, sample)["usd"]
    factors = model_error.shared_error_factors(np.full(CANDIDATES, 0.1), np.arange(CANDIDATES) // 10, SAMPLES, seed=2)
    noisy = usd * factors
    monte_carlo.band(noisy)
    monte_carlo.probability_best(noisy)
    sensitivity.rank_regression(sample, noisy[0])
    sensitivity.value_of_information(sample, noisy)


def main() -> None:
    for options, years in ((20, 1), (20, 3), (125, 1)):
        took = best_of(3, fleets(options, years))
        print(f"one fleet or two, {options} options, {years} y: {took:.3f} s, {took / FLEET_BUDGET_S:.2f} of budget")
    took = best_of(3, monte_carlo_with_everything)
    print(f"{SAMPLES} samples of {CANDIDATES} candidates: {took:.3f} s, {took / MONTE_CARLO_BUDGET_S:.2f} of budget")


if __name__ == "__main__":
    main()
