"""Image encoders of their own: SigLIP, DINOv2 and ResNet."""

from __future__ import annotations

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.diffusion import Tally, integers
from gpuplanner_gui.files.model_import.encoders import encoder_flop
from gpuplanner_gui.files.model_import.vision import KEYS, encoder_group

RESNET_IMAGE = 224
REDUCTION = 4
"""Width of a bottleneck's output over that of its 3 × 3 convolution."""


def build_siglip(config: Config, outer: Config | None) -> Model:
    """SigLIP's image tower with the attention that pools its patches, where it has one."""
    del outer
    hidden = config.integer("hidden_size", default=768)
    ffn = config.integer("intermediate_size", default=3072)
    pooling = 4 * hidden * (hidden + 1) + 2 * hidden * ffn + ffn + hidden + 3 * hidden
    has_pooling = config.flag("vision_use_head", default=True)
    return _encoder(config, hidden, ffn, extra_tokens=0, other=2 * hidden + (pooling if has_pooling else 0))


def build_dinov2(config: Config, outer: Config | None) -> Model:
    """DINOv2: a class token, a token for masked patches, and a scale for each of a layer's two branches."""
    del outer
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
        flop_per_sample=encoder_flop(group, hidden, patches + extra_tokens) + 2.0 * pixels * hidden * patches,
        sample=f"an image of {image} × {image}",
    )


def build_resnet(config: Config, outer: Config | None) -> Model:
    """ResNet of plain or bottleneck blocks, with its classifier."""
    del outer
    depths = integers(config, "depths", 4, 3)
    widths = integers(config, "hidden_sizes", 4, 256, most=1_000_000)
    is_bottleneck = config.text("layer_type", default="bottleneck") == "bottleneck"
    tally, width = Tally(), config.integer("embedding_size", default=64)
    pixels = float(RESNET_IMAGE // 2) ** 2
    _convolution(tally, config.integer("num_channels", default=3), width, 7, pixels)
    pixels /= 4
    for stage, (depth, outputs) in enumerate(zip(depths, widths, strict=True)):
        is_halved = stage > 0 or config.flag("downsample_in_first_stage", default=False)
        for block in range(depth):
            before = pixels
            pixels = pixels / 4 if is_halved and block == 0 else pixels
            if is_bottleneck:
                narrow = outputs // REDUCTION
                _convolution(tally, width, narrow, 1, before)
                _convolution(tally, narrow, narrow, 3, pixels)
                _convolution(tally, narrow, outputs, 1, pixels)
            else:
                _convolution(tally, width, outputs, 3, pixels)
                _convolution(tally, outputs, outputs, 3, pixels)
            if width != outputs or pixels != before:
                _convolution(tally, width, outputs, 1, pixels)
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
        sample=f"an image of {RESNET_IMAGE} × {RESNET_IMAGE}",
    )


def _convolution(tally: Tally, inputs: int, outputs: int, kernel: int, pixels: float) -> None:
    """One without bias, and the batch norm after it."""
    tally.linear(kernel * kernel * inputs, outputs, pixels, bias=False)
    tally.norm(outputs)
