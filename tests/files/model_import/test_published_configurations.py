"""Published configurations of recent families count as the reference classes do, and near their makers' figures.

A fact under `published/` holds `id`, `name`, `source`, the `config` as far as it shapes the model, and what its count
is checked against: `stated_total` and `stated_active` (the maker's own figures, often rounded), `instantiated_total`
(parameters of the reference class without weights: transformers 5.23.0, PyTorch 2.13 meta device).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.model_import import import_model

FOLDER = Path(__file__).parent / "published"
FACTS = {fact["id"]: fact for file in sorted(FOLDER.glob("*.json")) for fact in json.loads(file.read_text("utf-8"))}
COUNTED_BY_CLASS = {entry_id: fact for entry_id, fact in FACTS.items() if "instantiated_total" in fact}
STATED_ACTIVE = {entry_id: fact for entry_id, fact in FACTS.items() if "stated_active" in fact}
TOTAL_TOLERANCE = 0.06
"""Names round, and some count towers for sound or layers that predict further tokens."""
ACTIVE_TOLERANCE = 0.2
"""Makers' "A3B" and "A1B" leave out embeddings, or round to a whole billion."""
ROUNDED_TO_A_BILLION = {"glm-4.7-flash", "granite-4.0-h-tiny"}


def imported(fact):
    return import_model(json.dumps(fact["config"]).encode())


@pytest.mark.parametrize("entry_id", COUNTED_BY_CLASS)
def test_totals_are_those_of_the_reference_class(entry_id):
    fact = COUNTED_BY_CLASS[entry_id]
    assert model_parameters(imported(fact)).total == fact["instantiated_total"]


@pytest.mark.parametrize("entry_id", FACTS)
def test_everything_is_understood_and_the_total_is_about_the_stated_one(entry_id):
    model = imported(FACTS[entry_id])
    assert model.not_understood == ()
    stated = FACTS[entry_id].get("stated_total")
    assert stated is None or model_parameters(model).total == pytest.approx(stated, rel=TOTAL_TOLERANCE)


@pytest.mark.parametrize("entry_id", STATED_ACTIVE)
def test_active_parameters_are_about_the_stated_ones(entry_id):
    fact = STATED_ACTIVE[entry_id]
    tolerance = 0.5 if entry_id in ROUNDED_TO_A_BILLION else ACTIVE_TOLERANCE
    assert model_parameters(imported(fact)).active == pytest.approx(fact["stated_active"], rel=tolerance)


def test_every_fact_is_an_entry_with_its_source():
    entries = load_shipped_catalog().models
    for entry_id, fact in FACTS.items():
        assert entries[entry_id].source == fact["source"]
        assert entries[entry_id].model.layers == imported(fact).layers
