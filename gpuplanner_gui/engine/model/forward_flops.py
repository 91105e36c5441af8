"""FLOPs of a forward pass, per token: matrices by the parameters that a token uses, attention by the context it sees.

A multiply-add counts as two. Arrays of context lengths broadcast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

import numpy as np
from numpy.typing import ArrayLike

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.model import (
    Attention,
    CompressedAttention,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    Model,
    StateSpace,
)
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.model.parameters import layer_parameters

DELTA_RULE_FLOP_PER_STATE = 7.0
"""Decay, correction read, update and query read of a state: 1 + 2 + 2 + 2 per value and token."""
RECURRENCE_FLOP_PER_STATE = 5.0
"""Decay, update and read of a state: 1 + 2 + 2."""


@dataclass(frozen=True)
class ForwardFlop:
    """FLOPs per token; the parts add up to `total`."""

    matrices: Floats
    attention: Floats
    state: Floats
    head: Floats

    @property
    def total(self) -> Floats:
        return self.matrices + self.attention + self.state + self.head


def layer_matrix_flop_per_token(group: LayerGroup, hidden_size: int) -> float:
    """One layer's matrix products: twice the matrix parameters that a token uses."""
    parameters = layer_parameters(group, hidden_size)
    used = parameters.quantizable + parameters.router - parameters.idle_experts
    return 2.0 * used


def layer_attention_flop(group: LayerGroup, context_tokens: Floats, *, absorbed: bool = False) -> Floats:
    """One layer's scores and weighted values for one query token that sees `context_tokens`.

    `absorbed`: latent attention computed on the latent vectors themselves, as decoding does.
    """
    mixer = group.mixer
    if isinstance(mixer, Attention):
        seen = np.minimum(context_tokens, mixer.window) if mixer.window else context_tokens
        return np.asarray(2.0 * mixer.heads * (mixer.head_dim + (mixer.value_head_dim or mixer.head_dim)) * seen)
    if isinstance(mixer, LatentAttention):
        seen = np.minimum(context_tokens, mixer.indexer_top_k) if mixer.indexer_top_k else context_tokens
        rank, rope = mixer.kv_lora_rank, mixer.qk_rope_head_dim
        width = 2 * rank + rope if absorbed else mixer.qk_nope_head_dim + rope + mixer.value_head_dim
        indexer = 2.0 * mixer.indexer_heads * mixer.indexer_head_dim * context_tokens
        return np.asarray(2.0 * mixer.heads * width * seen + indexer)
    if isinstance(mixer, CompressedAttention):
        return _compressed_flop(mixer, context_tokens)
    if isinstance(mixer, LinearAttention | StateSpace | None):
        return np.zeros_like(context_tokens)
    assert_never(mixer)


def _compressed_flop(mixer: CompressedAttention, context_tokens: Floats) -> Floats:
    seen = np.minimum(context_tokens, mixer.window) if mixer.window else context_tokens
    indexer = np.zeros_like(context_tokens)
    if mixer.compress_ratio:
        blocks = context_tokens / mixer.compress_ratio
        indexer = 2.0 * mixer.indexer_heads * mixer.indexer_head_dim * blocks
        seen = seen + (np.minimum(blocks, mixer.indexer_top_k) if mixer.indexer_top_k else blocks)
    return np.asarray(4.0 * mixer.heads * mixer.head_dim * seen + indexer)


def layer_state_flop(group: LayerGroup) -> float:
    """One layer's recurrent state, per token."""
    mixer = group.mixer
    if isinstance(mixer, LinearAttention):
        state = mixer.value_heads * mixer.key_head_dim * mixer.value_head_dim
        return (RECURRENCE_FLOP_PER_STATE if mixer.kind == "lightning" else DELTA_RULE_FLOP_PER_STATE) * state
    if isinstance(mixer, StateSpace):
        return RECURRENCE_FLOP_PER_STATE * mixer.inner_size * mixer.state_size
    if isinstance(mixer, Attention | LatentAttention | CompressedAttention | None):
        return 0.0
    assert_never(mixer)


@formula(
    title="Forward FLOPs per token",
    unit="flop",
    expression="2 × matrix parameters used + Σ layers × 2 × heads × (key size + value size) × context + state + head",
    source="Kaplan et al. 2020, section 2.1; latent attention: DeepSeek-V2 report, section 2.1",
)
def forward_flop_per_token(model: Model, context_tokens: ArrayLike, *, absorbed: bool = False) -> ForwardFlop:
    """One token that sees `context_tokens`, through the model's own layers; shape of `context_tokens`.

    A causal prefill of n tokens sees (n + 1) / 2 on average.
    """
    context = np.asarray(context_tokens, dtype=np.float64)
    matrices, state, attention = 0.0, 0.0, np.zeros_like(context)
    for group in model.layers:
        matrices += group.count * layer_matrix_flop_per_token(group, model.hidden_size)
        state += group.count * layer_state_flop(group)
        attention = attention + group.count * layer_attention_flop(group, context, absorbed=absorbed)
    head = 2.0 * model.vocab_size * model.hidden_size if model.has_head else 0.0
    ones = np.ones_like(context)
    return ForwardFlop(matrices * ones, np.asarray(attention), state * ones, head * ones)
