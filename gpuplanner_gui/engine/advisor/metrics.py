"""Figures that remedies promise to improve: read from a plan by one function, before and after.

What a finding says of a remedy and what a test measures once it is applied are the same function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.plan import Plan, ServingPlan, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.cost.bill import TERM_LENGTHS
from gpuplanner_gui.engine.fleet.cold_start import cold_start_of
from gpuplanner_gui.engine.model.table_memory import free_share
from gpuplanner_gui.engine.serving.demand import served_contexts
from gpuplanner_gui.engine.serving.fleet_split import load_multiple
from gpuplanner_gui.engine.simulation.failures import FailureRule, carrying_replicas

NAN = float("nan")


@dataclass(frozen=True)
class Metric:
    """A figure of a plan, its unit, and which way is better."""

    read: Callable[[Scenario, Plan], float]
    unit: str
    is_lower_better: bool = True


def serving_column(name: str) -> Callable[[Scenario, Plan], float]:
    """A column of the recommended serving candidate; NaN without one."""

    def read(scenario: Scenario, plan: Plan) -> float:
        answer = plan.serving
        return float(column(answer.table, name)[answer.best]) if answer is not None and answer.best >= 0 else NAN

    return read


def training_column(name: str) -> Callable[[Scenario, Plan], float]:
    """A column of the recommended training candidate; NaN without one."""

    def read(scenario: Scenario, plan: Plan) -> float:
        answer = plan.training
        return float(column(answer.table, name)[answer.best]) if answer is not None and answer.best >= 0 else NAN

    return read


def working_replicas(scenario: Scenario, plan: Plan) -> float:
    """Replicas that carry the peak. [1]"""
    answer = fleet_of(plan)
    if answer is None:
        return NAN
    return answer.peak_rate_per_s / serving_column("load_per_replica_per_s")(scenario, plan)


def fleet_of(plan: Plan) -> ServingPlan | None:
    """The serving plan, if it recommends a fleet that carries the peak within its targets."""
    answer = plan.serving
    if answer is None or answer.best < 0 or not np.isfinite(answer.table.replicas[answer.best]):
        return None
    return answer


def load_after_loss(scenario: Scenario, plan: Plan) -> float:
    """Load of each replica left when one is lost, over the rate at which it just meets its targets, simulated where the
    plan was. [1]"""
    answer = fleet_of(plan)
    if answer is None:
        return NAN
    left = serving_column("replicas")(scenario, plan) - 1
    # Against the load that the fleet takes, as it was simulated, spread over those that are left.
    return working_replicas(scenario, plan) / left / load_multiple(answer) if left > 0 else np.inf


def burst_carried(scenario: Scenario, plan: Plan) -> float:
    """Peak that all replicas together carry before queues grow without end, over the planned peak. [1]"""
    answer = fleet_of(plan)
    if answer is None:
        return NAN
    capacity = serving_column("max_rate_per_s")(scenario, plan) * serving_column("replicas")(scenario, plan)
    return capacity / answer.peak_rate_per_s


def enough_replicas_up(scenario: Scenario, plan: Plan) -> float:
    """Share of time that the replicas which carry the peak within targets are up, or of batches done in time. [1]"""
    answer = fleet_of(plan)
    if answer is None:
        return NAN
    carrying = carrying_replicas(answer.peak_rate_per_s, serving_column("slo_rate_per_s")(scenario, plan))
    replicas, between_s = int(serving_column("replicas")(scenario, plan)), central(scenario.service.start.mtbf_s)
    return float(FailureRule.of(scenario.service).held_share(carrying, replicas, between_s))


def spot_interruptions(code: str) -> Callable[[Scenario, Plan], float]:
    """Nodes on spot capacity that are taken away in a month of the service or in the run, as the plan's finding counts
    them. [1]"""

    def read(scenario: Scenario, plan: Plan) -> float:
        said = [one for one in plan.findings if one.code == code]
        return float(said[0].values["interruptions"]) if said else 0.0

    return read


def start_together_s(scenario: Scenario, plan: Plan, replicas: int = 0) -> float:
    """Time until `replicas` serve that start at the same moment, 0 for all of the fleet. [s]"""
    answer = fleet_of(plan)
    if answer is None or scenario.serving is None:
        return NAN
    weights = serving_column("weights_bytes")(scenario, plan) * serving_column("devices_per_replica")(scenario, plan)
    count = replicas or max(int(answer.table.replicas[answer.best]), 1)
    return cold_start_of(scenario.serving.start, weights, count).total_s


def unlicensed_devices(workload: str) -> Callable[[Scenario, Plan], float]:
    """Devices of a workload whose driver is not licensed in a data centre, as the plan's findings count them. [1]"""

    def read(scenario: Scenario, plan: Plan) -> float:
        said = [one for one in plan.findings if one.workload == workload and one.code.startswith("consumer_licence")]
        return float(said[0].values["devices"]) if said else 0.0

    return read


KEPT_OUT = ("named_device", "owned_device")
"""How codes of findings about devices begin that the planner named or owns, and a workload cannot have."""


def named_devices_left_out(workload: str) -> Callable[[Scenario, Plan], float]:
    """Devices that the planner named or owns and a workload cannot have, as the plan's findings count them. [1]"""

    def read(scenario: Scenario, plan: Plan) -> float:
        said = [one for one in plan.findings if one.workload == workload and one.code.startswith(KEPT_OUT)]
        return float(len(said))

    return read


def unknown_devices(scenario: Scenario, plan: Plan) -> float:
    """Allowed devices that the catalogue does not have. [1]"""
    return float(sum(one not in plan.accelerators for one in scenario.hardware.accelerators))


def unpriced_devices(workload: str) -> Callable[[Scenario, Plan], float]:
    """Devices of the recommended candidate, if it has no price. [1]"""
    of = serving_column if workload == "serving" else training_column

    def read(scenario: Scenario, plan: Plan) -> float:
        is_priced = np.isfinite(of("usd_per_device_hour")(scenario, plan))
        return 0.0 if is_priced else of("devices")(scenario, plan)

    return read


def rented_without_network(workload: str) -> Callable[[Scenario, Plan], float]:
    """Devices of a workload that are rented although its site has no network. [1]"""
    count = serving_column("devices") if workload == "serving" else training_column("devices")

    def read(scenario: Scenario, plan: Plan) -> float:
        economics = scenario.economics
        terms = economics.serving_procurement if workload == "serving" else economics.training_procurement
        return count(scenario, plan) if scenario.hardware.air_gapped and terms != "own" else 0.0

    return read


def years_beyond_horizon(workload: str) -> Callable[[Scenario, Plan], float]:
    """Years for which devices of a workload stay reserved when the planner's horizon has ended. [y]"""

    def read(scenario: Scenario, plan: Plan) -> float:
        del plan
        economics = scenario.economics
        term = economics.serving_procurement if workload == "serving" else economics.training_procurement
        return max(TERM_LENGTHS.get(term, 0) - central(economics.horizon_years), 0.0)

    return read


def free_memory_share(scenario: Scenario, plan: Plan) -> float:
    """Memory of a training device that nothing takes, over all of it. [1]"""
    del scenario
    answer = plan.training
    return free_share(answer.table, answer.best) if answer is not None and answer.best >= 0 else NAN


def refused(scenario: Scenario, plan: Plan) -> float:
    """Share of requests that are longer than the largest context. [1]"""
    del plan
    contexts = served_contexts(scenario.serving, scenario.model) if scenario.serving is not None else ()
    return contexts[0][1] if contexts else NAN


METRICS: dict[str, Metric] = {
    "serving.usd_per_month": Metric(serving_column("usd_per_month"), "USD/month"),
    "serving.ttft_p95_s": Metric(serving_column("ttft_p95_s"), "s"),
    "serving.tpot_mean_s": Metric(serving_column("tpot_mean_s"), "s"),
    "serving.itl_p99_s": Metric(serving_column("itl_p99_s"), "s"),
    "serving.headroom": Metric(serving_column("headroom"), "share", is_lower_better=False),
    "serving.refused_share": Metric(refused, "share"),
    "serving.load_after_loss": Metric(load_after_loss, "share"),
    "serving.burst_carried": Metric(burst_carried, "", is_lower_better=False),
    "serving.enough_replicas_up": Metric(enough_replicas_up, "share", is_lower_better=False),
    "serving.spot_interruptions_per_month": Metric(spot_interruptions("service_on_spot"), ""),
    "serving.start_together_s": Metric(start_together_s, "s"),
    "training.usd_per_run": Metric(training_column("usd_per_run"), "USD"),
    "training.run_time_s": Metric(training_column("run_time_s"), "s"),
    "training.step_time_s": Metric(training_column("step_time_s"), "s"),
    "training.goodput": Metric(training_column("goodput"), "share", is_lower_better=False),
    "training.spot_interruptions": Metric(spot_interruptions("training_on_spot"), ""),
    "training.free_memory_share": Metric(free_memory_share, "share", is_lower_better=False),
    "serving.unlicensed_devices": Metric(unlicensed_devices("serving"), "devices"),
    "training.unlicensed_devices": Metric(unlicensed_devices("training"), "devices"),
    "serving.named_devices_left_out": Metric(named_devices_left_out("serving"), "devices"),
    "training.named_devices_left_out": Metric(named_devices_left_out("training"), "devices"),
    "unknown_devices": Metric(unknown_devices, "devices"),
    "serving.unpriced_devices": Metric(unpriced_devices("serving"), "devices"),
    "training.unpriced_devices": Metric(unpriced_devices("training"), "devices"),
    "serving.years_beyond_horizon": Metric(years_beyond_horizon("serving"), "y"),
    "training.years_beyond_horizon": Metric(years_beyond_horizon("training"), "y"),
    "serving.rented_without_network": Metric(rented_without_network("serving"), "devices"),
    "training.rented_without_network": Metric(rented_without_network("training"), "devices"),
}
