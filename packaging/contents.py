"""What a build says about itself: version with commit, licences of all parts, a software bill of materials."""

from __future__ import annotations

import importlib.metadata
import json
import platform
import re
import shutil
import sys
import sysconfig
from dataclasses import replace
from pathlib import Path

from bill import PACKAGES, bill_of_materials, parts_of

from gpuplanner_gui.files.signatures import PROJECT_KEY, PublicKey, key_line

REPOSITORY = Path(__file__).resolve().parents[1]
PROJECT_PUBLIC_KEY = REPOSITORY / "packaging" / PROJECT_KEY
"""The slot for the project's own key, empty until an owner of the project fills it (`SECURITY.md`)."""
LICENCES = REPOSITORY / "packaging" / "licences"
ICON_PIXELS = 256
LICENCE_FILE = re.compile(r"(licen[cs]e|copying|notice|copyright|authors)", re.IGNORECASE)


def write_contents(folder: Path, commit: str, commit_time: int) -> None:
    """Add licences and bill of materials to a build."""
    licences = folder / "licences"
    shutil.rmtree(licences, ignore_errors=True)
    shutil.copytree(LICENCES, licences)
    for name in PACKAGES:
        _copy_package_licences(name, licences / name)
    _copy_python_licence(licences / "Python")
    parts = parts_of(folder)
    for part in parts:
        if part.locator.startswith("deb/"):
            target = licences / "system" / part.name
            target.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(Path("/usr/share/doc") / part.name / "copyright", target / "copyright")
    bill = bill_of_materials(program_version(), commit, commit_time, parts)
    (folder / "SBOM.cdx.json").write_text(json.dumps(bill, indent=2) + "\n", encoding="utf-8")


def write_stamp(folder: Path, commit: str, key: PublicKey) -> None:
    """What only this build knows and the program reads: version with commit, keys of who signs and of the project."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "keys").mkdir(parents=True)
    version = {"version": program_version(), "commit": commit, "python": platform.python_version()}
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
