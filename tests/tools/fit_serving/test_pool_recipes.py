"""Published recipes of separate pools as a file: it loads, names what is catalogued, and damage is named."""

from __future__ import annotations

import json

import msgspec
import pytest

from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.fit_serving.tables import RECIPES, RecipeBook, load_pool_recipes, workers_layout


def test_recipes_are_of_catalogued_models_accelerators_and_engines():
    catalog, engines = load_shipped_catalog(), {one.engine for one in load_calibration().engines}
    sweeps = load_pool_recipes().sweeps
    assert len(sweeps) >= 10
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
        ({"decode": "4 x EP8"}, "decode"),
        ({"draft_tokens": "many"}, "draft_tokens"),
        ({"concurrency": None}, "concurrency"),
        ({"surprise": 1}, "surprise"),
    ],
)
def test_damage_is_named(change, says):
    content = json.loads(RECIPES.read_text(encoding="utf-8"))
    content["sweeps"][0]["recipes"][0].update(change)
    with pytest.raises(msgspec.ValidationError, match=says):
        msgspec.json.decode(json.dumps(content), type=RecipeBook)
