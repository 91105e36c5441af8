"""Numbers of cases as arrays: lengths of requests as their mean and spread, replicas, devices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.quantity import Lognormal, Quantity, Range


def prompt_length(case: ServingCase) -> Quantity:
    """A case's prompts as a planner would state them."""
    return _length(case.prompt_tokens, case.shortest_share, case.prompt_spread)


def answer_length(case: ServingCase) -> Quantity:
    """Likewise its answers."""
    return _length(case.output_tokens, case.shortest_share, case.output_spread)


def _length(stated: float, shortest_share: float, spread: float) -> Quantity:
    tokens = max(stated, 1.0)
    if shortest_share < 1.0:
        return Range(low=max(tokens * shortest_share, 1.0), high=tokens)
    if spread == 0:
        return tokens
    variance = float(np.log1p(spread**2))
    return Lognormal(median=float(tokens * np.exp(-variance / 2)), sigma=float(np.sqrt(variance)))


def mean_share(cases: Sequence[ServingCase]) -> Floats:
    """Mean length over the stated one: even between the shortest share and 1."""
    return np.array([(1.0 + case.shortest_share) / 2.0 for case in cases])


def column(cases: Sequence[ServingCase], name: str) -> Floats:
    """One number of every case."""
    return np.array([getattr(case, name) for case in cases], np.float64)


def replicas_of(cases: Sequence[ServingCase]) -> Floats:
    """Replicas that share the requests."""
    return np.array([max(case.layout.replicas, 1.0) for case in cases])


def devices_of(cases: Sequence[ServingCase]) -> Floats:
    """All devices of a case."""
    return np.array(
        [case.layout.devices_stated or case.layout.devices * max(case.layout.replicas, 1) for case in cases],
        np.float64,
    )
