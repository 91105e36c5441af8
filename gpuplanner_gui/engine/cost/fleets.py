"""Fleets that only train or only serve: how many devices, for how long, at what cost.

Every figure is an array over hardware options, the last hour axis apart, so one call weighs the whole catalogue.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.engine.cost.bill import NO_DATA, DataTerms, data_usd, rented_share
from gpuplanner_gui.engine.cost.commitment import CommitmentPlan, MixPrices, cheapest_commitment
from gpuplanner_gui.engine.cost.plan_years import PlanYears, trended
from gpuplanner_gui.engine.cost.resources import Resources
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.replicas import fleet_replicas


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
    zones: int = 1
    switching_loss: float = 0.05
    """Share of idle serving hours that changing over between serving and training costs. [1]"""
    price_trend_per_year: float = 0.0
    """Of what is rented; a term keeps the price of the day on which it begins. [1/y]"""
    cost_of_capital: float = 0.0
    """By which the mix of terms is chosen. [1/y]"""
    serving_data: DataTerms = NO_DATA
    training_data: DataTerms = NO_DATA
    """Of all runs together."""

    def price_factors(self, hour: NDArray[np.floating[Any]] | float) -> Floats:
        """Price by the hour over today's, at some hours of the plan. [1]"""
        return trended(self.price_trend_per_year, np.asarray(hour) / HOURS_PER_YEAR)

    @property
    def hours(self) -> int:
        return int(self.load_per_s.size)


@dataclass(frozen=True)
class FleetHardware:
    """What each option can do and costs, one value per option."""

    devices_per_node: Floats
    devices_per_replica: Floats
    requests_per_s_per_replica: Floats
    """That a replica is planned for; 0 where the option can't serve."""
    training_device_hours: Floats
    """For one run, losses and headroom included; infinite where the option can't train."""
    training_least_devices: Floats
    """Fewest devices that hold the model's state."""
    committed_usd_per_h: Floats
    """Per device owned or reserved for the whole horizon. NaN where it is not to be had. [USD/h]"""
    on_demand_usd_per_h: Floats
    """Per device rented by the hour. NaN where it is not to be had. [USD/h]"""
    cost_shares: Resources
    training_use: Resources
    serving_use: Resources
    """Use of each resource while working; idle hours are counted apart."""
    committed_is_owned: bool = False
    """Devices held throughout are the planner's own, whose data no provider bills."""
    offers: tuple[tuple[MixPrices, ...], ...] = ()
    """What each provider asks for a replica of each option, support included; empty: what is held is bought."""
    more_replicas: Floats | float = 0.0
    """That a service holds beside those for load, zones and spares."""
    committed_spread: Floats | float = 1.0
    """Price of a device in use of the planned service over that of one held: what whole units leave over. [1]"""
    hourly_spread: Floats | float = 1.0
    """The same by the hour. [1]"""
    names: tuple[str, ...] = ()
    serving: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Candidate of the plan that each option serves with; -1 where it cannot within the targets."""
    training: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))


@dataclass(frozen=True)
class FleetCost:
    """One fleet over the horizon, for each hardware option; infinite cost where the option can't do the work."""

    devices: Floats
    """Most devices held at once."""
    committed_devices: Floats
    """On average: what is held throughout grows with the load."""
    devices_usd: Floats
    committed_usd: Floats
    """Part of `devices_usd` for devices held throughout; the rest is paid by the hour."""
    storage_usd: Floats
    egress_usd: Floats
    paid_hours: Floats
    training_hours: Floats
    serving_hours: Floats

    @property
    def usd(self) -> Floats:
        """Devices, and the data that a provider bills beside them. [USD]"""
        return self.devices_usd + self.storage_usd + self.egress_usd


@formula(
    title="Devices to finish in time",
    unit="1",
    expression="⌈max(device_hours/window_h, least_devices) / devices_per_node⌉·devices_per_node",
    source="work over time, in whole nodes, and enough memory for the model's state",
)
def devices_for_deadline(
    device_hours: Floats, window_h: float, least_devices: Floats, devices_per_node: Floats
) -> Floats:
    """Fewest devices, in whole nodes, that do the work within the window; infinite where it can't be done. [1]"""
    return whole_nodes(np.maximum(least_devices, device_hours / window_h), devices_per_node)


@formula(
    title="Cost of devices held",
    unit="USD",
    expression="devices·hours·usd_per_hour",
    source="held devices are paid for whether used or not",
)
def held_devices_usd(devices: Floats, hours: float, usd_per_hour: Floats) -> Floats:
    """What devices cost from purchase or reservation to release. [USD]"""
    return amount_usd(devices * hours, usd_per_hour)


def amount_usd(hours: Floats, usd_per_hour: Floats) -> Floats:
    """Price of some hours; none cost nothing, also where the price is unknown. [USD]"""
    return hours * np.where(hours > 0, usd_per_hour, 0.0)


def serving_replicas(demand: FleetDemand, hardware: FleetHardware) -> NDArray[np.int64]:
    """Replicas in each hour, spares included, shape (options, hours); -1 in all hours where an option can't serve."""
    rate = hardware.requests_per_s_per_replica[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = fleet_replicas(demand.load_per_s, rate, 1.0, demand.zones, demand.spare_replicas)
    needed += np.reshape(hardware.more_replicas, (-1, 1))
    needed[:, demand.load_per_s <= 0] = 0.0
    needed[~(hardware.requests_per_s_per_replica > 0)] = -1.0
    return needed.astype(np.int64)


def training_devices(demand: FleetDemand, hardware: FleetHardware) -> Floats:
    """Devices that finish every run within its window, whole nodes, shape (options,); infinite if none do."""
    # Windows of one length and one amount of work need the same devices: most plans have one kind only.
    most = np.zeros_like(hardware.training_device_hours)
    for hours, work in {(window.hours, window.work) for window in demand.windows}:
        needed = devices_for_deadline(
            hardware.training_device_hours * work, hours, hardware.training_least_devices, hardware.devices_per_node
        )
        most = np.maximum(most, needed)
    return most


def serving_fleet(demand: FleetDemand, hardware: FleetHardware) -> FleetCost:
    """A fleet that only serves: a base is committed and the rest is rented in the hours that need it."""
    replicas = serving_replicas(demand, hardware)
    can_serve = replicas[:, 0] >= 0
    replicas = np.maximum(replicas, 0)
    size, open_h = hardware.devices_per_replica, _open_hours(demand)
    pay = _rented_mix if hardware.offers else _beside_bought
    held_hours, held_usd, hourly_hours, hourly_usd = pay(demand, hardware, replicas)
    usd = held_usd + hourly_usd
    return fleet_cost(
        can_serve,
        (demand.serving_data,),
        owned_hours(hardware, held_hours),
        devices=replicas.max(axis=1) * size,
        committed_devices=held_hours / open_h if open_h else np.zeros(len(size)),
        devices_usd=usd,
        committed_usd=held_usd,
        paid_hours=held_hours + hourly_hours,
        training_hours=np.zeros_like(usd),
        serving_hours=replicas.sum(axis=1) * size,
    )


Paid = tuple[Floats, Floats, Floats, Floats]
"""Device-hours and dollars of what is held, then of what is rented by the hour beside it; one value per option."""


def _rented_mix(demand: FleetDemand, hardware: FleetHardware, replicas: NDArray[np.int64]) -> Paid:
    """The cheapest mix of one provider's terms for each option, as a service's own bill has it; years of the service
    begin when it opens, at the prices of then."""
    open_h, trend = _open_hours(demand), demand.price_trend_per_year
    opened, years = demand.hours - open_h, PlanYears.of(open_h / HOURS_PER_YEAR)
    paid = np.zeros((4, len(replicas)))
    for option in np.flatnonzero(replicas.any(axis=1)):
        offers, size = hardware.offers[option], hardware.devices_per_replica[option]
        mix = cheapest_commitment(replicas[option, opened:], years, offers, trend, demand.cost_of_capital)
        paid[:, option] = np.inf if mix is None else _paid_of(mix, size, demand.price_factors(float(opened)))
    return paid[0], paid[1], paid[2], paid[3]


def _paid_of(mix: CommitmentPlan, devices_per_replica: float, price_factor: Floats) -> Floats:
    is_held = mix.tier > 0
    hours = mix.units[:, None] * devices_per_replica * HOURS_PER_YEAR * np.where(is_held, 1.0, mix.use)
    usd = mix.usd * price_factor
    return np.array([part[chosen].sum() for chosen in (is_held, ~is_held) for part in (hours, usd)])


def _beside_bought(demand: FleetDemand, hardware: FleetHardware, replicas: NDArray[np.int64]) -> Paid:
    """What is bought grows year by year as the load does, and stays: each replica that is needed for more of a year
    than owning costs of renting."""
    held_price = hardware.committed_usd_per_h * hardware.committed_spread
    hourly_price = np.nan_to_num(hardware.on_demand_usd_per_h * hardware.hourly_spread, nan=np.inf)
    factors = demand.price_factors(np.arange(demand.hours, dtype=np.float64))
    opened = demand.hours - _open_hours(demand)
    base, before = np.zeros_like(replicas), np.zeros(len(replicas), np.int64)
    for year in (slice(max(one.start, opened), one.stop) for one in years_of(demand.hours) if one.stop > opened):
        ratio = held_price / (hourly_price * factors[year].mean())
        # The k-th replica is needed in more than `ratio` of the hours exactly if the need at that rank reaches k.
        ranked = -np.sort(-replicas[:, year], axis=1)
        rank = np.floor(np.fmin(ratio, 1.0) * ranked.shape[1] + 1e-9).astype(np.int64)
        wanted = np.take_along_axis(ranked, np.minimum(rank, ranked.shape[1] - 1)[:, None], axis=1)[:, 0]
        before = np.maximum(before, np.where(ratio < 1, wanted, 0))
        base[:, year] = before[:, None]
    above = np.maximum(replicas - base, 0)
    size = hardware.devices_per_replica
    held_hours, hourly_hours = base.sum(axis=1) * size, above.sum(axis=1) * size
    return (
        held_hours,
        amount_usd(held_hours, held_price),
        hourly_hours,
        amount_usd((above @ factors) * size, hourly_price),
    )


def kept_training_fleet(demand: FleetDemand, hardware: FleetHardware) -> FleetCost:
    """A fleet that only trains and is held from the first window to the end of the horizon."""
    devices = training_devices(demand, hardware)
    can_train = np.isfinite(devices)
    devices = np.where(can_train, devices, 0.0)
    held_h = demand.hours - min((window.start_h for window in demand.windows), default=demand.hours)
    usd = held_devices_usd(devices, held_h, hardware.committed_usd_per_h)
    return fleet_cost(
        can_train,
        (demand.training_data,),
        owned_hours(hardware, devices * held_h),
        devices=devices,
        committed_devices=devices,
        devices_usd=usd,
        committed_usd=usd,
        paid_hours=devices * held_h,
        training_hours=worked_training_hours(demand, hardware),
        serving_hours=np.zeros_like(usd),
    )


def burst_training_fleet(demand: FleetDemand, hardware: FleetHardware) -> FleetCost:
    """A fleet rented for each training window and released after it.

    It is paid by the hour until the run is done, which with whole nodes is often before the window ends.
    """
    devices = training_devices(demand, hardware)
    can_train = np.isfinite(devices)
    devices = np.where(can_train, devices, 0.0)
    hours = worked_training_hours(demand, hardware)
    work = np.array([window.work for window in demand.windows])
    factors = demand.price_factors(np.array([float(window.start_h) for window in demand.windows]))
    usual = float(np.average(factors, weights=work)) if work.sum() > 0 else 1.0
    usd = amount_usd(hours, hardware.on_demand_usd_per_h * usual)
    return fleet_cost(
        can_train,
        (demand.training_data,),
        np.zeros_like(usd),
        devices=devices,
        committed_devices=np.zeros_like(usd),
        devices_usd=usd,
        committed_usd=np.zeros_like(usd),
        paid_hours=hours,
        training_hours=hours,
        serving_hours=np.zeros_like(usd),
    )


def worked_training_hours(demand: FleetDemand, hardware: FleetHardware) -> Floats:
    """Device-hours of all runs; 0 where an option can't train. [h]"""
    work = sum(window.work for window in demand.windows)
    return np.where(np.isfinite(hardware.training_device_hours), hardware.training_device_hours, 0.0) * work


def years_of(hours: int) -> tuple[slice, ...]:
    """The hours of each year of a horizon, the last of them perhaps in part."""
    return tuple(slice(start, min(start + HOURS_PER_YEAR, hours)) for start in range(0, hours, HOURS_PER_YEAR))


def _open_hours(demand: FleetDemand) -> int:
    """Hours from the first request to the end of the horizon."""
    opened = np.flatnonzero(demand.load_per_s > 0)
    return demand.hours - int(opened[0]) if opened.size else 0


def whole_nodes(devices: NDArray[np.floating[Any]], devices_per_node: Floats) -> Floats:
    """Devices rounded up to whole nodes. [1]"""
    whole: Floats = np.ceil(devices / devices_per_node) * devices_per_node
    return whole


def owned_hours(hardware: FleetHardware, held_hours: Floats) -> Floats:
    """Device-hours that no provider bills, of those that are held throughout. [h]"""
    return held_hours if hardware.committed_is_owned else np.zeros_like(held_hours)


def fleet_cost(
    is_possible: NDArray[np.bool_], data: tuple[DataTerms, ...], owned_hours: Floats, **parts: Floats
) -> FleetCost:
    """The fleet's figures; an infinite cost and nothing else where an option can't do the work or has no price.

    `data` is that of the workloads which it carries; `owned_hours` are the device-hours that no provider bills.
    """
    stored, moved = data_usd(data, rented_share(owned_hours, parts["paid_hours"]))
    is_sure = is_possible & np.isfinite(parts["devices_usd"])
    parts |= {"storage_usd": stored, "egress_usd": moved}
    figures = {name: np.where(is_sure, value, 0.0) for name, value in parts.items()}
    figures["devices_usd"] = np.where(is_sure, parts["devices_usd"], np.inf)
    return FleetCost(**figures)


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
