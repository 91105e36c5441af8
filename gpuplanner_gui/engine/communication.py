"""Links between the devices of a replica, and the time of the collectives that run over them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.devices import DeviceTable
from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.serving_candidates import ServingCandidates

Floats = NDArray[np.float64]

SCALE_UP_LATENCY_S = 4.0e-6
"""Small all-reduces of serving engines' own kernels on NVLink: 3 to 5 us for 2 to 8 ranks (engine notes, serving peers,
5c)."""
PCIE_LATENCY_S = 13e-6
"""The same over PCIe: 5 to 26 us for 2 to 8 ranks."""
NETWORK_LATENCY_S = 25e-6
LINK_EFFICIENCY = 0.7


def fabric_of(candidates: ServingCandidates, devices: DeviceTable) -> tuple[Floats, Floats]:
    """Rate [bytes/s per direction] and latency [s] of the links between a replica's tensor-parallel devices."""
    who = candidates.accelerator
    inside = candidates.tensor_parallel <= devices.scale_up_domain[who]
    rate = np.where(inside, devices.scale_up_bytes_per_s[who], devices.scale_out_bytes_per_s[who])
    latency = np.where(devices.has_scale_up[who], SCALE_UP_LATENCY_S, PCIE_LATENCY_S)
    return np.where(np.isnan(rate), 1.0, rate), np.where(inside, latency, NETWORK_LATENCY_S)


@formula(
    title="All-reduce",
    unit="s",
    expression="latency_s + 2 (ranks − 1)/ranks · message_bytes/(0.7 link_bytes_per_s)",
    source="ring all-reduce; latency and efficiency of measured kernels (engine notes, serving peers, 5c)",
)
def all_reduce_time_s(message_bytes: Floats, ranks: Floats, link_bytes_per_s: Floats, latency_s: Floats) -> Floats:
    """Time to sum a message over the devices that share it; none for a single device. [s]"""
    wire = 2.0 * (ranks - 1) / ranks * message_bytes / (LINK_EFFICIENCY * link_bytes_per_s)
    return np.where(ranks > 1, latency_s + wire, 0.0)
