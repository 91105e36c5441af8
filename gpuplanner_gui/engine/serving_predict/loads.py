"""The kinds of load that published results come from, each as a function of cases of one model and engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_case import LoadKind, PoolLayout, ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving_predict.batch import batch_passes, batch_times
from gpuplanner_gui.engine.serving_predict.closed_loop import ClosedLoop, closed_loop
from gpuplanner_gui.engine.serving_predict.configuration import Configuration, configuration
from gpuplanner_gui.engine.serving_predict.estimate import Estimates, column, estimates
from gpuplanner_gui.engine.serving_predict.layouts import settled_layouts
from gpuplanner_gui.engine.serving_predict.open_loop import open_loop_values
from gpuplanner_gui.engine.serving_predict.points import ClosedLoopPasses, closed_loop_passes
from gpuplanner_gui.engine.serving_predict.pools import pool_values
from gpuplanner_gui.engine.serving_predict.samples import sample_time_s
from gpuplanner_gui.engine.serving_predict.sizes import USUAL_PROMPTS, mean_share, spread_of_lengths
from gpuplanner_gui.engine.serving_rates import LATEST_YEAR, EngineRates, rates_of

Floats = NDArray[np.float64]
Load = Callable[[Sequence[ServingCase], Context, EngineFacts], Estimates]


def loop_passes(cases: Sequence[ServingCase], found: Configuration, engine: EngineFacts) -> ClosedLoopPasses:
    """The passes of closed loops at the cases' own concurrency."""
    mean = mean_share(cases)
    limit = np.array([case.max_sequences or engine.max_sequences for case in cases], np.float64)
    concurrency = column(cases, "concurrency") / replicas(cases)
    return closed_loop_passes(
        found,
        np.where(concurrency > 0, np.maximum(concurrency, 1.0), np.inf),
        np.maximum(mean * column(cases, "prompt_tokens"), 1.0),
        np.maximum(mean * column(cases, "output_tokens"), 1.0),
        spread_of_lengths(cases),
        limit,
    )


def rates_at(cases: Sequence[ServingCase], engine: EngineFacts) -> EngineRates:
    """The engine's overheads with each case's releases, which are the newest where nobody says."""
    years = column(cases, "year")
    return rates_of(engine, np.where(years > 0, years, LATEST_YEAR))


GENERATIONS_OFFLINE = 10.0
"""A full engine takes each new prompt in as an answer ends."""


def prompts_per_client(cases: Sequence[ServingCase], engine: EngineFacts) -> Floats:
    """Prompts of a run over its concurrency: as stated, else as the engine's clients of that kind do."""
    usual = np.array([engine.client_prompts.get(case.client, USUAL_PROMPTS) for case in cases])
    requests, concurrency = column(cases, "requests"), np.maximum(column(cases, "concurrency"), 1.0)
    return np.where(requests > 0, np.maximum(requests / concurrency, 1.0), usual)


def replicas(cases: Sequence[ServingCase]) -> Floats:
    """Replicas that share the requests."""
    return np.array([max(case.layout.replicas, 1.0) for case in cases])


def of_closed_loop(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """One pool under a client with fixed concurrency."""
    cases = settled_layouts(cases, context, engine)
    found = configuration(cases, [case.layout for case in cases], context, engine)
    passes = loop_passes(cases, found, engine)
    loop = closed_loop(passes, rates_at(cases, engine), prompts_per_client(cases, engine))
    return estimates(speculated(cases, engine, _loop_values(passes, loop, replicas(cases))), found, context)


def _loop_values(passes: ClosedLoopPasses, loop: ClosedLoop, count: Floats) -> dict[str, Floats]:
    rate = count * passes.batch / loop.cycle_s
    e2e = loop.ttft_s + passes.output_tokens * loop.tpot_s
    return {
        "ttft_mean": loop.ttft_s,
        "ttft_p50": loop.ttft_s,
        "tpot_mean": loop.tpot_s,
        "tpot_p50": loop.tpot_s,
        "itl_mean": loop.tpot_s,
        "e2e_mean": e2e,
        "e2e_p50": e2e,
        "requests_per_s": rate,
        "samples_per_s": rate,
        "output_tokens_per_s": rate * passes.output_tokens,
        "total_tokens_per_s": rate * (passes.output_tokens + passes.prompt_tokens),
        "decode_tokens_per_s": rate * passes.output_tokens,
        "prefill_tokens_per_s": rate * passes.prompt_tokens,
    }


def speculated(cases: Sequence[ServingCase], engine: EngineFacts, values: dict[str, Floats]) -> dict[str, Floats]:
    """TPOT with what unstated drafts usually gain in such sources."""
    gain = np.array([engine.unstated_speculation.get(case.load, 1.0) if case.may_speculate else 1.0 for case in cases])
    return {name: value / gain if name.startswith(("tpot", "itl")) else value for name, value in values.items()}


def of_offline(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """All requests are there from the start; the engine runs as many as its memory and limits allow."""
    cases = settled_layouts(cases, context, engine)
    found = configuration(cases, [case.layout for case in cases], context, engine)
    passes = loop_passes(cases, found, engine)
    loop = closed_loop(passes, rates_at(cases, engine), np.full(len(cases), GENERATIONS_OFFLINE))
    values = _loop_values(passes, loop, replicas(cases))
    return estimates(values, found, context)


def of_server(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Requests come at the highest rate at which a latency limit holds: a share of the engine's full rate."""
    full = of_offline(cases, context, engine)
    values = {
        name: value * engine.server_share if name.endswith("_per_s") else value for name, value in full.values.items()
    }
    return Estimates(values, full.refusal, full.refusal_value, full.evidence, full.remarks)


def of_batch(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """One batch from start to end."""
    cases = settled_layouts(cases, context, engine)
    found = configuration(cases, [case.layout for case in cases], context, engine)
    count = replicas(cases)
    batch = np.maximum(column(cases, "concurrency") / count, 1.0)
    prompt, output = column(cases, "prompt_tokens"), column(cases, "output_tokens")
    steps = np.where(output > 0, output, USUAL_ANSWER)
    passes = batch_passes(found, batch, prompt, steps, column(cases, "beam_width"))
    times = batch_times(passes, rates_at(cases, engine))
    total = times.prefill_s + np.where(output > 0, times.decode_s, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        values = {
            "ttft_mean": times.prefill_s,
            "ttft_p50": times.prefill_s,
            "tpot_mean": times.decode_step_s,
            "tpot_p50": times.decode_step_s,
            "itl_mean": times.decode_step_s,
            "e2e_mean": total,
            "e2e_p50": total,
            "e2e_p90": total,
            "output_tokens_per_s": count * batch * output / total,
            "total_tokens_per_s": count * batch * (prompt + output) / total,
            "prefill_tokens_per_s": count * batch * prompt / times.prefill_s,
            "decode_tokens_per_s": count * passes.running / times.decode_step_s,
            "requests_per_s": count * batch / total,
            "samples_per_s": count * batch / total,
            "peak_memory": peak_memory_bytes(found, passes.running, prompt + steps) * devices_of(cases),
        }
    return estimates(values, found, context)


USUAL_ANSWER = 128.0
"""Tokens decoded where only a rate of decoding is asked for."""


def peak_memory_bytes(found: Configuration, sequences: Floats, tokens: Floats) -> Floats:
    """What weights, the cache of a batch and the runtime take on one device. [bytes]"""
    return np.asarray(found.weight_bytes + sequences * found.cache_bytes_per_sequence(tokens))


def devices_of(cases: Sequence[ServingCase]) -> Floats:
    """All devices of a case."""
    return np.array(
        [case.layout.devices_stated or case.layout.devices * max(case.layout.replicas, 1) for case in cases]
    )


def of_samples(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Samples of a model without tokens to generate."""
    found = configuration(cases, [PoolLayout()] * len(cases), context, engine)
    count = devices_of(cases)
    batch = column(cases, "concurrency")
    single = np.array([case.single_stream for case in cases])
    batch = np.where(batch > 0, batch, np.where(single, 1.0, engine.sample_batch))
    device = found.replica.ffn.device
    time_s = sample_time_s(
        found.model, column(cases, "prompt_tokens"), batch, device.peak_flop_per_s, device.bandwidth_bytes_per_s, engine
    )
    serving = np.array([1.0 if case.client != "server" else engine.server_share for case in cases])
    rate = count * batch / time_s
    values = {
        "samples_per_s": rate,
        "requests_per_s": rate * serving,
        "e2e_p90": time_s,
        "e2e_mean": time_s,
        "e2e_p50": time_s,
        "peak_memory": found.weight_bytes * count,
    }
    return estimates(values, found, context)


def of_open_loop(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Requests at a rate, at random."""
    cases = settled_layouts(cases, context, engine)
    found = configuration(cases, [case.layout for case in cases], context, engine)
    return estimates(open_loop_values(cases, found, engine), found, context)


def of_pools(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Prefill and decode on devices of their own, under a client with fixed concurrency."""
    found = configuration(cases, [case.layout for case in cases], context, engine)
    prefill = configuration(cases, [case.prefill_layout or case.layout for case in cases], context, engine)
    values = pool_values(cases, found, prefill, engine, rates_at(cases, engine))
    return estimates(speculated(cases, engine, values), found, context)


LOADS: dict[LoadKind, Load] = {
    "closed_loop": of_closed_loop,
    "disaggregated": of_pools,
    "batch": of_batch,
    "offline": of_offline,
    "server": of_server,
    "open_loop": of_open_loop,
    "samples": of_samples,
}
