"""A first estate of a project: all its workloads, on the hardware that the catalogue sells and rents out.

Loads, dates and prices are those by which each scenario is planned, so that an estate of one workload reserves and pays
what its page on cost says.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import HOURS_PER_DAY, HOURS_PER_MONTH, MONTHS_PER_YEAR
from gpuplanner_gui.domain.economics import RENTED_TERMS, Economics, Procurement
from gpuplanner_gui.domain.estate import (
    LONGEST_YEARS,
    MONTHS_OF,
    MOST_HOUR_CLASSES,
    USUAL_HOURS,
    Estate,
    EstateHardware,
    EstatePool,
    EstateSite,
    EstateWorkload,
    HourClass,
    ReservationTerm,
    StandingUnits,
    month_after,
)
from gpuplanner_gui.domain.hardware import Accelerator, NodeType
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan, ServingPlan, ServingTable, TrainingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.cost.bill import TERM_LENGTHS
from gpuplanner_gui.engine.cost.offers import offers_of
from gpuplanner_gui.engine.cost.ownership import capital_recovery_factor
from gpuplanner_gui.engine.cost.prices import OwnedPrices, bought_node, purchase_price, with_network
from gpuplanner_gui.engine.cost.site import site_fit
from gpuplanner_gui.engine.cost.units import PaidFleet, owned_size, paid_fleet
from gpuplanner_gui.engine.estate.left_out import longest_horizon_years, owned_stock
from gpuplanner_gui.engine.estate.problem import usable_candidates
from gpuplanner_gui.engine.estate.rent_offers import rent_offers
from gpuplanner_gui.engine.fleet.devices_over_time import held_hours, training_windows
from gpuplanner_gui.engine.fleet.service_need import service_week

MOST_KINDS = 8
"""Kinds of accelerator in a first estate, the cheapest candidates' of all scenarios."""
MOST_RUNS = 12
"""Most runs of one scenario; the first ones are taken."""
MOST_RESALE = 0.6
"""Resale value of a new unit at once, as a share of the purchase price."""
RACK_UNITS = 42.0
POOL, SITE = "shared", "site"


@dataclass(frozen=True)
class PriceTerms:
    """Where prices of a project's estate come from."""

    catalog: Catalog
    calibration: Calibration
    scenario: Scenario
    plans: dict[str, Plan]
    network_usd: float | None = None
    """Network cost of each bought device, where no plan states it."""
    years: float = Estate().periods * MONTHS_OF[Estate().period] / MONTHS_PER_YEAR
    """Length of the estate, at whose end resale follows the annuity."""

    @property
    def context(self) -> Context:
        return context_of(self.catalog, self.calibration)


def drafted_estate(project: Project, catalog: Catalog, calibration: Calibration, plans: dict[str, Plan]) -> Estate:
    """An estate of every service and run of a project, in one pool at one site, priced by its first scenario's terms.

    It ends with the longest horizon. The catalogue knows no lead times, delivery waves, budgets or limits: those are
    the planner's to add.
    """
    start, months = Estate().start, MONTHS_OF[Estate().period]
    horizon = min(longest_horizon_years(project), LONGEST_YEARS)
    periods = max(math.ceil(round(horizon * MONTHS_PER_YEAR / months, 6)), 1)
    terms = PriceTerms(
        catalog, calibration, project.scenarios[0], plans, years=periods * months / MONTHS_PER_YEAR
    )  # fmt: skip
    names = list(dict.fromkeys([*_chosen_accelerators(project, plans), *_accelerators(plans)]))[:MOST_KINDS]
    hardware = tuple(one for name in names for one in offered_hardware(name, terms, must_fit=True))
    bought = {one.accelerator: one for one in hardware if one.purchase_usd is not None}
    standing = [
        StandingUnits(hardware=bought[name].name, units=devices // bought[name].devices_per_unit)
        for name, devices in owned_stock(project).items()
        if name in bought and devices >= bought[name].devices_per_unit
    ]
    hours, shares = _hour_classes(project)
    loads = [
        EstateWorkload(
            scenario=one.name, pool=POOL, load_shares=shares[one.name],
            growth_per_year=central(one.serving.traffic.growth_per_year),
        )
        for one in project.scenarios
        if one.serving is not None
    ]  # fmt: skip
    loads += [run for one in project.scenarios for run in _runs(one, plans.get(one.name), start, periods * months)]
    return Estate(
        start=start,
        periods=periods,
        workloads=tuple(loads),
        hours=hours,
        hardware=hardware,
        pools=(EstatePool(name=POOL, site=SITE, standing=tuple(standing)),),
        sites=(_site(project.scenarios[0]),),
        discount_per_year=central(project.scenarios[0].economics.ownership.cost_of_capital),
    )


def _chosen_accelerators(project: Project, plans: dict[str, Plan]) -> list[str]:
    """Accelerators of the candidates that the file names as chosen; a candidate's key begins with it."""
    named = (
        (key.partition("/")[0], plans[one.name].accelerators)
        for one in project.scenarios
        if one.name in plans
        for key in one.chosen.values()
    )
    return [name for name, planned in named if name in planned]


def _runs(scenario: Scenario, planned: Plan | None, start: str, last: int) -> Iterator[EstateWorkload]:
    """The training runs within the estate's months, each in its window."""
    run_h = _run_hours(planned.training) if planned is not None and planned.training is not None else 0.0
    for window in training_windows(scenario, run_h, may_overlap=True)[:MOST_RUNS]:
        first, end = int(window.start_h / HOURS_PER_MONTH), math.ceil(window.end_h / HOURS_PER_MONTH)
        if end <= last:
            yield EstateWorkload(
                scenario=scenario.name, part="training", pool=POOL, date="flexible",
                start=month_after(start, first), end=month_after(start, max(end, first + 1)),
            )  # fmt: skip


def _run_hours(answer: TrainingPlan) -> float:
    """Time for which the recommended run holds its devices, else the first one that an estate can take; 0: none. [h]"""
    order = answer.table.order
    rows = [answer.best] if answer.best >= 0 else order[usable_candidates(answer.table)[order]][:1]
    return next((float(one) for one in held_hours(answer.table)[rows]), 0.0)


Shares = dict[str, tuple[float, ...]]


def _hour_classes(project: Project) -> tuple[tuple[HourClass, ...], Shares]:
    """Hours of a week in classes, by the first service's load, and each service's highest load in every class."""
    weeks = {
        one.name: service_week(one.serving.traffic).ravel() for one in project.scenarios if one.serving is not None
    }
    if not weeks:
        return USUAL_HOURS, {}
    first = next(iter(weeks.values()))
    order = np.argsort(-first, kind="stable")
    parts = [order[one] for one in _nearest_steps(first[order])]
    shares = {name: tuple(round(float(week[part].max()), 4) for part in parts) for name, week in weeks.items()}
    long = [round(len(part) / len(first) * HOURS_PER_DAY, 4) for part in parts]
    long[-1] = HOURS_PER_DAY - sum(long[:-1])
    usual = next(iter(shares.values()))
    return tuple(
        HourClass(name=f"{share * 100:.3g} %", hours_per_day=hours, load_share=share)
        for hours, share in zip(long, usual, strict=True)
    ), shares


def _nearest_steps(falling: NDArray[np.float64]) -> list[slice]:
    """The best approximation of a falling curve from above by at most so many steps."""
    count = len(falling)
    so_far = np.concatenate([[0.0], np.cumsum(falling)])
    begin, end = np.arange(count)[:, None], np.arange(1, count + 1)[None, :]
    above = np.where(end > begin, falling[:, None] * (end - begin) - (so_far[end] - so_far[begin]), np.inf)
    best, ways = above[0], [np.zeros(count, np.int64)]
    for _ in range(MOST_HOUR_CLASSES - 1):
        options = np.vstack([best[None, :], best[:-1, None] + above[1:]])
        ways.append(options.argmin(axis=0))
        best = options.min(axis=0)
    edges = [count]
    for way in reversed(ways):
        if edges[-1] > 0 and (before := int(way[edges[-1] - 1])) > 0:
            edges.append(before)
    edges = sorted({0, *edges})
    return [slice(low, high) for low, high in pairwise(edges)]


def _site(scenario: Scenario) -> EstateSite:
    site = scenario.economics.site
    return EstateSite(
        name=SITE,
        max_kw=scenario.hardware.max_kw_total,
        pue=central(site.pue),
        electricity_usd_per_kwh=central(site.electricity_usd_per_kwh),
        grid_g_co2e_per_kwh=central(site.grid_g_co2e_per_kwh),
    )


def offered_hardware(accelerator: str, terms: PriceTerms, must_fit: bool = False) -> tuple[EstateHardware, ...]:
    """What of an accelerator is bought whole, and what each provider rents out, in its smallest instances.

    Prices of a provider are those of one offer, or lower ones that were quoted. What is bought is rented as well, where
    instances fill a unit: a workload runs on one entry at a time, and would rent nothing beside its own units.

    Parameters
    ----------
    must_fit : offer to sell only what the scenario's site feeds and cools.
    """
    catalog, economics = terms.catalog, terms.scenario.economics
    entry, nodes = catalog.accelerators[accelerator], catalog.nodes_of(accelerator)
    node = bought_node(entry, nodes)
    size = owned_size(entry, node)
    owned = terms.context.price_book.of(entry).owned(with_network(economics, _network_usd(entry, terms)))
    if not math.isfinite(watts := float(owned.rated_power_w[0])):
        return ()
    prices = terms.context.price_book.of(entry).prices(economics, "own")

    def unit(name: str, devices: int, **stated: Any) -> EstateHardware:
        return EstateHardware(
            name=name, accelerator=accelerator, devices_per_unit=devices, kw_per_unit=round(watts * devices / 1000, 3),
            power_use_share=round(central(economics.site.power_share_of_rating) * _draw_share(entry, terms), 3),
            racks_per_unit=_racks(node, devices),
            cooling="liquid" if bool(prices.needs_liquid[0]) else "air",
            rent_trend_per_year=central(economics.price_trend_per_year), **stated,
        )  # fmt: skip

    fleets = [(float(one.table.devices[row][0]), float(n[0])) for one, row, n in _best_fleets(entry, terms)]
    devices, replicas = max(fleets, default=(1.0, 1.0))
    offers = rent_offers(entry, economics, terms.context.offers, devices / replicas, replicas)
    found = [
        unit(
            ", ".join(filter(None, (entry.name, one.provider)))
            + (f" ({one.other_providers})" if one.other_providers else ""),
            one.devices, rent_usd_per_device_hour=one.hourly_usd, reservations=one.reservations,
        )
        for one in offers
    ]  # fmt: skip
    capital = float(np.ravel(owned.capital.total)[0]) * size
    who, whole_unit = np.zeros(1, np.int64), np.array([float(size)])
    fit = site_fit(terms.scenario, prices, whole_unit, who, whole_unit, whole_unit, whole_unit)
    if math.isfinite(capital) and capital > 0 and not (must_fit and fit.is_over[0]):
        price: dict[str, Any] = _purchase(owned, terms, size)
        name = node.name if node is not None and size > 1 else entry.name
        whole = [one for one in offers if size % one.devices == 0]
        if whole:
            rented = min(whole, key=lambda one: one.own_usd_per_hour)
            price |= {"rent_usd_per_device_hour": rented.hourly_usd, "reservations": rented.reservations}
            providers = ", ".join(filter(None, (rented.provider, rented.other_providers)))
            name = f"{name} (rent: {providers})" if providers else name
            if rented.devices == size:
                del found[offers.index(rented)]
        found.append(unit(name, size, **price))
    return tuple(found)


def with_offered_prices(estate: Estate, terms: PriceTerms) -> Estate:
    """The estate with the catalogue's prices, running costs and resale for the hardware that it offers.

    What the catalogue has no price for stays, and so do lead times, deliveries, dates and trends of prices.
    """
    terms = replace(terms, years=estate.periods * MONTHS_OF[estate.period] / MONTHS_PER_YEAR)
    hardware = tuple(_with_offered_prices(one, offered_in_place_of(one, terms)) for one in estate.hardware)
    return msgspec.structs.replace(estate, hardware=hardware)


def _with_offered_prices(unit: EstateHardware, offered: EstateHardware | None) -> EstateHardware:
    if offered is None:
        return unit
    reserved = {one.months: one.usd_per_device_hour for one in offered.reservations}
    changed: dict[str, Any] = {
        "reservations": tuple(
            msgspec.structs.replace(one, usd_per_device_hour=reserved.get(one.months, one.usd_per_device_hour))
            for one in unit.reservations
        )
    }
    if unit.rent_usd_per_device_hour is not None and offered.rent_usd_per_device_hour is not None:
        changed["rent_usd_per_device_hour"] = offered.rent_usd_per_device_hour
    if unit.purchase_usd is not None and offered.purchase_usd is not None:
        larger = unit.devices_per_unit / offered.devices_per_unit
        changed |= {
            "purchase_usd": round(offered.purchase_usd * larger, 2),
            "running_usd_per_month": round(offered.running_usd_per_month * larger, 2),
            "resale_share": offered.resale_share, "resale_trend_per_year": offered.resale_trend_per_year,
        }  # fmt: skip
    return msgspec.structs.replace(unit, **changed)


def offered_in_place_of(unit: EstateHardware, terms: PriceTerms) -> EstateHardware | None:
    """What the catalogue offers under a unit's name, else its device as it is bought, with what that costs in rent."""
    if unit.accelerator not in terms.catalog.accelerators:
        return None
    offered = offered_hardware(unit.accelerator, terms)
    same = [one for one in offered if one.name == unit.name]
    bought = [_with_rents(one, terms) for one in offered if one.purchase_usd is not None]
    return next(iter(same or bought or offered), None)


def _with_rents(unit: EstateHardware, terms: PriceTerms) -> EstateHardware:
    """A unit as it is bought, with what its device costs by the hour and reserved at the planner's level of prices."""
    usd = term_prices(unit.accelerator, terms.catalog, terms.scenario.economics)
    reserved = tuple(
        ReservationTerm(months=MONTHS_PER_YEAR * years, usd_per_device_hour=round(usd[term], 4))
        for term, years in TERM_LENGTHS.items()
        if term in usd
    )
    return msgspec.structs.replace(unit, rent_usd_per_device_hour=usd.get("rent_on_demand"), reservations=reserved)


def term_prices(device: str, catalog: Catalog, economics: Economics) -> dict[str, float]:
    """Prices of a device by term, as plans use them; terms without a price are left out. [USD/h, USD]"""
    entry = catalog.accelerators.get(device)
    if entry is None:
        return {}
    offers = offers_of(catalog)
    found = {term: offers.quote(entry, term, economics).usd_per_hour for term in RENTED_TERMS}
    found["own"] = purchase_price(entry, bought_node(entry, tuple(catalog.nodes.values())), economics).usd
    return {str(term): usd for term, usd in found.items() if math.isfinite(usd)}


def _network_usd(entry: Accelerator, terms: PriceTerms) -> float:
    """Network cost in the largest fabric among the plans' best fleets of the device; none for a single box.
    [USD/device]"""
    if terms.network_usd is not None:
        return terms.network_usd
    most = (float(np.nan_to_num(one.network_usd[0])) for one in _bought_fleets(entry, terms))
    return max(most, default=0.0)


def _draw_share(entry: Accelerator, terms: PriceTerms) -> float:
    """Mean draw over the draw under load, over all devices of the plans' best fleets of a kind. [1]"""
    fleets = list(_bought_fleets(entry, terms))
    devices = sum(float(one.devices[0]) for one in fleets)
    return sum(float(one.draw_share[0] * one.devices[0]) for one in fleets) / devices if devices else 1.0


def _bought_fleets(entry: Accelerator, terms: PriceTerms) -> Iterator[PaidFleet]:
    """The plans' best fleets of a device, as they would be bought; arrays of one."""
    context = terms.context
    site = context.site_of(terms.scenario, terms.scenario.serving)
    prices = context.prices(terms.scenario.economics, "own", site)
    for answer, best, replicas in _best_fleets(entry, terms):
        who, each = answer.table.accelerator[best], answer.table.devices[best] / replicas
        is_run, drawn = isinstance(answer, TrainingPlan), answer.table.draw_share[best]
        yield paid_fleet(prices.units, who, replicas, each, is_run, drawn)


def _best_fleets(
    entry: Accelerator, terms: PriceTerms
) -> Iterator[tuple[ServingPlan | TrainingPlan, Integers, Floats]]:
    """Each answer with the row of its best fleet of a device and that fleet's replicas; arrays of one."""
    for plan in terms.plans.values():
        who = plan.accelerators.index(entry.id) if entry.id in plan.accelerators else -1
        for answer in plan.answers.values():
            table = answer.table
            best = table.order[table.accelerator[table.order] == who][:1]
            # What can't run has no draw.
            if len(best) and np.isfinite(table.devices[best] * table.draw_share[best]).all():
                yield answer, best, table.replicas[best] if isinstance(table, ServingTable) else np.ones(1)


def _term_of(answer: ServingPlan | TrainingPlan, economics: Economics) -> Procurement:
    return economics.training_procurement if isinstance(answer, TrainingPlan) else economics.serving_procurement


def _purchase(owned: OwnedPrices, terms: PriceTerms, size: int) -> dict[str, float]:
    """Price, running cost and resale of an own unit; at the end of the estate it is worth what its annuity leaves.

    Where it wears out before, the running cost holds what its annuity exceeds that of one that lasts the estate: its
    replacements.
    """
    capital, annual = float(np.ravel(owned.capital.total)[0]), owned.annual
    running = float(np.ravel(annual.total - annual.capital_usd - annual.energy_usd)[0])
    yearly, years = float(np.ravel(annual.capital_usd)[0]), terms.years
    own = terms.scenario.economics.ownership
    rate = central(own.cost_of_capital)
    grown = (1.0 + rate) ** years
    if central(own.useful_life_years) <= years:
        left = central(own.residual_share)
        running += yearly - capital * (1.0 - left / grown) * float(capital_recovery_factor(rate, years))
    else:
        left = max(grown - yearly / capital * ((grown - 1.0) / rate if rate else years), 0.0)
    share = max(MOST_RESALE, left)
    return {
        "purchase_usd": round(capital * size, 2), "running_usd_per_month": round(running * size / MONTHS_PER_YEAR, 2),
        "resale_share": round(share, 4), "resale_trend_per_year": round((left / share) ** (1 / years) - 1.0, 4),
    }  # fmt: skip


def _racks(node: NodeType | None, size: int) -> float:
    if node is None or node.rack_units is None or size < node.accelerator_count:
        return 0.0
    return round(node.rack_units / RACK_UNITS, 4)


def _accelerators(plans: dict[str, Plan]) -> list[str]:
    """Accelerators that can carry a workload, in turn from each plan's ranking, each once."""
    rankings = []
    for plan in plans.values():
        for answer in plan.answers.values():
            usable = answer.table.order[usable_candidates(answer.table)[answer.table.order]]
            names = (plan.accelerators[int(answer.table.accelerator[row])] for row in usable)
            rankings.append(list(dict.fromkeys(names)))
    found: list[str] = []
    for place in range(max((len(one) for one in rankings), default=0)):
        for ranking in rankings:
            if place < len(ranking) and ranking[place] not in found and len(found) < MOST_KINDS:
                found.append(ranking[place])
    return found
