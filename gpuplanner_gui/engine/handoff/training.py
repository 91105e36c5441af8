"""What a training framework must be told to run as the plan has it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.launch import Launcher, LaunchNote
from gpuplanner_gui.domain.plan import Plan, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import TrainingWorkload
from gpuplanner_gui.engine.handoff.settings import Nodes, Setting, ShortRun, nodes_for
from gpuplanner_gui.engine.training.choices import RECOMPUTATIONS
from gpuplanner_gui.engine.training.schedules import SCHEDULES

ADAPTERS = ("lora", "qlora")
GRADIENTS = {None: "fp32", 4.0: "fp32", 2.0: "bf16"}
"""Format in which gradients are added up and exchanged, by bytes; frameworks take FP32 where nothing else is asked."""


NOT_IN_SHORT_RUNS = frozenset(("checkpoint_path", "checkpoint_steps", "first_copy", "checkpoint_behind"))


def training_nodes(catalog: Catalog, plan: Plan, candidate: int, devices: int = 0) -> Nodes:
    """Servers that the job takes, or that so many devices take."""
    assert plan.training is not None
    table = plan.training.table
    accelerator = catalog.accelerators.get(plan.accelerators[int(table.accelerator[candidate])])
    return nodes_for(accelerator, catalog, devices or int(table.devices[candidate]))


def shortened(settings: tuple[Setting, ...], run: ShortRun) -> tuple[Setting, ...]:
    """Settings of a run that only measures: fewer devices and steps, no checkpoints."""
    micro = next((int(one.value) for one in settings if one.code == "micro_batch"), 1)
    own = {
        "global_batch": run.global_batch, "steps": run.steps, "expert_parallel": run.expert_parallel,
        "micro_batches": max(1, round(run.global_batch / (micro * run.copies))),
    }  # fmt: skip
    left_out = set(NOT_IN_SHORT_RUNS)
    if run.copies == 1:
        left_out.add("zero_stage")
    if run.expert_parallel == 1:
        left_out.add("expert_parallel")
    kept = (one for one in settings if one.code not in left_out)
    return tuple(replace(one, value=own.get(one.code, one.value)) for one in kept)


def training_settings(scenario: Scenario, plan: Plan, candidate: int) -> tuple[Setting, ...]:
    """Everything that the plan holds and a framework must know, sizes of 1 left out."""
    job, answer = scenario.training, plan.training
    if job is None or answer is None:
        return ()
    table = answer.table
    return (
        *_sizes(table, candidate),
        *_batch(job, table, candidate),
        *_numbers(scenario, job, table, candidate),
        *_checkpoints(job, table, candidate),
    )


def _sizes(table: TrainingTable, row: int) -> Iterator[Setting]:
    for code, sizes in (
        ("tensor_parallel", table.tensor_parallel),
        ("pipeline_parallel", table.pipeline_parallel),
        ("virtual_stages", table.virtual_stages),
        ("context_parallel", table.context_parallel),
        ("expert_parallel", table.expert_parallel),
    ):
        if sizes[row] > 1:
            yield Setting(code, int(sizes[row]))
    if table.data_parallel[row] > 1:
        yield Setting("zero_stage", int(table.zero_stage[row]))


def _batch(job: TrainingWorkload, table: TrainingTable, row: int) -> Iterator[Setting]:
    micro, copies = int(table.micro_batch[row]), int(table.data_parallel[row])
    sequences = max(1, job.global_batch_tokens // job.sequence_length)
    yield Setting("micro_batch", micro)
    yield Setting("global_batch", sequences)
    yield Setting("micro_batches", max(1, round(sequences / max(1, micro * copies))))
    yield Setting("sequence_length", job.sequence_length)
    steps = float(table.steps[row])
    if math.isfinite(steps):
        yield Setting("steps", math.ceil(steps))


def _numbers(scenario: Scenario, job: TrainingWorkload, table: TrainingTable, row: int) -> Iterator[Setting]:
    yield Setting("recipe", job.recipe)
    yield Setting("optimizer", job.optimizer)
    yield Setting("gradients", GRADIENTS.get(job.state_bytes.gradients, f"{job.state_bytes.gradients} bytes"))
    yield _recompute(scenario, table, row)
    if job.flash_attention:
        yield Setting("flash_attention", "on")
    if job.method in ADAPTERS:
        yield Setting("method", job.method, {"rank": job.lora_rank})
    if job.offload != "none":
        yield Setting("offload", job.offload)
    if job.hybrid_sharding and int(table.zero_stage[row]) > 0:
        yield Setting("hybrid_sharding", "on")
    schedule = SCHEDULES[int(table.schedule[row])]
    if schedule in ("zero_bubble", "dualpipe") and int(table.pipeline_parallel[row]) > 1:
        yield Setting("schedule", schedule)


def _recompute(scenario: Scenario, table: TrainingTable, row: int) -> Setting:
    """None, selective, full, or full for the first layers of each chunk or for every n-th."""
    kind = RECOMPUTATIONS[int(table.recompute[row])]
    share = float(table.recompute_share[row]) if table.recompute_share is not None else 1.0
    if kind == "full" and 0 < share < 1:
        each = max(_chunk_layers(scenario, table, row))
        return Setting("recompute", "part", {"layers": max(1, round(share * each)), "every": round(1.0 / share)})
    return Setting("recompute", kind)


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


def training_notes(scenario: Scenario, launcher: Launcher) -> Iterator[LaunchNote]:
    """What no flag says."""
    yield LaunchNote(code="model_arguments" if launcher.id == "megatron" else "training_script")
