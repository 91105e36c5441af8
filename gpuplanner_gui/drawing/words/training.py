"""What the training views say: while they wait, why a layout lost, what a run asks of storage."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.curves import StoreRun
from gpuplanner_gui.domain.plan import Plan, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_results import LayoutRanking, TrainingFits
from gpuplanner_gui.domain.training_workload import DataPipeline, TrainingFramework
from gpuplanner_gui.drawing.language import CodeNames, clauses, listed, tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.units import NOTHING, decimals_text, format_value
from gpuplanner_gui.drawing.value_ranges import format_sum
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.choices import words_of_choice
from gpuplanner_gui.drawing.words.reasons import reason_text
from gpuplanner_gui.engine.handoff.optimizers import optimizer_stages
from gpuplanner_gui.engine.training.job import least_batch_tokens
from gpuplanner_gui.engine.training.model_numbers import sample_tokens
from gpuplanner_gui.files.shipped_tables import load_launchers

EXAMPLE_SEQUENCES, EXAMPLE_MICRO_BATCH = 256, 4
"""What is proposed for a batch that is too small, and for a micro-batch that is too large."""
NOTICED = 0.005
"""Share of the time from which waiting is told."""
NEEDED_AT_MOST = 0.01
"""Of the run's time, that the store that is needed adds to an endless one's."""
LEAST_GOODPUT = 0.01
"""A run that gets less than this out of its devices is told no end and no cost: nobody waits for it."""


def slack_text(table: TrainingTable, candidate: int) -> str:
    """How early or late a run ends: 3.2 d early; empty without a deadline."""
    slack = float(table.deadline_slack_s[candidate])
    if not np.isfinite(slack):
        return ""
    return (tr("{time} early") if slack >= 0 else tr("{time} late")).format(time=format_value(abs(slack), "s"))


def batch_advice(scenario: Scenario) -> str:
    """What to enter where the global batch has no whole number of sequences' micro-batches; empty where it has."""
    training = scenario.training
    if training is None:
        return ""
    sequence = sample_tokens(scenario.model, training.sequence_length)
    sequences, micro = training.global_batch_tokens // sequence, training.micro_batch
    if training.global_batch_tokens >= least_batch_tokens(scenario.model, training):
        even = max(one for one in range(1, micro + 1) if sequences % one == 0) if micro else 0
        return "" if even == micro else tr(
            "A micro-batch of {micro} sequences does not divide the global batch of {sequences}. Enter one that does, "
            "such as {example}, or 0: the search chooses."
        ).format(micro=format_value(micro), sequences=format_value(sequences), example=format_value(even))  # fmt: skip
    if not sequences:
        return tr(
            "The global batch of {batch} is less than one sequence. Enter {sequence} or more, such as {example}."
        ).format(
            batch=format_value(training.global_batch_tokens, "tok"), sequence=format_value(sequence, "tok", digits=7),
            example=format_value(EXAMPLE_SEQUENCES * sequence, "tok"),
        )  # fmt: skip
    return tr(
        "A micro-batch of {micro} sequences is more than the global batch, which has {sequences}. Enter at most "
        "{sequences}, such as {example}, or 0: the search chooses."
    ).format(micro=format_value(micro), sequences=format_value(sequences), example=min(EXAMPLE_MICRO_BATCH, sequences))


def optimizer_advice(scenario: Scenario) -> str:
    """Which frameworks can run the chosen optimizer, where the chosen framework cannot."""
    training = scenario.training
    if training is None:
        return ""
    names: tuple[TrainingFramework, ...] = get_args(TrainingFramework)
    launchers = load_launchers()
    # A framework without a launcher is not known to have it.
    known = [one for one in names if one != training.framework and any(to.framework == one for to in launchers)]
    having = [one for one in known if optimizer_stages(launchers, one, training).whole]
    text = tr("{framework} cannot run {optimizer} with any of these layouts. Choose another optimizer, such as AdamW.")
    if having:
        text = tr(
            "{framework} cannot run {optimizer} with any of these layouts. Choose another optimizer, such as AdamW, or "
            "another framework: {frameworks}."
        )
    return text.format(
        framework=words_of_choice(training.framework), optimizer=words_of_choice(training.optimizer),
        frameworks=listed(words_of_choice(one) for one in having),
    )  # fmt: skip


def data_text(results: Results, candidate: int) -> str:
    """Bytes, reads and cores that keep a candidate's devices busy, and what there is; empty where it cannot run."""
    answer, job = results.plan.training, results.scenario.training
    if answer is None or job is None or candidate < 0 or not math.isfinite(answer.table.data_bytes_per_s[candidate]):
        return ""
    table = answer.table
    wanted = tr("Data: the devices read {rate} in {reads}; preparing it takes {cores}.").format(
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
    return tr("The data store delivers {rate}; all hosts together have {cores}.").format(
        rate=rate, cores=cores_text(cores)
    )


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
    said = tr("Checkpoints: {size} every {interval}, written in {write}. Storage for {kept}: {capacity}.").format(
        size=format_value(float(table.checkpoint_bytes[candidate]), "bytes on disk"),
        interval=format_value(float(table.checkpoint_store_interval_s[candidate]), "s"),
        write=format_value(float(table.checkpoint_write_s[candidate]), "s"),
        kept=tr("the last {count} and the one being written").format(count=job.checkpoints.kept),
        capacity=format_value(float(table.checkpoint_storage_bytes[candidate]), "bytes on disk"),
    )
    given, size = central(job.checkpoints.storage_write_bytes_per_s), float(table.checkpoint_bytes[candidate])
    written = size / max(float(table.checkpoint_write_s[candidate]), 1e-9)
    reading = float(table.data_bytes_per_s[candidate]) / central(job.data.storage_read_bytes_per_s)
    if written < 0.99 * given * (1 - reading * job.checkpoints.shares_store):
        text = tr("The hosts' network adapters limit writing to {rate}, not the store.")
        said = " ".join((said, text.format(rate=format_value(written, "bytes/s"))))
    needed = answer.store_needed
    if needed is None or candidate != answer.best:
        return said
    lost = float(table.store_lost_share[candidate])
    text = tr(
        "A checkpoint store slower than {rate} would make the run over {most} longer. The planned store writes {given}."
    )
    if given < needed.write_bytes_per_s:
        text = tr("The run needs a store of {rate}. At the planned {given}, the run loses {lost} of its time.")
    return " ".join((said, text.format(
        rate=format_value(needed.write_bytes_per_s, "bytes/s"),
        given=format_value(given, "bytes/s"),
        lost=format_value(lost, "share", 2),
        most=format_value(NEEDED_AT_MOST, "share"),
    )))  # fmt: skip


def store_rows(results: Results) -> Rows:
    """The recommended run with the store that it has, the one that it needs, and slower ones."""
    columns = (
        Column(tr("Checkpoint store"), "bytes/s"), Column(tr("Note")), Column(tr("Write"), "s"),
        Column(tr("Interval"), "s"), Column(tr("Goodput"), "share"), Column(tr("Run time"), "s"),
        Column(tr("Cost of the run"), "USD"),
    )  # fmt: skip
    answer, job = results.plan.training, results.scenario.training
    if answer is None or job is None or answer.store_needed is None:
        return Rows(columns, ())
    given = central(job.checkpoints.storage_write_bytes_per_s)
    runs = sorted((answer.store_needed, *answer.stores), key=lambda one: -one.write_bytes_per_s)
    size = float(answer.table.checkpoint_bytes[answer.best])
    return Rows(columns, tuple(_row(one, answer.store_needed, given, size, runs[0].run_time_s) for one in runs))


def _row(
    one: StoreRun, needed: StoreRun, given: float, size: float, fastest_s: float
) -> tuple[str | float | None, ...]:
    is_planned, has_headway = one.write_bytes_per_s == given, one.goodput >= LEAST_GOODPUT
    last = format_value(one.write_s, "s")
    said = [tr("planned") if is_planned else ""]
    if one is needed:
        # The result is there once the last checkpoint is stored: goodput leaves that out.
        is_long = one.write_s > NEEDED_AT_MOST / 2 * one.run_time_s
        words = tr("the least needed: the last checkpoint takes {time}") if is_long else tr("the least needed")
        said = [words.format(time=last)]
    if one.write_bytes_per_s < needed.write_bytes_per_s:
        more = max(one.run_time_s / fastest_s - 1.0, 0.0)
        short = tr("not enough: the last checkpoint takes {time}").format(time=last)
        if more > NEEDED_AT_MOST:
            short = tr("not enough: the run takes {share} longer").format(share=format_value(more, "share", 2))
        said.append(short if has_headway else tr("far too slow: most failures come before a checkpoint is written"))
    which = "; ".join(filter(None, said))
    if (is_planned or not which) and size < 0.9 * one.write_bytes_per_s * one.write_s:
        limited = tr("hosts limit this to {rate}").format(rate=format_value(size / one.write_s, "bytes/s"))
        which = f"{which}; {limited}" if which else limited
    results = (one.run_time_s, one.usd_per_run) if has_headway else (math.inf, math.inf)
    numbers = (one.write_s, one.interval_s, one.goodput, *results)
    return (one.write_bytes_per_s, which, *(number if math.isfinite(number) else None for number in numbers))


_SCHEDULES = {
    "1f1b": "1F1B", "interleaved": "Interleaved 1F1B", "zero_bubble": "Zero bubble", "dualpipe": "DualPipe",
}  # fmt: skip
objective_name = CodeNames({
    "time": "Shortest time",
    "cost": "Lowest cost",
    "devices": "Fewest devices for the deadline",
})  # fmt: skip

_PARTS = {
    "compute_s": "compute",
    "bandwidth_s": "memory traffic",
    "tensor_communication_s": "TP exchange",
    "data_communication_s": "DP exchange",
    "pipeline_communication_s": "PP exchange",
    "expert_communication_s": "EP and CP exchange",
    "bubble_s": "bubble",
    "host_s": "host",
    "input_s": "waiting for data",
}


def schedule_name(schedule: str) -> str:
    return tr(_SCHEDULES.get(schedule, schedule))


def waiting_text(results: Results, part: str, waiting: str) -> str:
    """Why a part of the training detail is not there: it failed, there is nothing to look at, or it is on its way."""
    if results.candidate("training") < 0:
        return tr("No candidate can train this. The table says why.")
    return results.in_depth.failures.get(part) or waiting


def lost_text(ranking: LayoutRanking, plan: Plan, row: int) -> str:
    """Why a layout is not the best: what it lacks, or the part of the step that grew most."""
    table = ranking.table
    reason = reason_text(plan, table, row)
    part = int(ranking.lost_part[row])
    if part < 0:
        return reason or tr("the best")
    name = tr(_PARTS[ranking.parts[part]])
    more, slower = float(ranking.lost_part_s[row]), float(ranking.lost_step_s[row])
    # As shares of the best layout's step: one unit all the way down, and short enough for the column.
    best = float(table.step_time_s[row]) - slower
    total, grown, less = (
        format_sum(slower / best, more / best, "share") if np.isfinite(slower) else (NOTHING,) * 3
    )  # fmt: skip
    said = tr("{slower} slower: {name} +{more}").format(slower=total, name=name, more=grown)
    if more > 1.1 * slower:
        said = tr("{said}, rest −{less}").format(said=said, less=less)
    if not np.isfinite(slower) or slower <= 0:
        said = tr("equally fast, but more {name}").format(name=name)
    return clauses((reason, said)) if reason else said


def ranking_text(ranking: LayoutRanking, catalog: Catalog) -> str:
    """How many layouts were tried, of what, and how many can run."""
    name = accelerator_name(ranking.accelerator, catalog)
    where = tr("{count} × {name}").format(count=format_value(ranking.devices), name=name) if ranking.devices else name
    text = tr("{tried} layouts tried on {where}: {fitting} fit, {front} on the Pareto front")
    if len(ranking.table.order) < ranking.tried:
        text = tr(
            "{tried} layouts tried on {where}: {fitting} fit. Below is the best for each TP, PP, CP, EP, DP and VPP"
        )
    return text.format(
        tried=format_value(ranking.tried, "", 7), where=where, fitting=format_value(ranking.fitting, "", 7),
        front=int(ranking.on_front.sum()),
    )  # fmt: skip


def place_text(ranking: LayoutRanking, place: int) -> str:
    """Where the selected candidate's layout stands, and how much longer its step is than the best one's."""
    if not place:
        return tr("; the selected candidate's layout is the best")
    number = format_value(place + 1, "", 7)
    longer = float(ranking.lost_step_s[place] / ranking.table.step_time_s[0])
    if not longer > 0:
        return tr("; the selected candidate's layout is number {place}").format(place=number)
    text = tr(
        ". The selected candidate's layout is number {place}, {share} slower than the best: this page tries "
        "more layouts than the plan does"
    )
    return text.format(place=number, share=format_value(longer, "share", 2))


def front_help(ranking: LayoutRanking) -> str:
    """What the Pareto front is of."""
    if ranking.front_by[1] == "memory":
        return tr("Pareto front: no other layout is both faster and smaller in memory.")
    return tr("Pareto front: no other layout is both faster and cheaper.")


def largest_model_text(fits: TrainingFits, scenario: Scenario, devices_of: str) -> str:
    """The largest model of the same shape that the devices can train, and on what at a time."""
    found = fits.largest_model
    if not found.parameters:
        return tr("No model with the proportions of this one fits {devices}.").format(devices=devices_of)
    training, batch = scenario.training, tr("one sample")
    if training is not None and (tokens := sample_tokens(scenario.model, training.sequence_length)) > 1:
        batch = tr("one sequence of {count} tokens").format(count=decimals_text(tokens))
    return tr(
        "With the proportions of this model, the largest that fits {devices} has {parameters} ({layers} layers, width "
        "{width}; micro-batches of {batch}). How long its training takes is not checked."
    ).format(
        batch=batch,
        devices=devices_of, parameters=_parameters(found.parameters), layers=format_value(found.layers),
        width=format_value(found.hidden_size, "", 6),
    )  # fmt: skip


def _parameters(count: float) -> str:
    return tr("{count} parameters").format(count=format_value(count, "param").removesuffix("param").strip())
