"""Work that waits for nobody: one batch from start to end, and an engine that always has more.

A batch is the prefill of all prompts, then decode to the last token; one stream is a batch of one. An engine is full
with a queue that never empties, a run of so many requests at once, or so many clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.kernels.choice import FORMAT_WEIGHT_BYTES
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.serving.deployments import Deployments
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
from gpuplanner_gui.engine.serving.samples import machine_balance, pass_time_s, power_pressure, sample_flop

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
        power_demand=power_pressure(found.replica),
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


LONGEST_SPREADS = 3.0
"""Standard deviations from the mean to the longest answer of a run."""


@dataclass(frozen=True)
class FullWork:
    """Requests of each case; counts are of one replica."""

    replicas: Floats
    requests: Floats
    """Requests of the whole run; infinite where the queue never empties."""
    running: Floats
    """Requests that run at once."""
    is_steady: Floats
    """1 where clients send a new request for each answer; 0 where all requests are there from the start."""
    is_limited: Floats
    """1 where a latency limit lowers the rate, else 0."""
    is_interactive: Floats
    """1 where the limit is that of a reader who waits."""
    drafts: Floats
    """1 where the row names speculative decoding."""
    prompt_tokens: Floats
    output_tokens: Floats
    output_spread: Floats
    passes_per_prompt: Floats
    entry_s: Floats
    full: PrefillWork
    """A pass full of prompts."""
    alone: PrefillWork
    """A pass of one prompt."""
    chunks: Floats
    decode: DecodeWork
    last: DecodeWork
    """A step with one sequence left."""


def full_work(cases: Sequence[ServingCase], found: Deployments, engine: EngineFacts, rates: EngineRates) -> FullWork:
    """Kernel times of full engines."""
    count = replicas_of(cases)
    prompt, output, beams = (column(cases, name) for name in ("prompt_tokens", "output_tokens", "beam_width"))
    output = np.maximum(output, 1.0)
    stated = column(cases, "concurrency") / count
    requests = np.where(stated > 0, np.maximum(stated, 1.0), np.inf)
    limit = np.array([case.max_sequences or engine.max_sequences for case in cases], np.float64)
    groups = found.replica.layout.data_parallel
    held = np.maximum(found.sequences_held(prompt + output / 2) / beams, 1.0)
    running = np.maximum(np.minimum(np.minimum(requests, held), limit * groups / beams), 1.0)
    chunks = np.ceil(np.maximum(prompt, 1.0) / found.token_budget)
    chunk = np.maximum(prompt, 1.0) / chunks
    together = np.minimum(np.maximum(np.floor(found.token_budget / chunk), 1.0) * groups, running)
    zero, cached = np.zeros_like(prompt), (chunks - 1) * chunk / 2
    steady = np.array([case.load == "steady" for case in cases], np.float64)
    return FullWork(
        replicas=count,
        requests=requests,
        running=running,
        is_steady=steady,
        is_limited=np.array([case.client == "server" for case in cases], np.float64),
        is_interactive=np.array([case.client == "interactive" for case in cases], np.float64),
        drafts=np.array([case.speculates for case in cases], np.float64),
        prompt_tokens=prompt,
        output_tokens=output,
        output_spread=column(cases, "output_spread"),
        passes_per_prompt=chunks / together,
        entry_s=np.broadcast_to(rates.request_host_s + rates.prompt_token_host_s * prompt, np.shape(prompt)),
        full=prefill_work(one_pass(found, zero, zero, together, chunk, cached), found, rates),
        alone=prefill_work(one_pass(found, zero, zero, np.ones_like(prompt), chunk, cached), found, rates),
        chunks=chunks,
        decode=decode_work(found, running * beams, prompt + output / 2, rates),
        last=decode_work(found, beams, prompt + output, rates),
    )


def full_values(work: FullWork, stack: StackParameters) -> dict[str, Floats]:
    """Rates and latencies of full engines."""
    gain = np.where(work.drafts > 0, stack.speculation, 1.0)
    step_s = decode_step_s(work.decode, stack) / gain
    last_s = np.minimum(decode_step_s(work.last, stack) / gain, step_s)
    prompt_s = prefill_pass_s(work.full, stack) * work.passes_per_prompt
    alone_s = prefill_pass_s(work.alone, stack) * work.chunks + work.entry_s
    tpot_s = step_s + (work.running - 1.0) * prompt_s / work.output_tokens
    endless = work.running / (work.output_tokens * step_s + work.running * prompt_s)
    finite = np.where(np.isfinite(work.requests), work.requests, work.running)
    run_s = run_time_s(finite, work.running, prompt_s, step_s, last_s, work.output_tokens, work.output_spread)
    is_run = np.isfinite(work.requests) & (work.is_steady == 0)
    rate = np.where(is_run, finite / run_s, endless)
    rate = np.where(work.is_steady > 0, work.running / (alone_s + step_s + work.output_tokens * tpot_s), rate)
    slower = np.where(work.is_steady > 0, 1.0, stack.full_engine)
    slower = slower * (1.0 + work.is_limited * stack.latency_limit + work.is_interactive * stack.interactive_limit)
    rate = work.replicas * rate / slower
    ttft_s = np.where(work.is_steady > 0, alone_s + step_s, work.entry_s + prompt_s * (finite + 1.0) / 2)
    met_s = np.where(is_run, step_s + 0.5 * work.running * prompt_s / work.output_tokens, slower * tpot_s)
    return {
        "ttft_mean": ttft_s,
        "ttft_p50": ttft_s,
        "tpot_mean": met_s,
        "tpot_p50": met_s,
        "itl_mean": met_s,
        "e2e_mean": ttft_s + work.output_tokens * met_s,
        "e2e_p50": ttft_s + work.output_tokens * met_s,
        "requests_per_s": rate,
        "samples_per_s": rate,
        "output_tokens_per_s": rate * work.output_tokens,
        "total_tokens_per_s": rate * (work.output_tokens + work.prompt_tokens),
        "decode_tokens_per_s": rate * work.output_tokens,
        "prefill_tokens_per_s": rate * work.prompt_tokens,
    }


@formula(
    title="Run with all requests sent at once",
    unit="s",
    expression="requests · prompt_s + (requests/running - 1) · output_tokens · step_s"
    " + output_tokens · (step_s - last_s) + longest · last_s, longest = output_tokens · (1 + 3 output_spread)",
    source="full steps, then a last stretch that empties (docs/derivations/closed-loops.md#full-engines-and-runs)",
)
def run_time_s(
    requests: Floats,
    running: Floats,
    prompt_s: Floats,
    step_s: Floats,
    last_s: Floats,
    output_tokens: Floats,
    output_spread: Floats,
) -> Floats:
    """Seconds from the first request to the last answer."""
    waves_s = np.maximum(requests / running - 1.0, 0.0) * output_tokens * step_s
    longest = output_tokens * (1.0 + LONGEST_SPREADS * output_spread)
    return np.asarray(requests * prompt_s + waves_s + output_tokens * (step_s - last_s) + longest * last_s)
