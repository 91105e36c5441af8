"""What a training run asks of storage: data to read, checkpoints to write, and what other stores cost."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.curves import StoreRun
from gpuplanner_gui.domain.plan import TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.training_workload import DataPipeline
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.units import format_value

NOTICED = 0.005
"""Share of the time from which waiting is told."""
NEEDED_AT_MOST = 0.01
"""Of the run's time, that the store that is needed adds to an endless one's."""


def data_text(results: Results, candidate: int) -> str:
    """Bytes, reads and cores that keep a candidate's devices busy, and what there is; empty where it cannot run."""
    answer, job = results.plan.training, results.scenario.training
    if answer is None or job is None or candidate < 0 or not math.isfinite(answer.table.data_bytes_per_s[candidate]):
        return ""
    table = answer.table
    wanted = tr("Data: the devices take {rate} in {reads}, prepared by {cores}.").format(
        rate=format_value(float(table.data_bytes_per_s[candidate]), "bytes/s"),
        reads=reads_text(float(table.data_reads_per_s[candidate])),
        cores=cores_text(float(table.data_cores[candidate])),
    )
    return " ".join((wanted, _given(job.data, table, candidate), _waiting(table, candidate))).strip()


def _given(data: DataPipeline, table: TrainingTable, candidate: int) -> str:
    """What storage and hosts give."""
    rate = format_value(central(data.storage_read_bytes_per_s), "bytes/s")
    if data.storage_reads_per_s is not None:
        rate = tr("{rate} in at most {reads}").format(rate=rate, reads=reads_text(central(data.storage_reads_per_s)))
    cores = float(table.devices[candidate]) * central(data.cpu_cores_per_device)
    return tr("Storage gives {rate}, the hosts have {cores}.").format(rate=rate, cores=cores_text(cores))


def _waiting(table: TrainingTable, candidate: int) -> str:
    share = float(table.input_s[candidate] / table.step_time_s[candidate])
    if share < NOTICED:
        return ""
    return tr("Devices wait for data {share} of the time.").format(share=format_value(share, "share", 2))


def cores_text(count: float) -> str:
    """Whole cores, at least one."""
    number = max(1.0, math.ceil(count - 1e-9))
    return tr("1 CPU core") if number == 1 else tr("{count} CPU cores").format(count=format_value(number))


def reads_text(rate: float) -> str:
    return tr("{rate} reads per second").format(rate=format_value(rate))


def store_text(results: Results, candidate: int) -> str:
    """How often a candidate writes checkpoints, and for the recommended one which store it needs."""
    answer, job = results.plan.training, results.scenario.training
    if answer is None or job is None or candidate < 0 or not math.isfinite(answer.table.checkpoint_bytes[candidate]):
        return ""
    table = answer.table
    said = tr("Checkpoints: {size} every {interval}, written in {write}; {kept} take {capacity} of storage.").format(
        size=format_value(float(table.checkpoint_bytes[candidate]), "bytes on disk"),
        interval=format_value(float(table.checkpoint_store_interval_s[candidate]), "s"),
        write=format_value(float(table.checkpoint_write_s[candidate]), "s"),
        kept=tr("the last {count} and the one being written").format(count=job.checkpoints.kept),
        capacity=format_value(float(table.checkpoint_storage_bytes[candidate]), "bytes on disk"),
    )
    needed = answer.store_needed
    if needed is None or candidate != answer.best:
        return said
    lost = float(table.store_lost_share[candidate])
    text = tr("A store of {rate} is enough: the run takes at most 1 % longer. {given} is planned.")
    if lost >= NEEDED_AT_MOST:
        text = tr("The run needs a store of {rate}; at the planned {given} it loses {lost} of its time.")
    return " ".join((said, text.format(
        rate=format_value(needed.write_bytes_per_s, "bytes/s"),
        given=format_value(central(job.checkpoints.storage_write_bytes_per_s), "bytes/s"),
        lost=format_value(lost, "share", 2),
    )))  # fmt: skip


def store_rows(results: Results) -> Rows:
    """The recommended run with the store that it has, the one that it needs, and slower ones."""
    columns = (
        Column(tr("Checkpoint store"), "bytes/s"), Column(tr("Which")), Column(tr("Write"), "s"),
        Column(tr("Interval"), "s"), Column(tr("Goodput"), "share"), Column(tr("Run time"), "s"),
        Column(tr("Cost of the run"), "USD"),
    )  # fmt: skip
    answer, job = results.plan.training, results.scenario.training
    if answer is None or job is None or answer.store_needed is None:
        return Rows(columns, ())
    given = central(job.checkpoints.storage_write_bytes_per_s)
    runs = sorted((answer.store_needed, *answer.stores), key=lambda one: -one.write_bytes_per_s)
    return Rows(columns, tuple(_row(one, answer.store_needed, given) for one in runs))


def _row(one: StoreRun, needed: StoreRun, given: float) -> tuple[str | float | None, ...]:
    which = tr("needed") if one is needed else tr("planned") if one.write_bytes_per_s == given else ""
    numbers = (one.write_s, one.interval_s, one.goodput, one.run_time_s, one.usd_per_run)
    return (one.write_bytes_per_s, which, *(number if math.isfinite(number) else None for number in numbers))
