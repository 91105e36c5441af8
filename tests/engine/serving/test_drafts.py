"""Drafts in the plan's closed form: one step with the simulation, hand-checked figures, and what never happens."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.plan import column
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.domain.workload import LatencyMetric, RequestClass
from gpuplanner_gui.engine import load_curve, plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.demand import demand_of
from gpuplanner_gui.engine.serving.load.percentiles import drafted_tpot_s
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps, drafted_steps
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service, simulated_rates
from gpuplanner_gui.engine.simulation.step_time import Speculation, SpeculativeStepTime, speculation_of

H100, L40S = "nvidia-h100-sxm-80gb", "nvidia-l40s"


def drafting(scenario, device=H100, rate=20.0, **engine):
    """A chat on one device, lengths that vary, with draft tokens."""
    changed = msgspec.structs.replace(scenario.serving.engine, **engine)
    one = RequestClass(
        peak_rate_per_s=rate, prompt_tokens=Lognormal(700.0, 0.5), output_tokens=Lognormal(256.0, 0.5), slos=()
    )
    serving = msgspec.structs.replace(
        scenario.serving, engine=changed, classes=(one,), weight_precisions=("bf16",), kv_precisions=("bf16",)
    )
    return msgspec.structs.replace(
        scenario, serving=serving, hardware=HardwareChoice(accelerators=(device,), max_devices_per_replica=1)
    )


@pytest.fixture
def table_of(catalog, calibration):
    return lambda scenario: plan(scenario, catalog, calibration).serving.table


STEPS = DeploymentSteps(
    batch=np.array([1.0, 64.0, 512.0]),
    decode_s=np.array([[10e-3], [11e-3], [18e-3]]),
    tokens=np.array([1.0, 64.0, 512.0]),
    prompt_s=np.array([[10.5e-3], [11.5e-3], [18.5e-3]]),
    cache_token_s=np.array([1e-8]),
    pair_s=np.array([1e-11]),
    beside_s=np.array([0.2e-3]),
    sequence_s=np.array([1e-6]),
)


def test_candidates_and_simulation_take_the_same_step():
    drafts = Speculation(3, 0.7, 0.04)
    tabulated, wrapped = drafted_steps(STEPS, drafts), SpeculativeStepTime(STEPS, drafts)
    for work in ((12.0, 0.0, 9e3, 0.0), (12.0, 400.0, 9e3, 8e4), (30.0, 100.0, 2e4, 1e4)):
        decode, prefill, cached, pairs = (np.array([one]) for one in work)
        found = tabulated.step_time_s(decode, prefill, cached, pairs)
        assert found == pytest.approx(wrapped.step_time_s(decode, prefill, cached, pairs))
    # Ten sequences with three drafts verify 40 tokens: 10 ms + 39/63 ms; each of two further drafts is a fortieth of
    # a pass over 10 tokens: 10 ms + 9/63 ms.
    by_hand = 1.025 * (10e-3 + 39 / 63 * 1e-3) + 2 * 0.025 * (10e-3 + 9 / 63 * 1e-3)
    alone = drafted_steps(STEPS, Speculation(3, 0.7, 0.025)).step_time_s(np.array([10.0]), 0.0, 0.0)
    assert alone == pytest.approx(by_hand)


def test_a_part_of_the_candidates_drafts_alike():
    slopes = (STEPS.cache_token_s, STEPS.pair_s, STEPS.beside_s, STEPS.sequence_s)
    both = DeploymentSteps(
        STEPS.batch, np.tile(STEPS.decode_s, 2) * [1.0, 2.0], STEPS.tokens, np.tile(STEPS.prompt_s, 2) * [1.0, 2.0],
        *(np.tile(one, 2) for one in slopes),
    )  # fmt: skip
    drafted = drafted_steps(both, Speculation(2, 0.5, 0.1))
    work = (np.array([8.0]), 400.0, 4e3, 1e4)
    assert drafted.at(slice(1, 2)).step_time_s(*work) == pytest.approx(drafted.step_time_s(*work)[1:])


def test_percentiles_of_tpot_by_hand():
    # Certain yields: the step's percentile over the yield.
    step, p95 = np.array([20e-3]), np.array([23e-3])
    assert drafted_tpot_s(p95, step, 2.0, 0.0, 256, 95) == pytest.approx(11.5e-3)
    # Steps that never vary: only the accepted tokens do, here by a twentieth of a step's worth over 400 tokens.
    one_sided = drafted_tpot_s(step, step, 2.0, 1.0, 400, 84.1344746)
    assert one_sided == pytest.approx((20e-3 + 20e-3 / 20) / 2)
    assert drafted_tpot_s(step, step, 2.0, 1.0, 400, 15.8655254) == pytest.approx((20e-3 - 20e-3 / 20) / 2)
    assert drafted_tpot_s(step, step, 2.0, 1.0, 400, 50) == pytest.approx(10e-3)


def test_a_draft_of_no_stated_size_is_a_head_of_one_layer(chat_8b):
    model, engine = chat_8b.model, chat_8b.serving.engine
    assert speculation_of(engine, model) is None
    head = msgspec.structs.replace(engine, speculative_tokens=2)
    assert speculation_of(head, model) == Speculation(2, 0.7, 1 / 32)
    assert speculation_of(msgspec.structs.replace(head, draft_share=0.125), model) == Speculation(2, 0.7, 0.125)


def test_no_drafts_are_the_same_plan_whatever_their_size_and_acceptance(chat_8b, table_of):
    plain = table_of(drafting(chat_8b))
    other = table_of(drafting(chat_8b, draft_acceptance=0.1, draft_share=0.5))
    for name in plain.__struct_fields__:
        np.testing.assert_array_equal(column(plain, name), column(other, name), err_msg=name)
    assert (plain.draft_gain[plain.fits] == 1).all()


def test_weights_and_cache_grow_by_the_drafts_size(chat_8b, table_of):
    plain, drafted = table_of(drafting(chat_8b)), table_of(drafting(chat_8b, speculative_tokens=3, draft_share=0.125))
    assert drafted.weights_bytes == pytest.approx(1.125 * plain.weights_bytes)
    rows = drafted.fits
    pool = (plain.kv_pool_bytes - 0.125 * plain.weights_bytes)[rows]
    assert drafted.kv_pool_bytes[rows] == pytest.approx(pool)
    held = (plain.max_sequences / plain.kv_pool_bytes)[rows] * pool / 1.125
    assert drafted.max_sequences[rows] == pytest.approx(np.maximum(held, 1.0), abs=1.0)


def test_parts_of_a_drafted_step_add_up(chat_8b, table_of):
    found = table_of(drafting(chat_8b, speculative_tokens=4, draft_share=0.1))
    parts = found.decode_compute_s + found.decode_bandwidth_s + found.decode_interconnect_s + found.decode_host_s
    assert parts[found.fits] == pytest.approx(found.decode_step_s[found.fits])


def test_little_holds_over_steps_with_drafts(chat_8b, catalog, calibration):
    scenario = drafting(chat_8b, speculative_tokens=3)
    found = plan(scenario, catalog, calibration)
    curve = load_curve(scenario, catalog, calibration, found, found.serving.best)
    answered = curve.rates_per_s * demand_of(scenario.serving, scenario.model).output_tokens
    assert curve.batch == pytest.approx(answered * curve.tpot_s["mean"])
    assert curve.itl_mean_s == pytest.approx(curve.tpot_s["mean"] * Speculation(3, 0.7).tokens_per_step)


LOADS = (0.2, 0.4, 0.6)


@pytest.mark.parametrize(("device", "drafts", "acceptance"), [(H100, 1, 0.8), (H100, 3, 0.6), (L40S, 5, 0.8)])
def test_closed_form_and_simulation_agree_with_drafts(chat_8b, catalog, calibration, device, drafts, acceptance):
    scenario = drafting(chat_8b, device, speculative_tokens=drafts, draft_acceptance=acceptance)
    found = plan(scenario, catalog, calibration)
    best = found.serving.best
    curve = load_curve(scenario, catalog, calibration, found, best)
    service = candidate_service(scenario, context_of(catalog, calibration), serving_candidate(found, best), 1500)
    rates = [share * curve.max_rate_per_s for share in LOADS]
    runs = simulated_rates(service, (), rates, best, curve)
    compared: tuple[tuple[LatencyMetric, Floats, float], ...] = (
        ("tpot", curve.tpot_s["mean"], 0.12),
        ("tpot", curve.tpot_s["p95"], 0.20),
        ("e2e", curve.e2e_s["mean"], 0.12),
        ("itl", curve.itl_mean_s, 0.12),
    )
    for metric, closed, band in compared:
        name = "p95" if closed is curve.tpot_s["p95"] else "mean"
        error = np.interp(rates, curve.rates_per_s, closed) / runs.latency(metric, name) - 1
        assert np.abs(error).max() < band, (metric, name, error)
    assert not runs.itl_differs.any()


def test_drafts_gain_at_a_small_batch_and_cost_at_a_large_one(chat_8b, table_of):
    engine = {"speculative_tokens": 5, "draft_acceptance": 0.2}
    idle, busy = (table_of(drafting(chat_8b, rate=rate, **engine)) for rate in (0.2, 2000.0))
    first, last = idle.order[0], busy.order[0]
    assert idle.batch[first] < 1 < idle.draft_gain[first]
    assert busy.batch[last] > 30
    assert busy.draft_gain[last] < 1


def test_gain_is_what_a_plan_without_drafts_takes_at_the_same_batch(chat_8b, table_of):
    """Answers so much longer without drafts that a tenth of the rate makes the same batch: prompts are then rare."""
    drafted = table_of(drafting(chat_8b, rate=0.05, speculative_tokens=3, draft_acceptance=1.0))
    plain = table_of(drafting(chat_8b, rate=0.05))
    row = drafted.order[0]
    ratio = plain.tpot_mean_s[row] / drafted.tpot_mean_s[row]
    assert drafted.draft_gain[row] == pytest.approx(ratio, rel=0.02)
    assert math.isclose(drafted.draft_gain[row], 4 / (1 + 3 / 32), rel_tol=0.08)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(1, 8), st.floats(0.0, 1.0), st.floats(0.0, 1.0), st.sampled_from([0.0, 0.03, 0.2]),
    st.sampled_from([0.5, 20.0, 300.0]),
)  # fmt: skip
def test_more_acceptance_is_never_slower_nor_dearer(chat_8b, table_of, drafts, first, second, share, rate):
    low, high = (
        table_of(
            drafting(
                chat_8b, rate=rate, speculative_tokens=drafts, draft_acceptance=acceptance, draft_share=share
            )
        )
        for acceptance in sorted((first, second))
    )  # fmt: skip
    runs = low.fits
    assert runs.any()
    assert (high.max_rate_per_s >= low.max_rate_per_s * (1 - 1e-9))[runs].all()
    assert (high.slo_rate_per_s >= low.slo_rate_per_s * (1 - 1e-9))[runs].all()
    assert (high.replicas <= low.replicas)[runs].all()
    alike = runs & (high.replicas == low.replicas)
    assert (high.tpot_mean_s <= low.tpot_mean_s * (1 + 1e-9))[alike].all()
    assert (high.e2e_mean_s <= low.e2e_mean_s * (1 + 1e-9))[alike].all()
