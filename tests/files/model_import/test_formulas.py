"""Imported totals equal the closed formulas of each family for any layers, vocabulary, heads and widths."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.model import DenseFfn, MoeFfn
from gpuplanner_gui.engine.model.cache_sizes import kv_bytes_per_token, kv_bytes_per_token_beyond_window
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.model_import import import_model

layers = st.integers(1, 200)
vocabulary = st.integers(10, 300_000)
kv_groups = st.sampled_from([1, 2, 4, 8])
heads_per_group = st.integers(1, 16)
head_sizes = st.sampled_from([32, 64, 80, 128, 256])
widths = st.integers(8, 30_000)
booleans = st.booleans()


def imported(**keys):
    return import_model(json.dumps(keys).encode())


def total(model):
    return model_parameters(model).total


@given(layers, vocabulary, kv_groups, heads_per_group, head_sizes, widths, booleans)
def test_llama(count, vocab, kv_heads, per_group, head, ffn, tied):
    heads = kv_heads * per_group
    hidden = heads * head
    model = imported(
        model_type="llama", hidden_size=hidden, num_hidden_layers=count, vocab_size=vocab, num_attention_heads=heads,
        num_key_value_heads=kv_heads, intermediate_size=ffn, tie_word_embeddings=tied,
    )  # fmt: skip
    attention = hidden * heads * head + 2 * hidden * kv_heads * head + heads * head * hidden
    layer = attention + 3 * hidden * ffn + 2 * hidden
    assert total(model) == (1 if tied else 2) * vocab * hidden + count * layer + hidden
    assert float(kv_bytes_per_token(model)) == 2 * count * kv_heads * head * 2


@given(layers, vocabulary, kv_groups, heads_per_group, head_sizes, widths, st.integers(16, 8192))
def test_qwen3_with_a_head_size_of_its_own(count, vocab, kv_heads, per_group, head, ffn, hidden):
    heads = kv_heads * per_group
    model = imported(
        model_type="qwen3", hidden_size=hidden, num_hidden_layers=count, vocab_size=vocab, num_attention_heads=heads,
        num_key_value_heads=kv_heads, head_dim=head, intermediate_size=ffn, tie_word_embeddings=True,
        attention_bias=False,
    )  # fmt: skip
    attention = 2 * hidden * heads * head + 2 * hidden * kv_heads * head
    assert total(model) == vocab * hidden + count * (attention + 2 * head + 3 * hidden * ffn + 2 * hidden) + hidden


@given(layers, vocabulary, kv_groups, heads_per_group, head_sizes, widths)
def test_qwen2_has_biases_on_queries_keys_and_values(count, vocab, kv_heads, per_group, head, ffn):
    heads = kv_heads * per_group
    hidden = heads * head
    model = imported(
        model_type="qwen2", hidden_size=hidden, num_hidden_layers=count, vocab_size=vocab, num_attention_heads=heads,
        num_key_value_heads=kv_heads, intermediate_size=ffn, tie_word_embeddings=False,
    )  # fmt: skip
    attention = 2 * hidden * hidden + 2 * hidden * kv_heads * head + (heads + 2 * kv_heads) * head
    assert total(model) == 2 * vocab * hidden + count * (attention + 3 * hidden * ffn + 2 * hidden) + hidden


@given(layers, vocabulary, kv_groups, heads_per_group, widths, st.integers(2, 600), st.data())
def test_mixtral(count, vocab, kv_heads, per_group, ffn, experts, data):
    top_k = data.draw(st.integers(1, experts))
    heads = kv_heads * per_group
    hidden = heads * 128
    model = imported(
        model_type="mixtral", hidden_size=hidden, num_hidden_layers=count, vocab_size=vocab,
        num_attention_heads=heads, num_key_value_heads=kv_heads, intermediate_size=ffn, num_local_experts=experts,
        num_experts_per_tok=top_k, tie_word_embeddings=False,
    )  # fmt: skip
    attention = 2 * hidden * hidden + 2 * hidden * kv_heads * 128
    expert = 3 * hidden * ffn
    layer = attention + 2 * hidden + hidden * experts + experts * expert
    assert total(model) == 2 * vocab * hidden + count * layer + hidden
    assert model_parameters(model).active == total(model) - count * (experts - top_k) * expert


@given(
    st.integers(1, 100), vocabulary, st.integers(1, 128), st.sampled_from([0, 512, 1536]), st.sampled_from([256, 512]),
    st.integers(0, 4), st.integers(0, 3), booleans,
)  # fmt: skip
def test_latent_attention(count, vocab, heads, query_rank, kv_rank, first_dense, shared, is_sparse):
    hidden, nope, rope, value, experts, top_k, ffn, width = 1024, 128, 64, 128, 16, 4, 3072, 512
    index_heads, index_size = 16, 64
    keys = {"index_n_heads": index_heads, "index_head_dim": index_size, "index_topk": 2048} if is_sparse else {}
    model = imported(
        model_type="deepseek_v32" if is_sparse else "deepseek_v3", hidden_size=hidden, num_hidden_layers=count,
        vocab_size=vocab, num_attention_heads=heads, q_lora_rank=query_rank or None, kv_lora_rank=kv_rank,
        qk_nope_head_dim=nope, qk_rope_head_dim=rope, v_head_dim=value, n_routed_experts=experts,
        num_experts_per_tok=top_k, moe_intermediate_size=width, n_shared_experts=shared, intermediate_size=ffn,
        first_k_dense_replace=first_dense, tie_word_embeddings=False, **keys,
    )  # fmt: skip
    if query_rank:
        attention = hidden * query_rank + query_rank + query_rank * heads * (nope + rope)
    else:
        attention = hidden * heads * (nope + rope)
    attention += hidden * (kv_rank + rope) + kv_rank + kv_rank * heads * (nope + value) + heads * value * hidden
    if is_sparse:
        attention += (query_rank or hidden) * index_heads * index_size
        attention += hidden * index_size + 2 * index_size + hidden * index_heads
    dense = min(first_dense, count)
    sparse_ffn = hidden * experts + shared * 3 * hidden * width + experts * 3 * hidden * width
    expected = 2 * vocab * hidden + hidden + count * (attention + 2 * hidden)
    assert total(model) == expected + dense * 3 * hidden * ffn + (count - dense) * sparse_ffn
    assert float(kv_bytes_per_token(model)) == count * (kv_rank + rope) * 2


@given(layers, vocabulary, st.integers(1, 64), st.integers(16, 4096))
def test_gpt2(count, vocab, heads, positions):
    hidden = heads * 64
    model = imported(
        model_type="gpt2", n_embd=hidden, n_layer=count, n_head=heads, vocab_size=vocab, n_positions=positions
    )
    layer = 12 * hidden**2 + 13 * hidden
    assert total(model) == vocab * hidden + positions * hidden + count * layer + 2 * hidden


@given(layers, vocabulary, st.integers(1, 64))
def test_gptj(count, vocab, heads):
    hidden = heads * 64
    model = imported(model_type="gptj", n_embd=hidden, n_layer=count, n_head=heads, vocab_size=vocab)
    layer = 4 * hidden**2 + 8 * hidden**2 + 5 * hidden + 2 * hidden
    assert total(model) == 2 * vocab * hidden + vocab + count * layer + 2 * hidden


@given(layers, vocabulary, st.integers(1, 64), st.integers(16, 4096))
def test_opt(count, vocab, heads, positions):
    hidden = heads * 64
    model = imported(
        model_type="opt", hidden_size=hidden, num_hidden_layers=count, num_attention_heads=heads, vocab_size=vocab,
        ffn_dim=4 * hidden, max_position_embeddings=positions,
    )  # fmt: skip
    assert (
        total(model) == vocab * hidden + (positions + 2) * hidden + count * (12 * hidden**2 + 13 * hidden) + 2 * hidden
    )


def test_opt_350m_embeds_in_half_the_width():
    model = imported(
        model_type="opt", hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, vocab_size=50272,
        ffn_dim=4096, max_position_embeddings=2048, word_embed_proj_dim=512, do_layer_norm_before=False,
    )  # fmt: skip
    assert total(model) == 50272 * 512 + 2 * 512 * 1024 + 2050 * 1024 + 24 * (12 * 1024**2 + 13 * 1024)


@given(layers, vocabulary, st.integers(1, 64))
def test_mpt(count, vocab, heads):
    hidden = heads * 64
    model = imported(model_type="mpt", d_model=hidden, n_layers=count, n_heads=heads, vocab_size=vocab, no_bias=True)
    assert total(model) == vocab * hidden + count * (12 * hidden**2 + 2 * hidden) + hidden


@given(st.integers(1, 48), vocabulary, st.integers(1, 24), st.integers(8, 2048))
def test_bert(count, vocab, heads, positions):
    hidden = heads * 64
    model = imported(
        model_type="bert", hidden_size=hidden, num_hidden_layers=count, num_attention_heads=heads, vocab_size=vocab,
        intermediate_size=4 * hidden, max_position_embeddings=positions, type_vocab_size=2,
    )  # fmt: skip
    embeddings = (vocab + positions + 2) * hidden + 2 * hidden
    assert total(model) == embeddings + count * (12 * hidden**2 + 13 * hidden) + hidden**2 + hidden


@given(
    st.integers(1, 48), st.integers(1, 24), st.sampled_from([8, 14, 16, 32]), st.integers(2, 30), st.integers(1, 2000)
)
def test_vision_transformer(count, heads, patch, side, classes):
    hidden = heads * 64
    model = imported(
        model_type="vit", architectures=["ViTForImageClassification"], hidden_size=hidden, num_hidden_layers=count,
        num_attention_heads=heads, intermediate_size=4 * hidden, image_size=side * patch, patch_size=patch,
        num_labels=classes,
    )  # fmt: skip
    front = 3 * patch**2 * hidden + hidden + hidden + (side**2 + 1) * hidden
    head = 2 * hidden + hidden * classes + classes
    assert total(model) == front + count * (12 * hidden**2 + 13 * hidden) + head


@given(st.integers(1, 30), st.integers(1, 30), vocabulary, st.integers(1, 64), widths, booleans)
def test_t5(encoder, decoder, vocab, heads, ffn, is_gated):
    hidden, size, buckets = 512, 64, 32
    model = imported(
        model_type="t5", d_model=hidden, d_kv=size, d_ff=ffn, num_heads=heads, num_layers=encoder,
        num_decoder_layers=decoder, vocab_size=vocab, feed_forward_proj="gated-gelu" if is_gated else "relu",
    )  # fmt: skip
    inner, matrices = heads * size, 3 if is_gated else 2
    stacks = encoder * (4 * hidden * inner + matrices * hidden * ffn + 2 * hidden)
    stacks += decoder * (8 * hidden * inner + matrices * hidden * ffn + 3 * hidden)
    embeddings = (2 if is_gated else 1) * vocab * hidden
    assert total(model) == embeddings + stacks + 2 * (buckets * heads + hidden)
    assert float(kv_bytes_per_token(model)) == 4 * decoder * inner


@given(st.integers(1, 40), st.integers(1, 40), vocabulary, st.integers(1, 20), st.sampled_from([80, 128]))
def test_whisper(encoder, decoder, vocab, heads, mel):
    hidden = heads * 64
    model = imported(
        model_type="whisper", d_model=hidden, encoder_layers=encoder, decoder_layers=decoder, vocab_size=vocab,
        encoder_attention_heads=heads, decoder_attention_heads=heads, encoder_ffn_dim=4 * hidden,
        decoder_ffn_dim=4 * hidden, num_mel_bins=mel,
    )  # fmt: skip
    d = hidden
    front = mel * 3 * d + d + 3 * d * d + d + 1500 * d
    encoders = encoder * (4 * d * d + 3 * d + 8 * d * d + 4 * d + d + 4 * d) + 2 * d
    decoders = vocab * d + 448 * d + decoder * (8 * d * d + 6 * d + 8 * d * d + 5 * d + 6 * d) + 2 * d
    assert total(model) == front + encoders + decoders


@given(st.integers(1, 100), vocabulary, st.integers(1, 64), st.sampled_from([16, 64, 128]), st.integers(1, 8))
def test_mamba2(count, vocab, heads, state, groups):
    hidden, size, kernel = 512, 64, 4
    model = imported(
        model_type="mamba2", hidden_size=hidden, num_hidden_layers=count, vocab_size=vocab, num_heads=heads,
        head_dim=size, state_size=state, n_groups=groups, conv_kernel=kernel, tie_word_embeddings=True,
    )  # fmt: skip
    inner = heads * size
    channels = inner + 2 * groups * state
    mixer = hidden * (2 * inner + 2 * groups * state + heads) + channels * kernel + channels + 3 * heads + inner
    assert total(model) == vocab * hidden + count * (mixer + inner * hidden + hidden) + hidden


@given(st.integers(1, 60), st.integers(1, 8))
def test_windowed_layers_stop_growing(count, kv_heads):
    keys = {
        "model_type": "gemma2", "hidden_size": 512, "num_hidden_layers": count, "num_attention_heads": 8,
        "num_key_value_heads": kv_heads, "head_dim": 64, "intermediate_size": 1024, "vocab_size": 1000,
        "sliding_window": 1024, "max_position_embeddings": 8192,
    }  # fmt: skip
    if kv_heads > 8 or 8 % kv_heads:
        return
    model = import_model(json.dumps(keys).encode())
    per_layer = 2 * kv_heads * 64 * 2
    assert float(kv_bytes_per_token(model)) == count * per_layer
    assert float(kv_bytes_per_token_beyond_window(model)) == (count // 2) * per_layer


def test_experts_stand_in_every_so_manieth_layer_after_the_dense_ones():
    keys = {
        "model_type": "deepseek_v2", "hidden_size": 256, "num_hidden_layers": 9, "vocab_size": 1000,
        "num_attention_heads": 4, "intermediate_size": 512, "moe_intermediate_size": 64, "n_routed_experts": 8,
        "num_experts_per_tok": 2, "first_k_dense_replace": 2, "kv_lora_rank": 32, "q_lora_rank": None,
        "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32,
    }  # fmt: skip

    def layers_with_experts(**more) -> int:
        return sum(group.count for group in imported(**keys, **more).layers if isinstance(group.ffn, MoeFfn))

    assert layers_with_experts() == 7
    assert layers_with_experts(moe_layer_freq=1) == 7
    assert layers_with_experts(moe_layer_freq=2) == 4, "the third, fifth, seventh and ninth"


def test_jamba_of_one_expert_is_dense():
    keys = {
        "model_type": "jamba", "hidden_size": 256, "num_hidden_layers": 8, "vocab_size": 1000, "intermediate_size": 512,
        "num_attention_heads": 4, "num_key_value_heads": 2,
    }  # fmt: skip
    assert any(isinstance(group.ffn, MoeFfn) for group in imported(**keys, num_experts=4).layers)
    assert all(isinstance(group.ffn, DenseFfn) for group in imported(**keys, num_experts=1).layers)
