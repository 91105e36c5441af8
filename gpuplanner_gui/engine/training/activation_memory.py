"""Activations, logits and working buffers on one device."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields, replace
from typing import assert_never

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.model import (
    Attention,
    CompressedAttention,
    DenseFfn,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    MoeFfn,
    StateSpace,
)
from gpuplanner_gui.engine.explaining.formula import formula

VALUE_BYTES = 2.0
SCORE_BYTES = 5.0
"""Bytes of one score without flash attention: softmax input and output at 2 bytes, a dropout mask at 1."""
LOG_SUM_BYTES = 4.0


@dataclass(frozen=True)
class LayerActivation:
    """Bytes per token of all layers together."""

    kept: float
    """Bytes kept without recomputation."""
    cheap: float
    """What selective recomputation rebuilds: attention scores, or with flash attention the outputs of norms and of
    activation functions."""
    dense_products: float
    """Part of `cheap` that enters dense down projections."""
    product_inputs: float
    """Part of `kept` that enters matrix products alone; in their narrow format."""
    attention_outputs: float
    """Part of `kept` that enters products and the attention's own backward pass: a narrow copy stands beside it."""
    checkpoint: float
    """The layers' inputs, all that full recomputation keeps."""
    largest_layer: float
    """`kept` of the largest single layer, alive while full recomputation rebuilds it."""
    by_operator: float
    """What recomputation that decides by operator keeps: layers' inputs, attention's outputs, every second product."""
    expanded: float = 0.0
    """Queries, keys and values of latent attention, which its up-projections rebuild."""

    def joined(self, more: LayerActivation, tokens: float) -> LayerActivation:
        """With another stack's, which sees `tokens` for each of this one's."""
        own, other = astuple(self), astuple(more)
        sums = {part.name: a + tokens * b for part, a, b in zip(fields(self), own, other)}
        return replace(self, **(sums | {"largest_layer": max(self.largest_layer, tokens * more.largest_layer)}))

    def bytes_per_token(
        self,
        recompute: int,
        input_bytes: float = VALUE_BYTES,
        selects_by_operator: bool = False,
        selects_dense_products: bool = True,
    ) -> float:
        """What stays between the passes; `recompute` 0 none, 1 selective, 2 full.

        `input_bytes` is the size of a value that enters a product, as kept for the backward pass.
        """
        share = input_bytes / VALUE_BYTES
        saved = self.product_inputs * (1.0 - share) - (self.attention_outputs * share if share < 1.0 else 0.0)
        rebuilt = self.cheap - (0.0 if selects_dense_products else self.dense_products)
        selective = min(self.kept - rebuilt, self.kept - saved - rebuilt * share)
        selective = min(selective, self.by_operator) if selects_by_operator else selective - self.expanded
        return (self.kept - saved, selective, self.checkpoint)[recompute]


def stack_activation(
    groups: tuple[LayerGroup, ...],
    hidden: int,
    sequence_tokens: int,
    has_flash_attention: bool,
    encoder_share: float = 1.0,
) -> LayerActivation:
    """Sum over all layers of a model. [bytes/token]

    `encoder_share` is the number of an encoder's tokens for each of the sequence, which attention to it keeps.
    """
    kept = cheap = dense = inputs = outputs = checkpoint = largest = by_operator = expanded = 0.0
    for group in groups:
        mixer, score = _mixer_bytes(group, hidden, sequence_tokens, has_flash_attention)
        layer = mixer + score + _cross_bytes(group, hidden, encoder_share) + _ffn_bytes(group, hidden)
        kept += group.count * layer
        cheap += group.count * (_rebuilt_bytes(group, hidden) if has_flash_attention else score)
        dense += group.count * _dense_product_bytes(group) * has_flash_attention
        inputs += group.count * _product_input_bytes(group, hidden)
        outputs += group.count * VALUE_BYTES * _mixer_output(group)
        checkpoint += group.count * VALUE_BYTES * hidden
        largest = max(largest, layer)
        by_operator += group.count * _by_operator_bytes(group, hidden, layer)
        expanded += group.count * _expanded_bytes(group) * has_flash_attention
    return LayerActivation(kept, cheap, dense, inputs, outputs, checkpoint, largest, by_operator, expanded)


def _expanded_bytes(group: LayerGroup) -> float:
    """Queries and keys of latent attention, with all heads, and its values."""
    mixer = group.mixer
    if not isinstance(mixer, LatentAttention):
        return 0.0
    head = mixer.qk_nope_head_dim + mixer.qk_rope_head_dim
    return VALUE_BYTES * mixer.heads * (2 * head + mixer.value_head_dim)


def _by_operator_bytes(group: LayerGroup, hidden: int, layer: float) -> float:
    """Input and attention's output whole; of what products make (all the rest but norms' outputs and what activation
    functions rebuild, and the two sums that enter the residual stream) a half."""
    entry, core = VALUE_BYTES * hidden, VALUE_BYTES * _mixer_output(group)
    made = layer - _rebuilt_bytes(group, hidden) - core
    return entry + core + made / 2.0


def _product_input_bytes(group: LayerGroup, hidden: int) -> float:
    """Norms' outputs, what is sent to experts, and what enters the down projections."""
    return _rebuilt_bytes(group, hidden) + _sent_bytes(group, hidden)


def _sent_bytes(group: LayerGroup, hidden: int) -> float:
    """A token's copies that enter its experts. What leaves them is not kept: routing weights multiply what activation
    functions make (arXiv 2603.07685, section 4; Megatron-Core 0.15, transformer/moe/experts.py)."""
    ffn = group.ffn
    return VALUE_BYTES * ffn.top_k * (ffn.expert_input_size or hidden) if isinstance(ffn, MoeFfn) else 0.0


def _mixer_output(group: LayerGroup) -> float:
    mixer = group.mixer
    if isinstance(mixer, Attention):
        return mixer.heads * (mixer.value_head_dim or mixer.head_dim)
    if isinstance(mixer, LatentAttention):
        return mixer.heads * mixer.value_head_dim
    if isinstance(mixer, CompressedAttention | LinearAttention | StateSpace | None):
        return 0.0
    assert_never(mixer)


def _rebuilt_bytes(group: LayerGroup, hidden: int) -> float:
    """Norms' outputs, and what enters the down projections: rebuilt by element-wise kernels alone."""
    parts = (group.mixer, group.cross_attention, group.ffn)
    norms = VALUE_BYTES * hidden * sum(part is not None for part in parts)
    ffn = group.ffn
    if isinstance(ffn, DenseFfn):
        return norms + VALUE_BYTES * ffn.size
    if isinstance(ffn, MoeFfn):
        return norms + VALUE_BYTES * (ffn.top_k * ffn.expert_size + ffn.shared_size + ffn.dense_size)
    if ffn is None:
        return norms
    assert_never(ffn)


def _dense_product_bytes(group: LayerGroup) -> float:
    """What enters down projections outside experts."""
    ffn = group.ffn
    if isinstance(ffn, DenseFfn):
        return VALUE_BYTES * ffn.size
    return VALUE_BYTES * (ffn.shared_size + ffn.dense_size) if isinstance(ffn, MoeFfn) else 0.0


def _mixer_bytes(group: LayerGroup, hidden: int, sequence_tokens: int, has_flash: bool) -> tuple[float, float]:
    mixer = group.mixer
    if mixer is None:
        return 0.0, 0.0
    entry = 2 * VALUE_BYTES * hidden
    if isinstance(mixer, Attention):
        value_dim = mixer.value_head_dim or mixer.head_dim
        wide = mixer.heads * mixer.head_dim * (2 if mixer.output_gate else 1) + mixer.heads * value_dim
        narrow = mixer.kv_heads * (mixer.head_dim + value_dim)
        own = entry + VALUE_BYTES * (wide + narrow)
        return own, _score_bytes(mixer.heads, sequence_tokens, mixer.window, has_flash) + LOG_SUM_BYTES * mixer.heads
    if isinstance(mixer, LatentAttention):
        query = mixer.heads * (mixer.qk_nope_head_dim + mixer.qk_rope_head_dim)
        value = mixer.heads * mixer.value_head_dim
        latent = 2 * (mixer.q_lora_rank + mixer.kv_lora_rank) + mixer.qk_rope_head_dim
        own = entry + VALUE_BYTES * (2 * query + 2 * value + latent)
        return own, _score_bytes(mixer.heads, sequence_tokens, 0, has_flash) + LOG_SUM_BYTES * mixer.heads
    if isinstance(mixer, CompressedAttention):
        wide = 2 * mixer.heads * mixer.head_dim + 2 * mixer.q_lora_rank + mixer.head_dim
        wide += mixer.output_lora_rank * mixer.output_groups
        return entry + VALUE_BYTES * wide, LOG_SUM_BYTES * mixer.heads
    if isinstance(mixer, LinearAttention):
        keys, values = mixer.key_heads * mixer.key_head_dim, mixer.value_heads * mixer.value_head_dim
        return entry + VALUE_BYTES * (4 * keys + 5 * values), 0.0
    if isinstance(mixer, StateSpace):
        return entry + VALUE_BYTES * (5 * mixer.inner_size + 4 * mixer.state_size * max(1, mixer.groups)), 0.0
    assert_never(mixer)


def _cross_bytes(group: LayerGroup, hidden: int, encoder_share: float) -> float:
    """Norm, queries and output of attention to an encoder, and its keys and values."""
    cross = group.cross_attention
    if cross is None:
        return 0.0
    wide = 2 * hidden + 2 * cross.heads * cross.head_dim + 2 * encoder_share * cross.kv_heads * cross.head_dim
    return VALUE_BYTES * wide + LOG_SUM_BYTES * cross.heads


def _score_bytes(heads: int, sequence_tokens: int, window: int, has_flash: bool) -> float:
    seen = min(window, sequence_tokens) if window else sequence_tokens
    return 0.0 if has_flash else SCORE_BYTES * heads * seen


def _ffn_bytes(group: LayerGroup, hidden: int) -> float:
    ffn = group.ffn
    if isinstance(ffn, DenseFfn):
        return 2 * VALUE_BYTES * hidden + VALUE_BYTES * (3 if ffn.gated else 2) * ffn.size
    if isinstance(ffn, MoeFfn):
        parts = 3 if ffn.gated else 2
        routed = ffn.top_k * ffn.expert_size + ffn.shared_size + ffn.dense_size
        sent = _sent_bytes(group, hidden)
        return 2 * VALUE_BYTES * hidden + VALUE_BYTES * parts * routed + sent + 4.0 * ffn.experts
    if ffn is None:
        return 0.0
    assert_never(ffn)


@formula(
    title="Micro-batches in flight on the first stage",
    unit="",
    expression="min(micro_batches, p) · (1 + (p − 1)/(p·v)) with v > 1 virtual stages",
    source="Narayanan et al. 2021, Megatron-LM, section 2.2; Korthikanti et al. 2022, section 4.2.3",
)
def in_flight(micro_batches: Floats, p: Integers, v: Integers) -> Floats:
    """Micro-batches whose activations the first stage holds at once; zero-bubble schedules hold as many as 1F1B."""
    interleaving = np.where((v > 1) & (p > 1), 1.0 + (p - 1) / (p * np.maximum(v, 1)), 1.0)
    return np.minimum(micro_batches, p * interleaving)


@formula(
    title="Micro-batches in flight on the last stage",
    unit="",
    expression="min(micro_batches, 1) without, min(micro_batches, ((v − 1)·p + 1)/v) with v > 1 virtual stages",
    source="Narayanan et al. 2021, Megatron-LM, section 2.2: the other chunks run before the first backward pass",
)
def last_in_flight(micro_batches: Floats, p: Integers, v: Integers) -> Floats:
    """Micro-batches whose activations the last stage holds at once."""
    interleaved = ((v - 1) * p + 1.0) / np.maximum(v, 1)
    return np.asarray(np.minimum(micro_batches, np.where((v > 1) & (p > 1), interleaved, 1.0)))


@formula(
    title="Micro-batches in flight with DualPipe",
    unit="",
    expression="min(micro_batches, p + ½)",
    source="DeepSeek-V3 report 2024, table 2: PP + 1 of half stages, cut in half so that weights stand once",
)
def dualpipe_in_flight(micro_batches: Floats, p: Integers) -> Floats:
    """Micro-batches whose activations every stage holds at once; they come in from both ends."""
    return np.asarray(np.minimum(micro_batches, np.where(p > 1, p + 0.5, 1.0)))


@formula(
    title="Activations on a device",
    unit="bytes",
    expression="tokens · stage share · (kept_bytes_per_token · in_flight + live_bytes_per_token) / shared_ways",
    source="Korthikanti et al. 2022, sections 4 and 5, for current layers (docs/derivations/training.md#activations)",
)
def activation_bytes(
    tokens: Floats,
    stage_share: Floats,
    kept_bytes_per_token: Floats,
    in_flight: Floats,
    live_bytes_per_token: Floats,
    shared_ways: Integers,
) -> Floats:
    """Activations between forward and backward pass. [bytes]

    `tokens` of a micro-batch, `stage_share` of the model's layers on the device, `kept_bytes_per_token` of all layers,
    `live_bytes_per_token` of the layer being recomputed, `shared_ways` tensor (sequence) times context parallelism.
    """
    return tokens * (kept_bytes_per_token * stage_share * in_flight + live_bytes_per_token) / shared_ways


@formula(
    title="Logits and loss on a device",
    unit="bytes",
    expression="logit_bytes · tokens · vocabulary / shared_ways",
    source="16-bit logits, their FP32 copy, and the gradients of both (docs/derivations/training.md#logits)",
)
def logits_bytes(logit_bytes: float, tokens: Floats, vocabulary: float, shared_ways: Integers) -> Floats:
    """What the loss of one micro-batch needs on the last stage. [bytes]"""
    return logit_bytes * tokens * vocabulary / shared_ways


@formula(
    title="Fragmentation",
    unit="bytes",
    expression="fragmentation · (activations + logits)",
    source="reserved less allocated memory: what comes and goes within a step leaves gaps",
)
def fragmentation_bytes(fragmentation: float, activations: Floats, logits: Floats) -> Floats:
    """What the allocator reserves beyond what is allocated. [bytes]"""
    return fragmentation * (activations + logits)


@formula(
    title="Communication buffers",
    unit="bytes",
    expression="gathered_layers · layer_bytes + head_weights + head_gradients + bucket_bytes",
    source="ZeRO-3 gathers layers and head for use; frameworks reduce gradients by the bucket",
)
def buffer_bytes(
    gathered_layers: Floats, layer_bytes: Floats, head_weights: Floats, head_gradients: Floats, bucket_bytes: Floats
) -> Floats:
    """Weights gathered for use, gradients not yet reduced, buckets. [bytes]"""
    return gathered_layers * layer_bytes + head_weights + head_gradients + bucket_bytes


@formula(
    title="Runtime and buffers on a device",
    unit="bytes",
    expression="library_bytes + buffers + fragmentation",
    source="sum of the parts; device context and NCCL take 1 to 4 GB "
    "(docs/derivations/training.md#runtime-and-buffers)",
)
def runtime_bytes(library_bytes: Floats, buffers: Floats, fragmentation: Floats) -> Floats:
    """What a device holds beside state and activations. [bytes]"""
    return library_bytes + buffers + fragmentation
