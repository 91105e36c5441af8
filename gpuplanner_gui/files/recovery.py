"""Recovery copies: unsaved work as one file, with the name of the project's own file and when it was kept."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.files.bounded import refuse_bulk_and_hidden_text
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.project import project_from_bytes, project_to_bytes
from gpuplanner_gui.files.safe_json import read_bytes, read_json

FORMAT_NAME = "gpuplanner-recovery"
FORMAT_VERSION = 1


class RecoveryCopy(msgspec.Struct, frozen=True, kw_only=True):
    """Unsaved work as it was kept."""

    project: Project
    kept_at: datetime
    original: Path | None
    """The file that the work belongs to; None if it was never saved."""


def recovery_to_bytes(copy: RecoveryCopy) -> bytes:
    """A recovery copy as its file."""
    content = {
        "format": FORMAT_NAME,
        "version": FORMAT_VERSION,
        "kept_at": copy.kept_at.isoformat(timespec="microseconds"),
        "original": str(copy.original) if copy.original else "",
        "project": msgspec.Raw(project_to_bytes(copy.project)),
    }
    return msgspec.json.encode(content)


def load_recovery(path: Path) -> RecoveryCopy:
    """The unsaved work in a recovery copy, checked as a project file is. Raises FileProblem."""
    data = read_json(read_bytes(path), name=path)
    if not isinstance(data, dict) or data.get("format") != FORMAT_NAME or data.get("version") != FORMAT_VERSION:
        raise FileProblem(path, "", "This is not a recovery copy of this version of GPU Planner", "Delete it")
    refuse_bulk_and_hidden_text(data, path)
    project = project_from_bytes(msgspec.json.encode(data.get("project")), path)
    original = _text(data, "original", path)
    return RecoveryCopy(
        project=project, kept_at=_moment(data, path), original=Path(original) if original.strip() else None
    )


def _text(data: dict[str, Any], key: str, path: Path) -> str:
    value = data.get(key)
    if not isinstance(value, str) or "\0" in value:
        raise FileProblem(path, key, "This is not text", "Delete the recovery copy")
    return value


def _moment(data: dict[str, Any], path: Path) -> datetime:
    try:
        return datetime.fromisoformat(_text(data, "kept_at", path))
    except ValueError as problem:
        raise FileProblem(path, "kept_at", "This is not a date", "Delete the recovery copy") from problem
