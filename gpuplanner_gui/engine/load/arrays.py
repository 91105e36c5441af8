"""Array types of the load model."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]

Numbers: TypeAlias = float | NDArray[Any]
"""A scalar or an array; all arguments of one function broadcast together."""


def as_floats(numbers: Numbers) -> FloatArray:
    return np.asarray(numbers, dtype=np.float64)


def quotient(numerator: Numbers, denominator: Numbers, otherwise: float) -> FloatArray:
    """`numerator / denominator` where the denominator is above zero, `otherwise` elsewhere."""
    top, bottom = np.broadcast_arrays(as_floats(numerator), as_floats(denominator))
    result = np.full(bottom.shape, otherwise)
    np.divide(top, bottom, out=result, where=bottom > 0)
    return result
