"""Two to six scenarios beside each other: results with bands over the same samples, and a ranking by weights."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.decision import ComparedScenario, ComparisonAnswer, DifferingInput, Headline
from gpuplanner_gui.domain.economics import RankingWeights
from gpuplanner_gui.domain.field import About, fields_of
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import Lognormal, Money, Normal, Range, Triangular, central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.monte_carlo_plan import headlines
from gpuplanner_gui.engine.decision.plan_samples import SampledPlan, sampled
from gpuplanner_gui.engine.decision.uncertain_plan import plan_model
from gpuplanner_gui.engine.uncertainty.sampling import probability_cheaper

_WHOLE = (Range, Triangular, Normal, Lognormal, Money)
MOST_FIELDS = 4
_NOT_COMPARED = ("name", "notes", "chosen_training", "chosen_serving")


def differing_inputs(scenarios: Sequence[Scenario]) -> tuple[DifferingInput, ...]:
    """Inputs that differ, in the order of the editors. A place that some scenarios lack is None there.

    Models are told apart by their names; of two that share one, by their fields.
    """
    return tuple(_differing("", (), About(""), tuple(scenarios), is_top=True))


def _differing(
    path: str, titles: tuple[str, ...], about: About, values: tuple[Any, ...], is_top: bool = False
) -> Iterator[DifferingInput]:
    if all(value == values[0] for value in values[1:]):
        return
    if _are_structs(values):
        if isinstance(values[0], Model) and len({value.name for value in values}) > 1:
            yield DifferingInput(path=path, titles=titles, unit="", values=tuple(value.name for value in values))
            return
        kind: type[msgspec.Struct] = type(values[0])
        for field in fields_of(kind):
            if is_top and field.name in _NOT_COMPARED:
                continue
            inner = tuple(getattr(value, field.name) for value in values)
            yield from _differing(_joined(path, field.name), (*titles, field.about.title), field.about, inner)
        return
    if _are_lists_of_structs(values):
        for place in range(max(len(value) for value in values)):
            items = tuple(value[place] if place < len(value) else None for value in values)
            named = next((getattr(item, "name", "") for item in items if item is not None), "")
            yield from _differing(f"{path}[{place}]", (*titles, named or str(place + 1)), about, items)
        return
    if _is_small_struct_beside_none(values):
        small: type[msgspec.Struct] = next(type(value) for value in values if value is not None)
        for field in fields_of(small):
            inner = tuple(None if value is None else getattr(value, field.name) for value in values)
            yield from _differing(_joined(path, field.name), (*titles, field.about.title), field.about, inner)
        return
    yield DifferingInput(path=path, titles=titles, unit=about.unit, values=tuple(_shown(value) for value in values))


def _is_small_struct_beside_none(values: tuple[Any, ...]) -> bool:
    """An exchange rate, a target: nothing names it but its few fields."""
    there = tuple(value for value in values if value is not None)
    if len(there) == len(values) or not _are_structs(there):
        return False
    small: type[msgspec.Struct] = type(there[0])
    fields = fields_of(small)
    return len(fields) <= MOST_FIELDS and all(field.name != "name" for field in fields)


def _are_structs(values: tuple[Any, ...]) -> bool:
    """Structs of one type that hold fields a planner enters; distributions and money are values."""
    first = type(values[0])
    return issubclass(first, msgspec.Struct) and first not in _WHOLE and all(type(one) is first for one in values)


def _are_lists_of_structs(values: tuple[Any, ...]) -> bool:
    items = [item for value in values if isinstance(value, tuple) for item in value]
    return all(isinstance(value, tuple) for value in values) and bool(items) and isinstance(items[0], msgspec.Struct)


def _shown(value: Any) -> Any:
    """A whole section stands for itself where the others have none."""
    if isinstance(value, msgspec.Struct) and not isinstance(value, _WHOLE):
        return getattr(value, "name", "") or True
    return value


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


MOST_SCENARIOS = 6
CRITERIA = tuple(RankingWeights.__struct_fields__)
SERVED_CRITERIA = ("latency", "stability")
"""Criteria that nothing but a service is judged by."""


def criteria_of(scenarios: Iterable[Scenario]) -> tuple[str, ...]:
    """What some scenarios are judged by: none of them by the latency of a service that none has."""
    is_served = any(one.serving is not None for one in scenarios)
    return tuple(one for one in CRITERIA if is_served or one not in SERVED_CRITERIA)


def comparison(
    planned: Sequence[tuple[Scenario, Plan]],
    context: Context,
    seed: int,
    weights: RankingWeights,
    check: Callable[[], None] = lambda: None,
) -> ComparisonAnswer:
    """Compare scenarios with their plans; `check` raises when the caller has lost interest.

    Inputs of one name have the same samples in every scenario, so that what they share does not blur the comparison.
    Raises ValueError for fewer than two or more than six.
    """
    if not 2 <= len(planned) <= MOST_SCENARIOS:
        raise ValueError(f"{len(planned)} scenarios cannot be compared; 2 to {MOST_SCENARIOS} can")
    # As many as each scenario's own page takes: a number that stands in both places is the same.
    count = max(scenario.economics.uncertainty.samples for scenario, _ in planned)
    columns, costs = [], []
    for scenario, plan in planned:
        run: SampledPlan | None = None
        shown: tuple[Headline, ...] = ()
        model = plan_model(scenario, plan, context, check)
        if model is not None:  # Else nothing runs: the column stays empty, and ranks last.
            run = sampled(model, scenario, count, seed, check=check)
            shown = headlines(scenario, model, run)
        costs.append(_yearly_usd(scenario, run, count))
        columns.append((scenario, plan, run, shown))
    marks = np.array(
        [_marks(scenario, plan, run, usd) for (scenario, plan, run, _), usd in zip(columns, costs, strict=True)]
    )
    scores = _scores(marks)
    judged = criteria_of(scenario for scenario, _ in planned)
    weight = np.array([getattr(weights, name) if name in judged else 0.0 for name in CRITERIA])
    total = scores @ weight / max(float(weight.sum()), 1e-12)
    compared = tuple(
        ComparedScenario(
            name=scenario.name,
            serving=_device(plan, "serving"),
            training=_device(plan, "training"),
            headlines=shown,
            scores={name: float(scores[place, CRITERIA.index(name)]) for name in judged},
            score=float(total[place]),
            verdict=plan.verdicts.both if plan.verdicts is not None else None,
        )
        for place, (scenario, plan, _, shown) in enumerate(columns)
    )
    # One that trains does not stand in for one that serves: which costs less is no question.
    work = [(scenario.serving is None, scenario.training is None) for scenario, _ in planned]
    beats = tuple(
        tuple(_beats(one, other) if mine == its else float("nan") for other, its in zip(costs, work, strict=True))
        for one, mine in zip(costs, work, strict=True)
    )
    order = sorted(range(len(compared)), key=lambda place: -compared[place].score)
    return ComparisonAnswer(
        scenarios=compared,
        differing=differing_inputs([scenario for scenario, _ in planned]),
        beats=beats,
        ranking=tuple(order),
    )


def _device(plan: Plan, workload: str) -> str:
    answer = plan.answers.get(workload)
    if answer is None or answer.best < 0:
        return ""
    return plan.accelerators[int(answer.table.accelerator[answer.best])]


def _yearly_usd(scenario: Scenario, run: SampledPlan | None, count: int) -> Floats:
    """A year of service and its training runs, in each sample; infinite where one of them cannot be done. [USD/y]"""
    if run is None:
        return np.full(count, np.inf)
    total = np.zeros(count)
    if scenario.serving is not None:
        total = total + run.results.get("serving.usd_per_month", np.inf) * 12
    if scenario.training is not None:
        runs = central(scenario.economics.fleets.training_runs_per_year)
        total = total + run.results.get("training.usd_per_run", np.inf) * runs
    return np.asarray(total, float)


def _beats(one: Floats, other: Floats) -> float:
    return float("nan") if one is other else float(probability_cheaper(one, other))


def _marks(scenario: Scenario, plan: Plan, run: SampledPlan | None, yearly_usd: Floats) -> list[float]:
    """Cost, latency, tail over middle, doubt, power: lower is better in each; NaN where it does not apply."""
    cost = float(np.quantile(yearly_usd, 0.5, method="inverted_cdf"))
    latency = stability = power = float("nan")
    answer = plan.serving
    if answer is not None and answer.best >= 0:
        table, best = answer.table, answer.best
        latency = float(getattr(table, f"{scenario.first_latency}_p95_s")[best])
        middle = float(table.ttft_p50_s[best])
        # A queue that grows without end has no tail to speak of.
        stability = float(table.ttft_p99_s[best]) / middle if np.isfinite(middle) else float("nan")
        power = float(table.power_w[best])
    elif plan.training is not None and plan.training.best >= 0:
        power = float(plan.training.table.power_w[plan.training.best])
    doubt = 1 - plan.verdicts.both.chance if plan.verdicts is not None else float("nan")
    return [cost, latency, stability, doubt, power]


def _scores(marks: Floats) -> Floats:
    """Each criterion from 0, the worst, to 1, the best; what applies to none counts as equal, what lacks as worst."""
    finite = np.where(np.isfinite(marks), marks, np.nan)
    applies = ~np.isnan(finite).all(axis=0)
    low = np.min(finite, axis=0, initial=np.inf, where=~np.isnan(finite))
    high = np.max(finite, axis=0, initial=-np.inf, where=~np.isnan(finite))
    span = np.where(applies & (high > low), high - low, 1.0)
    with np.errstate(invalid="ignore"):
        scores = 1 - (finite - low) / span
    scores = np.where(np.isnan(scores), 0.0, scores)
    return np.where(applies, scores, 1.0)
