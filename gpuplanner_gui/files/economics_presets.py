"""Loads owners' terms, prices by resource and energy by region."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from gpuplanner_gui.domain.economics import Economics, Ownership, Site
from gpuplanner_gui.domain.economics_preset import EconomicsPreset, EconomicsPresets
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.typed_json import REMEDY, read_shipped
from gpuplanner_gui.paths import catalogs_dir

PRESETS_FILE = "economics_presets.json"


@lru_cache(maxsize=4)
def load_economics_presets(folder: Path | None = None) -> EconomicsPresets:
    """The presets that ship, or those in a folder.

    Raises FileProblem for a file that is damaged, names a field that the money section lacks, or holds a figure out of
    that field's bounds.
    """
    path = (catalogs_dir() if folder is None else folder) / PRESETS_FILE
    loaded = read_shipped(path, EconomicsPresets)
    for preset in loaded.presets:
        _refuse_unknown_fields(path, preset)
        for problem in problems_of(preset.applied_to(Economics())):
            what = said(
                "{title} is {value}, which is out of bounds", title=problem.title or "a figure", value=problem.value
            )
            raise FileProblem(path, f"{preset.id}.{problem.path}", what, REMEDY)
    return loaded


def _refuse_unknown_fields(path: Path, preset: EconomicsPreset) -> None:
    sections: tuple[tuple[str, type[msgspec.Struct], dict[str, object]], ...] = (
        ("ownership", Ownership, dict(preset.ownership)),
        ("site", Site, dict(preset.site)),
    )
    for section, struct_type, figures in sections:
        for name in figures.keys() - set(struct_type.__struct_fields__):
            raise FileProblem(path, f"{preset.id}.{section}.{name}", "no such field", REMEDY)
