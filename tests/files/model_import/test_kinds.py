"""Every kind of model counts exactly: pipelines, diffusion transformers, text encoders with projections, towers.

Configurations are those that the makers publish, as far as they shape the model. Counts are those of the published
checkpoints and of the catalogue, whose entries were instantiated without weights.
"""

from __future__ import annotations

import json

import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.model import Attention
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.model_import import import_model

SD3 = {
    "_class_name": "SD3Transformer2DModel", "attention_head_dim": 64, "in_channels": 16, "joint_attention_dim": 4096,
    "num_attention_heads": 24, "num_layers": 24, "out_channels": 16, "patch_size": 2, "pooled_projection_dim": 2048,
}  # fmt: skip
SD35_LARGE = {**SD3, "num_attention_heads": 38, "num_layers": 38, "qk_norm": "rms_norm"}
SD35_MEDIUM = {**SD3, "qk_norm": "rms_norm", "dual_attention_layers": list(range(13))}
QWEN_IMAGE = {
    "_class_name": "QwenImageTransformer2DModel", "attention_head_dim": 128, "in_channels": 64,
    "joint_attention_dim": 3584, "num_attention_heads": 24, "num_layers": 60, "out_channels": 16, "patch_size": 2,
}  # fmt: skip
WAN = {
    "_class_name": "WanTransformer3DModel", "attention_head_dim": 128, "cross_attn_norm": True, "ffn_dim": 13824,
    "freq_dim": 256, "in_channels": 16, "num_attention_heads": 40, "num_layers": 40, "out_channels": 16,
    "patch_size": [1, 2, 2], "text_dim": 4096, "image_dim": None, "added_kv_proj_dim": None,
}  # fmt: skip
SDXL_UNET = {
    "_class_name": "UNet2DConditionModel", "addition_embed_type": "text_time", "cross_attention_dim": 2048,
    "block_out_channels": [320, 640, 1280], "layers_per_block": 2, "in_channels": 4, "out_channels": 4,
    "down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
    "up_block_types": ["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"], "sample_size": 128,
    "transformer_layers_per_block": [1, 2, 10], "projection_class_embeddings_input_dim": 2816,
}  # fmt: skip
SDXL_VAE = {
    "_class_name": "AutoencoderKL", "block_out_channels": [128, 256, 512, 512], "latent_channels": 4,
    "layers_per_block": 2, "sample_size": 1024, "in_channels": 3, "out_channels": 3,
}  # fmt: skip
CLIP_L = {
    "architectures": ["CLIPTextModel"], "model_type": "clip_text_model", "hidden_size": 768, "num_hidden_layers": 12,
    "intermediate_size": 3072, "num_attention_heads": 12, "projection_dim": 768, "vocab_size": 49408,
}  # fmt: skip
CLIP_G = {
    "architectures": ["CLIPTextModelWithProjection"], "model_type": "clip_text_model", "hidden_size": 1280,
    "intermediate_size": 5120, "num_attention_heads": 20, "num_hidden_layers": 32, "projection_dim": 1280,
    "vocab_size": 49408,
}  # fmt: skip
SIGLIP = {
    "model_type": "siglip_vision_model", "hidden_size": 1152, "intermediate_size": 4304, "num_attention_heads": 16,
    "num_hidden_layers": 27, "patch_size": 14,
}  # fmt: skip
CLIP_TOWER = {
    "model_type": "clip_vision_model", "hidden_size": 1024, "image_size": 336, "intermediate_size": 4096,
    "num_attention_heads": 16, "num_hidden_layers": 24, "patch_size": 14,
}  # fmt: skip
VICUNA = {"model_type": "llama", "hidden_size": 4096, "vocab_size": 32064, "max_position_embeddings": 4096}
GEMMA = {
    "model_type": "gemma", "hidden_size": 2048, "intermediate_size": 16384, "num_attention_heads": 8,
    "num_hidden_layers": 18, "num_key_value_heads": 1, "vocab_size": 257216,
}  # fmt: skip
COUNTS = {
    "sd3-medium": (SD3, 2_028_328_000),
    "sd3.5-medium": (SD35_MEDIUM, 2_243_171_520),
    "sd3.5-large": (SD35_LARGE, 8_056_627_520),
    "qwen-image": (QWEN_IMAGE, 20_430_401_088),
    "wan2.1-14b": (WAN, 14_288_491_584),
    "wan2.1-1.3b": ({**WAN, "num_attention_heads": 12, "num_layers": 30, "ffn_dim": 8960}, 1_418_996_800),
    "wan2.2-5b": (
        {**WAN, "num_attention_heads": 24, "num_layers": 30, "ffn_dim": 14336, "in_channels": 48, "out_channels": 48},
        4_999_787_712,
    ),
    # By hand: keys and values of the first image with a norm in each block, four more channels for each of five
    # groups of four in a patch, and its projection between two norms.
    "wan2.1-i2v-14b": (
        {**WAN, "in_channels": 36, "image_dim": 1280, "added_kv_proj_dim": 5120},
        14_288_491_584 + 20 * 4 * 5120 + 40 * (2 * (5120**2 + 5120) + 5120)
        + 2 * 1280 + 1280**2 + 1280 + 1280 * 5120 + 5120 + 2 * 5120,
    ),
    "sdxl-unet": (SDXL_UNET, 2_567_463_684),
    "sdxl-vae": (SDXL_VAE, 83_653_863),
    "clip-l": (CLIP_L, 123_060_480),
    "clip-g-projected": (CLIP_G, 694_659_840),
    "siglip-so400m": ({**SIGLIP, "image_size": 384}, 428_225_600),
    "dinov2-base": (
        {"model_type": "dinov2", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
         "patch_size": 14, "image_size": 518, "mlp_ratio": 4},
        86_580_480,
    ),
    "all-mpnet-base-v2": (
        {"model_type": "mpnet", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
         "intermediate_size": 3072, "vocab_size": 30527, "max_position_embeddings": 514},
        109_486_464,
    ),
    "deberta-v3-base": (
        {"model_type": "deberta-v2", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
         "intermediate_size": 3072, "vocab_size": 128100, "max_position_embeddings": 512, "position_buckets": 256,
         "type_vocab_size": 0, "pos_att_type": ["p2c", "c2p"], "relative_attention": True, "share_att_key": True,
         "position_biased_input": False, "norm_rel_ebd": "layer_norm", "max_relative_positions": -1},
        183_831_552,
    ),
    "resnet-50": (
        {"model_type": "resnet", "depths": [3, 4, 6, 3], "hidden_sizes": [256, 512, 1024, 2048], "embedding_size": 64,
         "layer_type": "bottleneck"},
        25_557_032,
    ),
    "resnet-18": (
        {"model_type": "resnet", "depths": [2, 2, 2, 2], "hidden_sizes": [64, 128, 256, 512], "embedding_size": 64,
         "layer_type": "basic"},
        11_689_512,
    ),
    "llava-1.5-7b": ({"model_type": "llava", "text_config": VICUNA, "vision_config": CLIP_TOWER}, 7_063_427_072),
    "paligemma-3b": (
        {"model_type": "paligemma", "text_config": GEMMA, "vision_config": {**SIGLIP, "image_size": 224}},
        2_923_466_480,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COUNTS)
def test_the_command_counts_every_kind_exactly(name, tmp_path, capsys):
    config, total = COUNTS[name]
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert main(["model", str(tmp_path / "config.json"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["total_params"] == total
    assert summary["not_understood"] == []


@pytest.mark.parametrize("name", ["sd3-medium", "sd3.5-medium", "sd3.5-large", "qwen-image"])
def test_a_pass_is_that_of_the_flop_counter(name):
    catalogued = load_shipped_catalog().models[name].model
    model = import_model(json.dumps(COUNTS[name][0]).encode())
    assert model.flop_per_sample == pytest.approx(catalogued.training_flop_per_sample, rel=1e-4)


def test_resnet_works_as_much_as_the_flop_counter_says():
    counted = load_shipped_catalog().models["resnet-50"].model.flop_per_sample
    assert import_model(json.dumps(COUNTS["resnet-50"][0]).encode()).flop_per_sample == pytest.approx(counted, rel=1e-3)


def write_pipeline(folder, parts):
    index = {"_class_name": "StableDiffusionXLPipeline", "scheduler": ["diffusers", "EulerDiscreteScheduler"]}
    for name, config in parts.items():
        (folder / name).mkdir()
        (folder / name / "config.json").write_text(json.dumps(config), encoding="utf-8")
        index[name] = ["diffusers", "part"]
    (folder / "model_index.json").write_text(json.dumps(index), encoding="utf-8")
    return folder / "model_index.json"


SDXL_PARTS = {"unet": SDXL_UNET, "vae": SDXL_VAE, "text_encoder": CLIP_L, "text_encoder_2": CLIP_G}


def test_a_pipeline_is_all_its_parts(tmp_path):
    catalogued = load_shipped_catalog().models["sdxl-1.0"].model
    model = import_model(write_pipeline(tmp_path, SDXL_PARTS))
    assert model_parameters(model).total == catalogued.custom_parameters == 3_468_837_867
    assert model.training_flop_per_sample == pytest.approx(catalogued.training_flop_per_sample, rel=1e-4)
    decoded = catalogued.flop_per_sample - 30 * 2 * catalogued.training_flop_per_sample
    assert model.flop_per_sample == pytest.approx(50 * 2 * catalogued.training_flop_per_sample + decoded, rel=1e-3)
    assert model.not_understood == ()


def test_a_part_that_is_not_there_is_named(tmp_path):
    path = write_pipeline(tmp_path, SDXL_PARTS)
    (tmp_path / "vae" / "config.json").unlink()
    model = import_model(path)
    assert any("vae/config.json" in sentence for sentence in model.not_understood)
    assert model_parameters(model).total == 3_468_837_867 - 83_653_863


DECODER = {
    "model_type": "mistral", "hidden_size": 4096, "intermediate_size": 14336, "num_attention_heads": 32,
    "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 32768,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "embeds", "causal"),
    [
        ({"architectures": ["MistralForCausalLM"]}, False, True),
        ({"architectures": ["MistralModel"]}, True, True),
        ({"architectures": ["Qwen3ForSequenceClassification"], "model_type": "qwen3"}, True, True),
        ({"architectures": ["Gemma3TextModel"], "model_type": "gemma3_text", "use_bidirectional_attention": True}, True,
         False),
        ({"architectures": ["InternVLChatModel"], "model_type": "internvl_chat", "text_config": DECODER}, False, True),
        ({"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2"}, False, True),
    ],
)  # fmt: skip
def test_a_decoder_embeds_where_its_classes_have_no_head(change, embeds, causal) -> None:
    model = import_model(json.dumps(DECODER | change).encode())
    assert model.embeds is embeds
    assert {isinstance(one.mixer, Attention) and one.mixer.causal for one in model.layers} == {causal}
