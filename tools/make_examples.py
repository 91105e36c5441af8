"""Renews the example projects under resources/examples/: models, figures and prices of the catalogue, and
today's results.

    python -m tools.make_examples [FILE …]

The files themselves hold what is asked; a new example is a project saved into that folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.estate.draft import PriceTerms, with_offered_prices
from gpuplanner_gui.files.project import load_project, project_to_bytes, with_snapshot
from tools.repository import ROOT, shipped_context

FOLDER = ROOT / "resources" / "examples"


def renewed(project: Project, catalog: Catalog, calibration: Calibration) -> Project:
    """The project with the catalogue's models and figures, and with the results that a reader then sees."""
    models = {entry.model.name: entry.model for entry in catalog.models.values()}
    scenarios = tuple(
        msgspec.structs.replace(one, model=models.get(one.model.name, one.model)) for one in project.scenarios
    )
    plans = {one.name: plan(one, catalog, calibration, seed=project.seed) for one in scenarios}
    estate = project.estate
    if estate is not None:
        estate = with_offered_prices(estate, PriceTerms(catalog, calibration, scenarios[0], plans))
    changed = msgspec.structs.replace(project, scenarios=scenarios, estate=estate)
    return with_snapshot(changed, catalog, calibration, plans)


def main(files: list[Path]) -> None:
    context = shipped_context()
    for path in files or sorted(FOLDER.glob("*.gpuplan")):
        path.write_bytes(project_to_bytes(renewed(load_project(path), context.catalog, context.calibration)))
        print(path.name)


if __name__ == "__main__":
    main([Path(name) for name in sys.argv[1:]])
