"""A configuration from anywhere is read or refused with a sentence; never a traceback, a hang or a silent guess."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.engine.model.model_summary import model_summary
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.model_import import import_model
from gpuplanner_gui.files.model_import.registry import BUILDERS

CONFIGS = Path(__file__).parent / "configs"
SAMPLES = {path.name: json.loads(path.read_text(encoding="utf-8")) for path in sorted(CONFIGS.glob("*.json"))}
LLAMA = SAMPLES["llama-3.1-8b.json"]


def refusal(data: bytes) -> FileProblem:
    with pytest.raises(FileProblem) as caught:
        import_model(data)
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        b"", b"   ", b"null", b"[]", b'"text"', b"3", b"{", b"\xff\xfe{}", b"{}", b'{"a": 1}', b"\x00", b"[" * 100_000,
        b'{"a":' * 5000 + b"1" + b"}" * 5000, b'{"model_type": "llama"}', b'{"model_type": 3, "hidden_size": 8}',
        b'{"model_type": "llama", "hidden_size": 8, "hidden_size": 9}', b'{"architectures": [3]}',
        b'{"model_type": "llama", "hidden_size": 1' + b"0" * 400 + b"}",
        b'{"model_type": "llama", "hidden_size": 1e400}', b'{"model_type": "llama", "hidden_size": NaN}',
        b'{"model_type": "llama", "hidden_size": -Infinity}',
        b'{"model_type": "llama", "hidden_size": 1' + b"0" * 5000 + b"}",
        b'{"model_type": "llama", "hidden_size": 100, "num_hidden_layers": 1e9}',
        b'{"model_type": "llama", "text_config": 3}', b'{"model_type": "llama", "text_config": {"model_type": []}}',
    ],
)  # fmt: skip
def test_what_is_no_configuration_is_refused(data):
    problem = refusal(data)
    assert problem.what
    assert "\n" not in str(problem)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hidden_size", "4096"), ("hidden_size", 0), ("hidden_size", -1), ("hidden_size", 4096.5),
        ("hidden_size", True), ("hidden_size", [4096]), ("hidden_size", 10**20), ("num_hidden_layers", 100_001),
        ("num_attention_heads", 10**7),
        ("vocab_size", 10**12), ("tie_word_embeddings", "yes"), ("torch_dtype", 3),
        ("quantization_config", "fp8"), ("quantization_config", {"quant_method": "fp8", "weight_block_size": [0, "x"]}),
        ("attention_bias", 1), ("max_position_embeddings", {}), ("num_attention_heads", 8192),
    ],
)  # fmt: skip
def test_wrong_values_are_refused_with_the_key(key, value):
    problem = refusal(json.dumps({**LLAMA, key: value}).encode())
    assert key.removesuffix("_config") in problem.where
    assert problem.remedy


def test_per_layer_lists_are_bounded():
    data = {**SAMPLES["gpt-oss-20b.json"], "layer_types": ["full_attention"] * 100_001}
    assert "100,000" in refusal(json.dumps(data).encode()).what
    pattern = {**SAMPLES["nemotron-h-56b.json"], "hybrid_override_pattern": "M" * 100_001}
    assert "100,000" in refusal(json.dumps(pattern).encode()).what


def test_empty_per_layer_lists_are_refused():
    data = {**SAMPLES["deepseek-v3.json"], "moe_layer_freq": []}
    assert refusal(json.dumps(data).encode()).where == "moe_layer_freq"


def test_a_width_of_nothing_is_refused():
    assert "feed-forward width" in refusal(json.dumps({**SAMPLES["mpt-7b.json"], "expansion_ratio": 0}).encode()).what


def test_more_parameters_than_any_model_are_refused():
    data = {**LLAMA, "hidden_size": 10**8, "intermediate_size": 10**8, "num_hidden_layers": 100_000, "head_dim": 10**6}
    assert "parameters" in refusal(json.dumps(data).encode()).what


def test_largest_allowed_lists_are_read():
    data = {**SAMPLES["gpt-oss-20b.json"], "num_hidden_layers": 100_000, "hidden_size": 8, "intermediate_size": 8}
    assert sum(group.count for group in import_model(json.dumps(data).encode()).layers) == 100_000


def test_deep_unets_are_read_at_once():
    data = {**SAMPLES["sd15-unet.json"], "layers_per_block": 1000, "transformer_layers_per_block": 1000}
    assert import_model(json.dumps(data).encode()).custom_parameters > 0


def test_files_larger_than_the_limit_are_refused(tmp_path):
    path = tmp_path / "config.json"
    with path.open("wb") as stream:
        stream.truncate(51 * 1024 * 1024)
    with pytest.raises(FileProblem, match="at most 50 MB"):
        import_model(path)


@pytest.mark.parametrize("name", ["missing.json", "."])
def test_missing_files_and_folders_are_refused(tmp_path, name):
    with pytest.raises(FileProblem):
        import_model(tmp_path / name)


def test_names_are_plain_text(tmp_path):
    path = tmp_path / "evil\u202emodel\u0007.json"
    path.write_text(json.dumps({**LLAMA, "model_type": "x\u202e\u0000\ny" * 100}), encoding="utf-8")
    model = import_model(path)
    for text in (model.name, model.family, model.source, *model.assumed, *model.not_understood):
        assert not set(text) & set("\u202e\u0000\u0007\n")
        assert len(text) < 600


values = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 10**12) | st.floats(allow_nan=True) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=6,
)


@st.composite
def broken_samples(draw):
    data = json.loads(json.dumps(SAMPLES[draw(st.sampled_from(sorted(SAMPLES)))]))
    for _ in range(draw(st.integers(1, 4))):
        target = data
        while True:
            key = draw(st.sampled_from(sorted(target)))
            if isinstance(target[key], dict) and target[key] and draw(st.booleans()):
                target = target[key]
                continue
            break
        if draw(st.booleans()):
            target[key] = draw(values)
        elif len(target) > 1:
            del target[key]
    return data


def imported_or_refused(data):
    """The model, or None where the file was refused with a proper sentence."""
    try:
        return import_model(json.dumps(data).encode())
    except FileProblem as problem:
        sentence = str(problem)
        return None if problem.what and "\n" not in sentence else pytest.fail(sentence)


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(broken_samples())
def test_broken_samples_are_read_or_refused(data):
    model = imported_or_refused(data)
    if model is None:
        return
    summary = model_summary(model)
    assert sum(summary["components"].values()) == summary["total_params"]
    assert 0 <= summary["active_params"] <= summary["total_params"]
    assert problems_of(model) == []


@settings(max_examples=200)
@given(st.sampled_from(sorted(BUILDERS)), st.dictionaries(st.text(max_size=12), values, max_size=8))
def test_any_family_with_any_keys_is_read_or_refused(model_type, keys):
    model = imported_or_refused({**keys, "model_type": model_type, "hidden_size": 64})
    assert model is None or model_summary(model)["total_params"] >= 0


@settings(max_examples=200)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data):
    with pytest.raises(FileProblem):
        import_model(data)
