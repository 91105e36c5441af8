"""Numbers of cases as arrays: lengths of requests as their mean and spread, replicas, devices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_case import ServingCase

Floats = NDArray[np.float64]

USUAL_PROMPTS = 5.0
"""Prompts of a run over its concurrency where nothing else is known."""


def mean_share(cases: Sequence[ServingCase]) -> Floats:
    """Mean length over the stated one: even between the shortest share and 1."""
    return np.array([(1.0 + case.shortest_share) / 2.0 for case in cases])


def spread_of_lengths(cases: Sequence[ServingCase]) -> Floats:
    """Width of the answers' even distribution over its mean; of as wide a one where only a deviation is known."""
    even = np.array([2.0 * (1.0 - case.shortest_share) / (1.0 + case.shortest_share) for case in cases])
    stated = np.array([case.output_spread for case in cases]) * np.sqrt(12.0)
    return np.asarray(np.maximum(even, stated))


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
