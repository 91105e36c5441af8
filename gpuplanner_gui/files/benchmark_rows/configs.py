"""Models that the catalogue lacks, from a folder of published configurations beside a benchmark table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from gpuplanner_gui.domain.catalog import Catalog, CatalogModel
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.model_import import read_model
from gpuplanner_gui.files.model_names import resolved_model
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.text import plain_text

CONFIG_FILE = "config.json"
FROM_CONFIG = "configuration of"
"""How the source of a model from a folder begins."""
MOST_CONFIGS = 2_000
PUBLISHED_ID = re.compile(r"(?:[A-Za-z0-9][A-Za-z0-9._-]{0,95}/)?[A-Za-z0-9][A-Za-z0-9._-]{0,95}")


def with_configs(catalog: Catalog, names: Iterable[str], folder: Path) -> tuple[Catalog, dict[str, str]]:
    """The catalogue with models that only `FOLDER/<owner>--<name>/config.json` knows, and why others can't be read.

    The second part says by name what is wrong with a configuration that is there. Raises FileProblem where `folder` is
    none, or more than `MOST_CONFIGS` models are unknown.
    """
    if not folder.is_dir():
        raise FileProblem(folder, "", "this is no folder", "Choose the folder that holds <owner>--<name>/config.json")
    unknown = [name for name in dict.fromkeys(names) if name and resolved_model(catalog, name) is None]
    if len(unknown) > MOST_CONFIGS:
        raise FileProblem(
            folder, "", said("the table names more than {count} unknown models", count=MOST_CONFIGS), "Split the table"
        )
    found: dict[str, CatalogModel] = {}
    problems: dict[str, str] = {}
    for name in unknown:
        path = folder / name.replace("/", "--") / CONFIG_FILE
        if not PUBLISHED_ID.fullmatch(name) or not _is_within(path, folder):
            continue
        try:
            model = read_model(path).model
        except FileProblem as problem:
            problems[name] = plain_text(problem.what, 200)
            continue
        found[name] = CatalogModel(id=name, name=name, source=f"{FROM_CONFIG} {name}", model=model)
    return msgspec.structs.replace(catalog, models=catalog.models | found), problems


def _is_within(path: Path, folder: Path) -> bool:
    """Whether a file is there and no link leads it out of the folder."""
    return path.is_file() and path.resolve().is_relative_to(folder.resolve())
