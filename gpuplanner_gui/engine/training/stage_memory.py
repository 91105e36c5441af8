"""Memory of one candidate, stage by stage of its pipeline, with what is allocated, reserved and lost told apart."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.plan import TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_results import StageMemory
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.activation_memory import activation_bytes, dualpipe_in_flight
from gpuplanner_gui.engine.training.fixed_layout import table_layout
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.memory import bytes_per_token, kept_memory, micro_batches, working_memory
from gpuplanner_gui.engine.training.plan import job_for, training_of
from gpuplanner_gui.engine.training.schedules import DUALPIPE, ZERO_BUBBLE
from gpuplanner_gui.engine.training.state_memory import end_parameters, shards, stage_layers, state_memory


def stage_memory(scenario: Scenario, context: Context, table: TrainingTable, candidate: int) -> StageMemory:
    """One device of each stage, at the peak of a step. Raises ValueError for a scenario without training."""
    job = job_for(scenario, context, training_of(scenario))
    stages = int(table.pipeline_parallel[candidate])
    layout = table_layout(table, candidate).at(np.zeros(stages, np.int64))
    stage = np.arange(stages)
    layers = layers_of_stages(max(job.numbers.layers, 1), stages)
    fullest = stage_layers(float(job.numbers.layers), layout.pipeline_parallel)
    part = shards(job, layout)
    own = replace(
        part, dense_layers=part.dense_layers * layers / fullest, experts=part.experts * layers / fullest
    )  # fmt: skip
    first, last = end_parameters(job, layout)
    ends = np.where(stage == 0, first, np.where(stage == stages - 1, last, 0.0))
    state = state_memory(job, own, ends, layout.zero_stage)
    flying = in_flight_of_stages(job, layout)
    activations = _activations(job, layout, layers, flying)
    logits = np.where(stage == stages - 1, working_memory(job, layout, is_first=False).logits, 0.0)
    return StageMemory(
        layers=layers,
        in_flight=flying,
        weights_bytes=state.weights,
        gradients_bytes=state.gradients,
        master_weights_bytes=state.master_weights,
        first_moment_bytes=state.first_moment,
        second_moment_bytes=state.second_moment,
        gathered_bytes=kept_memory(job, layout, part, ends, layout.zero_stage).buffers,
        activation_bytes=activations,
        logits_bytes=logits,
        fragmentation_bytes=job.framework.fragmentation_share * (activations + logits),
        library_bytes=np.full(stages, job.framework.runtime_bytes),
        capacity_bytes=float(table.memory_capacity_bytes[candidate]),
        log_sd=job.framework.memory_log_sd,
    )


def layers_of_stages(layers: int, stages: int) -> Floats:
    """Layers of each stage: full ones first, what is left on the last. [1]"""
    full = np.ceil(layers / stages)
    return np.asarray(np.clip(layers - full * np.arange(stages), 0.0, full))


def in_flight_of_stages(job: TrainingJob, layout: TrainingLayouts) -> Floats:
    """Micro-batches whose activations each stage holds at once, in a schedule that runs one forward one backward.

    A stage holds one for each stage behind it and its own; interleaved, twice the passes of chunks to the end, and
    all passes of its other chunks (Narayanan et al. 2021, section 2.2). On the first stage that is
    `activation_memory.in_flight`.
    """
    p = layout.pipeline_parallel
    v = np.where(layout.schedule < ZERO_BUBBLE, layout.virtual_stages, 1)
    behind = p - 1 - np.arange(len(layout))
    count = micro_batches(float(job.global_sequences), layout.micro_batch, layout.data_parallel)
    plain = behind + 1.0
    interleaved = (2.0 * behind + (v - 1) * p + 1.0) / np.maximum(v, 1)
    found = np.minimum(count, np.where((v > 1) & (p > 1), interleaved, plain))
    return np.asarray(np.where(layout.schedule == DUALPIPE, dualpipe_in_flight(count, p), found))


def _activations(job: TrainingJob, layout: TrainingLayouts, layers: Floats, flying: Floats) -> Floats:
    tokens = (layout.micro_batch * job.sequence_tokens).astype(np.float64)
    kept, live = bytes_per_token(job, layout)
    ways = layout.tensor_parallel * layout.context_parallel
    return activation_bytes(tokens, layers / max(job.numbers.layers, 1), kept, flying, live, ways)
