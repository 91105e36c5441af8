"""Separate pools: workers that nobody stated, and what the tables' sources show of them."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.serving_case import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving_predict.door import serving_answers
from gpuplanner_gui.engine.serving_predict.pools import decode_workers


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
