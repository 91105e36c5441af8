"""The order list of a recommended fleet: positions, prices with their source, and cash by quarter.

Prices are the plan's own, taken apart: the lines that are not own entries add up to what the plan costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Values
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.economics import OrderEntry, OrderItem, Procurement
from gpuplanner_gui.domain.hardware import NodeType
from gpuplanner_gui.domain.model import Precision
from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.domain.price import OrderLine, OrderList, Paid, RentalOrder, Topology
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.advisor.case import (
    NAN,
    Advised,
    AdvisedRun,
    AdvisedService,
    beside_of_year,
    connected_devices,
    draw_share_of,
    fleet_in_units,
    owned_on_terms,
    prices_on_term,
    quote_of,
    stock_usd_per_hour,
    used_of_stock,
    year_draw_share_of,
)
from gpuplanner_gui.engine.cost.bill import TERM_LENGTHS, Beside
from gpuplanner_gui.engine.cost.fabric import SWITCH_PORTS, fabric_unit_usd, fat_tree, fat_tree_endpoint_limit
from gpuplanner_gui.engine.cost.offers import Quote
from gpuplanner_gui.engine.cost.prices import OwnedPrices, bought_node, purchase_price, with_network
from gpuplanner_gui.engine.cost.quotations import money_usd
from gpuplanner_gui.engine.cost.units import NO_STOCK, PaidFleet, Units, added_fleet, cabled_stock
from gpuplanner_gui.engine.decision.fleet_years import use_share
from gpuplanner_gui.engine.decision.order_cash import order_over_years
from gpuplanner_gui.engine.model.weight_sizes import format_in_precision, weight_bytes
from gpuplanner_gui.engine.training.data_input import data_of

YOUR_TERMS = "your entries: terms of owning"
TO_BE_ENTERED: tuple[OrderItem, ...] = ("spare_nodes", "spare_links")
"""What an owner needs and no catalogue prices."""
FULL_RATE_SHARE_SOURCE = "your entries: network per device of a full fabric"


@dataclass(frozen=True)
class Bought:
    """An owned fleet as it is added to what stands there already."""

    units: Units
    fleet: PaidFleet
    """Fleet of the added devices alone."""
    devices: float
    stock: float
    cabled: float
    """Owned devices on one network with them."""
    stock_usd_per_hour: float
    owned: OwnedPrices
    node: NodeType | None

    def each(self, part: Values) -> float:
        """A figure of one device."""
        return float(np.ravel(part)[0])


def order_of(case: Advised) -> OrderList | None:
    """The order of the fleet of the first day; None where no price is known."""
    if case.procurement == "own":
        return _owned_order(case)
    return _rented_order(case)


def _owned_order(case: Advised) -> OrderList | None:
    bought = _bought(case, year_draw_share_of(case))
    planned = [*_owned_capital(case, bought), *_site(case, bought), *_owned_running(case, bought)]
    if not math.isfinite(bought.each(bought.owned.capital.total)):
        return None
    own = case.scenario.economics.ownership
    annuity = bought.each(bought.owned.annual.capital_usd) * bought.devices
    in_use = _owned_running(case, _bought(case, draw_share_of(case)))
    running = sum(one.usd for one in in_use if not one.is_unknown)
    lines = tuple(with_entries([one for one in planned if one.quantity != 0], case))
    usd = (annuity + running) / central(own.availability) * case.paid_hours_per_year("own") / HOURS_PER_YEAR
    return _listed(
        case, lines, bought.devices, bought.stock,
        topology=_topology(case, bought), bought=bought, planned=usd,
    )  # fmt: skip


def _bought(case: Advised, drawn: float) -> Bought:
    """Whole nodes beyond the stock, with the network of their own number, at a mean draw."""
    economics, entry = case.scenario.economics, case.best.accelerator
    units = prices_on_term(case, "own").units
    stock = used_of_stock(case, units)
    added = case.devices - stock
    cabled = stock
    if stock and added > 0:
        used, needed, each = (np.array([one]) for one in (stock, case.devices, case.devices_together))
        who, is_run = np.zeros(1, np.int64), isinstance(case, AdvisedRun)
        fleet = added_fleet(units, who, used, needed, each, is_run, drawn)
        if units.network is not None:
            usable, own = units.stock.used_by(who, needed, each, is_run), units.network.at(who)
            cabled = float(cabled_stock(own, fleet.devices, each, used, usable)[0])
    else:
        fleet = fleet_in_units(case, replace(units, stock=NO_STOCK), drawn)
    terms = with_network(economics, float(np.nan_to_num(fleet.network_usd[0])))
    owned = owned_on_terms(case, terms, float(fleet.draw_share[0]))
    devices = float(fleet.devices[0]) if added > 0 else 0.0
    node = bought_node(entry, case.context.catalog.nodes_of(entry.id))
    return Bought(units, fleet, devices, stock, cabled, stock_usd_per_hour(case, units.stock, drawn), owned, node)


def _owned_capital(case: Advised, bought: Bought) -> Iterator[OrderLine]:
    capital, unit = bought.owned.capital, float(bought.fleet.unit_devices[0])
    node, entry = bought.node, case.best.accelerator
    name = node.name if node is not None and unit > 1 else entry.name
    host = case.context.calibration.economics.assumptions.figure("host_price_share")
    price = purchase_price(entry, node, case.scenario.economics, host)
    yield OrderLine(
        item="nodes", paid="once", name=name, quantity=bought.devices / unit,
        unit_usd=bought.each(capital.node_usd) * unit, source=price.source, date=price.date,
        values={"devices_each": unit, "spare_replicas": _spares(case)},
    )  # fmt: skip
    yield from _network(case, bought)
    yield OrderLine(
        item="storage", paid="once", quantity=bought.devices, unit="devices",
        unit_usd=bought.each(capital.storage_usd), source=YOUR_TERMS,
    )  # fmt: skip
    yield OrderLine(
        item="installation", paid="once", quantity=bought.devices, unit="devices",
        unit_usd=bought.each(capital.installation_usd), source=YOUR_TERMS,
    )  # fmt: skip


def _spares(case: Advised) -> float:
    return float(case.workload.availability.spare_replicas) if isinstance(case, AdvisedService) else 0.0


def _topology(case: Advised, bought: Bought) -> Topology:
    network, each = bought.units.network, float(np.nan_to_num(bought.fleet.network_usd[0]))
    if network is None or bought.devices == 0 or each == 0:
        return "none"
    if case.devices_together <= float(network.box_devices[0]):
        return "ports"
    together = bought.devices + bought.cabled
    if together > fat_tree_endpoint_limit(SWITCH_PORTS, 3.0, network.oversubscription):
        return "unknown"
    tiers = int(fat_tree(together, SWITCH_PORTS, network.oversubscription).tiers)
    by_tier: tuple[Topology, ...] = ("single_switch", "leaf_spine", "fat_tree")
    return by_tier[tiers - 1]


def _network(case: Advised, bought: Bought) -> Iterator[OrderLine]:
    """Switches, and links with their cable and modules: the fabric that the plan pays for, beside what owned devices
    have between their boxes."""
    network, kind = bought.units.network, _topology(case, bought)
    if network is None or kind == "none":
        return
    each = float(bought.fleet.network_usd[0])
    if kind == "ports":
        usd = network.port_usd
        yield OrderLine(
            item="node_ports", paid="once", quantity=float(np.round(bought.devices * each / usd, 6)), unit_usd=usd,
            source="catalogue: economics_presets, plain network",
        )  # fmt: skip
        return
    if kind == "unknown":
        yield OrderLine(
            item="network", paid="once", quantity=bought.devices, unit="devices", unit_usd=each, source=YOUR_TERMS
        )
        return
    tree = fat_tree(bought.devices + bought.cabled, SWITCH_PORTS, network.oversubscription)
    if bought.cabled > float(network.box_devices[0]):
        tree = tree.beyond(fat_tree(bought.cabled, SWITCH_PORTS, network.oversubscription))
    switch_usd, link_usd = fabric_unit_usd(network.full_usd, network.rate_share, network.switch_share)
    rate = float(network.rate_share[0]) * case.context.calibration.economics.assumptions.figure(
        "full_fabric_bytes_per_s"
    )
    counts: tuple[tuple[OrderItem, float, float], ...] = (
        ("leaf_switches", float(tree.leaf_switches), float(switch_usd[0])),
        ("spine_switches", float(tree.spine_switches), float(switch_usd[0])),
        ("core_switches", float(tree.core_switches), float(switch_usd[0])),
        ("node_links", float(tree.endpoint_links), float(link_usd[0])),
        ("switch_links", float(tree.switch_links), float(link_usd[0])),
    )
    for item, count, usd in counts:
        is_link = item.endswith("links")
        beside = {"optical_modules": 2 * count} if is_link else {"ports_each": float(SWITCH_PORTS)}
        if count:
            yield OrderLine(
                item=item, paid="once", quantity=count, unit_usd=usd, source=FULL_RATE_SHARE_SOURCE,
                values={**beside, "bytes_per_s": rate},
            )  # fmt: skip


def _site(case: Advised, bought: Bought) -> Iterator[OrderLine]:
    """What the room must offer: rack units and power are known, the rest the planner enters."""
    own, node = case.scenario.economics.ownership, bought.node
    if bought.devices == 0:
        # Nothing comes to where all of it stands already.
        yield from _stored(case)
        return
    devices = bought.devices + bought.stock
    boxes = math.ceil(devices / node.accelerator_count) if node is not None else NAN
    is_rack = node is not None and node.sold_as == "rack"
    stated: tuple[tuple[OrderItem, str, float | None], ...] = (
        ("rack_units", "", node.rack_units if node else None),
        ("weight", "kg", node.weight_kg if node else None),
        ("floor_space", "m²", node.floor_space_m2 if node else None),
    )
    for item, unit, each in stated:
        quantity = NAN if each is None else boxes * each
        yield OrderLine(item=item, paid="not_bought", quantity=quantity, unit=unit, source=_sources(node))
    # A rack that is sold whole has its price among the nodes.
    yield OrderLine(
        item="racks", paid="not_bought" if is_rack else "once", quantity=boxes if is_rack else NAN,
        source=_sources(node) if is_rack else "",
    )  # fmt: skip
    rated = bought.each(bought.owned.rated_power_w) * devices
    yield OrderLine(
        item="power_feed", paid="not_bought", quantity=rated * (1 + central(own.infrastructure_power_share)), unit="W",
        source=_sources(node) or "catalogue: power of the accelerator",
        values={"pue": central(case.scenario.economics.site.pue)},
    )  # fmt: skip
    yield from _stored(case)
    for item in TO_BE_ENTERED:
        yield OrderLine(item=item, paid="once", quantity=NAN)


def _sources(node: NodeType | None) -> str:
    return "; ".join(node.sources) if node is not None else ""


def _stored(case: Advised) -> Iterator[OrderLine]:
    """What the store must hold and give; its price stands in the storage line, or in the rental bill."""
    if isinstance(case, AdvisedService):
        table, model = case.best.table, case.scenario.model
        assert isinstance(table, ServingTable)
        precision = cast(Precision, case.plan.precisions[int(table.weight_precision[case.best.row])])
        weights = float(weight_bytes(model, format_in_precision(model, precision)).total)
        rate = central(case.workload.start.storage_read_bytes_per_s)
        yield OrderLine(
            item="weight_storage", paid="not_bought", quantity=weights, unit="bytes", source="plan",
            values={"read_bytes_per_s": rate},
        )  # fmt: skip
        return
    checkpoints, data = case.workload.checkpoints, data_of(case.workload, case.scenario.model, case.context)
    rate = central(checkpoints.storage_write_bytes_per_s)
    store = case.plan.training.store_needed if case.plan.training else None
    needed = {"needed_write_bytes_per_s": store.write_bytes_per_s} if store is not None else {}
    yield OrderLine(
        item="checkpoint_storage", paid="not_bought", quantity=case.best.of("checkpoint_storage_bytes"),
        unit="bytes", source="plan",
        values={"copies": float(checkpoints.kept + 1), **needed, "write_bytes_per_s": rate},
    )  # fmt: skip
    tokens = case.plan.training.tokens if case.plan.training else NAN
    yield OrderLine(
        item="data_storage", paid="not_bought", quantity=tokens * central(data.bytes_per_token), unit="bytes",
        source="plan",
        values={
            "needed_read_bytes_per_s": case.best.of("data_bytes_per_s"),
            "read_bytes_per_s": central(data.storage_read_bytes_per_s),
        },
    )  # fmt: skip


def _owned_running(case: Advised, bought: Bought) -> Iterator[OrderLine]:
    """Yearly cost of the added devices, and of those that stand there already."""
    own, site, annual = case.scenario.economics.ownership, case.scenario.economics.site, bought.owned.annual
    devices, rated, drawn = bought.devices, bought.each(bought.owned.rated_power_w), float(bought.fleet.draw_share[0])
    power_kw = rated * devices * (1 + central(own.infrastructure_power_share)) / 1_000
    parts: tuple[tuple[OrderItem, float, str, float], ...] = (
        ("colocation", bought.each(annual.facility_usd), "kW", power_kw),
        ("electricity", bought.each(annual.energy_usd), "kWh",
         power_kw * central(site.power_share_of_rating) * drawn * central(site.pue) * HOURS_PER_YEAR),
        ("support", bought.each(annual.support_usd), "devices", devices),
        ("licences", bought.each(annual.software_usd) or NAN, "devices", devices),
        ("staff", bought.each(annual.staff_usd), "devices", devices),
        ("insurance_and_tax", bought.each(annual.insurance_and_tax_usd), "devices", devices),
    )  # fmt: skip
    for item, usd_per_device, unit, quantity in parts:
        unit_usd = usd_per_device * devices / quantity if quantity else usd_per_device
        yield OrderLine(item=item, paid="yearly", quantity=quantity, unit=unit, unit_usd=unit_usd, source=YOUR_TERMS)
    if bought.stock:
        yield _stock_line(bought.stock_usd_per_hour, bought.stock, central(own.availability))


def _stock_line(usd_per_hour: float, devices: float, availability: float) -> OrderLine:
    each = usd_per_hour * HOURS_PER_YEAR * availability
    return OrderLine(
        item="owned_devices", paid="yearly", quantity=devices, unit="devices", unit_usd=each, source=YOUR_TERMS
    )


def _rented_order(case: Advised) -> OrderList | None:
    economics, term = case.scenario.economics, case.procurement
    prices = prices_on_term(case, term)
    fleet = fleet_in_units(case, prices.units)
    stock = used_of_stock(case, prices.units)
    rented = float(fleet.devices[0]) - stock
    usd_per_hour = float(fleet.usd_per_device_hour[0]) * case.devices
    if not math.isfinite(usd_per_hour):
        return None
    hours, beside = case.paid_hours_per_year(term), beside_of_year(case)
    devices_usd = case.mean_usd_per_device_hour(term, fleet) * case.devices * HOURS_PER_YEAR
    running = stock * stock_usd_per_hour(case, prices.units.stock) if stock else 0.0
    # Owned devices serve at all hours, and train while there are runs.
    owned_usd = running * (HOURS_PER_YEAR if isinstance(case, AdvisedService) else hours)
    rented_usd = devices_usd - owned_usd
    unit = float(fleet.unit_devices[0])
    quote = quote_of(case, economics, term).in_instances_of(unit)
    planned = []
    if rented > 0:
        count, hourly = rented / unit, usd_per_hour - running
        hours = rented_usd / hourly if hourly > 0 else hours
        planned.append(OrderLine(
            item="instances", paid="yearly", name=quote.instance, quantity=count * hours, unit="instance-hours",
            unit_usd=hourly / count, source=quote.asked_by, date=quote.date,
            values={"instances": count, "devices_each": unit},
        ))  # fmt: skip
    if stock:
        each = stock_usd_per_hour(case, prices.units.stock, year_draw_share_of(case))
        planned.append(_stock_line(each, stock, central(economics.ownership.availability)))
    planned += _billed_beside(beside, rented_usd)
    planned += list(_stored(case))
    total = float(beside.billed_usd(devices_usd, owned_usd))
    rental = _rental(quote, term, rented, connected_devices(case, unit)) if rented > 0 else None
    return _listed(case, tuple(with_entries(planned, case)), rented, stock, planned=total, rental=rental)


def _billed_beside(beside: Beside, rented_usd: float) -> list[OrderLine]:
    """What a provider bills beside devices that are rented for so much. [USD/y]"""
    data_usd = float(beside.usd)
    support_usd = (rented_usd + data_usd) * float(beside.support_share)
    bills: tuple[tuple[OrderItem, float], ...] = (("storage_and_egress", data_usd), ("support", support_usd))
    return [
        OrderLine(item=item, paid="yearly", quantity=1.0, unit_usd=usd, source="your entries" if usd else "")
        for item, usd in bills
    ]


def _rental(quote: Quote, term: Procurement, devices: float, connected: float) -> RentalOrder:
    offer = quote.offer
    return RentalOrder(
        provider=quote.provider, instance=quote.instance, region=offer.region if offer else "",
        quota_devices=devices, largest_cluster=offer.largest_cluster if offer else None,
        term_years=TERM_LENGTHS.get(term, 0), connected_devices=connected,
    )  # fmt: skip


def with_entries(planned: list[OrderLine], case: Advised) -> Iterator[OrderLine]:
    """The list with what the planner entered: open positions filled, one line for each entry of them; lead times; and
    positions of their own.

    Where the plan pays something, its price stands: a quotation of it belongs among the quoted prices.
    """
    entries = case.scenario.economics.order
    listed = {one.item for one in planned}
    for line in planned:
        of_line = [one for one in entries if one.item == line.item]
        is_priced = any(one.unit_price is not None for one in of_line)
        if (np.isnan(line.unit_usd) and of_line) or (line.unit_usd == 0 and is_priced):
            yield from (_filled(line, entry, case) for entry in of_line)
        else:
            leads = [central(one.lead_time_s) for one in of_line if one.lead_time_s is not None]
            yield msgspec.structs.replace(line, lead_time_s=max(leads, default=NAN))
    for entry in entries:
        if entry.item not in listed:
            yield _filled(OrderLine(item=entry.item, paid=_paid(entry), quantity=1.0), entry, case)


def _filled(line: OrderLine, entry: OrderEntry, case: Advised) -> OrderLine:
    return msgspec.structs.replace(
        line,
        name=entry.name or line.name,
        quantity=line.quantity if entry.quantity is None else entry.quantity,
        unit_usd=line.unit_usd if entry.unit_price is None else money_usd(entry.unit_price, case.scenario.economics),
        paid=line.paid if entry.unit_price is None else _paid(entry),
        source=entry.source or line.source,
        date=entry.date or line.date,
        lead_time_s=NAN if entry.lead_time_s is None else central(entry.lead_time_s),
        is_own=True,
    )


def _paid(entry: OrderEntry) -> Paid:
    return "yearly" if entry.is_yearly else "once"


def _listed(
    case: Advised, lines: tuple[OrderLine, ...], devices: float, stock: float, *,
    planned: float, topology: Topology = "none", rental: RentalOrder | None = None, bought: Bought | None = None,
) -> OrderList:  # fmt: skip
    economics = case.scenario.economics
    rate = central(economics.ownership.cost_of_capital)
    runs = run_s = paid_h = 0.0
    if isinstance(case, AdvisedRun):
        runs, run_s, paid_h = case.runs_per_year, case.best.of("run_time_s"), case.run_hours
    order = OrderList(
        workload="serving" if isinstance(case, AdvisedService) else "training", accelerator=case.best.accelerator.id,
        term=case.procurement, devices=devices, stock_devices=stock, lines=lines, cash=(), present_value_usd=0.0,
        runs_per_year=runs, run_time_s=run_s, paid_run_h=paid_h, clusters=case.replicas if paid_h else 0.0,
        used_share=use_share(case), horizon_years=0.0, cost_of_capital=rate, topology=topology, rental=rental,
        planned_usd_per_year=planned,
    )  # fmt: skip
    return order_over_years(case, order, bought.owned if bought is not None else None)
