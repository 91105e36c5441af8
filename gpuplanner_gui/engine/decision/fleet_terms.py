"""When training and service take place over a horizon, from a scenario."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.constants import HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR, SECONDS_PER_HOUR
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.cost.data_bill import NO_DATA, DataTerms, data_terms
from gpuplanner_gui.engine.cost.fleets import FleetDemand, TrainingWindow
from gpuplanner_gui.engine.cost.horizon import hourly_load
from gpuplanner_gui.engine.cost.plan_years import LONGEST_PLAN_YEARS
from gpuplanner_gui.engine.fleet.service_week import service_week

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
