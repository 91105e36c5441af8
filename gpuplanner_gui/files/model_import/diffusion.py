"""Parts of diffusion pipelines, counted module by module from their diffusers configurations.

Parameters, FLOPs (matrix products, convolutions and attention; a multiply-add counts as two) and the activations that
PyTorch keeps for the backward pass (docs/derivations/training.md#models-that-are-not-made-of-tokens) are added up in
one walk over the modules, at the sample size the configuration names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gpuplanner_gui.domain.model import Model, SampleTraining
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.model_import.config import Config, shown

USUAL_RUN = {"FluxPipeline": (28, 1), "StableDiffusion3Pipeline": (28, 2)}
"""Denoising steps, and passes of each, that pipelines take when nobody says otherwise (diffusers, recalled)."""
OTHER_RUN = (50, 2)
DENOISERS = ("unet", "transformer")
WITHOUT_WEIGHTS = ("scheduler", "tokenizer", "feature_extractor", "image_processor", "processor")


def is_pipeline(config: Config) -> bool:
    """Whether a configuration lists parts and has no layers of its own."""
    return config.text("_class_name").endswith("Pipeline")


def build_pipeline(config: Config, read_part: Callable[[Path], Model]) -> Model:
    """All parts in memory; a request is an image or video denoised in the usual steps and decoded.

    The prompt's encoding, a thousandth of the work, is left out of the FLOPs.
    """
    parts = {name: model for name in _parts(config) if (model := _part(config, name, read_part)) is not None}
    denoiser = next((parts[name] for name in DENOISERS if name in parts), None)
    once = parts["vae"].flop_per_sample if "vae" in parts else 0.0
    work = Model(name="", kind="diffusion", family=config.text("_class_name"), has_head=False)
    total = sum(int(model_parameters(model).total) for model in parts.values())
    if denoiser is None or not denoiser.flop_per_sample:
        config.notes.give_up("no unet or transformer whose work is known")
        return msgspec.structs.replace(work, custom_parameters=total)
    steps, passes = USUAL_RUN.get(work.family, OTHER_RUN)
    config.notes.assume(f"{steps} denoising steps of {passes} passes (usual for {work.family})")
    return msgspec.structs.replace(
        work,
        custom_parameters=total,
        flop_per_sample=steps * passes * denoiser.flop_per_sample + once,
        training_flop_per_sample=denoiser.flop_per_sample,
        denoising_steps=steps,
        sample_pixels=denoiser.sample_pixels,
        sample_frames=denoiser.sample_frames,
        sample_training=denoiser.sample_training,
        attention_flop_share=denoiser.attention_flop_share,
        sample=f"{steps} steps of {passes} passes, decoded; {denoiser.sample}",
    )


def _parts(config: Config) -> list[str]:
    """Folders of parts with weights; a part that is null is left out of this pipeline."""
    return [
        name
        for name, value in config.data.items()
        if isinstance(value, list) and any(value) and name.isidentifier() and not name.startswith(WITHOUT_WEIGHTS)
    ]


def _part(config: Config, name: str, read_part: Callable[[Path], Model]) -> Model | None:
    path = config.path.parent / name / "config.json"
    if not path.is_file():
        config.notes.give_up(f"{shown(name)}: no {name}/config.json stands beside this file; it is not counted")
        return None
    model = read_part(path)
    for sentence in model.not_understood:
        config.notes.give_up(f"{name}: {sentence}")
    return model


VALUE_BYTES = 2.0
LATENT_VALUES = 2
"""A prepared latent value: its mean and its variance, of which training draws (MLPerf Storage 3.0, FLUX)."""
TEXT_TOKENS = 77
"""Length of CLIP's prompt."""


@dataclass
class Tally:
    """Running totals of a walk over modules."""

    parameters: int = 0
    flop: float = 0.0
    square_flop: float = 0.0
    """FLOPs of attention between as many queries as keys, which grow with the square of their number."""
    adapter_width: int = 0
    """Inputs plus outputs of all matrices."""
    kept: float = 0.0
    """Values of 16 bits that the backward pass needs."""
    rebuilt: float = 0.0
    """Those of them that element-wise kernels make."""
    held: float = 0.0
    """What stays where every block is recomputed."""
    largest: float = 0.0
    """`kept` of the largest block."""
    blocks: int = 0

    def linear(self, inputs: int, outputs: int, rows: float, *, bias: bool = True) -> None:
        self._product(inputs, outputs, rows, bias)
        self.adapter_width += inputs + outputs

    def convolution(self, inputs: int, outputs: int, pixels: float, kernel: int = 3, *, bias: bool = True) -> None:
        self._product(kernel * kernel * inputs, outputs, pixels, bias)

    def _product(self, inputs: int, outputs: int, rows: float, has_bias: bool) -> None:
        self.parameters += inputs * outputs + (outputs if has_bias else 0)
        self.flop += 2.0 * rows * inputs * outputs

    def keeps(self, values: float, rebuilt: float = 0.0) -> None:
        """Values kept for the backward pass, of which norms, modulations and activation functions make some."""
        self.kept += values
        self.held += values
        self.rebuilt += rebuilt

    def closes_block(self, inputs: float) -> None:
        """All tallied so far is one block, which full recomputation rebuilds from so many values."""
        self.held, self.largest, self.blocks = inputs, self.kept, 1

    def norm(self, channels: int) -> None:
        self.parameters += 2 * channels

    def attention(self, width: int, queries: float, keys: float) -> None:
        flop = 4.0 * width * queries * keys
        self.flop += flop
        self.square_flop += flop if queries == keys else 0.0

    def add(self, block: Tally, count: int) -> None:
        """`count` blocks like the one tallied."""
        self.parameters += block.parameters * count
        self.flop += block.flop * count
        self.square_flop += block.square_flop * count
        self.adapter_width += block.adapter_width * count
        self.kept += block.kept * count
        self.rebuilt += block.rebuilt * count
        self.held += block.held * count
        self.largest = max(self.largest, block.largest)
        self.blocks += block.blocks * count

    def training(self, prepared_bytes: float = 0.0) -> SampleTraining:
        """What training changes and keeps of a sample, which may be prepared beforehand."""
        return SampleTraining(
            parameters=max(1, self.parameters),
            blocks=max(1, self.blocks),
            adapter_width=self.adapter_width,
            kept_bytes=VALUE_BYTES * self.kept,
            rebuilt_bytes=VALUE_BYTES * self.rebuilt,
            block_input_bytes=VALUE_BYTES * self.held,
            largest_block_bytes=VALUE_BYTES * self.largest,
            prepared_bytes=prepared_bytes,
        )


def integers(config: Config, name: str, count: int, default: int, most: int = 1000) -> list[int]:
    """One number for every block, given as one or as a list."""
    if isinstance(config.data.get(name), list):
        values = config.items(name, int)
        if len(values) != count or any(not 1 <= value <= most for value in values):
            raise config.problem(
                name, "{count} whole numbers from 1 to {most} are expected", count=count, most=f"{most:,}"
            )
        return values
    return [config.integer(name, default=default, most=most)] * count


def channels_of(config: Config, default: tuple[int, ...]) -> list[int]:
    channels = config.items("block_out_channels", int, most=64) or list(default)
    if any(not 1 <= width <= 1_000_000 for width in channels):
        raise config.problem("block_out_channels", "a width is outside 1 to 1,000,000")
    return channels


def block_names(config: Config, name: str, count: int, default: str) -> list[str]:
    names = config.items(name, str) or [default] * count
    if len(names) != count:
        raise config.problem(name, "{names} blocks stand beside {count} widths", names=len(names), count=count)
    return names


def resnet(tally: Tally, inputs: int, outputs: int, time: int, pixels: float) -> None:
    """Two convolutions with group norms, the time embedding in between, and a shortcut where widths differ.

    Each norm keeps its input, each activation function its own, each convolution its own.
    """
    block = Tally()
    block.norm(inputs)
    block.convolution(inputs, outputs, pixels)
    if time:
        block.linear(time, outputs, 1)
    block.norm(outputs)
    block.convolution(outputs, outputs, pixels)
    if inputs != outputs:
        block.convolution(inputs, outputs, pixels, kernel=1)
    block.keeps(3 * (inputs + outputs) * pixels, 2 * (inputs + outputs) * pixels)
    block.closes_block(inputs * pixels)
    tally.add(block, 1)


def prepared_bytes(latent_values: float, text_values: float) -> float:
    """Bytes of a sample whose picture and prompt are encoded beforehand."""
    return VALUE_BYTES * (LATENT_VALUES * latent_values + text_values)


def diffusion_model(
    config: Config, tally: Tally, sample: str, pixels: int, frames: int = 0, prepared: float = 0.0
) -> Model:
    """One pass, or one decoding, over a sample of so many pixels (a frame) and frames (of a video)."""
    return Model(
        name="",
        kind="diffusion",
        family=config.family,
        has_head=False,
        custom_parameters=tally.parameters,
        flop_per_sample=tally.flop,
        sample=sample,
        sample_pixels=pixels,
        sample_frames=frames,
        attention_flop_share=tally.square_flop / tally.flop if tally.flop else 0.0,
        sample_training=tally.training(prepared),
    )


def build_autoencoder(config: Config, _: Config | None) -> Model:
    """AutoencoderKL: both halves; FLOPs are those of one decoding, the half that a pipeline runs."""
    channels = channels_of(config, (64,))
    depth = config.integer("layers_per_block", default=1, most=1000)
    latent = config.integer("latent_channels", default=4)
    size = config.integer("sample_size", default=512)
    for name in config.items("down_block_types", str) + config.items("up_block_types", str):
        if name not in ("DownEncoderBlock2D", "UpDecoderBlock2D"):
            config.notes.give_up(f"block {shown(name)} is counted as a plain one")
    encoder, decoder = Tally(), Tally()
    _encode(encoder, config, channels, depth, latent, float(size * size))
    _decode(decoder, config, channels, depth, latent, float(size * size) / 4 ** (len(channels) - 1))
    total = Tally(encoder.parameters + decoder.parameters, decoder.flop)
    return diffusion_model(config, total, f"one decoded image of {size} × {size}", size * size)


def _encode(tally: Tally, config: Config, channels: list[int], depth: int, latent: int, pixels: float) -> None:
    tally.convolution(config.integer("in_channels", default=3), channels[0], pixels)
    width = channels[0]
    for index, outputs in enumerate(channels):
        for _ in range(depth):
            resnet(tally, width, outputs, 0, pixels)
            width = outputs
        if index < len(channels) - 1:
            pixels /= 4
            tally.convolution(outputs, outputs, pixels)
    _middle(tally, config, width, pixels)
    tally.norm(width)
    tally.convolution(width, 2 * latent, pixels)
    if config.flag("use_quant_conv", default=True, quiet=True):
        tally.convolution(2 * latent, 2 * latent, pixels, kernel=1)


def _decode(tally: Tally, config: Config, channels: list[int], depth: int, latent: int, pixels: float) -> None:
    if config.flag("use_post_quant_conv", default=True, quiet=True):
        tally.convolution(latent, latent, pixels, kernel=1)
    width = channels[-1]
    tally.convolution(latent, width, pixels)
    _middle(tally, config, width, pixels)
    for index, outputs in enumerate(reversed(channels)):
        for _ in range(depth + 1):
            resnet(tally, width, outputs, 0, pixels)
            width = outputs
        if index < len(channels) - 1:
            pixels *= 4
            tally.convolution(outputs, outputs, pixels)
    tally.norm(width)
    tally.convolution(width, config.integer("out_channels", default=3), pixels)


def _middle(tally: Tally, config: Config, width: int, pixels: float) -> None:
    resnet(tally, width, width, 0, pixels)
    if config.flag("mid_block_add_attention", default=True, quiet=True):
        tally.norm(width)
        for _ in range(4):
            tally.linear(width, width, pixels)
        tally.attention(width, pixels, pixels)
    resnet(tally, width, width, 0, pixels)


KNOWN_BLOCKS = ("DownBlock2D", "CrossAttnDownBlock2D", "UpBlock2D", "CrossAttnUpBlock2D")


def build_unet(config: Config, _: Config | None) -> Model:
    """UNet2DConditionModel with plain and cross-attention blocks."""
    channels = channels_of(config, (320, 640, 1280, 1280))
    count = len(channels)
    size = config.integer("sample_size", default=64)
    walk = _Walk(config, channels, float(size * size))
    down = block_names(config, "down_block_types", count, "CrossAttnDownBlock2D")
    up = block_names(config, "up_block_types", count, "CrossAttnUpBlock2D")
    for name in (*down, *up):
        if name not in KNOWN_BLOCKS:
            config.notes.give_up(f"block {shown(name)} is counted as one without attention")
    walk.entry()
    walk.descend(down)
    walk.middle()
    walk.ascend(up)
    walk.tally.norm(channels[0])
    walk.tally.convolution(channels[0], config.integer("out_channels", default=4), walk.pixels)
    walk.tally.keeps(3 * channels[0] * walk.pixels, 2 * channels[0] * walk.pixels)
    sample = f"one pass for a latent image of {size} × {size}"
    latent = config.integer("in_channels", default=4) * size * size
    prepared = prepared_bytes(latent, TEXT_TOKENS * walk.contexts[-1])
    return diffusion_model(config, walk.tally, sample, 64 * size * size, prepared=prepared)


class _Walk:
    """Through a UNet from the first convolution down and up again."""

    def __init__(self, config: Config, channels: list[int], pixels: float) -> None:
        count = len(channels)
        self.config, self.channels, self.pixels = config, channels, pixels
        self.tally = Tally()
        self.depths = integers(config, "layers_per_block", count, 2)
        self.transformers = integers(config, "transformer_layers_per_block", count, 1)
        self.contexts = integers(config, "cross_attention_dim", count, 1280, most=1_000_000)
        self.time = config.integer("time_embedding_dim", default=4 * channels[0], derived="4 × the first width")
        self.skips: list[int] = []
        self.width = channels[0]

    def entry(self) -> None:
        """Embeddings of time and, for SDXL, of sizes; the first convolution."""
        config, first = self.config, self.channels[0]
        self.tally.linear(first, self.time, 1)
        self.tally.linear(self.time, self.time, 1)
        kind = config.text("addition_embed_type")
        if kind == "text_time":
            self.tally.linear(config.integer("projection_class_embeddings_input_dim", default=None), self.time, 1)
            self.tally.linear(self.time, self.time, 1)
        for key in ("addition_embed_type", "class_embed_type", "encoder_hid_dim_type"):
            if config.has(key) and not (key == "addition_embed_type" and kind == "text_time"):
                config.notes.give_up(f"{key} {shown(config.data[key])} is not counted")
        self.tally.convolution(config.integer("in_channels", default=4), first, self.pixels)
        self.skips.append(first)

    def descend(self, blocks: list[str]) -> None:
        for index, name in enumerate(blocks):
            outputs = self.channels[index]
            for _ in range(self.depths[index]):
                self._resnet(self.width, outputs)
                if "CrossAttn" in name:
                    self._transformer(outputs, index)
                self.skips.append(outputs)
            if index < len(blocks) - 1:
                self.tally.keeps(outputs * self.pixels)
                self.pixels /= 4
                self.tally.convolution(outputs, outputs, self.pixels)
                self.skips.append(outputs)

    def middle(self) -> None:
        kind = self.config.text("mid_block_type", default="UNetMidBlock2DCrossAttn")
        self._resnet(self.width, self.width)
        if "CrossAttn" in kind:
            self._transformer(self.width, len(self.channels) - 1)
        self._resnet(self.width, self.width)

    def ascend(self, blocks: list[str]) -> None:
        count = len(blocks)
        for index, name in enumerate(blocks):
            mirror = count - 1 - index
            outputs = self.channels[mirror]
            for _ in range(self.depths[mirror] + 1):
                self._resnet(self.width + self.skips.pop(), outputs)
                if "CrossAttn" in name:
                    self._transformer(outputs, mirror)
            if index < count - 1:
                self.pixels *= 4
                self.tally.keeps(outputs * self.pixels)
                self.tally.convolution(outputs, outputs, self.pixels)

    def _resnet(self, inputs: int, outputs: int) -> None:
        resnet(self.tally, inputs, outputs, self.time, self.pixels)
        self.width = outputs

    def _transformer(self, width: int, index: int) -> None:
        """Self-attention, cross-attention to the prompt and a gated feed-forward part, between two projections."""
        tally, pixels, context = self.tally, self.pixels, self.contexts[index]
        tally.norm(width)
        tally.linear(width, width, pixels)
        tally.add(_transformer_block(width, context, pixels), self.transformers[index])
        tally.linear(width, width, pixels)
        tally.keeps(3 * width * pixels, width * pixels)


UNET_BLOCK_VALUES, UNET_BLOCK_REBUILT = 30, 11
"""Kept of each value of a block's input: three norms' inputs and outputs (6), queries, keys, values, output and its
copy (5; 3 in attention to the prompt), gate and value (8), the gate's activation and the product (8). Rebuilt: norms'
outputs (3), the last two (8)."""


def _transformer_block(width: int, context: int, pixels: float) -> Tally:
    tally = Tally()
    for keys, key_rows in ((width, pixels), (context, TEXT_TOKENS)):
        tally.norm(width)
        tally.linear(width, width, pixels, bias=False)
        tally.linear(keys, width, key_rows, bias=False)
        tally.linear(keys, width, key_rows, bias=False)
        tally.attention(width, pixels, key_rows)
        tally.linear(width, width, pixels)
    tally.norm(width)
    tally.linear(width, 8 * width, pixels)
    tally.linear(4 * width, width, pixels)
    tally.keeps(UNET_BLOCK_VALUES * width * pixels + 2 * width * TEXT_TOKENS, UNET_BLOCK_REBUILT * width * pixels)
    tally.closes_block(width * pixels)
    return tally
