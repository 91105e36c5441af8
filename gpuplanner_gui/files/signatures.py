"""Ed25519 signatures: who made a manifest or a pack, by the public keys that this copy and its user know.

A public key is a file with the line `gpuplanner-key NAME BASE64 purposes=prices,catalogue until=2027-12-31`, a
signature the line `gpuplanner-signature BASE64`. What is signed says what it is, so that a signed manifest can never
pass for a signed pack; what a key is for is said where it is trusted, so that a key for prices signs no program.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from gpuplanner_gui import paths
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.text import plain_text
from gpuplanner_gui.files.whole_file import make_folder, write_whole_file

Signed = Literal["manifest", "pack"]
Purpose = Literal["prices", "catalogue", "calibration", "program", "keys"]
"""What a key may sign: figures of a pack, a build, or the revocation and succession of other keys."""
PURPOSES: tuple[Purpose, ...] = get_args(Purpose)
PACK_PURPOSES: tuple[Purpose, ...] = ("prices", "catalogue", "calibration", "keys")
UNSTATED: tuple[Purpose, ...] = ("prices", "catalogue", "calibration")
"""Purposes of a key that states none, as in earlier versions: packs alone."""
Refusal = Literal["", "purpose", "expired", "revoked"]
PROJECT_KEY = "project.pub"
"""Name of the project's own key among those that came with this copy."""
REVOKED_FILE = "revoked"

KEY_WORD = "gpuplanner-key"
SIGNATURE_WORD = "gpuplanner-signature"
KEY_SUFFIX = ".pub"
KEY_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
"""Pattern of a key's name, which becomes the name of a file."""
KEY_BYTES = 32
SIGNATURE_BYTES = 64
LARGEST_KEY_FILE_BYTES = 1_000
MOST_KEYS = 50
FINGERPRINT_LETTERS = 39
LARGEST_REVOKED_BYTES = 1_000_000


@dataclass(frozen=True)
class PublicKey:
    """Whom a signature belongs to."""

    name: str
    data: bytes
    purposes: tuple[Purpose, ...] = UNSTATED
    until: str = ""
    """The last day on which it counts; empty: no end."""

    @property
    def fingerprint(self) -> str:
        """What two people compare aloud: eight groups of four hexadecimal digits."""
        digits = hashlib.sha256(self.data).hexdigest()[:32]
        return " ".join(digits[place : place + 4] for place in range(0, 32, 4))


def known_keys() -> tuple[PublicKey, ...]:
    """The keys that came with this copy and those that its user has put beside the settings. Raises FileProblem."""
    return keys_in(shipped_keys_dir()) + keys_in(user_keys_dir())


def shipped_keys_dir() -> Path:
    return paths.resources_dir() / "keys"


def user_keys_dir() -> Path:
    return paths.user_config_dir() / "keys"


def keys_in(folder: Path) -> tuple[PublicKey, ...]:
    """Every key of a folder; none where there is no folder. Raises FileProblem for a damaged one."""
    found = sorted(folder.glob(f"*{KEY_SUFFIX}"))[:MOST_KEYS] if folder.is_dir() else []
    return tuple(read_key(path) for path in found)


def read_key(path: Path) -> PublicKey:
    """The public key in a file. Raises FileProblem."""
    return key_of(read_bytes(path, LARGEST_KEY_FILE_BYTES).decode("ascii", "replace"), path)


def key_of(line: str, path: Path) -> PublicKey:
    """The public key in a line; `path` is what errors call it. Raises FileProblem."""
    words = line.split()
    data = _decoded(words[2]) if len(words) >= 3 and words[0] == KEY_WORD else b""
    if len(data) != KEY_BYTES or KEY_NAME.fullmatch(words[1]) is None:
        raise FileProblem(
            path, "", "this is not a public key", "Choose a file that begins with {key_word}", key_word=KEY_WORD
        )
    stated = {name: value for name, _, value in (word.partition("=") for word in words[3:])}
    purposes = tuple(one for one in PURPOSES if one in stated.get("purposes", ",".join(UNSTATED)).split(","))
    until = stated.get("until", "")
    if stated.keys() - {"purposes", "until"} or not purposes or not _is_day(until or "2026-01-01"):
        raise FileProblem(
            path,
            "",
            "the purposes or expiry date of this key can't be read",
            "Write purposes={purposes} until=2027-12-31 after it",
            purposes=",".join(PURPOSES),
        )
    return PublicKey(words[1], data, purposes, until)


def key_line(key: PublicKey) -> str:
    """The line of a public key, with what it is for."""
    until = f" until={key.until}" if key.until else ""
    return f"{KEY_WORD} {key.name} {base64.b64encode(key.data).decode()} purposes={','.join(key.purposes)}{until}\n"


def _is_day(text: str) -> bool:
    try:
        return datetime.date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def refusal_of(key: PublicKey, kind: Signed, today: datetime.date | None = None) -> Refusal:
    """Why a key's signature does not count here, though it is good; empty where it does. Raises FileProblem."""
    if key.fingerprint in revoked_keys():
        return "revoked"
    if is_expired(key, today):
        return "expired"
    needed = ("program",) if kind == "manifest" else PACK_PURPOSES
    return "" if any(one in key.purposes for one in needed) else "purpose"


def is_expired(key: PublicKey, today: datetime.date | None = None) -> bool:
    """Whether a key's last day is over."""
    return bool(key.until) and (today or datetime.date.today()).isoformat() > key.until


def revoked_keys() -> dict[str, str]:
    """Fingerprints of keys that count no more, each with when and why. Raises FileProblem."""
    path = user_keys_dir() / REVOKED_FILE
    if not path.exists():
        return {}
    lines = read_bytes(path, LARGEST_REVOKED_BYTES).decode("utf-8", "replace").splitlines()
    return {line[:FINGERPRINT_LETTERS]: plain_text(line[FINGERPRINT_LETTERS:]) for line in lines if line.strip()}


def revoke_keys(revoked: Mapping[str, str]) -> None:
    """Note fingerprints, each with when and why; taking a pack back brings no key back. Raises FileProblem."""
    # A line break in a reason would revoke what stands behind it.
    known = revoked_keys() | {one: plain_text(why) for one, why in revoked.items()}
    _write_key_file(REVOKED_FILE, "".join(f"{one} {why}\n" for one, why in sorted(known.items())))


def trust_key(key: PublicKey) -> None:
    """Put a public key beside the settings. Raises FileProblem, also where another one has its name."""
    path = user_keys_dir() / f"{key.name}{KEY_SUFFIX}"
    refuse_taken_name(key, path, known_keys())
    _write_key_file(path.name, key_line(key))


def refuse_taken_name(key: PublicKey, path: Path, others: Iterable[PublicKey]) -> None:
    """Raise FileProblem where another key has this name, in any case: some systems keep one file for both.

    `path` is what it calls the key.
    """
    if any(one.name.lower() == key.name.lower() and one.data != key.data for one in others):
        raise FileProblem(path, "", "a key of this name is already trusted", "Rename one of the two")


def _write_key_file(name: str, content: str) -> None:
    make_folder(user_keys_dir())
    write_whole_file(user_keys_dir() / name, content.encode("utf-8"))


def project_key() -> PublicKey | None:
    """The project's own key, where whoever made this build had it. Raises FileProblem."""
    path = shipped_keys_dir() / PROJECT_KEY
    return read_key(path) if path.is_file() else None


def signed_bytes(kind: Signed, content: bytes) -> bytes:
    """What is really signed: the content with its kind before it."""
    return f"gpuplanner {kind} 1\n".encode() + content


def signature_line(signature: bytes) -> str:
    return f"{SIGNATURE_WORD} {base64.b64encode(signature).decode()}\n"


def read_signature(line: bytes) -> bytes:
    """The signature in a line; empty bytes for what is none."""
    words = line.decode("ascii", "replace").split()
    signature = _decoded(words[1]) if len(words) == 2 and words[0] == SIGNATURE_WORD else b""
    return signature if len(signature) == SIGNATURE_BYTES else b""


def signer_of(kind: Signed, content: bytes, signature: bytes, keys: Iterable[PublicKey]) -> PublicKey | None:
    """The key that made the signature of this content; None where none did. `refusal_of` says whether it counts."""
    # Loads a library that nothing else needs.
    from nacl.exceptions import BadSignatureError
    from nacl.signing import VerifyKey

    if len(signature) != SIGNATURE_BYTES:
        return None
    message = signed_bytes(kind, content)
    for key in keys:
        try:
            VerifyKey(key.data).verify(message, signature)
        except BadSignatureError:
            continue
        return key
    return None


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
