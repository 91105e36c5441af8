"""Packs as signed files, and what they leave in the user's folders: read, checked, applied and taken back.

No archive, so that nothing unfolds; the signature is checked before the content is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from gpuplanner_gui import paths
from gpuplanner_gui.domain.catalog import PACK_FORMAT, PACK_VERSION, Pack
from gpuplanner_gui.files.bounded import checked_struct, refuse_bulk_and_hidden_text
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.safe_json import read_bytes, read_json
from gpuplanner_gui.files.signatures import (
    PublicKey,
    Refusal,
    known_keys,
    read_signature,
    refusal_of,
    revoked_keys,
    signature_line,
    signed_bytes,
    signer_of,
)
from gpuplanner_gui.files.whole_file import make_folder, write_whole_file

SUFFIX = ".gpupack"
LARGEST_PACK_BYTES = 20_000_000
LONGEST_NAME = 200
CALIBRATION_FILES = (
    "calibration_kernels.json",
    "serving_engines.json",
    "serving_devices.json",
    "training_calibration.json",
    "measured_gains.json",
    "inference_stacks.json",
    "error_hierarchy.json",
)
"""What of the calibration a pack may bring."""


REFUSALS: dict[Refusal, str] = {
    "purpose": "the key {key} signed it, which is trusted only for programs",
    "expired": "the key {key} signed it, which expired on {until}",
    "revoked": "the key {key} signed it, which was revoked",
}


@dataclass(frozen=True)
class SignedPack:
    """A pack whose signature was found good, and its bytes as they are kept."""

    pack: Pack
    signer: PublicKey
    content: bytes


def read_pack(path: Path, keys: Iterable[PublicKey] | None = None) -> SignedPack:
    """The pack in a file, signed by one of the keys (None: those that are known here).

    Raises FileProblem for a file that can't be read, a signature of nobody known, or content that is no pack.
    """
    content = read_bytes(path, LARGEST_PACK_BYTES)
    payload = content.partition(b"\n")[2]
    if not _signature_in(content):
        raise FileProblem(
            path,
            "line 1",
            "this is not a signed catalogue pack",
            "Choose a {suffix} file from a source that you trust",
            suffix=SUFFIX,
        )
    signer = pack_signer(content, keys)
    if signer is None:
        raise FileProblem(
            path,
            "line 1",
            "no known key made this signature: the file is damaged, changed, or from somebody else",
            "Ask the sender for the file again, or for the public key if you trust them",
        )
    refusal = refusal_of(signer, "pack")
    if refusal:
        what = said(REFUSALS[refusal], key=signer.name, until=signer.until)
        raise FileProblem(path, "line 1", what, "Ask the sender for one that another key has signed")
    return SignedPack(pack_from_bytes(payload, path), signer, content)


def pack_signer(content: bytes, keys: Iterable[PublicKey] | None = None) -> PublicKey | None:
    """Which of the keys (None: those known here) signed a pack's file; `refusal_of` says whether it counts."""
    payload = content.partition(b"\n")[2]
    return signer_of("pack", payload, _signature_in(content), known_keys() if keys is None else keys)


def _signature_in(content: bytes) -> bytes:
    return read_signature(content.partition(b"\n")[0][:200])


def pack_from_bytes(payload: bytes, path: Path) -> Pack:
    """The pack in the bytes behind the signature; `path` is what errors call it. Raises FileProblem."""
    data = read_json(payload, name=path, limit_bytes=LARGEST_PACK_BYTES)
    if not isinstance(data, dict) or data.get("format") != PACK_FORMAT:
        raise FileProblem(path, "", "this is not a catalogue pack", "Choose a {suffix} file", suffix=SUFFIX)
    version = data.get("version", PACK_VERSION)
    if not isinstance(version, int) or isinstance(version, bool) or version > PACK_VERSION:
        raise FileProblem(path, "$.version", "the pack is of a newer format", "Open it with a newer GPU Planner")
    refuse_bulk_and_hidden_text(data, path)
    remedy = "Ask the sender for the pack again"
    pack: Pack = checked_struct(data, Pack, path, remedy, remedy)
    if not 0 < len(pack.name.strip()) <= LONGEST_NAME:
        raise FileProblem(path, "$.name", "the pack has no name, or one that is too long", remedy)
    for name in pack.calibration:
        if name not in CALIBRATION_FILES:
            known = ", ".join(CALIBRATION_FILES)
            raise FileProblem(
                path,
                "$.calibration",
                "{name} is not a calibration; a pack may contain {known}",
                "Remove it",
                name=repr(name),
                known=known,
            )
    return pack


def pack_bytes(pack: Pack, sign: Callable[[bytes], bytes]) -> bytes:
    """A pack as its file; `sign` makes the signature of what it is given.

    What the pack does not use is left out, so that versions read it that do not know of it.
    """
    stated = {"format": pack.format, "version": pack.version} | msgspec.to_builtins(pack)
    payload = msgspec.json.format(msgspec.json.encode(stated), indent=1) + b"\n"
    return signature_line(sign(signed_bytes("pack", payload))).encode() + payload


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
            "{most_packs} packs are already in use",
            "Remove the last ones, or ask for a single pack",
            most_packs=MOST_PACKS,
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
            "the pack can't be removed ({strerror})",
            "Check the folder's permissions",
            strerror=problem.strerror,
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
