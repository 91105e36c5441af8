"""What a plan takes for an input that is uncertain: the planner's central value, or 1 for a factor."""

from __future__ import annotations

from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.decision.uncertain_inputs import OWNER_INPUTS, demand_name

_TRAINING = ("tokens", "retry_share", "validation_share", "experiment_share")
_TRAFFIC = {"burstiness": "burstiness_cv", "mean_over_peak": "mean_over_peak", "growth": "growth_per_year"}


def planned_value(scenario: Scenario, name: str) -> float:
    """The value by which the plan was made."""
    if name in OWNER_INPUTS:
        section, field, _ = OWNER_INPUTS[name]
        return central(getattr(getattr(scenario.economics, section), field))
    if name in _TRAINING and scenario.training is not None:
        return central(getattr(scenario.training, name))
    if scenario.serving is not None:
        if name in _TRAFFIC:
            return central(getattr(scenario.serving.traffic, _TRAFFIC[name]))
        if name == "draft_acceptance":
            return central(scenario.serving.engine.draft_acceptance)
        if name == "prefix_cache":
            return max(central(one.prefix_cache_share) for one in scenario.serving.classes)
        for one in scenario.serving.classes:
            if name == demand_name(one.name):
                return central(one.peak_rate_per_s)
    return central(scenario.economics.price_trend_per_year) if name == "price_trend" else 1.0
