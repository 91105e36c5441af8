"""Samples of traffic: the same to the bit, stable across rates and other classes' lengths."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.engine.simulation.requests import request_mix
from gpuplanner_gui.engine.simulation.traffic import (
    Lengths,
    TrafficClass,
    stratified,
    traffic_sample,
)

CHAT = TrafficClass(3.0, Lengths(Lognormal(400, 0.9), 8000), Lengths(Lognormal(120, 0.8)))
BATCH = TrafficClass(1.0, Lengths(6000), Lengths(500), priority=1)


def test_same_seed_same_requests_to_the_bit() -> None:
    first, second = (traffic_sample([CHAT, BATCH], 500, seed=4).at_rate(7.0) for _ in range(2))
    assert first.arrival_s.tobytes() == second.arrival_s.tobytes()
    assert first.prompt_tokens.tobytes() == second.prompt_tokens.tobytes()


def test_another_seed_gives_other_requests() -> None:
    first, second = (traffic_sample([CHAT], 500, seed).requests.prompt_tokens for seed in (1, 2))
    assert (first != second).any()


def test_rate_changes_arrivals_only() -> None:
    sample = traffic_sample([CHAT, BATCH], 500, seed=4)
    slow, fast = sample.at_rate(1.0), sample.at_rate(10.0)
    assert slow.arrival_s == pytest.approx(10 * fast.arrival_s)
    assert (slow.prompt_tokens == fast.prompt_tokens).all()


def test_lengths_of_one_class_leave_the_other_as_it_is() -> None:
    before = traffic_sample([CHAT, BATCH], 500, seed=4).requests
    after = traffic_sample([CHAT, replace(BATCH, prompt=Lengths(9000))], 500, seed=4).requests
    chat = before.class_index == 0
    assert (before.prompt_tokens[chat] == after.prompt_tokens[chat]).all()
    assert (after.prompt_tokens[~chat] == 9000).all()


def test_classes_come_in_their_shares_with_their_attributes() -> None:
    requests = traffic_sample([CHAT, BATCH], 8000, seed=4).requests
    chat = requests.class_index == 0
    assert chat.mean() == pytest.approx(0.75, abs=0.02)
    assert (requests.priority == requests.class_index).all()
    assert requests.prompt_tokens[chat].max() <= 8000
    assert np.median(requests.prompt_tokens[chat]) == pytest.approx(400, rel=0.02)


def test_sessions_are_numbered_apart_for_each_class() -> None:
    talks = replace(CHAT, sessions=10, cached_share=0.5)
    requests = traffic_sample([talks, replace(talks, prefix_is_shared=True), BATCH], 2000, seed=0).requests
    by_class = [set(requests.session[requests.class_index == number].tolist()) for number in range(3)]
    assert by_class == [set(range(10)), set(range(10, 20)), {-1}]
    assert requests.cached_tokens.sum() > 0
    shared = requests.class_index == 1
    assert (requests.shared_tokens[shared] == requests.cached_tokens[shared]).all()
    assert (requests.shared_tokens[~shared] == 0).all()


def test_strata_are_each_hit_once() -> None:
    shares = stratified(1500, np.random.default_rng(0))
    assert sorted((shares[:1000] * 1000).astype(int)) == list(range(1000))
    assert sorted((shares[1000:] * 500).astype(int)) == list(range(500))


def test_mix_has_the_moments_of_the_sample() -> None:
    sample = traffic_sample([replace(CHAT, cached_share=0.3)], 1000, seed=4)
    requests, mix = sample.requests, sample.mix()
    prompt, output, cached = (
        column.astype(float) for column in (requests.prompt_tokens, requests.output_tokens, requests.cached_tokens)
    )
    assert mix.computed_tokens == pytest.approx((prompt - cached).mean())
    assert mix.context_output == pytest.approx((prompt * output).mean())
    assert mix.output_squared == pytest.approx((output**2).mean())
    assert mix.attention_pairs == pytest.approx(((prompt**2 - cached**2) / 2).mean())
    assert mix.computed_bins.value @ mix.computed_bins.share == pytest.approx(mix.computed_tokens)
    assert mix.output_bins.share.sum() == pytest.approx(1.0)


def test_weighted_mix_is_the_mix_of_repeated_requests() -> None:
    weighted = request_mix(np.array([100.0, 1000.0]), np.array([50.0, 10.0]), weight=np.array([3.0, 1.0]))
    repeated = request_mix(np.array([100.0, 100.0, 100.0, 1000.0]), np.array([50.0, 50.0, 50.0, 10.0]))
    assert weighted.kv_token_steps(512) == pytest.approx(float(repeated.kv_token_steps(512)))


def test_outputs_in_steps_keep_prompts() -> None:
    mix = request_mix(1000, 200)
    steps = mix.in_steps(2.5)
    assert steps.output_tokens == 80
    assert steps.decode_kv_token_steps == pytest.approx(mix.decode_kv_token_steps / 2.5)
    assert steps.computed_tokens == 1000


def test_longer_sample_repeats_the_requests() -> None:
    sample = traffic_sample([CHAT], 100, seed=4).of_length(250)
    assert (sample.requests.prompt_tokens[100:200] == sample.requests.prompt_tokens[:100]).all()
    assert len(sample.at_rate(1.0).arrival_s) == 250
