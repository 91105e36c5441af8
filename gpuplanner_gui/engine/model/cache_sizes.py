"""What a sequence keeps in memory while it is decoded: KV cache per token, windows, fixed recurrent state.

Everything is counted per layer in cached values (`CachedValues`), so any cache precision, context length and share of
the layers follows by multiplication. Contexts and bytes per value may be arrays that broadcast.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import assert_never

import numpy as np
from numpy.typing import ArrayLike

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.model import (
    Attention,
    CompressedAttention,
    CrossAttention,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    Model,
    StateSpace,
)
from gpuplanner_gui.engine.explaining.formula import formula

STATE_BYTES_PER_VALUE = 4
"""Recurrent states are kept in FP32."""
CONVOLUTION_BYTES_PER_VALUE = 2
"""The last inputs of a short convolution are kept in 16 bits."""
INDEX_BYTES_PER_VALUE = 2
BF16_BYTES = 2.0


@dataclass(frozen=True)
class CachedValues:
    """What one layer keeps of one sequence, in values unless the name says bytes."""

    per_token: float = 0.0
    """Keys and values of one token while it is inside the window."""
    window_tokens: int = 0
    """0: every token of the context is kept."""
    compressed_per_token: float = 0.0
    """Grows with the whole context beside a window (compressed attention)."""
    indexer_per_token: float = 0.0
    """Keys of a sparse indexer, kept beside the latent cache."""
    state_bytes: int = 0
    """Fixed, whatever the context."""
    per_encoder_token: float = 0.0
    """Keys and values of the encoder's output, computed once per sequence."""


@lru_cache(maxsize=4096)
def cached_values(group: LayerGroup) -> CachedValues:
    """One layer of a group."""
    encoder_values = _cross_values(group.cross_attention)
    mixer = group.mixer
    if isinstance(mixer, Attention):
        return _attention_values(mixer, encoder_values)
    if isinstance(mixer, LatentAttention):
        return CachedValues(
            per_token=mixer.kv_lora_rank + mixer.qk_rope_head_dim,
            indexer_per_token=mixer.indexer_head_dim if mixer.indexer_heads else 0,
            per_encoder_token=encoder_values,
        )
    if isinstance(mixer, CompressedAttention):
        ratio = mixer.compress_ratio
        kept = mixer.head_dim + (mixer.indexer_head_dim if mixer.indexer_heads else 0)
        return CachedValues(
            per_token=mixer.head_dim,
            window_tokens=mixer.window,
            compressed_per_token=kept / ratio if ratio else 0.0,
            per_encoder_token=encoder_values,
        )
    return CachedValues(state_bytes=_state_bytes(mixer), per_encoder_token=encoder_values)


def _attention_values(mixer: Attention, encoder_values: float) -> CachedValues:
    if not mixer.cached or mixer.kv_shared_with_earlier_layer:
        return CachedValues(per_encoder_token=encoder_values)
    width = mixer.head_dim + (mixer.value_head_dim or mixer.head_dim)
    return CachedValues(mixer.kv_heads * width, mixer.window, per_encoder_token=encoder_values)


def _cross_values(cross: CrossAttention | None) -> float:
    return 2.0 * cross.kv_heads * cross.head_dim if cross is not None else 0.0


def _state_bytes(mixer: LinearAttention | StateSpace | None) -> int:
    """Recurrent state in FP32 and the convolution's tail in 16 bits, per sequence and layer."""
    if isinstance(mixer, LinearAttention):
        keys, values = mixer.key_heads * mixer.key_head_dim, mixer.value_heads * mixer.value_head_dim
        state, channels = mixer.value_heads * mixer.key_head_dim * mixer.value_head_dim, 2 * keys + values
    elif isinstance(mixer, StateSpace):
        state = mixer.inner_size * mixer.state_size
        channels = mixer.inner_size + (2 * mixer.groups * mixer.state_size if mixer.kind == "mamba2" else 0)
    elif mixer is None:
        return 0
    else:
        assert_never(mixer)
    tail = max(mixer.conv_kernel - 1, 0)
    return state * STATE_BYTES_PER_VALUE + channels * tail * CONVOLUTION_BYTES_PER_VALUE


@formula(
    title="KV cache per token",
    unit="bytes",
    expression="Σ layers × KV heads × (key size + value size) × bytes per value",
    source="Pope et al. 2022, section 3.3; latent cache: DeepSeek-V2 report, section 2.1",
)
def kv_bytes_per_token(model: Model, bytes_per_value: ArrayLike = BF16_BYTES) -> Floats:
    """Growth of one sequence's cache per token while every window has room; shape of `bytes_per_value`.

    Windowed layers count in full, compressed ones by their ratio (their short windows are in `sequence_cache_bytes`);
    a sparse indexer's keys are in `indexer_bytes_per_token`.
    """
    values = sum(group.count * _growth(group, inside_window=True) for group in model.layers)
    return np.asarray(bytes_per_value, dtype=np.float64) * values


@formula(
    title="KV cache per token beyond the windows",
    unit="bytes",
    expression="as KV cache per token, without windowed layers",
    source="as KV cache per token",
)
def kv_bytes_per_token_beyond_window(model: Model, bytes_per_value: ArrayLike = BF16_BYTES) -> Floats:
    """Growth of one sequence's cache per token once every window is full; shape of `bytes_per_value`."""
    values = sum(group.count * _growth(group, inside_window=False) for group in model.layers)
    return np.asarray(bytes_per_value, dtype=np.float64) * values


def _growth(group: LayerGroup, *, inside_window: bool) -> float:
    values = cached_values(group)
    if isinstance(group.mixer, CompressedAttention):
        return values.compressed_per_token
    return values.per_token if inside_window or not values.window_tokens else 0.0


def has_kv_cache(model: Model) -> bool:
    """Whether a model caches anything in a format that is chosen; recurrent states and encoders do not."""
    kept = (cached_values(group) for group in model.layers)
    return any(one.per_token or one.compressed_per_token or one.per_encoder_token for one in kept)


def indexer_bytes_per_token(model: Model) -> float:
    """What sparse indexers of latent attention keep per token, beside the KV cache."""
    values = sum(group.count * cached_values(group).indexer_per_token for group in model.layers)
    return values * INDEX_BYTES_PER_VALUE


def fixed_state_bytes_per_sequence(model: Model) -> int:
    """Recurrent state and convolution tails of one sequence, whatever its length."""
    return sum(group.count * cached_values(group).state_bytes for group in model.layers)


def cross_attention_bytes_per_sequence(
    model: Model, encoder_tokens: ArrayLike | None = None, bytes_per_value: ArrayLike = BF16_BYTES
) -> Floats:
    """Keys and values of the encoder's output; by default for the model's own fixed encoder length."""
    tokens = np.asarray(model.encoder_tokens if encoder_tokens is None else encoder_tokens, dtype=np.float64)
    values = sum(group.count * cached_values(group).per_encoder_token for group in model.layers)
    return tokens * values * np.asarray(bytes_per_value, dtype=np.float64)
