"""A key of this test's own, known to the program under test, and packs signed with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nacl.signing import SigningKey

from gpuplanner_gui.files.signatures import PublicKey, key_line, signature_line, signed_bytes, user_keys_dir

MakePack = Callable[..., Path]


@pytest.fixture
def signing_key(user_home: Path) -> SigningKey:
    key = SigningKey(b"k" * 32)
    folder = user_keys_dir()
    folder.mkdir(parents=True)
    (folder / "site.pub").write_text(key_line(PublicKey("site", bytes(key.verify_key))), encoding="ascii")
    return key


@pytest.fixture
def make_pack(tmp_path: Path, signing_key: SigningKey) -> MakePack:
    """Writes a signed pack that holds what is named."""

    def make(name: str = "Prices", key: SigningKey = signing_key, **content: Any) -> Path:
        stated = {"format": "gpuplanner-pack", "version": 1, "name": name, "issued_on": "2026-11-20", **content}
        payload = msgspec.json.encode(stated)
        path = tmp_path / f"{name}.gpupack"
        line = signature_line(key.sign(signed_bytes("pack", payload)).signature)
        path.write_bytes(line.encode() + payload)
        return path

    return make
