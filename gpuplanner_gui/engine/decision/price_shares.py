"""What each dollar of a catalogued accelerator buys: compute, bandwidth, capacity, interconnect, host and storage."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.prices import OwnedDevices, owned_devices
from gpuplanner_gui.engine.cost.resources import Resources, resource_cost_shares


def owned_of(context: Context, economics: Economics) -> OwnedDevices:
    """Every accelerator of the catalogue as its owner pays for it."""
    return owned_devices(
        context.accelerators,
        tuple(context.catalog.nodes.values()),
        economics,
        context.calibration.economics.assumptions,
        context.assumed_power,
    )


@lru_cache(maxsize=8)
def cost_shares(context: Context, economics: Economics, procurement: Procurement) -> Resources:
    """Shares of cost of every accelerator; they sum to 1.

    Owners pay for the network that their terms state; nobody sells the links of what is rented apart. A device without
    scale-up links spends nothing on them. Where no price is known, a node of unit price stands in.
    """
    owned = owned_of(context, economics)
    node = np.where(np.isnan(owned.node_usd), 1.0, owned.node_usd)
    network = np.broadcast_to(np.asarray(central(economics.ownership.network_usd_per_device), float), node.shape)
    storage = np.broadcast_to(np.asarray(central(economics.ownership.storage_usd_per_device), float), node.shape)
    is_owned = procurement == "own"
    network = network * is_owned
    priced = ~np.isnan(owned.node_usd)
    split = context.calibration.economics.resource_split.centrals()
    has_links = np.array([entry.scale_up is not None and is_owned for entry in context.accelerators], bool)
    has_ports = ~np.isnan(context.devices.scale_out_bytes_per_s) & np.bool_(is_owned)
    return resource_cost_shares(
        node,
        np.where(priced, network, 0.0),
        np.where(priced, storage, 0.0),
        split["device_share_of_node"],
        np.where(has_links, split["scale_up_share_of_node"], 0.0),
        np.where(has_ports, split["scale_out_share_of_node"], 0.0),
        split["memory_share_of_device"],
        split["capacity_share_of_memory"],
    )
