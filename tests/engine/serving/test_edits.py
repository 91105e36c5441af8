"""Answers after an edit are those of a fresh question: nothing is kept that the edit changes."""

from __future__ import annotations

import msgspec
import numpy as np

from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir


def test_longer_documents_are_embedded_more_slowly_after_an_edit(catalog, calibration, monkeypatch):
    scenario = load_project(resources_dir() / "examples" / "embedding-index.gpuplan").scenarios[0]
    serving = scenario.serving
    longer = tuple(
        msgspec.structs.replace(one, prompt_tokens=4 * central(one.prompt_tokens)) for one in serving.classes
    )
    edited = msgspec.structs.replace(scenario, serving=msgspec.structs.replace(serving, classes=longer))
    plan(scenario, catalog, calibration)
    after_edit = plan(edited, catalog, calibration).serving.table
    monkeypatch.setattr(Recent, "of", lambda self, inputs, make: make())
    fresh = plan(edited, catalog, calibration).serving.table
    np.testing.assert_array_equal(after_edit.max_rate_per_s, fresh.max_rate_per_s)
