"""Rules about terms of procurement, what is paid for and not used, and levers on the cost of a service.

What a lever would save is found by planning again with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.preset import scaled
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.traffic import READING_TIME_S
from gpuplanner_gui.domain.verdict import Finding, Remedy
from gpuplanner_gui.engine.advisor.case import (
    NOTE,
    WARNING,
    Advised,
    AdvisedService,
    added_devices,
    finding,
    fleet_on_term,
    price_in_use,
    prices_on_term,
    remedy,
    used_of_stock,
)
from gpuplanner_gui.engine.advisor.lifted_rules import Freed, freed, with_edits
from gpuplanner_gui.engine.advisor.serving_rules import replanned
from gpuplanner_gui.engine.cost.bill import TERM_LENGTHS
from gpuplanner_gui.engine.cost.offers import LEAST_PROVIDERS, Quote
from gpuplanner_gui.engine.cost.prices import with_network
from gpuplanner_gui.engine.decision.resource_use import cost_shares
from gpuplanner_gui.engine.decision.ways_to_pay import (
    commitments_over,
    cost_of_capital,
    need_over_years,
    open_terms,
    rented_bill,
)
from gpuplanner_gui.engine.fleet.fleet_sizing import cold_start_of
from gpuplanner_gui.engine.model.smaller import smaller_models
from gpuplanner_gui.engine.model.table_memory import free_share
from gpuplanner_gui.engine.serving.candidates import searched_kv_precisions, serving_candidates
from gpuplanner_gui.engine.serving.plan import planned
from gpuplanner_gui.engine.serving.search_variants import tries_pools
from gpuplanner_gui.engine.uncertainty.distributions import representative_values

WORTH_CHANGING = 0.95
FABRIC_SHARE = 0.08
FABRIC_USE = 0.25
SMALL_USE = 0.3
STRANDED_SHARE = 0.1
SMALL_MEMORY_USE = 0.6


def cheaper_terms(case: AdvisedService) -> Iterator[Finding]:
    """The same fleet costs less on another term that ends within the horizon; of a provider, against its own hour."""
    economics, price = case.scenario.economics, case.best.of("usd_per_device_hour")
    if case.procurement == "rent_spot" or not case.best.meets_targets:
        return
    offers = {term: price_in_use(case, term) for term in open_terms(economics) if term != case.procurement}
    offers = {term: usd for term, usd in offers.items() if usd < WORTH_CHANGING * _compared(case, term, price)}
    if not offers:
        return
    term = min(offers, key=lambda name: offers[name])
    cost = case.best.of("usd_per_month")
    after = case.month_usd(case.best.of("devices"), offers[term], term)
    if not after < WORTH_CHANGING * cost:
        return
    cure = remedy(
        "change_terms", {"economics.serving_procurement": term}, "serving.usd_per_month", cost, after, term=term
    )
    values: dict[str, float | str] = {
        "term": term, "price_usd_per_hour": price, "other_usd_per_hour": offers[term], "saved_share": 1 - after / cost,
    }  # fmt: skip
    provider = "" if term == "own" else quote_of(case, economics, term).provider
    code = "cheaper_terms_at" if provider else "cheaper_terms"
    yield finding(code, "serving", WARNING, values | ({"provider": provider} if provider else {}), cost - after, cure)


def _compared(case: AdvisedService, term: Procurement, price: float) -> float:
    """What a term must stay under to be the cheaper one: the plan's price, and its own provider's hour. [USD/h]"""
    hourly = quote_of(case, case.scenario.economics, term).of("rent_on_demand") if term in TERM_LENGTHS else np.inf
    return min(price, hourly) if np.isfinite(hourly) else price


def quote_of(case: Advised, economics: Economics, term: Procurement) -> Quote:
    """What providers ask for the recommended device on a term."""
    return case.context.offers.quote(case.best.accelerator, term, economics)


def always_on_base(case: AdvisedService) -> Iterator[Finding]:
    """The cheapest mix of reserved and hourly capacity over the horizon, against the fleet on the plan's own term.

    Where all of it is reserved there is nothing to start and stop: that is `cheaper_terms`.
    """
    economics = case.scenario.economics
    is_rented = case.procurement in ("rent_on_demand", *TERM_LENGTHS)
    if not is_rented or not case.best.meets_targets or not case.working_replicas >= 2:
        return
    need = need_over_years(case)
    years, mixed = commitments_over(case, need)
    quote, paid_share = quote_of(case, economics, case.procurement), case.running_share(case.procurement)
    bill = rented_bill(case, need, case.procurement, quote, paid_share)
    planned_usd = float(bill.present_usd(cost_of_capital(case)))
    if not years or not mixed < WORTH_CHANGING * planned_usd:
        return
    first, cost, saved = years[0], case.best.of("usd_per_month"), 1 - mixed / planned_usd
    base = float(first.three_years + first.one_year)
    if not first.by_the_hour:
        return
    values: dict[str, float | str] = {
        "base": base, "more": float(first.by_the_hour), "peak": base + first.by_the_hour,
        "mixed_usd_per_month": cost * (1 - saved), "saved_share": saved,
        "mean_over_peak_share": case.mean_over_peak, "mean_per_s": case.mean_rate_per_s,
        "peak_per_s": case.peak_rate_per_s, "provider": first.provider,
    }  # fmt: skip
    cure = _autoscaling(case, base)
    code = "follow_the_load" if base else "switch_off"
    further = cure.after - cost * (1 - saved) if cure.code == "autoscale_and_reserve" else 0.0
    if further > 0:
        code, saved = "follow_the_load_then_reserve", 1 - cure.after / cost
        values |= {"further_usd_per_month": further, "scaled_usd_per_month": cure.after, "scaled_share": saved}
    yield finding(code, "serving", NOTE, values, cost * saved, cure)


def _autoscaling(case: AdvisedService, base: float) -> Remedy:
    """All by the hour, where that is the plan's term and saves enough; a mix of terms is made by hand."""
    start = msgspec.structs.replace(case.workload.start, is_autoscaled=True)
    scaled = replace(case, workload=msgspec.structs.replace(case.workload, start=start))
    cost = case.best.of("usd_per_month")
    after = scaled.month_usd(case.best.of("devices"), case.best.of("usd_per_device_hour"))
    if not after < WORTH_CHANGING * cost:
        return remedy("autoscale", base=base)
    weight_bytes = case.best.of("weights_bytes") * case.devices_together
    return remedy(
        "autoscale_and_reserve" if base else "autoscale_all", {"serving.start.is_autoscaled": True},
        "serving.usd_per_month", cost, after,
        base=base, start_s=cold_start_of(start, weight_bytes, 1).total_s,
    )  # fmt: skip


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
    """What the planner has already is used first; how much of it, and what is added."""
    owned = prices_on_term(case, case.procurement).units.stock
    stock, devices = float(owned.devices[0]), case.best.of("devices")
    if not stock or not np.isfinite(devices):
        return
    used = used_of_stock(case, owned)
    values: dict[str, float | str] = {
        "device": case.best.accelerator.name, "stock": stock, "used": used, "added": devices - used,
        "price_usd_per_hour": float(owned.usd_per_device_hour[0]),
    }  # fmt: skip
    code = "owned_first" if devices > used else "owned_only"
    code = code if case.best.workload == "serving" else f"{code}_run"
    yield finding(code, case.best.workload, NOTE, values)


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


def unused_fabric(case: AdvisedService) -> Iterator[Finding]:
    """An owner pays for links between devices that a service hardly uses; nobody sells the links of a rented one."""
    if case.procurement != "own":
        return
    who = int(case.best.table.accelerator[case.best.row])
    # Plain ports of boxes that no replica leaves carry requests, not what devices tell one another.
    leaves_box = case.devices_together > float(case.context.box_devices[who])
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


WORTH_SAYING = 0.1
"""Least saving, as a share of the monthly cost, that is worth a change of the service."""
SHORTER = 0.75
"""Length of shortened answers, as a share. Our choice: the finding asks to check that answers still suffice."""
SHARED = 0.3
"""Share of a prompt that begins like the others: a system prompt and a few examples before a question."""
FEWER = 2 / 3
"""Denoising steps that are left, as a share. Our choice: the finding asks to compare pictures first."""
MANY_STEPS = 20
"""Fewest denoising steps that are worth cutting. Models distilled to fewer are left as they are."""
LONG_PROMPT = 256.0
LOOSER = 1.5
"""Length of a latency target that is looked at besides. Our choice: it shows where a target alone makes the fleet."""
DRAFTED = 3
DRAFTING = ("vllm", "sglang", "trtllm")
FULL_BATCH = 0.5
NARROWER = ("fp8", "int8", "int4")


@dataclass(frozen=True)
class Lever:
    """A change of the service; `edits` is empty where it does not apply."""

    code: str
    edits: Callable[[AdvisedService], dict[str, Any]]
    is_for_other_candidates: bool = False
    """Candidates that the present plan does not hold come with it."""


def _shorter_answers(case: AdvisedService) -> dict[str, Any]:
    return {
        f"serving.classes[{row}].output_tokens": scaled(one.output_tokens, SHORTER)
        for row, one in enumerate(case.workload.classes)
        if one.request == "text" and central(one.output_tokens) > 1 / SHORTER
    }


def _shared_prefix(case: AdvisedService) -> dict[str, Any]:
    return {
        f"serving.classes[{row}].prefix_cache_share": SHARED
        for row, one in enumerate(case.workload.classes)
        if one.request == "text"
        and central(one.prefix_cache_share) < SHARED
        and representative_values(one.prompt_tokens).mean() >= LONG_PROMPT
    }


def _kept_sessions(case: AdvisedService) -> dict[str, Any]:
    split = any(one.session_share and central(one.prefix_cache_share) for one in case.workload.classes)
    may = split and case.workload.availability.router != "prefix_affinity"
    return {"serving.availability.router": "prefix_affinity"} if may else {}


def _drafts(case: AdvisedService) -> dict[str, Any]:
    engine, drafts = case.workload.engine, case.best.of("draft_tokens")
    may = not (engine.speculative_tokens or drafts or engine.batches_whole) and engine.engine in DRAFTING
    return {"serving.engine.speculative_tokens": DRAFTED} if may else {}


def _larger_batch(case: AdvisedService) -> dict[str, Any]:
    most = case.workload.engine.max_sequences
    return {"serving.engine.max_sequences": 2 * most} if case.best.of("batch") > FULL_BATCH * most else {}


def _continuous_batching(case: AdvisedService) -> dict[str, Any]:
    return {"serving.engine.batching": "chunked_prefill"} if case.workload.engine.batches_whole else {}


def _narrower_formats(case: AdvisedService) -> dict[str, Any]:
    allowed = case.workload.weight_precisions
    more = tuple(one for one in NARROWER if one not in allowed)
    return {"serving.weight_precisions": (*allowed, *more)} if more else {}


def _fewer_steps(case: AdvisedService) -> dict[str, Any]:
    usual = case.scenario.model.denoising_steps
    stated = {row: one.denoising_steps or usual for row, one in enumerate(case.workload.classes)}
    return {
        f"serving.classes[{row}].denoising_steps": round(FEWER * steps)
        for row, steps in stated.items()
        if usual and steps >= MANY_STEPS and case.workload.classes[row].request in ("image", "video")
    }


def _smaller_model(case: AdvisedService) -> dict[str, Any]:
    others = smaller_models(case.scenario.model, case.context.catalog)
    return {"model": others[0]} if others else {}


def _looser_targets(case: AdvisedService) -> dict[str, Any]:
    return {
        f"serving.classes[{row}].slos[{place}].limit_s": LOOSER * target.limit_s
        for row, one in enumerate(case.workload.classes)
        for place, target in enumerate(one.slos)
    }


def _pauses(case: AdvisedService) -> dict[str, Any]:
    traffic = case.workload.traffic
    is_endless = traffic.arrivals == "users" and not traffic.think_time_s
    return {"serving.traffic.think_time_s": READING_TIME_S} if is_endless else {}


def _other_devices(case: AdvisedService) -> dict[str, Any]:
    """Who owns too few devices may add others than more of the same."""
    hardware = case.scenario.hardware
    are_owned = set(hardware.accelerators) == {one.accelerator for one in hardware.owned}
    # Of a plan that no number of devices carries none are known.
    is_enough = added_devices(case) <= 0
    return {"hardware.accelerators": ()} if hardware.owned and are_owned and not is_enough else {}


def _by_the_hour(case: AdvisedService) -> dict[str, Any]:
    """Few devices have a price for years of reservation: by the hour there are more to choose from."""
    return {"economics.serving_procurement": "rent_on_demand"} if case.procurement in TERM_LENGTHS else {}


def _rented(case: AdvisedService) -> dict[str, Any]:
    """What is used some hours of the day may be dear to own however cheap its hour."""
    is_open = case.procurement == "own" and not case.scenario.hardware.air_gapped
    return {"economics.serving_procurement": "rent_on_demand"} if is_open else {}


def _pools(case: AdvisedService) -> dict[str, Any]:
    edits = {"serving.pools": "separate"}
    is_new = not tries_pools(case.scenario) and tries_pools(with_edits(case.scenario, edits))
    return edits if is_new else {}


LEVERS = (
    Lever("shorter_answers", _shorter_answers),
    Lever("shared_prefix", _shared_prefix),
    Lever("kept_sessions", _kept_sessions),
    Lever("draft_tokens", _drafts),
    Lever("larger_batch", _larger_batch),
    Lever("continuous_batching", _continuous_batching),
    Lever("narrower_formats", _narrower_formats, is_for_other_candidates=True),
    Lever("smaller_model", _smaller_model),
    Lever("fewer_steps", _fewer_steps),
    Lever("separate_pools", _pools, is_for_other_candidates=True),
    Lever("looser_targets", _looser_targets, is_for_other_candidates=True),
    Lever("pauses", _pauses, is_for_other_candidates=True),
    Lever("other_devices", _other_devices, is_for_other_candidates=True),
    Lever("by_the_hour", _by_the_hour, is_for_other_candidates=True),
    Lever("rented", _rented, is_for_other_candidates=True),
)


def levers(case: AdvisedService) -> Iterator[Finding]:
    """What would make the service cheaper, or keep targets that are missed whatever it costs, each by itself."""
    now = case.best.of("usd_per_month")
    if case.again is None:
        return
    for lever in LEVERS:
        edits = lever.edits(case)
        if not edits or not (lever.is_for_other_candidates or _looks_worth_it(case, edits)):
            continue
        found = freed(case, edits)
        if found is None or not (found.saved_share > WORTH_SAYING or found.is_enough):
            continue
        named = _named(case, edits, found)
        improved = "serving.usd_per_month" if found.usd < now else ""
        cure = remedy(f"pull_{lever.code}", edits, improved, now, found.usd, **named)
        values = named | {"saved_share": found.saved_share, "e2e_s": found.of("e2e_mean_s")} | found.worth
        yield finding(f"lever_{lever.code}", "serving", NOTE, values, found.saved_usd, cure)


def _named(case: AdvisedService, edits: dict[str, Any], found: Freed) -> dict[str, float | str]:
    """The model or device that a lever changes to, and how many devices have a price, for its sentence."""
    if "model" in edits:
        return {"model": edits["model"].name}
    device = case.context.accelerators[int(found.of("accelerator"))].name
    if "economics.serving_procurement" in edits:
        terms: dict[str, Procurement] = {"priced": case.procurement, "priced_by_the_hour": "rent_on_demand"}
        known = {
            name: float(np.isfinite(case.context.prices(case.scenario.economics, term).usd_per_device_hour).sum())
            for name, term in terms.items()
        }
        return {"device": device, "term": case.procurement, **known}
    return {"device": device} if "hardware.accelerators" in edits else {}


def _looks_worth_it(case: AdvisedService, edits: dict[str, Any]) -> bool:
    """Whether the best candidates of the plan would be much cheaper, by a quick look."""
    before, after = (
        float(plan.table.usd_per_month[plan.best]) if plan.best >= 0 else np.inf
        for plan in (replanned(case.scenario, case), replanned(with_edits(case.scenario, edits), case))
    )
    return after < (1 - WORTH_SAYING) * before
