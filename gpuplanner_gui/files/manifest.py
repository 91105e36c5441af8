"""What a build consists of, file by file, and whether a folder still is that build.

`MANIFEST.sha256` has the lines that `sha256sum --check` reads; `MANIFEST.sha256.sig` is its detached signature. Links
to folders, as application bundles of macOS have them, are listed with the digest of where they lead.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.signatures import PublicKey, Refusal, read_signature, refusal_of, signer_of

MANIFEST_NAME = "MANIFEST.sha256"
SIGNATURE_NAME = "MANIFEST.sha256.sig"
LARGEST_MANIFEST_BYTES = 5_000_000
CHUNK_BYTES = 1_000_000
_LINE = re.compile(r"([0-9a-f]{64})  ([^\x00-\x1f\\]+)")

Fault = Literal["missing", "changed", "added", "outside"]


@dataclass(frozen=True)
class FileFault:
    """One file that is not as the manifest says; `outside`: a link that leads out of the folder."""

    path: str
    fault: Fault


@dataclass(frozen=True)
class Verification:
    """What was found. `is_signed`: there is a signature, of whomever; `signer`: whose it is, None for nobody known."""

    files: int
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
    return Verification(len(stated), faults, is_signed, signer, refusal)


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
            raise FileProblem(path, f"line {number}", "this is no line of a manifest", "Get the build again")
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


def _is_folder_link(path: Path) -> bool:
    return path.is_symlink() and path.is_dir()


def _digest_or_nothing(path: Path) -> str:
    try:
        return digest_of(path)
    except OSError:
        return ""
