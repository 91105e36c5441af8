"""A plan's candidate under simulated load: invariants, and agreement with the closed form of the same plan."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.load_result import METRICS, Stage
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import RequestClass, Router, ServingWorkload, Slo
from gpuplanner_gui.engine import CancelledError, load_curve, plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.engine_release import REST_OF_STEP, Admission
from gpuplanner_gui.engine.serving.tabulated import usual_work
from gpuplanner_gui.engine.simulation.candidate_load import (
    candidate_service,
    longest_tokens,
    scenario_targets,
    simulated_curves,
    simulated_rates,
)
from gpuplanner_gui.engine.simulation.result import LatencyTarget, measured_s
from gpuplanner_gui.engine.simulation.settings import Batching
from gpuplanner_gui.files.traces import read_trace

TRACE = Path(__file__).parents[2] / "files" / "traces" / "data" / "azure-llm-2023-conv.csv"


def on_h100(scenario, **engine):
    settings = msgspec.structs.replace(scenario.serving.engine, **engine)
    serving = msgspec.structs.replace(scenario.serving, engine=settings, weight_precisions=("bf16",))
    return msgspec.structs.replace(
        scenario, serving=serving, hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",))
    )


@pytest.fixture
def planned(chat_8b, catalog, calibration):
    scenario = on_h100(chat_8b)
    return scenario, plan(scenario, catalog, calibration)


@pytest.fixture
def service_of(catalog, calibration):
    def make(scenario, count=1500, **options):
        found = plan(scenario, catalog, calibration)
        context = context_of(catalog, calibration)
        return candidate_service(scenario, context, serving_candidate(found, found.serving.best), count, **options)

    return make


def test_curves_get_better_and_the_last_is_final(planned, catalog, calibration):
    scenario, found = planned
    closed = load_curve(scenario, catalog, calibration, found, found.serving.best)
    curves = list(
        simulated_curves(scenario, catalog, calibration, found, found.serving.best, closed, points=8, requests=600)
    )
    assert [curve.stage for curve in curves[:2]] == [Stage.COARSE, Stage.REFINING]
    assert curves[-1].stage is Stage.FINAL
    assert len(curves[-1].rates_per_s) == 8
    for curve in curves:
        assert (np.diff(curve.rates_per_s) > 0).all()
        assert curve.littles_law_error < 0.01
        assert curve.operating_rate_per_s <= 0.8 * curve.max_rate_per_s + 1e-12


def test_latency_does_not_fall_with_load_and_percentiles_are_in_order(planned, catalog, calibration):
    scenario, found = planned
    *_, curve = simulated_curves(scenario, catalog, calibration, found, found.serving.best, points=8, requests=1000)
    for metric in METRICS:
        ordered = np.stack([curve.latency(metric, name) for name in ("p50", "p90", "p95", "p99")])
        assert (np.diff(ordered, axis=0) >= 0).all()
    for name in ("mean", "p95"):
        assert (np.diff(curve.latency("e2e", name)) > -0.02 * curve.latency("e2e", name)[:-1]).all()
    kept = np.flatnonzero(curve.meets_targets)
    assert kept.tolist() == list(range(len(kept)))


def test_the_plans_closed_form_is_within_its_band_at_moderate_load(planned, catalog, calibration):
    scenario, found = planned
    best = found.serving.best
    closed = load_curve(scenario, catalog, calibration, found, best)
    service = candidate_service(scenario, context_of(catalog, calibration), serving_candidate(found, best), 4000)
    rates = [share * closed.max_rate_per_s for share in (0.2, 0.35, 0.5)]
    curve = simulated_rates(service, scenario_targets(scenario), rates, best, closed)
    assert not curve.itl_differs.any()
    assert curve.closed_itl_s == pytest.approx(curve.latency("itl", "mean"), rel=0.14)
    assert curve.closed_ttft_s == pytest.approx(curve.latency("ttft", "mean"), rel=0.2)
    assert curve.max_rate_per_s == pytest.approx(closed.max_rate_per_s, rel=0.12)


def test_the_closed_form_knows_what_prompts_with_a_cached_prefix_cost(chat_8b, catalog, calibration):
    scenario = on_h100(chat_8b)
    classes = tuple(msgspec.structs.replace(one, prefix_cache_share=0.9) for one in scenario.serving.classes)
    scenario = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, classes=classes))
    found = plan(scenario, catalog, calibration)
    best = found.serving.best
    closed = load_curve(scenario, catalog, calibration, found, best)
    service = candidate_service(scenario, context_of(catalog, calibration), serving_candidate(found, best), 2000)
    curve = simulated_rates(service, (), [0.5 * closed.max_rate_per_s], best, closed)
    assert curve.closed_itl_s == pytest.approx(curve.latency("itl", "mean"), rel=0.06)
    assert curve.closed_ttft_s == pytest.approx(curve.latency("ttft", "mean"), rel=0.12)
    assert curve.max_rate_per_s == pytest.approx(closed.max_rate_per_s, rel=0.1)


@pytest.mark.parametrize("prompt_tokens", [6_000.0, 30_000.0, 120_000.0])
def test_closed_form_and_simulation_read_prompts_of_many_chunks_alike(chat_8b, catalog, calibration, prompt_tokens):
    scenario = on_h100(chat_8b)
    first = msgspec.structs.replace(
        scenario.serving.classes[0], peak_rate_per_s=0.05, prompt_tokens=prompt_tokens, output_tokens=64.0, slos=()
    )
    scenario = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, classes=(first,)))
    found = plan(scenario, catalog, calibration)
    best = found.serving.best
    closed = load_curve(scenario, catalog, calibration, found, best)
    service = candidate_service(scenario, context_of(catalog, calibration), serving_candidate(found, best), 400)
    curve = simulated_rates(service, (), [share * closed.max_rate_per_s for share in (0.05, 0.3)], best, closed)
    assert curve.closed_ttft_s == pytest.approx(curve.latency("ttft", "mean"), rel=0.15)


def test_stages_of_a_pipeline_do_not_bring_a_lone_prompts_first_token_forward(chat_8b, catalog, calibration):
    """A step's time is that of one stage, and a prompt of one chunk passes all of them in turn."""
    scenario = on_h100(chat_8b)
    first = msgspec.structs.replace(
        scenario.serving.classes[0], peak_rate_per_s=0.05, prompt_tokens=4000.0, output_tokens=32.0, slos=()
    )
    scenario = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, classes=(first,)))
    found, context = plan(scenario, catalog, calibration), context_of(catalog, calibration)
    table = found.serving.table
    plain = table.fits & (table.devices_per_replica == table.pipeline_parallel)
    lone = {}
    for stages in (1, 2, 4):
        row = int(np.flatnonzero(plain & (table.pipeline_parallel == stages))[0])
        service = candidate_service(scenario, context, serving_candidate(found, row), 200)
        lone[stages] = float(np.median(service.run(1e-3, 50).ttft_s))
        assert table.ttft_mean_s[row] == pytest.approx(lone[stages], rel=0.1)
    assert lone[2] > 0.93 * lone[1]
    assert lone[4] > 0.93 * lone[1]


def test_same_seed_gives_the_same_curve_to_the_bit(service_of, chat_8b):
    scenario = on_h100(chat_8b)
    first, again, other = (
        simulated_rates(service_of(scenario, 400, seed=seed), scenario_targets(scenario), [3.0]) for seed in (5, 5, 6)
    )
    assert first.latency("ttft", "p99").tolist() == again.latency("ttft", "p99").tolist()
    assert first.latency("ttft", "p99").tolist() != other.latency("ttft", "p99").tolist()


def test_host_time_of_a_request_is_in_ttft_and_in_littles_law(service_of, chat_8b, calibration):
    service = service_of(on_h100(chat_8b), 300)
    bare = replace(service, admission=Admission(0.0, 0.0))
    seen, inside = service.run(2.0), bare.run(2.0)
    engine = calibration.engine("vllm")
    prompt_tokens = inside.requests.prompt_tokens.mean()
    steps = max(engine.admission_steps - REST_OF_STEP, 0.0)
    late_s = engine.request_host_s + engine.prompt_token_host_s * prompt_tokens + steps * inside.itl.mean_s()
    assert late_s > engine.request_host_s > 0
    np.testing.assert_allclose(seen.ttft_s, inside.ttft_s + late_s)
    np.testing.assert_allclose(seen.e2e_s, inside.e2e_s + late_s)
    assert seen.littles_law_error < 1e-9


def test_long_prompts_of_a_spread_make_a_longer_tail_than_equal_ones(service_of, chat_8b):
    scenario = on_h100(chat_8b)
    wide = msgspec.structs.replace(scenario.serving.classes[0], prompt_tokens=Lognormal(621.0, 1.0))
    spread = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, classes=(wide,)))
    even, wider = (
        simulated_rates(service_of(one), scenario_targets(one), [4.0]).latency("ttft", "p99")[0]
        for one in (scenario, spread)
    )
    assert wider > 1.5 * even


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("chunked_prefill", Batching.CHUNKED),
        ("continuous", Batching.MIXED),
        ("dynamic", Batching.DYNAMIC),
        ("static", Batching.STATIC),
    ],
)
def test_every_batching_policy_of_a_scenario_can_be_simulated(service_of, chat_8b, policy, expected):
    scenario = on_h100(chat_8b, batching=policy)
    service = service_of(scenario, 300)
    assert service.settings.batching is expected
    curve = simulated_rates(service, scenario_targets(scenario), [1.0])
    assert np.isfinite(curve.latency("e2e", "p95")).all()


def test_the_scenarios_router_spreads_the_requests(service_of, chat_8b):
    scenario = on_h100(chat_8b)
    waits = {}
    for router in get_args(Router):
        availability = msgspec.structs.replace(scenario.serving.availability, router=router)
        serving = msgspec.structs.replace(scenario.serving, availability=availability)
        service = service_of(msgspec.structs.replace(scenario, serving=serving), 600, replicas=3)
        assert service.routing.value == router
        waits[router] = float(service.run(0.8 * service.saturation_rate_per_s()).ttft_s.mean())
    assert waits["least_load"] < waits["random"]


def test_speculation_makes_an_idle_replica_quicker(service_of, chat_8b):
    plain, drafted = (
        simulated_rates(service_of(on_h100(chat_8b, speculative_tokens=count), 300), (), [0.5]) for count in (0, 3)
    )
    assert drafted.latency("tpot", "mean")[0] < 0.6 * plain.latency("tpot", "mean")[0]


def test_a_trace_takes_the_place_of_the_classes(service_of, chat_8b):
    trace = read_trace(TRACE)
    scenario = on_h100(chat_8b)
    service = service_of(scenario, 600, trace=trace)
    assert sorted(service.traffic.requests.prompt_tokens) == sorted(trace.prompt_tokens)
    curve = simulated_rates(service, scenario_targets(scenario, trace), [2.0], is_trace=True)
    assert curve.is_trace
    assert np.isfinite(curve.closed_ttft_s).all()
    assert curve.closed_itl_s == pytest.approx(curve.latency("itl", "mean"), rel=0.2)


def test_usual_work_of_equal_prompts_is_their_length(service_of, chat_8b):
    service = service_of(on_h100(chat_8b), 100)
    usual = usual_work(service.traffic.mix(), 8192)
    assert (usual.chunk_tokens, usual.cached_tokens) == (1024.0, 0.0)
    assert usual.context_tokens == pytest.approx(1024 + 128)
    chunked = usual_work(service.traffic.mix(), 512)
    assert chunked.chunk_tokens == 512
    assert chunked.cached_tokens == pytest.approx(256)


def test_a_cancelled_simulation_ends(planned, catalog, calibration):
    scenario, found = planned
    with pytest.raises(CancelledError):
        list(simulated_curves(scenario, catalog, calibration, found, found.serving.best, is_cancelled=lambda: True))


@pytest.mark.parametrize(("prompt", "output"), [(64.0, 64.0), (128.0, 32.0), (512.0, 256.0)])
def test_short_prompts_of_one_step_do_not_queue_for_each_other(chat_8b, catalog, calibration, prompt, output):
    """Closed form and simulation agree on capacity and first tokens where a step holds many prompts."""
    one = RequestClass(
        peak_rate_per_s=20.0, prompt_tokens=Lognormal(prompt, 0.6), output_tokens=Lognormal(output, 0.6), slos=()
    )
    scenario = on_h100(chat_8b)
    scenario = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, classes=(one,)))
    found = plan(scenario, catalog, calibration)
    best = found.serving.best
    closed = load_curve(scenario, catalog, calibration, found, best)
    service = candidate_service(scenario, context_of(catalog, calibration), serving_candidate(found, best), 1500)
    assert closed.max_rate_per_s == pytest.approx(service.saturation_rate_per_s(), rel=0.15)
    rates = [share * closed.max_rate_per_s for share in (0.2, 0.5, 0.8)]
    runs = simulated_rates(service, (), rates, best, closed)
    # Without a plan's curve, as for a trace, the service's own requests are asked.
    own = simulated_rates(service, (), rates)
    assert own.closed_ttft_s == pytest.approx(own.latency("ttft", "mean"), rel=0.12)
    assert own.closed_itl_s == pytest.approx(own.latency("itl", "mean"), rel=0.12)
    assert not own.ttft_differs.any()
    for name, band in (("mean", 0.12), ("p95", 0.3)):
        assert np.interp(rates, closed.rates_per_s, closed.ttft_s[name]) == pytest.approx(
            runs.latency("ttft", name), rel=band
        )


def test_few_rates_have_the_knee_and_the_rate_at_the_targets_of_many(service_of, chat_8b):
    service = service_of(on_h100(chat_8b), 800)
    capacity = service.saturation_rate_per_s()
    targets = (LatencyTarget("ttft", 0.95, 0.1),)
    fine = simulated_rates(service, targets, list(capacity * np.linspace(0.1, 1.1, 31)))
    coarse = simulated_rates(service, targets, list(capacity * np.array([0.1, 0.8, 1.1])))
    assert len(coarse.rates_per_s) == 3
    assert coarse.knee_rate_per_s == pytest.approx(fine.knee_rate_per_s, rel=0.15)
    assert coarse.slo_rate_per_s == pytest.approx(fine.slo_rate_per_s, rel=0.03)
    assert coarse.knee_rate_per_s not in coarse.rates_per_s


def test_a_candidate_that_does_not_fit_is_refused(chat_70b, catalog, calibration):
    scenario = on_h100(chat_70b)
    found = plan(scenario, catalog, calibration)
    misfit = int(np.flatnonzero(~found.serving.table.fits)[0])
    with pytest.raises(ValueError, match="fit"):
        next(simulated_curves(scenario, catalog, calibration, found, misfit))


def test_the_closed_form_tells_classes_apart_as_the_simulation_does(llama_8b, catalog, calibration):
    """Long prompts with long answers beside short ones: each class near to its own simulated latency, not to all's."""
    slos = (Slo(metric="ttft", percentile=50.0, limit_s=9.0), Slo(metric="e2e", percentile=50.0, limit_s=99.0))
    classes = (
        RequestClass(name="long", peak_rate_per_s=6.0, prompt_tokens=6000.0, output_tokens=400.0, slos=slos),
        RequestClass(name="short", peak_rate_per_s=18.0, prompt_tokens=300.0, output_tokens=12.0, slos=slos),
    )
    scenario = Scenario(
        name="s", model=llama_8b, serving=ServingWorkload(classes=classes, weight_precisions=("bf16",)),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_devices_per_replica=1),
    )  # fmt: skip
    found = plan(scenario, catalog, calibration)
    best, table = found.serving.best, found.serving.table
    service = candidate_service(scenario, context_of(catalog, calibration), serving_candidate(found, best), 3000)
    result = service.run(float(table.load_per_replica_per_s[best]))
    simulated = [measured_s(result, target) for target in scenario_targets(scenario)]
    closed = found.serving.target_latency_s
    assert closed[:3] == pytest.approx(simulated[:3], rel=0.15)
    # A few steps, some of them with a long prompt: their mean is far above their median.
    assert closed[3] == pytest.approx(simulated[3], rel=0.6)
    assert simulated[0] > 4 * simulated[2]
    assert simulated[1] > 30 * simulated[3]


def test_requests_are_cut_at_the_models_own_context(chat_8b):
    model = msgspec.structs.replace(chat_8b.model, max_context=4096)
    assert longest_tokens(msgspec.structs.replace(chat_8b, model=model)) == 4096
    model = msgspec.structs.replace(chat_8b.model, max_context=0)
    assert longest_tokens(msgspec.structs.replace(chat_8b, model=model)) > 100_000


def two_classes(model, chats_per_s: float, long_per_s: float, long_tokens: float) -> Scenario:
    slos = (Slo(metric="ttft", percentile=50.0, limit_s=99.0),)
    classes = (
        RequestClass(name="long", peak_rate_per_s=long_per_s, prompt_tokens=long_tokens, slos=slos),
        RequestClass(name="chat", peak_rate_per_s=chats_per_s, prompt_tokens=1500.0, slos=slos),
    )
    return Scenario(
        name="s", model=model, serving=ServingWorkload(classes=classes, weight_precisions=("bf16",)),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_devices_per_replica=1),
    )  # fmt: skip


def test_a_prompt_is_tokenised_by_its_own_length_whatever_comes_beside_it(llama_8b, catalog, calibration):
    found = []
    for chats_per_s in (1e-6, 1e-3):
        scenario = two_classes(llama_8b, chats_per_s, 1e-4, 32_000.0)
        planned = plan(scenario, catalog, calibration)
        context, one = context_of(catalog, calibration), serving_candidate(planned, planned.serving.best)
        result = candidate_service(scenario, context, one, 400).run(1e-3)
        simulated = float(np.median(result.ttft_s[result.requests.class_index == 0]))
        found += [simulated, float(planned.serving.target_latency_s[0])]
    assert found == pytest.approx([found[0]] * 4, rel=0.03)


def test_few_long_prompts_hold_others_up_for_as_long_as_they_are(llama_8b, catalog, calibration):
    scenario = two_classes(llama_8b, 4.0, 0.012, 100_000.0)
    planned = plan(scenario, catalog, calibration)
    one = serving_candidate(planned, planned.serving.best)
    closed = load_curve(scenario, catalog, calibration, planned, planned.serving.best)
    # In few requests chance decides how many are long: the closed form is asked about these very ones.
    service = candidate_service(scenario, context_of(catalog, calibration), one, 20_000)
    run = simulated_rates(service, (), [4.0])
    assert run.closed_ttft_s == pytest.approx(run.latency("ttft", "mean"), rel=0.05)
    # And by their rates, of all requests there may be.
    many = candidate_service(scenario, context_of(catalog, calibration), one, 20_000, seed=2)
    run = simulated_rates(many, (), [4.0], planned.serving.best, closed)
    assert run.closed_ttft_s == pytest.approx(run.latency("ttft", "mean"), rel=0.05)
