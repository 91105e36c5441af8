"""Opens project files of earlier formats: step N takes version N to N + 1, on plain data, and is never edited again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Migration = Callable[[dict[str, Any]], dict[str, Any]]

MIGRATIONS: dict[int, Migration] = {}
"""Version 1 is the first. A step says in its docstring what it changes and why, and a file of its version is kept in
`tests/files/versions/`."""


def migrated(data: dict[str, Any], newest: int) -> dict[str, Any]:
    """Plain project data brought to the newest version, step by step. Raises KeyError where a step is missing."""
    version = int(data["version"])
    while version < newest:
        data = MIGRATIONS[version](data)
        version += 1
        data = {**data, "version": version}
    return data
