"""What surrounds the steps of a planned run: its data, failures, start, spare work, and when it ends."""

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.plan import Reason, Resource
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import OwnedStock
from gpuplanner_gui.domain.training_workload import Checkpoints, DataPipeline
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.training.ranking import AS_GOOD_AS_LATE

from .conftest import (
    DAY_S,
    H100,
    LLAMA_8B,
    LLAMA_70B,
    ONE_NODE,
    ScenarioMaker,
    fastest,
    never,
)


def test_a_slow_data_pipeline_makes_devices_wait_and_more_of_them_do_not_help(context, made: ScenarioMaker):
    slow = DataPipeline(bytes_per_token=4.0, storage_read_bytes_per_s=400e3)

    def rate(devices: int) -> float:
        scenario = made(LLAMA_8B, {"accelerators": (H100,), "training_devices": devices}, data=slow)
        plan = training_plan(scenario, context, never)
        chosen = fastest(plan)
        assert plan.table.limit[chosen] == Resource.INPUT
        assert plan.table.input_s[chosen] > 0
        return float(plan.table.tokens_per_s[chosen])

    assert rate(64) == pytest.approx(100e3)
    assert rate(128) == pytest.approx(rate(64))


def test_data_is_the_limit_as_soon_as_devices_wait_for_it(context, made: ScenarioMaker):
    """A store of nine tenths of what the devices take: computing fills most of a step, and data sets its pace."""
    hardware = {"accelerators": (H100,), "training_devices": 64}
    free = training_plan(made(LLAMA_8B, hardware), context, never)
    # Of layouts that all wait for data, another may cost a little less.
    row = free.best
    wanted = float(free.table.data_bytes_per_s[row])
    for share, limit in ((0.9, Resource.INPUT), (1.1, Resource.COMPUTE)):
        data = DataPipeline(storage_read_bytes_per_s=share * wanted)
        found = training_plan(made(LLAMA_8B, hardware, data=data), context, never)
        assert found.table.limit[row] == limit
        assert float(found.table.tokens_per_s[row]) == pytest.approx(
            min(share, 1.0) * float(free.table.tokens_per_s[row]), rel=1e-3
        )


def test_what_feeds_a_run_by_hand(context, made: ScenarioMaker):
    """4 kB per token and 10,000 tokens/s per core: what one step's 4.19 million tokens take, waits left out."""
    data = DataPipeline(
        bytes_per_token=4000.0, storage_read_bytes_per_s=4e8, preprocessing_tokens_per_s_per_core=1e4,
        cpu_cores_per_device=100.0,
    )  # fmt: skip
    hardware = {"accelerators": (H100,), "training_devices": 64}
    plan = training_plan(made(LLAMA_8B, hardware, data=data), context, never)
    table, best = plan.table, plan.best
    busy = float(table.step_time_s[best] - table.input_s[best])
    assert table.input_s[best] > 0
    assert float(table.tokens_per_s[best]) == pytest.approx(1e5)
    assert float(table.data_bytes_per_s[best]) == pytest.approx(4_194_304 * 4000 / busy)
    assert float(table.data_cores[best]) == pytest.approx(4_194_304 / 1e4 / busy)
    assert float(table.samples_per_s[best]) == pytest.approx(1e5 / 4096)
    assert float(table.data_reads_per_s[best]) == pytest.approx(4_194_304 / 4096 / busy)


def test_reads_of_a_store_limit_small_samples_by_hand(context, made: ScenarioMaker):
    """100 kB a read at 4 kB per token are 25 tokens: 4,000 reads per second bring 100,000 tokens/s, whatever the
    bytes; half as many reads bring half, and reads ten times as large are not held up by them."""
    hardware = {"accelerators": (H100,), "training_devices": 64}

    def run(**given: float):
        data = DataPipeline(bytes_per_token=4000.0, storage_read_bytes_per_s=1e12, **given)
        plan = training_plan(made(LLAMA_8B, hardware, data=data), context, never)
        table, best = plan.table, plan.best
        return [float(getattr(table, name)[best]) for name in ("tokens_per_s", "data_reads_per_s", "limit")]

    full, half = (run(bytes_per_read=1e5, storage_reads_per_s=rate) for rate in (4000.0, 2000.0))
    assert full[0] == pytest.approx(1e5)
    assert half[0] == pytest.approx(5e4)
    assert full[2] == half[2] == Resource.INPUT
    large = run(bytes_per_read=1e6, storage_reads_per_s=40_000.0)
    assert large[2] != Resource.INPUT
    assert large[1] == pytest.approx(large[0] * 4000 / 1e6)


def test_hosts_read_no_faster_than_their_adapters(context, made: ScenarioMaker):
    """Four megabytes a token: one node of eight H100 reads what its storage adapters bring, however fast the
    store is."""
    data = DataPipeline(bytes_per_token=4e6, storage_read_bytes_per_s=1e15, preprocessing_tokens_per_s_per_core=1e9)
    plan = training_plan(made(LLAMA_8B, ONE_NODE | {"accelerators": (H100,)}, data=data), context, never)
    node = next(one for one in context.catalog.nodes_of(H100) if any("storage" in nic.purpose for nic in one.nics))
    ports = sum(nic.count * nic.bytes_per_s_each for nic in node.nics if "storage" in nic.purpose)
    assert float(plan.table.tokens_per_s[plan.best]) == pytest.approx(ports / 4e6)


def test_nobody_pays_for_devices_that_wait_for_data(context, made: ScenarioMaker):
    """Storage feeds 100,000 tokens/s to any devices: of those that miss the deadline alike, the cheapest leads."""
    slow = DataPipeline(bytes_per_token=4.0, storage_read_bytes_per_s=400e3)
    hardware = {"accelerators": (H100,), "max_training_devices": 256}
    scenario = made(LLAMA_8B, hardware, data=slow, tokens=1e11, deadline_s=11 * DAY_S)
    table = training_plan(scenario, context, never).table
    first = int(table.order[0])
    late = np.flatnonzero(table.fits & (table.reason == Reason.MISSES_DEADLINE))
    assert table.reason[first] == Reason.MISSES_DEADLINE
    alike = late[table.run_time_s[late] < (1 + AS_GOOD_AS_LATE) * table.run_time_s[late].min()]
    assert len(np.unique(table.devices[alike])) > 2
    assert table.usd_per_run[first] == table.usd_per_run[alike].min()


def test_failures_lower_goodput_and_asynchronous_checkpoints_raise_it(context, made: ScenarioMaker):
    hardware = {"accelerators": (H100,), "training_devices": 1024, "max_training_devices": 1024}

    def goodput(**terms: object) -> float:
        scenario = made(LLAMA_70B, hardware, checkpoints=Checkpoints(**terms))  # type: ignore[arg-type]
        plan = training_plan(scenario, context, never)
        return float(plan.table.goodput[plan.best])

    assert goodput(failures_per_node_day=0.0) == pytest.approx(1.0, abs=1e-3)
    calm, rough = goodput(failures_per_node_day=4e-3), goodput(failures_per_node_day=4e-2)
    assert rough < calm < 1.0
    assert goodput(failures_per_node_day=4e-3, asynchronous=False, storage_write_bytes_per_s=1e9) < calm


def test_headroom_for_retries_and_experiments_is_paid_for(context, made: ScenarioMaker):
    plain = made(LLAMA_8B, ONE_NODE, retry_share=0.0, validation_share=0.0, experiment_share=0.0)
    roomy = made(LLAMA_8B, ONE_NODE, retry_share=0.05, validation_share=0.02, experiment_share=0.08)
    first, second = (training_plan(scenario, context, never).table for scenario in (plain, roomy))
    runs = first.fits
    np.testing.assert_allclose(second.device_hours[runs], 1.15 * first.device_hours[runs])
    np.testing.assert_allclose(first.device_hours[runs], first.devices[runs] * first.run_time_s[runs] / 3600)


def test_virtual_machines_stretch_the_steps_and_the_bill(context, made: ScenarioMaker):
    """S127: a fifth of the work lost makes the steps take 1.25 times as long; starting takes what it did."""
    bare = made(LLAMA_8B, ONE_NODE, start_up_s=600.0)
    terms = msgspec.structs.replace(bare.economics.fleets, training_virtualisation_loss=0.2)
    virtual = msgspec.structs.replace(bare, economics=msgspec.structs.replace(bare.economics, fleets=terms))
    first, second = (training_plan(scenario, context, never).table for scenario in (bare, virtual))
    runs = first.fits
    once = 600.0 + first.checkpoint_write_s[runs]
    np.testing.assert_allclose(second.run_time_s[runs] - once, 1.25 * (first.run_time_s[runs] - once))
    np.testing.assert_allclose(second.step_time_s[runs], first.step_time_s[runs])
    priced = runs & np.isfinite(first.usd_per_run)
    ratio = second.run_time_s[priced] / first.run_time_s[priced]
    np.testing.assert_allclose(second.usd_per_run[priced] / first.usd_per_run[priced], ratio)


def test_a_run_ends_once_its_result_is_stored(context, made: ScenarioMaker):
    """8B in 14 bytes are 112 GB: written at 100 MB/s after the last step, they come 19 minutes later."""
    job = made(LLAMA_8B, ONE_NODE, tokens=1e9)
    slow = msgspec.structs.replace(job.training.checkpoints, storage_write_bytes_per_s=1e8)
    slow_job = msgspec.structs.replace(job, training=msgspec.structs.replace(job.training, checkpoints=slow))
    table = training_plan(slow_job, context, never).table
    row = int(np.flatnonzero(table.fits)[0])
    written = table.checkpoint_bytes[row] / 1e8
    steps = table.steps[row] * table.step_time_s[row] / table.goodput[row]
    assert written > 600
    assert table.run_time_s[row] == pytest.approx(central(job.training.start_up_s) + steps + written, rel=1e-4)


def test_all_devices_that_the_planner_has_are_tried(context, made: ScenarioMaker):
    hardware = {"accelerators": (H100,), "owned": (OwnedStock(accelerator=H100, devices=24),)}
    tried = {}
    for most in (24, 64):
        plan = training_plan(made(LLAMA_8B, hardware | {"max_training_devices": most}), context, never)
        tried[most] = plan.table.devices
    assert set(tried[24]) >= {1, 2, 4, 8, 16, 24}
    assert set(tried[64]) >= {1, 2, 4, 8, 16, 24, 32, 64}


def test_start_up_weighs_on_short_runs_alone(context, made: ScenarioMaker):
    def share(tokens: float) -> float:
        table = training_plan(made(LLAMA_8B, ONE_NODE, tokens=tokens, start_up_s=600.0), context, never).table
        return 600.0 / float(table.run_time_s[np.flatnonzero(table.fits)[0]])

    assert 0.5 < share(1e7) < 1
    assert share(1e12) < 0.001


def test_a_run_says_how_early_or_late_it_ends(context, made: ScenarioMaker):
    def table(deadline_s: float | None):
        return training_plan(made(LLAMA_8B, ONE_NODE, deadline_s=deadline_s), context, never).table

    free = table(None)
    row = int(np.flatnonzero(free.fits)[0])
    assert np.isnan(free.deadline_slack_s[row])
    run = float(free.run_time_s[row])
    assert float(table(run + 3 * DAY_S).deadline_slack_s[row]) == pytest.approx(3 * DAY_S)
    assert float(table(run - 2 * DAY_S).deadline_slack_s[row]) == pytest.approx(-2 * DAY_S)


def test_a_run_that_cannot_restart_is_not_recommended_on_spot(context, made: ScenarioMaker):
    """8 devices are one node, taken away once in the interval that the scenario states."""
    economics = Economics(training_procurement="rent_spot", spot_interruption_interval_s=6 * 3600.0)
    plans = []
    for restartable in (True, False):
        scenario = made(LLAMA_8B, ONE_NODE, tokens=1e9, restartable=restartable)
        plans.append(training_plan(msgspec.structs.replace(scenario, economics=economics), context, never))
    able, unable = plans
    assert able.table.meets_targets[able.best]
    runs = np.flatnonzero(unable.table.fits)
    assert len(runs) > 0
    assert (unable.table.reason[runs] == Reason.CANNOT_RESTART).all()
    assert not unable.table.meets_targets.any()
    expected = unable.table.run_time_s[runs] / (6 * 3600.0)
    np.testing.assert_allclose(unable.table.reason_value[runs], expected, rtol=1e-9)
    assert unable.best == able.best


def test_a_confidence_stretches_the_steps_and_not_the_last_checkpoint(context, made: ScenarioMaker):
    """Slower devices write to the store as fast."""
    job = made(LLAMA_8B, ONE_NODE, tokens=1e9)
    late = []
    for rate in (1e8, 1e11):
        checkpoints = msgspec.structs.replace(job.training.checkpoints, storage_write_bytes_per_s=rate)
        training = msgspec.structs.replace(job.training, checkpoints=checkpoints)
        terms = msgspec.structs.replace(job.economics.uncertainty, confidence="p95")
        economics = msgspec.structs.replace(job.economics, uncertainty=terms)
        scenario = msgspec.structs.replace(job, training=training, economics=economics)
        table = training_plan(scenario, context, never).table
        row = int(np.flatnonzero(table.fits)[0])
        steps = table.run_time_s[row] - table.checkpoint_write_s[row] - central(training.start_up_s)
        late.append((table.run_time_confident_s[row] - table.run_time_s[row]) / steps)
    assert late[0] == pytest.approx(late[1], rel=1e-3)
    assert late[0] > 0.05
