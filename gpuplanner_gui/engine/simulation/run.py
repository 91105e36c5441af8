"""Simulated runs: open loop from arrival times on one or several replicas, closed loop with a number of clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.simulation.arrays import as_floats
from gpuplanner_gui.engine.simulation.pool import Outage, Routing, SimulatedPool
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.requests import RequestBook, Requests
from gpuplanner_gui.engine.simulation.result import SimulationResult
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.step_time import Speculation, SpeculativeStepTime, StepTable, StepTime, step_table

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
    CancelledError
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


@dataclass(frozen=True)
class ReplicaPool:
    """Equal replicas and how requests are spread over them."""

    table: StepTable
    settings: ReplicaSettings
    replicas: int
    routing: Routing = Routing.LEAST_LOAD


@dataclass(frozen=True)
class KvTransfer:
    """What sends a prompt's KV cache to the decode pool: a latency, then bytes over links used one prompt at a time.

    `links` is the number of prompts that can be sent at the same time, each at `bytes_per_s`.
    """

    kv_bytes_per_token: float
    bytes_per_s: float
    latency_s: float = 0.0
    links: int = 1

    def arrival_s(self, ready_s: Floats, tokens: Integers) -> Floats:
        """When each KV cache has arrived; in order of `ready_s`, waiting for the first free link. Shape (n,)."""
        free_s = [0.0] * self.links
        arrived = np.empty(len(ready_s))
        duration = (tokens * self.kv_bytes_per_token / self.bytes_per_s).tolist()
        for index in np.argsort(ready_s, kind="stable").tolist():
            link = free_s.index(min(free_s))
            free_s[link] = max(free_s[link], float(ready_s[index])) + duration[index]
            arrived[index] = free_s[link] + self.latency_s
        return arrived


@dataclass(frozen=True)
class DisaggregatedResult:
    """A run as a client sees it, and each pool's own use."""

    served: SimulationResult
    prefill: SimulationResult
    decode: SimulationResult
    mean_transfer_s: float


def simulate_disaggregated(
    prefill: ReplicaPool,
    decode: ReplicaPool,
    transfer: KvTransfer,
    requests: Requests,
    seed: int = 0,
    control: RunControl = UNCONTROLLED,
    outages: tuple[Sequence[Outage], Sequence[Outage]] = ((), ()),
) -> DisaggregatedResult:
    """Requests at given times through a prefill pool, a transfer and a decode pool.

    The prefill pool yields the first token; the gap to the second holds the transfer and the wait for a place in the
    decode pool. A prompt preempted there is recomputed there. Nothing flows back, so that the pools are simulated one
    after the other, exactly. `outages` are those of workers that prefill, and of those that decode.

    Raises
    ------
    CancelledError
        When `control.is_cancelled` says so.

    References
    ----------
    .. [1] Zhong et al., DistServe, OSDI 2024; Patel et al., Splitwise, ISCA 2024.
    """
    single = replace(requests, output_tokens=np.ones(len(requests), dtype=np.int64))
    first = simulate(
        prefill.table, prefill.settings, single, prefill.replicas, prefill.routing, outages[0], seed=seed,
        control=control,
    )  # fmt: skip
    goes_on = np.flatnonzero(np.isfinite(first.first_token_s) & (requests.output_tokens > 1))
    ready_s = first.first_token_s[goes_on]
    arrival_s = transfer.arrival_s(ready_s, requests.prompt_tokens[goes_on])
    order = np.argsort(arrival_s, kind="stable")
    handed, arrival_s, ready_s = goes_on[order], arrival_s[order], ready_s[order]
    second = simulate(
        decode.table,
        decode.settings,
        requests.take(handed).arriving(arrival_s),
        decode.replicas,
        decode.routing,
        outages[1],
        seed=seed,
        prefilled_at_s=ready_s,
        control=control,
    )
    served = _joined(requests, first, second, handed)
    wait_s = float((arrival_s - ready_s).mean()) if len(handed) else 0.0
    return DisaggregatedResult(served, first, second, wait_s)


def _joined(
    requests: Requests, first: SimulationResult, second: SimulationResult, handed: Integers
) -> SimulationResult:
    finish_s = first.finish_s.copy()
    finish_s[handed] = second.finish_s
    rejected = np.sort(np.concatenate([first.rejected, handed[second.rejected]]))
    between_s = float(np.nansum(second.sent_s - second.first_token_s))
    return SimulationResult(
        requests=requests,
        sent_s=first.sent_s,
        first_token_s=first.first_token_s,
        finish_s=finish_s,
        rejected=rejected,
        itl=second.itl,
        preemptions=first.preemptions + second.preemptions,
        steps=first.steps + second.steps,
        end_s=max(first.end_s, second.end_s),
        request_seconds=first.request_seconds + between_s + second.request_seconds,
        sequence_seconds=second.sequence_seconds,
        kv_token_seconds=second.kv_token_seconds,
        peak_kv_tokens=second.peak_kv_tokens,
        kv_capacity_tokens=second.kv_capacity_tokens,
        replicas=first.replicas + second.replicas,
    )
