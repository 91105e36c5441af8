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
from numpy.typing import NDArray

from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.cost.ownership import OwnershipTerms, owned_cost, owned_usd_per_hour
from gpuplanner_gui.engine.decision.responses import product
from gpuplanner_gui.engine.decision.serving_response import ServingResponse
from gpuplanner_gui.engine.decision.training_response import TrainingResponse
from gpuplanner_gui.engine.decision.uncertain_inputs import SERVING_MODEL, TRAINING_MODEL, demand_name
from gpuplanner_gui.engine.prices import ownership_terms
from gpuplanner_gui.engine.rented_beside import Beside
from gpuplanner_gui.engine.serving.cost import HOURS_PER_MONTH

Floats = NDArray[np.float64]
Inputs = Mapping[str, Floats]

SECONDS_PER_HOUR = 3600.0
_OWNER_FIELDS = {
    "useful_life": "useful_life_years",
    "residual": "residual_share",
    "cost_of_capital": "cost_of_capital",
    "electricity": "electricity_usd_per_kwh",
    "pue": "pue",
    "power_use": "power_use",
}


@dataclass(frozen=True)
class Prices:
    """Price of a device-hour of each candidate, rented or owned."""

    procurement: Procurement
    usd_per_hour: Floats
    """As planned, shape (candidates,)."""
    node_usd: Floats
    rated_power_w: Floats
    terms: OwnershipTerms
    availability: float

    def sampled(self, inputs: Inputs, noise: Floats | None) -> Floats:
        """Shape (candidates, samples). `noise` moves candidates apart from each other. [USD/h]"""
        samples = _samples(inputs)
        if self.procurement != "own":
            factor = inputs.get("device_price", np.ones(samples))
            apart = 1.0 if noise is None else np.exp(noise)
            return np.asarray(self.usd_per_hour[:, None] * factor * apart, float)
        changed: dict[str, Any] = {field: inputs[name] for name, field in _OWNER_FIELDS.items() if name in inputs}
        node = self.node_usd[:, None] * inputs.get("purchase_price", np.ones(samples))
        annual = owned_cost(replace(self.terms, **changed), node, 1.0, self.rated_power_w[:, None])
        return np.broadcast_to(np.asarray(owned_usd_per_hour(annual)) / self.availability, (len(node), samples))


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
    log_sd: Floats
    """Of the step time of each candidate."""
    devices_per_replica: Floats
    working: float
    """Replicas of the recommended fleet that carry the load, spares left out."""
    replicas: float
    peak_rate_per_s: float
    class_rates: dict[str, float]
    output_tokens: float
    beside: Beside
    """Billed in a month beside the devices."""

    def evaluate(self, inputs: Inputs, noise: Noise | None) -> dict[str, Floats]:
        samples, scenario = _samples(inputs), self.scenario
        assert scenario.serving is not None
        availability = scenario.serving.availability
        peak = self._peak(inputs)
        slow = _slowdown(inputs, SERVING_MODEL, self.log_sd, noise.serving_model if noise else None)
        slo_rate = self.response.slo_rate_per_s[:, None] * self._ratios(self.response.slo_rate, inputs, samples)
        slo_rate = slo_rate * _per_candidate(self.response.slower.values, self.response.slower.ratios, slow)
        price = self.prices.sampled(inputs, noise.serving_price if noise else None)
        support = 1.0 + self.beside.support_share
        replica_usd = self.devices_per_replica[:, None] * price * HOURS_PER_MONTH * support
        beside_usd = float(self.beside.usd) * support
        with np.errstate(divide="ignore"):
            needed = np.ceil(peak / (slo_rate * availability.target_utilisation) - 1e-9)
        if availability.zones > 1:
            needed = availability.zones * np.ceil(needed / (availability.zones - 1))
        needed = needed + availability.spare_replicas
        planned_usd = self.replicas * replica_usd[0] + beside_usd
        mean = inputs.get("mean_over_peak", np.full(samples, scenario.serving.traffic.mean_share_of_peak))
        tokens = peak * mean * self.output_tokens * inputs.get("output_length", np.ones(samples))
        per_token = planned_usd / (tokens * HOURS_PER_MONTH * SECONDS_PER_HOUR) * 1e6
        load = peak / self.working
        return {
            "serving.usd_per_month": planned_usd,
            "serving.usd_per_month_needed": needed[0] * replica_usd[0] + beside_usd,
            "serving.replicas_needed": needed[0],
            "serving.usd_per_million_output_tokens": per_token,
            "serving.lifetime_usd": planned_usd * 12 * self._years(inputs, samples),
            "serving.ttft_p95_s": self._latency("ttft", inputs, load, slow[0]),
            "serving.tpot_p95_s": self._latency("tpot", inputs, load, slow[0]),
            "serving.load_over_limit": np.divide(
                load, slo_rate[0], out=np.full(samples, np.inf), where=slo_rate[0] > 0
            ),
            "serving.rivals": needed * replica_usd + beside_usd,
        }

    def _ratios(self, responses: Any, inputs: Inputs, samples: int) -> Floats:
        return np.broadcast_to(product(responses, inputs, len(self.log_sd)), (len(self.log_sd), samples))

    def _peak(self, inputs: Inputs) -> Floats:
        common = inputs.get("demand", np.ones(_samples(inputs)))
        total = np.zeros(_samples(inputs))
        for name, rate in self.class_rates.items():
            own = inputs.get(demand_name(name))
            total = total + (rate * common if own is None else own)
        return total

    def _years(self, inputs: Inputs, samples: int) -> Floats:
        """Years of today's cost that the horizon costs, with growth of load and trend of prices."""
        economics, serving = self.scenario.economics, self.scenario.serving
        assert serving is not None
        growth = inputs.get("growth", np.full(samples, central(serving.traffic.growth_per_year)))
        is_owned = economics.serving_procurement == "own"
        trend = 0.0 if is_owned else central(economics.price_trend_per_year)
        yearly = (1 + growth) * (1 + inputs.get("price_trend", np.full(samples, trend)))
        horizon = central(economics.horizon_years)
        whole = int(horizon)
        total = sum((yearly**year for year in range(whole)), np.zeros(samples))
        return np.asarray(total + (horizon - whole) * yearly**whole, float)

    def _latency(self, metric: str, inputs: Inputs, load: Floats, slow: Floats) -> Floats:
        """Latency of the recommended fleet at the sampled load; infinite where its queue grows without end. [s]"""
        samples = _samples(inputs)
        capacity = self.response.capacity_per_s[0] * self._ratios(self.response.capacity, inputs, samples)[0] / slow
        share = load / np.maximum(capacity, 1e-12)
        base = np.interp(share, self.response.loads, self.response.latency_s[metric])
        ratio = product(self.response.latency[metric], inputs, 1)[0]
        return np.asarray(np.where(share < 1, base * ratio * slow, np.inf), float)


@dataclass(frozen=True)
class TrainingModel:
    """A training run as planned, and its answers to inputs."""

    scenario: Scenario
    response: TrainingResponse
    prices: Prices
    log_sd: Floats
    mfu: Floats
    """As planned, shape (candidates,)."""
    highest_mfu: float
    """No error of a step time makes more of a device, unless the plan itself does."""
    beside: Beside
    """Billed for a run beside the devices."""

    def evaluate(self, inputs: Inputs, noise: Noise | None) -> dict[str, Floats]:
        job, samples = self.scenario.training, _samples(inputs)
        assert job is not None
        slow = _slowdown(inputs, TRAINING_MODEL, self.log_sd, noise.training_model if noise else None)
        within = self.mfu / np.maximum(self.highest_mfu, self.mfu)
        slow = np.maximum(slow, np.nan_to_num(within)[:, None])
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
        devices_usd = hours * self.prices.sampled(inputs, noise.training_price if noise else None)
        usd = (devices_usd + float(self.beside.usd)) * (1.0 + self.beside.support_share)
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


def prices_of(scenario: Scenario, procurement: Procurement, usd: Floats, node_usd: Floats, rated_w: Floats) -> Prices:
    """Prices of some candidates under a scenario's terms."""
    economics = scenario.economics
    availability = central(economics.ownership.availability)
    return Prices(procurement, usd, node_usd, rated_w, ownership_terms(economics), availability)


def spread_apart(common: Floats, own: Floats, share: float) -> Floats:
    """Standard normal scores that are correlated by `share` through what they have in common."""
    return np.asarray(math.sqrt(share) * common + math.sqrt(1 - share) * own, float)
