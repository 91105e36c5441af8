"""What a serving fleet costs and draws, per hour, month, request and million tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers, Values
from gpuplanner_gui.domain.constants import DAYS_PER_YEAR, HOURS_PER_MONTH, MONTHS_PER_YEAR, SECONDS_PER_HOUR
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.bill import beside_month
from gpuplanner_gui.engine.cost.energy import busy_share, draw_share, fleet_power_w
from gpuplanner_gui.engine.cost.prices import DevicePrices
from gpuplanner_gui.engine.cost.units import paid_fleet
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.fleet.service_need import (
    LoadHours,
    ServiceNeed,
    can_be_stopped,
    load_hours,
    rate_of_each,
    running_share,
)
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import Demand

DAYS_PER_MONTH = DAYS_PER_YEAR / MONTHS_PER_YEAR


@formula(
    title="Devices of the fleet",
    unit="devices",
    expression="replicas · devices_per_replica",
    source="count",
)
def fleet_devices(replicas: Floats, devices_per_replica: NDArray[np.int64]) -> Floats:
    """All devices that are paid for. [1]"""
    return replicas * devices_per_replica


@formula(
    title="Cost of the fleet per hour",
    unit="USD/h",
    expression="(devices · mean_usd_per_device_hour + beside_usd / 730) · (1 + support_share)"
    " − devices · stock_usd_per_device_hour · support_share",
    source="spares are paid for as well, and idle hours unless autoscaled; a provider bills storage, egress and "
    "support beside devices, and supports its own alone",
)
def fleet_usd_per_hour(
    devices: Floats, mean_usd_per_device_hour: Floats, stock_usd_per_device_hour: Values, beside_usd: Floats,
    support_share: Values,
) -> Floats:  # fmt: skip
    """Price of a mean hour of the whole fleet; `beside_usd` falls to a month. [USD/h]"""
    whole = (devices * mean_usd_per_device_hour + beside_usd / HOURS_PER_MONTH) * (1.0 + support_share)
    return np.asarray(whole - devices * stock_usd_per_device_hour * support_share)


@formula(
    title="Cost of the fleet per month",
    unit="USD/month",
    expression="usd_per_hour · 730",
    source="8,760 hours a year",
)
def fleet_usd_per_month(usd_per_hour: Floats) -> Floats:
    """Price of a mean month. [USD]"""
    return usd_per_hour * HOURS_PER_MONTH


@formula(
    title="Cost per request",
    unit="USD",
    expression="usd_per_hour / (3600 · peak_rate_per_s · mean_over_peak)",
    source="the fleet is paid around the clock and serves its mean load",
)
def fleet_usd_per_request(usd_per_hour: Floats, peak_rate_per_s: float, mean_over_peak: float) -> Floats:
    """Price of a request at the mean load of a day. [USD]"""
    return usd_per_hour / (SECONDS_PER_HOUR * peak_rate_per_s * mean_over_peak)


@formula(
    title="Cost per million output tokens",
    unit="USD",
    expression="10^6 · usd_per_request / output_tokens",
    source="cost of the whole request, prompt included, per token of its answer",
)
def usd_per_million_output(usd_per_request: Floats, output_tokens: float) -> Floats:
    """What a million generated tokens cost when the answer carries all. [USD]"""
    return 1e6 * usd_per_request / output_tokens


@formula(
    title="Cost per million input tokens",
    unit="USD",
    expression="10^6 · usd_per_request · prefill_s/(prefill_s + answer_s) / worked_tokens",
    source="split by device time in prefill and decode; cached tokens count as far as they are computed again"
    " (docs/derivations/cost.md#unit-costs)",
)
def usd_per_million_input(
    usd_per_request: Floats, prefill_s: Floats, answer_s: Floats, worked_tokens: Floats
) -> Floats:
    """The prompt's share of a request's cost, per million prompt tokens that no cache holds. [USD]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(prefill_s + answer_s > 0, prefill_s / (prefill_s + answer_s), 0.0)
    return 1e6 * usd_per_request * share / worked_tokens


@formula(
    title="Prompt tokens computed",
    unit="tok",
    expression="computed_tokens + recomputed_share · (prompt_tokens - computed_tokens)",
    source="a token found in the prefix cache skips its prefill, except for the share that the engine recomputes",
)
def worked_prompt_tokens(computed_tokens: float, prompt_tokens: float, recomputed_share: float) -> Floats:
    """Tokens of a prompt over which its cost is spread: computed and recomputed ones. [tokens]"""
    return np.asarray(computed_tokens + recomputed_share * (prompt_tokens - computed_tokens))


@formula(
    title="Cost per million output tokens, prompts excluded",
    unit="USD",
    expression="10^6 · (usd_per_request - usd_per_million_input · worked_tokens / 10^6) / output_tokens",
    source="the rest of a request's cost is its answer's; input and output prices together give the cost of the "
    "request",
)
def usd_per_million_output_alone(
    usd_per_request: float, usd_per_million_input: float, worked_tokens: Floats, output_tokens: float
) -> Floats:
    """What a million generated tokens cost beside their prompts. [USD]"""
    return np.asarray(1e6 * (usd_per_request - usd_per_million_input * worked_tokens / 1e6) / output_tokens)


@formula(
    title="Cost per million cached input tokens",
    unit="USD/Mtok",
    expression="input_usd_per_mtok · recomputed_share",
    source="a cached token skips its prefill, except for the share that the engine computes again",
)
def cached_input_usd_per_million(
    input_usd_per_mtok: Floats | float, recomputed_share: Floats | float
) -> Floats | float:
    """Price of a million prompt tokens found in the prefix cache. [USD/Mtok]"""
    return input_usd_per_mtok * recomputed_share


@formula(
    title="Cost per user and month",
    unit="USD/month",
    expression="usd_per_request · requests_per_user_day · 365/12",
    source="requests of a mean month",
)
def usd_per_user_month(usd_per_request: float, requests_per_user_day: float) -> float:
    """What one user costs in a mean month. [USD/month]"""
    return usd_per_request * requests_per_user_day * DAYS_PER_MONTH


@formula(
    title="Device time of an answer",
    unit="s",
    expression="answer_steps · decode_step_s / batch",
    source="a step is shared by all sequences that it decodes",
)
def answer_device_s(answer_steps: float, decode_step_s: Floats, batch: Floats) -> Floats:
    """A request's share of its replica's decode steps. [s]"""
    return answer_steps * decode_step_s / np.maximum(batch, 1.0)


@formula(
    title="Output tokens per second and device",
    unit="tok/s",
    expression="peak_rate_per_s · output_tokens / devices",
    source="spares included",
)
def output_rate_per_device(peak_rate_per_s: float, output_tokens: float, devices: Floats) -> Floats:
    """Throughput at peak over all devices. [tokens/s]"""
    return peak_rate_per_s * output_tokens / devices


@dataclass(frozen=True)
class PeakUse:
    """What one replica does at the peak, one entry per candidate; what comes is spread over all, spares among them."""

    load: Floats
    """Share of the rate at which it saturates."""
    sequences: Floats
    """Sequences in the batch; 0 where requests have none."""


USE_COLUMNS = ("load_per_replica_per_s", "max_rate_per_s", "batch")
"""Columns of the table that `peak_use` reads besides rate and replicas."""


def peak_use(
    peak_rate_per_s: Floats | float, replicas: Floats, planned_rate_per_s: Floats, max_rate_per_s: Floats, batch: Floats
) -> PeakUse:
    """A replica at the peak, from its batch at the rate that is planned for one."""
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = np.asarray(peak_rate_per_s / replicas)
        load, part = np.minimum(1.0, rate / max_rate_per_s), np.minimum(1.0, rate / planned_rate_per_s)
    return PeakUse(np.asarray(load), np.nan_to_num(batch * part))


def device_power_w(prices: DevicePrices, accelerator: Integers, use: PeakUse, hours: LoadHours) -> Floats:
    """Mean draw of a device with its share of the node, over hours of several loads. [W]"""
    sequences = leaf(use.sequences, "sequences", "", "batch at the peak, over all replicas")
    load = leaf(hours.load, "load", "", "scenario: traffic, as a share of the peak")
    running = leaf(hours.running, "running_share", "", "replicas that run at each load, over those at the peak")
    busy = busy_share(sequences, load, running, leaf(hours.share, "hours_share", "", "scenario: traffic"))
    carried = use.load * (hours.load * hours.share).sum(axis=-1)
    mean = leaf(carried, "load", "", "mean rate over the rate at which a replica saturates")
    over_hours = leaf((hours.share * hours.running).sum(axis=-1), "running_share", "", "mean over all hours")
    return prices.mean_power_w(accelerator, busy, mean, over_hours)


def fleet_bill(
    context: Context, candidates: ServingCandidates, replicas: Floats, peak_rate_per_s: Floats, demand: Demand,
    scenario: Scenario, prefill_s: Floats, speed: dict[str, Any], weight_bytes: Floats,
) -> dict[str, Any]:  # fmt: skip
    """Money and power of the fleet; costs per token spread over what is served on average, not at peak."""
    serving, who = scenario.service, candidates.accelerator
    economics, term = scenario.economics, scenario.economics.serving_procurement
    prices = context.prices(economics, term, context.site_of(scenario, scenario.serving))
    each = leaf(candidates.devices, "devices_per_replica", "devices", "candidate")
    devices = fleet_devices(replicas, each)
    use = peak_use(peak_rate_per_s, replicas, *(speed[name] for name in USE_COLUMNS))
    need = _need(scenario, replicas, peak_rate_per_s, speed, weight_bytes)
    drawn_w = device_power_w(prices, who, use, load_hours(serving, need, peak_rate_per_s, np.zeros(len(who), bool)))
    drawn = draw_share(drawn_w, prices.power_w[who])
    paid = paid_fleet(prices.units, who, replicas, each, draw_share=drawn)
    is_owned = paid.stock_devices >= devices
    need = need.in_units(replicas, paid.unit_devices, each, paid.stock_devices)
    beside = beside_month(economics, term).where(~is_owned)
    peak = leaf(peak_rate_per_s, "peak_rate_per_s", "req/s", "scenario: request classes")
    running = running_share(serving, term, need, peak)
    if can_be_stopped(serving, term):
        drawn_w = device_power_w(prices, who, use, load_hours(serving, need, peak_rate_per_s, ~is_owned))
    mean_usd = paid.mean_usd_per_device_hour(devices, running)
    owned_usd = paid.stock_usd_per_device_hour
    per_hour = fleet_usd_per_hour(devices, mean_usd, owned_usd, beside.usd, beside.support_share)
    output = leaf(demand.output_tokens, "output_tokens", "tok", "scenario: request classes")
    mean_over_peak = leaf(serving.traffic.mean_share_of_peak, "mean_over_peak", "", "scenario: traffic")
    per_request = fleet_usd_per_request(per_hour, peak, mean_over_peak)
    return {
        "replicas": replicas,
        "devices": devices,
        "paid_devices": paid.devices,
        "unit_devices": paid.unit_devices,
        "owned_devices": leaf(paid.stock_devices, "owned_devices", "devices", "scenario: what is owned, used first"),
        "usd_per_device_hour": paid.usd_per_device_hour,
        "owned_usd_per_device_hour": leaf(
            paid.stock_usd_per_device_hour, "owned_usd_per_device_hour", "USD/h", "running costs of owned devices"
        ),
        "running_share": running,
        "draw_share": drawn,
        "usd_per_hour": per_hour,
        "usd_per_month": fleet_usd_per_month(per_hour),
        "usd_per_million_output_tokens": usd_per_million_output(per_request, output),
        "usd_per_million_input_tokens": usd_per_million_input(
            per_request, prefill_s, _answer_s(demand, speed), _worked_prompt(context, demand)
        ),
        "usd_per_request": per_request,
        "output_tokens_per_s_per_device": output_rate_per_device(peak, output, devices),
        "power_w": fleet_power_w(
            devices, drawn_w, paid.devices, prices.idle_power_w[who], running,
            prices.infrastructure_share_of(who, devices, each),
            leaf(central(economics.site.pue), "pue", "", "scenario: site"),
        ),
    }  # fmt: skip


def _answer_s(demand: Demand, speed: dict[str, Any]) -> Floats:
    """A mean request's share of its replica's decode steps. [s]"""
    steps = leaf(demand.answers.output_tokens, "answer_steps", "", "scenario: request classes, over tokens per step")
    return answer_device_s(steps, speed["decode_step_s"], speed["batch"])


def _worked_prompt(context: Context, demand: Demand) -> Floats:
    """Tokens of a prompt over which its cost is spread. [tokens]"""
    return worked_prompt_tokens(
        leaf(demand.mix.computed_tokens, "computed_tokens", "tok", "scenario: request classes"),
        leaf(demand.prompt_tokens, "prompt_tokens", "tok", "scenario: request classes"),
        context.calibration.economics.assumptions.figure("recomputed_cached_share"),
    )


def _need(
    scenario: Scenario, replicas: Floats, peak_rate_per_s: Floats, speed: dict[str, Any], weight_bytes: Floats
) -> ServiceNeed:
    """Replicas of each fleet at any load; one of its devices loads so many bytes of weights."""
    serving = scenario.service
    each_per_s = rate_of_each(peak_rate_per_s, speed["slo_rate_per_s"], speed["load_per_replica_per_s"], serving)
    return ServiceNeed.counted(serving, each_per_s, replicas, peak_rate_per_s, weight_bytes)
