"""Load over a day and a week, and its growth over years."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.simulation.arrivals import Arrivals, ProfileArrivals

HOUR_S = 3600.0


@dataclass(frozen=True)
class WeekProfile:
    """Relative load by hour of the day (24) and day of the week (7); only ratios matter."""

    hours: Floats
    days: Floats

    def factors(self) -> Floats:
        """Rate over the week's mean rate for each hour of a week, shape (168,)."""
        week: Floats = np.outer(self.days, self.hours).ravel()
        return np.asarray(week / week.mean())

    @property
    def peak_over_mean(self) -> float:
        return float(self.factors().max())

    def arrivals(self, base: Arrivals, weeks: int = 1) -> ProfileArrivals:
        """A process that follows the profile, starting at hour 0 of day 0."""
        factors: Floats = np.tile(self.factors(), weeks)
        return ProfileArrivals(base, np.arange(len(factors), dtype=np.float64) * HOUR_S, factors)


def cosine_day(mean_over_peak: float, peak_hour: float = 15.0) -> WeekProfile:
    """A day whose load swings as a cosine between its peak and what makes the mean `mean_over_peak` of it.

    Raises
    ------
    ValueError
        If the mean is below half the peak, which no cosine above 0 reaches.
    """
    swing = 1 / mean_over_peak - 1
    if not 0 <= swing <= 1:
        raise ValueError("a cosine day has a mean of half its peak or more")
    hours = 1 + swing * np.cos(2 * np.pi * (np.arange(24) - peak_hour) / 24)
    return WeekProfile(np.asarray(hours), np.ones(7))
