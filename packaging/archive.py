"""One archive of a build, the same bytes from the same folder: entries in order, without owner and with one time."""

from __future__ import annotations

import gzip
import os
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path


def set_times(folder: Path, seconds: int) -> None:
    """Give every file and folder one time, as installers copy it."""
    for path in sorted(folder.rglob("*"), reverse=True):
        os.utime(path, (seconds, seconds), follow_symlinks=False)
    os.utime(folder, (seconds, seconds))


def write_tar_gz(folder: Path, target: Path, seconds: int) -> None:
    """The folder as `.tar.gz`."""

    def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = seconds
        is_executable = entry.isdir() or bool(entry.mode & 0o100)
        entry.mode = 0o755 if is_executable else 0o644
        return entry

    with (
        target.open("wb") as raw,
        gzip.GzipFile("", "wb", 6, raw, mtime=seconds) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        archive.add(folder, folder.name, recursive=False, filter=plain)
        for path in sorted(folder.rglob("*")):
            archive.add(path, f"{folder.name}/{path.relative_to(folder).as_posix()}", recursive=False, filter=plain)


def write_zip(folder: Path, target: Path, seconds: int) -> None:
    """The folder as `.zip`, for Windows, which has no links to keep."""
    moment = datetime.fromtimestamp(seconds, UTC)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(f"{folder.name}/{path.relative_to(folder).as_posix()}", moment.timetuple()[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, path.read_bytes())
