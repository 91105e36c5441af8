"""One person with one device: consumer cards and a Mac, as published and as many as one person needs."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import (
    Availability,
    EngineSettings,
    RequestClass,
    RequestKind,
    ServingEngine,
    ServingWorkload,
    Slo,
)
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan

PUBLISHED_TOKENS_PER_S = {"nvidia-rtx-3090": 112.0, "nvidia-rtx-a6000": 102.0, "nvidia-rtx-4090": 128.0}
"""Of Llama 3 8B in four bits by llama.cpp, one stream (XiongjieDai, GPU-Benchmarks-on-LLM-Inference)."""


def asked(model, device: str, slo: Slo, request: RequestKind = "text", engine: ServingEngine = "llama_cpp") -> Scenario:
    one = RequestClass(request=request, peak_rate_per_s=0.01, prompt_tokens=500.0, output_tokens=300.0, slos=(slo,))
    serving = ServingWorkload(
        classes=(one,), traffic=Traffic(arrivals="users", users=1.0, think_time_s=30.0), kv_precisions=("bf16",),
        weight_precisions=("int4",) if engine == "llama_cpp" else ("bf16",),
        engine=EngineSettings(engine=engine, max_sequences=1), availability=Availability(spare_replicas=0, target=0.5),
    )  # fmt: skip
    hardware = HardwareChoice(
        accelerators=(device,), include_end_of_life=True, licensed_for_data_centres=False, max_devices_per_replica=1
    )
    return Scenario(name="at home", model=model, serving=serving, hardware=hardware)


def test_tokens_of_one_stream_come_as_published(catalog, calibration) -> None:
    """A 3090 has more bandwidth than an A6000 with the same chip."""
    slo, model = Slo(metric="tpot", percentile=95.0, limit_s=0.1), catalog.models["llama-3.1-8b"].model
    found = {}
    for device in PUBLISHED_TOKENS_PER_S:
        answer = plan(asked(model, device, slo), catalog, calibration).serving
        found[device] = 1 / float(answer.table.tpot_mean_s[answer.best])
    assert found == pytest.approx(PUBLISHED_TOKENS_PER_S, rel=0.2)
    assert found["nvidia-rtx-4090"] > found["nvidia-rtx-3090"] > found["nvidia-rtx-a6000"]


def test_one_person_with_a_mac_needs_one(catalog, calibration) -> None:
    slo = Slo(metric="tpot", percentile=95.0, limit_s=0.08)
    scenario = asked(catalog.models["qwen3-32b"].model, "apple-m3-ultra", slo)
    answer = simulated_plan(
        scenario, catalog, calibration, plan(scenario, catalog, calibration), seed=1, is_judged=False
    ).serving
    assert answer.table.meets_targets[answer.best]
    assert answer.table.replicas[answer.best] == 1


def test_an_image_takes_seconds_on_a_consumer_card(catalog, calibration) -> None:
    """416 TFLOP at the 112.6 TFLOP/s of an RTX 5080 are 3.7 s; nobody draws at the peak rate."""
    slo = Slo(metric="e2e", percentile=95.0, limit_s=60.0)
    scenario = asked(catalog.models["sdxl-1.0"].model, "nvidia-rtx-5080", slo, "image", "vllm")
    answer = plan(scenario, catalog, calibration).serving
    assert answer.table.replicas[answer.best] == 1
    assert 3.7 < float(answer.table.ttft_p50_s[answer.best]) < 30.0


@pytest.mark.parametrize("limit_s", [0.06, 0.08, 0.12])
def test_one_person_who_waits_for_every_answer_has_one_replica_or_none(catalog, calibration, limit_s) -> None:
    """A second one would stand idle: a person's request finds no other, however slow the machine turns out to be."""
    slo = Slo(metric="tpot", percentile=95.0, limit_s=limit_s)
    scenario = asked(catalog.models["llama-3.1-8b"].model, "apple-m4-max", slo, engine="mlx")
    traffic = Traffic(arrivals="users", users=1.0)
    scenario = msgspec.structs.replace(
        scenario, serving=msgspec.structs.replace(scenario.serving, traffic=traffic),
        economics=Economics(serving_procurement="own"),
    )  # fmt: skip
    table = plan(scenario, catalog, calibration).serving.table
    meets = table.reason == Reason.NONE
    assert set(table.replicas[meets]) <= {1.0}
    assert meets.any() or set(table.reason[table.fits]) == {Reason.BELOW_CONFIDENCE}


@pytest.mark.parametrize("arrivals", ["poisson", "users"])
def test_places_that_nobody_takes_slow_nobody_down(catalog, calibration, arrivals) -> None:
    """One request at a time finds the same machine, whether it may hold 256 of them or one."""
    slo = Slo(metric="tpot", percentile=95.0, limit_s=0.06)
    scenario = asked(catalog.models["llama-3.1-8b"].model, "apple-m4-max", slo, engine="mlx")
    traffic = Traffic(arrivals=arrivals, users=1.0, think_time_s=30.0, burstiness_cv=1.0)
    found = []
    for most in (256, 16, 1):
        engine = msgspec.structs.replace(scenario.serving.engine, max_sequences=most)
        serving = msgspec.structs.replace(scenario.serving, traffic=traffic, engine=engine)
        answer = plan(msgspec.structs.replace(scenario, serving=serving), catalog, calibration).serving
        assert answer.table.meets_targets[answer.best]
        found.append(float(answer.table.tpot_p95_s[answer.best]))
    assert found == pytest.approx([found[-1]] * 3, rel=0.1)
