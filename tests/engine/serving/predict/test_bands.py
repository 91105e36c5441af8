"""80 % bands around closed loops and pools: by the rule of `engine.evidence.certainty`, wider where less is known."""

from __future__ import annotations

import math

import msgspec
import pytest

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import banded


@pytest.fixture(scope="module")
def context(catalog, calibration) -> Context:
    return Context(catalog, calibration)


@pytest.fixture
def case(catalog) -> ServingCase:
    return ServingCase(
        case_id="a", model=catalog.models["llama-3.1-8b"].model, accelerator="nvidia-h100-sxm-80gb", engine="vllm",
        load="closed_loop", dense_format="bf16",
    )  # fmt: skip


def width(case, metric, context) -> float:
    low, high = banded(case, metric, 2.0, context)
    assert low < 2.0 < high
    return math.log(high / low)


def test_first_tokens_are_less_certain_than_steps(case, context):
    assert width(case, "ttft_mean", context) > 1.5 * width(case, "tpot_mean", context)


def test_less_known_is_wider(case, context):
    known = width(case, "tpot_mean", context)
    elsewhere = msgspec.structs.replace(case, accelerator="amd-mi300x")
    pools = msgspec.structs.replace(case, load="disaggregated")
    other_engine = msgspec.structs.replace(case, engine="generic")
    for one in (elsewhere, pools, other_engine):
        assert width(one, "tpot_mean", context) > known


def test_pools_whose_workers_are_not_said_are_less_certain(case, context):
    said = msgspec.structs.replace(case, load="disaggregated")
    left_open = msgspec.structs.replace(said, layout=PoolLayout(tensor_parallel=8, replicas=0.0))
    assert width(left_open, "tpot_mean", context) > width(said, "tpot_mean", context)


def test_tails_of_a_run_at_a_rate_are_less_certain_than_means(case, context):
    run = msgspec.structs.replace(case, load="open_loop")
    assert width(run, "itl_p99", context) > width(run, "itl_mean", context)
    assert width(run, "ttft_p99", context) >= width(run, "ttft_mean", context)
    assert width(run, "requests_per_s", context) < width(run, "ttft_mean", context)


def test_users_who_start_together_make_first_tokens_later_not_sooner(case, context):
    low, high = banded(msgspec.structs.replace(case, concurrency=64), "ttft_mean", 2.0, context)
    calm_low, calm_high = banded(msgspec.structs.replace(case, load="open_loop"), "ttft_mean", 2.0, context)
    assert low == pytest.approx(calm_low)
    assert high > 2 * calm_high
