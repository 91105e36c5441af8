"""How many parameters a model has, part by part, from its layers: exact integers.

Counts follow the block table and per-family formulas that reproduce instantiated models to the last parameter; what a
family adds beyond the common blocks stands in `other_parameters` of the struct concerned. Parts separate the matrices
that weight formats quantize from what stays in the checkpoint's own precision (see `weight_sizes`), and routed experts
from what every token uses. The cache and fixed state are in `cache_sizes`, FLOPs in `forward_flops`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, assert_never

from gpuplanner_gui.domain.model import (
    Attention,
    AudioTower,
    CompressedAttention,
    CrossAttention,
    DenseFfn,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    Mixer,
    Model,
    MoeFfn,
    NormKind,
    StateSpace,
    VisionTower,
)
from gpuplanner_gui.engine.explaining.formula import formula

OVERLAPPING_COMPRESSION = 2
"""Compressed attention with an indexer keeps two interleaved sets of keys (DeepSeek V4)."""


@dataclass(frozen=True)
class MixerParameters:
    """`matrices` are the projections; `other` is biases, norms, convolutions, decays and sinks."""

    matrices: int = 0
    other: int = 0


@dataclass(frozen=True)
class LayerParameters:
    """Parameters by part, of one layer or summed over layers. The parts add up to `total`."""

    mixer_matrices: int = 0
    mixer_other: int = 0
    cross_attention_matrices: int = 0
    cross_attention_other: int = 0
    ffn_matrices: int = 0
    ffn_other: int = 0
    shared_expert_matrices: int = 0
    routed_expert_matrices: int = 0
    routed_expert_other: int = 0
    router: int = 0
    norms: int = 0
    other: int = 0
    idle_experts: int = 0
    """Parameters of routed experts that one token does not use; they are part of the routed experts."""

    @property
    def total(self) -> int:
        return sum(getattr(self, part) for part in LAYER_PARTS)

    @property
    def active(self) -> int:
        """What one token uses."""
        return self.total - self.idle_experts

    @property
    def quantizable(self) -> int:
        """Matrices that a weight format of scope "linear" covers."""
        return (
            self.mixer_matrices
            + self.cross_attention_matrices
            + self.ffn_matrices
            + self.shared_expert_matrices
            + self.routed_expert_matrices
        )

    def __add__(self, more: LayerParameters) -> LayerParameters:
        return LayerParameters(**{part.name: getattr(self, part.name) + getattr(more, part.name) for part in _FIELDS})

    def times(self, count: int) -> LayerParameters:
        """The same for `count` equal layers."""
        return LayerParameters(**{part.name: getattr(self, part.name) * count for part in _FIELDS})


_FIELDS = fields(LayerParameters)
LAYER_PARTS = tuple(part.name for part in _FIELDS if part.name != "idle_experts")


@dataclass(frozen=True)
class ModelParameters:
    """A model's parameters by component. The components add up to `total`."""

    embeddings: int
    head: int
    """0 when the head shares the embedding matrix."""
    positions: int
    decoder: LayerParameters
    """The model's own layers; an encoder model's layers stand here too."""
    encoder: LayerParameters
    vision: LayerParameters
    audio: LayerParameters
    other: int

    @cached_property
    def stacks(self) -> LayerParameters:
        return self.decoder + self.encoder + self.towers

    @property
    def towers(self) -> LayerParameters:
        """Encoders of images and audio in front of a language model."""
        return self.vision + self.audio

    @property
    def total(self) -> int:
        return self.embeddings + self.head + self.positions + self.stacks.total + self.other

    @property
    def active(self) -> int:
        """Total less the routed experts that a token does not use; both embedding matrices count."""
        return self.total - self.stacks.idle_experts

    @property
    def routed_experts(self) -> int:
        return self.stacks.routed_expert_matrices + self.stacks.routed_expert_other

    def components(self) -> dict[str, int]:
        """What a table of components shows; the values add up to `total`."""
        stack = self.decoder + self.encoder
        return {
            "embeddings": self.embeddings,
            "head": self.head,
            "positions": self.positions,
            "mixers": stack.mixer_matrices + stack.mixer_other,
            "cross_attention": stack.cross_attention_matrices + stack.cross_attention_other,
            "ffn": stack.ffn_matrices + stack.ffn_other,
            "shared_experts": stack.shared_expert_matrices,
            "routed_experts": stack.routed_expert_matrices + stack.routed_expert_other,
            "routers": stack.router,
            "norms": stack.norms,
            "vision": self.vision.total,
            "audio": self.audio.total,
            "other": stack.other + self.other,
        }


@formula(
    title="Parameters",
    unit="",
    expression="embeddings + head + positions + Σ layers × (mixer + cross-attention + feed-forward + norms) + other",
    source="Vaswani et al. 2017, section 3; per-family blocks checked against instantiated models",
)
def model_parameters(model: Model) -> ModelParameters:
    """All parameters of a model by component. Raises nothing; an empty model has none."""
    return _model_parameters(model)


def _tower_parameters(tower: VisionTower | AudioTower | None) -> LayerParameters:
    if tower is None:
        return LayerParameters()
    return stack_parameters(tower.layers, tower.hidden_size) + LayerParameters(other=tower.other_parameters)


@lru_cache(maxsize=1024)
def _model_parameters(model: Model) -> ModelParameters:
    width = model.embedding_size or model.hidden_size
    embeddings = model.vocab_size * width
    head = 0
    if model.has_head:
        head = (0 if model.tied_embeddings else embeddings) + (model.vocab_size if model.head_bias else 0)
    return ModelParameters(
        embeddings=embeddings,
        head=head,
        positions=model.position_parameters,
        decoder=stack_parameters(model.layers, model.hidden_size),
        encoder=stack_parameters(model.encoder_layers, model.hidden_size),
        vision=_tower_parameters(model.vision),
        audio=_tower_parameters(model.audio),
        other=model.other_parameters + model.custom_parameters,
    )


def stack_parameters(groups: tuple[LayerGroup, ...], hidden_size: int) -> LayerParameters:
    """Sum over groups of equal layers."""
    total = LayerParameters()
    for group in groups:
        total = total + layer_parameters(group, hidden_size).times(group.count)
    return total


@lru_cache(maxsize=4096)
def layer_parameters(group: LayerGroup, hidden_size: int) -> LayerParameters:
    """One layer of a group, whatever the group's count."""
    mixer = mixer_parameters(group.mixer, hidden_size) if group.mixer is not None else MixerParameters()
    cross = _cross_parameters(group.cross_attention, hidden_size)
    ffn = LayerParameters()
    if isinstance(group.ffn, DenseFfn):
        ffn = _dense_parameters(group.ffn, hidden_size)
    elif isinstance(group.ffn, MoeFfn):
        ffn = _moe_parameters(group.ffn, hidden_size)
    elif group.ffn is not None:
        assert_never(group.ffn)
    return ffn + LayerParameters(
        mixer_matrices=mixer.matrices,
        mixer_other=mixer.other,
        cross_attention_matrices=cross.matrices,
        cross_attention_other=cross.other,
        norms=group.norms * norm_parameters(group.norm_kind, hidden_size),
        other=group.other_parameters,
    )


def norm_parameters(kind: NormKind, hidden_size: int) -> int:
    """A weight per channel, and a bias for a layer norm."""
    return 2 * hidden_size if kind == "layer" else hidden_size


def mixer_parameters(mixer: Mixer, hidden_size: int) -> MixerParameters:
    """One layer's token mixer."""
    found: MixerParameters = _MIXERS[type(mixer)](mixer, hidden_size)
    return found


def _attention_parameters(mixer: Attention, hidden: int) -> MixerParameters:
    value_dim = mixer.value_head_dim or mixer.head_dim
    queries, keys = mixer.heads * mixer.head_dim, mixer.kv_heads * mixer.head_dim
    values = 0 if mixer.shared_kv_projection else mixer.kv_heads * value_dim
    if mixer.kv_shared_with_earlier_layer:
        keys = values = 0
    outputs = mixer.heads * value_dim
    matrices = hidden * (queries * (2 if mixer.output_gate else 1) + keys + values + outputs)
    other = mixer.other_parameters
    if mixer.qkv_bias:
        other += queries * (2 if mixer.output_gate else 1) + keys + values
    if mixer.output_bias:
        other += hidden
    if mixer.qk_norm == "per_head":
        other += mixer.head_dim * (2 if keys else 1)
    elif mixer.qk_norm == "full":
        other += queries + keys
    return MixerParameters(matrices, other)


def _latent_parameters(mixer: LatentAttention, hidden: int) -> MixerParameters:
    query_rank, kv_rank, heads = mixer.q_lora_rank, mixer.kv_lora_rank, mixer.heads
    query_dim = mixer.qk_nope_head_dim + mixer.qk_rope_head_dim
    matrices = (hidden * query_rank if query_rank else 0) + (query_rank or hidden) * heads * query_dim
    matrices += hidden * (kv_rank + mixer.qk_rope_head_dim)
    matrices += kv_rank * heads * (mixer.qk_nope_head_dim + mixer.value_head_dim)
    matrices += heads * mixer.value_head_dim * hidden * (2 if mixer.output_gate else 1)
    other = query_rank + kv_rank + mixer.other_parameters
    if mixer.indexer_heads:
        matrices += (query_rank or hidden) * mixer.indexer_heads * mixer.indexer_head_dim
        matrices += hidden * (mixer.indexer_head_dim + mixer.indexer_heads)
        other += 2 * mixer.indexer_head_dim
    return MixerParameters(matrices, other)


def _compressed_parameters(mixer: CompressedAttention, hidden: int) -> MixerParameters:
    dim, outputs = mixer.head_dim, mixer.heads * mixer.head_dim
    matrices = hidden * mixer.q_lora_rank + mixer.q_lora_rank * outputs + hidden * dim
    matrices += mixer.output_lora_rank * outputs + hidden * mixer.output_groups * mixer.output_lora_rank
    other = mixer.heads + mixer.q_lora_rank + dim + mixer.other_parameters
    if mixer.compress_ratio:
        sets = OVERLAPPING_COMPRESSION if mixer.indexer_heads else 1
        matrices += 2 * sets * hidden * dim
        other += sets * mixer.compress_ratio * dim + dim
    if mixer.indexer_heads:
        index_dim = mixer.indexer_head_dim
        matrices += 2 * OVERLAPPING_COMPRESSION * hidden * index_dim
        matrices += mixer.q_lora_rank * mixer.indexer_heads * index_dim + hidden * mixer.indexer_heads
        other += OVERLAPPING_COMPRESSION * mixer.compress_ratio * index_dim + index_dim
    return MixerParameters(matrices, other)


def _linear_parameters(mixer: LinearAttention, hidden: int) -> MixerParameters:
    keys, values = mixer.key_heads * mixer.key_head_dim, mixer.value_heads * mixer.value_head_dim
    convolution = (2 * keys + values) * mixer.conv_kernel
    if mixer.kind == "lightning":
        return MixerParameters(hidden * (2 * keys + 3 * values), values + convolution + mixer.other_parameters)
    if mixer.kind == "kda":
        gate = mixer.gate_rank * (hidden + values) if mixer.gate_rank else hidden * values
        matrices = hidden * (2 * keys + 2 * values + mixer.value_heads) + gate
        return MixerParameters(matrices, convolution + mixer.other_parameters)
    matrices = hidden * (2 * keys + 2 * values) + 2 * hidden * mixer.value_heads + values * hidden
    other = convolution + 2 * mixer.value_heads + mixer.value_head_dim + mixer.other_parameters
    return MixerParameters(matrices, other)


def _state_space_parameters(mixer: StateSpace, hidden: int) -> MixerParameters:
    inner, state = mixer.inner_size, mixer.state_size
    if mixer.kind == "mamba1":
        matrices = 2 * hidden * inner + inner * (mixer.time_step_rank + 2 * state)
        matrices += mixer.time_step_rank * inner + inner * hidden
        other = inner * mixer.conv_kernel + (inner if mixer.conv_bias else 0) + inner + inner * state + inner
        return MixerParameters(matrices, other + mixer.other_parameters)
    channels = inner + 2 * mixer.groups * state
    matrices = hidden * (inner + channels + mixer.heads) + inner * hidden
    other = channels * mixer.conv_kernel + (channels if mixer.conv_bias else 0) + 3 * mixer.heads
    other += inner if mixer.gated_norm else 0
    return MixerParameters(matrices, other + mixer.other_parameters)


_MIXERS: dict[type, Any] = {
    Attention: _attention_parameters,
    LatentAttention: _latent_parameters,
    CompressedAttention: _compressed_parameters,
    LinearAttention: _linear_parameters,
    StateSpace: _state_space_parameters,
}


def _cross_parameters(cross: CrossAttention | None, hidden: int) -> MixerParameters:
    if cross is None:
        return MixerParameters()
    matrices = 2 * hidden * (cross.heads + cross.kv_heads) * cross.head_dim
    return MixerParameters(matrices, cross.other_parameters)


def _dense_parameters(ffn: DenseFfn, hidden: int) -> LayerParameters:
    up_matrices = 2 if ffn.gated else 1
    bias = up_matrices * ffn.size + hidden if ffn.bias else 0
    return LayerParameters(ffn_matrices=(up_matrices + 1) * hidden * ffn.size, ffn_other=bias)


def _moe_parameters(ffn: MoeFfn, hidden: int) -> LayerParameters:
    up_matrices = 2 if ffn.gated else 1
    matrices, inputs = up_matrices + 1, ffn.expert_input_size or hidden
    bias = up_matrices * ffn.expert_size + inputs if ffn.expert_bias else 0
    expert = matrices * inputs * ffn.expert_size
    return LayerParameters(
        ffn_matrices=matrices * hidden * ffn.dense_size,
        shared_expert_matrices=matrices * hidden * ffn.shared_size,
        routed_expert_matrices=ffn.experts * expert,
        routed_expert_other=ffn.experts * bias,
        router=hidden * ffn.experts + (ffn.experts if ffn.router_bias else 0) + (hidden if ffn.shared_gate else 0),
        other=ffn.other_parameters,
        idle_experts=max(ffn.experts - ffn.top_k, 0) * (expert + bias),
    )
