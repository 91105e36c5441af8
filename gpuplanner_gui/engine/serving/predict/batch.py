"""One batch from start to end: prefill of all prompts, then decode to the last token; one stream is a batch of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.kernels.choice import FORMAT_WEIGHT_BYTES
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.serving.deployments import Deployments, power_demand
from gpuplanner_gui.engine.serving.predict.points import column, devices_of, one_pass, replicas_of
from gpuplanner_gui.engine.serving.predict.stacks import (
    DecodeWork,
    PrefillWork,
    StackParameters,
    decode_step_s,
    decode_work,
    prefill_pass_s,
    prefill_work,
)
from gpuplanner_gui.engine.serving.rates import EngineRates
from gpuplanner_gui.engine.serving.samples import machine_balance, pass_time_s, sample_flop

USUAL_BATCH = 256.0
"""Samples that an engine works on at once where nobody says: as many as a plan gives it (`EngineSettings`)."""


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
    balance: Floats
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
        balance=machine_balance(found.replica),
        memory_s=moved / device.bandwidth_bytes_per_s,
        memory_bytes=found.memory.weights * count,
    )


def sample_time_s(work: SampleWork, stack: StackParameters) -> Floats:
    """Seconds of a batch of samples on one device."""
    pressed = work.power_demand**stack.sample_power * work.balance**stack.sample_balance
    compute_s = stack.sample_compute * work.compute_s * pressed
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


USUAL_ANSWER = 128.0
"""Tokens decoded where only a rate of decoding is asked for."""
LATE_SHARE = 1.28
"""Standard deviations from the mean to the 90th percentile."""


@dataclass(frozen=True)
class BatchWork:
    """A batch of each case; counts are of one replica."""

    replicas: Floats
    batch: Floats
    """Sequences of the whole batch."""
    running: Floats
    """Requests that run at once: as many as the cache holds."""
    prompt_tokens: Floats
    output_tokens: Floats
    output_spread: Floats
    prefill_passes: Floats
    prefill: PrefillWork
    decode: DecodeWork
    memory_bytes: Floats
    """Memory of all devices together."""


def batch_work(cases: Sequence[ServingCase], found: Deployments, rates: EngineRates) -> BatchWork:
    """Kernel times of batches; beams decode side by side and share their prompt."""
    count = replicas_of(cases)
    batch = np.maximum(column(cases, "concurrency") / count, 1.0)
    prompt, output, beams = (column(cases, name) for name in ("prompt_tokens", "output_tokens", "beam_width"))
    steps = np.where(output > 0, output, USUAL_ANSWER)
    held = found.sequences_held(prompt + steps / 2)
    running = np.maximum(np.minimum(batch, np.maximum(held / beams, 1.0)), 1.0)
    tokens = np.maximum(prompt, 1.0)
    groups = found.replica.layout.data_parallel
    chunks = np.ceil(tokens / found.token_budget)
    chunk = tokens / chunks
    together = np.minimum(np.maximum(np.floor(found.token_budget / chunk), 1.0) * groups, running)
    zero = np.zeros_like(batch)
    prompts = one_pass(found, zero, zero, together, chunk, (chunks - 1) * chunk / 2)
    memory = found.memory.weights + running * found.cache_bytes_per_sequence(prompt + steps)
    return BatchWork(
        replicas=count,
        batch=batch,
        running=running,
        prompt_tokens=prompt,
        output_tokens=output,
        output_spread=column(cases, "output_spread"),
        prefill_passes=chunks * batch / together,
        prefill=prefill_work(prompts, found, rates),
        decode=decode_work(found, running * beams, prompt + steps / 2, rates),
        memory_bytes=memory * devices_of(cases),
    )


def batch_values(work: BatchWork, stack: StackParameters) -> dict[str, Floats]:
    """Latencies and rates of batches. A batch that the cache does not hold runs in waves, each decoding to its end."""
    step_s = decode_step_s(work.decode, stack)
    prefill_s = prefill_pass_s(work.prefill, stack) * work.prefill_passes
    prefill_s = np.where(work.prompt_tokens > 0, prefill_s, 0.0)
    decode_s = work.batch / work.running * np.maximum(work.output_tokens - 1.0, 0.0) * step_s
    total_s = prefill_s + decode_s
    sequences = work.replicas * work.batch
    with np.errstate(divide="ignore", invalid="ignore"):
        return {
            "ttft_mean": prefill_s,
            "ttft_p50": prefill_s,
            "tpot_mean": step_s,
            "tpot_p50": step_s,
            "itl_mean": step_s,
            "e2e_mean": total_s,
            "e2e_p50": total_s,
            "e2e_p90": prefill_s + decode_s * (1.0 + LATE_SHARE * work.output_spread),
            "output_tokens_per_s": sequences * work.output_tokens / total_s,
            "total_tokens_per_s": sequences * (work.prompt_tokens + work.output_tokens) / total_s,
            "prefill_tokens_per_s": sequences * work.prompt_tokens / prefill_s,
            "decode_tokens_per_s": work.replicas * work.running / step_s,
            "requests_per_s": sequences / total_s,
            "samples_per_s": sequences / total_s,
            "peak_memory": work.memory_bytes,
        }
