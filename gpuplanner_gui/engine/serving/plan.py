"""The serving plan: every candidate through fit, speed, load, replicas and cost, and their ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Reason, Resource, ServingPlan, ServingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context, Gate
from gpuplanner_gui.engine.cost.site import devices_at_site, has_limits, site_fit
from gpuplanner_gui.engine.evidence.certainty import evidence_record, published_runs
from gpuplanner_gui.engine.evidence.record import EVIDENCE_OF_KIND, is_measured
from gpuplanner_gui.engine.explaining.formula import carried
from gpuplanner_gui.engine.serving.candidates import (
    POOL_COLUMNS,
    ServingCandidates,
    drafting,
)
from gpuplanner_gui.engine.serving.cost import fleet_bill
from gpuplanner_gui.engine.serving.demand import Demand, demand_of
from gpuplanner_gui.engine.serving.deployments import Deployments, candidate_deployments, candidate_pools
from gpuplanner_gui.engine.serving.gate import serving_gate
from gpuplanner_gui.engine.serving.limiting import limits, without_padding
from gpuplanner_gui.engine.serving.loaded import Loaded, loaded
from gpuplanner_gui.engine.serving.pools import loaded_pools
from gpuplanner_gui.engine.serving.ranking import merged, price_tier, ranking
from gpuplanner_gui.engine.serving.samples import stated_drafts, worked_as
from gpuplanner_gui.engine.serving.search_variants import (
    NO_VARIANTS,
    drafted_layouts,
    drafts_tried,
    pool_pairs,
    searched_candidates,
    tries_pools,
)
from gpuplanner_gui.engine.serving.tabulated import breakdown
from gpuplanner_gui.engine.simulation.arrays import distinct
from gpuplanner_gui.engine.training.communication import cluster_for

PREFILL_MEMORY = (
    "prefill_weights_bytes", "prefill_kv_pool_bytes", "prefill_activation_bytes", "prefill_runtime_bytes",
)  # fmt: skip
OF_NEXT_TOKENS = ("tpot_mean_s", "tpot_p95_s", "itl_p99_s")
"""Columns that mean nothing where answers have one token,"""
OF_TOKENS = (
    "usd_per_million_output_tokens",
    "usd_per_million_input_tokens",
    "output_tokens_per_s_per_device",
    *OF_NEXT_TOKENS,
)
"""and where requests are no tokens."""


def serving_plan(scenario: Scenario, context: Context, check: Callable[[], None]) -> ServingPlan:
    """Every serving candidate of a scenario, ranked. `check` raises when the caller has lost interest."""
    serving = scenario.serving
    if serving is None:
        raise ValueError("the scenario has no serving workload")
    candidates, pruned = searched_candidates(scenario, context)
    found = planned(scenario, context, candidates, check)
    drafts = drafts_tried(scenario, context)
    pairs = pool_pairs(found.table) if tries_pools(scenario, context) else NO_VARIANTS
    drafted = drafted_layouts(found.table, pairs, drafts) if drafts else NO_VARIANTS
    parts = [found, *(
        planned(scenario, context, one.candidates, check) for one in (pairs, drafted) if len(one.candidates)
    )]  # fmt: skip
    joined = merged(scenario, context, tuple(parts)) if len(parts) > 1 else found
    return msgspec.structs.replace(
        joined, pruned=pruned, pool_pairs=len(pairs.candidates), pool_pairs_left_out=pairs.left_out,
        drafted=len(drafted.candidates), drafted_left_out=drafted.left_out,
    )  # fmt: skip


def planned(
    scenario: Scenario,
    context: Context,
    candidates: ServingCandidates,
    check: Callable[[], None],
    base_replicas: Floats | None = None,
    taken_per_s: Floats | None = None,
) -> ServingPlan:
    """The plan over given candidates: the search, one replayed for an explanation, or a chosen few.

    `base_replicas`, one for each candidate, carry the peak where they are known otherwise, by samples or by
    simulation, than from the targets; each takes `taken_per_s` within these where a simulation says so.
    """
    stated = stated_drafts(scenario.service, scenario.model)
    if stated is not None:
        candidates = replace(candidates, draft_tokens=np.full(len(candidates), stated))
    rows = [
        some
        for apart in (~candidates.is_apart, candidates.is_apart)
        for tokens in distinct(candidates.draft_tokens)
        if len(some := np.flatnonzero(apart & (candidates.draft_tokens == tokens)))
    ]
    if len(rows) > 1:
        parts = tuple(
            planned(scenario, context, candidates.at(some), check, _of(base_replicas, some), _of(taken_per_s, some))
            for some in rows
        )
        return merged(scenario, context, parts, np.argsort(np.concatenate(rows)))
    scenario = drafting(scenario, candidates)
    demand = demand_of(scenario.service, scenario.model)
    one_kind = _apart if candidates.is_apart.any() else _together
    return one_kind(scenario, context, candidates, demand, check, base_replicas, taken_per_s)


def _of(column: Floats | None, some: Integers) -> Floats | None:
    return None if column is None else column[some]


def _taking(speed: Loaded, taken_per_s: Floats | None) -> Loaded:
    """The candidates with what each takes within its targets, where that is known otherwise."""
    if taken_per_s is None:
        return speed
    headroom = taken_per_s / speed.columns["load_per_replica_per_s"] - 1.0
    return replace(speed, columns=speed.columns | {"slo_rate_per_s": taken_per_s, "headroom": headroom})


def _together(
    scenario: Scenario,
    context: Context,
    candidates: ServingCandidates,
    demand: Demand,
    check: Callable[[], None],
    base_replicas: Floats | None,
    taken_per_s: Floats | None,
) -> ServingPlan:
    """Candidates whose replicas read prompts and write answers."""
    deployed = candidate_deployments(scenario, context, candidates)
    check()
    gate = serving_gate(scenario, context, candidates, deployed, demand.longest_tokens)
    runs = np.flatnonzero(gate.reason == Reason.NONE)
    given, taken = _of(base_replicas, runs), _of(taken_per_s, runs)
    speed = loaded(scenario, context, candidates.at(runs), deployed.at(runs), demand, check, given)
    return _assembled(scenario, context, candidates, deployed, gate, runs, _taking(speed, taken), demand)


def _apart(
    scenario: Scenario,
    context: Context,
    candidates: ServingCandidates,
    demand: Demand,
    check: Callable[[], None],
    base_replicas: Floats | None,
    taken_per_s: Floats | None,
) -> ServingPlan:
    """Candidates with pools for prompts and for answers."""
    prefill, decode = candidate_pools(scenario, context, candidates)
    gate = serving_gate(scenario, context, candidates.together, decode, demand.longest_tokens, is_pool=True)
    first = serving_gate(scenario, context, candidates.prefill, prefill, demand.longest_tokens, is_pool=True)
    gate = Gate(*(np.where(gate.reason == Reason.NONE, one, own) for own, one in zip(
        (gate.reason, gate.value), (first.reason, first.value), strict=True
    )))  # fmt: skip
    runs = np.flatnonzero(gate.reason == Reason.NONE)
    given, taken = _of(base_replicas, runs), _of(taken_per_s, runs)
    speed, sized = loaded_pools(
        scenario, context, candidates.at(runs), prefill.at(runs), decode.at(runs), demand, check, given
    )
    workers = {name: np.maximum(getattr(candidates, name), 1) for name in ("prefill_workers", "decode_workers")}
    for name, column in workers.items():
        column[runs] = getattr(sized, name)
    whole = replace(candidates, **workers)
    return _assembled(scenario, context, whole, decode, gate, runs, _taking(speed, taken), demand, prefill)


@dataclass(frozen=True)
class _Rows:
    """The candidates that run, among all."""

    runs: Integers
    count: int

    def spread(self, values: Floats) -> Floats:
        """A column over all candidates, NaN for those that do not run."""
        if len(self.runs) == self.count:
            return values
        column = np.full(self.count, np.nan)
        column[self.runs] = values
        return carried(column, values)


LAYOUT_COLUMNS = (
    "accelerator", "tensor_parallel", "pipeline_parallel", "expert_parallel", "weight_precision", "kv_precision",
)  # fmt: skip
"""Layout columns of the table that have the same name in `ServingCandidates`."""


def _assembled(
    scenario: Scenario,
    context: Context,
    candidates: ServingCandidates,
    deployed: Deployments,
    gate: Gate,
    runs: Integers,
    loaded: Loaded,
    demand: Demand,
    prefill: Deployments | None = None,
) -> ServingPlan:
    rows = _Rows(runs, len(candidates))
    known = published_runs(context, scenario.service.engine.engine, worked_as(scenario.service, scenario.model), True)
    published = known[candidates.accelerator, candidates.weight_precision]
    reason, reason_value = _reasons(gate, rows, loaded)
    if scenario.economics.uncertainty.measured_only:
        _leave_out_unmeasured(loaded, runs, published, reason, reason_value)
    replicas, expected = rows.spread(loaded.sized.replicas), rows.spread(loaded.sized.replicas_expected)
    speed: dict[str, Any] = {name: rows.spread(column) for name, column in loaded.columns.items()}
    for name in ("transfer_s", "prefill_kv_cache_bytes"):
        speed.setdefault(name, np.full(len(candidates), np.nan))
    idle_prefill_s = rows.spread(loaded.idle_prefill_s)
    peak_rate = rows.spread(loaded.sized.peak_rate_per_s)
    weights = deployed.memory.weights * candidates.devices
    cost = fleet_bill(context, candidates, replicas, peak_rate, demand, scenario, idle_prefill_s, speed, weights)
    meets = (reason == Reason.NONE) | (reason == Reason.BELOW_CONFIDENCE)
    if has_limits(scenario):
        _close_over_site(scenario, context, candidates, cost, reason, reason_value)
    no_price = (reason == Reason.NONE) & np.isnan(cost["usd_per_hour"])
    pace_s = _clear_tokens(demand, scenario.service.has_next_tokens, speed, cost)
    table = ServingTable(
        **{name: getattr(candidates, name) for name in (*LAYOUT_COLUMNS, *POOL_COLUMNS, "draft_tokens")},
        attention_data_parallel=candidates.data_parallel,
        devices_per_replica=candidates.devices,
        emulated=context.devices.is_emulated[candidates.accelerator, candidates.weight_precision],
        fits=(gate.reason == Reason.NONE),
        reason=np.where(no_price, int(Reason.NO_PRICE), reason),
        reason_value=reason_value,
        replicas_expected=expected,
        meets_targets=meets,
        order=np.zeros(len(candidates), np.int64),
        **_memory_columns(deployed, prefill, demand, speed["batch"], rows.spread(loaded.sequences)),
        **speed,
        limit=_limits(loaded, deployed, runs, demand),
        **_bands(context, scenario, candidates, rows, loaded, speed["ttft_p95_s"], pace_s),
        published_runs=published,
        **cost,
    )
    table = msgspec.structs.replace(table, order=ranking(scenario, table, price_tier(scenario, context, table)))
    best, limiting = _best(table, rows, loaded, demand)
    return ServingPlan(
        table=table,
        best=best,
        mean_prompt_tokens=demand.prompt_tokens,
        mean_output_tokens=demand.output_tokens,
        peak_rate_per_s=float(peak_rate[best]) if best >= 0 and demand.users else demand.peak_rate_per_s,
        limiting_slo=limiting,
        target_latency_s=_target_latencies(best, rows, loaded, demand),
    )


def _clear_tokens(demand: Demand, has_next_tokens: bool, speed: dict[str, Any], cost: dict[str, Any]) -> Floats:
    """Take out figures that mean nothing of these requests; the mean time of a step where they have any tokens. [s]"""
    none = np.full_like(speed["tpot_mean_s"], np.nan)
    step_s = none if demand.is_of_samples else speed["tpot_mean_s"]
    for columns in (speed, cost):
        names = OF_TOKENS if demand.is_of_samples else () if has_next_tokens else OF_NEXT_TOKENS
        columns.update({name: none for name in names if name in columns})
    return np.asarray(step_s)


def _leave_out_unmeasured(
    loaded: Loaded, runs: Integers, published: Integers, reason: Integers, reason_value: Floats
) -> None:
    """Candidates that would run, but on devices and formats that nobody measured."""
    own = np.where(loaded.is_measured, int(EvidenceKind.OWN), int(EvidenceKind.DATASHEET))
    would_run = np.isin(reason[runs], (Reason.NONE, Reason.BELOW_CONFIDENCE, Reason.MISSES_TARGET))
    left_out = runs[would_run & ~is_measured(own, published[runs])]
    reason[left_out], reason_value[left_out] = int(Reason.NOT_MEASURED), published[left_out]


def _reasons(gate: Gate, rows: _Rows, loaded: Loaded) -> tuple[Integers, Floats]:
    """Why a candidate does not serve, targets included, and the number that belongs to it."""
    misses = loaded.columns["slo_rate_per_s"] <= 0
    is_unsure = ~misses & (loaded.sized.share_kept <= 0)
    reason, value = gate.reason.copy(), gate.value.copy()
    for where, code, over in (
        (misses, Reason.MISSES_TARGET, loaded.worst_over), (is_unsure, Reason.BELOW_CONFIDENCE, loaded.worst_unsure)
    ):  # fmt: skip
        reason[rows.runs] = np.where(where, int(code), reason[rows.runs])
        value[rows.runs] = np.where(where, over, value[rows.runs])
    return reason, value


def _close_over_site(
    scenario: Scenario,
    context: Context,
    candidates: ServingCandidates,
    cost: dict[str, Any],
    reason: Integers,
    reason_value: Floats,
) -> None:
    """Fleets that the site cannot feed or cool get that for their reason, and by how much."""
    site, who = context.site_of(scenario, scenario.serving), candidates.accelerator
    prices = context.prices(scenario.economics, scenario.economics.serving_procurement, site)
    sold = cluster_for(context.catalog, scenario.hardware).node_devices
    at_site = devices_at_site(prices, who, cost["devices"], cost["paid_devices"], candidates.devices)
    fit = site_fit(scenario, prices, sold, who, cost["devices"], at_site, cost["unit_devices"])
    for excess, code in (
        (fit.rack_excess_w, Reason.OVER_POWER), (fit.total_excess_w, Reason.OVER_POWER),
        (fit.is_cooling_missing.astype(np.float64), Reason.COOLING),
    ):  # fmt: skip
        over = ((reason == Reason.NONE) | (reason == Reason.BELOW_CONFIDENCE)) & (excess > 0)
        reason[over], reason_value[over] = int(code), excess[over]


def _memory_columns(
    deployed: Deployments, prefill: Deployments | None, demand: Demand, batch: Floats, sequences: Floats
) -> dict[str, Any]:
    memory = deployed.memory
    pool = np.maximum(memory.pool, 0.0)
    none = np.full(len(deployed), np.nan)
    # Each group of attention holds the caches of its own sequences.
    batch_each = batch / deployed.layout.data_parallel
    return {
        **_prefill_memory(none, prefill),
        "memory_capacity_bytes": memory.capacity,
        "weights_bytes": memory.weights,
        "kv_cache_bytes": np.minimum(batch_each * deployed.cache_bytes_per_sequence(demand.context_tokens), pool),
        "kv_pool_bytes": pool,
        "activation_bytes": memory.activation,
        "runtime_bytes": memory.runtime,
        # A part of a sequence does not run.
        "max_sequences": np.floor(sequences),
    }


def _prefill_memory(none: Floats, prefill: Deployments | None) -> dict[str, Floats]:
    """Memory of prefill workers where prefill has its own pool."""
    if prefill is None:
        return dict.fromkeys(PREFILL_MEMORY, none)
    memory = prefill.memory
    columns = (memory.weights, np.maximum(memory.pool, 0.0), memory.activation, memory.runtime)
    return dict(zip(PREFILL_MEMORY, columns, strict=True))


def _bands(
    context: Context,
    scenario: Scenario,
    candidates: ServingCandidates,
    rows: _Rows,
    loaded: Loaded,
    ttft_s: Floats,
    tpot_s: Floats,
) -> dict[str, Any]:
    """80 % bands and what they rest on; own measurements narrow them."""
    asked = (context, scenario.service.engine.engine, worked_as(scenario.service, scenario.model))
    where = (candidates.accelerator, candidates.weight_precision)
    sd, ttft_sd = rows.spread(loaded.doubt.step_log_sd), rows.spread(loaded.doubt.first_token_log_sd)
    kind = evidence_record(*asked, *where).kind
    runs = rows.runs
    kind[runs] = np.where(loaded.is_measured, int(EvidenceKind.OWN), kind[runs])
    return {
        "ttft_low80_s": ttft_s * np.exp(-Z_80 * ttft_sd),
        "ttft_high80_s": ttft_s * np.exp(Z_80 * ttft_sd),
        "tpot_low80_s": tpot_s * np.exp(-Z_80 * sd),
        "tpot_high80_s": tpot_s * np.exp(Z_80 * sd),
        "evidence": EVIDENCE_OF_KIND[kind],
        "evidence_kind": kind,
    }


def _best(table: ServingTable, rows: _Rows, loaded: Loaded, demand: Demand) -> tuple[int, int]:
    """The recommendation, -1 where nothing fits, and the position of the target that limits it or most others."""
    best = int(table.order[0]) if rows.count and table.fits[table.order[0]] else -1
    first, place = loaded.most_missed, int(np.searchsorted(rows.runs, best))
    if best >= 0 and table.meets_targets[best]:
        first = int(loaded.sized.first_slo[place])
    elif best >= 0 and table.reason[best] == Reason.MISSES_TARGET and demand.slos:
        over = [float(loaded.latency_s(slo)[0, place]) / slo.limit_s for slo in demand.slos]
        first = int(np.argmax(np.nan_to_num(over, nan=0.0)))
    return best, demand.slo_positions[first] if first >= 0 else -1


def _target_latencies(best: int, rows: _Rows, loaded: Loaded, demand: Demand) -> tuple[float, ...]:
    """Latencies of the recommendation at its planned load, one for each target; none where nothing fits."""
    if best < 0:
        return ()
    place = int(np.searchsorted(rows.runs, best))
    return tuple(float(loaded.latency_s(slo)[0, place]) for slo in demand.targets)


def _limits(loaded: Loaded, deployed: Deployments, runs: Integers, demand: Demand) -> Integers:
    """What limits a decode step, or a pass over samples; memory of what does not run."""
    limit = np.full(len(deployed), int(Resource.MEMORY_CAPACITY))
    if len(runs):
        parts_s = np.stack(list(vars(loaded.step).values()))
        limit[runs] = limits(parts_s, parts_s)
    computing = np.flatnonzero(limit[runs] == Resource.COMPUTE)
    if len(computing) and deployed.samples is None:
        some = deployed.at(runs[computing])
        full = replace(some, replica=without_padding(some.replica))
        batch = np.maximum(loaded.columns["batch"][computing], 1.0)
        full_s = np.stack(list(vars(breakdown(full, batch, demand.context_tokens, demand.speculation)).values()))
        limit[runs[computing]] = limits(parts_s[:, computing], full_s)
    return limit
