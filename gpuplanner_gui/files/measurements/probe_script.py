"""The probe that ships: one file to be carried to the machine that is to be measured."""

from __future__ import annotations

from pathlib import Path

from gpuplanner_gui.files.whole_file import write_whole_file
from gpuplanner_gui.paths import resources_dir

PROBE_NAME = "gpuplanner_probe.py"


def save_probe(path: Path) -> None:
    """Write the probe. Raises FileProblem where the file can't be written."""
    write_whole_file(path, (resources_dir() / "probe" / PROBE_NAME).read_bytes())
