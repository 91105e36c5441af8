"""Bytes of a file by their place, read when they are asked for.

Not mapped: where another program cuts a mapped file short, as one does that rotates logs, the next look at what is gone
ends this program.
"""

from __future__ import annotations

from typing import BinaryIO

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
