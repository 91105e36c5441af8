"""Time of a training step of one model on every accelerator of the catalogue, the same number of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.choices import chosen_layouts
from gpuplanner_gui.engine.training.cluster import cluster_of
from gpuplanner_gui.engine.training.evidence import KERNELS_OF, SPACE_KERNELS_OF, step_log_sd
from gpuplanner_gui.engine.training.job import TrainingJob, job_of_case
from gpuplanner_gui.engine.training.layouts import AUTO, TrainingLayouts
from gpuplanner_gui.engine.training.memory import training_memory
from gpuplanner_gui.engine.training.rates import paces_of
from gpuplanner_gui.engine.training.schedules import PLAIN
from gpuplanner_gui.engine.training.state_memory import shards
from gpuplanner_gui.engine.training.step_time import TrainingStep, training_step
from gpuplanner_gui.engine.training.work import Equipment, step_work

TRAINING_SIZES = (8, 64, 512)
"""Devices that share a job, until it fits."""
SEQUENCES_PER_DEVICE = 16
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


def training_speed(model: Model, context: Context, devices: int, recipe: str, sequence_length: int) -> TrainingSpeed:
    """A step of pretraining over copies that divide the state as far as they must (ZeRO), in the default framework.

    `recipe` is bf16 or fp8; a device without native FP8 has no time in it.
    """
    sequence = min(sequence_length, model.max_context) if model.max_context else sequence_length
    case = TrainingCase(
        case_id="", model=model, accelerator="", devices=devices, metric="step_time", sequence_length=sequence,
        global_batch=SEQUENCES_PER_DEVICE * devices, recipe="fp8" if recipe == "fp8" else "bf16",
    )  # fmt: skip
    job = job_of_case(case, context.calibration.training)
    able = _able(context, job, recipe)
    count = len(context.devices)
    time_s, missing, limit = np.full(count, np.nan), np.full(count, np.nan), np.zeros(count, np.int64)
    if len(able) and job.numbers.flop_per_token > 0:
        step, time_s[able], missing[able] = _steps(context, job, able, devices)
        limit[able] = _limits(step)
    own = job.framework.expert_log_sd if job.numbers.experts else job.framework.log_sd
    return TrainingSpeed(time_s, missing, limit, step_log_sd(context, job, np.arange(count)), own)


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
        step = stepped(chosen.layouts)
    return step, np.broadcast_to(step.total, able.shape), chosen.missing_bytes


def _layouts(accelerators: Integers, devices: int) -> TrainingLayouts:
    def same(value: int) -> Integers:
        return np.full(len(accelerators), value, np.int64)

    return TrainingLayouts(
        accelerators, same(devices), same(1), same(1), same(1), same(1), same(AUTO), same(AUTO), same(AUTO),
        same(PLAIN), same(1), np.full(len(accelerators), np.nan),
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
