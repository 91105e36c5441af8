"""What goes into a build: alike on every platform, resources and languages without a list kept by hand."""

from __future__ import annotations

import importlib
import json
import platform
from pathlib import Path
from types import ModuleType

import pytest

from gpuplanner_gui.files.signatures import PublicKey, read_key

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture
def parts(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(REPOSITORY / "packaging"))
    return importlib.import_module("parts")


@pytest.mark.parametrize(
    "name",
    [
        "PySide6/Qt/plugins/tls/libqopensslbackend.so",
        "PySide6\\plugins\\tls\\qschannelbackend.dll",
        "PySide6/Qt/plugins/tls/libqsecuretransportbackend.dylib",
        "PySide6/Qt/lib/libQt6Qml.so.6",
        "PySide6\\Qt6Qml.dll",
        "PySide6/Qt/lib/QtQml.framework/Versions/A/QtQml",
        "PySide6/opengl32sw.dll",
        "libgtk-3.so.0",
        "PySide6/Qt/plugins/imageformats/libqtiff.so",
        "PySide6\\plugins\\imageformats\\qtiff.dll",
        "PySide6/Qt/plugins/imageformats/libqtiff.dylib",
    ],
)
def test_what_is_not_needed_stays_out_on_every_platform(parts: ModuleType, name: str) -> None:
    assert parts.used([(name, "", "BINARY")]) == []


@pytest.mark.parametrize(
    "name",
    [
        "PySide6/Qt/plugins/platforms/libqxcb.so",
        "PySide6\\plugins\\platforms\\qwindows.dll",
        "PySide6/Qt/plugins/platforms/libqcocoa.dylib",
        "PySide6/Qt/plugins/imageformats/libqsvg.so",
        "PySide6/Qt/lib/libQt6Network.so.6",
        "PySide6/QtNetwork.abi3.so",
        "gpuplanner_gui/_resources/icons/open.svg",
    ],
)
def test_what_is_needed_stays(parts: ModuleType, name: str) -> None:
    assert len(parts.used([(name, "", "BINARY")])) == 1


def test_qt_speaks_the_languages_of_the_program(parts: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "translations").mkdir()
    (tmp_path / "translations" / "gpuplanner_zh_TW.qm").touch()
    languages = parts.languages_of(tmp_path)
    names = [f"PySide6/Qt/translations/{name}.qm" for name in ("qtbase_zh_TW", "qtbase_de", "designer_zh_TW")]
    assert [one[0] for one in parts.used([(name, "", "DATA") for name in names], languages)] == names[:1]


def test_every_resource_ships_without_being_named(parts: ModuleType, tmp_path: Path) -> None:
    for name in ("icons/a.svg", "new folder/deep/b.json", "translations/gpuplanner_de.qm", "translations/x.ts"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [(file.name, place.as_posix()) for file, place in parts.resource_files(tmp_path)]
    assert found == [("a.svg", "icons"), ("b.json", "new folder/deep"), ("gpuplanner_de.qm", "translations")]


def test_build_is_stamped_with_its_version_and_key(parts: ModuleType, tmp_path: Path) -> None:
    contents = importlib.import_module("contents")
    key = PublicKey("maker", b"k" * 32, ("program",))
    contents.write_stamp(tmp_path / "stamp", "0" * 40, key)
    stated = json.loads((tmp_path / "stamp" / "build.json").read_text(encoding="utf-8"))
    version = {"version": contents.program_version(), "commit": "0" * 40, "python": platform.python_version()}
    assert stated == version
    assert read_key(tmp_path / "stamp" / "keys" / "maker.pub") == key


@pytest.mark.parametrize("suffix", [".ico", ".icns"])
def test_icons_of_other_platforms_are_drawn(parts: ModuleType, suffix: str, tmp_path: Path) -> None:
    contents = importlib.import_module("contents")
    contents.write_icon(tmp_path / f"icon{suffix}")
    assert (tmp_path / f"icon{suffix}").stat().st_size > 1_000


def test_libraries_that_no_kept_file_needs_stay_out(parts: ModuleType) -> None:
    needs = {"/qt": {"liba.so.1"}, "/liba": {"libb.so.1"}, "/libssl": {"libcrypto.so.3"}}
    names = ("libssl.so.3", "libcrypto.so.3", "liba.so.1", "libb.so.1", "libpython3.11.so.1.0")
    entries = [("PySide6/QtGui.abi3.so", "/qt", "EXTENSION")]
    entries += [(name, f"/{name.partition('.')[0]}", "BINARY") for name in names]
    kept = parts.linked(entries, lambda path: frozenset(needs.get(path, ())))
    assert [name for name, _, _ in kept] == [
        "PySide6/QtGui.abi3.so", "liba.so.1", "libb.so.1", "libpython3.11.so.1.0",
    ]  # fmt: skip


@pytest.mark.parametrize("module", ["readline", "_hashlib", "_ssl"])
def test_what_would_bring_the_gpl_or_openssl_stays_out(parts: ModuleType, module: str) -> None:
    assert module in parts.EXCLUDED


def test_what_is_installed_beside_a_build_stays_out(parts: ModuleType) -> None:
    """A build made where the tests were run held PyYAML, which msgspec takes up where it finds it."""
    beside = parts.installed_beside(importlib.import_module("bill").PACKAGES)
    assert {"yaml", "_yaml", "pytest", "hypothesis"} <= set(beside)
    assert not {"numpy", "msgspec", "PySide6", "nacl", "_cffi_backend", "gpuplanner_gui"} & set(beside)
    assert "installed_beside(PACKAGES)" in (REPOSITORY / "packaging" / "gpuplanner.spec").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["numpy-2.4.6.dist-info/RECORD", "x-1.dist-info/INSTALLER"])
def test_what_an_installer_writes_stays_out(parts: ModuleType, name: str) -> None:
    assert parts.used([(name, "", "DATA")]) == []
    assert len(parts.used([("numpy-2.4.6.dist-info/METADATA", "", "DATA")])) == 1
