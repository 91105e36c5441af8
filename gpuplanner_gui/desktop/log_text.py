"""What goes into a log: where in the program something failed and what kind of failure, never the project's content.

An exception's message may hold a name or a number of the project; the log may be mailed to strangers, so it is left out
there. The crash dialog shows the whole message to the planner, whose project it is.
"""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from types import TracebackType

LAYOUT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
MOST_CAUSES = 10

ExceptionInfo = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]


class PrivateFormatter(logging.Formatter):
    """Formats exceptions without their messages."""

    def __init__(self) -> None:
        super().__init__(LAYOUT)

    def formatException(self, ei: ExceptionInfo) -> str:
        return private_trace(ei[1]) if ei[1] is not None else ""


def private_trace(problem: BaseException) -> str:
    """An exception and its causes, the first last: kind, and the places in the program that it came through."""
    lines = []
    for one in _with_causes(problem):
        lines.append(type(one).__name__)
        for frame in traceback.extract_tb(one.__traceback__):
            lines.append(f"  {frame.filename}:{frame.lineno} in {frame.name}")
    return "\n".join(lines)


def _with_causes(problem: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = problem
    for _ in range(MOST_CAUSES):
        if one is None:
            return
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
