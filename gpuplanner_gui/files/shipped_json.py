"""Reads a file of figures that ships with the program into its struct."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.typed_json import decoded

Struct = TypeVar("Struct", bound=msgspec.Struct)

REMEDY = "Restore the file that came with the program"


def read_shipped(path: Path, struct_type: type[Struct]) -> Struct:
    """The struct in a JSON file. Raises FileProblem, naming the place, when it can't be read or does not fit."""
    try:
        found: Struct = decoded(path.read_bytes(), struct_type)
        return found
    except OSError as error:
        raise FileProblem(
            path, "", said("the file can't be read ({strerror})", strerror=error.strerror), REMEDY
        ) from error
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at ")
        raise FileProblem(path, where.strip("`"), what[:1].lower() + what[1:], REMEDY) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise FileProblem(path, "", "the file is no valid JSON", REMEDY) from error
