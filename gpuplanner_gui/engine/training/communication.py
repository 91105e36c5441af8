"""Bytes and time of the exchanges of a training step: tensor, pipeline, data, context and expert parallelism.

Ranks are placed tensor-parallel innermost, then context, then data (experts among them), pipeline outermost, as
Megatron-LM does; so tensor parallelism stays within the scale-up domain first, and pipeline stages part first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.explaining.formula import formula


@dataclass(frozen=True)
class Wires:
    """Rates and step latencies of a layout's device, inside its domain and beyond; one entry per layout."""

    devices: Integers
    """Of the whole job."""
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
def exposed_s(exchange_s: Floats, cover_s: Floats, leak: float) -> Floats:
    """Time that devices wait for an exchange, given the computing time that can cover it. [s]"""
    return np.maximum(exchange_s - cover_s, leak * exchange_s)
