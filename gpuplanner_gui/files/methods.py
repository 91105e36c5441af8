"""Loads the handbook's pages on the engine's methods."""

from __future__ import annotations

from functools import lru_cache

from gpuplanner_gui.domain.method import Method, Methods
from gpuplanner_gui.files.typed_json import read_shipped
from gpuplanner_gui.paths import resources_dir

METHODS_FILE = "methods.json"


@lru_cache(maxsize=1)
def methods() -> tuple[Method, ...]:
    """All methods in the order in which a plan uses them. Raises FileProblem for a damaged file."""
    return read_shipped(resources_dir() / METHODS_FILE, Methods).methods
