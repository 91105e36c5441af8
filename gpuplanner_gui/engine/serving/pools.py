"""Separate prefill and decode pools under load: how much a worker of each takes, their ratio, latency, replicas.

Both pools are deployments with a role and run through the same grid of load as replicas that do both. A unit is a few
workers that prefill and a few that decode; it is what is bought and scaled, as a replica is. Derivation:
docs/derivations/load.md#separate-pools.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.domain.workload import ServingWorkload, Slo
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.explaining.formula import formula, is_tracing
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.confidence import Doubt, doubt_of
from gpuplanner_gui.engine.serving.demand import Demand
from gpuplanner_gui.engine.serving.deployments import Deployments, pool_step_factor
from gpuplanner_gui.engine.serving.load.first_token import closed_form_e2e_s
from gpuplanner_gui.engine.serving.load.rates import (
    Slowdown,
    highest_load_within,
    requests_at_load,
    risen,
    rising_latency_s,
    value_at_load,
)
from gpuplanner_gui.engine.serving.load.states import LoadStates
from gpuplanner_gui.engine.serving.load_grid import LoadGrid, draft_gain, load_grid, states_of
from gpuplanner_gui.engine.serving.loaded import (
    Loaded,
    decode_breakdown,
    is_paced,
    latency_columns,
    load_inputs,
    scenario_load_model,
    step_columns,
    worst_target,
)
from gpuplanner_gui.engine.serving.pool_transfer import prompt_transfer_s
from gpuplanner_gui.engine.serving.sizing import Sized, fleets_of, replicas_for, share_borne
from gpuplanner_gui.engine.serving.step_table import pool_step_s
from gpuplanner_gui.engine.simulation.requests import LengthBins, RequestMix

MOST_WORKERS = 8
"""Most workers of each pool in a unit."""
RATIOS = np.array(
    [(p, d) for p in range(1, MOST_WORKERS + 1) for d in range(1, MOST_WORKERS + 1) if math.gcd(p, d) == 1], np.int64
)
"""Workers that prefill and that decode in one unit."""
BUSY_POINT = 0.75
"""Share of the prefill pool's limit at which answers are told how long their first token takes."""


def prefill_demand(demand: Demand) -> Demand:
    """What the pool that prefills is asked for: one token of each answer."""
    one = LengthBins(np.ones(1), np.ones(1))
    mix = replace(
        demand.mix, output_tokens=1.0, context_output=demand.prompt_tokens, output_squared=1.0, output_bins=one
    )
    return replace(
        demand, mix=mix, output_tokens=1.0, context_tokens=demand.prompt_tokens, speculation=None,
        slos=_slos(demand, "ttft", "e2e"),
    )  # fmt: skip


def decode_demand(demand: Demand) -> Demand:
    """What the pool that decodes is asked for: answers to prompts whose cache has arrived, their last token apart."""
    one = LengthBins(np.ones(1), np.ones(1))
    mix: RequestMix = replace(demand.mix, computed_tokens=1.0, attention_pairs=demand.prompt_tokens, computed_bins=one)
    return replace(demand, mix=mix, slos=_slos(demand, "tpot", "itl", "e2e"))


def _slos(demand: Demand, *metrics: str) -> tuple[Slo, ...]:
    return tuple(slo for slo in demand.slos if slo.metric in metrics)


@dataclass(frozen=True)
class PoolsUnderLoad(Sized):
    """Units of two pools, an entry each."""

    prefill: LoadGrid
    decode: LoadGrid
    prefill_states: LoadStates
    """Load of the prefill workers at the planned load, shape (1, units),"""
    decode_states: LoadStates
    prefill_idle: LoadStates
    """and at the lowest of the grid."""
    decode_idle: LoadStates
    handover_s: Floats
    """Time from a prompt's last chunk to its first token, beyond the prefill pool's own."""
    transfer_s: Floats
    slowed: Callable[[Slowdown], Floats]
    """Rate within the targets of units of slower machines."""
    doubt: Doubt
    prefill_workers: Integers
    decode_workers: Integers

    def latency_s(self, slo: Slo, prefill: LoadStates | None = None, decode: LoadStates | None = None) -> Floats:
        """What a target limits, shape (1, units)."""
        first, then = prefill or self.prefill_states, decode or self.decode_states
        if slo.metric == "ttft":
            return first.latency_s(slo) + self.handover_s
        if slo.metric == "e2e":
            return first.ttft_s(slo.percentile) + self.handover_s + answer_s(then)
        return then.latency_s(slo)


def unit_states(
    load: PoolsUnderLoad, demand: Demand, rates_per_s: Floats, unit: int = 0
) -> tuple[LoadStates, LoadStates]:
    """Workers that prefill and that decode of one unit at rates of the whole unit, shape (rates, 1)."""
    found = []
    for part, own, workers in (
        (load.prefill, prefill_demand(demand), load.prefill_workers),
        (load.decode, decode_demand(demand), load.decode_workers),
    ):
        one = np.array([unit])
        axis, steps = part.rising_rate_per_s[:, unit], part.requests_per_step[:, unit]
        each = rates_per_s / workers[unit]
        # Below the grid a step hardly changes, so that requests per step go with the rate.
        requests = np.interp(each, axis, steps) * np.minimum(each / axis[0], 1.0)
        found.append(states_of(part.model.at(one), own, requests[:, None]))
    return found[0], found[1]


def answer_s(decode: LoadStates) -> Floats:
    """Time of a mean answer after its first token. [s]"""
    return decode.token_s * max(decode.output_tokens - 1.0, 0.0)


@formula(
    title="Handover between pools",
    unit="s",
    expression="transfer_s + entry_s + admission_steps · decode_step_s + wait_s",
    source="transfer of the cache, router and request start, steps until admission, and the wait for a place",
)
def handover_s(
    transfer_s: Floats, entry_s: float, admission_steps: float, decode_step_s: Floats, wait_s: Floats
) -> Floats:
    """What separate pools add to a first token. [s]"""
    return np.asarray(transfer_s + entry_s + admission_steps * decode_step_s + wait_s)


@formula(
    title="Prompts held by a prefill worker",
    unit="bytes",
    expression="rate_per_s · (prefill_s + transfer_s) · cache_bytes",
    source="Little's law: a prompt's cache is held while it is read and until it has arrived where answers are written",
)
def prompts_held_bytes(rate_per_s: Floats, prefill_s: Floats, transfer_s: Floats, cache_bytes: Floats) -> Floats:
    """KV cache in use on a device of a worker that prefills. [bytes]"""
    return np.asarray(rate_per_s * (prefill_s + transfer_s) * cache_bytes)


@formula(
    title="Rate of a unit of two pools",
    unit="req/s",
    expression="min(prefill_workers · prefill_rate_per_s, decode_workers · decode_rate_per_s)",
    source="every request passes through both pools",
)
def unit_rate_per_s(
    prefill_workers: Floats, prefill_rate_per_s: Floats, decode_workers: Floats, decode_rate_per_s: Floats
) -> Floats:
    """The slower pool's rate. [1/s]"""
    return np.minimum(prefill_workers * prefill_rate_per_s, decode_workers * decode_rate_per_s)


@dataclass(frozen=True)
class _Workers:
    """Workers that prefill and that decode along their grids of load, and what goes from one to the other."""

    first: LoadGrid
    first_demand: Demand
    then: LoadGrid
    then_demand: Demand
    demand: Demand
    transfer_s: Floats
    engine: EngineFacts

    def handed_s(self, states: LoadStates) -> Floats:
        """Handover time to a decode pool along its load grid, or at one load of each unit. [s]"""
        wait_s = np.where(np.isfinite(states.wait_s), states.wait_s, np.inf)
        return handover_s(
            self.transfer_s, self.engine.pool_entry_s, self.engine.admission_steps, states.step_s, wait_s
        )  # fmt: skip

    @cached_property
    def along_s(self) -> tuple[Floats, Floats]:
        """Handover and answer along the grid of a worker that decodes."""
        return risen(self.handed_s(self.then.states)), risen(answer_s(self.then.states))

    def limits(self, share: Floats | None, slower: Slowdown | None = None) -> tuple[tuple[Floats, Integers], ...]:
        """Largest rates of a worker that prefills and of one that decodes, on machines as predicted or slower.

        `share` is the rate of a worker that decodes over that of one that prefills; unknown while the ratio is.
        """
        first, then, demand = self.first, self.then, self.demand
        decoding, tightest = _decode_limit(then, first, self.then_demand, demand, self.along_s[0][0], slower)
        if share is None:
            busy = np.minimum(decoding, BUSY_POINT * then.capacity_per_s)
            beside = [value_at_load(then.rising_rate_per_s, one, busy) for one in self.along_s]
        else:
            rates = share * first.rising_rate_per_s
            beside = [
                np.stack([value_at_load(then.rising_rate_per_s, one, rate) for rate in rates]) for one in self.along_s
            ]
        reading, first_tightest = _prefill_limit(first, self.first_demand, demand, beside[0], beside[1], slower)
        reading = np.minimum(reading, 1.0 / np.maximum(self.transfer_s, 1e-12))
        return (reading, first_tightest), (decoding, tightest)


def _workers(
    scenario: Scenario, context: Context, candidates: ServingCandidates, prefill: Deployments, decode: Deployments,
    demand: Demand, check: Callable[[], None],
) -> _Workers:  # fmt: skip
    first_demand, then_demand = prefill_demand(demand), decode_demand(demand)

    def grids() -> tuple[LoadGrid, LoadGrid]:
        reading = scenario_load_model(scenario, context, candidates.prefill, prefill, first_demand)
        writing = scenario_load_model(scenario, context, candidates.together, decode, then_demand)
        check()
        return load_grid(reading, first_demand), load_grid(writing, then_demand)

    inputs = load_inputs(scenario, context, candidates, decode, demand)
    first, then = grids() if is_tracing() else _recent_grids.of(inputs, grids)
    check()
    transfer = prompt_transfer_s(candidates, prefill, demand.prompt_tokens)
    return _Workers(first, first_demand, then, then_demand, demand, transfer, decode.engine)


def pools_under_load(
    scenario: Scenario, context: Context, candidates: ServingCandidates, prefill: Deployments, decode: Deployments,
    demand: Demand, check: Callable[[], None], base_replicas: Floats | None = None,
) -> PoolsUnderLoad:  # fmt: skip
    """Size units of two pools; a unit's ratio is chosen where it is not stated."""
    serving = scenario.service
    pools = _workers(scenario, context, candidates, prefill, decode, demand, check)
    first, then = pools.first, pools.then
    workers = _ratios(serving, candidates, demand, *(rate for rate, _ in pools.limits(None)))
    firsts, thens = (one.astype(np.float64) for one in workers)
    share = firsts / thens
    (prefill_rate, prefill_first), (decode_rate, decode_first) = pools.limits(share)
    rate = unit_rate_per_s(firsts, prefill_rate, thens, decode_rate)

    def slowed(slower: Slowdown) -> Floats:
        (reading, _), (writing, _) = pools.limits(share, slower)
        return unit_rate_per_s(firsts, reading, thens, writing) / slower.step

    doubt = doubt_of(scenario, context, candidates, decode, then.model.pace, first.model.pace)
    kept = doubt.share_kept(rate, doubt.load_log_sd(first.states), slowed)
    known_base = replicas_for(serving, demand, rate) if base_replicas is None else base_replicas
    kept = share_borne(kept, known_base, demand.peak_rate_per_s, rate)
    fleets = fleets_of(serving, demand, rate, known_base, doubt, kept if base_replicas is None else None)
    load = demand.peak_rate_per_s / np.maximum(fleets.base, 1.0)
    known = np.where(np.isfinite(load), load, first.rising_rate_per_s[0])
    planned = _requests_at(then, known / thens)
    then_states = states_of(then.model, pools.then_demand, planned)
    return PoolsUnderLoad(
        prefill=first,
        decode=then,
        prefill_states=_at_rate(first, pools.first_demand, known / firsts),
        decode_states=then_states,
        prefill_idle=first.states.first_point(),
        decode_idle=then.states.first_point(),
        handover_s=pools.handed_s(then_states)[0],
        transfer_s=pools.transfer_s,
        draft_gain=draft_gain(then.model, pools.then_demand, planned, then_states),
        capacity_per_s=unit_rate_per_s(firsts, first.capacity_per_s, thens, then.capacity_per_s),
        slo_rate_per_s=rate,
        first_slo=np.where(firsts * prefill_rate < thens * decode_rate, prefill_first, decode_first),
        rate_per_s=known,
        peak_rate_per_s=np.full(len(candidates), demand.peak_rate_per_s),
        replicas=fleets.total,
        replicas_expected=fleets.expected,
        slowed=slowed,
        doubt=doubt,
        share_kept=kept,
        prefill_workers=workers[0],
        decode_workers=workers[1],
    )


_recent_grids: Recent[tuple[LoadGrid, LoadGrid]] = Recent(3)
"""Recent load grids of both pools, for each number of draft tokens: an edit of a rate, a target or a price leaves
them as they are."""


def _at_rate(part: LoadGrid, demand: Demand, rate_per_s: Floats) -> LoadStates:
    return states_of(part.model, demand, _requests_at(part, rate_per_s))


def _requests_at(part: LoadGrid, rate_per_s: Floats) -> Floats:
    return requests_at_load(part.rising_rate_per_s, part.requests_per_step, rate_per_s)[None, :]


def _decode_limit(
    then: LoadGrid, first: LoadGrid, demand: Demand, whole: Demand, idle_s: Floats, slower: Slowdown | None
) -> tuple[Floats, Integers]:
    """Largest rate of a worker that decodes; whole answers leave a busy prefill pool its time."""
    busy = _at_rate(first, prefill_demand(whole), BUSY_POINT * first.capacity_per_s)

    def latency_s(states: LoadStates, slo: Slo) -> Floats:
        if slo.metric not in ("ttft", "e2e"):
            return rising_latency_s(states, slo)
        first_s = idle_s + busy.ttft_s(slo.percentile)
        if slo.metric == "ttft":
            return np.broadcast_to(first_s, states.rate_per_s.shape)
        return np.maximum.accumulate(answer_s(states) + first_s, axis=0)

    rate, place = highest_load_within(
        then.rising_rate_per_s, then.states, demand.slos, then.capacity_per_s, latency_s, slower
    )
    return rate, _places(demand, whole)[place]


def _prefill_limit(
    first: LoadGrid, demand: Demand, whole: Demand, over_s: Floats, answers_s: Floats, slower: Slowdown | None
) -> tuple[Floats, Integers]:
    """Largest rate of a worker that prefills, behind a decode pool that takes what it hands over."""

    def latency_s(states: LoadStates, slo: Slo) -> Floats:
        if slo.metric == "ttft":
            return rising_latency_s(states, slo) + over_s
        found = states.ttft_s(slo.percentile)
        return np.maximum.accumulate(np.where(np.isfinite(found), found, np.inf), axis=0) + over_s + answers_s

    rate, place = highest_load_within(
        first.rising_rate_per_s, first.states, demand.slos, first.capacity_per_s, latency_s, slower
    )
    return rate, _places(demand, whole)[place]


def _places(part: Demand, whole: Demand) -> Integers:
    """Positions of a pool's targets among all; the last entry stands for none."""
    return np.array([*(whole.slos.index(slo) for slo in part.slos), -1], np.int64)


def _ratios(
    serving: ServingWorkload, candidates: ServingCandidates, demand: Demand, prefill_rate: Floats, decode_rate: Floats
) -> tuple[Integers, Integers]:
    """Workers of each pool in a unit: as stated, else those that carry the peak with the fewest devices."""
    stated = candidates.prefill_workers > 0
    if stated.all():
        return np.asarray(candidates.prefill_workers), np.asarray(candidates.decode_workers)
    first, then = RATIOS[:, :1], RATIOS[:, 1:]
    with np.errstate(invalid="ignore", divide="ignore"):
        units = replicas_for(serving, demand, np.minimum(first * prefill_rate, then * decode_rate))
    each = first * (candidates.prefill_tensor_parallel * candidates.prefill_data_parallel)
    each = each + then * candidates.worker_devices
    spares = serving.availability.spare_replicas
    best = np.where(np.isfinite(units), (units + spares) * each, np.inf).argmin(axis=0)
    return (
        np.where(stated, candidates.prefill_workers, RATIOS[best, 0]),
        np.where(stated, candidates.decode_workers, RATIOS[best, 1]),
    )


def loaded_pools(
    scenario: Scenario,
    context: Context,
    candidates: ServingCandidates,
    prefill: Deployments,
    decode: Deployments,
    demand: Demand,
    check: Callable[[], None],
    base_replicas: Floats | None = None,
) -> tuple[Loaded, ServingCandidates]:
    """Speed under load of units of two pools, and the units with their ratio."""
    load = pools_under_load(scenario, context, candidates, prefill, decode, demand, check, base_replicas)
    first, then = load.prefill_states, load.decode_states
    columns = latency_columns(first, then)
    for name in ("ttft_mean_s", "ttft_p50_s", "ttft_p95_s", "ttft_p99_s"):
        columns[name] = pools_ttft_s(columns[name], load.handover_s)
    columns["e2e_mean_s"] = closed_form_e2e_s(columns["ttft_mean_s"], demand.output_tokens, columns["tpot_mean_s"])
    columns["e2e_p95_s"] = load.latency_s(Slo(metric="e2e", percentile=95.0, limit_s=math.inf))[0]
    columns |= load.columns | {
        "transfer_s": load.transfer_s,
        "prefill_kv_cache_bytes": prompts_held_bytes(
            load.rate_per_s / load.prefill_workers,
            columns["prefill_s"],
            load.transfer_s,
            prefill.cache_bytes_per_sequence(demand.prompt_tokens) / prefill.layout.data_parallel,
        ),
    }
    model = load.decode.model
    times = decode_breakdown(scenario, model, then.batch[0], decode_demand(demand))
    factor = pool_step_factor(decode)
    times = times.retimed(lambda part: pool_step_s(part, factor))
    is_measured = is_paced(model.pace, len(candidates)) | is_paced(load.prefill.model.pace, len(candidates))

    def idle_s(slo: Slo) -> Floats:
        return load.latency_s(slo, load.prefill_idle, load.decode_idle)

    over, unsure, missed = worst_target(idle_s, load.doubt, demand)
    found = Loaded(
        columns | step_columns(times), load, load.prefill_idle.prefill_s[0], over, unsure, missed, model.sequences,
        times, load.doubt, is_measured, load.latency_s,
    )  # fmt: skip
    sized = replace(candidates, prefill_workers=load.prefill_workers, decode_workers=load.decode_workers)
    return found, sized


@formula(
    title="Time to first token with separate pools",
    unit="s",
    expression="prefill_ttft_s + handover_s",
    source="TTFT of the prefill pool plus the handover to the decode pool",
)
def pools_ttft_s(prefill_ttft_s: Floats, handover_s: Floats) -> Floats:
    """Time to first token with separate pools, as the client measures it. [s]"""
    return np.asarray(prefill_ttft_s + handover_s)
