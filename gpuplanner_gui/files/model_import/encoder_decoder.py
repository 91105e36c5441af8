"""Encoder-decoders: T5 in its versions, Whisper."""

from __future__ import annotations

from gpuplanner_gui.domain.model import Attention, CrossAttention, DenseFfn, LayerGroup, Model
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.layers import head_size, tied_embeddings


def build_t5(config: Config, outer: Config | None) -> Model:
    """T5, T5 1.1, Flan-T5 and mT5: heads of their own size, a table of relative positions per stack."""
    hidden = config.integer("d_model", "hidden_size", default=512)
    heads = config.integer("num_heads", default=8)
    head_dim = config.integer("d_kv", default=64)
    layers = config.integer("num_layers", default=6)
    decoder_layers = config.integer("num_decoder_layers", default=layers, derived="as many as num_layers")
    ffn = DenseFfn(size=config.integer("d_ff", default=2048), gated=_is_gated(config))
    is_encoder_only = any("EncoderModel" in name for name in config.items("architectures", str))
    encoder = LayerGroup(count=layers, mixer=_t5_attention(heads, head_dim, causal=False), ffn=ffn)
    decoder = LayerGroup(
        count=decoder_layers,
        mixer=_t5_attention(heads, head_dim, causal=True),
        cross_attention=CrossAttention(heads=heads, kv_heads=heads, head_dim=head_dim),
        ffn=ffn,
        norms=3,
    )
    per_stack = config.integer("relative_attention_num_buckets", default=32) * heads + hidden
    tied_by_default = config.family == "t5" and not ffn.gated
    return Model(
        name="",
        kind="encoder" if is_encoder_only else "encoder_decoder",
        family=config.family,
        hidden_size=hidden,
        vocab_size=config.integer("vocab_size", default=250112 if config.family == "mt5" else 32128),
        layers=(encoder,) if is_encoder_only else (decoder,),
        encoder_layers=() if is_encoder_only else (encoder,),
        tied_embeddings=tied_embeddings(config, tied_by_default, outer),
        has_head=not is_encoder_only,
        other_parameters=per_stack * (1 if is_encoder_only else 2),
        max_context=config.integer("n_positions", default=512),
    )


def _t5_attention(heads: int, head_dim: int, *, causal: bool) -> Attention:
    return Attention(heads=heads, kv_heads=heads, head_dim=head_dim, causal=causal, cached=causal)


def _is_gated(config: Config) -> bool:
    """T5 1.1 gates; some exports say so without naming the projection."""
    if config.has("feed_forward_proj"):
        return config.text("feed_forward_proj").startswith("gated")
    if config.has("is_gated_act"):
        return config.flag("is_gated_act", default=False)
    is_gated = config.family != "t5"
    config.notes.assume(
        f"feed_forward_proj: {'gated-gelu' if is_gated else 'relu'} (family default of {config.family})"
    )
    return is_gated


def build_whisper(config: Config, outer: Config | None) -> Model:
    """Whisper: a convolutional front, learned positions on both sides, key projections without bias."""
    hidden = config.integer("d_model", default=384)
    sources = config.integer("max_source_positions", default=1500)
    targets = config.integer("max_target_positions", default=448)
    encoder = whisper_encoder(config, hidden, layers=4, heads=6, ffn=1536)
    attention = _whisper_attention(config, hidden, config.integer("decoder_attention_heads", default=6), causal=True)
    decoder = LayerGroup(
        count=config.integer("decoder_layers", default=4),
        mixer=attention,
        cross_attention=CrossAttention(
            heads=attention.heads,
            kv_heads=attention.kv_heads,
            head_dim=attention.head_dim,
            other_parameters=3 * hidden,
        ),
        ffn=DenseFfn(size=config.integer("decoder_ffn_dim", default=1536), gated=False, bias=True),
        norms=3,
        norm_kind="layer",
    )
    return Model(
        name="",
        kind="encoder_decoder",
        family="whisper",
        hidden_size=hidden,
        vocab_size=config.integer("vocab_size", default=51865),
        layers=(decoder,),
        encoder_layers=(encoder,),
        encoder_tokens=sources,
        tied_embeddings=tied_embeddings(config, True, outer),
        position_parameters=(sources + targets) * hidden,
        other_parameters=whisper_convolutions(config, hidden, mel=80) + 4 * hidden,
        max_context=targets,
    )


def whisper_encoder(config: Config, hidden: int, *, layers: int, heads: int, ffn: int) -> LayerGroup:
    """Layers of an audio encoder as Whisper's, with the family's defaults; speech models name their sizes in two
    ways."""
    heads = config.integer("encoder_attention_heads", "num_attention_heads", default=heads)
    size = config.integer("encoder_ffn_dim", "intermediate_size", default=ffn)
    return LayerGroup(
        count=config.integer("encoder_layers", "num_hidden_layers", default=layers),
        mixer=_whisper_attention(config, hidden, heads, causal=False),
        ffn=DenseFfn(size=size, gated=False, bias=True),
        norm_kind="layer",
    )


def whisper_convolutions(config: Config, hidden: int, *, mel: int) -> int:
    """Parameters of the two convolutions before an audio encoder."""
    return config.integer("num_mel_bins", default=mel) * 3 * hidden + hidden + 3 * hidden * hidden + hidden


def _whisper_attention(config: Config, hidden: int, heads: int, *, causal: bool) -> Attention:
    return Attention(
        heads=heads,
        kv_heads=heads,
        head_dim=head_size(config, hidden, heads),
        causal=causal,
        cached=causal,
        other_parameters=3 * hidden,
    )
