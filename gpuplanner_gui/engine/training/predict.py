"""Predictions of published training results: one case in, one value with its band out.

How well a prediction is known: measured kernels or a relative's, and how far errors spread.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.benchmark import UNKNOWN, TrainingCase
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.measurement import Evidence
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.engine.context import Context, kept_in_context
from gpuplanner_gui.engine.evidence.record import EVIDENCE_OF_KIND, kinds
from gpuplanner_gui.engine.training.choices import chosen_layouts
from gpuplanner_gui.engine.training.communication import cluster_of
from gpuplanner_gui.engine.training.job import TrainingJob, job_of_case
from gpuplanner_gui.engine.training.layouts import AUTO, TrainingLayouts, schedule_code
from gpuplanner_gui.engine.training.memory import TrainingMemory, training_memory
from gpuplanner_gui.engine.training.rates import paces_of
from gpuplanner_gui.engine.training.run import checkpoint_parameters_bytes
from gpuplanner_gui.engine.training.state_memory import shards
from gpuplanner_gui.engine.training.step_time import TrainingStep, training_step
from gpuplanner_gui.engine.training.work import Equipment, TrainingStepWork, step_work

UNRELATED_LOG_SD = 0.25
"""Added spread for a device that no relative of its vendor was timed for."""
KERNELS_OF = "vllm"
"""Whose measured kernels stand for training's: PyTorch's own matrix products and flash attention."""
SPACE_KERNELS_OF = "trtllm"
"""Whose measured kernels stand for state-space layers: the chunked scan of Mamba 2, as training runs it."""


def step_log_sd(context: Context, job: TrainingJob, accelerator: Integers) -> Floats:
    """Spread of the logarithm of a step time: the framework's own, and that of kernels taken from a relative."""
    kernels = context.kernels(KERNELS_OF)
    transfer = np.where(kernels.is_measured[:, job.compute_index], 0.0, kernels.log_sd[:, job.compute_index])
    own = job.framework.expert_log_sd if job.numbers.experts else job.framework.log_sd
    own = max(own, job.framework.tuning_log_sd) if job.is_tuning else own
    per_device = np.sqrt(own**2 + transfer**2 + _alien_log_sd(context) ** 2)
    return np.asarray(per_device[accelerator])


def kinds_of(context: Context, job: TrainingJob, accelerator: Integers) -> Integers:
    """What each prediction rests on, own measurements apart."""
    runs = context.published_training.on_devices(context.devices.ids)
    is_timed = context.kernels(KERNELS_OF).is_measured[:, job.compute_index]
    return kinds(runs, is_timed, context.has_timed_relative)[accelerator]


@kept_in_context()
def _alien_log_sd(context: Context) -> Floats:
    return np.where(context.is_of_timed_vendor, 0.0, UNRELATED_LOG_SD)


LEAST_CHUNK_LAYERS = 2
NO_LIMIT = np.array([np.inf])
"""Input of a benchmark never waits: tokens are there."""


@dataclass(frozen=True)
class Prediction:
    """A value in SI units with its 80 % band; NaN with a reason where there is none."""

    value: float
    low80: float
    high80: float
    evidence: Evidence
    reason: Reason = Reason.NONE
    reason_value: float = 0.0


@dataclass(frozen=True)
class CaseWork:
    """A case with every unknown choice made, and what its step has to do."""

    job: TrainingJob
    layout: TrainingLayouts
    memory: TrainingMemory
    work: TrainingStepWork


def predicted(case: TrainingCase, context: Context) -> Prediction:
    """The metric that a case asks for.

    Raises KeyError for an accelerator that the catalogue lacks, or a framework that the calibration lacks.
    """
    index = context.devices.ids.index(case.accelerator)
    made = case_work(case, context)
    evidence = EVIDENCE_OF_KIND[kinds_of(context, made.job, np.array([index]))][0]
    if np.isnan(made.work.peak_flop_per_s[0]) and not case.metric.startswith(("peak_memory", "checkpoint")):
        return Prediction(np.nan, np.nan, np.nan, Evidence(int(evidence)), Reason.NO_COMPUTE_FIGURE)
    step = training_step(made.work, made.job.rates)
    value = _value(case, made, step)
    if case.metric.startswith(("peak_memory", "checkpoint")):
        spread = made.job.framework.memory_log_sd
    else:
        spread = float(step_log_sd(context, made.job, np.array([index]))[0])
    return Prediction(
        value, value * float(np.exp(-Z_80 * spread)), value * float(np.exp(Z_80 * spread)), Evidence(int(evidence))
    )


def case_work(case: TrainingCase, context: Context) -> CaseWork:
    """Make the choices that a case leaves open, and sum up what its step has to do."""
    index = context.devices.ids.index(case.accelerator)
    job = job_of_case(case, context.calibration.training)
    equipment = Equipment(
        context.devices,
        context.kernels(KERNELS_OF),
        context.kernels(SPACE_KERNELS_OF),
        cluster_of(context.catalog, case.network, 1.0, 1.0),
        paces_of(context, case.framework, case.release, case.flash_attention_3),
        context.calibration.training.host_update_bytes_per_s,
        context.calibration.training.nvme_bytes_per_s,
        context.calibration.training.opaque_efficiency,
    )
    layout = _layout(case, job, index)
    usable = context.devices.memory_bytes[[index]]

    def step_s(tried: TrainingLayouts) -> Floats:
        memory = training_memory(job, tried)
        return training_step(
            step_work(job, tried, memory.state, shards(job, tried), equipment, NO_LIMIT), job.rates
        ).total

    chosen = chosen_layouts(job, layout, usable, step_s).layouts
    memory = training_memory(job, chosen)
    return CaseWork(job, chosen, memory, step_work(job, chosen, memory.state, shards(job, chosen), equipment, NO_LIMIT))


def _layout(case: TrainingCase, job: TrainingJob, accelerator: int) -> TrainingLayouts:
    def one(value: int) -> NDArray[np.int64]:
        return np.array([AUTO if value == UNKNOWN else value], np.int64)

    chunks = usual_virtual_stages(case, job)
    return TrainingLayouts(
        one(accelerator), one(case.devices), one(case.tensor_parallel), one(case.pipeline_parallel),
        one(case.context_parallel), one(case.expert_parallel),
        one(case.expert_tensor_parallel or (case.tensor_parallel if case.expert_parallel == 1 else 1)),
        one(usual_zero_stage(case)),
        one(usual_micro_batch(case)), one(case.recompute), one(schedule_code(job.schedule, chunks)), one(chunks),
        np.array([_stated_share(case)]), one(0),
        one(int(case.is_optimizer_offloaded or case.are_weights_offloaded)), one(int(case.are_activations_offloaded)),
    )  # fmt: skip


def _stated_share(case: TrainingCase) -> float:
    return float("nan") if case.recompute == UNKNOWN else float(case.recompute == 2)


def usual_zero_stage(case: TrainingCase) -> int:
    """The stated ZeRO stage, else a framework's own: Megatron divides the optimizer, FSDP what it must."""
    if case.zero_stage != UNKNOWN:
        return case.zero_stage
    copies = case.devices // (case.tensor_parallel * case.pipeline_parallel)
    if copies <= 1:
        return 0
    return AUTO if case.framework == "fsdp" else 1


def usual_virtual_stages(case: TrainingCase, job: TrainingJob) -> int:
    """The stated number, else as many as leave chunks of two layers where the schedule is interleaved."""
    if case.virtual_stages != UNKNOWN or job.schedule != "interleaved" or case.pipeline_parallel == 1:
        return max(case.virtual_stages, 1)
    per_stage = max(1, job.numbers.layers // case.pipeline_parallel)
    return max(1, per_stage // LEAST_CHUNK_LAYERS)


def usual_micro_batch(case: TrainingCase) -> int:
    """The stated micro-batch, else one sequence in a pipeline, and what the search chooses without one."""
    return 1 if case.micro_batch == UNKNOWN and case.pipeline_parallel > 1 else case.micro_batch


def measured_peak_bytes(job: TrainingJob, memory: TrainingMemory, micro_batches: Floats) -> Floats:
    """Peak of allocated memory as a framework's own counters see it: no device context, no fragmentation. [bytes]

    Where gradients are made while activations go, the peak is at the start of the backward pass or at the update.
    """
    state = memory.state
    kept = state.total - state.gradients
    working = memory.activations + memory.logits + memory.buffers
    both = memory.allocated
    if job.framework.keeps_gradients:
        return both
    apart = np.maximum(kept + working, kept + state.gradients)
    return np.where(micro_batches > 1, both, apart)


def case_peak_bytes(case: TrainingCase, job: TrainingJob, memory: TrainingMemory, micro_batches: Floats) -> float:
    """The peak that a case asks for, allocated or reserved. [bytes]"""
    allocated = measured_peak_bytes(job, memory, micro_batches)
    is_reserved = case.metric == "peak_memory_reserved"
    return float((allocated + memory.fragmentation * is_reserved)[0])


def _value(case: TrainingCase, made: CaseWork, step: TrainingStep) -> float:
    job, memory = made.job, made.memory
    total = float(step.total[0])
    rate = job.tokens_per_step / total
    if case.metric == "step_time":
        return total
    if case.metric == "tokens_per_s":
        return rate
    if case.metric == "tokens_per_s_per_device":
        return rate / case.devices
    if case.metric == "checkpoint_bytes":
        return float(checkpoint_parameters_bytes(job))
    if case.metric.startswith("peak_memory"):
        return case_peak_bytes(case, job, memory, made.work.micro_batches)
    flop = flop_per_token(case, job) * rate / case.devices
    if case.metric == "hardware_flop_per_s_per_device":
        return flop * float(step.passes[0]) / (1 + job.backward_share)
    return flop / float(made.work.peak_flop_per_s[0]) if case.metric == "mfu" else flop


def flop_per_token(case: TrainingCase, job: TrainingJob) -> float:
    """Model FLOPs of forward and backward pass as a source counts them."""
    numbers = job.numbers
    passes = 1 + job.backward_share
    if case.flop_convention == "six_n":
        return passes * 2.0 * numbers.parameters
    extra = numbers.attention_flop_per_token if case.flop_convention == "full" else 0.0
    return passes * (numbers.flop_per_token + extra)
