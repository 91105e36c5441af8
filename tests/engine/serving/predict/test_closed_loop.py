"""A number of requests kept running, as the program answers it: a plain client in steady state."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import case_deployments
from gpuplanner_gui.engine.serving.operation import StepWork
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.engine.serving.rates import WITHOUT_OVERHEADS, LayerCounts
from gpuplanner_gui.engine.serving.step import small_kernels_s


def value(case: ServingCase, metric: str, context: Context) -> float:
    (answers,) = serving_answers([case], context)
    return {answer.metric: answer.value for answer in answers}[metric]


@pytest.fixture(scope="module")
def context(catalog, calibration) -> Context:
    return Context(catalog, calibration)


def llama(catalog, **changes) -> ServingCase:
    stated = {
        "case_id": "a", "model": catalog.models["llama-3.1-8b"].model, "accelerator": "nvidia-h100-sxm-80gb",
        "engine": "vllm", "load": "closed_loop", "prompt_tokens": 1024.0, "output_tokens": 512.0, "concurrency": 16.0,
        "metrics": ("ttft_mean", "tpot_mean"),
    }  # fmt: skip
    return ServingCase(**(stated | changes))


@pytest.mark.parametrize("engine", ["vllm", "sglang", "trtllm"])
@pytest.mark.parametrize("metric", ["ttft_mean", "tpot_mean"])
def test_more_clients_never_see_less_latency(engine, metric, catalog, context):
    found = [value(llama(catalog, engine=engine, concurrency=2.0**power), metric, context) for power in range(9)]
    assert np.all(np.diff(found) >= -1e-9)


def test_trtllm_starts_a_request_when_its_whole_answer_has_room(catalog, context):
    long = {"prompt_tokens": 1024.0, "output_tokens": 32_768.0, "concurrency": 20.0}
    waiting = value(llama(catalog, engine="trtllm", **long), "ttft_mean", context)
    assert waiting > 10 * value(llama(catalog, engine="vllm", **long), "ttft_mean", context)


def test_formats_that_an_engine_does_not_run_are_marked(catalog, context):
    def remarks(**changes) -> tuple[str, ...]:
        (answers,) = serving_answers([llama(catalog, **changes)], context)
        return answers[0].remarks

    assert "format_refused" in remarks(engine="trtllm", accelerator="amd-mi300x")
    assert "format_refused" not in remarks(engine="vllm", accelerator="amd-mi300x")
    assert "format_refused" not in remarks(engine="trtllm", dense_format="fp8")


def test_the_hosts_part_of_a_pass_counts_layers_by_what_they_hold():
    rates = replace(
        WITHOUT_OVERHEADS, decode_step_host_s=1.0, decode_layer_host_s=0.01, expert_layer_host_s=0.1,
        complex_layer_host_s=0.2, sequence_host_s=0.0,
    )  # fmt: skip
    counts = LayerCounts(layers=30, expert_layers=20, complex_layers=10, vocabulary=100_000)
    work = StepWork(*(np.array([float(one)]) for one in (5, 100, 0, 0, 0)))
    assert small_kernels_s(counts, work, rates) == pytest.approx(1.0 + 0.3 + 2.0 + 2.0)


def test_users_wait_for_a_place_only_where_they_are_more_than_there_are(catalog, context):
    """Beyond the places every further user waits for one more answer: Little's law at a rate that no longer rises."""
    long = {"prompt_tokens": 1024.0, "output_tokens": 16_384.0, "metrics": ("ttft_mean", "requests_per_s")}
    one = llama(catalog, **long)
    found = case_deployments([one], [one.layout], context, context.calibration.engine("vllm"))
    (held,) = found.sequences_held(1024 + 16_384 / 2)
    within, twice, thrice = (llama(catalog, **long, concurrency=round(share * held)) for share in (0.95, 2.0, 3.0))
    assert value(within, "ttft_mean", context) < 0.2
    rate = value(twice, "requests_per_s", context)
    assert value(thrice, "requests_per_s", context) == pytest.approx(rate)
    waited_s = value(thrice, "ttft_mean", context) - value(twice, "ttft_mean", context)
    assert waited_s == pytest.approx((thrice.concurrency - twice.concurrency) / rate)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "trtllm", "llama_cpp"])
def test_a_lone_users_tokens_wait_for_no_prompt(engine, catalog, context):
    """Its own prompt is done before its answer begins: an answer's length changes TPOT by its cache alone."""
    alone = {"engine": engine, "prompt_tokens": 32_768.0, "concurrency": 1.0}
    short, long = (
        value(llama(catalog, output_tokens=tokens, **alone), "tpot_mean", context) for tokens in (8.0, 512.0)
    )
    assert 1.0 <= long / short < 1.02
    first = [value(llama(catalog, output_tokens=tokens, **alone), "ttft_mean", context) for tokens in (8.0, 512.0)]
    assert first[0] == pytest.approx(first[1], rel=0.01)
