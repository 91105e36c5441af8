"""Published runs at a request rate: by simulation where one ends, in closed form where none would."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.serving_case import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving_predict.door import serving_answers
from gpuplanner_gui.engine.simulated_answers import SIMULATED_LOADS


@pytest.fixture
def answers(llama_8b, catalog, calibration):
    context = context_of(catalog, calibration)
    case = ServingCase(
        case_id="c",
        model=llama_8b,
        accelerator="nvidia-h100-sxm-80gb",
        engine="vllm",
        load="open_loop",
        layout=PoolLayout(),
        dense_format="bf16",
        prompt_tokens=500.0,
        output_tokens=150.0,
        prompt_spread=0.6,
        output_spread=0.6,
        rate_per_s=5.0,
        requests=200,
        metrics=("ttft_p99", "tpot_mean", "requests_per_s"),
    )

    def values(loads=SIMULATED_LOADS, **changes):
        changed = msgspec.structs.replace(case, **changes)
        return {one.metric: one.value for one in serving_answers([changed], context, loads=loads)[0]}

    return values


def test_equal_cases_have_equal_answers_and_more_load_slower_ones(answers):
    calm = answers()
    assert answers() == calm
    busy = answers(rate_per_s=40.0)
    assert busy["tpot_mean"] > calm["tpot_mean"]
    assert busy["ttft_p99"] > calm["ttft_p99"]


@pytest.mark.parametrize(
    "changes", [{"prompt_tokens": 1e11, "output_tokens": 1e11}, {"layout": PoolLayout(replicas=1e6)}]
)
def test_what_nobody_can_have_run_is_answered_too(answers, changes):
    found = answers(**changes)
    assert set(found) == {"ttft_p99", "tpot_mean", "requests_per_s"}
