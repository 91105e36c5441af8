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
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.operations import (
    Dispatch,
    Experts,
    Gemm,
    Operation,
    encoder_operations,
    layer_attention_flop,
    layer_matrix_flop_per_token,
    layer_state_flop,
    operations,
)
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.training.activation_memory import LayerActivation, stack_activation

UNKNOWN_BYTES_PER_FLOP = {"diffusion": 1.0 / 1_500, "cnn": 1.0 / 105}
"""Activations of a model of unknown blocks over the FLOPs of its forward pass: geometric means of ten denoisers and of
six convolutional networks (docs/derivations/training.md#models-that-are-not-made-of-tokens)."""
UNKNOWN_CHECKPOINT_SHARE = 0.2
"""Share of the activations that full recomputation keeps for a model of unknown blocks: about 2/√n of n = 100 layers
(Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost, section 4)."""


@dataclass(frozen=True)
class TrainingNumbers:
    """A model as training sees it; layers are all its stacks together."""

    layers: int
    hidden: int
    heads: int
    """What tensor parallelism must divide; 0: nothing."""
    experts: int
    expert_size: int
    """Width of an expert, which its tensor parallelism must divide."""
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
    adapter_values_per_token: float
    """Values that one token brings into and out of adapted matrices; of routed experts, those that are chosen."""
    flop_per_token: float
    """Forward pass; a causal sequence sees half of itself."""
    attention_flop_per_token: float
    head_flop_per_token: float
    kv_width: float
    """Keys plus values over two, all layers together: half of what context parallelism sends around per token."""
    activation: LayerActivation
    """Bytes per token of all layers together; per sample for a model not made of token layers."""
    is_opaque: bool
    """Whether the model is not made of token layers: its layers are blocks, which only recomputation tells apart."""

    @property
    def parted_layers(self) -> int:
        """Layers that parallelism may divide; 0: none."""
        return 0 if self.is_opaque else self.layers

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


def sample_tokens(model: Model, sequence_length: int) -> int:
    """Tokens of a sequence: of a model trained by samples what one sample has, else what is asked for."""
    if not model.layers:
        return 1
    if model.kind == "vision_transformer" and model.encoder_tokens:
        return model.encoder_tokens
    # An audio window has a transcript of its own length, which its decoder limits.
    is_limited = model.encoder_tokens and model.encoder_layers and model.max_context
    return min(sequence_length, model.max_context) if is_limited else sequence_length


def encoder_share(model: Model, sequence_tokens: int) -> float:
    """Tokens of the encoder for each of the sequence: it sees as many, unless its own number is fixed (Whisper)."""
    return model.encoder_tokens / sequence_tokens if model.encoder_tokens and model.encoder_layers else 1.0


@lru_cache(maxsize=256)
def placed_operations(model: Model) -> tuple[tuple[Operation, bool], ...]:
    """The operations of a pass through all token layers, each with whether the encoder's tokens go through it; a vision
    tower in front of a language model sees few of the tokens and is left out."""
    encoder = encoder_operations(msgspec.structs.replace(model, vision=None, audio=None))
    keys = tuple(
        Gemm("cross_keys", one.count, cross_key_columns(one), model.hidden_size, "columns")
        for one in model.layers
        if one.cross_attention is not None
    )
    return (*((one, False) for one in operations(model)), *((one, True) for one in (*keys, *encoder)))


def training_operations(model: Model) -> tuple[Operation, ...]:
    """The operations of a pass through all token layers, an encoder's included."""
    return tuple(one for one, _ in placed_operations(model))


@lru_cache(maxsize=256)
def training_model(model: Model, sequence_tokens: int, has_flash_attention: bool) -> TrainingNumbers:
    """The numbers of a model at a sequence length."""
    counted = model_parameters(model)
    stack = counted.stacks
    if not model.layers:
        return _sample_numbers(model)
    routed = float(counted.routed_experts)
    groups = (*model.layers, *model.encoder_layers)
    share = encoder_share(model, sequence_tokens)
    matrices, attention = _stack_flop(model.layers, model.hidden_size, sequence_tokens)
    encoder = _stack_flop(model.encoder_layers, model.hidden_size, round(share * sequence_tokens))
    matrices, attention = matrices + share * encoder[0], attention + share * encoder[1]
    keys = sum(one.count * cross_key_columns(one) * 2.0 * model.hidden_size for one in model.layers)
    matrices += (share - 1.0) * keys
    if model.encoder_tokens:
        attention += sum(one.count * _cross_width(one) * 4.0 * model.encoder_tokens for one in model.layers)
    head = 2.0 * model.vocab_size * model.hidden_size if model.has_head else 0.0
    moe = [one for one in groups if isinstance(one.ffn, MoeFfn)]
    ffn = moe[0].ffn if moe else None
    expert_counts = [one.ffn.experts for one in moe if isinstance(one.ffn, MoeFfn)]
    return TrainingNumbers(
        layers=sum(one.count for one in groups),
        hidden=model.hidden_size,
        heads=Context.heads(model, with_encoder=True),
        experts=int(np.gcd.reduce(expert_counts)) if expert_counts else 0,
        expert_size=int(np.gcd.reduce([one.ffn.expert_size for one in moe if isinstance(one.ffn, MoeFfn)] or [0])),
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
        adapter_parameters_per_rank=_adapter_width(model, chosen_alone=False),
        adapter_values_per_token=_adapter_width(model, chosen_alone=True),
        flop_per_token=matrices + attention + head,
        attention_flop_per_token=attention,
        head_flop_per_token=head,
        kv_width=sum(one.count * _kv_width(one) for one in groups),
        activation=_layer_activation(model, sequence_tokens, has_flash_attention),
        is_opaque=False,
    )


def _stack_flop(groups: tuple[LayerGroup, ...], hidden: int, tokens: int) -> tuple[float, float]:
    """FLOPs of matrices and states, and of attention, per token of a sequence of so many."""
    seen = (np.asarray((tokens + 1) / 2), np.asarray(float(tokens)))
    matrices = sum(one.count * layer_matrix_flop_per_token(one, hidden) for one in groups)
    matrices += sum(one.count * layer_state_flop(one) for one in groups)
    attention = sum((one.count * float(layer_attention_flop(one, seen[_sees_all(one)])) for one in groups), 0.0)
    return float(matrices), attention


def cross_key_columns(group: LayerGroup) -> int:
    """Columns of the matrix that makes a layer's keys and values of the encoder's output."""
    cross = group.cross_attention
    return 2 * cross.kv_heads * cross.head_dim if cross else 0


def _cross_width(group: LayerGroup) -> int:
    return group.cross_attention.heads * group.cross_attention.head_dim if group.cross_attention else 0


def _layer_activation(model: Model, tokens: int, has_flash: bool) -> LayerActivation:
    """Bytes per token of the sequence; an encoder's and its keys' follow its own number of tokens."""
    share = encoder_share(model, tokens)
    own = stack_activation(model.layers, model.hidden_size, tokens, has_flash, share)
    if not model.encoder_layers:
        return own
    encoder = stack_activation(model.encoder_layers, model.hidden_size, round(share * tokens), has_flash)
    return own.joined(encoder, share)


def _sample_numbers(model: Model) -> TrainingNumbers:
    """The numbers of a model that is trained by samples, not tokens."""
    known = model.sample_training
    parameters = float(known.parameters if known else model_parameters(model).total)
    return TrainingNumbers(
        layers=known.blocks if known else 0,
        hidden=model.hidden_size,
        heads=0,
        experts=0,
        expert_size=0,
        top_k=0,
        moe_layers=0,
        dispatched_values=0.0,
        vocabulary=0,
        dense_layer_parameters=parameters,
        expert_parameters=0.0,
        embedding_parameters=0.0,
        head_parameters=0.0,
        is_head_tied=False,
        vector_parameters=0.0,
        adapter_parameters_per_rank=float(known.adapter_width if known else 0),
        adapter_values_per_token=0.0,
        flop_per_token=float(model.training_flop_per_sample or model.flop_per_sample),
        attention_flop_per_token=0.0,
        head_flop_per_token=0.0,
        kv_width=0.0,
        activation=_sample_activation(model),
        is_opaque=True,
    )


def _sample_activation(model: Model) -> LayerActivation:
    """Bytes of a sample: the model's own, else what networks of its kind usually keep."""
    known = model.sample_training
    if known is None:
        flop = float(model.training_flop_per_sample or model.flop_per_sample)
        usual = flop * UNKNOWN_BYTES_PER_FLOP.get(model.kind, 0.0)
        kept = float(model.activation_bytes_per_sample) or usual
        return LayerActivation(kept, 0.0, 0.0, 0.0, 0.0, UNKNOWN_CHECKPOINT_SHARE * kept, 0.0, by_operator=kept)
    return LayerActivation(
        kept=known.kept_bytes,
        cheap=known.rebuilt_bytes,
        dense_products=0.0,
        product_inputs=0.0,
        attention_outputs=0.0,
        checkpoint=known.block_input_bytes,
        largest_layer=known.largest_block_bytes,
        by_operator=known.kept_bytes,
    )


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


def _unfused_inputs(group: LayerGroup) -> int:
    """Matrices of a layer that operations count as part of a fused one: each reads the layer's input once more."""
    ffn = group.ffn
    fused = 2 if isinstance(group.mixer, Attention) and not group.mixer.kv_shared_with_earlier_layer else 0
    if isinstance(ffn, DenseFfn):
        return fused + ffn.gated
    if isinstance(ffn, MoeFfn) and ffn.gated:
        return fused + bool(ffn.shared_size) + bool(ffn.dense_size)
    return fused


def _adapter_width(model: Model, *, chosen_alone: bool) -> float:
    """Inputs plus outputs of every matrix of the layers: queries, keys, values, gate and up each by itself, and every
    routed expert or those that a token is sent to. Llama 3 8B at rank 16: 41,943,040 parameters."""
    width = float(sum(one.count * _unfused_inputs(one) for one in (*model.layers, *model.encoder_layers)))
    width *= model.hidden_size
    for operation in training_operations(model):
        if isinstance(operation, Gemm) and operation.code not in ("head", "router"):
            width += operation.count * (operation.columns + operation.depth)
        elif isinstance(operation, Experts):
            matrix = operation.hidden + operation.size
            experts = operation.top_k if chosen_alone else operation.experts
            width += operation.count * experts * operation.matrices * matrix
    return width
