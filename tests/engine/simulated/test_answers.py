"""Published runs at a request rate: by simulation where one ends, in closed form where none would."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.predict.door import LOADS, serving_answers
from gpuplanner_gui.engine.simulation.case_load import SIMULATED_LOADS


@pytest.fixture
def case(llama_8b):
    return ServingCase(
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


@pytest.fixture
def answers(case, catalog, calibration):
    context = context_of(catalog, calibration)

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


def test_a_run_in_which_requests_pile_up_is_said_to_be_overloaded(case, catalog, calibration):
    context = context_of(catalog, calibration)

    def remarks(rate_per_s):
        one = msgspec.structs.replace(case, rate_per_s=rate_per_s, requests=600, max_sequences=16)
        return {
            remark for answer in serving_answers([one], context, loads=SIMULATED_LOADS)[0] for remark in answer.remarks
        }

    assert "overloaded" not in remarks(1.0)
    assert "overloaded" in remarks(200.0)


@pytest.mark.parametrize("rate_per_s", [2.0, 10.0])
@pytest.mark.parametrize("is_cached", [False, True])
def test_the_closed_form_of_a_run_is_near_its_simulation(answers, rate_per_s, is_cached):
    changes = {"rate_per_s": rate_per_s, "prefix_is_cached": is_cached, "prompt_tokens": 1500.0}
    metrics = ("tpot_mean", "ttft_mean", "e2e_mean", "e2e_p99", "requests_per_s")
    simulated = answers(metrics=metrics, **changes)
    closed = answers(loads=LOADS, metrics=metrics, **changes)
    assert closed["tpot_mean"] == pytest.approx(simulated["tpot_mean"], rel=0.08)
    assert closed["e2e_mean"] == pytest.approx(simulated["e2e_mean"], rel=0.08)
    assert closed["e2e_p99"] == pytest.approx(simulated["e2e_p99"], rel=0.15)
    assert closed["ttft_mean"] == pytest.approx(simulated["ttft_mean"], rel=0.2)
    assert closed["requests_per_s"] == pytest.approx(simulated["requests_per_s"], rel=0.05)


def test_the_closed_form_knows_what_a_short_run_of_many_requests_waits_for(answers):
    """Three hundred requests within six seconds fill the places; two hundred answers later they are all done."""
    changes = {"rate_per_s": 50.0, "requests": 300, "max_sequences": 128, "release": "0.7.3"}
    metrics = ("tpot_p50", "ttft_p90", "e2e_p50", "requests_per_s")
    simulated, closed = (answers(loads=loads, metrics=metrics, **changes) for loads in (SIMULATED_LOADS, LOADS))
    for metric, band in zip(metrics, (0.1, 0.25, 0.1, 0.08), strict=True):
        assert closed[metric] == pytest.approx(simulated[metric], rel=band), metric


def test_the_closed_form_knows_short_runs_and_older_releases(answers):
    long, short = (answers(loads=LOADS, rate_per_s=20.0, requests=count)["tpot_mean"] for count in (5000, 60))
    assert short < long
    newest, older = (answers(loads=LOADS, release=release)["tpot_mean"] for release in ("", "0.7.3"))
    assert older > newest
