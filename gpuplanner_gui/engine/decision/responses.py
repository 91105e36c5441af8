"""How a result answers to one input: the engine's own results at a few values of it, and a line between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.quantity import Quantity
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile

PROBED = (0.02, 0.2, 0.8, 0.98)
"""Quantiles of an input at which the engine is asked, beside the planner's own value."""


@dataclass(frozen=True)
class Response:
    """Results over those at the planner's own value, at rising values of an input; shape (points, candidates)."""

    values: Floats
    ratios: Floats

    def at_candidates(self, some: NDArray[np.int64]) -> Response:
        return Response(self.values, self.ratios[:, some])

    def at(self, sampled: Floats) -> Floats:
        """Ratios for sampled values, shape (candidates, samples); beyond the probed values the ends hold."""
        return np.stack([np.interp(sampled, self.values, column) for column in self.ratios.T])


def probed_values(quantity: Quantity, bounds: tuple[float, float], planned: float) -> Floats:
    """Rising values at which to ask, the planner's own among them."""
    asked = bounded_quantile(quantity, np.array(PROBED), *bounds)
    return np.unique(np.append(asked, planned))


def product(responses: Mapping[str, Response], inputs: Mapping[str, Floats], count: int) -> Floats:
    """Product of all responses at sampled inputs, shape (candidates, samples): inputs act independently on a logarithm.

    Inputs without a response, and responses without an input, change nothing.
    """
    samples = next(iter(inputs.values())).shape[0] if inputs else 1
    result = np.ones((count, samples))
    for name, response in responses.items():
        if name in inputs:
            result = result * response.at(inputs[name])
    return result
