"""The load curve: latency against rate by simulation, coarse at once and then refined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.result import SimulationResult
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.summary import LatencyTarget, RunSummary, keeps_up, measured_s, summarised

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


COARSE_LOADS = (0.15, 0.4, 0.6, 0.75, 0.88, 1.0)
"""Shares of the capacity at which the first, coarse curve is taken."""

COARSE_REQUESTS = 300
FINE_POINTS = 20
FINE_REQUESTS = 2000
LOWEST_LOAD = 0.05
HIGHEST_LOAD = 1.05
_POINTS_PER_ANSWER = 5


@dataclass(frozen=True)
class CurvePoint:
    """One rate of a load curve."""

    summary: RunSummary
    is_within_targets: bool
    targets_s: tuple[float, ...]
    """What was measured of each target's latency, of the class that it is about; NaN if no request tells."""


@dataclass(frozen=True)
class LatencyCurve:
    """Latency against rate as far as it is known.

    `max_rate_per_s` is the capacity, `slo_rate_per_s` the largest rate that meets every target, `knee_rate_per_s` where
    p95 of TTFT begins to grow faster than throughput (NaN if it does not).
    """

    points: tuple[CurvePoint, ...]
    max_rate_per_s: float
    slo_rate_per_s: float
    knee_rate_per_s: float
    is_final: bool

    @property
    def rate_per_s(self) -> Floats:
        return np.array([point.summary.rate_per_s for point in self.points])

    @property
    def operating_rate_per_s(self) -> float:
        return operating_rate_per_s(self.slo_rate_per_s, self.max_rate_per_s)


def load_curve(
    service: Service,
    targets: Sequence[LatencyTarget] = (),
    points: int = FINE_POINTS,
    control: RunControl = UNCONTROLLED,
) -> Iterator[LatencyCurve]:
    """Curves that get better: a coarse one at once, then more exact points in place of its own, at last all of them.

    Every rate is run with the same requests and the same random draws, so that the curve is smooth and two candidates
    compare without noise. The traffic gives the number of requests of a fine point.

    Raises
    ------
    SimulationCancelled
        When `control.is_cancelled` says so.
    """
    few = min(COARSE_REQUESTS, len(service.traffic))
    capacity = service.saturation_rate_per_s(control)
    if capacity <= 0:
        yield LatencyCurve((), 0.0, 0.0, float("nan"), True)
        return
    coarse = [_point(service, load * capacity, targets, few, control) for load in COARSE_LOADS]
    yield _curve(coarse, capacity, is_final=False)

    fine: list[CurvePoint] = []
    for load in fine_loads(points):
        fine.append(_point(service, float(load) * capacity, targets, None, control))
        if len(fine) % _POINTS_PER_ANSWER == 0 and len(fine) < points:
            reached = fine[-1].summary.rate_per_s
            yield _curve(fine + _beyond(coarse, reached), capacity, is_final=False)
    rough = _curve(fine, capacity, is_final=False)
    yield rough

    low, high = largest_kept(rough.rate_per_s, np.array([point.is_within_targets for point in fine]))
    slo_rate = low
    if targets and np.isfinite(high):
        slo_rate = service.slo_rate_per_s(targets, low, high, control=control)
    yield LatencyCurve(rough.points, capacity, min(slo_rate, capacity), rough.knee_rate_per_s, True)


def fine_loads(points: int) -> Floats:
    """Shares of the capacity, closer to each other towards saturation, shape (points,)."""
    even = np.linspace(0.0, 1.0, points)
    return LOWEST_LOAD + (HIGHEST_LOAD - LOWEST_LOAD) * (1 - (1 - even) ** 1.5)


def _point(
    service: Service, rate_per_s: float, targets: Sequence[LatencyTarget], count: int | None, control: RunControl
) -> CurvePoint:
    return curve_point(service.run(rate_per_s, count, control=control), rate_per_s, targets, control)


def curve_point(
    result: SimulationResult,
    rate_per_s: float,
    targets: Sequence[LatencyTarget],
    control: RunControl = UNCONTROLLED,
) -> CurvePoint:
    """One run as a point of a curve."""
    measured = tuple(measured_s(result, target) for target in targets)
    is_kept = not any(found > target.limit_s for found, target in zip(measured, targets, strict=True))
    return CurvePoint(summarised(result, rate_per_s, control.look), is_kept and keeps_up(result), measured)


def _beyond(coarse: list[CurvePoint], rate_per_s: float) -> list[CurvePoint]:
    return [point for point in coarse if point.summary.rate_per_s > rate_per_s]


def _curve(points: list[CurvePoint], capacity_per_s: float, is_final: bool) -> LatencyCurve:
    rates = np.array([point.summary.rate_per_s for point in points])
    throughput = np.array([point.summary.throughput_per_s for point in points])
    latency = np.array([point.summary.ttft.of(0.95) for point in points])
    kept = np.array([point.is_within_targets for point in points])
    slo_rate = min(largest_kept(rates, kept)[0], capacity_per_s)
    knee = knee_rate_per_s(rates, throughput, latency)
    return LatencyCurve(tuple(points), capacity_per_s, slo_rate, knee, is_final)
