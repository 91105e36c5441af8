"""The catalogue of models: exact totals, within bounds, honest about what was not explained."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.engine.model.cache_sizes import (
    fixed_state_bytes_per_sequence,
    kv_bytes_per_token,
    kv_bytes_per_token_beyond_window,
)
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.catalogs import load_shipped_catalog

with (Path(__file__).parent / "model_import" / "catalogue_counts.csv").open(encoding="utf-8", newline="") as _table:
    COLLECTED = list(csv.DictReader(_table))


@pytest.fixture(scope="module")
def models():
    return load_shipped_catalog().models


def test_every_collected_model_is_there(models):
    assert len(COLLECTED) == 162
    assert {row["id"] for row in COLLECTED} <= set(models)


@pytest.mark.parametrize("row", COLLECTED, ids=lambda row: row["id"])
def test_entries_count_exactly(models, row):
    model = models[row["id"]].model
    parameters = model_parameters(model)
    found = {
        "total_params": parameters.total,
        "active_params": parameters.active,
        "kv_bytes_per_token_bf16": float(kv_bytes_per_token(model)),
        "kv_bytes_per_token_beyond_window": float(kv_bytes_per_token_beyond_window(model)),
        "fixed_state_bytes_per_sequence": fixed_state_bytes_per_sequence(model),
    }
    expected = {column: int(row[column]) for column in found if row[column]}
    assert {column: found[column] for column in expected} == expected


def test_entries_are_within_their_bounds_and_have_sources(models):
    for entry in models.values():
        assert problems_of(entry) == []
        assert entry.source
        assert entry.model.name == entry.name
        assert entry.model.not_understood == () or entry.id == "kimi-k3-mxfp4"  # its image tower is not counted


def test_models_that_tables_name_often_are_there(models):
    for entry_id in ("qwen2-7b", "retinanet", "codellama-34b", "mt-nlg-530b", "nemotron4-340b", "tinyllama-1.1b"):
        assert entry_id in models


@pytest.mark.parametrize(
    ("entry_id", "stated", "tolerance"),
    [
        ("nemotron-3-super-120b-a12b", 120e9, 0.01), ("nemotron-3-ultra-550b-a55b", 549.3e9, 0.0005),
        ("mt-nlg-530b", 530e9, 0.005), ("gpt-1t", 1008e9, 0.001), ("nanotron-3.57b", 3.57e9, 0.002),
        ("nanotron-8.86b", 8.86e9, 0.001), ("nanotron-80b", 80e9, 0.001), ("nemotron4-340b", 341e9, 0.001),
        ("gpt-462b", 462e9, 0.002), ("mpt-70b", 64.862e9, 0.001), ("decilm-7b", 7.04e9, 0.001),
        ("internlm-20b", 20.1e9, 0.001),
    ],
)  # fmt: skip
def test_added_models_have_about_their_stated_size(models, entry_id, stated, tolerance):
    assert model_parameters(models[entry_id].model).total == pytest.approx(stated, rel=tolerance)


def test_a_picture_costs_more_to_make_than_one_pass(models):
    for entry_id in ("sdxl-1.0", "stable-diffusion-1.5", "sd3-medium", "flux.1-dev", "sd3.5-large", "flux.2-dev"):
        model = models[entry_id].model
        assert model.flop_per_sample > model.training_flop_per_sample > 0


def test_step_3_7_has_more_heads_in_windowed_layers(models):
    heads = {(group.mixer.window, group.mixer.heads) for group in models["step-3.7-flash"].model.layers}
    assert heads == {(512, 96), (0, 64)}


def test_what_the_structure_does_not_explain_is_in_the_notes(models):
    assert any("stand in other parameters" in note for note in models["minimax-m3"].notes)
    for entry_id in ("jamba-1.5-large", "command-r-plus-104b"):
        assert any(note.startswith("Counted with") for note in models[entry_id].notes)
