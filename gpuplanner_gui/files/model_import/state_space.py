"""State-space models and their hybrids: Mamba 1 and 2, Jamba, Nemotron-H."""

from __future__ import annotations

import msgspec

from gpuplanner_gui.domain.model import Attention, DenseFfn, Ffn, LayerGroup, Mixer, Model, MoeFfn, StateSpace
from gpuplanner_gui.files.model_import.config import MOST_LAYERS, Config, shown
from gpuplanner_gui.files.model_import.layers import counted, head_size, tied_embeddings
from gpuplanner_gui.files.said import said

LAYER_NAMES = {
    "M": "M", "*": "*", "-": "-", "E": "E",
    "mamba": "M", "linear_attention": "M", "attention": "*", "full_attention": "*", "mlp": "-", "moe": "E",
}  # fmt: skip
"""Letters of `hybrid_override_pattern` and names of `layers_block_type`."""


def mamba2_mixer(hidden: int, plain: StateSpace, *, has_bias: bool) -> StateSpace:
    """A Mamba 2 part with the biases of its two projections: into gate, input, B, C and steps, and back out."""
    into = 2 * plain.inner_size + 2 * plain.groups * plain.state_size + plain.heads
    return msgspec.structs.replace(plain, other_parameters=into + hidden if has_bias else 0)


def build_mamba2(config: Config, outer: Config | None) -> Model:
    hidden = config.integer("hidden_size", default=4096)
    heads = config.integer("num_heads", default=128)
    inner = heads * config.integer("head_dim", default=64)
    mixer = mamba2_mixer(
        hidden,
        StateSpace(
            kind="mamba2",
            inner_size=inner,
            state_size=config.integer("state_size", default=128),
            heads=heads,
            groups=config.integer("n_groups", default=8),
            conv_kernel=config.integer("conv_kernel", default=4),
            conv_bias=config.flag("use_conv_bias", default=True),
        ),
        has_bias=config.flag("use_bias", default=False),
    )
    return _pure_mamba(config, outer, hidden, mixer, layers=64, vocab=32768, tied=False)


def build_mamba1(config: Config, outer: Config | None) -> Model:
    hidden = config.integer("hidden_size", "d_model", default=768)
    if config.has("intermediate_size"):
        inner = config.integer("intermediate_size")
    else:
        inner = hidden * config.integer("expand", default=2)
    bias = config.flag("use_bias", default=False)
    mixer = StateSpace(
        kind="mamba1",
        inner_size=inner,
        state_size=config.integer("state_size", default=16),
        time_step_rank=_time_step_rank(config, "time_step_rank", hidden),
        conv_kernel=config.integer("conv_kernel", default=4),
        conv_bias=config.flag("use_conv_bias", default=True),
        other_parameters=2 * inner + hidden if bias else 0,
    )
    return _pure_mamba(config, outer, hidden, mixer, layers=32, vocab=50280, tied=True)


def _pure_mamba(
    config: Config, outer: Config | None, hidden: int, mixer: StateSpace, *, layers: int, vocab: int, tied: bool
) -> Model:
    return Model(
        name="",
        kind="ssm_hybrid",
        family=config.family,
        hidden_size=hidden,
        vocab_size=config.integer("vocab_size", default=vocab),
        layers=(
            LayerGroup(count=config.integer("num_hidden_layers", "n_layer", default=layers), mixer=mixer, norms=1),
        ),
        tied_embeddings=tied_embeddings(config, tied, outer),
        other_parameters=hidden,
    )


def _time_step_rank(config: Config, key: str, hidden: int) -> int:
    if config.data.get(key) in (None, "auto"):
        return -(-hidden // 16)
    return config.integer(key)


def build_jamba(config: Config, outer: Config | None) -> Model:
    """Mamba 1 with an attention layer in each period, experts in every second layer."""
    hidden = config.integer("hidden_size", default=4096)
    layers = config.integer("num_hidden_layers", default=32)
    attention = _every(config, "attn_layer_period", 8, "attn_layer_offset", 4, layers)
    moe = _every(config, "expert_layer_period", 2, "expert_layer_offset", 1, layers)
    ffns: dict[bool, Ffn] = {False: DenseFfn(size=config.integer("intermediate_size", default=14336))}
    experts = config.integer("num_experts", "num_local_experts", default=16)
    ffns[True] = ffns[False]
    if experts > 1:
        ffns[True] = MoeFfn(
            experts=experts,
            top_k=config.integer("num_experts_per_tok", default=2),
            expert_size=config.integer("intermediate_size", default=14336),
        )
    groups = []
    for (is_attention, is_moe), count in counted(zip(attention, moe, strict=True)).items():
        mixer: Mixer = _jamba_attention(config, hidden) if is_attention else _jamba_mamba(config, hidden)
        groups.append(LayerGroup(count=count, mixer=mixer, ffn=ffns[is_moe]))
    return Model(
        name="",
        kind="ssm_hybrid",
        family="jamba",
        hidden_size=hidden,
        vocab_size=config.integer("vocab_size", default=65536),
        layers=tuple(groups),
        tied_embeddings=tied_embeddings(config, False, outer),
        other_parameters=hidden,
        max_context=config.integer("max_position_embeddings", default=262144),
    )


def _every(config: Config, period_key: str, period: int, offset_key: str, offset: int, layers: int) -> list[bool]:
    period = config.integer(period_key, default=period)
    offset = config.integer(offset_key, default=offset, least=0)
    return [index % period == offset for index in range(layers)]


def _jamba_attention(config: Config, hidden: int) -> Attention:
    heads = config.integer("num_attention_heads", default=32)
    return Attention(
        heads=heads,
        kv_heads=config.integer("num_key_value_heads", default=8),
        head_dim=head_size(config, hidden, heads),
    )


def _jamba_mamba(config: Config, hidden: int) -> StateSpace:
    inner = hidden * config.integer("mamba_expand", default=2)
    rank = _time_step_rank(config, "mamba_dt_rank", hidden)
    state = config.integer("mamba_d_state", default=16)
    bias = 2 * inner + hidden if config.flag("mamba_proj_bias", default=False) else 0
    return StateSpace(
        kind="mamba1",
        inner_size=inner,
        state_size=state,
        time_step_rank=rank,
        conv_kernel=config.integer("mamba_d_conv", default=4),
        conv_bias=config.flag("mamba_conv_bias", default=True),
        other_parameters=rank + 2 * state + bias,
    )


def build_nemotron_h(config: Config, outer: Config | None) -> Model:
    """One mixer or one feed-forward part per layer, by a pattern of letters."""
    hidden = config.integer("hidden_size", default=4096)
    kinds = _pattern(config)
    parts: dict[str, tuple[Mixer | None, Ffn | None]] = {}
    for kind in dict.fromkeys(kinds):
        parts[kind] = _nemotron_part(config, hidden, kind)
    groups = [
        LayerGroup(count=count, mixer=parts[kind][0], ffn=parts[kind][1], norms=1)
        for kind, count in counted(kinds).items()
    ]
    return Model(
        name="",
        kind="ssm_hybrid",
        family="nemotron_h",
        hidden_size=hidden,
        vocab_size=config.integer("vocab_size", default=131072),
        layers=tuple(groups),
        tied_embeddings=tied_embeddings(config, False, outer),
        other_parameters=hidden,
        max_context=config.integer("max_position_embeddings", default=4096),
    )


def _pattern(config: Config) -> list[str]:
    key = next((key for key in ("hybrid_override_pattern", "layers_block_type", "layer_types") if config.has(key)), "")
    if not key:
        raise config.problem("hybrid_override_pattern", "Nemotron-H needs the pattern of its layers")
    value = config.data[key]
    if not isinstance(value, (str, list)) or not value:
        raise config.problem(key, said("text or a list is expected, not {value}", value=shown(value)))
    if len(value) > MOST_LAYERS:
        raise config.problem(
            key,
            said(
                "it names {value} layers, more than {most_layers}",
                value=f"{len(value):,}",
                most_layers=f"{MOST_LAYERS:,}",
            ),
        )
    kinds = []
    for index, letter in enumerate(value):
        kind = LAYER_NAMES.get(letter) if isinstance(letter, str) else None
        if kind is None:
            raise config.problem(
                f"{key}[{index}]", said("{letter} is no kind of layer that Nemotron-H has", letter=shown(letter))
            )
        kinds.append(kind)
    stated = config.integer("num_hidden_layers", default=len(kinds), derived=f"length of {key}")
    if stated != len(kinds):
        config.notes.assume(f"num_hidden_layers: {len(kinds)} (length of {key}; the file says {stated})")
    return kinds


def _nemotron_part(config: Config, hidden: int, kind: str) -> tuple[Mixer | None, Ffn | None]:
    if kind == "M":
        return _nemotron_mamba(config, hidden), None
    if kind == "*":
        return _nemotron_attention(config, hidden), None
    bias = config.flag("mlp_bias", default=False)
    if kind == "-":
        size = config.integer("intermediate_size", default=21504)
        return None, DenseFfn(size=size, gated=False, bias=bias)
    latent = config.integer("moe_latent_size", default=0, least=0) if config.has("moe_latent_size") else 0
    return None, MoeFfn(
        experts=config.integer("n_routed_experts", "num_experts", default=8),
        top_k=config.integer("num_experts_per_tok", default=2),
        expert_size=config.integer("moe_intermediate_size", default=7688),
        shared_size=config.integer("moe_shared_expert_intermediate_size", default=7688, least=0),
        expert_input_size=latent,
        gated=False,
        other_parameters=2 * hidden * latent,
    )


def _nemotron_mamba(config: Config, hidden: int) -> StateSpace:
    heads = config.integer("mamba_num_heads", default=128)
    inner = heads * config.integer("mamba_head_dim", default=64)
    return mamba2_mixer(
        hidden,
        StateSpace(
            kind="mamba2",
            inner_size=inner,
            state_size=config.integer("ssm_state_size", default=128),
            heads=heads,
            groups=config.integer("n_groups", default=8),
            conv_kernel=config.integer("conv_kernel", default=4),
            conv_bias=config.flag("use_conv_bias", default=True),
        ),
        has_bias=config.flag("use_bias", default=False),
    )


def _nemotron_attention(config: Config, hidden: int) -> Attention:
    heads = config.integer("num_attention_heads", default=32)
    if config.has("attention_head_dim", "head_dim"):
        head_dim = config.integer("attention_head_dim", "head_dim")
    else:
        head_dim = head_size(config, hidden, heads)
    bias = config.flag("attention_bias", default=False)
    return Attention(
        heads=heads,
        kv_heads=config.integer("num_key_value_heads", default=8),
        head_dim=head_dim,
        qkv_bias=bias,
        output_bias=bias,
    )
