"""Error of the models themselves: how wide it is, and how much of it similar candidates share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import Z_80

COMMON_SHARE = 0.65
"""Correlation of the errors of candidates of one group: the middle of 0.5 to 0.8."""


def sigma_of_band(low80: NDArray[np.floating[Any]] | float, high80: NDArray[np.floating[Any]] | float) -> Floats:
    """Standard deviation of the logarithm that an 80 % band stands for. [1]"""
    with np.errstate(invalid="ignore"):  # A time without bound has no band.
        sigma: Floats = np.log(np.asarray(high80, float) / np.asarray(low80, float)) / (2 * Z_80)
    return sigma
