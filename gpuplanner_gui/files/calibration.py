"""Reads the kernel calibration and says which one it was."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.calibration import FORMAT, KernelCalibration
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.packs.pack_file import CALIBRATION_FILES, applied_packs
from gpuplanner_gui.files.safe_json import decoded, read_bytes
from gpuplanner_gui.paths import catalogs_dir

RETIRED: dict[str, dict[tuple[str, ...], frozenset[str]]] = {
    "serving_engines.json": {
        (): frozenset(
            (
                "pool_devices",
                "crowd_steps",
                "delivery_passes",
                "client_prompts",
                "client_admission_steps",
                "client_crowd_steps",
                "client_complex_steps",
                "client_sequence_host_s",
                "client_start_delay_s",
                "clients",
                "crowd_clients",
                "crowd_growth",
                "start_delay_s",
                "unstated_speculation",
                "sweep_speculation",
                "sweep_first_token",
                "clump_prompts",
                "arrival_chance",
                "group_admission_steps",
                "gathering_steps",
                "yearly_gain",
                "reference_year",
                "releases",
                "pool_practice",
            )
        ),
    },
}
"""By file and by the structs inside each of its entries: names that were fields once."""


def without_retired(name: str, content: Any) -> tuple[Any, tuple[str, ...]]:
    """A calibration file's plain content without the fields that are gone, and their names.

    A field that never was stays, so that a slip of the pen is still refused.
    """
    places = RETIRED.get(name)
    if places is None or not isinstance(content, list):
        return content, ()
    kept, gone = content, dict[str, None]()
    for path, names in places.items():
        kept = [_without(entry, path, names, gone) for entry in kept]
    return kept, tuple(gone)


def _without(entry: Any, path: tuple[str, ...], names: frozenset[str], gone: dict[str, None]) -> Any:
    if not isinstance(entry, dict):
        return entry
    if path:
        first, *rest = path
        return {**entry, first: _without(entry[first], tuple(rest), names, gone)} if first in entry else entry
    gone.update(dict.fromkeys(_present(entry, names)))
    return {key: value for key, value in entry.items() if key not in names}


def _present(entry: dict[str, Any], names: frozenset[str]) -> Iterator[str]:
    return (key for key in entry if key in names)


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


NEWEST_VERSION = 1
LARGEST_FILE_BYTES = 20_000_000


@dataclass(frozen=True)
class LoadedCalibration:
    """A calibration and the SHA-256 digest of the file it came from, which a plan records."""

    calibration: KernelCalibration
    digest: str


def load_kernel_calibration(path: Path) -> LoadedCalibration:
    """The kernel calibration in a file.

    Raises FileProblem when it can't be read, is no calibration, is newer than this program, or holds figures out of
    bounds.
    """
    return kernel_calibration_of(path, read_bytes(path, LARGEST_FILE_BYTES))


def kernel_calibration_of(path: Path, content: bytes) -> LoadedCalibration:
    """The kernel calibration in the bytes of a file; `path` is what errors call it. Raises FileProblem."""
    calibration = _decoded(path, content)
    for found in problems_of(calibration):
        raise FileProblem(
            path,
            f"$.{found.path}",
            said("{title} is {value}, which is out of range", title=found.title or "A value", value=found.value),
        )
    _check_references(path, calibration)
    return LoadedCalibration(calibration, hashlib.sha256(content).hexdigest())


class _Header(msgspec.Struct):
    format: str
    version: int


def _decoded(path: Path, content: bytes) -> KernelCalibration:
    try:
        header: _Header = decoded(content, _Header)
        if header.format != FORMAT:
            raise FileProblem(
                path, "$.format", said("This is {format}, not a kernel calibration", format=repr(header.format))
            )
        if header.version > NEWEST_VERSION:
            raise FileProblem(
                path,
                "$.version",
                said("The file has version {version}, which this program cannot read", version=header.version),
                "Open it with a newer GPU Planner",
            )
        found: KernelCalibration = decoded(content, KernelCalibration)
        return found
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at ")
        raise FileProblem(path, where.strip("`"), what, "Restore the file that came with the program") from problem
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise FileProblem(
            path, "", "The file is not valid JSON", "Restore the file that came with the program"
        ) from problem


def _check_references(path: Path, calibration: KernelCalibration) -> None:
    known = {device.accelerator for device in calibration.devices}
    for number, found in enumerate(calibration.sets):
        if found.accelerator not in known:
            raise FileProblem(
                path,
                f"$.sets[{number}].accelerator",
                said("{accelerator} is not among the devices", accelerator=repr(found.accelerator)),
            )
        if found.precision not in calibration.relatedness.precisions:
            raise FileProblem(
                path,
                f"$.sets[{number}].precision",
                said("{precision} is not among the precisions", precision=repr(found.precision)),
            )
