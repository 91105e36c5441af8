"""A plan with its rivals as functions of uncertain inputs: asked of the engine once, then evaluated in every sample."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.economics import Economics, PriceLevel, Procurement
from gpuplanner_gui.domain.plan import Plan, ServingPlan, ServingTable, TrainingTable, column
from gpuplanner_gui.domain.quantity import Quantity, Triangular, central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.advisor.case import serving_case
from gpuplanner_gui.engine.advisor.training_rules import best_rows
from gpuplanner_gui.engine.context import Context, kept_in_context
from gpuplanner_gui.engine.cost.mean_hour import rented_share
from gpuplanner_gui.engine.cost.ownership import owned_cost, owned_usd_per_hour
from gpuplanner_gui.engine.cost.prices import ownership_terms
from gpuplanner_gui.engine.cost.units import PaidFleet, paid_fleet
from gpuplanner_gui.engine.decision.fleet_years import fleet_years, need_over_years
from gpuplanner_gui.engine.decision.ownership_view import assumed_power_log_sd
from gpuplanner_gui.engine.decision.plan_model import (
    Inputs,
    Noise,
    Prices,
    ServingModel,
    TrainingModel,
)
from gpuplanner_gui.engine.decision.resource_use import owned_of
from gpuplanner_gui.engine.decision.serving_response import ServingResponse, serving_response
from gpuplanner_gui.engine.decision.uncertain_inputs import UncertainInputs, training_response, uncertain_inputs
from gpuplanner_gui.engine.serving.demand import demand_of
from gpuplanner_gui.engine.training.held_cost import idle_usd_per_hour
from gpuplanner_gui.engine.uncertainty.sampling import log_sd_of_pace, sigma_of_band

MOST_RIVALS = 8


@dataclass(frozen=True)
class PlanModel:
    """Both workloads of a plan with their uncertain inputs."""

    inputs: UncertainInputs
    serving: ServingModel | None
    training: TrainingModel | None

    @property
    def parts(self) -> dict[str, ServingModel | TrainingModel]:
        """By workload: serving first."""
        both = {"serving": self.serving, "training": self.training}
        return {name: part for name, part in both.items() if part is not None}

    def evaluate(self, inputs: Inputs, noise: Noise | None = None) -> dict[str, Floats]:
        """Every result for sampled inputs."""
        found: dict[str, Floats] = {}
        for part in self.parts.values():
            found |= part.evaluate(inputs, noise)
        return found


def plan_model(
    scenario: Scenario,
    plan: Plan,
    context: Context,
    check: Callable[[], None],
    with_rivals: bool = True,
    rows: dict[str, Integers] | None = None,
    served: ServingResponse | None = None,
) -> PlanModel | None:
    """Make the model of a plan: asks the engine at a few values of the inputs that change step times.

    Without rivals, of the recommended candidates alone; or of given rows by workload. `served` is what the engine
    answered already about the rows of serving. None where no workload has a candidate that runs.
    """
    if rows is None:
        rows = {name: of_one if with_rivals else of_one[:1] for name, of_one in _with_rivals(plan).items()}
    if not rows:
        return None
    of_each = {name: _of_each(scenario, context, plan.answers[name].table, of_one) for name, of_one in rows.items()}
    sigma = {name: float(log_sd[0]) for name, (_, log_sd, _) in of_each.items()}
    recommended = [int(plan.answers[name].table.accelerator[of_one[0]]) for name, of_one in rows.items()]
    paid_on = {name: prices.paid_on for name, (prices, _, _) in of_each.items()}
    case = None
    if "serving" in rows:
        best = msgspec.structs.replace(plan.served, best=int(rows["serving"][0]))
        case = serving_case(scenario, msgspec.structs.replace(plan, serving=best), context)
    if case is not None:
        # What is owned today may be too little for a later year.
        term = scenario.economics.serving_procurement
        paid_on["serving"] |= {term} if fleet_years(case, need_over_years(case), term).is_added.any() else set()
    inputs = uncertain_inputs(
        scenario, paid_on, context, sigma.get("serving", 0.0), sigma.get("training", 0.0),
        _purchase_spread(scenario, context, recommended), max(_power_log_sd(context, one) for one in recommended),
    )  # fmt: skip
    serving = training = None
    if "serving" in rows:
        answer = plan.served
        asked = served or serving_response(scenario, context, answer.table, rows["serving"], inputs, check)
        checked = _as_simulated(scenario, asked, answer)
        serving = ServingModel(scenario, answer, checked, *of_each["serving"], case)
    if "training" in rows:
        goodput = training_response(scenario, context, plan.trained.table, rows["training"], inputs, check)
        highest_mfu = central(context.calibration.uncertainty.highest_training_mfu.value)
        training = TrainingModel(
            scenario, plan.trained, rows["training"], goodput, *of_each["training"], highest_mfu,
            _idle_over_used(scenario, context, plan.trained.table)[rows["training"]],
        )  # fmt: skip
    return PlanModel(inputs, serving, training)


def _idle_over_used(scenario: Scenario, context: Context, table: TrainingTable) -> Floats:
    """Price of an idle hour of a device, as the ranking counts it, over that of one at work, of every layout. [1]"""
    idle, used = idle_usd_per_hour(scenario, context, table), table.usd_per_device_hour
    return np.divide(idle, used, out=np.zeros(len(used)), where=used > 0)


COLUMNS = {"serving": ("replicas", "usd_per_month"), "training": ("run_time_s", "usd_per_run")}
"""What a recommended candidate needs to be sampled, and the cost that its rivals need."""


def _with_rivals(plan: Plan) -> dict[str, Integers]:
    """By workload, the recommended candidate, then the best of other devices that meet their targets, as ranked."""
    found = {}
    for name, answer in plan.answers.items():
        table, best = answer.table, answer.best
        needed, costs = (column(table, one) for one in COLUMNS[name])
        if best < 0 or not np.isfinite(needed[best]):
            continue
        others = [row for row in best_rows(table).values() if table.accelerator[row] != table.accelerator[best]]
        others = [row for row in others if np.isfinite(costs[row])]
        found[name] = np.array([best, *others[: MOST_RIVALS - 1]], np.int64)
    return found


def _of_each(
    scenario: Scenario, context: Context, table: ServingTable | TrainingTable, rows: Integers
) -> tuple[Prices, Floats, Integers]:
    """Prices of some candidates, the spread of the logarithm of their step times, and which of these are wrong
    together."""
    vendors = sorted({entry.vendor for entry in context.accelerators})
    kinds = [vendors.index(context.accelerators[int(one)].vendor) for one in table.accelerator[rows]]
    return _prices(scenario, context, table, rows), _log_sd(table, rows), np.array(kinds, np.int64)


def _log_sd(table: ServingTable | TrainingTable, rows: Integers) -> Floats:
    if isinstance(table, TrainingTable):
        return sigma_of_band(table.step_low80_s[rows], table.step_high80_s[rows])
    return log_sd_of_pace(table, rows)


def _purchase_spread(scenario: Scenario, context: Context, recommended: list[int]) -> Quantity:
    """The catalogue's range of purchase prices of the recommended device, as factors on its typical one."""
    for one in recommended:
        usd = _node_range_usd(context, scenario.economics, context.accelerators[one].id)
        if np.isfinite(usd).all() and usd[1] > 0 and usd[0] < usd[2]:
            return Triangular(min(usd[0] / usd[1], 1.0), 1.0, max(usd[2] / usd[1], 1.0))
    return 1.0


def _power_log_sd(context: Context, accelerator: int) -> float:
    return assumed_power_log_sd(context, context.accelerators[accelerator])


def _prices(scenario: Scenario, context: Context, table: ServingTable | TrainingTable, rows: Integers) -> Prices:
    """Prices of planned fleets on the scenario's term; on others by the first one's offer."""
    economics, who, first = scenario.economics, table.accelerator[rows], int(table.accelerator[rows[0]])
    if isinstance(table, ServingTable):
        term, replicas, each = economics.serving_procurement, table.replicas[rows], table.devices_per_replica[rows]
    else:
        term, replicas, each = economics.training_procurement, np.ones(len(rows)), table.devices[rows]
    owned, terms = owned_of(context, economics), ownership_terms(economics)
    fleet = paid_fleets(scenario, context, table, rows, term, replicas, each)
    network_usd, at_load = fleet.network_usd, terms.power_share_of_rating
    with_network = replace(terms, network_usd_per_device=network_usd, power_share_of_rating=at_load * fleet.draw_share)
    annual = owned_cost(with_network, owned.node_usd[who], owned.rated_power_w[who])
    usd, bought = table.usd_per_device_hour[rows], np.asarray(owned_usd_per_hour(annual))
    is_sunk = fleet.stock_devices >= replicas * each
    stock_usd = np.where(is_sunk, usd, fleet.stock_usd_per_device_hour)
    return Prices(
        term,
        usd,
        stock_usd,
        ~is_sunk,
        owned.node_usd[who],
        owned.rated_power_w[who],
        _rented_share(table, rows),
        (usd - stock_usd) / bought,
        network_usd,
        fleet.draw_share,
        terms,
        _power_log_sd(context, first) > 0,
    )


def _rented_share(table: ServingTable | TrainingTable, rows: Integers) -> Floats:
    """Share of the hours in which devices of fleets are paid for that are not owned; a run is told in device-hours."""
    if isinstance(table, TrainingTable):
        return np.ones(len(rows))
    owned = np.nan_to_num(table.owned_devices[rows] / table.devices[rows])
    return rented_share(table.running_share[rows], owned)


def paid_fleets(
    scenario: Scenario, context: Context, table: ServingTable | TrainingTable, rows: Integers, term: Procurement,
    replicas: Floats, each: Floats | Integers,
) -> PaidFleet:  # fmt: skip
    """What is paid for planned fleets of so many replicas: on the site with what stands there, at the planned draw."""
    sold, who = (
        context.prices(scenario.economics, term, context.site_of(scenario, scenario.serving)),
        table.accelerator[rows],
    )
    return paid_fleet(sold.units, who, replicas, each, isinstance(table, TrainingTable), table.draw_share[rows])


@kept_in_context()
def _node_range_usd(context: Context, economics: Economics, accelerator: str) -> tuple[float, float, float]:
    """A device with its share of the server at the catalogue's low, typical and high price. [USD]"""
    book = context.price_book.of(context.catalog.accelerators[accelerator])

    def at(level: PriceLevel) -> float:
        return float(book.owned(msgspec.structs.replace(economics, price_level=level)).node_usd[0])

    return at("low"), at("typical"), at("high")


def _as_simulated(scenario: Scenario, response: ServingResponse, answer: ServingPlan) -> ServingResponse:
    """What a replica takes within the targets as the simulation of the recommended fleet corrects the closed form."""
    simulated = answer.simulated
    if simulated is None:
        return response
    is_simulated = response.rows == simulated.candidate
    within = simulated.share_of_table * response.within
    if simulated.limit_shares:
        places = list(demand_of(scenario.service, scenario.model).slo_positions)
        shares = np.array(simulated.limit_shares)[places] * (simulated.share_of_table / simulated.rate_share)
        shown = np.array([math.inf, *shares])[:, None] * response.slo_load
        # Beyond what was simulated the quick estimate has as much more as on the whole.
        within = np.where(np.isfinite(shown), shown, within)
    return replace(response, within=np.where(is_simulated, within, response.within))
