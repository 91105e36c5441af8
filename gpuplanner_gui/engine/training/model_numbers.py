"""What training needs to know of a model, as plain numbers: parameters by how they are sharded, FLOPs, activations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import assert_never

import msgspec
import numpy as np

from gpuplanner_gui.domain.model import (
    Attention,
    CompressedAttention,
    DenseFfn,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    Model,
    MoeFfn,
    StateSpace,
)
from gpuplanner_gui.engine.model.forward_flops import (
    layer_attention_flop,
    layer_matrix_flop_per_token,
    layer_state_flop,
)
from gpuplanner_gui.engine.model.operations import Dispatch, Experts, Gemm, Operation, encoder_operations, operations
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.training.activation_memory import LayerActivation, stack_activation

CONVOLUTION_BYTES_PER_FLOP = 1.0 / 80.0
"""Kept activations of convolutional networks over the forward pass's FLOPs: about 0.1 GB of 16-bit and FP32 values for
8.2 GFLOP of ResNet-50 at 224 × 224. An estimate."""


@dataclass(frozen=True)
class TrainingNumbers:
    """A model as training sees it; layers are all its stacks together."""

    layers: int
    hidden: int
    heads: int
    """What tensor parallelism must divide; 0: nothing."""
    experts: int
    top_k: int
    moe_layers: int
    dispatched_values: float
    """Values of a token that are sent to its experts: chosen experts times the width that they take; mean over
    layers with experts."""
    vocabulary: int
    dense_layer_parameters: float
    """All layers, routed experts left out."""
    expert_parameters: float
    embedding_parameters: float
    """Embedding parameters, with positions and what belongs to no layer."""
    head_parameters: float
    """Parameters of the output matrix, shared with the embedding or not."""
    is_head_tied: bool
    vector_parameters: float
    """Norms, biases and the like; Muon leaves them, embeddings and head to AdamW."""
    adapter_parameters_per_rank: float
    """Sum of inputs and outputs of all adapted matrices: times the rank gives LoRA's parameters."""
    flop_per_token: float
    """Forward pass; a causal sequence sees half of itself."""
    attention_flop_per_token: float
    head_flop_per_token: float
    kv_width: float
    """Keys plus values over two, all layers together: half of what context parallelism sends around per token."""
    activation: LayerActivation
    """Bytes per token of all layers together."""
    activation_bytes_per_sample: float
    """Activation bytes per sample of a model not made of token layers."""
    is_opaque: bool

    @property
    def parameters(self) -> float:
        tied = 0.0 if self.is_head_tied else self.head_parameters
        return self.dense_layer_parameters + self.expert_parameters + self.embedding_parameters + tied

    def adapter_parameters(self, rank: int) -> float:
        return self.adapter_parameters_per_rank * rank

    @property
    def muon_left_share(self) -> float:
        """Share of parameters whose second moment Muon keeps."""
        tied = 0.0 if self.is_head_tied else self.head_parameters
        return (self.embedding_parameters + tied + self.vector_parameters) / max(self.parameters, 1.0)

    @property
    def factored_share(self) -> float:
        """Rows plus columns of all matrices over their parameters (Adafactor)."""
        return min(1.0, self.adapter_parameters_per_rank / max(self.parameters, 1.0))


@lru_cache(maxsize=256)
def training_operations(model: Model) -> tuple[Operation, ...]:
    """The operations of a pass through all token layers, an encoder's included; a vision tower in front of a language
    model sees few of the tokens and is left out."""
    return (*operations(model), *encoder_operations(msgspec.structs.replace(model, vision=None, audio=None)))


@lru_cache(maxsize=256)
def training_model(model: Model, sequence_tokens: int, has_flash_attention: bool) -> TrainingNumbers:
    """The numbers of a model at a sequence length."""
    counted = model_parameters(model)
    stack = counted.stacks
    is_opaque = not model.layers
    routed = float(counted.routed_experts)
    groups = (*model.layers, *model.encoder_layers)
    seen = (np.asarray((sequence_tokens + 1) / 2), np.asarray(float(sequence_tokens)))
    matrices = sum(one.count * layer_matrix_flop_per_token(one, model.hidden_size) for one in groups)
    matrices += sum(one.count * layer_state_flop(one) for one in groups)
    attention = sum((one.count * float(layer_attention_flop(one, seen[_sees_all(one)])) for one in groups), 0.0)
    head = 2.0 * model.vocab_size * model.hidden_size if model.has_head else 0.0
    moe = [one for one in groups if isinstance(one.ffn, MoeFfn)]
    ffn = moe[0].ffn if moe else None
    expert_counts = [one.ffn.experts for one in moe if isinstance(one.ffn, MoeFfn)]
    sample = float(model.training_flop_per_sample or model.flop_per_sample)
    forward = sample if is_opaque else matrices + attention + head
    return TrainingNumbers(
        layers=sum(one.count for one in groups),
        hidden=model.hidden_size,
        heads=_heads(model),
        experts=int(np.gcd.reduce(expert_counts)) if expert_counts else 0,
        top_k=ffn.top_k if isinstance(ffn, MoeFfn) else 0,
        moe_layers=sum(one.count for one in moe),
        dispatched_values=_dispatched_values(model),
        vocabulary=model.vocab_size if model.has_head else 0,
        dense_layer_parameters=float(stack.total) - routed,
        expert_parameters=routed,
        embedding_parameters=float(counted.embeddings + counted.positions + counted.other),
        head_parameters=float((counted.head or counted.embeddings) if model.has_head else 0),
        is_head_tied=bool(model.has_head and not counted.head),
        vector_parameters=float(stack.total - stack.quantizable - stack.router),
        adapter_parameters_per_rank=_adapter_width(model),
        flop_per_token=forward,
        attention_flop_per_token=attention,
        head_flop_per_token=head,
        kv_width=sum(one.count * _kv_width(one) for one in groups),
        activation=stack_activation(groups, model.hidden_size, sequence_tokens, has_flash_attention),
        activation_bytes_per_sample=_sample_activation_bytes(model),
        is_opaque=is_opaque,
    )


def _sample_activation_bytes(model: Model) -> float:
    """The model's own figure, else what convolutional networks and denoisers usually keep."""
    if model.activation_bytes_per_sample or model.kind not in ("cnn", "diffusion"):
        return float(model.activation_bytes_per_sample)
    return (model.training_flop_per_sample or model.flop_per_sample) * CONVOLUTION_BYTES_PER_FLOP


def _sees_all(group: object) -> bool:
    mixer = getattr(group, "mixer", None)
    return isinstance(mixer, Attention) and not mixer.causal


def _dispatched_values(model: Model) -> float:
    sent = [
        (one.count, one.values_per_token * one.top_k) for one in training_operations(model) if isinstance(one, Dispatch)
    ]
    return sum(count * values for count, values in sent) / max(1, sum(count for count, _ in sent))


def _kv_width(group: LayerGroup) -> float:
    mixer = group.mixer
    if isinstance(mixer, Attention):
        return mixer.kv_heads * (mixer.head_dim + (mixer.value_head_dim or mixer.head_dim)) / 2
    if isinstance(mixer, LatentAttention):
        return (mixer.kv_lora_rank + mixer.qk_rope_head_dim) / 2
    if isinstance(mixer, CompressedAttention):
        return float(mixer.head_dim)
    if isinstance(mixer, LinearAttention | StateSpace | None):
        return 0.0
    assert_never(mixer)


def _heads(model: Model) -> int:
    counts = [
        group.mixer.heads
        for group in (*model.layers, *model.encoder_layers)
        if isinstance(group.mixer, (Attention, LatentAttention, CompressedAttention))
    ]
    return int(np.gcd.reduce(counts)) if counts else 0


def _unfused_inputs(group: LayerGroup) -> int:
    """Matrices of a layer that operations count as part of a fused one: each reads the layer's input once more."""
    ffn = group.ffn
    fused = 2 if isinstance(group.mixer, Attention) and not group.mixer.kv_shared_with_earlier_layer else 0
    if isinstance(ffn, DenseFfn):
        return fused + ffn.gated
    if isinstance(ffn, MoeFfn) and ffn.gated:
        return fused + bool(ffn.shared_size) + bool(ffn.dense_size)
    return fused


def _adapter_width(model: Model) -> float:
    """Inputs plus outputs of every matrix of the layers: queries, keys, values, gate and up each by itself, and every
    routed expert. Llama 3 8B at rank 16: 41,943,040 parameters."""
    width = float(sum(one.count * _unfused_inputs(one) for one in (*model.layers, *model.encoder_layers)))
    width *= model.hidden_size
    for operation in training_operations(model):
        if isinstance(operation, Gemm) and operation.code not in ("head", "router"):
            width += operation.count * (operation.columns + operation.depth)
        elif isinstance(operation, Experts):
            matrix = operation.hidden + operation.size
            width += operation.count * operation.experts * operation.matrices * matrix
    return width
