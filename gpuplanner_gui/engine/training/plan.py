"""The training plan: every layout through fit, speed, run and cost, and their ranking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Reason, Resource, TrainingPlan, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_workload import Parallelism, TrainingWorkload
from gpuplanner_gui.engine.context import Context, Gate
from gpuplanner_gui.engine.evidence.certainty import published_runs
from gpuplanner_gui.engine.evidence.posterior import model_signature
from gpuplanner_gui.engine.evidence.record import EVIDENCE_OF_KIND
from gpuplanner_gui.engine.evidence.training_own import own_reserve_bytes
from gpuplanner_gui.engine.evidence.training_pace import TrainingPace
from gpuplanner_gui.engine.explaining.formula import carried, leaf
from gpuplanner_gui.engine.handoff.optimizers import with_optimizer
from gpuplanner_gui.engine.training.choices import Choices, chosen_layouts
from gpuplanner_gui.engine.training.communication import cluster_for, host_room_bytes
from gpuplanner_gui.engine.training.data_input import NEVER, data_of, input_tokens_per_s
from gpuplanner_gui.engine.training.finer_counts import finer_counts
from gpuplanner_gui.engine.training.job import TrainingJob, job_of
from gpuplanner_gui.engine.training.judging import Certainty, accelerator_gate, expected_step, judged, layout_gate
from gpuplanner_gui.engine.training.layouts import (
    AUTO,
    DEEPEST_PIPELINE,
    OFFLOADS,
    TrainingLayouts,
    counts_to_try,
    hybrid_groups,
    joined,
    layouts_of,
    parallel_sizes,
    sizes_to_try,
    table_layout,
    with_given_choices,
)
from gpuplanner_gui.engine.training.memory import (
    TrainingMemory,
    host_activation_bytes,
    micro_batches,
    spread_over,
    training_memory,
)
from gpuplanner_gui.engine.training.predict import KERNELS_OF, SPACE_KERNELS_OF, kinds_of, step_log_sd
from gpuplanner_gui.engine.training.rates import paces_of
from gpuplanner_gui.engine.training.run import training_run
from gpuplanner_gui.engine.training.state_memory import end_parameters, host_state_bytes, shards, state_memory
from gpuplanner_gui.engine.training.step_time import TrainingStep, limiting_resource, training_step
from gpuplanner_gui.engine.training.work import Equipment, step_work

ROUNDS = 3
"""Each looks between the neighbours of the best device counts so far."""
ASKED_STAGES = (1, 2, 3)
"""ZeRO stages that hybrid sharding means where it is asked for, in whatever framework."""
LONG_SEQUENCE, VERY_LONG_SEQUENCE = 8192, 32_768


def training_plan(scenario: Scenario, context: Context, check: Callable[[], None]) -> TrainingPlan:
    """Every training layout of a scenario, ranked; on the first accelerators in more device counts about their best.

    `check` raises when the caller has lost interest.
    """
    job = job_for(scenario, context, training_of(scenario))
    found = _evaluated(scenario, context, candidate_layouts(scenario, context, job), check)
    plan = _assembled(scenario, context, job, found)
    for _ in range(ROUNDS if not scenario.hardware.training_devices else 0):
        counts = finer_counts(scenario, context, job, plan.table)
        parts = [(_layouts_on(scenario, context, job, np.array([who]), of), of) for who, of in counts.items()]
        # Given sizes that do not divide a count were rounded to one that was tried.
        finer = [part.at(np.flatnonzero(np.isin(part.devices, of))) for part, of in parts]
        if not sum(map(len, finer)):
            break
        found = _both(found, _evaluated(scenario, context, joined(finer), check))
        plan = _assembled(scenario, context, job, found)
    return plan


def replayed(scenario: Scenario, context: Context, table: TrainingTable, candidate: int) -> TrainingTable:
    """One candidate of a plan computed again, alone; for explanations."""
    return planned(scenario, context, table_layout(table, candidate), lambda: None).table


def candidate_layouts(scenario: Scenario, context: Context, job: TrainingJob) -> TrainingLayouts:
    """All that a search tries first: full variety for accelerators that may train, one layout per count for the
    others."""
    prices = context.prices(scenario.economics, scenario.economics.training_procurement)
    opened = accelerator_gate(scenario, context, job, prices).is_open
    counts = counts_to_try(scenario.hardware)
    found = [_layouts_on(scenario, context, job, np.flatnonzero(opened), counts)]
    for who in np.flatnonzero(opened):
        if more := {*counts_to_try(scenario.hardware, context.accelerators[who].id)}.difference(counts):
            found.append(_layouts_on(scenario, context, job, np.array([who]), tuple(sorted(more))))
    alone = parallel_sizes(counts, 1, 1, (1,), (1,))
    return joined([*found, layouts_of(np.flatnonzero(~opened), alone, *options_of(training_of(scenario)))])


def _layouts_on(
    scenario: Scenario, context: Context, job: TrainingJob, accelerators: Integers, counts: tuple[int, ...]
) -> TrainingLayouts:
    """Full variety for accelerators in some device counts."""
    training, hardware = training_of(scenario), scenario.hardware
    layers = job.numbers.parted_layers
    widest = _widest_tensor(scenario, context, accelerators) if layers else 1
    given = training.parallelism
    sizes = sizes_to_try(
        given, counts, layers, widest, context_sizes(job), expert_sizes(job), DEEPEST_PIPELINE,
        divides_experts=job.numbers.experts > 0,
    )  # fmt: skip
    found = with_given_choices(layouts_of(accelerators, sizes, *options_of(training)), given)
    domain = np.maximum(context.devices.scale_up_domain, 8.0)
    is_free = hardware.tensor_parallel_across_nodes or given.tensor > 0
    reach = NEVER if is_free else domain[found.accelerator]
    return found.at(np.flatnonzero(found.tensor_parallel <= reach))


def training_of(scenario: Scenario) -> TrainingWorkload:
    """The scenario's training. Raises ValueError where it has none."""
    if scenario.training is None:
        raise ValueError("the scenario has no training workload")
    return scenario.training


def _widest_tensor(scenario: Scenario, context: Context, accelerators: Integers) -> int:
    most = int(context.devices.scale_up_domain[accelerators].max(initial=8.0))
    return max(8, min(most, 64)) if not scenario.hardware.tensor_parallel_across_nodes else 64


def job_for(scenario: Scenario, context: Context, training: TrainingWorkload) -> TrainingJob:
    """The job of a scenario's model with a training workload, the scenario's own or a changed one."""
    known = context.calibration
    job = with_optimizer(job_of(scenario.model, training, known.training), known.launchers, training)
    own = own_reserve_bytes(context.calibration.local, model_signature(scenario.model), job.framework.framework)
    return replace(job, own_reserve_bytes=own) if own else job


def equipment_of(scenario: Scenario, context: Context) -> Equipment:
    """Devices, kernels and wiring that a scenario's layouts run on."""
    training, asked = context.calibration.training, training_of(scenario)
    return Equipment(
        context.devices_of(scenario.hardware),
        context.kernels(KERNELS_OF),
        context.kernels(SPACE_KERNELS_OF),
        cluster_for(context.catalog, scenario.hardware),
        paces_of(
            context,
            training.framework_for(asked.framework, asked.method),
            has_flash_attention_3=asked.flash_attention_3,
        ),
        training.host_update_bytes_per_s,
        training.nvme_bytes_per_s,
        training.opaque_efficiency,
        scenario.hardware.slow_device_share,
    )


def options_of(training: TrainingWorkload) -> tuple[int, int, int]:
    """ZeRO stage, micro-batch and recomputation that the planner fixed; `AUTO` for each left open."""
    return (
        AUTO if training.zero_stage == "auto" else int(training.zero_stage),
        training.micro_batch or AUTO,
        {"auto": AUTO, "none": 0, "selective": 1, "full": 2}[training.recompute],
    )


def context_sizes(job: TrainingJob) -> tuple[int, ...]:
    """Context-parallel sizes worth trying: more than one for long sequences."""
    if not job.numbers.parted_layers or job.sequence_tokens < LONG_SEQUENCE:
        return (1,)
    return (1, 2, 4, 8) if job.sequence_tokens >= VERY_LONG_SEQUENCE else (1, 2)


def expert_sizes(job: TrainingJob) -> tuple[int, ...]:
    """Expert-parallel sizes worth trying."""
    experts = job.numbers.experts
    return (1, *(size for size in (8, 32, 64) if experts and experts % size == 0))


@dataclass(frozen=True)
class Priced:
    """Steps and runs of the layouts that can run."""

    step: TrainingStep
    run: dict[str, Floats]
    """Columns of the table."""
    pace: TrainingPace | None


@dataclass(frozen=True)
class Evaluated:
    """Layouts with every choice made, before they are compared."""

    layouts: TrainingLayouts
    memory: TrainingMemory
    host_bytes: Floats
    gate: Gate
    priced: Priced


def _both(one: Any, other: Any) -> Any:
    """Columns of some layouts, and of others behind them, whatever holds the columns."""
    if is_dataclass(one):
        columns = {part.name: _both(getattr(one, part.name), getattr(other, part.name)) for part in fields(one)}
        return replace(one, **columns)  # type: ignore[type-var]
    if isinstance(one, dict):
        return {name: _both(column, other[name]) for name, column in one.items()}
    return None if one is None else np.concatenate([one, other])


def planned(scenario: Scenario, context: Context, layouts: TrainingLayouts, check: Callable[[], None]) -> TrainingPlan:
    """The plan over given layouts: one replayed for an explanation, or a chosen few."""
    job = job_for(scenario, context, training_of(scenario))
    return _assembled(scenario, context, job, _evaluated(scenario, context, layouts, check))


def _evaluated(
    scenario: Scenario, context: Context, layouts: TrainingLayouts, check: Callable[[], None]
) -> Evaluated:  # fmt: skip
    """Layouts with their choices, memory, steps and runs."""
    training = training_of(scenario)
    training = msgspec.structs.replace(training, data=data_of(training, scenario.model, context))
    job = job_for(scenario, context, training)
    network = context.site_of(scenario)
    prices = context.prices(scenario.economics, scenario.economics.training_procurement, network)
    equipment = equipment_of(scenario, context)
    layouts = _placed_as_stated(job, training, layouts, equipment)
    gate = accelerator_gate(scenario, context, job, prices).at(layouts.accelerator)
    gate = layout_gate(scenario, context, job, prices, layouts, gate)
    check()
    legal = np.flatnonzero(gate.is_open)
    usable = equipment.devices.memory_bytes[layouts.accelerator] * (1 - scenario.hardware.min_memory_headroom)
    choices = _chosen(usable, training, job, layouts, legal, equipment, check)
    count = micro_batches(float(job.global_sequences), choices.layouts.micro_batch, choices.layouts.data_parallel)
    gate = gate.close(~choices.has_schedule, Reason.SCHEDULE_NEEDS_MICRO_BATCHES, count)
    memory = training_memory(job, choices.layouts)
    host = _host_bytes(job, choices.layouts)
    spare = equipment.cluster.host_memory_bytes[layouts.accelerator]
    if training.offload == "auto" and not training.offload_activations:
        spare = host_room_bytes(spare, usable)
    gate = gate.close(host > spare, Reason.OVER_HOST_MEMORY, host - spare)
    gate = _memory_gate(scenario, context, gate, choices.layouts, memory)
    runs = np.flatnonzero(gate.is_open)
    chosen = choices.layouts.at(runs)
    part = shards(job, chosen)
    data = input_tokens_per_s(training.data, job.sequence_tokens, chosen, equipment)
    work = step_work(job, chosen, spread_over(memory.state, runs), part, equipment, data)
    step, pace = expected_step(training_step(work, job.rates), job, chosen, context)
    check()
    run = training_run(job, training, chosen, step, equipment, prices, scenario.economics)
    return Evaluated(choices.layouts, memory, host, gate, Priced(step, run, pace))


def _host_bytes(job: TrainingJob, layouts: TrainingLayouts) -> Floats:
    """Host memory of the state and the activations that each layout offloads, per device. [bytes]"""
    away = host_activation_bytes(job, layouts)
    if not bool((layouts.offload > 0).any()):
        return away
    return away + host_state_bytes(job, shards(job, layouts), end_parameters(job, layouts)[0], layouts.zero_stage)


def _chosen(
    usable: Floats,
    training: TrainingWorkload,
    job: TrainingJob,
    layouts: TrainingLayouts,
    legal: Integers,
    equipment: Equipment,
    check: Callable[[], None],
) -> Choices:
    """Choices for the legal layouts; the others keep the plainest ones."""
    if _is_settled(layouts) or not len(legal):
        plain = _with_columns(layouts, legal, layouts.at(legal))
        return Choices(plain, np.zeros(len(layouts)), np.ones(len(layouts), bool), np.zeros(len(layouts)))

    def step_s(tried: TrainingLayouts) -> Floats:
        check()
        part = shards(job, tried)
        state = state_memory(job, part, end_parameters(job, tried)[0], tried.zero_stage)
        data = input_tokens_per_s(training.data, job.sequence_tokens, tried, equipment)
        return training_step(step_work(job, tried, state, part, equipment, data), job.rates).total

    groups = np.where(layouts.pipeline_parallel == 1, _groups(job, layouts, equipment), 0)[legal]
    host_bytes = equipment.cluster.host_memory_bytes[layouts.accelerator[legal]]
    found = chosen_layouts(job, layouts.at(legal), usable[legal], step_s, groups, host_bytes)
    missing = np.zeros(len(layouts))
    missing[legal] = found.missing_bytes
    has_schedule = np.ones(len(layouts), bool)
    has_schedule[legal] = found.has_schedule
    return Choices(_with_columns(layouts, legal, found.layouts), missing, has_schedule, found.step_s)


def _groups(job: TrainingJob, layouts: TrainingLayouts, equipment: Equipment) -> Integers:
    return hybrid_groups(layouts, equipment.cluster.domain_devices[layouts.accelerator], job.framework.hybrid_stages)


def _placed_as_stated(
    job: TrainingJob, training: TrainingWorkload, layouts: TrainingLayouts, equipment: Equipment
) -> TrainingLayouts:
    """The layouts with the place of optimizer state that is asked for, and with hybrid sharding where it is; without
    it where the layout is stated otherwise."""
    group, offload, away = layouts.sharding_group, layouts.offload, layouts.activation_offload
    if training.offload != "auto":
        offload = np.where(offload == AUTO, OFFLOADS.index(training.offload), offload)
    if training.hybrid_sharding:
        domain = equipment.cluster.domain_devices[layouts.accelerator]
        group = np.where(group > 0, group, hybrid_groups(layouts, domain, ASKED_STAGES))
    elif training.parallelism != Parallelism():
        group = np.maximum(group, 0)
    if training.offload_activations:
        away = np.where(away == AUTO, 1, away)
    elif training.parallelism != Parallelism():
        away = np.maximum(away, 0)
    return replace(layouts, sharding_group=group, offload=offload, activation_offload=away)


def _is_settled(layouts: TrainingLayouts) -> bool:
    """Whether no choice is left open."""
    open_ = (layouts.zero_stage == AUTO) | (layouts.micro_batch == AUTO) | (layouts.recompute == AUTO)
    open_ |= (layouts.schedule == AUTO) | (layouts.virtual_stages == AUTO)
    open_ |= (layouts.sharding_group == AUTO) | (layouts.offload == AUTO) | (layouts.activation_offload == AUTO)
    return not bool((open_ | np.isnan(layouts.recompute_share)).any())


def _with_columns(layouts: TrainingLayouts, legal: Integers, chosen: TrainingLayouts) -> TrainingLayouts:
    """The choices of the legal layouts; the others are shown with the plainest."""
    if len(legal) == len(layouts):
        return chosen
    columns: dict[str, Any] = {}
    for name, plain in _PLAINEST:
        given = getattr(layouts, name)
        column = np.where((given == AUTO) | np.isnan(given), plain, given)
        column[legal] = getattr(chosen, name)
        columns[name] = column
    return replace(layouts, **columns)


_PLAINEST = (
    ("zero_stage", 0), ("micro_batch", 1), ("recompute", 0), ("schedule", 0), ("virtual_stages", 1),
    ("recompute_share", 0.0), ("sharding_group", 0), ("offload", 0),
    ("activation_offload", 0),
)  # fmt: skip
"""What layouts that cannot run are shown with."""


def _memory_gate(
    scenario: Scenario, context: Context, gate: Gate, layouts: TrainingLayouts, memory: TrainingMemory
) -> Gate:
    capacity = context.devices.memory_bytes[layouts.accelerator]
    gate = gate.close(memory.total > capacity, Reason.DOES_NOT_FIT, memory.total - capacity)
    left = 1 - memory.total / capacity
    return gate.close(left < scenario.hardware.min_memory_headroom - 1e-12, Reason.HEADROOM, left)


def _assembled(scenario: Scenario, context: Context, job: TrainingJob, found: Evaluated) -> TrainingPlan:
    training = training_of(scenario)
    layouts, gate, priced = found.layouts, found.gate, found.priced
    count, runs = len(layouts), np.flatnonzero(gate.is_open)

    unknown = np.full(count, np.nan)

    def spread(values: Floats) -> Floats:
        column = unknown.copy()
        column[runs] = values
        return carried(column, values)

    fits = gate.is_open
    steps: dict[str, Any] = {name: spread(getattr(priced.step, name)) for name in _STEP_COLUMNS}
    ran: dict[str, Any] = {name: spread(column) for name, column in priced.run.items()}
    total = spread(priced.step.total)
    log_sd, kind = _certainty(context, job, layouts, runs, priced)
    published = published_runs(context, job.framework.framework, scenario.model.kind, False)[
        layouts.accelerator, job.compute_index
    ]
    verdict = judged(scenario, training, context, layouts, gate, Certainty(log_sd, kind, published), ran)
    table = TrainingTable(
        **{part.name: getattr(layouts, part.name) for part in fields(TrainingLayouts)},
        data_parallel=layouts.data_parallel,
        fits=fits,
        reason=verdict.gate.reason,
        reason_value=verdict.gate.value,
        meets_targets=verdict.meets_targets,
        **_memory_columns(context, layouts, found.memory),
        host_bytes=found.host_bytes,
        step_time_s=total,
        step_low80_s=total * np.exp(-Z_80 * log_sd),
        step_high80_s=total * np.exp(Z_80 * log_sd),
        limit=_limits(priced, runs, count),
        evidence=EVIDENCE_OF_KIND[kind],
        evidence_kind=kind,
        published_runs=published,
        run_time_confident_s=verdict.sure.time_s,
        usd_per_run_confident=verdict.sure.usd,
        order=verdict.order,
        **steps,
        **ran,
    )
    best = int(table.order[0]) if count and fits[table.order[0]] else -1
    return TrainingPlan(
        table=table,
        best=best,
        flop_per_token=(1 + job.backward_share) * job.numbers.flop_per_token,
        tokens=central(training.tokens),
        framework=job.framework.framework,
    )


def _certainty(
    context: Context, job: TrainingJob, layouts: TrainingLayouts, runs: Integers, priced: Priced
) -> tuple[Floats, Integers]:
    """Spread of the logarithm of each step time, and what it rests on; both better where runs were measured."""
    log_sd = step_log_sd(context, job, layouts.accelerator)
    kind = kinds_of(context, job, layouts.accelerator)
    if priced.pace is not None:
        log_sd[runs] *= priced.pace.width
        kind[runs] = np.where(priced.pace.is_measured, int(EvidenceKind.OWN), kind[runs])
    return log_sd, kind


_STEP_COLUMNS = tuple(part.name for part in fields(TrainingStep) if part.name not in ("total", "passes"))


def _limits(priced: Priced, runs: Integers, count: int) -> Integers:
    """The resource that takes most of the run; memory capacity for what does not run."""
    limit = np.full(count, int(Resource.MEMORY_CAPACITY))
    if len(runs):
        lost, slowed = priced.run["store_lost_share"], priced.run["data_slowed_share"]
        limit[runs] = limiting_resource(priced.step, priced.step.total, lost, slowed)
    return limit


def _memory_columns(context: Context, layouts: TrainingLayouts, memory: TrainingMemory) -> dict[str, Any]:
    """What a device has, and what takes it."""
    capacity = context.devices.memory_bytes[layouts.accelerator]
    state = memory.state
    return {
        "memory_capacity_bytes": leaf(capacity, "memory_bytes", "bytes", "catalogue: accelerator"),
        **{f"{part.name}_bytes": getattr(state, part.name) for part in fields(state)},
        "activation_bytes": memory.activations,
        "logits_bytes": memory.logits,
        "runtime_bytes": memory.runtime,
    }
