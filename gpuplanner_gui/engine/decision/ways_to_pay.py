"""Every way to pay for the same need: what is held through each year of a horizon, and a mix that follows the load.

Each way carries the same load, spares and zones included: what is held is sized for the highest load of each year, what
follows the load hour by hour. Bills are the same too: devices, storage, egress and support, as their worth today.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Values
from gpuplanner_gui.domain.constants import HOURS_PER_MONTH, HOURS_PER_YEAR
from gpuplanner_gui.domain.decision import CommitmentYear, LeverAnswer, TermAnswer, TermReason
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.advisor.case import (
    NAN,
    Advised,
    AdvisedRun,
    AdvisedService,
    added_devices,
    fleet_in_units,
    is_owned_already,
    owned_fleet,
    price_in_use,
    prices_on_term,
    stock_usd_per_hour,
    used_of_stock,
)
from gpuplanner_gui.engine.advisor.site_rules import is_purchase_beyond_site
from gpuplanner_gui.engine.cost.bill import (
    TERM_LENGTHS,
    FleetYears,
    PlanYears,
    YearlyBill,
    YearlyNeed,
    along_years,
    beside_month,
)
from gpuplanner_gui.engine.cost.commitment import CommitmentPlan, MixPrices, cheapest_commitment
from gpuplanner_gui.engine.cost.offers import Quote, price_of
from gpuplanner_gui.engine.cost.ownership import break_even_utilisation
from gpuplanner_gui.engine.cost.units import NO_STOCK, PaidFleet, paid_fleet
from gpuplanner_gui.engine.decision.fleet_years import (
    fleet_years,
    growth_of,
    interrupted_over_planned,
    need_in_units,
    need_over_years,
    quote_over_years,
    spot_run_factor,
    units_of,
)
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed, filled_share, paid_over_week, replicas_by_hour
from gpuplanner_gui.engine.training.job import WIDE_RECIPES
from gpuplanner_gui.engine.training.plan import training_plan

LeverCode = Literal["faster", "spot"]
NARROW_RECIPE = "fp8"
WORTH_SAYING = 1.02


def levers_of_run(case: AdvisedRun) -> tuple[LeverAnswer, ...]:
    """Each measure that is open to the recommended run, with what it saves alone and in turn."""
    price, hours = case.best.of("usd_per_device_hour"), case.best.of("device_hours")
    fixed = case.run_usd(0.0, price)
    base = case.run_usd(hours, price) - fixed
    if not 0 < base < math.inf or case.procurement != "rent_on_demand":
        return ()
    factors: dict[LeverCode, float] = {}
    narrow = (_usd_in_fp8(case) - fixed) / base
    if narrow * WORTH_SAYING < 1:
        factors["faster"] = narrow
    spot = price_in_use(case, "rent_spot")
    if case.workload.restartable and np.isfinite(spot) and (useful := spot * spot_run_factor(case)) < price:
        factors["spot"] = useful / price
    return lever_savings(base, factors)


def lever_savings(base_usd: float, factors: Mapping[LeverCode, float]) -> tuple[LeverAnswer, ...]:
    """What each measure saves of a cost, alone and after those before it; factors multiply. [USD]

    A run that takes half the hours on capacity at half the price costs a quarter. A negative saving is an extra cost.
    """
    left, found = base_usd, []
    for code, factor in factors.items():
        found.append(LeverAnswer(code=code, alone_usd=base_usd * (1 - factor), in_order_usd=left * (1 - factor)))
        left *= factor
    return tuple(found)


def _usd_in_fp8(case: AdvisedRun) -> float:
    """Bill of the run in FP8 on the accelerator of the plan, as many as are best then; infinite if not open. [USD]"""
    if case.workload.recipe not in WIDE_RECIPES:
        return math.inf
    hardware = msgspec.structs.replace(case.scenario.hardware, accelerators=(case.best.accelerator.id,))
    training = msgspec.structs.replace(case.workload, recipe=NARROW_RECIPE)
    scenario = msgspec.structs.replace(case.scenario, hardware=hardware, training=training)
    found = training_plan(scenario, case.context, lambda: None)
    if found.best < 0 or int(found.table.reason[found.best]) != Reason.NONE:
        return math.inf
    return float(found.table.usd_per_run[found.best])


MIXED: tuple[Procurement, ...] = ("rent_on_demand", *TERM_LENGTHS)
"""Terms that a mix may have."""
TERMS: tuple[Procurement, ...] = ("rent_on_demand", "rent_1y", "rent_3y", "rent_spot", "own")


def terms_over(case: Advised, need: YearlyNeed) -> Iterator[TermAnswer]:
    """Each term over the horizon: owned devices first, and others beyond them. What is held is paid for all the time,
    what is rented by the hour only in use."""
    economics, rate, bought = case.scenario.economics, cost_of_capital(case), fleet_years(case, need, "own")
    owned, is_beyond = bought.bill(economics), is_purchase_beyond_site(case)
    for term in TERMS:
        if term == "own":
            yield TermAnswer(
                term=term, paid_devices=float(owned_fleet(case)[0].devices[0]),
                usd_per_device_hour=price_in_use(case, "own"), usd=float(owned.present_usd(rate)),
                break_even_share=NAN, usd_by_year=tuple(owned.usd.tolist()),
                reason=_purchase_closed_by(float(owned.present_usd(rate)), is_beyond),
            )  # fmt: skip
            continue
        quote = quote_over_years(case, need, term)
        fleet = fleet_years(case, need, term, quote)
        rent, bill = quote.usd_per_hour * stranded_factor(case, quote, term), fleet.bill(economics)
        reason = _closed_by(case, term, rent, fleet)
        data, use = fleet.data_bill(economics).present_usd(rate), interrupted_over_planned(case, term)
        always = replace(fleet, owned_use=use, added_use=use).bill(economics).present_added_usd(rate)
        own_usd = NAN if is_beyond else owned.present_added_usd(rate) - _set_aside_usd(case, bought, fleet)
        yield TermAnswer(
            term=term,
            provider=quote.provider,
            by_the_hour_usd=_by_the_hour_usd(case, quote, term),
            lowest_usd=quote.low_usd,
            usd_per_device_hour=rent,
            paid_devices=float(_todays_fleet(case, quote, term).devices[0]),
            usd=NAN if reason in UNPAID else float(bill.present_usd(rate)),
            break_even_share=NAN if reason == "nothing_missing" else _break_even(own_usd - data, always - data),
            usd_by_year=() if reason in UNPAID else tuple(bill.usd.tolist()),
            reason=reason,
        )


UNPAID: tuple[TermReason, ...] = ("no_offer", "outlasts_horizon", "nothing_missing")
"""Why a term has no sum."""


def _break_even(owned_usd: Values, always_usd: Floats) -> float:
    """Share of the hours above which owning costs less; neither sum holds what is billed at any use, or what devices
    take that are owned already. [1]"""
    return float(np.maximum(break_even_utilisation(owned_usd, always_usd), 0.0))


def _set_aside_usd(case: Advised, bought: FleetYears, rented: FleetYears) -> Floats:
    """Worth today of running the owned devices that a rented fleet needs and a bought one sets aside. [USD]"""
    devices = rented.owned_devices - bought.owned_devices
    each = stock_usd_per_hour(case, prices_on_term(case, "own").units.stock) if devices.any() else 0.0
    usd = devices * each * along_years(rented.need.years.lengths * HOURS_PER_YEAR, devices[0])
    return YearlyBill(rented.need.years, usd).present_usd(cost_of_capital(case))


def cost_of_capital(case: Advised) -> float:
    return central(case.scenario.economics.ownership.cost_of_capital)


def _purchase_closed_by(usd: float, is_beyond_site: bool) -> TermReason:
    if not math.isfinite(usd):
        return "no_purchase_price"
    return "site_too_small" if is_beyond_site else ""


def _closed_by(case: Advised, term: Procurement, rent: float, fleet: FleetYears) -> TermReason:
    """Why a rental is not open; spot capacity is for what may be interrupted."""
    if not fleet.is_added.any():
        return "nothing_missing"
    if not np.isfinite(rent):
        return "no_offer"
    job = case.scenario.serving if isinstance(case, AdvisedService) else case.scenario.training
    if term == "rent_spot" and (job is None or not job.restartable):
        return "must_not_stop"
    return "" if TERM_LENGTHS.get(term, 0) <= fleet.need.horizon_years else "outlasts_horizon"


def _by_the_hour_usd(case: Advised, quote: Quote, term: Procurement) -> float:
    """On-demand price of the instances that the fleet is rented in: other sizes of an offer have prices of their own.
    [USD/h]"""
    if quote.offer is None:
        return quote.of("rent_on_demand")
    fleet = _todays_fleet(case, quote, term)
    offer = quote.in_instances_of(float(fleet.unit_devices[0])).offer
    return quote.of("rent_on_demand") if offer is None else price_of(offer, "rent_on_demand")


def stranded_factor(case: Advised, quote: Quote, term: Procurement, devices: float | None = None) -> float:
    """What a device in use costs of the planned fleet, or of so many together, over the offer's price: whole instances
    are paid for. [1]"""
    if devices is None:
        fleet = _todays_fleet(case, quote, term)
    else:
        units, one = replace(units_of(case, quote, term), stock=NO_STOCK), np.ones(1)
        fleet = paid_fleet(units, np.zeros(1, np.int64), one, one * devices, is_one_job=True)
    return float(fleet.usd_per_device_hour[0]) / quote.usd_per_hour if quote.usd_per_hour else 1.0


def _todays_fleet(case: Advised, quote: Quote, term: Procurement) -> PaidFleet:
    """Today's fleet in an offer's instances beside owned devices; instead of them where all are owned."""
    units = units_of(case, quote, term)
    return fleet_in_units(case, replace(units, stock=NO_STOCK) if is_owned_already(case) else units)


def open_terms(economics: Economics) -> tuple[Procurement, ...]:
    """Terms that end within the planner's horizon."""
    horizon = central(economics.horizon_years)
    terms = tuple(term for term in TERMS if term != "rent_spot" and TERM_LENGTHS.get(term, 0) <= horizon)
    is_worn = central(economics.ownership.useful_life_years) <= horizon + 1
    return terms if is_worn else tuple(term for term in terms if term != "own")


def cheapest_mix(
    case: Advised, need: NDArray[Any], offers: tuple[MixPrices, ...], years: PlanYears
) -> CommitmentPlan | None:
    """The cheapest mix of one provider's terms, support included; None where nobody rents the device out."""
    economics = case.scenario.economics
    found = cheapest_commitment(need, years, offers, central(economics.price_trend_per_year), cost_of_capital(case))
    return None if found is None else replace(found, usd=found.usd * (1.0 + central(economics.renting.support_share)))


def service_mix(case: AdvisedService, need: YearlyNeed) -> CommitmentPlan | None:
    """The cheapest mix of one provider's terms for the service's load over the years, beside what is owned; its units
    are replicas. None where nobody rents the device out."""
    found = (_mix_of(case, fleet, quote) for quote, fleet in _mixed_fleets(case, need))
    rate = cost_of_capital(case)
    known = [one for one in found if one is not None]
    return min(known, key=lambda one: float(one.present_usd(need.years, rate).sum()), default=None)


def _mixed_fleets(case: AdvisedService, need: YearlyNeed) -> Iterator[tuple[Quote, FleetYears]]:
    """Offers of which a part may be rented by the hour, each with the fleet held in its instances: what suits the years
    by the hour, and what suits today's fleet on any term."""
    over_years = quote_over_years(case, need, "rent_on_demand")
    replicas = (added_devices(case) or case.devices) / case.devices_together
    today = _mixing_quotes(case, case.devices_together, replicas)
    for quote in (over_years, *(one for one in today if one != over_years)):
        yield quote, fleet_years(case, need, "rent_on_demand", quote)


def _mix_of(case: AdvisedService, fleet: FleetYears, quote: Quote) -> CommitmentPlan | None:
    owned, hourly, years = fleet.owned_devices / case.devices_together, _rented_by_hour(case, fleet), fleet.need.years
    offer = _mix_prices(case, quote, _usd_factor_of_replica(case, fleet, quote)) if hourly.any() else MixPrices(0.0)
    mix = cheapest_mix(case, hourly, (offer,), years)
    if mix is None or not owned.any():
        return mix
    return mix.beside_owned(owned, years, fleet.owned_usd_per_hour)


def owned_first(case: AdvisedService, need: YearlyNeed) -> FleetYears:
    """The service rented by the hour beside what is owned."""
    return fleet_years(case, need, "rent_on_demand")


def data_bill(case: AdvisedService, need: YearlyNeed) -> YearlyBill:
    """What a provider bills beside the devices of a service, in years that rent any."""
    return owned_first(case, need).data_bill(case.scenario.economics)


def commitments_over(case: AdvisedService, need: YearlyNeed) -> tuple[tuple[CommitmentYear, ...], float]:
    """The cheapest mix of terms for the load over the horizon, by year, and its present value."""
    mix = service_mix(case, need)
    if mix is None or not owned_first(case, need).is_added.any():
        return (), NAN
    data, rate = data_bill(case, need), cost_of_capital(case)
    present = float(mix.present_usd(need.years, rate).sum() + data.present_usd(rate))
    hourly = mix.on_demand_usd_per_h / case.devices_together
    return tuple(_commitment_years(mix, mix.usd.sum(axis=0) + data.usd, hourly)), present


def _commitment_years(found: CommitmentPlan, bills: Floats, hourly: float) -> Iterator[CommitmentYear]:
    three, one = (found.reserved_units(term) for term in (3, 1))
    flexible = found.units_by_the_hour()
    for year, usd in enumerate(bills):
        yield CommitmentYear(
            three_years=int(three[year]), one_year=int(one[year]),
            by_the_hour=int(flexible[year]), usd=float(usd), provider=found.provider, quoted_by=found.quoted_by,
            on_demand_usd_per_device_hour=hourly,
        )  # fmt: skip


def mix_today(case: AdvisedService, first: CommitmentYear) -> tuple[float, float]:
    """Replicas rented by the hour at today's peak beside those that the first year reserves, and the bill of a month at
    today's load. [1, USD/month]"""
    units = prices_on_term(case, "rent_on_demand").units
    owned = used_of_stock(case, units)
    owned_usd = owned * stock_usd_per_hour(case, units.stock) if owned else 0.0

    def of_offer(quote: Quote, fleet: FleetYears) -> tuple[float, float]:
        need = _need_in_use(case, fleet, owned / case.devices_together)
        paid = paid_over_week(case.workload.traffic, need, np.array([case.peak_rate_per_s]))[0]
        further = np.maximum(paid - owned / case.devices_together - first.three_years - first.one_year, 0.0)
        prices = _mix_prices(case, quote, _usd_factor_of_replica(case, fleet, quote))
        reserved = (first.three_years, prices.three_year_usd_per_h), (first.one_year, prices.one_year_usd_per_h)
        by_the_hour = owned_usd + further.mean() * prices.on_demand_usd_per_h
        return sum((count * usd for count, usd in reserved if count), by_the_hour), float(further.max())

    fleets = _mixed_fleets(case, need_over_years(case))
    least, more = min(of_offer(*one) for one in fleets if one[0].provider == first.provider)
    beside = beside_month(case.scenario.economics, "rent_on_demand")
    return more, float(beside.billed_usd(least * HOURS_PER_MONTH, owned_usd * HOURS_PER_MONTH))


def _usd_factor_of_replica(case: AdvisedService, fleet: FleetYears, quote: Quote) -> float:
    """What a rented replica costs over the offer's price of a device, in the year whose whole instances leave the least
    over. [1]"""
    rented = fleet.need.devices - fleet.owned_devices
    factors = fleet.added_usd_per_hour[rented > 0] / rented[rented > 0]
    is_priced = quote.usd_per_hour and len(factors)
    return case.devices_together * (float(factors.min()) / quote.usd_per_hour if is_priced else 1.0)


def mixed_offers(case: Advised, devices: float, parts: float = 1.0) -> tuple[MixPrices, ...]:
    """What each provider of which a part may be rented by the hour asks for so many devices in use, which are not
    parted (a run's), or for one of the parts of these."""
    return tuple(
        _mix_prices(case, one, devices / parts * stranded_factor(case, one, "rent_on_demand", devices))
        for one in _mixing_quotes(case, devices, 1.0)
    )


def _mixing_quotes(case: Advised, together: float, replicas: float) -> tuple[Quote, ...]:
    economics = case.scenario.economics
    reserved = _reserved_terms(economics)
    return case.context.offers.mixing_quotes(case.best.accelerator, economics, reserved, together, replicas)


def _reserved_terms(economics: Economics) -> list[Procurement]:
    return [term for term in open_terms(economics) if term in TERM_LENGTHS]


def _mix_prices(case: Advised, quote: Quote, devices: float) -> MixPrices:
    """An offer's prices of so many devices; a term that it does not state, or that would outlast the plan, is not to be
    had."""
    reserved = _reserved_terms(case.scenario.economics)
    usd = {term: quote.of(term) if term in reserved and quote.of(term) > 0 else np.inf for term in TERM_LENGTHS}
    hourly, one_year, three_years = quote.of("rent_on_demand"), usd["rent_1y"], usd["rent_3y"]
    quoted = tuple((TERM_LENGTHS.get(term, 0), one.provider) for term, one in quote.quoted.items() if term in MIXED)
    return MixPrices(hourly * devices, one_year * devices, three_years * devices, quote.provider, quoted)


def need_by_hour(case: AdvisedService, need: YearlyNeed) -> Floats:
    """Replicas that are paid for on average in each hour of the horizon, sized as those that are held.

    The service has opened: hours before that would be free for what is rented and not for what is held.
    """
    fleet = owned_first(case, need)
    rented = _rented_by_hour(case, fleet)
    return np.asarray(rented + _in_hours(fleet.owned_devices / case.devices_together, len(rented)))


def _in_hours(of_years: Floats, hours: int) -> Floats:
    return np.repeat(of_years, HOURS_PER_YEAR)[:hours]


def _rented_by_hour(case: AdvisedService, fleet: FleetYears) -> Floats:
    """Replicas in use that are rented in each hour of the horizon beside those that are owned in its year."""
    hours, owned = round(fleet.need.horizon_years * HOURS_PER_YEAR), fleet.owned_devices / case.devices_together
    of_year, found = _in_hours(owned, hours), np.zeros(hours)
    for count in np.unique(owned):
        need = _need_in_use(case, fleet, float(count))
        paid = replicas_by_hour(case.workload, need, case.peak_rate_per_s, hours, growth_of(case))
        found = np.where(of_year == count, paid - count, found)
    return np.asarray(np.nan_to_num(found))


def _need_in_use(case: AdvisedService, fleet: FleetYears, owned: float) -> ServiceNeed:
    """The need beside so many owned replicas in rented units, as filled as in the year that leaves the least over: what
    a device in use costs is spread so."""
    need, rented = need_in_units(case, fleet, owned), fleet.need.devices - fleet.owned_devices
    filled = filled_share(rented[rented > 0] / case.devices_together, need.per_unit)
    return replace(need, filled=np.array([filled.max()])) if len(filled) else need
