"""Loads what the launchers' documents say about their flags."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gpuplanner_gui.domain.launch import Launcher, Launchers
from gpuplanner_gui.files.typed_json import read_shipped
from gpuplanner_gui.paths import catalogs_dir

LAUNCHERS_FILE = "launchers.json"


@lru_cache(maxsize=4)
def load_launchers(folder: Path | None = None) -> tuple[Launcher, ...]:
    """The launchers that ship, or those in a folder. Raises FileProblem for a damaged file."""
    return read_shipped((catalogs_dir() if folder is None else folder) / LAUNCHERS_FILE, Launchers).launchers
