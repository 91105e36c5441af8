"""One fleet for training and serving, or one for each: how many devices, for how long, at what cost.

Every figure is an array over hardware options, the last hour axis apart, so one call weighs the whole catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.cost.commitment import reserved_base
from gpuplanner_gui.engine.cost.resources import Resources

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class TrainingWindow:
    """When a training run may use devices, and how much work it is."""

    start_h: int
    end_h: int
    work: float = 1.0
    """Runs of the size that `FleetHardware.training_device_hours` stands for."""

    @property
    def hours(self) -> int:
        return self.end_h - self.start_h


@dataclass(frozen=True)
class FleetDemand:
    """What both workloads ask for over a horizon."""

    load_per_s: Floats
    """Requests per second in each hour, shape (hours,)."""
    windows: tuple[TrainingWindow, ...]
    """One after another: they do not overlap."""
    spare_replicas: int = 1
    switching_loss: float = 0.05
    """Share of idle serving hours that changing over between serving and training costs. [1]"""

    @property
    def hours(self) -> int:
        return int(self.load_per_s.size)


@dataclass(frozen=True)
class FleetHardware:
    """What each option can do and costs, one value per option."""

    devices_per_node: Floats
    devices_per_replica: Floats
    requests_per_s_per_replica: Floats
    """At the latency targets and the planned utilisation; 0 where the option can't serve."""
    training_device_hours: Floats
    """For one run, losses and headroom included; infinite where the option can't train."""
    training_least_devices: Floats
    """Fewest devices that hold the model's state."""
    committed_usd_per_h: Floats
    """Per device owned or reserved for the whole horizon. [USD/h]"""
    on_demand_usd_per_h: Floats
    cost_shares: Resources
    training_use: Resources
    serving_use: Resources
    """Use of each resource while working; idle hours are counted apart."""


@dataclass(frozen=True)
class FleetCost:
    """One fleet over the horizon, for each hardware option; infinite cost where the option can't do the work."""

    devices: Floats
    """Most devices held at once."""
    committed_devices: Floats
    usd: Floats
    committed_usd: Floats
    """Part of `usd` for devices held throughout; the rest is paid by the hour."""
    paid_hours: Floats
    training_hours: Floats
    serving_hours: Floats

    @property
    def idle_hours(self) -> Floats:
        return self.paid_hours - self.training_hours - self.serving_hours

    def account_hours(self, index: int) -> tuple[float, float, float]:
        """Device-hours paid for, trained and served by one option."""
        return float(self.paid_hours[index]), float(self.training_hours[index]), float(self.serving_hours[index])


def serving_replicas(demand: FleetDemand, hardware: FleetHardware) -> NDArray[np.int64]:
    """Replicas in each hour, spares included, shape (options, hours); -1 in all hours where an option can't serve."""
    rate = hardware.requests_per_s_per_replica[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = np.ceil(demand.load_per_s / rate)
    needed = np.where(demand.load_per_s > 0, needed + demand.spare_replicas, 0.0)
    return np.where(rate > 0, np.nan_to_num(needed, posinf=0.0), -1).astype(np.int64)


def training_devices(demand: FleetDemand, hardware: FleetHardware) -> Floats:
    """Devices that finish every run within its window, whole nodes, shape (options,); infinite if none do."""
    asked = hardware.training_least_devices
    for window in demand.windows:
        asked = np.maximum(asked, hardware.training_device_hours * window.work / window.hours)
    return _whole_nodes(asked, hardware.devices_per_node) if demand.windows else np.zeros_like(asked)


def serving_fleet(demand: FleetDemand, hardware: FleetHardware, follows_load: bool = True) -> FleetCost:
    """A fleet that only serves.

    With `follows_load` a base is committed and the rest is rented in the hours that need it; otherwise the peak is held
    from the first request on.
    """
    replicas = serving_replicas(demand, hardware)
    can_serve = replicas[:, 0] >= 0
    replicas = np.maximum(replicas, 0)
    open_h = _open_hours(demand)
    peak = replicas.max(axis=1)
    if follows_load:
        serving = replicas[:, demand.hours - open_h :] if open_h else replicas
        base = reserved_base(serving, hardware.committed_usd_per_h / hardware.on_demand_usd_per_h)
        base = np.where(hardware.committed_usd_per_h < hardware.on_demand_usd_per_h, base, 0)
    else:
        base = peak
    size = hardware.devices_per_replica
    above_hours = np.maximum(replicas - base[:, None], 0).sum(axis=1) * size
    committed_hours = base * open_h * size
    committed_usd = committed_hours * hardware.committed_usd_per_h
    usd = committed_usd + above_hours * hardware.on_demand_usd_per_h
    return _fleet_cost(
        can_serve,
        devices=peak * size,
        committed_devices=base * size,
        usd=usd,
        committed_usd=committed_usd,
        paid_hours=committed_hours + above_hours,
        training_hours=np.zeros_like(usd),
        serving_hours=replicas.sum(axis=1) * size,
    )


def kept_training_fleet(demand: FleetDemand, hardware: FleetHardware) -> FleetCost:
    """A fleet that only trains and is held from the first window to the end of the horizon."""
    devices = training_devices(demand, hardware)
    can_train = np.isfinite(devices)
    devices = np.where(can_train, devices, 0.0)
    held_h = demand.hours - min((window.start_h for window in demand.windows), default=demand.hours)
    usd = devices * held_h * hardware.committed_usd_per_h
    return _fleet_cost(
        can_train,
        devices=devices,
        committed_devices=devices,
        usd=usd,
        committed_usd=usd,
        paid_hours=devices * held_h,
        training_hours=_worked_training_hours(demand, hardware),
        serving_hours=np.zeros_like(usd),
    )


def burst_training_fleet(demand: FleetDemand, hardware: FleetHardware) -> FleetCost:
    """A fleet rented for each training window and released after it.

    It is paid by the hour until the run is done, which with whole nodes is often before the window ends.
    """
    devices = training_devices(demand, hardware)
    can_train = np.isfinite(devices)
    devices = np.where(can_train, devices, 0.0)
    hours = _worked_training_hours(demand, hardware)
    usd = hours * hardware.on_demand_usd_per_h
    return _fleet_cost(
        can_train,
        devices=devices,
        committed_devices=np.zeros_like(usd),
        usd=usd,
        committed_usd=np.zeros_like(usd),
        paid_hours=hours,
        training_hours=hours,
        serving_hours=np.zeros_like(usd),
    )


def shared_fleet(demand: FleetDemand, hardware: FleetHardware, is_time_shared: bool = False) -> FleetCost:
    """One fleet of one kind of hardware, held for the whole horizon, that does both.

    Serving comes first. Without time sharing, training has devices of its own through its windows; with it, training
    takes what serving leaves at each hour (by night, by weekend).
    """
    replicas = serving_replicas(demand, hardware)
    serving = np.maximum(replicas, 0) * hardware.devices_per_replica[:, None]
    alone = training_devices(demand, hardware)
    can_do = (replicas[:, 0] >= 0) & np.isfinite(alone)
    alone = np.where(can_do, alone, 0.0)
    if is_time_shared:
        devices = _time_shared_devices(demand, hardware, serving, alone)
    else:
        devices = _whole_nodes(_side_by_side(demand, serving, alone), hardware.devices_per_node)
    usd = devices * demand.hours * hardware.committed_usd_per_h
    return _fleet_cost(
        can_do,
        devices=devices,
        committed_devices=devices,
        usd=usd,
        committed_usd=usd,
        paid_hours=devices * demand.hours,
        training_hours=_worked_training_hours(demand, hardware),
        serving_hours=serving.sum(axis=1),
    )


def _side_by_side(demand: FleetDemand, serving: Floats, training: Floats) -> Floats:
    most: Floats = serving.max(axis=1)
    for window in demand.windows:
        in_window = serving[:, window.start_h : window.end_h].max(axis=1, initial=0.0)
        most = np.maximum(most, in_window + training)
    return most


def _time_shared_devices(demand: FleetDemand, hardware: FleetHardware, serving: Floats, alone: Floats) -> Floats:
    """Fewest devices with which every run finishes on what serving leaves, by bisection over whole nodes."""
    node = hardware.devices_per_node
    low = np.ceil(np.maximum(serving.max(axis=1), hardware.training_least_devices) / node)
    high = np.maximum(low, np.ceil(_side_by_side(demand, serving, alone) / node / (1 - demand.switching_loss)))
    while np.any(low < high):
        middle = np.floor((low + high) / 2)
        enough = _finishes_on_the_rest(demand, hardware, serving, middle * node)
        low, high = np.where(enough | (low >= high), low, middle + 1), np.where(enough, middle, high)
    devices: Floats = low * node
    return devices


def _finishes_on_the_rest(
    demand: FleetDemand, hardware: FleetHardware, serving: Floats, devices: Floats
) -> NDArray[np.bool_]:
    done = np.ones(devices.shape, bool)
    for window in demand.windows:
        left = devices[:, None] - serving[:, window.start_h : window.end_h]
        usable = np.where(left >= hardware.training_least_devices[:, None], left, 0.0)
        hours = usable.sum(axis=1) * (1 - demand.switching_loss)
        done &= hours >= np.nan_to_num(hardware.training_device_hours * window.work, posinf=0.0)
    return done


def _worked_training_hours(demand: FleetDemand, hardware: FleetHardware) -> Floats:
    work = sum(window.work for window in demand.windows)
    return np.where(np.isfinite(hardware.training_device_hours), hardware.training_device_hours, 0.0) * work


def _open_hours(demand: FleetDemand) -> int:
    """Hours from the first request to the end of the horizon."""
    opened = np.flatnonzero(demand.load_per_s > 0)
    return demand.hours - int(opened[0]) if opened.size else 0


def _whole_nodes(devices: NDArray[np.floating[Any]], devices_per_node: Floats) -> Floats:
    whole: Floats = np.ceil(devices / devices_per_node) * devices_per_node
    return whole


def _fleet_cost(is_possible: NDArray[np.bool_], **parts: Floats) -> FleetCost:
    """The fleet's figures, with an infinite cost and nothing else where the option can't do the work."""
    impossible = {name: np.where(is_possible, value, 0.0) for name, value in parts.items()}
    impossible["usd"] = np.where(is_possible, parts["usd"], np.inf)
    return FleetCost(**impossible)
