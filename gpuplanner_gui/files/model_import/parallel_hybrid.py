"""Granite 4 with Mamba 2, and layers of more than one mixer: Falcon-H1 (attention, Mamba 2), LongCat-Flash.

A layer with two mixers becomes two groups of the same count, so that every mixer is counted with its own cache.
"""

from __future__ import annotations

from gpuplanner_gui.domain.model import (
    DenseFfn,
    Ffn,
    LayerGroup,
    Mixer,
    Model,
    ModelKind,
    MoeFfn,
    StateSpace,
)
from gpuplanner_gui.files.errors import said
from gpuplanner_gui.files.model_import.config import Config, per_layer
from gpuplanner_gui.files.model_import.latent import LatentFamily, latent_attention
from gpuplanner_gui.files.model_import.layers import ExpertKeys, counted, decoder_model, plain_attention
from gpuplanner_gui.files.model_import.state_space import mamba2_mixer

LONGCAT = LatentFamily(
    "longcat_flash", 6144, 12288, 28, 64, 131072, 131072, ExpertKeys(512, 12, 2048), q_lora_rank=1536
)


def build_granite_hybrid(config: Config, outer: Config | None) -> Model:
    """Granite 4: Mamba 2 or attention; experts and a shared part in every layer, or that part alone."""
    hidden = config.integer("hidden_size", default=4096)
    layers = config.integer("num_hidden_layers", default=32)
    types = config.items("layer_types", str)
    if not types:
        config.notes.assume("layer_types: mamba in every layer (family default of granitemoehybrid)")
    ffn = _granite_ffn(config)
    groups = []
    for kind, count in counted(per_layer(types or ["mamba"], layers, config, "layer_types")).items():
        groups.append(LayerGroup(count=count, mixer=_granite_mixer(config, hidden, kind), ffn=ffn))
    return decoder_model(
        config,
        outer,
        hidden,
        tuple(groups),
        kind="ssm_hybrid" if any(isinstance(group.mixer, StateSpace) for group in groups) else _kind_of(ffn),
        vocab=32000,
        context=2048,
    )


def _kind_of(ffn: Ffn) -> ModelKind:
    return "moe_decoder" if isinstance(ffn, MoeFfn) else "dense_decoder"


def _granite_ffn(config: Config) -> Ffn:
    shared = config.integer("shared_intermediate_size", default=1024)
    experts = config.integer("num_local_experts", default=8, least=0)
    if not experts:
        return DenseFfn(size=shared)
    return MoeFfn(
        experts=experts,
        top_k=config.integer("num_experts_per_tok", default=2),
        expert_size=config.integer("intermediate_size", default=11008),
        shared_size=shared,
    )


def _granite_mixer(config: Config, hidden: int, kind: str) -> Mixer:
    if kind in ("mamba", "linear_attention"):
        inner = hidden * config.integer("mamba_expand", default=2)
        return _mamba2(config, hidden, inner, has_norm=True)
    if kind not in ("attention", "full_attention"):
        raise config.problem("layer_types", said("{kind} is not a kind of layer in Granite 4", kind=kind))
    return plain_attention(config, hidden, 32)


def _mamba2(config: Config, hidden: int, inner: int, *, has_norm: bool) -> StateSpace:
    keys = ("mamba_n_heads", "mamba_d_state", "mamba_n_groups", "mamba_d_conv", "mamba_conv_bias", "mamba_proj_bias")
    return mamba2_mixer(config, hidden, inner, keys, state=256, groups=1, gated_norm=has_norm)


def build_falcon_h1(config: Config, outer: Config | None) -> Model:
    """Falcon-H1: attention and Mamba 2 side by side in every layer, then a gated feed-forward part."""
    hidden = config.integer("hidden_size", default=4096)
    layers = config.integer("num_hidden_layers", default=32)
    if config.mentions("mamba_d_ssm") and not config.has("mamba_d_ssm"):
        inner = hidden * config.integer("mamba_expand", default=2)
    else:
        inner = config.integer("mamba_d_ssm", default=1024)
    has_norm = config.flag("mamba_rms_norm", default=False)
    mamba = _mamba2(config, hidden, inner, has_norm=has_norm)
    ffn = DenseFfn(size=config.integer("intermediate_size", default=14336), bias=config.flag("mlp_bias", default=False))
    config.notes.assume(f"layers: {layers} with two mixers each, kept as {layers} of attention and {layers} of Mamba 2")
    groups = (
        LayerGroup(count=layers, mixer=plain_attention(config, hidden, 32), ffn=ffn),
        LayerGroup(count=layers, mixer=mamba, norms=0),
    )
    return decoder_model(config, outer, hidden, groups, kind="ssm_hybrid", vocab=128000, context=8192)


def build_longcat_flash(config: Config, outer: Config | None) -> Model:
    """LongCat-Flash: two latent attentions, two dense parts and one mixture of experts in every layer.

    Some of its experts only pass their input on, so a token uses fewer than `moe_topk` of the others: the share that
    an even choice gives.
    """
    hidden = config.integer("hidden_size", default=LONGCAT.hidden_size)
    layers = config.integer("num_layers", "num_hidden_layers", default=LONGCAT.layers)
    attention = latent_attention(config, LONGCAT)
    dense = DenseFfn(size=config.integer("ffn_hidden_size", "intermediate_size", default=LONGCAT.ffn_size))
    experts = config.integer("n_routed_experts", default=512)
    idle = config.integer("zero_expert_num", default=256, least=0)
    chosen = config.integer("moe_topk", "num_experts_per_tok", default=12)
    used = max(min(round(chosen * experts / (experts + idle)), experts), 1)
    config.notes.assume(f"moe_topk: {used} of {chosen} chosen experts compute ({idle} of {experts + idle} pass on)")
    config.notes.assume(
        f"layers: {layers} with two attentions each, kept as {2 * layers} and the experts as {layers} more"
    )
    moe = MoeFfn(
        experts=experts,
        top_k=used,
        expert_size=config.integer("expert_ffn_hidden_size", "moe_intermediate_size", default=2048),
        other_parameters=idle * hidden,
    )
    groups = (LayerGroup(count=2 * layers, mixer=attention, ffn=dense), LayerGroup(count=layers, ffn=moe, norms=0))
    return decoder_model(config, outer, hidden, groups, kind="moe_decoder", vocab=131072, context=131072)
