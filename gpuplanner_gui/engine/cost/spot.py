"""Spot capacity: what interruptions and checkpoints make of a low price, and who may use it at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.cost.finance import Values
from gpuplanner_gui.engine.formula import formula


@formula(
    title="Time between interruptions of the job",
    unit="s",
    expression="instance_interval_s / instances",
    source="independent interruptions: rates add",
)
def gang_interruption_interval_s(instance_interval_s: Values, instances: Values) -> Values:
    """Mean time until any instance of a job that needs all of them is taken away. [s]"""
    return instance_interval_s / instances


@formula(
    title="Share of billed spot hours that is useful",
    unit="1",
    expression="max(0, 1 − √(2·checkpoint_s/interval_s) − recovery_s/interval_s)",
    source="Young 1974, first-order optimum, with a fixed loss per interruption",
)
def spot_efficiency(checkpoint_s: Values, interval_s: Values, recovery_s: Values) -> NDArray[np.float64]:
    """Useful over billed time at the best checkpoint interval.

    Parameters
    ----------
    checkpoint_s : time that one checkpoint stops the job. [s]
    interval_s : mean time between interruptions of the whole job. [s]
    recovery_s : billed time from interruption to the first new step; for the stretch of wall-clock time add the wait
        for new capacity. [s]

    Returns
    -------
    Share from 0 to 1. 0 where interruptions come so often that the job never advances; the first-order form is
    optimistic near there. [1]
    """
    interval = np.asarray(interval_s, float)
    return np.maximum(0.0, 1 - np.sqrt(2 * checkpoint_s / interval) - recovery_s / interval)


@formula(
    title="Spot price per useful hour",
    unit="USD/h",
    expression="spot_usd_per_hour / efficiency",
    source="billed hours carry the lost ones",
)
def spot_usd_per_useful_hour(spot_usd_per_hour: Values, efficiency: Values) -> Values:
    """Price of an hour of progress; infinite where there is none. [USD/h]"""
    with np.errstate(divide="ignore"):
        return np.asarray(spot_usd_per_hour, float) / efficiency


@formula(
    title="Saving over on-demand",
    unit="1",
    expression="1 − usd_per_hour / on_demand_usd_per_hour",
    source="relative difference of prices per useful hour",
)
def saving_over_on_demand(usd_per_hour: Values, on_demand_usd_per_hour: Values) -> Values:
    """Share of the on-demand price that is saved; negative where it costs more. [1]"""
    return 1 - usd_per_hour / on_demand_usd_per_hour


@formula(
    title="Interruption interval where spot costs as much as on-demand",
    unit="s",
    expression="M with spot/(1 − √(2δ/M) − R/M) = on-demand, δ checkpoint, R recovery",
    source="quadratic in 1/√M",
)
def spot_break_even_interval_s(
    spot_usd_per_hour: Values, on_demand_usd_per_hour: Values, checkpoint_s: Values, recovery_s: Values
) -> NDArray[np.float64]:
    """Mean time between interruptions below which spot is the dearer one; infinite if its list price is. [s]"""
    margin = 1 - np.asarray(spot_usd_per_hour, float) / on_demand_usd_per_hour
    root = np.sqrt(2 * np.asarray(checkpoint_s, float))
    # The stable form of the quadratic's root: recovery_s may be zero.
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse_root = 2 * margin / (root + np.sqrt(root**2 + 4 * recovery_s * np.maximum(margin, 0)))
        interval = 1 / inverse_root**2
    return np.where(margin > 0, interval, np.inf)


def is_spot_eligible(
    restartable: Values, needs_service_level: Values, efficiency: Values, least_efficiency: Values
) -> NDArray[np.bool_]:
    """Whether a workload should be planned on spot capacity at all.

    It must restart from where it was, promise no latency to anybody, and still advance for `least_efficiency` of the
    billed time.
    """
    may_stop = np.asarray(restartable, bool) & ~np.asarray(needs_service_level, bool)
    eligible: NDArray[np.bool_] = may_stop & np.greater_equal(efficiency, least_efficiency)
    return eligible
