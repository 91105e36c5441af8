"""A candidate's replicas in one pool, in one for each request class, or for prefill and decode: what each needs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.load_result import PoolArrangement
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.hardware.communication import UNKNOWN_LINK_BYTES_PER_S
from gpuplanner_gui.engine.planning import CancelledError
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.demand import demand_of
from gpuplanner_gui.engine.serving.deployments import candidate_deployments
from gpuplanner_gui.engine.simulation.arrangement import ApartPools, arrangements, pools_apart
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service, scenario_targets
from gpuplanner_gui.engine.simulation.disaggregated import KvTransfer
from gpuplanner_gui.engine.simulation.replica import RunControl, SimulationCancelled
from gpuplanner_gui.engine.simulation.settings import Batching

REQUESTS = 3000
MOST_REPLICAS = 64
NOT_APART = ApartPools(-1, -1, math.nan)
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
    """Size shared and separate pools by simulation, without spares; None for fleets that are too large to try.

    Classes have pools of their own where there are two or more, prefill and decode where the engine mixes them.

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
    if table.prefill_workers[candidate] > 0:
        return None
    if not math.isfinite(stated) or stated > MOST_REPLICAS:
        return None
    most = min(MOST_REPLICAS, max(4, ROOM * int(stated)))
    context = context_of(catalog, calibration)
    chosen = serving_candidate(plan, candidate)
    service = candidate_service(scenario, context, chosen, REQUESTS, seed)
    rate = sum(central(one.peak_rate_per_s) for one in serving.classes) / serving.availability.target_utilisation
    targets, control = scenario_targets(scenario), RunControl(is_cancelled)
    try:
        found = arrangements(service, rate, targets, most, control)
        transfer = kv_transfer(scenario, context, chosen)
        apart = NOT_APART
        if transfer is not None and service.settings.batching is not Batching.PREFILL_FIRST and service.has_closed_form:
            entry_s = calibration.engine(serving.engine.engine).pool_entry_s
            admission = replace(service.admission, host_s=service.admission.host_s + entry_s)
            entered = replace(service, admission=admission)
            apart = pools_apart(entered, rate, targets, transfer, most, control)
    except SimulationCancelled:
        raise CancelledError from None
    return PoolArrangement(
        shared=found.shared,
        shared_with_priorities=found.shared_with_priorities,
        separate=found.separate,
        usd_per_replica_hour=float(table.usd_per_device_hour[candidate] * table.devices_per_replica[candidate]),
        most=most,
        prefill=apart.prefill,
        decode=apart.decode,
        transfer_s=apart.mean_transfer_s,
    )


def kv_transfer(scenario: Scenario, context: Context, chosen: ServingCandidates) -> KvTransfer | None:
    """What sends a prompt's cache from one replica of a candidate to another; None for models without one.

    Each device sends its own part over its own network.
    """
    assert scenario.serving is not None
    demand = demand_of(scenario.serving, scenario.model)
    cache_bytes = float(
        candidate_deployments(scenario, context, chosen).cache_bytes_per_sequence(demand.context_tokens)[0]
    )
    network = float(context.devices.scale_out_bytes_per_s[chosen.accelerator[0]])
    if cache_bytes <= 0:
        return None
    return KvTransfer(
        kv_bytes_per_token=cache_bytes / demand.context_tokens,
        bytes_per_s=network if math.isfinite(network) else UNKNOWN_LINK_BYTES_PER_S,
    )
