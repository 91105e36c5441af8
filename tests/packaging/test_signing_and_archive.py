"""Keys stay outside and private; signatures and archives are the same each time; a build says what it is."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

from gpuplanner_gui.files.manifest import verify_folder
from gpuplanner_gui.files.packs.pack_file import read_pack
from gpuplanner_gui.files.signatures import read_key

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(str(REPOSITORY / "packaging"))
    return importlib.import_module


@pytest.fixture
def sign(script: object) -> ModuleType:
    return importlib.import_module("sign")


@pytest.fixture
def key(sign: ModuleType, tmp_path: Path) -> Path:
    path = tmp_path / "keys" / "private"
    sign.make_key(path, "maker", ("program", "prices", "catalogue"))
    return path


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_private_key_is_its_owners_alone(sign: ModuleType, key: Path) -> None:
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    with pytest.raises(sign.KeyProblem, match="others may read"):
        sign.private_key(key)


def test_private_key_does_not_enter_the_repository(sign: ModuleType) -> None:
    with pytest.raises(sign.KeyProblem, match="outside the repository"):
        sign.make_key(REPOSITORY / "resources" / "keys" / "private", "maker", ("program",))


def test_key_is_never_overwritten(sign: ModuleType, key: Path) -> None:
    before = key.read_bytes()
    with pytest.raises(FileExistsError):
        sign.make_key(key, "maker", ("program",))
    assert key.read_bytes() == before


def test_signed_folder_verifies_and_signs_alike_each_time(sign: ModuleType, key: Path, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a").write_bytes(b"a")
    sign.sign_folder(folder, key)
    first = (folder / "MANIFEST.sha256.sig").read_bytes()
    sign.sign_folder(folder, key)
    assert (folder / "MANIFEST.sha256.sig").read_bytes() == first
    assert verify_folder(folder, [read_key(key.with_name("maker.pub"))]).is_good


def test_signed_pack_is_read(sign: ModuleType, key: Path, tmp_path: Path) -> None:
    content, target = tmp_path / "in.json", tmp_path / "out.gpupack"
    content.write_text('{"format": "gpuplanner-pack", "name": "Prices", "issued_on": "2026-11-20"}', encoding="utf-8")
    sign.sign_pack(content, target, key)
    assert read_pack(target, [read_key(key.with_name("maker.pub"))]).pack.name == "Prices"


def test_the_projects_own_key_signs_no_build_on_an_old_python(
    sign: ModuleType, key: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = importlib.import_module("build")
    monkeypatch.setattr(build, "python_note", lambda: "Python 3.11.7 is behind 3.11.14")
    build.refuse_old_python(key)  # Somebody else's build: told, not refused.
    monkeypatch.setattr(build, "PROJECT_PUBLIC_KEY", key.with_name("maker.pub"))
    with pytest.raises(build.BuildFailedError, match=r"behind 3\.11\.14"):
        build.refuse_old_python(key)
    monkeypatch.setattr(build, "python_note", lambda: "")
    build.refuse_old_python(key)


def test_a_pack_states_only_what_it_uses_so_that_older_versions_read_it(
    sign: ModuleType, key: Path, tmp_path: Path
) -> None:
    content, target = tmp_path / "in.json", tmp_path / "out.gpupack"
    stated = {"format": "gpuplanner-pack", "version": 1, "name": "Prices", "issued_on": "2026-11-20"}
    content.write_text(json.dumps(stated), encoding="utf-8")
    sign.sign_pack(content, target, key)
    assert json.loads(target.read_bytes().partition(b"\n")[2]) == stated


@pytest.mark.parametrize("kind", ["tar_gz", "zip"])
def test_archive_is_the_same_from_the_same_files(script: object, kind: str, tmp_path: Path) -> None:
    archive = importlib.import_module("archive")
    digests = []
    for name in ("one", "two"):
        folder = tmp_path / name / "program"
        folder.mkdir(parents=True)
        for file in ("b, c.so", "a") if name == "one" else ("a", "b, c.so"):
            (folder / file).write_bytes(file.encode())
        archive.set_times(folder, 1_700_000_000)
        target = tmp_path / f"{name}.{kind}"
        getattr(archive, f"write_{kind}")(folder, target, 1_700_000_000)
        digests.append(hashlib.sha256(target.read_bytes()).hexdigest())
    assert digests[0] == digests[1]


def test_archive_keeps_links_and_what_is_executable(script: object, tmp_path: Path) -> None:
    archive = importlib.import_module("archive")
    folder = tmp_path / "program"
    folder.mkdir()
    (folder / "run").write_bytes(b"#!")
    (folder / "run").chmod(0o755)
    (folder / "link").symlink_to("run")
    archive.write_tar_gz(folder, tmp_path / "x.tar.gz", 1_700_000_000)
    with tarfile.open(tmp_path / "x.tar.gz") as opened:
        entries = {entry.name: entry for entry in opened.getmembers()}
    assert entries["program/link"].linkname == "run"
    assert entries["program/run"].mode == 0o755
    assert {(entry.uid, entry.uname, entry.mtime) for entry in entries.values()} == {(0, "", 1_700_000_000)}
