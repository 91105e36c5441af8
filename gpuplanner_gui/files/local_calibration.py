"""The calibration that a project's own measurements make of the shipped one."""

from __future__ import annotations

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.measurement import MeasurementSet

KEPT = 4

_made: list[tuple[tuple[MeasurementSet, ...], Catalog, Calibration, Calibration]] = []


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
    from gpuplanner_gui.engine.evidence.posterior import local_prior

    # Operations first: whole runs are set beside what these make of the prediction, so that neither counts twice.
    base = with_own_kernels(calibration, sets, catalog)
    local = local_calibration(sets, context_of(catalog, base), local_prior(calibration.errors))
    made = localized(base, local)
    _made[:] = [(sets, catalog, calibration, made), *_made[: KEPT - 1]]
    return made
