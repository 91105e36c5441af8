"""Totals of recent families by their closed formulas, for shapes that no release has; and what their keys may hold."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.model import Attention, MoeFfn, StateSpace
from gpuplanner_gui.engine.model.cache_sizes import (
    fixed_state_bytes_per_sequence,
    indexer_bytes_per_token,
    kv_bytes_per_token,
    kv_bytes_per_token_beyond_window,
)
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.model_import import import_model

layers = st.integers(2, 100)
widths = st.integers(8, 20_000)
experts = st.integers(4, 300)
HEADS, KV_HEADS, HEAD, VOCAB = 8, 2, 64, 1000
HIDDEN = HEADS * HEAD
ATTENTION = 2 * HIDDEN * HEADS * HEAD + 2 * HIDDEN * KV_HEADS * HEAD
USUAL = {
    "hidden_size": HIDDEN, "num_attention_heads": HEADS, "num_key_value_heads": KV_HEADS, "head_dim": HEAD,
    "vocab_size": VOCAB, "tie_word_embeddings": True,
}  # fmt: skip


def imported(**keys):
    return import_model(json.dumps({**USUAL, **keys}).encode())


def total(model):
    return model_parameters(model).total


@given(layers, widths, widths, experts, st.data())
def test_ernie_has_experts_from_a_first_to_a_last_layer(count, ffn, size, number, data):
    first = data.draw(st.integers(0, count - 1))
    last = data.draw(st.integers(first, count - 1))
    shared = data.draw(st.integers(0, 3))
    model = imported(
        model_type="ernie4_5_moe", num_hidden_layers=count, intermediate_size=ffn, moe_intermediate_size=size,
        moe_num_experts=number, moe_k=2, moe_num_shared_experts=shared, moe_layer_start_index=first,
        moe_layer_end_index=-1 if last == count - 1 else last, moe_layer_interval=1, use_bias=False,
    )  # fmt: skip
    sparse = last - first + 1
    expert_layer = (number + shared) * 3 * HIDDEN * size + number * HIDDEN + number
    dense = (count - sparse) * 3 * HIDDEN * ffn
    assert total(model) == VOCAB * HIDDEN + HIDDEN + count * (ATTENTION + 2 * HIDDEN) + sparse * expert_layer + dense


@given(layers, widths, st.integers(2, 100), st.booleans())
def test_hunyuan_gives_one_value_or_one_per_layer(count, size, number, as_lists):
    def value(number):
        return [number] * count if as_lists else number

    model = imported(
        model_type="hunyuan_v1_moe", num_hidden_layers=count, intermediate_size=size, num_experts=number,
        moe_intermediate_size=value(size), moe_topk=value(2), num_shared_expert=value(1), use_qk_norm=True,
        attention_bias=False,
    )  # fmt: skip
    layer = ATTENTION + 2 * HEAD + (number + 1) * 3 * HIDDEN * size + number * HIDDEN + 2 * HIDDEN
    assert total(model) == VOCAB * HIDDEN + HIDDEN + count * layer


def test_hunyuan_with_layers_that_differ_is_refused():
    with pytest.raises(FileProblem, match="moe_topk"):
        imported(model_type="hunyuan_v1_moe", num_hidden_layers=2, intermediate_size=64, num_experts=8, moe_topk=[8, 4])


@given(st.integers(1, 40), st.integers(1, 40), widths, st.sampled_from([0, 8, 72]))
def test_granite_4_mixes_mamba_and_attention(mamba, attention, shared, number):
    heads, state, inner = 16, 32, 2 * HIDDEN
    model = imported(
        model_type="granitemoehybrid", num_hidden_layers=mamba + attention, intermediate_size=96,
        layer_types=["mamba"] * mamba + ["attention"] * attention, shared_intermediate_size=shared,
        num_local_experts=number, num_experts_per_tok=2, mamba_n_heads=heads, mamba_d_state=state, mamba_n_groups=1,
        mamba_expand=2, mamba_d_conv=4, mamba_conv_bias=True, mamba_proj_bias=False, attention_bias=False,
    )  # fmt: skip
    channels = inner + 2 * state
    mixer = HIDDEN * (inner + channels + heads) + 5 * channels + 3 * heads + inner + inner * HIDDEN
    ffn = 3 * HIDDEN * shared + number * (3 * HIDDEN * 96 + HIDDEN) + 2 * HIDDEN
    layers_total = mamba * mixer + attention * ATTENTION + (mamba + attention) * ffn
    assert total(model) == VOCAB * HIDDEN + HIDDEN + layers_total
    assert float(kv_bytes_per_token(model)) == attention * 2 * KV_HEADS * HEAD * 2
    assert fixed_state_bytes_per_sequence(model) > 0


@given(layers, widths, st.booleans())
def test_falcon_h1_has_attention_and_mamba_in_every_layer(count, ffn, has_norm):
    heads, state, inner = 12, 32, 768
    model = imported(
        model_type="falcon_h1", num_hidden_layers=count, intermediate_size=ffn, mamba_d_ssm=inner, mamba_n_heads=heads,
        mamba_d_state=state, mamba_n_groups=1, mamba_d_conv=4, mamba_rms_norm=has_norm, mamba_conv_bias=True,
        mamba_proj_bias=False, attention_bias=False, mlp_bias=False,
    )  # fmt: skip
    channels = inner + 2 * state
    mamba = HIDDEN * (inner + channels + heads) + 5 * channels + 3 * heads + has_norm * inner + inner * HIDDEN
    layer = ATTENTION + mamba + 3 * HIDDEN * ffn + 2 * HIDDEN
    assert total(model) == VOCAB * HIDDEN + HIDDEN + count * layer
    assert float(kv_bytes_per_token(model)) == count * 2 * KV_HEADS * HEAD * 2
    assert sum(group.count for group in model.layers if isinstance(group.mixer, StateSpace)) == count


def test_longcat_counts_the_experts_that_compute():
    keys = {"num_layers": 2, "ffn_hidden_size": 64, "expert_ffn_hidden_size": 32, "q_lora_rank": 16, "kv_lora_rank": 8}
    heads = {"qk_nope_head_dim": 4, "qk_rope_head_dim": 2, "v_head_dim": 4, "moe_topk": 12, "n_routed_experts": 512}
    model = imported(model_type="longcat_flash", zero_expert_num=256, attention_bias=False, **keys, **heads)
    latent = HIDDEN * 16 + 16 + 16 * HEADS * 6 + HIDDEN * 10 + 8 + 8 * HEADS * 8 + HEADS * 4 * HIDDEN
    layer = 2 * (latent + 3 * HIDDEN * 64 + 2 * HIDDEN) + 512 * 3 * HIDDEN * 32 + 768 * HIDDEN
    assert total(model) == VOCAB * HIDDEN + HIDDEN + 2 * layer
    assert [group.ffn.top_k for group in model.layers if isinstance(group.ffn, MoeFfn)] == [8]
    assert any(note.startswith("moe_topk: 8 of 12") for note in model.assumed)
    assert float(kv_bytes_per_token(model)) == 4 * 10 * 2


def test_an_indexer_shared_by_layers_is_counted_and_cached_once():
    keys = {
        "num_hidden_layers": 4, "q_lora_rank": 16, "kv_lora_rank": 8, "qk_nope_head_dim": 4, "qk_rope_head_dim": 2,
        "v_head_dim": 4, "index_n_heads": 4, "index_head_dim": 6, "index_topk": 2048, "n_routed_experts": 8,
        "num_experts_per_tok": 2, "moe_intermediate_size": 16, "intermediate_size": 32, "attention_bias": False,
    }  # fmt: skip
    types = ["full", "full", "shared", "shared"]
    every, half = (imported(model_type="glm_moe_dsa", **keys, **more) for more in ({}, {"indexer_types": types}))
    indexer = 16 * 4 * 6 + HIDDEN * (6 + 4) + 2 * 6
    assert total(every) - total(half) == 2 * indexer
    assert float(indexer_bytes_per_token(every)) == 2 * float(indexer_bytes_per_token(half)) > 0
    assert {group.mixer.indexer_top_k for group in half.layers} == {2048}


@pytest.mark.parametrize(("pattern", "full"), [("LLLG", 2), (4, 2), ("LG", 4)])
def test_a_window_pattern_is_a_number_or_letters(pattern, full):
    keys = {"num_hidden_layers": 8, "intermediate_size": 64, "sliding_window": 16, "max_position_embeddings": 4096}
    model = imported(model_type="exaone4", sliding_window_pattern=pattern, **keys)
    assert float(kv_bytes_per_token_beyond_window(model)) == full * 2 * KV_HEADS * HEAD * 2


@pytest.mark.parametrize("pattern", ["", "LLX", "llg"])
def test_a_window_pattern_of_other_letters_is_refused(pattern):
    with pytest.raises(FileProblem, match="pattern of L and G"):
        imported(
            model_type="exaone4", sliding_window_pattern=pattern, num_hidden_layers=8, intermediate_size=64,
            sliding_window=16, max_position_embeddings=4096,
        )  # fmt: skip


def test_an_unknown_family_without_experts_is_dense():
    model = imported(model_type="nobody_knows", num_hidden_layers=2, intermediate_size=64, num_local_experts=0)
    assert model.kind == "dense_decoder"
    assert any("is not known" in note for note in model.not_understood)


@given(layers, widths, widths, st.booleans())
def test_grok_is_told_by_its_class_and_may_have_a_dense_part_beside_its_experts(count, ffn, size, is_residual):
    model = imported(
        model_type="git", architectures=["Grok1ForCausalLM"], num_hidden_layers=count, intermediate_size=ffn,
        moe_intermediate_size=size, num_local_experts=8, num_experts_per_tok=2, residual_moe=is_residual,
    )  # fmt: skip
    layer = ATTENTION + 4 * HIDDEN + 8 * 3 * HIDDEN * size + 8 * HIDDEN + is_residual * 3 * HIDDEN * ffn
    assert total(model) == VOCAB * HIDDEN + HIDDEN + count * layer
    assert model_parameters(model).active == total(model) - count * 6 * 3 * HIDDEN * size


@given(st.integers(1, 60), widths)
def test_modernbert_has_one_norm_less_in_its_first_layer(count, ffn):
    model = imported(
        model_type="modernbert", num_hidden_layers=count, intermediate_size=ffn, max_position_embeddings=8192,
        norm_bias=False, attention_bias=False, mlp_bias=False,
    )  # fmt: skip
    layer = 4 * HIDDEN * HIDDEN + 3 * HIDDEN * ffn + 2 * HIDDEN
    assert total(model) == VOCAB * HIDDEN + 2 * HIDDEN + count * layer - HIDDEN
    assert sum(group.count for group in model.layers) == count


MINIMAX_M3 = {
    "model_type": "minimax_m3", "hidden_size": 6144, "num_hidden_layers": 60, "num_attention_heads": 64,
    "num_key_value_heads": 4, "head_dim": 128, "vocab_size": 200064, "tie_word_embeddings": False,
    "dense_intermediate_size": 12288, "intermediate_size": 3072, "shared_intermediate_size": 3072,
    "num_local_experts": 128, "num_experts_per_tok": 4, "moe_layer_freq": [0] * 3 + [1] * 57, "use_qk_norm": True,
    "sparse_attention_config": {
        "use_sparse_attention": True, "sparse_index_dim": 128, "sparse_num_index_heads": 4,
        "sparse_attention_freq": [0] * 3 + [1] * 57,
    },
}  # fmt: skip
"""Of MiniMaxAI/MiniMax-M3, from aiconfigurator-core 0.12.0 (Apache-2.0)."""
MINIMAX_M3_VISION = {
    "model_type": "clip_vision_model", "hidden_size": 1280, "num_attention_heads": 16, "num_hidden_layers": 32,
    "intermediate_size": 5120, "patch_size": 14, "num_channels": 3,
    "img_token_compression_config": {"spatial_merge_size": 2, "temporal_patch_size": 2},
}  # fmt: skip
STEP_3 = {
    "model_type": "step3p5", "hidden_size": 4096, "intermediate_size": 11264, "num_hidden_layers": 8,
    "num_attention_heads": 64, "num_attention_groups": 8, "head_dim": 128, "vocab_size": 128896,
    "tie_word_embeddings": False, "moe_num_experts": 288, "moe_top_k": 8, "moe_intermediate_size": 1280,
    "share_expert_dim": 1280, "moe_layers_enum": "3,4,5,6,7", "sliding_window": 512, "max_position_embeddings": 65536,
    "layer_types": ["full_attention", *["sliding_attention"] * 3] * 2,
    "attention_other_setting": {"attention_type": "sliding_attention", "num_attention_heads": 96},
}  # fmt: skip
"""Step-3.5's words over fewer layers."""


def test_minimax_m3_counts_as_its_reference_class():
    """Totals by instantiation with transformers 5.23.0: language stack, and with the image tower."""
    text = import_model(json.dumps(MINIMAX_M3).encode())
    assert total(text) == 426_174_565_632
    whole = {"model_type": "minimax_m3_vl", "text_config": MINIMAX_M3, "vision_config": MINIMAX_M3_VISION}
    model = import_model(json.dumps({**whole, "projector_hidden_size": 6144}).encode())
    assert total(model) == 427_040_132_864
    assert model.not_understood == ()
    assert any(note.startswith("sparse_attention_config") for note in model.assumed)


def test_minimax_m3_without_sparse_attention_has_no_indexers():
    changed = MINIMAX_M3 | {"sparse_attention_config": {"use_sparse_attention": False}}
    indexer = 6144 * 5 * 128 + 2 * 128
    assert total(import_model(json.dumps(changed).encode())) == 426_174_565_632 - 57 * indexer


def test_step_3_has_more_heads_in_windowed_layers():
    """Total by instantiation with transformers 5.23.0."""
    model = import_model(json.dumps(STEP_3).encode())
    assert total(model) == 25_013_196_800
    mixers = [group.mixer for group in model.layers if isinstance(group.mixer, Attention)]
    assert len(mixers) == len(model.layers)
    assert {one.heads for one in mixers if one.window} == {96}
    assert {one.heads for one in mixers if not one.window} == {64}
    plain = {key: value for key, value in STEP_3.items() if key != "attention_other_setting"}
    same = import_model(json.dumps(plain | {"num_sliding_attention_heads": 96}).encode())
    assert same.layers == model.layers


@pytest.mark.parametrize("numbers", ["3;4", "3,,4", "x", "-1", "1" * 30])
def test_layers_of_experts_that_are_no_numbers_are_refused(numbers):
    with pytest.raises(FileProblem, match="numbers of layers with commas"):
        import_model(json.dumps(STEP_3 | {"moe_layers_enum": numbers}).encode())
