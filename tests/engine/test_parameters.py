"""Counts, cache, weights and FLOPs of hand-made models: parts add up, and figures checked by hand."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.model import (
    Attention,
    CompressedAttention,
    CrossAttention,
    DenseFfn,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    Model,
    MoeFfn,
    StateSpace,
    VisionTower,
    WeightFormat,
)
from gpuplanner_gui.engine.explaining.formula import tracing
from gpuplanner_gui.engine.model.cache_sizes import (
    cross_attention_bytes_per_sequence,
    fixed_state_bytes_per_sequence,
    indexer_bytes_per_token,
    kv_bytes_per_token,
    kv_bytes_per_token_beyond_window,
)
from gpuplanner_gui.engine.model.model_summary import model_summary
from gpuplanner_gui.engine.model.operations import Gemm, forward_flop_per_token, operations
from gpuplanner_gui.engine.model.parameters import LAYER_PARTS, layer_parameters, model_parameters
from gpuplanner_gui.engine.model.weight_sizes import (
    USUAL_FORMATS,
    format_in_precision,
    quantized_parameters,
    weight_bytes,
    weight_bytes_by_precision,
)
from gpuplanner_gui.engine.serving.memory import cache_groups, device_cache_bytes

ONE = np.asarray(1)

small = st.integers(1, 64)
biases = st.booleans()


def attentions():
    return st.builds(
        Attention, heads=small, kv_heads=small, head_dim=small, value_head_dim=st.integers(0, 64),
        window=st.sampled_from([0, 128, 4096]), qkv_bias=biases, output_bias=biases,
        qk_norm=st.sampled_from(["none", "per_head", "full"]), output_gate=biases, shared_kv_projection=biases,
        kv_shared_with_earlier_layer=biases, other_parameters=st.integers(0, 99),
    )  # fmt: skip


def mixers():
    latent = st.builds(
        LatentAttention, heads=small, q_lora_rank=st.integers(0, 64), kv_lora_rank=small, qk_nope_head_dim=small,
        qk_rope_head_dim=small, value_head_dim=small, indexer_heads=st.integers(0, 4), indexer_head_dim=small,
        output_gate=biases,
    )  # fmt: skip
    linear = st.builds(
        LinearAttention, kind=st.sampled_from(["gated_delta_net", "kda", "lightning"]), key_heads=small,
        value_heads=small, key_head_dim=small, value_head_dim=small, conv_kernel=st.integers(0, 4),
        gate_rank=st.integers(0, 8),
    )  # fmt: skip
    state = st.builds(
        StateSpace, kind=st.sampled_from(["mamba1", "mamba2"]), inner_size=small, state_size=small, heads=small,
        groups=small, time_step_rank=small, conv_bias=biases,
    )  # fmt: skip
    compressed = st.builds(
        CompressedAttention, heads=small, head_dim=small, q_lora_rank=small, output_groups=small,
        output_lora_rank=small, window=small, compress_ratio=st.sampled_from([0, 4, 128]),
        indexer_heads=st.integers(0, 4), indexer_head_dim=small,
    )  # fmt: skip
    return attentions() | latent | linear | state | compressed


def ffns():
    dense = st.builds(DenseFfn, size=small, gated=biases, bias=biases)
    moe = st.builds(
        MoeFfn, experts=st.integers(8, 64), top_k=st.integers(1, 8), expert_size=small, shared_size=st.integers(0, 64),
        shared_gate=biases, dense_size=st.integers(0, 64), expert_input_size=st.integers(0, 64), gated=biases,
        expert_bias=biases, router_bias=biases,
    )  # fmt: skip
    return dense | moe


def groups():
    cross = st.builds(CrossAttention, heads=small, kv_heads=small, head_dim=small)
    return st.builds(
        LayerGroup, count=st.integers(1, 100), mixer=st.none() | mixers(), cross_attention=st.none() | cross,
        ffn=st.none() | ffns(), norms=st.integers(0, 4), norm_kind=st.sampled_from(["rms", "layer", "layer_no_bias"]),
        other_parameters=st.integers(0, 999),
    )  # fmt: skip


def models():
    return st.builds(
        Model, name=st.just("any"), hidden_size=small, vocab_size=st.integers(0, 1000),
        layers=st.lists(groups(), max_size=3).map(tuple), encoder_layers=st.lists(groups(), max_size=1).map(tuple),
        tied_embeddings=biases, has_head=biases, head_bias=biases, position_parameters=st.integers(0, 99),
        other_parameters=st.integers(0, 99), custom_parameters=st.integers(0, 99),
    )  # fmt: skip


LLAMA_8B = Model(
    name="8B", hidden_size=4096, vocab_size=128256, other_parameters=4096,
    layers=(LayerGroup(count=32, mixer=Attention(heads=32, kv_heads=8, head_dim=128), ffn=DenseFfn(size=14336)),),
)  # fmt: skip


@given(models())
def test_components_and_parts_add_up(model):
    parameters = model_parameters(model)
    assert sum(parameters.components().values()) == parameters.total
    assert 0 <= parameters.active <= parameters.total
    for group in model.layers:
        layer = layer_parameters(group, model.hidden_size)
        assert sum(getattr(layer, part) for part in LAYER_PARTS) == layer.total
        assert layer.times(group.count).total == group.count * layer.total


@given(models(), st.integers(1, 5))
def test_more_layers_add_their_own_parameters(model, more):
    if not model.layers:
        return
    first = model.layers[0]
    longer = msgspec.structs.replace(
        model, layers=(msgspec.structs.replace(first, count=first.count + more), *model.layers[1:])
    )
    gained = model_parameters(longer).total - model_parameters(model).total
    assert gained == more * layer_parameters(first, model.hidden_size).total


def test_llama_by_hand():
    parameters = model_parameters(LLAMA_8B)
    assert parameters.total == 8_030_261_248
    assert parameters.embeddings == parameters.head == 128256 * 4096
    assert parameters.decoder.mixer_matrices == 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024)
    assert parameters.decoder.norms == 64 * 4096


def test_tied_head_adds_nothing():
    tied = msgspec.structs.replace(LLAMA_8B, tied_embeddings=True)
    assert model_parameters(LLAMA_8B).total - model_parameters(tied).total == 128256 * 4096


def test_active_parameters_leave_out_idle_experts():
    ffn = MoeFfn(experts=8, top_k=2, expert_size=14336)
    model = Model(
        name="moe", hidden_size=4096, vocab_size=32000, other_parameters=4096,
        layers=(LayerGroup(count=32, mixer=Attention(heads=32, kv_heads=8, head_dim=128), ffn=ffn),),
    )  # fmt: skip
    parameters = model_parameters(model)
    assert parameters.total == 46_702_792_704
    assert parameters.active == parameters.total - 32 * 6 * 3 * 4096 * 14336 == 12_879_925_248


def test_vision_tower_counts_beside_the_language_layers():
    tower = VisionTower(hidden_size=64, layers=(LayerGroup(count=2, ffn=DenseFfn(size=128)),), other_parameters=7)
    model = msgspec.structs.replace(LLAMA_8B, vision=tower)
    expected = 2 * (3 * 64 * 128 + 2 * 64) + 7
    assert model_parameters(model).total - model_parameters(LLAMA_8B).total == expected
    assert model_parameters(model).components()["vision"] == expected


def sequence_cache_bytes(model: Model, context_tokens: object, bytes_per_value: float = 2.0) -> np.ndarray:
    """What one sequence keeps on a device that holds the whole model."""
    context = np.asarray(context_tokens, np.float64)
    return device_cache_bytes(cache_groups(model), context, ONE, ONE, np.asarray(bytes_per_value))


@given(models(), st.lists(st.integers(0, 100_000), min_size=1, max_size=5))
def test_cache_grows_with_context_and_precision(model, contexts):
    context = np.sort(np.array(contexts, dtype=float))
    bf16 = sequence_cache_bytes(model, context)
    assert bf16.shape == context.shape
    assert (np.diff(bf16) >= 0).all()
    assert (sequence_cache_bytes(model, context, 1.0) <= bf16).all()
    assert float(kv_bytes_per_token_beyond_window(model)) <= float(kv_bytes_per_token(model))


@given(models(), st.integers(200_000, 400_000))
def test_cache_growth_is_what_the_rate_beyond_the_windows_says(model, context):
    growth = sequence_cache_bytes(model, context + 1024.0) - sequence_cache_bytes(model, float(context))
    rate = float(kv_bytes_per_token_beyond_window(model)) + indexer_bytes_per_token(model)
    assert float(growth) == pytest.approx(1024 * rate)


def test_cache_of_llama_by_hand():
    assert float(kv_bytes_per_token(LLAMA_8B)) == 131_072
    assert kv_bytes_per_token(LLAMA_8B, np.array([2.0, 1.0])).tolist() == [131_072, 65_536]
    assert float(sequence_cache_bytes(LLAMA_8B, 1000)) == 131_072_000


def test_windowed_layers_keep_at_most_their_window():
    windowed = Attention(heads=8, kv_heads=1, head_dim=64, window=128)
    model = Model(name="w", hidden_size=512, layers=(LayerGroup(count=10, mixer=windowed),))
    assert sequence_cache_bytes(model, np.array([64.0, 128.0, 9999.0])).tolist() == [163_840, 327_680, 327_680]
    assert float(kv_bytes_per_token_beyond_window(model)) == 0


def test_sparse_indexer_is_kept_beside_the_latent_cache():
    mixer = LatentAttention(
        heads=128, q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, value_head_dim=128,
        indexer_heads=64, indexer_head_dim=128, indexer_top_k=2048,
    )  # fmt: skip
    model = Model(name="dsa", hidden_size=7168, layers=(LayerGroup(count=61, mixer=mixer),))
    assert float(kv_bytes_per_token(model)) == 70_272
    assert indexer_bytes_per_token(model) == 15_616
    assert float(sequence_cache_bytes(model, 1)) == 70_272 + 15_616


def test_fixed_states_by_hand():
    delta = LinearAttention(
        kind="gated_delta_net", key_heads=16, value_heads=32, key_head_dim=128, value_head_dim=128, conv_kernel=4
    )
    lightning = LinearAttention(kind="lightning", key_heads=64, value_heads=64, key_head_dim=128, value_head_dim=128)
    mamba = StateSpace(kind="mamba2", inner_size=5120, state_size=128, heads=80, groups=1)
    for mixer, layers, expected in ((delta, 36, 77_266_944), (lightning, 70, 293_601_280), (mamba, 64, 169_836_544)):
        model = Model(name="s", hidden_size=64, layers=(LayerGroup(count=layers, mixer=mixer),))
        assert fixed_state_bytes_per_sequence(model) == expected
        assert float(kv_bytes_per_token(model)) == 0


def test_encoder_output_is_kept_once_per_sequence():
    cross = CrossAttention(heads=20, kv_heads=20, head_dim=64)
    group = LayerGroup(count=32, mixer=Attention(heads=20, kv_heads=20, head_dim=64), cross_attention=cross)
    model = Model(name="asr", hidden_size=1280, layers=(group,), encoder_tokens=1500)
    assert float(cross_attention_bytes_per_sequence(model)) == 245_760_000
    assert cross_attention_bytes_per_sequence(model, np.array([0, 750])).tolist() == [0, 122_880_000]


@given(models(), st.sampled_from(sorted(USUAL_FORMATS)))
def test_weights_add_up_in_every_precision(model, precision):
    parameters = model_parameters(model)
    sizes = weight_bytes(model, format_in_precision(model, precision))
    assert sizes.quantized + sizes.scales + sizes.native == sizes.total
    if precision in ("fp32", "bf16", "fp16"):
        assert sizes.total == parameters.total * (4 if precision == "fp32" else 2)
    assert 0.5 * parameters.total <= sizes.total <= 4 * parameters.total


@given(models())
def test_fewer_bits_never_take_more_room(model):
    sizes = weight_bytes_by_precision(model)
    assert sizes["nvfp4"] <= sizes["fp8"] <= sizes["bf16"] <= sizes["fp32"]
    assert sizes["checkpoint"] == sizes["bf16"]


def test_embeddings_head_router_and_norms_stay_in_16_bits():
    parameters = model_parameters(LLAMA_8B)
    matrices = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
    fp8 = USUAL_FORMATS["fp8"]
    assert quantized_parameters(parameters, fp8) == matrices
    assert weight_bytes(LLAMA_8B, fp8).total == matrices * (1 + 4 / 16384) + 2 * (parameters.total - matrices)
    everything = WeightFormat(quantized="int4", scope="all")
    assert quantized_parameters(parameters, everything) == matrices + 2 * 128256 * 4096


def test_a_checkpoint_keeps_its_own_format():
    own = WeightFormat(quantized="mxfp4", group_size=32, scale_bytes=1.0, scope="experts")
    model = msgspec.structs.replace(LLAMA_8B, weight_format=own)
    assert format_in_precision(model, "mxfp4") is own
    assert format_in_precision(LLAMA_8B, "mxfp4").scope == "linear"


def test_forward_flop_by_hand():
    flop = forward_flop_per_token(LLAMA_8B, np.array([0.0, 1000.0]))
    parameters = model_parameters(LLAMA_8B)
    without_input_embedding = parameters.total - parameters.embeddings - parameters.decoder.norms - 4096
    assert flop.total[0] == 2 * without_input_embedding
    assert flop.attention[1] == 4 * 32 * 32 * 128 * 1000
    assert flop.total[1] == flop.matrices[1] + flop.attention[1] + flop.state[1] + flop.head[1]


@given(models(), st.floats(0, 1e6))
def test_forward_flop_grows_with_context(model, context):
    now, later = forward_flop_per_token(model, context), forward_flop_per_token(model, 2 * context)
    assert float(later.total) >= float(now.total) >= 0


def test_parameters_can_be_asked_why():
    with tracing() as trace:
        model_parameters(LLAMA_8B)
        kv_bytes_per_token(LLAMA_8B)
    assert [call.formula.name for call in trace.calls] == ["model_parameters", "kv_bytes_per_token"]


@given(models())
def test_summary_is_plain_data_that_adds_up(model):
    summary = model_summary(model)
    assert msgspec.json.decode(msgspec.json.encode(summary)) == summary
    assert sum(summary["components"].values()) == summary["total_params"]
    assert summary["kv_bytes_per_token"] == summary["kv_bytes_per_token_bf16"]
    assert set(summary["weight_bytes"]) == {
        "fp32", "bf16", "fp16", "fp8", "int8", "int4", "mxfp4", "nvfp4", "checkpoint",
    }  # fmt: skip


def test_a_layer_that_looks_at_an_encoder_runs_its_products_at_their_size():
    cross = CrossAttention(heads=20, kv_heads=20, head_dim=64)
    model = Model(name="asr", hidden_size=1024, layers=(LayerGroup(count=32, cross_attention=cross),))
    found = {one.code: one for one in operations(model) if isinstance(one, Gemm)}
    assert (found["cross_query"].columns, found["cross_query"].depth) == (1280, 1024)
    assert (found["cross_output"].columns, found["cross_output"].depth) == (1024, 1280)
    assert found["cross_query"].count == 32
