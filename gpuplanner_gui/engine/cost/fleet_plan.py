"""The cheapest hardware for each way to split training and serving, on a timeline, with what it wastes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from gpuplanner_gui.engine.cost.fleets import (
    FleetCost,
    FleetDemand,
    FleetHardware,
    burst_training_fleet,
    kept_training_fleet,
    serving_fleet,
    training_devices,
)
from gpuplanner_gui.engine.cost.resources import ResourceAccount, resource_account
from gpuplanner_gui.engine.cost.shared_fleet import shared_fleet
from gpuplanner_gui.engine.cost.slowdown import slowdown

Strategy = Literal["shared", "time_shared", "two_fleets", "burst"]
FleetRole = Literal["shared", "training", "serving"]
Tier = Literal["committed", "by_the_hour"]
STRATEGIES: tuple[Strategy, ...] = ("shared", "time_shared", "two_fleets", "burst")


@dataclass(frozen=True)
class TimelineEntry:
    """A stretch of the horizon in which a fleet holds devices, and what they cost."""

    role: FleetRole
    tier: Tier
    option: int
    """Index of the hardware."""
    start_h: int
    end_h: int
    devices: float
    """Held throughout; for capacity that follows the load, the mean."""
    usd: float


@dataclass(frozen=True)
class PlannedFleet:
    """One fleet of a strategy."""

    role: FleetRole
    option: int
    devices: float
    devices_usd: float
    storage_usd: float
    egress_usd: float
    paid_hours: float
    training_hours: float
    serving_hours: float
    account: ResourceAccount
    """Of the devices' cost."""

    @property
    def usd(self) -> float:
        """Devices, and the data that a provider bills beside them. [USD]"""
        return self.devices_usd + self.storage_usd + self.egress_usd

    @property
    def busy_share(self) -> float:
        """Share of the paid device-hours in which a workload held the device. [1]"""
        return (self.training_hours + self.serving_hours) / self.paid_hours if self.paid_hours else 0.0


@dataclass(frozen=True)
class StrategyPlan:
    """One way to cover both workloads with its cheapest hardware."""

    strategy: Strategy
    fleets: tuple[PlannedFleet, ...]
    timeline: tuple[TimelineEntry, ...]

    @property
    def is_possible(self) -> bool:
        return bool(np.isfinite(self.usd))

    @property
    def usd(self) -> float:
        return sum(fleet.usd for fleet in self.fleets)

    @property
    def unused_usd(self) -> float:
        """Money that bought a resource nobody used."""
        return sum(float(fleet.account.unused.total) for fleet in self.fleets)


@dataclass(frozen=True)
class Misplacement:
    """A workload on the hardware that was chosen for the other one."""

    slowdown: float
    """Time with as many devices as at home, over time at home. [1]"""
    home_usd: float
    elsewhere_usd: float

    @property
    def extra_usd(self) -> float:
        return self.elsewhere_usd - self.home_usd


def compare_strategies(
    demand: FleetDemand, hardware: FleetHardware, follows_load: bool = True
) -> tuple[StrategyPlan, ...]:
    """Every strategy with the hardware that is cheapest for it, in the order of `STRATEGIES`."""
    serving = serving_fleet(demand, hardware, follows_load)
    fleets: dict[Strategy, tuple[tuple[FleetRole, FleetCost], ...]] = {
        "shared": (("shared", shared_fleet(demand, hardware)),),
        "time_shared": (("shared", shared_fleet(demand, hardware, is_time_shared=True)),),
        "two_fleets": (("training", kept_training_fleet(demand, hardware)), ("serving", serving)),
        "burst": (("training", burst_training_fleet(demand, hardware)), ("serving", serving)),
    }
    return tuple(_planned(strategy, fleets[strategy], demand, hardware) for strategy in STRATEGIES)


def misplaced_training(hardware: FleetHardware, home: int, elsewhere: int) -> Misplacement:
    """A training run on the serving fleet's hardware: how much slower, and what it costs by the hour."""
    hours = hardware.training_device_hours
    return Misplacement(
        float(slowdown(float(hours[elsewhere]), float(hours[home]))),
        float(hours[home] * hardware.on_demand_usd_per_h[home]),
        float(hours[elsewhere] * hardware.on_demand_usd_per_h[elsewhere]),
    )


def misplaced_serving(demand: FleetDemand, hardware: FleetHardware, home: int, elsewhere: int) -> Misplacement:
    """A service on the training fleet's hardware: throughput per device against that at home, and both costs."""
    costs = serving_fleet(demand, hardware)
    per_device = hardware.requests_per_s_per_replica / hardware.devices_per_replica
    with np.errstate(divide="ignore"):
        ratio = np.divide(per_device[home], per_device[elsewhere])
    return Misplacement(float(ratio), float(costs.devices_usd[home]), float(costs.devices_usd[elsewhere]))


def _planned(
    strategy: Strategy,
    fleets: tuple[tuple[FleetRole, FleetCost], ...],
    demand: FleetDemand,
    hardware: FleetHardware,
) -> StrategyPlan:
    planned, timeline = [], []
    for role, costs in fleets:
        option = int(np.argmin(costs.usd))
        planned.append(_planned_fleet(role, costs, hardware, option))
        if np.isfinite(costs.usd[option]) and costs.devices[option] > 0:
            timeline += _timeline(role, strategy, costs, demand, hardware, option)
    return StrategyPlan(strategy, tuple(planned), tuple(timeline))


def _planned_fleet(role: FleetRole, costs: FleetCost, hardware: FleetHardware, option: int) -> PlannedFleet:
    usd = float(costs.devices_usd[option])
    paid, training, serving = costs.account_hours(option)
    account = resource_account(
        usd if np.isfinite(usd) else 0.0,
        hardware.cost_shares.of(option),
        paid,
        ((training, hardware.training_use.of(option)), (serving, hardware.serving_use.of(option))),
    )
    return PlannedFleet(
        role, option, float(costs.devices[option]), usd, float(costs.storage_usd[option]),
        float(costs.egress_usd[option]), paid, training, serving, account,
    )  # fmt: skip


def _timeline(
    role: FleetRole,
    strategy: Strategy,
    costs: FleetCost,
    demand: FleetDemand,
    hardware: FleetHardware,
    option: int,
) -> list[TimelineEntry]:
    if role == "training" and strategy == "burst":
        return _burst_entries(demand, hardware, option)
    start = _first_hour(role, demand)
    span = demand.hours - start
    entries = []
    committed = float(costs.committed_usd[option])
    if committed > 0:
        held = float(costs.committed_devices[option])
        entries.append(TimelineEntry(role, "committed", option, start, demand.hours, held, committed))
    by_the_hour = float(costs.devices_usd[option]) - committed
    if by_the_hour > 0:
        mean = float(costs.paid_hours[option]) / span - float(costs.committed_devices[option])
        entries.append(TimelineEntry(role, "by_the_hour", option, start, demand.hours, mean, by_the_hour))
    return entries


def _burst_entries(demand: FleetDemand, hardware: FleetHardware, option: int) -> list[TimelineEntry]:
    devices = float(training_devices(demand, hardware)[option])
    price = float(hardware.on_demand_usd_per_h[option])
    entries = []
    for window in demand.windows:
        device_hours = float(hardware.training_device_hours[option]) * window.work
        end = min(window.end_h, window.start_h + int(np.ceil(device_hours / devices)))
        usd = device_hours * price * float(demand.price_factors(float(window.start_h)))
        entries.append(TimelineEntry("training", "by_the_hour", option, window.start_h, end, devices, usd))
    return entries


def _first_hour(role: FleetRole, demand: FleetDemand) -> int:
    if role == "training":
        return min(window.start_h for window in demand.windows)
    if role == "serving":
        return int(np.argmax(demand.load_per_s > 0))
    return 0
