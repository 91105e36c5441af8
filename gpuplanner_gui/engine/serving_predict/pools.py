"""Closed loop over separate pools: prompts queue for the prefill pool, their cache travels, the decode pool goes on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.serving_predict.configuration import Configuration
from gpuplanner_gui.engine.serving_predict.points import one_pass
from gpuplanner_gui.engine.serving_predict.sizes import USUAL_PROMPTS, mean_share
from gpuplanner_gui.engine.serving_rates import EngineRates

Floats = NDArray[np.float64]

SHARE_OF_PREFILL = 0.5
"""Devices of a balanced pair that prefill, where the number of workers is not stated."""


def decode_workers(case: ServingCase, engine: EngineFacts) -> float:
    """As stated; else as many as make a pool of the engine's usual size, none of them without a request."""
    if case.layout.replicas > 0:
        return float(case.layout.replicas)
    return max(min(round(engine.pool_devices / case.layout.devices), case.concurrency), 1.0)


def pool_values(
    cases: Sequence[ServingCase],
    decode: Configuration,
    prefill: Configuration,
    engine: EngineFacts,
    rates: EngineRates,
) -> dict[str, Floats]:
    """TTFT and TPOT of pools with fixed concurrency."""
    mean = mean_share(cases)
    prompt = mean * np.array([case.prompt_tokens for case in cases])
    output = mean * np.array([case.output_tokens for case in cases])
    concurrency = np.array([case.concurrency for case in cases])
    zero, one = np.zeros_like(prompt), np.ones_like(prompt)
    chunk = np.minimum(prompt, prefill.token_budget)
    chunks = np.ceil(prompt / prefill.token_budget)
    alone = one_pass(prefill, zero, zero, one, chunk, (chunks - 1) * chunk / 2)
    prefill_s = chunks * alone.prompts_s(rates)
    groups = prefill.replica.layout.data_parallel
    together = np.maximum(np.floor(prefill.token_budget / chunk), 1.0) * groups
    full = one_pass(prefill, zero, zero, together, chunk, (chunks - 1) * chunk / 2)
    in_turn_s = chunks * full.prompts_s(rates) / together
    decoders = np.array([decode_workers(case, engine) for case in cases])
    prefillers = np.array([case.prefill_layout.replicas if case.prefill_layout else 1.0 for case in cases])
    context = prompt + output / 2
    step_s = zero
    batch = concurrency / decoders
    for _ in range(6):
        held = np.minimum(batch, decode.sequences_held(context))
        step_s = one_pass(decode, np.maximum(held, 1.0), context, zero, zero, zero).total_s(rates)
        answer_s = output * step_s
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
    return {"ttft_mean": ttft, "ttft_p50": ttft, "tpot_mean": step_s, "tpot_p50": step_s}
