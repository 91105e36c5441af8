"""Rules about limits of the scenario, found by planning again without them: what each costs, wherever the plan went.

A limit that holds the recommended candidate up shows in its columns; one that made the search take another candidate
does not. The plan without the limit shows both, and its price is the limit's.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.plan import Plan, Reason, Resource, ServingTable, TrainingTable, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.domain.training_calibration import family_of
from gpuplanner_gui.domain.verdict import Finding, Remedy
from gpuplanner_gui.engine.advisor.case import (
    NAN,
    NOTE,
    SERIOUS,
    WARNING,
    Advised,
    AdvisedRun,
    AdvisedService,
    added_devices,
    finding,
    remedy,
    service_to_its_end,
)
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.site import has_limits
from gpuplanner_gui.engine.model.cache_sizes import has_kv_cache
from gpuplanner_gui.engine.model.table_memory import free_share
from gpuplanner_gui.engine.simulation.refusal import is_left_quick
from gpuplanner_gui.engine.training.data_input import data_of
from gpuplanner_gui.engine.training.held_cost import paid_usd
from gpuplanner_gui.engine.training.run import store_needed

WAITS = 0.02
"""Share of cost, or of a step, from which a limit is worth a word."""
MUCH = 0.1
WORK_PARTS = ("compute_s", "bandwidth_s")
NETWORK_PARTS = ("data_communication_s", "pipeline_communication_s", "expert_communication_s")
ENDLESS = 1e18
"""A rate at which nothing ever waits."""
RESERVE = 1.05
"""Feeding is sized a little above what the accelerators take."""
READ_RATE, READS = "training.data.storage_read_bytes_per_s", "training.data.storage_reads_per_s"
CORES = "training.data.cpu_cores_per_device"
FED = {
    READ_RATE: ENDLESS, READS: None, "training.data.preprocessing_tokens_per_s_per_core": ENDLESS,
    "training.data.samples_per_s_per_core": ENDLESS,
}  # fmt: skip
STORE = "training.checkpoints.storage_write_bytes_per_s"
FEEDING_CODES = ("input_bound", "input_bound_by_hosts", "feeding_moves_the_plan")
SMOOTH = {"serving.traffic.arrivals": "poisson", "serving.traffic.burstiness_cv": 1.0}
WIDE = {"serving.weight_precisions": ("bf16",), "serving.kv_precisions": ("bf16",)}
SIXTEEN_BIT = ("bf16", "fp16", "fp32")
HOST_SHARE = 0.25
AS_GOOD_AS_NONE_S = 1e-12
HEAD = 50
"""Candidates, best first, of which one that waits for the host says that the search may have gone round it."""
USD = {"serving": "usd_per_month", "training": "usd_per_run"}


@dataclass(frozen=True)
class Freed:
    """The best candidate without a limit, and what it is better by."""

    table: ServingTable | TrainingTable
    row: int
    usd: float
    """Cost of a month or of the run, as the plan counts it. [USD]"""
    paid_usd: float
    """The same with the idle time of devices that are bought or reserved for the run. [USD]"""
    paid_now_usd: float
    """What is paid for the plan at hand. [USD]"""
    is_held: bool
    """Whether idle time is part of that."""
    worth: dict[str, float]
    """The one value that says what it is better by."""

    @property
    def saved_usd(self) -> float:
        """What is paid less; 0 where money is not what it saves. [USD]"""
        saved = self.paid_now_usd - self.paid_usd
        return max(saved, 0.0) if np.isfinite(saved) else 0.0

    @property
    def saved_share(self) -> float:
        """The same as a share of what is paid. [1]"""
        return self.saved_usd / self.paid_now_usd if self.saved_usd > 0 else 0.0

    @property
    def is_enough(self) -> bool:
        """Whether it keeps targets that are missed now."""
        return any(name.startswith("enough") for name in self.worth)

    def of(self, name: str) -> float:
        """A column's value for the candidate."""
        return float(column(self.table, name)[self.row])


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
    """Parts of the step that the straggler lengthens; `share` names their share."""


STRAGGLERS = (
    Straggler("slow_link", "slow_link_share", "mend_link", "rate_share", "network_share", NETWORK_PARTS),
    Straggler("slow_node_link", "slow_node_link_share", "mend_node_link", "rate_share", "network_share", NETWORK_PARTS),
    Straggler("slow_device", "slow_device_share", "replace_device", "speed_share", "work_share", WORK_PARTS),
    Straggler("oversubscribed", "oversubscription", "full_bisection", "ratio", "network_share", NETWORK_PARTS),
)


def stragglers(case: AdvisedRun) -> Iterator[Finding]:
    """One slow link or a thin network holds up the job, or has moved the plan to a layout that exchanges little."""
    for one in STRAGGLERS:
        value = float(getattr(case.scenario.hardware, one.field))
        if value != 1:
            values = {one.value: value, one.share: case.best.share(*one.parts, of="step_time_s")}
            yield from _mended(case, one.finding, one.remedy, {f"hardware.{one.field}": 1.0}, values)


def stated_schedule(case: AdvisedRun) -> Iterator[Finding]:
    """The planner states a pipeline schedule, and another one ends the run for less."""
    if case.workload.schedule != "auto":
        values = {"bubble_share": case.best.share("bubble_s", of="step_time_s")}
        yield from _mended(case, "stated_schedule", "choose_schedule", {"training.schedule": "auto"}, values, SERIOUS)


def other_devices(case: Advised) -> dict[str, Any]:
    """Who owns too few devices may add others than more of the same."""
    hardware = case.scenario.hardware
    are_owned = set(hardware.accelerators) == {one.accelerator for one in hardware.owned}
    # Of a plan that no number of devices carries none are known.
    is_enough = added_devices(case) <= 0
    return {"hardware.accelerators": ()} if hardware.owned and are_owned and not is_enough else {}


def other_devices_for_run(case: AdvisedRun) -> Iterator[Finding]:
    """Devices of the kind that is owned alone are planned with, and others do the run for less, or in time."""
    edits = other_devices(case)
    found = freed(case, edits) if edits else None
    if found is not None:
        values = {"device": case.context.accelerators[int(found.of("accelerator"))].name} | found.worth
        cure = _cure(case, found, "pull_other_devices", edits)
        yield finding("other_devices_run", "training", NOTE, values, found.saved_usd, cure)


def needless_recompute(case: AdvisedRun) -> Iterator[Finding]:
    """The planner states what is recomputed, and less of it ends the run for less."""
    if case.workload.recompute != "auto":
        values = {"free_share": free_share(case.best.table, case.best.row)}
        edits = {"training.recompute": "auto"}
        yield from _mended(case, "needless_recompute", "choose_recompute", edits, values, SERIOUS)


def older_attention(case: AdvisedRun) -> Iterator[Finding]:
    """The framework's attention was written for older devices, and kernels made for these end the run for less."""
    training = case.context.calibration.training
    is_newer_there = family_of(case.best.accelerator.architecture) in training.flash_attention_3_share
    if is_newer_there and not case.workload.flash_attention_3:
        edits = {"training.flash_attention_3": True}
        values = {"sequence_tokens": float(case.workload.sequence_length)}
        yield from _mended(case, "older_attention", "take_flash_attention_3", edits, values)


def input_bound(case: AdvisedRun) -> Iterator[Finding]:
    """Accelerators wait for data, or the plan takes others for its sake: faster feeding comes before more of them."""
    table = case.best.table
    assert isinstance(table, TrainingTable)
    if case.again is None or not bool((table.fits & (table.input_s > WAITS * table.step_time_s)).any()):
        return
    found, share = freed(case, FED), case.best.share("input_s", of="step_time_s")
    waits: dict[str, float | str] = {"waiting_share": share, "lost_s": share * case.best.of("run_time_s")}
    severity = SERIOUS if share > MUCH else WARNING
    if share > WAITS and found is not None:
        yield finding("input_bound", "training", severity, waits | found.worth, found.saved_usd, _feeding(case, found))
    elif share > WAITS:
        yield finding("input_bound_by_hosts", "training", severity, waits, NAN, remedy("stage_data"))
    elif found is not None:
        entry = case.context.accelerators[int(found.of("accelerator"))]
        taken: dict[str, float | str] = {"device": entry.name, "devices": found.of("devices")}
        cure = _feeding(case, found)
        yield finding("feeding_moves_the_plan", "training", severity, taken | found.worth, found.saved_usd, cure)


def _feeding(case: AdvisedRun, found: Freed) -> Remedy:
    """What feeds a candidate that nothing held up: bytes, reads and cores, as far as the scenario lacks them."""
    data, rate = data_of(case.workload, case.scenario.model, case.context), found.of("tokens_per_s") * RESERVE
    reads, cores = found.of("data_reads_per_s") * RESERVE, rate / central(data.preprocessing_tokens_per_s_per_core)
    store_reads = ENDLESS if data.storage_reads_per_s is None else central(data.storage_reads_per_s)
    pairs = {
        READ_RATE: (rate * central(data.bytes_per_token), central(data.storage_read_bytes_per_s)),
        READS: (float(np.ceil(reads)), store_reads),
        CORES: (float(np.ceil(cores / found.of("devices"))), central(data.cpu_cores_per_device)),
    }  # fmt: skip
    lacking = {path: need for path, (need, have) in pairs.items() if need > have}
    worst = min(lacking, key=lambda path: pairs[path][1] / pairs[path][0], default=READ_RATE)
    read, reads, cores = (max(pair) for pair in pairs.values())
    if worst == READS:
        return _cure(case, found, "larger_reads", lacking, reads_per_s=reads)
    return _cure(case, found, "feed_faster", lacking, read_bytes_per_s=read, cores=cores)


def slow_checkpoint_store(case: AdvisedRun) -> Iterator[Finding]:
    """The store takes checkpoints so slowly that failures cost much more work, or fewer devices, than they need to."""
    found = freed(case, {STORE: ENDLESS})
    if found is None or not isinstance(found.table, TrainingTable):
        return
    needed = store_needed(case.scenario, case.context, found.table, found.row).write_bytes_per_s
    if not needed > central(case.workload.checkpoints.storage_write_bytes_per_s):
        return
    found = freed(case, {STORE: needed})
    if found is None:
        return
    cure = _cure(case, found, "faster_checkpoint_store", {STORE: needed}, write_bytes_per_s=needed)
    values = {
        "checkpoint_bytes": case.best.of("checkpoint_bytes"), "write_s": case.best.of("checkpoint_write_s"),
        "interval_s": case.best.of("checkpoint_store_interval_s"),
        "stored_bytes": case.best.of("checkpoint_storage_bytes"),
    }  # fmt: skip
    severity = SERIOUS if found.saved_share > MUCH else WARNING
    yield finding("slow_checkpoint_store", "training", severity, values | found.worth, found.saved_usd, cure)


def bursty_arrivals(case: AdvisedService) -> Iterator[Finding]:
    """Bursts, or gaps less even than chance makes them, ask for a larger fleet than the same requests at random."""
    traffic = case.workload.traffic
    cv = central(traffic.burstiness_cv)
    if traffic.arrivals in ("gamma", "mmpp", "trace") or (traffic.arrivals == "poisson" and cv > 1):
        values = {"cv": cv} if traffic.arrivals in ("poisson", "gamma") else {}
        code = "bursty_arrivals" if values else "bursts_of_windows"
        if code == "bursts_of_windows":
            second, _, minute = traffic.busiest_windows
            values = {"busiest_second": second, "busiest_minute": minute}
        yield from _mended(case, code, "smooth_bursts", SMOOTH, values)


def host_bound(case: AdvisedService) -> Iterator[Finding]:
    """Decode steps wait for the host, or the plan takes fewer, fuller replicas for its sake."""
    table, first = case.best.table, case.best.table.order[:HEAD]
    assert isinstance(table, ServingTable)
    with np.errstate(invalid="ignore"):
        if not bool((table.decode_host_s[first] > HOST_SHARE * table.decode_step_s[first]).any()):
            return
    found, share = freed(case, {}, _without_host(case.context)), case.best.share("decode_host_s", of="decode_step_s")
    values = {"host_share": share, "host_s": case.best.of("decode_host_s")}
    if found is not None:
        severity = WARNING if int(table.limit[case.best.row]) == Resource.HOST else NOTE
        yield finding("host_bound", "serving", severity, values | found.worth, found.saved_usd)
    elif share > HOST_SHARE:
        yield finding("host_bound_for_nothing", "serving", NOTE, values)


def formats_of(case: AdvisedService, table: ServingTable, row: int) -> dict[str, float | str]:
    """Format of a candidate's weights, and of its cache where the model has one."""
    names = case.plan.precisions
    found: dict[str, float | str] = {"format": names[int(table.weight_precision[row])]}
    if has_kv_cache(case.scenario.model):
        found["cache_format"] = names[int(table.kv_precision[row])]
    return found


def quantised_model(case: AdvisedService) -> Iterator[Finding]:
    """The plan stands or falls with a quantised model whose quality nobody has checked yet.

    Its makers have checked the format that they publish it in.
    """
    table, row = case.best.table, case.best.row
    assert isinstance(table, ServingTable)
    weights, cache = (case.plan.precisions[int(one[row])] for one in (table.weight_precision, table.kv_precision))
    own = case.scenario.model.weight_format.quantized
    if (weights in SIXTEEN_BIT or weights == own) and cache in SIXTEEN_BIT:
        return
    wide = WIDE if own is None else WIDE | {"serving.weight_precisions": ("bf16", own)}
    plan = service_to_its_end(case, _planned_alone(case, wide))
    held = case.best.of("weights_bytes") * case.best.of("devices_per_replica")
    values: dict[str, float | str] = formats_of(case, table, row) | {"weights_bytes": held}
    code, saved, cost = "quantised_model_unpriced", 0.0, case.best.of("usd_per_month")
    if plan is not None and plan.best >= 0 and plan.table.reason[plan.best] == Reason.NONE:
        saved = max(float(plan.table.usd_per_month[plan.best]) - cost, 0.0)
        # As dear without it: it was taken for what is known of it.
        code = "quantised_model" if not saved < WAITS * cost else code
        values |= {"saved_usd_per_month": saved, "usd_per_month": cost, "other_usd_per_month": cost + saved}
        other = case.context.accelerators[int(plan.table.accelerator[plan.best])].name
        values |= {"other_device": other, "other_devices": float(plan.table.devices[plan.best])}
    elif int(table.reason[row]) == Reason.NONE:
        code = "quantised_model_is_needed"
    yield finding(code, "serving", WARNING, values, saved, remedy("validate_quality"))


def freed(case: Advised, changes: Mapping[str, Any], context: Context | None = None) -> Freed | None:
    """The workload planned again with some fields changed; None where that is worth nothing, or nobody plans again.

    It is worth something where targets are kept that are missed now, where it costs less, or ends earlier for no more.
    What looks so by the quick estimate is simulated before it is promised.
    """
    if case.again is None:
        return None
    scenario, context = _planned_alone(case, changes), context or case.context
    quick = case.again(scenario, context)
    found = _read(case, scenario, context, quick, _corrected(case))
    if found is None or not _worth(case, found):
        return None
    found = _read(case, scenario, context, case.again(scenario, context, quick))
    return replace(found, worth=worth) if found is not None and (worth := _worth(case, found)) else None


def planned_with(case: AdvisedRun, changes: Mapping[str, Any]) -> Freed | None:
    """The run planned again with some fields changed, whatever that is worth; None where nobody plans again."""
    scenario = _planned_alone(case, changes)
    return None if case.again is None else _read(case, scenario, case.context, case.again(scenario, case.context))


def _read(case: Advised, scenario: Scenario, context: Context, plan: Plan, correction: float = 1.0) -> Freed | None:
    """The workload's answer in a plan made again, beside the one at hand; its cost times a correction."""
    workload, answer = case.best.workload, plan.answers.get(case.best.workload)
    if answer is None or answer.best < 0 or is_left_quick(answer):
        return None
    table, row = answer.table, answer.best
    usd = float(column(table, USD[workload])[row]) * correction
    paid = _paid_usd(scenario, context, table, row) * correction
    now = _paid_usd(case.scenario, case.context, case.best.table, case.best.row)
    # A year of the same devices costs the same whatever runs on them, but for the last of sixteen digits.
    paid = now if np.isclose(paid, now) else paid
    return Freed(table, row, usd, paid, now, now > case.best.of(USD[workload]), {})


def _paid_usd(scenario: Scenario, context: Context, table: ServingTable | TrainingTable, row: int) -> float:
    """What a candidate's month or run costs, idle time of what is held included. [USD]"""
    if isinstance(table, ServingTable):
        return float(table.usd_per_month[row])
    return float(paid_usd(scenario, context, table, table.usd_per_run, table.device_hours)[row])


def _worth(case: Advised, found: Freed) -> dict[str, float]:
    """What a plan without a limit is better by, in one value; empty where it is not."""
    is_kept = found.table.reason[found.row] == Reason.NONE
    was_kept = case.best.table.reason[case.best.row] == Reason.NONE
    unit = "_per_month" if case.best.workload == "serving" else ""
    if is_kept and not was_kept:
        return {f"enough_usd{unit}": found.usd} if np.isfinite(found.usd) else {"enough": 1.0}
    if was_kept and not is_kept:
        return {}
    if found.saved_share > WAITS:
        return {"saved_held_usd" if found.is_held else f"saved_usd{unit}": found.saved_usd}
    if case.best.workload == "training" and not found.paid_usd > found.paid_now_usd:
        saved_s = case.best.of("run_time_s") - found.of("run_time_s")
        return {"saved_s": saved_s} if saved_s > WAITS * case.best.of("run_time_s") else {}
    return {}


def _mended(
    case: Advised,
    code: str,
    cure: str,
    changes: Mapping[str, Any],
    values: dict[str, float],
    gravest: int = WARNING,
) -> Iterator[Finding]:
    """A finding about a limit that one edit lifts; as grave as it can be where that saves much."""
    found = freed(case, changes)
    if found is not None:
        severity = gravest if found.saved_share > MUCH else WARNING
        given = values | found.worth
        yield finding(code, case.best.workload, severity, given, found.saved_usd, _cure(case, found, cure, changes))


def _cure(case: Advised, found: Freed, code: str, edits: Mapping[str, Any], **values: float) -> Remedy:
    """What the edits do to the cost, or to the time of a run whose cost they leave or raise."""
    workload, now = case.best.workload, case.best.of(USD[case.best.workload])
    if found.is_held and found.saved_usd > 0:
        return remedy(code, dict(edits), "", NAN, NAN, **values)
    if workload == "serving" or found.saved_usd > 0:
        after = found.usd if found.usd < now else NAN
        return remedy(code, dict(edits), f"{workload}.{USD[workload]}", now, after, **values)
    return remedy(code, dict(edits), "training.run_time_s", case.best.of("run_time_s"), **values)


def _planned_alone(case: Advised, changes: Mapping[str, Any]) -> Scenario:
    """The scenario with some fields changed, without its other workload where no site ties both."""
    changed = with_edits(case.scenario, changes)
    if has_limits(case.scenario):
        return changed
    other = "training" if case.best.workload == "serving" else "serving"
    return msgspec.structs.replace(changed, **{other: None})


def with_edits(scenario: Scenario, changes: Mapping[str, Any]) -> Scenario:
    """The scenario with some fields changed, by their paths: `serving.classes[0].output_tokens`."""
    for path, value in changes.items():
        scenario = _with(scenario, path.replace("[", ".").replace("]", "").split("."), value)
    return scenario


def _with(holder: Any, path: list[str], value: Any) -> Any:
    """A nested struct, or a list of them, with one field changed."""
    place = int(path[0]) if isinstance(holder, tuple) else 0
    held = holder[place] if isinstance(holder, tuple) else getattr(holder, path[0])
    inner = _with(held, path[1:], value) if len(path) > 1 else value
    if isinstance(holder, tuple):
        return (*holder[:place], inner, *holder[place + 1 :])
    return msgspec.structs.replace(holder, **{path[0]: inner})


def _corrected(case: Advised) -> float:
    """What a simulation made of the cost of the fleet, as a first guess of what it would make of other fleets.

    A fleet that no size makes sure enough says nothing about those that are.
    """
    answer = case.plan.serving
    if not isinstance(case, AdvisedService) or answer is None or answer.quick is None or answer.quick.best < 0:
        return 1.0
    if case.best.table.reason[case.best.row] == Reason.BELOW_CONFIDENCE:
        return 1.0
    quick = float(answer.quick.table.usd_per_month[answer.quick.best])
    ratio = case.best.of("usd_per_month") / quick if quick else 1.0
    return ratio if np.isfinite(ratio) else 1.0


def _without_host(context: Context) -> Context:
    """The same devices and kernels, with engines that take no time on the host."""
    names = [name for name in EngineFacts.__struct_fields__ if name.endswith("_host_s")]
    free = dict.fromkeys(names, 0.0)
    engines = tuple(msgspec.structs.replace(one, **free) for one in context.calibration.engines)
    stacks = context.calibration.stacks
    usual = stacks.usual | {"sample_host_s": AS_GOOD_AS_NONE_S}
    changed = copy.copy(context)
    changed.calibration = msgspec.structs.replace(
        context.calibration, engines=engines, stacks=msgspec.structs.replace(stacks, usual=usual)
    )
    return changed
