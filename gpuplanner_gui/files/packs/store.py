"""The packs that are in force, newest last: files in the user's own folder, added whole and taken away whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gpuplanner_gui import paths
from gpuplanner_gui.domain.pack import Pack
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.packs.pack_file import LARGEST_PACK_BYTES, SUFFIX, SignedPack, pack_from_bytes, pack_signer
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.signatures import PublicKey, revoked_keys
from gpuplanner_gui.files.whole_file import make_folder, write_whole_file

MOST_PACKS = 50
_NAME = re.compile(r"(\d{3})\.gpupack")


@dataclass(frozen=True)
class AppliedPack:
    """A pack in force. Its signature was checked when it was applied."""

    path: Path
    pack: Pack

    def signer(self) -> PublicKey | None:
        """Whose signature it has, by the keys that are known now. Raises FileProblem."""
        return pack_signer(read_bytes(self.path, LARGEST_PACK_BYTES))


def packs_dir() -> Path:
    return paths.user_data_dir() / "packs"


def applied_packs() -> tuple[AppliedPack, ...]:
    """The packs in force in the order in which they were applied. Raises FileProblem for a damaged one."""
    return _read(tuple((path, path.stat().st_mtime_ns) for path in _pack_paths()))


def packs_of_revoked_keys() -> tuple[Pack, ...]:
    """The packs in force that a key signed which counts no more since. Raises FileProblem."""
    revoked = revoked_keys()
    signed = ((applied.pack, applied.signer()) for applied in (applied_packs() if revoked else ()))
    return tuple(pack for pack, signer in signed if signer is not None and signer.fingerprint in revoked)


def apply_pack(signed: SignedPack) -> AppliedPack:
    """Put a pack over those in force. Raises FileProblem where it can't be kept."""
    present = _pack_paths()
    if len(present) >= MOST_PACKS:
        raise FileProblem(
            packs_dir(),
            "",
            said("{most_packs} packs are in force already", most_packs=MOST_PACKS),
            "Take the last ones back, or ask for one",
        )
    number = int(present[-1].stem) + 1 if present else 1
    path = packs_dir() / f"{number:03}{SUFFIX}"
    make_folder(path.parent)
    write_whole_file(path, signed.content)
    return AppliedPack(path, signed.pack)


def restore_before_last_pack() -> AppliedPack | None:
    """Take the newest pack away; what it had replaced is in force again. None where there was none.

    Raises FileProblem where it can't be removed.
    """
    present = _pack_paths()
    if not present:
        return None
    path = present[-1]
    try:
        pack = _read_one(path)
    except FileProblem:
        # A damaged pack must be removable too.
        pack = Pack(name=path.name, issued_on="1970")
    try:
        path.unlink()
    except OSError as problem:
        raise FileProblem(
            path,
            "",
            said("the pack can't be removed ({strerror})", strerror=problem.strerror),
            "Check the folder's permissions",
        ) from None
    return AppliedPack(path, pack)


def _pack_paths() -> list[Path]:
    folder = packs_dir()
    found = folder.glob(f"*{SUFFIX}") if folder.is_dir() else ()
    return sorted(path for path in found if _NAME.fullmatch(path.name) and path.is_file())


@lru_cache(maxsize=2)
def _read(present: tuple[tuple[Path, int], ...]) -> tuple[AppliedPack, ...]:
    return tuple(AppliedPack(path, _read_one(path)) for path, _ in present)


def _read_one(path: Path) -> Pack:
    payload = read_bytes(path, LARGEST_PACK_BYTES).partition(b"\n")[2]
    return pack_from_bytes(payload, path)
