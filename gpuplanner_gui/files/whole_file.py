"""Writing a file whole or not at all: the new content is on disk beside it before it takes the old one's place.

Not QSaveFile, which takes a disk's refusal to store (a full share that says so late) for success.
"""

from __future__ import annotations

import errno
import glob
import os
import time
from contextlib import suppress
from pathlib import Path

from gpuplanner_gui.files.errors import FileProblem, said

SUFFIX = ".new"
LONGEST_PREFIX = 60
LEFT_AFTER_S = 600


def write_whole_file(path: Path, content: bytes) -> None:
    """Replace the file in one step; it keeps its old content until all of the new is on disk.

    A link stays a link, and a file keeps its permissions. Raises FileProblem, also for a pipe or a device: the file
    would take its place.
    """
    # Not `Path.resolve`, which fails for a link that leads to itself.
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    beside = target.with_name(f"{_prefix(target)}{os.getpid()}-{time.monotonic_ns()}{SUFFIX}")
    try:
        if target.exists() and not target.is_file():
            raise OSError(errno.EINVAL, "this is not a file")
        _remove_leftovers(target)
        _write_new(beside, content)
        if target.exists():
            os.chmod(beside, target.stat().st_mode & 0o777)
        os.replace(beside, target)
    except (OSError, ValueError) as problem:
        with suppress(OSError, ValueError):
            beside.unlink(missing_ok=True)
        reason = getattr(problem, "strerror", None) or str(problem)
        raise FileProblem(
            path,
            "",
            "it could not be written ({reason})",
            "Save it under another name or in another folder",
            reason=reason,
        ) from None
    _store_folder(target.parent)


def make_folder(folder: Path) -> None:
    """Make a folder with all above it, where it is not there. Raises FileProblem."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        what = said("the folder can't be made ({reason})", reason=problem.strerror or str(problem))
        raise FileProblem(folder, "", what, "Check its permissions, or choose another folder") from None


def _write_new(path: Path, content: bytes) -> None:
    """A file that did not exist, on disk when this returns."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _store_folder(folder: Path) -> None:
    """Put the new name on disk too, where the platform can; without it a power cut may bring the old file back."""
    if os.name != "posix":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _prefix(target: Path) -> str:
    return f".{target.name[:LONGEST_PREFIX]}."


def _remove_leftovers(target: Path) -> None:
    """Remove what a program left that was killed while it wrote this file; a younger one may be another's work."""
    for path in target.parent.glob(f"{glob.escape(_prefix(target))}*{SUFFIX}"):
        if time.time() - path.stat().st_mtime > LEFT_AFTER_S:
            path.unlink(missing_ok=True)
