"""Time of each kind of operation in one pass of a serving replica, on one device of one pipeline stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.hardware.communication import (
    NETWORK_COLLECTIVE_LATENCY_S,
    all_reduce_time,
    exchange_time_s,
    gather_and_scatter_time_s,
)
from gpuplanner_gui.engine.kernels.operation_time import (
    OperationTime,
    decode_attention_time,
    elementwise_time,
    gemm_time,
    prefill_attention_time,
)
from gpuplanner_gui.engine.kernels.special_time import (
    expert_time,
    experts_touched,
    latent_decode_time,
    state_decode_time,
    state_prefill_time,
)
from gpuplanner_gui.engine.model.operations import (
    AllReduce,
    AttentionCore,
    Dispatch,
    Elementwise,
    Experts,
    Gemm,
    LatentCore,
    Operation,
    StateCore,
)
from gpuplanner_gui.engine.serving.rates import EngineRates
from gpuplanner_gui.engine.serving.replica import Replica
from gpuplanner_gui.engine.simulation.arrays import as_floats

UNLIMITED = np.inf
FEWEST = 1e-9


@dataclass(frozen=True)
class StepWork:
    """What one pass works on, over the whole replica; arrays broadcast against the candidates."""

    decode_sequences: Floats
    decode_context_tokens: Floats
    prefill_tokens: Floats
    prefill_sequences: Floats
    prefill_cached_tokens: Floats
    """Tokens of each prompt that are already in the cache: prefix hits and earlier chunks."""

    @property
    def tokens(self) -> Floats:
        return self.decode_sequences + self.prefill_tokens


@dataclass(frozen=True)
class Share:
    """The part of a pass that one device of a stage sees; `all_tokens` are those of all data-parallel groups."""

    own: StepWork
    all_tokens: Floats


def stage_share(work: StepWork, replica: Replica) -> Share:
    """A pipeline works on as many micro-batches as it has stages; data-parallel groups divide the sequences.

    The fullest group counts: with fewer sequences than groups, one still has a whole sequence.
    """
    stages, groups = replica.layout.pipeline_parallel, replica.layout.data_parallel
    whole = stages * groups
    if (whole == 1).all():
        return Share(work, work.tokens)
    decoding = np.maximum(work.decode_sequences / whole, np.minimum(work.decode_sequences / stages, 1.0))
    prompts = np.maximum(work.prefill_sequences / whole, np.minimum(work.prefill_sequences / stages, 1.0))
    with np.errstate(invalid="ignore", divide="ignore"):
        of_prompts = np.where(
            work.prefill_sequences > 0, prompts / np.maximum(work.prefill_sequences, FEWEST), 1 / whole
        )
    own = StepWork(
        decoding, work.decode_context_tokens, work.prefill_tokens * of_prompts, prompts, work.prefill_cached_tokens
    )
    return Share(own, work.tokens / stages)


@dataclass
class KernelTimes:
    """Kernels and collectives of a pass as they were timed alone, before what an engine makes of them. [s]"""

    compute_s: Any = 0.0
    bandwidth_s: Any = 0.0
    product_launch_s: Any = 0.0
    """Floors of matrix products: launches, first bytes, last wave; of the other kinds of kernels below."""
    attention_launch_s: Any = 0.0
    expert_launch_s: Any = 0.0
    small_launch_s: Any = 0.0
    collective_s: Any = 0.0
    """Latency of all-reduces, and what a middling message adds to it."""
    wire_s: Any = 0.0
    """Time of the collectives' bytes on the wires."""
    exchange_s: Any = 0.0
    """Tokens on their way to experts of other groups and back."""

    def add(self, count: float, time: OperationTime, kind: str) -> None:
        """Add the time of some calls, whose floors are of a kind."""
        self.compute_s = self.compute_s + count * time.compute_s
        self.bandwidth_s = self.bandwidth_s + count * time.memory_s
        setattr(self, kind, getattr(self, kind) + count * time.floor_s)

    def network_s(self, rates: EngineRates) -> Floats:
        """Collectives of a decode step as an engine runs them: ranks that wait for each other lengthen the latency."""
        all_reduce_s = rates.collective_factor * self.collective_s + self.wire_s
        return np.asarray(all_reduce_s + rates.exchange_factor * self.exchange_s)

    def prefill_network_s(self, rates: EngineRates) -> Floats:
        """Likewise of a pass with prompts, before what slows all of its kernels."""
        return np.asarray(rates.prefill_collective_factor * (self.collective_s + self.wire_s + self.exchange_s))

    def launch_s(self, rates: EngineRates) -> Floats:
        """Floors that an engine's graphs and fusion leave."""
        return np.asarray(
            rates.product_launch * self.product_launch_s
            + rates.attention_launch * self.attention_launch_s
            + rates.expert_launch * self.expert_launch_s
            + rates.small_launch * self.small_launch_s
        )


PRODUCT, ATTENTION, EXPERT, SMALL = "product_launch_s", "attention_launch_s", "expert_launch_s", "small_launch_s"
"""Kinds of kernels whose floors an engine may fuse or hide apart from the others."""


def add_operation(operation: Operation, share: Share, replica: Replica, sums: KernelTimes) -> None:
    """Add the time of all calls of an operation."""
    _TIMED[type(operation)](operation, share, replica, sums)


def _time_gemm(operation: Gemm, share: Share, replica: Replica, sums: KernelTimes) -> None:
    tp, work = replica.tensor_parallel, share.own
    columns, depth = as_floats(operation.columns), as_floats(operation.depth)
    if operation.cut == "columns":
        columns = (operation.columns - operation.kv_columns) / tp
        if operation.kv_heads:
            columns = columns + operation.kv_columns * np.ceil(operation.kv_heads / tp) / operation.kv_heads
    elif operation.cut == "depth":
        depth = operation.depth / tp
    rows = work.decode_sequences + (work.prefill_sequences if operation.on_sampled_tokens else work.prefill_tokens)
    products = (replica.mixer if operation.part == "mixer" else replica.ffn) if operation.is_quantized else replica.wide
    time = gemm_time(
        rows, columns, depth, products.weight_bytes, products.activation_bytes, products.device, products.parameters
    )
    sums.add(operation.count, time, PRODUCT)


def _time_attention(operation: AttentionCore, share: Share, replica: Replica, sums: KernelTimes) -> None:
    tp, work = replica.tensor_parallel, share.own
    heads, kv_heads = operation.heads / tp, np.ceil(operation.kv_heads / tp)
    window = float(operation.window_tokens or UNLIMITED)
    reach = as_floats(min(window, float(operation.selected_tokens or UNLIMITED)))
    head_dim, encoded = as_floats(operation.head_dim), as_floats(operation.encoder_tokens)
    if (work.decode_sequences > 0).any():
        seen = encoded if operation.encoder_tokens else work.decode_context_tokens
        decode = decode_attention_time(
            work.decode_sequences, seen, reach, heads, kv_heads, head_dim, replica.cache_bytes, replica.wide_device,
            replica.decode,
        )  # fmt: skip
        sums.add(operation.count, _where(work.decode_sequences > 0, decode), ATTENTION)
    if (work.prefill_tokens > 0).any():
        seen = encoded if operation.encoder_tokens else work.prefill_cached_tokens
        prefill = prefill_attention_time(
            np.maximum(work.prefill_sequences, FEWEST), _tokens_per_prompt(work), seen, reach, heads, kv_heads,
            head_dim, replica.cache_bytes, replica.wide_device, replica.prefill, operation.is_causal,
        )  # fmt: skip
        sums.add(operation.count, _where(work.prefill_tokens > 0, prefill), ATTENTION)


def _time_latent(operation: LatentCore, share: Share, replica: Replica, sums: KernelTimes) -> None:
    """Decode reads one latent vector per token for all heads; prefill attends with expanded heads."""
    work, heads = share.own, operation.heads / replica.tensor_parallel
    reach = as_floats(operation.selected_tokens or UNLIMITED)
    if (work.decode_sequences > 0).any():
        decode = latent_decode_time(
            work.decode_sequences, np.minimum(work.decode_context_tokens, reach), heads,
            as_floats(operation.latent_dim), as_floats(operation.rope_dim), replica.cache_bytes, replica.wide_device,
            replica.latent_decode,
        )  # fmt: skip
        sums.add(operation.count, _where(work.decode_sequences > 0, decode), ATTENTION)
    if (work.prefill_tokens > 0).any():
        average = as_floats((operation.nope_dim + operation.rope_dim + operation.value_dim) / 2)
        prefill = prefill_attention_time(
            np.maximum(work.prefill_sequences, FEWEST), _tokens_per_prompt(work), work.prefill_cached_tokens, reach,
            heads, heads, average, replica.cache_bytes, replica.wide_device, replica.latent_prefill,
        )  # fmt: skip
        sums.add(operation.count, _where(work.prefill_tokens > 0, prefill), ATTENTION)


def _time_experts(operation: Experts, share: Share, replica: Replica, sums: KernelTimes) -> None:
    """Tokens of all data-parallel groups meet the experts; each group of devices holds its part of them."""
    layout, tokens = replica.layout, share.all_tokens
    groups = layout.expert_parallel
    top_k, experts = as_floats(operation.top_k), as_floats(operation.experts)
    pairs = tokens * top_k / groups
    seen = np.where(layout.data_parallel > 1, pairs * np.minimum(groups, GATHERED_GROUPS), pairs)
    time = expert_time(
        pairs, seen, experts_touched(tokens, top_k, experts) / groups, as_floats(operation.hidden),
        operation.size / layout.expert_tensor_parallel, as_floats(operation.matrices), replica.expert_bytes,
        replica.expert_device, replica.experts,
    )  # fmt: skip
    sums.add(operation.count, time, EXPERT)


GATHERED_GROUPS = 1.0
"""Kernels skip the rows of other groups' experts; the fitted kernels' own figure is for buffers that they do not."""


def _time_state(operation: StateCore, share: Share, replica: Replica, sums: KernelTimes) -> None:
    tp, work = replica.tensor_parallel, share.own
    state_bytes = operation.state_bytes / tp
    if (work.decode_sequences > 0).any():
        decode = state_decode_time(work.decode_sequences, state_bytes, replica.wide_device, replica.state_decode)
        sums.add(operation.count, _where(work.decode_sequences > 0, decode), ATTENTION)
    if (work.prefill_tokens > 0).any():
        prefill = state_prefill_time(
            np.maximum(work.prefill_sequences, FEWEST), _tokens_per_prompt(work),
            operation.flop_per_token / tp, operation.values_per_token / tp, state_bytes, replica.wide_device,
            replica.state_prefill,
        )  # fmt: skip
        sums.add(operation.count, _where(work.prefill_tokens > 0, prefill), ATTENTION)


def _time_elementwise(operation: Elementwise, share: Share, replica: Replica, sums: KernelTimes) -> None:
    divided = replica.tensor_parallel if operation.is_sharded else 1.0
    moved = operation.bytes_per_token * share.own.tokens / divided
    time = elementwise_time(moved, replica.wide_device, replica.elementwise)
    sums.add(operation.count, OperationTime(time.floor_s * operation.calls, time.compute_s, time.memory_s), SMALL)


def _time_all_reduce(operation: AllReduce, share: Share, replica: Replica, sums: KernelTimes) -> None:
    """Sums over the tensor-parallel devices; experts that groups share are exchanged instead (`_time_dispatch`)."""
    message = 2.0 * operation.values_per_token * share.own.tokens
    time = all_reduce_time(message, replica.tensor_parallel, replica.fabric)
    sums.collective_s = sums.collective_s + operation.count * (time.latency_s + time.ramp_s)
    sums.wire_s = sums.wire_s + operation.count * time.wire_s


def _time_dispatch(operation: Dispatch, share: Share, replica: Replica, sums: KernelTimes) -> None:
    """Sort and weighted sum; with data-parallel attention, tokens also travel to their experts and back.

    Tensor-parallel experts see every token already. Groups gather all tokens and scatter the sums, or send each token
    to its experts' devices alone, whichever is faster. What crosses a network waits for it, and hides behind nothing.
    """
    layout, work = replica.layout, share.own
    moved = 4.0 * operation.values_per_token * operation.top_k * share.all_tokens
    moved = moved / (layout.expert_parallel * layout.expert_tensor_parallel)
    time = elementwise_time(moved, replica.wide_device, replica.elementwise)
    sums.add(operation.count, OperationTime(2 * time.floor_s, time.compute_s, time.memory_s), SMALL)
    if not (layout.data_parallel > 1).any():
        return
    ranks = layout.data_parallel * layout.tensor_parallel
    gathered_s = gather_and_scatter_time_s(2.0 * operation.values_per_token * share.all_tokens, ranks, replica.fabric)
    sent_s = exchange_time_s(
        work.tokens / layout.tensor_parallel, float(operation.values_per_token), float(operation.top_k), ranks,
        DISPATCHED_BYTES, replica.fabric, np.asarray(work.prefill_tokens > 0),
    )  # fmt: skip
    in_groups = layout.data_parallel > 1
    crosses = in_groups & (ranks > replica.fabric.domain_size)
    travel_s = operation.count * np.minimum(gathered_s, sent_s)
    sums.exchange_s = sums.exchange_s + np.where(in_groups & ~crosses, travel_s, 0.0)
    if crosses.any():
        latency_s = 2.0 * operation.count * NETWORK_COLLECTIVE_LATENCY_S
        sums.wire_s = sums.wire_s + np.where(crosses, travel_s + latency_s, 0.0)


DISPATCHED_BYTES = 1.0
"""Tokens go out in FP8."""


def _tokens_per_prompt(work: StepWork) -> Floats:
    return np.asarray(work.prefill_tokens / np.maximum(work.prefill_sequences, FEWEST))


def _where(mask: NDArray[np.bool_], time: OperationTime) -> OperationTime:
    if mask.all():
        return time
    return OperationTime(*(np.where(mask, getattr(time, part.name), 0.0) for part in fields(time)))


_TIMED: dict[type, Callable[[Any, Share, Replica, KernelTimes], None]] = {
    Gemm: _time_gemm,
    AttentionCore: _time_attention,
    LatentCore: _time_latent,
    Experts: _time_experts,
    StateCore: _time_state,
    Elementwise: _time_elementwise,
    AllReduce: _time_all_reduce,
    Dispatch: _time_dispatch,
}
