"""Changes of a training run that end it earlier or for less, each found by planning again with it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuplanner_gui.domain.plan import Plan, Reason, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import NAN, NOTE, SERIOUS, AdvisedRun, PlansAgain, finding, remedy
from gpuplanner_gui.engine.advisor.lifted_rules import planned_with, with_edits
from gpuplanner_gui.engine.advisor.service_levers import WORTH_SAYING
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.ways_to_pay import NARROW_RECIPE
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.training.job import WIDE_RECIPES
from gpuplanner_gui.engine.training.layouts import most_devices
from gpuplanner_gui.engine.training.model_numbers import sample_tokens

BATCH, DEVICES = "training.global_batch_tokens", "hardware.max_training_devices"
LARGER = 4
"""Times the batch that is tried. Our choice: what separates the first from the last batch of Llama 3 405B, 4 and 16 M
tokens (Llama 3 report 2024, section 3.4.1)."""
FEWEST_UPDATES = 10_000
"""Optimizer updates that a run keeps at least, so that its learning rate has time to rise and to fall. Our choice."""
NEAR_BATCH = 0.15
"""Change of the batch, as a share, that a run does not notice. Our choice: batches of published runs are doubled on the
way (Llama 3 report 2024, section 3.4.1)."""
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


def _even_batch(case: AdvisedRun) -> dict[str, Any]:
    """A batch of 61 · 2^k sequences divides among few copies; the next that as many devices divide trains as well."""
    edits, now = even_batch(case.scenario, int(case.best.of("devices"))), case.workload.global_batch_tokens
    return edits if abs(edits.get(BATCH, now) - now) <= NEAR_BATCH * now else {}


def even_batch(scenario: Scenario, devices: int) -> dict[str, Any]:
    """The nearest batch that a power of two of copies divides, as many as the devices or micro-batches; empty if it
    is. A micro-batch that nobody states is one sequence."""
    assert scenario.training is not None
    length = sample_tokens(scenario.model, scenario.training.sequence_length)
    sequences, micro = scenario.training.global_batch_tokens // length, max(scenario.training.micro_batch, 1)
    if sequences < max(micro, 2):
        return {}
    part = micro * min(2 ** math.ceil(math.log2(devices)), 2 ** int(math.log2(sequences // micro)))
    return {BATCH: max(round(sequences / part), 1) * part * length} if sequences % part else {}


def batch_that_trains(scenario: Scenario, plan: Plan, context: Context, again: PlansAgain | None) -> Iterator[Finding]:
    """A batch that devices share evenly, where nothing trains: none does, or fewer have not enough memory."""
    answer = plan.training
    if answer is None or answer.best >= 0 or again is None:
        return
    devices = devices_left_by_batch(answer.table)
    edits = even_batch(scenario, devices) if devices else {}
    found = again(with_edits(scenario, edits), context).training if edits else None
    if found is None or found.best < 0 or not np.isfinite(found.table.usd_per_run[found.best]):
        return
    table, row, batch = found.table, found.best, float(edits[BATCH])
    values = {"batch_tokens": batch, "run_s": table.run_time_s[row], "usd": table.usd_per_run[row]}
    cure = remedy("pull_even_batch_run", edits, batch_tokens=batch)
    yield finding("lever_even_batch_run", "training", SERIOUS, values, remedy=cure)


def devices_left_by_batch(table: TrainingTable) -> int:
    """The most devices that only the batch's division keeps from training, while any fewer lack memory; 0 for none."""
    fewer = table.devices[np.isin(table.reason, (Reason.DOES_NOT_FIT, Reason.HEADROOM))]
    uneven = table.devices[table.reason == Reason.BATCH_NOT_DIVISIBLE]
    most = int(uneven.max(initial=0))
    return most if most > fewer.max(initial=0) else 0


def _narrow_recipe(case: AdvisedRun) -> dict[str, Any]:
    column = PRECISION_INDEX[NARROW_RECIPE]
    peak = case.context.devices.peak_flop_per_s[int(case.best.table.accelerator[case.best.row]), column]
    is_open = case.workload.recipe in WIDE_RECIPES and case.workload.method in FROM_THE_START and np.isfinite(peak)
    return {"training.recipe": NARROW_RECIPE} if is_open else {}


def _more_devices(case: AdvisedRun) -> dict[str, Any]:
    """As many more as a run is late, where the number allowed is what it lacks."""
    hardware, late = case.scenario.hardware, float(case.best.table.reason_value[case.best.row])
    is_late = int(case.best.table.reason[case.best.row]) == Reason.MISSES_DEADLINE
    most = most_devices(hardware, case.best.accelerator.id)
    if not is_late or hardware.training_devices or case.best.of("devices") * 2 <= most:
        return {}
    return {DEVICES: most * 2 ** max(1, int(np.ceil(np.log2(late))))}


RUN_LEVERS = (
    RunLever("larger_batch_run", _larger_batch),
    RunLever("even_batch_run", _even_batch),
    RunLever("narrow_recipe", _narrow_recipe),
    RunLever("more_devices_run", _more_devices),
)


def run_levers(case: AdvisedRun) -> Iterator[Finding]:
    """What would make a run meet its targets, or end it much earlier or for much less."""
    now_s, now_usd = case.best.of("run_time_s"), case.best.of("usd_per_run")
    for lever in RUN_LEVERS:
        edits = lever.edits(case)
        found = planned_with(case, edits) if edits else None
        if found is None or not np.isfinite(found.usd):
            continue
        after_s = found.of("run_time_s")
        is_dearer = found.paid_usd > found.paid_now_usd
        is_faster = after_s < (1 - WORTH_SAYING) * now_s and not (is_dearer and case.best.meets_targets)
        if not (is_faster or found.saved_share > WORTH_SAYING):
            continue
        told = {
            "batch_tokens": float(edits.get(BATCH, case.workload.global_batch_tokens)),
            "devices": float(edits.get(DEVICES, found.of("devices"))),
        }  # fmt: skip
        metric, before, after = "training.usd_per_run", now_usd, found.usd
        if found.is_held or not found.saved_share > WORTH_SAYING:
            metric, before, after = ("training.run_time_s", now_s, after_s) if is_faster else ("", NAN, NAN)
        cure = remedy(f"pull_{lever.code}", edits, metric, before, after, **told)
        device = case.context.accelerators[int(found.of("accelerator"))].name
        values = {"run_s": after_s, "usd": found.usd, "device": device, **told}
        yield finding(f"lever_{lever.code}", "training", NOTE, values, found.saved_usd, cure)
