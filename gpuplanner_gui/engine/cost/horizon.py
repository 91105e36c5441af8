"""Load hour by hour over the years of a plan."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.constants import (
    HOURS_PER_YEAR,
)


def hourly_load(
    day_profiles: NDArray[np.floating[Any]], growth_per_year: float, hours: int, start_h: int = 0
) -> NDArray[np.float64]:
    """Load in each hour of a horizon.

    Parameters
    ----------
    day_profiles : load by hour of day, shape (24,), (7, 24) for a week or (365, 24) for a year; repeated as needed.
    growth_per_year : 0.5 is half more each year, growing steadily from `start_h`. [1/y]
    hours : length of the horizon. [h]
    start_h : hour at which the service opens; no load before. [h]
    """
    profiles = np.atleast_2d(np.asarray(day_profiles, float)).ravel()
    hour = np.arange(hours)
    open_for = hour - start_h
    growth = (1 + growth_per_year) ** (np.maximum(open_for, 0) / HOURS_PER_YEAR)
    return np.where(open_for >= 0, profiles[hour % profiles.size] * growth, 0.0)
