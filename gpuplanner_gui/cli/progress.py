"""A line on standard error that says how far a long task is; nothing where that is no terminal."""

from __future__ import annotations

import sys
import time
from types import TracebackType

FIRST_AFTER_S = 0.5
EVERY_S = 0.1


class Progress:
    """Used as a context; the line is gone when the task ends."""

    def __init__(self, words: str) -> None:
        self._words = words
        self._shown_at_s = time.monotonic() + FIRST_AFTER_S - EVERY_S
        self._is_shown = False

    def show(self, share: float) -> None:
        """Say the share that is done, now and then."""
        now_s = time.monotonic()
        if sys.stderr.isatty() and now_s - self._shown_at_s >= EVERY_S:
            self._shown_at_s = now_s
            self._is_shown = True
            sys.stderr.write(f"\r{self._words}: {min(share, 1.0):.0%} ")
            sys.stderr.flush()

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
