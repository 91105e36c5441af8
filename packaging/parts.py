"""What goes into a frozen build and what stays out; the bare build that ours is compared with is made with the same."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

EXCLUDED = [
    "tkinter",  # NumPy's and pyqtgraph's optional helpers ask for it; no window of ours does
    "ssl", "_ssl", "_hashlib",  # nothing here speaks to a network; digests come from Python's own modules, not OpenSSL
    "readline", "rlcompleter",  # its library is under the GPL, and no prompt of ours edits lines
    "lib2to3", "distutils", "setuptools", "pip", "pycparser",  # developers' tools; pydoc and unittest are needed
    "matplotlib", "scipy", "pandas", "IPython", "jupyter_rfb", "h5py", "cupy", "numba",  # optional to pyqtgraph
    "PySide6.QtQml", "PySide6.QtQuick", "PySide6.QtQuickWidgets", "PySide6.QtDesigner", "PySide6.QtUiTools",
    "PySide6.QtHelp", "PySide6.QtSql", "PySide6.QtXml", "PySide6.QtDBus", "PySide6.QtConcurrent",
    # PySide6.QtOpenGL and QtOpenGLWidgets stay: pyqtgraph imports both unconditionally.
]  # fmt: skip


def installed_beside(packages: Iterable[str]) -> list[str]:
    """Modules of installed packages that are none of a build's, such as those of its tests.

    Others take them up where they find them (msgspec YAML, NumPy type hints): a build would hold what nothing needs,
    and depend on what else its maker has installed.
    """
    wanted = {plain(name) for name in packages}
    found = importlib.metadata.packages_distributions()
    return sorted(
        module
        for module, owners in found.items()
        if not wanted.intersection(map(plain, owners)) and not module.startswith(OWN_MODULES)
    )


def plain(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


OWN_MODULES = ("gpuplanner_gui", "_pyi", "pyi", "_sysconfigdata")
"""Beginnings of modules that are the program's, the loader's, or made when Python was built."""
UNUSED_FILES = (
    "plugins/sqldrivers", "plugins/qmltooling", "plugins/generic", "plugins/networkinformation", "plugins/tls",
    "plugins/egldeviceintegrations", "plugins/platforms/qeglfs", "plugins/platforms/qlinuxfb",
    "plugins/platforms/qvnc", "plugins/platforms/qminimal", "plugins/platforms/qvkkhrdisplay",
    "plugins/platforms/qdirect2d",
    "plugins/platformthemes/qgtk3",  # brings GTK, 18 MB that rarely fit the site's
    "plugins/platforminputcontexts/qtvirtualkeyboard",
    # Pictures are read as SVG, written as PNG without a plugin, and as JPEG inside of PDF.
    "plugins/imageformats/qgif", "plugins/imageformats/qicns", "plugins/imageformats/qico",
    "plugins/imageformats/qtga", "plugins/imageformats/qtiff", "plugins/imageformats/qwbmp",
    "plugins/imageformats/qwebp",
    "plugins/wayland-shell-integration/ivi-shell",  # of cars
    "plugins/qmllint",
    "Qt6Qml", "Qt6Quick", "Qt6VirtualKeyboard", "Qt6EglF",
    "opengl32sw.dll",  # draws OpenGL without a graphics card, 20 MB; nothing here is drawn with OpenGL
    "QtTest.pyi", "pyqtgraph/examples", "pyqtgraph/colors/maps/", "pyqtgraph/icons/peegee",
    "libgtk-3", "libgdk-3", "libgdk_pixbuf", "libatk", "libatspi", "libcairo", "libpango", "libpixman",
    "libharfbuzz", "libgraphite2", "libfribidi", "libthai", "libdatrie", "libepoxy", "libjpeg", "libXcomposite",
    "libXcursor", "libXdamage", "libXinerama", "libXrandr", "libXi.so",
)  # fmt: skip
"""Beginnings of paths inside a build, as `place_in_qt` gives them."""

QT_TRANSLATION = re.compile(r"translations/(?P<part>[a-z]+)_(?P<language>[a-zA-Z_]+)\.qm")
OURS_TRANSLATION = re.compile(r"gpuplanner_(?P<language>[a-zA-Z_]+)\.qm")
NOT_SHIPPED = ("pictures/", ".ts")
"""Of resources: pictures of the README, and what translations are made from."""

Entry = tuple[str, str, str]
_SYSTEM_LIBRARY = re.compile(r"lib[^/]*\.so[^/]*")
_INSTALLED_AGAIN = re.compile(r"[^/]*\.dist-info/(RECORD|INSTALLER|REQUESTED|direct_url\.json)")
"""What an installer writes: it holds the folder that was installed into, so that two builds would differ."""


def place_in_qt(name: str) -> str:
    """A path inside a build as it would be on every platform: where Qt's files lie, how its parts are named."""
    plain = name.replace("\\", "/").removeprefix("PySide6/").removeprefix("Qt/").removeprefix("lib/")
    return re.sub(r"^(plugins/.*/)lib", r"\1", re.sub(r"^(lib)?Qt6?(?=[A-Z])", "Qt6", plain))


def used(entries: list[Entry], languages: frozenset[str] = frozenset()) -> list[Entry]:
    """Entries of PyInstaller's lists that go into a build; of Qt's own words those of the program's languages."""
    return [entry for entry in entries if _is_used(place_in_qt(entry[0]), languages)]


def linked(entries: list[Entry], needed_by: Callable[[str], frozenset[str]]) -> list[Entry]:
    """Entries without the system's libraries that no other kept one needs; `needed_by` names what a file asks for."""
    kept = list(entries)
    while True:
        needs = frozenset[str]().union(*(needed_by(source) for _, source, kind in kept if kind != "SYMLINK"))
        left = [one for one in kept if not _is_system_library(one) or one[0] in needs]
        if len(left) == len(kept):
            return kept
        kept = left


def _is_system_library(entry: Entry) -> bool:
    """Copied from the system to the top of a build; Python's own is opened by the program that starts it."""
    name, _, kind = entry
    return kind == "BINARY" and _SYSTEM_LIBRARY.fullmatch(name) is not None and not name.startswith("libpython")


@cache
def libraries_needed_by(path: str) -> frozenset[str]:
    """Names of the libraries that a program or library of Linux asks for."""
    done = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=False)
    return frozenset(re.findall(r"^\s*NEEDED\s+(\S+)$", done.stdout, re.MULTILINE))


def _is_used(place: str, languages: frozenset[str]) -> bool:
    words = QT_TRANSLATION.fullmatch(place)
    if words is not None:
        return words["part"] == "qtbase" and words["language"] in languages
    return not place.startswith(UNUSED_FILES) and _INSTALLED_AGAIN.fullmatch(place) is None


def resource_files(resources: Path) -> Iterator[tuple[Path, Path]]:
    """Every resource that ships, with its folder below `resources`: what is added to the folder is found by itself."""
    for path in sorted(path for path in resources.rglob("*") if path.is_file()):
        place = path.relative_to(resources)
        if not place.as_posix().startswith(NOT_SHIPPED) and path.suffix not in NOT_SHIPPED:
            yield path, place.parent


def languages_of(resources: Path) -> frozenset[str]:
    """The languages that the program speaks besides English."""
    found = (OURS_TRANSLATION.fullmatch(path.name) for path in (resources / "translations").glob("*.qm"))
    return frozenset(one["language"] for one in found if one is not None)
