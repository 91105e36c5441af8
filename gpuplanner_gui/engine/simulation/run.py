"""Simulated runs: open loop from arrival times on one or several replicas, closed loop with a number of clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.simulation.arrays import as_floats
from gpuplanner_gui.engine.simulation.book import RequestBook
from gpuplanner_gui.engine.simulation.pool import Outage, Routing, SimulatedPool
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.requests import Requests
from gpuplanner_gui.engine.simulation.result import SimulationResult
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.speculation import Speculation
from gpuplanner_gui.engine.simulation.step_time import SpeculativeStepTime, StepTable, StepTime, step_table

_SPECULATION_STREAM, _THINK_STREAM = 0x5BEC, 0x7417
"""Keep the draws of accepted tokens and of times to think apart from those of traffic with the same seed."""


def replica_table(step_time: StepTime, settings: ReplicaSettings) -> StepTable:
    """Step times of one configuration as the event loop reads them; make it once and use it for many runs."""
    if settings.speculation is not None:
        step_time = SpeculativeStepTime(step_time, settings.speculation)
    return step_table(step_time, settings.sequences_at_once, settings.token_budget, settings.tokens_per_sequence)


def simulate(
    table: StepTable,
    settings: ReplicaSettings,
    requests: Requests,
    replicas: int = 1,
    routing: Routing = Routing.LEAST_LOAD,
    outages: Sequence[Outage] = (),
    seed: int = 0,
    skips: bool = True,
    prefilled_at_s: Floats | None = None,
    control: RunControl = UNCONTROLLED,
) -> SimulationResult:
    """Requests at given times, until all are answered.

    Parameters
    ----------
    table : StepTable
        From `replica_table` for the same settings.
    replicas, routing
        Equal replicas and how requests are spread over them.
    outages : sequence of Outage
        Times in which one of the replicas serves nothing.
    seed : int
        Of speculation's accepted tokens and of random routing; other runs have no chance in them.
    skips : bool
        Sum runs of decode steps rather than stepping through them; the result is the same to rounding error.
    prefilled_at_s : float array, shape (n,), optional
        First-token times for requests that come with their KV cache from a prefill pool. [s]

    Raises
    ------
    SimulationCancelled
        When `control.is_cancelled` says so.
    """
    steps = decode_steps(requests.output_tokens, settings.speculation, seed)
    book = RequestBook(requests, settings, steps, prefilled_at_s, control.look)
    pool = SimulatedPool(table, settings, book, replicas, routing, seed, skips, control)
    pool.run(outages)
    return pool.result()


def simulate_users(
    table: StepTable,
    settings: ReplicaSettings,
    requests: Requests,
    users: int,
    think_s: float,
    replicas: int = 1,
    routing: Routing = Routing.LEAST_LOAD,
    seed: int = 0,
    control: RunControl = UNCONTROLLED,
    outages: Sequence[Outage] = (),
) -> SimulationResult:
    """Requests in order, each asked by one of some users who wait for their answer and think before the next.

    `think_s` is the mean of the times to think, which are exponential. [s] Otherwise as `simulate`, but the result is
    in the order in which requests were sent.
    """
    steps = decode_steps(requests.output_tokens, settings.speculation, seed)
    book = RequestBook(requests, settings, steps, None, control.look)
    pool = SimulatedPool(table, settings, book, replicas, routing, seed, control=control)
    thoughts = np.random.default_rng((seed, _THINK_STREAM)).standard_exponential(len(requests))
    pool.run_users(users, thoughts * (think_s / thoughts.mean()), outages)
    found = pool.result()
    order = np.argsort(found.sent_s, kind="stable")
    return replace(
        found, requests=requests.take(order), sent_s=found.sent_s[order], first_token_s=found.first_token_s[order],
        finish_s=found.finish_s[order], rejected=np.flatnonzero(np.isin(order, found.rejected)),
    )  # fmt: skip


def decode_steps(output_tokens: Integers, speculation: Speculation | None, seed: int) -> Integers:
    """Steps that each request decodes after its first token, shape of `output_tokens`.

    With speculation a step yields 1 … d + 1 tokens; the number of steps until the output is complete is drawn from the
    normal limit of that renewal process, within its bounds.
    """
    further: Integers = output_tokens - 1
    if speculation is None:
        return further
    normal = np.random.default_rng((seed, _SPECULATION_STREAM)).standard_normal(len(further))
    tokens = as_floats(further)
    drawn = speculation.steps(tokens) + normal * speculation.steps_sd(tokens)
    fewest = np.ceil(further / speculation.verified_tokens)
    return np.asarray(np.clip(np.rint(drawn), fewest, further), dtype=np.int64)
