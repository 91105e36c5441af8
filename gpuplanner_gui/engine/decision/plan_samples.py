"""A plan in every sample of its uncertain inputs: batch by batch, the same seed giving the same samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.preset import UncertaintyDefaults
from gpuplanner_gui.domain.quantity import Lognormal, central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.decision.plan_model import LOAD_OVER_LIMIT, Noise, price_noise, spread_apart
from gpuplanner_gui.engine.decision.uncertain_inputs import SERVING_MODEL, TRAINING_MODEL
from gpuplanner_gui.engine.decision.uncertain_plan import PlanModel
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.engine.simulation.failures import FailureRule, carrying_replicas
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile, normal_quantile
from gpuplanner_gui.engine.uncertainty.sampling import COMMON_SHARE, Sample, between_failures, sample_inputs, stream

POINTS = 33
"""Times between failures at which the availability of a fleet is found; it rises with them."""


def limits_of(scenario: Scenario) -> dict[str, float]:
    """Targets, budgets and dates by the result that they limit."""
    limits: dict[str, float] = {}
    if scenario.serving is not None:
        for metric in ("ttft", "tpot", "e2e"):
            targets = (slo for _, slo in scenario.serving.targets)
            held = [slo.limit_s for slo in targets if slo.metric == metric and slo.percentile == 95.0]
            if held:
                limits[f"serving.{metric}_p95_s"] = min(held)
    budget = scenario.economics.serving_budget_usd_per_month
    if budget is not None:
        limits["serving.usd_per_month"] = central(budget)
    if scenario.training is not None:
        if scenario.training.deadline_s is not None:
            limits["training.run_time_s"] = central(scenario.training.deadline_s)
        if scenario.training.budget_usd is not None:
            limits["training.usd_per_run"] = central(scenario.training.budget_usd)
    return limits


UNDER_LOAD = ("serving.targets", "serving.deadline", "serving.load")
"""What the load of a replica decides: its latency targets, else the end of a batch, or that it keeps up at all."""


def held_targets(
    scenario: Scenario, plan: Plan, results: dict[str, Floats], defaults: UncertaintyDefaults, seed: int
) -> dict[str, Booleans]:
    """The samples in which the planned fleet meets each target."""
    held: dict[str, Booleans] = {}
    limits = limits_of(scenario)
    if LOAD_OVER_LIMIT in results and scenario.serving is not None:
        over = results[LOAD_OVER_LIMIT]
        timed, batch, untimed = UNDER_LOAD
        code = batch if scenario.serving.traffic.is_batch else untimed
        held[timed if scenario.serving.targets else code] = over <= 1
        if "serving.usd_per_month" in limits:
            held["serving.budget"] = results["serving.usd_per_month"] <= limits["serving.usd_per_month"]
        table, best, simulated = plan.served.table, plan.served.best, plan.served.simulation_of_best
        rate = float(table.slo_rate_per_s[best]) * (simulated.share_of_table if simulated is not None else 1.0)
        held["serving.availability"] = FailureSamples(scenario, defaults, len(over), seed).held(
            plan.served.peak_rate_per_s, rate, float(table.replicas[best])
        )
    if "training.run_time_s" in results:
        for code, name in (("training.run_time_s", "training.date"), ("training.usd_per_run", "training.budget")):
            if code in limits:
                held[name] = results[code] <= limits[code]
    return held


def all_held(held: dict[str, Booleans]) -> Booleans | None:
    """Samples in which all targets hold; None without a target."""
    return np.logical_and.reduce(list(held.values())) if held else None


class FailureSamples:
    """Samples of the time between failures of replicas, and in which of them a fleet takes its failures."""

    def __init__(self, scenario: Scenario, defaults: UncertaintyDefaults, count: int, seed: int) -> None:
        self._rule = FailureRule.of(scenario.service)
        spread, middle = between_failures(scenario, defaults)

        def drawn() -> Floats:
            chances = stream(seed, "time between failures").random(count)
            return np.asarray(bounded_quantile(spread, chances, 1e-6, float("inf")) * middle)

        self._between_s = _recent_failures.of((spread, middle, count, seed), drawn)

    def held(self, peak_rate_per_s: float, slo_rate_per_s: float, replicas: float) -> Booleans:
        """Samples in which failures leave the service up, or its batches done in time, as often as is asked."""
        between_s = self._between_s
        if not np.isfinite(replicas):
            return np.zeros(len(between_s), bool)
        grid = np.geomspace(between_s.min(), between_s.max(), POINTS) if np.ptp(between_s) > 0 else between_s[:1]
        share = self._rule.held_share(carrying_replicas(peak_rate_per_s, slo_rate_per_s), int(replicas), grid)
        # Logarithms of the time down are nearly straight between the points.
        down = np.interp(np.log(between_s), np.log(grid), np.log(np.maximum(1 - share, 1e-12)))
        return np.asarray(np.exp(down) <= (1 - self._rule.target_share) * (1 + 1e-9))


_recent_failures: Recent[Floats] = Recent()
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
    asked = inputs.quantities, count, seed, inputs.correlations, inputs.bounds
    sample = _recent_samples.of(asked, lambda: sample_inputs(*asked))
    noise = _noise(model, sample, seed) if sets_apart else None
    parts: list[dict[str, Floats]] = []
    for part in _batches(count):
        check()
        of_part = {name: errors[:, part] for name, errors in noise.items()} if noise is not None else None
        parts.append(model.evaluate(_part_of(sample, part), of_part))
        on_progress(part.stop / count)
    return sample, _joined(parts)


_recent_samples: Recent[Sample] = Recent(2)
"""Of the candidates at the head, and of the recommended one."""


def _batches(count: int) -> tuple[slice, ...]:
    return tuple(slice(start, min(start + BATCH, count)) for start in range(0, count, BATCH))


def _part_of(sample: Sample, part: slice) -> dict[str, Floats]:
    return sample.part(part).values or {"": np.ones(part.stop - part.start)}


def _joined(parts: list[dict[str, Floats]]) -> dict[str, Floats]:
    return {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}


def _noise(model: PlanModel, sample: Sample, seed: int) -> Noise:
    """Errors of each rival: of its kind in common with the others of that kind, and its own."""
    spread = model.inputs.quantities.get("device_price")
    apart = (spread.sigma if isinstance(spread, Lognormal) else 0.0) * np.sqrt(1 - COMMON_SHARE)

    def score(name: str) -> Floats:
        return stream(seed, name).standard_normal(sample.count)

    found: dict[str, Floats] = {}
    for workload, part in model.parts.items():
        # The planner's price is the market's for the recommended device; others move apart from it.
        rivals, own = range(1, len(part.log_sd)), np.zeros(sample.count)
        found[price_noise(workload)] = np.stack([own, *(score(f"{workload} price {one}") * apart for one in rivals)])
        name = MODELS[workload]
        if name not in sample.probabilities:
            continue
        shared = normal_quantile(sample.probabilities[name])
        rows = [part.log_sd[0] * shared]
        for place in rivals:
            kind = part.kinds[place]
            common = shared if kind == part.kinds[0] else score(f"{name} kind {kind}")
            rows.append(part.log_sd[place] * spread_apart(common, score(f"{name} rival {place}"), COMMON_SHARE))
        found[name] = np.stack(rows)
    return found


MODELS = {"serving": SERVING_MODEL, "training": TRAINING_MODEL}
"""Errors of the step times, by workload."""
