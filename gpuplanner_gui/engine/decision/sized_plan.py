"""Candidates ranked and their fleets sized at the confidence asked for: a plan before anything judges it.

Both workloads stand on one site: together they draw no more than it has, if any two of their fleets do.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Container
from typing import TypeVar

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan, TrainingPlan, TrainingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.energy import WATTS_PER_KW
from gpuplanner_gui.engine.cost.quotations import quoted_accelerators
from gpuplanner_gui.engine.cost.site import devices_at_site
from gpuplanner_gui.engine.decision.plan_model import WORKING_NEEDED
from gpuplanner_gui.engine.decision.plan_samples import FailureSamples, sampled_results
from gpuplanner_gui.engine.decision.serving_response import ServingResponse
from gpuplanner_gui.engine.decision.uncertain_plan import PlanModel, paid_fleets, plan_model
from gpuplanner_gui.engine.evidence.record import best_measured
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed, running_share
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.plan import serving_plan
from gpuplanner_gui.engine.serving.ranking import OVER_SITE, price_tier
from gpuplanner_gui.engine.serving.resizing import base_replicas_of, ranked, resized, with_latencies
from gpuplanner_gui.engine.serving.sizing import MOST_FOR_CONFIDENCE, paid_replicas
from gpuplanner_gui.engine.simulation.replicas import replicas_needed
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.uncertainty.sampling import chance_asked, sure_between_failures_s

SIZED = (Reason.NONE, *OVER_SITE)
"""Why candidates do not serve whose fleets would, of another size."""
EXPECTED = 0.5
"""Chance at which the expected figures are planned with."""
HEAD = 6
"""Candidates that are sized together,"""
MOST_OF_A_KIND = 4
"""and as many of them of one accelerator, format and kind of layout, so that rivals are sized as early as relatives."""
MOST_ROUNDS = 16
FELL_SHORT = 1.1
"""Replicas by samples over those in closed form, from which relatives are made larger before they are tried."""
MOST_ENLARGED = 400
SECOND_LOOKS = 2
"""Rounds for fleets that the closed form makes dearer than the best one."""
LEAST_BY_SAMPLES = 0.85
"""Replicas by samples over those in closed form that are hoped for where fewer would be cheaper; one fewer at least."""
WORTH_A_LOOK = 0.98
"""Hoped-for cost over that of the best fleet, below which another one is sized."""
STEPS = 40
"""Most steps from the replicas that carry the load to those of which enough are up."""
P = TypeVar("P", ServingPlan, TrainingPlan)


def confident_fleet(
    scenario: Scenario, plan: Plan, context: Context, seed: int, check: Callable[[], None]
) -> tuple[Plan, ServingResponse | None]:
    """The plan with the fleets at its head sized by samples, and ranked by what they cost then; and what the engine
    answered about the recommended one on the way."""
    found = plan.serving
    if found is None or chance_asked(scenario) <= EXPECTED:
        return plan, None
    responses: dict[int, ServingResponse] = {}
    fell_short: dict[Kind, float] = {}
    second_looks = SECOND_LOOKS
    for _ in range(MOST_ROUNDS):
        rows = _head(found, responses)
        if not len(rows) and second_looks:
            rows, second_looks = _perhaps_cheaper(scenario, context, found, responses), second_looks - 1
        if not len(rows):
            break
        check()
        model = plan_model(
            scenario, msgspec.structs.replace(plan, serving=found, training=None), context, check,
            rows={"serving": rows},
        )  # fmt: skip
        assert model is not None
        assert model.serving is not None
        bases = _bases(scenario, context, found, model, seed, check)
        responses.update(dict.fromkeys(rows.tolist(), model.serving.response))
        grown = _ratios(scenario, found, rows, bases, fell_short)
        found = _sized(scenario, context, found, rows, bases)
        found = _as_much_larger(scenario, context, found, grown, responses)
    response = responses.get(found.best)
    served = response.of_row(found.best) if response is not None else None
    return msgspec.structs.replace(plan, serving=found), served


Kind = tuple[int, int, bool]
"""Accelerator, format of the weights, and whether prefill and decode stand apart: whose fleets the closed form misses
by alike factors."""


def _kind(found: ServingPlan, row: int) -> Kind:
    table = found.table
    return int(table.accelerator[row]), int(table.weight_precision[row]), bool(table.prefill_workers[row] > 0)


def _ratios(
    scenario: Scenario, found: ServingPlan, rows: Integers, bases: Floats, known: dict[Kind, float]
) -> dict[Kind, float]:
    """How many times as large samples made the fleets of each kind, in the middle: of kinds met for the first time.

    `known` is added to.
    """
    ratios: dict[Kind, list[float]] = {}
    for row, base in zip(rows.tolist(), bases.tolist(), strict=True):
        kind, ratio = _kind(found, row), base / base_replicas_of(found, scenario, row)
        if math.isfinite(ratio) and kind not in known:
            ratios.setdefault(kind, []).append(ratio)
    middle = {kind: float(np.median(ones)) for kind, ones in ratios.items()}
    known.update(middle)
    return {kind: ratio for kind, ratio in middle.items() if ratio >= FELL_SHORT}


def _as_much_larger(
    scenario: Scenario, context: Context, found: ServingPlan, ratios: dict[Kind, float], known: Container[int]
) -> ServingPlan:
    """Fleets that nobody has sized yet, as much larger as samples made their relatives."""
    if not ratios:
        return found
    order = found.table.order[:MOST_ENLARGED].tolist()
    rows = [one for one in order if found.table.reason[one] in SIZED and one not in known]
    grown = {one: ratios[kind] for one in rows if (kind := _kind(found, one)) in ratios}
    if not grown:
        return found
    bases = [math.ceil(base_replicas_of(found, scenario, one) * ratio - 1e-9) for one, ratio in grown.items()]
    return resized(found, scenario, context, np.array(list(grown), np.int64), np.array(bases, np.float64))


def _head(found: ServingPlan, known: Container[int]) -> Integers:
    """Those to be sized by samples next: the best few of several kinds, and the best one that measurements bear out.
    Where the site takes no fleet, those nearest to it: how near they are, their sizes decide.

    None where both of these are sized already.
    """
    measured = best_measured(found.table, found.best)
    if found.best < 0 or (found.best in known and (measured < 0 or measured in known)):
        return np.zeros(0, np.int64)
    rows = [measured] if measured >= 0 and measured not in known else []
    met = Counter(_kind(found, one) for one in rows)
    reason = found.table.reason[found.best]
    for one in found.table.order.tolist():
        kind = _kind(found, one)
        if len(rows) == HEAD or reason not in SIZED or found.table.reason[one] != reason:
            break
        if one not in known and one not in rows and met[kind] < MOST_OF_A_KIND:
            rows.append(one)
            met[kind] += 1
    return np.array(rows, np.int64)


def _perhaps_cheaper(scenario: Scenario, context: Context, found: ServingPlan, known: Container[int]) -> Integers:
    """Fleets that the closed form makes dearer than the best, and that would cost less with somewhat fewer replicas.

    A replica more may be a server more: of what is bought or owned in whole nodes the last one decides.
    """
    table = found.table
    tier = price_tier(scenario, context, table)
    order = table.order[:MOST_ENLARGED]
    rows = np.array([one for one in order.tolist() if table.reason[one] == Reason.NONE and one not in known], np.int64)
    if found.best < 0 or not len(rows):
        return rows[:0]
    replicas = table.replicas[rows]
    fewer = np.fmax(np.minimum(np.floor(LEAST_BY_SAMPLES * replicas), replicas - 1), table.replicas_expected[rows])
    usd = usd_of_fewer(scenario, context, found, rows, fewer)
    hoped = np.where(tier[rows] <= tier[found.best], usd, np.inf)
    chosen: list[int] = []
    met: Counter[Kind] = Counter()
    for place in np.argsort(hoped, kind="stable"):
        kind = _kind(found, int(rows[place]))
        if len(chosen) == HEAD or not hoped[place] < WORTH_A_LOOK * table.usd_per_hour[found.best]:
            break
        if met[kind] < MOST_OF_A_KIND // 2:
            chosen.append(int(rows[place]))
            met[kind] += 1
    return np.array(chosen, np.int64)


def usd_of_fewer(scenario: Scenario, context: Context, found: ServingPlan, rows: Integers, fewer: Floats) -> Floats:
    """What fleets would cost with so many replicas instead of the planned ones. [USD/h]"""
    table, term = found.table, scenario.economics.serving_procurement
    each, peak = table.devices_per_replica[rows], np.full(len(rows), found.peak_rate_per_s)

    def devices_usd(replicas: Floats) -> Floats:
        paid = paid_fleets(scenario, context, table, rows, term, replicas, each)
        need = ServiceNeed.of(found, rows, scenario.service, paid, replicas)
        running = running_share(scenario.service, term, need, peak)
        return paid.mean_usd_per_device_hour(replicas * each, running) * replicas * each

    with np.errstate(divide="ignore", invalid="ignore"):  # Nothing is cheaper than what is free.
        return np.asarray(table.usd_per_hour[rows] * devices_usd(fewer) / devices_usd(table.replicas[rows]))


def sized_as_simulated(
    scenario: Scenario, plan: Plan, context: Context, seed: int, check: Callable[[], None]
) -> ServingPlan:
    """The fleet that was simulated with the replicas that carry the peak at the confidence, each taking what the
    simulation makes of the quick estimate."""
    found = plan.served
    assert found.simulated is not None
    rows = np.array([found.simulated.candidate])
    whole = msgspec.structs.replace(plan, training=None)
    model = plan_model(scenario, whole, context, check, rows={"serving": rows})
    assert model is not None
    bases = _bases(scenario, context, found, model, seed, check)
    # Never fewer than the simulation found to be enough as expected; no number stays none.
    least = np.array([float(found.simulated.replicas)])
    sized = _sized(scenario, context, found, rows, np.maximum(bases, least))
    # What no number makes sure enough is at least as large as the expected load takes.
    return sized if np.isfinite(bases).all() else resized(sized, scenario, context, rows, least)


def _sized(scenario: Scenario, context: Context, found: ServingPlan, rows: Integers, bases: Floats) -> ServingPlan:
    """Fleets with other numbers of replicas; those that no number makes sure enough come after those that are."""
    enough = np.isfinite(bases)
    unsure = rows[~enough & ~np.isin(found.table.reason[rows], OVER_SITE)]
    if len(unsure):
        reason, value = found.table.reason.copy(), found.table.reason_value.copy()
        value[unsure] = np.where(reason[unsure] == Reason.BELOW_CONFIDENCE, value[unsure], 1.0)
        reason[unsure] = int(Reason.BELOW_CONFIDENCE)
        table = msgspec.structs.replace(found.table, reason=reason, reason_value=value)
        found = with_latencies(ranked(found, scenario, context, table), scenario, context)
    return resized(found, scenario, context, rows[enough], bases[enough]) if enough.any() else found


def _bases(
    scenario: Scenario,
    context: Context,
    answer: ServingPlan,
    model: PlanModel,
    seed: int,
    check: Callable[[], None],
) -> Floats:
    """Fewest replicas of each of the model's candidates that carry the peak at the confidence; NaN where none do."""
    serving = scenario.service
    count = scenario.economics.uncertainty.samples
    _, results = sampled_results(model, scenario, count, seed, check, sets_apart=False)
    failures = FailureSamples(scenario, context.calibration.uncertainty, count, seed)
    availability, chance = serving.availability, chance_asked(scenario)
    between_s = sure_between_failures_s(scenario, context.calibration.uncertainty)

    def base(rate: float, peak: float, needed: Floats) -> float:
        least = float(np.quantile(needed, chance, method="inverted_cdf"))
        expected = float(replicas_needed(peak, rate, availability.target_utilisation))
        most = MOST_FOR_CONFIDENCE * expected
        if not least <= most:
            return math.nan
        tried = max(math.ceil(least - 1e-9), int(expected), 1)
        for _ in range(STEPS):
            total = float(paid_replicas(serving, peak, np.array([rate]), np.array([float(tried)]), between_s)[0])
            if float((failures.held(peak, rate, total) & (needed <= tried)).mean()) >= chance:
                return float(tried)
            tried += max(1, tried // STEPS)
            if tried > most:
                break
        return math.nan

    assert model.serving is not None
    each, asked = model.serving.response.slo_load.tolist(), model.serving.asked.tolist()
    return np.array([base(*one) for one in zip(each, asked, results[WORKING_NEEDED], strict=True)])


def sized_plan(
    scenario: Scenario, context: Context, seed: int, check: Callable[[], None]
) -> tuple[Plan, ServingResponse | None]:
    """The plan without findings and verdicts, and what the engine answered about its recommended fleet on the way.

    `check` raises when the caller has lost interest.
    """
    start = time.perf_counter()
    serving = serving_plan(scenario, context, check) if scenario.serving else None
    training = training_plan(scenario, context, check) if scenario.training else None
    check()
    economics = scenario.economics
    terms = {"serving": economics.serving_procurement, "training": economics.training_procurement}
    found = Plan(
        accelerators=context.devices.ids,
        precisions=PRECISIONS,
        serving=serving,
        training=training,
        findings=(),
        calibration_digest=context.calibration.digest,
        elapsed_s=time.perf_counter() - start,
        quoted=quoted_accelerators(economics),
        few_offers={name: _of_few_offers(context, economics, term) for name, term in terms.items()},
    )
    found, served = confident_fleet(scenario, on_one_site(scenario, found, context), context, seed, check)
    return on_one_site(scenario, found, context), served


def _of_few_offers(context: Context, economics: Economics, term: Procurement) -> tuple[str, ...]:
    """Accelerators whose price fewer providers than bear one out ask."""
    is_borne_out = context.prices(economics, term).is_borne_out.tolist()
    return tuple(name for name, known in zip(context.devices.ids, is_borne_out, strict=True) if not known)


def fleet_watts(scenario: Scenario, context: Context, answer: ServingPlan | TrainingPlan) -> Floats:
    """Rated power at the site's meter of what of every candidate's fleet stands there, in whole units as sold. [W]"""
    table, economics, is_run = answer.table, scenario.economics, isinstance(answer, TrainingPlan)
    term = economics.training_procurement if is_run else economics.serving_procurement
    prices = context.prices(economics, term, context.site_of(scenario, None if is_run else scenario.serving))
    together = table.devices if isinstance(table, TrainingTable) else table.devices_per_replica
    at_site = devices_at_site(prices, table.accelerator, table.devices, table.paid_devices, together, is_run)
    return np.asarray(prices.rated_power_w[table.accelerator] * at_site * central(economics.site.pue))


def on_one_site(scenario: Scenario, plan: Plan, context: Context) -> Plan:
    """The plan with the fleets that do not fit beside the other workload's closed, of that which gives way cheaper."""
    limit_kw, serving, training = scenario.hardware.max_kw_total, plan.serving, plan.training
    if limit_kw is None or serving is None or training is None or serving.best < 0 or training.best < 0:
        return plan
    limit_w = limit_kw * WATTS_PER_KW
    serving_w, training_w = (fleet_watts(scenario, context, one) for one in (serving, training))
    if serving_w[serving.best] + training_w[training.best] <= limit_w:
        return plan
    service = _within(serving, serving_w + training_w[training.best] - limit_w)
    run = _within(training, training_w + serving_w[serving.best] - limit_w)
    more_service = _usd(service) - _usd(serving) if service is not None else np.inf
    more_run = _usd(run) - _usd(training) if run is not None else np.inf
    if run is not None and more_run <= more_service:
        return msgspec.structs.replace(plan, training=run)
    return msgspec.structs.replace(plan, serving=service) if service is not None else plan


def _usd(answer: ServingPlan | TrainingPlan) -> float:
    """Cost of a month, or of the run. [USD]"""
    usd = answer.table.usd_per_month if isinstance(answer, ServingPlan) else answer.table.usd_per_run_confident
    return float(usd[answer.best])


def _within(answer: P, excess_w: Floats) -> P | None:
    """The answer with fleets that are over by so much closed; None where none is left that meets its targets."""
    table = answer.table
    over = (table.reason == Reason.NONE) & (excess_w > 0)
    left = (table.reason == Reason.NONE) & ~over
    if not left.any():
        return None
    order = np.concatenate([table.order[left[table.order]], table.order[~left[table.order]]])
    changed = msgspec.structs.replace(
        table, order=order, reason=np.where(over, int(Reason.OVER_POWER), table.reason),
        reason_value=np.where(over, excess_w, table.reason_value),
    )  # fmt: skip
    return msgspec.structs.replace(answer, table=changed, best=int(order[0]))
