"""The kinds of load that published results come from, each as a function of cases of one model and engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gpuplanner_gui.domain.benchmark import LoadKind, PoolLayout, ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import case_deployments
from gpuplanner_gui.engine.serving.predict.batch import batch_values, batch_work
from gpuplanner_gui.engine.serving.predict.closed_loop import closed_loop, loop_values
from gpuplanner_gui.engine.serving.predict.estimate import Estimates, estimates
from gpuplanner_gui.engine.serving.predict.full_engine import full_values, full_work
from gpuplanner_gui.engine.serving.predict.layouts import settled_formats, settled_layouts, settled_pools
from gpuplanner_gui.engine.serving.predict.open_loop import open_loop_values
from gpuplanner_gui.engine.serving.predict.pools import pool_values, pools_in_loop
from gpuplanner_gui.engine.serving.predict.samples import sample_values, sample_work
from gpuplanner_gui.engine.serving.predict.stacks import stack_parameters
from gpuplanner_gui.engine.serving.rates import rates_of

Load = Callable[[Sequence[ServingCase], Context, EngineFacts], Estimates]


def of_closed_loop(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """A number of requests kept running, in steady state."""
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    return estimates(loop_values(closed_loop(cases, found)), found, context)


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


WORKERS_OPEN = "workers_open"
"""Remark: the case does not say how many workers its pools have; predicted with one of each."""


def of_pools(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Prefill and decode on devices of their own, under a number of requests kept running, in steady state."""
    stated = settled_pools(cases, context, engine)
    decode = case_deployments(stated, [one.layout for one in stated], context, engine)
    prefill = case_deployments(stated, [one.prefill_layout or one.layout for one in stated], context, engine)
    found = estimates(pool_values(pools_in_loop(stated, decode, prefill)), decode, context)
    remarks = [
        said if case is settled else (*said, WORKERS_OPEN)
        for said, case, settled in zip(found.remarks, cases, stated, strict=True)
    ]
    return replace(found, remarks=tuple(remarks))


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
