"""Sentences about a training run's data and checkpoints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from gpuplanner_gui.domain.curves import StoreRun
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.drawing.measuring_commands import STEPS
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.value_ranges import format_sum
from gpuplanner_gui.drawing.words.remedy_sentences import REMEDY_SENTENCES
from gpuplanner_gui.drawing.words.training import batch_advice, store_rows, store_text
from tests.drawing import synthetic

EXAMPLE = Path(__file__).parents[3] / "resources/examples/7b-continued-pretraining.gpuplan"


def written_at(bytes_per_s: float) -> Results:
    """Results whose recommended run writes its checkpoints at this rate."""
    results = synthetic.results()
    answer = results.plan.training
    assert answer is not None
    written = np.full(len(answer.table.devices), float(answer.table.checkpoint_bytes[answer.best]) / bytes_per_s)
    table = msgspec.structs.replace(answer.table, checkpoint_write_s=written)
    training = msgspec.structs.replace(answer, table=table)
    return replace(results, plan=msgspec.structs.replace(results.plan, training=training))


def test_a_store_that_is_faster_than_the_hosts_links_says_so() -> None:
    job = synthetic.scenario().training
    assert job is not None
    given = central(job.checkpoints.storage_write_bytes_per_s)
    slower = written_at(given / 4)
    assert slower.plan.training is not None
    said = store_text(slower, slower.plan.training.best).replace("\u00a0", " ")
    assert f"The hosts' network adapters limit writing to {given / 4e9:g} GB/s, not the store." in said
    assert "network adapters" not in store_text(written_at(given), slower.plan.training.best)


def test_a_store_beyond_the_hosts_links_names_their_rate() -> None:
    results = synthetic.results()
    answer = results.plan.training
    assert answer is not None
    size = float(answer.table.checkpoint_bytes[answer.best])
    rest = {"interval_s": 600.0, "goodput": 0.99, "run_time_s": 1e6, "usd_per_run": 1e4}
    rates = (4e11, 5e10, 5e6)
    stores = tuple(StoreRun(write_bytes_per_s=rate, write_s=size / min(rate, 5e10), **rest) for rate in rates)
    slow = StoreRun(write_bytes_per_s=4e6, write_s=size / 4e6, **(rest | {"run_time_s": 1.05e6}))
    needed = StoreRun(write_bytes_per_s=1e7, write_s=size / 1e7, **rest)
    hopeless = StoreRun(
        write_bytes_per_s=1e6, write_s=size / 1e6, interval_s=600.0, goodput=1e-8, run_time_s=1e14, usd_per_run=1e12
    )
    training = msgspec.structs.replace(answer, stores=(*stores, slow, hopeless), store_needed=needed)
    rows = store_rows(replace(results, plan=msgspec.structs.replace(results.plan, training=training))).cells
    said = [str(row[1]).replace("\u00a0", " ") for row in rows]
    least, short = (
        f"{words}: the last checkpoint takes {format_value(size / rate, 's')}".replace("\u00a0", " ")
        for words, rate in (("the least needed", 1e7), ("not enough", 5e6))
    )
    assert said == [
        "hosts limit this to 50 GB/s", "", least, short, "not enough: the run takes 5 % longer",
        "far too slow: most failures come before a checkpoint is written",
    ]  # fmt: skip
    assert rows[-1][-2:] == (None, None)
    assert None not in rows[-2]


def test_a_planned_store_below_the_one_that_is_needed_is_not_called_enough() -> None:
    """Also where it costs the run less than a hundredth: a checkpoint a day is kept."""
    results = synthetic.results()
    answer, job = results.plan.training, results.scenario.training
    assert answer is not None
    assert job is not None
    given, rest = central(job.checkpoints.storage_write_bytes_per_s), {"interval_s": 600.0, "goodput": 0.99}
    planned, needed = (
        StoreRun(write_bytes_per_s=rate, write_s=1e3, run_time_s=time, usd_per_run=1e4, **rest)
        for rate, time in ((given, 1.03e6), (2 * given, 1e6))
    )
    training = msgspec.structs.replace(answer, stores=(planned,), store_needed=needed)
    results = replace(results, plan=msgspec.structs.replace(results.plan, training=training))
    said = store_text(results, answer.best).replace("\u00a0", " ")
    assert "The run needs a store of" in said
    assert "is enough" not in said
    which = str(store_rows(results).cells[-1][1]).replace("\u00a0", " ")
    assert which.startswith("planned; not enough: the run takes 3 % longer")


def test_what_slows_a_run_beside_goodput_is_named() -> None:
    """The result is there once the last checkpoint is stored: a slow store is waited for, whatever goodput says."""
    results = synthetic.results()
    answer = results.plan.training
    assert answer is not None
    for write_s, is_told in ((8_000.0, True), (80.0, False)):
        needed = StoreRun(
            write_bytes_per_s=1.0, write_s=write_s, interval_s=write_s, goodput=0.998, run_time_s=1e6, usd_per_run=1e4
        )
        training = msgspec.structs.replace(answer, store_needed=needed)
        changed = replace(results, plan=msgspec.structs.replace(results.plan, training=training))
        which = str(store_rows(changed).cells[-1][1]).replace("\u00a0", " ")
        assert which == ("the least needed: the last checkpoint takes 2.22 h" if is_told else "the least needed")


def test_the_advice_names_as_many_steps_as_the_command_runs():
    assert f"Run {STEPS} steps" in REMEDY_SENTENCES["measure_steps"]


def test_parts_of_a_difference_add_up_as_they_are_rounded():
    assert format_sum(0.19, 1.07, "s") == ("0.19 s", "1.07 s", "0.88 s")
    assert format_sum(0.0031, 0.0106, "s") == ("3.1 ms", "10.6 ms", "7.5 ms")
    assert format_sum(0.041, 1.213, "s") == ("41 ms", "1\u00a0213 ms", "1\u00a0172 ms")


def test_a_micro_batch_that_does_not_divide_the_batch_is_told_one_that_does() -> None:
    """The largest divisor of 976 = 16 · 61 below 12 is 8; one of 8 needs no advice, nor does an open one."""
    given = synthetic.scenario()
    assert given.training is not None

    def said(micro: int) -> str:
        job = msgspec.structs.replace(
            given.training, micro_batch=micro, sequence_length=4096, global_batch_tokens=976 * 4096
        )
        return batch_advice(msgspec.structs.replace(given, training=job))

    assert "Enter one that does, such as 8, or 0" in said(12)
    assert said(8) == said(0) == ""
