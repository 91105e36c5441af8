"""Runs judged by deadline, budget, confidence, site and evidence, and put in order.

No step is planned faster than published runs of its kind allow: the best of many predictions is too good.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.plan import Reason, TrainingTable
from gpuplanner_gui.domain.quantity import central, is_uncertain
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_calibration import family_of
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.engine.context import Context, Gate, kept_in_context
from gpuplanner_gui.engine.cost.energy import WATTS_PER_KW
from gpuplanner_gui.engine.cost.prices import DevicePrices
from gpuplanner_gui.engine.cost.site import devices_at_site, has_limits, site_fit
from gpuplanner_gui.engine.evidence.record import is_measured
from gpuplanner_gui.engine.evidence.training_pace import PARTS, TrainingPace, paced_step, training_pace
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.training.choices import RECOMPUTATIONS
from gpuplanner_gui.engine.training.communication import cluster_for
from gpuplanner_gui.engine.training.held_cost import (
    Sure,
    counts_idle_time,
    idle_device_hours,
    share_already_owned,
    share_of_horizon,
    sure_held_usd,
)
from gpuplanner_gui.engine.training.job import RECIPES, WIDE_RECIPES, TrainingJob, least_batch_tokens
from gpuplanner_gui.engine.training.layouts import AUTO, TrainingLayouts, is_usual_expert_tensor
from gpuplanner_gui.engine.training.ranking import beyond_limits, ranked_as, runs_in_order
from gpuplanner_gui.engine.training.run import once_s, run_interruptions
from gpuplanner_gui.engine.training.step_time import TrainingStep
from gpuplanner_gui.engine.uncertainty.sampling import log_sd_of, score_asked


def published_rates(context: Context, job: TrainingJob) -> Floats:
    """Model FLOP/s of the best published runs, carried over to every accelerator of their architecture.

    Of the job's recipe, and of models with or without experts as the job's; shape (accelerators,), infinite where
    nothing of the kind was published. Both 16-bit recipes run the same work at the same rate, so that a run in one
    stands for the other. [FLOP/s]
    """
    devices, peak = context.devices, context.devices.peak_flop_per_s
    families = [family_of(entry.architecture) for entry in context.catalog.accelerators.values()]
    alike = WIDE_RECIPES if job.recipe in WIDE_RECIPES else (job.recipe,)
    formats: dict[str, str] = {one: RECIPES[one].compute for one in alike}
    best: dict[str, float] = {}
    for run in context.calibration.training.best_published:
        is_kind = run.recipe in formats and run.has_experts == (job.numbers.experts > 0)
        if is_kind and run.accelerator in devices.ids:
            position = devices.ids.index(run.accelerator)
            share = run.flop_per_s / float(peak[position, PRECISION_INDEX[formats[run.recipe]]])
            best[families[position]] = max(best.get(families[position], 0.0), share)
    return np.asarray([best.get(family, np.inf) for family in families] * peak[:, job.compute_index])


def expected_step(
    step: TrainingStep, job: TrainingJob, layouts: TrainingLayouts, context: Context
) -> tuple[TrainingStep, TrainingPace | None]:
    """Steps at the pace of own measurements, hardly faster than published runs; and that pace."""
    pace = training_pace(context.calibration, job, layouts, context.devices, step)
    return held_step(paced_step(step, pace), pace, job, layouts, context), pace


def held_step(
    step: TrainingStep, pace: TrainingPace | None, job: TrainingJob, layouts: TrainingLayouts, context: Context
) -> TrainingStep:
    """Steps hardly faster than published runs; own measurements go free. Published runs of adapters are slower yet."""
    published = published_rates(context, job)[layouts.accelerator]
    if pace is not None:
        published = np.where(pace.is_measured, np.inf, published)
    flop = (1 + job.backward_share) * job.numbers.flop_per_token * job.tokens_per_step / layouts.devices
    with np.errstate(divide="ignore"):
        published_s = np.asarray(flop / published)
    if not (published_s > step.total).any():
        return step
    known = leaf(published_s, "published_step_s", "s", "best published runs of the architecture, recipe, kind of model")
    lead = leaf(context.calibration.training.published_lead, "largest_lead", "", "training calibration")
    parts = {name: held_s(getattr(step, name), step.total, known, lead) for name in (*PARTS, "input_s")}
    return replace(step, **parts, total=held_s(step.total, step.total, known, lead))


@formula(
    title="Limited by published runs",
    unit="s",
    expression="part_s · r / (1 + largest_lead · (1 - exp((1 - r) / largest_lead))), "
    "r = max(published_step_s / step_s, 1)",
    source="docs/derivations/training.md#hardly-faster-than-published-runs",
)
def held_s(part_s: Floats, step_s: Floats, published_step_s: Floats, largest_lead: float) -> Floats:
    """A part of a step, stretched as the step is; what is faster before is faster after. [s]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        lead = np.maximum(np.nan_to_num(published_step_s / step_s, nan=1.0, posinf=1.0), 1.0)
    return np.asarray(part_s * lead / (1.0 + largest_lead * -np.expm1((1.0 - lead) / largest_lead)))


def accelerator_gate(scenario: Scenario, context: Context, job: TrainingJob, prices: DevicePrices) -> Gate:
    """Reasons that hold for an accelerator whatever the layout; one entry per accelerator."""
    devices, hardware = context.devices, scenario.hardware
    gate = Gate.opened(len(devices))
    gate = gate.close(~context.allowed(hardware), Reason.EXCLUDED, 0.0)
    # Processors are asked for by name: no published run shows that training reaches what their peaks promise.
    unasked = np.array([entry.kind == "cpu" for entry in context.accelerators], bool) & ~context.are_named(hardware)
    gate = gate.close(unasked, Reason.EXCLUDED, 0.0)
    not_sold = context.cannot_be_bought(hardware, scenario.economics.training_procurement)
    gate = gate.close(not_sold, Reason.END_OF_LIFE, 0.0)
    gate = gate.close(_not_for_training(context), Reason.NOT_FOR_TRAINING, 0.0)
    gate = gate.close(np.isnan(devices.memory_bytes), Reason.NO_MEMORY_FIGURE, 0.0)
    gate = gate.close(np.isnan(devices.bandwidth_bytes_per_s), Reason.NO_BANDWIDTH_FIGURE, 0.0)
    precision = RECIPES[job.recipe].compute
    gate = gate.close(_without(context, precision), Reason.PRECISION_NOT_SUPPORTED, float(PRECISION_INDEX[precision]))
    gate = gate.close(np.isnan(devices.peak_flop_per_s[:, job.compute_index]), Reason.NO_COMPUTE_FIGURE, 0.0)
    if scenario.training is not None:
        least = least_batch_tokens(scenario.model, scenario.training)
        is_less = np.full(len(devices), scenario.training.global_batch_tokens < least)
        gate = gate.close(is_less, Reason.BATCH_TOO_SMALL, float(least))
    if job.numbers.flop_per_token <= 0:
        gate = gate.close(np.ones(len(devices), bool), Reason.NO_COMPUTE_FIGURE, 0.0)
    if job.is_adapter and job.trained_parameters <= 0:
        gate = gate.close(np.ones(len(devices), bool), Reason.ADAPTERS_UNKNOWN, 0.0)
    if not (job.optimizer_stages.whole or job.optimizer_stages.divided):
        gate = gate.close(np.ones(len(devices), bool), Reason.OPTIMIZER_NOT_IN_FRAMEWORK, 0.0)
    return gate.close(_is_uncoolable(scenario, prices), Reason.COOLING, 0.0)


@kept_in_context()
def _not_for_training(context: Context) -> Booleans:
    training = context.calibration.training
    unfit = [
        entry.ecosystem not in training.training_ecosystems or entry.id in training.inference_only
        for entry in context.accelerators
    ]
    return np.array(unfit, bool)


@kept_in_context(64)
def _without(context: Context, precision: str) -> Booleans:
    """Accelerators that have no arithmetic of that format."""
    return np.array([not entry.supports(precision) for entry in context.accelerators], bool)


def _is_uncoolable(scenario: Scenario, prices: DevicePrices) -> Booleans:
    """Accelerators that the site cannot cool; what is rented stands at its provider."""
    cooling = scenario.hardware.cooling
    is_without = bool(cooling) and "liquid" not in cooling and not prices.quotes
    return np.asarray(prices.needs_liquid & np.bool_(is_without))


def layout_gate(
    scenario: Scenario, context: Context, job: TrainingJob, prices: DevicePrices, layouts: TrainingLayouts, gate: Gate
) -> Gate:
    """Reasons of a layout's shape, after those of its accelerator."""
    devices, hardware = context.devices, scenario.hardware
    who, numbers = layouts.accelerator, job.numbers
    if not hardware.tensor_parallel_across_nodes:
        domain = devices.scale_up_domain[who]
        gate = gate.close(layouts.tensor_parallel > domain, Reason.BEYOND_SCALE_UP_DOMAIN, domain)
    heads = numbers.heads
    if heads:
        gate = gate.close(heads % layouts.tensor_parallel != 0, Reason.HEADS_NOT_DIVISIBLE, float(heads))
    layers = numbers.parted_layers
    gate = gate.close(layouts.pipeline_parallel > max(layers, 1), Reason.LAYERS_NOT_DIVISIBLE, layers)
    if numbers.experts:
        gate = gate.close(
            numbers.experts % layouts.expert_parallel != 0, Reason.EXPERTS_NOT_DIVISIBLE, float(numbers.experts)
        )
        gate = _expert_tensor_gate(job, layouts, gate)
    gate = gate.close(~_has_optimizer(job, layouts), Reason.OPTIMIZER_NOT_IN_FRAMEWORK, 0.0)
    is_cut = layouts.pipeline_parallel > 1
    if job.schedule != "auto" and job.schedule not in job.framework.schedules:
        gate = gate.close(is_cut, Reason.SCHEDULE_NOT_IN_FRAMEWORK, 0.0)
    gate = gate.close(is_cut & (layouts.zero_stage >= 2), Reason.ZERO_WITH_PIPELINE, layouts.zero_stage.astype(float))
    known = (AUTO, 0, *job.framework.zero_stages)
    is_foreign = ~is_cut & ~np.isin(layouts.zero_stage, known)
    gate = gate.close(is_foreign, Reason.ZERO_NOT_IN_FRAMEWORK, layouts.zero_stage.astype(float))
    stages = job.framework.hybrid_stages
    is_foreign = (layouts.sharding_group > 0) & ~np.isin(layouts.zero_stage, (AUTO, *stages) if stages else ())
    gate = gate.close(is_foreign, Reason.HYBRID_NOT_IN_FRAMEWORK, layouts.sharding_group.astype(float))
    stages = job.framework.offload_stages
    is_foreign = (layouts.offload > 0) & ~np.isin(layouts.zero_stage, (AUTO, *stages) if stages else ())
    gate = gate.close(is_foreign, Reason.OFFLOAD_NOT_IN_FRAMEWORK, layouts.zero_stage.astype(float))
    known_away = [AUTO, *(RECOMPUTATIONS.index(name) for name in job.activation_offload)]
    is_foreign = is_cut | ~np.isin(layouts.recompute, known_away) | (not job.activation_offload)
    is_foreign |= ~np.isin(layouts.zero_stage, (AUTO, *job.framework.activation_offload_stages))
    is_foreign &= layouts.activation_offload > 0
    gate = gate.close(is_foreign, Reason.ACTIVATION_OFFLOAD_NOT_IN_FRAMEWORK, 0.0)
    modes = [AUTO, *(RECOMPUTATIONS.index(name) for name in job.recomputations)]
    gate = gate.close(~np.isin(layouts.recompute, modes), Reason.RECOMPUTATION_NOT_IN_FRAMEWORK, 0.0)
    divided = layouts.model_parallel * layouts.expert_parallel
    if not job.framework.divides_models:
        gate = gate.close(divided > 1, Reason.LAYOUT_NOT_IN_FRAMEWORK, divided.astype(float))
    if job.is_adapter:
        gate = gate.close(divided > 1, Reason.ADAPTERS_NOT_DIVIDED, 0.0)
    together = layouts.micro_batch * layouts.data_parallel
    gate = gate.close(
        together > job.global_sequences, Reason.BATCH_TOO_SMALL, (together * job.sequence_tokens).astype(np.float64)
    )
    uneven = job.global_sequences % (np.maximum(layouts.micro_batch, 1) * np.maximum(layouts.data_parallel, 1)) != 0
    gate = gate.close(uneven, Reason.BATCH_NOT_DIVISIBLE, float(job.global_sequences))
    limit_w = (hardware.max_kw_total or np.inf) * WATTS_PER_KW
    at_site = devices_at_site(prices, who, layouts.devices, layouts.devices, layouts.devices, is_one_job=True)
    power = at_site * prices.rated_power_w[who] * central(scenario.economics.site.pue)
    # Where none is within the limit all are planned: a planner is shown the nearest.
    is_any_within = bool((gate.is_open & (power <= limit_w)).any())
    return gate.close(is_any_within & (power > limit_w), Reason.OVER_POWER, power - limit_w)


def _has_optimizer(job: TrainingJob, layouts: TrainingLayouts) -> Booleans:
    """Whether a launcher of the framework has the optimizer with the layout, its ZeRO stage and where state is."""
    known = job.optimizer_stages

    def among(stages: tuple[int, ...]) -> Booleans:
        return np.isin(layouts.zero_stage, (AUTO, *stages) if stages else ())

    has = np.where(layouts.is_model_divided, among(known.divided), among(known.whole))
    has &= (layouts.sharding_group <= 0) | among(known.hybrid)
    return np.asarray(has & ((layouts.offload <= 0) | among(known.offload)))


def _expert_tensor_gate(job: TrainingJob, layouts: TrainingLayouts, gate: Gate) -> Gate:
    """Closed for experts that are cut into uneven parts, or as the framework cannot cut them."""
    ways, width = layouts.expert_tensor_parallel, job.numbers.expert_size
    gate = gate.close(width % ways != 0, Reason.EXPERT_WIDTH_NOT_DIVISIBLE, float(width))
    if job.framework.expert_tensor == "any":
        return gate
    is_all = (layouts.expert_parallel > 1) & (ways == layouts.tensor_parallel)
    foreign = ~is_usual_expert_tensor(layouts) & ~is_all
    return gate.close(foreign, Reason.EXPERT_TENSOR_NOT_IN_FRAMEWORK, ways.astype(float))


@dataclass(frozen=True)
class Certainty:
    """How well each layout's step is known."""

    log_sd: Floats
    kind: Integers
    """What it rests on, an `EvidenceKind`."""
    published_runs: Integers


@dataclass(frozen=True)
class Judgement:
    """Which runs are recommended, and in which order all layouts come."""

    gate: Gate
    meets_targets: Booleans
    sure: Sure
    order: Integers


def judged(
    scenario: Scenario,
    training: TrainingWorkload,
    context: Context,
    layouts: TrainingLayouts,
    gate: Gate,
    certainty: Certainty,
    ran: dict[str, Any],
) -> Judgement:
    """Close the gate for runs that miss what is asked of them, and rank. `ran` has a column per part of a run."""
    time, usd = ran["run_time_s"], ran["usd_per_run"]
    owned = share_already_owned(scenario, context, layouts)
    sure = _at_confidence(scenario, training, context, certainty.log_sd, 1.0 - owned, ran)
    gate = _spot_gate(scenario, training, context, layouts, gate, time)
    gate = _wishes_gate(training, gate, time, usd)
    gate = _confidence_gate(training, gate, sure)
    meets = gate.is_open | (gate.reason == Reason.BELOW_CONFIDENCE)
    if training.budget_usd is None:
        meets = meets | (gate.reason == Reason.NO_PRICE)
    is_over = np.zeros(len(usd), bool)
    if has_limits(scenario):
        gate, is_over = _site_gate(scenario, context, layouts, gate, ran)
    if scenario.economics.uncertainty.measured_only:
        published = certainty.published_runs
        gate = _measured_gate(gate, is_measured(certainty.kind, published), published)
    dear = sure_held_usd(scenario, context, layouts, sure, ran)
    held = ran["device_hours"]
    if counts_idle_time(scenario):
        held = held + idle_device_hours(scenario, layouts.devices, held)
    is_alone = bool(scenario.hardware.owned) and scenario.serving is None
    at_hand = owned >= 1 if is_alone else np.zeros(len(dear), bool)
    far, far_surely = (
        beyond_limits(*_shares_of_limits(training, *of)) for of in ((time, usd), (sure.time_s, sure.usd))
    )  # fmt: skip
    by = ranked_as(gate, far, far_surely, is_over, has_budget=training.budget_usd is not None)
    beyond = share_of_horizon(scenario, time, owned)
    order = runs_in_order(by, dear, held, time, layouts, is_thin(scenario, context, layouts), at_hand, beyond)
    return Judgement(gate, meets, sure, order)


def _shares_of_limits(training: TrainingWorkload, time: Floats, usd: Floats) -> tuple[Floats, Floats]:
    """Time over the deadline and cost over the budget; 0 where there is no such limit. [1]"""
    late = time / central(training.deadline_s) if training.deadline_s is not None else np.zeros_like(time)
    dear = usd / central(training.budget_usd) if training.budget_usd is not None else np.zeros_like(usd)
    return late, dear


def _wishes_gate(training: TrainingWorkload, gate: Gate, time: Floats, usd: Floats) -> Gate:
    """Closed for runs that end too late or cost too much, by the limit that they miss by more, or have no price.

    What has no price keeps no budget, whenever it ends.
    """
    late, dear = _shares_of_limits(training, time, usd)
    gate = gate.close(np.isnan(dear), Reason.NO_PRICE, 0.0)
    gate = gate.close((late > 1) & ~(dear > late), Reason.MISSES_DEADLINE, late)
    gate = gate.close(dear > 1, Reason.OVER_BUDGET, dear)
    return gate.close(np.isnan(usd), Reason.NO_PRICE, 0.0)


def _at_confidence(
    scenario: Scenario, training: TrainingWorkload, context: Context, log_sd: Floats, rented: Floats,
    ran: dict[str, Any],
) -> Sure:  # fmt: skip
    """Time and cost that are kept with the chance asked for; `rented` is the share of the devices that has a rent."""
    economics, score = scenario.economics, score_asked(scenario)
    time, usd, once = ran["run_time_s"], ran["usd_per_run"], once_s(training, ran["checkpoint_write_s"])
    known = {one.id: one.distribution.value for one in context.calibration.uncertainty.inputs}
    is_rented = economics.training_procurement != "own" and economics.uncertainty.usual_spreads
    price = log_sd_of(known["device_price"]) * rented if is_rented else 0.0
    tokens = log_sd_of(training.tokens) if is_uncertain(training.tokens) else 0.0
    work = np.hypot(log_sd, tokens)
    return Sure(once + (time - once) * np.exp(score * work), usd * np.exp(score * np.hypot(work, price)))


def _confidence_gate(training: TrainingWorkload, gate: Gate, sure: Sure) -> Gate:
    """Closed for runs that keep date and budget as expected, but not with the chance that is asked for."""
    worst = np.fmax(*_shares_of_limits(training, sure.time_s, sure.usd))
    return gate.close(worst > 1, Reason.BELOW_CONFIDENCE, worst)


def _spot_gate(
    scenario: Scenario, training: TrainingWorkload, context: Context, layouts: TrainingLayouts, gate: Gate, time: Floats
) -> Gate:
    """Closed for runs that cannot restart on capacity that may be taken away."""
    if training.restartable:
        return gate
    often = run_interruptions(scenario, context, layouts, time)
    return gate.close(np.isfinite(time) & (often > 0), Reason.CANNOT_RESTART, often)


def _site_gate(
    scenario: Scenario, context: Context, layouts: TrainingLayouts, gate: Gate, ran: dict[str, Any]
) -> tuple[Gate, Booleans]:
    """Closed for clusters that the site cannot feed or cool in whole units as sold; and which they are, late or not."""
    site, who = context.site_of(scenario), layouts.accelerator
    prices = context.prices(scenario.economics, scenario.economics.training_procurement, site)
    sold = cluster_for(context.catalog, scenario.hardware).node_devices
    devices = layouts.devices.astype(np.float64)
    at_site = devices_at_site(prices, who, devices, ran["paid_devices"], devices, is_one_job=True)
    fit = site_fit(scenario, prices, sold, who, devices, at_site, ran["unit_devices"])
    is_run = np.isfinite(ran["run_time_s"])
    is_over = is_run & ((fit.rack_excess_w > 0) | (fit.total_excess_w > 0) | fit.is_cooling_missing)
    in_time = np.isin(gate.reason, (Reason.BELOW_CONFIDENCE, Reason.NO_PRICE))
    gate = Gate(np.where(is_over & in_time, int(Reason.NONE), gate.reason), gate.value)
    for excess in (fit.rack_excess_w, fit.total_excess_w):
        gate = gate.close(is_run & (excess > 0), Reason.OVER_POWER, excess)
    return gate.close(is_over, Reason.COOLING, 0.0), is_over


def _measured_gate(gate: Gate, known: NDArray[np.bool_], published: Integers) -> Gate:
    """Closed for layouts that could be run, but on devices that nobody measured."""
    could_run = np.isin(
        gate.reason, (Reason.NONE, Reason.BELOW_CONFIDENCE, Reason.MISSES_DEADLINE, Reason.OVER_BUDGET)
    )  # fmt: skip
    left_out = could_run & ~known
    value = np.where(left_out, published, gate.value)
    return Gate(np.where(left_out, int(Reason.NOT_MEASURED), gate.reason), value)


def is_thin(scenario: Scenario, context: Context, layouts: TrainingLayouts | TrainingTable) -> NDArray[np.bool_]:
    """Layouts whose price fewer providers than bear one out ask."""
    economics, who, devices = scenario.economics, layouts.accelerator, layouts.devices
    prices = context.prices(economics, economics.training_procurement, context.site_of(scenario))
    return ~prices.is_borne_out_for(who, prices.added_devices(who, devices, devices, is_one_job=True))
