"""Device counts of a training job between the powers of two: those that leave nothing unused of what is paid for."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.plan import TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.units import paid_fleet
from gpuplanner_gui.engine.training.communication import cluster_for
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import DEEPEST_PIPELINE

FINER_DEVICES = 8
"""Accelerators whose counts are tried more finely: the first ones of the ranking, each by its best layout."""
FINER_COUNTS = 6
"""Most counts that are tried on either side of the best one at once."""
WIDEST_TENSOR = 64


def finer_counts(
    scenario: Scenario, context: Context, job: TrainingJob, table: TrainingTable
) -> dict[int, tuple[int, ...]]:  # fmt: skip
    """For each of the first accelerators counts between those next to its best one that were tried; none left out.

    A count is worth trying if nothing is paid for that does not work: what is owned with whole units of what is sold
    beside it. Which counts these are does not depend on the most that are allowed.
    """
    fitting = table.order[table.fits[table.order]]
    who, first = np.unique(table.accelerator[fitting], return_index=True)
    found = {}
    for rank in np.argsort(first)[:FINER_DEVICES]:
        accelerator, best = int(who[rank]), int(table.devices[fitting[first[rank]]])
        tried = np.unique(table.devices[table.accelerator == accelerator])
        below, above = tried[tried < best].max(initial=0), tried[tried > best]
        between = np.arange(below + 1, above[0] if len(above) else best)
        between = between[(between != best) & _is_divisible(job, between)]
        between = between[_used_whole(scenario, context, accelerator, between)]
        counts = (*_spread(between[between < best]), *_spread(between[between > best]))
        if counts:
            found[accelerator] = counts
    return found


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
