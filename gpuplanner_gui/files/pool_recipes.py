"""Loads the published recipes of separate pools."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gpuplanner_gui.domain.pool_recipe import RecipeBook
from gpuplanner_gui.files.shipped_json import read_shipped
from gpuplanner_gui.paths import catalogs_dir

RECIPES_FILE = "pool_recipes.json"


@lru_cache(maxsize=4)
def load_pool_recipes(folder: Path | None = None) -> RecipeBook:
    """The recipes that ship, or those in a folder. Raises FileProblem for a damaged file."""
    return read_shipped((catalogs_dir() if folder is None else folder) / RECIPES_FILE, RecipeBook)
