"""Levers on the cost of a service: what each would save is found by planning again with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.preset import scaled
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.traffic import READING_TIME_S
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import (
    NOTE,
    WARNING,
    AdvisedService,
    added_devices,
    finding,
    remedy,
    service_to_its_end,
)
from gpuplanner_gui.engine.advisor.lifted_rules import Freed, freed, other_devices, with_edits
from gpuplanner_gui.engine.advisor.serving_rules import replanned
from gpuplanner_gui.engine.advisor.site_rules import SPARES
from gpuplanner_gui.engine.cost.bill import TERM_LENGTHS
from gpuplanner_gui.engine.model.smaller import smaller_models
from gpuplanner_gui.engine.serving.search_variants import has_pools_and_drafts, tries_pools
from gpuplanner_gui.engine.simulation.refusal import refusal_of_best
from gpuplanner_gui.engine.uncertainty.distributions import representative_values

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
CLEARLY = 1.2
"""Times the latency of what misses a target: chance in a run doesn't decide there. Our choice."""
DRAFTED = 3
FULL_BATCH = 0.5
PLAIN_AVAILABILITY = 0.99
"""Share of the year that one replica is up whose failures are repaired within days: 3.7 days of it are lost."""
AT_A_RATE = ("poisson", "gamma", "mmpp")
MOST_APART = 4
"""Classes that are planned each by itself, which takes a plan for each. Our choice."""
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
    """For text: no engine drafts what was heard or seen."""
    if any(one.request != "text" for one in case.workload.classes):
        return {}
    engine, drafts = case.workload.engine, case.best.of("draft_tokens")
    is_without = not (engine.speculative_tokens or drafts or engine.batches_whole)
    may = is_without and has_pools_and_drafts(engine.engine, case.context)
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


def _times_looser(case: AdvisedService) -> float:
    """How many times as long targets are looked at: so long that what misses them now keeps them clearly."""
    table, row = case.best.table, case.best.row
    over = float(table.reason_value[row]) if table.reason[row] == Reason.MISSES_TARGET else 0.0
    return max(LOOSER, math.ceil(10 * CLEARLY * over) / 10) if math.isfinite(over) else LOOSER


def _looser_targets(case: AdvisedService) -> dict[str, Any]:
    return {
        f"serving.classes[{row}].slos[{place}].limit_s": _times_looser(case) * target.limit_s
        for row, one in enumerate(case.workload.classes)
        for place, target in one.held_slos
    }


def _pauses(case: AdvisedService) -> dict[str, Any]:
    traffic = case.workload.traffic
    is_endless = traffic.arrivals == "users" and not traffic.think_time_s
    return {"serving.traffic.think_time_s": READING_TIME_S} if is_endless else {}


def _without_spare(case: AdvisedService) -> dict[str, Any]:
    """Who owns devices may have enough of them for the load, and buys for what happens when one fails."""
    is_bought = bool(case.scenario.hardware.owned) and added_devices(case) > 0
    # Of a plan that no number of replicas carries neither is known.
    carries_alone = case.working_replicas <= 1 + 1e-9 and case.workload.availability.zones == 1
    is_kept_up = carries_alone and case.best.of("replicas") > 1
    target = min(case.workload.availability.target, PLAIN_AVAILABILITY)
    return {SPARES: 0, "serving.availability.target": target} if is_bought and is_kept_up else {}


def _by_the_hour(case: AdvisedService) -> dict[str, Any]:
    """Few devices have a price for years of reservation: by the hour there are more to choose from."""
    return {"economics.serving_procurement": "rent_on_demand"} if case.stated_procurement in TERM_LENGTHS else {}


def _rented(case: AdvisedService) -> dict[str, Any]:
    """What is used some hours of the day may be dear to own however cheap its hour."""
    is_open = case.stated_procurement == "own" and not case.scenario.hardware.air_gapped
    return {"economics.serving_procurement": "rent_on_demand"} if is_open else {}


def _pools(case: AdvisedService) -> dict[str, Any]:
    edits, context = {"serving.pools": "separate"}, case.context
    is_new = not tries_pools(case.scenario, context) and tries_pools(with_edits(case.scenario, edits), context)
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
    Lever("other_devices", other_devices, is_for_other_candidates=True),
    Lever("without_spare", _without_spare, is_for_other_candidates=True),
    Lever("by_the_hour", _by_the_hour, is_for_other_candidates=True),
    Lever("rented", _rented, is_for_other_candidates=True),
)


def levers(case: AdvisedService) -> Iterator[Finding]:
    """What would make the service cheaper, or keep targets that are missed whatever it costs, each by itself."""
    now = case.best.of("usd_per_month")
    if case.again is None:
        return
    is_refused = refusal_of_best(case.plan.served) is not None
    for lever in LEVERS:
        edits = lever.edits(case)
        # The quick look takes a fleet that the simulation refuses for one that is enough.
        if not edits or not (is_refused or lever.is_for_other_candidates or _looks_worth_it(case, edits)):
            continue
        found = freed(case, edits)
        if found is None or not (found.saved_share > WORTH_SAYING or found.is_enough):
            continue
        named = _named(case, edits, found)
        improved = "serving.usd_per_month" if found.usd < now else ""
        cure = remedy(f"pull_{lever.code}", edits, improved, now, found.usd, **named)
        values = named | {"saved_share": found.saved_share, "e2e_s": found.of("e2e_mean_s")} | found.worth
        yield finding(f"lever_{lever.code}", "serving", NOTE, values, found.saved_usd, cure)


def classes_apart(case: AdvisedService) -> Iterator[Finding]:
    """Classes on one fleet wait for each other: long requests keep short ones from targets that are theirs alone."""
    classes, now, whole = case.workload.classes, case.best.of("usd_per_month"), 0.0
    is_at_a_rate = case.workload.traffic.arrivals in AT_A_RATE
    if case.again is None or not 1 < len(classes) <= MOST_APART or not is_at_a_rate or not np.isfinite(now):
        return
    for one in classes:
        alone = service_to_its_end(case, with_edits(case.scenario, {"serving.classes": (one,), "training": None}))
        if alone is None or alone.best < 0 or alone.table.reason[alone.best] != Reason.NONE:
            return
        whole += float(alone.table.usd_per_month[alone.best])
        if not whole < (1 - WORTH_SAYING) * now:
            return
    values = {"usd_per_month": whole, "saved_share": 1 - whole / now}
    yield finding("classes_apart", "serving", WARNING, values, now - whole, remedy("plan_classes_apart"))


def _named(case: AdvisedService, edits: dict[str, Any], found: Freed) -> dict[str, float | str]:
    """The model or device that a lever changes to, and how many devices have a price, for its sentence."""
    if "model" in edits:
        return {"model": edits["model"].name}
    device = case.context.accelerators[int(found.of("accelerator"))].name
    if edits.keys() == _looser_targets(case).keys():
        return {"longer_share": _times_looser(case) - 1.0}
    if "economics.serving_procurement" in edits:
        terms: dict[str, Procurement] = {"priced": case.stated_procurement, "priced_by_the_hour": "rent_on_demand"}
        known = {
            name: float(np.isfinite(case.context.prices(case.scenario.economics, term).usd_per_device_hour).sum())
            for name, term in terms.items()
        }
        return {"device": device, "term": case.stated_procurement, **known}
    return {"device": device} if "hardware.accelerators" in edits else {}


def _looks_worth_it(case: AdvisedService, edits: dict[str, Any]) -> bool:
    """Whether the best candidates of the plan would be much cheaper, by a quick look."""
    before, after = (
        float(plan.table.usd_per_month[plan.best]) if plan.best >= 0 else np.inf
        for plan in (replanned(case.scenario, case), replanned(with_edits(case.scenario, edits), case))
    )
    return after < (1 - WORTH_SAYING) * before
