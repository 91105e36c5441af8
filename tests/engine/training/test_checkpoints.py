"""Checkpoints are bounded by the stores that take them: a ladder of stores by hand, and what must hold for any."""

from dataclasses import fields
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.domain.training_workload import Checkpoints, DataPipeline
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan
from gpuplanner_gui.engine.training.checkpoints import (
    Checkpointing,
    CheckpointTerms,
    checkpoint_rate,
    checkpointing,
    read_share,
)
from gpuplanner_gui.engine.training.communication import cluster_of
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.training.run import run_with_store, store_needed
from gpuplanner_gui.engine.training.step_time import TrainingStep, limiting_resource

from .conftest import H100, LLAMA_8B, LLAMA_405B, ScenarioMaker

SIZE_405B = 14 * 405.8e9
"""5.68 TB: 16-bit weights, FP32 master weights, two moments."""
NODE_FAILURES = 4e-3
MTBF_S = 86_400 / (2048 * NODE_FAILURES)
"""10,547 s for 2,048 nodes of eight H100."""


def kept(context, reading: float = 0.0, devices: int = 16_384, size: float = SIZE_405B, **given: object):
    usual: dict[str, Any] = {"failures_per_node_day": NODE_FAILURES, "restart_s": 600.0}
    terms = CheckpointTerms(
        Checkpoints(**(usual | given)), context.devices, cluster_of(context.catalog, "", 1.0, 1.0), 3e9, 0.0
    )
    here = np.array([context.devices.ids.index(H100)])
    found = checkpointing(terms, here, np.array([devices]), np.array(size), np.array([reading]))
    return Checkpointing(*(np.atleast_1d(part) for part in vars(found).values()))


# 16,384 H100, asynchronous: the copy to the host stops the steps for 346.8 MB / 31.5 GB/s = 11 ms, for which Daly's
# interval is √(2 · 0.011 · 10547) = 15.2 s. A failure costs restart or reading back, and the write under way.
LADDER = (
    # rate, write, interval, e^−((restart + write)/M) · (τ/M)/(e^((τ + 11 ms)/M) − 1)
    (400e9, 14.2, 15.24, 0.9421),  # e^−0.0582 = 0.9434, · 0.99856
    (40e9, 142.0, 142.0, 0.9258),  # e^−0.0704 = 0.9321, · 0.9932
    (10e9, 568.1, 568.1, 0.8710),  # e^−0.1108 = 0.8952, · 0.9733: 600 s of restart are longer than reading back
    (1e9, 5681.2, 5681.2, 0.2570),  # e^−1.0773 = 0.3405, · 0.7547: read back in 5,681 s
    (0.1e9, 56_812.0, 56_812.0, 5.2e-7),  # e^−10.773 = 2.10e-5, · 0.0248
)


@pytest.mark.parametrize(("rate", "write_s", "interval_s", "goodput"), LADDER)
def test_ladder_of_stores_by_hand(context, rate: float, write_s: float, interval_s: float, goodput: float):
    found = kept(context, storage_write_bytes_per_s=rate)
    assert float(found.write_s[0]) == pytest.approx(write_s, rel=1e-3)
    assert float(found.interval_s[0]) == pytest.approx(interval_s, rel=5e-3)
    assert float(found.goodput[0]) == pytest.approx(goodput, rel=5e-3)
    assert float(found.stall_s[0]) == pytest.approx(0.011, rel=0.01)


@pytest.mark.parametrize(
    ("rate", "interval_s", "goodput"),
    [
        # δ = 142 s, δ/2M = 0.006734: √(2δM) = 1730.9, · (1 + 0.02735 + 0.00075) − 142 = 1637.5.
        # e^−0.0569 = 0.9447, · 1637.5/10547/(e^(1779.5/10547) − 1) = 0.15526/0.18381
        (40e9, 1637.5, 0.7980),
        # δ = 5,681 s, δ/2M = 0.26933: 10946.8 · (1 + 0.17299 + 0.02993) − 5681 = 7487. e^−0.5387 = 0.5835
        # for reading back, · 0.7099/2.4852.
        (1e9, 7487.0, 0.1667),
    ],
)
def test_synchronous_checkpoints_stop_the_run_for_the_whole_write_by_hand(
    context, rate: float, interval_s: float, goodput: float
):
    found = kept(context, storage_write_bytes_per_s=rate, asynchronous=False)
    assert float(found.stall_s[0]) == float(found.write_s[0]) == pytest.approx(SIZE_405B / rate)
    assert float(found.interval_s[0]) == pytest.approx(interval_s, rel=2e-3)
    assert float(found.goodput[0]) == pytest.approx(goodput, rel=5e-3)


def test_local_disks_save_all_failures_but_those_that_take_the_host_by_hand(context):
    """Disks take 346.8 MB per device at 3 GB/s in 0.116 s; a store of 1 GB/s has a new copy every 5,681 s. Of failures
    22 % restart from disks: e^−(600.1/10547) · 0.99856 = 0.9434. The others lose the store's write and read back,
    M = 10547/0.78 = 13522: (5681 + 5081)/13522 and 5681/13522/(e^0.4201 − 1) = 0.4512 · 0.8046."""
    found = kept(context, storage_write_bytes_per_s=1e9, first_copy="local_disk")
    assert float(found.interval_s[0]) == pytest.approx(15.24, rel=5e-3)
    assert float(found.store_interval_s[0]) == pytest.approx(5681.2, rel=1e-3)
    assert float(found.goodput[0]) == pytest.approx(0.9434 * 0.4512 * 0.8046, rel=5e-3)


def test_copies_in_two_hosts_memory_survive_nearly_every_failure(context):
    """Over 45 GB/s of network 346.8 MB take 8 ms; the store hardly matters."""
    slow, fast = (
        float(kept(context, storage_write_bytes_per_s=rate, first_copy="memory").goodput[0]) for rate in (1e9, 400e9)
    )
    assert fast == pytest.approx(0.943, abs=2e-3)
    assert slow == pytest.approx(fast, rel=1e-3)


def test_a_host_writes_no_faster_than_its_adapters(context):
    """Eight H100 reach storage over two adapters of the node: 5.68 TB take as long however fast the store is."""
    fast, faster = (kept(context, devices=8, storage_write_bytes_per_s=rate) for rate in (400e9, 4e12))
    assert float(fast.write_s[0]) == float(faster.write_s[0])
    node = next(one for one in context.catalog.nodes_of(H100) if any("storage" in nic.purpose for nic in one.nics))
    ports = sum(nic.count * nic.bytes_per_s_each for nic in node.nics if "storage" in nic.purpose)
    assert float(fast.write_s[0]) == pytest.approx(SIZE_405B / ports)


@pytest.mark.parametrize(
    ("reading", "interval_s", "goodput", "slowed"),
    [
        # Half of the store is enough for reading: a write of 40·0.6 GB/s, 236.7 s, takes nothing from it.
        (0.4, 236.7, 0.9122, 0.0),
        # Reading that wants the whole store gets half of it for 284.1 s, 142 s lost: Daly's interval is that of a stop
        # of 142 s. A failure costs 600 s and the write: e^−0.08382 = 0.9196, · 0.15526/0.18381. 142/(1637.5 + 142).
        (1.0, 1637.5, 0.7768, 0.0798),
    ],
)
def test_a_checkpoint_takes_its_part_of_reading_by_hand(
    context, reading: float, interval_s: float, goodput: float, slowed: float
):
    found = kept(context, reading=reading, storage_write_bytes_per_s=40e9)
    assert float(found.interval_s[0]) == pytest.approx(interval_s, rel=5e-3)
    assert float(found.goodput[0]) == pytest.approx(goodput, rel=5e-3)
    assert float(found.slowed_share[0]) == pytest.approx(slowed, abs=1e-3)
    stopped = kept(context, reading=reading, storage_write_bytes_per_s=40e9, asynchronous=False)
    assert float(stopped.slowed_share[0]) == 0


def test_data_that_waits_for_checkpoints_is_a_limit_of_storage():
    """Of a second of computing: nothing lost is compute, 1 % is not worth a word, 8 % is the store that both share."""
    none, one = np.zeros(1), np.ones(1)
    step = TrainingStep(*(one if part.name in ("compute_s", "total") else none for part in fields(TrainingStep)))
    for slowed, limit in ((0.0, Resource.COMPUTE), (0.01, Resource.COMPUTE), (0.08, Resource.STORAGE)):
        found = limiting_resource(step, step.total, np.array([slowed]), np.array([slowed]))
        assert Resource(int(found[0])) == limit


def test_reading_takes_its_part_of_a_shared_store_by_hand():
    """A quarter of the store reads: three quarters of 40 GB/s write; two that want all of it get half each."""
    ports = np.array([np.nan])
    for reading, left in ((0.0, 40e9), (0.25, 30e9), (1.0, 20e9)):
        found = checkpoint_rate(40e9, np.array([reading]), np.array([8]), ports)
        assert float(found[0]) == pytest.approx(left)
    data = DataPipeline(bytes_per_token=4000.0, storage_read_bytes_per_s=10e9)
    rate = np.array([1e6])
    assert float(read_share(data, Checkpoints(), rate)[0]) == pytest.approx(0.4)
    assert float(read_share(data, Checkpoints(shares_store=False), rate)[0]) == 0.0


@settings(deadline=None)
@given(
    rate=st.floats(1e8, 1e12), faster=st.floats(1.0, 100.0), is_async=st.booleans(),
    place=st.sampled_from(["store", "local_disk", "memory"]), failures=st.floats(1e-5, 0.5),
)  # fmt: skip
def test_no_checkpoint_begins_before_the_last_is_written_and_faster_stores_never_hurt(
    context, rate: float, faster: float, is_async: bool, place: str, failures: float
):
    given_: dict[str, Any] = {"asynchronous": is_async, "first_copy": place, "failures_per_node_day": failures}
    slow, fast = (kept(context, storage_write_bytes_per_s=each, **given_) for each in (rate, rate * faster))
    for found in (slow, fast):
        assert found.store_interval_s[0] + found.stall_s[0] >= found.write_s[0] * (1 - 1e-12)
        assert 0 <= found.goodput[0] < 1
    assert fast.goodput[0] >= slow.goodput[0] * (1 - 1e-9)


def test_steps_between_checkpoints_last_at_least_as_long_as_the_write(context, made: ScenarioMaker):
    """What the audit saw: 5.68 TB every 15 s into a store of 40 GB/s, and the same run over 1, 40 and 400 GB/s."""
    hardware = {"accelerators": (H100,), "training_devices": 16_384, "max_training_devices": 16_384}
    scenario = made(LLAMA_405B, hardware, tokens=15.6e12, sequence_length=8192, global_batch_tokens=16 * 2**20)
    runs = []
    for rate in (1e9, 40e9, 400e9):
        terms = Checkpoints(storage_write_bytes_per_s=rate)
        training = msgspec.structs.replace(scenario.training, checkpoints=terms)
        found = training_plan(msgspec.structs.replace(scenario, training=training), context, lambda: None)
        table, best = found.table, found.best
        assert table.checkpoint_interval_s[best] >= table.checkpoint_bytes[best] / rate
        runs.append(float(table.run_time_s[best]))
    assert runs[0] > 2 * runs[1]
    assert runs[1] > 1.01 * runs[2]


def test_the_store_that_a_plan_needs_holds_its_run_within_a_hundredth(context, made: ScenarioMaker):
    hardware = {"accelerators": (H100,), "training_devices": 64, "max_training_devices": 64}
    checkpoints = Checkpoints(storage_write_bytes_per_s=2e7, failures_per_node_day=0.5)
    scenario = made(LLAMA_8B, hardware, checkpoints=checkpoints)
    plan = training_plan(scenario, context, lambda: None)
    needed = store_needed(scenario, context, plan.table, plan.best)
    endless = run_with_store(scenario, context, plan.table, plan.best, 1e18)
    slower = run_with_store(scenario, context, plan.table, plan.best, needed.write_bytes_per_s / 2)
    assert needed.run_time_s == pytest.approx(1.01 * endless.run_time_s, rel=1e-4)
    assert needed.run_time_s < slower.run_time_s < float(plan.table.run_time_s[plan.best])
    same = run_with_store(scenario, context, plan.table, plan.best, 2e7)
    assert same.run_time_s == pytest.approx(float(plan.table.run_time_s[plan.best]))
    assert same.usd_per_run == pytest.approx(float(plan.table.usd_per_run[plan.best]))


def test_a_run_with_another_store_is_the_run_planned_with_it(context, made: ScenarioMaker):
    """Its own last checkpoint and all: 112 GB take 31 hours at 1 MB/s. What is needed does not depend on the plan's."""
    rates, stores, share = (1e6, 4e6, 4e10), {}, {}
    hardware = {"accelerators": (H100,), "training_devices": 8}
    for rate in rates:
        scenario = made(LLAMA_8B, hardware, tokens=2e10, checkpoints=Checkpoints(storage_write_bytes_per_s=rate))
        table = training_plan(scenario, context, lambda: None).table
        best = int(table.order[0])
        stores[rate] = [run_with_store(scenario, context, table, best, other) for other in rates]
        stores[rate].append(store_needed(scenario, context, table, best))
        share[rate] = float(table.store_lost_share[best])
    for place, rate in enumerate(rates):
        planned = stores[rate][place]
        for other in rates:
            seen = stores[other][place]
            assert seen.run_time_s == pytest.approx(planned.run_time_s, rel=1e-6)
            assert seen.usd_per_run == pytest.approx(planned.usd_per_run, rel=1e-3)
            assert stores[other][-1].write_bytes_per_s == pytest.approx(stores[rate][-1].write_bytes_per_s, rel=1e-6)
    slow, fast = stores[1e6][0].run_time_s, stores[4e10][2].run_time_s
    assert slow - fast > 112e9 / 1e6
    assert share[1e6] == pytest.approx(1 - fast / slow, abs=1e-3)


def test_a_store_that_costs_most_of_the_run_is_its_limit_and_the_ladder_says_what_others_cost(
    catalog, calibration, made: ScenarioMaker
):
    """5.68 TB on 16,384 H100: a store of 1 GB/s leaves a quarter of the time, 40 GB/s 92.6 %."""
    hardware = {"accelerators": (H100,), "training_devices": 16_384, "max_training_devices": 16_384}
    terms = Checkpoints(storage_write_bytes_per_s=1e9, failures_per_node_day=NODE_FAILURES)
    scenario = made(
        LLAMA_405B, hardware, tokens=15.6e12, sequence_length=8192, global_batch_tokens=16 * 2**20, checkpoints=terms,
        deadline_s=120 * 86_400.0,
    )  # fmt: skip
    found = plan(scenario, catalog, calibration)
    training = found.training
    table, best = training.table, training.best
    assert table.limit[best] == Resource.STORAGE
    assert float(table.store_lost_share[best]) == pytest.approx(1 - 0.2570 / 0.9421, abs=0.01)
    by_rate = {one.write_bytes_per_s: one for one in training.stores}
    for rate, write_s, interval_s, goodput in LADDER:
        one = by_rate[rate]
        assert one.write_s == pytest.approx(write_s, rel=3e-3)
        assert one.interval_s == pytest.approx(interval_s, rel=5e-3)
        assert one.goodput == pytest.approx(goodput, rel=0.02, abs=1e-5)
    times = [one.run_time_s for one in training.stores]
    assert times == sorted(times)
    assert training.store_needed.run_time_s < 1.0101 * times[0]
    codes = [one.code for one in simulated_plan(scenario, catalog, calibration, found).findings]
    assert "slow_checkpoint_store" in codes
    assert not {"training_cluster_too_small", "more_devices_buy_time", "much_lost_to_failures"} & set(codes)


def test_the_store_that_is_needed_writes_the_last_checkpoint_in_a_hundredth_of_the_run(context, made: ScenarioMaker):
    """Without failures nothing but the last write waits: 112 GB of an 8B model in 1 % of the run, at most in a day."""
    never_fails = Checkpoints(failures_per_node_day=0.0)
    for tokens in (1e8, 1e11):
        scenario = made(
            LLAMA_8B, {"accelerators": (H100,), "training_devices": 8}, tokens=tokens, checkpoints=never_fails
        )
        table = training_plan(scenario, context, lambda: None).table
        best = int(table.order[0])
        needed = store_needed(scenario, context, table, best)
        endless = run_with_store(scenario, context, table, best, 1e18)
        longest_s = min(86_400.0, endless.write_s + 0.01 * endless.run_time_s)
        assert needed.write_s == pytest.approx(longest_s, rel=1e-3)
