"""Why a candidate is not recommended, as a sentence with its number."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.curves import MemoryPart
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Plan, Reason, ServingTable, TrainingTable
from gpuplanner_gui.drawing.language import CodeNames, tr
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import precision_name
from gpuplanner_gui.engine.model.table_memory import part_too_large

_SENTENCES = {
    Reason.NONE: "",
    Reason.DOES_NOT_FIT: "does not fit: {value} per device missing for the {part}",
    Reason.NO_MEMORY_FIGURE: "memory size is not known",
    Reason.PRECISION_NOT_SUPPORTED: "{precision} is not supported",
    Reason.HEADS_NOT_DIVISIBLE: "{value} heads are not divisible by {tensor_parallel}",
    Reason.LAYERS_NOT_DIVISIBLE: "{value} layers cannot be split into {pipeline_parallel} stages",
    Reason.BEYOND_SCALE_UP_DOMAIN: "the layout needs more devices than a scale-up domain has ({value})",
    Reason.BATCH_NOT_DIVISIBLE: "a batch of {value} sequences is not divisible by data-parallel copies × micro-batch",
    Reason.BATCH_TOO_SMALL: "the global batch is smaller than the {value} that its copies need for a micro-batch each",
    Reason.NO_COMPUTE_FIGURE: "no peak rate is known for this precision",
    Reason.MISSES_TARGET: "misses a target: at best {ratio} × its limit",
    Reason.BELOW_CONFIDENCE: "misses a target at the required confidence: at best {ratio} × its limit",
    Reason.NOT_MEASURED: "is not measured: only {value} published runs of this device, engine and format",
    Reason.MISSES_DEADLINE: "misses the deadline: takes {ratio} × as long",
    Reason.OVER_BUDGET: "over budget: costs {ratio} × as much",
    Reason.NO_PRICE: "no price is known",
    Reason.NOT_FOR_TRAINING: "has no training software",
    Reason.KV_CACHE_TOO_SMALL: "KV cache too small for the largest context: {value} per device missing",
    Reason.OVER_POWER: "{value} more than the site's power limit",
    Reason.COOLING: "the site does not have its cooling",
    Reason.HEADROOM: "leaves only {share} of memory free",
    Reason.EXPERTS_NOT_DIVISIBLE: "{value} experts are not divisible by the expert-parallel size",
    Reason.EXPERT_WIDTH_NOT_DIVISIBLE: "experts {value} wide are not divisible by the expert-tensor-parallel size",
    Reason.EXPERT_TENSOR_NOT_IN_FRAMEWORK: "the framework cannot share each expert among {value} devices",
    Reason.NO_BANDWIDTH_FIGURE: "memory bandwidth is not known",
    Reason.END_OF_LIFE: "is not sold",
    Reason.REQUEST_NOT_FOR_MODEL: "no serving plan: the model does not answer such requests, or their work is unknown",
    Reason.ONE_DEVICE_PER_SAMPLE: "requests that produce no tokens run on one device per replica",
    Reason.EXPERTS_NOT_OVER_ALL: ("the engine distributes experts over all {value} devices of a replica or not at all"),
    Reason.ENGINE_NOT_ON_DEVICE: "the engine does not run on this device",
    Reason.ENGINE_ON_ONE_SERVER: "the engine does not span servers (devices in each: {value})",
    Reason.LAYOUT_NOT_IN_ENGINE: "the engine has no options for this layout",
    Reason.EXCLUDED: "is excluded by the hardware choice",
    Reason.SCHEDULE_NOT_IN_FRAMEWORK: "the framework cannot run the chosen pipeline schedule",
    Reason.ZERO_WITH_PIPELINE: "ZeRO {value} cannot be combined with a pipeline",
    Reason.ZERO_NOT_IN_FRAMEWORK: "the framework has no ZeRO {value}",
    Reason.HYBRID_NOT_IN_FRAMEWORK: "the framework has no hybrid sharding (HSDP) with this ZeRO stage",
    Reason.OFFLOAD_NOT_IN_FRAMEWORK: "the framework cannot offload optimizer state with ZeRO {value}",
    Reason.ACTIVATION_OFFLOAD_NOT_IN_FRAMEWORK: "the framework cannot offload activations with this method, "
    "recomputation, ZeRO stage or pipeline",
    Reason.LAYOUT_NOT_IN_FRAMEWORK: "the framework cannot split a model over {value} devices",
    Reason.OVER_HOST_MEMORY: "host memory lacks {value} per device for what is offloaded",
    Reason.RECOMPUTATION_NOT_IN_FRAMEWORK: "the framework cannot recompute activations in the chosen way",
    Reason.OPTIMIZER_NOT_IN_FRAMEWORK: "the framework cannot run the chosen optimizer with this layout and ZeRO stage",
    Reason.ADAPTERS_UNKNOWN: "the size of adapters is not known, because the model's blocks are not stated",
    Reason.CANNOT_RESTART: "cannot restart, and spot capacity is expected to be interrupted {value} times",
    Reason.ADAPTERS_NOT_DIVIDED: "adapters are trained without tensor, pipeline, context or expert parallelism",
    Reason.SCHEDULE_NEEDS_MICRO_BATCHES: "{value} micro-batches cannot be split into groups over "
    "{pipeline_parallel} stages",
}
JUST_OVER = 1.01
"""Below it, three digits would say that nothing is missed."""
_WITHOUT_RATIO = {
    Reason.MISSES_TARGET: "no latency can be predicted: the device lacks a figure that this format needs",
    Reason.BELOW_CONFIDENCE: "misses a target at the required confidence, even with four times the replicas",
    Reason.MISSES_DEADLINE: "misses the deadline: no run time can be predicted",
    Reason.OVER_BUDGET: "over budget: no cost can be predicted",
}
"""Where the value that tells by how much is not there."""
_PARTS = {
    MemoryPart.WEIGHTS: "weights",
    MemoryPart.ACTIVATIONS: "activations",
    MemoryPart.RUNTIME: "runtime",
}
_TRAINING_PARTS = _PARTS | {MemoryPart.WEIGHTS: "weights and optimizer state"}
_UNITS = {
    Reason.DOES_NOT_FIT: "bytes",
    Reason.KV_CACHE_TOO_SMALL: "bytes",
    Reason.OVER_HOST_MEMORY: "bytes",
    Reason.OVER_POWER: "W",
    Reason.BATCH_TOO_SMALL: "tok",
}
reason_for_many = CodeNames({
    Reason.NONE: "runs",
    Reason.DOES_NOT_FIT: "do not fit in memory",
    Reason.NO_MEMORY_FIGURE: "have an unknown memory size",
    Reason.PRECISION_NOT_SUPPORTED: "do not support the precision",
    Reason.HEADS_NOT_DIVISIBLE: "cannot split the heads",
    Reason.LAYERS_NOT_DIVISIBLE: "cannot split the layers",
    Reason.BEYOND_SCALE_UP_DOMAIN: "exceed the scale-up domain",
    Reason.BATCH_NOT_DIVISIBLE: "cannot split the batch",
    Reason.BATCH_TOO_SMALL: "need a larger global batch",
    Reason.NO_COMPUTE_FIGURE: "have an unknown peak rate",
    Reason.MISSES_TARGET: "miss a target",
    Reason.BELOW_CONFIDENCE: "miss a target at the required confidence",
    Reason.NOT_MEASURED: "are not measured",
    Reason.MISSES_DEADLINE: "miss the deadline",
    Reason.OVER_BUDGET: "are over budget",
    Reason.NO_PRICE: "have an unknown price",
    Reason.NOT_FOR_TRAINING: "have no training software",
    Reason.KV_CACHE_TOO_SMALL: "lack memory for the largest context",
    Reason.OVER_POWER: "exceed the site's power limit",
    Reason.COOLING: "need cooling that the site lacks",
    Reason.HEADROOM: "leave too little memory free",
    Reason.EXPERTS_NOT_DIVISIBLE: "cannot split the experts",
    Reason.EXPERT_WIDTH_NOT_DIVISIBLE: "cannot split each expert",
    Reason.EXPERT_TENSOR_NOT_IN_FRAMEWORK: "split each expert in a way that the framework does not support",
    Reason.NO_BANDWIDTH_FIGURE: "have an unknown memory bandwidth",
    Reason.END_OF_LIFE: "are not sold",
    Reason.REQUEST_NOT_FOR_MODEL: "do not answer such requests",
    Reason.ONE_DEVICE_PER_SAMPLE: "would split a sample over several devices",
    Reason.EXPERTS_NOT_OVER_ALL: "distribute experts in a way that the engine does not support",
    Reason.ENGINE_NOT_ON_DEVICE: "use a device that the engine does not run on",
    Reason.ENGINE_ON_ONE_SERVER: "span servers, which the engine does not",
    Reason.LAYOUT_NOT_IN_ENGINE: "use a layout that the engine has no options for",
    Reason.EXCLUDED: "are excluded by the hardware choice",
    Reason.SCHEDULE_NOT_IN_FRAMEWORK: "need another pipeline schedule",
    Reason.ZERO_WITH_PIPELINE: "combine ZeRO 2 or 3 with a pipeline",
    Reason.ZERO_NOT_IN_FRAMEWORK: "use a ZeRO stage that the framework lacks",
    Reason.HYBRID_NOT_IN_FRAMEWORK: "use hybrid sharding, which the framework lacks",
    Reason.OFFLOAD_NOT_IN_FRAMEWORK: "offload state in a way that the framework does not support",
    Reason.ACTIVATION_OFFLOAD_NOT_IN_FRAMEWORK: "offload activations in a way that the framework does not support",
    Reason.LAYOUT_NOT_IN_FRAMEWORK: "split the model in a way that the framework does not support",
    Reason.OVER_HOST_MEMORY: "need more host memory for what they offload",
    Reason.RECOMPUTATION_NOT_IN_FRAMEWORK: "need another recomputation of activations",
    Reason.OPTIMIZER_NOT_IN_FRAMEWORK: "need another optimizer or framework",
    Reason.ADAPTERS_UNKNOWN: "have adapters of unknown size",
    Reason.CANNOT_RESTART: "cannot restart on spot capacity",
    Reason.ADAPTERS_NOT_DIVIDED: "split a model whose adapters are trained",
    Reason.SCHEDULE_NEEDS_MICRO_BATCHES: "cannot split the micro-batches over the stages",
})  # fmt: skip
"""What candidates of one reason have in common, after their count: '9 210 do not fit in memory'."""
RUNS_ANYWAY = frozenset(
    (
        Reason.NONE,
        Reason.MISSES_TARGET,
        Reason.BELOW_CONFIDENCE,
        Reason.NOT_MEASURED,
        Reason.MISSES_DEADLINE,
        Reason.OVER_BUDGET,
        Reason.NO_PRICE,
        Reason.CANNOT_RESTART,
        Reason.HEADROOM,
    )
)
"""Reasons against a candidate that could nevertheless be run: its numbers are worth showing."""


def reason_text(plan: Plan, table: ServingTable | TrainingTable, candidate: int) -> str:
    """Why this candidate is not recommended; empty if it is."""
    reason, value = Reason(int(table.reason[candidate])), float(table.reason_value[candidate])
    if reason is Reason.NONE:
        return _behind_text(plan, table, candidate)
    precision = ""
    if reason is Reason.PRECISION_NOT_SUPPORTED and 0 <= value < len(plan.precisions):
        precision = precision_name(plan.precisions[int(value)])
    is_simulated_to_miss = reason is Reason.BELOW_CONFIDENCE and value <= 1
    if reason in _WITHOUT_RATIO and (is_simulated_to_miss or not math.isfinite(value)):
        return tr(_WITHOUT_RATIO[reason])
    return tr(_SENTENCES[reason]).format(
        value=format_value(value, _UNITS.get(reason, "")),
        ratio=format_value(value, digits=3 if value >= JUST_OVER else 5),
        share=format_value(value, "share"),
        precision=precision or tr("this precision"),
        part=_part_text(table, candidate) if reason is Reason.DOES_NOT_FIT else "",
        tensor_parallel=int(table.tensor_parallel[candidate]),
        pipeline_parallel=int(table.pipeline_parallel[candidate]),
    )


def _behind_text(plan: Plan, table: ServingTable | TrainingTable, candidate: int) -> str:
    """Why a candidate that meets every target comes behind a dearer one; empty where it doesn't."""
    first = int(table.order[0])
    usd = table.usd_per_month if isinstance(table, ServingTable) else table.usd_per_run
    if table.reason[first] != Reason.NONE or not usd[candidate] < usd[first]:
        return ""
    few = plan.few_offers.get("serving" if isinstance(table, ServingTable) else "training", ())
    device, best = (plan.accelerators[int(table.accelerator[one])] for one in (candidate, first))
    if device in few and best not in few:
        return tr("cheaper, but few providers offer it")
    doubted = table.evidence_kind == EvidenceKind.DATASHEET
    if isinstance(table, ServingTable) and doubted[candidate] and not doubted[first]:
        return tr("cheaper, but known by its datasheet alone")
    return ""


def _part_text(table: ServingTable | TrainingTable, candidate: int) -> str:
    parts = _PARTS if isinstance(table, ServingTable) else _TRAINING_PARTS
    return tr(parts[part_too_large(table, candidate)])
