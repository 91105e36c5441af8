"""A first estate of a project: all its workloads, on the hardware that the catalogue sells and rents out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import MONTHS_PER_YEAR
from gpuplanner_gui.domain.estate import (
    Estate,
    EstateHardware,
    EstatePool,
    EstateSite,
    EstateWorkload,
    ReservationTerm,
    StandingUnits,
)
from gpuplanner_gui.domain.hardware import Accelerator, NodeType
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.engine.cost.offers import offers_of
from gpuplanner_gui.engine.cost.plan_years import TERM_LENGTHS
from gpuplanner_gui.engine.cost.prices import bought_node, owned_devices
from gpuplanner_gui.engine.cost.units import owned_size
from gpuplanner_gui.engine.hardware.assumed_power import AssumedPower, assumed_power

MOST_KINDS = 8
"""Kinds of hardware in a first estate, the cheapest candidates' of all scenarios."""
RACK_UNITS = 42.0
POOL, SITE = "shared", "site"


@dataclass(frozen=True)
class PriceTerms:
    """Where prices of a project's estate come from."""

    catalog: Catalog
    calibration: Calibration
    scenario: Scenario

    @cached_property
    def power(self) -> dict[str, AssumedPower]:
        """Of devices that state none; found among all of the catalogue."""
        return assumed_power(tuple(self.catalog.accelerators.values()))


def drafted_estate(project: Project, catalog: Catalog, calibration: Calibration, plans: dict[str, Plan]) -> Estate:
    """An estate of every service and run of a project, in one pool at one site, priced by its first scenario's terms.

    The catalogue knows no lead times, delivery waves, budgets or limits: those are the planner's to add.
    """
    terms = PriceTerms(catalog, calibration, project.scenarios[0])
    hardware = tuple(
        made for name in _accelerators(plans) if (made := offered_hardware(name, terms)) is not None
    )  # fmt: skip
    names, choice = {one.accelerator: one for one in hardware}, project.scenarios[0].hardware
    standing = [
        StandingUnits(
            hardware=names[one.accelerator].name, units=one.devices // names[one.accelerator].devices_per_unit
        )
        for one in choice.owned
        if one.accelerator in names and one.devices >= names[one.accelerator].devices_per_unit
    ]
    loads = tuple(
        EstateWorkload(scenario=one.name, part=part, pool=POOL, date="fixed" if part == "serving" else "flexible")
        for one in project.scenarios
        for part in ("serving", "training")
        if getattr(one, part) is not None
    )
    return Estate(
        workloads=loads,
        hardware=hardware,
        pools=(EstatePool(name=POOL, site=SITE, standing=tuple(standing)),),
        sites=(_site(project.scenarios[0]),),
        discount_per_year=central(project.scenarios[0].economics.ownership.cost_of_capital),
    )


def _site(scenario: Scenario) -> EstateSite:
    site = scenario.economics.site
    return EstateSite(
        name=SITE,
        max_kw=scenario.hardware.max_kw_total,
        pue=central(site.pue),
        electricity_usd_per_kwh=central(site.electricity_usd_per_kwh),
        grid_g_co2e_per_kwh=central(site.grid_g_co2e_per_kwh),
    )


def offered_hardware(accelerator: str, terms: PriceTerms) -> EstateHardware | None:
    """A unit as sold with its purchase price, rent and reservations; None where nobody sells or rents it out."""
    catalog, economics = terms.catalog, terms.scenario.economics
    entry, nodes = catalog.accelerators[accelerator], catalog.nodes_of(accelerator)
    node = bought_node(entry, nodes)
    size = owned_size(entry, node)
    owned = owned_devices((entry,), nodes, economics, terms.calibration.economics.assumptions, terms.power)
    capital, annual = float(owned.capital.total[0]) * size, owned.annual  # type: ignore[index]
    running = float((annual.total - annual.capital_usd - annual.energy_usd)[0]) * size / MONTHS_PER_YEAR  # type: ignore[index]
    watts = float(owned.rated_power_w[0]) * size
    offers = offers_of(catalog)
    rent = offers.quote(entry, "rent_on_demand", economics).usd_per_hour
    reserved = [
        ReservationTerm(months=MONTHS_PER_YEAR * years, usd_per_device_hour=round(usd, 4))
        for term, years in TERM_LENGTHS.items()
        if (usd := offers.quote(entry, term, economics).usd_per_hour) > 0
    ]
    is_sold, is_rented = math.isfinite(capital) and capital > 0, rent > 0
    if not math.isfinite(watts) or not (is_sold or is_rented or reserved):
        return None
    return EstateHardware(
        name=_name(entry, node, size), accelerator=accelerator, devices_per_unit=size,
        kw_per_unit=round(watts / 1000, 3),
        power_use_share=central(economics.site.power_share_of_rating), racks_per_unit=_racks(node, size),
        cooling="liquid" if node is not None and "liquid" in node.cooling.lower() else "air",
        purchase_usd=round(capital, 2) if is_sold else None,
        running_usd_per_month=round(running, 2) if is_sold else 0.0,
        rent_usd_per_device_hour=round(rent, 4) if is_rented else None, reservations=tuple(reserved),
        rent_trend_per_year=central(economics.price_trend_per_year),
    )  # fmt: skip


def _name(entry: Accelerator, node: NodeType | None, size: int) -> str:
    return node.name if node is not None and size > 1 else entry.name


def _racks(node: NodeType | None, size: int) -> float:
    if node is None or node.rack_units is None or size < node.accelerator_count:
        return 0.0
    return round(node.rack_units / RACK_UNITS, 4)


def _accelerators(plans: dict[str, Plan]) -> list[str]:
    """Of each plan's ranking in turn, the next accelerator that is not there yet."""
    rankings = []
    for plan in plans.values():
        for answer in (plan.serving, plan.training):
            if answer is not None:
                names = (plan.accelerators[int(answer.table.accelerator[row])] for row in answer.table.order)
                rankings.append(list(dict.fromkeys(names)))
    found: list[str] = []
    for place in range(max((len(one) for one in rankings), default=0)):
        for ranking in rankings:
            if place < len(ranking) and ranking[place] not in found and len(found) < MOST_KINDS:
                found.append(ranking[place])
    return found
