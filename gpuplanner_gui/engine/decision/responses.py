"""How far results follow an uncertain input: asked at a few of its values, interpolated between; of training runs.

Money and demand do not change a step: samples that differ only in them reuse the planned one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.plan import TrainingTable, column
from gpuplanner_gui.domain.quantity import Quantity, central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.uncertain_inputs import UncertainInputs
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.plan import planned
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


@lru_cache(maxsize=64)
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


def layout_rows(table: TrainingTable, rows: NDArray[np.int64]) -> TrainingLayouts:
    """Rows of a plan as layouts."""
    return TrainingLayouts(*(column(table, part.name)[rows] for part in fields(TrainingLayouts)))


def training_response(
    scenario: Scenario,
    context: Context,
    table: TrainingTable,
    rows: NDArray[np.int64],
    inputs: UncertainInputs,
    check: Callable[[], None],
) -> dict[str, Response]:
    """Goodput of some rows of a plan by input, as the engine answers. `check` raises when the caller has lost
    interest."""
    layouts = layout_rows(table, rows)
    goodput: dict[str, Response] = {}
    for name, change in _CHANGES.items():
        quantity = inputs.quantities.get(name)
        if quantity is None:
            continue
        values = probed_values(quantity, inputs.bounds[name], 1.0)
        kept = []
        for value in values:
            check()
            kept.append(planned(change(scenario, float(value)), context, layouts, check).table.goodput)
        goodput[name] = Response(values, np.stack(kept) / table.goodput[rows])
    return goodput


def _with_failures(scenario: Scenario, factor: float) -> Scenario:
    terms = scenario.job.checkpoints
    rate = central(terms.failures_per_node_day) * factor
    training = msgspec.structs.replace(
        scenario.job, checkpoints=msgspec.structs.replace(terms, failures_per_node_day=rate)
    )
    return msgspec.structs.replace(scenario, training=training)


def _with_interruptions(scenario: Scenario, factor: float) -> Scenario:
    interval = central(scenario.economics.spot_interruption_interval_s) * factor
    economics = msgspec.structs.replace(scenario.economics, spot_interruption_interval_s=interval)
    return msgspec.structs.replace(scenario, economics=economics)


_CHANGES: dict[str, Callable[[Scenario, float], Scenario]] = {
    "failure_rate": _with_failures,
    "preemption_interval": _with_interruptions,
}
