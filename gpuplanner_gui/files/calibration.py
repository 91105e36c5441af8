"""Reads the kernel calibration and says which one it was."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import msgspec

from gpuplanner_gui.domain.calibration import FORMAT, KernelCalibration
from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.typed_json import decoded

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
            said("{title} is {value}, which is out of bounds", title=found.title or "A figure", value=found.value),
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
                said("The file has version {version}", version=header.version),
                "Open it with a newer GPU Planner",
            )
        found: KernelCalibration = decoded(content, KernelCalibration)
        return found
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at ")
        raise FileProblem(path, where.strip("`"), what, "Restore the file that came with the program") from problem
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise FileProblem(
            path, "", "The file is no valid JSON", "Restore the file that came with the program"
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
