"""Rules about terms of procurement, what is paid for and not used, and what an API would cost instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.constants import MONTHS_PER_YEAR
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Reason, ServingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.verdict import Finding, Remedy
from gpuplanner_gui.engine.advisor.case import (
    NOTE,
    WARNING,
    Advised,
    AdvisedService,
    added_devices,
    finding,
    fleet_on_term,
    is_held,
    price_in_use,
    prices_on_term,
    quote_of,
    remedy,
    stock_usd_per_hour,
    used_of_stock,
)
from gpuplanner_gui.engine.advisor.lifted_rules import USD, Freed, formats_of, freed
from gpuplanner_gui.engine.advisor.site_rules import is_purchase_beyond_site
from gpuplanner_gui.engine.cost.apis import api_alternatives
from gpuplanner_gui.engine.cost.bill import TERM_LENGTHS
from gpuplanner_gui.engine.cost.offers import LEAST_PROVIDERS
from gpuplanner_gui.engine.cost.prices import with_network
from gpuplanner_gui.engine.decision.fleet_years import committed_usd_per_year, fleet_years, need_over_years
from gpuplanner_gui.engine.decision.resource_use import cost_shares
from gpuplanner_gui.engine.decision.ways_to_pay import (
    commitments_over,
    cost_of_capital,
    mix_today,
    open_terms,
)
from gpuplanner_gui.engine.fleet.cold_start import cold_start_of
from gpuplanner_gui.engine.model.table_memory import free_share
from gpuplanner_gui.engine.serving.candidates import searched_kv_precisions, serving_candidates
from gpuplanner_gui.engine.serving.plan import planned

WORTH_CHANGING = 0.95
FOLLOWING_CODES = ("follow_the_load", "switch_off", "follow_the_load_then_reserve")
FABRIC_SHARE = 0.08
FABRIC_USE = 0.25
SMALL_USE = 0.3
STRANDED_SHARE = 0.1
SMALL_MEMORY_USE = 0.6


def cheaper_terms(case: AdvisedService) -> Iterator[Finding]:
    """The same fleet costs less on another term that ends within the horizon; of a provider, against its own hour.

    The remedy promises the plan that follows, which may be of another device.
    """
    economics, price = case.scenario.economics, case.best.of("usd_per_device_hour")
    if case.procurement == "rent_spot" or not case.best.meets_targets:
        return
    terms = [one for one in open_terms(economics) if one != case.procurement]
    offers = {term: price_in_use(case, term) for term in terms if term != "own" or not is_purchase_beyond_site(case)}
    offers = {term: usd for term, usd in offers.items() if usd < WORTH_CHANGING * _compared(case, term, price)}
    if not offers:
        return
    term = min(offers, key=lambda name: offers[name])
    cost = case.best.of("usd_per_month")
    after = case.month_usd(term)
    if not after < WORTH_CHANGING * cost:
        return
    edits = {"economics.serving_procurement": term}
    found = freed(case, edits)
    cure = None if found is None else planned_so(case, found, "change_terms_to", edits, term=term)
    values: dict[str, float | str] = {
        "device": case.best.accelerator.name, "devices": case.best.of("devices"), "term": term,
        "price_usd_per_hour": price, "other_usd_per_hour": offers[term], "saved_share": 1 - after / cost,
    }  # fmt: skip
    provider = "" if term == "own" else quote_of(case, economics, term).provider
    code = "cheaper_terms_at" if provider else "cheaper_terms"
    yield finding(code, "serving", WARNING, values | ({"provider": provider} if provider else {}), cost - after, cure)


def term_outlasts_horizon(case: Advised) -> Iterator[Finding]:
    """Capacity is reserved for longer than the plan looks ahead: all of the term is owed."""
    economics, term, workload = case.scenario.economics, case.procurement, case.best.workload
    horizon = central(economics.horizon_years)
    years = TERM_LENGTHS.get(term, 0)
    if not years > horizon or not is_held(case) or not np.isfinite(yearly := committed_usd_per_year(case)):
        return
    values = {"commitment_usd": years * yearly, "term_years": float(years), "horizon_years": horizon}
    costs = {
        one: usd
        for one in open_terms(economics)
        if one != "own" and np.isfinite(usd := price_in_use(case, one) * case.paid_hours_per_year(one))
    }
    cure = None
    if costs:
        shorter = min(costs, key=lambda one: costs[one])
        path, metric = f"economics.{workload}_procurement", f"{workload}.years_beyond_horizon"
        cure = remedy("change_terms", {path: shorter}, metric, years - horizon, 0.0, term=shorter)
    owed_usd = yearly / MONTHS_PER_YEAR if workload == "serving" else (years - horizon) * yearly
    yield finding("term_outlasts_horizon", workload, WARNING, values, owed_usd, cure)


def _compared(case: AdvisedService, term: Procurement, price: float) -> float:
    """What a term must stay under to be the cheaper one: the plan's price, and its own provider's hour. [USD/h]"""
    hourly = quote_of(case, case.scenario.economics, term).of("rent_on_demand") if term in TERM_LENGTHS else np.inf
    return min(price, hourly) if np.isfinite(hourly) else price


def always_on_base(case: AdvisedService) -> Iterator[Finding]:
    """The cheapest mix of reserved and hourly capacity over the horizon, against the fleet on the plan's own term; its
    money is that of a month at today's load, as the plan's is.

    Where all of it is reserved there is nothing to start and stop: that is `cheaper_terms`.
    """
    economics = case.scenario.economics
    is_rented = case.procurement in ("rent_on_demand", *TERM_LENGTHS)
    if not is_rented or not case.best.meets_targets or not case.working_replicas >= 2:
        return
    need = need_over_years(case)
    years, mixed = commitments_over(case, need)
    bill = fleet_years(case, need, case.procurement).bill(economics)
    if not years or not mixed < WORTH_CHANGING * float(bill.present_usd(cost_of_capital(case))):
        return
    first, cost = years[0], case.best.of("usd_per_month")
    base = float(first.three_years + first.one_year)
    more, month = mix_today(case, first)
    if not more or not month < WORTH_CHANGING * cost:
        return
    saved = 1 - month / cost
    owned = used_of_stock(case, prices_on_term(case, "rent_on_demand").units) / case.devices_together
    values: dict[str, float | str] = {
        "base": base, "more": more, "peak": owned + base + more, "mixed_usd_per_month": month, "saved_share": saved,
        "mean_over_peak_share": case.mean_over_peak, "mean_per_s": case.mean_rate_per_s,
        "peak_per_s": case.peak_rate_per_s, "provider": first.provider,
        "hour_usd_per_hour": first.on_demand_usd_per_device_hour,
    }  # fmt: skip
    if first.quoted_by is not None:
        values["quoted_by"] = first.quoted_by
    scaled, cure = _autoscaling(case, base)
    code = "follow_the_load" if base else "switch_off"
    further = scaled - month if cure.code == "autoscale_and_reserve" else 0.0
    if further > 0:
        code, saved = "follow_the_load_then_reserve", 1 - scaled / cost
        values |= {"further_usd_per_month": further, "scaled_usd_per_month": scaled, "scaled_share": saved}
    yield finding(code, "serving", NOTE, values, cost * saved, cure)


def planned_so(
    case: Advised, found: Freed, code: str, edits: dict[str, Any], **values: float | str
) -> Remedy:  # fmt: skip
    """A remedy that leads to another plan: its devices, cost, formats if others, and whether runs bear it out."""
    workload, usd = case.best.workload, USD[case.best.workload]
    if isinstance(case, AdvisedService) and isinstance(found.table, ServingTable):
        assert isinstance(case.best.table, ServingTable)
        formats = formats_of(case, found.table, found.row)
        values |= {} if formats == formats_of(case, case.best.table, case.best.row) else formats
    return remedy(
        code, edits, f"{workload}.{usd}", case.best.of(usd), found.usd,
        devices=found.of("devices"), device=case.context.accelerators[int(found.of("accelerator"))].name,
        is_borne_out=float(found.of("evidence_kind") <= EvidenceKind.PUBLISHED), **values,
    )  # fmt: skip


def _autoscaling(case: AdvisedService, base: float) -> tuple[float, Remedy]:
    """A month of the same fleet, all by the hour, and the plan that follows where that is the plan's term and saves
    enough; a mix of terms is made by hand.
    """
    start = msgspec.structs.replace(case.workload.start, is_autoscaled=True)
    scaled = replace(case, workload=msgspec.structs.replace(case.workload, start=start))
    after = scaled.month_usd()
    edits = {"serving.start.is_autoscaled": True}
    found = freed(case, edits) if after < WORTH_CHANGING * case.best.of("usd_per_month") else None
    if found is None:
        return after, remedy("autoscale" if base else "autoscale_rented", base=base)
    weight_bytes = found.of("weights_bytes") * found.of("devices_per_replica")
    start_s = cold_start_of(start, weight_bytes, 1).total_s
    code = "autoscale_and_reserve" if base else "autoscale_all"
    return after, planned_so(case, found, code, edits, base=base, start_s=start_s, replicas=found.of("replicas"))


def few_offers(case: Advised) -> Iterator[Finding]:
    """The price rests on fewer providers than bear one out, and no device with enough of them meets the targets."""
    if case.procurement == "own":
        return
    economics = case.scenario.economics
    quote = quote_of(case, economics, case.procurement)
    if not np.isfinite(quote.usd_per_hour):
        yield from _marketplace_only(case)
        return
    if quote.is_borne_out or not case.best.meets_targets:
        return
    values: dict[str, float | str] = {
        "device": case.best.accelerator.name, "providers": float(quote.providers), "provider": quote.provider,
        "price_usd_per_hour": quote.usd_per_hour, "needed": float(LEAST_PROVIDERS),
    }  # fmt: skip
    column = "usd_per_month" if case.best.workload == "serving" else "usd_per_run"
    yield finding("few_offers", case.best.workload, WARNING, values, 0.2 * case.best.of(column), remedy("ask_quotes"))


def stranded_devices(case: Advised) -> Iterator[Finding]:
    """Whole cards, nodes, racks or instances hold more devices than the plan uses, and all are paid for."""
    devices, paid, unit = (case.best.of(name) for name in ("devices", "paid_devices", "unit_devices"))
    if not paid - devices >= STRANDED_SHARE * paid:
        return
    cost = case.best.of("usd_per_month" if case.best.workload == "serving" else "usd_per_run")
    left = (paid - devices) / paid
    values = {"devices": devices, "paid_devices": paid, "unit_devices": unit, "left_share": left}
    yield finding("stranded_devices", case.best.workload, NOTE, values, left * cost if np.isfinite(cost) else 0.0)


def owned_first(case: Advised) -> Iterator[Finding]:
    """What the planner has already is used first; how much of it, and what is added: no run spans two sites."""
    units = prices_on_term(case, case.procurement).units
    owned, devices = units.stock, case.devices
    fed, held = float(owned.devices[0]), case.scenario.hardware.owned
    stock = float(sum(one.devices for one in held if one.accelerator == case.best.accelerator.id))
    if not stock or not np.isfinite(devices):
        return
    used = used_of_stock(case, units)
    if fed < stock and used < devices:
        beyond: dict[str, float | str] = {"device": case.best.accelerator.name, "stock": stock, "fed": fed}
        yield finding("owned_beyond_site", case.best.workload, NOTE, beyond)
    if not fed:
        return
    values: dict[str, float | str] = {
        "device": case.best.accelerator.name, "stock": stock, "used": used, "added": devices - used,
        "price_usd_per_hour": stock_usd_per_hour(case, owned),
        "added_usd_per_hour": _added_usd_per_hour(case) if devices > used else 0.0,
    }  # fmt: skip
    code = "owned_first" if devices > used else "owned_only"
    if case.best.workload == "training":
        code = f"{code}_run" if used else "owned_too_few_run"
    is_held = fed >= case.devices_together or (case.procurement == "own" and case.best.workload == "training")
    code = "owned_left_aside" if not used and is_held else code
    yield finding(code, case.best.workload, NOTE, values)


def _added_usd_per_hour(case: Advised) -> float:
    """An hour of all devices beside those that the planner has already. [USD/h]"""
    return case.devices * float(fleet_on_term(case, case.procurement).without_stock_usd.usd_per_device_hour[0])


def _marketplace_only(case: Advised) -> Iterator[Finding]:
    """Nobody but marketplaces rents the device out: their price is left to the planner to take."""
    lowest = msgspec.structs.replace(case.scenario.economics, price_level="low")
    quote = quote_of(case, lowest, case.procurement)
    if not np.isfinite(quote.usd_per_hour):
        return
    values: dict[str, float | str] = {
        "device": case.best.accelerator.name, "provider": quote.provider, "price_usd_per_hour": quote.usd_per_hour,
    }  # fmt: skip
    metric, devices = f"{case.best.workload}.unpriced_devices", case.best.of("devices")
    cure = remedy("take_marketplace_price", {"economics.price_level": "low"}, metric, devices, 0.0)
    yield finding("marketplace_only", case.best.workload, WARNING, values, remedy=cure)


def cheaper_api(case: AdvisedService) -> Iterator[Finding]:
    """The same requests cost less at an API, priced by the token."""
    cost = case.best.of("usd_per_month")
    found = api_alternatives(case.scenario, case.context.catalog, case.plan)
    if not found or not found[0].usd_per_month < WORTH_CHANGING * cost or found[0].price is None:
        return
    first, offer = found[0], found[0].price
    values = {
        "provider": offer.provider, "model": offer.name, "date": first.date, "usd_per_month": cost,
        "other_usd_per_month": first.usd_per_month, "saved_share": 1 - first.usd_per_month / cost,
    }  # fmt: skip
    yield finding("cheaper_api", "serving", NOTE, values, cost - first.usd_per_month, remedy("try_the_api"))


def unused_fabric(case: AdvisedService) -> Iterator[Finding]:
    """An owner pays for links between devices that a service hardly uses; nobody sells the links of a rented one."""
    if case.procurement != "own" or added_devices(case) <= 0:
        return
    who = int(case.best.table.accelerator[case.best.row])
    # Plain ports of boxes that no replica leaves carry requests, not what devices tell one another.
    leaves_box = case.devices_together > float(case.context.box_devices[who])
    if not leaves_box and float(prices_on_term(case, "own").units.devices[0, 0]) == 1:
        return  # the slots of cards are no links that anybody could do without
    network_usd = float(fleet_on_term(case, "own").network_usd[0]) if leaves_box else 0.0
    economics = with_network(case.scenario.economics, network_usd)
    share = cost_shares(case.context, economics, case.procurement, who).interconnect
    used = case.best.share("decode_interconnect_s", of="decode_step_s") * case.busy_share
    cost = case.best.of("usd_per_month")
    if share < FABRIC_SHARE or used > FABRIC_USE or not np.isfinite(cost):
        return
    unused = cost * share * (1 - used)
    values = {
        "fabric_share": share, "fabric_usd_per_month": cost * share, "used_share": used, "unused_usd_per_month": unused,
    }  # fmt: skip
    yield finding("unused_fabric", "serving", NOTE, values, unused)


def more_than_needed(case: AdvisedService) -> Iterator[Finding]:
    """The allowed devices are hardly used, and one that the planner left out would do for less."""
    hardware = case.scenario.hardware
    used = 1 - free_share(case.best.table, case.best.row)
    if not hardware.accelerators or case.busy_share > SMALL_USE or used > SMALL_MEMORY_USE:
        return
    if not case.best.meets_targets or case.best.of("devices_per_replica") > 2:
        return
    everything = msgspec.structs.replace(hardware, accelerators=())
    scenario = msgspec.structs.replace(case.scenario, hardware=everything)
    single = serving_candidates(
        len(case.context.devices), case.workload.weight_precisions,
        searched_kv_precisions(case.workload, case.scenario.model), 1,
    )  # fmt: skip
    answer = planned(scenario, case.context, single, lambda: None)
    cheapest = int(answer.table.order[0])
    cost, after = case.best.of("usd_per_month"), float(answer.table.usd_per_month[cheapest])
    if answer.table.reason[cheapest] != Reason.NONE or not after < 0.8 * cost:
        return
    entry = case.context.accelerators[int(answer.table.accelerator[cheapest])]
    edits = {"hardware.accelerators": (*hardware.accelerators, entry.id)}
    if case.again is not None:
        found = freed(case, edits)
        after = np.inf if found is None else found.usd
        if not after < 0.8 * cost:
            return
    cure = remedy("allow_device", edits, "serving.usd_per_month", cost, after, device=entry.name)
    values = {"busy_share": case.busy_share, "memory_share": used, "device": entry.name, "other_usd_per_month": after}
    yield finding("more_than_needed", "serving", WARNING, values, cost - after, cure)
