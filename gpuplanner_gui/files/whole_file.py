"""Writing a file whole or not at all, for programs without a window."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from gpuplanner_gui.files.errors import FileProblem


def write_whole_file(path: Path, content: bytes) -> None:
    """Replace the file in one step; it keeps its old content until all of the new is on disk.

    A link stays a link. Raises FileProblem.
    """
    target = path.resolve() if path.is_symlink() else path
    temporary = ""
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name[:60]}.", suffix=".new", dir=target.parent)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except OSError as problem:
        if temporary:
            Path(temporary).unlink(missing_ok=True)
        reason = problem.strerror or str(problem)
        raise FileProblem(path, "", f"it could not be written ({reason})", "Write it to another folder") from None


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
