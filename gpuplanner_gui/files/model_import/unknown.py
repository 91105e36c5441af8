"""Architectures that nothing here knows: what their keys say in the usual words is taken, the rest is listed."""

from __future__ import annotations

from gpuplanner_gui.domain.model import Attention, DenseFfn, Ffn, LayerGroup, Model, MoeFfn
from gpuplanner_gui.files.model_import.classic import CONTEXT, FFN, FFN_IS_FOUR_TIMES, HEADS, HIDDEN, LAYERS
from gpuplanner_gui.files.model_import.config import Config, shown
from gpuplanner_gui.files.model_import.experts import EXPERTS_KEYS, SHARED_COUNT_KEYS, TOP_K_KEYS
from gpuplanner_gui.files.model_import.layers import head_size, tied_embeddings

UNREAD_HINTS = (
    "layer_types", "kv_lora_rank", "q_lora_rank", "sliding_window", "ssm_state_size", "state_size", "mamba_d_state",
    "linear_attn_config", "hybrid_override_pattern", "block_configs", "compress_ratios", "audio_config",
    "index_n_heads", "first_k_dense_replace", "is_encoder_decoder", "use_qk_norm", "moe_layer_freq",
)  # fmt: skip
"""Keys that change an architecture in ways only its own family defines."""


def build_unknown(config: Config, outer: Config | None) -> Model:
    """A plain decoder from the usual keys where all of them stand, else an empty model to be filled in."""
    notes = config.notes
    notes.give_up(f"architecture: {shown(config.family)} is not known")
    unread = [key for key in UNREAD_HINTS if config.data.get(key) not in (None, False, 0, [], {})]
    if unread:
        notes.give_up(f"not read: {', '.join(unread)}")
    if not (config.has(*HIDDEN) and config.has(*LAYERS) and config.has(*HEADS)):
        notes.give_up("no layers: hidden size, layers and heads are not all given under the usual names")
        return Model(name="", kind="custom", family=config.family, has_head=False)
    hidden, heads = config.integer(*HIDDEN), config.integer(*HEADS)
    ffn = _ffn(config, hidden)
    notes.give_up("layers: taken as grouped-query attention and a gated feed-forward part with two norms")
    attention = Attention(
        heads=heads,
        kv_heads=min(config.integer("num_key_value_heads", default=heads, derived="as many as query heads"), heads),
        head_dim=head_size(config, hidden, heads, "head_dim"),
    )
    return Model(
        name="",
        kind="moe_decoder" if isinstance(ffn, MoeFfn) else "dense_decoder",
        family=config.family,
        hidden_size=hidden,
        vocab_size=config.integer("vocab_size", default=0, least=0, derived="not given"),
        layers=(LayerGroup(count=config.integer(*LAYERS), mixer=attention, ffn=ffn),),
        tied_embeddings=tied_embeddings(config, False, outer),
        other_parameters=hidden,
        max_context=config.integer(*CONTEXT, default=0, least=0, derived="not given"),
    )


def _ffn(config: Config, hidden: int) -> Ffn:
    experts = config.integer(*EXPERTS_KEYS, least=0) if config.has(*EXPERTS_KEYS) else 0
    if not experts:
        return DenseFfn(size=config.integer(*FFN, default=4 * hidden, derived=FFN_IS_FOUR_TIMES))
    size = config.integer("moe_intermediate_size", *FFN, default=4 * hidden, derived=FFN_IS_FOUR_TIMES)
    shared = config.integer(*SHARED_COUNT_KEYS, least=0) if config.has(*SHARED_COUNT_KEYS) else 0
    top_k = min(config.integer(*TOP_K_KEYS, default=1, derived="not given"), experts)
    return MoeFfn(experts=experts, top_k=top_k, expert_size=size, shared_size=size * shared)
