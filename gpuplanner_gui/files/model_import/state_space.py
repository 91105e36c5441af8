"""State-space models and their hybrids: Mamba 1 and 2, Jamba, Nemotron-H."""

from __future__ import annotations

from collections import Counter

import msgspec

from gpuplanner_gui.domain.model import DenseFfn, Ffn, LayerGroup, Mixer, Model, MoeFfn, StateSpace
from gpuplanner_gui.files.model_import.config import MOST_LAYERS, Config, shown
from gpuplanner_gui.files.model_import.layers import decoder_model, plain_attention

LAYER_NAMES = {
    "M": "M", "*": "*", "-": "-", "E": "E",
    "mamba": "M", "linear_attention": "M", "attention": "*", "full_attention": "*", "mlp": "-", "moe": "E",
}  # fmt: skip
"""Letters of `hybrid_override_pattern` and names of `layers_block_type`."""


Mamba2Keys = tuple[str, str, str, str, str, str]
"""Names of heads, state size, groups, convolution's width and bias, and of the projections' bias."""


def mamba2_mixer(
    config: Config,
    hidden: int,
    inner: int,
    keys: Mamba2Keys,
    *,
    state: int = 128,
    groups: int = 8,
    gated_norm: bool = True,
) -> StateSpace:
    """A Mamba 2 part; numbers are the family's defaults.

    Biases are those of its two projections: into gate, input, B, C and steps, and back out.
    """
    plain = StateSpace(
        kind="mamba2",
        heads=config.integer(keys[0], default=128),
        inner_size=inner,
        state_size=config.integer(keys[1], default=state),
        groups=config.integer(keys[2], default=groups),
        conv_kernel=config.integer(keys[3], default=4),
        conv_bias=config.flag(keys[4], default=True),
        gated_norm=gated_norm,
    )
    into = 2 * inner + 2 * plain.groups * plain.state_size + plain.heads
    has_bias = config.flag(keys[5], default=False)
    return msgspec.structs.replace(plain, other_parameters=into + hidden if has_bias else 0)


def _own_mamba2(config: Config, hidden: int, heads: str, head_dim: str, state: str) -> StateSpace:
    inner = config.integer(heads, default=128) * config.integer(head_dim, default=64)
    return mamba2_mixer(config, hidden, inner, (heads, state, "n_groups", "conv_kernel", "use_conv_bias", "use_bias"))


def build_mamba2(config: Config, outer: Config | None) -> Model:
    hidden = config.integer("hidden_size", default=4096)
    mixer = _own_mamba2(config, hidden, "num_heads", "head_dim", "state_size")
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
    group = LayerGroup(count=config.integer("num_hidden_layers", "n_layer", default=layers), mixer=mixer, norms=1)
    return decoder_model(config, outer, hidden, (group,), kind="ssm_hybrid", vocab=vocab, tied=tied)


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
    for (is_attention, is_moe), count in Counter(zip(attention, moe, strict=True)).items():
        mixer: Mixer = (
            plain_attention(config, hidden, 8, sizes=(), bias=False) if is_attention else _jamba_mamba(config, hidden)
        )
        groups.append(LayerGroup(count=count, mixer=mixer, ffn=ffns[is_moe]))
    return decoder_model(config, outer, hidden, groups, kind="ssm_hybrid", vocab=65536, context=262144)


def _every(config: Config, period_key: str, period: int, offset_key: str, offset: int, layers: int) -> list[bool]:
    period = config.integer(period_key, default=period)
    offset = config.integer(offset_key, default=offset, least=0)
    return [index % period == offset for index in range(layers)]


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
        for kind, count in Counter(kinds).items()
    ]
    return decoder_model(config, outer, hidden, groups, kind="ssm_hybrid", vocab=131072, context=4096)


def _pattern(config: Config) -> list[str]:
    key = next((key for key in ("hybrid_override_pattern", "layers_block_type", "layer_types") if config.has(key)), "")
    if not key:
        raise config.problem("hybrid_override_pattern", "Nemotron-H needs the pattern of its layers")
    value = config.data[key]
    if not isinstance(value, (str, list)) or not value:
        raise config.problem(key, "text or a list is expected, not {value}", value=shown(value))
    if len(value) > MOST_LAYERS:
        raise config.problem(
            key,
            "it names {value} layers, more than {most_layers}",
            value=f"{len(value):,}",
            most_layers=f"{MOST_LAYERS:,}",
        )
    kinds = []
    for index, letter in enumerate(value):
        kind = LAYER_NAMES.get(letter) if isinstance(letter, str) else None
        if kind is None:
            raise config.problem(
                f"{key}[{index}]", "{letter} is not a kind of layer in Nemotron-H", letter=shown(letter)
            )
        kinds.append(kind)
    stated = config.integer("num_hidden_layers", default=len(kinds), derived=f"length of {key}")
    if stated != len(kinds):
        config.notes.assume(f"num_hidden_layers: {len(kinds)} (length of {key}; the file says {stated})")
    return kinds


def _nemotron_part(config: Config, hidden: int, kind: str) -> tuple[Mixer | None, Ffn | None]:
    if kind == "M":
        return _own_mamba2(config, hidden, "mamba_num_heads", "mamba_head_dim", "ssm_state_size"), None
    if kind == "*":
        return plain_attention(config, hidden, 8, sizes=("attention_head_dim", "head_dim")), None
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
