"""The contents of the calibration's files: those that ship, and over them those that packs bring."""

from __future__ import annotations

from pathlib import Path

import msgspec

from gpuplanner_gui.files.calibration_retired import without_retired
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.packs.pack_file import CALIBRATION_FILES
from gpuplanner_gui.files.packs.store import applied_packs
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.said import said
from gpuplanner_gui.paths import catalogs_dir


def calibration_contents(folder: Path | None = None) -> dict[str, bytes]:
    """Every file by name: of a folder, or those that ship with the packs in force over them. Raises FileProblem."""
    base = catalogs_dir() if folder is None else folder
    contents = {name: read_bytes(base / name) for name in CALIBRATION_FILES}
    for applied in applied_packs() if folder is None else ():
        contents |= {
            name: msgspec.json.encode(without_retired(name, content)[0])
            for name, content in applied.pack.calibration.items()
        }
    return contents


def calibration_state(folder: Path | None = None) -> tuple[object, ...]:
    """What has changed when the calibration may have: compared, not read. Raises FileProblem."""
    base = catalogs_dir() if folder is None else folder
    try:
        files = tuple((base / name).stat().st_mtime_ns for name in CALIBRATION_FILES)
    except OSError as problem:
        name = Path(str(problem.filename)).name
        raise FileProblem(
            base / name,
            "",
            said("The file can't be read ({strerror})", strerror=problem.strerror),
            "Check that it exists",
        ) from problem
    packs = tuple(applied.path for applied in applied_packs()) if folder is None else ()
    return (base, files, packs)
