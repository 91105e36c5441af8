"""Closed loop over separate pools: prompts queue for the prefill pool, their cache travels, the decode pool goes on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.load.speculation import drafted_step_s, tokens_per_step
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.predict.points import one_pass
from gpuplanner_gui.engine.serving.predict.sizes import USUAL_PROMPTS, mean_share
from gpuplanner_gui.engine.serving.rates import EngineRates

Floats = NDArray[np.float64]

ROUNDS = 6


def decode_step_s(
    decode: Deployments, batch: Floats, context: Floats, drafts: Floats, engine: EngineFacts, rates: EngineRates
) -> Floats:
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
    step_s = np.where(decode.replica.layout.data_parallel > 1, step_s * engine.pool_group_time, step_s)
    has_experts = decode.counts.expert_layers > 0
    return np.where(has_experts & (decode.replica.expert_bytes < 1.0), step_s * engine.pool_four_bit_time, step_s)


def pool_values(
    cases: Sequence[ServingCase],
    decode: Deployments,
    prefill: Deployments,
    engine: EngineFacts,
    rates: EngineRates,
) -> dict[str, Floats]:
    """TTFT and TPOT of pools with fixed concurrency."""
    mean = mean_share(cases)
    prompt = mean * np.array([case.prompt_tokens for case in cases])
    output = mean * np.array([case.output_tokens for case in cases])
    concurrency = np.array([case.concurrency for case in cases])
    drafts = np.array([case.draft_tokens for case in cases], np.float64)
    zero, one = np.zeros_like(prompt), np.ones_like(prompt)
    chunk = np.minimum(prompt, prefill.token_budget)
    chunks = np.ceil(prompt / prefill.token_budget)
    alone = one_pass(prefill, zero, zero, one, chunk, (chunks - 1) * chunk / 2)
    prefill_s = chunks * alone.prompts_s(rates)
    groups = prefill.replica.layout.data_parallel
    together = np.maximum(np.floor(prefill.token_budget / chunk), 1.0) * groups
    full = one_pass(prefill, zero, zero, together, chunk, (chunks - 1) * chunk / 2)
    in_turn_s = chunks * full.prompts_s(rates) / together
    decoders = np.array([max(case.layout.replicas, 1.0) for case in cases])
    prefillers = np.array([case.prefill_layout.replicas if case.prefill_layout else 1.0 for case in cases])
    context = prompt + output / 2
    yielded = tokens_per_step(drafts, engine.draft_acceptance)
    batch = concurrency / decoders
    for _ in range(ROUNDS):
        step_s = decode_step_s(decode, batch, context, drafts, engine, rates)
        token_s = step_s / yielded
        answer_s = output * token_s
        needed = in_turn_s * concurrency / np.maximum(answer_s, 1e-9)
        workers = np.where(prefillers > 0, prefillers, np.maximum(np.round(needed), 1.0))
        served = workers / in_turn_s
        waiting_s = np.maximum(concurrency / served - answer_s, 0.0)
        share = answer_s / (answer_s + waiting_s + prefill_s)
        batch = 0.5 * batch + 0.5 * np.maximum(concurrency * share / decoders, 1.0)
    prompts = np.array([engine.client_prompts.get("usual", USUAL_PROMPTS) for _ in cases])
    burst_s = in_turn_s * concurrency / workers / 2
    entry_s = rates.request_host_s + rates.prompt_token_host_s * prompt + engine.pool_entry_s
    ttft = entry_s + rates.admission_steps * step_s + prefill_s + waiting_s + burst_s / prompts
    return {"ttft_mean": ttft, "ttft_p50": ttft, "tpot_mean": token_s, "tpot_p50": token_s}
