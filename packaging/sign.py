"""Makes keys and signatures; the private key is a file outside the repository, readable by its owner alone.

    python packaging/sign.py key PRIVATE_KEY NAME --for prices [--until 2027-12-31]    make a key and NAME.pub
    python packaging/sign.py folder FOLDER --key KEY     write a folder's manifest and sign it
    python packaging/sign.py pack IN.json OUT.gpupack --key KEY

`SECURITY.md` says how keys are kept. Signatures are deterministic: the same content and key give the same
bytes.
"""

from __future__ import annotations

import argparse
import base64
import os
import stat
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY))

from nacl.signing import SigningKey  # noqa: E402

from gpuplanner_gui.files.errors import FileProblem  # noqa: E402
from gpuplanner_gui.files.manifest import MANIFEST_NAME, MODES_NAME, SIGNATURE_NAME, manifest_of, modes_of  # noqa: E402
from gpuplanner_gui.files.packs.pack_file import pack_bytes, pack_from_bytes  # noqa: E402
from gpuplanner_gui.files.signatures import (  # noqa: E402
    KEY_BYTES,
    KEY_NAME,
    PACK_PURPOSES,
    PURPOSES,
    PublicKey,
    Purpose,
    key_line,
    signature_line,
    signed_bytes,
)

PRIVATE_WORD = "gpuplanner-private-key"


class KeyProblem(Exception):
    """A private key that can't be used, with the reason as a sentence."""


def main() -> int:
    arguments = _parser().parse_args()
    try:
        if arguments.action == "key":
            public = make_key(arguments.private_key, arguments.name, tuple(arguments.purposes), arguments.until)
            print(f"Key {public.fingerprint}")
            print(f"Public part, to be given away: {arguments.private_key.parent / public.name}.pub")
        elif arguments.action == "folder":
            sign_folder(arguments.folder, arguments.key)
            print(f"{arguments.folder / MANIFEST_NAME} is written and signed.")
        else:
            sign_pack(arguments.content, arguments.output, arguments.key)
            print(f"{arguments.output} is written.")
    except (FileProblem, KeyProblem, OSError) as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def make_key(path: Path, name: str, purposes: tuple[Purpose, ...], until: str = "") -> PublicKey:
    """A new private key in a file that did not exist, and its public part, with what it is for, beside it."""
    if KEY_NAME.fullmatch(name) is None:
        raise KeyProblem("A key's name has letters, digits, dots, dashes.")
    if path.resolve().is_relative_to(REPOSITORY):
        raise KeyProblem("The private key belongs outside the repository.")
    key = SigningKey.generate()
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as stream:
        stream.write(f"{PRIVATE_WORD} {name} {base64.b64encode(bytes(key)).decode()} {','.join(purposes)} {until}\n")
    public = PublicKey(name, bytes(key.verify_key), purposes, until)
    path.with_name(f"{name}.pub").write_text(key_line(public), encoding="ascii")
    return public


def private_key(path: Path) -> tuple[SigningKey, PublicKey]:
    """The key in a file. Raises KeyProblem for one that others may read, or that is none."""
    if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise KeyProblem(f"{path}: others may read this key. Run chmod 600 on it, and think about who has read it.")
    words = path.read_text(encoding="ascii", errors="replace").split()
    try:
        seed = base64.b64decode(words[2], validate=True) if len(words) >= 3 and words[0] == PRIVATE_WORD else b""
    except ValueError:
        seed = b""
    if len(seed) != KEY_BYTES:
        raise KeyProblem(f"{path}: this is no private key.")
    key = SigningKey(seed)
    # A key of earlier versions says nothing: it signed whatever it was named for.
    stated = words[3].split(",") if len(words) > 3 else PURPOSES
    purposes = tuple(one for one in PURPOSES if one in stated)
    return key, PublicKey(words[1], bytes(key.verify_key), purposes, words[4] if len(words) > 4 else "")


def key_for(path: Path, wanted: tuple[Purpose, ...]) -> tuple[SigningKey, PublicKey]:
    """The key in a file, if it is for one of these purposes. Raises KeyProblem."""
    key, public = private_key(path)
    if not set(wanted) & set(public.purposes):
        raise KeyProblem(f"{path}: this key is for {', '.join(public.purposes)}, not for {' or '.join(wanted)}.")
    return key, public


def sign_folder(folder: Path, key_path: Path) -> PublicKey:
    """Write the manifest of a folder and its detached signature."""
    key, public = key_for(key_path, ("program",))
    (folder / MODES_NAME).write_bytes(modes_of(folder))
    manifest = manifest_of(folder)
    (folder / MANIFEST_NAME).write_bytes(manifest)
    signature = key.sign(signed_bytes("manifest", manifest)).signature
    (folder / SIGNATURE_NAME).write_text(signature_line(signature), encoding="ascii")
    return public


def sign_pack(content: Path, output: Path, key_path: Path) -> PublicKey:
    """Check the JSON of a pack and write it signed."""
    key, public = key_for(key_path, PACK_PURPOSES)
    pack = pack_from_bytes(content.read_bytes(), content)
    output.write_bytes(pack_bytes(pack, lambda message: key.sign(message).signature))
    return public


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    key = actions.add_parser("key")
    key.add_argument("private_key", type=Path)
    key.add_argument("name")
    key.add_argument("--for", dest="purposes", action="append", choices=PURPOSES, required=True, help="may be repeated")
    key.add_argument("--until", default="", metavar="DATE", help="the last day on which it counts, as 2027-12-31")
    folder = actions.add_parser("folder")
    folder.add_argument("folder", type=Path)
    folder.add_argument("--key", type=Path, required=True)
    pack = actions.add_parser("pack")
    pack.add_argument("content", type=Path)
    pack.add_argument("output", type=Path)
    pack.add_argument("--key", type=Path, required=True)
    return parser


if __name__ == "__main__":
    sys.exit(main())
