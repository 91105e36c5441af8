"""See that this machine has what pip can't bring: Python with venv, and the system libraries that Qt loads.

Run by `make` before everything else, with the machine's own Python and nothing but its standard library. On Debian
and its relatives, missing packages are installed when running as root; otherwise the line to run is printed. On other
systems the missing libraries are named. `debian-packages.csv` says what is needed for what: `qt` to import Qt at all,
`display` to open a window on a screen, `frozen build` to make one.
"""

from __future__ import annotations

import argparse
import csv
import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

OLDEST_PYTHON = (3, 11)
PACKAGES_TABLE = Path(__file__).with_name("debian-packages.csv")


def main() -> int:
    parser = argparse.ArgumentParser(description="Check that this machine can run GPU Planner; install what it lacks.")
    parser.add_argument("--frozen-build", action="store_true", help="also what PyInstaller needs")
    arguments = parser.parse_args()

    if sys.version_info < OLDEST_PYTHON:
        running, oldest = (".".join(map(str, version[:2])) for version in (sys.version_info, OLDEST_PYTHON))
        print(
            f"GPU Planner needs Python {oldest} or newer; this is {running}. Name one: make PYTHON=python{oldest} run"
        )
        return 1

    wanted = {"venv", "qt", "display"} | ({"frozen build"} if arguments.frozen_build else set())
    missing = missing_packages(wanted)
    if missing and can_install():
        install(package for package, _ in missing)
        missing = missing_packages(wanted)
    if not missing:
        return 0
    print(request_sentence(sorted({package for package, _ in missing})))
    return 1 if any(is_required(purpose) for _, purpose in missing) else 0


def missing_packages(wanted: set[str]) -> list[tuple[str, str]]:
    """What this machine lacks as (Debian package, what it is needed for)."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    missing = []
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        missing.append((f"python{version}-venv", "venv"))
    if sys.platform == "linux":
        with PACKAGES_TABLE.open(encoding="utf-8", newline="") as table:
            rows = list(csv.DictReader(table))
        missing += [(row["package"], row["needed_for"]) for row in rows if not is_there(row["kind"], row["thing"])]
        if not has_python_library():
            missing.append((f"libpython{version}", "frozen build"))
    return [(package, purpose) for package, purpose in missing if purpose in wanted]


def is_there(kind: str, thing: str) -> bool:
    if kind == "command":
        return shutil.which(thing) is not None
    if kind == "folder":
        return Path(thing).is_dir()
    try:
        ctypes.CDLL(thing)
    except OSError:
        return False
    return True


def has_python_library() -> bool:
    """Whether the interpreter's own shared library is there, which PyInstaller copies."""
    name = sysconfig.get_config_var("INSTSONAME") or ""
    if not name.startswith("libpython") or ".so" not in name:
        name = f"libpython{sys.version_info.major}.{sys.version_info.minor}.so.1.0"
    folder = sysconfig.get_config_var("LIBDIR")
    return (bool(folder) and Path(folder, name).is_file()) or is_there("library", name)


def is_required(purpose: str) -> bool:
    """The libraries for a screen may be missing where there is no screen."""
    return purpose != "display" or bool(os.environ.get("DISPLAY"))


def can_install() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def install(packages: Iterable[str]) -> None:
    """Install Debian packages; a failure is seen by looking again at what is missing."""
    names = sorted(set(packages))
    print("Installing from Debian: " + " ".join(names), flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for action in (["update"], ["install", "--yes", "--no-install-recommends", *names]):
        done = subprocess.run(["apt-get", "-qq", *action], env=environment, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stderr, file=sys.stderr)


def request_sentence(packages: list[str]) -> str:
    names = " ".join(packages)
    if shutil.which("apt-get") is None:
        return f"Install what these Debian packages hold, under this system's names, then run make again: {names}"
    line = f"sudo apt-get install {names}"
    return f"This machine lacks packages that GPU Planner needs. Run this line, then make again:\n    {line}"


if __name__ == "__main__":
    sys.exit(main())
