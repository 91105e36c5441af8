"""Encoders in front of language models: what they hold, and how many tokens they make of what is seen and heard."""

from __future__ import annotations

import json

import pytest

from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.model_import.importer import import_model

TEXT = {
    "model_type": "llama", "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 30,
    "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128, "vocab_size": 131_072,
    "tie_word_embeddings": False,
}  # fmt: skip
VOXTRAL = {"model_type": "voxtral", "text_config": TEXT, "audio_config": {
    "model_type": "voxtral_encoder", "hidden_size": 1280, "intermediate_size": 5120, "num_attention_heads": 20,
    "num_hidden_layers": 32, "num_mel_bins": 128, "max_source_positions": 1500,
}}  # fmt: skip
QWEN = {
    "model_type": "qwen2", "hidden_size": 4096, "intermediate_size": 11_008, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 32, "vocab_size": 156_032, "tie_word_embeddings": False,
}  # fmt: skip
QWEN2_AUDIO = {"model_type": "qwen2_audio", "text_config": QWEN, "audio_config": {
    "model_type": "qwen2_audio_encoder", "d_model": 1280, "encoder_layers": 32, "encoder_attention_heads": 20,
    "encoder_ffn_dim": 5120, "num_mel_bins": 128, "max_source_positions": 1500,
}}  # fmt: skip
WHISPER_LARGE_V3_ENCODER = 636_968_960
"""635,048,960 of layers, convolutions and norm, and 1,500 positions of 1,280."""


def imported(config: dict[str, object]):
    return import_model(json.dumps(config).encode())


@pytest.mark.parametrize(
    ("config", "projector", "published", "tokens_per_s"),
    [
        (VOXTRAL, 5120 * 3072 + 3072 * 3072, 4.68e9, 12.5),
        (QWEN2_AUDIO, 1280 * 4096 + 4096, 8.40e9, 25.0),
    ],
    ids=["voxtral", "qwen2_audio"],
)
def test_an_audio_tower_is_whispers_encoder_and_a_projector(config, projector, published, tokens_per_s):
    model = imported(config)
    parameters = model_parameters(model)
    assert parameters.audio.total == WHISPER_LARGE_V3_ENCODER + projector
    assert parameters.total == pytest.approx(published, rel=2e-3)
    assert model.audio.tokens_per_s == tokens_per_s


def test_an_unknown_audio_tower_is_said():
    model = imported({**VOXTRAL, "audio_config": {"model_type": "other", "hidden_size": 64}})
    assert model.audio is None
    assert any("audio_config" in one for one in model.not_understood)


@pytest.mark.parametrize(
    ("kind", "vision", "beside", "expected"),
    [
        ("qwen2_5_vl", {"patch_size": 14, "spatial_merge_size": 2}, {}, (28, 4.0, 0)),
        ("qwen3_vl", {"patch_size": 16, "spatial_merge_size": 2}, {}, (32, 4.0, 0)),
        ("gemma3", {"model_type": "siglip_vision_model", "image_size": 896, "patch_size": 14}, {}, (28, 16.0, 256)),
        ("llava", {"model_type": "clip_vision_model", "image_size": 336, "patch_size": 14}, {}, (28, 1.0, 576)),
    ],
)
def test_a_vision_tower_says_what_an_image_becomes(kind, vision, beside, expected):
    text = TEXT | {"model_type": "gemma3_text" if kind == "gemma3" else "llama"}
    tower = imported({"model_type": kind, "text_config": text, "vision_config": vision} | beside).vision
    assert (tower.token_pixels, tower.patches_per_token, tower.image_tokens) == expected
