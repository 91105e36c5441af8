"""Work that is given up: whoever asked has lost interest."""

from __future__ import annotations

from collections.abc import Callable


class CancelledError(Exception):
    """The caller has lost interest; nothing was answered or read."""


def checking(is_cancelled: Callable[[], bool] | None) -> Callable[[], None]:
    """What long work calls now and then: raises CancelledError once `is_cancelled` returns True."""

    def check() -> None:
        if is_cancelled is not None and is_cancelled():
            raise CancelledError

    return check
