"""Requests that are no tokens: what models answer, what a sample takes, and what is refused."""

from __future__ import annotations

from typing import get_args

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Reason, ServingPlan
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import (
    Availability,
    EngineSettings,
    RequestClass,
    RequestKind,
    ServingEngine,
    ServingWorkload,
    Slo,
)
from gpuplanner_gui.engine import load_curve, plan
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.samples import class_flop
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service, simulated_rates
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

CATALOG, CALIBRATION = load_shipped_catalog(), load_calibration()


def scenario_of(model: str, request: RequestClass, batch: int = 1, device: str = "nvidia-rtx-5080") -> Scenario:
    serving = ServingWorkload(
        classes=(request,),
        availability=Availability(spare_replicas=0, target_utilisation=1.0),
        engine=EngineSettings(engine="generic", max_sequences=batch),
        weight_precisions=("fp16", "bf16"),
    )
    hardware = HardwareChoice(
        accelerators=(device,), include_end_of_life=True, max_devices_per_replica=1, licensed_for_data_centres=False
    )
    return Scenario(name="s", model=CATALOG.models[model].model, serving=serving, hardware=hardware)


def asked(model: str, request: RequestClass, batch: int = 1, device: str = "nvidia-rtx-5080") -> ServingPlan:
    found = plan(scenario_of(model, request, batch, device), CATALOG, CALIBRATION).serving
    assert found is not None
    return found


def image(rate_per_s: float = 0.001, steps: int = 0, limit_s: float = 600.0) -> RequestClass:
    slos = (Slo(metric="e2e", percentile=95.0, limit_s=limit_s),)
    return RequestClass(peak_rate_per_s=rate_per_s, request="image", denoising_steps=steps, slos=slos)


@pytest.mark.parametrize("model", ["e5-mistral-7b", "embeddinggemma-300m"])
def test_a_decoder_without_a_head_embeds_in_one_pass(model: str) -> None:
    """Twelve hundred tokens of a chat are as long a document, whatever answer is stated; nothing is decoded."""
    slos = (Slo(metric="ttft", percentile=95.0, limit_s=2.0),)

    def planned(request: RequestKind, answer: float) -> ServingPlan:
        one = RequestClass(peak_rate_per_s=1.0, prompt_tokens=1200.0, output_tokens=answer, request=request, slos=slos)
        return asked(model, one, batch=16, device="nvidia-l40s")

    text, long, document = planned("text", 1.0), planned("text", 500.0), planned("document", 1.0)
    assert np.isnan(text.table.tpot_p95_s[text.best])
    assert text.table.e2e_p95_s[text.best] == long.table.e2e_p95_s[long.best] == document.table.e2e_p95_s[document.best]


def test_settings_of_decoding_do_not_move_documents() -> None:
    """Drafts, targets on tokens and places beyond the tokens of a step: 8,192 hold seven documents of 1,100."""
    slo = Slo(metric="e2e", percentile=95.0, limit_s=1.0)
    request = RequestClass(peak_rate_per_s=60.0, prompt_tokens=1100.0, request="document", slos=(slo,))

    def planned(scenario: Scenario, engine: EngineSettings, *slos: Slo) -> tuple[float, ...]:
        classes = tuple(msgspec.structs.replace(one, slos=slos) for one in scenario.service.classes)
        serving = msgspec.structs.replace(scenario.service, engine=engine, classes=classes)
        found = plan(msgspec.structs.replace(scenario, serving=serving), CATALOG, CALIBRATION).serving
        assert found is not None
        columns = ("replicas", "e2e_p95_s", "slo_rate_per_s", "kv_pool_bytes", "draft_tokens")
        return tuple(float(getattr(found.table, name)[found.best]) for name in columns)

    scenario = scenario_of("bge-m3", request, device="nvidia-l4")
    usual = planned(scenario, EngineSettings(max_sequences=7), slo)
    tokens = (Slo(metric="tpot", percentile=95.0, limit_s=1e-4), Slo(metric="itl", percentile=95.0, limit_s=1e-4))
    assert planned(scenario, EngineSettings(max_sequences=4096, speculative_tokens=4), slo, *tokens) == usual
    assert planned(scenario, EngineSettings(max_sequences=2), slo) != usual


def test_a_causal_document_sees_half_of_itself_and_writes_no_token() -> None:
    """E5-Mistral: 6.98e9 matrix parameters, 32 layers of 4,096; a token sees 1,024 of 2,047."""
    model = CATALOG.models["e5-mistral-7b"].model
    document = RequestClass(peak_rate_per_s=1.0, prompt_tokens=2047.0, request="document")
    matrices = 32 * (4096 * 128 * (32 + 2 * 8 + 32) + 3 * 4096 * 14336)
    assert class_flop(document, model) == pytest.approx(2047 * (2.0 * matrices + 32 * 4.0 * 4096 * 1024), rel=1e-3)
    writing = msgspec.structs.replace(model, has_head=True)
    assert class_flop(document, writing) == class_flop(document, model)


def test_an_image_is_not_drawn_faster_than_the_peak_rate_allows() -> None:
    """SDXL is 416 TFLOP an image; an RTX 5080 has 112.6 TFLOP/s in 16 bits: at least 3.7 s, and no minute."""
    found = asked("sdxl-1.0", image())
    assert 3.7 < found.table.e2e_mean_s[found.best] < 60.0


@pytest.mark.parametrize("engine", ["vllm", "sglang"])
def test_an_engine_that_was_not_timed_with_images_draws_as_pytorch_does(engine) -> None:
    """vLLM drew FLUX at half PyTorch's pace, by two runs of Whisper in FP32."""
    drawn = scenario_of("flux.1-dev", image(), device="nvidia-l40s")
    there = msgspec.structs.replace(drawn.serving, engine=EngineSettings(engine=engine, max_sequences=1))
    found = plan(msgspec.structs.replace(drawn, serving=there), CATALOG, CALIBRATION).serving
    usual = plan(drawn, CATALOG, CALIBRATION).serving
    assert found.table.e2e_mean_s[found.best] == pytest.approx(usual.table.e2e_mean_s[usual.best], rel=0.02)


def test_every_engine_has_measured_software_for_samples() -> None:
    """What was measured of an engine with a kind of model stays: vLLM with speech."""
    stacks = CALIBRATION.stacks
    found = {one: stacks.sample_software(one, "diffusion") for one in get_args(ServingEngine)}
    assert found.pop("trtllm") == "tensorrt"
    assert set(found.values()) == {"pytorch"}
    assert stacks.sample_software("vllm", "encoder_decoder") == "vllm"


def test_images_take_as_many_replicas_as_their_time_asks_for() -> None:
    alone = asked("sdxl-1.0", image())
    seconds = alone.table.e2e_mean_s[alone.best]
    found = asked("sdxl-1.0", image(rate_per_s=2.0))
    assert found.table.replicas[found.best] >= 2.0 * seconds * 0.95


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_images_drawn_one_at_a_time_queue_as_for_one_server(share: float) -> None:
    """Pollaczek and Khinchine: of a fixed time s at a load r the mean wait is s · r / (2 (1 - r))."""
    scenario = scenario_of("sdxl-1.0", image())
    planned = plan(scenario, CATALOG, CALIBRATION)
    curve = load_curve(scenario, CATALOG, CALIBRATION, planned, planned.serving.best)
    alone = 1.0 / curve.max_rate_per_s
    found = np.interp(share * curve.max_rate_per_s, curve.rates_per_s, curve.e2e_s["mean"])
    assert found == pytest.approx(alone * (1.0 + share / (2.0 * (1.0 - share))), rel=0.05)


def test_images_drawn_together_take_as_long_as_in_the_simulation() -> None:
    scenario = scenario_of("sdxl-1.0", image(), batch=4)
    planned = plan(scenario, CATALOG, CALIBRATION)
    best = planned.serving.best
    curve = load_curve(scenario, CATALOG, CALIBRATION, planned, best)
    one = candidate_service(scenario, context_of(CATALOG, CALIBRATION), serving_candidate(planned, best), 6000)
    rates = [share * curve.max_rate_per_s for share in (0.3, 0.6, 0.8)]
    simulated = simulated_rates(one, (), rates, best, curve).latency("e2e", "mean")
    assert np.interp(rates, curve.rates_per_s, curve.e2e_s["mean"]) == pytest.approx(simulated, rel=0.12)


def test_a_document_of_many_times_the_mean_work_is_simulated_whole():
    """Of 100 documents, 99 have 8 tokens and one has 512, which takes 64 · 512 / 13 of the 64 slices of the mean."""
    few, many = (RequestClass(peak_rate_per_s=rate, request="document", prompt_tokens=tokens) for rate, tokens in
                 ((0.099, 8.0), (0.001, 512.0)))  # fmt: skip
    scenario = scenario_of("bge-large-en-v1.5", few)
    serving = msgspec.structs.replace(scenario.service, classes=(few, many))
    scenario = msgspec.structs.replace(scenario, serving=serving)
    planned = plan(scenario, CATALOG, CALIBRATION)
    service = candidate_service(
        scenario, context_of(CATALOG, CALIBRATION), serving_candidate(planned, planned.serving.best), 2000
    )
    assert service.traffic.requests.output_tokens.max() > 2000


@pytest.mark.filterwarnings("error")
def test_a_model_without_layers_answers_no_text() -> None:
    scenario = Scenario(
        name="s", model=Model(name="nothing"), serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=1.0),))
    )
    found = plan(scenario, CATALOG, CALIBRATION).serving
    assert found is not None
    assert (found.table.reason == Reason.REQUEST_NOT_FOR_MODEL).all()


def test_time_of_an_image_follows_its_denoising_steps() -> None:
    """Half of the 30 steps leave half of the passes and all of the decoding."""
    whole, half = (asked("sdxl-1.0", image(steps=steps)) for steps in (30, 15))
    ratio = half.table.e2e_mean_s[half.best] / whole.table.e2e_mean_s[whole.best]
    model = CATALOG.models["sdxl-1.0"].model
    expected = 1 - 30 * model.training_flop_per_sample / model.flop_per_sample
    assert ratio == pytest.approx(expected, rel=0.05)


def drawn(model: str, kind: str = "image", **asked_for: int) -> float:
    request = msgspec.convert({"peak_rate_per_s": 1.0, "request": kind, **asked_for}, RequestClass)
    return class_flop(request, CATALOG.models[model].model)


def test_a_larger_image_works_as_its_pixels_and_its_attention() -> None:
    """FLUX draws 2,048 × 2,048 from 16,384 tokens instead of 4,096: 28 passes, a fifth of each attention."""
    model = CATALOG.models["flux.1-dev"].model
    passes = 28 * model.training_flop_per_sample
    once, share = model.flop_per_sample - passes, model.attention_flop_share
    expected = 4 * once + passes * ((1 - share) * 4 + share * 16)
    assert drawn("flux.1-dev", image_width=2048, image_height=2048) == pytest.approx(expected)
    assert drawn("flux.1-dev", image_width=1024, image_height=1024) == pytest.approx(model.flop_per_sample)
    assert drawn("flux.1-dev", image_width=2048) == drawn("flux.1-dev", image_width=2048, image_height=2048)


def test_a_video_is_counted_by_frames_and_size() -> None:
    """Wan 2.1 14B by hand: 40 blocks of width 5,120 on 75,600 tokens (81 frames of 1,280 × 720), 100 passes."""
    tokens, width = 75_600, 5_120
    each = 8 * width * width + 4 * width * 13_824  # Self-attention's four products and the feed-forward part's two.
    cross = 4 * width * width  # The queries' and the output's.
    by_hand = 100 * 40 * (tokens * (each + cross) + 4 * width * tokens**2 + 4 * width * tokens * 512)
    found = drawn("wan2.1-14b", "video", image_width=1280, image_height=720, video_frames=81)
    assert found == pytest.approx(by_hand, rel=0.01)
    short = drawn("wan2.1-14b", "video", video_frames=41)
    assert 0.3 < short / drawn("wan2.1-14b", "video") < 11 / 21


def test_a_size_asked_of_a_model_whose_own_is_not_known_is_refused() -> None:
    model = msgspec.structs.replace(CATALOG.models["sdxl-1.0"].model, sample_pixels=0)
    assert class_flop(RequestClass(peak_rate_per_s=1.0, request="image", image_width=512), model) == 0.0


def test_a_video_takes_minutes_on_one_device() -> None:
    """168 PFLOP at the 989 TFLOP/s of an H100 are 170 s at the least."""
    slos = (Slo(metric="e2e", percentile=95.0, limit_s=7200.0),)
    request = RequestClass(peak_rate_per_s=1e-5, request="video", slos=slos)
    found = asked("wan2.1-14b", request, device="nvidia-h100-sxm-80gb")
    assert 170 < found.table.e2e_mean_s[found.best] < 1200


@pytest.mark.parametrize(
    ("model", "request_kind"),
    [
        ("sdxl-1.0", "text"), ("hunyuanvideo-13b", "video"), ("wan2.1-14b", "image"), ("sdxl-1.0", "video"),
        ("llama-3.1-8b", "image"),
        ("vit-l-16", "text"), ("whisper-large-v3", "text"), ("bge-base-en-v1.5", "audio"), ("resnet-50", "document"),
    ],
)  # fmt: skip
def test_a_request_that_the_model_does_not_answer_gets_no_number(model: str, request_kind: str) -> None:
    request = msgspec.convert({"peak_rate_per_s": 1.0, "request": request_kind}, RequestClass)
    found = asked(model, request)
    assert (found.table.reason == Reason.REQUEST_NOT_FOR_MODEL).all()
    assert np.isnan(found.table.e2e_mean_s).all()


def test_longer_audio_takes_longer() -> None:
    slos = (Slo(metric="e2e", percentile=95.0, limit_s=600.0),)
    short, long = (
        asked("whisper-large-v3", RequestClass(peak_rate_per_s=0.001, request="audio", audio_s=s, slos=slos), 8)
        for s in (30.0, 90.0)
    )
    first = [float(one.table.ttft_mean_s[one.best]) for one in (short, long)]
    assert 1.5 < first[1] / first[0] < 4.0


def test_longer_documents_cost_more_and_text_to_an_encoder_is_a_document() -> None:
    def cost(tokens: float, kind: str) -> float:
        data = {"peak_rate_per_s": 100.0, "request": kind, "prompt_tokens": tokens, "slos": []}
        found = asked("bge-base-en-v1.5", msgspec.convert(data, RequestClass), 64)
        return float(found.table.max_rate_per_s[found.best])

    assert cost(128.0, "document") > 2 * cost(512.0, "document")
    assert cost(512.0, "text") == cost(512.0, "document")
