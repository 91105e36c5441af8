"""`gpuplanner model`: figures as text and as JSON, refusals as one sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplanner_gui.cli import main

CONFIGS = Path(__file__).parent.parent / "files" / "model_import" / "configs"


def test_json_has_the_contract(capsys):
    assert main(["model", str(CONFIGS / "gpt-oss-20b.json"), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert summary["architecture"] == "gpt_oss"
    assert summary["total_params"] == 20_914_757_184
    assert summary["active_params"] == 4_187_440_704
    assert summary["kv_bytes_per_token"] == summary["kv_bytes_per_token_bf16"] == 49_152
    assert summary["kv_bytes_per_token_beyond_window"] == 24_576
    assert summary["weight_bytes"]["bf16"] == 2 * summary["total_params"]
    assert summary["weight_bytes"]["checkpoint"] == summary["weight_bytes"]["mxfp4"]


def test_text_names_what_was_assumed_and_not_understood(capsys, tmp_path):
    path = tmp_path / "mine.json"
    data = {"model_type": "brand_new", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    path.write_text(json.dumps(data), encoding="utf-8")
    assert main(["model", str(path)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("mine")
    assert "Not understood:" in printed
    assert "brand_new" in printed
    assert "Assumed:" in printed


def test_index_is_checked(capsys, tmp_path):
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 10**9}}), encoding="utf-8")
    assert main(["model", str(CONFIGS / "gpt2.json"), "--index", str(index)]) == 0
    assert "states 1 GB, but the model's weights add up to 497.8 MB" in capsys.readouterr().out.replace("\u00a0", " ")


def test_a_class_whose_parts_are_not_known_is_refused_instead_of_counted_as_nothing(capsys, tmp_path):
    path = tmp_path / "transformer.json"
    path.write_text(json.dumps({"_class_name": "BrandNewTransformer3DModel", "num_layers": 28}), encoding="utf-8")
    assert main(["model", str(path), "--json"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "BrandNewTransformer3DModel is a class whose parts are not known" in captured.err


@pytest.mark.parametrize("content", ["", "[]", '{"model_type": "llama", "hidden_size": "x"}'])
def test_refusals_are_one_sentence_and_status_1(capsys, tmp_path, content):
    path = tmp_path / "broken.json"
    path.write_text(content, encoding="utf-8")
    assert main(["model", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("broken.json")
    assert captured.err.count("\n") == 1
