"""Money and power of every candidate's fleet: what each formula of a service's bill is given."""

from __future__ import annotations

from typing import Any

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.bill import beside_month
from gpuplanner_gui.engine.cost.energy import fleet_power_w
from gpuplanner_gui.engine.explaining.formula import leaf
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed, rate_of_each, running_share
from gpuplanner_gui.engine.fleet.service_week import load_hours
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.cost import (
    answer_device_s,
    fleet_devices,
    fleet_usd_per_hour,
    fleet_usd_per_month,
    fleet_usd_per_request,
    output_rate_per_device,
    usd_per_million_input,
    usd_per_million_output,
    worked_prompt_tokens,
)
from gpuplanner_gui.engine.serving.demand import Demand
from gpuplanner_gui.engine.serving.power import USE_COLUMNS, device_power_w, peak_use


def fleet_bill(
    context: Context,
    candidates: ServingCandidates,
    replicas: Floats,
    replicas_expected: Floats,
    peak_rate_per_s: Floats,
    demand: Demand,
    scenario: Scenario,
    prefill_s: Floats,
    speed: dict[str, Any],
) -> dict[str, Any]:
    """Money and power of the fleet; costs per token spread over what is served on average, not at peak."""
    serving = scenario.service
    who = candidates.accelerator
    network = context.site_of(scenario.hardware)
    prices = context.prices(scenario.economics, scenario.economics.serving_procurement, network)
    each = leaf(candidates.devices, "devices_per_replica", "devices", "candidate")
    devices = fleet_devices(replicas, each)
    paid = prices.fleet(who, replicas, each)
    price = paid.usd_per_device_hour
    beside = beside_month(scenario.economics, scenario.economics.serving_procurement)
    running = _running(scenario, serving, replicas, replicas_expected, peak_rate_per_s, speed)
    per_hour = fleet_usd_per_hour(devices, running, price, beside.usd, beside.support_share)
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
    use = peak_use(peak_rate_per_s, replicas, *(speed[name] for name in USE_COLUMNS))
    return {
        "replicas": replicas,
        "devices": devices,
        "paid_devices": paid.devices,
        "unit_devices": paid.unit_devices,
        "usd_per_device_hour": price,
        "running_share": running,
        "usd_per_hour": per_hour,
        "usd_per_month": fleet_usd_per_month(per_hour),
        "usd_per_million_output_tokens": usd_per_million_output(per_request, output),
        "usd_per_million_input_tokens": usd_per_million_input(
            per_request, prefill_s, answer_device_s(steps, speed["decode_step_s"], speed["batch"]), prompt
        ),
        "usd_per_request": per_request,
        "output_tokens_per_s_per_device": output_rate_per_device(peak, output, devices),
        "power_w": fleet_power_w(
            devices,
            device_power_w(prices, who, use, load_hours(serving.traffic)),
            leaf(central(scenario.economics.site.pue), "pue", "", "scenario: site"),
        ),
    }


def _running(
    scenario: Scenario,
    serving: ServingWorkload,
    replicas: Floats,
    replicas_expected: Floats,
    peak_rate_per_s: Floats,
    speed: dict[str, Any],
) -> Floats:
    """Mean share of each fleet's replicas that run and are paid for. [1]"""
    each_per_s = rate_of_each(
        replicas, replicas_expected, speed["slo_rate_per_s"], speed["load_per_replica_per_s"],
        serving.availability.target_utilisation,
    )  # fmt: skip
    need = ServiceNeed.counted(serving.availability, each_per_s, replicas, peak_rate_per_s)
    return running_share(serving, scenario.economics.serving_procurement, need, peak_rate_per_s)
