"""Ed25519 signatures: who made a manifest or a pack, by the public keys that this copy and its user know.

A public key is a file with the line `gpuplanner-key NAME BASE64`, a signature the line `gpuplanner-signature BASE64`.
What is signed says what it is, so that a signed manifest can never pass for a signed pack.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gpuplanner_gui import paths
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.text import plain_text

Signed = Literal["manifest", "pack"]

KEY_WORD = "gpuplanner-key"
SIGNATURE_WORD = "gpuplanner-signature"
KEY_SUFFIX = ".pub"
KEY_BYTES = 32
SIGNATURE_BYTES = 64
LARGEST_KEY_FILE_BYTES = 1_000
MOST_KEYS = 50


@dataclass(frozen=True)
class PublicKey:
    """Whom a signature belongs to."""

    name: str
    data: bytes

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
    words = read_bytes(path, LARGEST_KEY_FILE_BYTES).decode("ascii", "replace").split()
    data = _decoded(words[-1]) if len(words) == 3 and words[0] == KEY_WORD else b""
    if len(data) != KEY_BYTES:
        raise FileProblem(
            path, "", "this is no public key", said("Choose a file that begins with {key_word}", key_word=KEY_WORD)
        )
    return PublicKey(plain_text(words[1], 60), data)


def key_line(key: PublicKey) -> str:
    return f"{KEY_WORD} {key.name} {base64.b64encode(key.data).decode()}\n"


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
    """The key that made the signature of this content; None where none of the keys did."""
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
