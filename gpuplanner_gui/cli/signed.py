"""What carries a signature: catalogue packs, and the build itself."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.cli.terminal import JSON, Command, aligned, command, json_text, option
from gpuplanner_gui.domain.catalog import Pack, PackChange
from gpuplanner_gui.drawing.words.pack import (
    HEADINGS,
    change_rows,
    changes_that_hold,
    in_force_text,
    note_text,
    pack_lines,
    pack_title,
    revoked_text,
    rows_that_hold,
)
from gpuplanner_gui.files.catalogs import load_catalog_of_packs
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.manifest import MANIFEST_NAME, SIGNATURE_NAME, Verification, verify_folder
from gpuplanner_gui.files.packs.pack_file import (
    SignedPack,
    applied_packs,
    packs_of_revoked_keys,
    restore_before_last_pack,
)
from gpuplanner_gui.files.packs.powers import looked_at, put_in_force
from gpuplanner_gui.files.signatures import PublicKey, is_expired, known_keys, project_key, read_key, revoked_keys
from gpuplanner_gui.files.text import plain_text
from gpuplanner_gui.paths import build_dir

PACK_FILE = option("file", type=Path, help="a .gpupack file")
SHOWN = (
    option("--filter", default="", metavar="TEXT", help="list only changes that contain this text"),
    JSON,
)


@command("show", "say who signed a pack and what it would change", PACK_FILE, *SHOWN)
def show(arguments: argparse.Namespace) -> int:
    """Print the pack and its changes; nothing is applied."""
    _show(arguments)
    return 0


@command(
    "apply", "show a pack, then use it",
    PACK_FILE, option("--yes", action="store_true", help="do not ask for confirmation"), *SHOWN,
)  # fmt: skip
def apply(arguments: argparse.Namespace) -> int:
    """Print the changes, ask, apply. Status 1 where the answer is no."""
    signed = _show(arguments)
    if not arguments.yes and not _agreed():
        print("Nothing was changed.")
        return 1
    put_in_force(signed, arguments.file)
    # What is said beside JSON is no part of it.
    with redirect_stdout(sys.stderr if arguments.json else sys.stdout):
        print("The pack is in use. `gpuplanner pack restore` removes it.")
        return _tell_in_force()


@command("restore", "remove the newest pack and restore what it replaced")
def restore(arguments: argparse.Namespace) -> int:
    """Take the newest pack away."""
    removed = restore_before_last_pack()
    if removed is None:
        print("No pack is in use.", file=sys.stderr)
        return 1
    print(f"Removed: {pack_title(removed.pack)}.")
    return _tell_in_force()


@command("list", "list the packs in use", JSON)
def list_packs(arguments: argparse.Namespace) -> int:
    """Name what is in force, newest last, and who signed it."""
    if not arguments.json:
        return _tell_in_force()
    applied = [(one.pack, one.signer()) for one in applied_packs()]
    # No signer: a key that is no longer trusted.
    print(json_text([
        {**_about_json(pack), "signer": None if signer is None else _key_state_json(signer)} for pack, signer in applied
    ]))  # fmt: skip
    return 0


def _tell_in_force() -> int:
    texts = [in_force_text(applied.pack, applied.signer()) for applied in applied_packs()]
    print(
        "\n".join(
            ["In use over the shipped catalogue:", *texts] if texts else [("Only the shipped catalogue is in use.")]
        )
    )
    revoked = revoked_text(packs_of_revoked_keys())
    if revoked:
        print(revoked)
    return 0


def _show(arguments: argparse.Namespace) -> SignedPack:
    path: Path = arguments.file
    signed, changes = looked_at(path, load_catalog_of_packs())
    pack, in_force = signed.pack, [applied.pack for applied in applied_packs()]
    if arguments.json:
        newer = [one for one in in_force if one.issued_on > pack.issued_on]
        chosen = changes_that_hold(changes, arguments.filter) if arguments.filter else changes
        print(json_text(_pack_json(signed, chosen, newer)))
        return signed
    lines = [pack_title(pack), *pack_lines(pack, signed.signer, changes, in_force), note_text(pack)]
    print("\n".join(filter(None, lines)))
    every = change_rows(changes)
    rows = rows_that_hold(every, arguments.filter)
    if rows:
        print(aligned(HEADINGS, rows))
    if arguments.filter:
        print(f"{len(rows)} of {len(every)} rows hold {plain_text(arguments.filter)!r}.")
    return signed


def _pack_json(signed: SignedPack, changes: Sequence[PackChange], newer: Sequence[Pack]) -> dict[str, Any]:
    """Who signed what, and every change with both values."""
    return {
        **_about_json(signed.pack),
        "signer": key_json(signed.signer),
        "revoked_keys": [one.fingerprint for one in signed.pack.revoked_keys],
        "new_keys": list(signed.pack.new_keys),
        "is_older_than": [one.name for one in newer],
        "changes": msgspec.to_builtins(changes),
    }


def _about_json(pack: Pack) -> dict[str, Any]:
    return {"name": pack.name, "issued_on": pack.issued_on, "issuer": pack.issuer}


def _key_state_json(key: PublicKey) -> dict[str, Any]:
    """A key of this site, and whether it counts still."""
    return {**key_json(key), "is_expired": is_expired(key), "revoked": revoked_keys().get(key.fingerprint)}


def key_json(key: PublicKey) -> dict[str, Any]:
    """A public key for programs."""
    return {
        "name": key.name, "fingerprint": key.fingerprint, "purposes": list(key.purposes), "until": key.until or None
    }  # fmt: skip


@command("keys", "list the trusted keys, their purposes and expiry dates", JSON)
def keys_of_packs(arguments: argparse.Namespace) -> int:
    """Say which keys are trusted, for what and until when, and which are not any more."""
    revoked, known = revoked_keys(), known_keys()
    if arguments.json:
        every = [{"fingerprint": one, "why": why} for one, why in revoked.items()]
        print(json_text({"keys": [_key_state_json(key) for key in known], "revoked": every}))
        return 0
    rows = [
        [key.name, key.fingerprint, ", ".join(key.purposes), key.until,
         "revoked" if key.fingerprint in revoked else "expired" if is_expired(key) else ""]
        for key in known
    ]  # fmt: skip
    print(aligned(("Key", "Fingerprint", "For", "Until", ""), rows) if rows else "No key is trusted.")
    for fingerprint, why in revoked.items():
        print(f"Revoked: {fingerprint} {why}")
    return 0


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise FileProblem("pack", "", "there is no terminal to confirm on", "Add --yes after looking at `pack show`")
    return input("Use it? [y/N] ").strip().lower() in ("y", "yes")


pack = Command(
    "pack", "show, apply or remove catalogue packs", None,
    actions=(show, apply, restore, keys_of_packs, list_packs),
    about="`gpuplanner pack show|apply FILE`, `gpuplanner pack restore`: new catalogue figures as one signed file.",
)  # fmt: skip

MOST_SHOWN = 20
REFUSALS = {
    "purpose": "which is trusted for {purposes} and not for programs",
    "expired": "which expired on {until}",
    "revoked": "which was revoked",
}
FAULTS = {
    "missing": "is missing",
    "changed": "was changed",
    "added": "is not part of the build",
    "outside": "points outside the folder",
    "mode": "has other permissions or another file type than stated",
}


@command(
    "verify", "check a build against its signed manifest",
    option("folder", type=Path, nargs="?", help="folder of a build (default: the running one)"),
    option("--key", type=Path, metavar="KEY.pub", help="trust only this public key, not the built-in ones"),
)  # fmt: skip
def verify(arguments: argparse.Namespace) -> int:
    """`gpuplanner verify [FOLDER]`: is a build what its makers signed, file by file?"""
    folder = arguments.folder or build_dir()
    if folder is None:
        raise FileProblem(
            "verify", "", "this copy runs from its source, which has no manifest", "Name a build's folder"
        )
    keys = (read_key(arguments.key),) if arguments.key else known_keys()
    found = verify_folder(folder, keys)
    print("\n".join(verification_lines(found, keys)))
    return 0 if found.is_good else 1


def verification_lines(found: Verification, keys: tuple[PublicKey, ...]) -> list[str]:
    """What was found, the worst last."""
    lines = [f"{plain_text(one.path)} {FAULTS[one.fault]}." for one in found.faults[:MOST_SHOWN]]
    if len(found.faults) > MOST_SHOWN:
        lines.append(f"… and {len(found.faults) - MOST_SHOWN} more.")
    if found.faults:
        several = f"{len(found.faults)} things are" if len(found.faults) > 1 else "One thing is"
        lines.append(f"{several} not as {MANIFEST_NAME} says.")
    else:
        links = f" and {found.links} link{'s' * (found.links > 1)}" if found.links else ""
        lines.append(f"All {found.files} files{links} are as {MANIFEST_NAME} says.")
    if found.signer is not None and not found.refusal:
        lines.append(f"The manifest is signed by {found.signer.name}, key {found.signer.fingerprint}.")
        project = project_key()
        if project is None or project.data != found.signer.data:
            lines.append("It is not signed by the project, but by the holder of this key.")
        return lines
    if found.signer is not None:
        why = REFUSALS[found.refusal].format(purposes=", ".join(found.signer.purposes), until=found.signer.until)
        lines.append(f"The key {found.signer.name} signed it, {why}.")
    elif found.is_signed:
        names = ", ".join(f"{key.name} ({key.fingerprint})" for key in keys) or "none"
        lines.append(f"Its signature is from no key that is trusted here; these are: {names}.")
    else:
        lines.append(f"Nobody signed it: there is no {SIGNATURE_NAME}.")
    lines.append("Do not trust this folder: download the build again, or get the public key from someone you trust.")
    return lines
