"""The kinds of load that published results come from, each as a function of cases of one model and engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_case import LoadKind, PoolLayout, ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import Deployments, case_deployments, model_operations
from gpuplanner_gui.engine.serving.predict.batch import batch_values, batch_work
from gpuplanner_gui.engine.serving.predict.closed_loop import ClosedLoop, closed_loop
from gpuplanner_gui.engine.serving.predict.estimate import Estimates, estimates
from gpuplanner_gui.engine.serving.predict.full_engine import full_values, full_work
from gpuplanner_gui.engine.serving.predict.layouts import settled_formats, settled_layouts
from gpuplanner_gui.engine.serving.predict.open_loop import open_loop_values
from gpuplanner_gui.engine.serving.predict.points import ClosedLoopPasses, closed_loop_passes
from gpuplanner_gui.engine.serving.predict.pool_setups import likeliest, middle_of, setups_of
from gpuplanner_gui.engine.serving.predict.pools import pool_values
from gpuplanner_gui.engine.serving.predict.samples import sample_values, sample_work
from gpuplanner_gui.engine.serving.predict.sizes import (
    USUAL_PROMPTS,
    column,
    mean_share,
    replicas_of,
    spread_of_lengths,
)
from gpuplanner_gui.engine.serving.predict.stacks import stack_parameters
from gpuplanner_gui.engine.serving.rates import LATEST_YEAR, EngineRates, crowd_share, layer_counts, rates_of

Floats = NDArray[np.float64]
Load = Callable[[Sequence[ServingCase], Context, EngineFacts], Estimates]


def loop_passes(cases: Sequence[ServingCase], found: Deployments, engine: EngineFacts) -> ClosedLoopPasses:
    """The passes of closed loops at the cases' own concurrency."""
    mean = mean_share(cases)
    limit = np.array([case.max_sequences or engine.max_sequences for case in cases], np.float64)
    concurrency = column(cases, "concurrency") / replicas_of(cases)
    return closed_loop_passes(
        found,
        np.where(concurrency > 0, np.maximum(concurrency, 1.0), np.inf),
        np.maximum(mean * column(cases, "prompt_tokens"), 1.0),
        np.maximum(mean * column(cases, "output_tokens"), 1.0),
        spread_of_lengths(cases),
        limit,
        engine,
    )


def rates_at(cases: Sequence[ServingCase], engine: EngineFacts) -> EngineRates:
    """The engine's overheads with each case's releases, which are the newest where nobody says, and its client's."""
    years = column(cases, "year")
    is_complex = layer_counts(model_operations(cases[0].model)).complex_layers > 0
    steps = np.array([_admission_steps(case, engine, is_complex) for case in cases])
    crowd_steps = np.array([engine.client_crowd_steps.get(case.client, 0.0) for case in cases])
    steps = steps + crowd_steps * crowd_share(column(cases, "concurrency") / replicas_of(cases), engine)
    delays = np.array([engine.client_start_delay_s.get(case.client, engine.start_delay_s) for case in cases])
    rates = rates_of(engine, np.where(years > 0, years, LATEST_YEAR))
    of_client = np.array([engine.client_sequence_host_s.get(case.client, np.nan) for case in cases])
    sequence_s = np.where(np.isnan(of_client), rates.sequence_host_s, of_client)
    return replace(rates, admission_steps=steps, start_delay_s=delays, sequence_host_s=sequence_s)


def _admission_steps(case: ServingCase, engine: EngineFacts, is_complex: bool) -> float:
    """Steps until a prompt is taken in without a crowd, as the client's recipes have it for such models."""
    steps = engine.client_admission_steps.get(case.client, engine.admission_steps)
    return steps + (engine.client_complex_steps.get(case.client, 0.0) if is_complex else 0.0)


def prompts_per_client(cases: Sequence[ServingCase], engine: EngineFacts) -> Floats:
    """Prompts of a run over its concurrency: as stated, else as the engine's clients of that kind do."""
    usual = np.array([engine.client_prompts.get(case.client, USUAL_PROMPTS) for case in cases])
    requests, concurrency = column(cases, "requests"), np.maximum(column(cases, "concurrency"), 1.0)
    return np.where(requests > 0, np.maximum(requests / concurrency, 1.0), usual)


def of_closed_loop(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """One pool under a client with fixed concurrency."""
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    passes = loop_passes(cases, found, engine)
    loop = closed_loop(passes, rates_at(cases, engine), prompts_per_client(cases, engine))
    values = speculated(cases, engine, _loop_values(passes, loop, replicas_of(cases)))
    return estimates(by_recipe(cases, engine, values), found, context)


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
    gain = np.array([_unstated_gain(case, engine) for case in cases])
    return {name: value / gain if name.startswith(("tpot", "itl")) else value for name, value in values.items()}


def by_recipe(cases: Sequence[ServingCase], engine: EngineFacts, values: dict[str, Floats]) -> dict[str, Floats]:
    """TTFT as the source's sweep usually has it, where the case is one of a known sweep."""
    ratio = np.array([engine.sweep_first_token.get(case.sweep, 1.0) if case.sweep else 1.0 for case in cases])
    return {name: value * ratio if name.startswith("ttft") else value for name, value in values.items()}


def _unstated_gain(case: ServingCase, engine: EngineFacts) -> float:
    if not case.may_speculate:
        return 1.0
    usual = engine.unstated_speculation.get(case.load, 1.0)
    return engine.sweep_speculation.get(case.sweep, usual) if case.load == "closed_loop" else usual


def of_full_engine(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """An engine that always has work: a queue that never empties, a run that starts at once, so many clients."""
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    work = full_work(cases, found, engine, rates_of(engine))
    return estimates(full_values(work, stack_parameters(cases, context)), found, context)


def of_batch(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """One batch from start to end."""
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    work = batch_work(cases, found, rates_of(engine))
    return estimates(batch_values(work, stack_parameters(cases, context)), found, context)


def of_samples(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Samples of a model without tokens to generate; every device works on its own."""
    cases = settled_formats(cases, context)
    found = case_deployments(cases, [PoolLayout()] * len(cases), context, engine)
    return estimates(sample_values(sample_work(cases, found), stack_parameters(cases, context)), found, context)


def of_open_loop(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Requests at a rate, at random."""
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    return estimates(open_loop_values(cases, found, engine), found, context)


POOLS_OPEN = "pools_open"
"""Remark: the case leaves open how its pools are set up."""


def of_pools(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Prefill and decode on devices of their own, under a client with fixed concurrency; the middle of what operators
    choose where a case leaves its pools open."""
    setups = setups_of(cases, context, engine)
    share = setups.shares(engine.pool_practice)
    decode = case_deployments(setups.cases, [one.layout for one in setups.cases], context, engine)
    prefill = case_deployments(
        setups.cases, [one.prefill_layout or one.layout for one in setups.cases], context, engine
    )
    values = pool_values(setups.cases, decode, prefill, engine, rates_at(setups.cases, engine))
    middle = {name: middle_of(value, share, setups.of) for name, value in values.items()}
    usual = [setups.cases[position] for position in likeliest(share, setups.of)]
    found = estimates(middle, case_deployments(usual, [one.layout for one in usual], context, engine), context)
    ways = np.bincount(setups.of)
    remarks = tuple((*said, POOLS_OPEN) if count > 1 else said for said, count in zip(found.remarks, ways))
    return replace(found, remarks=remarks)


LOADS: dict[LoadKind, Load] = {
    "closed_loop": of_closed_loop,
    "disaggregated": of_pools,
    "batch": of_batch,
    "offline": of_full_engine,
    "server": of_full_engine,
    "steady": of_full_engine,
    "open_loop": of_open_loop,
    "samples": of_samples,
}
