"""The serving plan: every candidate through fit, speed, load, replicas and cost, and their ranking."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import Evidence, Reason, Resource, ServingPlan, ServingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.formula import carried, leaf
from gpuplanner_gui.engine.prices import DevicePrices
from gpuplanner_gui.engine.rented_beside import beside_month
from gpuplanner_gui.engine.serving_candidates import ServingCandidates, serving_candidates
from gpuplanner_gui.engine.serving_cost import (
    answer_device_s,
    fleet_devices,
    fleet_power_w,
    fleet_usd_per_hour,
    fleet_usd_per_month,
    fleet_usd_per_request,
    output_rate_per_device,
    usd_per_million_input,
    usd_per_million_output,
)
from gpuplanner_gui.engine.serving_demand import Demand, demand_of
from gpuplanner_gui.engine.serving_gate import Gate, serving_gate
from gpuplanner_gui.engine.serving_loaded import Loaded, loaded
from gpuplanner_gui.engine.serving_memory import ServingMemory, serving_memory
from gpuplanner_gui.engine.serving_step import StepTimes

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
    )
    return planned(scenario, context, candidates, check)


def planned(
    scenario: Scenario, context: Context, candidates: ServingCandidates, check: Callable[[], None]
) -> ServingPlan:
    """The plan over given candidates: the search, one replayed for an explanation, or a chosen few."""
    serving = scenario.serving
    assert serving is not None
    demand = demand_of(serving, scenario.model.max_context)
    memory = memory_of(scenario, context, candidates, demand)
    check()
    gate = serving_gate(scenario, context, candidates, memory)
    runs = np.flatnonzero(gate.reason == Reason.NONE)
    chosen = candidates.at(runs)
    speed = loaded(scenario, context, chosen, memory.at(runs), demand, check)
    return _assembled(scenario, context, candidates, memory, gate, runs, speed, demand)


def memory_of(scenario: Scenario, context: Context, candidates: ServingCandidates, demand: Demand) -> ServingMemory:
    """Memory of candidates under a scenario's engine settings."""
    serving = scenario.serving
    assert serving is not None
    settings = serving.engine
    return serving_memory(
        scenario.model, candidates, context.devices, context.calibration.engine(settings.engine),
        settings.memory_fraction, demand.token_budget, demand.context_tokens, demand.longest_tokens,
    )  # fmt: skip


def _assembled(
    scenario: Scenario,
    context: Context,
    candidates: ServingCandidates,
    memory: ServingMemory,
    gate: Gate,
    runs: Integers,
    loaded: Loaded,
    demand: Demand,
) -> ServingPlan:
    serving = scenario.serving
    assert serving is not None
    count = len(candidates)
    prices = context.prices(scenario.economics, scenario.economics.serving_procurement)

    def spread(values: Floats, missing: float = np.nan) -> Floats:
        if len(runs) == count:
            return values
        column = np.full(count, missing)
        column[runs] = values
        return carried(column, values)

    load = loaded.load
    states, rate = load.states, load.rate_per_s
    misses = load.slo_rate_per_s <= 0
    over, which = loaded.worst_over, loaded.most_missed
    reason_value = gate.value.copy()
    reason = gate.reason.copy()
    reason[runs] = np.where(misses, int(Reason.MISSES_TARGET), reason[runs])
    reason_value[runs] = np.where(misses, over, reason_value[runs])

    def read(values: Floats) -> Floats:
        return spread(carried(values[0], values))

    sd = context.step_log_sd(serving.engine.engine, candidates)
    ttft_sd = context.first_token_log_sd(serving.engine.engine, candidates)
    evidence = context.evidence(serving.engine.engine, candidates)
    if loaded.pace is not None:
        sd[runs], ttft_sd[runs] = sd[runs] * loaded.pace.decode_width, ttft_sd[runs] * loaded.pace.prefill_width
        evidence[runs] = np.where(loaded.pace.is_measured, int(Evidence.MEASURED), evidence[runs])
    batch = read(states.batch)
    ttft, tpot = read(states.ttft_s(95)), read(states.step_s)
    decode_step = spread(loaded.step_total)
    cost = _costs(
        prices,
        candidates,
        spread(load.replicas),
        demand,
        scenario,
        spread(load.idle.prefill_s[0]),
        decode_step,
        batch,
    )
    no_price = (reason == Reason.NONE) & np.isnan(cost["usd_per_hour"])
    parts = loaded.step
    table = ServingTable(
        accelerator=candidates.accelerator,
        tensor_parallel=candidates.tensor_parallel,
        pipeline_parallel=candidates.pipeline_parallel,
        devices_per_replica=candidates.devices,
        weight_precision=candidates.weight_precision,
        kv_precision=candidates.kv_precision,
        emulated=context.devices.is_emulated[candidates.accelerator, candidates.weight_precision],
        fits=(gate.reason == Reason.NONE),
        reason=np.where(no_price, int(Reason.NO_PRICE), reason),
        reason_value=reason_value,
        meets_targets=(reason == Reason.NONE),
        memory_capacity_bytes=memory.capacity,
        weights_bytes=memory.weights,
        kv_cache_bytes=np.minimum(batch * memory.cache_per_sequence, np.maximum(memory.pool, 0.0)),
        kv_pool_bytes=np.maximum(memory.pool, 0.0),
        activation_bytes=memory.activation,
        runtime_bytes=memory.runtime,
        max_sequences=spread(loaded.sequences),
        batch=batch,
        decode_compute_s=spread(parts.compute_s),
        decode_bandwidth_s=spread(parts.bandwidth_s),
        decode_interconnect_s=spread(parts.interconnect_s),
        decode_host_s=spread(parts.host_s),
        decode_step_s=decode_step,
        prefill_s=read(load.states.prefill_s),
        limit=_limits(parts, runs, count),
        ttft_mean_s=read(states.ttft_mean_s),
        ttft_p50_s=read(states.ttft_s(50)),
        ttft_p95_s=ttft,
        ttft_p99_s=read(states.ttft_s(99)),
        tpot_mean_s=tpot,
        tpot_p95_s=read(states.tpot_s(95)),
        itl_p99_s=read(states.itl_s(99)),
        e2e_mean_s=read(states.e2e_mean_s),
        ttft_low80_s=ttft * np.exp(-Z_80 * ttft_sd),
        ttft_high80_s=ttft * np.exp(Z_80 * ttft_sd),
        tpot_low80_s=tpot * np.exp(-Z_80 * sd),
        tpot_high80_s=tpot * np.exp(Z_80 * sd),
        max_rate_per_s=spread(load.capacity_per_s),
        slo_rate_per_s=spread(load.slo_rate_per_s),
        load_per_replica_per_s=spread(rate),
        headroom=spread(load.slo_rate_per_s / rate - 1),
        evidence=evidence,
        order=_ranking(
            reason,
            no_price,
            cost["usd_per_hour"],
            spread(load.replicas) * candidates.devices,
            reason_value,
            candidates,
        ),
        **cost,
    )
    best = int(table.order[0]) if count and table.fits[table.order[0]] else -1
    first = int(load.first_slo[np.searchsorted(runs, best)]) if best >= 0 and table.meets_targets[best] else which
    limiting = demand.slo_positions[first] if first >= 0 else -1
    return ServingPlan(
        table=table,
        best=best,
        mean_prompt_tokens=demand.prompt_tokens,
        mean_output_tokens=demand.output_tokens,
        peak_rate_per_s=demand.peak_rate_per_s,
        limiting_slo=limiting,
    )


def _limits(parts: StepTimes, runs: Integers, count: int) -> Integers:
    order = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)
    shares = np.stack([parts.compute_s, parts.bandwidth_s, parts.interconnect_s, parts.host_s])
    limit = np.full(count, int(Resource.MEMORY_CAPACITY))
    if len(runs):
        limit[runs] = np.array([int(one) for one in order])[shares.argmax(axis=0)]
    return limit


def _costs(
    prices: DevicePrices,
    candidates: ServingCandidates,
    replicas: Floats,
    demand: Demand,
    scenario: Scenario,
    prefill_s: Floats,
    decode_step_s: Floats,
    batch: Floats,
) -> dict[str, Floats]:
    """Money and power of the fleet; costs per token spread over what is served on average, not at peak."""
    serving = scenario.serving
    assert serving is not None
    who = candidates.accelerator
    devices = fleet_devices(replicas, leaf(candidates.devices, "devices_per_replica", "devices", "candidate"))
    price = leaf(prices.usd_per_device_hour[who], "usd_per_device_hour", "USD/h", prices.source)
    beside = beside_month(scenario.economics, scenario.economics.serving_procurement)
    per_hour = fleet_usd_per_hour(devices, price, beside.usd, beside.support_share)
    peak = leaf(demand.peak_rate_per_s, "peak_rate_per_s", "req/s", "scenario: request classes")
    output = leaf(demand.output_tokens, "output_tokens", "tok", "scenario: request classes")
    prompt = leaf(demand.prompt_tokens, "prompt_tokens", "tok", "scenario: request classes")
    mean_over_peak = leaf(serving.traffic.mean_share_of_peak, "mean_over_peak", "", "scenario: traffic")
    per_request = fleet_usd_per_request(per_hour, peak, mean_over_peak)
    power = leaf(prices.power_w[who], "device_power_w", "W", "catalogue: node or accelerator, times the share drawn")
    return {
        "replicas": replicas,
        "devices": devices,
        "usd_per_device_hour": price,
        "usd_per_hour": per_hour,
        "usd_per_month": fleet_usd_per_month(per_hour),
        "usd_per_million_output_tokens": usd_per_million_output(per_request, output),
        "usd_per_million_input_tokens": usd_per_million_input(
            per_request, prefill_s, answer_device_s(output, decode_step_s, batch), prompt
        ),
        "usd_per_request": per_request,
        "output_tokens_per_s_per_device": output_rate_per_device(peak, output, devices),
        "power_w": fleet_power_w(
            devices, power, leaf(central(scenario.economics.site.pue), "pue", "", "scenario: site")
        ),
    }


def _ranking(
    reason: Integers,
    no_price: NDArray[np.bool_],
    usd_per_hour: Floats,
    devices: Floats,
    reason_value: Floats,
    candidates: ServingCandidates,
) -> Integers:
    """Those that meet every target by cost, then those without a price by devices, then the others by nearness."""
    group = np.where(reason == Reason.NONE, np.where(no_price, 1, 0), 2 + (reason != Reason.MISSES_TARGET) * reason)
    key = np.where(group == 0, usd_per_hour, np.where(group == 1, devices, reason_value))
    return np.lexsort(
        (
            candidates.kv_precision,
            candidates.weight_precision,
            candidates.devices,
            np.nan_to_num(key, nan=np.inf),
            group,
        )
    )
