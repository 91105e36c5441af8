"""Memory against sequence length and micro-batch, the largest that fits, and the largest model for a cluster."""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import assert_never

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Integers
from gpuplanner_gui.domain.model import (
    Attention,
    CompressedAttention,
    DenseFfn,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    Model,
    MoeFfn,
    SampleTraining,
    StateSpace,
)
from gpuplanner_gui.domain.plan import TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_results import LargestModel, MemorySweep
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.training.judging import expected_step
from gpuplanner_gui.engine.training.layout_ranking import table_rows
from gpuplanner_gui.engine.training.layouts import AUTO, TrainingLayouts, layouts_of, parallel_sizes, table_layout
from gpuplanner_gui.engine.training.memory import training_memory
from gpuplanner_gui.engine.training.model_numbers import sample_tokens
from gpuplanner_gui.engine.training.plan import equipment_of, job_for, planned, training_of
from gpuplanner_gui.engine.training.state_memory import shards
from gpuplanner_gui.engine.training.step_time import training_step
from gpuplanner_gui.engine.training.work import step_work

LONGEST_SEQUENCE = 2**21
LARGEST_MICRO_BATCH = 2**12
BISECTIONS = 24
EVEN_HEADS = 8
WIDTH_STEP = 128
"""Hidden sizes are multiples of this."""
ENDLESS_INPUT = np.array([np.inf])


def sequence_sweep(scenario: Scenario, context: Context, table: TrainingTable, candidate: int) -> MemorySweep:
    """Memory of one candidate's devices at sequence lengths from 512 to 2 million tokens, and the longest that fits.

    The layout stays; the global batch keeps its tokens.
    """
    values = 2 ** np.arange(9, LONGEST_SEQUENCE.bit_length())
    return _sweep(scenario, context, table, candidate, "sequence_length", values)


def micro_batch_sweep(scenario: Scenario, context: Context, table: TrainingTable, candidate: int) -> MemorySweep:
    """Memory of one candidate's devices at the micro-batches that divide a copy's share of the batch.

    Launchers take no others.
    """
    per_copy = max(1, _sequences(scenario) // int(table.data_parallel[candidate]))
    values = np.array([size for size in range(1, min(per_copy, LARGEST_MICRO_BATCH) + 1) if per_copy % size == 0])
    return _sweep(scenario, context, table, candidate, "micro_batch", values)


def _sequences(scenario: Scenario) -> int:
    training = training_of(scenario)
    return max(1, training.global_batch_tokens // sample_tokens(scenario.model, training.sequence_length))


def _sweep(
    scenario: Scenario,
    context: Context,
    table: TrainingTable,
    candidate: int,
    code: str,
    values: Integers,
) -> MemorySweep:
    layout, capacity = table_layout(table, candidate), float(table.memory_capacity_bytes[candidate])
    found = [_at_value(scenario, context, layout, int(value), code) for value in values]
    state, activation, total, rate = map(np.array, zip(*found, strict=True))
    fits = total <= capacity * (1 - scenario.hardware.min_memory_headroom)
    return MemorySweep(
        code=code,
        values=np.asarray(values, np.int64),
        state_bytes=state,
        activation_bytes=activation,
        total_bytes=total,
        capacity_bytes=capacity,
        fits=fits,
        tokens_per_s_per_device=np.where(fits, rate, np.nan),
        largest=int(values[fits][-1]) if bool(fits.any()) else 0,
    )


def _at_value(
    scenario: Scenario, context: Context, layout: TrainingLayouts, value: int, code: str
) -> tuple[float, float, float, float]:
    """State, activations, total memory [bytes] and tokens per second and device at one value."""
    training = training_of(scenario)
    if code == "sequence_length":
        training = msgspec.structs.replace(training, sequence_length=value)
    else:
        layout = replace(layout, micro_batch=np.array([value]))
    job = job_for(scenario, context, training)
    memory = training_memory(job, layout)
    work = step_work(job, layout, memory.state, shards(job, layout), equipment_of(scenario, context), ENDLESS_INPUT)
    step, _ = expected_step(training_step(work, job.rates), job, layout, context)
    rate = job.tokens_per_step / float(step.total[0]) / float(layout.devices[0])
    working = float(memory.activations[0] + memory.logits[0])
    return float(memory.state.total[0]), working, float(memory.total[0]), rate


def largest_model(scenario: Scenario, context: Context, accelerator: str, devices: int) -> LargestModel:
    """The largest model of the scenario's shape that a cluster can train, grown in width and depth alike.

    Every layout may be used; the fastest that holds it is in the answer. Zero parameters where not even a hundredth of
    the model fits. Raises ValueError for an accelerator that the catalogue lacks.
    """
    index = context.devices.ids.index(accelerator)
    low, high = 0.01, 1e4
    for _ in range(BISECTIONS):
        middle = float(np.sqrt(low * high))
        if _fitting(scenario, context, scaled_model(scenario.model, middle), index, devices) is not None:
            low = middle
        else:
            high = middle
    model = scaled_model(scenario.model, low)
    layout = _fitting(scenario, context, model, index, devices)
    parameters = float(model_parameters(model).total) if layout is not None else 0.0
    memory = devices * float(context.devices.memory_bytes[index])
    return LargestModel(
        parameters=parameters,
        layers=sum(group.count for group in model.layers),
        hidden_size=model.hidden_size,
        devices=devices,
        total_memory_bytes=memory,
        bytes_per_parameter=memory / parameters if parameters else float("inf"),
        layout=layout,
    )


def _fitting(
    scenario: Scenario, context: Context, model: Model, accelerator: int, devices: int
) -> TrainingTable | None:
    """The fastest layout that holds a model, as a table of one; None where none does."""
    open_ended = msgspec.structs.replace(
        training_of(scenario),
        zero_stage="auto",
        recompute="auto",
        deadline_s=None,
        budget_usd=None,
        micro_batch=1,
        offload="none" if training_of(scenario).offload == "auto" else training_of(scenario).offload,
    )
    tried = msgspec.structs.replace(scenario, model=model, training=open_ended)
    layers = sum(group.count for group in model.layers)
    domain = int(min(max(context.devices.scale_up_domain[accelerator], 1), 64))
    sizes = parallel_sizes((devices,), layers, domain if layers else 1, (1,), (1,), max(min(layers, 64), 1))
    stated = int(open_ended.offload_activations)
    layouts = layouts_of(np.array([accelerator]), sizes, AUTO, 1, AUTO, activation_offload=stated)
    table = planned(tried, context, layouts, _never).table
    fastest = np.nanargmin(np.where(table.fits, table.step_time_s, np.inf))
    return table_rows(table, np.array([fastest])) if bool(table.fits[fastest]) else None


def _never() -> None:
    """Sweeps are short: nobody waits for them to be cancelled."""


def scaled_model(model: Model, factor: float) -> Model:
    """A model of about `factor` times the parameters: a third of the growth in depth, two thirds in width."""
    growth = factor ** (1.0 / 3.0)
    if not model.layers:
        return msgspec.structs.replace(
            model, custom_parameters=max(1, round(model.custom_parameters * factor)),
            flop_per_sample=model.flop_per_sample * factor,
            activation_bytes_per_sample=model.activation_bytes_per_sample * factor ** (2.0 / 3.0),
            sample_training=_scaled_sample(model.sample_training, factor),
        )  # fmt: skip
    hidden = max(WIDTH_STEP, round(model.hidden_size * growth / WIDTH_STEP) * WIDTH_STEP)
    width = hidden / max(model.hidden_size, 1)
    groups = tuple(_scaled_group(group, width, growth) for group in model.layers)
    return msgspec.structs.replace(model, hidden_size=hidden, layers=groups)


def _scaled_sample(known: SampleTraining | None, factor: float) -> SampleTraining | None:
    """Depth grows by a third and width by a third of the growth in parameters: activations by their product."""
    if known is None:
        return None
    more, growth = factor ** (2.0 / 3.0), factor ** (1.0 / 3.0)
    return msgspec.structs.replace(
        known,
        parameters=max(1, round(known.parameters * factor)),
        blocks=max(1, round(known.blocks * growth)),
        adapter_width=round(known.adapter_width * more),
        kept_bytes=known.kept_bytes * more,
        rebuilt_bytes=known.rebuilt_bytes * more,
        block_input_bytes=known.block_input_bytes * more,
        largest_block_bytes=known.largest_block_bytes * growth,
    )


def _scaled_group(group: LayerGroup, width: float, depth: float) -> LayerGroup:
    mixer, ffn = group.mixer, group.ffn
    if isinstance(mixer, Attention):
        # Tensor parallelism divides the heads: a wider model keeps what its heads divide by, up to a usual node.
        even = gcd(mixer.heads, EVEN_HEADS)
        heads = max(even, round(mixer.heads * width / even) * even)
        # Grouped heads stay as many, as in published families; where each head has its own, each new one does too.
        kv_heads = heads if mixer.kv_heads == mixer.heads else min(mixer.kv_heads, heads)
        mixer = msgspec.structs.replace(mixer, heads=heads, kv_heads=kv_heads)
    elif not isinstance(mixer, LatentAttention | CompressedAttention | LinearAttention | StateSpace | None):
        assert_never(mixer)  # Those keep their heads: only the width that they mix grows.
    if isinstance(ffn, DenseFfn):
        ffn = msgspec.structs.replace(ffn, size=max(1, round(ffn.size * width)))
    elif isinstance(ffn, MoeFfn):
        ffn = msgspec.structs.replace(ffn, expert_size=max(1, round(ffn.expert_size * width)))
    elif ffn is not None:
        assert_never(ffn)
    return msgspec.structs.replace(group, count=max(1, round(group.count * depth)), mixer=mixer, ffn=ffn)
