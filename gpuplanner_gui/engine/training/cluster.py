"""How the devices of a training cluster are wired: nodes, scale-up domains and the network between them, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.hardware import Accelerator, Link
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.engine.hardware.devices import device_table

HOST_STATE_SHARE = 0.75
"""Of a host's memory, for offloaded state: an assumption, which leaves a quarter to the system, to data loaders and to
the copy of an asynchronous checkpoint."""
USUAL_NODE_DEVICES = 8
USUAL_EFFICIENCY = 0.7
SCALE_UP_STEP_S = 6e-6
NETWORK_STEP_S = 12e-6
"""Latency of one step of a collective where the catalogue has no figure of the link."""
USUAL_NETWORK_BYTES_PER_S = 12.5e9
"""100 Gb/s per device where the catalogue does not say how an accelerator is usually connected."""


@dataclass(frozen=True)
class Cluster:
    """One entry per accelerator of the catalogue. Rates are per device and direction, as collectives reach them."""

    node_devices: Floats
    domain_devices: Floats
    """Devices that reach each other over the scale-up fabric, or over PCIe in the host as it is sold."""
    is_one_host: NDArray[np.bool_]
    """Whether a scale-up domain is within one host."""
    scale_up_bytes_per_s: Floats
    scale_up_step_s: Floats
    network_bytes_per_s: Floats
    network_step_s: Floats
    store_bytes_per_s: Floats
    """Of a device's share of the adapters that reach storage."""
    host_memory_bytes: Floats
    """That offloaded state of a device may take of its host; NaN where no node states its memory."""


@lru_cache(maxsize=16)
def cluster_of(
    catalog: Catalog, network: str, oversubscription: float, slow_link_share: float, slow_node_link_share: float = 1.0
) -> Cluster:
    """The usual cluster of every accelerator, with the planner's network where one is named.

    A name that the catalogue lacks leaves the usual network in place. Catalogues are compared by identity.
    """
    entries = tuple(catalog.accelerators.values())
    devices = device_table(entries)
    chosen = catalog.links.get(network)
    sold = {node.accelerator_id: float(node.accelerators_per_host or 0) for node in catalog.nodes.values()}
    node_devices = np.array([sold.get(entry.id) or float(_node_devices(entry)) for entry in entries])
    on_pcie = np.array([entry.id in sold for entry in entries]) & ~devices.has_scale_up
    domain = np.where(on_pcie, np.minimum(devices.scale_up_domain, node_devices), devices.scale_up_domain)
    links = [catalog.link_of(entry) for entry in entries]
    networks = [chosen or _network_of(entry, catalog) for entry in entries]
    rate = np.array([link.bytes_per_s_per_direction if link else np.nan for link in networks])
    if chosen is None:
        rate = np.where(np.isnan(devices.scale_out_bytes_per_s), rate, devices.scale_out_bytes_per_s)
        # A bridge joins fewer devices than a host holds: what leaves it crosses PCIe before it meets an adapter.
        sold_rate = np.array([_sold_bytes_per_s(entry, catalog, "scale-out") for entry in entries])
        rate = np.where(on_pcie, np.fmin(rate, sold_rate), rate)
    to_store = np.array([_sold_bytes_per_s(entry, catalog, "storage and management") for entry in entries])
    rate = np.where(np.isnan(rate), USUAL_NETWORK_BYTES_PER_S, rate)
    scale_up = np.where(np.isnan(devices.scale_up_bytes_per_s), rate, devices.scale_up_bytes_per_s)
    return Cluster(
        node_devices=node_devices,
        domain_devices=domain,
        is_one_host=domain <= node_devices,
        scale_up_bytes_per_s=scale_up * np.array([_efficiency(link) for link in links]) * slow_node_link_share,
        scale_up_step_s=np.array([_step_s(link, SCALE_UP_STEP_S) for link in links]),
        network_bytes_per_s=rate * np.array([_efficiency(link) for link in networks])
        * slow_link_share / oversubscription,
        network_step_s=np.array([_step_s(link, NETWORK_STEP_S) for link in networks]),
        store_bytes_per_s=np.where(np.isnan(to_store), rate, to_store),
        host_memory_bytes=np.array([_host_bytes(entry, catalog) for entry in entries]),
    )  # fmt: skip


def cluster_for(catalog: Catalog, hardware: HardwareChoice) -> Cluster:
    """The clusters that a scenario's choice of hardware means."""
    return cluster_of(
        catalog, hardware.network, hardware.oversubscription, hardware.slow_link_share, hardware.slow_node_link_share
    )  # fmt: skip


def _network_of(entry: Accelerator, catalog: Catalog) -> Link | None:
    """The link of an accelerator's usual node, else the catalogue's network of the same rate."""
    for node in catalog.nodes_of(entry.id):
        for nic in node.nics:
            if nic.purpose == "scale-out" and nic.link_id in catalog.links:
                return catalog.links[nic.link_id]
    rate = entry.scale_out_bytes_per_s
    same = [
        link
        for link in catalog.links.values()
        if link.kind == "scale_out" and link.bytes_per_s_per_direction == rate and link.id.startswith(("ib", "eth"))
    ]
    return same[0] if same else None


def _sold_bytes_per_s(entry: Accelerator, catalog: Catalog, purpose: str) -> float:
    """A device's share of its best catalogued node's adapters of a purpose; NaN where none is stated. [bytes/s]"""
    shares = [np.nan]
    for node in catalog.nodes_of(entry.id):
        rates = [nic.count * nic.bytes_per_s_each for nic in node.nics if nic.purpose == purpose]
        if rates:
            shares.append(sum(rates) / max(node.accelerator_count, 1))
    return float(np.fmax.reduce(shares))


def _host_bytes(entry: Accelerator, catalog: Catalog) -> float:
    """A device's share of the smallest catalogued host's memory, less what the host needs itself. [bytes]"""
    shares = [
        node.host_ram_bytes / max(node.accelerators_per_host or node.accelerator_count, 1)
        for node in catalog.nodes_of(entry.id)
        if node.host_ram_bytes is not None
    ]
    return min(shares, default=float("nan")) * HOST_STATE_SHARE


def _efficiency(link: Link | None) -> float:
    if link is None:
        return USUAL_EFFICIENCY
    return link.collective_efficiency or link.point_to_point_efficiency or USUAL_EFFICIENCY


def _step_s(link: Link | None, usual: float) -> float:
    if link is None:
        return usual
    return usual if link.collective_latency_s is None else central(link.collective_latency_s)


def _node_devices(entry: Accelerator) -> int:
    if entry.kind in ("soc", "cpu", "npu"):
        return 1
    domain = entry.scale_up.domain_size if entry.scale_up else None
    return min(domain or USUAL_NODE_DEVICES, USUAL_NODE_DEVICES) if domain and domain > 4 else USUAL_NODE_DEVICES
