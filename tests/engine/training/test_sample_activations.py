"""Activations of models that are not language models, by hand and beside what PyTorch saves for the backward pass.

PyTorch's figures: bytes of the tensors that autograd saves in one pass of the published architecture, parameters left
out (torch 2.14.1, diffusers 0.42.1, torchvision 0.29.1, 16 bits, flash attention, November 2026).
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.model import Model, SampleTraining
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.handoff.training import training_settings
from gpuplanner_gui.engine.training.layout_ranking import layout_search
from gpuplanner_gui.engine.training.model_numbers import encoder_share, sample_tokens, training_model
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.files.model_import import import_model
from tests.engine.training.conftest import ScenarioMaker
from tests.files.model_import.test_kinds import COUNTS, SDXL_UNET, WAN


def never() -> None:
    """Plans of tests are short: nobody cancels them."""


CONFIGS = Path(__file__).parents[2] / "files" / "model_import" / "configs"
NONE, SELECTIVE, FULL = range(3)


def read(config: object) -> SampleTraining:
    found = import_model(json.dumps(config).encode()).sample_training
    assert found is not None
    return found


def published(name: str) -> dict[str, object]:
    return dict(json.loads((CONFIGS / name).read_text(encoding="utf-8")))


def test_a_diffusion_transformer_by_hand():
    """Stable Diffusion 3: 42 bytes of each value; the last block drops its 333 text tokens after its attention."""
    width, image, text = 1536, 4096, 333
    kept = 24 * 42 * width * image + 23 * 42 * width * text + 12 * width * text + 6 * width * image
    found = read(COUNTS["sd3-medium"][0])
    assert found.kept_bytes == kept
    assert found.kept_bytes == pytest.approx(6.898e9, rel=0.005)
    assert found.block_input_bytes == 24 * 2 * width * (image + text) + 6 * width * image
    assert found.largest_block_bytes == 42 * width * (image + text)
    assert found.kept_bytes - found.rebuilt_bytes < 0.62 * found.kept_bytes


def test_norms_of_queries_and_keys_and_joined_branches_by_hand():
    """FLUX.1: 19 double blocks of 42 + 16 bytes, 38 single ones of 34 + 16, for each of 4,608 tokens' 3,072 values."""
    values = 4608 * 3072
    found = read(published("flux1-dev-transformer.json"))
    assert found.kept_bytes == (19 * 58 + 38 * 50) * values + 6 * 4096 * 3072
    assert found.kept_bytes == pytest.approx(42.67e9, rel=0.005)
    assert found.blocks == 57
    assert found.parameters == 11_901_408_320


def test_a_video_transformer_keeps_norms_in_fp32():
    """Wan 2.1 14B: 72 bytes of 5,120 values, 4 of 13,824, of 21 · 30 · 52 tokens; keys and values of 512 others."""
    tokens = 21 * 30 * 52
    block = 72 * 5120 * tokens + 4 * 13_824 * tokens + 16 * 5120 * 512
    found = read(WAN)
    assert found.kept_bytes == 40 * block
    assert found.kept_bytes == pytest.approx(559.0e9, rel=0.005)
    assert found.block_input_bytes == 40 * 2 * 5120 * tokens


@pytest.mark.parametrize(("config", "saved"), [(published("sd15-unet.json"), 0.983e9), (SDXL_UNET, 7.308e9)])
def test_a_unet_keeps_what_pytorch_saves(config: dict[str, object], saved: float):
    found = read(config)
    assert found.kept_bytes == pytest.approx(saved, rel=0.005)
    assert found.block_input_bytes + found.largest_block_bytes < 0.25 * found.kept_bytes


def test_a_resnet_keeps_each_convolution_s_output_and_each_activation():
    """ResNet-18, its first block by hand: two convolutions of 64 × 56 × 56 and what their activations put out."""
    found = read(COUNTS["resnet-18"][0])
    assert found.largest_block_bytes == 2 * 4 * 64 * 56 * 56
    found = read(COUNTS["resnet-50"][0])
    assert found.kept_bytes == pytest.approx(44.0e6, rel=0.015)
    assert found.blocks == 16


def test_a_vision_transformer_has_as_many_tokens_as_its_image(context):
    """ViT-B/16: 197 tokens, in each of 12 layers 32 · 768 bytes and a log-sum of 12 heads; PyTorch saves 62.8 MB."""
    model = context.catalog.models["vit-b-16"].model
    assert sample_tokens(model, 4096) == 197
    sizes = training_model(model, 197, has_flash_attention=True).activation
    assert sizes.kept == 12 * (32 * 768 + 4 * 12)
    assert 197 * sizes.kept == pytest.approx(62.8e6, rel=0.08)


def test_an_audio_encoder_sees_its_window_and_the_decoder_the_transcript(context):
    """Whisper large: 1,500 positions in 32 encoder layers of 32 · 1,280; a transcript of 448 tokens in decoder layers
    with a third norm, queries and output (8 · 1,280), and keys and values of the window's positions."""
    model = context.catalog.models["whisper-large-v3"].model
    width, positions, transcript = 1280, 1500, 448
    assert sample_tokens(model, 4096) == transcript
    assert encoder_share(model, transcript) == positions / transcript
    encoder = 32 * (32 * width + 4 * 20) * positions
    decoder = 32 * ((32 + 8) * width + 8 * 20) * transcript + 32 * 4 * width * positions
    numbers = training_model(model, transcript, has_flash_attention=True)
    assert transcript * numbers.activation.kept == pytest.approx(encoder + decoder)
    assert transcript * numbers.activation.checkpoint == pytest.approx(32 * 2 * width * (positions + transcript))


def test_work_of_an_audio_window_is_the_encoder_s_and_the_decoder_s(context):
    """Whisper large: 2.27 TFLOP of encoder by the flop counter (its convolutions, 2 %, left out); a decoder of
    12 · 1,280² + 2 · 1,280² weights for each token, 2 · 1,280² for each position, and attention to all positions."""
    model = context.catalog.models["whisper-large-v3"].model
    width, positions, transcript = 1280, 1500, 448
    numbers = training_model(model, transcript, has_flash_attention=True)
    per_token = 2 * 14 * width**2 + 4 * width * (positions + (transcript + 1) / 2)
    decoder = 32 * (per_token * transcript + 2 * 2 * width**2 * positions)
    head = 2 * 51_866 * width * transcript
    encoder = transcript * numbers.flop_per_token - decoder - head
    assert encoder == pytest.approx(model.flop_per_sample, rel=0.02)


def test_a_model_of_unknown_blocks_keeps_what_its_kind_usually_does():
    """Six convolutional networks: a byte for each 105 FLOPs in the geometric mean, ten denoisers: for each 1,500."""
    unknown = Model(
        name="", kind="diffusion", flop_per_sample=9e13, training_flop_per_sample=3e12, custom_parameters=10
    )
    assert training_model(unknown, 1, has_flash_attention=True).activation.kept == pytest.approx(2e9)
    network = Model(name="", kind="cnn", flop_per_sample=1.05e10, custom_parameters=10)
    sizes = training_model(network, 1, has_flash_attention=True).activation
    assert sizes.kept == pytest.approx(1e8)
    assert sizes.bytes_per_token(FULL) == pytest.approx(2e7)


def test_catalogued_models_are_those_that_their_configurations_give(context):
    for name, config in (("sdxl-1.0", SDXL_UNET), ("flux.1-dev", published("flux1-dev-transformer.json")),
                         ("wan2.1-14b", WAN), ("resnet-50", COUNTS["resnet-50"][0])):  # fmt: skip
        assert context.catalog.models[name].model.sample_training == read(config)


def device_bytes(context, made: ScenarioMaker, name: str, **training: object) -> float:
    """Memory of one image at a time on one H100, as PyTorch trains it."""
    usual = {"framework": "fsdp", "micro_batch": 1, "global_batch_tokens": 1, "tokens": 1e4}
    hardware = {"accelerators": ("nvidia-h100-sxm-80gb",), "training_devices": 1}
    scenario = made(context.catalog.models[name].model, hardware, **(usual | training))
    found = training_plan(scenario, context, never)
    row = np.flatnonzero(found.table.accelerator == context.devices.ids.index("nvidia-h100-sxm-80gb"))[0]
    parts = (
        "weights",
        "gradients",
        "master_weights",
        "first_moment",
        "second_moment",
        "activation",
        "logits",
        "runtime",
    )
    return float(sum(getattr(found.table, f"{part}_bytes")[row] for part in parts))


def test_adapters_of_flux_need_what_its_trainers_report(context, made: ScenarioMaker):
    """SimpleTuner's quickstart: rank 16 takes a bit more than 30 GB unquantised and 9 to 13 GB at four bits, with
    gradient checkpointing. Without it Replicate's trainer asks for more than 80 GB, text encoders (10 GB) included."""

    def lora(method: str, recompute: str) -> float:
        return device_bytes(context, made, "flux.1-dev", method=method, recompute=recompute)

    assert lora("lora", "full") == pytest.approx(30e9, rel=0.05)
    assert 9e9 < lora("qlora", "full") < 13.5e9
    assert 64e9 < lora("lora", "none") < 80e9


def test_all_of_sdxl_is_trained_within_24_gb_as_kohya_s_guide_says(context, made: ScenarioMaker):
    """Batch size 1, U-Net only, gradient checkpointing, Adafactor; without checkpointing it takes more than 24 GB."""
    usual = {"method": "full_fine_tune", "optimizer": "adafactor"}
    assert device_bytes(context, made, "sdxl-1.0", recompute="full", **usual) < 24e9
    assert device_bytes(context, made, "sdxl-1.0", recompute="none", **usual) > 28e9


def test_resnet_s_batches_of_nvidia_s_recipes_fill_16_gb(context, made: ScenarioMaker):
    """DeepLearningExamples: 256 images in mixed precision, 128 in FP32, on a V100 of 16 GB; twice as many don't fit."""
    for recipe, batch in (("fp16", 256), ("fp32", 128)):
        usual = {"recipe": recipe, "recompute": "none", "optimizer": "sgd_momentum"}
        sizes = [
            device_bytes(context, made, "resnet-50", micro_batch=size, global_batch_tokens=size, **usual)
            for size in (batch, 2 * batch)
        ]
        assert sizes[0] < 16e9 < sizes[1]


def test_pictures_are_searched_in_larger_batches_and_never_cut_along_layers(context, made: ScenarioMaker):
    hardware = {"accelerators": ("nvidia-h100-sxm-80gb",), "training_devices": 8}
    model = context.catalog.models["resnet-50"].model
    found = training_plan(made(model, hardware, global_batch_tokens=2048, tokens=1e8), context, never)
    assert found.table.micro_batch[found.best] == 256
    assert (found.table.pipeline_parallel == 1).all()


def test_only_the_denoiser_is_trained(context, made: ScenarioMaker):
    """FLUX.1 with its text encoders and autoencoder has 16.9 B parameters, of which 11.9 B are trained."""
    model = context.catalog.models["flux.1-dev"].model
    assert training_model(model, 1, has_flash_attention=True).parameters == 11_901_408_320
    without = msgspec.structs.replace(model, sample_training=None)
    assert training_model(without, 1, has_flash_attention=True).parameters == 16_870_599_139


def test_flags_speak_of_samples_and_not_of_sequences_of_text(context, made: ScenarioMaker):
    """256 images a step; Whisper's windows have transcripts of at most 448 tokens, whatever the length of text is."""
    found = {}
    for name, batch in (("resnet-50", 256), ("whisper-large-v3", 256 * 448)):
        hardware = {"accelerators": ("nvidia-h100-sxm-80gb",), "training_devices": 8}
        model = context.catalog.models[name].model
        scenario = made(model, hardware, global_batch_tokens=batch, tokens=1e8, framework="fsdp")
        quick = plan(scenario, context.catalog, context.calibration)
        assert quick.training is not None
        settings = training_settings(scenario, context.catalog, quick, quick.training.best)
        found[name] = {one.code: one.value for one in settings}
    assert found["resnet-50"]["global_batch"] == found["whisper-large-v3"]["global_batch"] == 256
    assert "sequence_length" not in found["resnet-50"]
    assert found["whisper-large-v3"]["sequence_length"] == 448


def test_trainers_of_denoisers_recompute_every_block_or_none(context, made: ScenarioMaker):
    """FSDP recomputes by operator in torchtitan, which runs language models alone."""
    model = context.catalog.models["flux.1-dev"].model
    hardware = {"accelerators": ("nvidia-h100-sxm-80gb",), "training_devices": 8}
    for framework, modes in (("fsdp", {0, 2}), ("megatron", {0, 1, 2})):
        scenario = made(model, hardware, framework=framework, global_batch_tokens=64, tokens=1e5)
        table = layout_search(scenario, context, "nvidia-h100-sxm-80gb", 8, never).table
        assert set(table.recompute) == modes
