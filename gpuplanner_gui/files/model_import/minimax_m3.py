"""MiniMax-M3: grouped-query attention with indexers that pick blocks of keys, experts beside a shared one."""

from __future__ import annotations

import msgspec

from gpuplanner_gui.domain.model import Attention, LayerGroup, Model
from gpuplanner_gui.files.model_import.config import Config, listed, per_layer
from gpuplanner_gui.files.model_import.layers import ExpertKeys, counted, decoder_model, is_moe_layer, moe_or_dense

EXPERTS = ExpertKeys(
    128, 4, 3072, ("moe_intermediate_size", "intermediate_size"),
    shared_size_key="shared_intermediate_size", shared_size=3072, placement="after_dense", first_dense=3,
)  # fmt: skip
SPARSE = "minimax_m3_sparse"
DENSE_LAYERS = 3


def build_minimax_m3(config: Config, outer: Config | None) -> Model:
    """The language stack; how many keys its indexers leave is not modelled: attention counts over the whole context."""
    hidden = config.integer("hidden_size", default=6144)
    layers = config.integer("num_hidden_layers", default=60)
    attention, indexer = _attention(config), _indexer_parameters(config, hidden)
    sparse, moe = _sparse_layers(config, layers), is_moe_layer(config, EXPERTS, layers)
    if any(sparse):
        config.notes.assume("sparse_attention_config: indexers are counted, attention as if it saw every block")
    groups = []
    for (is_sparse, is_moe), count in counted(zip(sparse, moe, strict=True)).items():
        mixer = msgspec.structs.replace(attention, other_parameters=indexer) if is_sparse else attention
        ffn = moe_or_dense(config, EXPERTS if is_moe else None, 12288, "dense_intermediate_size")
        groups.append(LayerGroup(count=count, mixer=mixer, ffn=ffn))
    return decoder_model(config, outer, hidden, tuple(groups), kind="moe_decoder", vocab=200064, context=524288)


def _attention(config: Config) -> Attention:
    return Attention(
        heads=config.integer("num_attention_heads", default=64),
        kv_heads=config.integer("num_key_value_heads", default=4),
        head_dim=config.integer("head_dim", default=128),
        qk_norm="per_head" if config.flag("use_qk_norm", default=True, quiet=True) else "none",
        output_gate=config.flag("attention_output_gate", default=False, quiet=True),
    )


def _indexer_parameters(config: Config, hidden: int) -> int:
    """Queries of a few heads, one key, and a norm of each."""
    part = config.part("sparse_attention_config") or config
    heads = part.integer("sparse_num_index_heads", "index_n_heads", default=4)
    size = part.integer("sparse_index_dim", "index_head_dim", default=128)
    return hidden * (heads + 1) * size + 2 * size


def _sparse_layers(config: Config, layers: int) -> list[bool]:
    types = listed(config, "layer_types", str, layers)
    if types:
        return [name == SPARSE for name in types]
    part = config.part("sparse_attention_config")
    if part is not None and not part.flag("use_sparse_attention", default=True, quiet=True):
        return [False] * layers
    switches = part.items("sparse_attention_freq", int) if part is not None else []
    if switches:
        return [bool(switch) for switch in per_layer(switches, layers, config, "sparse_attention_freq")]
    config.notes.assume(f"sparse_attention_freq: all but the first {DENSE_LAYERS} (family default of minimax_m3)")
    return [index >= DENSE_LAYERS for index in range(layers)]
