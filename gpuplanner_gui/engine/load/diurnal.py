"""Replicas over a day: for the peak, following the load, and how many of them to commit to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.load.arrays import FloatArray, IntArray, Numbers, as_floats
from gpuplanner_gui.engine.load.replicas import replicas_needed


def replicas_over_time(rate_per_s: FloatArray, slo_rate_per_s: Numbers, target_utilisation: Numbers = 1.0) -> IntArray:
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


def diurnal_sizing(needed: IntArray, period_hours: float) -> DiurnalSizing:
    """Replica-hours over a period whose times are equally spaced in `needed`, shape (times,)."""
    peak = int(needed.max())
    return DiurnalSizing(peak, peak * period_hours, float(needed.mean()) * period_hours)


def share_of_time_needed(needed: IntArray) -> FloatArray:
    """Share of the time that at least k replicas are needed, for k = 1 … peak, shape (peak,)."""
    levels = np.arange(1, int(needed.max()) + 1)
    return np.asarray((needed[None, :] >= levels[:, None]).mean(axis=1))


@formula(
    title="Cost of a committed base with on-demand above it",
    unit="usd",
    expression="period_hours·(committed·reserved_usd_per_hour"
    " + mean(max(needed − committed, 0))·on_demand_usd_per_hour)",
    source="sum over the profile",
)
def committed_cost_usd(
    needed: IntArray,
    committed: Numbers,
    period_hours: Numbers,
    reserved_usd_per_hour: Numbers,
    on_demand_usd_per_hour: Numbers,
) -> FloatArray:
    """Cost of a period with `committed` replicas reserved, shape (…) of `committed`."""
    base = as_floats(committed)
    above = np.maximum(as_floats(needed) - base[..., None], 0.0).mean(axis=-1)
    return np.asarray(
        as_floats(period_hours) * (base * as_floats(reserved_usd_per_hour) + above * as_floats(on_demand_usd_per_hour))
    )


@formula(
    title="Replicas to commit to",
    unit="1",
    expression="number of k with share of time needing ≥ k above reserved_usd_per_hour/on_demand_usd_per_hour",
    source="marginal replica: reserve it if it runs for more of the time than the price ratio",
)
def replicas_to_commit(needed: IntArray, reserved_usd_per_hour: Numbers, on_demand_usd_per_hour: Numbers) -> FloatArray:
    """Reserve the k-th replica if it is needed for more of the time than reserved price over on-demand price."""
    price_ratio = as_floats(reserved_usd_per_hour) / as_floats(on_demand_usd_per_hour)
    return np.asarray((share_of_time_needed(needed) > price_ratio[..., None]).sum(axis=-1), dtype=np.float64)
