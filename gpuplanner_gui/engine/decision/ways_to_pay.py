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
    quote_of,
    stock_usd_per_hour,
    used_of_stock,
)
from gpuplanner_gui.engine.cost.bill import (
    TERM_LENGTHS,
    PlanYears,
    YearlyBill,
    YearlyNeed,
    beside_month,
    bill_on_term,
    billed,
)
from gpuplanner_gui.engine.cost.commitment import CommitmentPlan, MixPrices, cheapest_commitment
from gpuplanner_gui.engine.cost.offers import Quote, price_of
from gpuplanner_gui.engine.cost.ownership import break_even_utilisation
from gpuplanner_gui.engine.cost.units import NO_STOCK, PaidFleet, Units, paid_fleet
from gpuplanner_gui.engine.fleet.service_need import (
    BY_THE_HOUR,
    ServiceNeed,
    can_be_stopped,
    paid_over_week,
    replicas_by_hour,
    running_by_year,
)
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.training.run import checkpointing_of_row


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


LeverCode = Literal["faster", "spot"]
WIDE_RECIPES = ("bf16", "fp16")
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


TERMS: tuple[Procurement, ...] = ("rent_on_demand", "rent_1y", "rent_3y", "rent_spot", "own")


def owned_bill(case: Advised, need: YearlyNeed, usd_per_device_hour: float | None = None) -> YearlyBill:
    """What owning comes to in each year, with the network of the fleet that is bought; at its price or another."""
    fleet, _ = owned_fleet(case)
    usd = float(fleet.usd_per_device_hour[0]) if usd_per_device_hour is None else usd_per_device_hour
    return bill_on_term(need, case.scenario.economics, "own", lambda _: usd)


def terms_over(case: Advised, need: YearlyNeed) -> Iterator[TermAnswer]:
    """Each term over the horizon: what is held is paid for all the time, what is rented by the hour only in use."""
    economics, own_usd = case.scenario.economics, price_in_use(case, "own")
    fleet, _ = owned_fleet(case)
    rate = cost_of_capital(case)
    owned, data = owned_bill(case, need), data_bill(case, need).present_usd(rate)
    for term in TERMS:
        if term == "own":
            bill = owned
            yield TermAnswer(
                term=term, paid_devices=float(fleet.devices[0]),
                usd_per_device_hour=own_usd, usd=float(bill.present_usd(rate)), break_even_share=NAN,
                usd_by_year=tuple(bill.usd.tolist()),
                reason="" if np.isfinite(bill.present_usd(rate)) else "no_purchase_price",
            )  # fmt: skip
            continue
        quote = quote_of(case, economics, term)
        rent = quote.usd_per_hour * stranded_factor(case, quote, term)
        bill = rented_bill(case, need, term, quote)
        always = rented_bill(case, need, term, quote, interrupted_over_planned(case, term))
        is_open = np.isfinite(rent) and TERM_LENGTHS.get(term, 0) <= need.horizon_years
        yield TermAnswer(
            term=term,
            provider=quote.provider,
            by_the_hour_usd=_by_the_hour_usd(case, quote, term),
            usd_per_device_hour=rent,
            paid_devices=float(fleet_in_units(case, units_of(case, quote, term)).devices[0]),
            usd=float(bill.present_usd(rate)) if is_open else NAN,
            break_even_share=_break_even(owned.present_usd(rate) - data, always.present_usd(rate) - data),
            usd_by_year=tuple(bill.usd.tolist()) if is_open else (),
            reason=_closed_by(case, term, rent, is_open),
        )


def _break_even(owned_usd: Floats, always_usd: Floats) -> float:
    """Share of the hours above which owning costs less; neither sum holds what is billed at any use. [1]"""
    return float(np.maximum(break_even_utilisation(owned_usd, always_usd), 0.0))


def cost_of_capital(case: Advised) -> float:
    return central(case.scenario.economics.ownership.cost_of_capital)


def _closed_by(case: Advised, term: Procurement, rent: float, is_open: bool) -> TermReason:
    """Why a rental is not open; spot capacity is for what may be interrupted."""
    if not np.isfinite(rent):
        return "no_offer"
    job = case.scenario.serving if isinstance(case, AdvisedService) else case.scenario.training
    if term == "rent_spot" and (job is None or not job.restartable):
        return "must_not_stop"
    return "" if is_open else "outlasts_horizon"


def _by_the_hour_usd(case: Advised, quote: Quote, term: Procurement) -> float:
    """On-demand price of the instances that the fleet is rented in: other sizes of an offer have prices of their own.
    [USD/h]"""
    if quote.offer is None:
        return quote.of("rent_on_demand")
    fleet = fleet_in_units(case, units_of(case, quote, term))
    offer = quote.in_instances_of(float(fleet.unit_devices[0])).offer
    return quote.of("rent_on_demand") if offer is None else price_of(offer, "rent_on_demand")


def units_of(case: Advised, quote: Quote, term: Procurement) -> Units:
    """The instances of an offer, beside what the planner owns; instead of it where all is owned."""
    stock = replace(prices_on_term(case, term).units.stock, joins=None)
    return Units.of([quote.sizes], [quote.is_single], stock=NO_STOCK if is_owned_already(case) else stock)


def stranded_factor(case: Advised, quote: Quote, term: Procurement, devices: float | None = None) -> float:
    """What a device in use costs of the planned fleet, or of so many together, over the offer's price: whole instances
    are paid for. [1]"""
    units, one = units_of(case, quote, term), np.ones(1)
    if devices is None:
        fleet = fleet_in_units(case, units)
    else:
        fleet = paid_fleet(units, np.zeros(1, np.int64), one, one * devices, is_one_job=True)
    return float(fleet.usd_per_device_hour[0]) / quote.usd_per_hour if quote.usd_per_hour else 1.0


def rented_factor(case: Advised, quote: Quote) -> float:
    """What a rented device of the planned fleet costs over the offer's price, beside owned ones. [1]"""
    fleet = fleet_in_units(case, units_of(case, quote, "rent_on_demand"))
    rented = fleet.rented_usd_per_device_hour(np.array([case.devices]))
    return float(rented[0]) / quote.usd_per_hour if quote.usd_per_hour else 1.0


def interrupted_over_planned(case: Advised, term: Procurement) -> float:
    """Device time of the runs on a term over that of the plan: spot capacity is taken away in between. [1]"""
    if isinstance(case, AdvisedService) or (term == "rent_spot") == (case.procurement == "rent_spot"):
        return 1.0
    stretch = spot_run_factor(case)
    return stretch if term == "rent_spot" else 1.0 / stretch


def open_terms(economics: Economics) -> tuple[Procurement, ...]:
    """Terms that end within the planner's horizon."""
    horizon = central(economics.horizon_years)
    terms = tuple(term for term in TERMS if term != "rent_spot" and TERM_LENGTHS.get(term, 0) <= horizon)
    is_worn = central(economics.ownership.useful_life_years) <= horizon + 1
    return terms if is_worn else tuple(term for term in terms if term != "own")


def rented_bill(
    case: Advised, need: YearlyNeed, term: Procurement, quote: Quote, use: Values | None = None
) -> YearlyBill:
    """What one provider bills in each year: shorter terms, where the longest would outlast the plan, at its prices; for
    the hours in which it is paid for, or a share of them all."""
    economics, stranded = case.scenario.economics, stranded_factor(case, quote, term)
    if use is None:
        use = paid_by_year(case, need, term, fleet_in_units(case, units_of(case, quote, term)))
    trend = central(economics.price_trend_per_year)
    return bill_on_term(need, economics, term, lambda one: quote.of(one) * stranded, trend, use)


def use_share(case: Advised) -> float:
    """Share of the hours in which the fleet is needed: those of the runs for training, all of them for a
    service that is not autoscaled."""
    return float(np.clip(case.hours_per_year / HOURS_PER_YEAR, 1e-6, 1.0))


def paid_by_year(case: Advised, need: YearlyNeed, term: Procurement, fleet: PaidFleet) -> Values:
    """What is paid for in each year over all that it needs at the price of the planned fleet, as it is on a term. [1]

    Replicas that are stopped follow the load through the year; a fleet for the year's highest load is what they reach.
    Owned ones are not stopped, and more of them than today's are not to be had.
    """
    if term not in BY_THE_HOUR:
        return 1.0
    if isinstance(case, AdvisedRun):
        return use_share(case) * interrupted_over_planned(case, term)
    paid = need.devices
    if can_be_stopped(case.workload, term):
        of_each = ServiceNeed.of(case.plan.served, np.array([case.best.row]), case.workload, fleet)
        growth = np.array([growth_of(case)])
        running = running_by_year(case.workload, of_each, case.peak_rate_per_s, need.years, growth)[:, 0]
        paid = running * case.devices_together
    return fleet.paid_over_planned(np.array([case.devices]), need.devices, paid)


def need_over_years(case: Advised) -> YearlyNeed:
    """Devices of the recommended fleet in each year of the horizon, sized as the plan's own fleet is."""
    economics = case.scenario.economics
    if isinstance(case, AdvisedRun):
        devices = case.devices
        return YearlyNeed.of(economics, 0.0, lambda load: np.full(len(load), devices), is_service=False)
    replicas, each, peak = case.need, case.devices_together, case.peak_rate_per_s
    return YearlyNeed.of(
        economics, growth_of(case), lambda load: replicas.replicas(peak * load) * each, is_service=True
    )


def bill_over_todays(case: Advised) -> Floats:
    """Bill of each year on the plan's term, and on shorter ones where it would outlast the plan, over that of a year on
    the term at today's load and prices. [1]"""
    need = need_over_years(case)
    if case.procurement == "own":
        return np.asarray(np.maximum.accumulate(need.devices) / case.devices)
    quote = quote_of(case, case.scenario.economics, case.procurement)
    bill = rented_bill(case, need, case.procurement, quote).usd
    steady = _at_todays_load(case)
    first = rented_bill(steady, need_over_years(steady), case.procurement, quote).usd[0]
    todays = np.asarray(first / need.years.lengths[0] * need.years.lengths, np.float64)
    return np.divide(bill, todays, out=np.ones(len(bill)), where=np.isfinite(bill) & (todays > 0))


def _at_todays_load(case: Advised) -> Advised:
    """The same fleet where neither its load nor prices change."""
    economics = msgspec.structs.replace(case.scenario.economics, price_trend_per_year=0.0)
    case = replace(case, scenario=msgspec.structs.replace(case.scenario, economics=economics))
    if isinstance(case, AdvisedRun):
        return case
    traffic = msgspec.structs.replace(case.workload.traffic, growth_per_year=0.0)
    return replace(case, workload=msgspec.structs.replace(case.workload, traffic=traffic))


def growth_of(case: Advised) -> float:
    return central(case.workload.traffic.growth_per_year) if isinstance(case, AdvisedService) else 0.0


def cheapest_mix(
    case: Advised, need: NDArray[Any], offers: tuple[MixPrices, ...], years: PlanYears
) -> CommitmentPlan | None:
    """The cheapest mix of one provider's terms, support included; None where nobody rents the device out."""
    economics = case.scenario.economics
    found = cheapest_commitment(need, years, offers, central(economics.price_trend_per_year), cost_of_capital(case))
    return None if found is None else replace(found, usd=found.usd * (1.0 + central(economics.renting.support_share)))


def service_mix(case: AdvisedService, need: YearlyNeed) -> CommitmentPlan | None:
    """The cheapest mix for the service's load over the years beside what is owned; its units are replicas."""
    owned, usd_per_hour = owned_replicas(case)
    mix = cheapest_mix(case, np.maximum(need_by_hour(case, need) - owned, 0.0), mixed_offers(case), need.years)
    if mix is None or not owned:
        return mix
    support = 1.0 + central(case.scenario.economics.renting.support_share)
    return mix.beside_owned(round(owned), need.years, usd_per_hour * support)


def owned_replicas(case: AdvisedService) -> tuple[float, float]:
    """Replicas of a rented fleet on devices that are owned, and what they cost; none where nothing is rented.
    [1, USD/h]"""
    if is_owned_already(case):
        return 0.0, 0.0
    units = prices_on_term(case, "rent_on_demand").units
    owned = used_of_stock(case, units)
    return owned / case.devices_together, owned * stock_usd_per_hour(case, units.stock) if owned else 0.0


def data_bill(case: Advised, need: YearlyNeed) -> YearlyBill:
    """What a provider bills beside the devices of a service, were all of them rented."""
    return billed(need, case.scenario.economics, "rent_on_demand", np.zeros(len(need.load)))


def commitments_over(case: AdvisedService, need: YearlyNeed) -> tuple[tuple[CommitmentYear, ...], float]:
    """The cheapest mix of terms for the load over the horizon, by year, and its present value."""
    mix = service_mix(case, need)
    if mix is None:
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
            by_the_hour=int(flexible[year]), usd=float(usd), provider=found.provider,
            on_demand_usd_per_device_hour=hourly,
        )  # fmt: skip


def mix_today(case: AdvisedService, first: CommitmentYear) -> tuple[float, float]:
    """Replicas rented by the hour at today's peak beside those that the first year reserves, and the bill of a month at
    today's load. [1, USD/month]"""
    paid = paid_over_week(case.workload.traffic, case.need, np.array([case.peak_rate_per_s]))[0]
    owned, owned_usd_per_hour = owned_replicas(case)
    further = np.maximum(paid - owned - first.three_years - first.one_year, 0.0)

    def usd_per_hour(prices: MixPrices) -> float:
        reserved = (first.three_years, prices.three_year_usd_per_h), (first.one_year, prices.one_year_usd_per_h)
        by_the_hour = owned_usd_per_hour + further.mean() * prices.on_demand_usd_per_h
        return sum((count * usd for count, usd in reserved if count), by_the_hour)

    least = min(usd_per_hour(one) for one in mixed_offers(case) if one.provider == first.provider)
    beside = beside_month(case.scenario.economics, "rent_on_demand")
    return float(further.max()), float(beside.billed_usd(least * HOURS_PER_MONTH))


def mixed_offers(case: Advised, devices: float | None = None, parts: float = 1.0) -> tuple[MixPrices, ...]:
    """What each provider of which a part may be rented by the hour asks for devices in use: those that are not parted
    (a replica's, a run's), or so many, or one of the parts of these.

    A term that the offer does not state, or that would outlast the plan, is not to be had.
    """
    economics, together = case.scenario.economics, case.devices_together if devices is None else devices
    reserved = [term for term in open_terms(economics) if term in TERM_LENGTHS]

    def prices(quote: Quote) -> MixPrices:
        is_fleet = devices is None
        factor = rented_factor(case, quote) if is_fleet else stranded_factor(case, quote, "rent_on_demand", devices)
        each = together / parts * factor
        usd = {term: quote.of(term) if term in reserved and quote.of(term) > 0 else np.inf for term in TERM_LENGTHS}
        hourly, one_year, three_years = quote.of("rent_on_demand"), usd["rent_1y"], usd["rent_3y"]
        return MixPrices(hourly * each, one_year * each, three_years * each, quote.provider)

    offers, entry = case.context.offers, case.best.accelerator
    replicas = (added_devices(case) or case.devices) / together if devices is None else 1.0
    return tuple(prices(one) for one in offers.mixing_quotes(entry, economics, reserved, together, replicas))


def need_by_hour(case: AdvisedService, need: YearlyNeed) -> Floats:
    """Replicas that are paid for on average in each hour of the horizon, sized as those that are held.

    The service has opened: hours before that would be free for what is rented and not for what is held.
    """
    hours = round(need.horizon_years * HOURS_PER_YEAR)
    running = replicas_by_hour(case.workload, case.need, case.peak_rate_per_s, hours, growth_of(case))
    return np.nan_to_num(running)
