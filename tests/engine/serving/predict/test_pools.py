"""Separate pools: workers that nobody stated, and what the tables' sources show of them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.serving_case import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.engine.serving.predict.pools import decode_workers, tokens_per_step


@pytest.fixture
def pools(catalog) -> ServingCase:
    return ServingCase(
        case_id="a",
        model=catalog.models["llama-3.1-70b"].model,
        accelerator="nvidia-h100-sxm-80gb",
        engine="trtllm",
        load="disaggregated",
        layout=PoolLayout(tensor_parallel=8, replicas=0.0),
        prefill_layout=PoolLayout(tensor_parallel=4, replicas=0.0),
        prompt_tokens=1024.0,
        output_tokens=1024.0,
        concurrency=256.0,
        metrics=("ttft_mean", "tpot_mean"),
    )


@pytest.mark.parametrize(
    ("devices", "replicas", "concurrency", "workers"),
    [(8, 0.0, 256.0, 4.0), (8, 3.0, 256.0, 3.0), (8, 0.0, 2.0, 2.0), (64, 0.0, 256.0, 1.0)],
)
def test_workers_unsaid_make_a_pool_of_the_usual_size(pools, calibration, devices, replicas, concurrency, workers):
    engine = msgspec.structs.replace(calibration.engine("trtllm"), pool_devices=32.0)
    layout = PoolLayout(tensor_parallel=devices, replicas=replicas)
    case = msgspec.structs.replace(pools, layout=layout, concurrency=concurrency)
    assert decode_workers(case, engine) == workers


def test_more_workers_decode_faster(pools, catalog, calibration):
    def tpot(size: float) -> float:
        engines = tuple(msgspec.structs.replace(one, pool_devices=size) for one in calibration.engines)
        context = Context(catalog, msgspec.structs.replace(calibration, engines=engines))
        (answers,) = serving_answers([pools], context)
        return {answer.metric: answer.value for answer in answers}["tpot_mean"]

    assert tpot(32.0) < tpot(16.0) < tpot(8.0)


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

    def ratio(case: ServingCase) -> float:
        waiting = values(case, catalog, calibration, pool_group_time=1.2)["tpot_mean"]
        return waiting / values(case, catalog, calibration, pool_group_time=1.0)["tpot_mean"]

    assert ratio(groups) == pytest.approx(1.2, rel=0.02)
    assert ratio(pools) == 1.0
