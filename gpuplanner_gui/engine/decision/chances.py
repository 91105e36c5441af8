"""In which samples each target of a plan holds: the one place that compares samples with targets.

The verdict and the page on uncertainty count the same samples of the same seed, so that they say the same number.
"""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.preset import UncertaintyDefaults
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.simulation.replicas import availability, enough_replicas_share, replicas_within_targets
from gpuplanner_gui.engine.uncertainty.confidence import between_failures
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile
from gpuplanner_gui.engine.uncertainty.sampling import stream

POINTS = 33
"""Times between failures at which the availability of a fleet is found; it rises with them."""


def limits_of(scenario: Scenario) -> dict[str, float]:
    """Targets, budgets and dates by the result that they limit."""
    limits: dict[str, float] = {}
    if scenario.serving is not None:
        for metric in ("ttft", "tpot"):
            held = [
                slo.limit_s
                for one in scenario.serving.classes
                for slo in one.slos
                if slo.metric == metric and slo.percentile == 95.0
            ]
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


def held_targets(
    scenario: Scenario, plan: Plan, results: dict[str, Floats], defaults: UncertaintyDefaults, seed: int
) -> dict[str, Booleans]:
    """By target, the samples in which the plan as it stands keeps it."""
    held: dict[str, Booleans] = {}
    limits = limits_of(scenario)
    if "serving.load_over_limit" in results and scenario.serving is not None:
        over = results["serving.load_over_limit"]
        code = "serving.targets" if any(one.slos for one in scenario.serving.classes) else "serving.load"
        held[code] = over <= 1
        if "serving.usd_per_month" in limits:
            held["serving.budget"] = results["serving.usd_per_month"] <= limits["serving.usd_per_month"]
        assert plan.serving is not None
        table, best = plan.serving.table, plan.serving.best
        held["serving.availability"] = FailureSamples(scenario, defaults, len(over), seed).held(
            plan.serving.peak_rate_per_s, float(table.slo_rate_per_s[best]), float(table.replicas[best])
        )
    if "training.run_time_s" in results:
        for code, name in (("training.run_time_s", "training.date"), ("training.usd_per_run", "training.budget")):
            if code in limits:
                held[name] = results[code] <= limits[code]
    return held


def all_held(held: dict[str, Booleans], workload: str = "") -> Booleans | None:
    """Samples in which all targets hold, of one workload or of all; None without a target."""
    parts = [one for code, one in held.items() if code.startswith(workload)]
    return np.logical_and.reduce(parts) if parts else None


class FailureSamples:
    """Samples of the time between failures of replicas, and in which of them enough are up."""

    def __init__(self, scenario: Scenario, defaults: UncertaintyDefaults, count: int, seed: int) -> None:
        serving = scenario.serving
        assert serving is not None
        self._repair_s, self._target = central(serving.start.repair_s), serving.availability.target
        spread, middle = between_failures(scenario, defaults)
        chances = stream(seed, "time between failures").random(count)
        self._between_s = bounded_quantile(spread, chances, 1e-6, float("inf")) * middle

    def held(self, peak_rate_per_s: float, slo_rate_per_s: float, replicas: float) -> Booleans:
        """Samples in which those that carry the peak within the targets are up for the stated share of the time."""
        between_s = self._between_s
        needed = replicas_within_targets(peak_rate_per_s, slo_rate_per_s)
        if not np.isfinite(replicas) or not needed:
            return np.zeros(len(between_s), bool)
        grid = np.geomspace(between_s.min(), between_s.max(), POINTS) if np.ptp(between_s) > 0 else between_s[:1]
        share = enough_replicas_share(needed, int(replicas), availability(grid, self._repair_s))
        # Logarithms of the time down are nearly straight between the points.
        down = np.interp(np.log(between_s), np.log(grid), np.log(np.maximum(1 - share, 1e-12)))
        return np.asarray(np.exp(down) <= (1 - self._target) * (1 + 1e-9))
