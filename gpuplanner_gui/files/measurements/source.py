"""A measurement file as bytes that are not loaded: mapped, cut into lines or JSON values, with progress and a stop."""

from __future__ import annotations

import hashlib
import mmap
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_origin

import msgspec

from gpuplanner_gui.files.errors import FileProblem, no_file
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.typed_json import decoded

LARGEST_FILE_BYTES = 4_000_000_000
HEAD_BYTES = 65_536
CHUNK_BYTES = 2_000_000
MOST_VALUES = 8_000_000
MOST_KEYS = 4_000_000
"""Of one JSON value that is decoded as a whole."""
LOOK_EVERY_BYTES = 1_000_000
"""Between two looks at progress and at whether the answer is still wanted."""

_NO_NUMBER = re.compile(rb"(?<=[\s:,\[])-?(?:Infinity|NaN)(?=[\s,\]}])")
INFINITE = 1e300
"""What `Infinity` is read as is beyond this."""


class ImportCancelled(Exception):
    """The caller has lost interest; nothing was read."""


@dataclass
class Source:
    """An opened file. `data` is its mapping, or the bytes of an empty or small one."""

    path: Path
    data: mmap.mmap | bytes
    size: int
    is_cancelled: Callable[[], bool] | None = None
    on_progress: Callable[[float], None] | None = None
    _looked_at: int = 0

    def problem(self, where: str, what: str, remedy: str = "") -> FileProblem:
        """An error about this file, to be raised."""
        return FileProblem(self.path, where, what, remedy)

    def head(self) -> str:
        """The beginning as text."""
        return bytes(self.data[:HEAD_BYTES]).removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")

    def look(self, position: int) -> None:
        """Say how far the reading is; raises ImportCancelled where it is no longer wanted."""
        if abs(position - self._looked_at) < LOOK_EVERY_BYTES:
            return
        self._looked_at = position
        if self.is_cancelled is not None and self.is_cancelled():
            raise ImportCancelled
        if self.on_progress is not None:
            self.on_progress(min(position / max(self.size, 1), 1.0))

    def chunks(self) -> Iterator[bytes]:
        """The content in whole lines, some megabytes at a time; a line that is too long is cut."""
        position, data = 3 if self.data[:3] == b"\xef\xbb\xbf" else 0, self.data
        while position < self.size:
            self.look(position)
            end = min(position + CHUNK_BYTES, self.size)
            if end < self.size:
                last = data.rfind(b"\n", position, end)
                end = last + 1 if last >= 0 else end
            yield bytes(data[position:end])
            position = end

    def lines(self) -> Iterator[tuple[int, str]]:
        """Number from 1 and text of every line."""
        number = 0
        for chunk in self.chunks():
            # Not splitlines, which also breaks at form feeds and the like.
            parts = chunk.decode("utf-8", "replace").split("\n")
            if chunk.endswith(b"\n"):
                parts.pop()
            for text in parts:
                number += 1
                yield number, text.rstrip("\r")

    def digest(self) -> str:
        """SHA-256 of the content."""
        made = hashlib.sha256()
        for position in range(0, self.size, LOOK_EVERY_BYTES):
            self.look(position)
            made.update(self.data[position : position + LOOK_EVERY_BYTES])
        return made.hexdigest()

    def decoded(self, start: int = 0, end: int | None = None, type_: Any = Any) -> Any:
        """The JSON value in a stretch of the file. `Infinity` comes back beyond `INFINITE`, `NaN` as None.

        Raises ValueError with the reason.
        """
        view = memoryview(self.data)[start : self.size if end is None else end]
        return decoded_json(view, type_)


def decoded_json(view: Any, type_: Any = Any) -> Any:
    """A JSON value in a buffer; see `Source.decoded`."""
    _refuse_unfolding(view, type_)
    try:
        return decoded(view, type_)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None
    except msgspec.DecodeError as problem:
        if not _stops_at_constant(view, str(problem)):
            raise ValueError(_reason(problem)) from None
    return _decoded_without_constants(view, type_)


def _refuse_unfolding(view: Any, type_: Any) -> None:
    """A list of `0,` takes forty times its size in memory, an object of short names twenty: both are bounded.

    Raises ValueError.
    """
    is_object = get_origin(type_) is dict
    mark, most = (b":", MOST_KEYS) if is_object else (b",", MOST_VALUES)
    if len(view) <= most:
        return
    count = sum(
        bytes(view[start : start + CHUNK_BYTES]).count(mark) for start in range(0, len(view), CHUNK_BYTES)
    )  # fmt: skip
    if count > most:
        raise ValueError(f"it holds more than {most:,} {'named values' if is_object else 'values'}")


def _stops_at_constant(view: Any, problem: str) -> bool:
    """True where decoding stopped at `Infinity` or `NaN`, which some tools write and JSON does not have."""
    found = _MALFORMED.match(problem)
    start = int(found[2].removeprefix("byte ")) if found is not None and found[2] else -1
    return start >= 0 and bytes(view[start : start + 9]).removeprefix(b"-").startswith((b"Infinity", b"NaN"))


def _decoded_without_constants(view: Any, type_: Any) -> Any:
    plain = _NO_NUMBER.sub(lambda found: b"null" if b"NaN" in found[0] else b"1e308", view)
    try:
        return decoded(plain, type_)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise ValueError(_reason(problem)) from None


_MALFORMED = re.compile(r"JSON is malformed: (.*?)(?: \((byte \d+)\))?$")


def _reason(problem: Exception) -> str:
    """What msgspec found, as the end of a sentence."""
    text = str(problem)
    if "truncated" in text:
        return "it stops in the middle"
    found = _MALFORMED.match(text)
    if found is not None:
        return f"it is no valid JSON ({found[1]}{f' at {found[2]}' if found[2] else ''})"
    return "it is no valid JSON of the expected kind"


@contextmanager
def opened(
    path: Path, is_cancelled: Callable[[], bool] | None = None, on_progress: Callable[[float], None] | None = None
) -> Iterator[Source]:
    """A file mapped for reading. Raises FileProblem for what can't be read or is no text."""
    try:
        if not path.is_file():
            raise no_file(path)
        size = path.stat().st_size
        if not size:
            raise FileProblem(path, "", "the file is empty", "Choose a file that a benchmark wrote")
        if size > LARGEST_FILE_BYTES:
            raise FileProblem(
                path, "", said("the file has {size} GB; at most 4 GB are read", size=f"{size / 1e9:.1f}"), "Cut it"
            )
        with path.open("rb") as stream:
            mapped = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        _refuse_other_encodings(path, mapped[:32])
        # Not closed: parts of a large JSON object are views of it, and it goes when the last of them does.
        yield Source(path, mapped, size, is_cancelled, on_progress)
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise FileProblem(
            path, "", said("the file can't be read ({reason})", reason=reason), "Check its name and permissions"
        ) from None


def _refuse_other_encodings(path: Path, start: bytes) -> None:
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileProblem(path, "", "the file is in UTF-16, not UTF-8", "Save it in UTF-8")
    if b"\x00" in start:
        raise FileProblem(path, "", "this is not a text file", "Choose a file that a benchmark wrote")
