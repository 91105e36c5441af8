"""The layouts of one accelerator ranked by time, by cost or by devices for a deadline, with why each lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import Reason, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_results import LayoutObjective, LayoutRanking
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.table_memory import memory_bytes
from gpuplanner_gui.engine.training.layouts import device_counts
from gpuplanner_gui.engine.training.plan import training_of
from gpuplanner_gui.engine.training.search import STEP_PARTS, layout_search, pareto_front

SHAPE = ("devices", "tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel", "virtual_stages")
MOST_ROWS = 4000
FINER_COUNTS = 8
"""Between a power of two that is too few for a deadline and the next one, in equal steps."""
STEP_UNIT = 8
"""Counts are multiples of a usual node."""


def ranked_layouts(
    scenario: Scenario,
    context: Context,
    accelerator: str,
    objective: LayoutObjective,
    devices: int,
    check: Callable[[], None],
) -> LayoutRanking:
    """Every legal layout of an accelerator, reduced to the best variant of each shape and put in order.

    `time`: the fastest on `devices`; `cost` and `devices`: over every power of two up to the scenario's most (or
    `devices` where that is more), the cheapest, or the fewest that hold the deadline, near which counts are tried more
    finely. Raises ValueError for an accelerator that the catalogue lacks, a scenario without training, or `devices` for
    one without a deadline; whatever `check` raises when the caller has lost interest.
    """
    if objective == "devices" and training_of(scenario).deadline_s is None:
        raise ValueError("devices for a deadline need a deadline")
    if objective == "time":
        counts: tuple[int, ...] = (devices,)
    else:
        counts = device_counts(0, max(devices, scenario.hardware.max_training_devices))
    found = _Found(scenario, context, accelerator, objective, check)
    for count in counts:
        found.add(count)
    if objective == "devices":
        for count in _finer_counts(found.fewest_in_time(), counts):
            found.add(count)
    return found.ranking(accelerator, devices if objective == "time" else 0)


class _Found:
    """Tables of several device counts, each reduced as soon as it is there."""

    def __init__(
        self,
        scenario: Scenario,
        context: Context,
        accelerator: str,
        objective: LayoutObjective,
        check: Callable[[], None],
    ) -> None:
        self._asked = (scenario, context, accelerator)
        self._objective = objective
        self._check = check
        self._tables: list[TrainingTable] = []
        self._tried = self._fitting = 0

    def add(self, count: int) -> None:
        self._check()
        table = layout_search(*self._asked, count, self._check).table
        self._tried += len(table.order)
        self._fitting += int(table.fits.sum())
        if len(table.order):
            self._tables.append(table_rows(table, best_of_each_shape(table, self._objective)))

    def fewest_in_time(self) -> int:
        """The smallest number of devices with a layout that meets every target; 0 for none."""
        counts = [int(table.devices[0]) for table in self._tables if bool(table.meets_targets.any())]
        return min(counts, default=0)

    def ranking(self, accelerator: str, devices: int) -> LayoutRanking:
        table = joined_tables(self._tables)
        order = layout_order(table, self._objective)[:MOST_ROWS]
        table = msgspec.structs.replace(table_rows(table, order), order=np.arange(len(order)))
        several = len(self._tables) > 1
        front_by = ("run_time_s", "usd_per_run") if several else ("run_time_s", "memory")
        second = table.usd_per_run if several else memory_bytes(table)
        runs = table.fits
        front = pareto_front(np.where(runs, table.run_time_s, np.nan), np.where(runs, second, np.nan))
        part, part_s, slower = losses(table)
        return LayoutRanking(
            accelerator=accelerator,
            objective=self._objective,
            devices=devices,
            tried=self._tried,
            fitting=self._fitting,
            table=table,
            on_front=front,
            front_by=front_by,
            lost_part=part,
            lost_part_s=part_s,
            lost_step_s=slower,
            parts=STEP_PARTS,
        )


def _finer_counts(fewest: int, known: tuple[int, ...]) -> tuple[int, ...]:
    """Counts between the last power of two that is too slow and the first that is in time."""
    if fewest <= STEP_UNIT:
        return ()
    step = max(STEP_UNIT, fewest // 2 // FINER_COUNTS)
    between = range(fewest // 2 + step, fewest, step)
    return tuple(count for count in between if count not in known)


def layout_order(table: TrainingTable, objective: LayoutObjective) -> Integers:
    """Those that meet every target first, then those that run, then the rest by how near they come."""
    time, usd = np.nan_to_num(table.run_time_s, nan=np.inf), np.nan_to_num(table.usd_per_run, nan=np.inf)
    group = np.where(table.meets_targets, 0, np.where(table.fits, 1, np.where(table.reason == Reason.HEADROOM, 2, 3)))
    devices = table.devices.astype(np.float64)
    keys = {"time": (usd, time), "cost": (time, usd), "devices": (usd, time, devices)}[objective]
    missing = np.where(table.fits, 0.0, np.nan_to_num(table.reason_value))
    missing = np.where(table.reason == Reason.DOES_NOT_FIT, missing, np.where(table.fits, 0.0, np.inf))
    if objective == "devices":
        # Nothing holds the deadline: then what comes nearest to it is the answer.
        keys = (*keys[:-1], np.where(group == 0, devices, time))
    return np.lexsort((devices, *keys, missing, group))


def best_of_each_shape(table: TrainingTable, objective: LayoutObjective) -> Integers:
    """For each way to divide the devices the variant of micro-batch, ZeRO stage and recomputation that comes first."""
    order = layout_order(table, objective)
    shapes = np.stack([getattr(table, name)[order] for name in SHAPE], axis=1)
    _, first = np.unique(shapes, axis=0, return_index=True)
    return np.asarray(order[np.sort(first)])


def losses(table: TrainingTable) -> tuple[Integers, Floats, Floats]:
    """Which part of the step each layout loses most by against the first, how much of it, and how much in all. [s]

    On another number of devices a second counts as many times as there are more of them. −1 and NaN for the winner and
    for what cannot run.
    """
    count = len(table.order)
    if not count or not bool(table.fits[0]):
        return np.full(count, -1), np.full(count, np.nan), np.full(count, np.nan)
    scale = table.devices / float(table.devices[0])
    growth = np.stack([getattr(table, part) * scale - float(getattr(table, part)[0]) for part in STEP_PARTS])
    worst = np.nan_to_num(growth, nan=-np.inf).argmax(axis=0)
    is_loser = table.fits & (np.arange(count) > 0)
    part_s = np.where(is_loser, growth[worst, np.arange(count)], np.nan)
    slower = np.where(is_loser, table.step_time_s * scale - float(table.step_time_s[0]), np.nan)
    return np.where(is_loser, worst, -1), part_s, slower


def table_rows(table: TrainingTable, index: Integers) -> TrainingTable:
    """Some rows of a table, their order that of the index."""
    values: dict[str, Any] = {
        name: None if (column := getattr(table, name)) is None else np.asarray(column[index])
        for name in table.__struct_fields__
        if name != "order"
    }
    return TrainingTable(**values, order=np.arange(len(index)))


def joined_tables(tables: list[TrainingTable]) -> TrainingTable:
    """Tables one after another. Raises ValueError for none."""
    if not tables:
        raise ValueError("no layout can be tried")
    values = {name: np.concatenate([getattr(one, name) for one in tables]) for name in tables[0].__struct_fields__}
    return TrainingTable(**values | {"order": np.arange(len(values["devices"]))})
