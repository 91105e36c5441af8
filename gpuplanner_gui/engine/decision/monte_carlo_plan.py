"""How sure a plan is: bands on its headline results, probabilities, what moves them, what to measure first."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain import decision
from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.plan_model import Inputs
from gpuplanner_gui.engine.decision.plan_samples import SampledPlan, all_held, held_targets, limits_of, sampled
from gpuplanner_gui.engine.decision.uncertain_inputs import TRAINING_MODEL, UncertainInputs
from gpuplanner_gui.engine.decision.uncertain_plan import PlanModel, plan_model
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile, cumulative
from gpuplanner_gui.engine.uncertainty.sampling import (
    band,
    probability_best,
    probability_cheaper,
    share_from_inputs,
    tornado,
    value_of_information,
)

NO_INPUTS: Inputs = {"": np.ones(1)}
"""Stands in where nothing is uncertain: one sample of the plan as it is."""
MOST_FOR_VALUE = 2_000
"""Samples from which the value of knowing an input is found: its regressions need no more."""
DEAREST = 5.0
"""When choices are weighed, no fleet counts as more than so many times the recommended one's median: one that cannot do
the work, or only at such a price, would not be bought."""
UNITS = {
    "serving.usd_per_month": "USD/month",
    "serving.usd_per_month_needed": "USD/month",
    "serving.replicas_needed": "",
    "serving.usd_per_million_output_tokens": "USD",
    "serving.lifetime_usd": "USD",
    "serving.ttft_p95_s": "s",
    "serving.tpot_p95_s": "s",
    "serving.e2e_p95_s": "s",
    "training.run_time_s": "s",
    "training.usd_per_run": "USD",
    "training.mfu": "share",
    "training.device_hours": "h",
}
TORNADOS = (
    "serving.usd_per_month_needed", "serving.ttft_p95_s", "serving.tpot_p95_s", "serving.e2e_p95_s",
    "training.usd_per_run", "training.run_time_s",
)  # fmt: skip


def uncertainty_of_plan(
    scenario: Scenario,
    plan: Plan,
    context: Context,
    seed: int,
    samples: int = 0,
    on_progress: Callable[[float], None] = lambda share: None,
    check: Callable[[], None] = lambda: None,
) -> decision.UncertaintyAnswer | None:
    """Bands, probabilities, tornados and rivals of a plan; the same seed gives the same answer.

    `samples` of 0 takes the scenario's number. `check` raises when the caller has lost interest. None where no workload
    has a candidate that runs.
    """
    count = samples or scenario.economics.uncertainty.samples
    model = plan_model(scenario, plan, context, check)
    if model is None:
        return None
    on_progress(0.3)
    run = sampled(model, scenario, count, seed, lambda share: on_progress(0.3 + 0.6 * share), check)
    held = held_targets(scenario, plan, run.results, context.calibration.uncertainty, seed)
    answer = decision.UncertaintyAnswer(
        samples=run.sample.count,
        seed=seed,
        headlines=headlines(scenario, model, run),
        tornados=tuple(_tornados(model)),
        probabilities=tuple(probabilities(held)),
        rivals=tuple(_rivals(plan, model, run)),
        measurements=tuple(_measurements(model, run, seed)),
        inputs=run.sample.uncertain,
        skewed=tuple(_skewed(scenario, model.inputs)),
    )
    on_progress(1.0)
    return answer


EVEN = (0.35, 0.65)
"""Share of the cases above the planned value between which it passes for their middle."""


def _skewed(scenario: Scenario, inputs: UncertainInputs) -> Iterator[decision.SkewedInput]:
    """Inputs planned at a value, as a rule the most likely one, that is far from the middle of their cases.

    How much arrivals vary is of no effect where a batch, a trace or the users themselves say when they come.
    """
    arrivals = scenario.serving.traffic.arrivals if scenario.serving is not None else "poisson"
    for name, quantity in inputs.quantities.items():
        if name == "burstiness" and arrivals not in ("poisson", "gamma"):
            continue
        planned, bounds = inputs.planned[name], inputs.bounds[name]
        below = float(cumulative(quantity, planned))
        if not EVEN[0] <= 1.0 - below <= EVEN[1]:
            median = float(bounded_quantile(quantity, 0.5, *bounds))
            yield decision.SkewedInput(input=name, planned=planned, median=median, is_lowest=below <= 0.0)


def headlines(scenario: Scenario, model: PlanModel, run: SampledPlan) -> tuple[decision.Headline, ...]:
    """Bands of every headline result, and what share of each spread the inputs cause."""
    values = {name: np.array([value]) for name, value in model.inputs.planned.items()}
    planned = model.evaluate(values or NO_INPUTS)
    limits = limits_of(scenario)
    found = []
    for code, unit in UNITS.items():
        if code not in run.results:
            continue
        results = run.results[code]
        ends = band(results)
        found.append(
            decision.Headline(
                code=code, unit=unit, planned=float(planned[code][0]), p10=float(ends.p10), p50=float(ends.p50),
                p90=float(ends.p90), input_share=_input_share(run.without_model_error[code], results),
                limit=limits.get(code, float("nan")),
            )
        )  # fmt: skip
    return tuple(found)


def _input_share(clean: Floats, noisy: Floats) -> float:
    known = np.isfinite(clean) & np.isfinite(noisy) & (clean > 0) & (noisy > 0)
    if known.sum() < 2 or float(np.ptp(noisy[known])) == 0:
        return 1.0
    return share_from_inputs(clean[known], noisy[known])


def probabilities(held: dict[str, NDArray[np.bool_]]) -> Iterator[decision.Probability]:
    """Share of the samples in which the plan as it stands keeps each target, and all of them."""
    for name, condition in held.items():
        yield decision.Probability(code=name, value=float(condition.mean()))
    everything = all_held(held)
    if len(held) > 1 and everything is not None:
        yield decision.Probability(code="everything", value=float(everything.mean()))


def _tornados(model: PlanModel) -> Iterator[decision.Tornado]:
    values = {name: np.array([central(one)]) for name, one in model.inputs.quantities.items()}
    planned = model.evaluate(values or NO_INPUTS)
    for code in TORNADOS:
        if code not in planned:
            continue
        bars = tornado(model.evaluate, model.inputs.quantities, code, model.inputs.bounds)
        shown = tuple(_as_believed(one, model) for one in bars if one.swing > 0)
        middle = _at_medians(model)[code]
        yield decision.Tornado(code=code, unit=UNITS[code], middle=float(middle[0]), bars=shown)


def _as_believed(bar: decision.TornadoBar, model: PlanModel) -> decision.TornadoBar:
    """A step time's interval ends where its results do."""
    if bar.input != TRAINING_MODEL or model.training is None:
        return bar
    return msgspec.structs.replace(bar, low_input=max(bar.low_input, float(model.training.fastest[0])))


def _at_medians(model: PlanModel) -> dict[str, Floats]:
    values = {
        name: bounded_quantile(quantity, np.array([0.5]), *model.inputs.bounds[name])
        for name, quantity in model.inputs.quantities.items()
    }
    return model.evaluate(values or NO_INPUTS)


def _rivals(plan: Plan, model: PlanModel, run: SampledPlan) -> Iterator[decision.Rival]:
    for workload, part in model.parts.items():
        costs, table = run.results[f"{workload}.rivals"], part.answer.table
        best = probability_best(np.where(np.isfinite(costs), costs, np.inf)) if len(costs) > 1 else np.ones(1)
        ends = band(costs)
        for place, row in enumerate(part.rows):
            yield decision.Rival(
                workload=workload, candidate=int(row),
                accelerator=plan.accelerators[int(table.accelerator[row])],
                p10_usd=float(ends.p10[place]), p50_usd=float(ends.p50[place]), p90_usd=float(ends.p90[place]),
                best_share=float(best[place]),
                beats_recommended=float(probability_cheaper(costs[place], costs[0])) if place else float("nan"),
            )  # fmt: skip


def _measurements(model: PlanModel, run: SampledPlan, seed: int) -> Iterator[decision.WorthOfKnowing]:
    """Inputs that, known beforehand, would change the choice of device, and what that saves."""
    values: dict[str, float] = {}
    for workload, part in model.parts.items():
        if len(part.log_sd) < 2:
            continue
        costs = run.results[f"{workload}.rivals"]
        middle = float(np.quantile(costs[0], 0.5, method="inverted_cdf"))
        if not np.isfinite(middle):
            continue
        known = np.minimum(costs, DEAREST * middle)[:, :MOST_FOR_VALUE]
        worth = value_of_information(run.sample.part(slice(MOST_FOR_VALUE)), known, seed)
        for name, value in zip(worth.names, worth.value, strict=True):
            if value > max(worth.noise, 0.0) * 1.5 and value > 0.002 * float(known[0].mean()):
                values[name] = values.get(name, 0.0) + float(value)
    for name in sorted(values, key=lambda one: -values[one]):
        yield decision.WorthOfKnowing(input=name, value_usd=values[name])
