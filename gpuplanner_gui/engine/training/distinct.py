"""Rows that are alike in some columns, found once: what depends on few choices is computed for those alone."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuplanner_gui.domain.arrays import Integers

LARGEST_VALUE = 2**20
"""Of a column that is numbered by a table; beyond, rows count as all different."""
LARGEST_KEY = 2**22
"""Of a table of keys; sorting takes over beyond."""


def distinct_rows(columns: Sequence[Integers]) -> tuple[Integers, Integers] | None:
    """First position of each distinct row, and for every row which of them it is like; None for values too large.

    `columns` are non-negative integers of one length. Tables in place of sorting: a few reads per value.
    """
    key, kinds = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        if int(column.min()) < 0 or int(column.max()) >= LARGEST_VALUE:
            return None
        numbers, count = _numbered(column)
        if count > 1:
            key, kinds = key * count + numbers, kinds * count
        if kinds > LARGEST_KEY:
            _, key = np.unique(key, return_inverse=True)
            kinds = int(key.max()) + 1
    of, count = _numbered(key)
    first = np.empty(count, np.int64)
    first[of[::-1]] = np.arange(len(of) - 1, -1, -1)
    return first, of


def _numbered(values: Integers) -> tuple[Integers, int]:
    """Values as 0, 1, 2, … in their order, and how many there are."""
    seen = np.zeros(int(values.max()) + 1, np.int64)
    seen[values] = 1
    ranks = np.cumsum(seen)
    return ranks[values] - 1, int(ranks[-1])
