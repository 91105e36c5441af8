"""Where a load curve bends: the knee, the largest rate within targets, and a sensible rate to plan for."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats

DEFAULT_UTILISATION = 0.8
"""Largest share of the capacity that a plan should use by default."""


def knee_rate_per_s(rate_per_s: Floats, throughput_per_s: Floats, latency_s: Floats) -> float:
    """Rate from which on latency grows faster than throughput, in relative terms; NaN if it never does.

    Parameters
    ----------
    rate_per_s, throughput_per_s, latency_s : float array, shape (points,)
        A load curve in order of rate; the latency as a rule p95 of TTFT. [1/s, 1/s, s]

    Notes
    -----
    The elasticity Δln(latency)/Δln(throughput) is 1 where throughput over latency is largest (its "power"). The largest
    of all is not deceived by a steep piece further down: of classes of requests the short ones make up a percentile at
    a low rate and the long ones soon after.

    References
    ----------
    .. [1] Kleinrock, Power and deterministic rules of thumb for probabilistic problems in computer communications,
       ICC 1979.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        power = np.where(np.isfinite(latency_s), throughput_per_s / latency_s, 0.0)
    best = int(np.argmax(power))
    return float(rate_per_s[best]) if best < len(power) - 1 else float("nan")


def largest_kept(rate_per_s: Floats, is_kept: Booleans) -> tuple[float, float]:
    """Rates that bracket where targets are first broken: the last kept before it (0 if none), and the first broken.

    The second is NaN if all are kept.
    """
    if is_kept.all():
        return float(rate_per_s[-1]), float("nan")
    broken = int(np.argmin(is_kept))
    return (float(rate_per_s[broken - 1]) if broken else 0.0), float(rate_per_s[broken])


def operating_rate_per_s(slo_rate_per_s: float, max_rate_per_s: float) -> float:
    """Rate to plan for: within the targets, and not above `DEFAULT_UTILISATION` of the capacity."""
    return min(slo_rate_per_s, DEFAULT_UTILISATION * max_rate_per_s)
