"""Packs: whose they are, what they change, how they come into force and go again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nacl.signing import SigningKey

from gpuplanner_gui.domain.catalog import merged_with_snapshot, snapshot_of
from gpuplanner_gui.drawing.words.pack import left_out_text
from gpuplanner_gui.files.catalogs import load_catalog, load_catalog_of_packs, load_shipped_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import PARTS, load_calibration
from gpuplanner_gui.files.packs.pack_file import (
    CALIBRATION_FILES,
    applied_packs,
    apply_pack,
    packs_dir,
    read_pack,
    restore_before_last_pack,
)
from gpuplanner_gui.files.packs.powers import pack_changes
from gpuplanner_gui.paths import catalogs_dir
from tests.files.packs.conftest import MakePack

T4 = "nvidia-t4"


def test_signed_pack_is_read_with_its_signer(make_pack: MakePack) -> None:
    signed = read_pack(make_pack(accelerators=[{"id": T4, "tdp_w": 71}]))
    assert signed.signer.name == "site"
    assert signed.pack.accelerators == ({"id": T4, "tdp_w": 71},)


def test_one_changed_byte_anywhere_is_noticed(make_pack: MakePack) -> None:
    path = make_pack(accelerators=[{"id": T4, "tdp_w": 71}])
    content = path.read_bytes()
    for place in (30, len(content) - 5, len(content) // 2):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        with pytest.raises(FileProblem):
            read_pack(path)


def test_pack_of_a_stranger_is_refused(make_pack: MakePack) -> None:
    with pytest.raises(FileProblem, match="no known key"):
        read_pack(make_pack(key=SigningKey(b"s" * 32)))


def test_unsigned_pack_is_refused(make_pack: MakePack) -> None:
    path = make_pack()
    path.write_bytes(path.read_bytes().partition(b"\n")[2])
    with pytest.raises(FileProblem, match="not a signed catalogue pack"):
        read_pack(path)


def test_changes_name_the_fields_with_both_values(make_pack: MakePack) -> None:
    path = make_pack(accelerators=[{"id": T4, "tdp_w": 71}], offers=[
        {"id": "mine", "provider": "P", "market": "own", "instance": "i", "accelerator_id": T4, "accelerator_count": 2}
    ])  # fmt: skip
    changed, new = pack_changes(read_pack(path).pack, path, load_catalog_of_packs())
    assert (changed.kind, changed.id, changed.code) == ("accelerators", T4, "changed")
    assert [(one.before, one.after, one.unit) for one in changed.fields] == [
        (load_shipped_catalog().accelerators[T4].tdp_w, 71, "W")
    ]
    assert (new.kind, new.id, new.code) == ("offers", "mine", "new")


def test_looking_at_a_pack_changes_nothing(make_pack: MakePack) -> None:
    path = make_pack(accelerators=[{"id": T4, "tdp_w": 71}])
    pack_changes(read_pack(path).pack, path, load_catalog_of_packs())
    assert not packs_dir().exists()
    assert load_catalog().accelerators[T4].tdp_w == load_shipped_catalog().accelerators[T4].tdp_w


def test_packs_lie_over_each_other_and_go_in_reverse(make_pack: MakePack) -> None:
    shipped = load_shipped_catalog().accelerators[T4].tdp_w
    for name, watts in (("first", 71), ("second", 72)):
        apply_pack(read_pack(make_pack(name, accelerators=[{"id": T4, "tdp_w": watts}])))
        assert load_catalog().accelerators[T4].tdp_w == watts
    assert [applied.pack.name for applied in applied_packs()] == ["first", "second"]
    for expected in (71, shipped):
        assert restore_before_last_pack() is not None
        assert load_catalog().accelerators[T4].tdp_w == expected
    assert restore_before_last_pack() is None


def test_users_own_entries_lie_over_packs(make_pack: MakePack, tmp_path: Path) -> None:
    apply_pack(read_pack(make_pack(accelerators=[{"id": T4, "tdp_w": 71}])))
    own = tmp_path / "own"
    own.mkdir()
    (own / "accelerators.json").write_text(json.dumps([{"id": T4, "tdp_w": 60}]), encoding="utf-8")
    assert load_catalog(own).accelerators[T4].tdp_w == 60


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ({"accelerators": [{"id": T4, "tdp_w": -1}]}, "more than"),
        ({"accelerators": [{"id": T4, "tpd_w": 1}]}, "tpd_w"),
        ({"offers": [{"id": "x"}]}, "missing required field"),
        ({"links": [{"id": "nvlink-4"}, {"id": "nvlink-4"}]}, "twice"),
        ({"calibration": {"../../settings.json": {}}}, "not a calibration"),
        ({"calibration": {"training_calibration.json": {"a": 1}}}, "missing required field|unknown field"),
        ({"issuer": "a\u202eb"}, "direction characters"),
        ({"notes": "x" * 200_000}, "longer than"),
        ({"version": 2}, "newer format"),
    ],
)
def test_pack_that_does_not_fit_is_refused_before_anything_changes(
    make_pack: MakePack, content: dict[str, object], what: str
) -> None:
    path = make_pack("Bad", **content)
    with pytest.raises(FileProblem, match=what):
        pack_changes(read_pack(path).pack, path, load_catalog_of_packs())
    assert not packs_dir().exists()


def test_calibration_of_a_pack_is_used_and_its_digest_told(make_pack: MakePack) -> None:
    before = load_calibration()
    content = msgspec.json.decode((catalogs_dir() / "training_calibration.json").read_bytes())
    path = make_pack(calibration={"training_calibration.json": content})
    assert [one.code for one in pack_changes(read_pack(path).pack, path, load_catalog_of_packs())] == ["same"]
    apply_pack(read_pack(path))
    after = load_calibration()
    assert after is load_calibration()
    assert after.digest != before.digest
    assert msgspec.json.encode(after.training) == msgspec.json.encode(before.training)
    restore_before_last_pack()
    assert load_calibration().digest == before.digest


def test_project_keeps_its_senders_figures(make_pack: MakePack) -> None:
    snapshot = snapshot_of(load_catalog(), {"accelerators": [T4]})
    sent = snapshot.accelerators[0].tdp_w
    apply_pack(read_pack(make_pack(accelerators=[{"id": T4, "tdp_w": 71}])))
    assert merged_with_snapshot(load_catalog(), snapshot).accelerators[T4].tdp_w == sent
    others = snapshot_of(load_catalog(), {"accelerators": ["nvidia-h100-sxm-80gb"]})
    assert merged_with_snapshot(load_catalog(), others).accelerators[T4].tdp_w == 71, (
        "what it lacks follows the receiver"
    )


def test_damaged_pack_in_force_is_told_and_can_be_taken_back(make_pack: MakePack) -> None:
    applied = apply_pack(read_pack(make_pack(accelerators=[{"id": T4, "tdp_w": 71}])))
    applied.path.write_bytes(b"half of it")
    with pytest.raises(FileProblem, match=r"001\.gpupack"):
        load_catalog()
    assert restore_before_last_pack() is not None
    assert load_catalog().accelerators[T4].tdp_w == load_shipped_catalog().accelerators[T4].tdp_w


def engines_of_an_earlier_version() -> list[dict[str, Any]]:
    """The shipped facts of engines as they were written while they held how sources measure."""
    engines = msgspec.json.decode((catalogs_dir() / "serving_engines.json").read_bytes())
    gone = {"pool_devices": 24.0, "client_prompts": {"usual": 10.0}, "pool_practice": {"groups": 0.4}}
    return [{**one, **gone} for one in engines]


def test_pack_of_an_earlier_version_is_used_without_the_fields_that_are_gone(make_pack: MakePack) -> None:
    before = load_calibration()
    path = make_pack("Old", calibration={"serving_engines.json": engines_of_an_earlier_version()})
    (change,) = pack_changes(read_pack(path).pack, path, load_catalog_of_packs())
    assert change.left_out == ("pool_devices", "client_prompts", "pool_practice")
    assert left_out_text((change,)) == (
        "The pack was made for an earlier version. This version ignores pool devices, client prompts, pool practice."
    )
    apply_pack(read_pack(path))
    assert load_calibration().engines == before.engines


def test_a_field_that_never_was_is_still_refused(make_pack: MakePack) -> None:
    engines = [{**one, "pool_device": 24.0} for one in engines_of_an_earlier_version()]
    path = make_pack("Slip", calibration={"serving_engines.json": engines})
    with pytest.raises(FileProblem, match="unknown field `pool_device`"):
        pack_changes(read_pack(path).pack, path, load_catalog_of_packs())


def test_a_pack_without_them_says_nothing(make_pack: MakePack) -> None:
    path = make_pack(accelerators=[{"id": T4, "tdp_w": 71}])
    assert left_out_text(pack_changes(read_pack(path).pack, path, load_catalog_of_packs())) == ""


def test_a_pack_may_bring_every_file_of_the_calibration() -> None:
    assert set(CALIBRATION_FILES) == set(PARTS)
