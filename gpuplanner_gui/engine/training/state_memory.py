"""Weights, gradients and optimizer state on one device, under tensor, pipeline, expert and data parallelism."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.explaining.formula import carried, formula, leaf
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import TrainingLayouts


@dataclass(frozen=True)
class Shards:
    """Parameters that one rank's model-parallel position holds, and over how many ranks its data parallelism cuts."""

    dense_layers: Floats
    """Parameters of a stage's layers after tensor parallelism, without routed experts."""
    experts: Floats
    copies: Integers
    """Ranks that hold the same dense parameters."""
    expert_copies: Integers
    expert_ways: Integers
    """Ranks that the experts are dealt out over."""
    cut_ways: Integers
    """Copies that ZeRO divides state over: all of them, or those of one group with hybrid sharding."""
    expert_cut_ways: Integers
    is_offloaded: NDArray[np.bool_]
    """Whether optimizer state is away from the device."""


@dataclass(frozen=True)
class StateMemory:
    """Bytes of training state per device."""

    weights: Floats
    gradients: Floats
    master_weights: Floats
    first_moment: Floats
    second_moment: Floats

    @property
    def total(self) -> Floats:
        return self.weights + self.gradients + self.master_weights + self.first_moment + self.second_moment


@formula(
    title="Layers of the fullest stage",
    unit="",
    expression="⌈layers / pipeline_parallel⌉",
    source="layers are split as evenly as possible",
)
def stage_layers(layers: float, pipeline_parallel: Integers) -> Floats:
    """Layers on a device of the fullest pipeline stage; 1 for a model that is not made of layers."""
    return np.maximum(1.0, np.ceil(layers / pipeline_parallel))


def fullest_stage_layers(job: TrainingJob, pipeline_parallel: Integers) -> Floats:
    """Layers of the fullest stage, its formula with the job's numbers; a framework that balances the output matrix's
    work as well counts it as the layers that it is worth, and fills stages up to the nearest whole layer."""
    numbers = job.numbers
    layers: float = leaf(float(numbers.layers), "layers", "", "model")
    if not job.framework.balances_head or not numbers.layers:
        return stage_layers(layers, pipeline_parallel)
    one = max((numbers.dense_layer_parameters + numbers.expert_parameters) / numbers.layers, 1.0)
    filled = np.round((layers + numbers.head_parameters / one) / pipeline_parallel)
    return np.minimum(layers, np.maximum(1.0, filled))


@formula(
    title="Dense parameters of a stage on one device",
    unit="",
    expression="layer_parameters · stage_layers / layers / tensor_parallel",
    source="Shoeybi et al. 2019, Megatron-LM, section 3: matrices are cut by tensor parallelism",
)
def dense_stage_parameters(
    layer_parameters: float, stage_layers: Floats, layers: float, tensor_parallel: Integers
) -> Floats:
    """Parameters of the stage's layers without routed experts, on one device."""
    return layer_parameters * stage_layers / max(layers, 1.0) / tensor_parallel


@formula(
    title="Expert parameters of a stage on one device",
    unit="",
    expression="expert_parameters · stage_layers / layers / expert_ways",
    source="expert_ways = EP · ETP: experts are spread over expert-parallel ranks, each is cut by its own tensor "
    "parallelism (Megatron-Core, MoE parallel folding)",
)
def expert_stage_parameters(
    expert_parameters: float, stage_layers: Floats, layers: float, expert_ways: Integers
) -> Floats:
    """Parameters of the stage's routed experts on one device."""
    return expert_parameters * stage_layers / max(layers, 1.0) / expert_ways


@formula(
    title="State on a device",
    unit="bytes",
    expression="bytes_per_parameter · (dense_parameters/copies + expert_parameters/expert_copies)",
    source="Rajbhandari et al. 2020, ZeRO, section 5; copies is 1 where the ZeRO stage does not cut this part",
)
def sharded_state_bytes(
    bytes_per_parameter: float,
    dense_parameters: Floats,
    expert_parameters: Floats,
    copies: Integers,
    expert_copies: Integers,
) -> Floats:
    """One component of the training state on one device. [bytes]"""
    return bytes_per_parameter * (dense_parameters / copies + expert_parameters / expert_copies)


@formula(
    title="Frozen weights on a device",
    unit="bytes",
    expression="(matrix_bytes · (layer parameters + experts) + other_bytes · end_parameters) / copies",
    source="LoRA: Hu et al. 2021; QLoRA's 4-bit NormalFloat: Dettmers et al. 2023, section 3",
)
def frozen_weight_bytes(
    matrix_bytes: float,
    other_bytes: float,
    dense_parameters: Floats,
    expert_parameters: Floats,
    end_parameters: Floats,
    copies: Integers,
    expert_copies: Integers,
) -> Floats:
    """Weights that are read but not trained. [bytes]"""
    layers = dense_parameters / copies + expert_parameters / expert_copies
    return matrix_bytes * layers + other_bytes * end_parameters / copies


@formula(
    title="Weights on a device",
    unit="bytes",
    expression="frozen + adapters",
    source="sum of the parts",
)
def adapted_weight_bytes(frozen: Floats, adapters: Floats) -> Floats:
    """Frozen weights and the adapters trained beside them. [bytes]"""
    return frozen + adapters


def shards(job: TrainingJob, layouts: TrainingLayouts) -> Shards:
    """Parameters per rank of the fullest stage, and the ranks that hold the same: of experts world / (PP·EP·ETP)."""
    numbers, expert_ways = job.numbers, layouts.expert_ways
    layers = fullest_stage_layers(job, layouts.pipeline_parallel)
    dense = dense_stage_parameters(
        leaf(numbers.dense_layer_parameters, "layer_parameters", "", "model: layers without routed experts"),
        layers,
        float(numbers.layers),
        layouts.tensor_parallel,
    )
    experts = expert_stage_parameters(
        leaf(numbers.expert_parameters, "expert_parameters", "", "model: routed experts"),
        layers,
        float(numbers.layers),
        expert_ways,
    )
    ranks = layouts.devices // layouts.pipeline_parallel
    copies, expert_copies = layouts.data_parallel * layouts.context_parallel, np.maximum(1, ranks // expert_ways)
    cut_ways, expert_cut_ways = copies, expert_copies
    is_hybrid = layouts.sharding_group > 0
    if bool(is_hybrid.any()):
        group = layouts.sharding_group
        cut_ways = np.where(is_hybrid, group, copies)
        of_experts = np.maximum(1, group * layouts.tensor_parallel // expert_ways)
        expert_cut_ways = np.where(is_hybrid, of_experts, expert_copies)
    return Shards(
        dense, experts, copies, expert_copies, expert_ways, cut_ways, expert_cut_ways, layouts.offload > 0
    )  # fmt: skip


def end_parameters(job: TrainingJob, layouts: TrainingLayouts) -> tuple[Floats, Floats]:
    """Parameters beside the layers on the first and on the last stage's devices; the same with one stage.

    A tied head is kept once more on the last of several stages.
    """
    numbers, ways = job.numbers, layouts.tensor_parallel
    own_head = 0.0 if numbers.is_head_tied else numbers.head_parameters
    together = (numbers.embedding_parameters + own_head) / ways
    is_one = layouts.pipeline_parallel == 1
    first = np.where(is_one, together, numbers.embedding_parameters / ways)
    last = np.where(is_one, together, numbers.head_parameters / ways)
    return first, last


def may_stream_weights(job: TrainingJob, part: Shards) -> bool:
    """Whether any layout's weights may come from host memory."""
    return job.offloads_weights or (job.streams_with_state and bool(part.is_offloaded.any()))


def are_weights_streamed(job: TrainingJob, part: Shards, zero_stage: Integers) -> NDArray[np.bool_]:
    """Whether weights come from host memory as they are needed: each rank holds a part that no other needs whole."""
    is_away = job.offloads_weights | (part.is_offloaded & job.streams_with_state)
    return np.asarray(is_away & ((zero_stage >= 3) | (part.copies == 1)), bool)


def state_memory(
    job: TrainingJob, part: Shards, ends: Floats, zero_stage: Integers, *, counts_offloaded: bool = False
) -> StateMemory:
    """Training state of one device with some embedding or head parameters, under a ZeRO stage. All broadcast.

    What is offloaded counts as nothing on the device, unless asked for.
    """
    state = job.state
    one = np.ones_like(part.copies)
    may_stream = may_stream_weights(job, part)
    is_away = part.is_offloaded & (not counts_offloaded)
    some_away = bool(is_away.any())

    def on_device(size: Floats, name: str) -> Floats:
        if counts_offloaded or name not in ("weights", "gradients") or not may_stream:
            return size
        return carried(np.where(are_weights_streamed(job, part, zero_stage), 0.0, size), size)

    is_apart = _is_wide_part_apart(job, zero_stage)
    narrow = _used_weight_bytes(job, zero_stage)
    master = np.where(is_apart, state.weights, 0.0) if job.keeps_wide_weights else state.master_weights

    def component(bytes_per_parameter: float | Floats, name: str, from_stage: int) -> Floats:
        is_cut = zero_stage >= from_stage
        copies, expert_copies = np.where(is_cut, part.cut_ways, one), np.where(is_cut, part.expert_cut_ways, one)
        size = bytes_per_parameter * (1.0 if name == "weights" else job.trained_share)
        if some_away and from_stage == 1:
            size = np.where(is_away, 0.0, size)
        return on_device(sharded_state_bytes(
            leaf(size, name, "bytes/param", "recipe and optimizer, or the planner's own figure; 0 where offloaded"),
            dense, experts, copies, expert_copies,
        ), name)  # fmt: skip

    if job.is_adapter:
        dense, experts = _trained_parameters(job, part, ends)
        cut = zero_stage >= 3
        frozen = frozen_weight_bytes(
            leaf(state.frozen_matrices, "matrix_bytes", "bytes/param", "method and recipe"),
            leaf(state.frozen_other, "other_bytes", "bytes/param", "recipe"),
            part.dense_layers, part.experts, ends,
            np.where(cut, part.cut_ways, one), np.where(cut, part.expert_cut_ways, one),
        )  # fmt: skip
        weights = adapted_weight_bytes(on_device(frozen, "weights"), component(narrow, "weights", 3))
    else:
        dense, experts = _trained_parameters(job, part, ends)
        weights = component(narrow, "weights", 3)
    return StateMemory(
        weights,
        component(state.gradients, "gradients", 2),
        component(master, "master_weights", 1),
        component(state.first_moment, "first_moment", 1),
        component(state.second_moment, "second_moment", 1),
    )


@formula(
    title="Dense parameters on one device",
    unit="",
    expression="layer_parameters + end_parameters",
    source="the first stage holds the embedding, the last the head",
)
def with_ends(layer_parameters: Floats, end_parameters: Floats) -> Floats:
    """Parameters of a stage with embedding or head. [1]"""
    return layer_parameters + end_parameters


def _is_wide_part_apart(job: TrainingJob, zero_stage: Integers) -> NDArray[np.bool_]:
    """Whether weights kept in FP32 are divided and all of them there in 16 bits as well: in stages 1 and 2."""
    return np.asarray(job.keeps_wide_weights & (zero_stage >= 1) & (zero_stage <= 2), bool)


def _used_weight_bytes(job: TrainingJob, zero_stage: Integers) -> float | Floats:
    """Bytes of a weight as the passes use it."""
    wide = job.state.weights
    return np.where(_is_wide_part_apart(job, zero_stage), job.stream_bytes, wide) if job.keeps_wide_weights else wide


def updated_bytes(job: TrainingJob, part: Shards, ends: Floats, zero_stage: Integers) -> tuple[Floats, Floats]:
    """Gradients and weights of the trained parameters that a rank updates: its part of them where the optimizer is
    divided, of experts among fewer ranks. [bytes]"""
    dense, experts = _trained_parameters(job, part, ends)
    ways, expert_ways = (np.where(zero_stage >= 1, one, 1) for one in (part.cut_ways, part.expert_cut_ways))

    def of(bytes_per_parameter: float | Floats, name: str) -> Floats:
        size = leaf(bytes_per_parameter * job.trained_share, name, "bytes/param", "recipe and optimizer")
        return sharded_state_bytes(size, dense, experts, ways, expert_ways)

    return of(job.state.gradients, "gradients"), of(_used_weight_bytes(job, zero_stage), "weights")


def host_state_bytes(job: TrainingJob, part: Shards, ends: Floats, zero_stage: Integers) -> Floats:
    """What a device's offloaded state takes of its host: masters and moments with the gradients they are updated from,
    and weights where they are streamed. Nothing where state stays on the device. [bytes]"""
    if not bool(part.is_offloaded.any()):
        return np.zeros_like(part.copies, float)
    state = state_memory(job, part, ends, zero_stage, counts_offloaded=True)
    gradients, _ = updated_bytes(job, part, ends, zero_stage)
    streamed = np.where(are_weights_streamed(job, part, zero_stage), state.weights, 0.0)
    kept = state.master_weights + state.first_moment + state.second_moment + gradients
    return np.where(part.is_offloaded, kept + streamed, 0.0)


def _trained_parameters(job: TrainingJob, part: Shards, ends: Floats) -> tuple[Floats, Floats]:
    """Parameters of a rank that have an optimizer: all, or adapters, which are cut as the matrices that they stand
    beside."""
    if not job.is_adapter:
        return with_ends(part.dense_layers, ends), part.experts
    numbers = job.numbers
    total = max(numbers.dense_layer_parameters + numbers.expert_parameters, 1.0)
    scale = leaf(job.trained_parameters, "adapter_parameters", "", "model: rank × (inputs + outputs) of each matrix")
    return part.dense_layers * (scale / total), part.experts * (scale / total)
