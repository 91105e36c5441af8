"""Closed loop over separate pools: prompts queue for the prefill pool, their cache travels, the decode pool goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.serving.deployments import Deployments, pool_step_factor
from gpuplanner_gui.engine.serving.predict.points import one_pass
from gpuplanner_gui.engine.serving.predict.sizes import column, mean_share, replicas_of
from gpuplanner_gui.engine.serving.rates import EngineRates, rates_of
from gpuplanner_gui.engine.simulation.speculation import drafted_step_s, tokens_per_step

ROUNDS = 6


def decode_step_s(decode: Deployments, batch: Floats, context: Floats, drafts: Floats, rates: EngineRates) -> Floats:
    """Seconds of a decode step that verifies drafts.

    Drafted tokens go through the model beside their sequence's last, whose cache is read once for all of them; each
    takes a pass of one further layer before, as long as the verifying pass's. Groups of sequences wait for the fullest.
    """
    held = np.maximum(np.minimum(batch, decode.sequences_held(context)), 1.0)
    zero = np.zeros_like(batch)
    tokens = held * (1.0 + drafts)
    step_s = one_pass(decode, tokens, context * held / tokens, zero, zero, zero).total_s(rates)
    share = 1.0 / max(decode.counts.layers, 1)
    step_s = np.where(drafts > 0, drafted_step_s(step_s, step_s, drafts, share), step_s)
    return np.asarray(step_s * pool_step_factor(decode))


@dataclass(frozen=True)
class PoolsInLoop:
    """Pools under a number of requests kept running, in steady state; an entry per case."""

    ttft_s: Floats
    tpot_s: Floats
    step_s: Floats
    """A decode step."""
    in_turn_s: Floats
    """A prompt's share of a pass full of prompts."""
    prompts_each: Floats
    """Requests over workers that prefill."""


def pools_in_loop(cases: Sequence[ServingCase], decode: Deployments, prefill: Deployments) -> PoolsInLoop:
    """Both pools in balance: those of one model and engine, with their workers stated."""
    engine = decode.engine
    rates = rates_of(engine)
    mean = mean_share(cases)
    prompt, output = mean * column(cases, "prompt_tokens"), mean * column(cases, "output_tokens")
    concurrency, drafts = column(cases, "concurrency"), column(cases, "draft_tokens")
    zero, one = np.zeros_like(prompt), np.ones_like(prompt)
    chunk = np.minimum(prompt, prefill.token_budget)
    chunks = np.ceil(prompt / prefill.token_budget)
    alone = one_pass(prefill, zero, zero, one, chunk, (chunks - 1) * chunk / 2)
    prefill_s = chunks * alone.prompts_s(rates)
    groups = prefill.replica.layout.data_parallel
    together = np.maximum(np.floor(prefill.token_budget / chunk), 1.0) * groups
    full = one_pass(prefill, zero, zero, together, chunk, (chunks - 1) * chunk / 2)
    in_turn_s = chunks * full.prompts_s(rates) / together
    decoders = replicas_of(cases)
    prefillers = np.array([case.prefill_layout.replicas if case.prefill_layout else 1.0 for case in cases])
    context = prompt + output / 2
    yielded = tokens_per_step(drafts, engine.draft_acceptance)
    batch = concurrency / decoders
    for _ in range(ROUNDS):
        step_s = decode_step_s(decode, batch, context, drafts, rates)
        token_s = step_s / yielded
        answer_s = output * token_s
        needed = in_turn_s * concurrency / np.maximum(answer_s, 1e-9)
        workers = np.where(prefillers > 0, prefillers, np.maximum(np.round(needed), 1.0))
        waiting_s = np.maximum(concurrency * in_turn_s / workers - answer_s, 0.0)
        share = answer_s / (answer_s + waiting_s + prefill_s)
        batch = 0.5 * batch + 0.5 * np.maximum(concurrency * share / decoders, 1.0)
    entry_s = rates.request_host_s + rates.prompt_token_host_s * prompt + engine.pool_entry_s
    ttft_s = entry_s + rates.admission_steps * step_s + prefill_s + waiting_s
    return PoolsInLoop(ttft_s, token_s, step_s, in_turn_s, concurrency / workers)


def pool_values(loop: PoolsInLoop) -> dict[str, Floats]:
    """The metrics of pools; medians are as the means."""
    return {"ttft_mean": loop.ttft_s, "ttft_p50": loop.ttft_s, "tpot_mean": loop.tpot_s, "tpot_p50": loop.tpot_s}
