"""Which measured collective stands for a fabric: the device's own, a relative's, or the link's figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.calibration import CollectiveSet, KernelCalibration
from gpuplanner_gui.domain.hardware import Accelerator, Link
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.hardware.collectives import CollectiveKind, CollectiveParameters
from gpuplanner_gui.engine.kernels.efficiency import device_distance

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
) -> FabricEvidence:
    """Parameters for a collective between devices of one kind over one link.

    `custom` asks for the engine's own all-reduce kernel, which falls back to the library's where it does itself,
    `mnnvl` for the one across hosts of an NVLink rack, `deepep_ht` and `deepep_ll` for the exchange with experts of
    high throughput (prefill) or low latency (decode); other collectives and point to point are the library's (NCCL).
    Across hosts a link of kind scale_out goes by its figures. What many ranks reach over PCIe is the host's doing more
    than the device's (a switch or two sockets: 0.06 to 0.67 of the link at eight ranks), so that devices which were not
    timed get the median over those that were; beyond a bridge, over slots that no switch joins, what the nearest does.
    """
    fabric = fabric_kind(link)
    is_timed_by_planner = any(found.is_own and found.accelerator == accelerator.id for found in calibration.collectives)
    if kind == "point_to_point" or (fabric == "other" and not is_timed_by_planner) or link.kind == "scale_out":
        return FabricEvidence(by_specification(kind, link), "specification", "", "", SPECIFICATION_LOG_SD)
    has_own_kernels = kind in ("all_reduce", "expert_dispatch", "expert_combine")
    wanted = library if has_own_kernels else "nccl"
    devices = {(device.accelerator, device.is_own): device for device in calibration.devices}
    weights = calibration.relatedness

    def distance(found: CollectiveSet) -> float:
        other_engine = weights.engine if found.engine not in ("", engine) else 0.0
        return device_distance(accelerator, devices[found.accelerator, found.is_own], weights) + other_engine

    candidates = [
        found
        for found in calibration.collectives
        if (found.collective, found.fabric, found.library) == (kind, fabric, wanted)
        and (not found.is_own or found.accelerator == accelerator.id)
    ]
    if not candidates:
        return FabricEvidence(by_specification(kind, link), "specification", "", "", SPECIFICATION_LOG_SD)
    found = min(candidates, key=distance)
    is_own = found.accelerator == accelerator.id
    parameters = parameters_of(found)
    if fabric == "pcie" and not is_own and accelerator.scale_up is None:
        parameters = at_median_efficiency(parameters, candidates)
    spread = found.residual.log_sd if is_own else max(found.residual.log_sd, 0.5 * SPECIFICATION_LOG_SD)
    return FabricEvidence(parameters, "measured" if is_own else "relative", found.accelerator, found.library, spread)


def parameters_of(found: CollectiveSet) -> CollectiveParameters:
    return CollectiveParameters(
        **{field.name: np.asarray(found.parameters[field.name]) for field in fields(CollectiveParameters)}
    )


def at_median_efficiency(parameters: CollectiveParameters, timed: Sequence[CollectiveSet]) -> CollectiveParameters:
    """The parameters with the median share of the link that timed devices reach, each of them counted once."""

    def median(name: str) -> NDArray[np.float64]:
        by_device: dict[str, list[float]] = {}
        for one in timed:
            by_device.setdefault(one.accelerator, []).append(one.parameters[name])
        return np.asarray(np.median([np.median(shares) for shares in by_device.values()]))

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
