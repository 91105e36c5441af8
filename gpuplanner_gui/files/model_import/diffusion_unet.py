"""UNets of Stable Diffusion, counted from their diffusers configurations."""

from __future__ import annotations

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.files.model_import.config import Config, shown
from gpuplanner_gui.files.model_import.diffusion import (
    TEXT_TOKENS,
    Tally,
    block_names,
    channels_of,
    diffusion_model,
    integers,
    resnet,
)

KNOWN_BLOCKS = ("DownBlock2D", "CrossAttnDownBlock2D", "UpBlock2D", "CrossAttnUpBlock2D")


def build_unet(config: Config, outer: Config | None) -> Model:
    """UNet2DConditionModel with plain and cross-attention blocks."""
    del outer
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
    return diffusion_model(config, walk.tally, f"one pass for a latent image of {size} × {size}", 64 * size * size)


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
    return tally
