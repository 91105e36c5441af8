"""A model's architecture as the engine needs it: groups of equal layers, each with a mixer and a feed-forward part.

Parameters, FLOPs, KV cache and traffic are all derived from these fields (`engine.model.parameters`,
`engine.model.operations`), so an edit of layers or heads moves every number. What a family adds beyond the common
blocks stands in `other_parameters`.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import LONGEST_NAME, about

ModelKind = Literal[
    "dense_decoder",
    "moe_decoder",
    "ssm_hybrid",
    "encoder",
    "encoder_decoder",
    "vision_transformer",
    "cnn",
    "diffusion",
    "custom",
]
DECODERS: tuple[ModelKind, ...] = ("dense_decoder", "moe_decoder", "ssm_hybrid")
NormKind = Literal["rms", "layer", "layer_no_bias"]
QkNorm = Literal["none", "per_head", "full"]

Precision = Literal["fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "mxfp4", "nvfp4", "int4"]
"""A number format of weights, activations or KV cache; mxfp4, nvfp4 and int4 carry block scales."""


class Attention(msgspec.Struct, frozen=True, kw_only=True, tag="attention", forbid_unknown_fields=True):
    """Multi-head, grouped-query or multi-query attention, full or windowed."""

    heads: Annotated[int, about("Query heads", "", "Attention heads that compute queries.", minimum=1, maximum=100_000)]
    kv_heads: Annotated[
        int, about("KV heads", "", "Heads whose keys and values are cached.", minimum=1, maximum=100_000)
    ]
    head_dim: Annotated[int, about("Head size", "", "Width of one head's query and key.", minimum=1, maximum=100_000)]
    value_head_dim: Annotated[
        int, about("Value head size", "", "0: same as the head size.", minimum=0, advanced=True)
    ] = 0
    window: Annotated[
        int, about("Window", "tok", "Tokens that a sliding-window or chunked layer sees; 0: all.", minimum=0)
    ] = 0
    qkv_bias: Annotated[bool, about("QKV bias", advanced=True)] = False
    output_bias: Annotated[bool, about("Output bias", advanced=True)] = False
    qk_norm: Annotated[QkNorm, about("QK norm", advanced=True)] = "none"
    output_gate: Annotated[bool, about("Output gate", "", "A second query-sized projection.", advanced=True)] = False
    shared_kv_projection: Annotated[
        bool, about("Shared K/V projection", "", "Keys and values come from one matrix.", advanced=True)
    ] = False
    causal: Annotated[bool, about("Causal", "", "A token sees only earlier ones.", advanced=True)] = True
    cached: Annotated[bool, about("Cached", "", "Keys and values are kept while decoding.", advanced=True)] = True
    kv_shared_with_earlier_layer: Annotated[
        bool, about("Reuses an earlier layer's cache", "", "Adds no KV cache of its own.", advanced=True)
    ] = False
    other_parameters: Annotated[
        int, about("Other parameters", "", "Parameters beyond the projections.", minimum=0, advanced=True)
    ] = 0


class CrossAttention(msgspec.Struct, frozen=True, kw_only=True, tag="cross_attention", forbid_unknown_fields=True):
    """Attention of a decoder layer to an encoder's output, beside the layer's own mixer."""

    heads: Annotated[int, about("Query heads", minimum=1, maximum=100_000)]
    kv_heads: Annotated[int, about("KV heads", minimum=1, maximum=100_000)]
    head_dim: Annotated[int, about("Head size", minimum=1, maximum=100_000)]
    other_parameters: Annotated[int, about("Other parameters", minimum=0, advanced=True)] = 0


class LatentAttention(msgspec.Struct, frozen=True, kw_only=True, tag="mla", forbid_unknown_fields=True):
    """Multi-head latent attention (DeepSeek V2 and later), optionally with a sparse indexer."""

    heads: Annotated[int, about("Query heads", minimum=1, maximum=100_000)]
    q_lora_rank: Annotated[int, about("Query rank", "", "0: no query compression.", minimum=0)] = 0
    kv_lora_rank: Annotated[int, about("KV rank", "", "Width of the cached latent vector.", minimum=1)]
    qk_nope_head_dim: Annotated[int, about("Head size without position", minimum=1)]
    qk_rope_head_dim: Annotated[int, about("Head size with position", minimum=0)]
    value_head_dim: Annotated[int, about("Value head size", minimum=1)]
    indexer_heads: Annotated[int, about("Indexer heads", "", "0: no sparse indexer.", minimum=0, advanced=True)] = 0
    indexer_head_dim: Annotated[int, about("Indexer head size", minimum=0, advanced=True)] = 0
    indexer_top_k: Annotated[
        int, about("Tokens attended", "tok", "Tokens that the indexer selects; 0: all.", minimum=0, advanced=True)
    ] = 0
    output_gate: Annotated[bool, about("Output gate", "", "A projection as large as the values.", advanced=True)] = (
        False
    )
    other_parameters: Annotated[int, about("Other parameters", minimum=0, advanced=True)] = 0


class CompressedAttention(msgspec.Struct, frozen=True, kw_only=True, tag="compressed", forbid_unknown_fields=True):
    """Attention over keys compressed by a ratio, with one shared wide KV head (DeepSeek V4)."""

    heads: Annotated[int, about("Query heads", minimum=1, maximum=100_000)]
    head_dim: Annotated[int, about("Head size", minimum=1)]
    q_lora_rank: Annotated[int, about("Query rank", minimum=0)]
    output_groups: Annotated[int, about("Output groups", minimum=1)] = 1
    output_lora_rank: Annotated[int, about("Output rank", minimum=0)] = 0
    window: Annotated[int, about("Window", "tok", minimum=0)] = 0
    compress_ratio: Annotated[int, about("Compression", "", "0: windowed only.", minimum=0)] = 0
    indexer_heads: Annotated[int, about("Indexer heads", minimum=0)] = 0
    indexer_head_dim: Annotated[int, about("Indexer head size", minimum=0)] = 0
    indexer_top_k: Annotated[int, about("Tokens attended", "tok", minimum=0)] = 0
    other_parameters: Annotated[int, about("Other parameters", minimum=0, advanced=True)] = 0


class LinearAttention(msgspec.Struct, frozen=True, kw_only=True, tag="linear", forbid_unknown_fields=True):
    """A mixer with a fixed state per sequence: gated delta net, Kimi delta attention, lightning attention."""

    kind: Annotated[Literal["gated_delta_net", "kda", "lightning"], about("Kind")]
    key_heads: Annotated[int, about("Key heads", minimum=1)]
    value_heads: Annotated[int, about("Value heads", minimum=1)]
    key_head_dim: Annotated[int, about("Key head size", minimum=1)]
    value_head_dim: Annotated[int, about("Value head size", minimum=1)]
    conv_kernel: Annotated[int, about("Convolution width", minimum=0)] = 0
    gate_rank: Annotated[
        int,
        about("Gate rank", "", "Kimi delta attention: 0 for an output gate of full rank.", minimum=0, advanced=True),
    ] = 0
    other_parameters: Annotated[int, about("Other parameters", minimum=0, advanced=True)] = 0


class StateSpace(msgspec.Struct, frozen=True, kw_only=True, tag="state_space", forbid_unknown_fields=True):
    """Mamba 1 or 2."""

    kind: Annotated[Literal["mamba1", "mamba2"], about("Kind")]
    inner_size: Annotated[int, about("Inner width", "", "Heads times head size.", minimum=1)]
    state_size: Annotated[int, about("State size", minimum=1)]
    heads: Annotated[int, about("Heads", "", "Mamba 2 only.", minimum=0)] = 0
    groups: Annotated[int, about("Groups", "", "Mamba 2 only.", minimum=0)] = 0
    time_step_rank: Annotated[int, about("Time-step rank", "", "Mamba 1 only.", minimum=0)] = 0
    conv_kernel: Annotated[int, about("Convolution width", minimum=0)] = 4
    conv_bias: Annotated[bool, about("Convolution bias", advanced=True)] = True
    gated_norm: Annotated[bool, about("Gated norm", "", "Mamba 2 only: a norm before the output.", advanced=True)] = (
        True
    )
    other_parameters: Annotated[int, about("Other parameters", minimum=0, advanced=True)] = 0


Mixer = Attention | LatentAttention | CompressedAttention | LinearAttention | StateSpace


class DenseFfn(msgspec.Struct, frozen=True, kw_only=True, tag="dense", forbid_unknown_fields=True):
    """Two matrices, or three with a gate."""

    size: Annotated[int, about("Feed-forward width", minimum=1)]
    gated: Annotated[bool, about("Gated", "", "SwiGLU or GeGLU: three matrices instead of two.")] = True
    bias: Annotated[bool, about("Bias", advanced=True)] = False


class MoeFfn(msgspec.Struct, frozen=True, kw_only=True, tag="moe", forbid_unknown_fields=True):
    """Routed experts, of which a token uses a few, and shared ones that every token uses."""

    experts: Annotated[int, about("Experts", minimum=1, maximum=1_000_000)]
    top_k: Annotated[int, about("Experts per token", minimum=1, maximum=1_000_000)]
    expert_size: Annotated[int, about("Expert width", minimum=1)]
    shared_size: Annotated[int, about("Shared experts' width", "", "All shared experts together.", minimum=0)] = 0
    shared_gate: Annotated[bool, about("Gate on the shared expert", advanced=True)] = False
    dense_size: Annotated[
        int, about("Dense part's width", "", "A dense MLP beside the experts (Gemma 4).", minimum=0, advanced=True)
    ] = 0
    expert_input_size: Annotated[
        int, about("Expert input width", "", "0: the hidden size.", minimum=0, advanced=True)
    ] = 0
    gated: Annotated[bool, about("Gated")] = True
    expert_bias: Annotated[bool, about("Expert bias", advanced=True)] = False
    router_bias: Annotated[bool, about("Router bias", advanced=True)] = False
    other_parameters: Annotated[int, about("Other parameters", minimum=0, advanced=True)] = 0


Ffn = DenseFfn | MoeFfn


MOST_LAYER_GROUPS = 200
"""Layers that differ; searched architectures have the most, each layer its own."""


class LayerGroup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Layers that are alike. Their order is not kept: nothing the planner asks depends on it."""

    count: Annotated[int, about("Layers", minimum=1, maximum=100_000)]
    mixer: Annotated[Mixer | None, about("Token mixer")] = None
    cross_attention: Annotated[CrossAttention | None, about("Cross-attention")] = None
    ffn: Annotated[Ffn | None, about("Feed-forward")] = None
    norms: Annotated[int, about("Norms per layer", minimum=0, advanced=True)] = 2
    norm_kind: Annotated[NormKind, about("Norm", advanced=True)] = "rms"
    other_parameters: Annotated[int, about("Other parameters per layer", minimum=0, advanced=True)] = 0


class WeightFormat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a checkpoint stores its weights, as its quantization block says."""

    native: Annotated[Precision, about("Checkpoint precision")] = "bf16"
    quantized: Annotated[Precision | None, about("Quantized layers' precision")] = None
    group_size: Annotated[
        int, about("Scale group", "", "Weights that share a scale; 0: one per tensor.", minimum=0)
    ] = 0
    scale_bytes: Annotated[float, about("Scale size", "bytes", minimum=0)] = 0.0
    zero_point_bytes: Annotated[float, about("Zero-point size", "bytes", minimum=0)] = 0.0
    scope: Annotated[Literal["linear", "experts", "all"], about("Quantized part")] = "linear"


class DraftHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What predicts further tokens of a model, for speculative decoding; one layer of the model's size."""

    kind: Annotated[
        Literal["mtp", "eagle3"], about("Kind", "", "MTP layers of the checkpoint, or a published EAGLE-3 head.")
    ] = "mtp"
    checkpoint: Annotated[str, about("Checkpoint", "", "Of a head published on its own.", longest=LONGEST_NAME)] = ""
    acceptance: Annotated[
        float | None,
        about(
            "Acceptance", "share", "Chance of a drafted token if the one before it was accepted.", minimum=0, maximum=1
        ),
    ] = None
    source: Annotated[str, about("Source")] = ""


class VisionTower(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An image encoder in front of a language model; its own layers and the rest of its parameters."""

    hidden_size: Annotated[int, about("Width", minimum=1)]
    layers: Annotated[tuple[LayerGroup, ...], about("Layers", most=MOST_LAYER_GROUPS)]
    other_parameters: Annotated[int, about("Patch embedding, merger and projector", minimum=0)] = 0
    token_pixels: Annotated[
        int,
        about(
            "Pixels per side of a token",
            "",
            "Side of the image square that becomes one token.",
            minimum=1,
            maximum=4096,
        ),
    ] = 28
    patches_per_token: Annotated[
        float,
        about(
            "Patches per token",
            "",
            "Patches that the vision tower processes for each token.",
            minimum=0.1,
            maximum=10_000,
        ),
    ] = 4.0
    image_tokens: Annotated[
        int,
        about("Tokens of an image", "tok", "If every image gives the same number; 0: by its size.", minimum=0,
              maximum=1_000_000),
    ] = 0  # fmt: skip


class AudioTower(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An audio encoder in front of a language model; its own layers and the rest of its parameters."""

    hidden_size: Annotated[int, about("Width", minimum=1)]
    layers: Annotated[tuple[LayerGroup, ...], about("Layers", most=MOST_LAYER_GROUPS)]
    other_parameters: Annotated[int, about("Convolutions, positions and projector", minimum=0)] = 0
    tokens_per_s: Annotated[
        float,
        about(
            "Tokens per second of audio",
            "tok/s",
            "Prompt tokens that one second of audio takes.",
            above=0,
            maximum=10_000,
        ),
    ] = 12.5
    positions_per_s: Annotated[
        float,
        about(
            "Positions per second of audio",
            "",
            "Positions that the audio tower processes for one second of audio.",
            above=0,
            maximum=100_000,
        ),
    ] = 50.0


class SampleTraining(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What training changes and keeps of a model not made of token layers; bytes of one sample at 16 bits."""

    parameters: Annotated[
        int,
        about(
            "Trained part",
            "",
            "Parameters of the denoiser or network. Text encoders and autoencoder prepare the data beforehand.",
            minimum=1,
            maximum=10**16,
        ),
    ]
    blocks: Annotated[
        int, about("Blocks", "", "Parts that full recomputation rebuilds one by one.", minimum=1, maximum=10**9)
    ] = 1
    adapter_width: Annotated[
        int,
        about("Adapter width", "", "Inputs plus outputs of all matrices; times the rank: parameters of adapters.",
              minimum=0, maximum=10**12),
    ] = 0  # fmt: skip
    kept_bytes: Annotated[
        float, about("Activations", "bytes", "Kept for the backward pass without recomputation.", minimum=0)
    ]
    rebuilt_bytes: Annotated[
        float,
        about("Rebuilt activations", "bytes",
              "Outputs of norms, modulations and activation functions, which selective recomputation rebuilds.",
              minimum=0),
    ] = 0.0  # fmt: skip
    block_input_bytes: Annotated[
        float, about("Block inputs", "bytes", "Inputs of all blocks: what full recomputation keeps.", minimum=0)
    ] = 0.0
    largest_block_bytes: Annotated[
        float, about("Largest block", "bytes", "Activations of the block that keeps most.", minimum=0)
    ] = 0.0
    prepared_bytes: Annotated[
        float,
        about("Prepared sample", "bytes",
              "Latents and encoded prompt of a sample, if they are prepared beforehand; 0: it is stored as a picture.",
              minimum=0),
    ] = 0.0  # fmt: skip


class Model(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is trained or served."""

    name: Annotated[str, about("Name", "", "Your name for the model.", longest=LONGEST_NAME)]
    kind: Annotated[ModelKind, about("Kind")] = "dense_decoder"
    family: Annotated[str, about("Family", "", "Architecture, as named in config.json.")] = ""
    hidden_size: Annotated[int, about("Hidden size", "", "Width of the residual stream.", minimum=0)] = 0
    vocab_size: Annotated[int, about("Vocabulary", "tok", minimum=0)] = 0
    embedding_size: Annotated[int, about("Embedding width", "", "0: the hidden size.", minimum=0, advanced=True)] = 0
    layers: Annotated[tuple[LayerGroup, ...], about("Layers", most=MOST_LAYER_GROUPS)] = ()
    encoder_layers: Annotated[
        tuple[LayerGroup, ...],
        about("Encoder layers", "", "Encoder layers of an encoder-decoder model.", most=MOST_LAYER_GROUPS),
    ] = ()
    encoder_tokens: Annotated[int, about("Encoder length", "tok", "If it is fixed (Whisper).", minimum=0)] = 0
    vision: Annotated[VisionTower | None, about("Vision tower")] = None
    audio: Annotated[AudioTower | None, about("Audio tower")] = None
    tied_embeddings: Annotated[bool, about("Tied embeddings", "", "One matrix for input and output.")] = False
    has_head: Annotated[
        bool,
        about("Output head", "", "Off: the model ends in hidden states, embeds or ranks documents and writes no text."),
    ] = True
    head_bias: Annotated[bool, about("Head bias", advanced=True)] = False
    position_parameters: Annotated[int, about("Position parameters", minimum=0, advanced=True)] = 0
    other_parameters: Annotated[int, about("Other parameters", "", "Final norms, poolers, tables.", minimum=0)] = 0
    published_formats: Annotated[
        tuple[Precision, ...],
        about("Published in", "", "Four-bit formats of checkpoints beside this one.", most=10, once=True),
    ] = ()
    drafts: Annotated[DraftHead | None, about("Draft head")] = None
    max_context: Annotated[int, about("Largest context", "tok", minimum=0)] = 0
    weight_format: Annotated[WeightFormat, about("Weight format")] = WeightFormat()
    flop_per_sample: Annotated[
        float, about("Forward FLOPs per sample", "flop", "For models not made of token layers.", minimum=0)
    ] = 0.0
    training_flop_per_sample: Annotated[
        float,
        about(
            "Forward FLOPs per training sample",
            "flop",
            "If training computes less than serving: one denoising pass of an image. 0: the same.",
            minimum=0,
            advanced=True,
        ),
    ] = 0.0
    denoising_steps: Annotated[
        int,
        about("Denoising steps", "", "Denoising steps of one sample, for diffusion models.", minimum=0, maximum=1000),
    ] = 0
    sample_pixels: Annotated[
        int, about("Pixels per sample", "", "Width times height of an image or of a frame of a video; 0: not known.",
                   minimum=0, maximum=10**9)
    ] = 0  # fmt: skip
    sample_frames: Annotated[
        int, about("Frames per sample", "", "Frames of a video; 0: one image.", minimum=0, maximum=100_000)
    ] = 0
    attention_flop_share: Annotated[
        float,
        about(
            "Share of attention in FLOPs",
            "",
            "Share of a denoising pass that grows with the square of the image size; the rest grows in proportion.",
            minimum=0,
            maximum=1,
        ),
    ] = 0.0
    sample: Annotated[str, about("Sample", "", "What one sample is, such as an image of 224 × 224.")] = ""
    activation_bytes_per_sample: Annotated[
        float, about("Activation bytes per sample", "bytes", "For models not made of token layers.", minimum=0)
    ] = 0.0
    sample_training: Annotated[
        SampleTraining | None,
        about("Training of a sample", "", "For models not made of token layers: what training keeps of a sample."),
    ] = None
    custom_parameters: Annotated[
        int, about("Parameters", "", "For models not made of token layers; 0 otherwise.", minimum=0, maximum=10**16)
    ] = 0
    source: Annotated[str, about("Source")] = ""
    assumed: Annotated[
        tuple[str, ...], about("Assumed", "", "Keys the config lacks, and what was taken.", most=200)
    ] = ()
    not_understood: Annotated[
        tuple[str, ...], about("Not understood", "", "What the import could not read.", most=200)
    ] = ()

    @property
    def embeds(self) -> bool:
        """Whether it ends in hidden states, from which documents are embedded or ranked, and writes no text."""
        return self.kind == "encoder" or (self.kind in DECODERS and bool(self.layers) and not self.has_head)
