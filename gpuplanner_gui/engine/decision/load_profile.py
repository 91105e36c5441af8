"""The usual day of a service: as stated by the hour, else what has its mean over its peak."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.workload import Traffic

HOURS_PER_DAY = 24
PEAK_HOUR = 15
STEEPEST = 60.0
NIGHT = 0.02
"""Of the peak, at the quietest hour of the plain cosine: no service is ever quite still."""


def service_day(traffic: Traffic) -> NDArray[np.float64]:
    """Load in each hour of a usual day as a share of the peak, shape (24,).

    Days of a week that differ count with their mean over their busiest; the shape within a day is the stated one.
    """
    stated = np.asarray(traffic.hours, dtype=np.float64)
    if not stated.size or not stated.max() > 0:
        return day_profile(traffic.mean_share_of_peak)
    part = np.minimum((np.arange(HOURS_PER_DAY) + 0.5) / HOURS_PER_DAY * stated.size, stated.size - 1)
    day: NDArray[np.float64] = stated[part.astype(np.int64)] / stated.max()
    return day


@lru_cache(maxsize=64)
def day_profile(mean_over_peak: float) -> NDArray[np.float64]:
    """Load in each hour of a day as a share of the peak, shape (24,), with the stated mean.

    A cosine between night and the peak at 15 h, raised to the power that gives the mean: 1 is flat, about 0.5 the
    plain cosine, less a short busy time. Means below what one busy hour gives keep that hour.
    """
    cosine = (1 + np.cos(2 * np.pi * (np.arange(HOURS_PER_DAY) - PEAK_HOUR) / HOURS_PER_DAY)) / 2
    raised = NIGHT + (1 - NIGHT) * cosine
    low, high = 0.0, STEEPEST
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if float((raised**middle).mean()) > mean_over_peak else (low, middle)
    profile: NDArray[np.float64] = raised ** ((low + high) / 2) if mean_over_peak < 1 else np.ones(HOURS_PER_DAY)
    profile.flags.writeable = False
    return profile
