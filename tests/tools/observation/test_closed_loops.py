"""Closed loops: what a client measures who starts all at once, against hand-checked numbers and invariants."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.serving_case import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.closed_loop import (
    burst_ttft_s,
    interrupted_tpot_s,
    later_generations_wait_s,
    reported_ttft_s,
    share_together,
    window_wait_s,
)
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from gpuplanner_gui.engine.serving.rates import WITHOUT_OVERHEADS, LayerCounts, crowd_share
from gpuplanner_gui.engine.serving.step import StepWork, small_kernels_s

SECONDS = st.floats(1e-4, 100.0)


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


def test_answers_of_equal_length_stay_together_where_prompts_stop_decoding():
    spread_steps = np.array([0.0, 0.5, 10.0])
    assert share_together(spread_steps, mixes_prefill=False) == pytest.approx([1.0, 1.0, 0.1])
    assert not share_together(spread_steps, mixes_prefill=True).any()


def test_prompts_that_come_together_interrupt_half_of_each_others_answers():
    numbers = [np.array([one]) for one in (0.01, 0.1, 11.0, 100.0)]
    # Ten other prompts of 0.1 s over 100 tokens: 10 ms per token once each, 5 ms where half of them came before.
    assert interrupted_tpot_s(*numbers, np.zeros(1), np.array([1e9])) == pytest.approx(0.02)
    assert interrupted_tpot_s(*numbers, np.ones(1), np.array([1e9])) == pytest.approx(0.015)
    assert interrupted_tpot_s(*numbers, np.zeros(1), np.ones(1)) == pytest.approx(0.015)


def test_run_of_one_generation_reports_the_start_burst():
    burst, later = np.array([2.0]), np.array([0.2])
    assert reported_ttft_s(burst, later, 0.0, np.ones(1)) == pytest.approx(2.0)
    assert reported_ttft_s(burst, later, 0.0, np.array([10.0])) == pytest.approx(0.38)


def test_prompts_of_a_burst_wait_for_those_before_them():
    in_turn, together, batch = np.array([0.01]), np.array([8.0]), np.array([16.0])
    # Two passes of eight prompts: after 80 and 160 ms.
    assert burst_ttft_s(in_turn, together, batch) == pytest.approx(0.12)
    assert burst_ttft_s(in_turn, together, together) == pytest.approx(0.08)


def test_crowds_delay_prompts_by_their_root_or_all_at_once(calibration):
    grows = msgspec.structs.replace(calibration.engine("vllm"), crowd_clients=16.0, crowd_growth=0.5)
    at_once = msgspec.structs.replace(grows, crowd_growth=0.0)
    clients = np.array([4.0, 15.0, 16.0, 64.0])
    assert crowd_share(clients, grows)[[0, 2, 3]] == pytest.approx([0.5, 1.0, 2.0])
    assert crowd_share(clients, at_once).tolist() == [0.0, 0.0, 1.0, 1.0]


def test_wide_window_has_the_wait_of_random_arrivals():
    # 101 prompts of 10 ms in 100 s: load 0.0101, Pollaczek-Khinchine with constant service 0.0101/2 · 10 ms/(1 - load).
    wait = window_wait_s(np.array([1.01]), np.array([0.01 * 10.0]), np.array([100.0]))
    assert wait == pytest.approx(0.01 * 0.01 / (2 * (1 - 0.0101)), rel=0.02)


@given(SECONDS, SECONDS, SECONDS, st.floats(1.0, 4.0))
def test_wider_windows_never_wait_longer_and_longer_prefills_never_less(generation_s, chance_s, width_s, more):
    one = window_wait_s(np.array([generation_s]), np.array([chance_s]), np.array([width_s]))
    wider = window_wait_s(np.array([generation_s]), np.array([chance_s]), np.array([width_s * more]))
    longer = window_wait_s(np.array([generation_s * more]), np.array([chance_s]), np.array([width_s]))
    assert 0 <= wider <= one * (1 + 1e-9) + 1e-12
    assert longer >= one * (1 - 1e-9) - 1e-12


@given(SECONDS, SECONDS, SECONDS, st.floats(1.0, 20.0))
def test_later_generations_wait_no_longer_than_all_of_one(generation_s, spread_s, cycle_s, generations):
    numbers = [np.array([one]) for one in (generation_s, 0.0, spread_s, cycle_s, generations)]
    assert 0 <= later_generations_wait_s(*numbers) <= generation_s


def test_equal_lengths_keep_sglang_in_step(catalog, context):
    equal = llama(catalog, engine="sglang", shortest_share=1.0)
    varied = llama(catalog, engine="sglang", shortest_share=0.8)
    assert value(equal, "ttft_mean", context) > 1.5 * value(varied, "ttft_mean", context)


def test_clumps_of_equal_answers_wait_for_each_other(catalog, calibration):
    def ttft(clump: float, shortest: float) -> float:
        engines = tuple(msgspec.structs.replace(one, clump_prompts=clump) for one in calibration.engines)
        context = Context(catalog, msgspec.structs.replace(calibration, engines=engines))
        return value(llama(catalog, engine="trtllm", shortest_share=shortest), "ttft_mean", context)

    assert ttft(4.0, 1.0) > 1.05 * ttft(1.0, 1.0)
    assert ttft(4.0, 0.8) < 1.02 * ttft(1.0, 0.8)


def test_recipes_that_look_less_often_in_a_crowd_take_prompts_in_later(catalog, context):
    engine = context.calibration.engine("sglang")
    assert engine.client_crowd_steps["usual"] > 5.0
    few, many, plain = (
        value(llama(catalog, engine="sglang", concurrency=concurrency, client=client), "ttft_mean", context)
        for concurrency, client in ((15.0, "usual"), (16.0, "usual"), (16.0, ""))
    )
    assert many > 1.2 * few
    assert plain < few


def test_a_sweep_whose_recipe_is_known_has_its_first_tokens(catalog, context):
    engine = context.calibration.engine("sglang")
    sweep, ratio = max(engine.sweep_first_token.items(), key=lambda item: item[1])
    plain = value(llama(catalog, engine="sglang"), "ttft_mean", context)
    told = value(llama(catalog, engine="sglang", may_speculate=True, sweep=sweep), "ttft_mean", context)
    assert told / plain == pytest.approx(ratio)


@pytest.mark.parametrize("engine", ["vllm", "sglang", "trtllm"])
@pytest.mark.parametrize("metric", ["ttft_mean", "tpot_mean"])
def test_more_clients_never_see_less_latency(engine, metric, catalog, context):
    found = [value(llama(catalog, engine=engine, concurrency=2.0**power), metric, context) for power in range(9)]
    assert np.all(np.diff(found) >= -1e-9)


def test_trtllm_starts_a_request_when_its_whole_answer_has_room(catalog, context):
    long = {"prompt_tokens": 1024.0, "output_tokens": 32_768.0, "concurrency": 20.0}
    waiting = value(llama(catalog, engine="trtllm", **long), "ttft_mean", context)
    assert waiting > 10 * value(llama(catalog, engine="vllm", **long), "ttft_mean", context)


def test_groups_that_gather_prompts_stop_their_neighbours_less(catalog, calibration):
    alone = tuple(
        msgspec.structs.replace(one, gathering_steps=1.0) if one.engine == "trtllm" else one
        for one in calibration.engines
    )
    without = Context(catalog, msgspec.structs.replace(calibration, engines=alone))
    case = llama(
        catalog, model=catalog.models["deepseek-v3"].model, engine="trtllm", accelerator="nvidia-b200-sxm-180gb",
        layout=PoolLayout(data_parallel=8, expert_parallel=8), prompt_tokens=8192.0, output_tokens=1024.0,
        concurrency=256.0,
    )  # fmt: skip
    assert value(case, "tpot_mean", Context(catalog, calibration)) < 0.8 * value(case, "tpot_mean", without)


def test_sweeps_whose_drafts_are_known_take_their_gain(catalog, context):
    engine = context.calibration.engine("trtllm")
    sweep, gain = max(engine.sweep_speculation.items(), key=lambda item: item[1])
    plain = llama(catalog, engine="trtllm")
    told = llama(catalog, engine="trtllm", may_speculate=True, sweep=sweep)
    assert value(plain, "tpot_mean", context) / value(told, "tpot_mean", context) == pytest.approx(gain)


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
