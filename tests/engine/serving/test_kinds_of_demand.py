"""Batches with a deadline, images and audio in prompts, hits of sessions, and overheads that the planner states."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.economics import Economics, UncertaintyTerms
from gpuplanner_gui.domain.model import Attention, AudioTower, DenseFfn, LayerGroup, VisionTower
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import Availability, EngineSettings, RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.fleet.service_need import service_week
from gpuplanner_gui.engine.serving.prompt_media import encoder_work, image_tokens
from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan

H100 = "nvidia-h100-sxm-80gb"
CLASS = "serving.classes[0]"
BLOCK = LayerGroup(
    count=2, mixer=Attention(heads=4, kv_heads=4, head_dim=16, causal=False, cached=False),
    ffn=DenseFfn(size=256, gated=False), norms=0,
)  # fmt: skip
EYES = VisionTower(hidden_size=64, layers=(BLOCK,), other_parameters=1000, token_pixels=32, patches_per_token=4)
EARS = AudioTower(hidden_size=64, layers=(BLOCK,), tokens_per_s=12.5)


@pytest.fixture
def scenario(llama_8b) -> Scenario:
    one = RequestClass(peak_rate_per_s=10.0, prompt_tokens=1000.0, output_tokens=200.0)
    serving = ServingWorkload(
        classes=(one,), weight_precisions=("bf16",), kv_precisions=("bf16",), traffic=Traffic(burstiness_cv=1.0),
        availability=Availability(target=0.5, spare_replicas=0, target_utilisation=1.0),
        engine=EngineSettings(engine="vllm"),
    )  # fmt: skip
    return Scenario(
        name="s", model=llama_8b, serving=serving,
        hardware=HardwareChoice(accelerators=(H100,), max_devices_per_replica=1),
        economics=Economics(uncertainty=UncertaintyTerms(confidence="expected")),
    )  # fmt: skip


@pytest.fixture
def planned(scenario, catalog, calibration):
    def of(changes=(), model=None):
        changed = scenario if model is None else msgspec.structs.replace(scenario, model=model)
        for path, value in dict(changes).items():
            changed = replaced(changed, path, value)
        return changed, plan(changed, catalog, calibration)

    return of


def row_of(answer, name):
    return float(getattr(answer.serving.table, name)[answer.serving.best])


def test_who_is_served_first_waits_less_and_takes_a_smaller_fleet(planned) -> None:
    """Chats beside long prompts on a replica that is nearly full; equal priorities are none, whatever their number."""

    def with_priorities(chat: int, long: int, limit_s: float = 60.0) -> tuple[float, tuple[float, ...]]:
        wanted = (Slo(metric="ttft", percentile=95.0, limit_s=limit_s),)
        one = RequestClass(
            name="chat", peak_rate_per_s=4.0, prompt_tokens=1000.0, output_tokens=50.0, priority=chat, slos=wanted
        )
        slow = (Slo(metric="ttft", percentile=95.0, limit_s=60.0),)
        other = msgspec.structs.replace(
            one, name="long", peak_rate_per_s=2.0, prompt_tokens=6000.0, priority=long, slos=slow
        )
        _, found = planned({"serving.classes": (one, other)})
        return row_of(found, "slo_rate_per_s"), found.serving.target_latency_s

    (_, none), (_, first), (_, last) = with_priorities(0, 0), with_priorities(0, 5), with_priorities(5, 0)
    assert first[0] < none[0] < last[0]
    assert last[1] < none[1] < first[1]
    assert with_priorities(3, 3)[1] == none
    limit_s = none[0]
    assert with_priorities(0, 1, limit_s)[0] > with_priorities(0, 0, limit_s)[0] > with_priorities(1, 0, limit_s)[0]


BATCH = {"serving.traffic.arrivals": "batch", "serving.traffic.batch_time_s": 3600.0}


def test_a_batch_takes_the_replicas_that_answer_it_in_time(planned):
    _, small = planned(BATCH | {"serving.traffic.batch_requests": 1000.0})
    full_per_s = row_of(small, "max_rate_per_s")
    assert row_of(small, "replicas") == 1
    _, large = planned(BATCH | {"serving.traffic.batch_requests": 3.5 * 3600.0 * full_per_s})
    assert row_of(large, "replicas") == 4
    assert row_of(large, "headroom") == pytest.approx(4 / 3.5 - 1, rel=1e-6)
    # The replicas are full: more sequences run together than under requests that come at the same rate at random.
    _, spread = planned({f"{CLASS}.peak_rate_per_s": 0.25 * full_per_s})
    assert row_of(large, "batch") > 2 * row_of(spread, "batch")


def test_a_batch_has_its_deadline_alone_and_its_hours(planned, catalog, calibration):
    changes = BATCH | {"serving.traffic.batch_requests": 60_000.0, f"{CLASS}.slos[0].limit_s": 1e-6}
    scenario, quick = planned(changes)
    assert scenario.serving.targets == ()
    assert row_of(quick, "meets_targets")
    final = simulated_plan(scenario, catalog, calibration, quick, seed=1)
    assert final.serving.simulated.replicas == row_of(final, "replicas")
    assert final.stress.tests == ()
    assert final.verdicts.serving.chance > 0.5
    day = service_week(scenario.serving.traffic)[0]
    assert day.tolist() == [1.0] + [0.0] * 23
    assert scenario.serving.traffic.mean_share_of_peak == pytest.approx(1 / 24)


def test_an_image_costs_its_tokens_and_its_encoder(planned, llama_8b):
    sees = msgspec.structs.replace(llama_8b, vision=EYES)
    picture = {f"{CLASS}.prompt_images": 2.0, f"{CLASS}.image_width": 640, f"{CLASS}.image_height": 320}
    scenario, answer = planned(picture, sees)
    assert image_tokens(scenario.serving.classes[0], EYES) == 20 * 10
    assert answer.serving.mean_prompt_tokens == pytest.approx(1400.0)
    # 800 patches: 2 layers of 4·64² + 2·64·256 weights, scores and values of 4 heads; the projector for 200 tokens.
    each = 800 * (2 * 2 * (4 * 64**2 + 2 * 64 * 256) + 2 * 4 * 4 * 16 * 800) + 2 * 1000 * 200
    assert encoder_work(scenario.serving, sees).flop == pytest.approx(2 * each)
    _, longer = planned({f"{CLASS}.prompt_tokens": 1400.0}, sees)
    assert row_of(answer, "prefill_s") > row_of(longer, "prefill_s")


def test_audio_in_a_prompt_costs_its_tokens(planned, llama_8b):
    hears = msgspec.structs.replace(llama_8b, audio=EARS)
    _, answer = planned({f"{CLASS}.prompt_audio_s": 40.0}, hears)
    assert answer.serving.mean_prompt_tokens == pytest.approx(1500.0)


@pytest.mark.parametrize("field", ["prompt_images", "prompt_audio_s"])
def test_a_model_without_the_tower_refuses(planned, field):
    _, answer = planned({f"{CLASS}.{field}": 1.0})
    assert set(answer.serving.table.reason.tolist()) == {Reason.REQUEST_NOT_FOR_MODEL}


def test_hits_of_sessions_are_lost_under_another_router(planned):
    hits = {f"{CLASS}.prefix_cache_share": 0.8, f"{CLASS}.session_share": 0.5}
    kept, common, lost = (
        row_of(planned(one)[1], "slo_rate_per_s")
        for one in (
            hits | {"serving.availability.router": "prefix_affinity"},
            {f"{CLASS}.prefix_cache_share": 0.4},
            hits,
        )
    )
    assert lost == pytest.approx(common)
    assert kept > lost


def test_sessions_wait_for_the_replica_that_holds_them(planned, catalog, calibration):
    """Of many sessions each request meets another, on any replica: as behind a router that knows nobody's load."""
    few = {
        f"{CLASS}.prefix_cache_share": 0.8, "serving.engine.max_sequences": 4, "serving.availability.target": 0.5,
        f"{CLASS}.slos": (Slo(metric="ttft", percentile=95.0, limit_s=0.5),),
    }  # fmt: skip

    def replicas(session_share, router):
        asked = {f"{CLASS}.session_share": session_share, "serving.availability.router": router}
        scenario, quick = planned(few | asked)
        final = simulated_plan(scenario, catalog, calibration, quick, is_judged=False).serving
        return final.simulated.quick_replicas, final.simulated.replicas

    known, sessions = replicas(0.0, "prefix_affinity"), replicas(1.0, "prefix_affinity")
    assert known == replicas(0.0, "least_load")
    assert sessions == replicas(0.0, "random")
    assert sessions > known


def test_stated_overheads_take_the_place_of_the_usual_ones(planned):
    _, usual = planned()
    stated = {"serving.engine.runtime_bytes": 7e9, "serving.engine.activation_bytes": 3e9}
    _, changed = planned(stated | {"serving.engine.request_host_s": 0.5, "serving.engine.step_host_s": 0.0})
    assert (row_of(changed, "runtime_bytes"), row_of(changed, "activation_bytes")) == (7e9, 3e9)
    reserves = row_of(usual, "runtime_bytes") + row_of(usual, "activation_bytes")
    assert row_of(usual, "kv_pool_bytes") - row_of(changed, "kv_pool_bytes") == pytest.approx(10e9 - reserves)
    assert row_of(changed, "ttft_p50_s") > 0.5 > row_of(usual, "ttft_p50_s")
    assert row_of(changed, "decode_host_s") < row_of(usual, "decode_host_s")


def test_memory_headroom_leaves_the_engine_less(planned):
    _, usual = planned()
    _, kept = planned({"hardware.min_memory_headroom": 0.4})
    capacity = row_of(usual, "memory_capacity_bytes")
    assert row_of(usual, "kv_pool_bytes") - row_of(kept, "kv_pool_bytes") == pytest.approx(0.3 * capacity)


def test_whole_batches_carry_less_than_continuous_ones(planned):
    """Answers that vary hold their places until the longest of the batch, and requests wait for it."""
    varied = {
        f"{CLASS}.output_tokens": Lognormal(150.0, 0.9), f"{CLASS}.slos[0].limit_s": 60.0,
        f"{CLASS}.slos[1].limit_s": 1.0, "serving.engine.max_sequences": 8,
    }  # fmt: skip
    continuous, whole = (
        row_of(planned(varied | {"serving.engine.batching": kind})[1], "slo_rate_per_s")
        for kind in ("continuous", "static")
    )
    assert 0 < whole < 0.7 * continuous
