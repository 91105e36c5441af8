"""Decoders of more than one mixer: linear and full attention (Qwen3-Next, MiniMax, Kimi), Mamba 2 (Granite, Falcon-H1).

A layer with two mixers, or LongCat-Flash's with two attentions, becomes two groups, so that every mixer is counted with
its own cache.
"""

from __future__ import annotations

from collections import Counter

import msgspec

from gpuplanner_gui.domain.model import (
    Attention,
    DenseFfn,
    Ffn,
    LayerGroup,
    LinearAttention,
    Mixer,
    Model,
    ModelKind,
    MoeFfn,
    StateSpace,
)
from gpuplanner_gui.files.model_import.config import Config, listed, per_layer
from gpuplanner_gui.files.model_import.latent import LatentFamily, latent_attention
from gpuplanner_gui.files.model_import.layers import (
    ExpertKeys,
    decoder_model,
    head_size,
    is_moe_layer,
    moe_ffn,
    moe_or_dense,
    plain_attention,
)
from gpuplanner_gui.files.model_import.state_space import mamba2_mixer

QWEN_EXPERTS = {
    name: ExpertKeys(
        experts,
        top_k,
        512,
        shared_size_key="shared_expert_intermediate_size",
        shared_size=512,
        shared_gate=True,
        placement="sparse_step",
    )
    for name, experts, top_k in (("qwen3_next", 512, 10), ("qwen3_5_moe_text", 256, 8))
}
QWEN_DEFAULTS = {
    "qwen3_next": {"hidden": 2048, "layers": 48, "heads": 16, "kv_heads": 2, "vocab": 151936},
    "qwen3_5_text": {"hidden": 4096, "layers": 32, "heads": 16, "kv_heads": 4, "vocab": 248320},
    "qwen3_5_moe_text": {"hidden": 2048, "layers": 40, "heads": 16, "kv_heads": 2, "vocab": 248320},
}
"""Class defaults where the three differ."""
MINIMAX_EXPERTS = ExpertKeys(8, 2, 14336, ("intermediate_size",))
KIMI_EXPERTS = ExpertKeys(256, 8, 1024, shared_count=1, placement="after_dense", first_dense=1)
KIMI_LATENT = LatentFamily(
    "kimi_linear", 2304, 9216, 27, 32, 163840, 1048576, KIMI_EXPERTS, q_lora_rank=0, kv_lora_rank=512
)


def build_qwen_hybrid(config: Config, outer: Config | None) -> Model:
    """Gated delta net in three layers of four, gated full attention in the fourth; dense or with experts."""
    defaults = QWEN_DEFAULTS[config.family]
    hidden = config.integer("hidden_size", default=defaults["hidden"])
    layers = config.integer("num_hidden_layers", default=defaults["layers"])
    experts = QWEN_EXPERTS.get(config.family)
    full = _full_layers(config, layers)
    moe = is_moe_layer(config, experts, layers) if experts is not None else [False] * layers
    groups = []
    for (is_full, is_moe), count in Counter(zip(full, moe, strict=True)).items():
        mixer: Mixer = _gated_attention(config, defaults) if is_full else _gated_delta_net(config)
        groups.append(
            LayerGroup(count=count, mixer=mixer, ffn=moe_or_dense(config, experts if is_moe else None, 12288))
        )
    return decoder_model(config, outer, hidden, groups, kind="ssm_hybrid", vocab=defaults["vocab"], context=32768)


def _full_layers(config: Config, layers: int) -> list[bool]:
    types = listed(config, "layer_types", str, layers)
    if types:
        return [name == "full_attention" for name in types]
    interval = config.integer("full_attention_interval", default=4)
    return [(index + 1) % interval == 0 for index in range(layers)]


def _gated_attention(config: Config, defaults: dict[str, int]) -> Attention:
    bias = config.flag("attention_bias", default=False)
    return Attention(
        heads=config.integer("num_attention_heads", default=defaults["heads"]),
        kv_heads=config.integer("num_key_value_heads", default=defaults["kv_heads"]),
        head_dim=config.integer("head_dim", default=256),
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="per_head",
        output_gate=config.flag("attn_output_gate", default=True, quiet=True),
    )


def _gated_delta_net(config: Config) -> LinearAttention:
    return LinearAttention(
        kind="gated_delta_net",
        key_heads=config.integer("linear_num_key_heads", default=16),
        value_heads=config.integer("linear_num_value_heads", default=32),
        key_head_dim=config.integer("linear_key_head_dim", default=128),
        value_head_dim=config.integer("linear_value_head_dim", default=128),
        conv_kernel=config.integer("linear_conv_kernel_dim", default=4),
    )


def build_minimax(config: Config, outer: Config | None) -> Model:
    """Lightning attention with a softmax layer in between, experts in every layer."""
    hidden = config.integer("hidden_size", default=4096)
    layers = config.integer("num_hidden_layers", default=32)
    heads = config.integer("num_attention_heads", default=32)
    head_dim = head_size(config, hidden, heads, "head_dim")
    linear = LinearAttention(
        kind="lightning", key_heads=heads, value_heads=heads, key_head_dim=head_dim, value_head_dim=head_dim
    )
    full = Attention(heads=heads, kv_heads=config.integer("num_key_value_heads", default=8), head_dim=head_dim)
    experts = moe_ffn(config, MINIMAX_EXPERTS)
    groups = [
        LayerGroup(count=count, mixer=full if is_full else linear, ffn=experts)
        for is_full, count in Counter(_softmax_layers(config, layers)).items()
    ]
    return decoder_model(config, outer, hidden, groups, kind="ssm_hybrid", vocab=32000, context=131072)


def _softmax_layers(config: Config, layers: int) -> list[bool]:
    types = listed(config, "layer_types", str, layers)
    if types:
        return [name == "full_attention" for name in types]
    numbers = listed(config, "attn_type_list", int, layers)
    if numbers:
        return [number == 1 for number in numbers]
    config.notes.assume("layer_types: every second layer linear (family default of minimax)")
    return [index % 2 == 0 for index in range(layers)]


def build_kimi_linear(config: Config, outer: Config | None) -> Model:
    """Kimi delta attention with a latent-attention layer in between; K3's latent experts are an estimate."""
    hidden = config.integer("hidden_size", default=2304)
    layers = config.integer("num_hidden_layers", default=27)
    is_k3 = outer is not None and outer.text("model_type") == "kimi_k3"
    full = _latent_layers(config, layers)
    moe = is_moe_layer(config, KIMI_EXPERTS, layers)
    groups = []
    for (is_full, is_moe), count in Counter(zip(full, moe, strict=True)).items():
        mixer: Mixer = _gated_latent(config) if is_full else _kimi_delta(config, hidden, is_k3)
        groups.append(LayerGroup(count=count, mixer=mixer, ffn=_kimi_ffn(config, hidden, is_moe)))
    if is_k3:
        config.notes.assume(
            "kimi_k3: its classes are not public; decay, output gates and latent-expert projections are estimated, "
            "small norms are not counted"
        )
    return decoder_model(
        config,
        outer,
        hidden,
        groups,
        kind="ssm_hybrid",
        vocab=163840,
        context=1048576,
        other=0 if is_k3 else hidden,
    )


def _latent_layers(config: Config, layers: int) -> list[bool]:
    linear = config.part("linear_attn_config")
    if linear is not None and linear.has("full_attn_layers"):
        full = set(linear.items("full_attn_layers", int))
        return [index + 1 in full for index in range(layers)]
    types = listed(config, "layer_types", str, layers)
    if types:
        return [name == "full_attention" for name in types]
    config.notes.assume("full_attn_layers: every fourth layer (family default of kimi_linear)")
    return [(index + 1) % 4 == 0 for index in range(layers)]


def _gated_latent(config: Config) -> Mixer:
    attention = latent_attention(config, KIMI_LATENT)
    if not config.flag("mla_use_output_gate", default=False, quiet=True):
        return attention
    return msgspec.structs.replace(attention, output_gate=True)


def _kimi_delta(config: Config, hidden: int, is_k3: bool) -> LinearAttention:
    linear = config.part("linear_attn_config") or config
    heads = linear.integer("num_heads", "linear_num_value_heads", "num_attention_heads", default=32)
    size = linear.integer("head_dim", "linear_value_head_dim", default=128)
    kernel = linear.integer("short_conv_kernel_size", "linear_conv_kernel_dim", default=4)
    if is_k3:
        decay = 2 * hidden * size
    else:
        decay = hidden * size + size * heads * size + heads * size + heads + size
    full_rank = linear.flag("use_full_rank_gate", default=False, quiet=True)
    return LinearAttention(
        kind="kda",
        key_heads=heads,
        value_heads=heads,
        key_head_dim=size,
        value_head_dim=size,
        conv_kernel=kernel,
        gate_rank=0 if full_rank else size,
        other_parameters=decay,
    )


def _kimi_ffn(config: Config, hidden: int, is_moe: bool) -> Ffn:
    ffn = moe_or_dense(config, KIMI_EXPERTS if is_moe else None, 9216)
    if not is_moe or not config.has("routed_expert_hidden_size"):
        return ffn
    width = config.integer("routed_expert_hidden_size")
    return msgspec.structs.replace(ffn, expert_input_size=width, other_parameters=2 * hidden * width)


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
    for kind, count in Counter(per_layer(types or ["mamba"], layers, config, "layer_types")).items():
        groups.append(LayerGroup(count=count, mixer=_granite_mixer(config, hidden, kind), ffn=ffn))
    return decoder_model(
        config,
        outer,
        hidden,
        groups,
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
        raise config.problem("layer_types", "{kind} is not a kind of layer in Granite 4", kind=kind)
    return plain_attention(config, hidden)


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
        LayerGroup(count=layers, mixer=plain_attention(config, hidden), ffn=ffn),
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
