"""Cases of one model and engine as arrays: their replica, formats, and the memory that is left for the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.serving_case import PoolLayout, ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.cache import cache_groups, device_cache_bytes
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.devices import DeviceTable
from gpuplanner_gui.engine.kernels import FORMATS, Kernels
from gpuplanner_gui.engine.operations import Operation, operations
from gpuplanner_gui.engine.parameters import model_parameters
from gpuplanner_gui.engine.precision import PRECISION_INDEX, cache_bytes_per_value
from gpuplanner_gui.engine.serving.rates import LayerCounts, layer_counts
from gpuplanner_gui.engine.serving.replica import FORMAT_BYTES, Formats, Layout, Replica, replica_of
from gpuplanner_gui.engine.weight_sizes import BYTES_PER_VALUE

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SMALL_FORMATS = ("fp8", "fp8_block", "nvfp4")
"""Checkpoints in these come with scales for an FP8 cache, which TensorRT-LLM then uses."""
BUFFER_BYTES = 2.0
LEAST_POOL_SHARE = 0.5
"""Of what the weights leave: a case that somebody ran was set up so that its cache was not starved."""
LARGE_MEMORY_BYTES = 70e9
SMALL_DEVICE_TOKEN_BUDGET = 2048.0
"""vLLM's budget on devices with less memory (its default since V1; 8,192 on larger ones)."""
SMALL_DEVICE_MAX_SEQUENCES = 256.0
"""Likewise its largest batch (1,024 on larger ones)."""


@dataclass(frozen=True)
class Configuration:
    """Replicas of one model under one engine, an entry per case; `requests` in numbers as the client sent them."""

    model: Model
    operations: tuple[Operation, ...]
    counts: LayerCounts
    replica: Replica
    weight_bytes: Floats
    """Of the most loaded device."""
    pool_bytes: Floats
    """Memory for the cache on one device; negative: the weights and overheads do not fit by so much."""
    activation_bytes: Floats
    runtime_bytes: Floats
    kv_precision: Integers
    token_budget: Floats
    """Tokens of a step and data-parallel group."""
    max_sequences: Floats
    """Of a step, where the case states no limit."""
    power_demand: Floats
    """FLOPs per joule of the power limit at the 16-bit peak, over the usual one; 1 where no limit is stated."""
    has_scale_up: NDArray[np.bool_]
    """Whether devices reach each other over a fabric of their own instead of PCIe."""

    def __len__(self) -> int:
        return len(self.token_budget)

    def cache_bytes_per_sequence(self, context_tokens: Floats) -> Floats:
        """What one sequence takes on one device of its group."""
        layout = self.replica.layout
        return device_cache_bytes(
            cache_groups(self.model),
            context_tokens,
            layout.tensor_parallel.astype(np.int64),
            layout.pipeline_parallel.astype(np.int64),
            cache_bytes_per_value()[self.kv_precision],
        )

    def sequences_held(self, context_tokens: Floats) -> Floats:
        """Sequences of a mean length that all groups of the replica hold at once."""
        per_sequence = self.cache_bytes_per_sequence(context_tokens)
        held = np.maximum(self.pool_bytes, 0.0) / np.maximum(per_sequence, 1.0)
        return np.where(per_sequence > 0, held * self.replica.layout.data_parallel, np.inf)


def configuration(
    cases: Sequence[ServingCase], layouts: Sequence[PoolLayout], context: Context, engine: EngineFacts
) -> Configuration:
    """Arrays of cases that share model and engine, each with the layout of the pool in question."""
    model = cases[0].model
    positions = {name: index for index, name in enumerate(context.devices.ids)}
    accelerator = np.array([positions[case.accelerator] for case in cases], np.int64)

    def column(read: Callable[[PoolLayout], int]) -> Floats:
        return np.array([read(layout) for layout in layouts], np.float64)

    layout = Layout(
        column(lambda one: one.tensor_parallel),
        column(lambda one: one.pipeline_parallel),
        column(lambda one: one.data_parallel),
        column(lambda one: one.expert_parallel),
        column(lambda one: one.expert_tensor_parallel),
    )
    named = [formats_of(case) for case in cases]
    formats = Formats(*(np.array([FORMATS.index(one[part]) for one in named], np.int64) for part in range(3)))
    cache = np.array([PRECISION_INDEX[cache_precision(case, one)] for case, one in zip(cases, named)], np.int64)
    replica = replica_of(accelerator, layout, formats, cache, context.devices, context.kernels(engine.engine))
    budget = token_budget(context.devices.memory_bytes[accelerator], engine)
    return _with_memory(model, replica, cache, budget, context.devices, engine)


def formats_of(case: ServingCase) -> tuple[str, str, str]:
    """Formats of mixer, feed-forward part and experts: as stated, else the checkpoint's own.

    A checkpoint whose format covers the experts alone keeps the rest in 16 bits, and so do attention layers of models
    with experts in NVFP4 (ModelOpt's checkpoints of DeepSeek-R1).
    """
    own = case.model.weight_format
    quantized: str = own.quantized or own.native
    if quantized == "fp8" and own.group_size > 1:
        quantized = "fp8_block"
    dense = case.dense_format or quantized
    expert = case.expert_format or case.dense_format or quantized
    if own.scope == "experts" and own.quantized is not None:
        return own.native, own.native, _checkpoints_own(expert, quantized)
    dense, expert = _checkpoints_own(dense, quantized), _checkpoints_own(expert, quantized)
    has_experts = model_parameters(case.model).routed_experts > 0
    return ("bf16" if has_experts and dense == "nvfp4" else dense), dense, expert


def _checkpoints_own(stated: str, own: str) -> str:
    """FP8 means the checkpoint's blocks where it has them, FP4 its own kind of blocks."""
    if stated == "fp8" and own == "fp8_block":
        return own
    return own if stated == "nvfp4" and own == "mxfp4" else stated


def cache_precision(case: ServingCase, formats: tuple[str, str, str]) -> str:
    """The cache's format: as stated, else what the engine would choose."""
    if case.kv_precision is not None:
        return case.kv_precision
    if case.engine == "trtllm" and any(one in SMALL_FORMATS for one in formats[1:]):
        return "fp8"
    return "bf16"


def token_budget(memory_bytes: Floats, engine: EngineFacts) -> Floats:
    """Tokens of a step; less on devices with little memory."""
    small = min(SMALL_DEVICE_TOKEN_BUDGET, float(engine.token_budget))
    return np.where(memory_bytes < LARGE_MEMORY_BYTES, small, float(engine.token_budget))


def usual_max_sequences(memory_bytes: Floats, engine: EngineFacts) -> Floats:
    """Largest batch by default; less on devices with little memory."""
    small = min(SMALL_DEVICE_MAX_SEQUENCES, float(engine.max_sequences))
    return np.where(memory_bytes < LARGE_MEMORY_BYTES, small, float(engine.max_sequences))


def _with_memory(
    model: Model, replica: Replica, cache: Integers, budget: Floats, devices: DeviceTable, engine: EngineFacts
) -> Configuration:
    weights = device_weight_bytes(model, replica)
    layout, memory = replica.layout, devices.memory_bytes[replica.accelerator]
    tp, devices_each = layout.tensor_parallel, layout.tensor_parallel * layout.pipeline_parallel * layout.data_parallel
    has_experts = model_parameters(model).routed_experts > 0
    factor = engine.activation_per_token_moe if has_experts else engine.activation_per_token
    activation = BUFFER_BYTES * budget * model.hidden_size * factor / tp**engine.activation_parallel_exponent
    runtime = engine.runtime_bytes + engine.graph_bytes + np.where(devices_each > 1, engine.parallel_runtime_bytes, 0.0)
    parts = operations(model)
    return Configuration(
        model=model,
        operations=merged(parts),
        counts=layer_counts(parts),
        replica=replica,
        weight_bytes=weights,
        pool_bytes=np.maximum(
            memory * engine.memory_fraction - weights - activation - runtime, LEAST_POOL_SHARE * (memory - weights)
        ),
        activation_bytes=activation,
        runtime_bytes=runtime,
        kv_precision=cache,
        token_budget=budget,
        max_sequences=usual_max_sequences(memory, engine),
        power_demand=power_demand(replica, devices),
        has_scale_up=devices.has_scale_up[replica.accelerator],
    )


USUAL_FLOP_PER_JOULE = 1e12


def power_demand(replica: Replica, devices: DeviceTable) -> Floats:
    """How hard a device's peak rate presses on its power limit: peak over power, over the usual. [1]"""
    ratio = replica.wide.device.peak_flop_per_s / devices.power_w[replica.accelerator] / USUAL_FLOP_PER_JOULE
    return np.where(np.isfinite(ratio) & (ratio > 0), ratio, 1.0)


def device_weight_bytes(model: Model, replica: Replica) -> Floats:
    """Weights on the most loaded device: each part over the devices that share it. [bytes]"""
    parameters, layout, formats = model_parameters(model), replica.layout, replica.formats
    stacks = parameters.stacks
    native = BYTES_PER_VALUE[model.weight_format.native]
    experts = stacks.routed_expert_matrices * FORMAT_BYTES[formats.expert]
    mixer = (stacks.mixer_matrices + stacks.cross_attention_matrices) * FORMAT_BYTES[formats.mixer]
    dense = (stacks.ffn_matrices + stacks.shared_expert_matrices) * FORMAT_BYTES[formats.ffn]
    ends = (parameters.embeddings + parameters.head) * min(native, 2.0)
    rest = max(
        parameters.total
        - stacks.routed_expert_matrices
        - stacks.mixer_matrices
        - stacks.cross_attention_matrices
        - stacks.ffn_matrices
        - stacks.shared_expert_matrices
        - parameters.embeddings
        - parameters.head,
        0,
    )
    tp, pp = layout.tensor_parallel, layout.pipeline_parallel
    of_experts = experts / (layout.expert_parallel * layout.expert_tensor_parallel * pp)
    return np.asarray(of_experts + (mixer + dense) / (tp * pp) + ends / tp + rest * min(native, 2.0) / pp)


def merged(found: tuple[Operation, ...]) -> tuple[Operation, ...]:
    """Equal operations of different layers as one, so that each shape is timed once."""
    counts: dict[Operation, int] = {}
    first: dict[Operation, Operation] = {}
    for operation in found:
        key = replace(operation, count=0, code="")
        counts[key] = counts.get(key, 0) + operation.count
        first.setdefault(key, operation)
    return tuple(replace(first[key], count=count) for key, count in counts.items())


__all__ = ["Configuration", "Kernels", "configuration", "device_weight_bytes", "formats_of", "merged"]
