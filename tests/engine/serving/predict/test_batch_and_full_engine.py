"""Batches, full engines and samples: parts add up, more work never takes less time, more devices never give less."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.benchmark import PoolLayout
from gpuplanner_gui.engine.serving.predict.batch import run_time_s
from gpuplanner_gui.engine.serving.predict.door import serving_answers


def test_a_batch_is_its_prefill_and_its_steps(case, values):
    found = values(case(), "ttft_mean", "tpot_mean", "e2e_mean", "output_tokens_per_s", "total_tokens_per_s")
    assert found["e2e_mean"] == pytest.approx(found["ttft_mean"] + 127 * found["tpot_mean"])
    assert found["output_tokens_per_s"] == pytest.approx(8 * 128 / found["e2e_mean"])
    assert found["total_tokens_per_s"] == pytest.approx(8 * 640 / found["e2e_mean"])


def test_rates_of_phases_are_those_of_their_times(case, values):
    found = values(case(), "ttft_mean", "tpot_mean", "prefill_tokens_per_s", "decode_tokens_per_s")
    assert found["prefill_tokens_per_s"] == pytest.approx(8 * 512 / found["ttft_mean"])
    assert found["decode_tokens_per_s"] == pytest.approx(8 / found["tpot_mean"])


@pytest.mark.parametrize("change", ["prompt_tokens", "output_tokens", "concurrency"])
@pytest.mark.parametrize("software", ["vllm-0.6", "llama.cpp", "hf-transformers", "never heard of"])
def test_more_work_never_takes_less_time(case, context, change, software):
    sizes = (1, 2, 7, 32, 100, 700, 3000)
    cases = [case(software=software, metrics=("e2e_mean",), **{change: float(size)}) for size in sizes]
    times = [answers[0].value for answers in serving_answers(cases, context)]
    assert all(np.diff(times) >= 0)


def test_replicas_multiply_a_full_engine(case, values):
    one = values(case(load="offline", concurrency=0.0), "output_tokens_per_s")["output_tokens_per_s"]
    four = case(load="offline", concurrency=0.0, layout=PoolLayout(replicas=4, devices_stated=4))
    assert values(four, "output_tokens_per_s")["output_tokens_per_s"] == pytest.approx(4 * one)


def test_a_run_with_an_end_is_slower_than_one_without(case, values):
    endless = values(case(load="offline", concurrency=0.0), "output_tokens_per_s")["output_tokens_per_s"]
    rates = [
        values(case(load="offline", concurrency=float(count), output_spread=1.0), "output_tokens_per_s")
        for count in (100, 1000, 30_000)
    ]
    found = [rate["output_tokens_per_s"] for rate in rates]
    assert found[0] < found[1] < found[2] <= endless * 1.001
    assert found[2] == pytest.approx(endless, rel=0.1)


def test_a_latency_limit_costs_throughput(case, values):
    full = values(case(load="offline", concurrency=0.0), "requests_per_s")["requests_per_s"]
    limited = values(case(load="server", client="server", concurrency=0.0), "requests_per_s")["requests_per_s"]
    assert limited != full


def test_a_steady_load_obeys_littles_law(case, values):
    found = values(case(load="steady", concurrency=8.0), "ttft_mean", "tpot_mean", "requests_per_s")
    assert found["requests_per_s"] * (found["ttft_mean"] + 128 * found["tpot_mean"]) == pytest.approx(8.0)


def test_drafts_that_a_row_names_make_steps_shorter(case, values):
    plain = values(case(load="steady"), "tpot_mean")["tpot_mean"]
    assert values(case(load="steady", speculates=True), "tpot_mean")["tpot_mean"] < plain


def test_run_time_by_hand():
    numbers = (np.array([float(value)]) for value in (20, 10, 0.1, 0.05, 0.01, 100, 0))
    # 20 prompts of 0.1 s; one more wave of 100 steps; 100 full steps.
    assert run_time_s(*numbers)[0] == pytest.approx(2.0 + 5.0 + 100 * 0.05)


@given(st.floats(1, 1e4), st.floats(0, 2))
def test_longer_answers_make_a_longer_run(requests, spread):
    def run(width: float) -> float:
        numbers = (requests, min(requests, 64.0), 0.01, 0.03, 0.01, 200.0, width)
        return float(run_time_s(*(np.array([value]) for value in numbers))[0])

    assert run(spread) >= run(0.0)


def test_devices_multiply_samples(case, values):
    def rate(devices: int) -> float:
        one = case("resnet-50", load="samples", concurrency=0.0, layout=PoolLayout(devices_stated=devices))
        return values(one, "samples_per_s")["samples_per_s"]

    assert rate(8) == pytest.approx(8 * rate(1))


def test_larger_batches_of_samples_take_longer_and_give_more(case, values):
    cases = [case("bert-large", load="samples", prompt_tokens=384.0, concurrency=float(2**power)) for power in range(8)]
    found = [values(one, "e2e_mean", "samples_per_s") for one in cases]
    assert all(np.diff([one["e2e_mean"] for one in found]) > 0)
    assert all(np.diff([one["samples_per_s"] for one in found]) > 0)


def test_samples_counted_in_tokens(case, values):
    plain = case("whisper-large-v3", load="samples", prompt_tokens=0.0, output_tokens=85.0, concurrency=0.0)
    counted = case(
        "whisper-large-v3", load="samples", prompt_tokens=0.0, output_tokens=85.0, concurrency=0.0, counts_tokens=True
    )
    rates = [values(one, "samples_per_s")["samples_per_s"] for one in (plain, counted)]
    assert rates[1] == pytest.approx(85 * rates[0])


def test_a_contest_that_says_no_format_uses_the_fastest_that_is_accurate_enough(case, values):
    def rate(**changes) -> float:
        one = case("bert-large", load="samples", prompt_tokens=178.0, concurrency=0.0, **changes)
        return values(one, "samples_per_s")["samples_per_s"]

    assert rate() == pytest.approx(rate(dense_format="int8"))
    assert rate(needs_accuracy=True) == pytest.approx(rate(needs_accuracy=True, dense_format="fp16"))
    assert rate() > rate(needs_accuracy=True)
