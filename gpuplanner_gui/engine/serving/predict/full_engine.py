"""An engine that always has work: a queue that never empties, a run of so many requests at once, so many clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.predict.points import column, one_pass, replicas_of
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
