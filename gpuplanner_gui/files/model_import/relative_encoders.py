"""Text encoders whose attention knows distances by buckets: MPNet and DeBERTa-v3."""

from __future__ import annotations

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.encoders import text_encoder
from gpuplanner_gui.files.model_import.vision import encoder_group


def build_mpnet(config: Config, _: Config | None) -> Model:
    """BERT with RoBERTa's positions and, shared by all layers, a bias for each bucket of distances; no token types."""
    hidden = config.integer("hidden_size", default=768)
    group = encoder_group(config, hidden, 12, 12, 3072)
    vocab = config.integer("vocab_size", default=30527)
    positions = config.integer("max_position_embeddings", default=514)
    buckets = config.integer("relative_attention_num_buckets", default=32)
    heads = config.integer("num_attention_heads", default=12)
    pooler = hidden * hidden + hidden
    return text_encoder(
        config, hidden, vocab, group, max(positions - 2, 1),
        positions=positions * hidden, other=2 * hidden + pooler + buckets * heads,
    )  # fmt: skip


def build_deberta(config: Config, _: Config | None) -> Model:
    """No positions in the embedding, but vectors of distances that queries and keys share, with a norm; no pooler."""
    hidden = config.integer("hidden_size", default=768)
    group = encoder_group(config, hidden, 12, 12, 3072)
    vocab = config.integer("vocab_size", default=128100)
    context = config.integer("max_position_embeddings", default=512)
    vectors = 2 * config.integer("position_buckets", default=256) + config.integer(
        "type_vocab_size", default=0, least=0
    )
    return text_encoder(config, hidden, vocab, group, context, positions=vectors * hidden, other=4 * hidden)
