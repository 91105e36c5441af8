"""The roofline of a candidate: points by operation and phase, parts of their time, ceilings, crossover batch."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import numpy as np
import pytest

from gpuplanner_gui import api
from gpuplanner_gui.domain.curves import RooflinePoint
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine import plan, roofline, rooflines
from gpuplanner_gui.engine.explaining.roofline_points import (
    TOTAL,
    crossover,
    decode_ceiling_of,
    decode_ceiling_tokens_per_s,
)
from gpuplanner_gui.files.project import load_project

EXAMPLES = Path(__file__).parents[2] / "resources/examples"
H100 = "nvidia-h100-sxm-80gb"


def planned_row(scenario, catalog, calibration, accelerator=H100, precision="bf16", prompt=1024.0, rate=20.0):
    found = planned(scenario, catalog, calibration, accelerator, precision, prompt, rate)[1]
    (row,) = np.flatnonzero(found.serving.table.fits)
    return int(row), found.serving.table


def asked(scenario, catalog, calibration, accelerator=H100, precision="bf16", prompt=1024.0, rate=20.0):
    scenario, found = planned(scenario, catalog, calibration, accelerator, precision, prompt, rate)
    (row,) = np.flatnonzero(found.serving.table.fits)
    return roofline(scenario, catalog, calibration, found, "serving", int(row))


def planned(scenario, catalog, calibration, accelerator, precision, prompt, rate):
    one = RequestClass(peak_rate_per_s=rate, prompt_tokens=prompt)
    serving = msgspec.structs.replace(
        scenario.serving, classes=(one,), weight_precisions=(precision,), kv_precisions=("bf16",)
    )
    hardware = HardwareChoice(accelerators=(accelerator,), max_devices_per_replica=1, licensed_for_data_centres=False)
    scenario = msgspec.structs.replace(scenario, serving=serving, hardware=hardware)
    return scenario, plan(scenario, catalog, calibration)


@pytest.fixture(scope="module")
def scenario_8b(llama_8b):
    return Scenario(name="8B", model=llama_8b, serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=1),)))


@pytest.fixture(scope="module")
def roof(catalog, calibration, scenario_8b):
    return asked(scenario_8b, catalog, calibration)


def points(roof, phase):
    return {one.code: one for one in roof.points if one.phase == phase}


@pytest.mark.parametrize("phase", ["prefill", "decode"])
def test_every_operation_is_a_point_and_its_parts_add_up(roof, phase):
    found = points(roof, phase)
    assert {"qkv", "attention", "output", "ffn_up", "ffn_down", "head", TOTAL} <= set(found)
    for one in found.values():
        parts = one.compute_s + one.bandwidth_s + one.interconnect_s + one.host_s
        assert parts == pytest.approx(one.time_s, rel=1e-9)
    assert sum(one.share for one in found.values() if one.code != TOTAL) == pytest.approx(1.0)


def test_prefill_is_bound_by_compute_and_decode_by_bandwidth(roof):
    """S2: which resource, and how much of the time."""
    prefill, decode = points(roof, "prefill")[TOTAL], points(roof, "decode")[TOTAL]
    assert prefill.resource == Resource.COMPUTE
    assert prefill.compute_s > 0.6 * prefill.time_s
    assert decode.resource == Resource.MEMORY_BANDWIDTH
    assert decode.bandwidth_s > 0.6 * decode.time_s


def test_padding_of_few_tokens_is_no_compute_limit(catalog, calibration, llama_8b):
    """Three tokens a step, 6 FLOP per byte: "compute" stood beside a decode that everybody knows waits for memory."""
    one = RequestClass(peak_rate_per_s=1.0, prompt_tokens=1024.0)
    scenario = Scenario(name="8B", model=llama_8b, serving=ServingWorkload(classes=(one,)))
    roof = asked(scenario, catalog, calibration, accelerator="amd-mi300x", precision="fp8", rate=4.0)
    down = points(roof, "decode")["ffn_down"]
    assert down.compute_s > max(down.bandwidth_s, down.host_s)
    assert down.intensity_flop_per_byte < 10
    assert down.resource == Resource.PARTLY_FILLED_TILES
    assert points(roof, "prefill")["ffn_up"].resource == Resource.COMPUTE


def test_the_table_names_the_limit_that_the_roofline_names(catalog, calibration, llama_8b):
    serving = ServingWorkload(classes=(RequestClass(peak_rate_per_s=0.5),), weight_precisions=("bf16", "int4"))
    hardware = HardwareChoice(accelerators=("nvidia-v100-sxm2-16gb",), max_devices_per_replica=4)
    scenario = Scenario(name="8B", model=llama_8b, serving=serving, hardware=hardware)
    found = plan(scenario, catalog, calibration)
    rows = np.flatnonzero(found.serving.table.fits)
    whole = [points(one, "decode")[TOTAL].resource for one in rooflines(
        scenario, catalog, calibration, found, "serving", [int(row) for row in rows]
    )]  # fmt: skip
    assert whole == found.serving.table.limit[rows].tolist()
    assert Resource.PARTLY_FILLED_TILES in whole


def test_intensity_of_a_product_by_hand(roof):
    """Gate and up of 8B, 1024 tokens: 2·1024·4096·28672 FLOPs over 2·(4096·28672 + 1024·(4096 + 28672)) bytes."""
    flop, moved = 2 * 1024 * 4096 * 28672, 2 * (4096 * 28672 + 1024 * (4096 + 28672))
    assert points(roof, "prefill")["ffn_up"].intensity_flop_per_byte == pytest.approx(flop / moved)


def test_no_product_is_above_the_datasheets_ceilings(roof):
    peak, bandwidth = roof.peak_flop_per_s["bf16"], roof.bandwidth_bytes_per_s
    for one in roof.points:
        if one.code in ("qkv", "output", "ffn_up", "ffn_down", TOTAL):
            assert one.achieved_flop_per_s <= min(peak, one.intensity_flop_per_byte * bandwidth) * 1.001


def test_measured_ceilings_stand_below_the_datasheets(roof):
    assert roof.measured_on == H100
    for name in ("bf16", "fp8", "int8"):
        assert 0.5 < roof.measured_flop_per_s[name] / roof.peak_flop_per_s[name] < 1.0
    assert 0.8 < roof.measured_bandwidth_bytes_per_s / roof.bandwidth_bytes_per_s < 1.0


def test_unmeasured_devices_name_whose_ceilings_they_show(chat_8b, catalog, calibration):
    found = asked(chat_8b, catalog, calibration, accelerator="amd-mi300x")
    assert found.measured_on not in ("", "amd-mi300x")


def test_emulated_formats_compute_in_sixteen_bits(chat_8b, catalog, calibration):
    native = asked(chat_8b, catalog, calibration, precision="fp8")
    emulated = asked(chat_8b, catalog, calibration, accelerator="nvidia-a100-sxm-80gb", precision="fp8")
    assert points(native, "decode")["ffn_up"].precision == "fp8"
    assert points(emulated, "decode")["ffn_up"].precision == "bf16"


def test_prefill_and_the_encoder_before_it_are_the_prefill_of_the_plan(catalog, calibration, roof):
    """Of audio the encoder takes most of what a request waits for its first token."""
    heard = RequestClass(peak_rate_per_s=1.0, request="audio", audio_s=30.0)
    serving = ServingWorkload(classes=(heard,), weight_precisions=("bf16",))
    scenario = Scenario(name="speech", model=catalog.models["whisper-large-v3"].model, serving=serving)
    found = plan(scenario, catalog, calibration)
    best = found.serving.best
    speech = roofline(scenario, catalog, calibration, found, "serving", best)
    prefill = points(speech, "prefill")[TOTAL].time_s
    assert speech.encoder_s > prefill
    assert speech.encoder_s + prefill == pytest.approx(found.serving.table.prefill_s[best], rel=0.1)
    assert roof.encoder_s == 0
    crossed = next(one for one in speech.points if (one.phase, one.code) == ("decode", "cross_attention"))
    batch = found.serving.table.batch[best]
    # 32 layers of 20 heads of 64, over 1 500 positions: the tokens written so far had stood for them.
    assert crossed.achieved_flop_per_s * crossed.time_s == pytest.approx(4 * batch * 1500 * 20 * 64 * 32, rel=0.01)
    reached = batch / next(one.time_s for one in speech.points if (one.phase, one.code) == ("decode", "total"))
    assert reached < speech.decode_ceiling_tokens_per_s < 2 * reached


def test_experts_of_all_layers_are_one_point(catalog, calibration):
    serving = ServingWorkload(classes=(RequestClass(peak_rate_per_s=1.0),), weight_precisions=("fp8",))
    scenario = Scenario(name="moe", model=catalog.models["deepseek-v3"].model, serving=serving)
    found = plan(scenario, catalog, calibration)
    roof = roofline(scenario, catalog, calibration, found, "serving", found.serving.best)
    codes = [one.code for one in roof.points if one.phase == "decode"]
    assert len(codes) == len(set(codes))
    assert {"router", "experts", "attention", "head"} <= set(codes)


def test_decode_turns_to_compute_at_the_crossover(roof):
    """S54: with a context of 1152 tokens the cache keeps 8B bound by memory; without a context it crosses."""
    shares = roof.batches
    assert shares.batch[0] == 1
    at = np.interp(shares.planned_batch, shares.batch, shares.bandwidth_s)
    assert at > np.interp(shares.planned_batch, shares.batch, shares.compute_s)
    for name in ("compute_s", "bandwidth_s", "interconnect_s", "host_s"):
        assert np.all(np.diff(getattr(shares, name)) >= -1e-12)


def test_decode_stays_below_what_bandwidth_allows(roof, llama_8b):
    """S3: a step reads every weight but the input embedding once, and the cache; activations add little to that."""
    shares, whole = roof.batches, points(roof, "decode")[TOTAL]
    embedding = llama_8b.vocab_size * llama_8b.hidden_size
    weights = 2 * (8_030_261_248 - embedding)
    moved = weights + shares.planned_batch * roof.context_tokens * 131_072
    expected = shares.planned_batch * 3.35e12 / moved
    assert roof.decode_ceiling_tokens_per_s == pytest.approx(expected, rel=0.02)
    assert 0.5 * expected < shares.planned_batch / whole.time_s < expected


@pytest.mark.parametrize(("bandwidth", "expected"), [(3.35e12, 208.585991), (4.8e12, 298.869470)])
def test_decode_ceiling_of_the_worked_case(bandwidth, expected):
    """E4: 8B in 16 bits, one sequence without a context, on H100 and H200."""
    assert decode_ceiling_tokens_per_s(1.0, 16_060_522_496, bandwidth) == pytest.approx(expected, rel=1e-7)
    whole = RooflinePoint(
        code=TOTAL, phase="decode", intensity_flop_per_byte=1.0, achieved_flop_per_s=16_060_522_496 / 0.01,
        time_s=0.01, resource=int(Resource.MEMORY_BANDWIDTH),
    )  # fmt: skip
    assert decode_ceiling_of([whole], 1.0, bandwidth) == pytest.approx(expected, rel=1e-7)
    assert math.isnan(decode_ceiling_of([], 1.0, bandwidth))


def test_short_contexts_cross_earlier_than_long_ones(chat_8b, catalog, calibration):
    short = asked(chat_8b, catalog, calibration, prompt=16.0).batches.crossover_batch
    long = asked(chat_8b, catalog, calibration, prompt=8192.0, rate=0.5).batches.crossover_batch
    assert short < long
    assert 100 < short < 2000
    assert math.isinf(long)


def test_crossover_lies_between_the_batches_where_the_sign_changes():
    batch = np.array([1.0, 10.0, 100.0])
    assert crossover(batch, np.array([-2.0, -1.0, 1.0])) == pytest.approx(10**1.5)
    assert crossover(batch, np.array([1.0, 1.0, 2.0])) == 1.0
    assert crossover(batch, np.array([1.0, -1.0, -2.0])) == float("inf")


def test_of_several_candidates_each_is_as_it_is_alone(catalog, calibration, llama_8b):
    """On one device and on several, in 16 bits and in 8, fitting and not: none changes another's figures."""
    serving = ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),), weight_precisions=("bf16", "fp8"))
    hardware = HardwareChoice(accelerators=(H100, "nvidia-a100-sxm-80gb", "nvidia-t4"), max_devices_per_replica=4)
    scenario = Scenario(name="8B", model=llama_8b, serving=serving, hardware=hardware)
    found = plan(scenario, catalog, calibration)
    fits = found.serving.table.fits
    chosen = [*map(int, np.flatnonzero(fits)[:: max(int(fits.sum()) // 6, 1)]), int(np.flatnonzero(~fits)[0])]
    together = rooflines(scenario, catalog, calibration, found, "serving", chosen)
    assert len({len(one.points) for one in together}) > 1
    for candidate, one in zip(chosen, together, strict=True):
        alone = roofline(scenario, catalog, calibration, found, "serving", candidate)
        assert msgspec.structs.replace(one, batches=None) == msgspec.structs.replace(alone, batches=None)
        if alone.batches is not None:
            for name in ("compute_s", "bandwidth_s", "interconnect_s", "host_s"):
                np.testing.assert_array_equal(getattr(one.batches, name), getattr(alone.batches, name))


def test_asked_again_nothing_is_made_anew(scenario_8b, catalog, calibration):
    found = plan(scenario_8b, catalog, calibration)
    first = rooflines(scenario_8b, catalog, calibration, found, "serving", (found.serving.best,))
    dearer = msgspec.structs.replace(scenario_8b, name="another name")
    again = rooflines(dearer, catalog, calibration, found, "serving", (found.serving.best,))
    assert again[0] is first[0]


def drafting(scenario, **engine):
    own = msgspec.structs.replace(scenario.serving.engine, **engine)
    return msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.serving, engine=own))


@pytest.fixture(scope="module")
def drafted(catalog, calibration, scenario_8b):
    """Three drafts a step from n-grams, which cost nothing to make."""
    return asked(drafting(scenario_8b, speculative_tokens=3, draft_share=0.0), catalog, calibration)


def test_a_step_that_verifies_puts_every_draft_through_the_products(drafted):
    """Gate and up of 8B for four tokens of each of b sequences, by hand."""
    rows = 4 * drafted.batches.planned_batch
    flop, moved = 2 * rows * 4096 * 28672, 2 * (4096 * 28672 + rows * (4096 + 28672))
    assert points(drafted, "decode")["ffn_up"].intensity_flop_per_byte == pytest.approx(flop / moved)


def test_the_cache_is_read_once_for_all_tokens_of_a_sequence(roof, drafted):
    """Four tokens against each cached one: four times the intensity, whatever the batch."""
    plain, verified = (points(one, "decode")["attention"].intensity_flop_per_byte for one in (roof, drafted))
    assert verified == pytest.approx(4 * plain)


def test_a_drafted_step_takes_as_long_on_the_roofline_as_in_the_plan(catalog, calibration, scenario_8b):
    for engine in ({"speculative_tokens": 3}, {"speculative_tokens": 3, "draft_share": 0.1}, {}):
        scenario = drafting(scenario_8b, **engine)
        found = asked(scenario, catalog, calibration)
        row, table = planned_row(scenario, catalog, calibration)
        total = points(found, "decode")[TOTAL]
        assert total.time_s == pytest.approx(float(table.decode_step_s[row]), rel=0.05)
        at = int(np.argmin(np.abs(np.log(found.batches.batch / found.batches.planned_batch))))
        parts = (found.batches.compute_s, found.batches.bandwidth_s, found.batches.interconnect_s, found.batches.host_s)
        assert sum(part[at] for part in parts) == pytest.approx(total.time_s, rel=0.25)


def test_bandwidth_allows_the_tokens_that_a_step_yields(drafted):
    """Three drafts kept at 0.7 yield 1 + 0.7 + 0.49 + 0.343 = 2.533 tokens from what is read once."""
    total = points(drafted, "decode")[TOTAL]
    moved = total.achieved_flop_per_s * total.time_s / total.intensity_flop_per_byte
    expected = drafted.batches.planned_batch * 2.533 * drafted.bandwidth_bytes_per_s / moved
    assert drafted.decode_ceiling_tokens_per_s == pytest.approx(expected)


def test_what_drafts_adds_its_own_work_to_the_whole(catalog, calibration, scenario_8b):
    """A draft of a tenth: a tenth more on every verified token, and a tenth of a plain pass for each further draft."""
    free, own = (
        asked(drafting(scenario_8b, speculative_tokens=3, draft_share=share), catalog, calibration)
        for share in (0.0, 0.1)
    )
    before, after = (points(one, "decode")[TOTAL] for one in (free, own))
    pairs = ((before, free), (after, own))
    flop = [one.achieved_flop_per_s * one.time_s / made.batches.planned_batch for one, made in pairs]
    # Nearly all FLOPs are of products: 4 tokens · 1.1 + 2 · 0.1 of one token, over 4.
    assert flop[1] / flop[0] == pytest.approx((4 * 1.1 + 2 * 0.1) / 4, rel=0.02)


def test_parts_of_a_model_on_several_devices_add_up_too(catalog, calibration, llama_70b):
    serving = ServingWorkload(classes=(RequestClass(peak_rate_per_s=1.0),))
    scenario = Scenario(name="70B", model=llama_70b, serving=serving, hardware=HardwareChoice(accelerators=(H100,)))
    found = plan(scenario, catalog, calibration)
    row = int(np.flatnonzero(found.serving.table.fits & (found.serving.table.tensor_parallel >= 4))[0])
    whole = points(roofline(scenario, catalog, calibration, found, "serving", row), "decode")[TOTAL]
    assert whole.interconnect_s > 0
    assert whole.host_s > 0
    assert whole.time_s == pytest.approx(whole.compute_s + whole.bandwidth_s + whole.interconnect_s + whole.host_s)


@pytest.mark.parametrize("name", ["mamba2-2.7b", "falcon-mamba-7b"])
def test_recurrent_layers_decode_as_fast_after_long_prompts_as_after_short_ones(catalog, calibration, name):
    model = catalog.models[name].model

    def state(prompt: float):
        serving = ServingWorkload(classes=(RequestClass(peak_rate_per_s=0.1, prompt_tokens=prompt),))
        scenario = Scenario(name=name, model=model, serving=serving, hardware=HardwareChoice(accelerators=(H100,)))
        found = plan(scenario, catalog, calibration)
        return points(roofline(scenario, catalog, calibration, found, "serving", found.serving.best), "decode")

    short, long = state(200.0), state(8000.0)
    assert "state" in short
    assert short["state"].time_s > 0
    assert "attention" not in short
    each = [found[TOTAL].time_s for found in (short, long)]
    assert each[1] == pytest.approx(each[0], rel=0.05)


def test_a_pass_over_samples_is_one_point(calibration) -> None:
    """Its parts add up, and more samples at once reach a higher rate at a higher intensity."""
    (results,) = api.plan(load_project(EXAMPLES / "image-generation.gpuplan"))
    answer = results.plan.serving
    assert answer is not None
    roof = roofline(results.scenario, results.catalog, calibration, results.plan, "serving", answer.best)
    (point,) = roof.points
    assert point.phase == "sample"
    assert point.compute_s + point.bandwidth_s + point.host_s == pytest.approx(point.time_s)
    peak = roof.peak_flop_per_s[point.precision]
    assert 0 < point.achieved_flop_per_s < min(peak, point.intensity_flop_per_byte * roof.bandwidth_bytes_per_s)


@pytest.mark.parametrize("loss", [0.0, 0.2])
def test_a_decode_step_takes_as_long_under_the_roofline_as_in_the_table(catalog, calibration, scenario_8b, loss):
    """At the pace of published runs, which hold this device back, and on virtual machines too."""
    fleets = msgspec.structs.replace(scenario_8b.economics.fleets, serving_virtualisation_loss=loss)
    scenario = msgspec.structs.replace(
        scenario_8b, economics=msgspec.structs.replace(scenario_8b.economics, fleets=fleets)
    )
    scenario, found = planned(scenario, catalog, calibration, "amd-mi300x", "bf16", 1024.0, 20.0)
    (row,) = np.flatnonzero(found.serving.table.fits)
    roof = roofline(scenario, catalog, calibration, found, "serving", int(row))
    (whole,) = [one for one in roof.points if one.code == TOTAL and one.phase == "decode"]
    step_s = float(found.serving.table.decode_step_s[row])
    assert whole.time_s == pytest.approx(step_s, rel=1e-9)
    at_batch = np.interp(roof.batches.planned_batch, roof.batches.batch, sum(
        getattr(roof.batches, name) for name in ("compute_s", "bandwidth_s", "interconnect_s", "host_s")
    ))  # fmt: skip
    assert at_batch == pytest.approx(step_s, rel=0.02)
