"""What a running sequence keeps in the memory of one device of a replica: KV cache, latent vectors, recurrent state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.model import Attention, Model
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.model.cache_sizes import INDEX_BYTES_PER_VALUE, CachedValues, cached_values


@dataclass(frozen=True)
class CacheGroup:
    """What equal layers cache, and the heads over which tensor parallelism can spread it."""

    count: int
    values: CachedValues
    kv_heads: int
    """0: every device holds all of it (latent vectors, shared wide heads)."""


def cache_groups(model: Model) -> tuple[CacheGroup, ...]:
    """What each group of a model's layers caches while decoding."""
    return tuple(
        CacheGroup(
            group.count,
            cached_values(group),
            group.mixer.kv_heads if isinstance(group.mixer, Attention) else 0,
        )
        for group in model.layers
    )


@formula(
    title="Cache of one sequence on a device",
    unit="bytes",
    expression="Σ layers/pipeline_parallel · (⌈KV heads/tensor_parallel⌉/KV heads · values per token · min(context,"
    " window) · bytes_per_value + state/tensor_parallel)",
    source="KV cache bytes per token by attention kind; KV heads are replicated once tensor_parallel exceeds them",
)
def device_cache_bytes(
    groups: tuple[CacheGroup, ...],
    context_tokens: Floats,
    tensor_parallel: Floats,
    pipeline_parallel: Floats,
    bytes_per_value: Floats,
) -> Floats:
    """Memory that one sequence of a given length takes on one device.

    Parameters
    ----------
    groups : tuple of CacheGroup
        From `cache_groups`.
    context_tokens : float array
        Tokens of prompt and answer held. [tokens]
    tensor_parallel, pipeline_parallel : float array
        Devices that share each layer, and stages that share the layers. [1]
    bytes_per_value : float array
        Size of one cached number. [bytes]

    All arrays broadcast together.

    Returns
    -------
    float array, broadcast shape
        Of a device with the mean number of layers. [bytes]
    """
    total = np.zeros(np.broadcast(context_tokens, tensor_parallel, pipeline_parallel, bytes_per_value).shape)
    for group in groups:
        values = group.values
        share = np.ceil(group.kv_heads / tensor_parallel) / group.kv_heads if group.kv_heads else 1.0
        held = np.minimum(context_tokens, values.window_tokens) if values.window_tokens else context_tokens
        kept = (held * values.per_token + context_tokens * values.compressed_per_token) * bytes_per_value
        indexer = context_tokens * (values.indexer_per_token * INDEX_BYTES_PER_VALUE)
        total = total + group.count * (share * kept + indexer + values.state_bytes / tensor_parallel)
    return np.asarray(total / pipeline_parallel)
