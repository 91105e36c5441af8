"""Device counts of a training job between the powers of two: those that leave nothing unused of what is paid for."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.plan import TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.units import paid_fleet
from gpuplanner_gui.engine.fleet.devices_over_time import fewest_in_windows, held_hours, training_windows
from gpuplanner_gui.engine.training.communication import cluster_for
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import DEEPEST_PIPELINE

FINER_DEVICES = 8
"""Accelerators whose counts are tried more finely beside owned ones: the first of the ranking by their best layout."""
FINER_COUNTS = 6
"""Most counts that are tried between two at once."""
WIDEST_TENSOR = 64


def finer_counts(
    scenario: Scenario, context: Context, job: TrainingJob, table: TrainingTable
) -> dict[int, tuple[int, ...]]:  # fmt: skip
    """For each of the first accelerators counts between those next to its best one that were tried; none left out.

    Beside a service so too below the fewest that end in the run's window: what one fleet for both is sized by. A count
    is worth trying if nothing is paid for that does not work: what is owned with whole units of what is sold beside it.
    Which counts these are does not depend on the most that are allowed.
    """
    fitting = table.order[table.fits[table.order]]
    who, first = np.unique(table.accelerator[fitting], return_index=True)
    run_h = float(held_hours(table)[fitting[0]]) if len(fitting) else 0.0
    windows = training_windows(scenario, run_h) if scenario.serving is not None else ()
    found = {}
    for rank in _finer_ranks(scenario, context, who, first):
        accelerator, row = int(who[rank]), int(fitting[first[rank]])
        best, fewest = (int(table.devices[one]) for one in (row, fewest_in_windows(table, row, windows)))
        tried = np.unique(table.devices[table.accelerator == accelerator])
        gaps = {(int(tried[tried < one].max(initial=0)), one) for one in (best, fewest)}
        gaps |= {(best, int(above)) for above in tried[tried > best][:1]}
        counts = {one for gap in gaps for one in _worth_trying(scenario, context, job, accelerator, *gap)}
        if counts:
            found[accelerator] = tuple(sorted(counts))
    return found


def _finer_ranks(scenario: Scenario, context: Context, who: Integers, first: Integers) -> list[int]:
    """The accelerators whose counts are tried more finely: owned ones take no other's place."""
    owned = {one.accelerator for one in scenario.hardware.owned}
    is_owned = np.array([context.accelerators[one].id in owned for one in who], bool)
    ranks = np.argsort(first)
    return [*ranks[is_owned[ranks]].tolist(), *ranks[~is_owned[ranks]][:FINER_DEVICES].tolist()]


def _worth_trying(
    scenario: Scenario, context: Context, job: TrainingJob, accelerator: int, below: int, above: int
) -> tuple[int, ...]:
    """Some of the counts between two of an accelerator."""
    between = np.arange(below + 1, above)
    between = between[_is_divisible(job, between)]
    return _spread(between[_used_whole(scenario, context, accelerator, between)])


def _is_divisible(job: TrainingJob, counts: Integers) -> Booleans:
    """Whether some tensor and pipeline parallelism leaves copies of the model that divide the global batch."""
    divides = job.framework.divides_models and not job.is_adapter
    depths = range(1, min(DEEPEST_PIPELINE, max(job.numbers.parted_layers, 1)) + 1 if divides else 2)
    widths = [2**power for power in range(WIDEST_TENSOR.bit_length() if divides else 1)]
    units = np.array([[width * depth] for width in widths for depth in depths])
    copies = np.maximum(counts // units, 1)
    return np.asarray(((counts % units == 0) & (job.global_sequences % copies == 0)).any(axis=0))


def _used_whole(scenario: Scenario, context: Context, accelerator: int, counts: Integers) -> Booleans:
    """Whether no device is paid for beside those that work; without a price, whether machines are used whole."""
    economics, site = scenario.economics, context.site_of(scenario)
    prices = context.prices(economics, economics.training_procurement, site)
    who = np.full(len(counts), accelerator)
    paid: Floats = paid_fleet(prices.units, who, np.ones(len(who)), counts, is_one_job=True).devices
    node = cluster_for(context.catalog, scenario.hardware).node_devices[who]
    return np.asarray(np.where(np.isnan(paid), counts % node == 0, paid == counts))


def _spread(counts: Integers) -> tuple[int, ...]:
    """At most so many of the counts, evenly over all of them."""
    most = min(len(counts), FINER_COUNTS)
    return tuple(int(one) for one in counts[np.linspace(0, len(counts) - 1, most).round().astype(np.int64)])
