"""Bytes and time of the exchanges of a training step: tensor, pipeline, data, context and expert parallelism.

Ranks are placed tensor-parallel innermost, then context, then data (experts among them), pipeline outermost, as
Megatron-LM does; so tensor parallelism stays within the scale-up domain first, and pipeline stages part first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.hardware import Accelerator, Link
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.hardware.devices import device_table, port_share_bytes_per_s, usual_node_devices


@dataclass(frozen=True)
class Wires:
    """Rates and step latencies of a layout's device, inside its domain and beyond; one entry per layout."""

    devices: Integers
    """Devices of the whole job."""
    domain_devices: Floats
    is_one_host: NDArray[np.bool_]
    """Whether a scale-up domain is one host, which a job fills. Of a domain of several hosts it takes whole groups."""
    scale_up_bytes_per_s: Floats
    scale_up_step_s: Floats
    network_bytes_per_s: Floats
    network_step_s: Floats


def ranks_in_domain(ranks: Integers, stride: Integers, domain_devices: Floats) -> Floats:
    """How many of a group's ranks share one scale-up domain when neighbours are `stride` devices apart; at least 1."""
    return np.clip(domain_devices // stride, 1, ranks).astype(np.float64)


def ranks_together(ranks: Integers, stride: Integers, wires: Wires) -> Floats:
    """How many ranks share a domain in the group that is parted worst, for it sets the pace of all; at least 1.

    Groups stand one behind another, so that the k-th begins at device k · ranks · stride. In domains of one host each
    that a group neither fills nor divides, some group lies across a border: groups of 6 in hosts of 8 are parted 2 + 4.
    """
    fits = ranks_in_domain(ranks, stride, wires.domain_devices)
    smallest_part = np.gcd(ranks * stride, np.maximum(wires.domain_devices, 1).astype(np.int64))
    is_parted = wires.is_one_host & (wires.devices > wires.domain_devices)
    return np.where(is_parted, np.minimum(fits, np.maximum(smallest_part // stride, 1)), fits)


@formula(
    title="Gather or scatter over two levels",
    unit="s",
    expression="(g − 1)/g · S/W_up + (n − 1)/n · S/g/W_net + latencies; g ranks inside, n = ranks/g domains",
    source="ring on each level: Thakur et al. 2005, section 4; NCCL's busbw uses the same factors",
)
def half_exchange_s(message_bytes: Floats, ranks: Integers, inside: Floats, wires: Wires) -> Floats:
    """Reduce-scatter, or all-gather, of a message that each of `ranks` ends with or starts from a share of. [s]

    An all-reduce is two of them. Nothing for one rank.
    """
    domains = np.ceil(ranks / inside)
    up = (inside - 1) / inside * message_bytes / wires.scale_up_bytes_per_s
    out = (domains - 1) / domains * message_bytes / inside / wires.network_bytes_per_s
    waits = _steps(inside) * wires.scale_up_step_s + _steps(domains) * wires.network_step_s
    return np.where(ranks > 1, up + out + waits, 0.0)


@formula(
    title="Expert dispatch over two levels",
    unit="s",
    expression="max(k · (g − 1)/ranks · S/W_up, (n − 1) · (1 − (1 − 1/n)^k) · S/W_net) + latency; n = ranks/g domains",
    source="a token goes to each other domain at most once and is passed on inside (DeepSeek-V3 report 2024, section"
    " 3.2.2); what stays inside travels at the same time",
)
def all_to_all_s(once_bytes: Floats, k: float, ranks: Integers, inside: Floats, wires: Wires) -> Floats:
    """Every rank sends its tokens to `k` experts each, spread evenly over the ranks. [s]

    `once_bytes` are all tokens of a rank, once; `inside` ranks share a scale-up domain.
    """
    domains = ranks / inside
    up = k * (inside - 1) / ranks * once_bytes / wires.scale_up_bytes_per_s
    reached = 1.0 - (1.0 - 1.0 / domains) ** k
    out = (domains - 1) * reached * once_bytes / wires.network_bytes_per_s
    waits = np.where(ranks > inside, wires.network_step_s, wires.scale_up_step_s)
    return np.where(ranks > 1, np.maximum(up, out) + waits, 0.0)


@formula(
    title="Tokens to their experts",
    unit="s",
    expression="dispatch_s + gather_s; gather_s is a gather over two levels of k · ETP · S",
    source="Megatron-Core, MoEAlltoAllTokenDispatcher: after the all-to-all, devices that share an expert gather its "
    "tokens, and scatter the sums of what they make of them",
)
def expert_exchange_s(dispatch_s: Floats, gather_s: Floats) -> Floats:
    """One way of the tokens of a layer, where several devices share each expert. [s]"""
    return dispatch_s + gather_s


@formula(
    title="Send between pipeline stages",
    unit="s",
    expression="message_bytes / rate + latency",
    source="point to point; over the network as soon as one hop of the pipeline leaves its domain, for all wait for it",
)
def send_s(message_bytes: Floats, wires: Wires) -> Floats:
    """One activation, or its gradient, to the neighbouring stage, over the slowest hop of the pipeline. [s]"""
    stays = wires.devices <= wires.domain_devices
    rate = np.where(stays, wires.scale_up_bytes_per_s, wires.network_bytes_per_s)
    return message_bytes / rate + np.where(stays, wires.scale_up_step_s, wires.network_step_s)


def _steps(ranks: Floats) -> Floats:
    """Latency steps: a ring's for few ranks, a tree's beyond."""
    return np.where(ranks <= 8, ranks - 1, 7 + 2 * np.log2(np.maximum(ranks, 8) / 8))


@formula(
    title="Communication not overlapped",
    unit="s",
    expression="max(exchange_s − cover_s, leak · exchange_s)",
    source="exchanges run beside the passes they belong to; what contends or cannot be hidden remains",
)
def exposed_s(exchange_s: Floats, cover_s: Floats, leak: Floats | float) -> Floats:
    """Time that devices wait for an exchange, given the computing time that can cover it. [s]"""
    return np.maximum(exchange_s - cover_s, leak * exchange_s)


HOST_STATE_SHARE = 0.75
"""Share of a host's memory for offloaded state: an assumption that leaves a quarter to the system, data loaders and
the copy of an asynchronous checkpoint."""
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
    """Rate of a device's share of the adapters that reach storage."""
    host_memory_bytes: Floats
    """Host memory for the offloaded state of a device; NaN where no node states its memory."""


def cluster_of(
    catalog: Catalog,
    network: str,
    oversubscription: float,
    slow_link_share: float,
    slow_node_link_share: float = 1.0,
    host_link_bytes_per_s: float | None = None,
) -> Cluster:
    """The usual cluster of every accelerator, with the planner's network where one is named.

    A name that the catalogue lacks leaves the usual network in place. Catalogues are compared by identity.
    """
    clusters = _clusters_of(catalog)
    return clusters(network, oversubscription, slow_link_share, slow_node_link_share, host_link_bytes_per_s)


@lru_cache(maxsize=4)
def _clusters_of(catalog: Catalog) -> Callable[[str, float, float, float, float | None], Cluster]:
    """The clusters of a catalogue, each made once; of few catalogues, as each project that is opened brings its own."""
    return lru_cache(maxsize=16)(partial(_cluster, catalog))


def _cluster(
    catalog: Catalog,
    network: str,
    oversubscription: float,
    slow_link_share: float,
    slow_node_link_share: float,
    host_link_bytes_per_s: float | None,
) -> Cluster:
    entries = tuple(catalog.accelerators.values())
    devices = device_table(catalog).in_slots_of(host_link_bytes_per_s)
    chosen = catalog.links.get(network)
    node_devices = np.array([float(usual_node_devices(entry, catalog)) for entry in entries])
    on_pcie = np.array([bool(catalog.nodes_of(entry.id)) for entry in entries]) & ~devices.has_scale_up
    domain = np.where(on_pcie, np.minimum(devices.scale_up_domain, node_devices), devices.scale_up_domain)
    links = [catalog.link_of(entry) for entry in entries]
    networks = [chosen or _network_of(entry, catalog) for entry in entries]
    rate = np.array([link.bytes_per_s_per_direction if link else np.nan for link in networks])
    if chosen is None:
        rate = np.where(np.isnan(devices.scale_out_bytes_per_s), rate, devices.scale_out_bytes_per_s)
    to_store = np.array([port_share_bytes_per_s(entry, catalog, "storage and management") for entry in entries])
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
        catalog, hardware.network, hardware.oversubscription, hardware.slow_link_share, hardware.slow_node_link_share,
        hardware.host_link_bytes_per_s,
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


def _host_bytes(entry: Accelerator, catalog: Catalog) -> float:
    """A device's share of host memory in the leanest catalogued node, less what the host needs itself. [bytes]

    A processor or a system on a chip has none: its host's memory is its own.
    """
    if entry.kind in ("soc", "cpu"):
        return 0.0
    shares = [
        node.host_ram_bytes / node.accelerator_count
        for node in catalog.nodes_of(entry.id)
        if node.host_ram_bytes is not None
    ]
    return min(shares, default=float("nan")) * HOST_STATE_SHARE


def host_room_bytes(host_bytes: Floats, usable_bytes: Floats) -> Floats:
    """Room for what is offloaded; beside devices whose host nobody describes, as if it had their memory: an
    assumption. [bytes]"""
    return np.where(np.isnan(host_bytes), HOST_STATE_SHARE * usable_bytes, host_bytes)


def _efficiency(link: Link | None) -> float:
    if link is None:
        return USUAL_EFFICIENCY
    return link.collective_efficiency or link.point_to_point_efficiency or USUAL_EFFICIENCY


def _step_s(link: Link | None, usual: float) -> float:
    if link is None:
        return usual
    return usual if link.collective_latency_s is None else central(link.collective_latency_s)
