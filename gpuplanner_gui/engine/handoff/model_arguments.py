"""A model's shape in the arguments of Megatron's `pretrain_gpt.py`: what a plan knows of it, no checkpoint needed."""

from __future__ import annotations

from gpuplanner_gui.domain.model import Attention, DenseFfn, LayerGroup, Model, MoeFfn


def megatron_arguments(model: Model) -> tuple[str, ...]:
    """Arguments that build layers of these sizes; empty for a model that they cannot describe.

    Notes
    -----
    Arguments as in Megatron-LM's `megatron/training/arguments.py`: attention with grouped queries, and feed-forward
    networks that are dense, of experts, or dense in the first layers. Hybrids and latent attention have specifications
    of their own.
    """
    mixers = {group.mixer for group in model.layers}
    (mixer, *others) = mixers or {None}
    if not isinstance(mixer, Attention) or others or any(group.cross_attention for group in model.layers):
        return ()
    networks = _networks(model.layers)
    if not networks:
        return ()
    found = [
        f"--num-layers {sum(group.count for group in model.layers)}",
        f"--hidden-size {model.hidden_size}",
        *_attention(mixer, model.hidden_size),
        *networks,
        "--position-embedding-type rope",
        f"--vocab-size {model.vocab_size}",
    ]
    if model.layers[0].norm_kind == "rms":
        found.append("--normalization RMSNorm")
    if not model.tied_embeddings:
        found.append("--untie-embeddings-and-output-weights")
    return tuple(found)


def _attention(mixer: Attention, hidden_size: int) -> list[str]:
    found = [f"--num-attention-heads {mixer.heads}"]
    if mixer.head_dim * mixer.heads != hidden_size:
        found.append(f"--kv-channels {mixer.head_dim}")
    if mixer.kv_heads != mixer.heads:
        found.append(f"--group-query-attention --num-query-groups {mixer.kv_heads}")
    if mixer.qk_norm != "none":
        found.append("--qk-layernorm")
    if mixer.qkv_bias:
        found.append("--add-qkv-bias")
    return found


def _networks(layers: tuple[LayerGroup, ...]) -> list[str]:
    """Feed-forward networks; empty where they are neither all alike nor dense in the first layers alone."""
    dense = [group.ffn for group in layers if isinstance(group.ffn, DenseFfn)]
    of_experts = [group.ffn for group in layers if isinstance(group.ffn, MoeFfn)]
    if len(dense) + len(of_experts) != len(layers) or len(set(dense)) > 1 or len(set(of_experts)) > 1:
        return []
    found = []
    if dense:
        found += [f"--ffn-hidden-size {dense[0].size}"]
    is_biased = any(ffn.bias for ffn in dense) or any(ffn.expert_bias for ffn in of_experts)
    if of_experts:
        ffn = of_experts[0]
        found += [
            f"--num-experts {ffn.experts} --moe-router-topk {ffn.top_k} --moe-ffn-hidden-size {ffn.expert_size}",
            "--moe-grouped-gemm --moe-token-dispatcher-type alltoall",
        ]  # fmt: skip
        if not dense:
            found.append(f"--ffn-hidden-size {ffn.expert_size}")
        if ffn.shared_size:
            found.append(f"--moe-shared-expert-intermediate-size {ffn.shared_size}")
    if dense and of_experts:
        first = next(place for place, group in enumerate(layers) if isinstance(group.ffn, MoeFfn))
        if any(isinstance(group.ffn, DenseFfn) for group in layers[first:]):
            return []
        counts = [sum(group.count for group in part) for part in (layers[:first], layers[first:])]
        found.append(f'--moe-layer-freq "[0]*{counts[0]}+[1]*{counts[1]}"')
    if any(ffn.gated for ffn in dense) or any(ffn.gated for ffn in of_experts):
        found.append("--swiglu")
    if not is_biased:
        found.append("--disable-bias-linear")
    return found
