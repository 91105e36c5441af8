"""What clients measured who started all at once, against hand-checked numbers and invariants."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.door import serving_answers
from tools.observation.closed_loops import (
    Observed,
    burst_ttft_s,
    interrupted_tpot_s,
    later_generations_wait_s,
    reported_ttft_s,
    share_together,
    window_wait_s,
)
from tools.observation.habits import SWEEP, USUAL, EngineHabits, Source, crowd_share, habits_of, observed_loops

SECONDS = st.floats(1e-4, 100.0)


@pytest.fixture(scope="module")
def context(catalog, calibration) -> Context:
    return Context(catalog, calibration)


def llama(catalog, **changes) -> ServingCase:
    stated = {
        "case_id": "a", "model": catalog.models["llama-3.1-8b"].model, "accelerator": "nvidia-h100-sxm-80gb",
        "engine": "vllm", "load": "closed_loop", "prompt_tokens": 1024.0, "output_tokens": 512.0, "concurrency": 16.0,
    }  # fmt: skip
    return ServingCase(**(stated | changes))


SAID = Source()


def seen(case: ServingCase, context: Context, source: Source = SAID, **habits: object) -> Observed:
    """What a source's client sees, with its engine's habits changed."""
    changed = msgspec.structs.replace(habits_of(case.engine), **habits)
    return observed_loops([case], [source], context, context.calibration.engine(case.engine), changed)


def test_answers_of_equal_length_stay_together_where_prompts_stop_decoding():
    spread_steps = np.array([0.0, 0.5, 10.0])
    assert share_together(spread_steps, mixes_prefill=False) == pytest.approx([1.0, 1.0, 0.1])
    assert not share_together(spread_steps, mixes_prefill=True).any()


def test_prompts_that_come_together_interrupt_half_of_each_others_answers():
    first, second, third, fourth = (np.array([one]) for one in (0.01, 0.1, 11.0, 100.0))
    # Ten other prompts of 0.1 s over 100 tokens: 10 ms per token once each, 5 ms where half of them came before.
    assert interrupted_tpot_s(first, second, third, fourth, np.zeros(1), np.array([1e9])) == pytest.approx(0.02)
    assert interrupted_tpot_s(first, second, third, fourth, np.ones(1), np.array([1e9])) == pytest.approx(0.015)
    assert interrupted_tpot_s(first, second, third, fourth, np.zeros(1), np.ones(1)) == pytest.approx(0.015)


def test_run_of_one_generation_reports_the_start_burst():
    burst, later = np.array([2.0]), np.array([0.2])
    assert reported_ttft_s(burst, later, 0.0, np.ones(1)) == pytest.approx(2.0)
    assert reported_ttft_s(burst, later, 0.0, np.array([10.0])) == pytest.approx(0.38)


def test_prompts_of_a_burst_wait_for_those_before_them():
    in_turn, together, batch = np.array([0.01]), np.array([8.0]), np.array([16.0])
    # Two passes of eight prompts: after 80 and 160 ms.
    assert burst_ttft_s(in_turn, together, batch) == pytest.approx(0.12)
    assert burst_ttft_s(in_turn, together, together) == pytest.approx(0.08)


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


def test_crowds_delay_prompts_by_their_root_or_all_at_once():
    grows = EngineHabits(engine="vllm", crowd_clients=16.0, crowd_growth=0.5)
    at_once = msgspec.structs.replace(grows, crowd_growth=0.0)
    users = np.array([4.0, 15.0, 16.0, 64.0])
    assert crowd_share(users, grows)[[0, 2, 3]] == pytest.approx([0.5, 1.0, 2.0])
    assert crowd_share(users, at_once).tolist() == [0.0, 0.0, 1.0, 1.0]


def test_equal_lengths_keep_sglang_in_step(catalog, context):
    equal, varied = (llama(catalog, engine="sglang", shortest_share=share) for share in (1.0, 0.8))
    assert seen(equal, context).ttft_s > 1.5 * seen(varied, context).ttft_s


def test_clumps_of_equal_answers_wait_for_each_other(catalog, context):
    def ttft(clump: float, shortest: float) -> float:
        case = llama(catalog, engine="trtllm", shortest_share=shortest)
        return float(seen(case, context, clump_prompts=clump).ttft_s[0])

    assert ttft(4.0, 1.0) > 1.05 * ttft(1.0, 1.0)
    assert ttft(4.0, 0.8) < 1.02 * ttft(1.0, 0.8)


def test_recipes_that_look_less_often_in_a_crowd_take_prompts_in_later(catalog, context):
    assert habits_of("sglang").crowd_steps["usual"] > 5.0
    few, many, compared = (
        float(seen(llama(catalog, engine="sglang", concurrency=users), context, Source(client)).ttft_s[0])
        for users, client in ((15.0, USUAL), (16.0, USUAL), (16.0, SWEEP))
    )
    assert many > 1.2 * few
    assert compared < few


def test_a_sweep_whose_recipe_is_known_has_its_first_tokens_and_drafts(catalog, context):
    habits, case = habits_of("trtllm"), llama(catalog, engine="trtllm")
    recipe, gain = max(habits.drafts_gain_by_sweep.items(), key=lambda item: item[1])
    plain, told = (seen(case, context, source) for source in (SAID, Source(USUAL, recipe, may_speculate=True)))
    assert plain.tpot_s / told.tpot_s == pytest.approx(gain)
    assert told.ttft_s / plain.ttft_s == pytest.approx(habits.first_token_by_sweep[recipe])


def test_groups_that_gather_prompts_stop_their_neighbours_less(catalog, context):
    case = llama(
        catalog, model=catalog.models["deepseek-v3"].model, engine="trtllm", accelerator="nvidia-b200-sxm-180gb",
        layout=PoolLayout(data_parallel=8, expert_parallel=8), prompt_tokens=8192.0, output_tokens=1024.0,
        concurrency=256.0,
    )  # fmt: skip
    assert seen(case, context).tpot_s < 0.8 * seen(case, context, gathering_steps=1.0).tpot_s


def test_a_run_without_end_and_habits_is_the_plain_answer(catalog, context):
    """Of an engine that mixes prompts into decode steps: exact passes against the plan's table, habits taken off."""
    case = llama(catalog, concurrency=8.0)
    facts = context.calibration.engine("vllm")
    none: dict[str, float] = {}
    without = seen(
        case, context, prompts_per_user=1e9, admission_steps={USUAL: facts.admission_steps}, crowd_steps=none,
        complex_steps=none, start_delay_s={USUAL: 0.0}, clump_prompts=1.0, arrival_chance=0.0,
    )  # fmt: skip
    (answers,) = serving_answers([msgspec.structs.replace(case, metrics=("ttft_mean", "tpot_mean"))], context)
    plain = {answer.metric: answer.value for answer in answers}
    assert without.tpot_s == pytest.approx(plain["tpot_mean"], rel=0.01)
    assert without.ttft_s == pytest.approx(plain["ttft_mean"], rel=0.05)
