"""The calibration that a project's own measurements make of the shipped one."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.local_calibration import LocalPrior
from gpuplanner_gui.domain.measurement import MeasurementSet
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.typed_json import REMEDY, read_shipped
from gpuplanner_gui.paths import catalogs_dir

PRIOR_FILE = "local_prior.json"
KEPT = 4

_made: list[tuple[tuple[MeasurementSet, ...], Catalog, Calibration, Calibration]] = []


@lru_cache(maxsize=4)
def load_local_prior(folder: Path | None = None) -> LocalPrior:
    """The prior that ships, or the one in a folder. Raises FileProblem for a damaged file or a figure out of bounds."""
    path = (catalogs_dir() if folder is None else folder) / PRIOR_FILE
    prior = read_shipped(path, LocalPrior)
    for problem in problems_of(prior):
        what = said(
            "{title} is {value}, which is out of bounds", title=problem.title or "a figure", value=problem.value
        )
        raise FileProblem(path, problem.path, what, REMEDY)
    return prior


def calibrated_by(sets: tuple[MeasurementSet, ...], catalog: Catalog, calibration: Calibration) -> Calibration:
    """The shipped calibration with what the sets in use add; the newest few are kept, compared by identity."""
    if not any(one.is_used for one in sets):
        return calibration
    for known_sets, known_catalog, known_calibration, found in _made:
        if known_sets is sets and known_catalog is catalog and known_calibration is calibration:
            return found
    # Loads the engine, which a command that only reads files does without.
    from gpuplanner_gui.engine.context import context_of
    from gpuplanner_gui.engine.evidence.knowledge import local_calibration, localized
    from gpuplanner_gui.engine.evidence.own_kernels import with_own_kernels

    # Operations first: whole runs are set beside what these make of the prediction, so that neither counts twice.
    base = with_own_kernels(calibration, sets, catalog)
    local = local_calibration(sets, context_of(catalog, base), load_local_prior())
    made = localized(base, local)
    _made[:] = [(sets, catalog, calibration, made), *_made[: KEPT - 1]]
    return made
