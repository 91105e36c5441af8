"""From JSON and plain values to our types, from any thread.

msgspec looks at a type once, when it first reads one. A second thread that reads the same type meanwhile finds it
looked at in part, and the process ends with a segmentation fault: windows that start together load the same
catalogues. So each type is looked at under a lock, once, and whatever reads it waits for that.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.said import said

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


_LOCK = threading.RLock()
_DECODERS: dict[Any, msgspec.json.Decoder[Any]] = {}


def decoder_of(kind: Any) -> msgspec.json.Decoder[Any]:
    """The decoder of a type, which is looked at the first time."""
    found = _DECODERS.get(kind)
    if found is None:
        with _LOCK:
            found = _DECODERS.setdefault(kind, msgspec.json.Decoder(kind))
    return found


def decoded(content: Any, kind: Any) -> Any:
    """What JSON states, as a type. Raises msgspec.DecodeError, ValidationError among them."""
    return decoder_of(kind).decode(content)


def converted(data: Any, kind: Any) -> Any:
    """Plain values as a type. Raises msgspec.ValidationError."""
    decoder_of(kind)
    return msgspec.convert(data, kind)
