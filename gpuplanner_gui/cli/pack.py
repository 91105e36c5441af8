"""`gpuplanner pack show|apply FILE`, `gpuplanner pack restore`: new catalogue figures as one signed file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.drawing.words.pack import HEADINGS, change_rows, changes_summary, left_out_text, pack_title
from gpuplanner_gui.files.catalogs import load_catalog_of_packs
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.packs.changes import pack_changes
from gpuplanner_gui.files.packs.pack_file import SignedPack, read_pack
from gpuplanner_gui.files.packs.store import applied_packs, apply_pack, restore_before_last_pack

MOST_SHOWN = 60


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("pack", help="look at, apply or take back catalogue packs", description=__doc__)
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    show = actions.add_parser("show", help="say who signed a pack and what it would change")
    show.add_argument("file", type=Path, help="a .gpupack file")
    show.set_defaults(run=run_show)
    apply = actions.add_parser("apply", help="show a pack, then put it in force")
    apply.add_argument("file", type=Path, help="a .gpupack file")
    apply.add_argument("--yes", action="store_true", help="do not ask")
    apply.set_defaults(run=run_apply)
    restore = actions.add_parser("restore", help="take the newest pack back; what it replaced is in force again")
    restore.set_defaults(run=run_restore)
    listed = actions.add_parser("list", help="name the packs in force")
    listed.set_defaults(run=run_list)


def run_show(arguments: argparse.Namespace) -> int:
    """Print the pack and its changes; nothing is applied."""
    _show(arguments.file)
    return 0


def run_apply(arguments: argparse.Namespace) -> int:
    """Print the changes, ask, apply. Status 1 where the answer is no."""
    signed = _show(arguments.file)
    if not arguments.yes and not _agreed():
        print("Nothing was changed.")
        return 1
    apply_pack(signed)
    print("The pack is in force. `gpuplanner pack restore` takes it back.")
    return 0


def run_restore(arguments: argparse.Namespace) -> int:
    """Take the newest pack away."""
    removed = restore_before_last_pack()
    if removed is None:
        print("No pack is in force.", file=sys.stderr)
        return 1
    print(f"Taken back: {pack_title(removed.pack)}.")
    return run_list(arguments)


def run_list(arguments: argparse.Namespace) -> int:
    """Name what is in force, newest last."""
    titles = [pack_title(applied.pack) for applied in applied_packs()]
    print(
        "In force over the shipped catalogue: " + "; ".join(titles) if titles else "The shipped catalogue is in force."
    )
    return 0


def _show(path: Path) -> SignedPack:
    signed = read_pack(path)
    pack = signed.pack
    changes = pack_changes(pack, path, load_catalog_of_packs())
    print(pack_title(pack))
    print(f"Signed by {signed.signer.name}, key {signed.signer.fingerprint}.")
    newer = [applied.pack for applied in applied_packs() if applied.pack.issued_on > pack.issued_on]
    if newer:
        print(f"It is older than one that is in force: {pack_title(newer[-1])}.")
    if pack.notes:
        print(pack.notes)
    print(changes_summary(changes))
    if left_out_text(changes):
        print(left_out_text(changes))
    rows = change_rows(changes)
    if rows:
        print(aligned(HEADINGS, [list(row) for row in rows[:MOST_SHOWN]]))
    if len(rows) > MOST_SHOWN:
        print(f"… and {len(rows) - MOST_SHOWN} more rows.")
    return signed


def _agreed() -> bool:
    if not sys.stdin.isatty():
        raise FileProblem("pack", "", "nobody is there to be asked", "Add --yes after looking at `pack show`")
    return input("Put it in force? [y/N] ").strip().lower() in ("y", "yes")
