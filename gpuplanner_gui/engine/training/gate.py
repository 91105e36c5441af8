"""Which training layouts can run at all, and why the others cannot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.prices import DevicePrices
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.training.choices import RECOMPUTATIONS
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import AUTO, TrainingLayouts
from gpuplanner_gui.engine.training.recipes import COMPUTE_PRECISION


@dataclass(frozen=True)
class Gate:
    """A reason per candidate, and the number that belongs to it."""

    reason: Integers
    value: Floats

    @staticmethod
    def opened(count: int) -> Gate:
        return Gate(np.zeros(count, np.int64), np.zeros(count))

    def close(self, where: Booleans, reason: Reason, value: Floats | float) -> Gate:
        """Give a reason to those that have none yet."""
        if not where.any():
            return self
        first = where & (self.reason == Reason.NONE)
        return Gate(np.where(first, int(reason), self.reason), np.where(first, value, self.value))

    def at(self, index: Integers) -> Gate:
        return Gate(self.reason[index], self.value[index])

    @property
    def is_open(self) -> Booleans:
        return np.asarray(self.reason == Reason.NONE)


def accelerator_gate(scenario: Scenario, context: Context, job: TrainingJob, prices: DevicePrices) -> Gate:
    """Reasons that hold for an accelerator whatever the layout; one entry per accelerator."""
    devices, hardware = context.devices, scenario.hardware
    gate = Gate.opened(len(devices))
    gate = gate.close(~context.allowed(hardware), Reason.EXCLUDED, 0.0)
    not_sold = context.cannot_be_bought(hardware, scenario.economics.training_procurement)
    gate = gate.close(not_sold, Reason.END_OF_LIFE, 0.0)
    gate = gate.close(_not_for_training(context), Reason.NOT_FOR_TRAINING, 0.0)
    gate = gate.close(np.isnan(devices.memory_bytes), Reason.NO_MEMORY_FIGURE, 0.0)
    gate = gate.close(np.isnan(devices.bandwidth_bytes_per_s), Reason.NO_BANDWIDTH_FIGURE, 0.0)
    precision = COMPUTE_PRECISION[job.recipe]
    gate = gate.close(_without(context, precision), Reason.PRECISION_NOT_SUPPORTED, float(PRECISION_INDEX[precision]))
    gate = gate.close(np.isnan(devices.peak_flop_per_s[:, job.compute_index]), Reason.NO_COMPUTE_FIGURE, 0.0)
    if job.numbers.flop_per_token <= 0:
        gate = gate.close(np.ones(len(devices), bool), Reason.NO_COMPUTE_FIGURE, 0.0)
    return gate.close(_is_uncoolable(scenario, prices), Reason.COOLING, 0.0)


@lru_cache(maxsize=8)
def _not_for_training(context: Context) -> Booleans:
    training = context.calibration.training
    unfit = [
        entry.ecosystem not in training.training_ecosystems or entry.id in training.inference_only
        for entry in context.accelerators
    ]
    return np.array(unfit, bool)


@lru_cache(maxsize=64)
def _without(context: Context, precision: str) -> Booleans:
    """Accelerators that have no arithmetic of that format."""
    return np.array([not entry.supports(precision) for entry in context.accelerators], bool)


def _is_uncoolable(scenario: Scenario, prices: DevicePrices) -> Booleans:
    cooling = scenario.hardware.cooling
    if not cooling:
        return np.zeros(len(prices.power_w), bool)
    coolable = np.zeros(len(prices.power_w), bool)
    if "air" in cooling:
        coolable |= prices.is_air_cooled
    if "liquid" in cooling:
        coolable |= prices.is_liquid_cooled | prices.is_air_cooled
    return ~coolable


def layout_gate(
    scenario: Scenario, context: Context, job: TrainingJob, prices: DevicePrices, layouts: TrainingLayouts, gate: Gate
) -> Gate:
    """Reasons of a layout's shape, after those of its accelerator."""
    devices, hardware = context.devices, scenario.hardware
    who, numbers = layouts.accelerator, job.numbers
    power = layouts.devices * prices.rated_power_w[who] * central(scenario.economics.site.pue)
    if hardware.max_kw_total is not None:
        limit = hardware.max_kw_total * 1e3
        gate = gate.close(power > limit, Reason.OVER_POWER, power - limit)
    if not hardware.tensor_parallel_across_nodes:
        domain = devices.scale_up_domain[who]
        gate = gate.close(layouts.tensor_parallel > domain, Reason.BEYOND_SCALE_UP_DOMAIN, domain)
    heads = numbers.heads
    if heads:
        gate = gate.close(heads % layouts.tensor_parallel != 0, Reason.HEADS_NOT_DIVISIBLE, float(heads))
    gate = gate.close(layouts.pipeline_parallel > max(numbers.layers, 1), Reason.LAYERS_NOT_DIVISIBLE, numbers.layers)
    if numbers.experts:
        gate = gate.close(
            numbers.experts % layouts.expert_parallel != 0, Reason.EXPERTS_NOT_DIVISIBLE, float(numbers.experts)
        )
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
    modes = [AUTO, *(RECOMPUTATIONS.index(name) for name in job.recomputations)]
    gate = gate.close(~np.isin(layouts.recompute, modes), Reason.RECOMPUTATION_NOT_IN_FRAMEWORK, 0.0)
    divided = layouts.model_parallel * layouts.expert_parallel
    if not job.framework.divides_models:
        gate = gate.close(divided > 1, Reason.LAYOUT_NOT_IN_FRAMEWORK, divided.astype(float))
    if job.is_adapter:
        gate = gate.close(divided > 1, Reason.ADAPTERS_NOT_DIVIDED, 0.0)
    uneven = job.global_sequences % np.maximum(layouts.data_parallel, 1) != 0
    return gate.close(uneven, Reason.BATCH_NOT_DIVISIBLE, float(job.global_sequences))
