"""What the recommended fleet is paid for in each year on a term: owned devices first, others beyond them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Values
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import OwnedStock
from gpuplanner_gui.engine.advisor.case import (
    Advised,
    AdvisedRun,
    AdvisedService,
    draw_share_of,
    fleet_in_units,
    prices_on_term,
    quote_of,
    year_draw_share_of,
)
from gpuplanner_gui.engine.cost.bill import FleetYears, Ladder, PlanYears, YearlyNeed, ladder_of
from gpuplanner_gui.engine.cost.offers import Quote
from gpuplanner_gui.engine.cost.units import NO_STOCK, Stock, Units, paid_fleet
from gpuplanner_gui.engine.fleet.devices_over_time import years_of
from gpuplanner_gui.engine.fleet.service_need import (
    BY_THE_HOUR,
    ServiceNeed,
    can_be_stopped,
    replicas_per_unit,
    running_by_year,
)
from gpuplanner_gui.engine.training.run import checkpointing_of_row


def growth_of(case: Advised) -> float:
    return central(case.workload.traffic.growth_per_year) if isinstance(case, AdvisedService) else 0.0


def need_over_years(case: Advised, growth_per_year: Values | None = None) -> YearlyNeed:
    """Devices of the recommended fleet in each year of the horizon, sized as the plan's own fleet is; at its growth or
    others."""
    economics = case.scenario.economics
    if isinstance(case, AdvisedRun):
        devices = case.devices
        return YearlyNeed.of(economics, 0.0, lambda load: np.full(len(load), devices), is_service=False)
    replicas, each, peak = case.need, case.devices_together, case.peak_rate_per_s
    growth = growth_of(case) if growth_per_year is None else growth_per_year
    return YearlyNeed.of(economics, growth, lambda load: replicas.replicas(peak * load) * each, is_service=True)


def held_need(devices: Floats) -> YearlyNeed:
    """Devices in each hour, as those that each year holds."""
    years = PlanYears.of(len(devices) / HOURS_PER_YEAR)
    most = np.array([devices[year].max() for year in years_of(len(devices))])
    return YearlyNeed(years, most, np.ones(len(most)), is_service=False)


def fleet_years(
    case: Advised, need: YearlyNeed, term: Procurement, quote: Quote | None = None,
    growth_per_year: Floats | None = None,
) -> FleetYears:  # fmt: skip
    """A need on a term, of one provider or the one that suits today's fleet; at the load's growth or others."""
    is_run = isinstance(case, AdvisedRun)
    ladder: Ladder
    if term == "own":
        units, drawn, ladder = prices_on_term(case, term).units, year_draw_share_of(case), ()
    else:
        asked = quote_over_years(case, need, term) if quote is None else quote
        sizes = tuple((count, usd or FREE_AS_USD) for count, usd in asked.sizes)
        units, drawn = units_of(case, replace(asked, sizes=sizes), term), draw_share_of(case)
        ladder = _ladder(case, asked, term, units)
    found = years_in_units(units, need, term, ladder, case.devices_together, is_run, drawn)
    if isinstance(case, AdvisedRun):
        use = use_share(case) * interrupted_over_planned(case, term) if term in BY_THE_HOUR else 1.0
        return replace(found, owned_use=use, added_use=use)
    if term == "own":
        return _bought_first(found, case.scenario.economics, case.devices_together)
    if not can_be_stopped(case.workload, term):
        return found
    return replace(found, added_use=_running_use(case, found, growth_per_year))


def years_in_units(
    units: Units, need: YearlyNeed, term: Procurement, ladder: Ladder, together: float, is_one_job: bool, drawn: float
) -> FleetYears:
    """A need in units, owned devices first, for a job or replicas of so many devices; infinite: all work together."""
    wanted, place = np.unique(need.devices, return_inverse=True)
    each = np.fmin(together, np.maximum(wanted, 1.0))
    fleet = paid_fleet(units, np.zeros(len(wanted), np.int64), wanted / each, each, is_one_job, drawn)
    owned_usd = wanted * fleet.stock_usd_per_device_hour
    added = fleet.devices - fleet.stock_devices
    added_usd = np.where(added <= 0, 0.0, wanted * fleet.usd_per_device_hour - owned_usd)
    held, added, owned_usd, added_usd = (
        one[place].reshape(need.devices.shape) for one in (fleet.stock_devices, added, owned_usd, added_usd)
    )
    return FleetYears(
        need, term, ladder, held, added, owned_usd, added_usd, unit_devices=float(fleet.unit_devices[-1])
    )  # fmt: skip


def _bought_first(fleet: FleetYears, economics: Economics, together: float) -> FleetYears:
    """What was bought in earlier years serves first where the load falls: fewer owned devices are run beside it."""
    unit, held = fleet.unit_devices, fleet.held(economics, fleet.added_devices)
    per_unit = float(replicas_per_unit(np.array([unit]), np.array([together]))[0])
    serving = held * min(per_unit * together / unit, 1.0)
    left = np.clip(fleet.need.devices - serving, 0.0, fleet.owned_devices)
    owned = np.where(held > fleet.added_devices * (1 + SAME_COUNT), left, fleet.owned_devices)
    share = np.divide(owned, fleet.owned_devices, out=np.zeros(owned.shape), where=fleet.owned_devices > 0)
    return replace(fleet, owned_devices=owned, owned_usd_per_hour=fleet.owned_usd_per_hour * share)


def quote_over_years(case: Advised, need: YearlyNeed, term: Procurement) -> Quote:
    """What providers ask for the recommended device: in instances that suit what is missing today, or beside owned
    devices what is missing in any year, whichever cost less over the years."""
    economics, each = case.scenario.economics, case.devices_together
    today = quote_of(case, economics, term)
    wanted = np.unique(need.devices)
    who, together = np.zeros(len(wanted), np.int64), np.full(len(wanted), each)
    stock = units_of(case, today, term).stock
    used = stock.used_by(who, wanted, together, isinstance(case, AdvisedRun)) if stock.devices.any() else 0.0 * wanted
    if not used.any():
        return today
    quotes = [today]
    for missing in (wanted - used)[wanted > used]:
        count = max(float(missing) / each, 1.0)
        found = case.context.offers.quote(case.best.accelerator, term, economics, each, count)
        quotes += [] if found in quotes else [found]
    if len(quotes) == 1:
        return today
    costs = [float(fleet_years(case, need, term, one).bill(economics).usd.sum()) for one in quotes]
    return quotes[int(np.argmin(np.nan_to_num(costs, nan=np.inf)))]


def more_over_years(case: Advised) -> Floats:
    """What a year's rent and owned devices come to beyond today's at today's load and prices; owned ones are paid for
    while they are up; NaN where a year needs what has no known price. [USD/y]"""
    term, steady = case.stated_procurement, _at_todays_load(case)
    # Today's order is at today's quote, whatever offer suits the later years.
    later, today = (
        fleet_years(one, need_over_years(one), term, quote).bill(one.scenario.economics)
        for one, quote in ((case, None), (steady, quote_of(case, case.scenario.economics, term)))
    )
    down = 1.0 - central(case.scenario.economics.ownership.availability)
    paid, first = ((one.usd - one.owned_usd * down) / one.years.lengths for one in (later, today))
    return np.asarray(paid - first[0])


def _at_todays_load(case: Advised) -> Advised:
    """The same fleet where neither its load nor prices change."""
    economics = msgspec.structs.replace(case.scenario.economics, price_trend_per_year=0.0)
    case = replace(case, scenario=msgspec.structs.replace(case.scenario, economics=economics))
    if isinstance(case, AdvisedRun):
        return case
    traffic = msgspec.structs.replace(case.workload.traffic, growth_per_year=0.0)
    return replace(case, workload=msgspec.structs.replace(case.workload, traffic=traffic))


def committed_usd_per_year(case: Advised) -> float:
    """What a year costs of the devices that are reserved in the first one beside those that the planner has already,
    support included, data not. [USD/y]"""
    need, economics = need_over_years(case), case.scenario.economics
    fleet = fleet_years(case, need, case.stated_procurement)
    bill, data = fleet.bill(economics), fleet.data_bill(economics)
    return float((bill.usd - bill.owned_usd - data.usd)[0] / need.years.lengths[0])


SAME_COUNT = 1e-9
"""Counts closer than this share of them are one, however they were added up."""
FREE_AS_USD = 1.0
"""What the units of a free term are priced at, so that other terms have prices over it. [USD/h]"""


def _ladder(case: Advised, quote: Quote, term: Procurement, units: Units) -> Ladder:
    """Prices of the terms over what the units of the first of them are priced at: of shorter terms those of the same
    offer, or of whoever suits today's fleet on them, quoted or not, whichever are lower."""
    first_usd = quote.usd_per_hour or FREE_AS_USD
    listed = msgspec.structs.replace(case.scenario.economics, overrides=())
    unquoted = replace(case, scenario=msgspec.structs.replace(case.scenario, economics=listed))

    def in_use(of_term: Units) -> float:
        return float(fleet_in_units(case, replace(of_term, stock=NO_STOCK)).usd_per_device_hour[0])

    def over_first(one: Procurement) -> float:
        if one == term:
            return quote.usd_per_hour / first_usd
        elsewhere = (in_use(prices_on_term(asked, one).units) / in_use(units) for asked in (case, unquoted))
        return float(np.fmin.reduce([quote.of(one) / first_usd, *elsewhere]))

    return ladder_of(term, over_first)


def need_in_units(case: AdvisedService, fleet: FleetYears, owned: float) -> ServiceNeed:
    """The service's need in the units that a fleet adds to so many owned replicas, whatever the scenario pays for."""
    unit = replicas_per_unit(np.array([fleet.unit_devices]), np.array([case.devices_together]))
    return replace(case.need, per_unit=unit, filled=np.ones(1), owned=np.array([owned]))


def _running_use(case: AdvisedService, fleet: FleetYears, growth: Floats | None) -> Floats:
    """Share of the hours of each year in which a device that is rented beside owned ones runs, where units are
    released while the load does not need them. [1]"""
    each, need = case.devices_together, fleet.need
    owned = float(fleet.owned_devices.max()) // each
    of_each = need_in_units(case, fleet, owned)
    growths = np.array([growth_of(case)]) if growth is None else growth
    running = running_by_year(case.workload, of_each, case.peak_rate_per_s, need.years, growths)
    mean = (running if need.devices.ndim > 1 else running[:, 0]) - owned
    unit = of_each.per_unit
    most = np.ceil(np.maximum(need.devices / each - owned, 0.0) / unit) * unit
    return np.divide(mean, most, out=np.zeros(most.shape), where=most > 0)


def units_of(case: Advised, quote: Quote, term: Procurement) -> Units:
    """The instances of an offer, beside what the planner owns."""
    stock = replace(prices_on_term(case, term).units.stock, joins=None)
    return Units.of([quote.sizes], [quote.is_single], stock=stock)


def stock_beside_rent(case: Advised) -> Stock:
    """What the planner has already of the recommended kind of device, beside what is rented."""
    return replace(prices_on_term(case, "rent_on_demand").units.stock, joins=None)


_Case = TypeVar("_Case", AdvisedService, AdvisedRun)


def leaving_stock(case: _Case, devices: float) -> _Case:
    """A workload that has so many devices of its kind less of what the planner owns, or none of them."""
    name, hardware = case.best.accelerator.id, case.scenario.hardware
    left = int(max(stock_beside_rent(case).devices[0] - devices, 0.0))
    owned = tuple(one for one in hardware.owned if one.accelerator != name)
    owned += (OwnedStock(accelerator=name, devices=left),) if left else ()
    hardware = msgspec.structs.replace(hardware, owned=owned)
    return replace(case, scenario=msgspec.structs.replace(case.scenario, hardware=hardware))


def use_share(case: Advised) -> float:
    """Share of the hours in which the fleet is needed: those of the runs for training, all of them for a
    service that is not autoscaled."""
    return float(np.clip(case.hours_per_year / HOURS_PER_YEAR, 1e-6, 1.0))


def interrupted_over_planned(case: Advised, term: Procurement) -> float:
    """Device time of the runs on a term over that of the plan: spot capacity is taken away in between. [1]"""
    if isinstance(case, AdvisedService) or (term == "rent_spot") == (case.procurement == "rent_spot"):
        return 1.0
    stretch = spot_run_factor(case)
    return stretch if term == "rent_spot" else 1.0 / stretch


def spot_run_factor(case: AdvisedRun) -> float:
    """Device time of the run on spot over that on capacity that stays, at the best checkpoint interval of each. [1]

    Interruptions of nodes add to failures; everything else is as in the plan's own run.
    """
    often, table = prices_on_term(case, "rent_spot").interruptions_per_node_day, case.plan.trained.table
    stays, spot = (
        checkpointing_of_row(case.scenario, case.context, table, case.best.row, more).goodput[0]
        for more in (0.0, often)
    )
    return float(stays / spot) if spot > 0 else math.inf
