"""How gradient exchange over a network of two levels slows data-parallel training."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.formula import formula

Values = float | NDArray[np.floating[Any]]

BACKWARD_SHARE = 2.0 / 3.0
"""Backward passes take two of the three forward-sized parts of a training step's compute."""


@dataclass(frozen=True)
class HierarchicalAllReduce:
    """Time of a gradient all-reduce over nodes of several devices. [s]"""

    within_nodes_s: Values
    """Reduce-scatter before and all-gather after, over the scale-up links."""
    between_nodes_s: Values

    @property
    def total(self) -> Values:
        return self.within_nodes_s + self.between_nodes_s


@formula(
    title="Training compute time of a step",
    unit="s",
    expression="6·parameters·tokens_per_device / (peak_flop_per_s·mfu)",
    source="Kaplan et al. 2020, arXiv 2001.08361, section 2.1",
)
def step_compute_s(parameters: Values, tokens_per_device: Values, peak_flop_per_s: Values, mfu: Values) -> Values:
    """Forward and backward time of one step on one device, at the efficiency of a single node. [s]"""
    return 6 * parameters * tokens_per_device / (peak_flop_per_s * mfu)


@formula(
    title="Gradient all-reduce",
    unit="s",
    expression="within: 2·(d − 1)/d·bytes/within_rate; between: 2·(n − 1)/n·bytes/d/between_rate",
    source="Patarasuk and Yuan 2009, bandwidth-optimal ring, applied on each level",
)
def hierarchical_all_reduce_s(
    gradient_bytes: Values,
    nodes: Values,
    devices_per_node: Values,
    within_bytes_per_s: Values,
    between_bytes_per_s: Values,
) -> HierarchicalAllReduce:
    """Reduce gradients within each node, then between nodes, each device carrying its share, then gather back.

    Parameters
    ----------
    gradient_bytes : of one model replica. [bytes]
    nodes, devices_per_node : [1]
    within_bytes_per_s : scale-up rate of one device, one direction; infinite leaves that level out. [bytes/s]
    between_bytes_per_s : network rate of one device, one direction: a node's network over its devices. [bytes/s]

    Notes
    -----
    Large messages: latency is left out, so tiny models on many nodes come out too fast.
    """
    within = 2 * (devices_per_node - 1) / devices_per_node * gradient_bytes / within_bytes_per_s
    between = 2 * (nodes - 1) / nodes * gradient_bytes / devices_per_node / between_bytes_per_s
    return HierarchicalAllReduce(within, between)


@formula(
    title="Communication not hidden by compute",
    unit="s",
    expression="max(0, communication_s − overlap_share·compute_s)",
    source="gradients of early buckets travel while later ones are computed: Li et al. 2020, PyTorch Distributed, 3.2",
)
def exposed_communication_s(communication_s: Values, compute_s: Values, overlap_share: Values) -> Values:
    """Time that devices wait for the network; `overlap_share` of the compute can hide it, at most 2/3. [s]"""
    return np.maximum(0.0, communication_s - overlap_share * compute_s)


@formula(
    title="Scaling efficiency",
    unit="1",
    expression="compute_s / (compute_s + exposed_s)",
    source="share of a step that is compute",
)
def scaling_efficiency(compute_s: Values, exposed_s: Values) -> Values:
    """Throughput per device over that of a device alone. [1]"""
    return compute_s / (compute_s + exposed_s)


@formula(
    title="Slowdown on other hardware",
    unit="1",
    expression="time_elsewhere_s / time_at_home_s",
    source="ratio of predicted times for the same work",
)
def slowdown(time_elsewhere_s: Values, time_at_home_s: Values) -> Values:
    """How much longer the same work takes on hardware chosen for another workload. [1]"""
    return time_elsewhere_s / time_at_home_s
