"""Columns of text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


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
