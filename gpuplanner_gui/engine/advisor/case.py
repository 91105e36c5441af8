"""What rules look at: a scenario, its plan, and the candidate that is recommended for each workload."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import HOURS_PER_MONTH, HOURS_PER_YEAR
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan, ServingTable, TrainingTable, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.verdict import Edit, Finding, Remedy
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.bill import HELD_TERMS, TERM_LENGTHS, Beside, beside_month, beside_run, beside_year
from gpuplanner_gui.engine.cost.offers import Quote
from gpuplanner_gui.engine.cost.prices import DevicePrices, OwnedPrices, with_network
from gpuplanner_gui.engine.cost.units import NO_STOCK, PaidFleet, Stock, Units, paid_fleet
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed, carried_share, filled_share, running_share
from gpuplanner_gui.engine.training.communication import cluster_for
from gpuplanner_gui.engine.training.held_cost import used_share_of_held
from gpuplanner_gui.engine.training.run import clusters_side_by_side

NAN = float("nan")
NOTE, WARNING, SERIOUS = 0, 1, 2


class PlansAgain(Protocol):
    """Plans a changed scenario, as the plan at hand was: candidates ranked, fleets sized.

    Given what that found, the same to its end: the recommended fleet simulated as well.
    """

    def __call__(self, scenario: Scenario, context: Context, /, found: Plan | None = None) -> Plan: ...


@dataclass(frozen=True)
class Chosen:
    """The recommended candidate of one workload."""

    workload: str
    table: ServingTable | TrainingTable
    row: int
    accelerator: Accelerator

    def of(self, name: str) -> float:
        """A column's value for the candidate."""
        return float(column(self.table, name)[self.row])

    def share(self, *names: str, of: str) -> float:
        """The sum of some columns over another; 0 where that is 0."""
        whole = self.of(of)
        return sum(self.of(name) for name in names) / whole if whole > 0 else 0.0

    @property
    def meets_targets(self) -> bool:
        return bool(self.table.meets_targets[self.row])

    def rows_meeting_targets(self) -> NDArray[np.int64]:
        """Candidates without any reason against them, best first."""
        order = self.table.order
        rows: NDArray[np.int64] = order[self.table.reason[order] == Reason.NONE]
        return rows


@dataclass(frozen=True)
class AdvisedService:
    """A service with its recommended candidate."""

    scenario: Scenario
    plan: Plan
    context: Context
    workload: ServingWorkload
    best: Chosen
    again: PlansAgain | None = None
    """None where nobody waits for plans that take as long as the one at hand."""

    @property
    def replicas(self) -> float:
        return self.best.of("replicas")

    @property
    def devices(self) -> float:
        """Devices of the fleet. [1]"""
        return self.best.of("devices")

    @property
    def devices_together(self) -> float:
        """Devices of one replica, which are not parted. [1]"""
        return self.best.of("devices_per_replica")

    @property
    def hours_per_year(self) -> float:
        """Hours of a year in which a device of the fleet is in use, if it can be switched off. [h]"""
        fleet = fleet_on_term(self, "rent_on_demand")
        return HOURS_PER_YEAR * self.running_share("rent_on_demand", replace(fleet, stock_devices=np.zeros(1)))

    def paid_hours_per_year(self, term: Procurement) -> float:
        """Hours of a year in which a device of the fleet is paid for on a term. [h]"""
        return HOURS_PER_YEAR * self.running_share(term, fleet_on_term(self, term))

    @property
    def mean_over_peak(self) -> float:
        return self.workload.traffic.mean_share_of_peak

    @property
    def peak_rate_per_s(self) -> float:
        return self.plan.served.peak_rate_per_s

    @property
    def mean_rate_per_s(self) -> float:
        """Requests per second on average over a week. [1/s]"""
        return self.peak_rate_per_s * self.mean_over_peak

    @property
    def working_replicas(self) -> float:
        """Replicas that the load is spread over; spares and a zone's reserve left out."""
        return self.peak_rate_per_s / self.best.of("load_per_replica_per_s")

    @property
    def busy_share(self) -> float:
        """Mean load over what all replicas that run could take together. [1]"""
        assert self.plan.serving is not None
        return float(carried_share(self.workload, self.procurement, self.plan.serving, np.array([self.best.row]))[0])

    @cached_property
    def procurement(self) -> Procurement:
        """How the fleet is paid for: as owners pay, whatever the scenario says, where nothing is bought or rented."""
        return "own" if is_owned_already(self) else self.stated_procurement

    @property
    def stated_procurement(self) -> Procurement:
        return self.scenario.economics.serving_procurement

    def month_usd(self, term: Procurement | None = None, replicas: float | None = None) -> float:
        """Bill of a month on the scenario's term or another, of the fleet's replicas or so many, in whole units.
        [USD/month]"""
        paid_on, count = term or self.stated_procurement, self.replicas if replicas is None else replicas
        fleet = fleet_in_units(self, prices_on_term(self, paid_on).units, replicas=count)
        usd = count * self.devices_together * self.mean_usd_per_device_hour(paid_on, fleet, count)
        is_rented = fleet.stock_devices < count * self.devices_together
        beside = beside_month(self.scenario.economics, paid_on).where(is_rented)
        owned_usd = count * self.devices_together * fleet.stock_usd_per_device_hour
        return float(np.ravel(beside.billed_usd(usd * HOURS_PER_MONTH, owned_usd * HOURS_PER_MONTH))[0])

    def mean_usd_per_device_hour(self, term: Procurement, fleet: PaidFleet, replicas: float | None = None) -> float:
        """What a device of a fleet costs in a mean hour: of the planned replicas or so many. [USD/h]"""
        count = np.array([self.replicas if replicas is None else replicas])
        share = np.array([self.running_share(term, fleet, count)])
        return float(fleet.mean_usd_per_device_hour(count * self.devices_together, share)[0])

    def running_share(self, term: Procurement, fleet: PaidFleet, replicas: Floats | None = None) -> float:
        """Mean share of a fleet's replicas that are paid for on a term: of the planned ones or so many. [1]"""
        need = ServiceNeed.of(self.plan.served, np.array([self.best.row]), self.workload, fleet, replicas)
        return float(running_share(self.workload, term, need, np.array([self.peak_rate_per_s]))[0])

    @property
    def need(self) -> ServiceNeed:
        """Replicas of the recommended candidate at any load."""
        return ServiceNeed.of(self.plan.served, np.array([self.best.row]), self.workload)

    @property
    def spare_usd_per_month(self) -> float:
        """What one more replica adds to the bill. [USD/month]"""
        each = self.best.of("usd_per_device_hour")
        units = prices_on_term(self, self.stated_procurement).units
        if used_of_stock(self, units):
            # What is added to a fleet of the planner's own devices is bought or rented anew.
            each = float(fleet_in_units(self, replace(units, stock=NO_STOCK)).usd_per_device_hour[0])
        usd = self.best.of("devices_per_replica") * each * HOURS_PER_MONTH
        beside = beside_month(self.scenario.economics, self.stated_procurement)
        return float(beside.billed_usd(usd) - beside.billed_usd(0.0))

    def kept_up_usd_per_month(self, count: int) -> float:
        """What so many replicas for the availability add to the bill, as long as they run: those of a batch have all of
        them stop sooner. [USD/month]"""
        need, peak = self.need, np.array([self.peak_rate_per_s])
        left = filled_share(self.best.of("replicas") - count - need.owned, need.per_unit)
        fewer = replace(need, more_replicas=need.more_replicas - count, filled=left)
        with_them, without = (
            float(running_share(self.workload, self.procurement, one, peak)[0] * one.along(peak[:, None])[0, 0])
            for one in (need, fewer)
        )
        return (with_them - without) * self.spare_usd_per_month


@dataclass(frozen=True)
class AdvisedRun:
    """A training job with its recommended candidate."""

    scenario: Scenario
    plan: Plan
    context: Context
    workload: TrainingWorkload
    best: Chosen
    again: PlansAgain | None = None

    @property
    def runs_per_year(self) -> float:
        return central(self.scenario.economics.fleets.training_runs_per_year)

    @property
    def run_hours(self) -> float:
        """Hours in which a device trains for one run, retries and experiments included. [h]"""
        return self.best.of("device_hours") / self.best.of("devices")

    @property
    def replicas(self) -> float:
        """Clusters that train side by side for a year's runs."""
        return float(clusters_side_by_side(self.runs_per_year, self.run_hours))

    @property
    def devices(self) -> float:
        """Devices of all clusters. [1]"""
        return self.devices_together * self.replicas

    @property
    def devices_together(self) -> float:
        """Devices of the job. [1]"""
        return self.best.of("devices")

    @property
    def hours_per_year(self) -> float:
        """Hours of a year in which a device trains: on average over the whole years, where it is held for them. [h]"""
        if is_held(self):
            return HOURS_PER_YEAR * float(used_share_of_held(self.scenario.economics, self.run_hours))
        return min(self.run_hours * self.runs_per_year / self.replicas, HOURS_PER_YEAR)

    def paid_hours_per_year(self, term: Procurement) -> float:
        """Hours of a year in which the devices are paid for: all that are reserved, else those of the runs. [h]"""
        return HOURS_PER_YEAR if term in TERM_LENGTHS else self.hours_per_year

    def mean_usd_per_device_hour(self, term: Procurement, fleet: PaidFleet) -> float:
        """What a device of a fleet costs in a mean hour of the year. [USD/h]"""
        return float(fleet.usd_per_device_hour[0]) * self.paid_hours_per_year(term) / HOURS_PER_YEAR

    @cached_property
    def procurement(self) -> Procurement:
        """How the fleet is paid for: as owners pay, whatever the scenario says, where nothing is bought or rented."""
        return "own" if is_owned_already(self) else self.stated_procurement

    @property
    def stated_procurement(self) -> Procurement:
        return self.scenario.economics.training_procurement

    def run_usd(self, device_hours: float, usd_per_device_hour: float, term: Procurement | None = None) -> float:
        """Bill of a run of so many device-hours at a price, on the scenario's term or another. [USD]"""
        beside = beside_run(self.scenario.economics, term or self.procurement)
        return float(beside.billed_usd(device_hours * usd_per_device_hour))


Advised = AdvisedService | AdvisedRun
"""One workload with its recommended candidate."""


@dataclass(frozen=True)
class BothCase:
    """A scenario that trains and serves."""

    scenario: Scenario
    plan: Plan
    context: Context
    serving: AdvisedService
    training: AdvisedRun


def service_to_its_end(case: AdvisedService, changed: Scenario) -> ServingPlan | None:
    """The service of a changed scenario, planned and simulated; None where nobody plans again."""
    if case.again is None:
        return None
    return case.again(changed, case.context, case.again(changed, case.context)).serving


def serving_case(
    scenario: Scenario, plan: Plan, context: Context, again: PlansAgain | None = None
) -> AdvisedService | None:
    """None where nothing is served, or no candidate runs."""
    answer = plan.serving
    if scenario.serving is None or answer is None or answer.best < 0:
        return None
    entry = context.accelerators[int(answer.table.accelerator[answer.best])]
    best = Chosen("serving", answer.table, answer.best, entry)
    known = np.isfinite(best.of("decode_step_s")) and best.of("load_per_replica_per_s") > 0
    return AdvisedService(scenario, plan, context, scenario.serving, best, again) if known else None


def training_case(
    scenario: Scenario, plan: Plan, context: Context, again: PlansAgain | None = None
) -> AdvisedRun | None:
    """None where nothing is trained, or no candidate runs."""
    answer = plan.training
    if scenario.training is None or answer is None or answer.best < 0:
        return None
    entry = context.accelerators[int(answer.table.accelerator[answer.best])]
    best = Chosen("training", answer.table, answer.best, entry)
    return AdvisedRun(scenario, plan, context, scenario.training, best, again) if best.of("step_time_s") > 0 else None


def fleet_in_units(
    case: Advised, units: Units, drawn: float | None = None, replicas: float | None = None
) -> PaidFleet:  # fmt: skip
    """What the recommended fleet pays for in units of its accelerator alone, at its draw in use or another, of its
    replicas or so many; arrays of one."""
    count, each = np.array([case.replicas if replicas is None else replicas]), np.array([case.devices_together])
    drawn = draw_share_of(case) if drawn is None else drawn
    return paid_fleet(units, np.zeros(1, np.int64), count, each, isinstance(case, AdvisedRun), drawn)


def draw_share_of(case: Advised) -> float:
    """Mean draw of a device of the recommended fleet over its draw under load. [1]"""
    return case.best.of("draw_share")


def year_draw_share_of(case: Advised) -> float:
    """The same over all hours of a year: a cluster that is owned idles between its runs. [1]"""
    drawn = draw_share_of(case)
    if isinstance(case, AdvisedService):
        return drawn
    use = case.hours_per_year / HOURS_PER_YEAR
    return use * drawn + (1 - use) * idle_share_of(case)


def idle_share_of(case: Advised) -> float:
    """What an idle device of the recommended kind draws over its draw under load. [1]"""
    energy = prices_on_term(case, "own").units.energy
    assert energy is not None
    return float(energy.idle_share[0])


def prices_on_term(case: Advised, term: Procurement) -> DevicePrices:
    """Prices of the recommended accelerator alone, on a term, at the scenario's site."""
    site = case.context.site_of(case.scenario, case.scenario.serving)
    return case.context.price_book.of(case.best.accelerator).prices(case.scenario.economics, term, site)


def quote_of(case: Advised, economics: Economics, term: Procurement) -> Quote:
    """What providers ask for the recommended device on a term, in instances that suit the fleet."""
    each, devices = case.devices_together, added_devices(case) or case.devices
    count = case.replicas if isinstance(case, AdvisedRun) else devices / each
    return case.context.offers.quote(case.best.accelerator, term, economics, each, count)


def owned_on_terms(case: Advised, economics: Economics, drawn: float) -> OwnedPrices:
    """What owning the recommended accelerator costs under some terms, where each draws so much of its power under load
    on average; arrays of one."""
    return case.context.price_book.of(case.best.accelerator).owned(economics, drawn)


def fleet_on_term(case: Advised, term: Procurement) -> PaidFleet:
    """The recommended fleet on a term, in the units of that term; arrays of one."""
    return fleet_in_units(case, prices_on_term(case, term).units)


def price_in_use(case: Advised, term: Procurement) -> float:
    """Price of a device in use on a term, unused devices of its units included; NaN where none is known. [USD/h]"""
    return float(fleet_on_term(case, term).usd_per_device_hour[0])


def owned_fleet(case: Advised) -> tuple[PaidFleet, OwnedPrices]:
    """The recommended fleet as it is held all year, and what a device of it costs with the network of its size."""
    bought = fleet_in_units(case, prices_on_term(case, "own").units, year_draw_share_of(case))
    economics = with_network(case.scenario.economics, float(bought.network_usd[0]))
    return bought, owned_on_terms(case, economics, float(bought.draw_share[0]))


def used_of_stock(case: Advised, units: Units, devices: float | None = None) -> float:
    """Devices of the stock that the recommended fleet, or one of so many, takes: whole replicas, or of one job what its
    site has, beside what is added. [1]"""
    needed, together = np.array([case.devices if devices is None else devices]), np.array([case.devices_together])
    return float(units.stock_used(np.zeros(1, np.int64), needed, together, isinstance(case, AdvisedRun))[0])


def stock_usd_per_hour(case: Advised, stock: Stock, drawn: float | None = None) -> float:
    """What an hour of a device that the planner has already costs in the recommended fleet, at its draw in use or
    another. [USD/h]"""
    drawn = draw_share_of(case) if drawn is None else drawn
    return float(stock.usd_in_use(np.zeros(1, np.int64), drawn)[0])


def is_owned_already(case: Advised) -> bool:
    """True where no device of the recommended fleet has to be bought."""
    return used_of_stock(case, prices_on_term(case, "own").units) >= case.devices


def added_devices(case: Advised) -> float:
    """Devices of the fleet beyond those that the planner has already. [1]"""
    return case.devices - used_of_stock(case, prices_on_term(case, case.procurement).units)


def connected_devices(case: Advised, unit: float) -> float:
    """Devices that the plan has in one node, where the offer's unit is smaller than what works together; else 0. [1]"""
    if added_devices(case) <= 0:
        return 0.0
    who = int(case.best.table.accelerator[case.best.row])
    nodes = cluster_for(case.context.catalog, case.scenario.hardware).node_devices
    needed = min(case.devices_together, float(nodes[who]))
    return needed if needed > unit else 0.0


def is_held(case: Advised) -> bool:
    """Whether devices are bought or reserved, and paid for whether they work or not."""
    return case.procurement in HELD_TERMS and added_devices(case) > 0


def beside_of_year(case: Advised, term: Procurement | None = None) -> Beside:
    """What a provider bills in a year beside the devices, at today's load: as the fleet is paid for, or on a term."""
    return beside_year(case.scenario.economics, term or case.procurement, 1.0, isinstance(case, AdvisedService))


def dearer_or_cheaper(code: str, more: float, unit: str) -> tuple[str, dict[str, float]]:
    """Code and value of a finding about another choice: what it costs more, or less (as a chosen candidate may).

    `unit` is how the value's name goes on: usd, usd_per_month.
    """
    if more < 0:
        return f"{code}_cheaper", {f"less_{unit}": -more}
    return code, {f"more_{unit}": more}


def finding(
    code: str,
    workload: str,
    severity: int,
    values: dict[str, Any],
    usd: float = 0.0,
    remedy: Remedy | None = None,
) -> Finding:
    """A finding whose numbers are plain; money that is not known counts as none."""
    plain = {name: value if isinstance(value, str) else float(value) for name, value in values.items()}
    return Finding(
        code=code, severity=severity, workload=workload, values=plain,
        usd=float(usd) if np.isfinite(usd) else 0.0, remedy=remedy,
    )  # fmt: skip


def remedy(
    code: str, edits: dict[str, Any] | None = None, metric: str = "", before: float = NAN, after: float = NAN,
    **values: float | str,
) -> Remedy:  # fmt: skip
    """A remedy; `edits` maps paths in the scenario to new values."""
    changes = tuple(Edit(path=path, value=value) for path, value in (edits or {}).items())
    return Remedy(code=code, edits=changes, metric=metric, before=float(before), after=float(after), values=values)
