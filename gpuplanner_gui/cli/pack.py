"""`gpuplanner pack show|apply FILE`, `gpuplanner pack restore`: new catalogue figures as one signed file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.pack import Pack, PackChange
from gpuplanner_gui.drawing.words.pack import (
    HEADINGS,
    change_rows,
    in_force_text,
    pack_lines,
    pack_title,
    revoked_text,
    rows_that_hold,
)
from gpuplanner_gui.files.catalogs import load_catalog_of_packs
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.packs.pack_file import (
    SignedPack,
    applied_packs,
    packs_of_revoked_keys,
    restore_before_last_pack,
)
from gpuplanner_gui.files.packs.powers import looked_at, put_in_force
from gpuplanner_gui.files.signatures import PublicKey, known_keys, revoked_keys
from gpuplanner_gui.files.text import plain_text


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("pack", help="look at, apply or take back catalogue packs", description=__doc__)
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="say who signed a pack and what it would change")
    show.add_argument("file", type=Path, help="a .gpupack file")
    show.set_defaults(run=run_show)
    _add_options(show)
    apply = actions.add_parser("apply", help="show a pack, then put it in force")
    apply.add_argument("file", type=Path, help="a .gpupack file")
    apply.add_argument("--yes", action="store_true", help="do not ask")
    apply.set_defaults(run=run_apply)
    _add_options(apply)
    restore = actions.add_parser("restore", help="take the newest pack back; what it replaced is in force again")
    restore.set_defaults(run=run_restore)
    keys = actions.add_parser("keys", help="name the keys that are trusted, for what and until when")
    keys.set_defaults(run=run_keys)
    listed = actions.add_parser("list", help="name the packs in force")
    listed.set_defaults(run=run_list)


def _add_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--filter", default="", metavar="TEXT", help="list the changes that hold this text alone")
    command.add_argument("--json", action="store_true", help="print JSON, in SI base units")


def run_show(arguments: argparse.Namespace) -> int:
    """Print the pack and its changes; nothing is applied."""
    _show(arguments)
    return 0


def run_apply(arguments: argparse.Namespace) -> int:
    """Print the changes, ask, apply. Status 1 where the answer is no."""
    signed = _show(arguments)
    if not arguments.yes and not _agreed():
        print("Nothing was changed.")
        return 1
    put_in_force(signed, arguments.file)
    print("The pack is in force. `gpuplanner pack restore` takes it back.")
    return run_list(arguments)


def run_restore(arguments: argparse.Namespace) -> int:
    """Take the newest pack away."""
    removed = restore_before_last_pack()
    if removed is None:
        print("No pack is in force.", file=sys.stderr)
        return 1
    print(f"Taken back: {pack_title(removed.pack)}.")
    return run_list(arguments)


def run_list(arguments: argparse.Namespace) -> int:
    """Name what is in force, newest last, and who signed it."""
    texts = [in_force_text(applied.pack, applied.signer()) for applied in applied_packs()]
    print(
        "\n".join(["In force over the shipped catalogue:", *texts] if texts else ["The shipped catalogue is in force."])
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
        print(json_text(as_json(signed, changes, newer)))
        return signed
    notes = [pack.notes] if pack.notes else []
    print("\n".join([pack_title(pack), *pack_lines(pack, signed.signer, changes, in_force), *notes]))
    every = change_rows(changes)
    rows = rows_that_hold(every, arguments.filter)
    if rows:
        print(aligned(HEADINGS, rows))
    if arguments.filter:
        print(f"{len(rows)} of {len(every)} rows hold {plain_text(arguments.filter)!r}.")
    return signed


def as_json(signed: SignedPack, changes: Sequence[PackChange], newer: Sequence[Pack]) -> dict[str, Any]:
    """Who signed what, and every change with both values."""
    return {
        "name": signed.pack.name,
        "issued_on": signed.pack.issued_on,
        "issuer": signed.pack.issuer,
        "signer": key_json(signed.signer),
        "revoked_keys": [one.fingerprint for one in signed.pack.revoked_keys],
        "new_keys": list(signed.pack.new_keys),
        "is_older_than": [one.name for one in newer],
        "changes": msgspec.to_builtins(changes),
    }


def key_json(key: PublicKey) -> dict[str, Any]:
    """A public key for programs."""
    return {
        "name": key.name, "fingerprint": key.fingerprint, "purposes": list(key.purposes), "until": key.until or None
    }  # fmt: skip


def run_keys(arguments: argparse.Namespace) -> int:
    """Say which keys are trusted, for what and until when, and which are not any more."""
    revoked = revoked_keys()
    rows = [
        [key.name, key.fingerprint, ", ".join(key.purposes), key.until, "revoked" if key.fingerprint in revoked else ""]
        for key in known_keys()
    ]
    print(aligned(("Key", "Fingerprint", "For", "Until", ""), rows) if rows else "No key is trusted.")
    for fingerprint, why in revoked.items():
        print(f"Revoked: {fingerprint} {why}")
    return 0


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise FileProblem("pack", "", "nobody is there to be asked", "Add --yes after looking at `pack show`")
    return input("Put it in force? [y/N] ").strip().lower() in ("y", "yes")
