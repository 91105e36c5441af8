"""The iteration-level simulation: timelines by hand, exact skipping, memory, priorities, speculation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.engine.simulation.requests import Requests, requests_at
from gpuplanner_gui.engine.simulation.result import SimulationResult
from gpuplanner_gui.engine.simulation.run import decode_steps, replica_table, simulate
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings
from gpuplanner_gui.engine.simulation.step_time import Speculation
from tests.engine.load.linear import LinearStepTime

TEN_MS = LinearStepTime(0.010, 0.0, 0.0)
"""Every step takes 10 ms whatever it holds, so that timelines can be counted by hand."""


def run(
    step_time: LinearStepTime, settings: ReplicaSettings, requests: Requests, skips: bool = True
) -> SimulationResult:
    return simulate(replica_table(step_time, settings), settings, requests, skips=skips)


def test_one_request_prefills_in_chunks_and_decodes_the_rest() -> None:
    result = run(TEN_MS, ReplicaSettings(8, 100), requests_at(1.0, 250, 5))
    assert result.ttft_s == pytest.approx([0.030])
    assert result.e2e_s == pytest.approx([0.070])
    assert result.tpot_s == pytest.approx([0.010])
    assert result.steps == 7


def test_step_times_count_tokens_cache_and_attention() -> None:
    step_time = LinearStepTime(0.0, 1.0, 0.001, 0.0001)
    result = run(step_time, ReplicaSettings(8, 100), requests_at(0.0, 150, 3))
    first = 100 + 0.0001 * 100 * 50
    second = 50 + 0.001 * 100 + 0.0001 * 50 * 125
    assert result.ttft_s == pytest.approx([first + second])
    assert result.e2e_s - result.ttft_s == pytest.approx([1 + 0.001 * 151 + 1 + 0.001 * 152])


def test_arrival_during_a_decode_run_joins_at_the_next_step() -> None:
    result = run(TEN_MS, ReplicaSettings(8, 100), requests_at([0.0, 0.0505], 10, [20, 2]))
    assert result.first_token_s == pytest.approx([0.010, 0.070])
    assert result.finish_s == pytest.approx([0.200, 0.080])


def test_batch_limit_makes_the_third_request_wait_for_an_answer() -> None:
    result = run(TEN_MS, ReplicaSettings(2, 100), requests_at([0.0, 0.0, 0.0], 10, [3, 6, 2]))
    assert result.finish_s == pytest.approx([0.030, 0.060, 0.050])


def test_token_budget_is_shared_between_prompts_in_order() -> None:
    result = run(TEN_MS, ReplicaSettings(8, 100), requests_at([0.0, 0.0], 80, 1))
    assert result.ttft_s == pytest.approx([0.010, 0.020])


def test_prefill_first_stalls_running_sequences() -> None:
    settings = ReplicaSettings(8, 100, batching=Batching.PREFILL_FIRST)
    result = run(TEN_MS, settings, requests_at([0.0, 0.0105], 10, [4, 1]))
    assert result.first_token_s == pytest.approx([0.010, 0.030])
    assert result.finish_s == pytest.approx([0.050, 0.030])
    times, weights, _ = result.itl.values()
    assert sorted(np.repeat(times, weights.astype(int)).round(6).tolist()) == [0.010, 0.010, 0.020]


def test_whole_prompts_join_a_mixed_step_even_beyond_the_budget() -> None:
    settings = ReplicaSettings(8, 100, batching=Batching.MIXED)
    result = run(TEN_MS, settings, requests_at([0.0, 0.0], [250, 50], 2))
    assert result.ttft_s == pytest.approx([0.010, 0.020])


def test_prefix_found_in_the_cache_is_not_computed() -> None:
    result = run(TEN_MS, ReplicaSettings(8, 100), requests_at(0.0, 250, 1, cached_tokens=200))
    assert result.ttft_s == pytest.approx([0.010])


def test_shared_prefix_takes_no_memory_of_its_own() -> None:
    settings = ReplicaSettings(8, 1000, kv_tokens=1000, kv_block_tokens=1)
    alone = run(TEN_MS, settings, requests_at([0.0, 0.0], 600, 5, cached_tokens=500))
    shared = run(TEN_MS, settings, requests_at([0.0, 0.0], 600, 5, cached_tokens=500, shared_tokens=500))
    assert alone.ttft_s[1] > alone.e2e_s[0]
    assert shared.ttft_s[1] == pytest.approx(0.010)


def test_full_cache_preempts_the_last_admitted_which_is_recomputed() -> None:
    settings = ReplicaSettings(8, 1000, kv_tokens=130, kv_block_tokens=1)
    result = run(TEN_MS, settings, requests_at([0.0, 0.0], 50, 40))
    assert result.preemptions == 1
    assert result.finish_s[0] == pytest.approx(0.400)
    assert result.finish_s[1] > 0.400
    assert result.is_finished.all()
    assert result.peak_kv_tokens <= 130


def test_larger_blocks_waste_more_of_the_cache_until_latency_jumps() -> None:
    """Two sequences of 60 tokens fit 130 by the token; half-empty blocks of 64 leave room for one, the other waits."""
    requests = requests_at([0.0, 0.0], 50, 10)
    results = [
        run(TEN_MS, ReplicaSettings(8, 1000, kv_tokens=130, kv_block_tokens=block), requests) for block in (1, 64)
    ]
    assert [ReplicaSettings(8, 1000, kv_tokens=130, kv_block_tokens=block).kv_waste_tokens for block in (1, 64)] == [
        0.0, 31.5,
    ]  # fmt: skip
    small, large = (result.ttft_s.max() for result in results)
    assert small == pytest.approx(0.010)
    assert large > 0.1


def test_reserving_outputs_never_preempts() -> None:
    settings = ReplicaSettings(8, 1000, kv_tokens=130, kv_block_tokens=1, reserves_output=True)
    result = run(TEN_MS, settings, requests_at([0.0, 0.0], 50, 40))
    assert result.preemptions == 0
    assert result.first_token_s[1] == pytest.approx(0.410)


def test_request_that_can_never_fit_is_rejected() -> None:
    settings = ReplicaSettings(8, 1000, kv_tokens=100, kv_block_tokens=1)
    result = run(TEN_MS, settings, requests_at([0.0, 0.0], [90, 30], [20, 5]))
    assert result.rejected.tolist() == [0]
    assert result.is_finished.tolist() == [False, True]


def test_higher_priority_overtakes_in_the_queue() -> None:
    result = run(TEN_MS, ReplicaSettings(1, 100), requests_at([0.0, 0.001, 0.002], 10, 3, priority=[1, 1, 0]))
    assert result.finish_s == pytest.approx([0.030, 0.090, 0.060])


def test_lowest_priority_is_preempted_first() -> None:
    settings = ReplicaSettings(8, 1000, kv_tokens=130, kv_block_tokens=1)
    result = run(TEN_MS, settings, requests_at([0.0, 0.0], 50, 40, priority=[1, 0]))
    assert result.finish_s[1] == pytest.approx(0.400)
    assert result.finish_s[0] > 0.400


def test_speculation_needs_fewer_steps_in_the_expected_proportion() -> None:
    speculation = Speculation(draft_tokens=3, acceptance=0.7)
    assert speculation.tokens_per_step == pytest.approx(1 + 0.7 + 0.49 + 0.343)
    steps = decode_steps(np.full(4000, 513), speculation, seed=3)
    assert steps.mean() == pytest.approx(512 / speculation.tokens_per_step, rel=5e-3)
    assert decode_steps(np.array([1, 2]), speculation, 0).tolist() == [0, 1]
    assert decode_steps(np.full(9, 101), Speculation(4, 1.0), 0).tolist() == [20] * 9


def test_speculative_run_is_faster_than_plain_decoding(step_time: LinearStepTime) -> None:
    requests = requests_at(np.arange(50) * 0.2, 200, 200)
    plain = run(step_time, ReplicaSettings(64, 2048), requests)
    fast = run(step_time, ReplicaSettings(64, 2048, speculation=Speculation(3, 0.8)), requests)
    assert fast.e2e_s.mean() < 0.5 * plain.e2e_s.mean()


def test_reference_simulation_with_fixed_lengths(step_time: LinearStepTime) -> None:
    """Case E7's reference: ITL 14.06 ms, TTFT 58.2 ms, E2E 2.856 s at 10.506/s."""
    arrivals = np.cumsum(np.random.default_rng(1).exponential(1 / 10.506, 20_000))
    result = run(step_time, ReplicaSettings(256, 2048), requests_at(arrivals, 1000, 200))
    assert result.itl.mean_s() == pytest.approx(14.06e-3, rel=0.03)
    assert result.ttft_s.mean() == pytest.approx(58.2e-3, rel=0.03)
    assert result.e2e_s.mean() == pytest.approx(2.856, rel=0.03)


@st.composite
def cases(draw: st.DrawFn) -> tuple[LinearStepTime, ReplicaSettings, Requests]:
    """Some requests for a replica of any kind, from idle to overloaded."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    count = draw(st.integers(1, 120))
    step_time = LinearStepTime(10 ** rng.uniform(-3, -1.5), 10 ** rng.uniform(-6, -4), 10 ** rng.uniform(-9, -7), 1e-11)
    settings = ReplicaSettings(
        max_sequences=draw(st.integers(1, 40)),
        token_budget=draw(st.integers(64, 2048)),
        kv_tokens=draw(st.sampled_from([2500.0, 6000.0, 1e6])),
        batching=draw(st.sampled_from([Batching.CHUNKED, Batching.MIXED, Batching.PREFILL_FIRST])),
        kv_block_tokens=draw(st.sampled_from([1, 16])),
        reserves_output=draw(st.booleans()),
        speculation=draw(st.sampled_from([None, Speculation(3, 0.7, 0.05)])),
    )
    prompts = np.clip(rng.lognormal(5, 1, count), 1, 1500).astype(int)
    requests = requests_at(
        np.cumsum(rng.exponential(10 ** rng.uniform(-3, 0), count)),
        prompts,
        np.clip(rng.lognormal(3, 1, count), 1, 600).astype(int),
        cached_tokens=(prompts * rng.uniform(0, 1, count)).astype(int) if draw(st.booleans()) else 0,
        priority=rng.integers(0, draw(st.integers(1, 3)), count),
    )
    return step_time, settings, requests


@given(case=cases())
@settings(max_examples=60)
def test_skipped_runs_equal_the_step_by_step_simulation(
    case: tuple[LinearStepTime, ReplicaSettings, Requests],
) -> None:
    skipped, stepped = run(*case), run(*case, skips=False)
    assert skipped.steps == stepped.steps
    assert skipped.preemptions == stepped.preemptions
    np.testing.assert_allclose(skipped.first_token_s, stepped.first_token_s, rtol=1e-9)
    np.testing.assert_allclose(skipped.finish_s, stepped.finish_s, rtol=1e-9)
    assert skipped.itl.mean_s() == pytest.approx(stepped.itl.mean_s(), rel=1e-9, nan_ok=True)
    assert skipped.sequence_seconds == pytest.approx(stepped.sequence_seconds, rel=1e-9)
    assert skipped.kv_token_seconds == pytest.approx(stepped.kv_token_seconds, rel=1e-9)


@given(case=cases())
@settings(max_examples=60)
def test_every_run_keeps_little_s_law_and_serves_everybody(
    case: tuple[LinearStepTime, ReplicaSettings, Requests],
) -> None:
    _, settings, requests = case
    result = run(*case)
    assert result.littles_law_error < 0.01
    assert result.is_finished.sum() + len(result.rejected) == len(requests)
    assert result.peak_kv_tokens <= settings.kv_tokens * (1 + 1e-9)
    answered = result.is_finished
    assert (result.first_token_s[answered] > result.sent_s[answered]).all()
    assert (result.finish_s[answered] >= result.first_token_s[answered]).all()


@given(case=cases())
@settings(max_examples=30)
def test_tokens_between_the_first_and_the_last_are_all_timed(
    case: tuple[LinearStepTime, ReplicaSettings, Requests],
) -> None:
    step_time, settings, requests = case
    if settings.speculation is not None:
        return
    result = run(step_time, settings, requests)
    answered = result.is_finished
    _, weights, _ = result.itl.values()
    assert weights.sum() == pytest.approx((requests.output_tokens[answered] - 1).sum())
    if result.preemptions == 0 and weights.sum():
        times, _, _ = result.itl.values()
        decoding_s = (result.finish_s - result.first_token_s)[answered].sum()
        assert times @ weights == pytest.approx(decoding_s, rel=1e-6)


@given(seed=st.integers(0, 10_000), load=st.floats(0.1, 1.2), kv_tokens=st.sampled_from([8000.0, 1e6]))
@settings(max_examples=25)
def test_doubling_load_never_lowers_latency(seed: int, load: float, kv_tokens: float) -> None:
    """Same requests, gaps halved; 2 % is left for the chance of one step's grouping."""
    rng = np.random.default_rng(seed)
    step_time = LinearStepTime(6.8e-3, 29.4e-6, 55.9e-9)
    settings = ReplicaSettings(32, 1024, kv_tokens)
    prompts = np.clip(rng.lognormal(5.5, 0.8, 250), 1, 3000).astype(int)
    outputs = np.clip(rng.lognormal(3.5, 0.8, 250), 1, 500).astype(int)
    gaps = np.cumsum(rng.exponential(1.0, 250))
    at_once = run(step_time, settings, requests_at(np.zeros(250), prompts, outputs))
    rate = load * 250 / float(np.nanmax(at_once.finish_s))
    light = run(step_time, settings, requests_at(gaps / rate, prompts, outputs))
    heavy = run(step_time, settings, requests_at(gaps / rate / 2, prompts, outputs))
    assert heavy.ttft_s.mean() >= light.ttft_s.mean() * 0.98
    assert heavy.e2e_s.mean() >= light.e2e_s.mean() * 0.98


@given(seed=st.integers(0, 10_000), load=st.floats(0.3, 1.5), kv_tokens=st.floats(4000, 40_000))
@settings(max_examples=25)
def test_more_memory_never_makes_anyone_wait_longer_for_a_first_token(seed: int, load: float, kv_tokens: float) -> None:
    rng = np.random.default_rng(seed)
    step_time = LinearStepTime(6.8e-3, 29.4e-6, 55.9e-9)
    prompts = np.clip(rng.lognormal(5.5, 0.8, 250), 1, 3000).astype(int)
    outputs = np.clip(rng.lognormal(3.5, 0.8, 250), 1, 500).astype(int)
    requests = requests_at(np.cumsum(rng.exponential(1 / (20 * load), 250)), prompts, outputs)
    small = run(step_time, ReplicaSettings(64, 1024, kv_tokens), requests)
    large = run(step_time, ReplicaSettings(64, 1024, 2 * kv_tokens), requests)
    assert large.ttft_s.mean() <= small.ttft_s.mean() * 1.02
    assert large.e2e_s.mean() <= small.e2e_s.mean() * 1.05


def test_same_seed_gives_the_same_result_to_the_bit(step_time: LinearStepTime) -> None:
    requests = requests_at(np.arange(100) * 0.05, 300, 100)
    settings = ReplicaSettings(64, 1024, 50_000, speculation=Speculation(3, 0.7))
    first, second = run(step_time, settings, requests), run(step_time, settings, requests)
    assert first.finish_s.tobytes() == second.finish_s.tobytes()
    assert first.itl.first_s.tobytes() == second.itl.first_s.tobytes()


@pytest.mark.parametrize("arrival_s", [0.35, 1.2345, 3.0])
def test_arrival_joins_at_the_next_step_where_steps_grow_longer(arrival_s: float) -> None:
    """Each decode step reads one token more, and takes 1 ms more: steps are counted one by one here."""
    step_time = LinearStepTime(0.010, 0.0, 0.001)
    result = run(step_time, ReplicaSettings(8, 100), requests_at([0.0, arrival_s], 10, [200, 2]))
    now, context = 0.010, 11
    while now < arrival_s:
        now += 0.010 + 0.001 * context
        context += 1
    assert result.first_token_s[1] == pytest.approx(now + 0.010 + 0.001 * context)
