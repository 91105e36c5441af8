"""How sure a plan is: bands on its headline results, probabilities, what moves them, what to measure first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain import decision
from gpuplanner_gui.domain.plan import Plan, ServingTable, TrainingTable, column
from gpuplanner_gui.domain.quantity import Lognormal, Quantity, Triangular, central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor.both_rules import best_rows
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.plan_model import (
    Inputs,
    Noise,
    ServingModel,
    TrainingModel,
    prices_of,
    spread_apart,
)
from gpuplanner_gui.engine.decision.planned_values import planned_value
from gpuplanner_gui.engine.decision.price_shares import owned_of
from gpuplanner_gui.engine.decision.serving_response import serving_response
from gpuplanner_gui.engine.decision.training_response import training_response
from gpuplanner_gui.engine.decision.uncertain_inputs import (
    SERVING_MODEL,
    TRAINING_MODEL,
    UncertainInputs,
    uncertain_inputs,
)
from gpuplanner_gui.engine.prices import owned_devices
from gpuplanner_gui.engine.rented_beside import beside_month, beside_run
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile
from gpuplanner_gui.engine.uncertainty.model_error import COMMON_SHARE, sigma_of_band
from gpuplanner_gui.engine.uncertainty.monte_carlo import (
    band,
    probability_best,
    probability_cheaper,
)
from gpuplanner_gui.engine.uncertainty.normal import normal_quantile
from gpuplanner_gui.engine.uncertainty.sampling import Sample, sample_inputs, stream
from gpuplanner_gui.engine.uncertainty.sensitivity import tornado, value_of_information, variance_split

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

MOST_RIVALS = 8
NO_INPUTS: Inputs = {"": np.ones(1)}
"""Stands in where nothing is uncertain: one sample of the plan as it is."""
BATCH = 1_000
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
    "training.run_time_s": "s",
    "training.usd_per_run": "USD",
    "training.mfu": "share",
    "training.device_hours": "h",
}
TORNADOS = (
    "serving.usd_per_month_needed", "serving.ttft_p95_s", "serving.tpot_p95_s", "training.usd_per_run",
    "training.run_time_s",
)  # fmt: skip


@dataclass(frozen=True)
class PlanModel:
    """Both workloads of a plan with their uncertain inputs."""

    inputs: UncertainInputs
    serving: ServingModel | None
    training: TrainingModel | None
    serving_kinds: NDArray[np.int64]
    """Group of each rival whose step times are wrong together: devices of one vendor."""
    training_kinds: NDArray[np.int64]

    def evaluate(self, inputs: Inputs, noise: Noise | None = None) -> dict[str, Floats]:
        """Every result for sampled inputs."""
        found: dict[str, Floats] = {}
        for model in (self.serving, self.training):
            if model is not None:
                found |= model.evaluate(inputs, noise)
        return found


class NothingToSampleError(ValueError):
    """No workload of the plan has a candidate that runs."""


def plan_model(scenario: Scenario, plan: Plan, context: Context, check: Callable[[], None]) -> PlanModel:
    """Make the model of a plan: asks the engine at a few values of the inputs that change step times.

    Raises NothingToSampleError.
    """
    serving_rows, training_rows = _serving_rows(plan), _training_rows(plan)
    if not len(serving_rows) and not len(training_rows):
        raise NothingToSampleError
    serving_sd, training_sd = _serving_log_sd(plan, serving_rows), _training_log_sd(plan, training_rows)
    inputs = uncertain_inputs(
        scenario, context.calibration.uncertainty, _first(serving_sd), _first(training_sd),
        _purchase_spread(scenario, plan, context, serving_rows, training_rows),
    )  # fmt: skip
    serving = training = None
    if len(serving_rows):
        assert plan.serving is not None
        serving = _serving_model(scenario, plan, context, serving_rows, serving_sd, inputs, check)
    if len(training_rows):
        assert plan.training is not None
        training = _training_model(scenario, plan, context, training_rows, training_sd, inputs, check)
    return PlanModel(
        inputs, serving, training, _kinds(plan.serving, context, serving_rows),
        _kinds(plan.training, context, training_rows),
    )  # fmt: skip


def uncertainty_of_plan(
    scenario: Scenario,
    plan: Plan,
    context: Context,
    seed: int,
    samples: int = 0,
    on_progress: Callable[[float], None] = lambda share: None,
    check: Callable[[], None] = lambda: None,
) -> decision.UncertaintyAnswer:
    """Bands, probabilities, tornados and rivals of a plan; the same seed gives the same answer.

    `samples` of 0 takes the scenario's number. `check` raises when the caller has lost interest. Raises
    NothingToSampleError.
    """
    count = samples or scenario.economics.uncertainty.samples
    model = plan_model(scenario, plan, context, check)
    on_progress(0.3)
    run = sampled(model, scenario, count, seed, lambda share: on_progress(0.3 + 0.6 * share), check)
    answer = _answer(scenario, plan, model, run, seed)
    on_progress(1.0)
    return answer


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
    inputs = model.inputs
    sample = sample_inputs(inputs.quantities, count, seed, inputs.correlations, inputs.bounds)
    noise = _noise(model, sample, seed)
    parts: list[dict[str, Floats]] = []
    plain: list[dict[str, Floats]] = []
    for start in range(0, count, BATCH):
        check()
        part = slice(start, min(start + BATCH, count))
        values = {name: column[part] for name, column in sample.values.items()} or {"": np.ones(part.stop - start)}
        parts.append(model.evaluate(values, _noise_at(noise, part)))
        certain = {name: one for name, one in values.items() if name not in (SERVING_MODEL, TRAINING_MODEL)}
        plain.append(model.evaluate(certain or {"": np.ones(part.stop - start)}, None))
        on_progress(part.stop / count)
    return SampledPlan(sample, _joined(parts), _joined(plain))


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


def _serving_rows(plan: Plan) -> Rows:
    """The recommended candidate, then the best of other devices that meet their targets."""
    answer = plan.serving
    if answer is None or answer.best < 0 or not np.isfinite(answer.table.replicas[answer.best]):
        return np.zeros(0, np.int64)
    return _with_rivals(answer.table, answer.best, "usd_per_month")


def _training_rows(plan: Plan) -> Rows:
    answer = plan.training
    if answer is None or answer.best < 0 or not np.isfinite(answer.table.run_time_s[answer.best]):
        return np.zeros(0, np.int64)
    return _with_rivals(answer.table, answer.best, "usd_per_run")


def _with_rivals(table: ServingTable | TrainingTable, best: int, cost: str) -> Rows:
    others = [row for row in best_rows(table).values() if table.accelerator[row] != table.accelerator[best]]
    costs = column(table, cost)
    others = sorted((row for row in others if np.isfinite(costs[row])), key=lambda row: float(costs[row]))
    return np.array([best, *others[: MOST_RIVALS - 1]], np.int64)


def _serving_log_sd(plan: Plan, rows: Rows) -> Floats:
    if plan.serving is None or not len(rows):
        return np.zeros(0)
    return sigma_of_band(plan.serving.table.tpot_low80_s[rows], plan.serving.table.tpot_high80_s[rows])


def _training_log_sd(plan: Plan, rows: Rows) -> Floats:
    if plan.training is None or not len(rows):
        return np.zeros(0)
    return sigma_of_band(plan.training.table.step_low80_s[rows], plan.training.table.step_high80_s[rows])


def _first(values: Floats) -> float:
    return float(values[0]) if len(values) else 0.0


def _kinds(answer: object, context: Context, rows: Rows) -> NDArray[np.int64]:
    if answer is None or not len(rows):
        return np.zeros(0, np.int64)
    vendors = sorted({entry.vendor for entry in context.accelerators})
    who = answer.table.accelerator[rows]  # type: ignore[attr-defined]
    return np.array([vendors.index(context.accelerators[int(one)].vendor) for one in who], np.int64)


def _purchase_spread(scenario: Scenario, plan: Plan, context: Context, serving: Rows, training: Rows) -> Quantity:
    """The catalogue's range of purchase prices of the recommended device, as factors on its typical one."""
    for answer, rows in ((plan.serving, serving), (plan.training, training)):
        if answer is None or not len(rows):
            continue
        entry = context.accelerators[int(answer.table.accelerator[rows[0]])]
        usd = [_node_usd(scenario, context, entry.id, level) for level in ("low", "typical", "high")]
        if np.isfinite(usd).all() and usd[1] > 0 and usd[0] < usd[2]:
            return Triangular(min(usd[0] / usd[1], 1.0), 1.0, max(usd[2] / usd[1], 1.0))
    return 1.0


def _node_usd(scenario: Scenario, context: Context, accelerator: str, level: str) -> float:
    economics = msgspec.structs.replace(scenario.economics, price_level=level)
    entry = context.catalog.accelerators[accelerator]
    assumptions = context.calibration.economics.assumptions
    return float(owned_devices((entry,), context.catalog.nodes_of(accelerator), economics, assumptions).node_usd[0])


def _serving_model(
    scenario: Scenario,
    plan: Plan,
    context: Context,
    rows: Rows,
    log_sd: Floats,
    inputs: UncertainInputs,
    check: Callable[[], None],
) -> ServingModel:
    assert plan.serving is not None
    assert scenario.serving is not None
    table, economics = plan.serving.table, scenario.economics
    owned, who = owned_of(context, economics), table.accelerator[rows]
    best = int(rows[0])
    return ServingModel(
        scenario=scenario,
        response=serving_response(scenario, context, table, rows, inputs, check),
        prices=prices_of(
            scenario, economics.serving_procurement, table.usd_per_device_hour[rows], owned.node_usd[who],
            owned.rated_power_w[who],
        ),
        log_sd=log_sd,
        devices_per_replica=table.devices_per_replica[rows].astype(float),
        working=plan.serving.peak_rate_per_s / float(table.load_per_replica_per_s[best]),
        replicas=float(table.replicas[best]),
        peak_rate_per_s=plan.serving.peak_rate_per_s,
        class_rates={one.name: central(one.peak_rate_per_s) for one in scenario.serving.classes},
        output_tokens=plan.serving.mean_output_tokens,
        beside=beside_month(economics, economics.serving_procurement),
    )  # fmt: skip


def _training_model(
    scenario: Scenario,
    plan: Plan,
    context: Context,
    rows: Rows,
    log_sd: Floats,
    inputs: UncertainInputs,
    check: Callable[[], None],
) -> TrainingModel:
    assert plan.training is not None
    table, economics = plan.training.table, scenario.economics
    owned, who = owned_of(context, economics), table.accelerator[rows]
    return TrainingModel(
        scenario=scenario,
        response=training_response(scenario, context, table, rows, inputs, check),
        prices=prices_of(
            scenario, economics.training_procurement, table.usd_per_device_hour[rows], owned.node_usd[who],
            owned.rated_power_w[who],
        ),
        log_sd=log_sd,
        mfu=np.nan_to_num(table.mfu[rows]),
        highest_mfu=central(context.calibration.uncertainty.highest_training_mfu.value),
        beside=beside_run(economics, economics.training_procurement),
    )  # fmt: skip


def _answer(
    scenario: Scenario, plan: Plan, model: PlanModel, run: SampledPlan, seed: int
) -> decision.UncertaintyAnswer:
    return decision.UncertaintyAnswer(
        samples=run.sample.count,
        seed=seed,
        headlines=headlines(scenario, model, run),
        tornados=tuple(_tornados(model)),
        probabilities=tuple(probabilities(scenario, run.results)),
        rivals=tuple(_rivals(plan, model, run)),
        measurements=tuple(_measurements(model, run, seed)),
        inputs=run.sample.uncertain,
    )


def headlines(scenario: Scenario, model: PlanModel, run: SampledPlan) -> tuple[decision.Headline, ...]:
    """Bands of every headline result, and what share of each spread the inputs cause."""
    values = {name: np.array([planned_value(scenario, name)]) for name in model.inputs.quantities}
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
    return variance_split(clean[known], noisy[known]).input_share


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


def probabilities(scenario: Scenario, results: dict[str, Floats]) -> Iterator[decision.Probability]:
    """Share of the samples in which the plan as it stands meets its targets, budgets and date, and all of them."""
    held: dict[str, NDArray[np.bool_]] = {}
    limits = limits_of(scenario)
    if "serving.load_over_limit" in results and scenario.serving is not None:
        if any(one.slos for one in scenario.serving.classes):
            held["serving.targets"] = results["serving.load_over_limit"] <= 1
        if "serving.usd_per_month" in limits:
            held["serving.budget"] = results["serving.usd_per_month"] <= limits["serving.usd_per_month"]
    if "training.run_time_s" in results:
        for code, name in (("training.run_time_s", "training.date"), ("training.usd_per_run", "training.budget")):
            if code in limits:
                held[name] = results[code] <= limits[code]
    for name, condition in held.items():
        yield decision.Probability(code=name, value=float(condition.mean()))
    if len(held) > 1:
        everything = np.logical_and.reduce(list(held.values()))
        yield decision.Probability(code="everything", value=float(everything.mean()))


def _tornados(model: PlanModel) -> Iterator[decision.Tornado]:
    for code in TORNADOS:
        if (model.serving if code.startswith("serving") else model.training) is None:
            continue
        bars = tornado(model.evaluate, model.inputs.quantities, code, model.inputs.bounds)
        shown = tuple(
            decision.TornadoBar(
                input=one.name, low_input=one.low_input, high_input=one.high_input, result_at_low=one.result_at_low,
                result_at_high=one.result_at_high,
            )
            for one in bars
            if one.swing > 0
        )  # fmt: skip
        middle = _at_medians(model)[code]
        yield decision.Tornado(code=code, unit=UNITS[code], middle=float(middle[0]), bars=shown)


def _at_medians(model: PlanModel) -> dict[str, Floats]:
    values = {
        name: bounded_quantile(quantity, np.array([0.5]), *model.inputs.bounds[name])
        for name, quantity in model.inputs.quantities.items()
    }
    return model.evaluate(values or NO_INPUTS)


def _rivals(plan: Plan, model: PlanModel, run: SampledPlan) -> Iterator[decision.Rival]:
    parts = (("serving", model.serving, plan.serving), ("training", model.training, plan.training))
    for workload, part, answer in parts:
        if part is None or answer is None:
            continue
        costs = run.results[f"{workload}.rivals"]
        best = probability_best(np.where(np.isfinite(costs), costs, np.inf)) if len(costs) > 1 else np.ones(1)
        ends = band(costs)
        for place, row in enumerate(part.response.rows):
            yield decision.Rival(
                workload=workload, candidate=int(row),
                accelerator=plan.accelerators[int(answer.table.accelerator[row])],
                p10_usd=float(ends.p10[place]), p50_usd=float(ends.p50[place]), p90_usd=float(ends.p90[place]),
                best_share=float(best[place]),
                beats_recommended=float(probability_cheaper(costs[place], costs[0])) if place else float("nan"),
            )  # fmt: skip


def _measurements(model: PlanModel, run: SampledPlan, seed: int) -> Iterator[decision.Measurement]:
    """Inputs that, known beforehand, would change the choice of device, and what that saves."""
    values: dict[str, float] = {}
    for workload, part in (("serving", model.serving), ("training", model.training)):
        if part is None or len(part.log_sd) < 2:
            continue
        costs = run.results[f"{workload}.rivals"]
        middle = float(np.quantile(costs[0], 0.5, method="inverted_cdf"))
        if not np.isfinite(middle):
            continue
        known = np.minimum(costs, DEAREST * middle)[:, :MOST_FOR_VALUE]
        worth = value_of_information(_beginning(run.sample), known, seed)
        for name, value in zip(worth.names, worth.value, strict=True):
            if value > max(worth.noise, 0.0) * 1.5 and value > 0.002 * float(known[0].mean()):
                values[name] = values.get(name, 0.0) + float(value)
    for name in sorted(values, key=lambda one: -values[one]):
        yield decision.Measurement(input=name, value_usd=values[name])


def _beginning(sample: Sample) -> Sample:
    """The first samples; their order is random, so that they stand for all."""
    part = slice(0, MOST_FOR_VALUE)
    return Sample(
        {name: values[part] for name, values in sample.values.items()},
        {name: values[part] for name, values in sample.probabilities.items()},
        min(sample.count, MOST_FOR_VALUE),
    )
