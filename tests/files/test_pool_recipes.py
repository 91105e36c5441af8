"""Published recipes of separate pools as a file: it loads, names what is catalogued, and damage is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplanner_gui.domain.pool_recipe import workers_layout
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.pool_recipes import RECIPES_FILE, load_pool_recipes
from gpuplanner_gui.paths import catalogs_dir


def test_shipped_recipes_are_of_catalogued_models_accelerators_and_engines():
    catalog, engines = load_shipped_catalog(), {one.engine for one in load_calibration().engines}
    sweeps = load_pool_recipes().sweeps
    assert len(sweeps) >= 15
    for sweep in sweeps:
        assert sweep.model in catalog.models
        assert sweep.accelerator in catalog.accelerators
        assert sweep.engine in engines
        assert sweep.source
        assert sweep.recipes


def test_no_recipe_stands_twice_in_a_sweep():
    for sweep in load_pool_recipes().sweeps:
        said = [
            (one.prompt_tokens, one.output_tokens, concurrency, one.way())
            for one in sweep.recipes
            for concurrency in one.concurrency
        ]
        assert len(said) == len(set(said)), sweep.release


@pytest.mark.parametrize(
    ("text", "tensor", "groups", "experts", "expert_tensor", "workers"),
    [
        ("4 x DEP8", 1, 8, 8, 1, 4),
        ("1 x TEP16", 16, 1, 16, 1, 1),
        ("9 x TP8", 8, 1, 1, 8, 9),
        ("2 x DP4", 1, 4, 1, 4, 2),
    ],
)
def test_workers_become_a_layout(text, tensor, groups, experts, expert_tensor, workers):
    layout = workers_layout(text)
    assert (layout.tensor_parallel, layout.data_parallel) == (tensor, groups)
    assert (layout.expert_parallel, layout.expert_tensor_parallel) == (experts, expert_tensor)
    assert layout.replicas == workers
    assert layout.devices == tensor * groups


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda recipe: recipe.update(decode="4 x EP8"), "decode"),
        (lambda recipe: recipe.update(draft_tokens="many"), "draft_tokens"),
        (lambda recipe: recipe.pop("concurrency"), "concurrency"),
        (lambda recipe: recipe.update(surprise=1), "surprise"),
    ],
)
def test_damage_is_named(tmp_path: Path, change, says):
    content = json.loads((catalogs_dir() / RECIPES_FILE).read_text(encoding="utf-8"))
    change(content["sweeps"][0]["recipes"][0])
    (tmp_path / RECIPES_FILE).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FileProblem, match=says):
        load_pool_recipes(tmp_path)
