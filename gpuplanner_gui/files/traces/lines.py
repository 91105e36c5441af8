"""A large text file line by line, also one that is parted: bounded lines, progress, a way to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from gpuplanner_gui.files.errors import FileProblem, no_file, said

PARTS = 251
"""A prime, so that numbers in steps of a power of two are spread over all parts."""


class Numbering:
    """Numbers names from 0 in the order in which they are first seen."""

    def __init__(self) -> None:
        self._parts: list[dict[str, int]] = [{} for _ in range(PARTS)]
        self._count = 0

    def number(self, name: str) -> int:
        """The number of a name, the next one if it was not seen before."""
        part = self._parts[hash(name) % PARTS]
        found = part.get(name)
        if found is None:
            found = part[name] = self._count
            self._count += 1
        return found

    def clear(self) -> None:
        """Let go of everything, part by part."""
        for part in self._parts:
            part.clear()
        self._count = 0


class SeenNumbers:
    """A set of whole numbers."""

    def __init__(self) -> None:
        self._parts: list[set[int]] = [set() for _ in range(PARTS)]

    def known_at_start(self, numbers: list[int]) -> int:
        """How many of the numbers, from the first on, were seen before."""
        parts = self._parts
        for place, number in enumerate(numbers):
            if number not in parts[number % PARTS]:
                return place
        return len(numbers)

    def add(self, numbers: Iterable[int]) -> None:
        parts = self._parts
        for number in numbers:
            parts[number % PARTS].add(number)

    def clear(self) -> None:
        """Let go of everything, part by part."""
        for part in self._parts:
            part.clear()


LONGEST_LINE_BYTES = 1_000_000
"""A prompt of ten million tokens has 200 kB of block numbers."""

LARGEST_FILE_BYTES = 16_000_000_000
_BINARY_SHOWS_WITHIN = 32
LINES_PER_LOOK = 2048
"""Lines between two looks at progress and at whether the answer is still wanted; some milliseconds."""


BYTES_AT_ONCE = 1 << 20
"""A thread that reads lets go of Python and takes it back before another has woken up, which then waits anew. With the
usual 8 kB that happens more often than once in a switch interval, and a window stood still for half a second."""


class TraceCancelled(Exception):
    """The caller has lost interest; nothing was read."""


def numbered_lines(
    path: Path, is_cancelled: Callable[[], bool] | None = None, on_progress: Callable[[float], None] | None = None
) -> Iterator[tuple[int, str | None]]:
    """Lines with their numbers from 1, without line ends; None for one that is too long to be a row.

    `on_progress` is told the share of the file that is read. Raises FileProblem for a file that can't be read or is
    not text in UTF-8, TraceCancelled when `is_cancelled` says so.
    """
    try:
        if not path.is_file():
            raise no_file(path)
        size = path.stat().st_size
        if size > LARGEST_FILE_BYTES:
            limit = LARGEST_FILE_BYTES / 1e9
            raise FileProblem(
                path,
                "",
                said(
                    "the file has {size} GB; at most {limit} GB are read",
                    size=f"{size / 1e9:.0f}",
                    limit=f"{limit:.0f}",
                ),
                "Split it",
            )
        with path.open("rb", buffering=BYTES_AT_ONCE) as stream:
            _refuse_other_encodings(stream, path)
            yield from _lines(stream, max(size, 1), is_cancelled, on_progress)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileProblem(
            path, "", said("the file can't be read ({reason})", reason=reason), "Check its name and permissions"
        ) from None


def _refuse_other_encodings(stream: BinaryIO, path: Path) -> None:
    start = stream.read(_BINARY_SHOWS_WITHIN)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileProblem(path, "", "the file is in UTF-16, not UTF-8", "Save it in UTF-8")
    if b"\x00" in start:
        raise FileProblem(path, "", "this is not a text file", "Choose a trace in CSV or JSON lines")
    stream.seek(3 if start.startswith(b"\xef\xbb\xbf") else 0)


def _lines(
    stream: BinaryIO, size: int, is_cancelled: Callable[[], bool] | None, on_progress: Callable[[float], None] | None
) -> Iterator[tuple[int, str | None]]:
    number = 0
    while raw := stream.readline(LONGEST_LINE_BYTES):
        number += 1
        if number % LINES_PER_LOOK == 0:
            if is_cancelled is not None and is_cancelled():
                raise TraceCancelled
            if on_progress is not None:
                on_progress(min(stream.tell() / size, 1.0))
        if len(raw) == LONGEST_LINE_BYTES and not raw.endswith(b"\n"):
            _skip_line(stream, is_cancelled)
            yield number, None
        else:
            yield number, raw.decode("utf-8", "replace").rstrip("\r\n")


def _skip_line(stream: BinaryIO, is_cancelled: Callable[[], bool] | None) -> None:
    while (raw := stream.readline(LONGEST_LINE_BYTES)) and not raw.endswith(b"\n"):
        if is_cancelled is not None and is_cancelled():
            raise TraceCancelled
