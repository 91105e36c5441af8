"""Encoders of text and images (BERT and its kin, ViT, CLIP, SigLIP, DINOv2, ResNet), and with decoders: T5, Whisper."""

from __future__ import annotations

import msgspec

from gpuplanner_gui.domain.model import Attention, CrossAttention, DenseFfn, LayerGroup, Model, VisionTower
from gpuplanner_gui.engine.model.parameters import layer_parameters
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.diffusion import Tally, integers
from gpuplanner_gui.files.model_import.layers import head_size, tied_embeddings
from gpuplanner_gui.files.model_import.vision import KEYS, encoder_group

BERT_SEQUENCE = 512


def build_bert(config: Config, _: Config | None) -> Model:
    """The encoder with its pooler, as embedding and classification use it; heads for pre-training are not counted."""
    hidden = config.integer("hidden_size", default=768)
    positions = config.integer("max_position_embeddings", default=512)
    types = config.integer("type_vocab_size", default=1 if "roberta" in config.family else 2, least=0)
    group = encoder_group(config, hidden, 12, 12, 3072)
    vocab = config.integer("vocab_size", default=50265 if "roberta" in config.family else 30522)
    usable = positions - 2 if "roberta" in config.family and positions > 2 else positions
    return text_encoder(
        config, hidden, vocab, group, usable,
        positions=(positions + types) * hidden, other=2 * hidden + hidden * hidden + hidden,
    )  # fmt: skip


def build_modernbert(config: Config, _: Config | None) -> Model:
    """ModernBERT without a head: gated feed-forward parts, rotary positions, no biases; the first layer has one norm.

    Two layers of three see a window of 128 tokens, which the FLOPs of a sample leave out of account.
    """
    hidden = config.integer("hidden_size", default=768)
    has_norm_bias = config.flag("norm_bias", default=False)
    bias = config.flag("attention_bias", default=False)
    group = encoder_group(
        config, hidden, 22, 12, 1152, bias=bias, gated=True, norm_kind="layer" if has_norm_bias else "layer_no_bias"
    )
    if config.flag("mlp_bias", default=False) != bias:
        config.notes.give_up("mlp_bias: counted as attention_bias says")
    norm = hidden * (2 if has_norm_bias else 1)
    layers = _with_missing_norm(group)
    vocab = config.integer("vocab_size", default=50368)
    context = config.integer("max_position_embeddings", default=8192)
    model = text_encoder(config, hidden, vocab, group, context, positions=0, other=2 * norm)
    return msgspec.structs.replace(model, layers=layers)


def _with_missing_norm(group: LayerGroup) -> tuple[LayerGroup, ...]:
    """The layers with one norm less in the first, which the embedding's norm precedes."""
    first = msgspec.structs.replace(group, count=1, norms=group.norms - 1)
    if group.count == 1:
        return (first,)
    return first, msgspec.structs.replace(group, count=group.count - 1)


def build_distilbert(config: Config, _: Config | None) -> Model:
    """Half of BERT's layers, no token types and no pooler."""
    hidden = config.integer("dim", "hidden_size", default=768)
    positions = config.integer("max_position_embeddings", default=512)
    group = encoder_group(
        config,
        hidden,
        6,
        12,
        3072,
        keys=(
            ("n_layers", "num_hidden_layers"),
            ("n_heads", "num_attention_heads"),
            ("hidden_dim", "intermediate_size"),
        ),
    )
    vocab = config.integer("vocab_size", default=30522)
    return text_encoder(config, hidden, vocab, group, positions, positions=positions * hidden, other=2 * hidden)


def text_encoder(
    config: Config, hidden: int, vocab: int, group: LayerGroup, context: int, *, positions: int, other: int
) -> Model:
    return Model(
        name="",
        kind="encoder",
        family=config.family,
        hidden_size=hidden,
        vocab_size=vocab,
        layers=(group,),
        has_head=False,
        position_parameters=positions,
        other_parameters=other,
        max_context=context,
        flop_per_sample=encoder_flop(group, hidden, min(context, BERT_SEQUENCE)),
        sample=f"a sequence of {min(context, BERT_SEQUENCE)} tokens",
    )


def encoder_flop(group: LayerGroup, hidden: int, tokens: int) -> float:
    """Matrix products and attention of an encoder's layers on one sequence; a multiply-add counts as two."""
    matrices = 2.0 * layer_parameters(group, hidden).quantizable * tokens
    return group.count * (matrices + 4.0 * hidden * tokens * tokens)


def build_vit(config: Config, _: Config | None) -> Model:
    """A vision transformer with its classifier."""
    hidden = config.integer("hidden_size", default=768)
    patch, channels = config.integer("patch_size", default=16), config.integer("num_channels", default=3)
    image = config.integer("image_size", default=224)
    tokens = (image // patch) ** 2 + 1
    group = encoder_group(config, hidden, 12, 12, 3072)
    layers = _without_qkv_bias(config, group)
    other = 2 * hidden + _vit_head(config, hidden) + channels * patch * patch * hidden + hidden + hidden
    flop = encoder_flop(group, hidden, tokens) + 2.0 * channels * patch * patch * hidden * (tokens - 1)
    return Model(
        name="",
        kind="vision_transformer",
        family=config.family,
        hidden_size=hidden,
        layers=(layers,),
        has_head=False,
        position_parameters=tokens * hidden,
        other_parameters=other,
        encoder_tokens=tokens,
        flop_per_sample=flop,
        sample=f"an image of {image} × {image}",
    )


def _without_qkv_bias(config: Config, group: LayerGroup) -> LayerGroup:
    if config.flag("qkv_bias", default=True):
        return group
    mixer = group.mixer
    if not isinstance(mixer, Attention):
        return group
    return msgspec.structs.replace(group, mixer=msgspec.structs.replace(mixer, qkv_bias=False))


def _vit_head(config: Config, hidden: int) -> int:
    """A classifier, or the pooler of the bare encoder."""
    classes = [name for name in config.items("architectures", str) if "Classification" in name]
    if config.has("architectures") and not classes:
        return hidden * hidden + hidden
    labels = config.part("id2label")
    count = len(labels.data) if labels is not None else config.integer("num_labels", default=2)
    return hidden * count + count


def build_clip(config: Config, _: Config | None) -> Model:
    """Both towers of CLIP with their projections."""
    text = config.part("text_config") or Config({}, config.path, config.family, config.notes, "text_config.")
    vision = config.part("vision_config") or Config({}, config.path, config.family, config.notes, "vision_config.")
    text_model = build_clip_text(text, None)
    tower, flop, sample = _clip_image(vision)
    projection = config.integer("projection_dim", default=512)
    projections = (text_model.hidden_size + tower.hidden_size) * projection + 1
    return Model(
        name="",
        kind="vision_transformer",
        family="clip",
        hidden_size=text_model.hidden_size,
        vocab_size=text_model.vocab_size,
        layers=text_model.layers,
        vision=tower,
        has_head=False,
        position_parameters=text_model.position_parameters,
        other_parameters=text_model.other_parameters + projections,
        max_context=text_model.max_context,
        flop_per_sample=flop,
        sample=sample,
    )


def build_clip_text(config: Config, _: Config | None) -> Model:
    """CLIP's text tower, as diffusion pipelines use it, with a projection where its class has one."""
    hidden = config.integer("hidden_size", default=512)
    context = config.integer("max_position_embeddings", default=77)
    group = encoder_group(config, hidden, 12, 8, 2048)
    is_projected = "CLIPTextModelWithProjection" in config.items("architectures", str)
    projection = hidden * config.integer("projection_dim", default=512) if is_projected else 0
    return text_encoder(
        config, hidden, config.integer("vocab_size", default=49408), group, context,
        positions=context * hidden, other=2 * hidden + projection,
    )  # fmt: skip


def build_clip_vision(config: Config, _: Config | None) -> Model:
    """CLIP's image tower alone."""
    tower, flop, sample = _clip_image(config)
    return Model(
        name="",
        kind="vision_transformer",
        family="clip_vision_model",
        hidden_size=tower.hidden_size,
        layers=tower.layers,
        has_head=False,
        other_parameters=tower.other_parameters,
        encoder_tokens=_patches(config) + 1,
        flop_per_sample=flop,
        sample=sample,
    )


def _patches(config: Config) -> int:
    patch = config.integer("patch_size", default=32)
    return (config.integer("image_size", default=224) // patch) ** 2


def _clip_image(config: Config) -> tuple[VisionTower, float, str]:
    hidden = config.integer("hidden_size", default=768)
    patch, channels = config.integer("patch_size", default=32), config.integer("num_channels", default=3)
    image, patches = config.integer("image_size", default=224), _patches(config)
    group = encoder_group(config, hidden, 12, 12, 3072)
    pixels = channels * patch * patch
    other = pixels * hidden + hidden + (patches + 1) * hidden + 4 * hidden
    flop = encoder_flop(group, hidden, patches + 1) + 2.0 * pixels * hidden * patches
    tower = VisionTower(hidden_size=hidden, layers=(group,), other_parameters=other)
    return tower, flop, f"an image of {image} × {image}"


RESNET_IMAGE = 224
REDUCTION = 4
"""Width of a bottleneck's output over that of its 3 × 3 convolution."""
POOLED_VALUES = 5
"""Kept of each value of a largest-of-nine pool, in 16-bit values: itself, and in 8 bytes where it came from."""


def build_siglip(config: Config, _: Config | None) -> Model:
    """SigLIP's image tower with the attention that pools its patches, where it has one."""
    hidden = config.integer("hidden_size", default=768)
    ffn = config.integer("intermediate_size", default=3072)
    pooling = 4 * hidden * (hidden + 1) + 2 * hidden * ffn + ffn + hidden + 3 * hidden
    has_pooling = config.flag("vision_use_head", default=True)
    return _encoder(config, hidden, ffn, extra_tokens=0, other=2 * hidden + (pooling if has_pooling else 0))


def build_dinov2(config: Config, _: Config | None) -> Model:
    """DINOv2: a class token, a token for masked patches, and a scale for each of a layer's two branches."""
    hidden = config.integer("hidden_size", default=768)
    if config.flag("use_swiglu_ffn", default=False):
        config.notes.give_up("use_swiglu_ffn: counted as a plain feed-forward part")
    ffn = round(hidden * config.number("mlp_ratio", default=4.0, most=1000.0))
    scales = 2 * hidden * config.integer("num_hidden_layers", default=12)
    return _encoder(config, hidden, ffn, extra_tokens=1, other=2 * hidden + 2 * hidden + scales)


def _encoder(config: Config, hidden: int, ffn: int, *, extra_tokens: int, other: int) -> Model:
    patch, channels = config.integer("patch_size", default=16), config.integer("num_channels", default=3)
    image = config.integer("image_size", default=224)
    patches = (image // patch) ** 2
    group = encoder_group(config, hidden, 12, 12, ffn, keys=(*KEYS[:2], ()))
    pixels = channels * patch * patch
    return Model(
        name="",
        kind="vision_transformer",
        family=config.family,
        hidden_size=hidden,
        layers=(group,),
        has_head=False,
        position_parameters=(patches + extra_tokens) * hidden,
        other_parameters=other + pixels * hidden + hidden,
        encoder_tokens=patches + extra_tokens,
        sample_pixels=image * image,
        flop_per_sample=encoder_flop(group, hidden, patches + extra_tokens) + 2.0 * pixels * hidden * patches,
        sample=f"an image of {image} × {image}",
    )


def build_resnet(config: Config, _: Config | None) -> Model:
    """ResNet of plain or bottleneck blocks, with its classifier."""
    depths = integers(config, "depths", 4, 3)
    widths = integers(config, "hidden_sizes", 4, 256, most=1_000_000)
    is_bottleneck = config.text("layer_type", default="bottleneck") == "bottleneck"
    tally, width = Tally(), config.integer("embedding_size", default=64)
    pixels = float(RESNET_IMAGE // 2) ** 2
    _convolution(tally, config.integer("num_channels", default=3), width, 7, pixels)
    pixels /= 4
    tally.keeps(POOLED_VALUES * width * pixels)
    for stage, (depth, outputs) in enumerate(zip(depths, widths, strict=True)):
        is_halved = stage > 0 or config.flag("downsample_in_first_stage", default=False)
        for block in range(depth):
            before, part = pixels, Tally()
            pixels = pixels / 4 if is_halved and block == 0 else pixels
            if is_bottleneck:
                narrow = outputs // REDUCTION
                _convolution(part, width, narrow, 1, before)
                _convolution(part, narrow, narrow, 3, pixels)
                _convolution(part, narrow, outputs, 1, pixels)
            else:
                _convolution(part, width, outputs, 3, pixels)
                _convolution(part, outputs, outputs, 3, pixels)
            if width != outputs or pixels != before:
                _convolution(part, width, outputs, 1, pixels, is_activated=False)
            part.closes_block(width * before)
            tally.add(part, 1)
            width = outputs
    labels = config.part("id2label")
    tally.linear(width, len(labels.data) if labels is not None else config.integer("num_labels", default=1000), 1)
    return Model(
        name="",
        kind="cnn",
        family=config.family,
        has_head=False,
        custom_parameters=tally.parameters,
        flop_per_sample=tally.flop,
        sample_training=tally.training(),
        sample_pixels=RESNET_IMAGE**2,
        sample=f"an image of {RESNET_IMAGE} × {RESNET_IMAGE}",
    )


def _convolution(
    tally: Tally, inputs: int, outputs: int, kernel: int, pixels: float, *, is_activated: bool = True
) -> None:
    """One without bias, and the batch norm after it: it keeps its input, an activation function in place its output."""
    tally.convolution(inputs, outputs, pixels, kernel, bias=False)
    tally.norm(outputs)
    tally.keeps((2 if is_activated else 1) * outputs * pixels, (outputs * pixels) if is_activated else 0.0)


def build_t5(config: Config, outer: Config | None) -> Model:
    """T5, T5 1.1, Flan-T5 and mT5: heads of their own size, a table of relative positions per stack."""
    hidden = config.integer("d_model", "hidden_size", default=512)
    heads = config.integer("num_heads", default=8)
    head_dim = config.integer("d_kv", default=64)
    layers = config.integer("num_layers", default=6)
    decoder_layers = config.integer("num_decoder_layers", default=layers, derived="as many as num_layers")
    ffn = DenseFfn(size=config.integer("d_ff", default=2048), gated=_is_gated(config))
    is_encoder_only = any("EncoderModel" in name for name in config.items("architectures", str))
    encoder = LayerGroup(count=layers, mixer=_t5_attention(heads, head_dim, causal=False), ffn=ffn)
    decoder = LayerGroup(
        count=decoder_layers,
        mixer=_t5_attention(heads, head_dim, causal=True),
        cross_attention=CrossAttention(heads=heads, kv_heads=heads, head_dim=head_dim),
        ffn=ffn,
        norms=3,
    )
    per_stack = config.integer("relative_attention_num_buckets", default=32) * heads + hidden
    tied_by_default = config.family == "t5" and not ffn.gated
    return Model(
        name="",
        kind="encoder" if is_encoder_only else "encoder_decoder",
        family=config.family,
        hidden_size=hidden,
        vocab_size=config.integer("vocab_size", default=250112 if config.family == "mt5" else 32128),
        layers=(encoder,) if is_encoder_only else (decoder,),
        encoder_layers=() if is_encoder_only else (encoder,),
        tied_embeddings=tied_embeddings(config, tied_by_default, outer),
        has_head=not is_encoder_only,
        other_parameters=per_stack * (1 if is_encoder_only else 2),
        max_context=config.integer("n_positions", default=512),
    )


def _t5_attention(heads: int, head_dim: int, *, causal: bool) -> Attention:
    return Attention(heads=heads, kv_heads=heads, head_dim=head_dim, causal=causal, cached=causal)


def _is_gated(config: Config) -> bool:
    """T5 1.1 gates; some exports say so without naming the projection."""
    if config.has("feed_forward_proj"):
        return config.text("feed_forward_proj").startswith("gated")
    if config.has("is_gated_act"):
        return config.flag("is_gated_act", default=False)
    is_gated = config.family != "t5"
    config.notes.assume(
        f"feed_forward_proj: {'gated-gelu' if is_gated else 'relu'} (family default of {config.family})"
    )
    return is_gated


def build_whisper(config: Config, outer: Config | None) -> Model:
    """Whisper: a convolutional front, learned positions on both sides, key projections without bias."""
    hidden = config.integer("d_model", default=384)
    sources = config.integer("max_source_positions", default=1500)
    targets = config.integer("max_target_positions", default=448)
    encoder = whisper_encoder(config, hidden, layers=4, heads=6, ffn=1536)
    attention = _whisper_attention(config, hidden, config.integer("decoder_attention_heads", default=6), causal=True)
    decoder = LayerGroup(
        count=config.integer("decoder_layers", default=4),
        mixer=attention,
        cross_attention=CrossAttention(
            heads=attention.heads,
            kv_heads=attention.kv_heads,
            head_dim=attention.head_dim,
            other_parameters=3 * hidden,
        ),
        ffn=DenseFfn(size=config.integer("decoder_ffn_dim", default=1536), gated=False, bias=True),
        norms=3,
        norm_kind="layer",
    )
    return Model(
        name="",
        kind="encoder_decoder",
        family="whisper",
        hidden_size=hidden,
        vocab_size=config.integer("vocab_size", default=51865),
        layers=(decoder,),
        encoder_layers=(encoder,),
        encoder_tokens=sources,
        tied_embeddings=tied_embeddings(config, True, outer),
        position_parameters=(sources + targets) * hidden,
        other_parameters=whisper_convolutions(config, hidden, mel=80) + 4 * hidden,
        max_context=targets,
    )


def whisper_encoder(config: Config, hidden: int, *, layers: int, heads: int, ffn: int) -> LayerGroup:
    """Layers of an audio encoder as Whisper's, with the family's defaults; speech models name their sizes in two
    ways."""
    heads = config.integer("encoder_attention_heads", "num_attention_heads", default=heads)
    size = config.integer("encoder_ffn_dim", "intermediate_size", default=ffn)
    return LayerGroup(
        count=config.integer("encoder_layers", "num_hidden_layers", default=layers),
        mixer=_whisper_attention(config, hidden, heads, causal=False),
        ffn=DenseFfn(size=size, gated=False, bias=True),
        norm_kind="layer",
    )


def whisper_convolutions(config: Config, hidden: int, *, mel: int) -> int:
    """Parameters of the two convolutions before an audio encoder."""
    return config.integer("num_mel_bins", default=mel) * 3 * hidden + hidden + 3 * hidden * hidden + hidden


def _whisper_attention(config: Config, hidden: int, heads: int, *, causal: bool) -> Attention:
    return Attention(
        heads=heads,
        kv_heads=heads,
        head_dim=head_size(config, hidden, heads),
        causal=causal,
        cached=causal,
        other_parameters=3 * hidden,
    )
