"""Loads which number formats engines run on which accelerators."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gpuplanner_gui.domain.precision_support import ANY_FORMAT, PrecisionSupport
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.safe_json import REMEDY, read_shipped
from gpuplanner_gui.paths import catalogs_dir

SUPPORT_FILE = "precision_support.json"


@lru_cache(maxsize=4)
def load_precision_support(folder: Path | None = None) -> PrecisionSupport:
    """The matrix that ships, or the one in a folder. Raises FileProblem for a damaged file or an unknown format."""
    path = (catalogs_dir() if folder is None else folder) / SUPPORT_FILE
    support = read_shipped(path, PrecisionSupport)
    for engine in support.engines:
        for place, rule in enumerate(engine.rules):
            unknown = [name for name in rule.formats if name not in (*PRECISIONS, ANY_FORMAT)]
            if unknown:
                where = f"$.engines[{engine.engine}].rules[{place}].formats"
                raise FileProblem(
                    path, where, said("{unknown} is not a number format", unknown=repr(unknown[0])), REMEDY
                )
    return support
