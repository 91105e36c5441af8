"""Replicas over a day: for the peak all the time, and following the load."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.simulation.arrays import Numbers
from gpuplanner_gui.engine.simulation.replicas import replicas_needed


def replicas_over_time(rate_per_s: Floats, slo_rate_per_s: Numbers, target_utilisation: Numbers = 1.0) -> Integers:
    """Replicas needed at each time of a profile; an autoscaler without lag. Shape of `rate_per_s`."""
    return replicas_needed(rate_per_s, slo_rate_per_s, target_utilisation).astype(np.int64)


@dataclass(frozen=True)
class DiurnalSizing:
    """Replica-hours of one profile, for the peak all the time and following the load."""

    static_replicas: int
    static_hours: float
    autoscaled_hours: float

    @property
    def saving_share(self) -> float:
        return 1 - self.autoscaled_hours / self.static_hours


def diurnal_sizing(needed: Integers, period_hours: float) -> DiurnalSizing:
    """Replica-hours over a period whose times are equally spaced in `needed`, shape (times,)."""
    peak = int(needed.max())
    return DiurnalSizing(peak, peak * period_hours, float(needed.mean()) * period_hours)
