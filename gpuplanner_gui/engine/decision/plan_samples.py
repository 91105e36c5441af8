"""A plan in every sample of its uncertain inputs: batch by batch, the same seed giving the same samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.decision.plan_model import Noise, spread_apart
from gpuplanner_gui.engine.decision.uncertain_inputs import SERVING_MODEL, TRAINING_MODEL
from gpuplanner_gui.engine.decision.uncertain_plan import PlanModel
from gpuplanner_gui.engine.uncertainty.model_error import COMMON_SHARE
from gpuplanner_gui.engine.uncertainty.normal import normal_quantile
from gpuplanner_gui.engine.uncertainty.sampling import Sample, sample_inputs, stream

BATCH = 1_000


@dataclass(frozen=True)
class SampledPlan:
    """Results of a plan in every sample."""

    sample: Sample
    results: dict[str, Floats]
    without_model_error: dict[str, Floats]


def sampled(
    model: PlanModel,
    scenario: Scenario,
    count: int,
    seed: int,
    on_progress: Callable[[float], None] = lambda share: None,
    check: Callable[[], None] = lambda: None,
) -> SampledPlan:
    """Run the model over samples. Inputs of one name have the same samples in every scenario of one seed."""
    sample, results = sampled_results(model, scenario, count, seed, check, lambda share: on_progress(share / 2))
    plain: list[dict[str, Floats]] = []
    for part in _batches(count):
        check()
        values = _part_of(sample, part)
        certain = {name: one for name, one in values.items() if name not in (SERVING_MODEL, TRAINING_MODEL)}
        plain.append(model.evaluate(certain or {"": np.ones(part.stop - part.start)}, None))
        on_progress(0.5 + part.stop / count / 2)
    return SampledPlan(sample, results, _joined(plain))


def sampled_results(
    model: PlanModel,
    scenario: Scenario,
    count: int,
    seed: int,
    check: Callable[[], None] = lambda: None,
    on_progress: Callable[[float], None] = lambda share: None,
    sets_apart: bool = True,
) -> tuple[Sample, dict[str, Floats]]:
    """The samples and their results. Those of the recommended candidate do not depend on which rivals stand beside.

    Each candidate has an error of its own, or that of the recommended one in its own spread where nothing sets them
    apart: then each one's results are those that it had if it were the recommended one.
    """
    inputs = model.inputs
    sample = sample_inputs(inputs.quantities, count, seed, inputs.correlations, inputs.bounds)
    noise = _noise(model, sample, seed) if sets_apart else None
    parts: list[dict[str, Floats]] = []
    for part in _batches(count):
        check()
        parts.append(model.evaluate(_part_of(sample, part), _noise_at(noise, part) if noise else None))
        on_progress(part.stop / count)
    return sample, _joined(parts)


def _batches(count: int) -> tuple[slice, ...]:
    return tuple(slice(start, min(start + BATCH, count)) for start in range(0, count, BATCH))


def _part_of(sample: Sample, part: slice) -> dict[str, Floats]:
    return {name: column[part] for name, column in sample.values.items()} or {"": np.ones(part.stop - part.start)}


def _joined(parts: list[dict[str, Floats]]) -> dict[str, Floats]:
    return {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}


def _noise(model: PlanModel, sample: Sample, seed: int) -> Noise:
    """Errors of each rival: of its kind in common with the others of that kind, and its own."""

    def errors(name: str, log_sd: Floats, kinds: NDArray[np.int64]) -> Floats:
        if name not in sample.probabilities:
            return np.zeros((len(log_sd), sample.count))
        shared = normal_quantile(sample.probabilities[name])
        rows = []
        for place, (sigma, kind) in enumerate(zip(log_sd, kinds, strict=True)):
            common = shared if kind == kinds[0] else _score(seed, f"{name} kind {kind}", sample.count)
            if place == 0:
                rows.append(sigma * shared)
                continue
            own = _score(seed, f"{name} rival {place}", sample.count)
            rows.append(sigma * spread_apart(common, own, COMMON_SHARE))
        return np.stack(rows)

    def prices(workload: str, count: int) -> Floats:
        """The planner's price is the market's for the recommended device; others move apart from it."""
        spread = model.inputs.quantities.get("device_price")
        sigma = spread.sigma if isinstance(spread, Lognormal) else 0.0
        apart = sigma * np.sqrt(1 - COMMON_SHARE)
        rows = [_score(seed, f"{workload} price {place}", sample.count) * apart for place in range(count)]
        return np.stack([np.zeros(sample.count), *rows[1:]]) if rows else np.zeros((0, sample.count))

    serving, training = model.serving, model.training
    nothing = np.zeros((0, sample.count))
    return Noise(
        prices("serving", len(serving.log_sd)) if serving else nothing,
        errors(SERVING_MODEL, serving.log_sd, model.serving_kinds) if serving else nothing,
        prices("training", len(training.log_sd)) if training else nothing,
        errors(TRAINING_MODEL, training.log_sd, model.training_kinds) if training else nothing,
    )


def _score(seed: int, name: str, count: int) -> Floats:
    return stream(seed, name).standard_normal(count)


def _noise_at(noise: Noise, part: slice) -> Noise:
    return Noise(
        noise.serving_price[:, part], noise.serving_model[:, part], noise.training_price[:, part],
        noise.training_model[:, part],
    )  # fmt: skip
