"""`gpuplanner pack`: a pack is shown before it counts, and can be taken back."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from nacl.signing import SigningKey

from gpuplanner_gui.cli import main
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.signatures import (
    PublicKey,
    key_line,
    revoke_keys,
    signature_line,
    signed_bytes,
    trust_key,
    user_keys_dir,
)


@pytest.fixture
def pack(user_home: Path, tmp_path: Path) -> Path:
    key = SigningKey(b"k" * 32)
    user_keys_dir().mkdir(parents=True)
    (user_keys_dir() / "site.pub").write_text(key_line(PublicKey("site", bytes(key.verify_key))), encoding="ascii")
    payload = msgspec.json.encode(
        {"format": "gpuplanner-pack", "name": "November", "issued_on": "2026-11-20",
         "accelerators": [{"id": "nvidia-t4", "tdp_w": 71}]}
    )  # fmt: skip
    path = tmp_path / "november.gpupack"
    path.write_bytes(signature_line(key.sign(signed_bytes("pack", payload)).signature).encode() + payload)
    return path


def test_show_apply_list_restore(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = load_catalog().accelerators["nvidia-t4"].tdp_w
    assert main(["pack", "show", str(pack)]) == 0
    shown = capsys.readouterr().out
    assert "November, issued on 2026-11-20" in shown
    assert "Signed by site, key " in shown
    assert "1 changed accelerator." in shown
    assert "71 W" in shown
    assert load_catalog().accelerators["nvidia-t4"].tdp_w == before

    assert main(["pack", "apply", str(pack), "--yes"]) == 0
    assert load_catalog().accelerators["nvidia-t4"].tdp_w == 71
    capsys.readouterr()
    assert main(["pack", "list"]) == 0
    assert "November" in capsys.readouterr().out

    assert main(["pack", "restore"]) == 0
    assert load_catalog().accelerators["nvidia-t4"].tdp_w == before
    assert main(["pack", "restore"]) == 1


def test_lists_of_packs_and_keys_are_json_too(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = PublicKey("old", b"o" * 32, ("prices",), "2020-01-01")
    lost = PublicKey("lost", b"l" * 32)
    trust_key(old)
    trust_key(lost)
    revoke_keys({lost.fingerprint: "2026-11-01 stolen"})

    assert main(["pack", "apply", str(pack), "--yes"]) == 0
    capsys.readouterr()
    assert main(["pack", "keys", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    by_name = {one["name"]: one for one in found["keys"]}
    assert {name: (one["is_expired"], one["revoked"]) for name, one in by_name.items()} == {
        "site": (False, None), "old": (True, None), "lost": (False, "2026-11-01 stolen"),
    }  # fmt: skip
    assert by_name["old"]["purposes"] == ["prices"]
    assert by_name["old"]["until"] == "2020-01-01"
    assert found["revoked"] == [{"fingerprint": lost.fingerprint, "why": "2026-11-01 stolen"}]
    assert main(["pack", "keys"]) == 0
    assert "expired" in capsys.readouterr().out

    assert main(["pack", "list", "--json"]) == 0
    (november,) = json.loads(capsys.readouterr().out)
    assert (november["name"], november["issued_on"], november["signer"]) == ("November", "2026-11-20", by_name["site"])
    (user_keys_dir() / "site.pub").unlink()
    assert main(["pack", "list", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["signer"] is None


def test_nobody_to_ask_means_no(pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pack", "apply", str(pack)]) == 1
    assert "Add --yes" in capsys.readouterr().err
    assert load_catalog().accelerators["nvidia-t4"].tdp_w != 71
