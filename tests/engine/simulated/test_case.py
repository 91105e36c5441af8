"""Published runs at a request rate, simulated as their client saw them."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.deployments import case_deployments
from gpuplanner_gui.engine.serving.predict.open_loop import even_length, length_of
from gpuplanner_gui.engine.simulation.case_load import case_metrics, case_service
from gpuplanner_gui.engine.simulation.settings import Batching


@pytest.fixture
def simulate(llama_8b, catalog, calibration):
    context = context_of(catalog, calibration)
    engine = calibration.engine("vllm")

    def run(**changes):
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
            requests=400,
        )
        case = msgspec.structs.replace(case, **changes)
        found = case_deployments([case], [case.layout], context, engine)
        service = case_service(case, 0, found, engine)
        return case_metrics(service.run(case.rate_per_s)), service

    return run


def test_every_reported_statistic_is_there_and_in_order(simulate):
    values, _ = simulate()
    for metric in ("ttft", "tpot", "itl", "e2e"):
        assert values[f"{metric}_p50"] <= values[f"{metric}_p90"] <= values[f"{metric}_p99"]
        assert values[f"{metric}_mean"] > 0
    assert values["e2e_mean"] > values["ttft_mean"]
    assert values["overload"] == 0.0


def test_throughput_of_an_open_loop_is_its_rate_until_saturation(simulate):
    calm, _ = simulate()
    assert calm["requests_per_s"] == pytest.approx(5.0, rel=0.1)
    flooded, service = simulate(rate_per_s=500.0)
    assert flooded["requests_per_s"] < 100
    assert flooded["ttft_p50"] > calm["ttft_p50"]
    # The end of a finite run, when the batch empties, counts in its throughput.
    assert 0.4 * service.saturation_rate_per_s() < flooded["requests_per_s"] < service.saturation_rate_per_s()


def test_replicas_share_the_rate(simulate):
    alone, _ = simulate()
    four, service = simulate(rate_per_s=20.0, requests=1600, layout=PoolLayout(replicas=4))
    assert service.replicas == 4
    assert four["tpot_mean"] == pytest.approx(alone["tpot_mean"], rel=0.1)


def test_steps_of_prompts_apart_hold_answers_up(simulate):
    mixed, _ = simulate(rate_per_s=15.0)
    apart, service = simulate(release="0.7.3", rate_per_s=15.0)
    assert service.settings.batching is Batching.PREFILL_FIRST
    assert service.settings.max_sequences == 256
    assert apart["itl_p99"] > mixed["itl_p50"]
    _, chunked = simulate(release="0.7.3", chunks_prompts=True)
    assert chunked.settings.batching is Batching.CHUNKED


def test_older_releases_took_longer_for_each_sequence_of_a_step(simulate):
    now, _ = simulate(release="0.9.1", rate_per_s=10.0)
    unknown, _ = simulate(rate_per_s=10.0)
    older, _ = simulate(release="v0.6.4", rate_per_s=10.0)
    assert now == unknown
    assert older["tpot_p50"] > now["tpot_p50"]
    assert older["ttft_p50"] > now["ttft_p50"]


def test_answers_are_cut_at_their_longest(simulate):
    _, service = simulate(longest_output=200.0)
    answers = service.traffic.requests.output_tokens
    assert answers.max() == 200
    assert answers.mean() == pytest.approx(150, rel=0.02)


def test_even_lengths_have_no_long_tail(simulate):
    _, service = simulate(draws_evenly=True, prompt_spread=0.577, output_spread=0.577)
    prompts = service.traffic.requests.prompt_tokens
    assert prompts.max() <= 2 * 500
    assert prompts.mean() == pytest.approx(500, rel=0.02)
    _, wide = simulate(prompt_spread=0.577, output_spread=0.577)
    assert wide.traffic.requests.prompt_tokens.max() > 2 * 500


def test_bursts_wait_longer(simulate):
    even, _ = simulate(rate_per_s=20.0)
    bursts, _ = simulate(rate_per_s=20.0, arrival_cv=3.0)
    assert bursts["ttft_p99"] > even["ttft_p99"]


def test_cached_prompts_answer_sooner(simulate):
    fresh, _ = simulate()
    cached, _ = simulate(prefix_is_cached=True)
    assert cached["ttft_mean"] < fresh["ttft_mean"]


def test_lengths_have_the_stated_mean_and_spread():
    shares = (np.arange(20_000) + 0.5) / 20_000
    lengths = length_of(300.0, 0.8).at(shares)
    assert lengths.mean() == pytest.approx(300, rel=0.01)
    assert lengths.std() / lengths.mean() == pytest.approx(0.8, rel=0.03)
    assert set(length_of(300.0, 0.0).at(shares)) == {300.0}
    cut = length_of(300.0, 1.2, 400.0).at(shares)
    assert cut.mean() == pytest.approx(300, rel=0.01)
    assert cut.max() == 400.0


def test_metrics_are_of_all_requests(simulate):
    _, service = simulate()
    result = service.run(5.0)
    values = case_metrics(result)
    assert values["ttft_mean"] == pytest.approx(result.ttft_s.mean())
    assert values["tpot_p99"] == pytest.approx(np.quantile(result.tpot_s[np.isfinite(result.tpot_s)], 0.99))
    assert values["itl_mean"] == pytest.approx(result.itl.mean_s(), rel=1e-6)


def test_even_lengths_stay_below_the_cut_and_keep_their_mean():
    shares = np.array([1e-9, 0.5, 1 - 1e-9])
    assert even_length(100.0, 0.5).at(shares) == pytest.approx([100 - 50 * 3**0.5, 100, 100 + 50 * 3**0.5], rel=1e-6)
    assert even_length(100.0, 0.5, 120.0).at(shares) == pytest.approx([80, 100, 120], rel=1e-6)
    assert even_length(100.0, 0.5, 500.0).at(shares)[2] == pytest.approx(100 + 50 * 3**0.5, rel=1e-6)
    assert even_length(100.0, 2.0).at(shares) == pytest.approx([1, 100, 199], rel=1e-6)
