"""`gpuplanner verify [FOLDER]`: is a build what its makers signed, file by file?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.manifest import MANIFEST_NAME, SIGNATURE_NAME, Verification, verify_folder
from gpuplanner_gui.files.signatures import PublicKey, known_keys, project_key, read_key
from gpuplanner_gui.files.text import plain_text
from gpuplanner_gui.paths import build_dir

MOST_SHOWN = 20
REFUSALS = {
    "purpose": "which is trusted for {purposes} and not for programs",
    "expired": "which counted until {until}",
    "revoked": "which was revoked",
}
FAULTS = {
    "missing": "is missing",
    "changed": "was changed",
    "added": "is none of the build's files",
    "outside": "leads out of the folder",
    "mode": "has other rights, or is another kind of file, than stated",
}


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("verify", help="check a build against its signed manifest", description=__doc__)
    command.add_argument(
        "folder", type=Path, nargs="?", help="a folder that holds a build; without it, the one that runs now"
    )
    command.add_argument(
        "--key", type=Path, metavar="KEY.pub", help="trust this public key alone, not those that this copy knows"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Status 0 for a folder that is whole and signed by a key that is trusted."""
    folder = arguments.folder or build_dir()
    if folder is None:
        raise FileProblem(
            "verify", "", "this copy runs from its source, which has no manifest", "Name a build's folder"
        )
    keys = (read_key(arguments.key),) if arguments.key else known_keys()
    found = verify_folder(folder, keys)
    print("\n".join(verification_lines(folder, found, keys)))
    return 0 if found.is_good else 1


def verification_lines(folder: Path, found: Verification, keys: tuple[PublicKey, ...]) -> list[str]:
    """What was found, the worst last."""
    lines = [f"{plain_text(one.path)} {FAULTS[one.fault]}." for one in found.faults[:MOST_SHOWN]]
    if len(found.faults) > MOST_SHOWN:
        lines.append(f"… and {len(found.faults) - MOST_SHOWN} more.")
    if found.faults:
        lines.append(f"{len(found.faults)} things are not as {MANIFEST_NAME} says.")
    else:
        links = f" and {found.links} links" if found.links else ""
        lines.append(f"All {found.files} files{links} are as {MANIFEST_NAME} says.")
    if found.signer is not None and not found.refusal:
        lines.append(f"The manifest is signed by {found.signer.name}, key {found.signer.fingerprint}.")
        project = project_key()
        if project is None or project.data != found.signer.data:
            lines.append("It is not signed by the project: whoever has this key built it.")
        return lines
    if found.signer is not None:
        why = REFUSALS[found.refusal].format(purposes=", ".join(found.signer.purposes), until=found.signer.until)
        lines.append(f"The key {found.signer.name} signed it, {why}.")
        lines.append("Do not trust this folder: get the build again, or the public key from somebody you know.")
        return lines
    if not found.is_signed:
        lines.append(f"Nobody signed it: there is no {SIGNATURE_NAME}.")
    else:
        names = ", ".join(f"{key.name} ({key.fingerprint})" for key in keys) or "none"
        lines.append(f"Its signature is from no key that is trusted here; these are: {names}.")
    lines.append("Do not trust this folder: get the build again, or the public key from somebody you know.")
    return lines
