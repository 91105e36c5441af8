"""A quantity as the equally likely values that stand for it: the moments of requests are taken over them."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Quantity, Range, Triangular, central
from gpuplanner_gui.domain.workload import RequestClass
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.engine.simulation.requests import RequestMix, request_mix
from gpuplanner_gui.engine.uncertainty.distributions import cumulative, quantile

LATE_SHARE = 0.999
"""Of the requests that are no longer: the context that an engine is started with must hold them."""
TAIL_STRATA = 20_000
"""Prompts that tell a share of one in ten thousand."""
STRATA = 64
"""Values that stand for one distribution, enough for its 99th percentile: the mean of 64 mid-quantiles of a lognormal
with sigma 1 is 1.3 % low, so the values are scaled to the exact mean."""


def representative_values(quantity: Quantity, strata: int = STRATA) -> Floats:
    """Mid-quantiles of a distribution, scaled to its exact mean; a single value for a plain number."""
    if isinstance(quantity, (int, float)):
        return np.array([float(quantity)])
    shares = (np.arange(strata) + 0.5) / strata
    values = np.maximum(quantile(quantity, shares), 0.0)
    return np.asarray(values * (_mean(quantity) / values.mean()) if values.mean() > 0 else values)


def _mean(quantity: Range | Triangular | Normal | Lognormal) -> float:
    if isinstance(quantity, Range):
        return quantity.central
    if isinstance(quantity, Triangular):
        return (quantity.low + quantity.mode + quantity.high) / 3
    if isinstance(quantity, Normal):
        return quantity.mean
    return float(quantity.median * np.exp(quantity.sigma**2 / 2))


def longest_request_tokens(classes: tuple[RequestClass, ...]) -> float:
    """Prompt and answer of the longest request in a thousand, of the class whose are longest. [tokens]

    One of the two is then long, the other usual: they are independent.
    """
    found = []
    for one in classes:
        long = [quantile_of(length, LATE_SHARE) for length in (one.prompt_tokens, one.output_tokens)]
        usual = [representative_values(length).mean() for length in (one.prompt_tokens, one.output_tokens)]
        found += [long[0] + usual[1], usual[0] + long[1]]
    return float(max(found))


def refused_share(classes: tuple[RequestClass, ...], longest_tokens: float) -> float:
    """Share of all requests whose prompt and answer together are longer than a context. [1]

    Of every prompt length, the answers that no longer fit; the two are independent.
    """
    rates = np.array([central(one.peak_rate_per_s) for one in classes])
    refused = []
    for one in classes:
        prompts = representative_values(one.prompt_tokens, TAIL_STRATA)
        refused.append(1.0 - float(cumulative(one.output_tokens, longest_tokens - prompts).mean()))
    return max(float(rates @ np.array(refused) / rates.sum()), 0.0)


def quantile_of(quantity: Quantity, share: float) -> float:
    """The length that so many are not longer than; a plain number's own. [tokens]"""
    if isinstance(quantity, (int, float)):
        return float(quantity)
    return max(float(quantile(quantity, np.array([share]))[0]), 0.0)


def class_mix(classes: tuple[RequestClass, ...]) -> RequestMix:
    """Moments of all request classes together, each weighted by its rate; prompt and answer independent.

    The published traces show no correlation of the two (docs/derivations/load.md#recorded-traffic).
    """
    return _recent_mix.of((classes,), lambda: _class_mix(classes))


_recent_mix: Recent[RequestMix] = Recent()


def _class_mix(classes: tuple[RequestClass, ...]) -> RequestMix:
    prompts, outputs, cached, weights = [], [], [], []
    for one in classes:
        prompt, output = np.meshgrid(
            np.maximum(representative_values(one.prompt_tokens), 1.0),
            np.maximum(representative_values(one.output_tokens), 1.0),
        )
        prompts.append(prompt.ravel())
        outputs.append(output.ravel())
        cached.append(prompt.ravel() * central(one.prefix_cache_share))
        weights.append(np.full(prompt.size, central(one.peak_rate_per_s) / prompt.size))
    return request_mix(*(np.concatenate(columns) for columns in (prompts, outputs, cached, weights)))


def mean_prompt_tokens(classes: tuple[RequestClass, ...]) -> float:
    """Prompt length, cached part included, averaged over all requests. [tokens]"""
    rates = np.array([central(one.peak_rate_per_s) for one in classes])
    means = np.array([float(representative_values(one.prompt_tokens).mean()) for one in classes])
    # Shares first: of one class the mean is then its own to the last bit, and load grids outlive edits of its rate.
    return float(rates / rates.sum() @ means)
