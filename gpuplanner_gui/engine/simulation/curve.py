"""The load curve: latency against rate by simulation, coarse at once and then refined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.domain.curves import LoadCurve
from gpuplanner_gui.domain.load_result import METRICS, SimulatedCurve, Stage
from gpuplanner_gui.domain.workload import LatencyMetric
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.result import (
    PERCENTILES,
    LatencyTarget,
    Percentiles,
    RunSummary,
    SimulationResult,
    keeps_up,
    measured_s,
    summarised,
)
from gpuplanner_gui.engine.simulation.service import ClientService, Service

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
    p95 begins to grow faster than throughput (NaN if it does not).
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
    first: LatencyMetric = "ttft",
    planned_rate_per_s: float = float("nan"),
) -> Iterator[LatencyCurve]:
    """Curves that get better: a coarse one at once, then more exact points in place of its own, at last all of them.

    `first` is the latency whose knee is sought; the point next to the planned rate, where one is given, is moved there.

    Every rate is run with the same requests and the same random draws, so that the curve is smooth and two candidates
    compare without noise. The traffic gives the number of requests of a fine point.

    Raises
    ------
    CancelledError
        When `control.is_cancelled` says so.
    """
    few = min(COARSE_REQUESTS, len(service.traffic))
    capacity = service.saturation_rate_per_s(control)
    if capacity <= 0:
        yield LatencyCurve((), 0.0, 0.0, float("nan"), True)
        return
    coarse = [_point(service, load * capacity, targets, few, control) for load in COARSE_LOADS]
    yield _curve(coarse, capacity, first)

    fine: list[CurvePoint] = []
    for load in _with_planned(fine_loads(points), planned_rate_per_s / capacity):
        fine.append(_point(service, float(load) * capacity, targets, None, control))
        if len(fine) % _POINTS_PER_ANSWER == 0 and len(fine) < points:
            reached = fine[-1].summary.rate_per_s
            yield _curve(fine + _beyond(coarse, reached), capacity, first)
    rough = _curve(fine, capacity, first)
    yield rough

    yield _final(rough, service, targets, control)


def _final(
    rough: LatencyCurve, service: Service, targets: Sequence[LatencyTarget], control: RunControl
) -> LatencyCurve:
    """The curve with the rate within the targets found between two of its points."""
    low, high = largest_kept(rough.rate_per_s, np.array([point.is_within_targets for point in rough.points]))
    if targets and np.isfinite(high):
        low = service.slo_rate_per_s(targets, low, high, control=control)
    return replace(rough, slo_rate_per_s=min(low, rough.max_rate_per_s), is_final=True)


def fine_loads(points: int) -> Floats:
    """Shares of the capacity, closer to each other towards saturation, shape (points,)."""
    even = np.linspace(0.0, 1.0, points)
    return LOWEST_LOAD + (HIGHEST_LOAD - LOWEST_LOAD) * (1 - (1 - even) ** 1.5)


def _with_planned(loads: Floats, planned: float) -> Floats:
    """The same shares of the capacity, the nearest to the planned one in its place."""
    if loads[0] <= planned <= loads[-1]:
        loads[np.abs(loads - planned).argmin()] = planned
    return loads


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


def _curve(points: list[CurvePoint], capacity_per_s: float, first: LatencyMetric) -> LatencyCurve:
    rates = np.array([point.summary.rate_per_s for point in points])
    throughput = np.array([point.summary.throughput_per_s for point in points])
    latency = np.array([getattr(point.summary, first).of(0.95) for point in points])
    kept = np.array([point.is_within_targets for point in points])
    slo_rate = min(largest_kept(rates, kept)[0], capacity_per_s)
    knee = knee_rate_per_s(rates, throughput, latency)
    return LatencyCurve(tuple(points), capacity_per_s, slo_rate, knee, is_final=False)


RUN_ERROR = 0.05
"""Relative error of a simulated mean with 2,000 requests; widens every band."""
TTFT_BAND = (-0.18 - RUN_ERROR, 0.10 + RUN_ERROR)
ITL_BAND = (-0.14 - RUN_ERROR, 0.10 + RUN_ERROR)
"""Means of the closed form over a simulation less 1: nine of ten runs at 0.1–0.85 of the capacity, of 270 with prompts
of 64–20,000 tokens, one class or two, on three accelerators."""

PERCENTILE_NAMES = tuple(f"p{share * 100:g}" for share in PERCENTILES)


def points_of(
    service: Service,
    targets: Sequence[LatencyTarget],
    rates_per_s: Sequence[float],
    control: RunControl = UNCONTROLLED,
    first: LatencyMetric = "ttft",
) -> LatencyCurve:
    """A curve of given rates, in rising order, with the capacity of the service."""
    points = [_point(service, rate, targets, None, control) for rate in rates_per_s]
    capacity = service.saturation_rate_per_s(control)
    if not points:
        return LatencyCurve((), capacity, float("nan"), float("nan"), is_final=True)
    found = _final(_curve(points, capacity, first), service, targets, control)
    if not np.isfinite(found.knee_rate_per_s):
        return found
    knee = refined_knee_per_s(service, found.rate_per_s, found.knee_rate_per_s, control, first)
    return replace(found, knee_rate_per_s=knee)


KNEE_WIDTH = 0.05
"""Relative width of the interval in which the knee counts as known."""
MOST_HALVINGS = 8


def refined_knee_per_s(
    service: Service,
    rates_per_s: Floats,
    knee_per_s: float,
    control: RunControl = UNCONTROLLED,
    first: LatencyMetric = "ttft",
) -> float:
    """The knee of a curve of few rates, by runs between the neighbours of the rate at which it was found.

    Halving on both sides of the best rate so far: throughput over p95 is largest at the knee.
    """

    def power(rate: float) -> float:
        run = summarised(service.run(rate, control=control), rate, control.look)
        return float(run.throughput_per_s / getattr(run, first).of(0.95))

    place = int(np.argmin(np.abs(rates_per_s - knee_per_s)))
    low = float(rates_per_s[place - 1]) if place else 0.0
    best, high = float(rates_per_s[place]), float(rates_per_s[min(place + 1, len(rates_per_s) - 1)])
    height = power(best)
    for _ in range(MOST_HALVINGS):
        if high - low <= KNEE_WIDTH * best:
            break
        is_above = high - best > best - low
        tried = 0.5 * (best + (high if is_above else low))
        reached = power(tried)
        if reached > height:
            low, best, high, height = (best, tried, high, reached) if is_above else (low, tried, best, reached)
        elif is_above:
            high = tried
        else:
            low = tried
    return best


def curve_of(
    found: LatencyCurve,
    service: ClientService,
    candidate: int,
    closed_form: LoadCurve | None,
    is_trace: bool = False,
    first: LatencyMetric = "ttft",
) -> SimulatedCurve:
    """Columns of a curve, and the closed form's means at its rates: of what is waited for first, and of ITL.

    Without a `closed_form`, it is made of the service's own step time and requests.
    """
    runs = [point.summary for point in found.points]
    rates = np.array([run.rate_per_s for run in runs])
    latencies = {metric: [getattr(run, metric) for run in runs] for metric in METRICS}
    if closed_form is not None:
        ttft, itl = _closed_means(closed_form, rates / service.replicas, first)
    else:
        ttft, itl = service.closed_means(rates)
    overloaded = np.array([run.is_overloaded for run in runs], bool)
    simulated_first = np.array([getattr(run, first).mean_s for run in runs])
    simulated_itl = np.array([run.itl.mean_s for run in runs])
    return SimulatedCurve(
        candidate=candidate,
        replicas=service.replicas,
        stage=_stage(found),
        requests=max((run.requests for run in runs), default=0),
        rates_per_s=rates,
        latency_s={metric: _statistics(values) for metric, values in latencies.items()},
        band_s={metric: _bands(values) for metric, values in latencies.items()},
        throughput_per_s=np.array([run.throughput_per_s for run in runs]),
        output_tokens_per_s=np.array([run.output_tokens_per_s for run in runs]),
        batch=np.array([run.mean_sequences for run in runs]),
        kv_use=np.array([run.mean_kv_share for run in runs]),
        peak_kv_use=np.array([run.peak_kv_share for run in runs]),
        preemptions=np.array([run.preemptions for run in runs], np.int64),
        rejected=np.array([run.rejected for run in runs], np.int64),
        is_overloaded=overloaded,
        meets_targets=np.array([point.is_within_targets for point in found.points], bool),
        closed_ttft_s=ttft,
        closed_itl_s=itl,
        ttft_differs=_differs(ttft, simulated_first, TTFT_BAND) & ~overloaded,
        itl_differs=_differs(itl, simulated_itl, ITL_BAND) & ~overloaded,
        max_rate_per_s=found.max_rate_per_s,
        slo_rate_per_s=found.slo_rate_per_s,
        knee_rate_per_s=found.knee_rate_per_s,
        operating_rate_per_s=operating_rate_per_s(found.slo_rate_per_s, found.max_rate_per_s),
        littles_law_error=max((run.littles_law_error for run in runs), default=0.0),
        is_trace=is_trace,
        targets_s=tuple(np.array(column) for column in zip(*(point.targets_s for point in found.points), strict=True)),
    )


def _stage(found: LatencyCurve) -> Stage:
    if found.is_final:
        return Stage.FINAL
    counts = {point.summary.requests for point in found.points}
    return Stage.COARSE if len(counts) == 1 and len(found.points) <= COARSE_POINTS else Stage.REFINING


COARSE_POINTS = 6


def _statistics(values: list[Percentiles]) -> dict[str, Floats]:
    columns = {"mean": np.array([one.mean_s for one in values])}
    for index, name in enumerate(PERCENTILE_NAMES):
        columns[name] = np.array([one.at_s[index] for one in values])
    return columns


def _bands(values: list[Percentiles]) -> dict[str, Floats]:
    return {name: np.array([one.band_s[index] for one in values]) for index, name in enumerate(PERCENTILE_NAMES)}


def _closed_means(closed_form: LoadCurve, rate_per_s: Floats, first: LatencyMetric) -> tuple[Floats, Floats]:
    """Mean of the first latency, and ITL, of a plan's closed form at rates of one replica; NaN beyond its curve."""
    known = closed_form.rates_per_s
    waited = closed_form.e2e_s if first == "e2e" else closed_form.ttft_s
    columns = (waited["mean"], closed_form.itl_mean_s)
    ttft, itl = (np.interp(rate_per_s, known, column, right=np.nan) for column in columns)
    return ttft, itl


def _differs(closed: Floats, simulated: Floats, band: tuple[float, float]) -> Booleans:
    error = closed / simulated - 1
    return np.asarray(np.isfinite(error) & ((error < band[0]) | (error > band[1])))
