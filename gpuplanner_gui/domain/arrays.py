"""Names of the arrays that results are made of; a shape stands where a field or a function has one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Values = float | NDArray[np.floating[Any]]
"""A figure, or an array of them; arguments of one function broadcast."""
