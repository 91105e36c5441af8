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
        self._started_s = time.monotonic()
        self._shown_at_s = self._started_s + FIRST_AFTER_S - EVERY_S
        self._is_shown = False
        self._share = ""

    def show(self, share: float) -> None:
        """Say the share that is done, now and then."""
        self._share = f"{min(share, 1.0):.0%}, "
        self.beat()

    def beat(self) -> bool:
        """Say how long it has taken; False, for who asks whether to stop: Ctrl-C does that."""
        now_s = time.monotonic()
        if sys.stderr.isatty() and now_s - self._shown_at_s >= EVERY_S:
            self._shown_at_s = now_s
            self._is_shown = True
            sys.stderr.write(f"\r\x1b[K{self._words}: {self._share}{now_s - self._started_s:.0f} s ")
            sys.stderr.flush()
        return False

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
