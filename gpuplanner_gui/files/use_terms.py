"""Loads where devices may be used."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gpuplanner_gui.domain.use_terms import UseTerms
from gpuplanner_gui.files.typed_json import read_shipped
from gpuplanner_gui.paths import catalogs_dir

TERMS_FILE = "use_terms.json"


@lru_cache(maxsize=4)
def load_use_terms(folder: Path | None = None) -> UseTerms:
    """The restrictions that ship, or those in a folder. Raises FileProblem for a damaged file."""
    return read_shipped((catalogs_dir() if folder is None else folder) / TERMS_FILE, UseTerms)
