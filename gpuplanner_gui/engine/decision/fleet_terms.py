"""When training and service take place over a horizon, from a scenario."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.cost.fleets import FleetDemand, TrainingWindow
from gpuplanner_gui.engine.cost.horizon import HOURS_PER_YEAR, hourly_load
from gpuplanner_gui.engine.decision.load_profile import service_day

SECONDS_PER_HOUR = 3600.0
USUAL_WINDOW_H = 30 * 24
LONGEST_HORIZON_YEARS = 10.0


def horizon_hours(scenario: Scenario) -> int:
    """Whole hours of the planner's horizon, ten years at most. [h]"""
    years = min(central(scenario.economics.horizon_years), LONGEST_HORIZON_YEARS)
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
    day = plan.serving.peak_rate_per_s * service_day(traffic)
    opens = min(opening_hour(scenario, training_windows(scenario)), hours - 1)
    return hourly_load(day, central(traffic.growth_per_year), hours, opens)


def fleet_demand(scenario: Scenario, plan: Plan) -> FleetDemand:
    """What both workloads ask for."""
    spares = scenario.serving.availability.spare_replicas if scenario.serving else 0
    return FleetDemand(
        load_per_s=service_load_per_s(scenario, plan),
        windows=training_windows(scenario),
        spare_replicas=spares,
        switching_loss=central(scenario.economics.fleets.switching_loss),
        price_trend_per_year=central(scenario.economics.price_trend_per_year),
    )
