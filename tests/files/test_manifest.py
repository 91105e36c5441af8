"""A build's manifest: every way in which a folder can differ from it is found, whoever made the change."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nacl.signing import SigningKey

from gpuplanner_gui.cli import main
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.manifest import (
    MANIFEST_NAME,
    MODES_NAME,
    SIGNATURE_NAME,
    manifest_of,
    modes_of,
    verify_folder,
)
from gpuplanner_gui.files.signatures import PublicKey, key_line, signature_line, signed_bytes

KEY = SigningKey(b"m" * 32)
PUBLIC = PublicKey("maker", bytes(KEY.verify_key), ("program",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "build ä"
    (made / "lib").mkdir(parents=True)
    (made / "program").write_bytes(b"program")
    (made / "lib" / "a, b.so").write_bytes(b"library")
    (made / "lib" / "link.so").symlink_to("a, b.so")
    sign(made)
    return made


def sign(folder: Path, kind: str = "manifest") -> None:
    content = manifest_of(folder)
    (folder / MANIFEST_NAME).write_bytes(content)
    signature = KEY.sign(signed_bytes(kind, content)).signature  # type: ignore[arg-type]
    (folder / SIGNATURE_NAME).write_text(signature_line(signature), encoding="ascii")


def faults(folder: Path) -> list[tuple[str, str]]:
    return [(one.path, one.fault) for one in verify_folder(folder, [PUBLIC]).faults]


def test_untouched_folder_is_good(folder: Path) -> None:
    found = verify_folder(folder, [PUBLIC])
    assert found.is_good
    assert found.signer == PUBLIC
    assert (found.files, found.links) == (2, 1)


@pytest.mark.skipif(shutil.which("sha256sum") is None, reason="only where the tool is")
def test_platforms_own_tool_reads_the_manifest(folder: Path) -> None:
    done = subprocess.run(["sha256sum", "--check", "--strict", MANIFEST_NAME], cwd=folder, capture_output=True)
    assert done.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_link_to_a_folder_is_listed_and_noticed(folder: Path) -> None:
    link = folder / "Current"
    link.symlink_to("lib")
    assert faults(folder) == [("Current", "added")]
    sign(folder)
    assert faults(folder) == []
    link.unlink()
    assert faults(folder) == [("Current", "missing")]
    (folder / "other").mkdir()
    link.symlink_to("other")
    assert faults(folder) == [("Current", "changed")]
    link.unlink()
    link.symlink_to("..")
    assert ("Current", "outside") in faults(folder)


def test_every_kind_of_change_is_found(folder: Path) -> None:
    (folder / "program").write_bytes(b"Program")
    (folder / "lib" / "a, b.so").unlink()
    (folder / "lib" / "new.so").write_bytes(b"")
    assert faults(folder) == [
        ("lib/a, b.so", "missing"),
        ("lib/link.so", "missing"),
        ("program", "changed"),
        ("lib/new.so", "added"),
    ]


def test_link_out_of_the_folder_is_found(folder: Path) -> None:
    outside = folder.parent / "outside"
    outside.write_bytes(b"program")
    (folder / "program").unlink()
    (folder / "program").symlink_to(outside)
    assert faults(folder) == [("program", "outside")]


def test_changed_manifest_has_no_signer(folder: Path) -> None:
    (folder / "program").write_bytes(b"evil")
    (folder / MANIFEST_NAME).write_bytes(manifest_of(folder))
    found = verify_folder(folder, [PUBLIC])
    assert not found.faults
    assert found.signer is None
    assert not found.is_good


def test_signature_for_another_purpose_does_not_count(folder: Path) -> None:
    sign(folder, kind="pack")
    assert verify_folder(folder, [PUBLIC]).signer is None


@pytest.mark.parametrize(
    "line",
    [b"", b"x", b"0" * 64 + b"  ../outside\n", b"0" * 64 + b"  /etc/passwd\n", b"0" * 64 + b"  C:\\x\n", b"\xff\n"],
)
def test_manifest_that_leads_elsewhere_is_refused(folder: Path, line: bytes) -> None:
    (folder / MANIFEST_NAME).write_bytes(line)
    with pytest.raises(FileProblem):
        verify_folder(folder, [PUBLIC])


def test_command_says_what_is_wrong(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key = folder.parent / "maker.pub"
    key.write_text(key_line(PUBLIC), encoding="ascii")
    assert main(["verify", str(folder), "--key", str(key)]) == 0
    assert f"signed by maker, key {PUBLIC.fingerprint}" in capsys.readouterr().out
    (folder / "program").write_bytes(b"evil")
    assert main(["verify", str(folder), "--key", str(key)]) == 1
    assert "program was changed." in capsys.readouterr().out
    assert main(["verify", str(folder)]) == 1
    assert "from no key that is trusted here" in capsys.readouterr().out
    (folder / SIGNATURE_NAME).unlink()
    assert main(["verify", str(folder)]) == 1
    assert "Nobody signed it" in capsys.readouterr().out


def test_folder_without_a_manifest_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 1
    assert "MANIFEST.sha256: there is no such file." in capsys.readouterr().err
    assert main(["verify"]) == 1
    assert "runs from its source" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="rights and links of POSIX")
def test_rights_links_and_empty_folders_are_seen(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "program").chmod(0o755)
    (folder / "plugins").mkdir()
    (folder / MODES_NAME).write_bytes(modes_of(folder))
    sign(folder)
    assert faults(folder) == []
    (folder / "plugins").chmod(0o777)
    assert faults(folder) == [("plugins", "mode")]
    (folder / "plugins").chmod(0o775)
    for changed in (0o644, 0o4755, 0o757):
        (folder / "program").chmod(changed)
        assert faults(folder) == [("program", "mode")]
    (folder / "program").chmod(0o700)  # As unpacked under another mask.
    assert faults(folder) == []
    (folder / "lib" / "a, b.so").chmod(0o755)
    assert faults(folder) == [("lib/a, b.so", "mode")]
    (folder / "lib" / "a, b.so").chmod(0o644)
    (folder / "new").mkdir()
    assert faults(folder) == [("new", "added")]
    (folder / "new").rmdir()
    (folder / "plugins").rmdir()
    assert faults(folder) == [("plugins", "missing")]
    (folder / "plugins").mkdir()
    link = folder / "lib" / "link.so"
    link.unlink()
    shutil.copyfile(folder / "lib" / "a, b.so", link)
    assert faults(folder) == [("lib/link.so", "mode")]
    key = folder.parent / "maker.pub"
    key.write_text(key_line(PUBLIC), encoding="ascii")
    assert main(["verify", str(folder), "--key", str(key)]) == 1
    assert "lib/link.so has other permissions or another file type than stated." in capsys.readouterr().out


def test_files_and_links_are_counted_apart(folder: Path) -> None:
    found = verify_folder(folder, [PUBLIC])
    assert (found.files, found.links) == (2, 1)
