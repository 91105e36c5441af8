"""Pools that a case leaves open: which set-ups it may mean, how often each is chosen, and the middle of them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from tools.observation.habits import PoolPractice, Source, habits_of
from tools.observation.pools import middle_of, observed_pools, setups_of, shares_of

SAID = Source()
UNSAID = Source(may_speculate=True)
EIGHT = PoolLayout(tensor_parallel=8, expert_parallel=8, replicas=0.0)


@pytest.fixture
def context(catalog, calibration) -> Context:
    return Context(catalog, calibration)


@pytest.fixture
def pools(catalog) -> ServingCase:
    """Workers of 8 devices, nothing else said."""
    return ServingCase(
        case_id="a",
        model=catalog.models["deepseek-v3"].model,
        accelerator="nvidia-gb200",
        engine="trtllm",
        load="disaggregated",
        layout=EIGHT,
        prefill_layout=PoolLayout(tensor_parallel=4, expert_parallel=4, replicas=0.0),
        dense_format="fp8",
        prompt_tokens=1024.0,
        output_tokens=1024.0,
        concurrency=256.0,
        metrics=("ttft_mean", "tpot_mean"),
    )


def setups(case: ServingCase, context: Context, source: Source = SAID) -> list[ServingCase]:
    return setups_of([case], [source], context, context.calibration.engine(case.engine)).cases


def tpot(case: ServingCase, context: Context, practice: PoolPractice | None = None, source: Source = SAID) -> float:
    """With operators who look at the traits of a practice alone; as they usually do where none is given."""
    facts, habits = context.calibration.engine(case.engine), habits_of(case.engine)
    habits = msgspec.structs.replace(habits, pool_practice=practice or habits.pool_practice)
    return float(observed_pools([case], [source], context, facts, habits).tpot_s[0])


def test_a_case_that_says_all_means_itself(pools, context):
    said = msgspec.structs.replace(pools, layout=msgspec.structs.replace(EIGHT, replicas=2.0), draft_tokens=3)
    assert setups(said, context) == [said]


def test_workers_of_a_stated_size_may_be_any_number_in_one_group_or_several(pools, context):
    found = setups(pools, context)
    assert {case.layout.devices for case in found} == {8}
    assert {(case.layout.replicas, case.layout.data_parallel) for case in found} >= {(1, 1), (12, 1), (1, 8), (12, 8)}
    assert {case.draft_tokens for case in found} == {0}


def test_drafts_are_tried_where_they_may_run(pools, context):
    assert {case.draft_tokens for case in setups(pools, context, UNSAID)} == {0, 1, 2, 3}


def test_dense_models_run_in_one_group(pools, catalog, context):
    dense = msgspec.structs.replace(
        pools, model=catalog.models["llama-3.1-70b"].model, layout=PoolLayout(tensor_parallel=8, replicas=0.0)
    )
    assert {case.layout.data_parallel for case in setups(dense, context)} == {1}


def test_groups_and_experts_that_are_said_stay(pools, context):
    in_groups = PoolLayout(data_parallel=8, expert_parallel=8, replicas=0.0)
    found = setups(msgspec.structs.replace(pools, layout=in_groups), context)
    assert {case.layout.data_parallel for case in found} == {8}
    shared = PoolLayout(tensor_parallel=8, expert_tensor_parallel=8, replicas=0.0)
    found = setups(msgspec.structs.replace(pools, layout=shared), context)
    assert {case.layout.expert_parallel for case in found if case.layout.data_parallel == 1} == {1}


def test_a_sum_of_devices_is_parted_in_every_way(pools, context):
    both = msgspec.structs.replace(
        pools, layout=PoolLayout(replicas=0.0), prefill_layout=PoolLayout(replicas=0.0), both_pools_devices=36
    )
    found = setups(both, context)
    sums = {
        sum(layout.devices * layout.replicas for layout in (case.layout, case.prefill_layout) if layout)
        for case in found
    }
    assert sums == {36}
    assert {case.layout.devices for case in found} >= {8, 32}


def test_sizes_that_do_not_hold_the_model_are_not_tried(pools, context):
    unsaid = PoolLayout(replicas=0.0)
    found = setups(msgspec.structs.replace(pools, layout=unsaid, prefill_layout=unsaid), context)
    assert min(case.layout.devices for case in found) == 8
    wide = setups(
        msgspec.structs.replace(pools, layout=unsaid, prefill_layout=unsaid, accelerator="nvidia-h100-sxm-80gb"),
        context,
    )
    assert min(case.layout.devices for case in wide) == 16


def test_shares_are_a_logit_of_each_case():
    of = np.array([0, 0, 1, 1, 1])
    shares = shares_of(np.array([5.0, 6.0, 0.0, 0.0, 0.0]), of)
    assert shares[1] / shares[0] == pytest.approx(np.e)
    assert np.bincount(of, shares) == pytest.approx([1.0, 1.0])
    assert shares[2:] == pytest.approx(1 / 3)


def test_the_middle_has_half_of_the_shares_below():
    of = np.array([0, 0, 0, 1, 1])
    values = np.array([9.0, 1.0, 2.0, 5.0, 4.0])
    shares = np.array([0.3, 0.3, 0.4, 0.5, 0.5])
    assert middle_of(values, shares, of) == pytest.approx([2.0, 4.0])


def test_a_case_takes_what_its_operators_choose(pools, context):
    four = msgspec.structs.replace(pools, layout=msgspec.structs.replace(EIGHT, replicas=4.0))
    of_32 = {"devices_squared": -500.0, "groups_by_load": -5.0}
    assert tpot(pools, context, PoolPractice(drafts=-50.0, **of_32), UNSAID) == tpot(four, context)
    assert tpot(pools, context, PoolPractice(drafts=50.0, **of_32), UNSAID) < tpot(four, context)
    in_groups = msgspec.structs.replace(pools, layout=PoolLayout(data_parallel=8, expert_parallel=8, replicas=4.0))
    never_drafts = PoolPractice(drafts=-50.0, devices_squared=-500.0, groups_by_load=5.0)
    assert tpot(pools, context, never_drafts, UNSAID) == tpot(in_groups, context)


def test_open_pools_of_a_faster_device_are_never_slower(pools, catalog, calibration):
    """Twice the bandwidth: shares of set-ups do not look at predicted times."""
    device = catalog.accelerators["nvidia-gb200"]
    twice = msgspec.structs.replace(device, memory_bandwidth_bytes_per_s=2 * device.memory_bandwidth_bytes_per_s)
    faster = msgspec.structs.replace(catalog, accelerators=dict(catalog.accelerators) | {"nvidia-gb200": twice})
    for concurrency in (1.0, 64.0, 4096.0):
        case = msgspec.structs.replace(pools, concurrency=concurrency)
        faster_s = tpot(case, Context(faster, calibration), source=UNSAID)
        assert faster_s < tpot(case, Context(catalog, calibration), source=UNSAID)
