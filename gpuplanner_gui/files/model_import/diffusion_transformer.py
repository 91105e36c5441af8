"""Diffusion transformers of images and videos, counted module by module from their diffusers configurations."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.diffusion import Tally, diffusion_model, prepared_bytes

IMAGE_PIXELS, IMAGE_TOKENS = 1024 * 1024, 4096
"""An image of 1024 × 1024, and after the autoencoder and 2 × 2 patches."""
FLUX_TEXT_TOKENS = 512
SD3_TEXT_TOKENS = 333
QWEN_TEXT_TOKENS = 512
WAN_TEXT_TOKENS = 512
WAN_PIXELS, WAN_FRAMES = 832 * 480, 81
WAN_LATENT_FRAMES = 21
"""Four frames share a latent one, after the first."""
PATCH_PIXELS = 16 * 16
FINE_CHANNELS, COARSE_PIXELS = 48, 32 * 32
"""Wan 2.2's autoencoder of 48 channels halves width and height once more."""
WIDE = 10_000_000
MODULATED_ATTENTION, ITS_REBUILT = 9, 2
"""Kept of each value of the width: a norm's input and output, the modulated output, queries, keys, values, the
attention's output and its copy, and the branch's output, which its gate multiplies. Rebuilt: the second and third."""
MODULATED_FFN, FFN_REBUILT = 12, 6
"""Likewise: norm, modulation and branch (4), input and output of an activation function of four widths (8)."""
UNUSED_TEXT, SECOND_ATTENTION = 6, 7
"""Text that no later block reads ends with its keys and values; a second attention shares the norm's input and its
output."""
SINGLE_BLOCK, SINGLE_REBUILT = 17, 6
"""Norm and modulation (3), queries, keys, values, output (4), activation function (4), both branches joined (5), and
their product (1). Rebuilt: norm's and activation function's outputs, modulation."""
QK_NORM, QK_NORM_REBUILT = 8, 6
"""Norms of queries and keys compute in FP32 and keep two copies of each."""
WAN_BLOCK, WAN_REBUILT, WAN_TEXT = 36, 19, 8
"""Of the width, beside the feed-forward part: twelve FP32 values of three norms, of norms of queries and keys, and of a
gate; twelve 16-bit ones. And of the prompt's keys and values."""


def build_flux(config: Config, _: Config | None) -> Model:
    """FLUX: blocks that keep image and text apart, then blocks on both together."""
    heads = config.integer("num_attention_heads", default=24)
    head_dim = config.integer("attention_head_dim", default=128)
    width, inputs = heads * head_dim, config.integer("in_channels", default=64)
    patch = config.integer("patch_size", default=1)
    outputs = patch * patch * config.integer("out_channels", default=inputs, derived="as in_channels")
    joint = _Joint(width, head_dim, IMAGE_TOKENS, FLUX_TEXT_TOKENS, has_qk_norm=True)
    tally = Tally()
    tally.linear(inputs, width, joint.image)
    text = config.integer("joint_attention_dim", default=4096)
    tally.linear(text, width, joint.text)
    embedded = [256, config.integer("pooled_projection_dim", default=768)]
    if config.flag("guidance_embeds", default=False):
        embedded.append(256)
    _embeddings(tally, embedded, width)
    tally.add(joint.block(), config.integer("num_layers", default=19))
    tally.add(joint.single_block(), config.integer("num_single_layers", default=38))
    _exit(tally, width, outputs, joint.image)
    return joint.model(config, tally, inputs, text)


def build_sd3(config: Config, _: Config | None) -> Model:
    """Stable Diffusion 3 and 3.5: joint blocks; the last keeps no text; some have a second attention of the image."""
    layers = config.integer("num_layers", default=18)
    head_dim = config.integer("attention_head_dim", default=64)
    width = head_dim * config.integer("num_attention_heads", default=18)
    patch = config.integer("patch_size", default=2)
    inputs = config.integer("in_channels", default=16)
    outputs = config.integer("out_channels", default=inputs, derived="as in_channels")
    dual = [layer for layer in config.items("dual_attention_layers", int, most=layers) if 0 <= layer < layers]
    joint = _Joint(width, head_dim, IMAGE_TOKENS, SD3_TEXT_TOKENS, has_qk_norm=config.has("qk_norm"))
    tally = Tally()
    tally.linear(inputs * patch * patch, width, joint.image)
    _embeddings(tally, [256, config.integer("pooled_projection_dim", default=2048)], width)
    text = config.integer("joint_attention_dim", default=4096)
    tally.linear(text, width, joint.text)
    tally.add(joint.block(), layers - 1)
    tally.add(joint.block(keeps_text=False), 1)
    tally.add(joint.second_attention(), len(set(dual)))
    _exit(tally, width, outputs * patch * patch, joint.image)
    return joint.model(config, tally, inputs * patch * patch, text)


def build_qwen_image(config: Config, _: Config | None) -> Model:
    """Qwen-Image: joint blocks, conditioned by the time alone."""
    head_dim = config.integer("attention_head_dim", default=128)
    width = head_dim * config.integer("num_attention_heads", default=24)
    patch, text = config.integer("patch_size", default=2), config.integer("joint_attention_dim", default=3584)
    outputs = config.integer("out_channels", default=16)
    joint = _Joint(width, head_dim, IMAGE_TOKENS, QWEN_TEXT_TOKENS, has_qk_norm=True)
    tally = Tally(parameters=text)
    inputs = config.integer("in_channels", default=64)
    tally.linear(inputs, width, joint.image)
    tally.linear(text, width, joint.text)
    _embeddings(tally, [256], width)
    tally.add(joint.block(), config.integer("num_layers", default=60))
    _exit(tally, width, outputs * patch * patch, joint.image)
    return joint.model(config, tally, inputs, text)


def build_wan(config: Config, _: Config | None) -> Model:
    """Wan: blocks of self-attention over all frames, attention to the prompt (and a first image), feed-forward part."""
    width = config.integer("attention_head_dim", default=128) * config.integer("num_attention_heads", default=40)
    latent = config.integer("in_channels", default=16)
    outputs = config.integer("out_channels", default=16)
    patch = 1
    for side in config.items("patch_size", int, most=3) or [1, 2, 2]:
        patch *= min(max(side, 1), WIDE)
    tokens = WAN_LATENT_FRAMES * WAN_PIXELS // (COARSE_PIXELS if latent == FINE_CHANNELS else PATCH_PIXELS)
    tally = Tally()
    tally.linear(latent * patch, width, tokens)
    _embeddings(tally, [config.integer("freq_dim", default=256)], width)
    tally.linear(width, 6 * width, 1)
    text = config.integer("text_dim", default=4096)
    tally.linear(text, width, WAN_TEXT_TOKENS)
    tally.linear(width, width, WAN_TEXT_TOKENS)
    image = config.integer("image_dim", default=0, least=0) if config.has("image_dim") else 0
    if image:
        tally.norm(image)
        tally.linear(image, image, 1)
        tally.linear(image, width, 1)
        tally.norm(width)
    block = _wan_block(
        width, tokens, config.integer("ffn_dim", default=13824), has_image=config.has("added_kv_proj_dim")
    )
    if config.flag("cross_attn_norm", default=True):
        block.norm(width)
    tally.add(block, config.integer("num_layers", default=40))
    tally.parameters += 2 * width
    tally.linear(width, outputs * patch, tokens)
    sample = "one pass for 81 frames of 832 × 480 with 512 text tokens"
    prepared = prepared_bytes(latent * patch * tokens, WAN_TEXT_TOKENS * text)
    return diffusion_model(config, tally, sample, WAN_PIXELS, WAN_FRAMES, prepared)


def _wan_block(width: int, tokens: int, ffn: int, *, has_image: bool) -> Tally:
    tally = Tally(parameters=6 * width)
    for keys in (tokens, WAN_TEXT_TOKENS):
        tally.linear(width, width, tokens)
        tally.linear(width, width, keys)
        tally.linear(width, width, keys)
        tally.linear(width, width, tokens)
        tally.norm(width)
        tally.attention(width, tokens, keys)
    if has_image:
        tally.linear(width, width, 1)
        tally.linear(width, width, 1)
        tally.parameters += width
    tally.linear(width, ffn, tokens)
    tally.linear(ffn, width, tokens)
    kept = (WAN_BLOCK * width + 2 * ffn) * tokens + WAN_TEXT * width * WAN_TEXT_TOKENS
    tally.keeps(kept, (WAN_REBUILT * width + ffn) * tokens)
    tally.closes_block(width * tokens)
    return tally


def _embeddings(tally: Tally, sizes: list[int], width: int) -> None:
    """What conditions all blocks: of time, guidance and the pooled prompt, two layers each."""
    for size in sizes:
        tally.linear(size, width, 1)
        tally.linear(width, width, 1)


def _exit(tally: Tally, width: int, outputs: int, tokens: int) -> None:
    tally.linear(width, 2 * width, 1)
    tally.linear(width, outputs, tokens)
    tally.keeps(3 * width * tokens, 2 * width * tokens)


@dataclass(frozen=True)
class _Joint:
    """Blocks on tokens of an image and of its prompt, which attend to each other."""

    width: int
    head_dim: int
    image: int
    text: int
    has_qk_norm: bool

    def block(self, *, keeps_text: bool = True) -> Tally:
        """Own projections for image and text; the last block of some models drops the text after its attention."""
        width, tally = self.width, Tally()
        for tokens, is_kept in ((self.image, True), (self.text, keeps_text)):
            tally.linear(width, (6 if is_kept else 2) * width, 1)
            for _ in range(4 if is_kept else 3):
                tally.linear(width, width, tokens)
            tally.parameters += 2 * self.head_dim if self.has_qk_norm else 0
            if is_kept:
                tally.linear(width, 4 * width, tokens)
                tally.linear(4 * width, width, tokens)
            self._keep(tally, tokens, MODULATED_ATTENTION if is_kept else UNUSED_TEXT, ITS_REBUILT)
            if is_kept:
                tally.keeps(MODULATED_FFN * width * tokens, FFN_REBUILT * width * tokens)
        tally.attention(width, self.image + self.text, self.image + self.text)
        tally.closes_block(width * (self.image + self.text))
        return tally

    def _keep(self, tally: Tally, tokens: int, values: int, rebuilt: int) -> None:
        """So many values of each of the width, and what norms of queries and keys add."""
        more, made = (QK_NORM, QK_NORM_REBUILT) if self.has_qk_norm else (0, 0)
        tally.keeps((values + more) * self.width * tokens, (rebuilt + made) * self.width * tokens)

    def model(self, config: Config, tally: Tally, inputs: int, text_width: int) -> Model:
        """A pass for an image of 1024 × 1024, whose tokens have so many latent values each, and its prompt."""
        sample = f"one pass for an image of 1024 × 1024 with {self.text} text tokens"
        prepared = prepared_bytes(inputs * self.image, self.text * text_width)
        return diffusion_model(config, tally, sample, IMAGE_PIXELS, prepared=prepared)

    def second_attention(self) -> Tally:
        """Attention of the image to itself beside the joint one, with its share of the modulation."""
        width, tally = self.width, Tally()
        tally.linear(width, 3 * width, 1)
        for _ in range(4):
            tally.linear(width, width, self.image)
        tally.parameters += 2 * self.head_dim if self.has_qk_norm else 0
        tally.attention(width, self.image, self.image)
        self._keep(tally, self.image, SECOND_ATTENTION, 1)
        tally.held = 0.0  # Rebuilt with the block that it stands in.
        return tally

    def single_block(self) -> Tally:
        """One projection for both kinds of token, the feed-forward part beside the attention."""
        width, tokens, tally = self.width, self.image + self.text, Tally()
        tally.linear(width, 3 * width, 1)
        tally.linear(width, 4 * width, tokens)
        for _ in range(3):
            tally.linear(width, width, tokens)
        tally.parameters += 2 * self.head_dim if self.has_qk_norm else 0
        tally.linear(5 * width, width, tokens)
        tally.attention(width, tokens, tokens)
        self._keep(tally, tokens, SINGLE_BLOCK, SINGLE_REBUILT)
        tally.closes_block(width * tokens)
        return tally
