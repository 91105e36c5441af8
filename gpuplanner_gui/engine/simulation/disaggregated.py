"""Prefill and decode on separate pools of replicas, with the KV cache sent from one to the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.simulation.pool import Outage, Routing
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.requests import Requests
from gpuplanner_gui.engine.simulation.result import SimulationResult
from gpuplanner_gui.engine.simulation.run import simulate
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.step_time import StepTable


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
    SimulationCancelled
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
