"""Which program this is: its version, and the commit that a build was made from."""

from __future__ import annotations

import json

from gpuplanner_gui import __version__, paths

BUILD_FILE = "build.json"
SHOWN_DIGITS = 12


def version_text() -> str:
    """The version, with the commit where this is a build that says it."""
    digits, _, modified = build_commit().partition("-")
    if not digits:
        return __version__
    python = _stated("python")
    parts = (f"commit {digits[:SHOWN_DIGITS]}", "modified" if modified else "", f"Python {python}" if python else "")
    return f"{__version__} ({', '.join(part for part in parts if part)})"


def build_commit() -> str:
    """The commit that this build was made from; empty in a checkout."""
    return _stated("commit")


def _stated(name: str) -> str:
    """What this build says of itself; empty in a checkout."""
    try:
        stated = json.loads((paths.resources_dir() / BUILD_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    return str(stated.get(name, "")) if isinstance(stated, dict) else ""
