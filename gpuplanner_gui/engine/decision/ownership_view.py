"""Rent or buy the recommended fleet: what owning costs by part, when it pays, which mix of terms, energy and carbon."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Values
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, MONTHS_PER_YEAR, SECONDS_PER_DAY
from gpuplanner_gui.domain.decision import (
    EnergyAnswer,
    Investment,
    OwnershipAnswer,
    OwnersTerms,
    PowerAtLoad,
    UnitCost,
)
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.ownership import CapitalParts, OwnedParts
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor.case import (
    NAN,
    Advised,
    AdvisedRun,
    AdvisedService,
    beside_of_year,
    fleet_in_units,
    is_owned_already,
    owned_fleet,
    owned_on_terms,
    prices_on_term,
    quote_of,
    serving_case,
    stock_usd_per_hour,
    training_case,
)
from gpuplanner_gui.engine.advisor.site_rules import is_purchase_beyond_site
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.bill import TERM_LENGTHS, PlanYears, factors_of_years
from gpuplanner_gui.engine.cost.energy import (
    carbon_kg,
    electricity_carbon_kg,
    electricity_usd,
    embodied_carbon_kg,
    energy_kwh,
    fleet_power_w,
    joules_per_token,
    kwh_per_million_tokens,
    water_litres,
)
from gpuplanner_gui.engine.cost.ownership import (
    internal_rate_of_return,
    net_present_value,
    payback_years,
    straight_line_usd_per_year,
    useful_usd_per_hour,
)
from gpuplanner_gui.engine.cost.prices import DevicePrices, is_power_assumed
from gpuplanner_gui.engine.cost.units import PaidFleet
from gpuplanner_gui.engine.decision.fleet_years import growth_of, need_over_years, units_of, use_share
from gpuplanner_gui.engine.decision.order_view import order_of
from gpuplanner_gui.engine.decision.ways_to_pay import (
    commitments_over,
    levers_of_run,
    stranded_factor,
    terms_over,
)
from gpuplanner_gui.engine.fleet.service_need import LoadHours, can_be_stopped, load_hours
from gpuplanner_gui.engine.serving.cost import (
    USE_COLUMNS,
    cached_input_usd_per_million,
    device_power_w,
    peak_use,
    usd_per_million_output_alone,
    usd_per_user_month,
    worked_prompt_tokens,
)
from gpuplanner_gui.engine.serving.demand import demand_of
from gpuplanner_gui.engine.training.run import working_share


def energy_of(case: Advised) -> EnergyAnswer:
    """What the fleet draws and emits, at the site that the scenario describes."""
    best, economics = case.best, case.scenario.economics
    who, devices = int(best.table.accelerator[best.row]), best.of("devices")
    site = case.context.site_of(case.scenario, case.scenario.serving)
    prices = case.context.prices(economics, case.stated_procurement, site)
    if isinstance(case, AdvisedService):
        hours, millions = float(HOURS_PER_YEAR), _millions_served(case)
        device_hours = devices * hours * best.of("running_share")
    else:
        device_hours = best.of("device_hours")
        hours, millions = device_hours / devices, case.plan.training.tokens / 1e6 if case.plan.training else 1.0
    at_meter, pue = best.of("power_w"), central(economics.site.pue)
    it_w = at_meter / pue
    kwh = float(energy_kwh(at_meter, hours))
    life = central(economics.ownership.useful_life_years)
    electricity_kg = electricity_carbon_kg(kwh, central(economics.site.grid_g_co2e_per_kwh))
    embodied_kg = embodied_carbon_kg(central(economics.site.embodied_kg_co2e_per_device), device_hours, life, 1.0)
    rate = millions * 1e6 / (hours * 3600)
    joules = float(joules_per_token(it_w, pue, rate)) if rate > 0 else float("inf")
    return EnergyAnswer(
        it_power_w=it_w,
        facility_power_w=at_meter,
        rated_power_w=case.devices * float(prices.rated_power_w[who]),
        by_load=tuple(_by_load(case, prices, hours, pue)),
        energy_kwh=kwh,
        electricity_usd=float(electricity_usd(kwh, central(economics.site.electricity_usd_per_kwh))),
        electricity_carbon_kg=float(electricity_kg),
        embodied_carbon_kg=float(embodied_kg),
        water_litres=float(water_litres(it_w / 1e3 * hours, central(economics.site.water_litres_per_kwh))),
        kwh_per_million_tokens=float(kwh_per_million_tokens(joules)),
        grams_per_million_tokens=float(carbon_kg(electricity_kg, embodied_kg)) * 1e3 / millions,
        assumed_log_sd=assumed_power_log_sd(case.context, best.accelerator),
    )


def _by_load(case: Advised, prices: DevicePrices, hours: float, pue: float) -> Iterator[PowerAtLoad]:
    """Hours and draw at each load, from the highest; of a run, working and waiting."""
    best, table = slice(case.best.row, case.best.row + 1), case.best.table
    who = table.accelerator[best]
    if isinstance(case, AdvisedService):
        use = peak_use(case.peak_rate_per_s, *(getattr(table, name)[best] for name in ("replicas", *USE_COLUMNS)))
        is_stopped = np.array([can_be_stopped(case.workload, case.procurement)])
        found = load_hours(case.workload, case.need, np.array([case.peak_rate_per_s]), is_stopped)
        loads, shares, running = (np.ravel(one) for one in (found.load, found.share, found.running))
        levels = (LoadHours(one, np.ones(1), some) for one, some in zip(loads[:, None], running[:, None], strict=True))
        draws = [device_power_w(prices, who, use, one) for one in levels]
    else:
        bubble, host, data, step, run = (getattr(table, name)[best] for name in WORKING_COLUMNS)
        works = working_share(bubble, host, data, step, central(case.workload.start_up_s), run)[0]
        draws = [prices.idle_power_w[who], prices.power_w[who]]
        loads, shares, running = np.array([0.0, 1.0]), np.array([1.0 - works, works]), np.ones(2)
    devices, is_run = table.devices[best], isinstance(case, AdvisedRun)
    beside = prices.infrastructure_share_of(who, devices, np.array([case.devices_together]), is_run)
    paid, idle = table.paid_devices[best], prices.idle_power_w[who]
    for load, share, runs, draw in reversed(list(zip(loads, shares, running, draws, strict=True))):
        if share > 0:
            power = fleet_power_w(devices, draw, paid, idle, runs, beside, pue)
            yield PowerAtLoad(load=min(float(load), 1.0), hours=float(share) * hours, power_w=float(power[0]))


WORKING_COLUMNS = ("bubble_s", "host_s", "input_s", "step_time_s", "run_time_s")


def _millions_served(case: AdvisedService) -> float:
    """Millions of output tokens in a year at the mean load."""
    rate = case.peak_rate_per_s * case.mean_over_peak * case.plan.served.mean_output_tokens
    return rate * HOURS_PER_YEAR * 3600 / 1e6


def assumed_power_log_sd(context: Context, entry: Accelerator) -> float:
    """Spread of the logarithm of a device's power where it is taken from relatives; 0 where it is stated."""
    if not is_power_assumed(entry, context.catalog.nodes_of(entry.id)) or entry.id not in context.assumed_power:
        return 0.0
    return context.assumed_power[entry.id].log_sd


def ownership_of_plan(scenario: Scenario, plan: Plan, context: Context, workload: str) -> OwnershipAnswer | None:
    """Every way to pay for the recommended candidate of a workload.

    None where nothing is recommended or priced, and of a run that never ends.
    """
    case: Advised | None
    case = serving_case(scenario, plan, context) if workload == "serving" else training_case(scenario, plan, context)
    if case is None or not np.isfinite(case.best.of("devices")):
        return None
    if workload == "training" and not np.isfinite(case.best.of("run_time_s")):
        return None
    best, economics = case.best, scenario.economics
    bought, owned = owned_fleet(case)
    use, drawn, bought_each = use_share(case), float(bought.draw_share[0]), float(bought.devices[0]) / case.devices
    capital, per_year = CapitalParts(*_figures(owned.capital)), OwnedParts(*_figures(owned.annual))
    is_sunk = is_owned_already(case)
    if is_sunk:
        per_year = msgspec.structs.replace(per_year, capital_usd=0.0)
    calendar = per_year.total / HOURS_PER_YEAR if is_sunk else float(owned.usd_per_calendar_hour[0])
    need = need_over_years(case)
    terms = tuple(terms_over(case, need))
    commitments, mixed = commitments_over(case, need) if isinstance(case, AdvisedService) else ((), NAN)
    own = economics.ownership
    depreciation = straight_line_usd_per_year(
        capital.total, central(own.residual_share), central(own.useful_life_years)
    )
    return OwnershipAnswer(
        workload="serving" if isinstance(case, AdvisedService) else "training",
        accelerator=best.accelerator.id,
        candidate=best.row,
        devices=case.devices,
        bought_devices=float(bought.devices[0]),
        draw_share=drawn,
        use_share=use,
        node_usd=float(owned.node_usd[0]),
        capital=capital,
        annual=per_year,
        straight_line_usd_per_hour=float(depreciation) / HOURS_PER_YEAR,
        owned_usd_per_calendar_hour=calendar,
        held_usd_per_hour=float(bought.usd_per_device_hour[0]),
        owned_usd_per_useful_hour=float(useful_usd_per_hour(calendar * bought_each, central(own.availability), use)),
        terms=terms,
        owners=tuple(_owners(case, context, bought_each, drawn)),
        investment=None if is_sunk or is_purchase_beyond_site(case) else _investment(case, bought, capital, per_year),
        is_owned_already=is_sunk,
        commitments=commitments,
        commitment_usd=mixed,
        energy=energy_of(case),
        unit_costs=tuple(_unit_costs(case)),
        levers=levers_of_run(case) if isinstance(case, AdvisedRun) else (),
        horizon_years=need.horizon_years,
        growth_per_year=growth_of(case),
        order=order_of(case),
        replicas=case.replicas if need.is_service else 0.0,
        replicas_by_year=tuple((need.devices / case.devices_together).tolist()) if need.is_service else (),
    )


def _figures(parts: CapitalParts[Values] | OwnedParts[Values]) -> list[float]:
    """The one device's figures of a breakdown."""
    return [float(np.ravel(one)[0]) for one in msgspec.structs.astuple(parts)]


def _set_aside_usd(case: Advised, held: PaidFleet, rented: PaidFleet, term: Procurement) -> float:
    """A year of running the owned devices that a rented fleet needs and a bought one sets aside. [USD]"""
    devices = float(rented.stock_devices[0] - held.stock_devices[0])
    hours = HOURS_PER_YEAR if isinstance(case, AdvisedService) else case.paid_hours_per_year(term)
    return devices * hours * stock_usd_per_hour(case, prices_on_term(case, "own").units.stock) if devices else 0.0


def _owners(case: Advised, context: Context, bought_per_device: float, drawn: float) -> Iterator[OwnersTerms]:
    """What an hour of a device in use costs other kinds of owner of as many devices, by the presets that ship."""
    for preset in context.calibration.economics.presets:
        if preset.place is not None:
            continue  # Of the guided start: nobody compares a cluster with a home.
        owned = owned_on_terms(case, preset.applied_to(case.scenario.economics), drawn)
        each = float(owned.usd_per_available_hour[0]) * bought_per_device
        yield OwnersTerms(id=preset.id, title=preset.title, usd_per_device_hour=each)


def _investment(
    case: Advised, held: PaidFleet, capital: CapitalParts[float], annual: OwnedParts[float]
) -> Investment | None:
    """Buying what is missing of the fleet against renting it by the hour, or at the scenario's own rental terms."""
    economics = case.scenario.economics
    term: Procurement = "rent_on_demand" if case.procurement == "own" else case.procurement
    quote = quote_of(case, economics, term)
    # Of a device in use: in instances of the size that is rented, with what is left over in them.
    rent = quote.usd_per_hour * stranded_factor(case, quote, term)
    if not np.isfinite(rent) or not np.isfinite(capital.total):
        return None
    own, bought = economics.ownership, float(held.devices[0] - held.stock_devices[0])
    life = central(own.useful_life_years)
    years = PlanYears.of(life)
    running = annual.total - annual.capital_usd
    fleet = fleet_in_units(case, units_of(case, quote, term))
    # What owned devices take to run is paid either way, but for those that either sets aside.
    mean = case.mean_usd_per_device_hour(term, fleet.without_stock_usd)
    factors = factors_of_years(central(economics.price_trend_per_year), len(years.starts), TERM_LENGTHS.get(term, 0))
    beside = beside_of_year(case, "rent_on_demand")
    # Data too are served only while the devices are up.
    rented_usd = beside.billed_usd(HOURS_PER_YEAR * case.devices * mean * factors)
    saved = central(own.availability) * (rented_usd + _set_aside_usd(case, held, fleet, term))
    through = (saved - running * bought) * years.lengths
    flows = np.array([-capital.total * bought, *through, capital.total * central(own.residual_share) * bought])
    at_years = np.array([0.0, *years.ends, life])
    return Investment(
        rent_usd_per_hour=rent,
        life_years=life,
        cash_flows_usd=tuple(float(one) for one in flows),
        npv_usd=net_present_value(central(own.cost_of_capital), flows, at_years),
        irr=internal_rate_of_return(flows, at_years),
        payback_years=payback_years(flows[:-1], at_years[:-1]),
    )


def _unit_costs(case: Advised) -> Iterator[UnitCost]:
    best = case.best
    beside = beside_of_year(case).billed_usd(0.0)
    if beside > 0:
        yield UnitCost(code="beside_devices", value=float(beside) / MONTHS_PER_YEAR, unit="USD")
    if isinstance(case, AdvisedRun):
        tokens = case.plan.training.tokens if case.plan.training else float("nan")
        yield UnitCost(code="run", value=best.of("usd_per_run"), unit="USD")
        yield UnitCost(code="million_trained", value=best.of("usd_per_run") / tokens * 1e6, unit="USD")
        return
    request, each = best.of("usd_per_request"), best.of("usd_per_million_input_tokens")
    again = case.context.calibration.economics.assumptions.figure("recomputed_cached_share")
    demand = demand_of(case.workload, case.scenario.model)
    worked = worked_prompt_tokens(demand.mix.computed_tokens, demand.prompt_tokens, again)
    alone = float(usd_per_million_output_alone(request, each, worked, demand.output_tokens))
    yield UnitCost(code="million_output", value=best.of("usd_per_million_output_tokens"), unit="USD")
    yield UnitCost(code="million_input", value=each, unit="USD")
    yield UnitCost(code="million_cached_input", value=float(cached_input_usd_per_million(each, again)), unit="USD")
    yield UnitCost(code="million_output_alone", value=alone, unit="USD")
    yield UnitCost(code="request", value=request, unit="USD")
    if case.workload.traffic.is_batch:  # Nobody waits for it, so it has no users.
        return
    asked = central(case.scenario.economics.requests_per_user_day)
    if case.workload.traffic.arrivals == "users":  # How often they ask follows from their think time.
        asked = case.mean_rate_per_s * SECONDS_PER_DAY / central(case.workload.traffic.users)
    month = float(usd_per_user_month(request, asked))
    yield UnitCost(code="user_month", value=month, unit="USD", requests_per_day=asked)
