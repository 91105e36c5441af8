"""Which inputs of a scenario are uncertain, and how: what the planner entered as a range, else what is usual for it.

Names are those of `catalogs/uncertainty_defaults.json`. Inputs that a plan is proportional to, or that change what the
engine computes, are factors on the planner's value; the others are values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from gpuplanner_gui.domain.preset import UncertaintyDefault, UncertaintyDefaults, scaled, shifted
from gpuplanner_gui.domain.quantity import Lognormal, Quantity, central, is_uncertain
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.serving.search_variants import drafts_tried
from gpuplanner_gui.engine.simulation.step_time import acceptance_of

SERVING_MODEL, TRAINING_MODEL = "serving_model", "training_model"
"""Error of the step times themselves; a factor."""
RATED_POWER = "rated_power"
"""Rated power of the recommended device where it is taken from relatives; a factor."""
OWNER_INPUTS = {
    "useful_life": ("ownership", "useful_life_years", (0.5, 30.0)),
    "residual": ("ownership", "residual_share", (0.0, 1.0)),
    "cost_of_capital": ("ownership", "cost_of_capital", (0.0, 1.0)),
    "electricity": ("site", "electricity_usd_per_kwh", (0.0, 10.0)),
    "pue": ("site", "pue", (1.0, 4.0)),
    "power_use": ("site", "power_share_of_rating", (0.01, 1.5)),
}
POSITIVE = (1e-6, float("inf"))


@dataclass(frozen=True)
class UncertainInputs:
    """Distributions by name, with the bounds that they are cut at, and the pairs that move together."""

    quantities: dict[str, Quantity]
    bounds: dict[str, tuple[float, float]]
    correlations: dict[tuple[str, str], float]


def uncertain_inputs(
    scenario: Scenario,
    defaults: UncertaintyDefaults,
    serving_sigma: float,
    training_sigma: float,
    purchase_spread: Quantity,
    power_sigma: float = 0.0,
) -> UncertainInputs:
    """Every uncertain input of a scenario.

    Parameters
    ----------
    serving_sigma, training_sigma : spread of the logarithm of the recommended candidates' step times; 0 without one.
    purchase_spread : of a device's purchase price, as a factor.
    power_sigma : spread of the logarithm of the recommended device's power where nobody states it; 0 where it is known.
    """
    known = {one.id: one for one in defaults.inputs}
    usual = scenario.economics.uncertainty.usual_spreads
    entries = [
        *_serving(scenario, known, usual),
        *_training(scenario, known, usual),
        *_money(scenario, known, usual, purchase_spread),
    ]
    if serving_sigma > 0 and scenario.serving is not None:
        entries.append((SERVING_MODEL, Lognormal(1.0, serving_sigma), POSITIVE))
    if training_sigma > 0 and scenario.training is not None:
        entries.append((TRAINING_MODEL, Lognormal(1.0, training_sigma), POSITIVE))
    owned = {scenario.economics.serving_procurement} if scenario.serving is not None else set()
    owned |= {scenario.economics.training_procurement} if scenario.training is not None else set()
    if power_sigma > 0 and "own" in owned:
        entries.append((RATED_POWER, Lognormal(1.0, power_sigma), POSITIVE))
    wanted = [entry for entry in entries if is_uncertain(entry[1])]
    return UncertainInputs(
        {name: quantity for name, quantity, _ in wanted},
        {name: bounds for name, _, bounds in wanted},
        {
            (_SAME_NAMES.get(one.first, one.first), _SAME_NAMES.get(one.second, one.second)): one.correlation
            for one in defaults.correlations
            if one.correlation
        },
    )


_SAME_NAMES = {"peak_rate": "demand"}
Entry = tuple[str, Quantity, tuple[float, float]]


def _serving(scenario: Scenario, known: dict[str, UncertaintyDefault], usual: bool) -> Iterator[Entry]:
    serving = scenario.serving
    if serving is None:
        return
    is_new = scenario.economics.uncertainty.new_product
    spread = known["peak_rate_new" if is_new else "peak_rate_established"]
    ranges = [one.peak_rate_per_s for one in serving.classes if is_uncertain(one.peak_rate_per_s)]
    if len(ranges) == 1 and len(serving.classes) == 1:
        yield "demand", scaled(ranges[0], 1 / central(ranges[0])), POSITIVE
    else:
        for one in serving.classes:
            if is_uncertain(one.peak_rate_per_s):
                yield demand_name(one.name), one.peak_rate_per_s, POSITIVE
        if len(ranges) < len(serving.classes) and usual:
            yield "demand", spread.distribution.value, POSITIVE
    if usual:
        yield "prompt_length", known["prompt_length"].distribution.value, POSITIVE
        yield "output_length", known["output_length"].distribution.value, POSITIVE
    shares = [central(one.prefix_cache_share) for one in serving.classes]
    if usual and max(shares) > 0:
        yield "prefix_cache", _around(known["prefix_cache"], max(shares)), (0.0, 0.95)
    yield "burstiness", _own_or_usual(serving.traffic.burstiness_cv, known["burstiness"], usual), (0.1, 100.0)
    if serving.engine.speculative_tokens or drafts_tried(scenario):
        acceptance, stated = acceptance_of(serving.engine, scenario.model), serving.engine.draft_acceptance is not None
        own = _own_or_usual(acceptance, known["draft_acceptance"], usual and not stated)
        yield "draft_acceptance", own, (0.0, 1.0)
    if not serving.traffic.known_hours:
        yield "mean_over_peak", serving.traffic.mean_over_peak, (0.01, 1.0)
    yield "growth", serving.traffic.growth_per_year, (-0.9, 100.0)
    if scenario.economics.serving_procurement != "own":
        trend = scenario.economics.price_trend_per_year
        usual_trend = known["price_trend"].distribution.value
        is_usual = usual and not is_uncertain(trend)
        yield "price_trend", shifted(usual_trend, central(trend)) if is_usual else trend, (-0.9, 10.0)


def demand_name(class_name: str) -> str:
    """Name of the demand of a request class that has a range of its own."""
    return f"demand:{class_name}"


def _training(scenario: Scenario, known: dict[str, UncertaintyDefault], usual: bool) -> Iterator[Entry]:
    job = scenario.training
    if job is None:
        return
    yield "tokens", job.tokens, POSITIVE
    yield "retry_share", job.retry_share, (0.0, 10.0)
    yield "validation_share", job.validation_share, (0.0, 10.0)
    yield "experiment_share", job.experiment_share, (0.0, 10.0)
    rate = job.checkpoints.failures_per_node_day
    if is_uncertain(rate):
        yield "failure_rate", scaled(rate, 1 / central(rate)), POSITIVE
    elif usual and central(rate) > 0:
        yield "failure_rate", known["failure_rate"].distribution.value, POSITIVE
    if scenario.economics.training_procurement == "rent_spot":
        interval = scenario.economics.spot_interruption_interval_s
        spread = known["preemption_interval"].distribution.value
        own = scaled(interval, 1 / central(interval)) if is_uncertain(interval) else spread
        yield "preemption_interval", own, POSITIVE


def _money(
    scenario: Scenario, known: dict[str, UncertaintyDefault], usual: bool, purchase_spread: Quantity
) -> Iterator[Entry]:
    economics = scenario.economics
    terms = {economics.serving_procurement} if scenario.serving is not None else set()
    terms |= {economics.training_procurement} if scenario.training is not None else set()
    if usual and terms - {"own"}:
        yield "device_price", known["device_price"].distribution.value, POSITIVE
    if "own" not in terms:
        return
    yield "purchase_price", purchase_spread, POSITIVE
    for name, (section, field, bounds) in OWNER_INPUTS.items():
        value: Quantity = getattr(getattr(economics, section), field)
        yield name, _own_or_usual(value, known[name], usual), bounds


def _own_or_usual(value: Quantity, default: UncertaintyDefault, usual: bool) -> Quantity:
    """The planner's own range; else the usual one around the planner's value."""
    if is_uncertain(value) or not usual:
        return value
    return _around(default, central(value))


def _around(default: UncertaintyDefault, value: float) -> Quantity:
    """The usual distribution moved to a planner's value: an absolute one keeps its shape in proportion."""
    if default.spread != "absolute":
        return default.around(value)
    spread = default.distribution.value
    middle = central(spread)
    return scaled(spread, value / middle) if middle > 0 and value > 0 else spread


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
            return central(acceptance_of(scenario.serving.engine, scenario.model))
        if name == "prefix_cache":
            return max(central(one.prefix_cache_share) for one in scenario.serving.classes)
        for one in scenario.serving.classes:
            if name == demand_name(one.name):
                return central(one.peak_rate_per_s)
    return central(scenario.economics.price_trend_per_year) if name == "price_trend" else 1.0
