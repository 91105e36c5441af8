"""Rent or buy the recommended fleet: what owning costs by part, when it pays, which mix of terms, energy and carbon."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.decision import (
    CapitalParts,
    CommitmentYear,
    Investment,
    OwnedParts,
    OwnershipAnswer,
    OwnersTerms,
    TermAnswer,
    UnitCost,
)
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor.case import Chosen, ServingCase, TrainingCase, serving_case, training_case
from gpuplanner_gui.engine.advisor.money_rules import open_terms
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.commitment import MixPrices, commitment_plan
from gpuplanner_gui.engine.cost.finance import (
    internal_rate_of_return,
    net_present_value,
    payback_years,
    straight_line_usd_per_year,
)
from gpuplanner_gui.engine.cost.horizon import HOURS_PER_YEAR
from gpuplanner_gui.engine.cost.ownership import (
    MONTHS_PER_YEAR,
    DeviceCapital,
    OwnedCost,
    break_even_utilisation,
    useful_usd_per_hour,
)
from gpuplanner_gui.engine.cost.price_trend import factors_of_years
from gpuplanner_gui.engine.cost.unit_cost import cached_input_usd_per_million, usd_per_user_month
from gpuplanner_gui.engine.decision.energy_view import energy_of
from gpuplanner_gui.engine.decision.fleet_terms import service_load_per_s
from gpuplanner_gui.engine.decision.rental_view import rented_usd_per_year
from gpuplanner_gui.engine.decision.run_levers import levers_of_run
from gpuplanner_gui.engine.prices import OwnedDevices, owned_devices, rented_usd_per_hour

Floats = NDArray[np.float64]
Case = ServingCase | TrainingCase

TERMS: tuple[Procurement, ...] = ("rent_on_demand", "rent_1y", "rent_3y", "rent_spot", "own")
TERM_LENGTHS: dict[Procurement, int] = {"rent_1y": 1, "rent_3y": 3}
LONGEST_PLAN_YEARS = 10


def ownership_of_plan(scenario: Scenario, plan: Plan, context: Context, workload: str) -> OwnershipAnswer | None:
    """Every way to pay for the recommended candidate of a workload; None where nothing is recommended or priced."""
    case: Case | None
    case = serving_case(scenario, plan, context) if workload == "serving" else training_case(scenario, plan, context)
    if case is None or not np.isfinite(case.best.of("devices")):
        return None
    best, economics = case.best, scenario.economics
    owned = _owned(case, economics)
    use = _use_share(case)
    per_year = OwnedParts(*_figures(owned.annual, OwnedParts.__struct_fields__))
    capital = CapitalParts(*_figures(owned.capital, CapitalParts.__struct_fields__))
    calendar = float(owned.usd_per_calendar_hour[0])
    terms = tuple(_terms(case, economics, float(owned.usd_per_available_hour[0]), use))
    commitments, mixed = _commitments(case) if isinstance(case, ServingCase) else ((), float("nan"))
    own = economics.ownership
    depreciation = straight_line_usd_per_year(
        capital.total, central(own.residual_share), central(own.useful_life_years)
    )
    return OwnershipAnswer(
        workload="serving" if isinstance(case, ServingCase) else "training",
        accelerator=best.accelerator.id,
        candidate=best.row,
        devices=best.of("devices"),
        use_share=use,
        node_usd=float(owned.node_usd[0]),
        capital=capital,
        annual=per_year,
        straight_line_usd_per_hour=float(depreciation) / HOURS_PER_YEAR,
        owned_usd_per_calendar_hour=calendar,
        owned_usd_per_useful_hour=float(useful_usd_per_hour(calendar, central(own.availability), use)),
        terms=terms,
        owners=tuple(_owners(case, context)),
        investment=_investment(case, economics, capital, per_year),
        commitments=commitments,
        commitment_usd=mixed,
        energy=energy_of(case),
        unit_costs=tuple(_unit_costs(case)),
        levers=levers_of_run(case) if isinstance(case, TrainingCase) else (),
    )


def _owned(case: Case, economics: Economics) -> OwnedDevices:
    entry = case.best.accelerator
    assumptions = case.context.calibration.economics.assumptions
    return owned_devices((entry,), case.context.catalog.nodes_of(entry.id), economics, assumptions)


def _figures(parts: DeviceCapital | OwnedCost, names: tuple[str, ...]) -> list[float]:
    """The one device's figures of a breakdown."""
    return [float(np.ravel(getattr(parts, name))[0]) for name in names]


def _use_share(case: Case) -> float:
    """Share of the hours in which the fleet is needed: all of them for a service, those of the runs for training."""
    if isinstance(case, ServingCase):
        return 1.0
    run_h = case.best.of("device_hours") / case.best.of("devices")
    per_year = central(case.scenario.economics.fleets.training_runs_per_year)
    return float(np.clip(run_h * per_year / HOURS_PER_YEAR, 1e-6, 1.0))


def _terms(case: Case, economics: Economics, owned_usd: float, use: float) -> Iterator[TermAnswer]:
    """Each term over the horizon: what is held is paid for all the time, what is rented by the hour only in use."""
    entry, horizon = case.best.accelerator, min(central(economics.horizon_years), float(LONGEST_PLAN_YEARS))
    rate, trend = central(economics.ownership.cost_of_capital), central(economics.price_trend_per_year)
    yearly_hours = case.best.of("devices") * HOURS_PER_YEAR
    years = _present_years(rate, horizon)
    for term in TERMS:
        rent = rented_usd_per_hour(entry, term, economics) if term != "own" else owned_usd
        paid_share = use if term in ("rent_on_demand", "rent_spot") else 1.0
        hours = yearly_hours * paid_share
        if term == "own":
            usd = rent * hours * float(years.sum())
        else:
            factors = factors_of_years(trend, len(years), TERM_LENGTHS.get(term, 0))
            bills = [rented_usd_per_year(case, hours, rent * float(factor)) for factor in factors]
            usd = float(years @ bills)
        yield TermAnswer(
            term=term,
            usd_per_device_hour=rent,
            usd=usd,
            break_even_share=float(break_even_utilisation(owned_usd, rent)) if term != "own" else float("nan"),
        )


def _present_years(rate: float, years: float) -> Floats:
    """What each year's payment is worth today, as a share of a year's; a last part of a year counts as such. [y]"""
    whole = int(years)
    parts = np.array([1.0] * whole + ([years - whole] if years > whole else []))
    return np.asarray(parts / (1 + rate) ** (np.arange(len(parts)) + 0.5), np.float64)


def _owners(case: Case, context: Context) -> Iterator[OwnersTerms]:
    """What an hour of the same device costs other kinds of owner, by the presets that ship."""
    for preset in context.calibration.economics.presets:
        owned = _owned(case, preset.applied_to(case.scenario.economics))
        yield OwnersTerms(id=preset.id, title=preset.title, usd_per_device_hour=float(owned.usd_per_available_hour[0]))


def _investment(case: Case, economics: Economics, capital: CapitalParts, annual: OwnedParts) -> Investment | None:
    """Buying the fleet against renting it by the hour, or at the scenario's own rental terms."""
    term: Procurement = "rent_on_demand" if case.procurement == "own" else case.procurement
    rent = rented_usd_per_hour(case.best.accelerator, term, economics)
    if not np.isfinite(rent) or not np.isfinite(capital.total):
        return None
    own, devices = economics.ownership, case.best.of("devices")
    life = max(1, round(central(own.useful_life_years)))
    running = annual.total - annual.capital_usd
    hours = HOURS_PER_YEAR * central(own.availability) * _use_share(case)
    factors = factors_of_years(central(economics.price_trend_per_year), life, TERM_LENGTHS.get(term, 0))
    saved = [rented_usd_per_year(case, hours * devices, rent * float(factor)) for factor in factors]
    flows = np.array([-capital.total * devices, *(one - running * devices for one in saved)])
    before_resale = flows.copy()
    flows[-1] += capital.total * central(own.residual_share) * devices
    return Investment(
        rent_usd_per_hour=rent,
        cash_flows_usd=tuple(float(one) for one in flows),
        npv_usd=float(net_present_value(central(own.cost_of_capital), flows)),
        irr=float(internal_rate_of_return(flows)),
        payback_years=float(payback_years(before_resale)),
    )


def _commitments(case: ServingCase) -> tuple[tuple[CommitmentYear, ...], float]:
    """The cheapest mix of hourly, one-year and three-year capacity for the load over the horizon."""
    economics, entry, best = case.scenario.economics, case.best.accelerator, case.best
    hourly = rented_usd_per_hour(entry, "rent_on_demand", economics)
    if not np.isfinite(hourly):
        return (), float("nan")
    years = int(np.clip(central(economics.horizon_years), 1, LONGEST_PLAN_YEARS))
    trend = central(economics.price_trend_per_year)
    found = commitment_plan(_need(case, best, years), years, _mix_prices(case, economics, hourly), trend)
    tiers = [found.reserved_units(term) for term in (3, 1)]
    flexible = found.units_by_the_hour()
    return tuple(
        CommitmentYear(
            three_years=int(tiers[0][year]), one_year=int(tiers[1][year]), by_the_hour=int(flexible[year]),
            usd=float(found.usd[:, year].sum()),
        )
        for year in range(years)
    ), found.total_usd  # fmt: skip


def _mix_prices(case: ServingCase, economics: Economics, hourly: float) -> MixPrices:
    """Of one replica; a term that no offer states is not to be had."""
    each, entry = case.best.of("devices_per_replica"), case.best.accelerator
    allowed = open_terms(economics)
    reserved = {
        term: rented_usd_per_hour(entry, term, economics) if term in allowed else np.inf
        for term in ("rent_1y", "rent_3y")
    }
    known = {term: usd if np.isfinite(usd) else np.inf for term, usd in reserved.items()}
    return MixPrices(hourly * each, known["rent_1y"] * each, known["rent_3y"] * each)


def _need(case: ServingCase, best: Chosen, years: int) -> NDArray[np.int64]:
    """Replicas in each hour of the first years, spares included."""
    load = service_load_per_s(case.scenario, case.plan)
    hours = years * int(HOURS_PER_YEAR)
    load = np.pad(load, (0, max(0, hours - load.size)), mode="edge")[:hours]
    rate = best.of("slo_rate_per_s") * case.workload.availability.target_utilisation
    needed = np.ceil(load / rate - 1e-9) + case.workload.availability.spare_replicas
    return np.where(load > 0, needed, 0).astype(np.int64)


def _unit_costs(case: Case) -> Iterator[UnitCost]:
    best = case.best
    beside = 0.0 if case.procurement == "own" else rented_usd_per_year(case, 0.0, 0.0) / MONTHS_PER_YEAR
    if beside > 0:
        yield UnitCost(code="beside_devices", value=beside, unit="USD/month")
    if isinstance(case, TrainingCase):
        tokens = case.plan.training.tokens if case.plan.training else float("nan")
        yield UnitCost(code="run", value=best.of("usd_per_run"), unit="USD")
        yield UnitCost(code="million_trained", value=best.of("usd_per_run") / tokens * 1e6, unit="USD")
        return
    request = best.of("usd_per_request")
    yield UnitCost(code="million_input", value=best.of("usd_per_million_input_tokens"), unit="USD")
    again = case.context.calibration.economics.assumptions.figure("recomputed_cached_share")
    cached = float(cached_input_usd_per_million(best.of("usd_per_million_input_tokens"), again))
    yield UnitCost(code="million_cached_input", value=cached, unit="USD")
    yield UnitCost(code="million_output", value=best.of("usd_per_million_output_tokens"), unit="USD")
    yield UnitCost(code="request", value=request, unit="USD")
    asked = central(case.scenario.economics.requests_per_user_day)
    yield UnitCost(code="user_month", value=float(usd_per_user_month(request, asked)), unit="USD/month")
