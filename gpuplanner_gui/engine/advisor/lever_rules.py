"""Levers on the cost of a service: what each would save, found by planning again with it, and what it risks.

Terms, autoscaling, drafts that cost more than they yield and bursts have rules of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuplanner_gui.domain.preset import scaled
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import NOTE, AdvisedService, finding, remedy
from gpuplanner_gui.engine.advisor.lifted_rules import freed, with_edits
from gpuplanner_gui.engine.advisor.serving_rules import replanned
from gpuplanner_gui.engine.model.smaller import smaller_models
from gpuplanner_gui.engine.serving.search_variants import tries_pools
from gpuplanner_gui.engine.uncertainty.lengths import representative_values

WORTH_SAYING = 0.1
"""Least saving, as a share of the monthly cost, that is worth a change of the service."""
SHORTER = 0.75
"""Length of shortened answers, as a share: instructions and a token limit usually reach it without loss."""
SHARED = 0.3
"""Share of a prompt that begins like the others: a system prompt and a few examples before a question."""
LONG_PROMPT = 256.0
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
    engine = case.workload.engine
    may = not engine.speculative_tokens and engine.engine in DRAFTING and not engine.batches_whole
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


def _smaller_model(case: AdvisedService) -> dict[str, Any]:
    others = smaller_models(case.scenario.model, case.context.catalog)
    return {"model": others[0]} if others and case.workload.classes[0].request == "text" else {}


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
    Lever("separate_pools", _pools, is_for_other_candidates=True),
)


def levers(case: AdvisedService) -> Iterator[Finding]:
    """What would make the service cheaper, each by itself."""
    now = case.best.of("usd_per_month")
    if case.again is None or not np.isfinite(now):
        return
    for lever in LEVERS:
        edits = lever.edits(case)
        if not edits or not (lever.is_for_other_candidates or _looks_worth_it(case, edits)):
            continue
        found = freed(case, edits)
        if found is None or not found.saved_share > WORTH_SAYING:
            continue
        named = {"model": edits["model"].name} if "model" in edits else {}
        cure = remedy(f"pull_{lever.code}", edits, "serving.usd_per_month", now, found.usd, **named)
        values = named | {"saved_share": found.saved_share, "tpot_s": found.of("tpot_mean_s")} | found.worth
        yield finding(f"lever_{lever.code}", "serving", NOTE, values, found.saved_usd, cure)


def _looks_worth_it(case: AdvisedService, edits: dict[str, Any]) -> bool:
    """Whether the best candidates of the plan would be much cheaper, by a quick look."""
    before, after = (
        float(plan.table.usd_per_month[plan.best]) if plan.best >= 0 else np.inf
        for plan in (replanned(case.scenario, case), replanned(with_edits(case.scenario, edits), case))
    )
    return after < (1 - WORTH_SAYING) * before
