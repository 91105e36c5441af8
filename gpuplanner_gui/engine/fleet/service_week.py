"""The usual week of a service, hour by hour: the one shape that sizes, costs and energy follow from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.constants import HOURS_PER_DAY
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.traffic import Traffic

PEAK_HOUR = 15
STEEPEST = 2_000.0
LEVELS = 10
"""Number of load levels at which power is counted."""
NIGHT = 0.02
"""Load at the quietest hour of the plain cosine, as a share of the peak; no service is ever idle."""
PLAIN_COSINE = (1 + NIGHT) / 2
"""Mean over peak of a cosine that falls to `NIGHT`."""


def service_week(traffic: Traffic) -> NDArray[np.float64]:
    """Load in each hour from Monday's first as a share of the peak, shape (7, 24).

    The busiest day has the stated or made hours, the others their share of it: the mean is `mean_share_of_peak`.
    """
    week: NDArray[np.float64] = np.outer(traffic.week, service_day(traffic))
    return week


@dataclass(frozen=True)
class LoadHours:
    """A service's week by load: how much of the time it has which; both of shape (levels,)."""

    load: NDArray[np.float64]
    """Mean of each level, as a share of the peak."""
    share: NDArray[np.float64]
    """Share of all hours; the shares sum to 1."""


def load_hours(traffic: Traffic) -> LoadHours:
    """Hours at each load, in levels of equal width from nothing to the peak; levels without hours are left out."""
    week = service_week(traffic).ravel()
    level = np.minimum((week * LEVELS).astype(np.int64), LEVELS - 1)
    hours, load = np.bincount(level, minlength=LEVELS), np.bincount(level, week, LEVELS)
    has_some = hours > 0
    return LoadHours(load[has_some] / hours[has_some], hours[has_some] / week.size)


def service_day(traffic: Traffic) -> NDArray[np.float64]:
    """Load in each hour of the busiest day as a share of the peak, shape (24,).

    Numbers stated for other than 24 parts of a day are spread evenly over it; an hour has the mean of its parts.
    """
    if not traffic.known_hours:
        return day_profile(central(traffic.mean_over_peak))
    stated = np.asarray(traffic.known_hours, dtype=np.float64)
    if HOURS_PER_DAY % stated.size == 0:
        whole: NDArray[np.float64] = np.repeat(stated / stated.max(), HOURS_PER_DAY // stated.size)
        return whole
    # Load up to a time of the day: straight between the edges of the parts.
    so_far = np.concatenate([[0.0], np.cumsum(stated)]) / stated.size
    edges = np.linspace(0.0, 1.0, HOURS_PER_DAY + 1)
    parts: NDArray[np.float64] = np.diff(np.interp(edges, np.linspace(0.0, 1.0, stated.size + 1), so_far))
    return parts * (HOURS_PER_DAY / float(stated.max()))


@lru_cache(maxsize=64)
def day_profile(mean_over_peak: float) -> NDArray[np.float64]:
    """Load in each hour of a day as a share of the peak, shape (24,), with the stated mean.

    A cosine with its peak at 15 h (docs/derivations/load.md#load-over-a-day) where that has such a mean; for lower
    means a cosine down to night, raised to the power that gives it: the busy time gets shorter. Means below what one
    busy hour gives keep that hour.
    """
    cosine = np.cos(2 * np.pi * (np.arange(HOURS_PER_DAY) - PEAK_HOUR) / HOURS_PER_DAY)
    if mean_over_peak >= PLAIN_COSINE:
        profile: NDArray[np.float64] = mean_over_peak + (1 - mean_over_peak) * cosine
    else:
        raised = PLAIN_COSINE + (1 - PLAIN_COSINE) * cosine
        low, high = 1.0, STEEPEST
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if float((raised**middle).mean()) > mean_over_peak else (low, middle)
        profile = raised ** ((low + high) / 2)
    profile.flags.writeable = False
    return profile
