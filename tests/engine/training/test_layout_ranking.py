"""Layouts ranked by time, cost and devices for a deadline; a layout that is fixed is the one that is planned."""

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.training_workload import Parallelism
from gpuplanner_gui.engine.model.table_memory import memory_bytes
from gpuplanner_gui.engine.training.layout_ranking import layout_search, ranked_layouts
from gpuplanner_gui.engine.training.layouts import parallel_sizes, sizes_to_try, with_layout_fixed, with_layout_open
from gpuplanner_gui.engine.training.plan import training_plan

from .conftest import DAY_S, H100, LLAMA_8B, LLAMA_70B, ScenarioMaker


def never() -> None:
    """Nobody cancels a test."""


@pytest.fixture(scope="module")
def scenario(made: ScenarioMaker):
    return made(LLAMA_70B, {"accelerators": (H100,), "max_training_devices": 256}, deadline_s=60 * DAY_S)


@pytest.fixture(scope="module")
def by_time(scenario, context):
    return ranked_layouts(scenario, context, H100, "time", 64, never)


def test_first_is_the_fastest_of_every_layout(scenario, context, by_time):
    every = layout_search(scenario, context, H100, 64, never).table
    assert by_time.winner == 0
    assert by_time.tried == len(every.order)
    assert by_time.fitting == every.fits.sum()
    assert by_time.table.run_time_s[0] == pytest.approx(np.nanmin(every.run_time_s))
    ordered = by_time.table.run_time_s[by_time.table.fits]
    assert (np.diff(ordered) >= 0).all()


def test_of_one_way_to_divide_the_devices_every_variant_is_told(made: ScenarioMaker, context):
    """A single device: micro-batches, recomputation and offload are all that there is to choose."""
    alone = made(LLAMA_8B, {"accelerators": ("nvidia-h200-sxm-141gb",), "max_training_devices": 1}, method="lora")
    found = ranked_layouts(alone, context, "nvidia-h200-sxm-141gb", "time", 1, never)
    assert len(found.table.order) == found.tried > 10
    assert found.fitting < found.tried


def test_every_runner_up_says_why_it_lost(by_time):
    table = by_time.table
    losers = np.flatnonzero(table.fits)[1:]
    assert (by_time.lost_part[losers] >= 0).all()
    assert (by_time.lost_step_s[losers] >= 0).all()
    assert (by_time.lost_part_s[losers] > 0).all()
    refused = np.flatnonzero(~table.fits)
    assert len(refused)
    assert (table.reason[refused] != Reason.NONE).all()
    assert (by_time.lost_part[refused] == -1).all()


def test_no_layout_beats_one_on_the_front(by_time):
    table = by_time.table
    assert by_time.front_by == ("run_time_s", "memory")
    time, memory = table.run_time_s, memory_bytes(table)
    for index in np.flatnonzero(by_time.on_front):
        better = table.fits & (time <= time[index]) & (memory <= memory[index])
        better &= (time < time[index]) | (memory < memory[index])
        assert not better.any()
    assert by_time.on_front[0]


def test_devices_for_a_deadline_are_few_enough_and_hold_it(made: ScenarioMaker, context):
    hardware: dict[str, object] = {"accelerators": (H100,), "max_training_devices": 256}
    found = ranked_layouts(made(LLAMA_70B, hardware, deadline_s=20 * DAY_S), context, H100, "devices", 64, never)
    table = found.table
    assert table.meets_targets[0]
    assert table.run_time_s[0] <= 20 * DAY_S
    fewer = table.devices < table.devices[0]
    assert not (table.meets_targets & fewer).any()
    assert set(np.unique(table.devices)) - {2**power for power in range(9)}


def test_cheapest_is_first_by_cost(scenario, context):
    found = ranked_layouts(scenario, context, H100, "cost", 64, never)
    in_time = found.table.meets_targets
    assert found.table.usd_per_run[0] == np.nanmin(found.table.usd_per_run[in_time])
    assert found.front_by == ("run_time_s", "usd_per_run")


def test_devices_for_a_deadline_need_one(context, made: ScenarioMaker):
    with pytest.raises(ValueError, match="deadline"):
        ranked_layouts(made(), context, H100, "devices", 8, never)


def test_a_fixed_layout_is_planned_as_it_was_found(scenario, context, by_time):
    for row in (0, 5, 11):
        fixed = with_layout_fixed(scenario, by_time.table, row)
        plan = training_plan(fixed, context, never)
        mine = np.flatnonzero(plan.table.accelerator == context.devices.ids.index(H100))
        assert len(mine) == 1
        assert plan.table.step_time_s[mine[0]] == pytest.approx(by_time.table.step_time_s[row])
        for name in ("devices", "tensor_parallel", "pipeline_parallel", "micro_batch", "zero_stage", "virtual_stages"):
            assert getattr(plan.table, name)[mine[0]] == getattr(by_time.table, name)[row]
        assert fixed.training is not None
        assert with_layout_open(fixed.training).parallelism == Parallelism()


def test_a_size_that_is_given_alone_leaves_the_others_to_the_search(context, made: ScenarioMaker):
    scenario = made(
        LLAMA_70B, {"accelerators": (H100,), "training_devices": 64}, parallelism=Parallelism(pipeline=4)
    )  # fmt: skip
    table = training_plan(scenario, context, never).table
    own = table.accelerator == context.devices.ids.index(H100)
    assert (table.pipeline_parallel[own] == 4).all()
    assert len(np.unique(table.tensor_parallel[own])) > 2


def test_too_wide_a_tensor_layout_is_refused_with_its_reason(context, made: ScenarioMaker):
    scenario = made(LLAMA_70B, {"accelerators": (H100,)}, parallelism=Parallelism(tensor=32))
    table = training_plan(scenario, context, never).table
    own = table.accelerator == context.devices.ids.index(H100)
    assert set(table.reason[own]) == {Reason.BEYOND_SCALE_UP_DOMAIN}


def test_counts_are_rounded_down_to_what_the_sizes_divide():
    rows = sizes_to_try(Parallelism(tensor=4, pipeline=3), (100,), 80, 8, (1,), (1,), 16)
    assert rows.tolist() == [[96, 4, 3, 1, 1, 4]]
    rows = sizes_to_try(Parallelism(tensor=4, pipeline=3), (8,), 80, 8, (1,), (1,), 16)
    assert rows.tolist() == [[12, 4, 3, 1, 1, 4]]
    free = sizes_to_try(Parallelism(), (64,), 80, 8, (1,), (1,), 16)
    np.testing.assert_array_equal(free, parallel_sizes((64,), 80, 8, (1,), (1,), 16))


def test_old_files_leave_the_layout_to_the_search(scenario):
    plain = msgspec.to_builtins(scenario)
    del plain["training"]["parallelism"]
    assert msgspec.convert(plain, type(scenario), strict=False).training.parallelism == Parallelism()


def test_where_no_layout_fits_none_wins(made: ScenarioMaker, context):
    scenario = made(LLAMA_70B, {"accelerators": (H100,), "max_training_devices": 1})
    found = ranked_layouts(scenario, context, H100, "time", 1, never)
    assert found.fitting == 0
    assert found.winner == -1


ONE_H100: dict[str, object] = {"accelerators": (H100,), "training_devices": 1}


def test_state_on_the_host_is_ranked_where_the_device_has_no_room(context, made: ScenarioMaker):
    """Llama 3 8B has 128 GB of state: on one H100 only layouts run that keep it in host memory."""
    found = ranked_layouts(made(LLAMA_8B, ONE_H100, framework="deepspeed"), context, H100, "time", 1, never)
    table = found.table
    assert found.winner == 0
    assert table.fits.any()
    assert set(table.offload[table.fits]) == {1}
    assert table.host_bytes[0] > 8e9 * 12
    every = layout_search(made(LLAMA_8B, ONE_H100, framework="deepspeed"), context, H100, 1, never).table
    assert set(every.offload) == {0, 1}


def test_a_stated_place_of_optimizer_state_is_kept_beside_open_sizes(context, made: ScenarioMaker):
    for offload, places in (("none", {0}), ("host", {1})):
        every = layout_search(made(LLAMA_8B, ONE_H100, offload=offload), context, H100, 1, never).table
        assert set(every.offload) == places
    fixed = made(LLAMA_8B, ONE_H100, offload="none", parallelism=Parallelism(tensor=1))
    assert set(layout_search(fixed, context, H100, 1, never).table.offload) == {0, 1}


def test_an_offloaded_layout_of_the_ranking_is_planned_as_it_was_found(context, made: ScenarioMaker):
    scenario = made(LLAMA_8B, ONE_H100, framework="deepspeed")
    table = ranked_layouts(scenario, context, H100, "time", 1, never).table
    plan = training_plan(with_layout_fixed(scenario, table, 0), context, never)
    assert plan.table.offload[plan.best] == 1
    assert plan.table.step_time_s[plan.best] == pytest.approx(table.step_time_s[0])
