"""The serving plan: every candidate through fit, speed, load, replicas and cost, and their ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import EvidenceKind, Reason, Resource, ServingPlan, ServingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.certainty import evidence_record, step_log_sd
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence import EVIDENCE_OF_KIND
from gpuplanner_gui.engine.formula import carried, leaf
from gpuplanner_gui.engine.parameters import model_parameters
from gpuplanner_gui.engine.rented_beside import beside_month
from gpuplanner_gui.engine.serving.candidates import ServingCandidates, serving_candidates
from gpuplanner_gui.engine.serving.cost import (
    answer_device_s,
    fleet_devices,
    fleet_power_w,
    fleet_usd_per_hour,
    fleet_usd_per_month,
    fleet_usd_per_request,
    output_rate_per_device,
    usd_per_million_input,
    usd_per_million_output,
    worked_prompt_tokens,
)
from gpuplanner_gui.engine.serving.demand import Demand, demand_of
from gpuplanner_gui.engine.serving.deployments import Deployments, candidate_deployments
from gpuplanner_gui.engine.serving.gate import Gate, serving_gate
from gpuplanner_gui.engine.serving.loaded import Loaded, loaded
from gpuplanner_gui.engine.serving.step import StepTimes

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

Z_80 = 1.2815515655446004
"""Standard normal quantile at 0.9: half of an 80 % band."""


def serving_plan(scenario: Scenario, context: Context, check: Callable[[], None]) -> ServingPlan:
    """Every serving candidate of a scenario, ranked. `check` raises when the caller has lost interest."""
    serving = scenario.serving
    if serving is None:
        raise ValueError("the scenario has no serving workload")
    candidates = serving_candidates(
        len(context.devices),
        serving.weight_precisions,
        serving.kv_precisions,
        scenario.hardware.max_devices_per_replica,
        has_experts=model_parameters(scenario.model).routed_experts > 0,
    )
    return planned(scenario, context, candidates, check)


def planned(
    scenario: Scenario,
    context: Context,
    candidates: ServingCandidates,
    check: Callable[[], None],
    base_replicas: float | None = None,
) -> ServingPlan:
    """The plan over given candidates: the search, one replayed for an explanation, or a chosen few.

    `base_replicas` carry the peak where they are known otherwise, by simulation, than from the targets.
    """
    serving = scenario.serving
    assert serving is not None
    demand = demand_of(serving, scenario.model)
    deployed = candidate_deployments(scenario, context, candidates)
    check()
    gate = serving_gate(scenario, context, candidates, deployed, demand.longest_tokens)
    runs = np.flatnonzero(gate.reason == Reason.NONE)
    speed = loaded(scenario, context, candidates.at(runs), deployed.at(runs), demand, check, base_replicas)
    return _assembled(scenario, context, candidates, deployed, gate, runs, speed, demand)


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

    def first(self, values: Floats) -> Floats:
        """Likewise of states, whose leading axis is the load: the planned one."""
        return self.spread(carried(values[0], values))


def _assembled(
    scenario: Scenario,
    context: Context,
    candidates: ServingCandidates,
    deployed: Deployments,
    gate: Gate,
    runs: Integers,
    loaded: Loaded,
    demand: Demand,
) -> ServingPlan:
    assert scenario.serving is not None
    rows = _Rows(runs, len(candidates))
    reason, reason_value = _reasons(gate, rows, loaded)
    replicas = rows.spread(loaded.load.replicas)
    speed = _speed(rows, loaded)
    idle_prefill_s = rows.spread(loaded.load.idle.prefill_s[0])
    peak_rate = rows.spread(loaded.load.peak_rate_per_s)
    cost = _costs(context, candidates, replicas, peak_rate, demand, scenario, idle_prefill_s, speed)
    no_price = (reason == Reason.NONE) & np.isnan(cost["usd_per_hour"])
    is_borne_out = context.prices(scenario.economics, scenario.economics.serving_procurement).is_borne_out
    tier = np.where(no_price, 2, np.where(is_borne_out, 0, 1)[candidates.accelerator])
    order = _ranking(reason, tier, cost["usd_per_hour"], replicas * candidates.devices, reason_value, candidates)
    table = ServingTable(
        accelerator=candidates.accelerator,
        tensor_parallel=candidates.tensor_parallel,
        pipeline_parallel=candidates.pipeline_parallel,
        attention_data_parallel=candidates.data_parallel,
        expert_parallel=candidates.expert_parallel,
        devices_per_replica=candidates.devices,
        weight_precision=candidates.weight_precision,
        kv_precision=candidates.kv_precision,
        emulated=context.devices.is_emulated[candidates.accelerator, candidates.weight_precision],
        fits=(gate.reason == Reason.NONE),
        reason=np.where(no_price, int(Reason.NO_PRICE), reason),
        reason_value=reason_value,
        meets_targets=(reason == Reason.NONE),
        order=order,
        **_memory_columns(deployed, demand, speed["batch"], rows.spread(loaded.sequences)),
        **speed,
        limit=_limits(loaded.step, runs, len(candidates)),
        **_bands(context, scenario, candidates, rows, loaded, speed["ttft_p95_s"], speed["tpot_mean_s"]),
        **cost,
    )
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


def _reasons(gate: Gate, rows: _Rows, loaded: Loaded) -> tuple[Integers, Floats]:
    """Why a candidate does not serve, targets included, and the number that belongs to it."""
    misses = loaded.load.slo_rate_per_s <= 0
    reason, value = gate.reason.copy(), gate.value.copy()
    reason[rows.runs] = np.where(misses, int(Reason.MISSES_TARGET), reason[rows.runs])
    value[rows.runs] = np.where(misses, loaded.worst_over, value[rows.runs])
    return reason, value


def _memory_columns(deployed: Deployments, demand: Demand, batch: Floats, sequences: Floats) -> dict[str, Any]:
    memory = deployed.memory
    pool = np.maximum(memory.pool, 0.0)
    return {
        "memory_capacity_bytes": memory.capacity,
        "weights_bytes": memory.weights,
        "kv_cache_bytes": np.minimum(batch * deployed.cache_bytes_per_sequence(demand.context_tokens), pool),
        "kv_pool_bytes": pool,
        "activation_bytes": memory.activation,
        "runtime_bytes": memory.runtime,
        "max_sequences": sequences,
    }


def _speed(rows: _Rows, loaded: Loaded) -> dict[str, Any]:
    """Batch, steps, latencies and rates at the planned load."""
    load, parts = loaded.load, loaded.step
    states, rate = load.states, load.rate_per_s
    return {
        "batch": rows.first(states.batch),
        "decode_compute_s": rows.spread(parts.compute_s),
        "decode_bandwidth_s": rows.spread(parts.bandwidth_s),
        "decode_interconnect_s": rows.spread(parts.interconnect_s),
        "decode_host_s": rows.spread(parts.host_s),
        "decode_step_s": rows.spread(loaded.step_total),
        "prefill_s": rows.first(states.prompt_alone_s),
        "ttft_mean_s": rows.first(states.ttft_mean_s),
        "ttft_p50_s": rows.first(states.ttft_s(50)),
        "ttft_p95_s": rows.first(states.ttft_s(95)),
        "ttft_p99_s": rows.first(states.ttft_s(99)),
        "tpot_mean_s": rows.first(states.token_s),
        "tpot_p95_s": rows.first(states.tpot_s(95)),
        "itl_p99_s": rows.first(states.itl_s(99)),
        "e2e_mean_s": rows.first(states.e2e_mean_s),
        "max_rate_per_s": rows.spread(load.capacity_per_s),
        "slo_rate_per_s": rows.spread(load.slo_rate_per_s),
        "load_per_replica_per_s": rows.spread(rate),
        "headroom": rows.spread(load.slo_rate_per_s / rate - 1),
        "draft_gain": rows.spread(load.draft_gain),
    }


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
    assert scenario.serving is not None
    asked = (context, scenario.serving.engine.engine, scenario.model.kind)
    where = (candidates.accelerator, candidates.weight_precision)
    sd, ttft_sd = step_log_sd(*asked, *where), step_log_sd(*asked, *where, "prefill")
    kind = evidence_record(*asked, *where).kind
    if loaded.pace is not None:
        runs = rows.runs
        sd[runs], ttft_sd[runs] = sd[runs] * loaded.pace.decode_width, ttft_sd[runs] * loaded.pace.prefill_width
        kind[runs] = np.where(loaded.pace.is_measured, int(EvidenceKind.OWN), kind[runs])
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
    first = loaded.most_missed
    if best >= 0 and table.meets_targets[best]:
        first = int(loaded.load.first_slo[np.searchsorted(rows.runs, best)])
    return best, demand.slo_positions[first] if first >= 0 else -1


def _target_latencies(best: int, rows: _Rows, loaded: Loaded, demand: Demand) -> tuple[float, ...]:
    """Of the recommendation at its planned load; none where nothing fits."""
    if best < 0:
        return ()
    place = int(np.searchsorted(rows.runs, best))
    return tuple(float(loaded.load.states.latency_s(slo)[0, place]) for slo in demand.targets)


def _limits(parts: StepTimes, runs: Integers, count: int) -> Integers:
    order = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)
    shares = np.stack([parts.compute_s, parts.bandwidth_s, parts.interconnect_s, parts.host_s])
    limit = np.full(count, int(Resource.MEMORY_CAPACITY))
    if len(runs):
        limit[runs] = np.array([int(one) for one in order])[shares.argmax(axis=0)]
    return limit


def _costs(
    context: Context,
    candidates: ServingCandidates,
    replicas: Floats,
    peak_rate_per_s: Floats,
    demand: Demand,
    scenario: Scenario,
    prefill_s: Floats,
    speed: dict[str, Any],
) -> dict[str, Any]:
    """Money and power of the fleet; costs per token spread over what is served on average, not at peak."""
    serving = scenario.serving
    assert serving is not None
    who = candidates.accelerator
    network = context.site_of(scenario.hardware)
    prices = context.prices(scenario.economics, scenario.economics.serving_procurement, network)
    each = leaf(candidates.devices, "devices_per_replica", "devices", "candidate")
    devices = fleet_devices(replicas, each)
    paid = prices.fleet(who, replicas, each)
    price = paid.usd_per_device_hour
    beside = beside_month(scenario.economics, scenario.economics.serving_procurement)
    per_hour = fleet_usd_per_hour(devices, price, beside.usd, beside.support_share)
    peak = leaf(peak_rate_per_s, "peak_rate_per_s", "req/s", "scenario: request classes")
    output = leaf(demand.output_tokens, "output_tokens", "tok", "scenario: request classes")
    steps = leaf(demand.answers.output_tokens, "answer_steps", "", "scenario: request classes, over tokens per step")
    prompt = worked_prompt_tokens(
        leaf(demand.mix.computed_tokens, "computed_tokens", "tok", "scenario: request classes"),
        leaf(demand.prompt_tokens, "prompt_tokens", "tok", "scenario: request classes"),
        context.calibration.economics.assumptions.figure("recomputed_cached_share"),
    )
    mean_over_peak = leaf(serving.traffic.mean_share_of_peak, "mean_over_peak", "", "scenario: traffic")
    per_request = fleet_usd_per_request(per_hour, peak, mean_over_peak)
    power = leaf(prices.power_w[who], "device_power_w", "W", "catalogue: node or accelerator, times the share drawn")
    return {
        "replicas": replicas,
        "devices": devices,
        "paid_devices": paid.devices,
        "unit_devices": paid.unit_devices,
        "usd_per_device_hour": price,
        "usd_per_hour": per_hour,
        "usd_per_month": fleet_usd_per_month(per_hour),
        "usd_per_million_output_tokens": usd_per_million_output(per_request, output),
        "usd_per_million_input_tokens": usd_per_million_input(
            per_request, prefill_s, answer_device_s(steps, speed["decode_step_s"], speed["batch"]), prompt
        ),
        "usd_per_request": per_request,
        "output_tokens_per_s_per_device": output_rate_per_device(peak, output, devices),
        "power_w": fleet_power_w(
            devices, power, leaf(central(scenario.economics.site.pue), "pue", "", "scenario: site")
        ),
    }


def _ranking(
    reason: Integers,
    price_tier: Integers,
    usd_per_hour: Floats,
    devices: Floats,
    reason_value: Floats,
    candidates: ServingCandidates,
) -> Integers:
    """Those that meet every target by cost, where few providers ask a price last, then those without a price by
    devices, then the others by nearness."""
    group = np.where(reason == Reason.NONE, price_tier, 3 + (reason != Reason.MISSES_TARGET) * reason)
    key = np.where(group < 2, usd_per_hour, np.where(group == 2, devices, reason_value))
    return np.lexsort(
        (
            candidates.kv_precision,
            candidates.weight_precision,
            candidates.devices,
            np.nan_to_num(key, nan=np.inf),
            group,
        )
    )
