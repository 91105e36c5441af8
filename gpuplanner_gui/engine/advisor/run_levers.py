"""Changes of a training run that end it earlier or for less, each found by planning again with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import NOTE, AdvisedRun, finding, remedy
from gpuplanner_gui.engine.advisor.lifted_rules import freed
from gpuplanner_gui.engine.advisor.money_rules import WORTH_SAYING
from gpuplanner_gui.engine.decision.ways_to_pay import NARROW_RECIPE, WIDE_RECIPES
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX

BATCH = "training.global_batch_tokens"
LARGER = 4
"""Times the batch that is tried. Our choice: what separates the first from the last batch of Llama 3 405B, 4 and 16 M
tokens (Llama 3 report 2024, section 3.4.1)."""
FEWEST_UPDATES = 10_000
"""Optimizer updates that a run keeps at least, so that its learning rate has time to rise and to fall. Our choice."""
FROM_THE_START = ("pretraining", "continued_pretraining")
ONCE_A_BATCH = ("bubble_s", "data_communication_s", "host_s")
"""Parts of a step that a larger batch has fewer of for each token."""


@dataclass(frozen=True)
class RunLever:
    """A change of the run; `edits` is empty where it does not apply."""

    code: str
    edits: Callable[[AdvisedRun], dict[str, Any]]


def _larger_batch(case: AdvisedRun) -> dict[str, Any]:
    batch = LARGER * case.workload.global_batch_tokens
    is_long = central(case.workload.tokens) >= FEWEST_UPDATES * batch
    gains = not case.best.meets_targets or case.best.share(*ONCE_A_BATCH, of="step_time_s") > WORTH_SAYING
    return {BATCH: batch} if case.workload.method in FROM_THE_START and is_long and gains else {}


def _narrow_recipe(case: AdvisedRun) -> dict[str, Any]:
    column = PRECISION_INDEX[NARROW_RECIPE]
    peak = case.context.devices.peak_flop_per_s[int(case.best.table.accelerator[case.best.row]), column]
    is_open = case.workload.recipe in WIDE_RECIPES and case.workload.method in FROM_THE_START and np.isfinite(peak)
    return {"training.recipe": NARROW_RECIPE} if is_open else {}


RUN_LEVERS = (RunLever("larger_batch_run", _larger_batch), RunLever("narrow_recipe", _narrow_recipe))


def run_levers(case: AdvisedRun) -> Iterator[Finding]:
    """What would make a run meet its targets, or end it much earlier or for much less."""
    now_s, now_usd = case.best.of("run_time_s"), case.best.of("usd_per_run")
    for lever in RUN_LEVERS:
        edits = lever.edits(case)
        found = freed(case, edits) if edits else None
        if found is None:
            continue
        after_s = found.of("run_time_s")
        if not (found.is_enough or found.saved_share > WORTH_SAYING or after_s < (1 - WORTH_SAYING) * now_s):
            continue
        batch = {"batch_tokens": float(edits.get(BATCH, case.workload.global_batch_tokens))}
        values = {"run_s": after_s} | batch | found.worth
        metric, before, after = "training.usd_per_run", now_usd, found.usd
        if not found.usd < now_usd:
            metric, before, after = "training.run_time_s", now_s, after_s
        cure = remedy(f"pull_{lever.code}", edits, metric, before, after, **batch)
        yield finding(f"lever_{lever.code}", "training", NOTE, values, found.saved_usd, cure)
