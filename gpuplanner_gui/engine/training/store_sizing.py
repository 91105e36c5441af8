"""The store that a run's checkpoints need: write rate, capacity, and what slower ones cost."""

from __future__ import annotations

import msgspec
import numpy as np

from gpuplanner_gui.domain.constants import SECONDS_PER_DAY
from gpuplanner_gui.domain.curves import StoreRun
from gpuplanner_gui.domain.plan import Plan, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.checkpoints import Checkpointing, CheckpointTerms, checkpointing, read_share
from gpuplanner_gui.engine.training.cluster import cluster_for
from gpuplanner_gui.engine.training.run import ENDLESS

NEAR_BEST = 0.01
"""Of the run's time, that a store may add which is called fast enough."""
HALVINGS = 40
LADDER = (400e9, 100e9, 40e9, 10e9, 1e9, 0.1e9)
"""Bytes per second of stores that a run's cost is told for: from parallel file systems on flash to one disk."""


def checkpointing_of_row(
    scenario: Scenario,
    context: Context,
    table: TrainingTable,
    row: int,
    interruptions_per_node_day: float,
    write_bytes_per_s: float | None = None,
) -> Checkpointing:
    """Checkpoints of one candidate with other interruptions than the plan's, or another store.

    Raises ValueError for a scenario without training.
    """
    job = scenario.training
    if job is None:
        raise ValueError("the scenario has no training workload")
    given = job.checkpoints
    if write_bytes_per_s is not None:
        given = msgspec.structs.replace(given, storage_write_bytes_per_s=write_bytes_per_s)
    one = slice(row, row + 1)
    terms = CheckpointTerms(
        given, context.devices, cluster_for(context.catalog, scenario.hardware),
        context.calibration.training.nvme_bytes_per_s, interruptions_per_node_day,
    )  # fmt: skip
    reading = read_share(job.data, given, table.tokens_per_s[one])
    return checkpointing(terms, table.accelerator[one], table.devices[one], table.checkpoint_bytes[one], reading)


def spot_interruptions(scenario: Scenario) -> float:
    """Of a node on the scenario's spot capacity. [1/d]"""
    return SECONDS_PER_DAY / central(scenario.economics.spot_interruption_interval_s)


def run_with_store(
    scenario: Scenario, context: Context, table: TrainingTable, row: int, write_bytes_per_s: float
) -> StoreRun:
    """One candidate's run with a store of another write rate; layout, failures and prices stay."""
    assert scenario.training is not None
    is_spot = scenario.economics.training_procurement == "rent_spot"
    interruptions = spot_interruptions(scenario) if is_spot else 0.0
    found = checkpointing_of_row(scenario, context, table, row, interruptions, write_bytes_per_s)
    goodput, start = float(found.goodput[0]), central(scenario.training.start_up_s)
    steps_s = (float(table.run_time_s[row]) - start) * float(table.goodput[row])
    with np.errstate(divide="ignore"):
        time = start + float(np.divide(steps_s, goodput))
    usd = float(table.usd_per_run[row]) * time / float(table.run_time_s[row])
    return StoreRun(
        write_bytes_per_s=write_bytes_per_s,
        write_s=float(found.write_s[0]),
        interval_s=float(found.store_interval_s[0]),
        goodput=goodput,
        run_time_s=time,
        usd_per_run=usd,
    )


def store_needed(scenario: Scenario, context: Context, table: TrainingTable, row: int) -> StoreRun:
    """The slowest store with which a run takes at most a hundredth longer than with an endless one."""
    best = run_with_store(scenario, context, table, row, ENDLESS)
    low, high = 0.0, float(np.log(ENDLESS))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        run = run_with_store(scenario, context, table, row, float(np.exp(middle)))
        low, high = (low, middle) if run.run_time_s <= (1 + NEAR_BEST) * best.run_time_s else (middle, high)
    # The last checkpoint is written after the last step; and a run that hardly fails still keeps one a day.
    longest_s = min(SECONDS_PER_DAY, NEAR_BEST * best.run_time_s)
    last = float(table.checkpoint_bytes[row]) / longest_s
    return run_with_store(scenario, context, table, row, max(float(np.exp(high)), last))


def with_stores(scenario: Scenario, plan: Plan, context: Context) -> Plan:
    """The plan with the store that its recommended run needs, and what the scenario's and slower ones cost."""
    found, job = plan.training, scenario.training
    if found is None or job is None or found.best < 0 or not np.isfinite(found.table.run_time_s[found.best]):
        return plan
    needed = store_needed(scenario, context, found.table, found.best)
    given = central(job.checkpoints.storage_write_bytes_per_s)
    rates = sorted({given, *LADDER}, reverse=True)
    stores = tuple(run_with_store(scenario, context, found.table, found.best, rate) for rate in rates)
    training = msgspec.structs.replace(found, store_needed=needed, stores=stores)
    return msgspec.structs.replace(plan, training=training)
