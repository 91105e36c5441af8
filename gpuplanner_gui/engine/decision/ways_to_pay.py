"""Every way to pay for the same need: what is held through each year of a horizon, and a mix that follows the load.

Each way carries the same load, spares and zones included: what is held is sized for the highest load of each year, what
follows the load hour by hour. Bills are the same too: devices, storage, egress and support, as their worth today.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.decision import CommitmentYear, TermAnswer
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.plan import ServingTable, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.advisor.case import (
    NAN,
    ServingCase,
    TrainingCase,
    fleet_in_units,
    fleet_on_term,
    prices_on_term,
)
from gpuplanner_gui.engine.cost.commitment import CommitmentPlan, MixPrices, commitment_plan
from gpuplanner_gui.engine.cost.horizon import hourly_load
from gpuplanner_gui.engine.cost.offers import Quote
from gpuplanner_gui.engine.cost.ownership import break_even_utilisation
from gpuplanner_gui.engine.cost.plan_years import (
    FOR_GOOD,
    LONGEST_PLAN_YEARS,
    TERM_LENGTHS,
    PlanYears,
    ladder_of,
    priced_by_year,
    worth_of_capital,
    worth_of_payments,
)
from gpuplanner_gui.engine.cost.prices import OwnedDevices
from gpuplanner_gui.engine.cost.units import Units
from gpuplanner_gui.engine.decision.rental_view import rented_usd_per_year
from gpuplanner_gui.engine.decision.spot_run import spot_run_factor
from gpuplanner_gui.engine.fleet.service_week import service_week
from gpuplanner_gui.engine.serving.resizing import rate_of_each
from gpuplanner_gui.engine.simulation.replicas import fleet_replicas

Floats = NDArray[np.float64]
Case = ServingCase | TrainingCase

TERMS: tuple[Procurement, ...] = ("rent_on_demand", "rent_1y", "rent_3y", "rent_spot", "own")


@dataclass(frozen=True)
class Span:
    """The horizon of a comparison: the same need for every way of paying for it."""

    years: PlanYears
    devices: Floats
    """Needed at the highest load of each year."""
    load: Floats
    """Mean load of each year over today's."""
    worth: Floats
    capital_worth: Floats

    @property
    def horizon_years(self) -> float:
        return float(self.years.lengths.sum())


def terms_over(case: Case, span: Span, owned: OwnedDevices, use: float) -> Iterator[TermAnswer]:
    """Each term over the horizon: what is held is paid for all the time, what is rented by the hour only in use."""
    economics, own_usd = case.scenario.economics, owned_in_use_usd(case)
    support = 1.0 + central(economics.renting.support_share)
    for term in TERMS:
        if term == "own":
            by_year, present = _owned_bills(case, span, owned)
            yield TermAnswer(
                term=term, usd_per_device_hour=own_usd, usd=present, break_even_share=NAN, usd_by_year=by_year
            )
            continue
        quote = case.context.offers.quote(case.best.accelerator, term, economics)
        rent = quote.usd_per_hour * stranded_factor(case, quote)
        paid_share = use * interrupted_over_planned(case, term) if term in ("rent_on_demand", "rent_spot") else 1.0
        bills = rented_bills(case, span, term, quote, paid_share)
        is_open = np.isfinite(rent) and TERM_LENGTHS.get(term, 0) <= span.horizon_years
        yield TermAnswer(
            term=term,
            provider=quote.provider,
            by_the_hour_usd=quote.of("rent_on_demand"),
            usd_per_device_hour=rent,
            usd=float(bills @ span.worth) if is_open else NAN,
            break_even_share=float(break_even_utilisation(own_usd, rent * support)),
            usd_by_year=tuple(float(one) for one in bills) if is_open else (),
        )


def stranded_factor(case: Case, quote: Quote) -> float:
    """What a device in use costs of the planned fleet, over the offer's price: whole instances are paid for. [1]"""
    stock = prices_on_term(case, case.scenario.economics, "own").stock
    fleet = fleet_in_units(case, Units.of([quote.sizes], [quote.is_single]), stock=stock)
    return float(fleet.usd_per_device_hour[0]) / quote.usd_per_hour


def owned_in_use_usd(case: Case) -> float:
    """Price of an owned device in use, with what whole nodes leave over. [USD/h]"""
    return float(fleet_on_term(case, case.scenario.economics, "own").usd_per_device_hour[0])


def interrupted_over_planned(case: Case, term: Procurement) -> float:
    """Device time of the runs on a term over that of the plan: spot capacity is taken away in between. [1]"""
    if isinstance(case, ServingCase) or (term == "rent_spot") == (case.procurement == "rent_spot"):
        return 1.0
    assert isinstance(case.best.table, TrainingTable)
    stretch = spot_run_factor(case.scenario, case.context, case.best.table, case.best.row)
    return stretch if term == "rent_spot" else 1.0 / stretch


def open_terms(economics: Economics) -> tuple[Procurement, ...]:
    """Terms that end within the planner's horizon."""
    horizon = central(economics.horizon_years)
    terms = tuple(term for term in TERMS if term != "rent_spot" and TERM_LENGTHS.get(term, 0) <= horizon)
    is_worn = central(economics.ownership.useful_life_years) <= horizon + 1
    return terms if is_worn else tuple(term for term in terms if term != "own")


def rented_bills(case: Case, span: Span, term: Procurement, quote: Quote, paid_share: float = 1.0) -> Floats:
    """What one provider bills in each year: shorter terms, where the longest would outlast the plan, at its prices.
    [USD]"""
    economics = case.scenario.economics
    ladder = ladder_of(term, quote.of)
    trend = central(economics.price_trend_per_year)
    hourly = priced_by_year(span.devices, span.years.whole, ladder, trend) * HOURS_PER_YEAR * paid_share
    hourly = hourly * stranded_factor(case, quote)
    return _billed(case, span, hourly * span.years.lengths)


def _billed(case: Case, span: Span, devices_usd: Floats) -> Floats:
    """Years with devices at so much each, and what a provider bills beside them. [USD]"""
    parts = zip(devices_usd, span.years.lengths, span.load, strict=True)
    return np.array(
        [length * rented_usd_per_year(case, float(usd / length), 1.0, float(load)) for usd, length, load in parts]
    )


def _owned_bills(case: Case, span: Span, owned: OwnedDevices) -> tuple[tuple[float, ...], float]:
    """What owning costs in each year, and all of it today: devices that are bought stay. [USD]"""
    held = priced_by_year(span.devices, span.years.whole, ((FOR_GOOD, 1.0),))
    spread = owned_in_use_usd(case) / float(owned.usd_per_calendar_hour[0])
    each = held * span.years.lengths * spread
    capital, total = float(np.ravel(owned.annual.capital_usd)[0]), float(np.ravel(owned.annual.total)[0])
    present = each * (capital * span.capital_worth + (total - capital) * span.worth)
    return tuple(float(one) for one in each * total), float(present.sum())


def span_of(case: Case) -> Span:
    economics = case.scenario.economics
    years = PlanYears.of(min(central(economics.horizon_years), float(LONGEST_PLAN_YEARS)))
    rate, growth = central(economics.ownership.cost_of_capital), growth_of(case)
    devices = np.full(len(years.starts), case.best.of("devices"))
    if isinstance(case, ServingCase):
        each = case.best.of("devices_per_replica")
        devices = np.array([_replicas_for(case, float(peak)) * each for peak in years.highest_load(growth)])
    return Span(years, devices, years.mean_load(growth), worth_of_payments(years, rate), worth_of_capital(years, rate))


def growth_of(case: Case) -> float:
    return central(case.workload.traffic.growth_per_year) if isinstance(case, ServingCase) else 0.0


def _replicas_for(case: ServingCase, load: float) -> float:
    """Replicas for so many times today's peak, sized as the plan's own fleet is."""
    if load == 1.0:
        return case.best.of("replicas")
    return float(_sized(case, np.asarray(case.peak_rate_per_s * load)))


def _sized(case: ServingCase, rate_per_s: Floats) -> Floats:
    """Replicas for a rate, zones and spares included."""
    wanted, table = case.workload.availability, case.best.table
    assert isinstance(table, ServingTable)
    each = float(rate_of_each(table, wanted.target_utilisation)[case.best.row])
    return fleet_replicas(rate_per_s, each, 1.0, wanted.zones, wanted.spare_replicas)


def commitments_over(case: ServingCase, span: Span) -> tuple[tuple[CommitmentYear, ...], float]:
    """The cheapest mix of one provider's hourly, one-year and three-year capacity for the load over the horizon."""
    economics = case.scenario.economics
    reserved = [term for term in open_terms(economics) if term in TERM_LENGTHS]
    quotes = case.context.offers.mixing_quotes(case.best.accelerator, economics, reserved)
    need, found = need_by_hour(case, span), []
    for quote in quotes:
        prices = _mix_prices(quote, reserved, case.best.of("devices_per_replica") * stranded_factor(case, quote))
        trend = central(economics.price_trend_per_year)
        plan = commitment_plan(need, len(span.devices), prices, trend, span.worth)
        bills = _billed(case, span, plan.usd.sum(axis=0))
        found.append((float(bills @ span.worth), bills, plan, quote.provider))
    if not found:
        return (), NAN
    present, bills, mix, provider = min(found, key=lambda one: one[0])
    return tuple(_commitment_years(mix, bills, provider)), present


def _commitment_years(found: CommitmentPlan, bills: Floats, provider: str) -> Iterator[CommitmentYear]:
    tiers = [found.reserved_units(term) for term in (3, 1)]
    flexible = found.units_by_the_hour()
    for year, usd in enumerate(bills):
        yield CommitmentYear(
            three_years=int(tiers[0][year]), one_year=int(tiers[1][year]), by_the_hour=int(flexible[year]),
            usd=float(usd), provider=provider,
        )  # fmt: skip


def _mix_prices(quote: Quote, reserved: list[Procurement], devices_per_replica: float) -> MixPrices:
    """Of one replica; a term that the provider does not state is not to be had."""
    usd = {term: quote.of(term) if term in reserved and quote.of(term) > 0 else np.inf for term in TERM_LENGTHS}
    return MixPrices(
        quote.of("rent_on_demand") * devices_per_replica,
        usd["rent_1y"] * devices_per_replica,
        usd["rent_3y"] * devices_per_replica,
    )


def need_by_hour(case: ServingCase, span: Span) -> NDArray[np.int64]:
    """Replicas in each hour of the horizon, sized as those that are held: zones and spares included.

    The service has opened: hours before that would be free for what is rented and not for what is held.
    """
    hours = round(span.horizon_years * HOURS_PER_YEAR)
    week = case.peak_rate_per_s * service_week(case.workload.traffic)
    load = hourly_load(week, growth_of(case), hours)
    return np.where(load > 0, np.nan_to_num(_sized(case, load)), 0).astype(np.int64)
