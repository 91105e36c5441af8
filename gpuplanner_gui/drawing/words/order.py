"""The order list in words: its positions, what stands beside them, what is not known, and when a rental ends."""

from __future__ import annotations

from gpuplanner_gui.domain.economics import OrderItem
from gpuplanner_gui.domain.order import OrderLine, OrderList
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.decision import term_name

UNKNOWN = "unknown"
_ITEMS: dict[OrderItem, str] = {
    "nodes": "Nodes or racks, as sold",
    "leaf_switches": "Leaf switches",
    "spine_switches": "Spine switches",
    "core_switches": "Core switches",
    "node_links": "Links to nodes, with optics",
    "switch_links": "Links between switches, with optics",
    "node_ports": "Plain network ports of nodes",
    "network": "Network",
    "storage": "Storage",
    "installation": "Freight and installation",
    "spare_nodes": "Spare nodes on the shelf",
    "spare_links": "Spare cables and optics",
    "racks": "Racks",
    "rack_units": "Rack units",
    "power_feed": "Power to provision",
    "weight": "Weight",
    "floor_space": "Floor space",
    "colocation": "Colocation",
    "electricity": "Electricity",
    "support": "Support",
    "licences": "Software licences",
    "staff": "Staff",
    "insurance_and_tax": "Insurance and tax",
    "owned_devices": "Devices already owned, running cost",
    "instances": "Rented instances",
    "storage_and_egress": "Storage and egress",
    "checkpoint_storage": "Capacity for checkpoints",
    "weight_storage": "Capacity for weights, one copy",
    "data_storage": "Capacity for training data",
    "other": "Other",
}
_BESIDE = {
    "devices_each": ("devices in each: {value}", ""),
    "spare_replicas": ("spare replicas included: {value}", ""),
    "instances": ("instances: {value}", ""),
    "optical_modules": ("optical modules: {value}", ""),
    "ports_each": ("{value} ports each", ""),
    "bytes_per_s": ("{value} a port", "bytes/s"),
    "pue": ("before cooling; PUE {value}", ""),
    "copies": ("{value} copies", ""),
    "write_bytes_per_s": ("written at {value}", "bytes/s"),
    "read_bytes_per_s": ("read at {value}", "bytes/s"),
}
_TOPOLOGIES = {
    "single_switch": "Network: one switch.",
    "leaf_spine": "Network: leaf and spine, two tiers; a rail-optimised one has the same parts.",
    "fat_tree": "Network: fat tree of three tiers.",
    "ports": "Network: plain ports; no replica leaves its box.",
    "unknown": "Network: more endpoints than three tiers of switches reach; its parts are unknown.",
}


def item_name(line: OrderLine) -> str:
    """The position, with the product where it is known."""
    name = line.name if line.item == "other" and line.name else tr(_ITEMS[line.item])
    return f"{name}: {line.name}" if line.name and line.item != "other" else name


def beside_text(line: OrderLine) -> str:
    """Rates, sizes and copies of a position; whose entry it is."""
    parts = []
    for name, value in line.values.items():
        text, unit = _BESIDE[name]
        if value == value and not (name == "spare_replicas" and not value):
            parts.append(tr(text).format(value=format_value(value, unit)))
    if line.is_own:
        parts.append(tr("your entry, beside the plan's cost"))
    return ", ".join(parts)


def unknown_text(order: OrderList) -> str:
    """What the totals leave out; nothing where all is known."""
    if not order.unknown:
        return ""
    names = listed(tr(_ITEMS[one]).lower() for one in order.unknown)
    return tr("The totals leave out what is unknown: {names}. Enter it under Money › Order list.").format(names=names)


def topology_text(order: OrderList) -> str:
    return tr(_TOPOLOGIES[order.topology]) if order.topology in _TOPOLOGIES else ""


def rental_lines(order: OrderList) -> tuple[str, ...]:
    """What to ask the provider for, and when to cancel."""
    rental = order.rental
    if rental is None:
        return ()
    unknown = tr(UNKNOWN)
    asked = tr("Rent from {provider}: {instance}, region {region}. Ask for a quota of {devices} devices.").format(
        provider=rental.provider or unknown, instance=rental.instance or unknown, region=rental.region or unknown,
        devices=format_value(rental.quota_devices),
    )  # fmt: skip
    if rental.largest_cluster is None:
        cluster = tr("Largest cluster there: unknown.")
    else:
        cluster = tr("Largest cluster there: {count} devices.").format(count=format_value(rental.largest_cluster))
    if rental.term_years == 0:
        end = tr("Term: {term}. It can be given back at any hour.")
    else:
        end = tr("Term: {term}. Give notice before month {months} ends; the notice period is unknown.")
    return asked, cluster, end.format(term=term_name(order.term), months=12 * rental.term_years)
