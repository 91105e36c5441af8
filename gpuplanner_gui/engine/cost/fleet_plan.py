"""The cheapest hardware for each way to split training and serving, on a timeline, with what it wastes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.decision import Fleet, FleetRole, FleetSpan, Misplaced, Strategy, StrategyAnswer, Tier
from gpuplanner_gui.engine.cost.finance import Values
from gpuplanner_gui.engine.cost.fleets import (
    FleetCost,
    FleetDemand,
    FleetHardware,
    burst_training_fleet,
    kept_training_fleet,
    serving_fleet,
    shared_fleet,
    training_devices,
)
from gpuplanner_gui.engine.cost.resources import resource_account
from gpuplanner_gui.engine.explaining.formula import formula


@formula(
    title="Slowdown on other hardware",
    unit="1",
    expression="time_elsewhere_s / time_at_home_s",
    source="ratio of predicted times for the same work",
)
def slowdown(time_elsewhere_s: Values, time_at_home_s: Values) -> Values:
    """How much longer the same work takes on hardware chosen for another workload. [1]"""
    return time_elsewhere_s / time_at_home_s


Roles = dict[FleetRole, FleetCost]
Workload = Literal["serving", "training"]


def compare_strategies(
    demand: FleetDemand, hardware: FleetHardware
) -> tuple[tuple[StrategyAnswer, ...], tuple[Misplaced, ...]]:
    """Every strategy with the hardware that is cheapest for it, in a fixed order; and each workload on the hardware
    that a fleet of its own would have for the other."""
    serving, burst = serving_fleet(demand, hardware), burst_training_fleet(demand, hardware)
    fleets: dict[Strategy, Roles] = {
        "shared": {"shared": shared_fleet(demand, hardware)},
        "time_shared": {"shared": shared_fleet(demand, hardware, is_time_shared=True)},
        "two_fleets": {"training": kept_training_fleet(demand, hardware), "serving": serving},
        "burst": {"training": burst, "serving": serving},
    }
    strategies = tuple(_strategy(name, roles, demand, hardware) for name, roles in fleets.items())
    return strategies, _misplaced(hardware, serving, int(np.argmin(burst.usd)), int(np.argmin(serving.usd)))


def _strategy(strategy: Strategy, roles: Roles, demand: FleetDemand, hardware: FleetHardware) -> StrategyAnswer:
    chosen = {role: int(np.argmin(costs.usd)) for role, costs in roles.items()}
    spans: list[FleetSpan] = []
    for role, costs in roles.items():
        option = chosen[role]
        if np.isfinite(costs.usd[option]) and costs.devices[option] > 0:
            is_burst = role == "training" and strategy == "burst"
            spans += (
                _burst_spans(demand, hardware, option) if is_burst else _spans(role, costs, demand, hardware, option)
            )
    fleets = tuple(_fleet(role, costs, hardware, chosen[role]) for role, costs in roles.items())
    return StrategyAnswer(strategy=strategy, fleets=fleets, timeline=tuple(spans))


def _fleet(role: FleetRole, costs: FleetCost, hardware: FleetHardware, option: int) -> Fleet:
    def of(name: str) -> float:
        return float(getattr(costs, name)[option])

    usd = of("devices_usd")
    worked = (
        (of("training_hours"), hardware.training_use.of(option)),
        (of("serving_hours"), hardware.serving_use.of(option)),
    )
    account = resource_account(
        usd if np.isfinite(usd) else 0.0, hardware.cost_shares.of(option), of("paid_hours"), worked
    )
    figures = ("devices", "devices_usd", "storage_usd", "egress_usd", "paid_hours", "training_hours", "serving_hours")
    return Fleet(
        role=role,
        accelerator=hardware.names[option],
        serving_candidate=int(hardware.serving[option]) if role != "training" else -1,
        training_candidate=int(hardware.training[option]) if role != "serving" else -1,
        paid=account.paid,
        used=account.used,
        **{name: of(name) for name in figures},
    )


def _spans(
    role: FleetRole, costs: FleetCost, demand: FleetDemand, hardware: FleetHardware, option: int
) -> Iterator[FleetSpan]:
    """What is held, then what is rented by the hour beside it."""
    start = _first_hour(role, demand)
    held, committed = float(costs.committed_devices[option]), float(costs.committed_usd[option])
    mean = float(costs.paid_hours[option]) / (demand.hours - start)
    parts: tuple[tuple[Tier, float, float], ...] = (
        ("committed", held, committed),
        ("by_the_hour", mean - held, float(costs.devices_usd[option]) - committed),
    )
    for tier, devices, usd in parts:
        if usd > 0:
            yield FleetSpan(
                role=role, tier=tier, accelerator=hardware.names[option], start_h=float(start),
                end_h=float(demand.hours), devices=devices, usd=usd,
            )  # fmt: skip


def _burst_spans(demand: FleetDemand, hardware: FleetHardware, option: int) -> Iterator[FleetSpan]:
    devices = float(training_devices(demand, hardware)[option])
    price = float(hardware.on_demand_usd_per_h[option])
    for window in demand.windows:
        device_hours = float(hardware.training_device_hours[option]) * window.work
        end = min(window.end_h, window.start_h + int(np.ceil(device_hours / devices)))
        yield FleetSpan(
            role="training", tier="by_the_hour", accelerator=hardware.names[option], start_h=float(window.start_h),
            end_h=float(end), devices=devices,
            usd=device_hours * price * float(demand.price_factors(float(window.start_h))),
        )  # fmt: skip


def _first_hour(role: FleetRole, demand: FleetDemand) -> int:
    if role == "training":
        return min(window.start_h for window in demand.windows)
    return int(np.argmax(demand.load_per_s > 0)) if role == "serving" else 0


def _misplaced(hardware: FleetHardware, serving: FleetCost, trains: int, serves: int) -> tuple[Misplaced, ...]:
    """Each workload where the other is at home, where it can run there at all: how much slower, and what it costs.

    The run is rented by the hour; of the service, throughput per device is compared.
    """
    if trains == serves:
        return ()
    hours = hardware.training_device_hours
    run_usd = hours * hardware.on_demand_usd_per_h
    per_device = hardware.requests_per_s_per_replica / hardware.devices_per_replica
    with np.errstate(divide="ignore"):
        slower: dict[Workload, Values] = {
            "training": slowdown(float(hours[serves]), float(hours[trains])),
            "serving": np.divide(per_device[serves], per_device[trains]),
        }
    places: tuple[tuple[Workload, int, int, Floats], ...] = (
        ("training", trains, serves, run_usd), ("serving", serves, trains, serving.devices_usd),
    )  # fmt: skip
    found = (
        Misplaced(
            workload=workload, home=hardware.names[home], elsewhere=hardware.names[elsewhere],
            slowdown=float(slower[workload]), home_usd=float(usd[home]), elsewhere_usd=float(usd[elsewhere]),
        )
        for workload, home, elsewhere, usd in places
    )  # fmt: skip
    return tuple(one for one in found if np.isfinite(one.slowdown))
