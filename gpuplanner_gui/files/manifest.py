"""What a build consists of, file by file, and whether a folder still is that build.

`MANIFEST.sha256` has the lines that `sha256sum --check` reads; `MANIFEST.sha256.sig` is its detached signature. Links
to folders, as application bundles of macOS have them, are listed with the digest of where they lead. `MODES` is one of
the files listed: it says what of the rest is a link and where that leads, what may be run, and which folders there are.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.signatures import PublicKey, Refusal, read_signature, refusal_of, signer_of

MANIFEST_NAME = "MANIFEST.sha256"
SIGNATURE_NAME = "MANIFEST.sha256.sig"
MODES_NAME = "MODES"
LARGEST_MANIFEST_BYTES = 5_000_000
CHUNK_BYTES = 1_000_000
_LINE = re.compile(r"([0-9a-f]{64})  ([^\x00-\x1f\\]+)")

Fault = Literal["missing", "changed", "added", "outside", "mode"]


@dataclass(frozen=True)
class FileFault:
    """One file that is not as the manifest says.

    `outside`: a link that leads out of the folder; `mode`: another kind, right to run, or owner's right than stated.
    """

    path: str
    fault: Fault


@dataclass(frozen=True)
class Verification:
    """What was found. `is_signed`: there is a signature, of whomever; `signer`: whose it is, None for nobody known."""

    files: int
    links: int
    faults: tuple[FileFault, ...]
    is_signed: bool
    signer: PublicKey | None
    refusal: Refusal = ""
    """Why the signer's key does not count for a program."""

    @property
    def is_good(self) -> bool:
        return not self.faults and self.signer is not None and not self.refusal


def manifest_of(folder: Path) -> bytes:
    """The manifest of a folder as it is, in order of path. Raises ValueError for a name that no line can hold."""
    lines = []
    for path in sorted(present_files(folder)):
        line = f"{digest_of(folder / path)}  {path}"
        if _LINE.fullmatch(line) is None:
            raise ValueError(f"{path!r} can't stand in a manifest")
        lines.append(line + "\n")
    return "".join(lines).encode("utf-8")


def verify_folder(folder: Path, keys: Iterable[PublicKey]) -> Verification:
    """Compare a folder with its manifest, and the manifest with its signature.

    Raises FileProblem where there is no manifest, or one that can't be read.
    """
    path = folder / MANIFEST_NAME
    content = read_bytes(path, LARGEST_MANIFEST_BYTES)
    stated = _stated(content, path)
    signature_path = folder / SIGNATURE_NAME
    is_signed = signature_path.is_file()
    signature = read_signature(read_bytes(signature_path, 1_000)) if is_signed else b""
    faults = tuple(_faults(folder, stated))
    signer = signer_of("manifest", content, signature, keys)
    refusal = refusal_of(signer, "manifest") if signer is not None else ""
    links = sum((folder / name).is_symlink() for name in stated)
    return Verification(len(stated) - links, links, faults, is_signed, signer, refusal)


def present_files(folder: Path) -> Iterator[str]:
    """Paths below the folder with `/`, links included, the manifest and its signature left out."""
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if (path.is_symlink() or not path.is_dir()) and name not in (MANIFEST_NAME, SIGNATURE_NAME):
            yield name


def digest_of(path: Path) -> str:
    """SHA-256 of a file, of a link to a folder that of its target as written, in hexadecimal digits."""
    if _is_folder_link(path):
        return hashlib.sha256(path.readlink().as_posix().encode("utf-8", "surrogateescape")).hexdigest()
    made = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            made.update(chunk)
    return made.hexdigest()


def _stated(content: bytes, path: Path) -> dict[str, str]:
    stated = {}
    for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
        found = _LINE.fullmatch(line)
        parts = PurePosixPath(found[2]) if found is not None else PurePosixPath("..")
        if found is None or parts.is_absolute() or ".." in parts.parts or ":" in found[2] or found[2] in stated:
            raise FileProblem(path, f"line {number}", "this is not a line of a manifest", "Get the build again")
        stated[found[2]] = found[1]
    if not stated:
        raise FileProblem(path, "", "the manifest is empty", "Get the build again")
    return stated


def _faults(folder: Path, stated: dict[str, str]) -> Iterator[FileFault]:
    root = folder.resolve()
    for name, digest in stated.items():
        path = folder / name
        if not path.is_file() and not _is_folder_link(path):
            yield FileFault(name, "missing")
        elif not path.resolve().is_relative_to(root):
            yield FileFault(name, "outside")
        elif _digest_or_nothing(path) != digest:
            yield FileFault(name, "changed")
    for name in sorted(set(present_files(folder)) - stated.keys()):
        yield FileFault(name, "added")
    if MODES_NAME in stated:
        yield from _mode_faults(folder, stated)


def modes_of(folder: Path) -> bytes:
    """What `MODES` says of a folder as it is, in order of path: a word and a path, of a link also where it leads."""
    (folder / MODES_NAME).touch()
    return "".join(f"{line}\n" for line in sorted(_modes(folder))).encode("utf-8")


def _modes(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if name not in (MANIFEST_NAME, SIGNATURE_NAME):
            yield _mode(path, name)


def _mode(path: Path, name: str) -> str:
    """The part of a file's mode that unpacking keeps: a link's target, the owner's right to run, foreign rights.

    Foreign are rights that no build has: that everybody may write, and that a program runs as somebody else.
    """
    if path.is_symlink():
        return f"link {name} -> {path.readlink().as_posix()}"
    mode, is_folder = path.stat().st_mode, path.is_dir()
    taken_over = stat.S_IWOTH if is_folder else stat.S_IWOTH | stat.S_ISUID | stat.S_ISGID
    if os.name == "posix" and mode & taken_over:
        return f"foreign {name}"
    if is_folder:
        return f"folder {name}"
    return f"program {name}" if os.name == "posix" and mode & stat.S_IXUSR else f"file {name}"


def _mode_faults(folder: Path, stated: Mapping[str, str]) -> Iterator[FileFault]:
    path = folder / MODES_NAME
    if not path.is_file():
        return  # Told as missing already.
    wanted = set(read_bytes(path, LARGEST_MANIFEST_BYTES).decode("utf-8", "replace").splitlines())
    present = set(_modes(folder))
    for line in sorted(present - wanted if os.name == "posix" else ()):
        name = line.partition(" ")[2].partition(" -> ")[0]
        if name in stated or line.startswith(("folder ", "foreign ")):
            yield FileFault(name, "added" if line.startswith("folder ") else "mode")
    for line in sorted(wanted - present):
        name = line.partition(" ")[2]
        if line.startswith("folder ") and not (folder / name).is_dir():
            yield FileFault(name, "missing")


def _is_folder_link(path: Path) -> bool:
    return path.is_symlink() and path.is_dir()


def _digest_or_nothing(path: Path) -> str:
    try:
        return digest_of(path)
    except OSError:
        return ""
