"""Measurements as a file of their own, to be mailed: UTF-8 JSON, every figure with its context."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from gpuplanner_gui import __version__
from gpuplanner_gui.domain.field import about, problems_of
from gpuplanner_gui.domain.measurement import MeasurementSet
from gpuplanner_gui.files.bounded import refuse_bulk_and_hidden_text
from gpuplanner_gui.files.bounds import problem_text
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.migrations import SET_MIGRATIONS, migrated
from gpuplanner_gui.files.safe_json import read_json
from gpuplanner_gui.files.typed_json import converted
from gpuplanner_gui.files.whole_file import write_whole_file

FORMAT_NAME = "gpuplanner-measurements"
FORMAT_VERSION = 2
SUFFIX = ".gpumeasure"


class MeasurementFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a file of measurements holds."""

    format: Literal["gpuplanner-measurements"] = "gpuplanner-measurements"
    version: Annotated[int, about("Format version", minimum=1)] = FORMAT_VERSION
    app_version: Annotated[str, about("Written by")] = ""
    sets: Annotated[tuple[MeasurementSet, ...], about("Measurements")] = ()


def save_sets(path: Path, sets: tuple[MeasurementSet, ...]) -> None:
    """Write sets of measurements. Raises FileProblem where the file can't be written."""
    content = msgspec.json.encode(MeasurementFile(app_version=__version__, sets=sets))
    write_whole_file(path, msgspec.json.format(content, indent=2) + b"\n")


def load_sets(path: Path) -> tuple[MeasurementSet, ...]:
    """The sets in a file that `save_sets` wrote. Raises FileProblem, naming the place."""
    data = read_json(path)
    if not isinstance(data, dict) or data.get("format") != FORMAT_NAME:
        raise FileProblem(path, "", "this is no file of measurements", "Choose one that GPU Planner saved")
    version = data.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise FileProblem(path, "version", "The format version is missing or no positive whole number")
    if version > FORMAT_VERSION:
        raise FileProblem(path, "version", "a newer program wrote this file", "Update the program")
    refuse_bulk_and_hidden_text(data, path)
    try:
        file: MeasurementFile = converted(migrated(data, FORMAT_VERSION, SET_MIGRATIONS), MeasurementFile)
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at ")
        raise FileProblem(path, where.strip("`") or "$", what, "Ask the sender for the file again") from None
    for found in problems_of(file):
        raise FileProblem(path, found.path, problem_text(found), "Correct the value")
    return file.sets
