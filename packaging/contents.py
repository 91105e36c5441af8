"""What a build says about itself: version with commit, licences of all parts, a software bill of materials."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gpuplanner_gui.files.signatures import PROJECT_KEY, PublicKey, key_line

REPOSITORY = Path(__file__).resolve().parents[1]
PROJECT_PUBLIC_KEY = REPOSITORY / "packaging" / PROJECT_KEY
"""The slot for the project's own key, empty until an owner of the project fills it (`SECURITY.md`)."""
LICENCES = REPOSITORY / "packaging" / "licences"
PACKAGES = ("numpy", "pyqtgraph", "msgspec", "platformdirs", "PySide6-Essentials", "shiboken6", "PyNaCl", "cffi")
ICON_PIXELS = 256
LOADER = "pyinstaller"
"""Packages of which a part is in the build, and the one whose loader starts it."""
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice|copyright|authors)", re.IGNORECASE)
SPDX = {
    "numpy": "BSD-3-Clause", "pyqtgraph": "MIT", "msgspec": "BSD-3-Clause", "platformdirs": "MIT",
    "PySide6-Essentials": "LGPL-3.0-only", "shiboken6": "LGPL-3.0-only", "PyNaCl": "Apache-2.0", "cffi": "MIT-0",
    "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception",
}  # fmt: skip


def write_contents(folder: Path, commit: str, commit_time: int) -> None:
    """Add licences and bill of materials to a build."""
    licences = folder / "licences"
    shutil.rmtree(licences, ignore_errors=True)
    shutil.copytree(LICENCES, licences)
    for name in (*PACKAGES, LOADER):
        _copy_package_licences(name, licences / name)
    _copy_python_licence(licences / "Python")
    packages = _system_packages(folder)
    for package, copyright_file in packages.items():
        target = licences / "system" / package
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(copyright_file, target / "copyright")
    bill = bill_of_materials(commit, commit_time, (*PACKAGES, LOADER), sorted(packages))
    (folder / "SBOM.cdx.json").write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")


def write_stamp(folder: Path, commit: str, key: PublicKey) -> None:
    """What only this build knows and the program reads: version with commit, keys of who signs and of the project."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "keys").mkdir(parents=True)
    version = {"version": program_version(), "commit": commit}
    (folder / "build.json").write_text(json.dumps(version, indent=2) + "\n", encoding="utf-8")
    (folder / "keys" / f"{key.name}.pub").write_text(key_line(replace(key, purposes=("program",))), encoding="ascii")
    if PROJECT_PUBLIC_KEY.is_file():
        shutil.copyfile(PROJECT_PUBLIC_KEY, folder / "keys" / PROJECT_KEY)


def write_icon(target: Path) -> None:
    """The program's icon in the format of a platform: `.ico` or `.icns`."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(ICON_PIXELS, ICON_PIXELS, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(str(REPOSITORY / "resources" / "icons" / "application.svg")).render(painter)
    painter.end()
    if not image.save(str(target)):
        raise ValueError(f"{target.name} could not be drawn")


def program_version() -> str:
    text = (REPOSITORY / "gpuplanner_gui" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    if found is None:
        raise ValueError("gpuplanner_gui/__init__.py states no version")
    return found[1]


def bill_of_materials(
    commit: str, commit_time: int, packages: Sequence[str], system_packages: Sequence[str]
) -> dict[str, Any]:
    """CycloneDX 1.5. Number and time come from the commit, so that the same build has the same bill."""
    components = [_package_component(name) for name in packages]
    components.append(_component("Python", platform.python_version(), "PSF-2.0", "generic/python"))
    qt = importlib.metadata.version("PySide6-Essentials")
    components.append(_component("Qt", qt, "LGPL-3.0-only", "generic/qt"))
    components.append(_component("Inter (typeface)", "", "OFL-1.1", "generic/inter"))
    components += [_system_component(name) for name in system_packages]
    version = program_version()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'gpuplanner:{version}:{commit}:{sys.platform}')}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(commit_time, UTC).isoformat(),
            "component": {
                "type": "application", "name": "GPU Planner", "version": version, "bom-ref": "gpuplanner",
                "licenses": [{"license": {"id": "Apache-2.0"}}],
                "properties": [{"name": "commit", "value": commit}],
            },
        },
        "components": components,
        "dependencies": [{"ref": "gpuplanner", "dependsOn": [one["bom-ref"] for one in components]}],
    }  # fmt: skip


def _package_component(name: str) -> dict[str, Any]:
    return _component(name, importlib.metadata.version(name), SPDX[name], f"pypi/{name.lower()}")


def _component(name: str, version: str, licence: str, locator: str) -> dict[str, Any]:
    reference = f"pkg:{locator}@{version}" if version else f"pkg:{locator}"
    key = "expression" if " " in licence else ""
    stated = [{"expression": licence}] if key else [{"license": {"id": licence}}]
    return {
        "type": "library", "name": name, "version": version, "bom-ref": reference, "purl": reference,
        "licenses": stated,
    }  # fmt: skip


def _system_component(package: str) -> dict[str, Any]:
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], capture_output=True, text=True, check=False)
    reference = f"pkg:deb/debian/{package}@{done.stdout}"
    return {"type": "library", "name": package, "version": done.stdout, "bom-ref": reference, "purl": reference}


def _copy_package_licences(name: str, target: Path) -> None:
    files = importlib.metadata.files(name) or []
    found = [file for file in files if LICENCE_FILE.search(file.name) and file.suffix not in (".py", ".pyc")]
    for file in found:
        target.mkdir(parents=True, exist_ok=True)
        flat = "_".join(file.parts[1:]) if len(file.parts) > 2 else file.name
        shutil.copyfile(Path(str(file.locate())), target / flat)
    if not found and not name.lower().startswith(("pyside6", "shiboken6")):
        raise ValueError(f"{name} brings no licence")


def _copy_python_licence(target: Path) -> None:
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    places = (
        Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt",
        Path(sys.base_prefix) / "LICENSE", Path(f"/usr/share/doc/python{version}/copyright"),
    )  # fmt: skip
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise ValueError("Python's licence was not found")
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(found, target / "LICENSE.txt")


def _system_packages(folder: Path) -> dict[str, Path]:
    """Debian packages from which libraries were copied, each with its copyright file; none on other systems."""
    if shutil.which("dpkg-query") is None:
        return {}
    packages = {}
    for name in sorted(_copied_libraries(folder / "_internal")):
        done = subprocess.run(["dpkg-query", "-S", f"*/{name}"], capture_output=True, text=True, check=False)
        package = done.stdout.partition(":")[0].strip()
        copyright_file = Path("/usr/share/doc") / package / "copyright"
        if package and copyright_file.is_file():
            packages[package] = copyright_file
    return packages


def _copied_libraries(internal: Path) -> Iterator[str]:
    """Shared libraries at the top of a build: those of the system, not of a package."""
    for path in internal.glob("*.so*"):
        if not path.is_symlink():
            yield path.name
