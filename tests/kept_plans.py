"""The same project is planned once for all commands that a process tries on it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gpuplanner_gui import api
from gpuplanner_gui.domain.catalog import catalog_digest
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.engine.simulation import fleet_part
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.project import project_to_bytes
from gpuplanner_gui.paths import HOME_VARIABLE

KEPT = 6
_kept: dict[tuple[Any, ...], tuple[Results, ...]] = {}
_plan = api.plan


def kept_plan(
    what: Any, progress: Callable[[float], None] | None = None, is_cancelled: Callable[[], bool] | None = None,
    is_judged: bool = True,
) -> tuple[Results, ...]:  # fmt: skip
    """`api.plan`, or what it answered to the same question."""
    content = project_to_bytes(api.as_project(what) if isinstance(what, Scenario) else what)
    home = Path(os.environ.get(HOME_VARIABLE, ""))
    mine = tuple(sorted((str(one), one.stat().st_mtime_ns) for one in home.rglob("*") if one.is_file()))
    mine = mine if HOME_VARIABLE in os.environ else ()
    key = content, catalog_digest(load_catalog()), mine, is_judged, fleet_part.REQUESTS
    if key not in _kept:
        _kept[key] = _plan(what, progress, is_cancelled, is_judged)
        while len(_kept) > KEPT:
            del _kept[next(iter(_kept))]
    return _kept[key]
