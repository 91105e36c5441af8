"""Candidates ranked and their fleets sized at the confidence asked for: a plan before anything judges it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Container

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.plan_model import WORKING_NEEDED
from gpuplanner_gui.engine.decision.plan_samples import FailureSamples, sampled_results
from gpuplanner_gui.engine.decision.serving_response import ServingResponse
from gpuplanner_gui.engine.decision.shared_site import on_one_site
from gpuplanner_gui.engine.decision.uncertain_plan import PlanModel, plan_model
from gpuplanner_gui.engine.decision.verdicts import best_measured
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.plan import serving_plan
from gpuplanner_gui.engine.serving.resizing import base_replicas_of, ranked, resized, with_latencies
from gpuplanner_gui.engine.serving.sizing import paid_replicas
from gpuplanner_gui.engine.simulation.replicas import replicas_needed
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.uncertainty.confidence import chance_asked, sure_between_failures_s

EXPECTED = 0.5
"""Chance at which the expected figures are planned with."""
FELL_SHORT = 1.1
"""Replicas by samples over those in closed form, from which the next fleets are made larger before they are tried."""
MOST_ENLARGED = 400
HEAD = 4
"""Candidates that are sized together."""
MOST_ROUNDS = 4
STEPS = 40
"""Between a number of replicas that carries the load and one of which enough are up."""


def confident_fleet(
    scenario: Scenario, plan: Plan, context: Context, seed: int, check: Callable[[], None]
) -> tuple[Plan, ServingResponse | None]:
    """The plan with the fleets at its head sized by samples, and ranked by what they cost then; and what the engine
    answered about the recommended one on the way."""
    found = plan.serving
    if found is None or chance_asked(scenario) <= EXPECTED:
        return plan, None
    responses: dict[int, ServingResponse] = {}
    for _ in range(MOST_ROUNDS):
        rows = _head(found, responses)
        if found.best < 0 or found.best in responses or not len(rows):
            break
        check()
        model = plan_model(
            scenario, msgspec.structs.replace(plan, serving=found, training=None), context, check,
            rows=(rows, np.zeros(0, np.int64)),
        )  # fmt: skip
        assert model.serving is not None
        bases = _bases(scenario, context, found, rows, model, seed, check)
        closed_form = np.array([base_replicas_of(found, scenario, int(row)) for row in rows])
        responses.update(dict.fromkeys(rows.tolist(), model.serving.response))
        found = _sized(scenario, context, found, rows, bases)
        found = _as_much_larger(scenario, context, found, bases / closed_form, responses)
    if responses:
        found = with_latencies(found, scenario, context)
    response = responses.get(found.best)
    served = response.of_row(found.best) if response is not None else None
    return msgspec.structs.replace(plan, serving=found), served


def _as_much_larger(
    scenario: Scenario, context: Context, found: ServingPlan, ratios: Floats, known: Container[int]
) -> ServingPlan:
    """The next fleets by as much larger as the samples made those before, where the closed form fell short."""
    ratio = float(np.nanmedian(ratios)) if np.isfinite(ratios).any() else 1.0
    if found.best in known or ratio < FELL_SHORT:
        return found
    order = found.table.order[:MOST_ENLARGED]
    rows = np.array([one for one in order if found.table.reason[one] == Reason.NONE and int(one) not in known])
    if not len(rows):
        return found
    bases = np.array(
        [math.ceil(base_replicas_of(found, scenario, int(row)) * ratio - 1e-9) for row in rows], np.float64
    )
    return resized(found, scenario, context, rows, bases)


def _head(found: ServingPlan, known: Container[int]) -> Integers:
    """The best few that nobody has sized by samples yet, and the best one that measurements bear out."""
    order = found.table.order[: HEAD * (MOST_ROUNDS + 1)]
    rows = [int(one) for one in order if found.table.reason[one] == Reason.NONE and int(one) not in known][:HEAD]
    measured = best_measured(found.table, found.best)
    return np.array(rows + [measured] * (measured >= 0 and measured not in known and measured not in rows), np.int64)


def _sized(scenario: Scenario, context: Context, found: ServingPlan, rows: Integers, bases: Floats) -> ServingPlan:
    """Fleets with other numbers of replicas; those that no number makes sure enough come after those that are."""
    enough = np.isfinite(bases)
    if not enough.all():
        reason, value = found.table.reason.copy(), found.table.reason_value.copy()
        reason[rows[~enough]], value[rows[~enough]] = int(Reason.BELOW_CONFIDENCE), 1.0
        table = msgspec.structs.replace(found.table, reason=reason, reason_value=value)
        found = ranked(found, scenario, context, table)
    return resized(found, scenario, context, rows[enough], bases[enough]) if enough.any() else found


def _bases(
    scenario: Scenario,
    context: Context,
    answer: ServingPlan,
    rows: Integers,
    model: PlanModel,
    seed: int,
    check: Callable[[], None],
) -> Floats:
    """Fewest replicas of each candidate that carry the peak at the confidence; NaN where no number does."""
    serving = scenario.serving
    assert serving is not None
    count = scenario.economics.uncertainty.samples
    _, results = sampled_results(model, scenario, count, seed, check, sets_apart=False)
    failures = FailureSamples(scenario, context.calibration.uncertainty, count, seed)
    availability, chance = serving.availability, chance_asked(scenario)
    between_s = sure_between_failures_s(scenario, context.calibration.uncertainty)

    def base(row: int, needed: Floats) -> float:
        rate, peak = float(answer.table.slo_rate_per_s[row]), answer.peak_rate_per_s
        least = float(np.quantile(needed, chance, method="inverted_cdf"))
        if not math.isfinite(least):
            return math.nan
        expected = float(replicas_needed(peak, rate, availability.target_utilisation))
        tried = max(math.ceil(least - 1e-9), int(expected), 1)
        for _ in range(STEPS):
            total = float(paid_replicas(serving, peak, np.array([rate]), np.array([float(tried)]), between_s)[0])
            if float((failures.held(peak, rate, total) & (needed <= tried)).mean()) >= chance:
                return float(tried)
            tried += max(1, tried // STEPS)
        return math.nan

    return np.array([base(int(row), one) for row, one in zip(rows, results[WORKING_NEEDED], strict=True)])


def sized_plan(
    scenario: Scenario, context: Context, seed: int, check: Callable[[], None]
) -> tuple[Plan, ServingResponse | None]:
    """The plan without findings and verdicts, and what the engine answered about its recommended fleet on the way.

    `check` raises when the caller has lost interest.
    """
    start = time.perf_counter()
    serving = serving_plan(scenario, context, check) if scenario.serving else None
    served_at = time.perf_counter()
    training = training_plan(scenario, context, check) if scenario.training else None
    trained_at = time.perf_counter()
    check()
    found = Plan(
        accelerators=context.devices.ids,
        precisions=PRECISIONS,
        serving=serving,
        training=training,
        findings=(),
        calibration_digest=context.calibration.digest,
        elapsed_s=trained_at - start,
        stage_elapsed_s={"serving": served_at - start, "training": trained_at - served_at},
        quoted=tuple(one.accelerator for one in scenario.economics.overrides),
    )
    found, served = confident_fleet(scenario, on_one_site(scenario, found, context), context, seed, check)
    return on_one_site(scenario, found, context), served
