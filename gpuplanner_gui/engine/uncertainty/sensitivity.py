"""Which inputs move a result, and which are worth measuring before money is committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.decision import TornadoBar
from gpuplanner_gui.domain.quantity import Quantity, is_uncertain
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile, normal_quantile
from gpuplanner_gui.engine.uncertainty.sampling import Model, Sample, stream

REGRESSION_DEGREE = 3
"""Of the polynomial in an input's normal score that stands for the mean result given that input."""


@dataclass(frozen=True)
class InformationValue:
    """What knowing inputs before the decision is worth, in the unit of the result."""

    names: tuple[str, ...]
    value: Floats
    """Of each input alone, best first."""
    noise: float
    """What an input without any influence would show: values below this mean nothing."""


def tornado(
    model: Model,
    quantities: Mapping[str, Quantity],
    result: str,
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> tuple[TornadoBar, ...]:
    """Result with each uncertain input at its P10 and P90, the others at P50; largest swing first.

    The model is called once. `result` names a result without candidates, shape (samples,).
    """
    names = [name for name, quantity in quantities.items() if is_uncertain(quantity)]
    columns = 2 * len(names)
    inputs = {}
    for name, quantity in quantities.items():
        probability = np.full(columns, 0.5)
        if name in names:
            at = 2 * names.index(name)
            probability[at : at + 2] = 0.1, 0.9
        low, high = (bounds or {}).get(name, (-np.inf, np.inf))
        inputs[name] = bounded_quantile(quantity, probability, low, high)
    if not names:
        return ()
    results = np.asarray(model(inputs)[result], float)
    bars = [
        TornadoBar(
            input=name,
            low_input=float(inputs[name][2 * index]),
            high_input=float(inputs[name][2 * index + 1]),
            result_at_low=float(results[2 * index]),
            result_at_high=float(results[2 * index + 1]),
        )
        for index, name in enumerate(names)
    ]  # fmt: skip
    return tuple(sorted(bars, key=lambda bar: -bar.swing))


def share_from_inputs(
    without_model_error: NDArray[np.floating[Any]], with_model_error: NDArray[np.floating[Any]]
) -> float:
    """Share of the variance of a positive result's logarithm that comes from the inputs; the rest from the models. [1]

    Both results are of the same samples, shape (samples,).
    """
    clean = np.log(np.asarray(without_model_error, float))
    from_inputs = float(np.var(clean))
    total = from_inputs + float(np.var(np.log(np.asarray(with_model_error, float)) - clean))
    return from_inputs / total if total > 0 else 0.0


def value_of_information(sample: Sample, costs: NDArray[np.floating[Any]], seed: int = 0) -> InformationValue:
    """Expected saving from knowing each input before choosing among candidates.

    Parameters
    ----------
    sample : the inputs.
    costs : of each candidate in each sample, shape (candidates, samples), finite; lower is better.
    seed : for the input without influence that tells noise from value.

    Notes
    -----
    Without knowledge the candidate of lowest mean cost is chosen; with an input known, the one of lowest mean cost
    given its value, estimated by a polynomial of degree 3 in the input's normal score.

    References
    ----------
    .. [1] Strong, Oakley and Brennan 2014, Medical Decision Making 34(3), 311-326, regression method.
    """
    cost = np.asarray(costs, float)
    best_now = float(cost.mean(axis=1).min())
    generator = stream(seed, "input without influence")
    noise = best_now - _expected_best(cost, generator.permutation((np.arange(sample.count) + 0.5) / sample.count))
    values = np.array([best_now - _expected_best(cost, sample.probabilities[name]) for name in sample.uncertain])
    order = np.argsort(-values)
    names = tuple(sample.uncertain[index] for index in order)
    return InformationValue(names, values[order], noise)


def _expected_best(cost: Floats, probability: Floats) -> float:
    """Mean over an input's values of the lowest of the candidates' mean costs given that value."""
    scores = np.polynomial.hermite_e.hermevander(normal_quantile(probability), REGRESSION_DEGREE)
    fitted, *_ = np.linalg.lstsq(scores, cost.T, rcond=None)
    return float((scores @ fitted).min(axis=1).mean())
