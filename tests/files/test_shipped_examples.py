"""The shipped examples as a newcomer opens them: nothing in them is of yesterday."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuplanner_gui.engine import plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import changed_headlines, load_project

EXAMPLES = sorted((Path(__file__).parents[2] / "resources/examples").glob("*.gpuplan"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda one: one.stem)
def test_saved_results_are_those_of_this_program(file: Path) -> None:
    """Otherwise window and `plan` tell who opens it that the program has changed: run `tools.make_examples`."""
    project = load_project(file)
    catalog, calibration = load_shipped_catalog(), load_calibration()
    plans = {one.name: plan(one, catalog, calibration, seed=project.seed) for one in project.scenarios}
    assert project.headlines
    assert changed_headlines(project, plans) == []
    for answer in (answer for made in plans.values() for answer in made.answers.values()):
        assert answer.table.meets_targets[answer.best]
