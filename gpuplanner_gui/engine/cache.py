"""What a running sequence keeps in device memory: KV cache, latent vectors, recurrent state; on one device of a replica."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.model import (
    Attention,
    CompressedAttention,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    Model,
    StateSpace,
)
from gpuplanner_gui.engine.formula import formula

Floats = NDArray[np.float64]

STATE_BYTES_PER_VALUE = 4.0
"""Recurrent state is kept in FP32; the tail of the convolution in 16 bits."""


@dataclass(frozen=True)
class CacheLayer:
    """Cached values of some equal layers: per token and KV head, up to a window, plus a fixed state per sequence."""

    count: int
    kv_heads: int
    values_per_head: float
    window_tokens: float
    """numpy.inf: no window."""
    tokens_per_entry: float
    """Above 1 where keys are compressed."""
    is_sharded: bool
    """False where every tensor-parallel device holds all of it (latent vectors)."""
    state_bytes: float
    """Per layer and sequence, before sharding."""


def cache_layers(model: Model) -> tuple[CacheLayer, ...]:
    """What each group of a model's layers caches while decoding."""
    return tuple(layer for group in model.layers for layer in _cache_of(group))


def _cache_of(group: LayerGroup) -> Iterator[CacheLayer]:
    mixer, count, unlimited = group.mixer, group.count, float("inf")
    if isinstance(mixer, Attention) and mixer.cached and not mixer.kv_shared_with_earlier_layer:
        values = mixer.head_dim + (mixer.value_head_dim or mixer.head_dim)
        yield CacheLayer(count, mixer.kv_heads, values, mixer.window or unlimited, 1.0, True, 0.0)
    elif isinstance(mixer, LatentAttention):
        values = mixer.kv_lora_rank + mixer.qk_rope_head_dim + (mixer.indexer_head_dim if mixer.indexer_heads else 0)
        yield CacheLayer(count, 1, values, unlimited, 1.0, False, 0.0)
    elif isinstance(mixer, CompressedAttention):
        if mixer.window:
            yield CacheLayer(count, 1, mixer.head_dim, mixer.window, 1.0, False, 0.0)
        if mixer.compress_ratio:
            values = mixer.head_dim + (mixer.indexer_head_dim if mixer.indexer_heads else 0)
            yield CacheLayer(count, 1, values, unlimited, mixer.compress_ratio, False, 0.0)
    elif isinstance(mixer, LinearAttention):
        keys, values = mixer.key_heads * mixer.key_head_dim, mixer.value_heads * mixer.value_head_dim
        state = mixer.value_heads * mixer.key_head_dim * mixer.value_head_dim * STATE_BYTES_PER_VALUE
        tail = (2 * keys + values) * max(0, mixer.conv_kernel - 1) * 2.0
        yield CacheLayer(count, 0, 0.0, 0.0, 1.0, True, state + tail)
    elif isinstance(mixer, StateSpace):
        state = mixer.inner_size * mixer.state_size * STATE_BYTES_PER_VALUE
        channels = mixer.inner_size + 2 * mixer.groups * mixer.state_size
        yield CacheLayer(count, 0, 0.0, 0.0, 1.0, True, state + channels * max(0, mixer.conv_kernel - 1) * 2.0)


@formula(
    title="Cache of one sequence",
    unit="bytes",
    expression="Σ layers/pipeline_parallel · (heads on the device · values per head · min(context, window)/compression"
    " · bytes_per_value + state/tensor_parallel)",
    source="engine notes, models: KV cache bytes per token; KV heads are replicated once tensor_parallel exceeds them",
)
def sequence_cache_bytes(
    layers: tuple[CacheLayer, ...],
    context_tokens: Floats,
    tensor_parallel: NDArray[np.int64],
    pipeline_parallel: NDArray[np.int64],
    bytes_per_value: Floats,
) -> Floats:
    """Memory that one sequence of a given length takes on one device.

    Parameters
    ----------
    layers : tuple of CacheLayer
        From `cache_layers`.
    context_tokens : float array
        Tokens of prompt and answer held. [tokens]
    tensor_parallel, pipeline_parallel : int array
        Devices that share each layer, and stages that share the layers. [1]
    bytes_per_value : float array
        Size of one cached number. [bytes]

    All arrays broadcast together.

    Returns
    -------
    float array, broadcast shape
        The largest share of any device. [bytes]
    """
    total = np.zeros(np.broadcast(context_tokens, tensor_parallel, pipeline_parallel, bytes_per_value).shape)
    for layer in layers:
        if layer.kv_heads:
            heads = np.ceil(layer.kv_heads / tensor_parallel) if layer.is_sharded else layer.kv_heads
            entries = np.minimum(context_tokens, layer.window_tokens) / layer.tokens_per_entry
            total = total + layer.count * heads * layer.values_per_head * entries * bytes_per_value
        if layer.state_bytes:
            total = total + layer.count * layer.state_bytes / tensor_parallel
    return total / pipeline_parallel
