"""A serving plan when some of its fleets turn out to need other numbers of replicas, and its ranking then."""

from __future__ import annotations

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import Reason, ServingPlan, ServingTable
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.plan import planned
from gpuplanner_gui.engine.serving.ranking import OVER_SITE, cheapest_first, price_tier, ranking

KEPT = ("order", "reason", "reason_value", "meets_targets", "replicas_expected")
"""Columns that the closed form would judge by its own number of replicas."""


def resized(
    found: ServingPlan, scenario: Scenario, context: Context, rows: Integers, base_replicas: Floats
) -> ServingPlan:
    """Some candidates planned again with so many replicas that carry the peak, and the ranking that follows; the one
    that was simulated takes within the targets what that says."""
    # In another order they would be another question.
    by_row = np.argsort(rows)
    rows, base_replicas = rows[by_row], base_replicas[by_row]
    chosen = ServingCandidates.of_table(found.table, rows)
    again = planned(scenario, context, chosen, lambda: None, base_replicas, taken_by_simulation(found, rows))
    columns = {}
    for name in ServingTable.__struct_fields__:
        if name not in KEPT:
            before, now = getattr(found.table, name), getattr(again.table, name)
            # What does not follow from the replicas is shared: a table of a large search takes some ten megabytes.
            if not np.array_equal(before[rows], now, equal_nan=True):
                columns[name] = before.copy()
                columns[name][rows] = now
    # More replicas may be more than the site feeds, fewer may be what it does.
    is_moved = np.isin(again.table.reason, OVER_SITE) | np.isin(found.table.reason[rows], OVER_SITE)
    columns["reason"], columns["reason_value"] = found.table.reason.copy(), found.table.reason_value.copy()
    columns["reason"][rows[is_moved]] = again.table.reason[is_moved]
    columns["reason_value"][rows[is_moved]] = again.table.reason_value[is_moved]
    other = ranked(found, scenario, context, msgspec.structs.replace(found.table, **columns))
    if other.best == found.best and other.best not in rows:
        return other
    if again.best >= 0 and int(rows[again.best]) == other.best:
        return _with_latencies(other, again)
    return with_latencies(other, scenario, context)


def taken_by_simulation(found: ServingPlan, rows: Integers) -> Floats | None:
    """What replicas take within the targets as the simulation of one has it; None of others. [1/s]"""
    simulated = found.simulated
    is_known = simulated is not None and simulated.is_in_table and rows.tolist() == [simulated.candidate]
    return found.table.slo_rate_per_s[rows] if is_known else None


def ranked(found: ServingPlan, scenario: Scenario, context: Context, table: ServingTable) -> ServingPlan:
    """Those that meet every target and have a price by cost; then those that a simulation saw miss one; the others
    in their order, or that of their new reasons: a fleet that grew beyond its site may be the farthest from fitting."""
    tier, open_ = price_tier(scenario, context, table), table.reason == Reason.NONE
    before = found.table
    is_same = np.array_equal(table.reason, before.reason) and np.array_equal(table.reason_value, before.reason_value)
    order = np.asarray(table.order) if is_same else ranking(scenario, table, tier)
    is_good = (open_ & table.meets_targets & np.isfinite(table.usd_per_hour))[order]
    missed = open_[order] & ~is_good
    good = cheapest_first(scenario, table, order[is_good], tier)
    order = np.concatenate([good, order[missed], order[~is_good & ~missed]])
    best = int(order[0])
    found = msgspec.structs.replace(found, table=msgspec.structs.replace(table, order=order), best=best)
    return msgspec.structs.replace(found, peak_rate_per_s=peak_rate_of(found, scenario, best))


def peak_rate_of(found: ServingPlan, scenario: Scenario, candidate: int) -> float:
    """Requests per second at the peak: as stated, or as users make them who wait for a candidate's answers. [1/s]"""
    traffic = scenario.service.traffic
    if traffic.arrivals != "users":
        return found.peak_rate_per_s
    return central(traffic.users) / (float(found.table.e2e_mean_s[candidate]) + central(traffic.think_time_s))


def base_replicas_of(found: ServingPlan, scenario: Scenario, candidate: int) -> float:
    """Replicas that carry the peak, without spares and zones; NaN for a candidate that has none."""
    load, peak = float(found.table.load_per_replica_per_s[candidate]), peak_rate_of(found, scenario, candidate)
    return float(np.round(peak / load)) if load > 0 else float("nan")


def with_latencies(found: ServingPlan, scenario: Scenario, context: Context) -> ServingPlan:
    """The plan with its tightest target and latencies those of the recommendation that it has now."""
    chosen = ServingCandidates.of_table(found.table, np.array([found.best]))
    base = base_replicas_of(found, scenario, found.best)
    again = planned(scenario, context, chosen, lambda: None, np.array([base]) if np.isfinite(base) else None)
    return _with_latencies(found, again)


def _with_latencies(found: ServingPlan, again: ServingPlan) -> ServingPlan:
    return msgspec.structs.replace(found, limiting_slo=again.limiting_slo, target_latency_s=again.target_latency_s)


def with_row(table: ServingTable, row: int, values: dict[str, float]) -> ServingTable:
    """The table with other values in some columns of a row."""
    columns = {name: getattr(table, name).copy() for name in values}
    for name, value in values.items():
        columns[name][row] = value
    return msgspec.structs.replace(table, **columns)
