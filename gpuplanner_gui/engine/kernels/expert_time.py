"""Time of the grouped products of routed experts, and how many experts and tokens one rank gets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.kernels.operation_time import (
    FITTED,
    OUTPUT_BYTES_PER_ELEMENT,
    Device,
    OperationTime,
    overlapped,
)


@dataclass(frozen=True)
class ExpertParameters:
    """Coefficients of `expert_time`, each an array over parameter sets or candidates."""

    floor_s: Floats
    compute_efficiency: Floats
    memory_efficiency: Floats
    overlap_loss: Floats
    row_padding: Floats
    hidden_padding: Floats
    size_padding: Floats
    expert_s: Floats
    activation_traffic: Floats
    seen_traffic: Floats


@formula(
    title="Experts that a batch uses",
    unit="experts",
    expression="experts·(1 − (1 − top_k/experts) / (1 − (tokens − 1)·log(1 − top_k/experts)))",
    source="experts of exponentially distributed popularity (docs/derivations/kernels.md#experts)",
)
def experts_touched(tokens: Floats, top_k: Floats, experts: Floats) -> Floats:
    """Mean number of different experts that a batch of tokens uses, some of them asked for more often than others.

    A first token uses k of E; each further one finds an expert with a chance that goes with its popularity; broadcasts.
    """
    share = np.minimum(top_k / experts, 1.0 - 1e-12)
    untouched = (1.0 - share) / (1.0 - np.maximum(tokens - 1.0, 0.0) * np.log1p(-share))
    return np.asarray(experts * (1.0 - untouched))


@formula(
    title="Routed experts",
    unit="s",
    expression=(
        "floor_s + expert_s·touched + smooth_maximum("
        "2 matrices·(pairs + rp·touched)(hidden + hp)(size + sp)/(peak·compute_efficiency), "
        "(touched experts' weights + activations)/(bandwidth·memory_efficiency))"
    ),
    source=FITTED,
)
def expert_time(
    pairs: Floats,
    seen_pairs: Floats,
    touched: Floats,
    hidden: Floats,
    size: Floats,
    matrices: Floats,
    weight_bytes_per_element: Floats,
    device: Device,
    parameters: ExpertParameters,
) -> OperationTime:
    """Seconds of all products of the routed experts of one layer on one device, permutation and activation included.

    `pairs` are the token-expert pairs that the device works on, `seen_pairs` those of all tokens that reach it (more
    with expert parallelism where tokens are gathered instead of dispatched: kernels run over the foreign pairs' rows of
    their buffers too), `touched` its experts that get any; `size` is its part of an expert's intermediate size,
    `matrices` 3 for gated experts (gate, up, down), else 2. FLOPs are 2 matrices (pairs + rp touched) (hidden + hp)
    (size + sp), as each touched expert fills at least part of a tile.
    """
    p = parameters
    padded = pairs + p.row_padding * touched
    work = 2.0 * matrices * padded * (hidden + p.hidden_padding) * (size + p.size_padding)
    compute_s = work / (device.peak_flop_per_s * p.compute_efficiency)
    rows = p.activation_traffic * pairs + p.seen_traffic * seen_pairs
    traffic = matrices * touched * hidden * size * weight_bytes_per_element
    traffic = traffic + OUTPUT_BYTES_PER_ELEMENT * rows * (2.0 * hidden + matrices * size)
    memory_s = traffic / (device.bandwidth_bytes_per_s * p.memory_efficiency)
    return overlapped(p.floor_s + p.expert_s * touched, compute_s, memory_s, p.overlap_loss)
