"""One fleet of one kind of hardware that both trains and serves, side by side or by day and night."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.cost.fleets import (
    FleetCost,
    FleetDemand,
    FleetHardware,
    Floats,
    fleet_cost,
    held_devices_usd,
    owned_hours,
    serving_replicas,
    training_devices,
    whole_nodes,
    worked_training_hours,
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
        devices = whole_nodes(_side_by_side(demand, serving, alone), hardware.devices_per_node)
    usd = held_devices_usd(devices, demand.hours, hardware.committed_usd_per_h)
    return fleet_cost(
        can_do,
        (demand.serving_data, demand.training_data),
        owned_hours(hardware, devices * demand.hours),
        devices=devices,
        committed_devices=devices,
        devices_usd=usd,
        committed_usd=usd,
        paid_hours=devices * demand.hours,
        training_hours=worked_training_hours(demand, hardware),
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
    needed = np.where(np.isfinite(hardware.training_device_hours), hardware.training_device_hours, 0.0)
    least = hardware.training_least_devices[:, None]
    for window in demand.windows:
        left = devices[:, None] - serving[:, window.start_h : window.end_h]
        hours = np.where(left >= least, left, 0.0).sum(axis=1) * (1 - demand.switching_loss)
        done &= hours >= needed * window.work
    return done
