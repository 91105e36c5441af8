"""Samples per second of models without an answer: images, encoded sequences, pictures drawn, speech heard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.kernels.choice import FORMAT_WEIGHT_BYTES
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.serving.deployments import Deployments, power_demand
from gpuplanner_gui.engine.serving.predict.sizes import column, devices_of
from gpuplanner_gui.engine.serving.predict.stacks import StackParameters
from gpuplanner_gui.engine.serving.samples import pass_time_s, sample_flop

USUAL_BATCH = 64.0
"""Samples that an engine works on at once where nobody says."""


@dataclass(frozen=True)
class SampleWork:
    """Passes over samples, an entry per case."""

    devices: Floats
    batch: Floats
    per_sample: Floats
    """Units that the source counts per sample: 1, or the tokens of an answer."""
    is_limited: Floats
    compute_s: Floats
    """FLOPs of a batch at the peak rate."""
    power_demand: Floats
    memory_s: Floats
    """Weights and activations at full bandwidth."""
    memory_bytes: Floats


def sample_work(cases: Sequence[ServingCase], found: Deployments) -> SampleWork:
    """What batches of samples take at the device's full rates."""
    batch = column(cases, "concurrency")
    single = np.array([case.single_stream for case in cases])
    batch = np.where(batch > 0, batch, np.where(single, 1.0, USUAL_BATCH))
    count, device, model = devices_of(cases), found.replica.ffn.device, found.model
    stated = column(cases, "sample_flop")
    flop = np.where(stated > 0, stated, sample_flop(model, column(cases, "prompt_tokens"))) * batch
    weights = float(model_parameters(model).total) * FORMAT_WEIGHT_BYTES[found.replica.formats.ffn]
    moved = weights + float(model.activation_bytes_per_sample) * batch
    return SampleWork(
        devices=count,
        batch=batch,
        per_sample=np.where(column(cases, "counts_tokens") > 0, column(cases, "output_tokens"), 1.0),
        is_limited=np.array([case.client == "server" for case in cases], np.float64),
        compute_s=flop / device.peak_flop_per_s,
        power_demand=power_demand(found),
        memory_s=moved / device.bandwidth_bytes_per_s,
        memory_bytes=found.memory.weights * count,
    )


def sample_time_s(work: SampleWork, stack: StackParameters) -> Floats:
    """Seconds of a batch of samples on one device."""
    compute_s = stack.sample_compute * work.compute_s * work.power_demand**stack.sample_power
    return pass_time_s(
        compute_s, stack.sample_memory * work.memory_s, stack.sample_host_s, work.batch, stack.sample_fill
    )


def sample_values(work: SampleWork, stack: StackParameters) -> dict[str, Floats]:
    """Rates of all devices together, and latencies of one pass."""
    time_s = sample_time_s(work, stack)
    slower = 1.0 + work.is_limited * stack.sample_limit
    rate = work.devices * work.batch * work.per_sample / (time_s * slower)
    return {
        "samples_per_s": rate,
        "requests_per_s": rate,
        "e2e_p90": time_s,
        "e2e_mean": time_s,
        "e2e_p50": time_s,
        "peak_memory": work.memory_bytes,
    }
