"""What a run costs on devices that are bought or reserved: the time in which they are held and do nothing included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers, Values
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, SECONDS_PER_HOUR
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.plan import TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.bill import HELD_TERMS, TERM_LENGTHS, beside_run
from gpuplanner_gui.engine.cost.units import paid_fleet
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.run import clusters_side_by_side, once_s

LEAST_USE = 1e-6
AS_GOOD_AS_WHOLE = 1e-9
"""Part of a year beyond whole ones that is none: of rounding."""


@dataclass(frozen=True)
class Sure:
    """What a run takes at most with the chance that is asked for."""

    time_s: Floats
    usd: Floats


def counts_idle_time(scenario: Scenario) -> bool:
    """Whether runs are compared with the time in which their devices are held and do nothing."""
    return scenario.economics.training_procurement in HELD_TERMS and scenario.training is not None


def held_usd(
    scenario: Scenario, context: Context, layouts: TrainingLayouts | TrainingTable, usd: Floats, device_hours: Floats
) -> Floats:
    """What runs are compared by: idle time included where it counts for the choice. [USD]"""
    return paid_usd(scenario, context, layouts, usd, device_hours) if counts_idle_time(scenario) else usd


def sure_held_usd(
    scenario: Scenario, context: Context, layouts: TrainingLayouts | TrainingTable, sure: Sure,
    ran: Mapping[str, Floats],
) -> Floats:  # fmt: skip
    """What runs are ranked by: the cost kept with the chance asked for, idle time included where it counts. [USD]

    A run that takes longer leaves fewer of the hours idle that are held for it; the price is wrong for all of them.
    """
    if not counts_idle_time(scenario):
        return sure.usd
    usd, hours, once = ran["usd_per_run"], ran["device_hours"], once_s(scenario.job, ran["checkpoint_write_s"])
    with np.errstate(divide="ignore", invalid="ignore"):
        longer = (sure.time_s - once) / (ran["run_time_s"] - once)
        expected, late = (paid_usd(scenario, context, layouts, usd * by, hours * by) for by in (1.0, longer))
        by_work = np.log(np.divide(late, expected, out=np.ones_like(late), where=expected > 0))
        of_run = np.log(np.divide(sure.usd, usd, out=longer.copy(), where=usd > 0))
        by_price = np.sqrt(np.maximum(of_run**2 - np.log(longer) ** 2, 0.0))
        return np.asarray(expected * np.exp(np.copysign(np.hypot(by_work, by_price), of_run)))


def paid_usd(
    scenario: Scenario, context: Context, layouts: TrainingLayouts | TrainingTable, usd: Floats, device_hours: Floats
) -> Floats:
    """What a run costs with the hours in which its devices are held and do nothing. [USD]

    Who buys or reserves pays for the whole year, and a fleet twice as large for half the time costs twice as much.
    What is bought draws idle power then. Devices that are owned already cost nothing more for being idle
    (docs/derivations/training.md, "Which run is recommended").
    """
    if scenario.economics.training_procurement not in HELD_TERMS:
        return usd
    idle = idle_device_hours(scenario, layouts.devices, device_hours)
    return np.asarray(usd + idle * _idle_price(scenario, context, layouts))


def idle_device_hours(scenario: Scenario, devices: Integers, device_hours: Floats) -> Floats:
    """Device-hours that are held for each run and not used. [h]"""
    return np.asarray(device_hours * (1 / used_share_of_held(scenario.economics, device_hours / devices) - 1))


def used_share_of_held(economics: Economics, run_h: Values) -> Floats:
    """Share of the time for which devices are held that runs of so many hours use: of the year of the clusters that a
    year's runs share, or of the whole terms of the reservation that a run beyond its year takes; of what is bought
    whole years. [1]"""
    runs, years = central(economics.fleets.training_runs_per_year), np.asarray(run_h) / HOURS_PER_YEAR
    of_year = years * runs / clusters_side_by_side(runs, run_h)
    term_years = float(TERM_LENGTHS.get(economics.training_procurement, 1))
    with np.errstate(invalid="ignore"):
        of_terms = years / (np.maximum(np.ceil(years / term_years - AS_GOOD_AS_WHOLE), 1.0) * term_years)
    return np.clip(np.where(of_year > 1.0 + AS_GOOD_AS_WHOLE, of_terms, of_year), LEAST_USE, 1.0)


def idle_usd_per_hour(scenario: Scenario, context: Context, layouts: TrainingLayouts | TrainingTable) -> Floats:
    """What an idle hour of a device adds to the cost that runs are compared by; 0 where idle time isn't counted.
    [USD/h]"""
    is_counted = counts_idle_time(scenario)
    return _idle_price(scenario, context, layouts) if is_counted else np.zeros(len(layouts.accelerator))


def _idle_price(scenario: Scenario, context: Context, layouts: TrainingLayouts | TrainingTable) -> Floats:
    """What an idle hour of a device costs, of those held and those owned already on average: support on what is
    reserved, but no storage, which is paid for however long the run takes. [USD/h]"""
    economics, who = scenario.economics, layouts.accelerator
    units = context.prices(economics, economics.training_procurement, context.site_of(scenario)).units
    draw, devices = 1.0 if units.energy is None else units.energy.idle_share[who], layouts.devices.astype(np.float64)
    fleet = paid_fleet(units, who, np.ones(len(who)), devices, is_one_job=True, draw_share=draw)
    support = beside_run(economics, economics.training_procurement).support_share
    return np.asarray(fleet.without_stock_usd.usd_per_device_hour * (1.0 + support))


def share_already_owned(scenario: Scenario, context: Context, layouts: TrainingLayouts | TrainingTable) -> Floats:
    """Share of a layout's devices that the planner has already. [1]"""
    economics, devices = scenario.economics, layouts.devices
    prices = context.prices(economics, economics.training_procurement, context.site_of(scenario))
    return 1.0 - prices.added_devices(layouts.accelerator, devices, devices, is_one_job=True) / devices


def share_of_horizon(scenario: Scenario, time_s: Floats, owned: Floats) -> Floats:
    """Time over the years that costs are compared over, or that what is bought lasts; 0 where a deadline says enough,
    hours are paid for, or all devices are `owned` already: the smallest of all that are bought or reserved are the
    cheapest to hold, whenever they are done. [1]"""
    economics = scenario.economics
    years = central(economics.horizon_years)
    if economics.training_procurement == "own":
        years = min(years, central(economics.ownership.useful_life_years))
    if not counts_idle_time(scenario) or scenario.job.deadline_s is not None:
        return np.zeros_like(time_s)
    return np.where(owned >= 1, 0.0, time_s / (years * HOURS_PER_YEAR * SECONDS_PER_HOUR))
