"""The software bill of materials of a build, made from the files that are inside: whose each is, by its content.

A file belongs to a package where the package's own copy has the same SHA-256; a name alone proves nothing. A file of no
known origin, or one under the GPL without an exception, stops the build.
"""

from __future__ import annotations

import csv
import fnmatch
import importlib.metadata
import platform
import re
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from parts import OWN_MODULES, plain

from gpuplanner_gui.files.manifest import digest_of, present_files

HERE = Path(__file__).resolve().parent
SPDX = {
    "numpy": "BSD-3-Clause", "highspy": "MIT", "pyqtgraph": "MIT", "msgspec": "BSD-3-Clause", "platformdirs": "MIT",
    "colorama": "BSD-3-Clause", "PySide6-Essentials": "LGPL-3.0-only", "shiboken6": "LGPL-3.0-only",
    "PyNaCl": "Apache-2.0", "cffi": "MIT-0", "pyinstaller": "GPL-2.0-or-later WITH Bootloader-exception",
}  # fmt: skip
PACKAGES = tuple(SPDX)
LOADER = ("gpuplanner", "gpuplanner-gui", "gpuplanner.exe", "gpuplanner-gui.exe")
OWN = re.compile(r"(licences|share)/.*|install\.(sh|ps1)|SBOM\.cdx\.json|MODES|(_internal/)?(LICENSE|NOTICE)|"
                 r"_internal/gpuplanner_gui/.*")  # fmt: skip
PYTHON = re.compile(r"_internal/(python3\.\d+/.*|base_library\.zip|libpython3\.\d+\.so[.\d]*)")
QT = re.compile(r"_internal/PySide6/Qt/.*")


class UnknownPartError(ValueError):
    """A file of a build that nobody can account for, or that may not be given away with it."""


@dataclass
class Part:
    """What a build took from somebody else, with the files of it that are inside."""

    name: str
    version: str
    licence: str
    locator: str
    files: dict[str, str] = field(default_factory=dict)
    """Path in the build to SHA-256."""
    note: str = ""
    modules: int = 0
    """Of Python, inside the programs."""
    of: str = ""
    """The package that it came inside of; empty where it came by itself."""


def parts_of(folder: Path) -> tuple[Part, ...]:
    """Whose the files of a build are, in order of name. Raises UnknownPartError."""
    found: dict[str, Part] = {}
    for path in sorted(present_files(folder)):
        if (folder / path).is_symlink():
            continue
        digest = digest_of(folder / path)
        for part in _owners(folder, path, digest):
            found.setdefault(part.name, part).files[path] = digest
    for part in _archived(folder):
        found.setdefault(part.name, part).modules = part.modules
    for part in found.values():
        if not part.version:
            raise UnknownPartError(f"{part.name}: nothing says which version it is: {', '.join(part.files)}")
        if is_copyleft(part.licence):
            raise UnknownPartError(f"{part.name} is under {part.licence}: {', '.join(part.files)}")
    return tuple(found[name] for name in sorted(found))


def _archived(folder: Path) -> Iterator[Part]:
    """Packages whose modules are inside the program that starts, where no file of their own shows."""
    program = next((folder / name for name in LOADER if (folder / name).is_file()), None)
    if program is None:
        raise UnknownPartError(f"{folder}: there is no program in it")
    from PyInstaller.archive.readers import CArchiveReader

    reader = CArchiveReader(str(program))
    archive = reader.open_embedded_archive(next(name for name in reader.toc if name.lower().endswith(".pyz")))
    roots = Counter(str(name).partition(".")[0] for name in archive.toc)
    owners = importlib.metadata.packages_distributions()
    by_name = {plain(name): name for name in SPDX}
    modules: Counter[str] = Counter()
    for root, count in roots.items():
        if root in sys.stdlib_module_names or root.startswith(OWN_MODULES):
            continue
        owner = next((by_name[one] for one in map(plain, owners.get(root, ())) if one in by_name), None)
        if owner is None:
            raise UnknownPartError(f"{root}: no package of a build has this module")
        modules[owner] += count
    for name, count in modules.items():
        part = _package(name)
        part.modules = count
        yield part


def is_copyleft(licence: str) -> bool:
    """True for the GPL, where neither an exception nor a choice allows to give it away with programs of others."""
    return all(any(map(_is_gpl, choice.split(" AND "))) for choice in licence.split(" OR "))


def _is_gpl(licence: str) -> bool:
    return re.match(r"A?GPL", licence) is not None and " WITH " not in licence


def _owners(folder: Path, path: str, digest: str) -> Iterator[Part]:
    """The part that a file belongs to, and what is embedded in it."""
    embedded = _embedded(folder, path)
    if embedded is not None:
        yield embedded
    if OWN.fullmatch(path):
        return
    if path in LOADER:
        yield _package("pyinstaller")
    elif PYTHON.fullmatch(path):
        yield Part("Python", platform.python_version(), "PSF-2.0", "generic/python", note=python_note())
    elif (name := _package_files().get((path.removeprefix("_internal/"), digest))) is not None:
        yield _qt() if QT.fullmatch(path) else _package(name)
    elif (system := _system_package(Path(path).name, digest)) is not None:
        yield system
    elif embedded is None:
        raise UnknownPartError(f"{path}: no package has this file as it is")


def python_note(version: str = platform.python_version()) -> str:
    """That the Python that is built in is behind the last patch known of its line; empty where it is not."""
    last = next((row for row in _rows("python-patches.csv") if version.startswith(row["minor"] + ".")), None)
    if last is None or int(version.split(".")[2]) >= int(last["patch"].split(".")[2]):
        return ""
    return f"Python {version} is behind {last['patch']}, the last patch of its line as of {last['read_on']}"


def _package(name: str) -> Part:
    return Part(name, importlib.metadata.version(name), SPDX[name], f"pypi/{name.lower()}")


def _qt() -> Part:
    return Part("Qt", importlib.metadata.version("PySide6-Essentials"), "LGPL-3.0-only", "generic/qt")


def _installed(name: str) -> Sequence[importlib.metadata.PackagePath]:
    try:
        return importlib.metadata.files(name) or ()
    except importlib.metadata.PackageNotFoundError:
        return ()


@lru_cache(maxsize=1)
def _package_files() -> Mapping[tuple[str, str], str]:
    """Path as installed and SHA-256 of every file of the packages that builds are made of, to the package."""
    found = {}
    for name in PACKAGES:
        for file in _installed(name):
            place = Path(str(file.locate()))
            if ".." not in file.parts and place.is_file():
                found[file.as_posix(), digest_of(place)] = name
    return found


@cache
def _system_package(file_name: str, digest: str) -> Part | None:
    """The Debian package whose library this is, byte for byte; None where there is none."""
    try:
        done = subprocess.run(["dpkg-query", "-S", f"*/{file_name}"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    for line in done.stdout.splitlines():
        owner, _, path = line.partition(": ")
        if Path(path).is_file() and digest_of(Path(path)) == digest:
            package = owner.partition(":")[0]
            asked = ["dpkg-query", "-W", "-f=${Version}", owner]
            version = subprocess.run(asked, capture_output=True, text=True, check=False).stdout
            licence = {row["package"]: row["licence"] for row in _rows("system-licences.csv")}.get(package)
            if licence is None:
                raise UnknownPartError(f"{package}: its licence does not stand in packaging/system-licences.csv")
            return Part(package, version, licence, f"deb/debian/{package}")
    return None


def _embedded(folder: Path, path: str) -> Part | None:
    """A library that a package brings inside itself."""
    for row in _rows("embedded-parts.csv"):
        if fnmatch.fnmatchcase(path, row["files"]):
            version = _version_in(folder, row["files"], row["version"], row["of"])
            locator = f"generic/{row['name'].split()[0].lower()}"
            return Part(row["name"], version, row["licence"], locator, of=row["of"])
    return None


@cache
def _version_in(folder: Path, files: str, pattern: str, package: str) -> str:
    """What the names or contents of files, or the package that brought them, say of their version; else empty."""
    for path in sorted(folder.glob(files)):
        content = path.read_bytes().decode("latin-1")
        for told in (path.name, content, content.replace("\0", "")):
            if found := re.search(pattern, told):
                return found[1]
    news = importlib.metadata.distribution(package).read_text("METADATA") if package in PACKAGES else ""
    found = re.search(pattern, news or "")
    return found[1] if found else ""


@cache
def _rows(name: str) -> tuple[dict[str, str], ...]:
    with (HERE / name).open(encoding="utf-8", newline="") as stream:
        return tuple(csv.DictReader(stream))


def bill_of_materials(version: str, commit: str, commit_time: int, parts: Sequence[Part]) -> dict[str, Any]:
    """CycloneDX 1.5. Number and time come from the commit, so that the same build has the same bill."""
    components = [_component(part) for part in parts]
    number = uuid.uuid5(uuid.NAMESPACE_URL, f"gpuplanner:{version}:{commit}:{sys.platform}")
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{number}",
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


def _component(part: Part) -> dict[str, Any]:
    reference = f"pkg:{part.locator}@{part.version}"
    is_expression = " " in part.licence
    stated = {
        "type": "library", "name": part.name, "version": part.version, "bom-ref": reference, "purl": reference,
        "licenses": [{"expression": part.licence}] if is_expression else [{"license": {"id": part.licence}}],
        "components": [
            {"type": "file", "name": path, "hashes": [{"alg": "SHA-256", "content": digest}]}
            for path, digest in sorted(part.files.items())
        ],
    }  # fmt: skip
    told = {"note": part.note, "came inside": part.of, "modules inside the programs": str(part.modules or "")}
    properties = [{"name": name, "value": value} for name, value in told.items() if value]
    return stated | ({"properties": properties} if properties else {})
