"""One fleet of one kind of hardware that both trains and serves, side by side or by day and night."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.cost.fleets import (
    FleetCost,
    FleetDemand,
    FleetHardware,
    amount_usd,
    fleet_cost,
    owned_hours,
    serving_replicas,
    training_devices,
    whole_nodes,
    worked_training_hours,
    years_of,
)


def shared_fleet(demand: FleetDemand, hardware: FleetHardware, is_time_shared: bool = False) -> FleetCost:
    """One fleet of one kind of hardware that does both, held throughout and grown year by year as the load needs.

    Serving comes first. Without time sharing, training has devices of its own through its windows; with it, training
    takes what serving leaves at each hour (by night, by weekend).
    """
    replicas = serving_replicas(demand, hardware)
    serving = np.maximum(replicas, 0) * hardware.devices_per_replica[:, None]
    alone = training_devices(demand, hardware)
    can_do = (replicas[:, 0] >= 0) & np.isfinite(alone)
    alone = np.where(can_do, alone, 0.0)
    by_year = np.maximum.accumulate(
        [_devices_of_year(demand, hardware, serving, alone, is_time_shared, year) for year in years_of(demand.hours)]
    )
    held_hours = sum(
        (held * (year.stop - year.start) for held, year in zip(by_year, years_of(demand.hours), strict=True)),
        np.zeros(len(alone)),
    )
    usd = amount_usd(held_hours, hardware.committed_usd_per_h)
    return fleet_cost(
        can_do,
        (demand.serving_data, demand.training_data),
        owned_hours(hardware, held_hours),
        devices=by_year[-1],
        committed_devices=held_hours / demand.hours,
        devices_usd=usd,
        committed_usd=usd,
        paid_hours=held_hours,
        training_hours=worked_training_hours(demand, hardware),
        serving_hours=serving.sum(axis=1),
    )


def _devices_of_year(
    demand: FleetDemand, hardware: FleetHardware, serving: Floats, alone: Floats, is_time_shared: bool, year: slice
) -> Floats:
    """Devices that carry the load of a year and the runs that begin in it."""
    windows = tuple(one for one in demand.windows if year.start <= one.start_h < year.stop)
    of_year = replace(demand, windows=windows)
    if is_time_shared:
        return _time_shared_devices(of_year, hardware, serving, alone, year)
    return whole_nodes(_side_by_side(of_year, serving, alone, year), hardware.devices_per_node)


def _side_by_side(demand: FleetDemand, serving: Floats, training: Floats, year: slice) -> Floats:
    most: Floats = serving[:, year].max(axis=1)
    for window in demand.windows:
        in_window = serving[:, window.start_h : window.end_h].max(axis=1, initial=0.0)
        most = np.maximum(most, in_window + training)
    return most


def _time_shared_devices(
    demand: FleetDemand, hardware: FleetHardware, serving: Floats, alone: Floats, year: slice
) -> Floats:
    """Fewest devices with which every run finishes on what serving leaves, by bisection over whole nodes."""
    node = hardware.devices_per_node
    least = hardware.training_least_devices if demand.windows else 0.0
    low = np.ceil(np.maximum(serving[:, year].max(axis=1), least) / node)
    high = np.maximum(low, np.ceil(_side_by_side(demand, serving, alone, year) / node / (1 - demand.switching_loss)))
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
