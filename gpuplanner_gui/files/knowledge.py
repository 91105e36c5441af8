"""Loads what measurements have taught the program: the kernel calibration and the facts of serving engines."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import msgspec

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.files.calibration import load_kernel_calibration
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.paths import catalogs_dir

KERNELS_FILE = "calibration_kernels.json"
ENGINES_FILE = "serving_engines.json"


@lru_cache(maxsize=4)
def load_calibration(folder: Path | None = None) -> Calibration:
    """The calibration that ships, or the one in a folder.

    Raises FileProblem when a file can't be read, is damaged or holds figures out of bounds.
    """
    base = catalogs_dir() if folder is None else folder
    loaded = load_kernel_calibration(base / KERNELS_FILE)
    engines, content = _engines(base / ENGINES_FILE)
    digest = hashlib.sha256(loaded.digest.encode() + content).hexdigest()
    return Calibration(kernels=loaded.calibration, engines=engines, digest=digest)


def _engines(path: Path) -> tuple[tuple[EngineFacts, ...], bytes]:
    try:
        content = path.read_bytes()
        engines = msgspec.json.decode(content, type=tuple[EngineFacts, ...])
    except OSError as problem:
        raise FileProblem(path, "", f"The file can't be read ({problem.strerror})", "Check that it exists") from problem
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at ")
        raise FileProblem(path, where.strip("`"), what, "Restore the file that came with the program") from problem
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise FileProblem(path, "", "The file is no valid JSON", "Restore the file that came with the program") from problem
    for found in [problem for facts in engines for problem in problems_of(facts)]:
        raise FileProblem(path, found.path, f"{found.title or 'A figure'} is {found.value}, which is out of bounds")
    return engines, content
