"""The bill of materials names whose each file is by its content, and lets nothing in under the GPL alone."""

from __future__ import annotations

import csv
import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def bill(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(REPOSITORY / "packaging"))
    return importlib.import_module("bill")


@pytest.mark.parametrize(
    ("licence", "refused"),
    [
        ("GPL-3.0-or-later", True), ("AGPL-3.0-only", True), ("MIT AND GPL-2.0-only", True), ("LGPL-3.0-only", False),
        ("GPL-3.0-or-later WITH GCC-exception-3.1", False), ("BSD-3-Clause OR GPL-2.0-only", False), ("MIT", False),
    ],
)  # fmt: skip
def test_the_gpl_is_told_from_what_may_be_given_away(bill: ModuleType, licence: str, refused: bool) -> None:
    assert bill.is_copyleft(licence) == refused


def test_no_licence_in_the_tables_is_the_gpl_alone(bill: ModuleType) -> None:
    for name in ("system-licences.csv", "embedded-parts.csv"):
        with (REPOSITORY / "packaging" / name).open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                assert row["licence"], row
                assert not bill.is_copyleft(row["licence"]), row
    assert not any(map(bill.is_copyleft, bill.SPDX.values()))


def test_a_file_that_is_nobodys_as_it_is_stops_the_build(bill: ModuleType, tmp_path: Path) -> None:
    place = tmp_path / "_internal" / "libpng16.so.16"
    place.parent.mkdir()
    place.write_bytes(b"another library under a known name")
    with pytest.raises(bill.UnknownPartError, match=r"libpng16\.so\.16: no package has this file"):
        list(bill.parts_of(tmp_path))


@pytest.mark.parametrize(
    ("version", "licence", "words"),
    [("", "MIT", "which version"), ("8.2", "GPL-3.0-or-later", "libx is under GPL-3.0-or-later: gpuplanner")],
)
def test_a_part_of_no_known_version_or_under_the_gpl_stops_the_build(
    bill: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, licence: str, words: str
) -> None:
    (tmp_path / "gpuplanner").write_bytes(b"program")
    monkeypatch.setattr(bill, "_owners", lambda *known: [bill.Part("libx", version, licence, "generic/libx")])
    monkeypatch.setattr(bill, "_archived", lambda folder: ())
    with pytest.raises(bill.UnknownPartError, match=words):
        bill.parts_of(tmp_path)


def test_version_of_what_is_embedded_is_read_from_it_or_from_its_package(bill: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "x.so").write_bytes("\0Version 3.019;".encode("utf-16-be"))
    assert bill._version_in(tmp_path, "x.so", r"Version (\d+\.\d+);", "GPU Planner") == "3.019"
    assert bill._version_in(tmp_path, "y.so", r"``libsodium`` to (\d+\.\d+\.\d+)", "PyNaCl").startswith("1.")
    assert bill._version_in(tmp_path, "x.so", r"nothing (\d)", "GPU Planner") == ""


def test_a_part_is_listed_with_hash_version_and_licence(bill: ModuleType) -> None:
    part = bill.Part("libx", "1.2", "MIT", "deb/debian/libx", {"_internal/libx.so": "0" * 64}, of="numpy")
    made = bill.bill_of_materials("1.0", "c" * 40, 1_800_000_000, [part])
    assert made == bill.bill_of_materials("1.0", "c" * 40, 1_800_000_000, [part])
    (component,) = made["components"]
    assert (component["purl"], component["licenses"]) == ("pkg:deb/debian/libx@1.2", [{"license": {"id": "MIT"}}])
    assert component["components"][0]["hashes"] == [{"alg": "SHA-256", "content": "0" * 64}]
    assert component["properties"] == [{"name": "came inside", "value": "numpy"}]


def test_an_old_python_is_told(bill: ModuleType) -> None:
    assert "behind 3.11.14" in bill.python_note("3.11.7")
    assert bill.python_note("3.11.99") == ""
    assert bill.python_note("3.99.0") == ""


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("GPUPLANNER_BUILD_TWICE"), reason="takes minutes: make test-deep")
def test_two_folders_give_the_same_archive(tmp_path: Path) -> None:
    """Two clones, each with an environment of its own, another umask and time zone."""
    key = tmp_path / "key" / "private"
    sign = [sys.executable, str(REPOSITORY / "packaging" / "sign.py"), "key", str(key), "maker", "--for", "program"]
    subprocess.run(sign, check=True)
    sums = []
    for name, mask, zone in (("one", "022", "UTC"), ("two ä", "077", "Asia/Taipei")):
        clone = tmp_path / name
        subprocess.run(["git", "clone", "--quiet", str(REPOSITORY), str(clone)], check=True)
        environment = {**os.environ, "GPUPLANNER_SIGNING_KEY": str(key), "TZ": zone}
        subprocess.run(["sh", "-c", f"umask {mask} && make package"], cwd=clone, env=environment, check=True)
        (made,) = (clone / "build" / "package").glob("*.sha256")
        sums.append(made.read_text(encoding="ascii"))
        shutil.rmtree(clone)
    assert sums[0] == sums[1]
