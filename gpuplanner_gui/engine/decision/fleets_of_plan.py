"""One fleet or two, from a plan's own candidates: every strategy over the horizon, with what it wastes."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR, SECONDS_PER_HOUR
from gpuplanner_gui.domain.decision import FleetsAnswer
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan, TrainingPlan, TrainingTable, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor.both_rules import best_rows
from gpuplanner_gui.engine.advisor.case import serving_case
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.bill import NO_DATA, DataTerms, data_terms
from gpuplanner_gui.engine.cost.commitment import MixPrices
from gpuplanner_gui.engine.cost.fleet_plan import compare_strategies
from gpuplanner_gui.engine.cost.fleets import FleetDemand, FleetHardware, TrainingWindow
from gpuplanner_gui.engine.cost.offers import Quote
from gpuplanner_gui.engine.cost.plan_years import LONGEST_PLAN_YEARS, TERM_LENGTHS, hourly_load
from gpuplanner_gui.engine.cost.prices import DevicePrices
from gpuplanner_gui.engine.cost.resources import Resources
from gpuplanner_gui.engine.decision.resource_use import cost_shares, serving_use, training_use
from gpuplanner_gui.engine.decision.ways_to_pay import mixed_offers, open_terms
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed
from gpuplanner_gui.engine.fleet.service_week import service_week
from gpuplanner_gui.engine.training.communication import cluster_for

USUAL_WINDOW_H = 30 * 24


def horizon_hours(scenario: Scenario) -> int:
    """Whole hours of the planner's horizon, ten years at most. [h]"""
    years = min(central(scenario.economics.horizon_years), LONGEST_PLAN_YEARS)
    return max(24, round(years * HOURS_PER_YEAR))


def training_windows(scenario: Scenario) -> tuple[TrainingWindow, ...]:
    """When runs may take place, one after another, cut at the horizon. None where nothing is trained."""
    training, terms = scenario.training, scenario.economics.fleets
    per_year = central(terms.training_runs_per_year)
    if training is None or per_year <= 0:
        return ()
    window = terms.training_window_s if terms.training_window_s is not None else training.deadline_s
    length = USUAL_WINDOW_H if window is None else int(np.ceil(central(window) / SECONDS_PER_HOUR))
    gap = HOURS_PER_YEAR / per_year
    first, end = int(central(terms.first_run_s) / SECONDS_PER_HOUR), horizon_hours(scenario)
    starts = np.arange(first, end, gap).astype(int)
    spans = [(int(start), int(min(start + min(length, gap), end))) for start in starts]
    return tuple(TrainingWindow(start, stop) for start, stop in spans if stop - start >= min(length, gap) - 1)


def opening_hour(scenario: Scenario, windows: tuple[TrainingWindow, ...]) -> int:
    """When the service opens: as stated, or when the first run has ended. [h]"""
    stated = scenario.economics.fleets.service_opens_s
    if stated is not None:
        return int(central(stated) / SECONDS_PER_HOUR)
    return windows[0].end_h if windows else 0


def service_load_per_s(scenario: Scenario, plan: Plan) -> NDArray[np.float64]:
    """Requests per second in each hour of the horizon; none where nothing is served. [1/s]"""
    hours = horizon_hours(scenario)
    if scenario.serving is None or plan.serving is None:
        return np.zeros(hours)
    traffic = scenario.serving.traffic
    week = plan.serving.peak_rate_per_s * service_week(traffic)
    opens = min(opening_hour(scenario, training_windows(scenario)), hours - 1)
    return hourly_load(week, central(traffic.growth_per_year), hours, opens)


def fleet_demand(scenario: Scenario, plan: Plan) -> FleetDemand:
    """What both workloads ask for."""
    spares = scenario.serving.availability.spare_replicas if scenario.serving else 0
    load, windows = service_load_per_s(scenario, plan), training_windows(scenario)
    return FleetDemand(
        load_per_s=load,
        windows=windows,
        serving_data=_serving_data(scenario, plan, load),
        training_data=_training_data(scenario, windows),
        spare_replicas=spares,
        zones=scenario.serving.availability.zones if scenario.serving else 1,
        switching_loss=central(scenario.economics.fleets.switching_loss),
        price_trend_per_year=central(scenario.economics.price_trend_per_year),
        cost_of_capital=central(scenario.economics.ownership.cost_of_capital),
    )


def _serving_data(scenario: Scenario, plan: Plan, load_per_s: NDArray[np.float64]) -> DataTerms:
    """Of the service from its opening on; what moves out grows with the requests."""
    if scenario.serving is None or plan.serving is None:
        return NO_DATA
    open_hours = int(np.count_nonzero(load_per_s.cumsum() > 0))
    usual_per_s = plan.serving.peak_rate_per_s * scenario.serving.traffic.mean_share_of_peak
    months_of_today = float(load_per_s.sum()) / (usual_per_s * HOURS_PER_MONTH) if usual_per_s > 0 else 0.0
    moved = central(scenario.economics.renting.serving_egress_bytes_per_month)
    return data_terms(scenario.economics, open_hours / HOURS_PER_MONTH, moved * months_of_today)


def _training_data(scenario: Scenario, windows: tuple[TrainingWindow, ...]) -> DataTerms:
    """Of all runs of the horizon; each carries its share of a year's storage."""
    per_year = central(scenario.economics.fleets.training_runs_per_year)
    if not windows or per_year <= 0:
        return NO_DATA
    moved = central(scenario.economics.renting.training_egress_bytes_per_run)
    return data_terms(scenario.economics, len(windows) * MONTHS_PER_YEAR / per_year, len(windows) * moved)


MOST_OF_EACH = 8
LATE_RUNS = (Reason.NONE, Reason.MISSES_DEADLINE, Reason.OVER_BUDGET)
"""A larger fleet finishes in time what the candidate alone does not."""


def fleet_options(scenario: Scenario, plan: Plan, context: Context) -> FleetHardware:
    """The most promising accelerators for each workload and for both, with all that fleets are weighed by."""
    services = best_rows(plan.serving.table) if plan.serving is not None else {}
    runs = _best_runs(plan.training.table) if plan.training is not None else {}
    services, runs = _borne_out(scenario, context, services), _borne_out(scenario, context, runs)
    chosen = _promising(plan, services, runs)
    who = np.array(chosen, np.int64)
    serving = np.array([services.get(one, -1) for one in chosen], np.int64)
    training = np.array([runs.get(one, -1) for one in chosen], np.int64)
    prices, economics = _prices(scenario, context), scenario.economics
    need = None
    if plan.serving is not None and scenario.serving is not None:
        need = ServiceNeed.of(plan.serving, serving, scenario.serving.availability)
    each = _of(plan.serving, "devices_per_replica", serving, 1.0)
    replicas, is_owned = _of(plan.serving, "replicas", serving, 1.0), _owns_what_it_holds(economics)
    held_spread, hourly_spread = prices.spread(who, replicas, each)
    return FleetHardware(
        devices_per_node=cluster_for(context.catalog, scenario.hardware).node_devices[who],
        devices_per_replica=each,
        requests_per_s_per_replica=np.zeros(len(who)) if need is None else need.planned_rate_per_s,
        more_replicas=0.0 if need is None else need.more_replicas,
        training_device_hours=_of(plan.training, "device_hours", training, np.inf),
        training_least_devices=_least_devices(plan, who, training),
        committed_usd_per_h=prices.held_usd[who],
        on_demand_usd_per_h=prices.hourly_usd[who],
        cost_shares=_at(cost_shares(context, economics, economics.serving_procurement), who),
        training_use=training_use(scenario, plan, context, training),
        serving_use=serving_use(scenario, plan, serving),
        committed_is_owned=is_owned,
        offers=() if is_owned else tuple(_offers(scenario, plan, context, int(row), prices.support) for row in serving),
        committed_spread=held_spread,
        hourly_spread=hourly_spread,
        names=tuple(plan.accelerators[one] for one in chosen),
        serving=serving,
        training=training,
    )


def _offers(scenario: Scenario, plan: Plan, context: Context, row: int, support: float) -> tuple[MixPrices, ...]:
    """What each provider asks for a replica of a candidate, its support included; none where it cannot serve."""
    if plan.serving is None or row < 0:
        return ()
    of_row = msgspec.structs.replace(plan, serving=msgspec.structs.replace(plan.serving, best=row))
    case = serving_case(scenario, of_row, context)
    return mixed_offers(case, support) if case is not None else ()


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


def _least_devices(plan: Plan, who: NDArray[np.int64], rows: NDArray[np.int64]) -> Floats:
    if plan.training is None:
        return np.ones(len(who))
    table = plan.training.table
    fitting = [table.devices[(table.accelerator == one) & table.fits] for one in who]
    least = np.array([float(counts.min()) if len(counts) else 1.0 for counts in fitting])
    return np.where(rows >= 0, least, 1.0)


@dataclass(frozen=True)
class _Prices:
    """Of every accelerator, held for the whole horizon and by the hour, a provider's support included. [USD/h]"""

    held_usd: Floats
    hourly_usd: Floats
    owned: DevicePrices
    rented: DevicePrices
    support: float

    def spread(self, who: NDArray[np.int64], replicas: Floats, each: Floats) -> tuple[Floats, Floats]:
        """Price of a device in use of some fleets over that of one, owned and by the hour. [1]"""
        owned, hourly = (
            one.fleet(who, replicas, each).usd_per_device_hour / one.usd_per_device_hour[who]
            for one in (self.owned, self.rented)
        )
        return np.nan_to_num(owned, nan=1.0), np.nan_to_num(hourly, nan=1.0)


def _prices(scenario: Scenario, context: Context) -> _Prices:
    """Held devices are owned where the planner owns either fleet, else reserved on the cheapest term within the horizon
    of an offer that states one."""
    economics = scenario.economics
    support = 1.0 + central(economics.renting.support_share)
    own = context.prices(economics, "own", context.site_of(scenario.hardware))
    rented = context.prices(economics, "rent_on_demand")
    hourly = rented.usd_per_device_hour * support
    if _owns_what_it_holds(economics):
        return _Prices(own.usd_per_device_hour, hourly, own, rented, support)
    terms = [term for term in open_terms(economics) if term in TERM_LENGTHS]
    quotes = [
        next(iter(context.offers.mixing_quotes(entry, economics, terms)), Quote()) for entry in context.accelerators
    ]
    held = [np.array([one.of(term) for one in quotes]) * support for term in ("rent_on_demand", *terms)]
    return _Prices(np.fmin.reduce(held), hourly, own, rented, support)


def _owns_what_it_holds(economics: Economics) -> bool:
    return "own" in (economics.serving_procurement, economics.training_procurement)


def _at(shares: Resources, who: NDArray[np.int64]) -> Resources:
    return Resources(*(row[who] for row in shares.stacked()))


class NothingToCompareError(ValueError):
    """The scenario does not both train and serve, or no accelerator with a price can do one of them."""


def fleets_of_plan(scenario: Scenario, plan: Plan, context: Context) -> FleetsAnswer:
    """Weigh one shared fleet, two fleets, and bursts of rented training capacity.

    Raises NothingToCompareError.
    """
    if plan.serving is None or plan.training is None:
        raise NothingToCompareError
    demand, hardware = fleet_demand(scenario, plan), fleet_options(scenario, plan, context)
    can_serve, can_train = hardware.serving >= 0, hardware.training >= 0
    if not can_serve.any() or not can_train.any() or not demand.windows or not (demand.load_per_s > 0).any():
        raise NothingToCompareError
    strategies, misplaced = compare_strategies(demand, hardware)
    return FleetsAnswer(
        strategies=strategies,
        misplaced=misplaced,
        horizon_h=float(demand.hours),
        windows_h=tuple((float(one.start_h), float(one.end_h)) for one in demand.windows),
        opens_h=float(opening_hour(scenario, demand.windows)),
        options=len(hardware.names),
    )
