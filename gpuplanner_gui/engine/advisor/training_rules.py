"""Rules about the step, the memory and the size of a training run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.plan import EvidenceKind, Finding, Plan, Reason, Resource, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import DataPipeline
from gpuplanner_gui.engine.advisor.case import (
    NAN,
    NOTE,
    SERIOUS,
    WARNING,
    TrainingCase,
    dearer_or_cheaper,
    finding,
    remedy,
)
from gpuplanner_gui.engine.advisor.metrics import MEMORY_PARTS
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.data_input import LEAST_FED_SHARE
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.training.run import ENDLESS

WAITS = 0.02
COMMUNICATION_PARTS = (
    "tensor_communication_s", "data_communication_s", "pipeline_communication_s", "expert_communication_s",
)  # fmt: skip
WORK_PARTS = ("compute_s", "bandwidth_s")
NETWORK_PARTS = ("data_communication_s", "pipeline_communication_s", "expert_communication_s")
MUCH_COMMUNICATION = 0.25
MUCH_BUBBLE = 0.1
SCHEDULE_OPEN = {"training.schedule": "auto"}
ROOMY = 0.35
RESERVE = 1.05
"""Feeding is sized a little above what the accelerators take."""


def input_bound(case: TrainingCase) -> Iterator[Finding]:
    """Accelerators wait for data: faster reading or more cores come before more accelerators."""
    share = case.best.share("input_s", of="step_time_s")
    if not share > WAITS:
        yield from _fed_otherwise(case)
        return
    assert isinstance(case.best.table, TrainingTable)
    before = case.best.of("usd_per_run")
    code, edits, values = _feeding(case.workload.data, case.best.table, case.best.row)
    cure = remedy(code, edits, "training.usd_per_run", before, before * (1 - share) * RESERVE, **values)
    wasted = share * case.best.of("usd_per_run")
    values = {"waiting_share": share, "lost_s": share * case.best.of("run_time_s"), "wasted_usd": wasted}
    yield finding("input_bound", "training", SERIOUS if share > 0.1 else WARNING, values, wasted, cure)


FEEDING = {
    "training.data.storage_read_bytes_per_s": "faster_storage",
    "training.data.storage_reads_per_s": "larger_reads",
    "training.data.cpu_cores_per_device": "more_cores",
    "": "stage_data",
}
"""Remedy by what holds the devices up most; nothing of the scenario's where adapters or PCIe do."""


def _feeding(data: DataPipeline, table: TrainingTable, row: int) -> tuple[str, dict[str, float], dict[str, float]]:
    """What a candidate lacks to be fed: the remedy's code, its edits, and bytes, reads and cores with them."""
    step_s = float(table.step_time_s[row])
    fed_s = max(step_s - float(table.input_s[row]), LEAST_FED_SHARE * step_s)
    tokens = float(table.tokens_per_s[row]) * step_s / fed_s * RESERVE
    cores = tokens / central(data.preprocessing_tokens_per_s_per_core) / float(table.devices[row])
    needs = (
        tokens * central(data.bytes_per_token),
        float(np.ceil(float(table.data_reads_per_s[row]) * RESERVE)),
        float(np.ceil(cores)),
    )
    have = (
        central(data.storage_read_bytes_per_s),
        ENDLESS if data.storage_reads_per_s is None else central(data.storage_reads_per_s),
        central(data.cpu_cores_per_device),
    )
    lacking = {path: one / need for path, need, one in zip(FEEDING, needs, have, strict=False) if one < need}
    edits = {path: need for path, need in zip(FEEDING, needs, strict=False) if path in lacking}
    given = (max(pair) for pair in zip(needs, have, strict=True))
    values = dict(zip(("read_bytes_per_s", "reads_per_s", "cores"), given, strict=True))
    return FEEDING[min(lacking, key=lambda path: lacking[path], default="")], edits, values


def _fed_otherwise(case: TrainingCase) -> Iterator[Finding]:
    """Feeding has moved the plan to other devices: what it would cost if data came fast enough."""
    table = case.best.table
    assert isinstance(table, TrainingTable)
    if not bool((table.fits & (table.input_s > WAITS * table.step_time_s)).any()):
        return
    data = msgspec.structs.replace(
        case.workload.data,
        storage_read_bytes_per_s=ENDLESS,
        storage_reads_per_s=None,
        preprocessing_tokens_per_s_per_core=ENDLESS,
    )
    training = msgspec.structs.replace(case.workload, data=data)
    free = training_plan(msgspec.structs.replace(case.scenario, training=training), case.context, _never)
    before = case.best.of("usd_per_run")
    after = float(free.table.usd_per_run[free.best]) if free.best >= 0 else before
    if not after < (1 - WAITS) * before:
        return
    found, best = free.table, free.best
    _, edits, given = _feeding(case.workload.data, found, best)
    cure = remedy("feed_faster", edits, "training.usd_per_run", before, after * RESERVE, **given)
    values: dict[str, float | str] = {
        "device": case.context.accelerators[int(found.accelerator[best])].name,
        "devices": float(found.devices[best]),
        "other_usd": after, "saved_usd": before - after,
    }  # fmt: skip
    yield finding("feeding_moves_the_plan", "training", WARNING, values, before - after, cure)


def is_starved(case: TrainingCase) -> bool:
    """Whether devices wait for data, or a slow store loses much of their work: more of them would wait as well."""
    return case.best.of("limit") in (Resource.INPUT, Resource.STORAGE)


def communication_bound(case: TrainingCase) -> Iterator[Finding]:
    """Much of the step is communication that nothing hides."""
    share = case.best.share(*COMMUNICATION_PARTS, of="step_time_s")
    if not share > MUCH_COMMUNICATION:
        return
    tensor = case.best.share("tensor_communication_s", of="step_time_s")
    usd = share * case.best.of("usd_per_run")
    values = {"share": share, "tensor_share": tensor, "network_share": share - tensor, "wasted_usd": usd}
    yield finding("communication_bound", "training", WARNING, values, usd)


def pipeline_bubble(case: TrainingCase) -> Iterator[Finding]:
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
    cure, saved = None, 0.0
    if case.workload.schedule != "auto":
        training = msgspec.structs.replace(case.workload, schedule="auto")
        free = training_plan(msgspec.structs.replace(case.scenario, training=training), case.context, _never)
        after = float(free.table.usd_per_run[free.best]) if free.best >= 0 else before
        if after < (1 - WAITS) * before:
            cure, saved = (
                remedy("choose_schedule", SCHEDULE_OPEN, "training.usd_per_run", before, after),
                before - after,
            )
    yield finding("pipeline_bubble", "training", SERIOUS if saved > 0.1 * before else NOTE, values, saved, cure)


def _never() -> None:
    """A single plan is short: nobody waits for it to be cancelled."""


@dataclass(frozen=True)
class Straggler:
    """A figure of the hardware that holds every step up when it is not 1, and what is done about it."""

    finding: str
    field: str
    remedy: str
    value: str
    """Name of the figure among the finding's values."""
    share: str
    parts: tuple[str, ...]
    """Of the step, that it lengthens; their share is told under `share`."""


STRAGGLERS = (
    Straggler("slow_link", "slow_link_share", "mend_link", "rate_share", "network_share", NETWORK_PARTS),
    Straggler("slow_device", "slow_device_share", "replace_device", "speed_share", "work_share", WORK_PARTS),
    Straggler("oversubscribed", "oversubscription", "full_bisection", "ratio", "network_share", NETWORK_PARTS),
)


def stragglers(case: TrainingCase) -> Iterator[Finding]:
    """One slow link, one slow device or a thin network holds up the job, or has moved the plan to other layouts."""
    before = case.best.of("usd_per_run")
    for one in STRAGGLERS:
        value = float(getattr(case.scenario.hardware, one.field))
        after = _usd_with(case, **{one.field: 1.0}) if value != 1 else before
        if after < (1 - WAITS) * before:
            cure = remedy(one.remedy, {f"hardware.{one.field}": 1.0}, "training.usd_per_run", before, after)
            values = {one.value: value, one.share: case.best.share(*one.parts, of="step_time_s")}
            yield finding(one.finding, "training", WARNING, values, before - after, cure)


def _usd_with(case: TrainingCase, **hardware: float) -> float:
    """Cost of the best run on other hardware, with whatever layout suits it. [USD]"""
    other = msgspec.structs.replace(case.scenario.hardware, **hardware)
    answer = training_plan(msgspec.structs.replace(case.scenario, hardware=other), case.context, _never)
    return float(answer.table.usd_per_run[answer.best]) if answer.best >= 0 else float("inf")


def tensor_across_nodes(case: TrainingCase) -> Iterator[Finding]:
    """Tensor parallelism reaches beyond the fast domain."""
    domain = float(case.context.devices.scale_up_domain[int(case.best.table.accelerator[case.best.row])])
    if case.best.of("tensor_parallel") > domain:
        share = case.best.share("tensor_communication_s", of="step_time_s")
        values = {"tensor_parallel": case.best.of("tensor_parallel"), "domain": domain, "share": share}
        yield finding("tensor_across_nodes", "training", WARNING, values)


def more_devices_buy_time(case: TrainingCase) -> Iterator[Finding]:
    """What the next larger cluster of the same device would save in time and cost in money."""
    table, row = case.best.table, case.best.row
    assert isinstance(table, TrainingTable)
    if is_starved(case):
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


def start_up_heavy(case: TrainingCase) -> Iterator[Finding]:
    """So short a run that starting it takes a good part of its time."""
    share = central(case.workload.start_up_s) / case.best.of("run_time_s")
    if share > 0.1:
        usd = share * case.best.of("usd_per_run")
        yield finding("start_up_heavy", "training", NOTE, {"share": share, "run_s": case.best.of("run_time_s")}, usd)


def memory_is_thin(case: TrainingCase) -> Iterator[Finding]:
    """So little memory is left that fragmentation may end the run."""
    free = 1 - case.best.share(*MEMORY_PARTS, of="memory_capacity_bytes")
    if free < 0.1:
        values = {"free_share": free, "free_bytes": free * case.best.of("memory_capacity_bytes")}
        cure = remedy("keep_headroom", {"hardware.min_memory_headroom": 0.1}, "training.free_memory_share", free, 0.1)
        yield finding("memory_is_thin", "training", WARNING, values, remedy=cure)


def activations_dominate(case: TrainingCase) -> Iterator[Finding]:
    """Activations, not state, fill the memory: sequence and micro-batch decide what fits."""
    share = case.best.share("activation_bytes", "logits_bytes", of="memory_capacity_bytes")
    used = case.best.share(*MEMORY_PARTS, of="memory_capacity_bytes")
    if share > 0.5 * used and used > 0.5:
        values = {
            "activation_share": share, "micro_batch": case.best.of("micro_batch"),
            "activation_bytes": case.best.of("activation_bytes"),
        }  # fmt: skip
        yield finding("activations_dominate", "training", NOTE, values)


def needless_recompute(case: TrainingCase) -> Iterator[Finding]:
    """Everything is computed twice although memory is free."""
    free = 1 - case.best.share(*MEMORY_PARTS, of="memory_capacity_bytes")
    if case.workload.recompute == "full" and free > ROOMY:
        cure = remedy(
            "choose_recompute", {"training.recompute": "auto"}, "training.usd_per_run", case.best.of("usd_per_run")
        )
        usd = case.best.of("usd_per_run") / 4
        yield finding("needless_recompute", "training", WARNING, {"free_share": free}, usd, cure)


def no_headroom_for_retries(case: TrainingCase) -> Iterator[Finding]:
    """The plan pays for the run alone: nothing for retries, validation or experiments."""
    job = case.workload
    spare = central(job.retry_share) + central(job.validation_share) + central(job.experiment_share)
    if spare < 0.02:
        hours = case.best.of("device_hours")
        values = {"spare_share": spare, "device_hours": hours, "usual_share": 0.15}
        yield finding("no_headroom_for_retries", "training", WARNING, values, 0.15 * case.best.of("usd_per_run"))


def weak_training_evidence(case: TrainingCase) -> Iterator[Finding]:
    """The step time rests on a relative or a datasheet."""
    table, row = case.best.table, case.best.row
    assert isinstance(table, TrainingTable)
    if int(table.evidence_kind[row]) < EvidenceKind.RELATIVE:
        return
    rows = case.best.rows_meeting_targets()
    known = rows[table.evidence_kind[rows] < EvidenceKind.RELATIVE]
    values: dict[str, float | str] = {"band_factor": float(np.sqrt(table.step_high80_s[row] / table.step_low80_s[row]))}
    code, more = "weak_evidence_only", 0.0
    if len(known):
        first = int(known[0])
        more = float(table.usd_per_run[first]) - case.best.of("usd_per_run")
        name = case.context.accelerators[int(table.accelerator[first])].name
        code, cost = dearer_or_cheaper("weak_evidence_run", more, "usd")
        values |= {"device": name, **cost}
    yield finding(code, "training", WARNING, values, max(more, 0.0), remedy("measure_it"))


def targets_missed(case: TrainingCase) -> Iterator[Finding]:
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
