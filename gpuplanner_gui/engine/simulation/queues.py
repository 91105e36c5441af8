"""Queues with one server: the prefill instance as M/D/1 and its parallel variants."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats, quotient


@formula(
    title="Mean wait, one server",
    unit="s",
    expression="rate_per_s·mean_square_s2 / (2·(1 − rate_per_s·service_s))",
    source="Pollaczek–Khinchine",
)
def single_server_wait_s(rate_per_s: Numbers, service_s: Numbers, mean_square_s2: Numbers) -> Floats:
    """Mean wait of an M/G/1 queue.

    Parameters
    ----------
    rate_per_s : float array
        Poisson arrivals. [1/s]
    service_s, mean_square_s2 : float array
        Mean and mean square of the service time; D² for a fixed time D, 2D² for an exponential one. [s, s²]

    Returns
    -------
    float array, broadcast shape
        Mean wait, infinite at or above full load. [s]

    Examples
    --------
    >>> float(single_server_wait_s(4.0, 0.15, 0.15**2).round(6))
    0.1125
    """
    free = 1 - as_floats(rate_per_s) * service_s
    return quotient(as_floats(rate_per_s) * mean_square_s2, 2 * free, math.inf)


@formula(
    title="Effect of bursty arrivals on the wait",
    unit="1",
    expression="(arrival_cv² + service_cv²)/(1 + service_cv²)",
    source="Kingman 1961; Allen–Cunneen",
)
def burst_wait_factor(arrival_cv: Numbers, service_cv: Numbers) -> Floats:
    """Wait over the wait with Poisson arrivals; a lower bound for a coefficient of variation of 2 and more."""
    arrivals, services = as_floats(arrival_cv) ** 2, as_floats(service_cv) ** 2
    return (arrivals + services) / (1 + services)
