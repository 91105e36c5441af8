"""Loads the usual classes of requests."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.request_preset import RequestPreset, RequestPresets
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.typed_json import REMEDY, read_shipped
from gpuplanner_gui.paths import catalogs_dir

PRESETS_FILE = "request_presets.json"


@lru_cache(maxsize=4)
def request_presets(folder: Path | None = None) -> tuple[RequestPreset, ...]:
    """The presets that ship, or those in a folder. Raises FileProblem for a damaged file or a figure out of bounds."""
    path = (catalogs_dir() if folder is None else folder) / PRESETS_FILE
    loaded = read_shipped(path, RequestPresets).presets
    for preset in loaded:
        for problem in problems_of(preset):
            what = said(
                "{title} is {value}, which is out of bounds", title=problem.title or "a figure", value=problem.value
            )
            raise FileProblem(path, f"{preset.id}.{problem.path}", what, REMEDY)
    return loaded
