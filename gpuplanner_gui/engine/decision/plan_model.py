"""A plan as a model of its uncertain inputs: samples of inputs in, costs, latencies and times out.

One function serves the samples, the tornado and the planner's own case. Candidates stand on the first axis, samples on
the last; the recommended candidate comes first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import HOURS_PER_MONTH, SECONDS_PER_HOUR
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import LatencyMetric
from gpuplanner_gui.engine.cost.bill import Beside, YearlyNeed, bill_on_term
from gpuplanner_gui.engine.cost.ownership import OwnershipTerms, owned_cost, owned_usd_per_hour
from gpuplanner_gui.engine.decision.responses import TrainingResponse, product
from gpuplanner_gui.engine.decision.serving_response import ServingResponse
from gpuplanner_gui.engine.decision.uncertain_inputs import RATED_POWER, SERVING_MODEL, TRAINING_MODEL, demand_name
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed
from gpuplanner_gui.engine.serving.samples import is_of_samples

Inputs = Mapping[str, Floats]

NAN = float("nan")
WORKING_NEEDED = "serving.working_needed"
"""Replicas that just carry the peak within the targets, unrounded, shape (candidates, samples)."""
_OWNER_FIELDS = {
    "useful_life": "useful_life_years",
    "residual": "residual_share",
    "cost_of_capital": "cost_of_capital",
    "electricity": "electricity_usd_per_kwh",
    "pue": "pue",
    "power_use": "power_share_of_rating",
}


@dataclass(frozen=True)
class Prices:
    """Price of a device-hour of each candidate, rented or owned."""

    procurement: Procurement
    usd_per_hour: Floats
    """Planned values, shape (candidates,)."""
    node_usd: Floats
    rated_power_w: Floats
    in_use_share: Floats
    """Price of a device in use over that of one bought, shape (candidates,): what is stranded, and what is sunk."""
    network_usd: Floats
    """Network cost of each owned device of the planned fleets, shape (candidates,)."""
    terms: OwnershipTerms
    availability: float
    over_planned: Mapping[Procurement, float]
    """Price of the recommended candidate's other terms over that of the planned one; 1 for itself."""
    capital_share: float
    """Share of capital in the yearly cost of the recommended candidate's owned device."""
    is_power_assumed: bool
    """Whether the power of the recommended candidate is assumed."""

    def sampled(self, inputs: Inputs, noise: Floats | None) -> Floats:
        """Shape (candidates, samples). `noise` moves candidates apart from each other. [USD/h]"""
        samples = _samples(inputs)
        if self.procurement != "own":
            factor = inputs.get("device_price", np.ones(samples))
            apart = 1.0 if noise is None else np.exp(noise)
            return np.asarray(self.usd_per_hour[:, None] * factor * apart, float)
        changed: dict[str, Any] = {field: inputs[name] for name, field in _OWNER_FIELDS.items() if name in inputs}
        node = self.node_usd[:, None] * inputs.get("purchase_price", np.ones(samples))
        rated = np.broadcast_to(self.rated_power_w[:, None], (len(node), samples)).copy()
        if self.is_power_assumed:
            rated[0] *= inputs.get(RATED_POWER, np.ones(samples))
        changed["network_usd_per_device"] = self.network_usd[:, None]
        annual = owned_cost(replace(self.terms, **changed), node, 1.0, rated)
        per_hour = np.asarray(owned_usd_per_hour(annual)) / self.availability
        return np.broadcast_to(per_hour * self.in_use_share[:, None], (len(node), samples))


@dataclass(frozen=True)
class Noise:
    """What sets candidates of one kind apart, drawn once per sample; empty arrays for none."""

    serving_price: Floats
    serving_model: Floats
    training_price: Floats
    training_model: Floats


@dataclass(frozen=True)
class ServingModel:
    """A service as planned, and its answers to inputs."""

    scenario: Scenario
    response: ServingResponse
    prices: Prices
    need: ServiceNeed
    log_sd: Floats
    """Spread (of the logarithm) of the step time of each candidate."""
    devices_per_replica: Floats
    working: float
    """Replicas of the recommended fleet that carry the load, spares left out."""
    replicas: float
    peak_rate_per_s: float
    class_rates: dict[str, float]
    output_tokens: float
    beside: Beside
    """Billed in a month beside the devices."""
    running_share: Floats
    """Mean share of each candidate's replicas that run and are paid for."""

    def evaluate(self, inputs: Inputs, noise: Noise | None) -> dict[str, Floats]:
        samples, scenario = _samples(inputs), self.scenario
        peak = self._peak(inputs)
        slow = _slowdown(inputs, SERVING_MODEL, self.log_sd, noise.serving_model if noise else None)
        slo_rate = self.response.slo_rate_per_s[:, None] * self._ratios(self.response.slo_rate, inputs, samples)
        slo_rate = slo_rate * _per_candidate(self.response.slower.values, self.response.slower.ratios, slow)
        price = self.prices.sampled(inputs, noise.serving_price if noise else None)
        replica_usd = (self.devices_per_replica * self.running_share)[:, None] * price * HOURS_PER_MONTH
        with np.errstate(divide="ignore"):
            working = peak / slo_rate
        needed = self.need.at_rate(peak, slo_rate)
        needed_usd = self.beside.billed_usd(needed * replica_usd)
        planned_usd = self.beside.billed_usd(self.replicas * replica_usd[0])
        traffic = scenario.service.traffic
        mean = np.full(samples, traffic.mean_share_of_peak)
        if "mean_over_peak" in inputs:
            mean = inputs["mean_over_peak"] * traffic.week_share
        tokens = peak * mean * self.output_tokens * inputs.get("output_length", np.ones(samples))
        per_token = planned_usd / (tokens * HOURS_PER_MONTH * SECONDS_PER_HOUR) * 1e6
        load = peak / self.working
        found = {
            "serving.usd_per_month": planned_usd,
            "serving.usd_per_month_needed": needed_usd[0],
            "serving.replicas_needed": needed[0],
            "serving.lifetime_usd": self._lifetime_usd(inputs, price[0]),
            "serving.load_over_limit": np.divide(
                load, slo_rate[0], out=np.full(samples, np.inf), where=slo_rate[0] > 0
            ),
            WORKING_NEEDED: working,
            "serving.rivals": needed_usd,
        }
        if scenario.first_latency == "ttft":
            found["serving.usd_per_million_output_tokens"] = per_token
        # All of an image or a document comes with its first result; text and transcripts are written token by token.
        is_at_once = is_of_samples(scenario.service, scenario.model)
        # Nobody waits for one request of a batch.
        for metric in self.response.latency_s if not traffic.is_batch else ():
            power = self.response.first_token_power[0] if metric == "ttft" or is_at_once else 1.0
            found[f"serving.{metric}_p95_s"] = self._latency(metric, inputs, load, slow[0], power)
        return found

    def _ratios(self, responses: Any, inputs: Inputs, samples: int) -> Floats:
        return np.broadcast_to(product(responses, inputs, len(self.log_sd)), (len(self.log_sd), samples))

    def _peak(self, inputs: Inputs) -> Floats:
        common = inputs.get("demand", np.ones(_samples(inputs)))
        total = np.zeros(_samples(inputs))
        for name, rate in self.class_rates.items():
            own = inputs.get(demand_name(name))
            total = total + (rate * common if own is None else own)
        return total

    def _lifetime_usd(self, inputs: Inputs, usd_per_device_hour: Floats) -> Floats:
        """Worth today of the planned fleet over the horizon on the planned term, as it grows year by year. [USD]"""
        economics, serving, samples = self.scenario.economics, self.scenario.service, _samples(inputs)
        term, prices = economics.serving_procurement, self.prices
        growth = inputs.get("growth", np.full(samples, central(serving.traffic.growth_per_year)))
        trend = np.zeros(samples)
        if term != "own":
            trend = inputs.get("price_trend", np.full(samples, central(economics.price_trend_per_year)))
        need = YearlyNeed.of(
            economics, growth,
            lambda load: self.need.replicas(self.peak_rate_per_s * load) * self.devices_per_replica[0], is_service=True,
        )  # fmt: skip
        bill = bill_on_term(
            need, economics, term, lambda one: usd_per_device_hour * prices.over_planned.get(one, NAN), trend,
            float(self.running_share[0]), capital_share=prices.capital_share if term == "own" else 0.0,
        )  # fmt: skip
        return bill.present_usd(central(economics.ownership.cost_of_capital))

    def _latency(self, metric: LatencyMetric, inputs: Inputs, load: Floats, slow: Floats, power: float) -> Floats:
        """Latency of the recommended fleet at the sampled load; infinite where its queue grows without end. [s]

        `power` is of the slowdown, on what the metric tells.
        """
        samples = _samples(inputs)
        capacity = self.response.capacity_per_s[0] * self._ratios(self.response.capacity, inputs, samples)[0] / slow
        share = load / np.maximum(capacity, 1e-12)
        base = np.interp(share, self.response.loads[:, 0], self.response.latency_s[metric][:, 0])
        ratio = self._ratios(self.response.latency[metric], inputs, samples)[0]
        with np.errstate(invalid="ignore"):  # A queue without end is that however quick the machines are.
            latency = base * ratio * slow**power
        return np.asarray(np.where((share < 1) & ~np.isnan(latency), latency, np.inf), float)


@dataclass(frozen=True)
class TrainingModel:
    """A training run as planned, and its answers to inputs."""

    scenario: Scenario
    response: TrainingResponse
    prices: Prices
    log_sd: Floats
    mfu: Floats
    """Planned MFU, shape (candidates,)."""
    highest_mfu: float
    """No error of a step time makes more of a device, unless the plan itself does."""
    beside: Beside
    """Billed for a run beside the devices."""

    @property
    def fastest(self) -> Floats:
        """Shortest step times that are believed, as shares of the planned ones, shape (candidates,). [1]"""
        return np.nan_to_num(self.mfu / np.maximum(self.highest_mfu, self.mfu))

    def evaluate(self, inputs: Inputs, noise: Noise | None) -> dict[str, Floats]:
        job, samples = self.scenario.training, _samples(inputs)
        assert job is not None
        slow = _slowdown(inputs, TRAINING_MODEL, self.log_sd, noise.training_model if noise else None)
        slow = np.maximum(slow, self.fastest[:, None])
        tokens = inputs.get("tokens", np.full(samples, central(job.tokens))) / central(job.tokens)
        kept = np.broadcast_to(product(self.response.goodput, inputs, len(self.log_sd)), (len(self.log_sd), samples))
        run_time = self.response.start_up_s + self.response.steps_s[:, None] * tokens * slow / np.maximum(kept, 1e-9)
        extra = 1 + sum(
            (
                inputs.get(name, np.full(samples, central(getattr(job, name))))
                for name in ("retry_share", "validation_share", "experiment_share")
            ),
            np.zeros(samples),
        )
        hours = self.response.devices[:, None] * run_time / SECONDS_PER_HOUR * extra
        usd = self.beside.billed_usd(hours * self.prices.sampled(inputs, noise.training_price if noise else None))
        deadline = np.inf if job.deadline_s is None else central(job.deadline_s)
        return {
            "training.run_time_s": run_time[0],
            "training.usd_per_run": usd[0],
            "training.mfu": self.mfu[0] / slow[0],
            "training.device_hours": hours[0],
            "training.rivals": np.where(run_time <= deadline, usd, np.inf),
        }


def _samples(inputs: Inputs) -> int:
    return next(iter(inputs.values())).shape[0] if inputs else 1


def _slowdown(inputs: Inputs, name: str, log_sd: Floats, noise: Floats | None) -> Floats:
    """Factor on step times, shape (candidates, samples): the recommended candidate's error in each one's own spread."""
    samples = _samples(inputs)
    if name not in inputs:
        return np.ones((len(log_sd), samples))
    if noise is None:
        score = np.log(inputs[name]) / max(float(log_sd[0]), 1e-12)
        return np.exp(np.asarray(log_sd)[:, None] * score)
    return np.exp(noise)


def _per_candidate(values: Floats, ratios: Floats, at: Floats) -> Floats:
    """A response whose input differs between candidates, shape (candidates, samples)."""
    logs, asked = np.log(values), np.log(at)
    return np.stack([np.interp(row, logs, column) for row, column in zip(asked, ratios.T, strict=True)])


def spread_apart(common: Floats, own: Floats, share: float) -> Floats:
    """Standard normal scores that are correlated by `share` through what they have in common."""
    return np.asarray(math.sqrt(share) * common + math.sqrt(1 - share) * own, float)
