"""What the key that signed a pack allows it to change, and what the pack does to keys."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field_change import FieldChange
from gpuplanner_gui.domain.pack import Pack, PackChange
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.packs.changes import pack_changes
from gpuplanner_gui.files.packs.pack_file import SignedPack, read_pack
from gpuplanner_gui.files.packs.store import apply_pack
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.signatures import PublicKey, Purpose, key_of, revoke_keys, trust_key

_PRICES = ("price", "rental", "capex")
"""Fields of an entry that hold what it costs; of an offer, all do."""


def purpose_of(change: PackChange, field: FieldChange) -> Purpose:
    """What a key must be trusted for to make this change."""
    if change.kind == "calibration":
        return "calibration"
    return "prices" if change.kind == "offers" or field.path.split(".")[0] in _PRICES else "catalogue"


def refuse_beyond_key(signed: SignedPack, changes: Sequence[PackChange], path: Path) -> None:
    """Raise FileProblem for a pack that changes what its key is not trusted for."""
    allowed = signed.signer.purposes
    for change in changes:
        for field in change.fields:
            needed = purpose_of(change, field)
            if needed not in allowed:
                raise _beyond(signed, path, f"$.{change.kind}", needed)
    if "keys" not in allowed and signed.pack.new_keys:
        raise _beyond(signed, path, "$.new_keys", "keys")
    if "keys" not in allowed and any(one.fingerprint != signed.signer.fingerprint for one in signed.pack.revoked_keys):
        raise _beyond(signed, path, "$.revoked_keys", "keys")
    for key in new_keys(signed.pack, path):
        if "program" in key.purposes and "program" not in allowed:
            raise _beyond(signed, path, "$.new_keys", "program")


def new_keys(pack: Pack, path: Path) -> tuple[PublicKey, ...]:
    """The keys that a pack brings. Raises FileProblem."""
    return tuple(key_of(line, path) for line in pack.new_keys)


def looked_at(path: Path, catalog: Catalog) -> tuple[SignedPack, tuple[PackChange, ...]]:
    """A pack with what it would change. Raises FileProblem for one that must not be put in force."""
    signed = read_pack(path)
    changes = pack_changes(signed.pack, path, catalog)
    refuse_beyond_key(signed, changes, path)
    return signed, changes


def put_in_force(signed: SignedPack, path: Path) -> None:
    """Apply a pack that was looked at, to figures and keys; keys stay as they are when it is taken back.

    Raises FileProblem.
    """
    apply_pack(signed)
    for key in new_keys(signed.pack, path):
        trust_key(key)
    if signed.pack.revoked_keys:
        revoke_keys({one.fingerprint: f"{one.revoked_on} {one.reason}" for one in signed.pack.revoked_keys})


def _beyond(signed: SignedPack, path: Path, place: str, needed: Purpose) -> FileProblem:
    what = said(
        "the key {key} signed it, which is trusted for {allowed}, and the pack asks for {needed}",
        key=signed.signer.name, allowed=", ".join(signed.signer.purposes), needed=needed,
    )  # fmt: skip
    return FileProblem(path, place, what, "Ask for a pack that the right key has signed")
