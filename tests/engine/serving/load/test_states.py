"""The closed form of load beside the simulation where it is hard, and what must hold whatever the numbers."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine import load_curve, plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.engine_release import Admission
from gpuplanner_gui.engine.serving.load.balance import load_states
from gpuplanner_gui.engine.serving.load.steps import prompt_chunks
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service, simulated_rates
from gpuplanner_gui.engine.simulation.requests import request_mix

H100, L40S = "nvidia-h100-sxm-80gb", "nvidia-l40s"
SHORT_AND_LONG = (
    (20.0, Lognormal(300.0, 0.5), Lognormal(250.0, 0.5)),
    (4.0, Lognormal(6000.0, 0.5), Lognormal(250.0, 0.5)),
)
MUCH_TO_READ = ((20.0, Lognormal(2000.0, 0.7), Lognormal(32.0, 0.5)),)
BOOKS = ((20.0, 20_000.0, 200.0),)


@pytest.fixture
def ratios(llama_8b, catalog, calibration):
    """Closed form over simulation at shares of the capacity."""

    def of(classes, wanted, shares, device=H100, **engine):
        serving = ServingWorkload(
            classes=tuple(
                RequestClass(
                    name=f"{number}", peak_rate_per_s=rate, prompt_tokens=prompt, output_tokens=answer, slos=()
                )
                for number, (rate, prompt, answer) in enumerate(classes)
            ),
            weight_precisions=("bf16",),
            kv_precisions=("bf16",),
        )
        serving = msgspec.structs.replace(serving, engine=msgspec.structs.replace(serving.engine, **engine))
        hardware = HardwareChoice(accelerators=(device,), max_devices_per_replica=1)
        scenario = Scenario(name="s", model=llama_8b, serving=serving, hardware=hardware)
        found = plan(scenario, catalog, calibration)
        best = found.serving.best
        curve = load_curve(scenario, catalog, calibration, found, best)
        service = candidate_service(scenario, context_of(catalog, calibration), serving_candidate(found, best), 3000)
        rates = [share * curve.max_rate_per_s for share in shares]
        runs = simulated_rates(service, (), rates, best, curve)
        return {
            (metric, name): np.interp(rates, curve.rates_per_s, getattr(curve, f"{metric}_s")[name])
            / runs.latency(metric, name)
            for metric, name in wanted
        }

    return of


def test_short_prompts_beside_long_ones_wait_as_they_do_in_the_simulation(ratios):
    wanted = (("ttft", "mean"), ("ttft", "p95"), ("ttft", "p99"), ("tpot", "mean"), ("tpot", "p95"))
    found = ratios(SHORT_AND_LONG, wanted, (0.15, 0.3, 0.45))
    for (metric, name), band in zip(wanted, (0.12, 0.22, 0.2, 0.08, 0.2), strict=True):
        assert found[metric, name] == pytest.approx(1.0, abs=band), (metric, name)


@pytest.mark.parametrize("drafts", [0, 3])
def test_short_answers_meet_the_prompts_that_came_during_their_own(ratios, drafts):
    """Answers of a few dozen steps begin in the midst of prompts; few of all steps have any."""
    wanted = (("tpot", "mean"), ("tpot", "p95"), ("e2e", "mean"), ("e2e", "p95"))
    found = ratios(MUCH_TO_READ, wanted, (0.2, 0.4, 0.6), speculative_tokens=drafts)
    for metric, name in wanted:
        assert found[metric, name] == pytest.approx(1.0, abs=0.2), (metric, name)


def test_a_sequence_reads_its_own_cache_on_a_replica_with_few(ratios):
    found = ratios(BOOKS, (("tpot", "mean"), ("ttft", "mean")), (0.05, 0.1, 0.2))
    assert found["tpot", "mean"] == pytest.approx(1.0, abs=0.07)
    assert found["ttft", "mean"] == pytest.approx(1.0, abs=0.08)


@pytest.mark.parametrize("device", [H100, L40S])
def test_many_drafts_of_many_sequences_take_the_simulations_step(ratios, device):
    chat = ((20.0, Lognormal(700.0, 0.5), Lognormal(256.0, 0.5)),)
    wanted = (("tpot", "mean"), ("tpot", "p95"))
    found = ratios(chat, wanted, (0.3, 0.6, 0.8), device, speculative_tokens=5, draft_acceptance=0.8)
    for metric, name in wanted:
        assert found[metric, name] == pytest.approx(1.0, abs=0.14), (metric, name)


STEPS = DeploymentSteps(
    batch=np.array([1.0, 64.0, 512.0, 2048.0]),
    decode_s=np.array([[10e-3], [11e-3], [18e-3], [60e-3]]),
    tokens=np.array([1.0, 64.0, 512.0, 2048.0]),
    prompt_s=np.array([[10.5e-3], [11.5e-3], [18.5e-3], [60.5e-3]]),
    cache_token_s=np.array([1e-8]),
    pair_s=np.array([1e-11]),
    beside_s=np.zeros(1),
    sequence_s=np.zeros(1),
)
HOST = Admission(2e-3, 0.0)


def at(requests_per_step, step=STEPS, prompts=(200.0, 600.0), answers=(50.0, 150.0), most=np.inf, **options):
    mix = request_mix(np.array(prompts), np.array(answers))
    requests = np.atleast_1d(requests_per_step)[:, None]
    return load_states(step, requests, mix, 2048, 1.0, HOST, most_requests=np.array([most]), **options)


def test_an_idle_replica_makes_nobody_wait_for_a_running_step():
    idle = at(1e-9, prompts=(400.0,))
    # 400 tokens lie between the table's 64 and 512; pairs are half of 400².
    alone_s = 11e-3 + (400 - 64) / 448 * 7e-3 + 0.5e-3 + 0.5 * 400**2 * 1e-11
    assert idle.ttft_mean_s[0, 0] == pytest.approx(alone_s + 2e-3, rel=1e-3)
    assert idle.rest_s[0, 0] == pytest.approx(0.0, abs=1e-9)
    busy = at(1e-9, sequences=np.array([[30.0]]), prompts=(400.0,))
    assert busy.rest_s[0, 0] == pytest.approx(busy.decode_step_s[0, 0] / 2, rel=1e-3)


def test_prompts_are_cut_at_the_budget_and_weigh_by_their_lengths():
    # Three in four are short: a share at which no bin of lengths holds both.
    mix = request_mix(np.array([500.0, 5000.0]), 100.0, weight=np.array([3.0, 1.0]))
    pieces = prompt_chunks(mix, 2048)
    assert pieces.number == pytest.approx(0.75 * 1 + 0.25 * 3)
    assert pieces.mean.full_tokens == pytest.approx(0.25 * 4096)
    assert pieces.mean.last_tokens == pytest.approx(0.75 * 500 + 0.25 * 904)
    assert pieces.mean.pairs == pytest.approx((0.75 * 500**2 + 0.25 * 5000**2) / 2)
    assert pieces.square_tokens == pytest.approx(0.75 * 500**2 + 0.25 * 5000**2)
    assert pieces.square_pairs == pytest.approx((0.75 * 500**4 + 0.25 * 5000**4) / 4)
    assert [pieces.at(share).tokens for share in (10, 70, 95)] == pytest.approx([500.0, 500.0, 5000.0])


def test_little_holds_over_time():
    states = at(np.array([0.01, 0.1, 0.3]), most=0.6)
    assert states.batch == pytest.approx(states.rate_per_s * 100.0 * states.step_s)


def test_places_run_out_before_prompts_pile_up():
    free, tight = at(np.array([0.04]), most=np.inf), at(np.array([0.04]), most=0.05)
    assert tight.wait_s[0, 0] > 2 * free.wait_s[0, 0]
    assert np.isinf(at(np.array([0.05]), most=0.05).wait_s[0, 0])


LENGTHS = st.lists(st.floats(1.0, 9000.0), min_size=1, max_size=4)


@given(LENGTHS, st.lists(st.floats(2.0, 500.0), min_size=1, max_size=4), st.floats(0.02, 0.9), st.booleans())
def test_more_load_is_never_faster_nor_is_less_bandwidth(prompts, answers, load, is_limited):
    count = min(len(prompts), len(answers))
    mix = {"prompts": prompts[:count], "answers": answers[:count]}
    most = 2048.0 / (np.mean(mix["prompts"]) + np.mean(mix["answers"])) * (0.5 if is_limited else 1.0)
    states = at(np.array([0.5, 1.0]) * load * most, most=most, **mix)
    slow = replace(
        STEPS, cache_token_s=2 * STEPS.cache_token_s, decode_s=1.5 * STEPS.decode_s, prompt_s=1.5 * STEPS.prompt_s
    )
    slower = at(np.array([0.5, 1.0]) * load * most, step=slow, most=most, **mix)
    assert (slower.rate_per_s <= states.rate_per_s * (1 + 1e-9)).all()
    for one in (states, slower):
        assert one.rate_per_s[1, 0] > one.rate_per_s[0, 0]
        for rising in (one.ttft_mean_s, one.step_s, one.e2e_mean_s):
            assert not rising[1, 0] < rising[0, 0] * (1 - 1e-9)
        for percentile in (90, 95, 99):
            assert (one.ttft_s(percentile) >= one.ttft_mean_s * (1 - 1e-9)).all()
            assert (one.tpot_s(percentile) >= one.token_s * (1 - 1e-9)).all()
        ordered = [one.ttft_s(percentile) for percentile in (90, 95, 99)]
        assert all((low <= high * (1 + 1e-9)).all() for low, high in pairwise(ordered))
