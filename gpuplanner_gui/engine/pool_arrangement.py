"""Request classes on one pool of a candidate's replicas, or on a pool each: replicas and cost of both."""

from __future__ import annotations

import math
from collections.abc import Callable

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.load_result import PoolArrangement
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.curves import serving_candidate
from gpuplanner_gui.engine.load.arrangement import arrangements
from gpuplanner_gui.engine.load.replica import RunControl, SimulationCancelled
from gpuplanner_gui.engine.planning import CancelledError
from gpuplanner_gui.engine.simulated_load import candidate_service, scenario_targets

REQUESTS = 3000
MOST_REPLICAS = 64
ROOM = 3
"""Replicas tried are up to this many times those of the plan."""


def pool_arrangement(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    candidate: int,
    *,
    seed: int = 0,
    is_cancelled: Callable[[], bool] | None = None,
) -> PoolArrangement | None:
    """Size shared and separate pools by simulation, without spares; None for fewer than two classes, or for fleets
    that are too large to try.

    Raises
    ------
    ValueError
        For a plan without serving, or a candidate that does not fit.
    CancelledError
        When `is_cancelled` says so.
    """
    serving = scenario.serving
    if plan.serving is None or serving is None or not plan.serving.table.fits[candidate]:
        raise ValueError("the candidate does not fit")
    table = plan.serving.table
    stated = float(table.replicas[candidate])
    if len(serving.classes) < 2 or not math.isfinite(stated) or stated > MOST_REPLICAS:
        return None
    most = min(MOST_REPLICAS, max(4, ROOM * int(stated)))
    context = context_of(catalog, calibration)
    service = candidate_service(scenario, context, serving_candidate(plan, candidate), REQUESTS, seed)
    rate = sum(central(one.peak_rate_per_s) for one in serving.classes) / serving.availability.target_utilisation
    try:
        found = arrangements(service, rate, scenario_targets(scenario), most, RunControl(is_cancelled))
    except SimulationCancelled:
        raise CancelledError from None
    return PoolArrangement(
        shared=found.shared,
        shared_with_priorities=found.shared_with_priorities,
        separate=found.separate,
        usd_per_replica_hour=float(table.usd_per_device_hour[candidate] * table.devices_per_replica[candidate]),
        most=most,
    )
