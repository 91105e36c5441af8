"""Rules about tokens that a small model drafts."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from gpuplanner_gui.domain.verdict import Finding, Remedy
from gpuplanner_gui.engine.advisor.case import NOTE, WARNING, AdvisedService, finding, remedy
from gpuplanner_gui.engine.advisor.serving_rules import WORTH_A_CHANGE, replanned
from gpuplanner_gui.engine.serving.samples import stated_drafts

FEWER = (0, 1, 2, 3, 5)
"""Numbers of drafts that are tried in place of more."""
CHEAPER = 0.999
"""A bill that falls by less is the same one."""


def drafts_at_this_load(case: AdvisedService) -> Iterator[Finding]:
    """Tokens are drafted although none or fewer drafts would serve this load faster or at less cost."""
    drafts = stated_drafts(case.workload, case.scenario.model)
    if not drafts or not case.workload.has_next_tokens:
        return
    gain = case.best.of("draft_gain")
    cure = _fewer_drafts(case, drafts)
    values = {"drafts": drafts, "batch": case.best.of("batch"), "tpot_s": case.best.of("tpot_mean_s")}
    if gain < 1:
        longer = values | {"longer_share": 1 / gain - 1}
        yield finding("drafts_cost", "serving", WARNING, longer, _saving(cure), cure)
    elif cure is not None:
        yield finding("fewer_drafts", "serving", NOTE, values | {"gain": gain}, _saving(cure), cure)


def _fewer_drafts(case: AdvisedService, drafts: int) -> Remedy | None:
    """The number of drafts that lowers the bill, or else the time per token by enough to be worth a change."""
    cost, token_s = case.best.of("usd_per_month"), case.best.of("tpot_mean_s")
    found = {count: _with_drafts(case, count) for count in FEWER if count < drafts}
    kept = {count: one for count, one in found.items() if one[0] or not case.best.meets_targets}
    if not kept:
        return None
    cheapest = min(kept, key=lambda count: (np.nan_to_num(kept[count][1], nan=np.inf), kept[count][2]))
    if kept[cheapest][1] < CHEAPER * cost:
        return _to_draft(cheapest, "serving.usd_per_month", cost, kept[cheapest][1])
    as_cheap = [count for count, one in kept.items() if not one[1] > cost / CHEAPER]
    if not as_cheap:
        return None
    quickest = min(as_cheap, key=lambda count: kept[count][2])
    if kept[quickest][2] < WORTH_A_CHANGE * token_s or (case.best.of("draft_gain") < 1 and kept[quickest][2] < token_s):
        return _to_draft(quickest, "serving.tpot_mean_s", token_s, kept[quickest][2])
    return None


def _with_drafts(case: AdvisedService, drafts: int) -> tuple[bool, float, float]:
    """Result with another number of drafts: whether every target is met, monthly cost, time per output token."""
    engine = msgspec.structs.replace(case.workload.engine, speculative_tokens=drafts)
    serving = msgspec.structs.replace(case.workload, engine=engine)
    again = replanned(msgspec.structs.replace(case.scenario, serving=serving), case)
    if again.best < 0:
        return False, np.inf, np.inf
    table, best = again.table, again.best
    return bool(table.meets_targets[best]), float(table.usd_per_month[best]), float(table.tpot_mean_s[best])


def _to_draft(drafts: int, metric: str, before: float, after: float) -> Remedy:
    edits = {"serving.engine.speculative_tokens": drafts}
    if drafts:
        return remedy("draft_less", edits, metric, before, after, drafts=float(drafts))
    return remedy("draft_nothing", edits, metric, before, after)


def _saving(cure: Remedy | None) -> float:
    if cure is None or cure.metric != "serving.usd_per_month" or not np.isfinite(cure.before - cure.after):
        return 0.0
    return cure.before - cure.after
