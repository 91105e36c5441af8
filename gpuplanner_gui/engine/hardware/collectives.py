"""Time of collectives: latency that grows with ranks, a ramp at middle sizes, and the wire at large ones.

    time = latency + ramp x w / (w + ramp bytes) + w / (link rate x efficiency(ranks)),    w = bytes on one rank's wire

The middle term is the second segment that measurements show (protocols and algorithms switch by message size): it rises
from nothing to `ramp_s`, so small messages see a slower link and large ones an offset. Every term rises with the bytes
and none with the link's rate. Across scale-up domains the usual hierarchical schedules are composed of the same parts.

Message sizes are the whole buffer of one rank: the reduced tensor (all-reduce), the gathered result (all-gather), the
input (reduce-scatter), all that a rank sends, its own share included (all-to-all), the bytes sent (point to point);
for the exchange of tokens with experts, the bytes that leave or reach a rank (`expert_exchange_bytes`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import clamped

CollectiveKind = Literal[
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "point_to_point", "expert_dispatch", "expert_combine"
]

LINEAR_RANKS = 8.0
"""Up to here latency grows with each rank, beyond with each doubling, as rings give way to trees."""


@dataclass(frozen=True)
class CollectiveParameters:
    """Coefficients of `collective_time`; efficiencies at 2, 4, and 8 or more ranks."""

    latency_s: Floats
    latency_per_rank_s: Floats
    efficiency_2: Floats
    efficiency_4: Floats
    efficiency_8: Floats
    ramp_s: Floats
    ramp_bytes: Floats


@dataclass(frozen=True)
class CollectiveTime:
    """Where a collective's time goes, seconds per call."""

    latency_s: Floats
    ramp_s: Floats
    wire_s: Floats

    @property
    def total(self) -> Floats:
        return self.latency_s + self.ramp_s + self.wire_s

    def __add__(self, other: CollectiveTime) -> CollectiveTime:
        return CollectiveTime(self.latency_s + other.latency_s, self.ramp_s + other.ramp_s, self.wire_s + other.wire_s)


def _ring_share(ranks: Floats) -> Floats:
    return (ranks - 1.0) / np.maximum(ranks, 1.0)


WIRE_SHARE: Mapping[CollectiveKind, Callable[[Floats], Floats]] = {
    "all_reduce": lambda ranks: 2.0 * _ring_share(ranks),
    "all_gather": _ring_share,
    "reduce_scatter": _ring_share,
    "all_to_all": _ring_share,
    "point_to_point": lambda ranks: np.minimum(ranks - 1.0, 1.0),
    "expert_dispatch": lambda ranks: np.minimum(ranks - 1.0, 1.0),
    "expert_combine": lambda ranks: np.minimum(ranks - 1.0, 1.0),
}
"""Bytes on one rank's wire per byte of message (Thakur et al. 2005, Optimization of collective communication, §4)."""


def expert_exchange_bytes(
    tokens: Floats, hidden: Floats, bytes_per_element: Floats, top_k: Floats, ranks: Floats
) -> Floats:
    """Bytes that one rank sends when each of its tokens goes once to every other rank that holds one of its experts.

    tokens hidden bytes (R - 1) (1 - (1 - 1/R)^k) for experts spread evenly at random; broadcasts (DeepEP's schedule
    within a scale-up domain).
    """
    others = (ranks - 1.0) * -np.expm1(top_k * np.log1p(-1.0 / np.maximum(ranks, 1.0 + 1e-9)))
    sent: Floats = tokens * hidden * bytes_per_element * np.where(ranks > 1, others, 0.0)
    return sent


@formula(
    title="Collective",
    unit="s",
    expression=(
        "latency_s + latency_per_rank_s·(ranks − 2) + ramp_s·w/(w + ramp_bytes) + w/(link·efficiency), "
        "w = wire share of message_bytes"
    ),
    source="wire shares: Thakur et al. 2005, section 4; parameters fitted by tools/fit_kernels to measured collectives",
)
def collective_time(
    kind: CollectiveKind,
    message_bytes: Floats,
    ranks: Floats,
    link_bytes_per_s: Floats,
    parameters: CollectiveParameters,
) -> CollectiveTime:
    """Seconds of one collective within one fabric; zero for one rank. All arrays broadcast.

    `link_bytes_per_s` is per rank and direction.
    """
    p = parameters
    is_several = np.asarray(ranks) > 1
    wire_bytes = message_bytes * WIRE_SHARE[kind](np.asarray(ranks, np.float64))
    latency = p.latency_s + p.latency_per_rank_s * latency_steps(ranks)
    return CollectiveTime(
        np.where(is_several, latency, 0.0),
        p.ramp_s * wire_bytes / (wire_bytes + p.ramp_bytes),
        wire_bytes / (link_bytes_per_s * efficiency_at(ranks, p)),
    )


def held_at_port(parameters: CollectiveParameters, reduces_on_the_way: bool) -> CollectiveParameters:
    """Parameters by which no message goes through a port faster than the port's rate.

    Efficiencies count a ring's bytes; switches that add up what passes them let a rank send fewer.
    """

    def held(efficiency: Floats, ranks: float) -> Floats:
        most = max(1.0, 2.0 * (ranks - 1.0) / (ranks + 1.0)) if reduces_on_the_way else 1.0
        return np.asarray(np.minimum(efficiency, most))

    return replace(
        parameters,
        efficiency_2=held(parameters.efficiency_2, 2.0),
        efficiency_4=held(parameters.efficiency_4, 4.0),
        efficiency_8=held(parameters.efficiency_8, 8.0),
    )


def efficiency_at(ranks: Any, parameters: CollectiveParameters) -> Floats:
    """Share of the link's rate that large messages reach, interpolated on the logarithm of the number of ranks."""
    doublings = np.log2(clamped(ranks, 2.0, 8.0))
    towards_4 = clamped(doublings - 1.0, 0.0, 1.0)
    towards_8 = clamped(doublings - 2.0, 0.0, 1.0)
    p = parameters
    efficiency: Floats = (
        p.efficiency_2 + (p.efficiency_4 - p.efficiency_2) * towards_4 + (p.efficiency_8 - p.efficiency_4) * towards_8
    )
    return efficiency


def latency_steps(ranks: Any) -> Floats:
    """Number of ranks beyond two, as far as they add latency one by one."""
    several = np.maximum(ranks, 2.0)
    linear = np.minimum(several, LINEAR_RANKS) - 2.0
    steps: Floats = linear + 0.5 * LINEAR_RANKS * np.log2(np.maximum(several / LINEAR_RANKS, 1.0))
    return steps
