"""Every sample configuration counts exactly, whatever its file is called, and so does every changed one."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gpuplanner_gui.engine.model.cache_sizes import (
    fixed_state_bytes_per_sequence,
    kv_bytes_per_token,
    kv_bytes_per_token_beyond_window,
)
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.model_import import import_model

HERE = Path(__file__).parent
CONFIGS = HERE / "configs"

with (HERE / "exact_counts.csv").open(encoding="utf-8", newline="") as _table:
    EXACT = {row["file"]: row for row in csv.DictReader(_table)}

INSTANTIATED: dict[str, list[dict[str, Any]]] = {}
for _case in json.loads((HERE / "instantiated_counts.json").read_text(encoding="utf-8"))["cases"]:
    INSTANTIATED.setdefault(_case["file"], []).append(_case)


def counts(model):
    parameters = model_parameters(model)
    return {
        "exact_total_params": parameters.total,
        "exact_active_params": parameters.active,
        "kv_bytes_per_token_bf16": float(kv_bytes_per_token(model)),
        "kv_bytes_per_token_beyond_window": float(kv_bytes_per_token_beyond_window(model)),
        "fixed_state_bytes_per_sequence": fixed_state_bytes_per_sequence(model),
    }


def changed(data: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    data = json.loads(json.dumps(data))
    for place, value in case["changed"].items():
        *parts, key = place.split(".")
        target = data
        for part in parts:
            target = target[part]
        target[key] = value
    for place in case["removed"]:
        *parts, key = place.split(".")
        target = data
        for part in parts:
            target = target[part]
        del target[key]
    return data


def test_every_listed_file_is_there():
    assert len(EXACT) == 59
    assert {path.name for path in CONFIGS.glob("*.json")} == set(EXACT)


@pytest.mark.parametrize("name", EXACT)
def test_counts_are_exact(name):
    found = counts(import_model(CONFIGS / name))
    expected = {column: int(EXACT[name][column]) for column in found if EXACT[name][column]}
    assert {column: found[column] for column in expected} == expected


@pytest.mark.parametrize("name", EXACT)
def test_every_sample_is_understood_but_estimates_say_so(name):
    model = import_model(CONFIGS / name)
    assert model.family
    if name == "kimi-k3-mxfp4.json":
        assert any("kimi_k3" in sentence for sentence in model.assumed)
    else:
        assert model.not_understood == ()


@pytest.mark.parametrize("name", EXACT)
def test_name_of_the_file_does_not_matter(name, tmp_path):
    renamed = tmp_path / "something-else.json"
    shutil.copyfile(CONFIGS / name, renamed)
    original, again = import_model(CONFIGS / name), import_model(renamed)
    assert again.name == "something-else"
    assert msgspec.structs.replace(again, name="", source="") == msgspec.structs.replace(original, name="", source="")


@pytest.mark.parametrize("name", INSTANTIATED)
def test_changed_configurations_count_as_instantiated(name):
    data = json.loads((CONFIGS / name).read_text(encoding="utf-8"))
    wrong = []
    for case in INSTANTIATED[name]:
        total = model_parameters(import_model(json.dumps(changed(data, case)).encode())).total
        if total != case["total"]:
            wrong.append((case["changed"], case["removed"], total, case["total"]))
    assert wrong == []


@pytest.mark.parametrize("name", EXACT)
def test_layers_are_grouped(name):
    model = import_model(CONFIGS / name)
    groups = [msgspec.structs.replace(group, count=1) for group in model.layers]
    assert len(set(groups)) == len(groups)


@pytest.mark.parametrize(
    ("name", "key"), [(name, "num_hidden_layers") for name in ("gpt-oss-20b.json", "minimax-text-01.json")]
)
def test_stale_layer_lists_follow_the_number_of_layers(name, key):
    data = json.loads((CONFIGS / name).read_text(encoding="utf-8"))
    for layers in (8, 2 * data[key]):
        model = import_model(json.dumps({**data, key: layers}).encode())
        assert sum(group.count for group in model.layers) == layers
        assert any(sentence.startswith("layer_types") for sentence in model.assumed)


def test_nemotron_nas_counts_block_by_block():
    data = json.loads((CONFIGS / "nemotron-super-49b-nas.json").read_text(encoding="utf-8"))
    whole = import_model(json.dumps(data).encode())
    without_last = import_model(json.dumps({**data, "block_configs": data["block_configs"][:-1]}).encode())
    last = data["block_configs"][-1]
    hidden, heads = data["hidden_size"], data["num_attention_heads"]
    expected = 0
    if not last["attention"]["no_op"]:
        kv_heads = heads // last["attention"]["n_heads_in_group"]
        expected += 2 * hidden * hidden + 2 * hidden * kv_heads * hidden // heads + hidden
    if not last["ffn"]["no_op"]:
        width = int(2 * last["ffn"]["ffn_mult"] * hidden / 3)
        expected += 3 * hidden * (-(-width // 256) * 256) + hidden
    assert model_parameters(whole).total - model_parameters(without_last).total == expected
