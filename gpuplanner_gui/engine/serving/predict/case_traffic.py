"""Requests of a published run at a rate, drawn as its client drew them."""

from __future__ import annotations

import math
from statistics import NormalDist

from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.simulation.arrivals import Arrivals, GammaArrivals, PoissonArrivals
from gpuplanner_gui.engine.simulation.lengths import LognormalLength, UniformLength
from gpuplanner_gui.engine.simulation.traffic import TrafficClass, TrafficSample, traffic_sample

USUAL_REQUESTS = 500
"""Of a run that does not state their number."""

MOST_REQUESTS = 5000
CACHED_PROMPT_SHARE = 0.95
"""Of a prompt that is found in the cache, all but its end."""


def case_sample(case: ServingCase, seed: int) -> TrafficSample:
    """Requests as a case's client sent them; which, by chance of the seed."""
    count = min(case.requests or USUAL_REQUESTS, MOST_REQUESTS)
    drawn = even_length if case.draws_evenly else length_of
    one = TrafficClass(
        share=1.0,
        prompt=drawn(case.prompt_tokens, case.prompt_spread),
        output=drawn(case.output_tokens, case.output_spread, case.longest_output),
        cached_share=CACHED_PROMPT_SHARE if case.prefix_is_cached else 0.0,
    )
    arrivals: Arrivals = PoissonArrivals() if case.arrival_cv == 1.0 else GammaArrivals(case.arrival_cv)
    return traffic_sample([one], count, seed, arrivals)


def even_length(mean: float, spread: float, cut_tokens: float = 0.0) -> UniformLength:
    """Lengths as likely anywhere around a mean, of a coefficient of variation; none beyond `cut_tokens`."""
    reach = math.sqrt(3) * spread * mean
    if cut_tokens > mean:
        reach = min(reach, cut_tokens - mean)
    low = max(mean - reach, min(1.0, mean))
    return UniformLength(low, 2 * mean - low)


def length_of(mean: float, spread: float, cut_tokens: float = 0.0) -> LognormalLength:
    """Lognormal lengths of a mean and a coefficient of variation; the farthest thousandth is cut.

    With `cut_tokens`, longer ones are that long: the spread is that before the cut, the mean that after it.
    """
    sigma = math.sqrt(math.log1p(spread**2))
    if 0 < mean < cut_tokens:
        return LognormalLength(_median_before_cut(mean, sigma, cut_tokens), sigma, cut_tokens)
    median = max(mean / math.exp(sigma**2 / 2), 1.0)
    longest = median * math.exp(sigma * NormalDist().inv_cdf(0.999))
    return LognormalLength(median, sigma, max(longest, 1.0))


HALVINGS = 60


def _median_before_cut(mean: float, sigma: float, cut_tokens: float) -> float:
    """Median of the lognormal whose mean is `mean` once longer lengths are cut; by bisection of its logarithm."""
    normal, low, high = NormalDist(), 0.0, math.log(cut_tokens) + 8 * sigma
    if sigma == 0:
        return mean
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        at = (math.log(cut_tokens) - middle) / sigma
        kept = math.exp(middle + sigma**2 / 2) * normal.cdf(at - sigma) + cut_tokens * (1 - normal.cdf(at))
        low, high = (middle, high) if kept < mean else (low, middle)
    return math.exp(low)
