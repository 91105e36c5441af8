"""The doors of the training views: a candidate in depth, its stages, the scaling curve, ranked layouts, what fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import SECONDS_PER_DAY
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan, Reason, TrainingPlan, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_results import (
    LayoutObjective,
    LayoutRanking,
    ScalingCurve,
    StageMemory,
    StepDetail,
    TrainingFits,
)
from gpuplanner_gui.engine.cancelling import checking
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.training.activation_memory import activation_bytes, dualpipe_in_flight
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layout_ranking import ranked_layouts
from gpuplanner_gui.engine.training.layouts import (
    DUALPIPE,
    SCHEDULES,
    ZERO_BUBBLE,
    TrainingLayouts,
    layouts_of,
    parallel_sizes,
    table_layout,
    with_layout_open,
)
from gpuplanner_gui.engine.training.memory import bytes_per_token, kept_memory, micro_batches, working_memory
from gpuplanner_gui.engine.training.plan import context_sizes, expert_sizes, job_for, options_of, planned, training_of
from gpuplanner_gui.engine.training.state_memory import end_parameters, shards, stage_layers, state_memory
from gpuplanner_gui.engine.training.step_phases import candidate_passes, step_phases
from gpuplanner_gui.engine.training.sweeps import largest_model, micro_batch_sweep, sequence_sweep

MOST_DEVICES = 100_000
WORTHWHILE_ELASTICITY = 0.5
"""A count is worth its devices while run time falls by at least the square root of their growth."""


@formula(
    title="Scaling efficiency",
    unit="",
    expression="tokens_per_s / devices over the best of any count",
    source="throughput per device, strong scaling at one global batch",
)
def strong_scaling_efficiency(tokens_per_s: Floats, devices: Integers) -> Floats:
    """Throughput per device over the best of any count; few devices may lag where memory forces recomputation. [1]"""
    each = tokens_per_s / devices
    return each / np.nanmax(each) if bool(np.isfinite(each).any()) else each


@formula(
    title="Cost of a day saved",
    unit="USD/d",
    expression="(cost − cost of the count before) / (days of the count before − days)",
    source="marginal cost between neighbouring device counts",
)
def usd_per_day_saved(usd_per_run: Floats, run_time_s: Floats) -> Floats:
    """What one day less costs, against the count before; NaN for the first, infinite where no day is saved. [USD/d]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        saved = -np.diff(run_time_s) / SECONDS_PER_DAY
        more = np.diff(usd_per_run)
        marginal = np.where(saved > 0, more / saved, np.where(np.isnan(saved), np.nan, np.inf))
    return np.concatenate([[np.nan], marginal]) if len(usd_per_run) else np.empty(0)


def knee_index(devices: Integers, run_time_s: Floats) -> int:
    """The last count worth its devices: from there on run time falls by less than the square root of their growth.

    -1 where none runs.
    """
    known = np.flatnonzero(np.isfinite(run_time_s))
    if not len(known):
        return -1
    elasticity = -np.diff(np.log(run_time_s[known])) / np.diff(np.log(devices[known]))
    poor = np.flatnonzero(elasticity < WORTHWHILE_ELASTICITY)
    return int(known[poor[0]] if len(poor) else known[-1])


def scaling_curve(
    scenario: Scenario, context: Context, accelerator: str, check: Callable[[], None], most: int = MOST_DEVICES
) -> ScalingCurve:
    """The fastest layout of one accelerator at every power of two of devices and at the most.

    Deadline and budget do not matter here. Raises ValueError for an accelerator that the catalogue lacks, or a scenario
    without training.
    """
    index = context.devices.ids.index(accelerator)
    training = training_of(scenario)
    open_ended = msgspec.structs.replace(
        scenario, training=msgspec.structs.replace(training, deadline_s=None, budget_usd=None)
    )
    job = job_for(scenario, context, training)
    counts = tuple(sorted({2**power for power in range(most.bit_length()) if 2**power <= most} | {most}))
    domain = max(8, min(int(context.devices.scale_up_domain[index]), 64))
    widest = 64 if scenario.hardware.tensor_parallel_across_nodes else domain
    layers = job.numbers.parted_layers
    sizes = parallel_sizes(
        counts, layers, widest if layers else 1, context_sizes(job), expert_sizes(job), max(layers, 1),
        divides_experts=job.numbers.experts > 0,
    )  # fmt: skip
    layouts = layouts_of(np.array([index]), sizes, *options_of(training))
    table = planned(open_ended, context, layouts, check).table
    return _curve(table, np.array(counts), index)


def _curve(table: TrainingTable, counts: Integers, accelerator: int) -> ScalingCurve:
    best = np.array([_fastest(table, count) for count in counts])
    runs = table.fits[best]

    def read(column: Floats) -> Floats:
        return np.where(runs, column[best], np.nan)

    exchange = (
        table.tensor_communication_s + table.data_communication_s + table.pipeline_communication_s
        + table.expert_communication_s + table.bubble_s
    )  # fmt: skip
    time, usd, rate = read(table.run_time_s), read(table.usd_per_run), read(table.tokens_per_s)
    return ScalingCurve(
        accelerator=accelerator,
        devices=counts,
        can_run=runs,
        reason=np.where(runs, int(Reason.NONE), table.reason[best]),
        tensor_parallel=table.tensor_parallel[best],
        pipeline_parallel=table.pipeline_parallel[best],
        data_parallel=table.data_parallel[best],
        step_time_s=read(table.step_time_s),
        tokens_per_s=rate,
        efficiency=strong_scaling_efficiency(rate, counts),
        mfu=read(table.mfu),
        communication_share=read(exchange / table.step_time_s),
        host_share=read(table.host_s / table.step_time_s),
        goodput=read(table.goodput),
        run_time_s=time,
        usd_per_run=usd,
        usd_per_day_saved=usd_per_day_saved(usd, time),
        knee=knee_index(counts, time),
    )


def _fastest(table: TrainingTable, count: int) -> int:
    """The layout of a device count that runs fastest; of those that cannot run, the one that comes nearest."""
    mine = np.flatnonzero(table.devices == count)
    running = mine[table.fits[mine]]
    if len(running):
        return int(running[np.argmin(table.run_time_s[running])])
    lacking = mine[table.reason[mine] == Reason.DOES_NOT_FIT]
    return int(lacking[np.argmin(table.reason_value[lacking])]) if len(lacking) else int(mine[0])


def stage_memory(scenario: Scenario, context: Context, table: TrainingTable, candidate: int) -> StageMemory:
    """One device of each stage, at the peak of a step. Raises ValueError for a scenario without training."""
    job = job_for(scenario, context, training_of(scenario))
    stages = int(table.pipeline_parallel[candidate])
    layout = table_layout(table, candidate).at(np.zeros(stages, np.int64))
    stage = np.arange(stages)
    layers = layers_of_stages(max(job.numbers.layers, 1), stages)
    fullest = stage_layers(float(job.numbers.layers), layout.pipeline_parallel)
    part = shards(job, layout)
    own = replace(
        part, dense_layers=part.dense_layers * layers / fullest, experts=part.experts * layers / fullest
    )  # fmt: skip
    first, last = end_parameters(job, layout)
    ends = np.where(stage == 0, first, np.where(stage == stages - 1, last, 0.0))
    state = state_memory(job, own, ends, layout.zero_stage)
    flying = in_flight_of_stages(job, layout)
    activations = _activations(job, layout, layers, flying)
    logits = np.where(stage == stages - 1, working_memory(job, layout, is_first=False).logits, 0.0)
    return StageMemory(
        layers=layers,
        in_flight=flying,
        weights_bytes=state.weights,
        gradients_bytes=state.gradients,
        master_weights_bytes=state.master_weights,
        first_moment_bytes=state.first_moment,
        second_moment_bytes=state.second_moment,
        gathered_bytes=kept_memory(job, layout, part, ends, layout.zero_stage).buffers,
        activation_bytes=activations,
        logits_bytes=logits,
        fragmentation_bytes=job.framework.fragmentation_share * (activations + logits),
        library_bytes=np.full(stages, job.framework.runtime_bytes),
        capacity_bytes=float(table.memory_capacity_bytes[candidate]),
        log_sd=job.framework.memory_log_sd,
    )


def layers_of_stages(layers: int, stages: int) -> Floats:
    """Layers of each stage: full ones first, what is left on the last. [1]"""
    full = np.ceil(layers / stages)
    return np.asarray(np.clip(layers - full * np.arange(stages), 0.0, full))


def in_flight_of_stages(job: TrainingJob, layout: TrainingLayouts) -> Floats:
    """Micro-batches whose activations each stage holds at once, in a schedule that runs one forward one backward.

    A stage holds one for each stage behind it and its own; interleaved, twice the passes of chunks to the end, and
    all passes of its other chunks (Narayanan et al. 2021, section 2.2). On the first stage that is
    `activation_memory.in_flight`.
    """
    p = layout.pipeline_parallel
    v = np.where(layout.schedule < ZERO_BUBBLE, layout.virtual_stages, 1)
    behind = p - 1 - np.arange(len(layout))
    count = micro_batches(float(job.global_sequences), layout.micro_batch, layout.data_parallel)
    plain = behind + 1.0
    interleaved = (2.0 * behind + (v - 1) * p + 1.0) / np.maximum(v, 1)
    found = np.minimum(count, np.where((v > 1) & (p > 1), interleaved, plain))
    return np.asarray(np.where(layout.schedule == DUALPIPE, dualpipe_in_flight(count, p), found))


def _activations(job: TrainingJob, layout: TrainingLayouts, layers: Floats, flying: Floats) -> Floats:
    tokens = (layout.micro_batch * job.sequence_tokens).astype(np.float64)
    kept, live = bytes_per_token(job, layout)
    ways = layout.tensor_parallel * layout.context_parallel
    return activation_bytes(tokens, layers / max(job.numbers.layers, 1), kept, flying, live, ways)


IsCancelled = Callable[[], bool]


def step_detail(
    scenario: Scenario, catalog: Catalog, calibration: Calibration, plan: Plan, candidate: int
) -> StepDetail:  # fmt: skip
    """Memory by stage, step by phase and passes of one candidate. Raises ValueError for a plan without training."""
    table, context = _training(plan).table, context_of(catalog, calibration)
    runs = bool(table.fits[candidate])
    phases = step_phases(scenario, context, table, candidate) if runs else None
    return StepDetail(
        candidate=candidate,
        devices=int(table.devices[candidate]),
        memory=stage_memory(scenario, context, table, candidate),
        phases=phases,
        timeline=candidate_passes(table, candidate, phases) if phases is not None else None,
        schedule=SCHEDULES[int(table.schedule[candidate])],
    )


def scaling(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    accelerator: str,
    *,
    is_cancelled: IsCancelled | None = None,
) -> ScalingCurve:
    """An accelerator from one device to 100,000, each count with its fastest layout, whatever layout is fixed.

    Raises ValueError for an accelerator that the catalogue lacks, or a scenario without training; CancelledError soon
    after `is_cancelled` first returns True.
    """
    free = msgspec.structs.replace(scenario, training=with_layout_open(training_of(scenario)))
    return scaling_curve(free, context_of(catalog, calibration), accelerator, checking(is_cancelled))


def layouts(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    accelerator: str,
    objective: LayoutObjective,
    devices: int,
    *,
    is_cancelled: IsCancelled | None = None,
) -> LayoutRanking:
    """Every layout of an accelerator, ranked; see `layout_ranking.ranked_layouts` for the errors."""
    context = context_of(catalog, calibration)
    return ranked_layouts(scenario, context, accelerator, objective, devices, checking(is_cancelled))


def fits(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    candidate: int,
    *,
    is_cancelled: IsCancelled | None = None,
) -> TrainingFits:
    """Sequence length, micro-batch and model that still fit a candidate's devices.

    Raises ValueError for a plan without training; CancelledError soon after `is_cancelled` first returns True.
    """
    table, context, check = _training(plan).table, context_of(catalog, calibration), checking(is_cancelled)
    free = msgspec.structs.replace(scenario, training=with_layout_open(training_of(scenario)))
    sequence = sequence_sweep(scenario, context, table, candidate)
    check()
    micro_batch = micro_batch_sweep(scenario, context, table, candidate)
    check()
    accelerator = plan.accelerators[int(table.accelerator[candidate])]
    return TrainingFits(
        sequence_length=sequence,
        micro_batch=micro_batch,
        largest_model=largest_model(free, context, accelerator, int(table.devices[candidate])),
    )


def _training(plan: Plan) -> TrainingPlan:
    if plan.training is None:
        raise ValueError("the plan has no training table")
    return plan.training
