"""Rows that are alike, found by tables."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.training.memory import LARGEST_VALUE, distinct_rows

ROWS = st.lists(st.tuples(st.integers(0, 50), st.sampled_from([1, 16_384, LARGEST_VALUE - 1]), st.integers(0, 3)),
                min_size=1, max_size=60)  # fmt: skip


@given(ROWS)
def test_each_kind_once_and_every_row_like_its_first(rows: list[tuple[int, int, int]]):
    found = distinct_rows([np.array(column, np.int64) for column in zip(*rows, strict=True)])
    assert found is not None
    first, of = found
    assert [rows[first[kind]] for kind in of] == rows
    assert len(first) == len(set(rows))
    assert all(rows.index(rows[position]) == position for position in first)


def test_values_too_large_for_a_table_are_left_alone():
    assert distinct_rows([np.array([1, LARGEST_VALUE])]) is None
    assert distinct_rows([np.array([-1, 1])]) is None


def test_many_columns_are_renumbered_before_their_keys_grow_too_large():
    columns = [np.arange(2_000) % size for size in (1999, 1997, 1993, 7)]
    found = distinct_rows([*columns, columns[0]])
    assert found is not None
    assert len(found[0]) == 2_000
