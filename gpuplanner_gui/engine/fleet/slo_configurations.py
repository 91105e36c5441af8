"""What a search for the cheapest fleet looks at: a plan's candidates with their own and with other batch limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.constants import HOURS_PER_MONTH
from gpuplanner_gui.domain.plan import Plan, Reason, ServingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import Availability, ReplicaStart, ServingWorkload
from gpuplanner_gui.engine.cancelling import checking
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.bill import NOTHING_BESIDE, Beside, beside_month
from gpuplanner_gui.engine.fleet.cold_start import lone_start_s
from gpuplanner_gui.engine.fleet.service_need import (
    ServiceNeed,
    can_be_stopped,
    filled_share,
    paid_over_week,
    rate_of_each,
    replicas_per_unit,
)
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.plan import planned
from gpuplanner_gui.engine.simulation.replicas import fleet_replicas, replicas_needed

CAPACITY_OPTIMISM = 1.15
SLO_OPTIMISM = 1.4
"""A simulation may find a replica to carry so much more than the closed form does: its capacity, and its rate at the
targets. A configuration that would cost more even then is not simulated."""

MISS_OPTIMISM = 1.2
"""An idle replica that is so far over a target in the closed form is not simulated."""

SHORTLIST_COST = 2.5
"""Batch limits are varied for configurations that cost up to this many times the cheapest in the closed form."""


@dataclass(frozen=True)
class Configuration:
    """One entry of the search; figures are those of the closed form."""

    candidate: int
    max_sequences: int
    token_budget: int
    usd_per_replica_hour: float
    max_rate_per_s: float
    slo_rate_per_s: float
    missed_by: float
    """Latency when idle over the limit of the worst missed target; 0 where all are met."""
    start_s: float = 0.0
    """Time from the order of a replica until it serves."""
    per_unit: float = 1.0
    """Replicas that one unit as sold holds,"""
    filled: float = 1.0
    """and those of the plan's fleet over the places in its units, over which the price is spread."""
    owned: float = 0.0
    """Replicas on devices that are owned already: used first, and paid for at all hours,"""
    owned_usd_per_replica_hour: float = 0.0
    """at a price of their own."""

    @property
    def best_rate_per_s(self) -> float:
        """What a replica might carry within the targets at most. [1/s]"""
        capacity = CAPACITY_OPTIMISM * self.max_rate_per_s
        return capacity if self.slo_rate_per_s <= 0 else min(capacity, SLO_OPTIMISM * self.slo_rate_per_s)


@dataclass(frozen=True)
class ReplicaDemand:
    """What a scenario asks of a fleet of equal replicas."""

    peak_rate_per_s: float
    availability: Availability
    beside: Beside = NOTHING_BESIDE
    """Billed in a month beside the devices."""
    autoscaled: ServingWorkload | None = None
    """The service, where its replicas are paid for only while they run."""

    def usd_per_hour(self, base: int, one: Configuration) -> float:
        """The whole bill of a mean hour with so many replicas before zones and spares. [USD/h]"""
        paid = self.paid(base, one)
        owned = min(one.owned, paid)
        owned_usd = owned * one.owned_usd_per_replica_hour * HOURS_PER_MONTH
        devices_usd = owned_usd + (paid - owned) * one.usd_per_replica_hour * HOURS_PER_MONTH
        return float(self.beside.billed_usd(devices_usd, owned_usd)) / HOURS_PER_MONTH

    def paid(self, base: int, one: Configuration) -> float:
        """Replicas that are paid for on average, of so many before zones and spares. [1]"""
        if self.autoscaled is None or not base:
            return float(self.total(base))
        peak = np.array([self.peak_rate_per_s])
        units = np.array([one.per_unit]), np.array([one.filled])
        rate = rate_of_each(peak, np.array([one.slo_rate_per_s]), peak / base, self.autoscaled)
        owned = np.array([min(one.owned, float(self.total(base)))])
        need = ServiceNeed(self.availability, rate, np.zeros(1), np.array([one.start_s]), *units, owned)
        return float(paid_over_week(self.autoscaled.traffic, need, peak).mean())

    def price_factor(self, usd_per_hour: float, below_usd_per_hour: float) -> float:
        """Times its devices' price at which a fleet would cost another sum. [1]"""
        data_usd = float(self.beside.billed_usd(0.0)) / HOURS_PER_MONTH
        return (below_usd_per_hour - data_usd) / (usd_per_hour - data_usd)

    def total(self, base: int) -> int:
        """Replicas with zones and spares."""
        return int(fleet_replicas(base, 1.0, 1.0, self.availability.zones, self.availability.spare_replicas))

    def base_for(self, slo_rate_per_s: float) -> int:
        """Replicas that carry the peak when each carries a rate within the targets."""
        return int(replicas_needed(self.peak_rate_per_s, slo_rate_per_s, self.availability.target_utilisation))

    def rate_of_each(self, base: int) -> float:
        """What each of `base` replicas must carry within the targets. [1/s]"""
        return self.peak_rate_per_s / (base * self.availability.target_utilisation)

    def affordable_base(self, one: Configuration, below_usd_per_hour: float) -> int:
        """Most replicas before zones and spares whose fleet costs less than a sum; 0 for none."""
        least_share = 1.0 if self.autoscaled is None else self.autoscaled.traffic.mean_share_of_peak
        highest = math.ceil(below_usd_per_hour / (one.usd_per_replica_hour * least_share) + one.owned) + 1
        low, high = 0, max(highest, 1)
        while high - low > 1:
            middle = (low + high) // 2
            if self.usd_per_hour(middle, one) < below_usd_per_hour * (1 - 1e-9):
                low = middle
            else:
                high = middle
        return low


def configurations(
    scenario: Scenario,
    context: Context,
    plan: Plan,
    batch_limits: Sequence[int],
    token_budgets: Sequence[int],
    is_cancelled: Callable[[], bool] | None = None,
) -> list[Configuration]:
    """Everything worth a look, cheapest first in the closed form: candidates with the scenario's batch limits, and the
    promising ones among them with others.
    """
    serving = scenario.service
    own = (serving.engine.max_sequences, serving.engine.token_budget)
    table, fleet = plan.served.table, fleet_of(scenario)
    usable = usable_candidates(table)
    found = configurations_of(table, usable, usable, own, serving.start)
    cheapest = min((predicted_usd(fleet, one) for one in found), default=math.inf)
    near = np.array([one.candidate for one in found if predicted_usd(fleet, one) <= SHORTLIST_COST * cheapest], int)

    check = checking(is_cancelled)
    for limits in ((batch, budget) for budget in token_budgets for batch in batch_limits):
        if limits == own or not len(near):
            continue
        varied = with_limits(scenario, *limits)
        answer = planned(varied, context, ServingCandidates.of_table(table, near), check)
        runs = answer.table.fits & np.isfinite(answer.table.usd_per_device_hour)
        found += configurations_of(answer.table, np.flatnonzero(runs), near[runs], limits, serving.start)
    return sorted(
        found, key=lambda one: (predicted_usd(fleet, one), one.candidate, one.max_sequences, one.token_budget)
    )


def fleet_of(scenario: Scenario) -> ReplicaDemand:
    serving, economics = scenario.service, scenario.economics
    beside = beside_month(economics, economics.serving_procurement)
    is_stopped = can_be_stopped(serving, economics.serving_procurement)
    return ReplicaDemand(serving.peak_rate_per_s, serving.availability, beside, serving if is_stopped else None)


def with_limits(scenario: Scenario, max_sequences: int, token_budget: int) -> Scenario:
    """The scenario with other batch limits."""
    engine = msgspec.structs.replace(scenario.service.engine, max_sequences=max_sequences, token_budget=token_budget)
    return msgspec.structs.replace(scenario, serving=msgspec.structs.replace(scenario.service, engine=engine))


def usable_candidates(table: ServingTable) -> NDArray[np.int64]:
    """Candidates with a price that run, whether they meet the targets or not."""
    priced = np.isfinite(table.usd_per_device_hour) & table.fits
    return np.flatnonzero(priced & np.isin(table.reason, (int(Reason.NONE), int(Reason.MISSES_TARGET))))


def configurations_of(
    table: ServingTable,
    rows: NDArray[np.int64],
    candidates: NDArray[np.int64],
    limits: tuple[int, int],
    start: ReplicaStart,
    most_missed: float = MISS_OPTIMISM,
) -> list[Configuration]:
    """Rows of a table with the candidates that they are of; those that miss a target by far are left out."""
    misses = table.reason == int(Reason.MISSES_TARGET)
    start_s = lone_start_s(start, table.weights_bytes * table.devices_per_replica)
    per_unit = replicas_per_unit(table.unit_devices, table.devices_per_replica)
    each, owned = table.devices_per_replica, np.nan_to_num(table.owned_devices)
    filled = filled_share(table.replicas - owned // each, per_unit)
    owned_share = np.divide(owned, table.devices, out=np.zeros(len(owned)), where=owned > 0)
    usd, part = table.usd_per_device_hour, table.owned_usd_per_device_hour
    rented_usd = np.divide(usd - part, 1.0 - owned_share, out=usd.copy(), where=owned_share < 1)
    owned_usd = np.divide(part, owned_share, out=np.zeros(len(owned)), where=owned_share > 0)
    return [
        Configuration(
            candidate=int(candidate),
            max_sequences=limits[0],
            token_budget=limits[1],
            usd_per_replica_hour=float(rented_usd[row] * each[row]),
            max_rate_per_s=float(table.max_rate_per_s[row]),
            slo_rate_per_s=float(table.slo_rate_per_s[row]),
            missed_by=float(table.reason_value[row]) if misses[row] else 0.0,
            start_s=float(start_s[row]),
            per_unit=float(per_unit[row]),
            filled=float(filled[row]),
            owned=float(owned[row] // each[row]),
            owned_usd_per_replica_hour=float(owned_usd[row] * each[row]),
        )
        for row, candidate in zip(rows, candidates, strict=True)
        if table.max_rate_per_s[row] > 0 and (not misses[row] or table.reason_value[row] <= most_missed)
    ]


def predicted_usd(fleet: ReplicaDemand, one: Configuration) -> float:
    """Cost of the fleet by the closed form; by what is possible at best where that meets no target. [USD/h]"""
    rate = one.slo_rate_per_s if one.slo_rate_per_s > 0 else one.best_rate_per_s
    return fleet.usd_per_hour(fleet.base_for(rate), one)


def least_usd(fleet: ReplicaDemand, one: Configuration) -> float:
    """Cost of the fleet if the closed form were as wrong as it can be. [USD/h]"""
    return fleet.usd_per_hour(fleet.base_for(one.best_rate_per_s), one)
