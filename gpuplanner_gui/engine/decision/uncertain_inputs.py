"""Which inputs of a scenario are uncertain, and how: what the planner entered as a range, else what is usual for it.

Names are those of `catalogs/uncertainty_defaults.json`. Inputs that a plan is proportional to, or that change what the
engine computes, are factors on the planner's value; the others are values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from gpuplanner_gui.domain.economics import Procurement
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
EXTRA_SHARES = ("retry_share", "validation_share", "experiment_share")
"""What is worked beside a training run, as shares of it."""
POSITIVE = (1e-6, float("inf"))


@dataclass(frozen=True)
class UncertainInputs:
    """Distributions by name, with the bounds that they are cut at, and the pairs that move together."""

    quantities: dict[str, Quantity]
    bounds: dict[str, tuple[float, float]]
    correlations: dict[tuple[str, str], float]
    planned: dict[str, float]
    """Values by which the plan was made."""


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
        entries.append(Entry(SERVING_MODEL, Lognormal(1.0, serving_sigma)))
    if training_sigma > 0 and scenario.training is not None:
        entries.append(Entry(TRAINING_MODEL, Lognormal(1.0, training_sigma)))
    if power_sigma > 0 and "own" in _terms(scenario):
        entries.append(Entry(RATED_POWER, Lognormal(1.0, power_sigma)))
    wanted = [entry for entry in entries if is_uncertain(entry.quantity)]
    return UncertainInputs(
        {one.name: one.quantity for one in wanted},
        {one.name: one.bounds for one in wanted},
        {
            (_SAME_NAMES.get(one.first, one.first), _SAME_NAMES.get(one.second, one.second)): one.correlation
            for one in defaults.correlations
            if one.correlation
        },
        {one.name: one.planned for one in wanted},
    )


_SAME_NAMES = {"peak_rate": "demand"}


class Entry(NamedTuple):
    """One input: a factor on the planner's value, or that value with bounds of its own."""

    name: str
    quantity: Quantity
    bounds: tuple[float, float] = POSITIVE
    planned: float = 1.0


def _stated(name: str, value: Quantity, bounds: tuple[float, float], quantity: Quantity | None = None) -> Entry:
    """A value of the planner's, with its own range or another one."""
    return Entry(name, value if quantity is None else quantity, bounds, central(value))


def _terms(scenario: Scenario) -> set[Procurement]:
    """Terms on which what is planned is paid for."""
    terms = {scenario.economics.serving_procurement} if scenario.serving is not None else set()
    return terms | ({scenario.economics.training_procurement} if scenario.training is not None else set())


def _serving(scenario: Scenario, known: dict[str, UncertaintyDefault], usual: bool) -> Iterator[Entry]:
    serving = scenario.serving
    if serving is None:
        return
    is_new = scenario.economics.uncertainty.new_product
    spread = known["peak_rate_new" if is_new else "peak_rate_established"]
    ranges = [one.peak_rate_per_s for one in serving.classes if is_uncertain(one.peak_rate_per_s)]
    if len(ranges) == 1 and len(serving.classes) == 1:
        yield Entry("demand", scaled(ranges[0], 1 / central(ranges[0])))
    else:
        for one in serving.classes:
            if is_uncertain(one.peak_rate_per_s):
                yield _stated(demand_name(one.name), one.peak_rate_per_s, POSITIVE)
        if len(ranges) < len(serving.classes) and usual:
            yield Entry("demand", spread.distribution.value)
    if usual:
        yield Entry("prompt_length", known["prompt_length"].distribution.value)
        yield Entry("output_length", known["output_length"].distribution.value)
    shares = [central(one.prefix_cache_share) for one in serving.classes]
    if usual and max(shares) > 0:
        yield Entry("prefix_cache", _around(known["prefix_cache"], max(shares)), (0.0, 0.95), max(shares))
    cv = serving.traffic.burstiness_cv
    yield _stated("burstiness", cv, (0.1, 100.0), _own_or_usual(cv, known["burstiness"], usual))
    if serving.engine.speculative_tokens or drafts_tried(scenario):
        acceptance, stated = acceptance_of(serving.engine, scenario.model), serving.engine.draft_acceptance is not None
        own = _own_or_usual(acceptance, known["draft_acceptance"], usual and not stated)
        yield _stated("draft_acceptance", acceptance, (0.0, 1.0), own)
    if not serving.traffic.known_hours:
        yield _stated("mean_over_peak", serving.traffic.mean_over_peak, (0.01, 1.0))
    yield _stated("growth", serving.traffic.growth_per_year, (-0.9, 100.0))
    if scenario.economics.serving_procurement != "own":
        trend = scenario.economics.price_trend_per_year
        usual_trend = known["price_trend"].distribution.value
        is_usual = usual and not is_uncertain(trend)
        yield _stated("price_trend", trend, (-0.9, 10.0), shifted(usual_trend, central(trend)) if is_usual else None)


def demand_name(class_name: str) -> str:
    """Name of the demand of a request class that has a range of its own."""
    return f"demand:{class_name}"


def _training(scenario: Scenario, known: dict[str, UncertaintyDefault], usual: bool) -> Iterator[Entry]:
    job = scenario.training
    if job is None:
        return
    yield _stated("tokens", job.tokens, POSITIVE)
    for name in EXTRA_SHARES:
        yield _stated(name, getattr(job, name), (0.0, 10.0))
    rate = job.checkpoints.failures_per_node_day
    if is_uncertain(rate):
        yield Entry("failure_rate", scaled(rate, 1 / central(rate)))
    elif usual and central(rate) > 0:
        yield Entry("failure_rate", known["failure_rate"].distribution.value)
    if scenario.economics.training_procurement == "rent_spot":
        interval = scenario.economics.spot_interruption_interval_s
        spread = known["preemption_interval"].distribution.value
        own = scaled(interval, 1 / central(interval)) if is_uncertain(interval) else spread
        yield Entry("preemption_interval", own)


def _money(
    scenario: Scenario, known: dict[str, UncertaintyDefault], usual: bool, purchase_spread: Quantity
) -> Iterator[Entry]:
    terms = _terms(scenario)
    if usual and terms - {"own"}:
        yield Entry("device_price", known["device_price"].distribution.value)
    if "own" not in terms:
        return
    yield Entry("purchase_price", purchase_spread)
    for name, (section, field, bounds) in OWNER_INPUTS.items():
        value: Quantity = getattr(getattr(scenario.economics, section), field)
        yield _stated(name, value, bounds, _own_or_usual(value, known[name], usual))


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
