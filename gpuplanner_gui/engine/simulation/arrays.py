"""Array types of the load model."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers

Numbers: TypeAlias = float | NDArray[Any]
"""A scalar or an array; all arguments of one function broadcast together."""


ENTRIES_AT_ONCE = 50_000
"""Entries of a column that are processed at once while no other thread can run; some milliseconds."""


FloatColumn: TypeAlias = "list[float] | array[float]"
IntegerColumn: TypeAlias = "list[int] | array[int]"
"""Columns that are read and changed one entry at a time. Short ones are lists, which are a little faster; the entries
of long ones are no objects, so that a million of them are made, and given back, at once."""


def floats_of(column: NDArray[Any]) -> FloatColumn:
    """A copy that is worked on entry by entry."""
    if len(column) <= ENTRIES_AT_ONCE:
        return list(np.asarray(column, dtype=np.float64).tolist())
    copied = array("d")
    copied.frombytes(np.ascontiguousarray(column, dtype=np.float64).view(np.uint8).data)
    return copied


def integers_of(column: NDArray[Any]) -> IntegerColumn:
    """A copy that is worked on entry by entry; truth as 0 and 1."""
    if len(column) <= ENTRIES_AT_ONCE:
        return list(np.asarray(column, dtype=np.int64).tolist())
    copied = array("q")
    copied.frombytes(np.ascontiguousarray(column, dtype=np.int64).view(np.uint8).data)
    return copied


def as_column(numbers: FloatColumn) -> Floats:
    """Entries that were worked on as an array; a long one shares their memory."""
    return np.asarray(numbers, dtype=np.float64)


def one_by_one(column: NDArray[Any]) -> Iterator[Any]:
    """The entries of a long column as plain numbers, made part by part, so that other threads run in between."""
    for start in range(0, len(column), ENTRIES_AT_ONCE):
        yield from column[start : start + ENTRIES_AT_ONCE].tolist()


def distinct(column: Integers) -> Integers:
    """The values of a long column in order, each once; part by part like `one_by_one`."""
    if len(column) and column.min() == column.max():
        return column[:1]
    found = [np.unique(column[start : start + ENTRIES_AT_ONCE]) for start in range(0, len(column), ENTRIES_AT_ONCE)]
    return np.unique(np.concatenate(found)) if found else column


def as_floats(numbers: Numbers) -> Floats:
    return np.asarray(numbers, dtype=np.float64)


def smallest(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The smallest number above `low` that holds, by bisection, where `high` does and larger ones never do worse."""
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def quotient(numerator: Numbers, denominator: Numbers, otherwise: float) -> Floats:
    """`numerator / denominator` where the denominator is above zero, `otherwise` elsewhere."""
    top, bottom = np.broadcast_arrays(as_floats(numerator), as_floats(denominator))
    result = np.full(bottom.shape, otherwise)
    np.divide(top, bottom, out=result, where=bottom > 0)
    return result


FEW = 256
"""Numbers that are copied sooner than a view of them is made."""


def in_one_shape(*arrays: Numbers) -> tuple[Floats, ...]:
    """Arrays broadcast against each other, read only; several times faster than NumPy's for small ones."""
    shape = np.broadcast(*arrays).shape
    floats = [as_floats(one) for one in arrays]
    # A view of a few numbers costs more than the numbers.
    spread = np.broadcast_to if math.prod(shape) > FEW else _copied
    return tuple(one if one.shape == shape else spread(one, shape) for one in floats)


def _copied(array: Floats, shape: tuple[int, ...]) -> Floats:
    return np.asarray(array + np.zeros(shape))


def at_least(value: Numbers, least: float) -> Any:
    """The value, no lower than this; a plain number stays one."""
    return np.maximum(value, least) if isinstance(value, np.ndarray) else max(value, least)


def over_columns(values: Sequence[float], count: int) -> Any:
    """The value of every column where each of these has so many, beside each other; a single one where all are
    alike."""
    return values[0] if len(set(values)) == 1 else np.repeat(as_floats(np.asarray(values)), count)


def clamped(values: Numbers, least: float, most: float) -> Floats:
    """Values no lower and no higher than these; NaN stays. Faster than `numpy.clip` for small arrays."""
    return np.asarray(np.minimum(np.maximum(values, least), most))
