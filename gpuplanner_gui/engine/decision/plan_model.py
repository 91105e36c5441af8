"""A plan as a model of its uncertain inputs: samples of inputs in, costs, latencies and times out.

One function serves the samples, the tornado and the planner's own case. Candidates stand on the first axis, samples on
the last; the recommended candidate comes first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers, Values
from gpuplanner_gui.domain.constants import HOURS_PER_MONTH, SECONDS_PER_HOUR
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.ownership import OwnedParts
from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import LatencyMetric
from gpuplanner_gui.engine.advisor.case import AdvisedService
from gpuplanner_gui.engine.cost.bill import Beside, beside_month, beside_run
from gpuplanner_gui.engine.cost.offers import Quote
from gpuplanner_gui.engine.cost.ownership import OwnershipTerms, owned_cost, owned_usd_per_hour, running_usd_per_year
from gpuplanner_gui.engine.decision.fleet_years import fleet_years, growth_of, need_over_years, quote_over_years
from gpuplanner_gui.engine.decision.serving_response import ServingResponse, load_result
from gpuplanner_gui.engine.decision.uncertain_inputs import (
    EXTRA_SHARES,
    OWNER_INPUTS,
    RATED_POWER,
    SERVING_MODEL,
    TRAINING_MODEL,
    Response,
    demand_name,
    product,
)
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed
from gpuplanner_gui.engine.serving.load.rates import slowed_latency_s
from gpuplanner_gui.engine.serving.samples import is_of_samples
from gpuplanner_gui.engine.training.held_cost import idle_device_hours
from gpuplanner_gui.engine.training.run import once_s

Inputs = Mapping[str, Floats]

NAN = float("nan")
LOAD_OVER_LIMIT = "serving.load_over_limit"
"""Load of a replica over what it takes within its targets."""
WORKING_NEEDED = "serving.working_needed"
"""Replicas that just carry the peak within the targets, unrounded, shape (candidates, samples)."""


@dataclass(frozen=True)
class Prices:
    """Price of a device-hour of each candidate, rented or owned."""

    procurement: Procurement
    usd_per_hour: Floats
    """Planned values, shape (candidates,)."""
    stock_usd_per_hour: Floats
    """Their part for devices that are owned already, shape (candidates,): no price of a purchase or rental moves it."""
    is_added: NDArray[np.bool_]
    """Whether some of their devices are bought or rented, shape (candidates,)."""
    node_usd: Floats
    rated_power_w: Floats
    rented_share: Floats
    """Share of the hours in which devices are paid for that are not owned already, shape (candidates,)."""
    in_use_share: Floats
    """Price of a device in use over a calendar hour of one bought, shape (candidates,): what is stranded, and hours
    that it is down; owned ones left out."""
    network_usd: Floats
    """Network cost of each owned device of the planned fleets, shape (candidates,)."""
    draw_share: Floats
    """Mean draw of their devices over the draw under load, shape (candidates,)."""
    terms: OwnershipTerms
    is_power_assumed: bool
    """Whether the power of the recommended candidate is assumed."""

    @property
    def paid_on(self) -> set[Procurement]:
        """Terms on which the candidates' devices are paid for: those that are owned already as owners pay."""
        terms: set[Procurement] = {self.procurement} if self.is_added.any() else set()
        return terms | ({"own"} if self.stock_usd_per_hour.any() else set())

    def sampled(self, inputs: Inputs, noise: Floats | None) -> Floats:
        """Shape (candidates, samples). `noise` moves candidates apart from each other. [USD/h]"""
        samples = _samples(inputs)
        if self.procurement != "own":
            factor = inputs.get("device_price", np.ones(samples))
            apart = 1.0 if noise is None else np.exp(noise)
            rented = (self.usd_per_hour - self.stock_usd_per_hour)[:, None] * factor * apart
            return np.asarray(rented + self.stock_usd(inputs), float)
        per_hour = np.asarray(owned_usd_per_hour(self._annual(inputs, self.network_usd)))
        bought = np.broadcast_to(per_hour * self.in_use_share[:, None], (len(self.usd_per_hour), samples))
        return bought + self.stock_usd(inputs)

    def added_times(self, inputs: Inputs, noise: Floats | None) -> Floats:
        """Price of what the recommended candidate adds to owned devices, over the planned one. [1]"""
        samples = _samples(inputs)
        if self.procurement != "own":
            apart = 1.0 if noise is None else np.exp(noise[0])
            return np.asarray(inputs.get("device_price", np.ones(samples)) * apart)
        sampled, expected = (owned_usd_per_hour(self._annual(one, self.network_usd)) for one in (inputs, {}))
        return np.broadcast_to(np.asarray(sampled / expected)[0], (samples,))

    def stock_times(self, inputs: Inputs) -> Floats:
        """What owned devices take to run over what is planned, of each candidate, as power and site cost it. [1]"""
        nothing = np.zeros(len(self.node_usd))
        sampled, expected = (running_usd_per_year(self._annual(one, nothing)) for one in (inputs, {}))
        return np.asarray(sampled / expected)

    def mean(self, usd_per_hour: Floats, inputs: Inputs) -> Floats:
        """A device of planned fleets in a mean hour, at sampled prices of one in use. [USD/h]"""
        stock = self.stock_usd(inputs)
        return np.asarray(stock + (usd_per_hour - stock) * self.rented_share[:, None])

    def stock_usd(self, inputs: Inputs) -> Floats:
        """What owned devices add to an hour of a device in use, as power and site cost it in each sample. [USD/h]"""
        planned = self.stock_usd_per_hour[:, None]
        if not planned.any():
            return planned
        return np.where(planned > 0, planned * self.stock_times(inputs), 0.0)

    def _annual(self, inputs: Inputs, network_usd: Floats) -> OwnedParts[Values]:
        """Yearly cost of an owned device of each candidate in each sample, by part."""
        samples = _samples(inputs)
        changed: dict[str, Any] = {
            field: inputs[name] for name, (_, field, _) in OWNER_INPUTS.items() if name in inputs
        }
        node = self.node_usd[:, None] * inputs.get("purchase_price", np.ones(samples))
        rated = np.broadcast_to(self.rated_power_w[:, None], (len(node), samples)).copy()
        if self.is_power_assumed:
            rated[0] *= inputs.get(RATED_POWER, np.ones(samples))
        changed["network_usd_per_device"] = network_usd[:, None]
        at_load = changed.get("power_share_of_rating", self.terms.power_share_of_rating)
        changed["power_share_of_rating"] = at_load * self.draw_share[:, None]
        return owned_cost(replace(self.terms, **changed), node, rated)


Noise = Mapping[str, Floats]
"""What sets candidates apart, drawn once per sample: of their step times and of their prices (`price_noise`), by name,
each of shape (candidates, samples)."""


def price_noise(workload: str) -> str:
    """Name of what sets the prices of a workload's candidates apart."""
    return f"{workload} price"


@dataclass(frozen=True)
class ServingModel:
    """A service as planned, and its answers to inputs."""

    scenario: Scenario
    answer: ServingPlan
    response: ServingResponse
    prices: Prices
    log_sd: Floats
    """Spread (of the logarithm) of the step time of each candidate."""
    kinds: Integers
    """Group of each candidate whose step times are wrong together: devices of one vendor."""
    case: AdvisedService | None
    """The recommended candidate; None where it does not run."""

    @property
    def rows(self) -> Integers:
        """Rows in the plan's table; the first is the recommended one."""
        return self.response.rows

    def _of_best(self, name: str) -> float:
        return float(column(self.answer.table, name)[self.rows[0]])

    @cached_property
    def _need(self) -> ServiceNeed:
        return ServiceNeed.of(self.answer, self.rows[:1], self.scenario.service)

    @cached_property
    def asked(self) -> Floats:
        """Load of the whole service at its peak, as `slo_load` counts it, shape (candidates,)."""
        users = central(self.scenario.service.traffic.users)
        return np.where(self.response.counts_users, users, self.answer.peak_rate_per_s)

    def _rounds(self, inputs: Inputs, slow: Floats) -> Floats:
        """Time from a user's request to the next over the planned one; 1 where nobody waits to ask again. [1]"""
        if not self.response.counts_users[0]:
            return np.ones(1)
        *_, metric = self.response.latency_s  # All of an answer, or what it takes for each of its tokens.
        longer = self._ratios(metric, inputs, len(slow))[0] * slow
        if metric == "tpot":
            longer = longer * inputs.get("output_length", np.ones(1))
        e2e_s, think_s = self._of_best("e2e_mean_s"), central(self.scenario.service.traffic.think_time_s)
        return np.asarray((e2e_s * longer + think_s) / (e2e_s + think_s))

    @cached_property
    def _beside(self) -> Beside:
        """Billed in a month beside the devices."""
        return beside_month(self.scenario.economics, self.prices.procurement)

    def evaluate(self, inputs: Inputs, noise: Noise | None) -> dict[str, Floats]:
        samples, scenario, table = _samples(inputs), self.scenario, self.answer.table
        peak = self._peak(inputs)
        slow = _slowdown(inputs, SERVING_MODEL, self.log_sd, noise)
        slo_load = self._load_within_targets(inputs, slow)
        asked = self.asked[:, None] * (peak / self.answer.peak_rate_per_s)
        price = self.prices.sampled(inputs, noise[price_noise("serving")] if noise else None)
        each = table.devices_per_replica[self.rows, None]
        replica_usd = each * self.prices.mean(price, inputs) * HOURS_PER_MONTH
        with np.errstate(divide="ignore"):
            working = asked / slo_load
        needed = self._need.at_rate(asked, slo_load)
        owned_usd = each * self.prices.stock_usd(inputs) * HOURS_PER_MONTH
        needed_usd = self._month_usd(needed, replica_usd, owned_usd)
        planned_usd = self._month_usd(table.replicas[self.rows, None], replica_usd, owned_usd)[0]
        traffic = scenario.service.traffic
        mean = np.full(samples, traffic.mean_share_of_peak)
        if "mean_over_peak" in inputs:
            mean = inputs["mean_over_peak"] * traffic.week_share
        tokens = peak * mean * self.answer.mean_output_tokens * inputs.get("output_length", np.ones(samples))
        per_token = planned_usd / (tokens * HOURS_PER_MONTH * SECONDS_PER_HOUR) * 1e6
        # A batch has no replica that waits for another to fail: all of them work until it is done.
        working_planned = self.answer.peak_rate_per_s / self._of_best("load_per_replica_per_s")
        load = peak / (self._of_best("replicas") if traffic.is_batch else working_planned)
        over = load / self.answer.peak_rate_per_s * self.asked[0]
        found = {
            "serving.usd_per_month": planned_usd,
            "serving.usd_per_month_needed": needed_usd[0],
            "serving.replicas_needed": needed[0],
            "serving.lifetime_usd": self._lifetime_usd(inputs, noise),
            LOAD_OVER_LIMIT: np.divide(over, slo_load[0], out=np.full(samples, np.inf), where=slo_load[0] > 0),
            WORKING_NEEDED: working,
            "serving.rivals": needed_usd,
        }
        if scenario.first_latency == "ttft":
            found["serving.usd_per_million_output_tokens"] = per_token
        # All of an image, a document or a label comes with its first result; other text is written token by token.
        is_at_once = is_of_samples(scenario.service, scenario.model) or not scenario.service.has_next_tokens
        # Nobody waits for one request of a batch.
        rounds = self._rounds(inputs, slow[0])
        for metric in self.response.latency_s if not traffic.is_batch else ():
            power = self.response.first_token_power[0] if metric == "ttft" or is_at_once else 1.0
            found[f"serving.{metric}_p95_s"] = self._latency(metric, inputs, load / rounds, slow[0], power)
        return found

    def _month_usd(self, replicas: Floats, replica_usd: Floats, owned_usd: Floats) -> Floats:
        """Bill of a month of so many replicas of each candidate, at the planned one's price and its part for owned
        devices: those are used first, others cost what is added to them. [USD]"""
        table = self.answer.table
        planned, each = table.replicas[self.rows, None], table.devices_per_replica[self.rows, None]
        owned = np.nan_to_num(table.owned_devices[self.rows, None]) / each
        is_mixed = (owned > 0) & (owned < planned)
        share = np.where(is_mixed, owned / planned, 1.0)
        first = np.where(is_mixed, np.minimum(replicas, owned), 0.0)
        first_usd = first * owned_usd / share
        left = np.where(is_mixed, 1.0 - share, 1.0)
        added_usd = (replica_usd - np.where(is_mixed, owned_usd, 0.0)) / left
        # What nothing serves takes endless replicas; of free ones they cost nothing.
        with np.errstate(invalid="ignore"):
            more_usd = np.where(added_usd > 0, (replicas - first) * added_usd, 0.0)
        return self._beside.where(self.prices.is_added[:, None]).billed_usd(first_usd + more_usd, first_usd)

    def _load_within_targets(self, inputs: Inputs, slow: Floats) -> Floats:
        """What a replica takes with every target held, shape (candidates, samples): one more never adds to it."""
        least, samples = np.full_like(slow, np.inf), _samples(inputs)
        for place, (load, slower) in enumerate(zip(self.response.within, self.response.slower, strict=True)):
            changed = self._ratios(load_result(place), inputs, samples)
            changed = changed * _per_candidate(slower.values, slower.ratios, slow)
            least = np.minimum(least, load[:, None] * changed)
        return least

    def _ratios(self, result: str, inputs: Inputs, samples: int) -> Floats:
        count = len(self.log_sd)
        return np.broadcast_to(product(self.response.responses[result], inputs, count), (count, samples))

    def _peak(self, inputs: Inputs) -> Floats:
        """Rate of all classes, as stated or as the users make it. [1/s]"""
        common = inputs.get("demand", np.ones(_samples(inputs)))
        total = np.zeros(_samples(inputs))
        stated = {one.name: central(one.peak_rate_per_s) for one in self.scenario.service.classes}
        whole = sum(stated.values())
        share = self.answer.peak_rate_per_s / whole if whole > 0 else 0.0
        for name, rate in stated.items():
            own = inputs.get(demand_name(name))
            total = total + (rate * share * common if own is None else own)
        return total

    def _lifetime_usd(self, inputs: Inputs, noise: Noise | None) -> Floats:
        """Worth today of the planned fleet over the horizon on the planned term, as it grows year by year. [USD]"""
        case, samples, term, prices = self.case, _samples(inputs), self.prices.procurement, self.prices
        if case is None:
            return np.full(samples, NAN)
        economics = self.scenario.economics
        growth = inputs.get("growth", np.full(samples, growth_of(case)))
        trend = inputs.get("price_trend", np.full(samples, central(economics.price_trend_per_year)))
        need = need_over_years(case, growth)
        added = prices.added_times(inputs, noise[price_noise("serving")] if noise else None)
        bill = fleet_years(case, need, term, self._quote, growth).bill(
            economics, trend, np.broadcast_to(prices.stock_times(inputs)[0], (samples,)), added
        )
        return bill.present_usd(central(economics.ownership.cost_of_capital))

    @cached_property
    def _quote(self) -> Quote | None:
        """What the planned term is paid by over the years; None where devices are bought."""
        case, term = self.case, self.prices.procurement
        return None if case is None or term == "own" else quote_over_years(case, need_over_years(case), term)

    def _latency(self, metric: LatencyMetric, inputs: Inputs, load: Floats, slow: Floats, power: float) -> Floats:
        """Latency of the recommended fleet at the sampled load; infinite where its queue grows without end. [s]

        `power` is of the slowdown, on what the metric tells.
        """
        samples = _samples(inputs)
        capacity = self.response.capacity_per_s[0] * self._ratios("capacity", inputs, samples)[0]
        share = load / np.maximum(capacity, 1e-12)
        loads, latency_s = self.response.loads[:, 0], self.response.latency_s[metric][:, 0]
        with np.errstate(invalid="ignore"):
            found = slowed_latency_s(loads, latency_s, share, slow, power) * self._ratios(metric, inputs, samples)[0]
        return np.where(np.isnan(found), np.inf, found)


@dataclass(frozen=True)
class TrainingModel:
    """A training run as planned, and its answers to inputs."""

    scenario: Scenario
    answer: TrainingPlan
    rows: Integers
    """Rows in the plan's table; the first is the recommended one."""
    goodput: dict[str, Response]
    prices: Prices
    log_sd: Floats
    kinds: Integers
    highest_mfu: float
    """No error of a step time makes more of a device, unless the plan itself does."""
    idle_over_used: Floats
    """Price of an idle hour of a held device, support included, over one at work, shape (candidates,); 0 where the
    ranking counts none."""

    @property
    def _mfu(self) -> Floats:
        return np.nan_to_num(self.answer.table.mfu[self.rows])

    @property
    def fastest(self) -> Floats:
        """Shortest step times that are believed, as shares of the planned ones, shape (candidates,). [1]"""
        return np.nan_to_num(self._mfu / np.maximum(self.highest_mfu, self._mfu))

    def evaluate(self, inputs: Inputs, noise: Noise | None) -> dict[str, Floats]:
        job, samples, table = self.scenario.job, _samples(inputs), self.answer.table
        slow = _slowdown(inputs, TRAINING_MODEL, self.log_sd, noise)
        slow = np.maximum(slow, self.fastest[:, None])
        tokens = inputs.get("tokens", np.full(samples, central(job.tokens))) / central(job.tokens)
        kept = np.broadcast_to(product(self.goodput, inputs, len(self.log_sd)), (len(self.log_sd), samples))
        paid_once_s = once_s(job, table.checkpoint_write_s[self.rows])
        steps_s = table.run_time_s[self.rows] - paid_once_s
        run_time = paid_once_s[:, None] + steps_s[:, None] * tokens * slow / np.maximum(kept, 1e-9)
        extra = 1 + sum(
            (inputs.get(name, np.full(samples, central(getattr(job, name)))) for name in EXTRA_SHARES),
            np.zeros(samples),
        )
        hours = table.devices[self.rows].astype(float)[:, None] * run_time / SECONDS_PER_HOUR * extra
        price = self.prices.sampled(inputs, noise[price_noise("training")] if noise else None)
        beside = beside_run(self.scenario.economics, self.prices.procurement)
        usd = beside.where(self.prices.is_added[:, None]).billed_usd(hours * price)
        deadline = np.inf if job.deadline_s is None else central(job.deadline_s)
        held_usd = usd
        if self.idle_over_used.any():
            idle = idle_device_hours(self.scenario, table.devices[self.rows][:, None], hours)
            held_usd = usd + self.idle_over_used[:, None] * price * idle
        return {
            "training.run_time_s": run_time[0],
            "training.usd_per_run": usd[0],
            "training.mfu": self._mfu[0] / slow[0],
            "training.device_hours": hours[0],
            "training.rivals": np.where(run_time <= deadline, held_usd, np.inf),
        }


def _samples(inputs: Inputs) -> int:
    return next(iter(inputs.values())).shape[0] if inputs else 1


def _slowdown(inputs: Inputs, name: str, log_sd: Floats, noise: Noise | None) -> Floats:
    """Factor on step times, shape (candidates, samples): the recommended candidate's error in each one's own spread."""
    samples = _samples(inputs)
    if name not in inputs:
        return np.ones((len(log_sd), samples))
    if noise is None:
        score = np.log(inputs[name]) / max(float(log_sd[0]), 1e-12)
        return np.exp(np.asarray(log_sd)[:, None] * score)
    return np.exp(noise[name])


def _per_candidate(values: Floats, ratios: Floats, at: Floats) -> Floats:
    """A response whose input differs between candidates, shape (candidates, samples)."""
    logs, asked = np.log(values), np.log(at)
    return np.stack([np.interp(row, logs, column) for row, column in zip(asked, ratios.T, strict=True)])


def spread_apart(common: Floats, own: Floats, share: float) -> Floats:
    """Standard normal scores that are correlated by `share` through what they have in common."""
    return np.asarray(math.sqrt(share) * common + math.sqrt(1 - share) * own, float)
