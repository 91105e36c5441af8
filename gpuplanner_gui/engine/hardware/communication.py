"""Links between the devices of a serving replica, and the time of the collectives that run over them.

Parameters are chosen once per accelerator and engine from measured collectives (`fabric_efficiency`); a replica gathers
them by index. Tensor parallelism beyond a scale-up domain goes in two levels: within the domain, then across.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.hardware import Accelerator, Link
from gpuplanner_gui.domain.knowledge import CollectiveSet, KernelCalibration
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.columns import gathered
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.hardware.collectives import (
    CollectiveKind,
    CollectiveParameters,
    CollectiveTime,
    collective_time,
    expert_exchange_bytes,
    held_at_port,
)
from gpuplanner_gui.engine.hardware.devices import PCIE_DOMAIN, DeviceTable
from gpuplanner_gui.engine.kernels.efficiency import device_distances
from gpuplanner_gui.engine.recent import Recent

FabricKind = Literal["nvlink", "pcie", "other"]
Library = Literal["nccl", "custom", "mnnvl", "deepep_ht", "deepep_ll"]

TYPICAL_COLLECTIVE_LATENCY_S = 10e-6
TYPICAL_EFFICIENCY = 0.75
SPECIFICATION_LOG_SD = 0.5
"""Spread of a collective known by its link's figures alone: their latencies span a factor of three or so."""


@dataclass(frozen=True)
class FabricEvidence:
    """Parameters of one collective on one fabric, each a scalar array, and what they rest on."""

    parameters: CollectiveParameters
    level: Literal["measured", "relative", "specification"]
    accelerator: str
    library: str
    log_sd: float
    reduces_on_the_way: bool = False


def fabric_kind(link: Link) -> FabricKind:
    """NVLink and PCIe were measured; all other fabrics go by their own figures."""
    if link.id.startswith("nvlink"):
        return "nvlink"
    return "pcie" if link.id.startswith("pcie") else "other"


def nearest_collective(
    calibration: KernelCalibration,
    kind: CollectiveKind,
    accelerator: Accelerator,
    link: Link,
    engine: str = "",
    library: Library = "custom",
    to_device: Floats | None = None,
) -> FabricEvidence:
    """Parameters for a collective between devices of one kind over one link.

    `custom` asks for the engine's own all-reduce kernel, which falls back to the library's where it does itself,
    `mnnvl` for the one across hosts of an NVLink rack, `deepep_ht` and `deepep_ll` for the exchange with experts of
    high throughput (prefill) or low latency (decode); other collectives and point to point are the library's (NCCL).
    Across hosts a link of kind scale_out goes by its figures. What many ranks reach over PCIe is the host's doing more
    than the device's (a switch or two sockets: 0.06 to 0.67 of the link at eight ranks), so that devices which were not
    timed get the median over those that were; beyond a bridge, over slots that no switch joins, what the nearest does.
    `to_device` is the accelerator's row of `device_distances`, for whoever has it.
    """
    fabric, timed = fabric_kind(link), _recent_timed.of((calibration,), lambda: _Timed(calibration))
    is_timed_by_planner = accelerator.id in timed.own
    if kind == "point_to_point" or (fabric == "other" and not is_timed_by_planner) or link.kind == "scale_out":
        return FabricEvidence(by_specification(kind, link), "specification", "", "", SPECIFICATION_LOG_SD)
    has_own_kernels = kind in ("all_reduce", "expert_dispatch", "expert_combine")
    known = timed.families.get((kind, fabric, library if has_own_kernels else "nccl"), ())
    candidates = [one for one in known if not one.is_own or one.accelerator == accelerator.id]
    if not candidates:
        return FabricEvidence(by_specification(kind, link), "specification", "", "", SPECIFICATION_LOG_SD)
    distances = device_distances((accelerator,), calibration)[0] if to_device is None else to_device

    def distance(found: CollectiveSet) -> float:
        other_engine = calibration.relatedness.engine if found.engine not in ("", engine) else 0.0
        return float(distances[timed.devices[found.accelerator, found.is_own]]) + other_engine

    found = min(candidates, key=distance)
    is_own = found.accelerator == accelerator.id
    parameters = parameters_of(found)
    if fabric == "pcie" and not is_own and accelerator.scale_up is None:
        parameters = at_median_efficiency(parameters, candidates)
    spread = found.residual.log_sd if is_own else max(found.residual.log_sd, 0.5 * SPECIFICATION_LOG_SD)
    level: Literal["measured", "relative"] = "measured" if is_own else "relative"
    return FabricEvidence(parameters, level, found.accelerator, found.library, spread, found.reduces_on_the_way)


class _Timed:
    """Collectives that were timed, by what is asked of them."""

    def __init__(self, calibration: KernelCalibration) -> None:
        self.devices = {(device.accelerator, device.is_own): row for row, device in enumerate(calibration.devices)}
        self.own = {one.accelerator for one in calibration.collectives if one.is_own}
        self.families: dict[tuple[str, str, str], list[CollectiveSet]] = {}
        for one in calibration.collectives:
            self.families.setdefault((one.collective, one.fabric, one.library), []).append(one)


_recent_timed: Recent[_Timed] = Recent()


def parameters_of(found: CollectiveSet) -> CollectiveParameters:
    parameters = CollectiveParameters(
        **{field.name: np.asarray(found.parameters[field.name]) for field in fields(CollectiveParameters)}
    )
    return held_at_port(parameters, found.reduces_on_the_way)


def at_median_efficiency(parameters: CollectiveParameters, timed: Sequence[CollectiveSet]) -> CollectiveParameters:
    """The parameters with the median share of the link that timed devices reach, each of them counted once."""

    def median(name: str) -> NDArray[np.float64]:
        by_device: dict[str, list[float]] = {}
        for one in timed:
            by_device.setdefault(one.accelerator, []).append(one.parameters[name])
        return np.asarray(statistics.median(map(statistics.median, by_device.values())))

    return replace(
        parameters,
        efficiency_2=median("efficiency_2"),
        efficiency_4=median("efficiency_4"),
        efficiency_8=median("efficiency_8"),
    )


def by_specification(kind: CollectiveKind, link: Link) -> CollectiveParameters:
    """Parameters from the link's own latency and efficiency; the ramp is nil."""
    stated = link.point_to_point_efficiency if kind == "point_to_point" else link.collective_efficiency
    efficiency = stated or link.collective_efficiency or link.point_to_point_efficiency or TYPICAL_EFFICIENCY
    latency = link.collective_latency_s
    return CollectiveParameters(
        latency_s=np.asarray(TYPICAL_COLLECTIVE_LATENCY_S if latency is None else central(latency)),
        latency_per_rank_s=np.asarray(central(link.hardware_latency_s)),
        efficiency_2=np.asarray(efficiency),
        efficiency_4=np.asarray(efficiency),
        efficiency_8=np.asarray(efficiency),
        ramp_s=np.asarray(0.0),
        ramp_bytes=np.asarray(1.0),
    )


NETWORK_COLLECTIVE_LATENCY_S = 25e-6
NETWORK = Link(
    id="network",
    name="Network between scale-up domains",
    kind="scale_out",
    bytes_per_s_per_direction=50e9,
    hardware_latency_s=5e-6,
    collective_latency_s=NETWORK_COLLECTIVE_LATENCY_S,
    collective_efficiency=0.7,
    point_to_point_efficiency=0.8,
)
"""Latency and efficiency of usual 400 Gb/s networks; the rate is the accelerator's own."""

COLLECTIVES: tuple[tuple[str, CollectiveKind, Library], ...] = (
    ("all_reduce", "all_reduce", "custom"),
    ("all_gather", "all_gather", "nccl"),
    ("reduce_scatter", "reduce_scatter", "nccl"),
    ("dispatch", "expert_dispatch", "deepep_ll"),
    ("combine", "expert_combine", "deepep_ll"),
    ("bulk_dispatch", "expert_dispatch", "deepep_ht"),
    ("bulk_combine", "expert_combine", "deepep_ht"),
)


@dataclass(frozen=True)
class Fabrics:
    """Collectives within the scale-up domain of each accelerator, then within its host over PCIe; shape (2 ·
    accelerators,)."""

    all_reduce: CollectiveParameters
    all_gather: CollectiveParameters
    reduce_scatter: CollectiveParameters
    dispatch: CollectiveParameters
    combine: CollectiveParameters
    bulk_dispatch: CollectiveParameters
    bulk_combine: CollectiveParameters
    across: CollectiveParameters
    """All-reduce between domains."""


@dataclass(frozen=True)
class ReplicaFabric:
    """What the candidates' devices are connected with; every array has the candidates' shape."""

    link_bytes_per_s: Floats
    """Within a scale-up domain, per device and direction."""
    network_bytes_per_s: Floats
    domain_size: Floats
    fabrics: Fabrics
    row: Integers
    """Row of `fabrics`."""
    gathered: dict[str, CollectiveParameters] = field(default_factory=dict)
    """Parameters by collective, as they are asked for."""

    def at(self, index: Integers) -> ReplicaFabric:
        """Some of the candidates."""
        return ReplicaFabric(
            self.link_bytes_per_s[index],
            self.network_bytes_per_s[index],
            self.domain_size[index],
            self.fabrics,
            self.row[index],
        )

    def parameters(self, collective: str) -> CollectiveParameters:
        """Parameters of one collective for every candidate."""
        if collective not in self.gathered:
            self.gathered[collective] = gathered(getattr(self.fabrics, collective), self.row)
        return self.gathered[collective]


def bound_fabrics(
    accelerators: tuple[Accelerator, ...],
    links: dict[str, Link],
    calibration: KernelCalibration,
    engine: str,
    to_device: Floats,
) -> Fabrics:
    """Choose the nearest measured collectives for the fabric of every accelerator, and for its host's PCIe.

    `to_device` comes from `device_distances`. A planner's own runs leave them as they are: the newest are kept.
    """

    def made() -> Fabrics:
        ways = [(entry, link_within(entry, links), row) for entry, row in zip(accelerators, to_device)]
        ways += [(entry, host_link(entry), row) for entry, row in zip(accelerators, to_device)]
        columns = {
            name: _stacked([
                nearest_collective(calibration, kind, entry, link, engine, library, row).parameters
                for entry, link, row in ways
            ])
            for name, kind, library in COLLECTIVES
        }  # fmt: skip
        return Fabrics(**columns, across=_stacked([by_specification("all_reduce", NETWORK)] * len(ways)))

    return _recent_fabrics.of((engine, accelerators, links, calibration), made)


_recent_fabrics: Recent[Fabrics] = Recent(4)


def link_within(accelerator: Accelerator, links: dict[str, Link]) -> Link:
    """The link between devices of one scale-up domain: the fabric's own entry, else PCIe of its rate."""
    scale_up = accelerator.scale_up
    if scale_up is not None:
        if scale_up.link_id in links:
            return links[str(scale_up.link_id)]
        return Link(
            id="scale-up",
            name=scale_up.name,
            kind="scale_up",
            bytes_per_s_per_direction=scale_up.bytes_per_s_per_direction,
            hardware_latency_s=1e-6,
        )
    return host_link(accelerator)


def host_link(accelerator: Accelerator) -> Link:
    """PCIe between the devices of a host."""
    rate = accelerator.pcie.bytes_per_s_per_direction if accelerator.pcie else NETWORK.bytes_per_s_per_direction
    return Link(id="pcie", name="PCIe", kind="host_link", bytes_per_s_per_direction=rate, hardware_latency_s=2e-6)


def _stacked(found: list[CollectiveParameters]) -> CollectiveParameters:
    names = CollectiveParameters.__dataclass_fields__
    return CollectiveParameters(
        **{name: np.array([float(getattr(one, name)) for one in found], np.float64) for name in names}
    )


def _is_beyond_bridge(accelerator: Integers, ranks: Floats, devices: DeviceTable) -> NDArray[np.bool_]:
    """Where cards with a bridge go over PCIe, all of them: there are more than it joins, and the slowest link of a ring
    sets its pace."""
    return np.asarray((ranks > devices.scale_up_domain[accelerator]) & devices.is_bridged[accelerator])


def link_rate(accelerator: Integers, ranks: Floats, devices: DeviceTable) -> Floats:
    """Rate between devices of one host, given by their accelerators' index and how many work on one token. [bytes/s]"""
    beyond = _is_beyond_bridge(accelerator, ranks, devices)
    rate = np.where(beyond, devices.host_bytes_per_s[accelerator], devices.scale_up_bytes_per_s[accelerator])
    return np.where(np.isnan(rate), UNKNOWN_LINK_BYTES_PER_S, rate)


def fabric_of(
    accelerator: Integers, ranks: Floats, links: Floats, devices: DeviceTable, fabrics: Fabrics
) -> ReplicaFabric:
    """The links of candidates given by their accelerators' index, the devices that work on one token, and their
    `link_rate`."""
    over_bridge = _is_beyond_bridge(accelerator, ranks, devices)
    network = devices.scale_out_bytes_per_s[accelerator]
    return ReplicaFabric(
        link_bytes_per_s=links,
        network_bytes_per_s=np.where(np.isnan(network), UNKNOWN_LINK_BYTES_PER_S, network),
        domain_size=np.where(over_bridge, PCIE_DOMAIN, devices.scale_up_domain[accelerator]),
        fabrics=fabrics,
        row=accelerator + over_bridge * len(devices),
    )


UNKNOWN_LINK_BYTES_PER_S = 10e9
"""Stands in where the catalogue states no rate; about what 100 Gb/s Ethernet carries."""


@formula(
    title="All-reduce",
    unit="s",
    expression="latency + ramp · w/(w + ramp_bytes) + w/(link rate · efficiency), w = 2 (ranks - 1)/ranks ·"
    " message_bytes; beyond a scale-up domain, shards across it besides",
    source="measured collectives of serving engines (calibration); Thakur et al. 2005, section 4",
)
def all_reduce_time(message_bytes: Floats, ranks: Floats, fabric: ReplicaFabric) -> CollectiveTime:
    """Time to sum a message over the devices that share it, by part; none for a single device. [s]"""
    local = np.minimum(ranks, fabric.domain_size)
    inside = collective_time(
        "all_reduce", message_bytes, local, fabric.link_bytes_per_s, fabric.parameters("all_reduce")
    )
    if not (ranks > local).any():
        return inside
    domains = np.ceil(ranks / local)
    return inside + collective_time(
        "all_reduce", message_bytes / local, domains, fabric.network_bytes_per_s, fabric.parameters("across")
    )


def gather_and_scatter_time_s(message_bytes: Floats, ranks: Floats, fabric: ReplicaFabric) -> Floats:
    """Every rank gets all tokens before the experts, and its own tokens' sums afterwards. [s]

    `message_bytes` is the gathered tensor of all ranks.
    """
    rate = np.where(ranks > fabric.domain_size, fabric.network_bytes_per_s, fabric.link_bytes_per_s)
    gather = collective_time("all_gather", message_bytes, ranks, rate, fabric.parameters("all_gather"))
    scatter = collective_time("reduce_scatter", message_bytes, ranks, rate, fabric.parameters("reduce_scatter"))
    return np.asarray(gather.total + scatter.total)


def exchange_time_s(
    tokens_per_rank: Floats,
    hidden: float,
    top_k: float,
    ranks: Floats,
    sent_bytes: float,
    fabric: ReplicaFabric,
    is_bulk: NDArray[np.bool_],
) -> Floats:
    """Each token goes to the ranks of its experts (in `sent_bytes` per value) and their sums come back in 16 bits. [s]

    `is_bulk` chooses the kernels of high throughput, as for prefill, instead of those of low latency.
    """
    rate = np.where(ranks > fabric.domain_size, fabric.network_bytes_per_s, fabric.link_bytes_per_s)
    sent = expert_exchange_bytes(tokens_per_rank, np.asarray(hidden), np.asarray(sent_bytes), np.asarray(top_k), ranks)
    back = expert_exchange_bytes(tokens_per_rank, np.asarray(hidden), np.asarray(2.0), np.asarray(top_k), ranks)

    def both(out: str, home: str) -> Floats:
        there = collective_time("expert_dispatch", sent, ranks, rate, fabric.parameters(out))
        return np.asarray(
            there.total + collective_time("expert_combine", back, ranks, rate, fabric.parameters(home)).total
        )

    if not is_bulk.any():
        return both("dispatch", "combine")
    return np.where(is_bulk, both("bulk_dispatch", "bulk_combine"), both("dispatch", "combine"))
