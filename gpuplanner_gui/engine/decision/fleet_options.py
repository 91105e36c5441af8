"""Accelerators as options for fleets: what each can do, costs, buys and uses, from a plan's candidates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan, TrainingPlan, TrainingTable, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor.both_rules import best_rows
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.fleets import FleetHardware
from gpuplanner_gui.engine.cost.offers import Quote
from gpuplanner_gui.engine.cost.plan_years import TERM_LENGTHS
from gpuplanner_gui.engine.cost.resources import Resources
from gpuplanner_gui.engine.decision.price_shares import cost_shares
from gpuplanner_gui.engine.decision.resource_use import serving_use, training_use
from gpuplanner_gui.engine.serving.resizing import rate_of_each
from gpuplanner_gui.engine.training.cluster import cluster_for

Floats = NDArray[np.float64]

MOST_OF_EACH = 8
LATE_RUNS = (Reason.NONE, Reason.MISSES_DEADLINE, Reason.OVER_BUDGET)
"""A larger fleet finishes in time what the candidate alone does not."""


@dataclass(frozen=True)
class FleetOptions:
    """Options for fleets; one entry per accelerator that can do at least one of the workloads."""

    accelerator: NDArray[np.int64]
    serving: NDArray[np.int64]
    """Candidate in the serving table; -1 where the accelerator cannot serve within its targets."""
    training: NDArray[np.int64]
    hardware: FleetHardware


def fleet_options(scenario: Scenario, plan: Plan, context: Context) -> FleetOptions:
    """The most promising accelerators for each workload and for both, with all that fleets are weighed by."""
    services = best_rows(plan.serving.table) if plan.serving is not None else {}
    runs = _best_runs(plan.training.table) if plan.training is not None else {}
    services, runs = _borne_out(scenario, context, services), _borne_out(scenario, context, runs)
    chosen = _promising(plan, services, runs)
    who = np.array(chosen, np.int64)
    serving = np.array([services.get(one, -1) for one in chosen], np.int64)
    training = np.array([runs.get(one, -1) for one in chosen], np.int64)
    committed, hourly = _prices(scenario, context)
    economics = scenario.economics
    hardware = FleetHardware(
        devices_per_node=cluster_for(context.catalog, scenario.hardware).node_devices[who],
        devices_per_replica=_of(plan.serving, "devices_per_replica", serving, 1.0),
        requests_per_s_per_replica=_planned_rate(scenario, plan, serving),
        training_device_hours=_of(plan.training, "device_hours", training, np.inf),
        training_least_devices=_least_devices(plan, who, training),
        committed_usd_per_h=committed[who],
        on_demand_usd_per_h=hourly[who],
        cost_shares=_at(cost_shares(context, economics, economics.serving_procurement), who),
        training_use=training_use(scenario, plan, context, training),
        serving_use=serving_use(scenario, plan, serving),
        committed_is_owned=_owns_what_it_holds(economics),
    )
    return FleetOptions(who, serving, training, hardware)


def _borne_out(scenario: Scenario, context: Context, rows: dict[int, int]) -> dict[int, int]:
    """Accelerators whose price by the hour enough providers ask; all where that leaves none."""
    is_borne_out = context.prices(scenario.economics, "rent_on_demand").is_borne_out
    return {who: row for who, row in rows.items() if is_borne_out[who]} or rows


def _best_runs(table: TrainingTable) -> dict[int, int]:
    """The best layout of each accelerator, one that is late alone included."""
    usable = np.isin(table.reason, [int(one) for one in LATE_RUNS]) & np.isfinite(table.usd_per_run)
    rows = table.order[usable[table.order]]
    devices, first = np.unique(table.accelerator[rows], return_index=True)
    return {int(device): int(rows[place]) for device, place in zip(devices, first, strict=True)}


def _promising(plan: Plan, services: dict[int, int], runs: dict[int, int]) -> list[int]:
    """The cheapest few for each workload and for both together: what is dear for every use cannot win."""
    month = {who: float(plan.serving.table.usd_per_month[row]) for who, row in services.items()} if plan.serving else {}
    run = {who: float(plan.training.table.usd_per_run[row]) for who, row in runs.items()} if plan.training else {}
    month = {who: usd for who, usd in month.items() if np.isfinite(usd)}
    both = {who: month[who] * 12 + run[who] for who in month.keys() & run.keys()}
    ranked = [sorted(costs, key=costs.__getitem__)[:MOST_OF_EACH] for costs in (month, run, both)]
    return sorted({who for few in ranked for who in few})


def _of(answer: ServingPlan | TrainingPlan | None, name: str, rows: NDArray[np.int64], missing: float) -> Floats:
    if answer is None or not len(rows):
        return np.full(len(rows), missing)
    values = np.asarray(column(answer.table, name), np.float64)
    return np.where(rows >= 0, values[np.maximum(rows, 0)], missing)


def _planned_rate(scenario: Scenario, plan: Plan, rows: NDArray[np.int64]) -> Floats:
    """Rate that one replica is planned for; 0 where it cannot serve. [1/s]"""
    if scenario.serving is None:
        return np.zeros(len(rows))
    availability = scenario.serving.availability
    zones = availability.zones / (availability.zones - 1) if availability.zones > 1 else 1.0
    if plan.serving is None or not len(rows):
        return np.zeros(len(rows))
    rate = rate_of_each(plan.serving.table, availability.target_utilisation)
    return np.where(rows >= 0, np.nan_to_num(rate)[np.maximum(rows, 0)], 0.0) / zones


def _least_devices(plan: Plan, who: NDArray[np.int64], rows: NDArray[np.int64]) -> Floats:
    if plan.training is None:
        return np.ones(len(who))
    table = plan.training.table
    fitting = [table.devices[(table.accelerator == one) & table.fits] for one in who]
    least = np.array([float(counts.min()) if len(counts) else 1.0 for counts in fitting])
    return np.where(rows >= 0, least, 1.0)


def _prices(scenario: Scenario, context: Context) -> tuple[Floats, Floats]:
    """Price of a device held for the whole horizon, and by the hour, of every accelerator. [USD/h]

    Held devices are owned where the planner owns either fleet, else reserved on the cheapest term within the horizon of
    the same offer that is rented by the hour.
    """
    economics = scenario.economics
    support = 1.0 + central(economics.renting.support_share)
    if _owns_what_it_holds(economics):
        hourly = context.prices(economics, "rent_on_demand").usd_per_device_hour * support
        return context.prices(economics, "own").usd_per_device_hour, hourly
    terms = [term for term, years in TERM_LENGTHS.items() if years <= central(economics.horizon_years)]
    quotes = [
        next(iter(context.offers.mixing_quotes(entry, economics, terms)), Quote()) for entry in context.accelerators
    ]
    hourly = np.array([one.of("rent_on_demand") for one in quotes]) * support
    reserved = [np.array([one.of(term) for one in quotes]) * support for term in terms]
    return np.fmin.reduce([hourly, *reserved]), hourly


def _owns_what_it_holds(economics: Economics) -> bool:
    return "own" in (economics.serving_procurement, economics.training_procurement)


def _at(shares: Resources, who: NDArray[np.int64]) -> Resources:
    return Resources(*(row[who] for row in shares.stacked()))
