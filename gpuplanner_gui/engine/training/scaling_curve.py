"""How a run speeds up with devices, from one to a hundred thousand, and what the last day saved costs."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.constants import SECONDS_PER_DAY
from gpuplanner_gui.domain.plan import Reason, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_results import ScalingCurve
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.training.layouts import layouts_of, parallel_sizes
from gpuplanner_gui.engine.training.plan import context_sizes, expert_sizes, job_for, options_of, planned, training_of

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
    saved = -np.diff(run_time_s) / SECONDS_PER_DAY
    more = np.diff(usd_per_run)
    with np.errstate(divide="ignore", invalid="ignore"):
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
    layers = job.numbers.layers
    sizes = parallel_sizes(
        counts, layers, widest if layers else 1, context_sizes(job), expert_sizes(job), max(layers, 1)
    )
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
