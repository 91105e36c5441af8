"""Separate pools: workers, drafts, groups, formats, and what the tables' sources show of them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.engine.simulation.step_time import tokens_per_step
from gpuplanner_gui.files.benchmark_rows.question import remark_sentence


@pytest.fixture
def pools(catalog) -> ServingCase:
    return ServingCase(
        case_id="a",
        model=catalog.models["llama-3.1-70b"].model,
        accelerator="nvidia-h100-sxm-80gb",
        engine="trtllm",
        load="disaggregated",
        layout=PoolLayout(tensor_parallel=8, replicas=4.0),
        prefill_layout=PoolLayout(tensor_parallel=4, replicas=4.0),
        prompt_tokens=1024.0,
        output_tokens=1024.0,
        concurrency=256.0,
        metrics=("ttft_mean", "tpot_mean"),
    )


def test_more_workers_decode_faster(pools, catalog, calibration):
    def tpot(workers: float) -> float:
        layout = PoolLayout(tensor_parallel=8, replicas=workers)
        return values(msgspec.structs.replace(pools, layout=layout), catalog, calibration)["tpot_mean"]

    assert tpot(4.0) < tpot(2.0) < tpot(1.0)


def values(case: ServingCase, catalog, calibration, **facts: float) -> dict[str, float]:
    engines = tuple(msgspec.structs.replace(one, **facts) for one in calibration.engines)
    context = Context(catalog, msgspec.structs.replace(calibration, engines=engines))
    (answers,) = serving_answers([case], context)
    return {answer.metric: answer.value for answer in answers}


@pytest.mark.parametrize(
    ("drafts", "acceptance", "tokens"), [(0, 0.7, 1.0), (1, 0.7, 1.7), (3, 0.5, 1.875), (2, 1.0, 3.0), (3, 0.0, 1.0)]
)
def test_a_step_yields_what_is_accepted(drafts, acceptance, tokens):
    assert tokens_per_step(np.array([drafts], float), acceptance) == pytest.approx(tokens)


def test_drafts_that_are_accepted_gain_and_others_cost(pools, catalog, calibration):
    drafted = msgspec.structs.replace(pools, draft_tokens=3)

    def tpot(case: ServingCase, acceptance: float) -> float:
        return values(case, catalog, calibration, draft_acceptance=acceptance)["tpot_mean"]

    assert tpot(drafted, 0.9) < tpot(drafted, 0.6) < tpot(pools, 0.6)
    assert tpot(drafted, 0.0) > tpot(pools, 0.0)


def test_drafts_gain_less_where_the_batch_is_large(pools, catalog, calibration):
    def gain(concurrency: float) -> float:
        plain = msgspec.structs.replace(pools, concurrency=concurrency)
        drafted = msgspec.structs.replace(plain, draft_tokens=3)
        return values(plain, catalog, calibration)["tpot_mean"] / values(drafted, catalog, calibration)["tpot_mean"]

    assert gain(4.0) > gain(4096.0)


def test_groups_wait_for_the_fullest(pools, catalog, calibration):
    groups = msgspec.structs.replace(pools, layout=PoolLayout(data_parallel=8, replicas=2.0))

    together = msgspec.structs.replace(pools, layout=PoolLayout(tensor_parallel=8, replicas=2.0))

    def ratio(case: ServingCase) -> float:
        waiting = values(case, catalog, calibration, pool_group_time=1.2)["tpot_mean"]
        return waiting / values(case, catalog, calibration, pool_group_time=1.0)["tpot_mean"]

    assert ratio(groups) == pytest.approx(1.2, rel=0.02)
    assert ratio(together) == 1.0


def test_experts_in_four_bits_are_as_fast_as_their_pools_show(pools, catalog, calibration):
    model = catalog.models["deepseek-v3"].model
    layout = PoolLayout(tensor_parallel=8, expert_parallel=8, replicas=2.0)

    def ratio(format_name: str) -> float:
        case = msgspec.structs.replace(
            pools, model=model, layout=layout, dense_format=format_name, concurrency=4.0, accelerator="nvidia-gb200"
        )
        faster = values(case, catalog, calibration, pool_four_bit_time=0.8)["tpot_mean"]
        return faster / values(case, catalog, calibration, pool_four_bit_time=1.0)["tpot_mean"]

    assert ratio("nvfp4") == pytest.approx(0.8, rel=0.02)
    assert ratio("fp8") == 1.0


@pytest.mark.parametrize(("groups", "hides"), [(8, True), (16, False)])
def test_an_exchange_hides_behind_kernels_within_a_host_and_not_across_a_network(
    pools, catalog, calibration, groups, hides
):
    layout = PoolLayout(data_parallel=groups, expert_parallel=groups, replicas=1.0)
    model = catalog.models["deepseek-v3"].model
    case = msgspec.structs.replace(pools, model=model, layout=layout, dense_format="fp8", concurrency=64.0)
    hidden = values(case, catalog, calibration, exchange_factor=0.2)["tpot_mean"]
    seen = values(case, catalog, calibration, exchange_factor=1.0)["tpot_mean"]
    assert (hidden < seen) is hides


@pytest.mark.parametrize(
    ("stated", "meant"),
    [
        ((PoolLayout(tensor_parallel=8, replicas=0.0), PoolLayout(tensor_parallel=4, replicas=0.0), 0),
         (PoolLayout(tensor_parallel=8), PoolLayout(tensor_parallel=4))),
        ((PoolLayout(replicas=0.0), PoolLayout(replicas=0.0), 0),
         (PoolLayout(tensor_parallel=4, expert_tensor_parallel=4),) * 2),
        ((PoolLayout(replicas=0.0), PoolLayout(replicas=0.0), 16),
         (PoolLayout(data_parallel=8, expert_parallel=8),) * 2),
    ],
)  # fmt: skip
def test_pools_of_unsaid_workers_have_one_of_each_and_the_answer_says_so(pools, catalog, calibration, stated, meant):
    """Where not even their devices are said, the fewest that hold the model: 141 GB of Llama 3.1 70B on 80 GB each."""
    decode, prefill, both = stated
    context = Context(catalog, calibration)
    left_open = msgspec.structs.replace(pools, layout=decode, prefill_layout=prefill, both_pools_devices=both)
    said = msgspec.structs.replace(pools, layout=meant[0], prefill_layout=meant[1])
    of_open, of_said = serving_answers([left_open, said], context)
    assert [one.value for one in of_open] == [one.value for one in of_said]
    assert "workers_open" in of_open[0].remarks
    assert "workers_open" not in of_said[0].remarks
    assert "not stated" in remark_sentence("workers_open")
