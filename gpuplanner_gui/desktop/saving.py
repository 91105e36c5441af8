"""Noticing that somebody else wrote a file; writing one whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCryptographicHash

from gpuplanner_gui.files.whole_file import write_whole_file as write_whole

__all__ = ["DiskState", "disk_state", "was_changed_by_others", "write_whole"]

LARGEST_COMPARED_BYTES = 50_000_000


@dataclass(frozen=True)
class DiskState:
    """What a file was like when we last read or wrote it."""

    size: int
    modified_ns: int
    digest: str


def disk_state(path: Path) -> DiskState | None:
    """None where there is no file, or none that may be read."""
    try:
        status = path.stat()
        # A pipe would never end, and a file that is too large for a project is refused anyway.
        if not path.is_file() or status.st_size > LARGEST_COMPARED_BYTES:
            return None
        content = path.read_bytes()
    except OSError:
        return None
    digest = QCryptographicHash.hash(content, QCryptographicHash.Algorithm.Sha256)
    return DiskState(status.st_size, status.st_mtime_ns, bytes(digest.toHex().data()).decode())


def was_changed_by_others(path: Path, known: DiskState) -> bool:
    """True if the content is another than we know; a mere touch does not count, nor does a file that is gone."""
    try:
        status = path.stat()
    except OSError:
        return False
    if (status.st_size, status.st_mtime_ns) == (known.size, known.modified_ns):
        return False
    now = disk_state(path)
    return now is not None and now.digest != known.digest
