"""What an import assumes, what it can't read, and how checkpoints store their weights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.model import Attention, LatentAttention
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.weight_sizes import bytes_per_quantized_weight, checkpoint_bytes, quantized_parameters
from gpuplanner_gui.files.model_import import import_model, read_model

CONFIGS = Path(__file__).parent / "configs"

LLAMA = {
    "model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256, "tie_word_embeddings": False,
    "max_position_embeddings": 8192, "attention_bias": False, "mlp_bias": False, "torch_dtype": "bfloat16",
}  # fmt: skip


def imported(**keys):
    return import_model(json.dumps(keys).encode())


def without(keys, *names):
    return {key: value for key, value in keys.items() if key not in names}


def test_a_complete_file_assumes_nothing():
    assert imported(**LLAMA).assumed == ()


def test_missing_keys_are_listed_with_what_was_taken():
    model = imported(**without(LLAMA, "num_key_value_heads", "tie_word_embeddings"))
    assert "num_key_value_heads: 32 (family default of llama)" in model.assumed
    assert "tie_word_embeddings: false (family default of llama)" in model.assumed
    assert model.layers[0].mixer.kv_heads == 32


def test_null_is_as_good_as_missing():
    assert imported(**{**LLAMA, "num_key_value_heads": None}).layers[0].mixer.kv_heads == 32


@pytest.mark.parametrize(
    ("model_type", "tied"),
    [("gemma", True), ("gpt2", True), ("opt", True), ("bloom", True), ("falcon", True), ("mpt", True), ("cohere", True),
     ("starcoder2", True), ("llama", False), ("qwen2", False), ("gpt_neox", False), ("gptj", False)],
)  # fmt: skip
def test_tied_embeddings_default_by_family(model_type, tied):
    assert imported(model_type=model_type, hidden_size=1024, num_hidden_layers=2).tied_embeddings is tied


def test_absent_query_rank_of_deepseek_v2_means_no_compression():
    model = import_model(CONFIGS / "deepseek-v2-lite.json")
    mixer = model.layers[0].mixer
    assert isinstance(mixer, LatentAttention)
    assert mixer.q_lora_rank == 0
    assert any(sentence.startswith("q_lora_rank: 0") for sentence in model.assumed)


def test_a_minimal_file_is_filled_from_its_family():
    model = import_model(CONFIGS / "opt-6.7b-minimal.json")
    assert {sentence.partition(":")[0] for sentence in model.assumed} >= {"word_embed_proj_dim", "tie_word_embeddings"}


def test_prediction_layers_are_said_not_to_count():
    model = import_model(CONFIGS / "deepseek-v3.json")
    assert any("num_nextn_predict_layers" in sentence and "not counted" in sentence for sentence in model.assumed)


def test_tied_embeddings_may_stand_at_either_level():
    data = json.loads((CONFIGS / "qwen3-vl-8b.json").read_text(encoding="utf-8"))
    inner = {**data, "text_config": {**data["text_config"], "tie_word_embeddings": True}}
    assert import_model(json.dumps(without(inner, "tie_word_embeddings")).encode()).tied_embeddings
    assert not import_model(json.dumps(inner).encode()).tied_embeddings


def test_unknown_architecture_is_said_to_be_unknown_and_stays_editable():
    model = imported(**{**LLAMA, "model_type": "brand_new", "kv_lora_rank": 512})
    assert model.family == "brand_new"
    assert model.not_understood[0] == 'architecture: "brand_new" is not known'
    assert any("kv_lora_rank" in sentence for sentence in model.not_understood)
    assert model.kind == "dense_decoder"
    assert model.layers[0].count == 32


def test_unknown_architecture_with_experts():
    model = imported(**{**LLAMA, "model_type": "new_moe", "num_experts": 64, "num_experts_per_tok": 4})
    assert model.kind == "moe_decoder"
    assert model_parameters(model).active < model_parameters(model).total
    assert model.not_understood


def test_unknown_architecture_without_the_usual_keys_is_empty_and_says_so():
    model = imported(model_type="convnext_v9", depths=[3, 4, 6, 3], hidden_sizes=[256, 512, 1024, 2048])
    assert model.kind == "custom"
    assert model_parameters(model).total == 0
    assert any("no layers" in sentence for sentence in model.not_understood)


def test_a_known_class_without_model_type_is_read():
    model = imported(**without(LLAMA, "model_type"), architectures=["LlamaForCausalLM"])
    assert model.family == "llama"
    assert model.not_understood == ()


def test_an_unknown_model_type_is_not_read_as_its_class_says():
    assert imported(**{**LLAMA, "model_type": "odd"}, architectures=["LlamaForCausalLM"]).not_understood


def test_more_kv_heads_than_query_heads_are_counted_and_pointed_out():
    model = imported(**{**LLAMA, "num_key_value_heads": 64})
    assert model.layers[0].mixer.kv_heads == 64
    assert model.not_understood == ("num_key_value_heads: 64 is more than num_attention_heads: 32",)


def test_llama4_layers_without_rotary_positions_see_everything():
    data = json.loads((CONFIGS / "llama-4-scout-17b-16e.json").read_text(encoding="utf-8"))
    text = {**data["text_config"], "num_hidden_layers": 4, "no_rope_layers": [1, 0, 0, 1]}
    model = import_model(json.dumps({**data, "text_config": text}).encode())
    windows = {group.mixer.window: group.count for group in model.layers if isinstance(group.mixer, Attention)}
    assert windows == {
        8192: 2,
        0: 2,
    }


def test_unknown_vision_tower_is_said_not_to_count():
    model = imported(model_type="llava", text_config=LLAMA, vision_config={"model_type": "odd", "hidden_size": 64})
    assert model.vision is None
    assert any("vision_config" in sentence for sentence in model.not_understood)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.json")), ids=lambda path: path.stem)
def test_imported_models_are_within_their_bounds(path):
    assert problems_of(import_model(path)) == []


def quantized(block, **more):
    return imported(**LLAMA, quantization_config=block, **more).weight_format


@pytest.mark.parametrize(
    ("block", "precision", "bytes_per_weight"),
    [
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8", 1 + 4 / 16384),
        ({"quant_method": "fp8"}, "fp8", 1.0),
        ({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": True}, "int4", 0.5 + 2 / 128 + 0.5 / 128),
        ({"quant_method": "gptq", "bits": 4, "group_size": 128}, "int4", 0.5 + 2 / 128 + 0.5 / 128),
        ({"quant_method": "gptq", "bits": 4, "group_size": -1}, "int4", 0.5),
        ({"quant_method": "mxfp4"}, "mxfp4", 0.5 + 1 / 32),
        ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, "nvfp4", 0.5 + 1 / 16),
        ({"quant_method": "modelopt", "quant_algo": "FP8"}, "fp8", 1.0),
        ({"quant_method": "bitsandbytes", "load_in_4bit": True}, "int4", 0.5 + 4 / 64),
        ({"quant_method": "bitsandbytes", "load_in_8bit": True}, "int8", 1.0),
        (
            {"quant_method": "compressed-tensors", "format": "pack-quantized",
             "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}}},
            "int4", 0.5 + 2 / 32,
        ),
        (
            {"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized",
             "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "float", "group_size": 16}}}},
            "nvfp4", 0.5 + 1 / 16,
        ),
        (
            {"quant_method": "compressed-tensors", "format": "float-quantized",
             "config_groups": {"group_0": {"weights": {"num_bits": 8, "type": "float", "strategy": "channel"}}}},
            "fp8", 1.0,
        ),
    ],
)  # fmt: skip
def test_quantization_blocks(block, precision, bytes_per_weight):
    found = quantized(block)
    assert found.quantized == precision
    assert bytes_per_quantized_weight(found) == pytest.approx(bytes_per_weight, abs=0)


def mixed(**layers):
    entries = {name.replace("_in_", "."): {"quant_algo": algorithm} for name, algorithm in layers.items()}
    return {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": entries}


@pytest.mark.parametrize(
    ("block", "precision", "scope"),
    [
        (mixed(l0_in_mlp_in_experts="NVFP4", l1_in_mlp_in_experts="NVFP4"), "nvfp4", "experts"),
        (mixed(l0_in_attn="FP8", l1_in_attn="FP8", l0_in_mlp_in_experts="W4A16_NVFP4"), "nvfp4", "linear"),
        (mixed(l0_in_q="FP8", l0_in_k="FP8", l0_in_mlp_in_up="W4A16_NVFP4"), "nvfp4", "linear"),
        (mixed(l0_in_q="MXFP8", l0_in_k="MXFP8", l0_in_o="NVFP4"), "fp8", "linear"),
    ],
)
def test_mixed_precision_takes_the_format_of_most_weights(block, precision, scope):
    model = imported(**LLAMA, quantization_config=block)
    assert (model.weight_format.quantized, model.weight_format.scope) == (precision, scope)
    algorithms = {entry["quant_algo"] for entry in block["quantized_layers"].values()}
    assert any("for all quantized layers" in note for note in model.assumed) == (len(algorithms) > 1)


@pytest.mark.parametrize("layers", [{}, {"a": 5}, {"a": {"quant_algo": "ODD"}}])
def test_mixed_precision_that_names_no_known_format_is_said_to_be_unknown(layers):
    block = {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": layers}
    model = imported(**LLAMA, quantization_config=block)
    assert model.weight_format.quantized is None
    assert any("quantization" in note for note in model.not_understood)


def test_unknown_quantization_is_said_to_be_unknown():
    model = imported(**LLAMA, quantization_config={"quant_method": "odd"})
    assert model.weight_format.quantized is None
    assert any("quant_method" in sentence for sentence in model.not_understood)


@pytest.mark.parametrize("name", ["gpt-oss-20b", "kimi-k3-mxfp4"])
def test_mxfp4_covers_routed_experts_only(name):
    model = import_model(CONFIGS / f"{name}.json")
    parameters = model_parameters(model)
    assert model.weight_format.scope == "experts"
    assert quantized_parameters(parameters, model.weight_format) == parameters.stacks.routed_expert_matrices


def test_quantization_may_stand_in_the_text_part():
    assert import_model(CONFIGS / "kimi-k3-mxfp4.json").weight_format.quantized == "mxfp4"


def test_quantization_in_a_second_file_beside_a_bare_one(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    assert import_model(tmp_path / "config.json").weight_format.quantized is None
    quantization = {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}
    block = {"producer": {"name": "modelopt"}, "quantization": quantization}
    (tmp_path / "hf_quant_config.json").write_text(json.dumps(block), encoding="utf-8")
    model = import_model(tmp_path / "config.json")
    assert model.weight_format.quantized == "fp8"
    assert any("kv_cache_quant_algo" in sentence for sentence in model.assumed)


def test_model_takes_the_name_of_its_folder(tmp_path):
    folder = tmp_path / "Llama-Something"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    assert import_model(folder / "config.json").name == "Llama-Something"


@pytest.mark.parametrize(
    ("factor", "code"),
    [(1.0, "checkpoint_size_agrees"), (1.019, "checkpoint_size_agrees"), (1.1, "checkpoint_size_differs")],
)
def test_index_of_the_shards_checks_the_size(factor, code):
    model = imported(**LLAMA)
    index = json.dumps({"metadata": {"total_size": int(checkpoint_bytes(model) * factor)}, "weight_map": {}}).encode()
    finding = read_model(json.dumps(LLAMA).encode(), index).findings[0]
    assert finding.code == code
    assert finding.values["counted_bytes"] == checkpoint_bytes(model)


def test_index_without_a_size_says_so():
    imported_model = read_model(json.dumps(LLAMA).encode(), b'{"metadata": {}}')
    assert imported_model.findings[0].code == "checkpoint_size_unknown"
    assert read_model(json.dumps(LLAMA).encode()).findings == ()
