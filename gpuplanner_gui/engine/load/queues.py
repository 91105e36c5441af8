"""Queues with one server: the prefill instance as M/D/1 and its parallel variants."""

from __future__ import annotations

import math

import numpy as np

from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.load.arrays import FloatArray, Numbers, as_floats, quotient


@formula(
    title="Mean wait, one server",
    unit="s",
    expression="rate_per_s·mean_square_s2 / (2·(1 − rate_per_s·service_s))",
    source="Pollaczek–Khinchine",
)
def single_server_wait_s(rate_per_s: Numbers, service_s: Numbers, mean_square_s2: Numbers) -> FloatArray:
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
def burst_wait_factor(arrival_cv: Numbers, service_cv: Numbers) -> FloatArray:
    """Wait over the wait with Poisson arrivals; a lower bound for a coefficient of variation of 2 and more."""
    arrivals, services = as_floats(arrival_cv) ** 2, as_floats(service_cv) ** 2
    return (arrivals + services) / (1 + services)


@formula(
    title="TTFT of one prefill instance",
    unit="s",
    expression="prefill_s + rate_per_s·prefill_s²/(2·(1 − rate_per_s·prefill_s))",
    source="Zhong et al., DistServe, OSDI 2024, section 3.1 (M/D/1)",
)
def prefill_instance_ttft_s(rate_per_s: Numbers, prefill_s: Numbers) -> FloatArray:
    """Mean TTFT with equal prompts, prefilled one at a time; infinite at or above full load. [s]"""
    prefill = as_floats(prefill_s)
    return prefill + quotient(rate_per_s * prefill**2, 2 * (1 - rate_per_s * prefill), math.inf)


@formula(
    title="TTFT of one prefill instance with two pipeline stages",
    unit="s",
    expression="prefill_s + rate_per_s·prefill_s²/(4·(2 − rate_per_s·prefill_s))",
    source="Zhong et al., DistServe, OSDI 2024, section 3.1 (inter-operator parallelism)",
)
def pipelined_prefill_ttft_s(rate_per_s: Numbers, prefill_s: Numbers) -> FloatArray:
    """Mean TTFT when two pipeline stages halve the time between prompts but not the time of one. [s]"""
    prefill = as_floats(prefill_s)
    return prefill + quotient(rate_per_s * prefill**2, 4 * (2 - rate_per_s * prefill), math.inf)


@formula(
    title="TTFT of one prefill instance with tensor parallelism",
    unit="s",
    expression="prefill_s/speedup + rate_per_s·prefill_s²/(2·speedup·(speedup − rate_per_s·prefill_s))",
    source="Zhong et al., DistServe, OSDI 2024, section 3.1 (intra-operator parallelism)",
)
def parallel_prefill_ttft_s(rate_per_s: Numbers, prefill_s: Numbers, speedup: Numbers) -> FloatArray:
    """Mean TTFT when tensor parallelism makes each prefill `speedup` times faster. [s]"""
    prefill, faster = as_floats(prefill_s), as_floats(speedup)
    waited = quotient(rate_per_s * prefill**2, 2 * faster * (faster - rate_per_s * prefill), math.inf)
    return np.asarray(prefill / faster + waited)
