"""Loads how uncertain each input usually is."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.uncertainty_default import UncertaintyDefaults
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.typed_json import REMEDY, read_shipped
from gpuplanner_gui.paths import catalogs_dir

DEFAULTS_FILE = "uncertainty_defaults.json"


@lru_cache(maxsize=4)
def load_uncertainty_defaults(folder: Path | None = None) -> UncertaintyDefaults:
    """The defaults that ship, or those in a folder. Raises FileProblem for a damaged or impossible file."""
    path = (catalogs_dir() if folder is None else folder) / DEFAULTS_FILE
    loaded = read_shipped(path, UncertaintyDefaults)
    for problem in problems_of(loaded):
        what = said(
            "{title} is {value}, which is out of bounds", title=problem.title or "a figure", value=problem.value
        )
        raise FileProblem(path, problem.path, what, REMEDY)
    for entry in loaded.inputs:
        if entry.spread == "offset" and isinstance(entry.distribution.value, Lognormal):
            raise FileProblem(path, entry.id, "a lognormal spread is a factor, not an offset", REMEDY)
    return loaded
