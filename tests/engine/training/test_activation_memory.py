"""Activations, logits and micro-batches in flight."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.model import Attention, DenseFfn, LatentAttention, LayerGroup, MoeFfn
from gpuplanner_gui.engine.training.activation_memory import in_flight, logits_bytes, stack_activation

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, FFN = 4096, 32, 8, 128, 14336
LAYER = LayerGroup(count=1, mixer=Attention(heads=HEADS, kv_heads=KV_HEADS, head_dim=HEAD_DIM), ffn=DenseFfn(size=FFN))


def test_a_modern_layer_by_hand():
    sizes = stack_activation((LAYER,), HIDDEN, 8192, True)
    norms_and_residuals = 8 * HIDDEN
    attention = 2 * (HEADS + 2 * KV_HEADS) * HEAD_DIM + 2 * HEADS * HEAD_DIM + 4 * HEADS
    feed_forward = 2 * 3 * FFN
    assert sizes.kept == norms_and_residuals + attention + feed_forward
    assert sizes.checkpoint == 2 * HIDDEN
    assert sizes.largest_layer == sizes.kept


def test_selective_recomputation_drops_norms_and_the_activation_function():
    sizes = stack_activation((LAYER,), HIDDEN, 8192, True)
    assert sizes.kept - sizes.bytes_per_token(1) == 4 * HIDDEN + 2 * FFN


def test_without_flash_attention_scores_stay_and_selective_recomputation_drops_them():
    tokens = 2048
    sizes = stack_activation((LAYER,), HIDDEN, tokens, False)
    flash = stack_activation((LAYER,), HIDDEN, tokens, True)
    assert sizes.kept - flash.kept == 5 * HEADS * tokens
    assert sizes.bytes_per_token(1) == flash.kept - 4 * HEADS


def test_recomputation_by_operator_keeps_attention_and_every_second_product():
    """Llama 3 8B: input 2h, attention's output 2h, of queries, keys, values, gate, up and the residual a half."""
    sizes = stack_activation((LAYER,), HIDDEN, 8192, True)
    products = 2 * (HEADS + 2 * KV_HEADS) * HEAD_DIM + 2 * 2 * FFN + 4 * HIDDEN + 4 * HEADS
    assert sizes.by_operator == 2 * HIDDEN + 2 * HEADS * HEAD_DIM + products / 2
    assert sizes.bytes_per_token(1, selects_by_operator=True) < sizes.bytes_per_token(1)


def test_megatron_s_selective_recomputation_rebuilds_norms_and_not_what_enters_dense_products():
    """Two norms of 2h bytes; its `--recompute-modules` know `layernorm` and `moe_act`, nothing of a dense network."""
    sizes = stack_activation((LAYER,), HIDDEN, 8192, True)
    assert sizes.dense_products == 2 * FFN
    norms = sizes.bytes_per_token(0) - sizes.bytes_per_token(1, selects_dense_products=False)
    assert norms == 2 * 2 * HIDDEN
    narrow = sizes.bytes_per_token(0, 1.0) - sizes.bytes_per_token(1, 1.0, selects_dense_products=False)
    assert narrow == 2 * HIDDEN


def deepseek_v3_gib(recompute: int, input_bytes: float = 2.0) -> float:
    """One sequence of 4,096 tokens through all 61 layers, 58 of them with experts. [GiB]"""
    latent = LatentAttention(
        heads=128, q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, value_head_dim=128
    )
    dense = LayerGroup(count=3, mixer=latent, ffn=DenseFfn(size=18_432))
    experts = LayerGroup(count=58, mixer=latent, ffn=MoeFfn(experts=256, top_k=8, expert_size=2048, shared_size=2048))
    sizes = stack_activation((dense, experts), 7168, 4096, True)
    return sizes.bytes_per_token(recompute, input_bytes, selects_dense_products=False) * 4096 / 2**30


def test_activations_of_deepseek_v3_are_those_that_its_framework_published():
    """A first stage of p holds p micro-batches of 61/p layers: as many bytes as one sequence through all of them.
    arXiv 2603.07685, section 4: 131.0 GB, of which applying routing weights before the down projection saves 26.3 GB
    (2 · 8 · 7,168 bytes a token and layer of experts: 25.4 GiB)."""
    assert deepseek_v3_gib(0) == pytest.approx(131.0 - 26.3, rel=0.01)


def test_eight_bits_save_what_its_framework_published():
    """Some 16 GB. The attention's output (3.8 GiB a byte) stays in 16 bits for its own backward pass; the 8 bits that
    enter the next product stand beside it."""
    assert deepseek_v3_gib(0) - deepseek_v3_gib(0, 1.0) == pytest.approx(16.0, rel=0.05)


def test_selective_recomputation_rebuilds_queries_keys_and_values_of_latent_attention():
    """Published: 30.4 GB for up-projections, 3.8 GB in 8 bits for activation functions, 8.2 GB for norms. By hand
    2 · 128 · (2 · 192 + 128) = 131,072 bytes a token and layer for the first, 2 · 8 · 2,048 for the second, 4 · 7,168
    for two norms' outputs."""
    up, functions, norms = 61 * 131_072, 58 * 2 * 8 * 2048, 61 * 4 * 7168
    assert up * 4096 / 2**30 == pytest.approx(30.4, rel=0.01)
    saved = deepseek_v3_gib(0) - deepseek_v3_gib(1)
    assert saved == pytest.approx((up + functions + norms) * 4096 / 2**30)


def test_logits_of_a_large_vocabulary():
    """131,072 entries, 4,096 tokens, 4 sequences: 21.5 GB (docs/derivations/training.md#logits)."""
    found = logits_bytes(10.0, np.array([4 * 4096.0]), 131_072.0, np.array([1]))
    assert float(found[0]) / 1e9 == pytest.approx(21.5, abs=0.05)


@pytest.mark.parametrize(
    ("micro_batches", "stages", "chunks", "expected"),
    [(16, 4, 1, 4.0), (2, 4, 1, 2.0), (16, 4, 2, 4 * (1 + 3 / 8)), (16, 1, 1, 1.0), (3, 8, 4, 3.0)],
)
def test_micro_batches_in_flight(micro_batches: float, stages: int, chunks: int, expected: float):
    found = in_flight(np.array([float(micro_batches)]), np.array([stages]), np.array([chunks]))
    assert float(found[0]) == pytest.approx(expected)


@given(
    hidden=st.integers(1, 64), heads=st.integers(1, 64), ffn=st.integers(1, 60_000), tokens=st.integers(1, 100_000),
    flash=st.booleans(),
)  # fmt: skip
def test_recomputing_more_never_keeps_more(hidden: int, heads: int, ffn: int, tokens: int, flash: bool):
    layer = LayerGroup(count=3, mixer=Attention(heads=heads, kv_heads=1, head_dim=64), ffn=DenseFfn(size=ffn))
    sizes = stack_activation((layer,), 128 * hidden, tokens, flash)
    none, selective, full = (sizes.bytes_per_token(mode) for mode in range(3))
    assert none >= selective >= full > 0
