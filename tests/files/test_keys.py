"""What a key is for, until when, and that it can be revoked: a price desk's key signs no program."""

from __future__ import annotations

import datetime
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from nacl.signing import SigningKey

from gpuplanner_gui.cli import main
from gpuplanner_gui.files.catalogs import load_catalog_of_packs
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.manifest import MANIFEST_NAME, SIGNATURE_NAME, manifest_of, verify_folder
from gpuplanner_gui.files.packs.pack_file import applied_packs, restore_before_last_pack
from gpuplanner_gui.files.packs.powers import looked_at, put_in_force
from gpuplanner_gui.files.signatures import (
    PURPOSES,
    UNSTATED,
    PublicKey,
    key_line,
    key_of,
    known_keys,
    read_key,
    refusal_of,
    revoked_keys,
    signature_line,
    signed_bytes,
    trust_key,
    user_keys_dir,
)

T4 = "nvidia-t4"
PRICE = {"id": T4, "price": {"usd": 900}}
SPEC = {"id": T4, "tdp_w": 71}
NEW = {
    "id": "x-t4", "provider": "X", "market": "neocloud", "instance": "t4", "accelerator_id": T4,
    "accelerator_count": 1, "on_demand_usd_per_h": 0.4,
}  # fmt: skip


def key_named(name: str) -> SigningKey:
    return SigningKey(name.encode().ljust(32))


def public(name: str, *purposes: str, until: str = "") -> PublicKey:
    chosen = tuple(one for one in PURPOSES if one in purposes)
    return PublicKey(name, bytes(key_named(name).verify_key), chosen, until)


def pack_of(folder: Path, signer: str, **content: object) -> Path:
    stated = {"format": "gpuplanner-pack", "version": 1, "name": "Tried", "issued_on": "2026-11-20"} | content
    payload = msgspec.json.encode(stated)
    path = folder / f"{signer}.gpupack"
    signature = key_named(signer).sign(signed_bytes("pack", payload)).signature
    path.write_bytes(signature_line(signature).encode() + payload)
    return path


@pytest.fixture(autouse=True)
def home(user_home: Path) -> Path:
    return user_home


def test_a_line_says_what_a_key_is_for_and_until_when() -> None:
    for key in (public("a", "prices", until="2027-12-31"), public("b", *PURPOSES)):
        assert key_of(key_line(key), Path("k")) == key
    bare = " ".join(key_line(public("a", "keys")).split()[:3])
    assert key_of(bare, Path("k")).purposes == UNSTATED
    assert "program" not in UNSTATED


@pytest.mark.parametrize("words", ["purposes=everything", "until=soon", "until=20271231", "trust=me", "purposes="])
def test_a_key_that_says_something_else_is_refused(words: str) -> None:
    line = " ".join(key_line(public("a", "prices")).split()[:3])
    with pytest.raises(FileProblem, match="purposes or expiry date of this key"):
        key_of(f"{line} {words}", Path("k"))


@pytest.mark.parametrize(
    ("signer", "content", "needed"),
    [
        (("catalogue", "calibration", "keys"), {"accelerators": [PRICE]}, "prices"),
        (("catalogue", "calibration", "program"), {"offers": [NEW]}, "prices"),
        (("prices", "calibration"), {"accelerators": [SPEC]}, "catalogue"),
        (("prices", "catalogue"), {"new_keys": [key_line(public("b", "prices"))]}, "keys"),
        (
            ("prices", "catalogue"),
            {"revoked_keys": [{"fingerprint": public("b").fingerprint, "revoked_on": "2026-11"}]},
            "keys",
        ),
        (("keys", "prices"), {"new_keys": [key_line(public("b", "program"))]}, "program"),
    ],
)
def test_a_pack_changes_only_what_its_key_is_for(
    signer: tuple[str, ...], content: dict[str, object], needed: str, tmp_path: Path
) -> None:
    trust_key(public("desk", *signer))
    path = pack_of(tmp_path, "desk", **content)
    with pytest.raises(FileProblem, match=rf"the pack asks for {needed}"):
        looked_at(path, load_catalog_of_packs())
    (user_keys_dir() / "desk.pub").unlink()
    trust_key(public("desk", *signer, needed))
    assert looked_at(path, load_catalog_of_packs())


def test_calibration_needs_a_key_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from gpuplanner_gui.paths import catalogs_dir

    content = msgspec.json.decode((catalogs_dir() / "measured_gains.json").read_bytes())
    content[0]["source"] = "somebody else"
    trust_key(public("desk", "prices", "catalogue"))
    with pytest.raises(FileProblem, match="asks for calibration"):
        looked_at(pack_of(tmp_path, "desk", calibration={"measured_gains.json": content}), load_catalog_of_packs())


def built(folder: Path, signer: str) -> Path:
    folder.mkdir()
    (folder / "program").write_bytes(b"changed by the price desk")
    content = manifest_of(folder)
    (folder / MANIFEST_NAME).write_bytes(content)
    signature = key_named(signer).sign(signed_bytes("manifest", content)).signature
    (folder / SIGNATURE_NAME).write_text(signature_line(signature), encoding="ascii")
    return folder


def test_a_key_for_prices_signs_no_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trust_key(public("purchasing", "prices", "catalogue", "calibration", "keys"))
    folder = built(tmp_path / "build", "purchasing")
    assert not verify_folder(folder, known_keys()).is_good
    assert main(["verify", str(folder)]) == 1
    assert "trusted for prices, catalogue, calibration, keys and not for programs" in capsys.readouterr().out
    (user_keys_dir() / "purchasing.pub").unlink()
    trust_key(public("purchasing", "program"))
    assert main(["verify", str(folder)]) == 0
    assert "not signed by the project" in capsys.readouterr().out


def test_a_key_counts_to_the_end_of_its_last_day() -> None:
    key = public("desk", "prices", until="2026-11-20")
    assert refusal_of(key, "pack", datetime.date(2026, 11, 20)) == ""
    assert refusal_of(key, "pack", datetime.date(2026, 11, 21)) == "expired"
    assert refusal_of(replace(key, until=""), "pack", datetime.date(2999, 1, 1)) == ""
    assert refusal_of(key, "manifest", datetime.date(2026, 1, 1)) == "purpose"


def test_a_revoked_key_counts_no_more_and_taking_the_pack_back_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trust_key(public("desk", "prices"))
    trust_key(public("owner", "keys"))
    honest = pack_of(tmp_path, "desk", accelerators=[PRICE])
    assert looked_at(honest, load_catalog_of_packs())
    revoked = {"fingerprint": public("desk").fingerprint, "revoked_on": "2026-11-20", "reason": "stolen"}
    successor = public("desk-2", "prices", until="2099-12-31")
    path = pack_of(tmp_path, "owner", revoked_keys=[revoked], new_keys=[key_line(successor)])
    assert main(["pack", "show", str(path)]) == 0
    told = capsys.readouterr().out
    assert "It revokes these keys permanently" in told
    assert "stolen" in told
    assert "desk-2 purposes=prices until=2099-12-31" in told
    assert revoked_keys() == {}
    signed, _ = looked_at(path, load_catalog_of_packs())
    put_in_force(signed, path)
    with pytest.raises(FileProblem, match="which was revoked"):
        looked_at(honest, load_catalog_of_packs())
    assert read_key(user_keys_dir() / "desk-2.pub") == successor
    restore_before_last_pack()
    with pytest.raises(FileProblem, match="which was revoked"):
        looked_at(honest, load_catalog_of_packs())
    assert looked_at(pack_of(tmp_path, "desk-2", accelerators=[PRICE]), load_catalog_of_packs())
    assert main(["pack", "keys"]) == 0
    listed = capsys.readouterr().out
    assert "revoked" in next(line for line in listed.splitlines() if line.startswith("desk "))
    assert "2026-11-20 stolen" in listed


def test_what_a_revoked_key_had_signed_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for key in (public("desk", "prices"), public("owner", "keys")):
        trust_key(key)
    false = pack_of(tmp_path, "desk", name="False prices", accelerators=[PRICE])
    assert main(["pack", "apply", str(false), "--yes"]) == 0
    assert main(["pack", "list"]) == 0
    told = capsys.readouterr().out
    assert "False prices, issued on 2026-11-20; signed by desk" in told
    assert "revoked" not in told
    revoked = {"fingerprint": public("desk").fingerprint, "revoked_on": "2026-11-20"}
    assert main(["pack", "apply", str(pack_of(tmp_path, "owner", revoked_keys=[revoked])), "--yes"]) == 0
    assert "Remove packs that a revoked key signed: False prices" in capsys.readouterr().out


def test_a_pack_whose_new_key_takes_anothers_name_changes_nothing(tmp_path: Path) -> None:
    for key in (public("desk", "prices"), public("owner", "keys", "prices")):
        trust_key(key)
    line = key_line(replace(public("thief", "prices"), name="desk"))
    path = pack_of(tmp_path, "owner", new_keys=[line], accelerators=[PRICE])
    with pytest.raises(FileProblem, match="a key of this name"):
        looked_at(path, load_catalog_of_packs())
    assert applied_packs() == ()


def test_a_key_may_revoke_itself(tmp_path: Path) -> None:
    trust_key(public("desk", "prices"))
    revoked = {"fingerprint": public("desk").fingerprint, "revoked_on": "2026-11-20"}
    path = pack_of(tmp_path, "desk", revoked_keys=[revoked])
    signed, _ = looked_at(path, load_catalog_of_packs())
    put_in_force(signed, path)
    assert refusal_of(public("desk", "prices"), "pack") == "revoked"


def test_a_reason_revokes_no_second_key(tmp_path: Path) -> None:
    """A line break in it would begin another line of the list: a key for prices could revoke any."""
    for key in (public("desk", "prices"), public("owner", "keys")):
        trust_key(key)
    reason = f"stolen\n{public('owner').fingerprint} 2026-11-20 too"
    revoked = {"fingerprint": public("desk").fingerprint, "revoked_on": "2026-11-20", "reason": reason}
    path = pack_of(tmp_path, "desk", revoked_keys=[revoked])
    signed, _ = looked_at(path, load_catalog_of_packs())
    put_in_force(signed, path)
    assert list(revoked_keys()) == [public("desk").fingerprint]
    assert refusal_of(public("owner", "keys"), "pack") == ""


@pytest.mark.parametrize("name", ["desk", "Desk"])
def test_a_new_key_takes_no_other_ones_name(name: str) -> None:
    trust_key(public("desk", "prices"))
    with pytest.raises(FileProblem, match="a key of this name"):
        trust_key(replace(public("other", "prices"), name=name))


def test_two_new_keys_of_one_name_change_nothing(tmp_path: Path) -> None:
    trust_key(public("owner", "keys", "prices"))
    lines = [key_line(public("desk", "prices")), key_line(replace(public("thief", "prices"), name="desk"))]
    path = pack_of(tmp_path, "owner", new_keys=lines, accelerators=[PRICE])
    with pytest.raises(FileProblem, match="a key of this name"):
        looked_at(path, load_catalog_of_packs())


@pytest.mark.parametrize("name", ["../../etc/x", "a/b", "..", "a b"])
def test_a_new_key_leads_to_no_other_folder(name: str, tmp_path: Path) -> None:
    trust_key(public("owner", "keys"))
    line = key_line(public("x", "prices")).replace(" x ", f" {name} ", 1)
    path = pack_of(tmp_path, "owner", new_keys=[line])
    with pytest.raises(FileProblem):
        looked_at(path, load_catalog_of_packs())
