"""Decoders found by architecture search, whose blocks differ: Nemotron NAS and DeciLM."""

from __future__ import annotations

from typing import Any

from gpuplanner_gui.domain.model import Attention, DenseFfn, LayerGroup, Model
from gpuplanner_gui.files.errors import said
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.layers import decoder_model, grouped, head_size

FFN_MULTIPLE = 256


def build_nas(config: Config, outer: Config | None) -> Model:
    hidden = config.integer("hidden_size", default=None)
    heads = config.integer("num_attention_heads", default=None)
    head_dim = head_size(config, hidden, heads, "head_dim")
    layers = [
        LayerGroup(count=1, mixer=mixer, ffn=ffn, norms=(mixer is not None) + (ffn is not None))
        for mixer, ffn in _blocks(config, hidden, heads, head_dim)
    ]
    return decoder_model(config, outer, hidden, grouped(layers), kind="dense_decoder", vocab=None, context=131072)


Block = tuple[Attention | None, DenseFfn | None]


def _blocks(config: Config, hidden: int, heads: int, head_dim: int) -> list[Block]:
    if config.has("block_configs"):
        entries = config.items("block_configs", dict)
        stated = config.integer("num_hidden_layers", default=len(entries), derived="length of block_configs")
        if stated != len(entries):
            config.notes.assume(f"num_hidden_layers: {len(entries)} (length of block_configs; the file says {stated})")
        return [
            (_attention(block, heads, head_dim), _ffn(block, hidden))
            for block in (
                Config(e, config.path, config.family, config.notes, f"block_configs[{i}].")
                for i, e in enumerate(entries)
            )
        ]
    per_layer = config.items("num_key_value_heads_per_layer", int)
    if not per_layer:
        raise config.problem("block_configs", said("{family} needs its list of blocks", family=config.family))
    ffn = DenseFfn(size=config.integer("intermediate_size", default=None))
    blocks: list[Block] = []
    for index, kv_heads in enumerate(per_layer):
        if not 1 <= kv_heads <= heads:
            raise config.problem(
                f"num_key_value_heads_per_layer[{index}]",
                said("{kv_heads} is outside 1 to {heads}", kv_heads=kv_heads, heads=heads),
            )
        blocks.append((Attention(heads=heads, kv_heads=kv_heads, head_dim=head_dim), ffn))
    return blocks


def _attention(block: Config, heads: int, head_dim: int) -> Attention | None:
    part: Any = block.part("attention")
    if part is None or part.flag("no_op", default=False, quiet=True):
        return None
    if part.flag("replace_with_linear", default=False, quiet=True):
        block.notes.give_up("block_configs: attention replaced by a linear layer is not counted")
        return None
    group = part.integer("n_heads_in_group", most=heads)
    window = part.integer("window_length", default=0, least=0) if part.has("window_length") else 0
    return Attention(heads=heads, kv_heads=max(heads // group, 1), head_dim=head_dim, window=window)


def _ffn(block: Config, hidden: int) -> DenseFfn | None:
    part: Any = block.part("ffn")
    if part is None or part.flag("no_op", default=False, quiet=True):
        return None
    if part.flag("replace_with_linear", default=False, quiet=True):
        block.notes.give_up("block_configs: a feed-forward part replaced by a linear layer is not counted")
        return None
    if part.has("intermediate_size"):
        return DenseFfn(size=part.integer("intermediate_size"))
    size = int(2 * part.number("ffn_mult", most=1000.0) * hidden / 3)
    return DenseFfn(size=max(-(-size // FFN_MULTIPLE) * FFN_MULTIPLE, FFN_MULTIPLE))
