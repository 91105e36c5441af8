"""What commands print: answers as text or JSON, columns, and a line that says how far a long task is."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from gpuplanner_gui.drawing.rows import Cell, Rows


def json_text(value: Any) -> str:
    """A value as indented JSON by its standard; NumPy's numbers as numbers, those that are not finite as null."""
    return json.dumps(_plain(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_answers(
    arguments: argparse.Namespace, as_json: Callable[[], Any], as_text: Callable[[], Iterable[str]]
) -> int:
    """Print an answer as JSON where `--json` asks for it, else its lines; status 0."""
    for line in [json_text(as_json())] if arguments.json else as_text():
        print(line)
    return 0


def aligned(headings: Sequence[str], rows: Sequence[Sequence[str]], right: frozenset[int] = frozenset()) -> str:
    """Rows under their headings, columns as wide as their widest cell; those in `right` are right-aligned."""
    lines = [list(headings), *[list(row) for row in rows]]
    widths = [max(len(line[index]) for line in lines) for index in range(len(headings))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if index in right else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def aligned_rows(
    rows: Rows, text: Callable[[Cell, str], str] | None = None, right: frozenset[int] = frozenset()
) -> str:
    """A table of the drawing, aligned; `text` writes a cell in its column's unit, else it stands as it is."""
    cells = [
        [text(one, column.unit) if text else str(one) for one, column in zip(row, rows.columns)] for row in rows.cells
    ]
    return aligned([column.title for column in rows.columns], cells, right)


FIRST_AFTER_S = 0.5
EVERY_S = 0.1


class ProgressLine:
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

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
