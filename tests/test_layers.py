"""Imports point down only, desktop and cli → drawing → files → engine → domain; Qt loads late; nothing dials out."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import gpuplanner_gui

PACKAGE_NAME = gpuplanner_gui.__name__
PACKAGE = Path(gpuplanner_gui.__file__).parent

MAY_IMPORT = {
    "domain": set(),
    "engine": {"domain"},
    "files": {"engine", "domain", "paths"},
    "drawing": {"files", "engine", "domain", "paths"},
    "api": {"drawing", "files", "engine", "domain", "paths"},
    "cli": {"api", "drawing", "files", "engine", "domain", "paths"},
    "desktop": {"drawing", "files", "engine", "domain", "paths"},
    "paths": set(),
    "__init__": set(),
    "__main__": {"desktop"},
}
"""A part of the package → the other parts it may import; everything may import the version from the package itself."""

GUI_PACKAGES = {"PySide6", "shiboken6", "pyqtgraph"}
NETWORK_MODULES = {
    "asyncio",
    "ftplib",
    "http",
    "requests",
    "smtplib",
    "socket",
    "socketserver",
    "ssl",
    "urllib3",
    "xmlrpc",
}
FILE_MODULES = {"csv", "io", "json", "pathlib", "shutil", "tempfile"}
DEVELOPER_PACKAGES = {"hypothesis", "matplotlib", "pandas", "pyarrow", "pytest", "scipy"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def part_of(module: Path) -> str:
    """The layer, or the single module, that a file of the package belongs to."""
    return module.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def imported_names(module: Path) -> frozenset[tuple[str, int]]:
    """Every absolute dotted name that a module imports, wherever in it, with its line."""
    package = [PACKAGE_NAME, *module.relative_to(PACKAGE).parent.parts]
    names: set[tuple[str, int]] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {(alias.name, node.lineno) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names |= {(f"{base}.{alias.name}", node.lineno) for alias in node.names}
    return frozenset(names)


def offences(parts: set[str], forbidden: set[str]) -> list[str]:
    """Where modules of these parts import a top-level package that they must not."""
    return [
        f"{module.relative_to(PACKAGE)}:{line} imports {name}"
        for module in modules()
        if part_of(module) in parts
        for name, line in sorted(imported_names(module))
        if name.split(".")[0] in forbidden
    ]


def test_every_module_belongs_to_a_known_part():
    assert {part_of(module) for module in modules()} <= set(MAY_IMPORT)


def test_imports_point_down_only():
    upward = []
    for module in modules():
        part = part_of(module)
        for name, line in sorted(imported_names(module)):
            package, _, rest = name.partition(".")
            target = rest.split(".")[0]
            if package == PACKAGE_NAME and target in MAY_IMPORT and target not in MAY_IMPORT[part] | {part}:
                upward.append(f"{module.relative_to(PACKAGE)}:{line} imports {name}")
    assert upward == []


def dotted(module: Path) -> str:
    name = ".".join((PACKAGE_NAME, *module.relative_to(PACKAGE).with_suffix("").parts))
    return name.removesuffix(".__init__")


def circle(part: str) -> list[str]:
    """Modules of a part that import each other, however far around; imports for type checkers and late ones count."""
    known = {dotted(module): module for module in modules() if part_of(module) == part}
    above: dict[str, set[str]] = {}
    for name, module in known.items():
        found = {one if one in known else one.rpartition(".")[0] for one, _ in imported_names(module)}
        above[name] = (found & known.keys()) - {name}
    # What imports nothing that is left takes part in no circle.
    while free := [name for name, found in above.items() if not found & above.keys()]:
        for name in free:
            del above[name]
    while free := [name for name in above if not any(name in found for found in above.values())]:
        for name in free:
            del above[name]
    return sorted(above)


ROOMS = ("widgets", "editors", "tasks", "pages", "dialogs", "window")
"""Of the window, the lowest first."""


def test_rooms_of_the_window_import_downwards_only():
    upward = []
    for module in modules():
        _, room, *rest = (*module.relative_to(PACKAGE).parts, "")
        if part_of(module) != "desktop" or room not in ROOMS or not rest:
            continue
        for name, line in sorted(imported_names(module)):
            target = name.removeprefix(f"{PACKAGE_NAME}.desktop.").split(".")[0]
            if target in ROOMS and ROOMS.index(target) > ROOMS.index(room):
                upward.append(f"{module.relative_to(PACKAGE)}:{line} imports {name}")
    assert upward == []


@pytest.mark.parametrize("part", ["desktop", "drawing"])
def test_no_modules_import_each_other_in_a_circle(part: str):
    assert circle(part) == []


def test_nobody_below_the_window_knows_the_window():
    """Windows are made, handed over and brought back by these alone; whatever works within one takes its parts."""
    window = f"{PACKAGE_NAME}.desktop.window.main_window"
    makers = {"main", "smoke", "windows", "window_handover"}
    knowing = {
        module.stem for module in modules() if any(name.startswith(window) for name, _ in imported_names(module))
    }
    assert knowing <= makers


def test_layers_below_drawing_know_no_qt():
    assert offences({"domain", "engine", "files"}, GUI_PACKAGES) == []


def test_engine_knows_no_files():
    assert offences({"engine"}, FILE_MODULES) == []


def test_nothing_dials_out():
    assert offences(set(MAY_IMPORT), NETWORK_MODULES) == []
    assert [
        name for module in modules() for name, _ in imported_names(module) if name.startswith("urllib.request")
    ] == []


def test_program_needs_no_developer_packages():
    assert offences(set(MAY_IMPORT), DEVELOPER_PACKAGES) == []


def test_relative_imports_are_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The check itself sees through every form of import."""
    (tmp_path / "engine").mkdir()
    module = tmp_path / "engine" / "example.py"
    module.write_text("from ..desktop import store\nfrom . import cost\nimport PySide6.QtCore\n")
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    assert {name for name, _ in imported_names(module)} == {
        f"{PACKAGE_NAME}.desktop.store",
        f"{PACKAGE_NAME}.engine.cost",
        "PySide6.QtCore",
    }
    assert offences({"engine"}, GUI_PACKAGES) == ["engine/example.py:3 imports PySide6.QtCore"]


@pytest.mark.parametrize("module", ["cli", "api", "files", "engine", "domain"])
def test_gui_packages_load_only_when_needed(module: str):
    look = f"import sys, {PACKAGE_NAME}.{module}; print(*sorted({GUI_PACKAGES!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


@pytest.mark.parametrize(
    ("module", "later"),
    [
        ("desktop.window.main_window", ("numpy", "pyqtgraph", f"{PACKAGE_NAME}.engine")),
        ("desktop.pages.results_pane", (f"{PACKAGE_NAME}.engine.parameters", f"{PACKAGE_NAME}.engine.operations")),
        ("desktop.pages.explain_panel", (f"{PACKAGE_NAME}.engine",)),
    ],
)
def test_window_is_on_screen_before_what_it_shows_is_computed(module: str, later: tuple[str, ...]):
    look = f"import sys, {PACKAGE_NAME}.{module}; print(*[name for name in {later!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


STARTED = """
import linecache, os, sys
from gpuplanner_gui.desktop import main

def look(windows, file, **others):
    print("later", *(name for name in LATER if name in sys.modules))
    windows.front.build_results()
    print("read", *(name for name in linecache.cache if "gpuplanner_gui" in name and name not in before))
    sys.stdout.flush()
    os._exit(0)  # Without taking apart a window that was never shown.

main._show = look
before = set(linecache.cache)
main.main(["--separate"])
"""
LATER = (
    "csv", "hashlib", "multiprocessing", "pydoc", "xml.etree.ElementTree", "numpy", "pyqtgraph",
    f"{PACKAGE_NAME}.engine", f"{PACKAGE_NAME}.files.measurements", f"{PACKAGE_NAME}.desktop.window.tour",
    f"{PACKAGE_NAME}.desktop.window.guided_start", f"{PACKAGE_NAME}.desktop.window.preferences",
)  # fmt: skip


def test_start_imports_nothing_that_the_first_window_does_not_need(tmp_path: Path):
    """And no module's source is read for features of PySide6 that nothing uses."""
    done = subprocess.run(
        [sys.executable, "-c", f"LATER = {LATER!r}\n{STARTED}"], capture_output=True, text=True, check=True,
        env=dict(os.environ, QT_QPA_PLATFORM="offscreen", GPUPLANNER_HOME=str(tmp_path)),
    )  # fmt: skip
    assert done.stdout.splitlines() == ["later", "read"]
