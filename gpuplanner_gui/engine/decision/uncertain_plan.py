"""A plan with its rivals as functions of uncertain inputs: asked of the engine once, then evaluated in every sample."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.economics import Economics, PriceLevel, Procurement
from gpuplanner_gui.domain.plan import Plan, ServingPlan, ServingTable, TrainingPlan, TrainingTable, column
from gpuplanner_gui.domain.quantity import Quantity, Triangular, central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.advisor.training_rules import best_rows
from gpuplanner_gui.engine.context import Context, kept_in_context
from gpuplanner_gui.engine.cost.bill import TERM_LENGTHS, beside_month, beside_run
from gpuplanner_gui.engine.cost.ownership import owned_cost, owned_usd_per_hour
from gpuplanner_gui.engine.cost.prices import ownership_terms
from gpuplanner_gui.engine.decision.ownership_view import assumed_power_log_sd
from gpuplanner_gui.engine.decision.plan_model import (
    Inputs,
    Noise,
    Prices,
    ServingModel,
    TrainingModel,
)
from gpuplanner_gui.engine.decision.resource_use import owned_of
from gpuplanner_gui.engine.decision.responses import training_response
from gpuplanner_gui.engine.decision.serving_response import ServingResponse, serving_response
from gpuplanner_gui.engine.decision.uncertain_inputs import UncertainInputs, uncertain_inputs
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed
from gpuplanner_gui.engine.uncertainty.sampling import sigma_of_band

Rows = NDArray[np.int64]

MOST_RIVALS = 8


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


def plan_model(
    scenario: Scenario,
    plan: Plan,
    context: Context,
    check: Callable[[], None],
    with_rivals: bool = True,
    rows: tuple[Rows, Rows] | None = None,
    served: ServingResponse | None = None,
) -> PlanModel:
    """Make the model of a plan: asks the engine at a few values of the inputs that change step times.

    Without rivals, of the recommended candidates alone; or of given rows of serving and of training. `served` is what
    the engine answered already about the rows of serving. Raises NothingToSampleError.
    """
    serving_rows, training_rows = rows or (_serving_rows(plan), _training_rows(plan))
    if rows is None and not with_rivals:
        serving_rows, training_rows = serving_rows[:1], training_rows[:1]
    if not len(serving_rows) and not len(training_rows):
        raise NothingToSampleError
    serving_sd, training_sd = _serving_log_sd(plan, serving_rows), _training_log_sd(plan, training_rows)
    inputs = uncertain_inputs(
        scenario, context.calibration.uncertainty, _first(serving_sd), _first(training_sd),
        _purchase_spread(scenario, plan, context, serving_rows, training_rows),
        _power_sigma(plan, context, serving_rows, training_rows),
    )  # fmt: skip
    serving = training = None
    if len(serving_rows):
        serving = _serving_model(scenario, plan, context, serving_rows, serving_sd, inputs, check, served)
    if len(training_rows):
        training = _training_model(scenario, plan, context, training_rows, training_sd, inputs, check)
    return PlanModel(
        inputs, serving, training, _kinds(plan.serving, context, serving_rows),
        _kinds(plan.training, context, training_rows),
    )  # fmt: skip


def _serving_rows(plan: Plan) -> Rows:
    """The recommended candidate, then the best of other devices that meet their targets, as the plan ranks them."""
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
    costs = column(table, cost)
    others = [row for row in best_rows(table).values() if table.accelerator[row] != table.accelerator[best]]
    others = [row for row in others if np.isfinite(costs[row])]
    return np.array([best, *others[: MOST_RIVALS - 1]], np.int64)


def _serving_log_sd(plan: Plan, rows: Rows) -> Floats:
    if plan.serving is None or not len(rows):
        return np.zeros(0)
    table = plan.serving.table
    step = sigma_of_band(table.tpot_low80_s[rows], table.tpot_high80_s[rows])
    # Requests without an answer of tokens have first results alone.
    return np.where(np.isfinite(step), step, sigma_of_band(table.ttft_low80_s[rows], table.ttft_high80_s[rows]))


def _training_log_sd(plan: Plan, rows: Rows) -> Floats:
    if plan.training is None or not len(rows):
        return np.zeros(0)
    return sigma_of_band(plan.training.table.step_low80_s[rows], plan.training.table.step_high80_s[rows])


def _first(values: Floats) -> float:
    return float(values[0]) if len(values) else 0.0


def _kinds(answer: ServingPlan | TrainingPlan | None, context: Context, rows: Rows) -> NDArray[np.int64]:
    if answer is None or not len(rows):
        return np.zeros(0, np.int64)
    vendors = sorted({entry.vendor for entry in context.accelerators})
    who = answer.table.accelerator[rows]
    return np.array([vendors.index(context.accelerators[int(one)].vendor) for one in who], np.int64)


def _purchase_spread(scenario: Scenario, plan: Plan, context: Context, serving: Rows, training: Rows) -> Quantity:
    """The catalogue's range of purchase prices of the recommended device, as factors on its typical one."""
    for answer, rows in ((plan.serving, serving), (plan.training, training)):
        if answer is None or not len(rows):
            continue
        entry = context.accelerators[int(answer.table.accelerator[rows[0]])]
        usd = _node_range_usd(context, scenario.economics, entry.id)
        if np.isfinite(usd).all() and usd[1] > 0 and usd[0] < usd[2]:
            return Triangular(min(usd[0] / usd[1], 1.0), 1.0, max(usd[2] / usd[1], 1.0))
    return 1.0


def _power_sigma(plan: Plan, context: Context, serving: Rows, training: Rows) -> float:
    """Spread of the recommended device's power where it is taken from relatives."""
    chosen = ((plan.serving, serving), (plan.training, training))
    who = [int(answer.table.accelerator[rows[0]]) for answer, rows in chosen if answer is not None and len(rows)]
    return max((_power_log_sd(context, one) for one in who), default=0.0)


def _power_log_sd(context: Context, accelerator: int) -> float:
    return assumed_power_log_sd(context, context.accelerators[accelerator])


def _prices(
    scenario: Scenario,
    context: Context,
    term: Procurement,
    table: ServingTable | TrainingTable,
    rows: Rows,
    replicas: Floats,
    each: Rows,
) -> Prices:
    """Prices of fleets of so many replicas, each of so many devices, on a term; others by the first one's offer."""
    economics, who, first = scenario.economics, table.accelerator[rows], int(table.accelerator[rows[0]])
    owned, terms = owned_of(context, economics), ownership_terms(economics)
    sold = context.prices(economics, term, context.site_of(scenario.hardware))
    network_usd = sold.fleet(who, replicas, each).network_usd
    annual = owned_cost(
        replace(terms, network_usd_per_device=network_usd), owned.node_usd[who], 1.0, owned.rated_power_w[who]
    )
    availability, usd = central(economics.ownership.availability), table.usd_per_device_hour[rows]
    bought = np.asarray(owned_usd_per_hour(annual)) / availability
    capital = np.broadcast_to(annual.capital_usd / annual.total, bought.shape)
    rented: Procurement = "rent_on_demand" if term == "own" else term
    quote = context.offers.quote(context.accelerators[first], rented, economics)
    others: tuple[Procurement, ...] = ("rent_on_demand", *TERM_LENGTHS)
    return Prices(
        term,
        usd,
        owned.node_usd[who],
        owned.rated_power_w[who],
        usd / bought,
        network_usd,
        terms,
        availability,
        {**{one: quote.of(one) / quote.usd_per_hour for one in others}, term: 1.0},
        float(capital[0]),
        _power_log_sd(context, first) > 0,
    )


@kept_in_context()
def _node_range_usd(context: Context, economics: Economics, accelerator: str) -> tuple[float, float, float]:
    """A device with its share of the server at the catalogue's low, typical and high price. [USD]"""
    book = context.price_book.of(context.catalog.accelerators[accelerator])

    def at(level: PriceLevel) -> float:
        return float(book.owned(msgspec.structs.replace(economics, price_level=level)).node_usd[0])

    return at("low"), at("typical"), at("high")


def _serving_model(
    scenario: Scenario,
    plan: Plan,
    context: Context,
    rows: Rows,
    log_sd: Floats,
    inputs: UncertainInputs,
    check: Callable[[], None],
    served: ServingResponse | None = None,
) -> ServingModel:
    table, economics = plan.served.table, scenario.economics
    best = int(rows[0])
    return ServingModel(
        scenario=scenario,
        response=_as_simulated(
            served or serving_response(scenario, context, table, rows, inputs, check), plan.served
        ),
        prices=_prices(
            scenario, context, economics.serving_procurement, table, rows, table.replicas[rows],
            table.devices_per_replica[rows],
        ),
        need=ServiceNeed.of(plan.served, rows[:1], scenario.service.availability),
        log_sd=log_sd,
        devices_per_replica=table.devices_per_replica[rows].astype(float),
        running_share=table.running_share[rows],
        working=plan.served.peak_rate_per_s / float(table.load_per_replica_per_s[best]),
        replicas=float(table.replicas[best]),
        peak_rate_per_s=plan.served.peak_rate_per_s,
        class_rates=_class_rates(scenario.service, plan.served.peak_rate_per_s),
        output_tokens=plan.served.mean_output_tokens,
        beside=beside_month(economics, economics.serving_procurement),
    )  # fmt: skip


def _as_simulated(response: ServingResponse, answer: ServingPlan) -> ServingResponse:
    """What a replica takes within the targets as the simulation of the recommended fleet corrects the closed form."""
    simulated = answer.simulated
    if simulated is None:
        return response
    is_simulated = response.rows == simulated.candidate
    share = np.where(is_simulated, simulated.quick_replicas / simulated.replicas, 1.0)
    return replace(response, slo_rate_per_s=response.slo_rate_per_s * share)


def _class_rates(serving: ServingWorkload, peak_rate_per_s: float) -> dict[str, float]:
    """Rate of each class, as stated or as the users make it."""
    stated = {one.name: central(one.peak_rate_per_s) for one in serving.classes}
    total = sum(stated.values())
    share = peak_rate_per_s / total if total > 0 else 0.0
    return {name: rate * share for name, rate in stated.items()}


def _training_model(
    scenario: Scenario,
    plan: Plan,
    context: Context,
    rows: Rows,
    log_sd: Floats,
    inputs: UncertainInputs,
    check: Callable[[], None],
) -> TrainingModel:
    table, economics = plan.trained.table, scenario.economics
    return TrainingModel(
        scenario=scenario,
        response=training_response(scenario, context, table, rows, inputs, check),
        prices=_prices(
            scenario, context, economics.training_procurement, table, rows, np.ones(len(rows)), table.devices[rows]
        ),
        log_sd=log_sd,
        mfu=np.nan_to_num(table.mfu[rows]),
        highest_mfu=central(context.calibration.uncertainty.highest_training_mfu.value),
        beside=beside_run(economics, economics.training_procurement),
    )  # fmt: skip
