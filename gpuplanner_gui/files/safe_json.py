"""JSON from outside, read as if it were hostile: size, depth, duplicate keys, numbers and characters are checked.

What comes back is plain Python data. Keys are known to be unique, nesting is bounded, integers have at most
`LARGEST_INTEGER_DIGITS` digits and floats are finite unless the caller keeps `Infinity` (some tools write it).
"""

from __future__ import annotations

import json
import math
import threading
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.files.errors import FileProblem, no_file, said, unreadable
from gpuplanner_gui.files.text import plain_text

Struct = TypeVar("Struct", bound=msgspec.Struct)

REMEDY = "Restore the file that came with the program"
NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What `decoded` raises for bytes that are no JSON."""


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
    except NOT_JSON as error:
        raise FileProblem(path, "", "the file is not valid JSON", REMEDY) from error


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


LARGEST_FILE_BYTES = 50_000_000
DEEPEST_NESTING = 100
LARGEST_INTEGER_DIGITS = 25


def read_json(
    source: Path | str | bytes,
    *,
    name: Path | str = "",
    limit_bytes: int = LARGEST_FILE_BYTES,
    deepest: int = DEEPEST_NESTING,
    keep_infinity: bool = False,
) -> Any:
    """Plain data from a JSON file (a path) or from its bytes.

    `name` is what errors call the bytes. With `keep_infinity`, `Infinity` and `NaN` come back as floats, and whoever
    reads a number checks it. Raises FileProblem naming the place.
    """
    path = Path(name) if name else Path("data.json") if isinstance(source, bytes) else Path(source)
    data = source if isinstance(source, bytes) else read_bytes(path, limit_bytes)
    if len(data) > limit_bytes:
        raise _too_large(path, len(data), limit_bytes)
    text = _text(data, path)
    try:
        value = json.loads(
            text,
            object_pairs_hook=partial(_unique_keys, path),
            parse_constant=partial(_constant, path, keep_infinity),
            parse_int=partial(_integer, path),
            parse_float=partial(_decimal, path),
        )
    except RecursionError:
        raise _too_deep(path, deepest) from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise FileProblem(
            path, place, "this is not valid JSON ({lower})", "Export the file again", lower=error.msg.lower()
        ) from None
    _check_depth(value, path, deepest)
    return value


def refuse_out_of_bounds(path: Path, *structs: msgspec.Struct, within: str = "") -> None:
    """Raise FileProblem for a figure of a file that ships which its description does not allow."""
    for found in [problem for struct in structs for problem in problems_of(struct)]:
        what = said("{title} is {value}, which is out of range", title=found.title or "a figure", value=found.value)
        raise FileProblem(path, within + found.path, what, REMEDY)


def read_bytes(path: Path, limit_bytes: int = LARGEST_FILE_BYTES) -> bytes:
    """A file's bytes, if it is a readable file of acceptable size. Raises FileProblem."""
    try:
        if not path.is_file():
            raise no_file(path)
        size = path.stat().st_size
        if size > limit_bytes:
            raise _too_large(path, size, limit_bytes)
        with path.open("rb") as stream:
            content = stream.read(limit_bytes + 1)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    if len(content) > limit_bytes:  # It has grown since, or is one of those that state no size.
        raise _too_large(path, len(content), limit_bytes)
    return content


def _text(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileProblem(
            path, f"byte {error.start}", "this is not UTF-8 text", "Save the file as UTF-8 JSON"
        ) from None


def _unique_keys(path: Path, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise FileProblem(
                    path, plain_text(key, 60), "this key appears twice in one object", "Remove one of the two"
                )
            seen.add(key)
    return found


def _constant(path: Path, keep: bool, word: str) -> float:
    if keep:
        return float(word.replace("Infinity", "inf").replace("NaN", "nan"))
    raise FileProblem(path, "", "the number {word} is not allowed", "Replace it with a finite number", word=word)


def _integer(path: Path, digits: str) -> int:
    if len(digits) > LARGEST_INTEGER_DIGITS:
        raise FileProblem(
            path,
            "",
            "a number has {digits} digits ({digits_2}…)",
            "Correct the number",
            digits=len(digits),
            digits_2=digits[:12],
        )
    return int(digits)


def _decimal(path: Path, digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise FileProblem(path, "", "the number {digits} is too large", "Correct the number", digits=digits[:24])
    return number


def _check_depth(value: Any, path: Path, deepest: int) -> None:
    level = _containers([value])
    for _ in range(deepest):
        if not level:
            return
        level = _containers([inner for item in level for inner in _parts(item)])
    if level:
        raise _too_deep(path, deepest)


def _containers(items: list[Any]) -> list[Any]:
    return [item for item in items if isinstance(item, (dict, list))]


def _parts(item: dict[str, Any] | list[Any]) -> list[Any]:
    return list(item.values()) if isinstance(item, dict) else item


def _too_deep(path: Path, deepest: int) -> FileProblem:
    return FileProblem(
        path, "", "the data is nested more than {deepest} levels deep", "Export the file again", deepest=deepest
    )


def _too_large(path: Path, size: int, limit: int) -> FileProblem:
    return FileProblem(
        path,
        "",
        "the file has {size} MB; at most {limit} MB are read",
        "Choose a smaller file",
        size=f"{size / 1e6:,.0f}",
        limit=f"{limit / 1e6:,.0f}",
    )
