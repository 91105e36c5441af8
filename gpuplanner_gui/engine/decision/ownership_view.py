"""Rent or buy the recommended fleet: what owning costs by part, when it pays, which mix of terms, energy and carbon."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, MONTHS_PER_YEAR
from gpuplanner_gui.domain.decision import (
    CapitalParts,
    Investment,
    OwnedParts,
    OwnershipAnswer,
    OwnersTerms,
    UnitCost,
)
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor.case import (
    NAN,
    ServingCase,
    TrainingCase,
    fleet_on_term,
    owned_on_terms,
    serving_case,
    training_case,
)
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.finance import (
    internal_rate_of_return,
    net_present_value,
    payback_years,
    straight_line_usd_per_year,
)
from gpuplanner_gui.engine.cost.ownership import (
    DeviceCapital,
    OwnedCost,
    useful_usd_per_hour,
)
from gpuplanner_gui.engine.cost.plan_years import TERM_LENGTHS
from gpuplanner_gui.engine.cost.price_trend import factors_of_years
from gpuplanner_gui.engine.cost.prices import with_network
from gpuplanner_gui.engine.cost.rented_beside import beside_year
from gpuplanner_gui.engine.decision.energy_view import energy_of
from gpuplanner_gui.engine.decision.order_view import order_of
from gpuplanner_gui.engine.decision.run_levers import levers_of_run
from gpuplanner_gui.engine.decision.ways_to_pay import (
    commitments_over,
    growth_of,
    need_over_years,
    stranded_factor,
    terms_over,
)
from gpuplanner_gui.engine.serving.cost import (
    cached_input_usd_per_million,
    usd_per_million_output_alone,
    usd_per_user_month,
    worked_prompt_tokens,
)
from gpuplanner_gui.engine.serving.demand import demand_of

Case = ServingCase | TrainingCase


def ownership_of_plan(scenario: Scenario, plan: Plan, context: Context, workload: str) -> OwnershipAnswer | None:
    """Every way to pay for the recommended candidate of a workload; None where nothing is recommended or priced."""
    case: Case | None
    case = serving_case(scenario, plan, context) if workload == "serving" else training_case(scenario, plan, context)
    if case is None or not np.isfinite(case.best.of("devices")):
        return None
    best, economics = case.best, scenario.economics
    bought = fleet_on_term(case, economics, "own")
    owned = owned_on_terms(case, with_network(economics, float(bought.network_usd[0])))
    use = _use_share(case)
    per_year = OwnedParts(*_figures(owned.annual, OwnedParts.__struct_fields__))
    capital = CapitalParts(*_figures(owned.capital, CapitalParts.__struct_fields__))
    calendar = float(owned.usd_per_calendar_hour[0])
    need = need_over_years(case)
    terms = tuple(terms_over(case, need, owned, use))
    commitments, mixed = commitments_over(case, need) if isinstance(case, ServingCase) else ((), NAN)
    own = economics.ownership
    depreciation = straight_line_usd_per_year(
        capital.total, central(own.residual_share), central(own.useful_life_years)
    )
    return OwnershipAnswer(
        workload="serving" if isinstance(case, ServingCase) else "training",
        accelerator=best.accelerator.id,
        candidate=best.row,
        devices=best.of("devices"),
        bought_devices=float(bought.devices[0]),
        bought_unit_devices=float(bought.unit_devices[0]),
        use_share=use,
        node_usd=float(owned.node_usd[0]),
        capital=capital,
        annual=per_year,
        straight_line_usd_per_hour=float(depreciation) / HOURS_PER_YEAR,
        owned_usd_per_calendar_hour=calendar,
        owned_usd_per_useful_hour=float(useful_usd_per_hour(calendar, central(own.availability), use)),
        terms=terms,
        owners=tuple(_owners(case, context)),
        investment=_investment(case, float(bought.devices[0]), capital, per_year),
        commitments=commitments,
        commitment_usd=mixed,
        energy=energy_of(case),
        unit_costs=tuple(_unit_costs(case)),
        levers=levers_of_run(case) if isinstance(case, TrainingCase) else (),
        horizon_years=need.horizon_years,
        growth_per_year=growth_of(case),
        order=order_of(case),
        replicas=case.replicas if need.is_service else 0.0,
        replicas_by_year=tuple((need.devices / case.devices_together).tolist()) if need.is_service else (),
    )


def _figures(parts: DeviceCapital | OwnedCost, names: tuple[str, ...]) -> list[float]:
    """The one device's figures of a breakdown."""
    return [float(np.ravel(getattr(parts, name))[0]) for name in names]


def _use_share(case: Case) -> float:
    """Share of the hours in which the fleet is needed: all of them for a service, those of the runs for training."""
    return float(np.clip(case.hours_per_year / HOURS_PER_YEAR, 1e-6, 1.0))


def _owners(case: Case, context: Context) -> Iterator[OwnersTerms]:
    """What an hour of the same device costs other kinds of owner, by the presets that ship."""
    for preset in context.calibration.economics.presets:
        owned = owned_on_terms(case, preset.applied_to(case.scenario.economics))
        yield OwnersTerms(id=preset.id, title=preset.title, usd_per_device_hour=float(owned.usd_per_available_hour[0]))


def _investment(case: Case, bought: float, capital: CapitalParts, annual: OwnedParts) -> Investment | None:
    """Buying the fleet against renting it by the hour, or at the scenario's own rental terms."""
    economics = case.scenario.economics
    term: Procurement = "rent_on_demand" if case.procurement == "own" else case.procurement
    quote = case.context.offers.quote(case.best.accelerator, term, economics)
    rent = quote.usd_per_hour
    if not np.isfinite(rent) or not np.isfinite(capital.total):
        return None
    own, devices = economics.ownership, case.best.of("devices")
    rented = devices * stranded_factor(case, quote)
    life = max(1, round(central(own.useful_life_years)))
    running = annual.total - annual.capital_usd
    hours = HOURS_PER_YEAR * central(own.availability) * _use_share(case)
    factors = factors_of_years(central(economics.price_trend_per_year), life, TERM_LENGTHS.get(term, 0))
    beside = beside_year(economics, "rent_on_demand", 1.0, isinstance(case, ServingCase))
    saved = beside.billed_usd(hours * rented * rent * factors)
    flows = np.array([-capital.total * bought, *(one - running * bought for one in saved)])
    before_resale = flows.copy()
    flows[-1] += capital.total * central(own.residual_share) * bought
    return Investment(
        rent_usd_per_hour=rent,
        cash_flows_usd=tuple(float(one) for one in flows),
        npv_usd=float(net_present_value(central(own.cost_of_capital), flows)),
        irr=float(internal_rate_of_return(flows)),
        payback_years=float(payback_years(before_resale)),
    )


def _unit_costs(case: Case) -> Iterator[UnitCost]:
    best = case.best
    beside = beside_year(case.scenario.economics, case.procurement, 1.0, isinstance(case, ServingCase)).billed_usd(0.0)
    if beside > 0:
        yield UnitCost(code="beside_devices", value=float(beside) / MONTHS_PER_YEAR, unit="USD/month")
    if isinstance(case, TrainingCase):
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
    asked = central(case.scenario.economics.requests_per_user_day)
    yield UnitCost(code="user_month", value=float(usd_per_user_month(request, asked)), unit="USD/month")
