"""A measurement file as bytes that are not loaded: cut into lines or JSON values, with progress and a stop."""

from __future__ import annotations

import codecs
import hashlib
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, get_origin

import msgspec

from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.files.errors import FileProblem, no_file, said, unreadable
from gpuplanner_gui.files.safe_json import NOT_JSON, decoded

WINDOW_BYTES = 1_000_000


class CutShort(OSError):
    """The file has become shorter since it was opened."""


class FileBytes:
    """Like `bytes` of the whole file in what it can do, but with one window of it in memory."""

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._size = size
        self._start = 0
        self._window = b""

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self._size)
        if start >= stop:
            return b""
        if self._start <= start and stop <= self._start + len(self._window):
            return self._window[start - self._start : stop - self._start]
        if stop - start > WINDOW_BYTES:
            return self._read(start, stop)
        self._move(start)
        return self._window[: stop - start]

    def find(self, mark: bytes, start: int = 0, end: int | None = None) -> int:
        """Where a mark first stands within the places asked for; -1 where it does not."""
        stop = self._size if end is None else min(end, self._size)
        while start + len(mark) <= stop:
            if not self._start <= start <= self._start + len(self._window) - len(mark):
                self._move(start)
            found = self._window.find(mark, start - self._start, stop - self._start)
            if found >= 0:
                return self._start + found
            # A mark may reach over the end of the window.
            start = self._start + len(self._window) - len(mark) + 1
        return -1

    def _move(self, start: int) -> None:
        """Have the window begin here."""
        self._window = self._read(start, min(start + WINDOW_BYTES, self._size))
        self._start = start

    def _read(self, start: int, stop: int) -> bytes:
        self._stream.seek(start)
        found = self._stream.read(stop - start)
        if len(found) < stop - start:
            raise CutShort
        return found


BYTE_ORDER_MARK = codecs.BOM_UTF8
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""PowerShell writes this where output is redirected to a file."""
PACKED = {
    b"\x1f\x8b": "gzip",
    b"PK\x03\x04": "zip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    b"BZh": "bzip2",
    b"7z\xbc\xaf": "7z",
}
LOOKED_AT_BYTES = 32
PART_BYTES = 1_000_000


def refuse_what_is_no_text(path: Path, start: bytes) -> None:
    """Raise FileProblem where a file begins as no text does."""
    kind = next((name for mark, name in PACKED.items() if start.startswith(mark)), "")
    if kind:
        raise FileProblem(path, "", "the file is packed ({kind})", "Unpack it and choose the file inside", kind=kind)
    if b"\x00" in start and not is_utf16(start):
        raise FileProblem(path, "", "this is not a text file", "Choose a file that a benchmark wrote")


def is_utf16(start: bytes) -> bool:
    return start.startswith(UTF16) and not start.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE))


@contextmanager
def in_utf8(written: FileBytes, look: Callable[[int], None]) -> Iterator[FileBytes]:
    """The text of a file of UTF-16, in a file of its own that is gone afterwards. `look` is told how far it is."""
    decoder = codecs.getincrementaldecoder("utf-16")("replace")
    with tempfile.TemporaryFile() as made:
        for position in range(0, len(written), PART_BYTES):
            look(position)
            part = written[position : position + PART_BYTES]
            is_last = position + PART_BYTES >= len(written)
            made.write(decoder.decode(part, is_last).encode("utf-8", "replace"))
        yield FileBytes(made, made.tell())


LARGEST_FILE_BYTES = 4_000_000_000
HEAD_BYTES = 65_536
CHUNK_BYTES = 2_000_000
LARGEST_JSON_BYTES = 1_000_000_000
"""Largest JSON value, which is in memory as a whole. [bytes]"""
MOST_VALUES = 8_000_000
MOST_KEYS = 4_000_000
"""Most keys of one JSON value."""
LOOK_EVERY_BYTES = 1_000_000
"""Bytes between two looks at progress and cancellation."""

_OBJECT = dict[str, msgspec.Raw]
_NO_NUMBER = re.compile(rb"(?<=[\s:,\[])-?(?:Infinity|NaN)(?=[\s,\]}])")
INFINITE = 1e300
"""What `Infinity` is read as is beyond this."""


@dataclass
class Source:
    """An opened file: `data` is its text in UTF-8, `written` the file as it is on the disk."""

    path: Path
    data: FileBytes
    written: FileBytes
    is_cancelled: Callable[[], bool] | None = None
    on_progress: Callable[[float], None] | None = None
    _looked_at: int = 0

    @property
    def size(self) -> int:
        return len(self.data)

    @property
    def start(self) -> int:
        """Where the text begins: behind the mark of its encoding, where it has one."""
        return len(BYTE_ORDER_MARK) if self.data[: len(BYTE_ORDER_MARK)] == BYTE_ORDER_MARK else 0

    def problem(self, where: str, what: str, remedy: str = "", /, **values: Any) -> FileProblem:
        """An error about this file, to be raised; `values` are filled into what is said."""
        return FileProblem(self.path, where, what, remedy, **values)

    def head(self) -> str:
        """The beginning as text."""
        return self.data[self.start : HEAD_BYTES].decode("utf-8", "replace")

    def look(self, position: int) -> None:
        """Say how far the reading is; raises CancelledError where it is no longer wanted."""
        if abs(position - self._looked_at) < LOOK_EVERY_BYTES:
            return
        self._looked_at = position
        if self.is_cancelled is not None and self.is_cancelled():
            raise CancelledError
        if self.on_progress is not None:
            self.on_progress(min(position / max(self.size, 1), 1.0))

    def chunks(self) -> Iterator[bytes]:
        """The content in whole lines, some megabytes at a time; a line that is too long is cut."""
        position = self.start
        while position < self.size:
            self.look(position)
            chunk = self.data[position : position + CHUNK_BYTES]
            if position + len(chunk) < self.size:
                chunk = chunk[: chunk.rfind(b"\n") + 1] or chunk
            yield chunk
            position += len(chunk)

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
        """SHA-256 of the file as it is written."""
        made = hashlib.sha256()
        for position in range(0, len(self.written), LOOK_EVERY_BYTES):
            self.look(position)
            made.update(self.written[position : position + LOOK_EVERY_BYTES])
        return made.hexdigest()

    def decoded(self, start: int | None = None, end: int | None = None, type_: Any = Any) -> Any:
        """The JSON value in a stretch of the file. `Infinity` comes back beyond `INFINITE`, `NaN` as None.

        Raises ValueError with the reason.
        """
        return decoded_json(self._stretch(self.start if start is None else start, end), type_)

    def problem_of_head(self) -> str:
        """Why what begins as one JSON value is none, as far as the first bytes tell; empty where they don't."""
        content = self.data[self.start : HEAD_BYTES]
        if len(content) < self.size - self.start:
            # Up to a character that is whole.
            content = content[: max((place for place in range(len(content)) if content[place] < 128), default=0)]
        try:
            decoded(content, msgspec.Raw)
        except NOT_JSON as problem:
            is_open = "truncated" in str(problem) or _stops_at_constant(content, str(problem))
            return "" if is_open else _reason(problem)
        return ""

    def decoded_values(self) -> Iterator[tuple[int, dict[str, msgspec.Raw]]]:
        """Line and content of JSON objects that stand one after the other, however they are laid out.

        Raises ValueError with the reason where the next one can't be read.
        """
        content = _NO_NUMBER.sub(_in_json, self._stretch(self.start, None))
        position = len(content) - len(content.lstrip())
        line = 1 + content.count(b"\n", 0, position)
        view = memoryview(content)
        _refuse_unfolding(view, _OBJECT)
        while position < len(view):
            self.look(position)
            end = position + _length_of_first(view[position:])
            yield line, decoded_json(view[position:end], _OBJECT)
            line += content.count(b"\n", position, end)
            position = end

    def _stretch(self, start: int, end: int | None) -> bytes:
        stop = self.size if end is None else end
        if stop - start > LARGEST_JSON_BYTES:
            raise ValueError(said("it contains a value of more than {size} GB", size=f"{LARGEST_JSON_BYTES / 1e9:g}"))
        return self.data[start:stop]


def decoded_json(view: Any, type_: Any = Any) -> Any:
    """A JSON value in a buffer; see `Source.decoded`."""
    _refuse_unfolding(view, type_)
    try:
        return decoded(view, type_)
    except NOT_JSON as problem:
        if not _stops_at_constant(view, str(problem)):
            raise ValueError(_reason(problem)) from None
    try:
        return decoded(_NO_NUMBER.sub(_in_json, view), type_)
    except NOT_JSON as problem:
        raise ValueError(_reason(problem)) from None


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
    if count > most and is_object:
        raise ValueError(said("it contains more than {most} named values", most=f"{most:,}"))
    if count > most:
        raise ValueError(said("it contains more than {most} values", most=f"{most:,}"))


def _length_of_first(view: memoryview) -> int:
    """Bytes up to the second JSON value, or to the end where there is none. Raises ValueError with the reason."""
    try:
        decoded(view, _OBJECT)
    except NOT_JSON as problem:
        found = _MALFORMED.match(str(problem))
        if found is None or not found[2] or found[1] != "trailing characters":
            raise ValueError(_reason(problem)) from None
        # It counts the first byte behind the value in.
        return int(found[2].removeprefix("byte ")) - 1
    return len(view)


def _stops_at_constant(view: Any, problem: str) -> bool:
    """True where decoding stopped at `Infinity` or `NaN`, which some tools write and JSON does not have."""
    found = _MALFORMED.match(problem)
    start = int(found[2].removeprefix("byte ")) if found is not None and found[2] else -1
    return start >= 0 and bytes(view[start : start + 9]).removeprefix(b"-").startswith((b"Infinity", b"NaN"))


def _in_json(constant: re.Match[bytes]) -> bytes:
    return b"null" if b"NaN" in constant[0] else b"1e308"


_MALFORMED = re.compile(r"JSON is malformed: (.*?)(?: \((byte \d+)\))?$")


def _reason(problem: Exception) -> str:
    """What msgspec found, as the end of a sentence."""
    if isinstance(problem, RecursionError):
        return said("it is nested too deeply")
    if isinstance(problem, UnicodeDecodeError):
        return said("it is not UTF-8 text")
    text = str(problem)
    if "truncated" in text:
        return said("it is cut off in the middle")
    found = _MALFORMED.match(text)
    if found is not None:
        return said("it is not valid JSON ({what})", what=f"{found[1]}{f' at {found[2]}' if found[2] else ''}")
    return said("it is not valid JSON of the expected kind")


def reason_in(problem: ValueError) -> str:
    """What a decoder raised, as the end of a sentence that other languages have too."""
    first = problem.args[0] if problem.args else ""
    return first if isinstance(first, str) else str(problem)


@contextmanager
def opened(
    path: Path, is_cancelled: Callable[[], bool] | None = None, on_progress: Callable[[float], None] | None = None
) -> Iterator[Source]:
    """A file to be read. Raises FileProblem for what can't be read or is no text."""
    try:
        if not path.is_file():
            raise no_file(path)
        size = path.stat().st_size
        if not size:
            raise FileProblem(path, "", "the file is empty", "Choose a file that a benchmark wrote")
        if size > LARGEST_FILE_BYTES:
            raise FileProblem(
                path, "", "the file has {size} GB; at most 4 GB are read", "Split it", size=f"{size / 1e9:.1f}"
            )
        with ExitStack() as open_files:
            written = FileBytes(open_files.enter_context(path.open("rb")), size)
            source = Source(path, written, written, is_cancelled, on_progress)
            start = written[:LOOKED_AT_BYTES]
            refuse_what_is_no_text(path, start)
            if is_utf16(start):
                source.data = open_files.enter_context(in_utf8(written, source.look))
            yield source
    except CutShort:
        raise FileProblem(
            path, "", "the file was shortened while it was read", "Import it again when no program writes to it"
        ) from None
    except (OSError, ValueError) as problem:
        raise unreadable(path, problem) from None
