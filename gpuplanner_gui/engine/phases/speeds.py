"""Time of every phase on every accelerator of the catalogue, so that any two can be compared by a quotient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.domain.curves import MeasuredGain, MemoryPart
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import step_log_sd
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.deployments import deployments_of
from gpuplanner_gui.engine.serving.limits import runs_out_at
from gpuplanner_gui.engine.serving.memory import ServingMemory
from gpuplanner_gui.engine.serving.operation import StepWork
from gpuplanner_gui.engine.serving.step import StepTimes, step_times
from gpuplanner_gui.engine.simulation.arrays import as_floats
from gpuplanner_gui.engine.training.choices import chosen_layouts
from gpuplanner_gui.engine.training.communication import cluster_of
from gpuplanner_gui.engine.training.job import TrainingJob, job_of_case
from gpuplanner_gui.engine.training.judging import expected_step
from gpuplanner_gui.engine.training.layouts import AUTO, PLAIN, TrainingLayouts
from gpuplanner_gui.engine.training.memory import training_memory
from gpuplanner_gui.engine.training.model_numbers import sample_tokens
from gpuplanner_gui.engine.training.predict import KERNELS_OF, SPACE_KERNELS_OF
from gpuplanner_gui.engine.training.predict import step_log_sd as training_log_sd
from gpuplanner_gui.engine.training.rates import paces_of
from gpuplanner_gui.engine.training.state_memory import shards
from gpuplanner_gui.engine.training.step_time import TrainingStep, training_step
from gpuplanner_gui.engine.training.work import Equipment, step_work

TRAINING_SIZES = (8, 64, 512)
"""Devices that share a job, until it fits."""
SEQUENCES_PER_DEVICE = 16
"""Of a step whose batch no scenario says."""
NO_LIMIT = np.array([np.inf])


@dataclass(frozen=True)
class TrainingSpeed:
    """One entry per accelerator of the catalogue; NaN where it does not train in this format."""

    time_s: Floats
    missing_bytes: Floats
    """Per device; 0 where it fits."""
    limit: Integers
    log_sd: Floats
    own_log_sd: float
    """Part of `log_sd` that is the framework's, whatever the device."""


def training_speed(
    model: Model, context: Context, devices: int, recipe: str, sequence_length: int, sequences: int
) -> TrainingSpeed:
    """A step of pretraining over copies that divide the state as far as they must (ZeRO), in the default framework.

    `recipe` is bf16 or fp8; a device without native FP8 has no time in it.
    """
    case = TrainingCase(
        case_id="", model=model, accelerator="", devices=devices, metric="step_time", sequence_length=sequence_length,
        global_batch=sequences, recipe="fp8" if recipe == "fp8" else "bf16",
    )  # fmt: skip
    job = job_of_case(case, context.calibration.training)
    able = _able(context, job, recipe)
    count = len(context.devices)
    time_s, missing, limit = np.full(count, np.nan), np.full(count, np.nan), np.zeros(count, np.int64)
    if len(able) and job.numbers.flop_per_token > 0:
        step, time_s[able], missing[able] = _steps(context, job, able, devices)
        limit[able] = _limits(step)
    own = job.framework.expert_log_sd if job.numbers.experts else job.framework.log_sd
    return TrainingSpeed(time_s, missing, limit, training_log_sd(context, job, np.arange(count)), own)


def _able(context: Context, job: TrainingJob, recipe: str) -> Integers:
    """Accelerators with training software and a native rate."""
    facts, devices = context.calibration.training, context.devices
    able = [
        entry.ecosystem in facts.training_ecosystems
        and entry.id not in facts.inference_only
        and (recipe != "fp8" or entry.supports("fp8"))
        for entry in context.accelerators
    ]
    known = ~np.isnan(devices.peak_flop_per_s[:, job.compute_index]) & ~np.isnan(devices.memory_bytes)
    return np.flatnonzero(np.array(able, bool) & known & ~np.isnan(devices.bandwidth_bytes_per_s))


def _steps(context: Context, job: TrainingJob, able: Integers, devices: int) -> tuple[TrainingStep, Floats, Floats]:
    calibration = context.calibration.training
    equipment = Equipment(
        context.devices,
        context.kernels(KERNELS_OF),
        context.kernels(SPACE_KERNELS_OF),
        cluster_of(context.catalog, "", 1.0, 1.0),
        paces_of(context, ""),
        calibration.host_update_bytes_per_s,
        calibration.nvme_bytes_per_s,
        calibration.opaque_efficiency,
    )
    layouts = _layouts(able, devices)

    def stepped(tried: TrainingLayouts) -> TrainingStep:
        state = training_memory(job, tried).state
        return training_step(step_work(job, tried, state, shards(job, tried), equipment, NO_LIMIT), job.rates)

    with np.errstate(divide="ignore", invalid="ignore"):
        chosen = chosen_layouts(
            job, layouts, context.devices.memory_bytes[able], lambda tried: np.asarray(stepped(tried).total)
        )
        step, _ = expected_step(stepped(chosen.layouts), job, chosen.layouts, context)
    return step, np.broadcast_to(step.total, able.shape), chosen.missing_bytes


def _layouts(accelerators: Integers, devices: int) -> TrainingLayouts:
    def same(value: int) -> Integers:
        return np.full(len(accelerators), value, np.int64)

    return TrainingLayouts(
        accelerators, same(devices), same(1), same(1), same(1), same(1), same(1), same(AUTO), same(AUTO), same(AUTO),
        same(PLAIN), same(1), np.full(len(accelerators), np.nan), same(0), same(0),
        same(0),
    )  # fmt: skip


def _limits(step: TrainingStep) -> Integers:
    """The resource that most of each step goes to."""
    communication = (
        step.tensor_communication_s + step.data_communication_s + step.pipeline_communication_s
        + step.expert_communication_s
    )  # fmt: skip
    parts = np.stack(np.broadcast_arrays(step.compute_s, step.bandwidth_s, communication, step.host_s))
    order = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)
    return np.asarray(np.array([int(one) for one in order])[parts.argmax(axis=0)], np.int64)


FORMATS = ("bf16", "fp8")
"""Formats of weights and KV cache alike."""
DECODE_BATCHES = (1, 64, 256)
SERVING_SIZES = (1, 2, 4, 8, 16)
"""Tensor-parallel devices that a model is spread over, until it fits."""
RESOURCES = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)


@dataclass(frozen=True)
class PhaseWork:
    """What the phases work on."""

    prompt_tokens: float = 1024.0
    context_tokens: float = 1152.0
    engine: str = "vllm"
    memory_fraction: float = 0.9
    token_budget: int = 8192
    sequence_length: int = 4096
    step_tokens: int = 0
    """Global batch of a training step; 0 for so many sequences a device."""
    is_trained: bool = True


@dataclass(frozen=True)
class PhaseTable:
    """One phase: arrays of shape (sizes, formats, accelerators)."""

    sizes: tuple[int, ...]
    time_s: Floats
    missing_bytes: Floats
    """Per device; 0 where it fits, NaN where the layout is not possible."""
    runs_out_at: Integers
    """A `MemoryPart`; of training not told apart."""
    limit: Integers
    log_sd: Floats
    is_emulated: NDArray[np.bool_]
    """Shape (formats, accelerators)."""
    own_log_sd: float
    """Part of `log_sd` that is the engine's or framework's, whatever the device."""
    timed: Integers
    """Shape (formats, accelerators): which accelerator's timings stand for each."""
    batches: tuple[int, ...]
    """Sequences that each size works on at once; 1 of a prompt alone."""


@dataclass(frozen=True)
class PhaseSpeeds:
    """All phases of one model; decoding by batch."""

    accelerators: tuple[str, ...]
    work: PhaseWork
    sequence_tokens: int
    """Of a sequence that is trained on; 1 of a model that counts samples."""
    training: PhaseTable
    prefill: PhaseTable
    decode: dict[int, PhaseTable]
    measured: tuple[MeasuredGain, ...]
    """Published pairs of any two accelerators."""


def phase_speeds(model: Model, context: Context, work: PhaseWork) -> PhaseSpeeds:
    """Times of all phases on all accelerators. Raises KeyError for an engine that the calibration lacks.

    Notes
    -----
    Serving takes a prompt alone, and one decode step of a full batch at the work's mean context, on tensor-parallel
    devices. Training is a full step of pretraining in the default framework.
    """
    candidates = _candidates(len(context.devices))
    facts = context.calibration.engine(work.engine)
    deployed = deployments_of(
        model, context, facts, candidates, work.memory_fraction, float(work.token_budget), float(facts.max_sequences)
    )
    cache_bytes = deployed.cache_bytes_per_sequence(work.context_tokens)
    memory = deployed.memory
    possible = _is_possible(model, context, work.engine, candidates) & bool(deployed.operations)
    where = (candidates.accelerator, candidates.weight_precision)
    error = context.calibration.errors.decode
    # Two devices are compared on one installation, whose own error both share.
    whole = step_log_sd(context, work.engine, model.kind, *where)
    log_sd = _shaped(np.sqrt(whole**2 - error.installation**2))
    emulated = context.devices.is_emulated[:, [PRECISION_INDEX[name] for name in FORMATS]].T
    none = as_floats(0.0)

    def table(step: StepWork, sequences: float) -> PhaseTable:
        times = step_times(deployed.operations, step, deployed.replica, facts)
        return PhaseTable(
            sizes=SERVING_SIZES,
            time_s=_shaped(np.where(possible, times.total, np.nan)),
            missing_bytes=_shaped(np.where(possible, _missing(memory, sequences * cache_bytes), np.nan)),
            runs_out_at=_shaped(runs_out_at(memory, sequences * cache_bytes)).astype(np.int64),
            limit=_shaped(limits_of(times)).astype(np.int64),
            log_sd=log_sd,
            is_emulated=emulated,
            own_log_sd=error.run,
            timed=timed_devices(context, work.engine),
            batches=(round(sequences),) * len(SERVING_SIZES),
        )

    prompt, kept = as_floats(max(work.prompt_tokens, 1.0)), as_floats(work.context_tokens)
    return PhaseSpeeds(
        accelerators=context.devices.ids,
        work=work,
        sequence_tokens=sample_tokens(model, _sequence_length(model, work)),
        training=_training(model, context, work),
        prefill=table(StepWork(none, none, prompt, as_floats(1.0), none), 1.0),
        decode={
            batch: table(StepWork(as_floats(float(batch)), kept, none, none, none), float(batch))
            for batch in DECODE_BATCHES
        },
        measured=context.calibration.gains,
    )


def _training(model: Model, context: Context, work: PhaseWork) -> PhaseTable:
    batches = tuple(_sequences_of_step(model, work, size) for size in TRAINING_SIZES)
    found = [
        [training_speed(model, context, size, name, _sequence_length(model, work), batch) for name in FORMATS]
        for size, batch in zip(TRAINING_SIZES, batches, strict=True)
    ]
    return PhaseTable(
        sizes=TRAINING_SIZES,
        time_s=np.array([[one.time_s for one in row] for row in found]),
        missing_bytes=np.array([[one.missing_bytes for one in row] for row in found]),
        runs_out_at=np.full((len(TRAINING_SIZES), len(FORMATS), len(context.devices)), int(MemoryPart.NONE)),
        limit=np.array([[one.limit for one in row] for row in found]),
        log_sd=np.array([[one.log_sd for one in row] for row in found]),
        is_emulated=np.zeros((len(FORMATS), len(context.devices)), bool),
        own_log_sd=found[0][0].own_log_sd,
        timed=timed_devices(context, KERNELS_OF),
        batches=batches,
    )


def _sequences_of_step(model: Model, work: PhaseWork, devices: int) -> int:
    """The scenario's global batch, in whole sequences a device."""
    if not work.step_tokens:
        return SEQUENCES_PER_DEVICE * devices
    sequence = sample_tokens(model, _sequence_length(model, work))
    return max(1, round(work.step_tokens / sequence / devices)) * devices


def _sequence_length(model: Model, work: PhaseWork) -> int:
    return min(work.sequence_length, model.max_context) if model.max_context else work.sequence_length


def timed_devices(context: Context, engine: str) -> Integers:
    """Which accelerator's timings stand for each format and accelerator."""
    relative = context.kernels(engine).relative
    places = {name: place for place, name in enumerate(context.devices.ids)}
    columns = [PRECISION_INDEX[name] for name in FORMATS]
    return np.array([[places.get(row[column], -1) for row in relative] for column in columns], np.int64)


def _candidates(accelerators: int) -> ServingCandidates:
    size, stored, accelerator = (
        axis.ravel()
        for axis in np.meshgrid(
            np.array(SERVING_SIZES), np.array([PRECISION_INDEX[name] for name in FORMATS]), np.arange(accelerators),
            indexing="ij",
        )
    )  # fmt: skip
    return ServingCandidates(accelerator, size, np.ones_like(size), stored, stored)


def _shaped(values: NDArray[np.float64] | NDArray[np.int64]) -> Floats:
    return np.asarray(values, np.float64).reshape(len(SERVING_SIZES), len(FORMATS), -1)


def _is_possible(model: Model, context: Context, engine: str, candidates: ServingCandidates) -> NDArray[np.bool_]:
    """Heads divide, the devices reach each other, rates are known, and the engine runs the format."""
    devices, who = context.devices, candidates.accelerator
    heads = context.heads(model)
    divides = heads % candidates.tensor_parallel == 0 if heads else np.ones(len(candidates), bool)
    is_reachable = (candidates.tensor_parallel == 1) | (
        (candidates.tensor_parallel <= devices.together[who]) & ~np.isnan(devices.scale_up_bytes_per_s[who])
    )
    is_known = ~np.isnan(devices.peak_flop_per_s[who, candidates.weight_precision])
    which = candidates.weight_precision
    is_known &= ~(context.refused(engine, "products")[who, which] | context.refused(engine, "kv_cache")[who, which])
    return np.asarray(divides & is_reachable & is_known & ~np.isnan(devices.memory_bytes[who]))


def _missing(memory: ServingMemory, cache_bytes: Floats) -> Floats:
    return np.maximum(cache_bytes - memory.pool, 0.0)


def limits_of(times: StepTimes) -> Integers:
    """The resource that most of each pass goes to."""
    parts = np.stack([times.compute_s, times.bandwidth_s, times.interconnect_s, times.host_s])
    return np.asarray(np.array([int(one) for one in RESOURCES])[parts.argmax(axis=0)], np.int64)
