"""Image encoders in front of language models, by the `model_type` of their own configuration."""

from __future__ import annotations

from collections.abc import Callable

from gpuplanner_gui.domain.model import Attention, DenseFfn, LayerGroup, NormKind, QkNorm, VisionTower
from gpuplanner_gui.files.model_import.config import Config, shown


def vision_tower(top: Config, text_size: int) -> VisionTower | None:
    """The tower that `vision_config` describes, with its projector to the text's width; None where there is none."""
    config = top.part("vision_config")
    if config is None or not config.data:
        return None
    kind = config.text("model_type") or top.text("model_type")
    build = TOWERS.get(top.text("model_type")) or TOWERS.get(kind)
    if build is None:
        top.notes.give_up(f"vision_config: a tower of type {shown(kind)} is not counted")
        return None
    return build(config, top, text_size)


EncoderKeys = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]
"""Names of the number of layers, of heads, and of the feed-forward width."""
KEYS: EncoderKeys = (("num_hidden_layers",), ("num_attention_heads",), ("intermediate_size",))
QWEN_KEYS: EncoderKeys = (("depth", "num_hidden_layers"), ("num_heads", "num_attention_heads"), KEYS[2])
MOONVIT_KEYS: EncoderKeys = tuple((f"vt_{name}", name) for (name,) in KEYS)  # type: ignore[assignment]


def encoder_group(
    config: Config,
    hidden_size: int,
    layers: int,
    heads: int,
    ffn_size: int,
    *,
    keys: EncoderKeys = KEYS,
    head_dim: int | None = None,
    bias: bool = True,
    gated: bool = False,
    norms: int = 2,
    norm_kind: NormKind = "layer",
    qk_norm: QkNorm = "none",
) -> LayerGroup:
    """Layers of an image or text encoder: every token sees every other, nothing is cached.

    Numbers are the family's defaults; `ffn_size` is the width itself where `keys` name none. `head_dim` is None in
    families without that key, 0 for the hidden size over the heads.
    """
    layers = config.integer(*keys[0], default=layers)
    heads = config.integer(*keys[1], default=heads)
    ffn_size = config.integer(*keys[2], default=ffn_size) if keys[2] else ffn_size
    size = max(hidden_size // heads, 1)
    if head_dim is not None:
        derived = "" if head_dim else "hidden size over heads"
        size = config.integer("head_dim", default=head_dim or size, derived=derived)
    attention = Attention(
        heads=heads,
        kv_heads=heads,
        head_dim=size,
        qkv_bias=bias,
        output_bias=bias,
        qk_norm=qk_norm,
        causal=False,
        cached=False,
    )
    ffn = DenseFfn(size=ffn_size, gated=gated, bias=bias)
    return LayerGroup(count=layers, mixer=attention, ffn=ffn, norms=norms, norm_kind=norm_kind)


def _qwen3_vl(config: Config, _: Config, text_size: int) -> VisionTower:
    hidden = config.integer("hidden_size", default=1152)
    patch = config.integer("patch_size", default=16)
    frames = config.integer("temporal_patch_size", default=2)
    channels = config.integer("in_channels", "in_chans", default=3)
    merge = config.integer("spatial_merge_size", default=2)
    merged = hidden * merge**2
    output = config.integer("out_hidden_size", default=text_size)
    positions = config.integer("num_position_embeddings", default=2304) * hidden
    mlp = merged * merged + merged + merged * output + output
    deep_mergers = len(config.items("deepstack_visual_indexes", int)) if config.has("deepstack_visual_indexes") else 0
    group = encoder_group(config, hidden, 27, 16, 4304, keys=QWEN_KEYS)
    embedding = channels * frames * patch * patch * hidden + hidden
    mergers = 2 * hidden + mlp + deep_mergers * (2 * merged + mlp)
    other = embedding + positions + mergers
    return VisionTower(hidden_size=hidden, layers=(group,), other_parameters=other, **_merged(patch, merge))


def _gemma4(config: Config, _: Config, text_size: int) -> VisionTower:
    hidden = config.integer("hidden_size", default=768)
    patch = config.integer("patch_size", default=16)
    positions = 2 * config.integer("position_embedding_size", default=10240) * hidden
    group = encoder_group(
        config, hidden, 16, 12, 3072, head_dim=64, bias=False, gated=True, norms=4, norm_kind="rms", qk_norm="per_head"
    )
    other = 3 * patch * patch * hidden + positions + hidden * text_size
    tokens = config.integer("default_output_length", default=280)
    pooled = config.integer("pooling_kernel_size", default=3) ** 2
    return VisionTower(
        hidden_size=hidden, layers=(group,), other_parameters=other, image_tokens=tokens, patches_per_token=pooled
    )


def _siglip(config: Config, top: Config, text_size: int) -> VisionTower:
    hidden = config.integer("hidden_size", default=768)
    patch = config.integer("patch_size", default=16)
    channels = config.integer("num_channels", default=3)
    patches = (config.integer("image_size", default=224) // patch) ** 2
    group = encoder_group(config, hidden, 12, 12, 3072)
    embedding = channels * patch * patch * hidden + hidden + patches * hidden
    # Gemma 3 has a norm before its projection, PaliGemma a bias in it.
    projector = hidden * text_size + (text_size if top.text("model_type") == "paligemma" else hidden)
    tokens = top.integer("mm_tokens_per_image", default=256) if top.text("model_type") == "gemma3" else patches
    return VisionTower(
        hidden_size=hidden, layers=(group,), other_parameters=embedding + 2 * hidden + projector, image_tokens=tokens,
        patches_per_token=patches / max(tokens, 1),
    )  # fmt: skip


def _pixtral(config: Config, top: Config, text_size: int) -> VisionTower:
    """The tower of Pixtral and Mistral Small 3.1, whose projector merges patches (Mistral 3) or does not (Pixtral)."""
    hidden = config.integer("hidden_size", default=1024)
    patch = config.integer("patch_size", default=16)
    group = encoder_group(config, hidden, 24, 16, 4096, head_dim=0, bias=False, gated=True, norm_kind="rms")
    embedding = config.integer("num_channels", default=3) * patch * patch * hidden + hidden
    merge = top.integer("spatial_merge_size", default=2) if top.text("model_type") == "mistral3" else 0
    has_bias = top.flag("multimodal_projector_bias", default=not merge)
    projector = hidden * text_size + text_size * text_size + (2 * text_size if has_bias else 0)
    if merge:
        projector += hidden + hidden * merge**2 * hidden
    other = embedding + projector
    return VisionTower(hidden_size=hidden, layers=(group,), other_parameters=other, **_merged(patch, merge or 1))


def _qwen2_vl(config: Config, top: Config, text_size: int) -> VisionTower:
    hidden = config.integer("embed_dim", default=1280)
    ffn = round(hidden * config.number("mlp_ratio", default=4.0, most=1000.0))
    group = encoder_group(config, hidden, 32, 16, ffn, keys=(*QWEN_KEYS[:2], ()))
    output = config.integer("hidden_size", default=text_size, derived="the text's hidden size")
    return _merged_qwen_tower(config, group, hidden, output, merger_norm=2 * hidden)


def _qwen2_5_vl(config: Config, top: Config, text_size: int) -> VisionTower:
    hidden = config.integer("hidden_size", default=1280)
    group = encoder_group(config, hidden, 32, 16, 3420, keys=QWEN_KEYS, gated=True, norm_kind="rms")
    output = config.integer("out_hidden_size", default=text_size, derived="the text's hidden size")
    return _merged_qwen_tower(config, group, hidden, output, merger_norm=hidden)


def _merged_qwen_tower(config: Config, group: LayerGroup, hidden: int, output: int, *, merger_norm: int) -> VisionTower:
    patch = config.integer("patch_size", default=14)
    frames = config.integer("temporal_patch_size", default=2)
    channels = config.integer("in_channels", "in_chans", default=3)
    merge = config.integer("spatial_merge_size", default=2)
    merged = hidden * merge**2
    embedding = channels * frames * patch * patch * hidden
    other = embedding + merger_norm + merged * merged + merged + merged * output + output
    return VisionTower(hidden_size=hidden, layers=(group,), other_parameters=other, **_merged(patch, merge))


def _merged(patch: int, merge: int) -> dict[str, int]:
    """What a token sees of an image, where a square of patches becomes one."""
    return {"token_pixels": patch * merge, "patches_per_token": merge**2}


def _minimax_m3(config: Config, top: Config, text_size: int) -> VisionTower:
    """A tower as CLIP's over pairs of frames, and a projector before and after patches are merged."""
    hidden = config.integer("hidden_size", default=1280)
    patch = config.integer("patch_size", default=14)
    merging = config.part("img_token_compression_config") or config
    frames = merging.integer("temporal_patch_size", default=2)
    merge = merging.integer("spatial_merge_size", default=2)
    merged = text_size * merge**2
    width = top.integer("projector_hidden_size", default=6144)
    group = encoder_group(config, hidden, 32, 16, 5120)
    embedding = config.integer("num_channels", default=3) * frames * patch * patch * hidden + 2 * hidden
    projector = (hidden + 1) * width + (merged + 1) * width + 2 * (width + 1) * text_size
    other = embedding + projector
    return VisionTower(hidden_size=hidden, layers=(group,), other_parameters=other, **_merged(patch, merge))


def _moonvit(config: Config, top: Config, text_size: int) -> VisionTower:
    if config.text("merge_type") != "sd2_tpool" or config.text("norm_type", default="layernorm") != "layernorm":
        top.notes.give_up("vision_config: this variant of MoonViT is counted as Kimi K2.5's")
    hidden = config.integer("vt_hidden_size", "hidden_size", default=1152)
    patch = config.integer("patch_size", default=14)
    rows = config.integer("init_pos_emb_height", default=64)
    columns = config.integer("init_pos_emb_width", default=64)
    group = encoder_group(config, hidden, 27, 16, 4304, keys=MOONVIT_KEYS)
    embedding = 3 * patch * patch * hidden + hidden + rows * columns * hidden + 2 * hidden
    merged = 4 * hidden
    projector = 2 * hidden + merged * merged + merged + merged * text_size + text_size
    return VisionTower(hidden_size=hidden, layers=(group,), other_parameters=embedding + projector)


def _clip(config: Config, top: Config, text_size: int) -> VisionTower:
    """CLIP's image encoder as LLaVA uses it, with a projector of two layers."""
    hidden = config.integer("hidden_size", default=768)
    patch = config.integer("patch_size", default=32)
    patches = (config.integer("image_size", default=224) // patch) ** 2
    group = encoder_group(config, hidden, 12, 12, 3072)
    embedding = config.integer("num_channels", default=3) * patch * patch * hidden + (patches + 2) * hidden
    has_bias = top.flag("multimodal_projector_bias", default=True)
    projector = hidden * text_size + text_size * text_size + (2 * text_size if has_bias else 0)
    other = embedding + 4 * hidden + projector
    return VisionTower(
        hidden_size=hidden, layers=(group,), other_parameters=other, image_tokens=patches, patches_per_token=1
    )


def _llama4(config: Config, _: Config, text_size: int) -> VisionTower:
    """Llama 4's image encoder, whose patches are shuffled into wider ones by two layers before the projector."""
    hidden = config.integer("hidden_size", default=768)
    patch, ratio = config.integer("patch_size", default=14), config.number("pixel_shuffle_ratio", default=0.5, most=1.0)
    patches = (config.integer("image_size", default=448) // patch) ** 2
    width = config.integer("projector_input_dim", default=4096)
    output = config.integer("projector_output_dim", default=4096)
    group = encoder_group(config, hidden, 34, 16, 5632)
    embedding = config.integer("num_channels", default=3) * patch * patch * hidden + (patches + 2) * hidden
    merge = max(1, round(1 / max(ratio, 0.01)))
    shuffled = round(hidden / max(ratio, 0.01) ** 2) * width + width * output
    projector = config.integer("vision_output_dim", default=7680) * text_size
    return VisionTower(
        hidden_size=hidden, layers=(group,), other_parameters=embedding + 4 * hidden + shuffled + projector,
        **_merged(patch, merge),
    )  # fmt: skip


TOWERS: dict[str, Callable[[Config, Config, int], VisionTower]] = {
    "qwen3_vl": _qwen3_vl,
    "qwen3_vl_moe": _qwen3_vl,
    "qwen3_5": _qwen3_vl,
    "qwen3_5_moe": _qwen3_vl,
    "gemma4_vision": _gemma4,
    "siglip_vision_model": _siglip,
    "clip_vision_model": _clip,
    "llama4_vision_model": _llama4,
    "pixtral": _pixtral,
    "qwen2_vl": _qwen2_vl,
    "qwen2_5_vl": _qwen2_5_vl,
    "kimi_k25": _moonvit,
    "minimax_m3_vl": _minimax_m3,
}
