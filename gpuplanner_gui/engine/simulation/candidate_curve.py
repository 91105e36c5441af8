"""Simulated runs at several rates as one curve of columns, beside what the closed form says."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.domain.curves import LoadCurve
from gpuplanner_gui.domain.load_result import METRICS, SimulatedCurve, Stage
from gpuplanner_gui.engine.simulation.curve import (
    LatencyCurve,
    curve_point,
    knee_rate_per_s,
    largest_kept,
    operating_rate_per_s,
)
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.service import ClientService, Service
from gpuplanner_gui.engine.simulation.summary import PERCENTILES, LatencyTarget, Percentiles, summarised

RUN_ERROR = 0.05
"""Relative error of a simulated mean with 2,000 requests; widens every band."""
TTFT_BAND = (-0.18 - RUN_ERROR, 0.10 + RUN_ERROR)
ITL_BAND = (-0.14 - RUN_ERROR, 0.10 + RUN_ERROR)
"""Means of the closed form over a simulation less 1: nine of ten runs at 0.1–0.85 of the capacity, of 270 with prompts
of 64–20,000 tokens, one class or two, on three accelerators."""

PERCENTILE_NAMES = tuple(f"p{share * 100:g}" for share in PERCENTILES)


def points_of(
    service: Service, targets: Sequence[LatencyTarget], rates_per_s: Sequence[float], control: RunControl = UNCONTROLLED
) -> LatencyCurve:
    """A curve of given rates, in rising order, with the capacity of the service."""
    points = []
    for rate in rates_per_s:
        points.append(curve_point(service.run(rate, control=control), rate, targets, control))
    capacity = service.saturation_rate_per_s(control)
    rates = np.array([point.summary.rate_per_s for point in points])
    kept = np.array([point.is_within_targets for point in points])
    ttft = np.array([point.summary.ttft.of(0.95) for point in points])
    throughput = np.array([point.summary.throughput_per_s for point in points])
    low, high = largest_kept(rates, kept) if len(points) else (float("nan"), float("nan"))
    if targets and np.isfinite(high):
        low = service.slo_rate_per_s(targets, low, high, control=control)
    knee = knee_rate_per_s(rates, throughput, ttft) if len(points) > 1 else float("nan")
    if np.isfinite(knee):
        knee = refined_knee_per_s(service, rates, knee, control)
    return LatencyCurve(tuple(points), capacity, min(low, capacity), knee, is_final=True)


KNEE_WIDTH = 0.05
"""Between whose rates, over the knee, it is known well enough."""
MOST_HALVINGS = 8


def refined_knee_per_s(
    service: Service, rates_per_s: Floats, knee_per_s: float, control: RunControl = UNCONTROLLED
) -> float:
    """The knee of a curve of few rates, by runs between the neighbours of the rate at which it was found.

    Halving on both sides of the best rate so far: throughput over p95 of TTFT is largest at the knee.
    """

    def power(rate: float) -> float:
        run = summarised(service.run(rate, control=control), rate, control.look)
        return float(run.throughput_per_s / run.ttft.of(0.95))

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
) -> SimulatedCurve:
    """Columns of a curve, and the closed form's means at its rates.

    Without a `closed_form`, it is made of the service's own step time and requests.
    """
    runs = [point.summary for point in found.points]
    rates = np.array([run.rate_per_s for run in runs])
    latencies = {metric: [getattr(run, metric) for run in runs] for metric in METRICS}
    if closed_form is not None:
        ttft, itl = _closed_means(closed_form, rates / service.replicas)
    else:
        ttft, itl = service.closed_means(rates)
    overloaded = np.array([run.is_overloaded for run in runs], bool)
    simulated_ttft = np.array([run.ttft.mean_s for run in runs])
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
        ttft_differs=_differs(ttft, simulated_ttft, TTFT_BAND) & ~overloaded,
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


def _closed_means(closed_form: LoadCurve, rate_per_s: Floats) -> tuple[Floats, Floats]:
    """Mean TTFT and ITL of a plan's closed form at rates of one replica; NaN beyond its curve."""
    known = closed_form.rates_per_s
    columns = (closed_form.ttft_s["mean"], closed_form.itl_mean_s)
    ttft, itl = (np.interp(rate_per_s, known, column, right=np.nan) for column in columns)
    return ttft, itl


def _differs(closed: Floats, simulated: Floats, band: tuple[float, float]) -> Booleans:
    error = closed / simulated - 1
    return np.asarray(np.isfinite(error) & ((error < band[0]) | (error > band[1])))
