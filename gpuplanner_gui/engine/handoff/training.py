"""What a training framework must be told to run as the plan has it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.launch import Launcher, LaunchNote
from gpuplanner_gui.domain.model import LatentAttention, MoeFfn
from gpuplanner_gui.domain.plan import Plan, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.engine.handoff.options import Nodes, Setting, ShortRun, nodes_for
from gpuplanner_gui.engine.hardware.devices import usual_node_devices
from gpuplanner_gui.engine.training.choices import RECOMPUTATIONS
from gpuplanner_gui.engine.training.layouts import OFFLOADS, SCHEDULES, unusual_expert_tensor
from gpuplanner_gui.engine.training.model_numbers import sample_tokens

ADAPTERS = ("lora", "qlora")
SCRIPT_NOTES = {"megatron": "model_arguments", "torchtitan": "titan_config", "trl": "trl_data"}
"""What a launcher still has to be given."""
V_SCHEDULES = ("zero_bubble", "dualpipe")
"""Each rank holds two chunks, of which the second goes back from the last rank to the first."""
GRADIENTS = {None: "fp32", 4.0: "fp32", 2.0: "bf16"}
"""Format in which gradients are added up and exchanged, by bytes; frameworks take FP32 where nothing else is asked."""
ROUNDING = 1e-9
NOT_IN_SHORT_RUNS = frozenset(
    ("initial_weights", "checkpoint_path", "checkpoint_steps", "first_copy", "checkpoint_behind")
)


def training_nodes(catalog: Catalog, plan: Plan, candidate: int, devices: int = 0) -> Nodes:
    """Servers that the job takes, or that so many devices take."""
    table = plan.trained.table
    entry = catalog.accelerators.get(plan.accelerators[int(table.accelerator[candidate])])
    node_devices, tensor = usual_node_devices(entry, catalog), int(table.tensor_parallel[candidate])
    return nodes_for(node_devices, devices or int(table.devices[candidate]), tensor)


def shortened(settings: tuple[Setting, ...], run: ShortRun) -> tuple[Setting, ...]:
    """Settings of a run that only measures: fewer devices and steps, any weights, no checkpoints."""
    micro = next((int(one.value) for one in settings if one.code == "micro_batch"), 1)
    own = {
        "global_batch": run.global_batch, "steps": run.steps, "expert_parallel": run.expert_parallel,
        "micro_batches": max(1, round(run.global_batch / (micro * run.copies))),
    }  # fmt: skip
    group = min(run.copies, next((int(one.numbers["shard"]) for one in settings if one.code == "zero_stage"), 1))
    own["hybrid_sharding"] = run.copies // group
    left_out = set(NOT_IN_SHORT_RUNS)
    codes = {one.code for one in settings}
    is_on_one_rank = run.copies == 1 and not codes & {"context_parallel", "offload"}
    if is_on_one_rank:
        left_out.add("zero_stage")
    if run.expert_parallel == 1:
        left_out |= {"expert_parallel", "expert_tensor_parallel"} if "expert_parallel" in codes else set()
    if run.copies == group:
        left_out.add("hybrid_sharding")
    kept = (one for one in settings if one.code not in left_out)
    numbers: dict[str, dict[str, int]] = {
        "zero_stage": {"copies": run.copies, "shard": group}, "hybrid_sharding": {"shard": group},
        "micro_batch": {"local": _local_batch(micro, run.global_batch // run.copies, "pipeline_parallel" in codes)},
    }  # fmt: skip
    if is_on_one_rank:
        numbers |= {"recompute": {"zero_stage": 0}, "optimizer": {"zero_stage": 0}}
    return tuple(
        replace(one, value=own.get(one.code, one.value), numbers={**one.numbers, **numbers.get(one.code, {})})
        for one in kept
    )


def cuda_connections(table: TrainingTable, row: int) -> str:
    """`CUDA_DEVICE_MAX_CONNECTIONS`: Megatron orders tensor- and context-parallel exchanges by one alone, and its FSDP
    asks for more."""
    is_ordered = table.tensor_parallel[row] > 1 or table.context_parallel[row] > 1
    return "1" if is_ordered and table.zero_stage[row] < 2 else "8"


def training_settings(scenario: Scenario, catalog: Catalog, plan: Plan, candidate: int) -> tuple[Setting, ...]:
    """Everything that the plan holds and a framework must know, sizes of 1 left out."""
    job, answer = scenario.training, plan.training
    if job is None or answer is None:
        return ()
    table = answer.table
    entry = catalog.accelerators.get(plan.accelerators[int(table.accelerator[candidate])])
    return (
        *_sizes(scenario, table, candidate),
        *_sharding(job, table, candidate),
        *_batch(scenario, job, table, candidate),
        *_numbers(scenario, job, table, candidate, entry),
        *_checkpoints(job, table, candidate),
    )


def _sizes(scenario: Scenario, table: TrainingTable, row: int) -> Iterator[Setting]:
    stages, chunks = int(table.pipeline_parallel[row]), int(table.virtual_stages[row])
    if table.tensor_parallel[row] > 1:
        is_fp4 = scenario.training is not None and scenario.training.recipe == "fp4"
        beside: dict[str, str | int | float] = {
            "connections": cuda_connections(table, row), "is_fp4": "yes" if is_fp4 else "no",
        }  # fmt: skip
        yield Setting("tensor_parallel", int(table.tensor_parallel[row]), beside)
    if stages > 1:
        schedule = SCHEDULES[int(table.schedule[row])]
        counts = _chunk_layers(scenario, table, row)
        is_even = min(counts) == max(counts)
        yield Setting("pipeline_parallel", stages, _titan_stages(sum(counts), stages, chunks, schedule))
        if chunks > 1 and is_even:
            yield Setting("virtual_stages", chunks)
        if not is_even and schedule not in V_SCHEDULES:
            yield Setting("pipeline_layout", _layout_text(counts))
        yield Setting("schedule", schedule)
    if table.context_parallel[row] > 1:
        yield Setting("context_parallel", int(table.context_parallel[row]))
    if table.expert_parallel[row] > 1:
        yield Setting("expert_parallel", int(table.expert_parallel[row]))
    if table.expert_parallel[row] > 1 or unusual_expert_tensor(table, row):
        yield Setting("expert_tensor_parallel", int(table.expert_tensor_parallel[row]))


def _titan_stages(layers: int, ranks: int, chunks: int, schedule: str) -> dict[str, str | int | float]:
    """Layers of a stage, and for how many layers torchtitan counts the embedding and the output matrix.

    `stages` tells how torchtitan arrives at their number: "stated" by the layers of a stage, "default" as the schedule
    has it, or "none" where it cannot: it refuses empty stages, and ends that count for more than a stage.
    """
    is_v = schedule in V_SCHEDULES
    each = 2 if is_v else chunks
    stages, units = ranks * each, ranks if is_v else ranks * chunks
    most = -(-layers // units)
    less, per_stage = units * most - layers, -(-most // 2) if is_v else most
    for limit in range(per_stage, -1, -1):
        first, last = min(less // 2, limit), min(-(-less // 2), limit)
        counted = layers + first + last
        if counted >= stages and last <= counted // stages:
            is_stated, is_default = -(-counted // per_stage) == stages, each == 2 or schedule == "1f1b"
            how = "stated" if is_stated else "default" if is_default else "none"
            return {"chunk_layers": per_stage, "first_less": first, "last_less": last, "stages": how}
    return {"stages": "none"}


def _layout_text(counts: list[int]) -> str:
    """Chunks as Megatron writes them: E the embedding, t a layer, L the output matrix; `(t|)*126` is 126 alike."""
    first, *middle, last = counts
    runs = [(count, len(list(same))) for count, same in itertools.groupby(middle)]
    between = "".join(f"({'t' * count}|)*{times}" if times > 1 else f"{'t' * count}|" for count, times in runs)
    return f"E{'t' * first}|{between}{'t' * last}L"


def _sharding(job: TrainingWorkload, table: TrainingTable, row: int) -> Iterator[Setting]:
    """The ZeRO stage, and over how many of the copies it divides where sharding is hybrid.

    A group counts the ranks of context parallelism, which frameworks divide state over of themselves.
    """
    copies, zero, group = (int(one[row]) for one in (table.data_parallel, table.zero_stage, table.sharding_group))
    if not _is_sharding_said(table, row):
        return
    shard = group // int(table.context_parallel[row]) if group else copies
    yield Setting("zero_stage", zero, {"copies": copies, "shard": shard, "optimizer": job.optimizer})
    if shard < copies:
        yield Setting("hybrid_sharding", copies // shard, {"shard": shard, "optimizer": job.optimizer})


def _is_sharding_said(table: TrainingTable, row: int) -> bool:
    """Whether a launcher is told a ZeRO stage: a copy on one rank has nothing to divide its state over."""
    return bool(table.data_parallel[row] * table.context_parallel[row] > 1 or table.offload[row])


def _stage_said(table: TrainingTable, row: int) -> int:
    """The ZeRO stage that a launcher is told; 0 where none is."""
    return int(table.zero_stage[row]) if _is_sharding_said(table, row) else 0


def _batch(scenario: Scenario, job: TrainingWorkload, table: TrainingTable, row: int) -> Iterator[Setting]:
    length = sample_tokens(scenario.model, job.sequence_length)
    micro, copies = int(table.micro_batch[row]), int(table.data_parallel[row])
    sequences = max(1, job.global_batch_tokens // length)
    local = _local_batch(micro, sequences // copies, bool(table.pipeline_parallel[row] > 1))
    yield Setting("micro_batch", micro, {"local": local})
    yield Setting("global_batch", sequences)
    yield Setting("micro_batches", max(1, round(sequences / max(1, micro * copies))))
    if scenario.model.layers:
        yield Setting("sequence_length", length)
    steps = float(table.steps[row])
    if math.isfinite(steps):
        yield Setting("steps", math.ceil(steps))


def _local_batch(micro: int, per_copy: int, is_piped: bool) -> int:
    """Sequences of a copy that a framework which runs a pipeline batch by batch is told: a whole step's."""
    return max(micro, per_copy) if is_piped else micro


def _numbers(
    scenario: Scenario, job: TrainingWorkload, table: TrainingTable, row: int, entry: Accelerator | None
) -> Iterator[Setting]:
    yield Setting("recipe", job.recipe)
    yield Setting("optimizer", job.optimizer, {"zero_stage": _stage_said(table, row)})
    yield Setting("gradients", GRADIENTS.get(job.state_bytes.gradients, f"{job.state_bytes.gradients} bytes"))
    yield _recompute(scenario, table, row)
    yield from _attention(job, entry)
    rank = {"rank": job.lora_rank, "alpha": 2 * job.lora_rank} if job.method in ADAPTERS else {}
    yield Setting("method", job.method, {**rank, "dtype": "float16" if job.recipe == "fp16" else "bfloat16"})
    if job.method != "pretraining":
        yield Setting("initial_weights", "pretrained")
    if table.offload[row]:
        beside: dict[str, str | int | float] = {
            "zero_stage": int(table.zero_stage[row]), "optimizer": job.optimizer,
        }  # fmt: skip
        yield Setting("offload", OFFLOADS[int(table.offload[row])], beside)
    if job.offload_weights:
        yield Setting("offload_weights", "host")
    if table.activation_offload[row]:
        # Megatron keeps the last layer's on the device: they are wanted at once.
        layers = sum(group.count for group in scenario.model.layers)
        yield Setting("offload_activations", "host", {"layers": max(1, layers - 1)})


def _attention(job: TrainingWorkload, entry: Accelerator | None) -> Iterator[Setting]:
    """FlashAttention's own kernels take 16 bits, and devices that have BF16: on NVIDIA's, from Ampere on."""
    if job.flash_attention:
        has_kernels = job.recipe != "fp32" and (entry is None or entry.peak_flop_per_s("bf16") is not None)
        yield Setting(
            "flash_attention", "3" if job.flash_attention_3 else "on", {"kernels": "yes" if has_kernels else "no"}
        )


def _recompute(scenario: Scenario, table: TrainingTable, row: int) -> Setting:
    """None, selective, full, or full for the first layers of each chunk or for every n-th.

    FSDP recomputes when told so; where no state is divided, that is the script's business.
    """
    zero = _stage_said(table, row)
    kind = RECOMPUTATIONS[int(table.recompute[row])]
    share = float(table.recompute_share[row]) if table.recompute_share is not None else 1.0
    if kind == "full" and 0 < share < 1:
        each = max(_chunk_layers(scenario, table, row))
        # Never fewer than planned: what they would keep is not counted.
        first, every = math.ceil(share * each - ROUNDING), math.floor(1.0 / share + ROUNDING)
        part = {"layers": first, "every": every, "zero_stage": zero}
        return Setting("recompute", "part", dict(part))
    job = scenario.training
    assert job is not None
    modules, layers = ["layernorm"] if job.flash_attention else ["core_attn"], scenario.model.layers
    if job.flash_attention and any(isinstance(group.ffn, MoeFfn) for group in layers):
        modules.append("moe_act")
    if job.flash_attention and any(isinstance(group.mixer, LatentAttention) for group in layers):
        modules.append("mla_up_proj")
    return Setting("recompute", kind, {"modules": " ".join(modules), "zero_stage": zero})


def _chunk_layers(scenario: Scenario, table: TrainingTable, row: int) -> list[int]:
    """Layers of every chunk, in the order in which a micro-batch passes them; those near the ends may lack one."""
    layers = sum(group.count for group in scenario.model.layers)
    chunks = int(table.pipeline_parallel[row]) * max(1, int(table.virtual_stages[row]))
    most = -(-layers // chunks)
    counts = [most] * chunks
    # The embedding and the output matrix stand at the ends.
    ends = (place for pair in zip(range(chunks), range(chunks - 1, -1, -1)) for place in reversed(pair))
    for place in itertools.islice(ends, most * chunks - layers):
        counts[place] -= 1
    return counts


def _checkpoints(job: TrainingWorkload, table: TrainingTable, row: int) -> Iterator[Setting]:
    """Where checkpoints go and how often, in whole steps: none begins before the one before it is written."""
    step = float(table.step_time_s[row])
    often, stored = float(table.checkpoint_interval_s[row]), float(table.checkpoint_store_interval_s[row])
    if not (math.isfinite(stored) and stored > 0 and step > 0):
        return
    yield Setting("checkpoint_path", "$CHECKPOINTS")
    yield Setting("checkpoint_steps", max(1, math.ceil(stored / step)))
    if job.checkpoints.first_copy != "store":
        yield Setting("first_copy", job.checkpoints.first_copy, {"steps": max(1, math.ceil(often / step))})
    if job.checkpoints.asynchronous:
        yield Setting("checkpoint_behind", "on")


def training_notes(scenario: Scenario, plan: Plan, launcher: Launcher) -> Iterator[LaunchNote]:
    """What no flag says."""
    job = scenario.training
    if job is not None and job.method not in ADAPTERS and central(job.frozen_share) > 0:
        yield LaunchNote(code="frozen_parameters", values={"frozen_share": central(job.frozen_share)})
    if launcher.framework != plan.trained.framework:
        yield LaunchNote(code="planned_with", values={"framework": plan.trained.framework})
    yield LaunchNote(code=SCRIPT_NOTES.get(launcher.id, "training_script"))
