"""Hardware in the units in which it is sold or rented, boards, nodes, racks, instances, and what is left over."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers, Values
from gpuplanner_gui.domain.economics import PriceLevel
from gpuplanner_gui.domain.hardware import Accelerator, NodeType
from gpuplanner_gui.engine.cost.energy import at_mean_draw, paid_draw_share
from gpuplanner_gui.engine.cost.fabric import fabric_usd_per_device
from gpuplanner_gui.engine.cost.mean_hour import mean_usd_per_device_hour
from gpuplanner_gui.engine.explaining.formula import formula, leaf


@dataclass(frozen=True)
class OwnedNetwork:
    """What the network of owned devices depends on beside their number; one entry per accelerator."""

    box_devices: NDArray[np.float64]
    """Devices that one chassis or rack connects inside."""
    full_usd: float
    """Per device of a full fabric of two tiers at the full rate. [USD]"""
    rate_share: NDArray[np.float64]
    """Rate per device over the full rate. [1]"""
    oversubscription: float
    switch_share: float
    """Switches' share of the full fabric's price; the rest are links with their modules. [1]"""
    port_usd: float
    """Price of a plain port, enough for boxes that only answer requests. [USD]"""
    usd_per_hour_share: NDArray[np.float64]
    """Hourly cost of a dollar of network: its part of a year's capital, support and taxes. [1/h]"""

    def at(self, accelerator: NDArray[np.int64]) -> OwnedNetwork:
        """The same for candidates by their accelerator."""
        return replace(
            self,
            box_devices=self.box_devices[accelerator],
            rate_share=self.rate_share[accelerator],
            usd_per_hour_share=self.usd_per_hour_share[accelerator],
        )


@formula(
    title="Network of an owned device",
    unit="USD",
    expression="0 in a single box; port_usd · ⌈paid_devices / box_devices⌉ / paid_devices where no replica leaves its "
    "box; else fabric_usd",
    source="a replica that stays inside one box needs no fabric; a box that is not full has its whole port",
)
def owned_network_usd(
    paid_devices: Values, devices_per_replica: Values, box_devices: Values, port_usd: float, fabric_usd: Values
) -> NDArray[np.float64]:
    """Capital of the network per device that is bought. [USD]"""
    paid = np.asarray(paid_devices, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        ports_usd = port_usd * np.ceil(paid / box_devices) / paid
    across = np.where(np.greater(devices_per_replica, box_devices), fabric_usd, ports_usd)
    return np.asarray(np.where(np.less_equal(paid, box_devices), 0.0, across), np.float64)


SOLD_ON_BOARDS = ("SXM", "OAM", "half an OAM")
"""Beginnings of the form factors that nobody sells one by one; racks are those of the catalogue."""
USUAL_BOARD_DEVICES = 8
"""Devices of a board whose node the catalogue lacks."""
TERMS_OF_OWNING = "scenario: terms of owning"


@dataclass(frozen=True)
class OwnedEnergy:
    """Electricity within the price of owned devices; one entry per accelerator."""

    usd_per_hour: Floats
    """Of an hour under load."""
    idle_share: Floats
    """Idle power over power under load."""


@dataclass(frozen=True)
class Stock:
    """What the planner has already; one entry per accelerator."""

    devices: Floats
    usd_per_device_hour: Floats
    """Power under load, space, support and staff; nothing of the purchase."""

    joins: NDArray[np.bool_] | None = None
    """Cards that are bought one by one stand beside owned ones in a machine; None: what is added is a provider's."""
    energy_usd_per_device_hour: Values = 0.0
    """Its part for power."""
    carries_base: bool = False
    """What is added is released while the load does not need it: the stock works first, whatever whole units hold."""

    def group(self, accelerator: Integers, together: Floats, is_one_job: bool = False) -> Floats:
        """Devices that are all of the stock or all added, of replicas or a job of so many: no job spans sites. [1]"""
        return together if self.joins is None else np.where(is_one_job | self.joins[accelerator], 1.0, together)

    def added_in(self, who: Integers, added: Floats, together: Floats, is_one_job: bool) -> tuple[Floats, Floats]:
        """Groups of what is added, and the devices of each: of a job, what its cluster still needs. [1]"""
        count = np.ceil(added / (together if is_one_job else self.group(who, together)))
        return count, np.ceil(added / count)

    def used_by(self, accelerator: Integers, needed: Floats, together: Floats, is_one_job: bool = False) -> Floats:
        """Devices of the stock that fleets may take, in groups that stay together. [1]"""
        group = self.group(accelerator, together, is_one_job)
        return np.asarray(np.fmin(self.devices[accelerator], needed) // group * group)

    def usd_in_use(self, accelerator: Integers, draw_share: Values) -> Floats:
        """An hour of a device that draws so much of what it draws under load. [USD/h]"""
        energy = np.broadcast_to(self.energy_usd_per_device_hour, self.usd_per_device_hour.shape)[accelerator]
        return at_mean_draw(
            leaf(self.usd_per_device_hour[accelerator], "stock_usd_per_device_hour", "USD/h", TERMS_OF_OWNING),
            leaf(energy, "energy_usd_per_hour", "USD/h", TERMS_OF_OWNING),
            draw_share,
        )


NO_STOCK = Stock(np.zeros(0), np.zeros(0))
SourceOfUnits = Callable[[Integers, Floats], str]
"""Where the price of units of so many devices was read, by row of `Units` and devices."""


def untold(_row: Integers, _unit_devices: Floats) -> str:
    """A price whose source nobody asks for."""
    return ""


@dataclass(frozen=True)
class Units:
    """Sizes in which each accelerator is had, with the price of a device-hour in each; NaN where there are fewer.
    An accelerator has a row for each number of devices together from which another offer suits."""

    devices: Floats
    """Shape (rows, sizes)."""
    usd_per_device_hour: Floats
    is_single: NDArray[np.bool_]
    """Priced by the device, whatever the machine: any number is had."""
    network: OwnedNetwork | None = None
    """Of owned devices."""
    stock: Stock = NO_STOCK
    source: SourceOfUnits = untold
    energy: OwnedEnergy | None = None
    """Of owned devices; their price holds it for devices under load."""
    level: PriceLevel = "typical"
    """Of the prices. Beside others, the second half of the rows are the typical ones, for as many devices together."""
    held_from: Floats | None = None
    """Devices together from which each row of an accelerator counts, shape (accelerators, its rows), NaN beyond them;
    the last is infinite, of the typical offer. None: a row for each."""

    def rows(self, accelerator: Integers, together: Floats) -> Integers:
        """Rows of each accelerator for so many devices together, and of its offer whatever is left over; beside another
        level's, the typical ones. Shape (candidates, rows)."""
        if self.held_from is None:
            return accelerator[:, None]
        last = np.cumsum((~np.isnan(self.held_from)).sum(axis=1))[accelerator] - 1
        above = (self.held_from[accelerator] > np.maximum(together, 1.0)[:, None]).sum(axis=1)
        found = np.stack([last - above, last], axis=1)
        return found if self.level == "typical" else np.hstack([found, found + len(self.devices) // 2])

    def stock_used(self, accelerator: Integers, needed: Floats, together: Floats, is_one_job: bool = False) -> Floats:
        """Devices of the stock that fleets take: what the whole units that are added beside them do not hold. [1]"""
        most = self.stock.used_by(accelerator, needed, together, is_one_job)
        is_mixed = (most > 0) & (most < needed)
        if self.stock.carries_base or not is_mixed.any():
            return most
        count, size = self.stock.added_in(accelerator, np.maximum(needed - most, 1.0), together, is_one_job)
        unit = self.devices[chosen_units(self, accelerator, count, size)]
        group = self.stock.group(accelerator, together, is_one_job)
        with np.errstate(invalid="ignore"):
            whole = np.maximum(unit, np.ceil(group / unit) * unit)
            held = paid_devices(count, size, unit) / whole * (whole // group) * group
            left = np.ceil((needed - held) / group) * group
        return np.where(is_mixed & np.isfinite(left), np.clip(left, 0.0, most), most)

    @staticmethod
    def of(
        sizes: Sequence[Sequence[tuple[int, float]]], is_single: Sequence[bool],
        network: OwnedNetwork | None = None, stock: Stock = NO_STOCK, source: SourceOfUnits = untold,
        energy: OwnedEnergy | None = None, held_from: Sequence[Sequence[float]] | None = None,
        level: PriceLevel = "typical",
    ) -> Units:  # fmt: skip
        """Units from (devices, price) of each size of each row."""
        widest = max((len(one) for one in sizes), default=1)
        table = np.full((2, len(sizes), max(widest, 1)), np.nan)
        for row, of_one in enumerate(sizes):
            for column, (devices, usd) in enumerate(of_one):
                table[:, row, column] = devices, usd
        starts = None if held_from is None else np.array(list(zip_longest(*held_from, fillvalue=np.nan))).T
        return Units(table[0], table[1], np.array(is_single, bool), network, stock, source, energy, level, starts)


@dataclass(frozen=True)
class PaidFleet:
    """What is paid for a fleet, one entry per candidate."""

    devices: Floats
    """Devices paid for, in whole units."""
    unit_devices: Floats
    usd_per_device_hour: Floats
    """Price of a device in use; the cost of unused ones is spread over those that work."""
    network_usd: Floats
    """Capital of the network of each device that is bought; 0 for rented ones."""
    draw_share: Floats
    """Mean power of an owned device that is paid for over its power under load."""
    stock_devices: Floats
    """Devices in use that the planner has already."""
    stock_usd_per_device_hour: Floats
    """Their part of the price of a device in use: running costs alone."""

    def mean_usd_per_device_hour(self, devices: Floats, running_share: Floats) -> Floats:
        """A device of the fleet on average over its hours, where such a share of all devices is paid for. [USD/h]"""
        share = leaf(self.stock_share(devices), "stock_share", "", "count")
        return mean_usd_per_device_hour(self.usd_per_device_hour, self.stock_usd_per_device_hour, share, running_share)

    def stock_share(self, devices: Floats) -> Floats:
        """Owned ones of so many devices. [1]"""
        return np.divide(self.stock_devices, devices, out=np.zeros(len(devices)), where=self.stock_devices > 0)

    @property
    def without_stock_usd(self) -> PaidFleet:
        """The same, its owned devices at no cost."""
        usd, nothing = self.usd_per_device_hour - self.stock_usd_per_device_hour, np.zeros(len(self.devices))
        return replace(self, usd_per_device_hour=usd, stock_usd_per_device_hour=nothing)


@formula(
    title="Devices paid for",
    unit="devices",
    expression="units · unit_devices; units = ⌈replicas / ⌊unit_devices/devices_per_replica⌋⌉, or replicas · "
    "⌈devices_per_replica/unit_devices⌉ for replicas larger than a unit",
    source="replicas are placed whole on units as they are sold or rented",
)
def paid_devices(replicas: Floats, devices_per_replica: Floats, unit_devices: Floats) -> Floats:
    """Devices of all units that hold so many replicas; arguments broadcast. [1]

    Examples
    --------
    >>> float(paid_devices(5.0, 2.0, 8.0)), float(paid_devices(3.0, 16.0, 8.0)), float(paid_devices(1.0, 3.0, 8.0))
    (16.0, 48.0, 8.0)
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        on_one = np.floor(unit_devices / devices_per_replica)
        shared = np.ceil(replicas / np.maximum(on_one, 1.0))
        alone = replicas * np.ceil(devices_per_replica / unit_devices)
    return np.asarray(np.where(on_one >= 1, shared, alone) * unit_devices, np.float64)


@formula(
    title="Price of a device in use",
    unit="USD/h",
    expression="listed_usd_per_device_hour · paid_devices / devices",
    source="unused devices of a unit are paid for as well",
)
def spread_usd_per_device_hour(listed_usd_per_device_hour: Floats, paid_devices: Floats, devices: Floats) -> Floats:
    """What a device that works costs, with its share of those that are stranded; as listed for no fleet. [USD/h]"""
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = listed_usd_per_device_hour * paid_devices / devices
    return np.asarray(np.where(np.isnan(devices), listed_usd_per_device_hour, spread), np.float64)


@formula(
    title="Owned device-hour with its network",
    unit="USD/h",
    expression="listed_usd_per_device_hour + usd_per_hour_share · (network_usd − full_usd)",
    source="the listed hour holds a full fabric's share; the fleet pays for the network that it has",
)
def with_network_usd_per_hour(
    listed_usd_per_device_hour: Floats, usd_per_hour_share: Floats, network_usd: Floats, full_usd: float
) -> Floats:
    """An hour of an owned device in a fleet of its size. [USD/h]"""
    found = listed_usd_per_device_hour + usd_per_hour_share * (np.nan_to_num(network_usd, nan=full_usd) - full_usd)
    return np.asarray(found, np.float64)


@formula(
    title="Network of a device bought beside owned ones",
    unit="USD",
    expression="(whole_usd · (paid_devices + stock_devices) − stock_usd · stock_devices) / paid_devices",
    source="the fabric of all devices together, less that of the owned ones, which stands already",
)
def joined_network_usd(
    whole_usd: Floats, stock_usd: Floats, paid_devices: Floats, stock_devices: Floats
) -> NDArray[np.float64]:
    """Capital of the network per device that is bought, what joins it to the owned ones included. [USD]"""
    added = whole_usd * (paid_devices + stock_devices) - stock_usd * stock_devices
    return np.asarray(added / paid_devices, np.float64)


def _network_usd(own: OwnedNetwork, paid: Floats, together: Floats, stock: Floats) -> Floats:
    """Of each device that is bought beside so many owned ones for jobs or replicas of so many. [USD]"""

    def alone(devices: Floats) -> Floats:
        fabric = fabric_usd_per_device(own.full_usd, own.rate_share, devices, own.oversubscription, own.switch_share)
        return owned_network_usd(devices, together, own.box_devices, own.port_usd, fabric)

    if not stock.any():
        return alone(paid)
    # Devices of one box have no network; none are as good as one.
    return joined_network_usd(alone(paid + stock), alone(np.maximum(stock, 1.0)), paid, stock)


def cabled_stock(own: OwnedNetwork, paid: Floats, together: Floats, used: Floats, usable: Floats) -> Floats:
    """Owned devices on one network with added ones: with those left aside where that takes less of a network. [1]"""
    without, along = (_network_usd(own, paid, together, one) for one in (used, usable))
    return np.where(along < without, usable, used)


def paid_fleet(
    units: Units,
    accelerator: Integers,
    replicas: Floats,
    devices_per_replica: Floats | Integers,
    is_one_job: bool = False,
    draw_share: Values = 1.0,
) -> PaidFleet:
    """Each fleet in the offer and the size of unit that cost it least; NaN where no price is known.

    A replica larger than a unit is spread over several of the largest. What is in stock is used first: whole replicas
    or one job of it, any device of a job where the others are bought beside it, none that added units hold anyway.
    A device in use draws `draw_share` of its power under load on average.
    """
    if units.stock.devices.any():
        return _with_stock(units, accelerator, replicas, devices_per_replica, is_one_job, draw_share)
    each = np.asarray(devices_per_replica, np.float64)
    return _new_fleet(units, accelerator, replicas, each, draw_share, each, *np.zeros((2, len(each))))


def added_fleet(
    units: Units, accelerator: Integers, stock_devices: Floats, needed: Floats, together: Floats, is_one_job: bool,
    draw_share: Values,
) -> PaidFleet:  # fmt: skip
    """What is paid for beside so many devices of the stock, for jobs or replicas of so many; at least one device."""
    count, size = units.stock.added_in(accelerator, np.maximum(needed - stock_devices, 1.0), together, is_one_job)
    usable = units.stock.used_by(accelerator, needed, together, is_one_job)
    return _new_fleet(units, accelerator, count, size, draw_share, together, stock_devices, usable)


def chosen_units(
    units: Units, accelerator: Integers, replicas: Floats, each: Floats
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and size in which each fleet is paid for."""
    row = units.rows(accelerator, each)
    sizes, usd = units.devices[row], units.usd_per_device_hour[row]
    is_open = (sizes >= each[:, None, None]) | (sizes == np.nanmax(sizes, axis=2, initial=0.0, keepdims=True))
    is_open |= units.is_single[row][:, :, None] & (sizes == 1)
    count = np.asarray(replicas, np.float64)[:, None, None]
    total = np.where(np.isnan(count), 1.0, paid_devices(count, each[:, None, None], sizes)) * usd
    total = np.where(is_open & ~np.isnan(total), total, np.inf)
    by_row = total.min(axis=2)
    if units.level == "high":
        least = np.nanmin(sizes[:, 1], axis=1, initial=np.inf)
        place = _dearest(by_row, count[:, 0, 0] * each > least / 2)
    else:
        place = by_row.argmin(axis=1)
    every = np.arange(len(each))
    return row[every, place], total[every, place].argmin(axis=1)


def _dearest(usd: Floats, fills_half: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The dearest of the highest offer that suits what works together, the highest of all where a fleet fills more than
    half of one of its machines (nobody rents one to leave most of it idle), and the cheaper of the two typical ones."""
    typical = usd[:, 2:]
    is_open = np.column_stack([np.ones_like(fills_half), fills_half, typical == typical.min(axis=1, keepdims=True)])
    return np.asarray(np.where(is_open & np.isfinite(usd), usd, -1.0).argmax(axis=1), np.int64)


def _new_fleet(
    units: Units, accelerator: Integers, replicas: Floats, each: Floats, draw_share: Values, together: Floats,
    used: Floats, usable: Floats,
) -> PaidFleet:  # fmt: skip
    row, size = chosen_units(units, accelerator, replicas, each)
    unit = leaf(
        units.devices[row, size], "unit_devices", "devices", "catalogue: nodes as sold, or instances as offered"
    )
    source = units.source(row, unit)
    listed = leaf(units.usd_per_device_hour[row, size], "listed_usd_per_device_hour", "USD/h", source)
    paid = paid_devices(replicas, each, unit)
    if units.network is None:
        network_usd = np.zeros(len(each))
    else:
        own = units.network.at(accelerator)
        network_usd = _network_usd(own, paid, together, cabled_stock(own, paid, together, used, usable))
        listed = with_network_usd_per_hour(listed, own.usd_per_hour_share, network_usd, own.full_usd)
    devices, drawn = np.asarray(replicas * each), np.broadcast_to(draw_share, each.shape)
    if units.energy is not None:
        idle = leaf(units.energy.idle_share[accelerator], "idle_share", "", "scenario, or catalogue: idle power")
        drawn = paid_draw_share(draw_share, idle, devices, paid)
        energy = leaf(units.energy.usd_per_hour[accelerator], "energy_usd_per_hour", "USD/h", TERMS_OF_OWNING)
        listed = at_mean_draw(listed, energy, drawn)
    price = spread_usd_per_device_hour(listed, paid, devices)
    return PaidFleet(paid, unit, price, network_usd, drawn, np.zeros(len(each)), np.zeros(len(each)))


@formula(
    title="Price of a device in use, some owned already",
    unit="USD/h",
    expression="(stock_devices · stock_usd_per_device_hour + added_devices · added_usd_per_device_hour) / devices",
    source="the purchase of owned devices is a sunk cost: they cost power, space, support and staff",
)
def mixed_usd_per_device_hour(
    stock_devices: Floats,
    stock_usd_per_device_hour: Floats,
    added_devices: Floats,
    added_usd_per_device_hour: Floats,
    devices: Floats,
) -> Floats:
    """Mean price over devices in stock and added ones. [USD/h]"""
    added = np.where(added_devices > 0, added_devices * added_usd_per_device_hour, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((stock_devices * stock_usd_per_device_hour + added) / devices, np.float64)


def _with_stock(
    units: Units, accelerator: Integers, replicas: Floats, devices_per_replica: Floats | Integers, is_one_job: bool,
    draw_share: Values,
) -> PaidFleet:  # fmt: skip
    """Fleets that use what is in stock before they add to it."""
    each, stock, new = np.asarray(devices_per_replica, np.float64), units.stock, replace(units, stock=NO_STOCK)
    needed = np.asarray(replicas * each)
    plain = paid_fleet(new, accelerator, replicas, devices_per_replica, draw_share=draw_share)
    used = units.stock_used(accelerator, needed, each, is_one_job)
    added, has_some, running = needed - used, used > 0, stock.usd_in_use(accelerator, draw_share)
    rest = added_fleet(units, accelerator, used, needed, each, is_one_job, draw_share)
    usd = mixed_usd_per_device_hour(used, running, added, rest.usd_per_device_hour, needed)
    bought = np.where(added > 0, rest.devices, 0.0)
    return PaidFleet(
        np.where(has_some, used + bought, plain.devices),
        np.where(has_some & (added > 0), rest.unit_devices, plain.unit_devices),
        np.where(has_some, usd, plain.usd_per_device_hour),
        np.where(has_some & (added > 0), rest.network_usd, plain.network_usd),
        plain.draw_share,
        used,
        np.divide(used * running, needed, out=np.zeros(len(each)), where=has_some),
    )


def owned_size(entry: Accelerator, node: NodeType | None) -> int:
    """Devices that are bought together: a card alone, what sits on a board or in a rack with its node."""
    if node is not None and (node.sold_as == "rack" or entry.form_factor.startswith(SOLD_ON_BOARDS)):
        return node.accelerator_count
    if not entry.form_factor.startswith(SOLD_ON_BOARDS):
        return 1
    domain = entry.scale_up.domain_size if entry.scale_up else None
    return domain or USUAL_BOARD_DEVICES
