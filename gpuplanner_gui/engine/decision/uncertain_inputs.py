"""Which inputs of a scenario are uncertain, how, and how far results follow them.

An input has the range that the planner entered, else what is usual for it. Results are asked of the engine at a few
values and interpolated between. Money and demand do not change a step: samples that differ only in them reuse the
planned one.

Names are those of `catalogs/uncertainty_defaults.json`. Inputs that a plan is proportional to, or that change what the
engine computes, are factors on the planner's value; the others are values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.plan import TrainingTable, column
from gpuplanner_gui.domain.preset import UncertaintyDefault, scaled, shifted
from gpuplanner_gui.domain.quantity import Lognormal, Quantity, central, is_uncertain, upper_end
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.samples import stated_drafts
from gpuplanner_gui.engine.serving.search_variants import drafts_tried
from gpuplanner_gui.engine.simulation.step_time import acceptance_of
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.plan import planned
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile
from gpuplanner_gui.engine.uncertainty.sampling import hits_bounds, own_or_usual

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
    paid_on: Mapping[str, set[Procurement]],
    context: Context,
    serving_sigma: float,
    training_sigma: float,
    purchase_spread: Quantity,
    power_sigma: float = 0.0,
) -> UncertainInputs:
    """Every uncertain input of a scenario.

    Parameters
    ----------
    paid_on : terms on which each workload's devices are paid for.
    serving_sigma, training_sigma : spread of the logarithm of the recommended candidates' step times; 0 without one.
    purchase_spread : of a device's purchase price, as a factor.
    power_sigma : spread of the logarithm of the recommended device's power where nobody states it; 0 where it is known.
    """
    defaults = context.calibration.uncertainty
    known = {one.id: one for one in defaults.inputs}
    usual = scenario.economics.uncertainty.usual_spreads
    terms = set[Procurement]().union(*paid_on.values())
    entries = [
        *_serving(scenario, context, known, usual),
        *_training(scenario, known, usual),
        *_money(scenario, terms, known, usual, purchase_spread),
    ]
    if paid_on.get("serving", set()) - {"own"}:
        entries.append(_price_trend(scenario, known, usual))
    if serving_sigma > 0 and scenario.serving is not None:
        entries.append(Entry(SERVING_MODEL, Lognormal(1.0, serving_sigma)))
    if training_sigma > 0 and scenario.training is not None:
        entries.append(Entry(TRAINING_MODEL, Lognormal(1.0, training_sigma)))
    if power_sigma > 0 and "own" in terms:
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


def _serving(
    scenario: Scenario, context: Context, known: dict[str, UncertaintyDefault], usual: bool
) -> Iterator[Entry]:
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
        if serving.has_next_tokens:
            yield Entry("output_length", known["output_length"].distribution.value)
    for name, classes in _classes_by_hits(serving).items():
        hits = max((one.prefix_cache_share for one in classes), key=central)
        yield _stated(name, hits, hits_bounds(hits), own_or_usual(hits, known["prefix_cache"], usual))
    cv = serving.traffic.burstiness_cv
    yield _stated("burstiness", cv, (0.1, 100.0), own_or_usual(cv, known["burstiness"], usual))
    if stated_drafts(serving, scenario.model) or drafts_tried(scenario, context):
        acceptance, stated = acceptance_of(serving.engine, scenario.model), serving.engine.draft_acceptance is not None
        own = own_or_usual(acceptance, known["draft_acceptance"], usual and not stated)
        yield _stated("draft_acceptance", acceptance, (0.0, 1.0), own)
    if not serving.traffic.known_hours:
        yield _stated("mean_over_peak", serving.traffic.mean_over_peak, (0.01, 1.0))
    yield _stated("growth", serving.traffic.growth_per_year, (-0.9, 100.0))


def _price_trend(scenario: Scenario, known: dict[str, UncertaintyDefault], usual: bool) -> Entry:
    trend, usual_trend = scenario.economics.price_trend_per_year, known["price_trend"].distribution.value
    is_usual = usual and not is_uncertain(trend)
    return _stated("price_trend", trend, (-0.9, 10.0), shifted(usual_trend, central(trend)) if is_usual else None)


def demand_name(class_name: str) -> str:
    """Name of the demand of a request class that has a range of its own."""
    return f"demand:{class_name}"


def _classes_by_hits(serving: ServingWorkload) -> dict[str, list[RequestClass]]:
    """Classes whose prefix-cache hits vary together, by the input's name: beside others, one that states a range of its
    own varies by itself."""
    found: dict[str, list[RequestClass]] = {}
    for one in serving.classes:
        is_own = is_uncertain(one.prefix_cache_share) and len(serving.classes) > 1
        if central(one.prefix_cache_share) > 0:
            found.setdefault(f"prefix_cache:{one.name}" if is_own else "prefix_cache", []).append(one)
    return found


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
        if is_uncertain(interval) or usual:
            own = scaled(interval, 1 / central(interval)) if is_uncertain(interval) else spread
            yield Entry("preemption_interval", own)


def _money(
    scenario: Scenario, terms: set[Procurement], known: dict[str, UncertaintyDefault], usual: bool,
    purchase_spread: Quantity,
) -> Iterator[Entry]:  # fmt: skip
    if usual and terms - {"own"}:
        yield Entry("device_price", known["device_price"].distribution.value)
    if "own" not in terms:
        return
    yield Entry("purchase_price", purchase_spread)
    for name, (section, field, bounds) in OWNER_INPUTS.items():
        value: Quantity = getattr(getattr(scenario.economics, section), field)
        yield _stated(name, value, bounds, own_or_usual(value, known[name], usual))


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


Change = Callable[[ServingWorkload, float], ServingWorkload]


def changes_of(serving: ServingWorkload) -> dict[str, Change]:
    """Inputs that change what the engine computes: how a value of each is put into the scenario."""
    return {
        "prompt_length": lambda one, value: _with_lengths(one, "prompt_tokens", value),
        "output_length": lambda one, value: _with_lengths(one, "output_tokens", value),
        **{name: _hits_of(classes) for name, classes in _classes_by_hits(serving).items()},
        "burstiness": _with_burstiness,
        "draft_acceptance": _with_acceptance,
    }


def _with_lengths(serving: ServingWorkload, field: str, factor: float) -> ServingWorkload:
    def longer(one: RequestClass) -> RequestClass:
        length: Quantity = getattr(one, field)
        if field == "prompt_tokens":
            return msgspec.structs.replace(one, prompt_tokens=scaled(length, factor))
        # A label has one token whatever is asked, and whoever waits for a second token gets one.
        kept = max(factor, min(2.0 / upper_end(length), 1.0)) if one.has_next_tokens else 1.0
        return msgspec.structs.replace(one, output_tokens=scaled(length, kept))

    return msgspec.structs.replace(serving, classes=tuple(longer(one) for one in serving.classes))


def _hits_of(classes: list[RequestClass]) -> Change:
    """The class with most hits gets a share; those of the others that vary with it follow in proportion."""
    own = {one.name: central(one.prefix_cache_share) for one in classes}
    most = max(own.values())

    def changed(serving: ServingWorkload, share: float) -> ServingWorkload:
        def cached(one: RequestClass) -> RequestClass:
            hits = own.get(one.name)
            return one if hits is None else msgspec.structs.replace(one, prefix_cache_share=hits * share / most)

        return msgspec.structs.replace(serving, classes=tuple(cached(one) for one in serving.classes))

    return changed


def _with_burstiness(serving: ServingWorkload, cv: float) -> ServingWorkload:
    return msgspec.structs.replace(serving, traffic=msgspec.structs.replace(serving.traffic, burstiness_cv=cv))


def _with_acceptance(serving: ServingWorkload, acceptance: float) -> ServingWorkload:
    engine = msgspec.structs.replace(serving.engine, draft_acceptance=acceptance)
    return msgspec.structs.replace(serving, engine=engine)
