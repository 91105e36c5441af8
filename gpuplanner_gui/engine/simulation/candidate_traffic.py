"""A scenario's traffic as requests to simulate: classes, lengths, arrivals, targets."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Quantity, Range, Triangular, central
from gpuplanner_gui.domain.trace import Trace
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine.simulation.arrivals import Arrivals, GammaArrivals, PoissonArrivals, bursts_of
from gpuplanner_gui.engine.simulation.summary import LatencyMetric, LatencyTarget
from gpuplanner_gui.engine.simulation.trace_figures import TraceArrivals, trace_sample
from gpuplanner_gui.engine.simulation.traffic import TrafficClass, TrafficSample, normal_quantile, traffic_sample


@dataclass(frozen=True)
class QuantityLength:
    """A quantity of the scenario as a distribution of lengths."""

    quantity: Quantity

    def at(self, shares: Floats) -> Floats:
        """See `engine.simulation.lengths.Lengths`."""
        return np.maximum(quantiles(self.quantity, shares), 1.0)


def quantiles(quantity: Quantity, shares: Floats) -> Floats:
    """Quantiles of a quantity at shares strictly between 0 and 1, same shape."""
    if isinstance(quantity, Range):
        return quantity.low + shares * (quantity.high - quantity.low)
    if isinstance(quantity, Normal):
        return quantity.mean + quantity.sd * normal_quantile(shares)
    if isinstance(quantity, Lognormal):
        return np.asarray(quantity.median * np.exp(quantity.sigma * normal_quantile(shares)))
    if isinstance(quantity, Triangular):
        low, mode, high = quantity.low, quantity.mode, quantity.high
        width = max(high - low, np.finfo(float).tiny)
        rising = low + np.sqrt(shares * width * (mode - low))
        falling = high - np.sqrt((1 - shares) * width * (high - mode))
        return np.where(shares < (mode - low) / width, rising, falling)
    return np.full(shares.shape, float(quantity))


def scenario_sample(
    serving: ServingWorkload, longest_tokens: float, count: int, seed: int = 0, trace: Trace | None = None
) -> TrafficSample:
    """Requests of all classes of a scenario, `count` of them; or those of a trace, at its own times or others.

    Parameters
    ----------
    serving : ServingWorkload
        Classes, and how requests arrive.
    longest_tokens : float
        Context that the model can hold; longer requests are cut.
    trace : Trace, optional
        Replaces the lengths of the classes; its pattern of arrivals replaces the scenario's.
    """
    if trace is not None:
        return trace_sample(trace, longest_tokens).of_length(count)
    classes = [_traffic_class(one) for one in serving.classes]
    sample = traffic_sample(classes, count, seed, arrivals_of(serving.traffic, serving.peak_rate_per_s))
    return replace(sample, requests=sample.requests.within(longest_tokens))


def _traffic_class(one: RequestClass) -> TrafficClass:
    return TrafficClass(
        share=central(one.peak_rate_per_s),
        prompt=QuantityLength(one.prompt_tokens),
        output=QuantityLength(one.output_tokens),
        cached_share=central(one.prefix_cache_share),
        priority=one.priority,
    )


def arrivals_of(traffic: Traffic, rate_per_s: float, trace: Trace | None = None) -> Arrivals:
    """The arrival process that the scenario describes; a trace that is not at hand is replaced by bursts like its own.

    `rate_per_s` is that at which the busiest windows were stated. [1/s]
    """
    if trace is not None:
        return TraceArrivals(trace.arrival_s)
    bursts, cv = bursts_of(traffic, rate_per_s), central(traffic.burstiness_cv)
    if bursts is not None:
        return bursts
    return GammaArrivals(cv) if traffic.arrivals in ("poisson", "gamma") and cv != 1.0 else PoissonArrivals()


def targets_of(serving: ServingWorkload, by_class: bool = True) -> tuple[LatencyTarget, ...]:
    """Every target of every class, in their order; without classes (`by_class` False) each holds for all requests."""
    return tuple(
        LatencyTarget(LatencyMetric(slo.metric), slo.percentile / 100, slo.limit_s, number if by_class else None)
        for number, slo in serving.targets
    )
