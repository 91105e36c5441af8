"""What is seen and heard before an answer in text: images and audio in a prompt, and audio to write down.

An encoder works on them before the prompt is read; what it hands on are tokens of the prompt.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.model import AudioTower, Model, ModelKind, VisionTower
from gpuplanner_gui.domain.preset import scaled
from gpuplanner_gui.domain.quantity import Quantity, central
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.model.operations import layer_attention_flop, layer_matrix_flop_per_token
from gpuplanner_gui.engine.uncertainty.distributions import representative_values

POSITIONS_PER_S = 50.0
"""Encoder positions of a second of audio: two mel frames of 10 ms each (Radford et al. 2022, section 2.2)."""
PROMPT_PER_WINDOW = 4
"""Start, language, task, timestamps: what Whisper's decoder is given before it writes (likewise, section 2.3)."""
USUAL_SIDE = 1024
"""Pixels of an image in a prompt whose size is not stated."""
MEASURED_POSITIONS = 197.0
"""Positions of an image of 224 × 224 in patches of 16, of which the measured samples of image encoders are."""
WINDOW_S = 30.0
"""Length of audio that a tower processes at once; the last is padded (likewise, section 2.2)."""


@dataclass(frozen=True)
class EncoderWork:
    """Work of an encoder for the mean prompt of all classes."""

    flop: float
    passes: float
    """Images and windows of audio, each by itself."""
    prompt_tokens: float
    kind: ModelKind
    """Whose measured samples stand for it, and"""
    samples: float = 1.0
    """to how many of those a pass comes: a large image fills a device as many small ones do."""


def windows_of(one: RequestClass, model: Model) -> float:
    """Windows of audio to write down that the encoder hears, the last one padded. [1]"""
    return math.ceil(one.audio_s * POSITIONS_PER_S / model.encoder_tokens)


def image_tokens(one: RequestClass, tower: VisionTower) -> float:
    """Tokens that an image of a class's size becomes. [tokens]"""
    if tower.image_tokens:
        return float(tower.image_tokens)
    sides = (one.image_width or one.image_height or USUAL_SIDE, one.image_height or one.image_width or USUAL_SIDE)
    return float(math.prod(math.ceil(side / tower.token_pixels) for side in sides))


def media_tokens(one: RequestClass, model: Model) -> float:
    """Tokens of a prompt that images and audio in it become. [tokens]"""
    seen = one.prompt_images * image_tokens(one, model.vision) if model.vision is not None else 0.0
    return seen + (one.prompt_audio_s * model.audio.tokens_per_s if model.audio is not None else 0.0)


def is_imperceptible(one: RequestClass, model: Model) -> bool:
    """Whether a prompt holds images or audio that the model has no encoder for."""
    if one.request != "text":
        return False
    return (one.prompt_images > 0 and model.vision is None) or (one.prompt_audio_s > 0 and model.audio is None)


def found_share(one: RequestClass, serving: ServingWorkload) -> Quantity:
    """Prefix-cache hits that the router leaves: earlier turns of a session lie on one replica. One user has one."""
    is_kept = serving.availability.router == "prefix_affinity" or _is_one_user(serving)
    if is_kept or not one.session_share or not central(one.prefix_cache_share):
        return one.prefix_cache_share
    if one.session_share == 1.0:
        return 0.0
    return scaled(one.prefix_cache_share, 1.0 - one.session_share)


def _is_one_user(serving: ServingWorkload) -> bool:
    return serving.traffic.arrivals == "users" and serving.traffic.users <= 1


def with_media(one: RequestClass, model: Model) -> RequestClass:
    """The class with what its images and audio add to the prompt; of audio to write down, what asks for it."""
    if one.request == "audio":
        return msgspec.structs.replace(one, prompt_tokens=float(PROMPT_PER_WINDOW * windows_of(one, model)))
    added = media_tokens(one, model) if one.request == "text" else 0.0
    if not added:
        return one
    return msgspec.structs.replace(one, prompt_tokens=_longer(one.prompt_tokens, added))


def _longer(prompt: Quantity, tokens: float) -> Quantity:
    """A prompt with so many tokens more on average, spread as before."""
    return scaled(prompt, 1.0 + tokens / float(representative_values(prompt).mean()))


@formula(
    title="Encoder of images or audio",
    unit="flop",
    expression="positions · (matrices + attention · positions) + 2 · other_parameters · tokens",
    source="Kaplan et al. 2020, section 2.1: every position sees all of its image or window; the projector sees tokens",
)
def tower_flop(positions: float, matrices: float, attention: float, other_parameters: float, tokens: float) -> float:
    """FLOPs of one image or window; `matrices` and `attention` of a position, the latter per position seen.

    Examples
    --------
    >>> tower_flop(100.0, 2e6, 10.0, 1000.0, 25.0)
    200150000.0
    """
    return positions * (matrices + attention * positions) + 2.0 * other_parameters * tokens


def _pass_flop(tower: VisionTower | AudioTower, positions: float, tokens: float) -> float:
    matrices = sum(one.count * layer_matrix_flop_per_token(one, tower.hidden_size) for one in tower.layers)
    attention = sum(one.count * float(layer_attention_flop(one, np.ones(1))[0]) for one in tower.layers)
    return tower_flop(positions, matrices, attention, float(tower.other_parameters), tokens)


def encoder_work(serving: ServingWorkload, model: Model) -> EncoderWork | None:
    """What an encoder does before the mean prompt; None where nothing is seen or heard."""

    def mean(of: Callable[[RequestClass], float]) -> float:
        rates = np.array([central(one.peak_rate_per_s) for one in serving.classes])
        return float(rates @ np.array([of(one) for one in serving.classes]) / rates.sum())

    def prompt(one: RequestClass) -> float:
        return float(representative_values(with_media(one, model).prompt_tokens).mean())

    if any(one.request == "audio" for one in serving.classes):
        windows = mean(lambda one: windows_of(one, model))
        return EncoderWork(windows * model.flop_per_sample, 1.0, mean(prompt), "encoder")
    flop = passes = positions = 0.0
    if model.vision is not None:
        tower, passes = model.vision, mean(lambda one: one.prompt_images)
        positions = mean(lambda one: one.prompt_images * image_tokens(one, tower)) * tower.patches_per_token
        flop += mean(lambda one: one.prompt_images * _image_flop(tower, image_tokens(one, tower)))
    if model.audio is not None:
        heard = mean(lambda one: math.ceil(one.prompt_audio_s / WINDOW_S))
        tokens = WINDOW_S * model.audio.tokens_per_s
        flop += heard * _pass_flop(model.audio, WINDOW_S * model.audio.positions_per_s, tokens)
        passes, positions = passes + heard, positions + heard * WINDOW_S * model.audio.positions_per_s
    if not flop > 0:
        return None
    return EncoderWork(flop, passes, mean(prompt), "vision_transformer", max(positions / MEASURED_POSITIONS, 1.0))


def _image_flop(tower: VisionTower, tokens: float) -> float:
    return _pass_flop(tower, tokens * tower.patches_per_token, tokens)
