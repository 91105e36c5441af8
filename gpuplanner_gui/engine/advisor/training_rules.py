"""Rules about the step, the memory and the size of a training run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.plan import EvidenceKind, Plan, Reason, Resource, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import (
    NAN,
    NOTE,
    SERIOUS,
    WARNING,
    AdvisedRun,
    dearer_or_cheaper,
    finding,
    remedy,
)
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.record import best_measured
from gpuplanner_gui.engine.model.table_memory import free_share

WAITS = 0.02
COMMUNICATION_PARTS = (
    "tensor_communication_s", "data_communication_s", "pipeline_communication_s", "expert_communication_s",
)  # fmt: skip
MUCH_COMMUNICATION = 0.25
MUCH_BUBBLE = 0.1


def is_starved(case: AdvisedRun) -> bool:
    """Whether devices wait for data, or a slow store loses much of their work: more of them would wait as well."""
    return case.best.of("limit") in (Resource.INPUT, Resource.STORAGE)


def communication_bound(case: AdvisedRun) -> Iterator[Finding]:
    """Much of the step is communication that nothing hides."""
    share = case.best.share(*COMMUNICATION_PARTS, of="step_time_s")
    if not share > MUCH_COMMUNICATION:
        return
    tensor = case.best.share("tensor_communication_s", of="step_time_s")
    usd = share * case.best.of("usd_per_run")
    values = {"share": share, "tensor_share": tensor, "network_share": share - tensor, "wasted_usd": usd}
    yield finding("communication_bound", "training", WARNING, values, usd)


def pipeline_bubble(case: AdvisedRun) -> Iterator[Finding]:
    """Stages of the pipeline wait for a good part of the step; another schedule may cost nothing."""
    share = case.best.share("bubble_s", of="step_time_s")
    if not share > MUCH_BUBBLE:
        return
    before = case.best.of("usd_per_run")
    sequences = case.workload.global_batch_tokens // case.workload.sequence_length
    passes = np.ceil(sequences / (case.best.of("micro_batch") * case.best.of("data_parallel")))
    values = {
        "share": share, "stages": case.best.of("pipeline_parallel"), "micro_batches": passes,
        "wasted_usd": share * before,
    }  # fmt: skip
    yield finding("pipeline_bubble", "training", NOTE, values)


def tensor_across_nodes(case: AdvisedRun) -> Iterator[Finding]:
    """Tensor parallelism reaches beyond the fast domain."""
    domain = float(case.context.devices.scale_up_domain[int(case.best.table.accelerator[case.best.row])])
    if case.best.of("tensor_parallel") > domain:
        share = case.best.share("tensor_communication_s", of="step_time_s")
        values = {"tensor_parallel": case.best.of("tensor_parallel"), "domain": domain, "share": share}
        yield finding("tensor_across_nodes", "training", WARNING, values)


def more_devices_buy_time(case: AdvisedRun) -> Iterator[Finding]:
    """What the next larger cluster of the same device would save in time and cost in money."""
    table, row = case.best.table, case.best.row
    assert isinstance(table, TrainingTable)
    if is_starved(case) or not np.isfinite(table.run_time_s[row]):
        return
    rows = case.best.rows_meeting_targets()
    larger = rows[(table.accelerator[rows] == table.accelerator[row]) & (table.devices[rows] > table.devices[row])]
    if not len(larger):
        return
    count = int(table.devices[larger].min())
    best = int(larger[table.devices[larger] == count][0])
    saved = float(table.run_time_s[row] - table.run_time_s[best])
    more = float(table.usd_per_run[best] - table.usd_per_run[row])
    if saved <= 0 or not np.isfinite(more):
        return
    gain = float(table.run_time_s[row] / table.run_time_s[best]) / (count / float(table.devices[row]))
    code, cost = dearer_or_cheaper("scaling_ends" if gain < 0.7 else "more_devices_buy_time", more, "usd")
    yield finding(code, "training", NOTE, {"devices": count, "saved_s": saved, "scaling_share": gain} | cost)


def start_up_heavy(case: AdvisedRun) -> Iterator[Finding]:
    """So short a run that starting it takes a good part of its time."""
    share = central(case.workload.start_up_s) / case.best.of("run_time_s")
    if share > 0.1:
        usd = share * case.best.of("usd_per_run")
        yield finding("start_up_heavy", "training", NOTE, {"share": share, "run_s": case.best.of("run_time_s")}, usd)


def memory_is_thin(case: AdvisedRun) -> Iterator[Finding]:
    """So little memory is left that fragmentation may end the run."""
    free = free_share(case.best.table, case.best.row)
    if free < 0.1:
        values = {"free_share": free, "free_bytes": free * case.best.of("memory_capacity_bytes")}
        cure = remedy("keep_headroom", {"hardware.min_memory_headroom": 0.1}, "training.free_memory_share", free, 0.1)
        yield finding("memory_is_thin", "training", WARNING, values, remedy=cure)


def activations_dominate(case: AdvisedRun) -> Iterator[Finding]:
    """Activations, not state, fill the memory: sequence and micro-batch decide what fits."""
    share = case.best.share("activation_bytes", "logits_bytes", of="memory_capacity_bytes")
    used = 1 - free_share(case.best.table, case.best.row)
    if share > 0.5 * used and used > 0.5:
        values = {
            "activation_share": share, "micro_batch": case.best.of("micro_batch"),
            "activation_bytes": case.best.of("activation_bytes"),
        }  # fmt: skip
        yield finding("activations_dominate", "training", NOTE, values)


def no_headroom_for_retries(case: AdvisedRun) -> Iterator[Finding]:
    """The plan pays for the run alone: nothing for retries, validation or experiments."""
    job = case.workload
    spare = central(job.retry_share) + central(job.validation_share) + central(job.experiment_share)
    if spare < 0.02:
        hours = case.best.of("device_hours")
        values = {"spare_share": spare, "device_hours": hours, "usual_share": 0.15}
        yield finding("no_headroom_for_retries", "training", WARNING, values, 0.15 * case.best.of("usd_per_run"))


def weak_training_evidence(case: AdvisedRun) -> Iterator[Finding]:
    """The step time rests on a relative or a datasheet."""
    table, row = case.best.table, case.best.row
    assert isinstance(table, TrainingTable)
    if int(table.evidence_kind[row]) < EvidenceKind.RELATIVE:
        return
    first = best_measured(table, row)
    values: dict[str, float | str] = {"band_factor": float(np.sqrt(table.step_high80_s[row] / table.step_low80_s[row]))}
    code, more = "weak_evidence_only", 0.0
    if first >= 0:
        more = float(table.usd_per_run[first]) - case.best.of("usd_per_run")
        name = case.context.accelerators[int(table.accelerator[first])].name
        code, cost = dearer_or_cheaper("weak_evidence_run", more, "usd")
        values |= {"device": name, **cost}
    yield finding(code, "training", WARNING, values, max(more, 0.0), remedy("measure_it"))


def targets_missed(case: AdvisedRun) -> Iterator[Finding]:
    """Nothing meets deadline and budget: the cluster is too small, or the money too short."""
    table, row = case.best.table, case.best.row
    reason, ratio = int(table.reason[row]), float(table.reason_value[row])
    if reason == Reason.OVER_BUDGET and case.workload.budget_usd is not None:
        budget = central(case.workload.budget_usd)
        usd = case.best.of("usd_per_run") - budget
        values = {"usd": case.best.of("usd_per_run"), "budget_usd": budget}
        yield finding("run_over_budget", "training", SERIOUS, values, usd)
    if reason != Reason.MISSES_DEADLINE or case.workload.deadline_s is None or is_starved(case):
        return
    hardware = case.scenario.hardware
    values = {
        "run_s": case.best.of("run_time_s"), "deadline_s": central(case.workload.deadline_s),
        "ratio": ratio, "devices": case.best.of("devices"),
    }  # fmt: skip
    cure = None
    if not hardware.training_devices and case.best.of("devices") * 2 > hardware.max_training_devices:
        allowed = hardware.max_training_devices * 2 ** max(1, int(np.ceil(np.log2(ratio))))
        cure = remedy(
            "allow_more_devices", {"hardware.max_training_devices": allowed}, "training.run_time_s",
            case.best.of("run_time_s"), NAN, devices=float(allowed),
        )  # fmt: skip
    yield finding("training_cluster_too_small", "training", SERIOUS, values, remedy=cure)


def nothing_can_train(scenario: Scenario, plan: Plan, context: Context) -> Iterator[Finding]:
    """No candidate trains: what lacks most often, and by how little the nearest one misses."""
    answer = plan.training
    if answer is None or answer.best >= 0 or not len(answer.table.reason):
        return
    table = answer.table
    counts = Counter(int(reason) for reason in table.reason)
    reason, count = counts.most_common(1)[0]
    short = np.isin(table.reason, [int(Reason.DOES_NOT_FIT), int(Reason.HEADROOM)])
    values: dict[str, float | str] = {"candidates": len(table.reason), "count": count, "reason": Reason(reason).name}
    if (table.reason == Reason.DOES_NOT_FIT).any():
        missing = np.where(table.reason == Reason.DOES_NOT_FIT, table.reason_value, np.inf)
        nearest = int(missing.argmin())
        device = context.accelerators[int(table.accelerator[nearest])].name
        values |= {"missing_bytes": missing[nearest], "devices": float(table.devices[nearest]), "device": device}
        yield finding("does_not_fit_to_train", "training", SERIOUS, values)
    elif not short.any():
        yield finding("hardware_cannot_train", "training", SERIOUS, values)
