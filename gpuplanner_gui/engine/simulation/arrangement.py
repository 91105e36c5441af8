"""Classes on one pool or on two, prefill and decode on one or apart: what each arrangement needs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.load_result import PoolArrangement
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.hardware.communication import UNKNOWN_LINK_BYTES_PER_S
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.curves import serving_candidate
from gpuplanner_gui.engine.serving.demand import demand_of
from gpuplanner_gui.engine.serving.deployments import candidate_deployments
from gpuplanner_gui.engine.simulation.arrays import smallest
from gpuplanner_gui.engine.simulation.candidate_load import candidate_service, scenario_targets
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.result import LatencyTarget, meets, warm_up_requests
from gpuplanner_gui.engine.simulation.run import DisaggregatedResult, KvTransfer, ReplicaPool, simulate_disaggregated
from gpuplanner_gui.engine.simulation.service import ClientService, Service
from gpuplanner_gui.engine.simulation.settings import Batching
from gpuplanner_gui.engine.simulation.traffic import TrafficSample

DECODE_GROWTH = 1.2
"""Time in a decode pool of a run's second half over that of its first beyond which a backlog grows."""


@dataclass(frozen=True)
class Arrangements:
    """Fewest replicas that keep every target; 0 where the number allowed is not enough.

    `separate` has one number per class, and needs their sum.
    """

    shared: int
    shared_with_priorities: int
    separate: tuple[int, ...]

    @property
    def separate_total(self) -> int:
        return sum(self.separate) if all(self.separate) else 0


def arrangements(
    service: Service,
    rate_per_s: float,
    targets: Sequence[LatencyTarget],
    most: int,
    control: RunControl = UNCONTROLLED,
) -> Arrangements:
    """Size one shared pool first come first served, one where classes have their priorities, and one pool per class.

    Parameters
    ----------
    service : Service
        Targets name the classes of its traffic; with one class all arrangements are the same.
    rate_per_s : float
        Of all classes together; each keeps its share. [1/s]
    most : int
        Replicas to try up to, in each pool. [1]

    Notes
    -----
    A class without a target only has to be served without a growing backlog.
    """
    sample = service.traffic
    numbers = np.unique(sample.requests.class_index).tolist()
    equal = replace(sample.requests, priority=np.zeros(len(sample), dtype=np.int64))
    first_come = replace(service, traffic=replace(sample, requests=equal))
    shared = first_come.fewest_replicas(rate_per_s, targets, most, control=control)
    if len(numbers) < 2:
        return Arrangements(shared, shared, (shared,))
    alone = []
    for number in numbers:
        mine = np.flatnonzero(sample.requests.class_index == number)
        only = TrafficSample(sample.requests.take(mine), sample.arrivals, sample.seed)
        wanted = [replace(target, class_index=None) for target in targets if target.class_index in (number, None)]
        share = len(mine) / len(sample)
        pool = replace(service, traffic=only)
        alone.append(pool.fewest_replicas(rate_per_s * share, wanted, most, control=control))
    return Arrangements(
        shared=shared,
        shared_with_priorities=service.fewest_replicas(rate_per_s, targets, most, control=control),
        separate=tuple(alone),
    )


@dataclass(frozen=True)
class ApartPools:
    """Fewest replicas that prefill, and fewest that decode, within every target; 0 where the number allowed is not
    enough."""

    prefill: int
    decode: int
    mean_transfer_s: float
    """Mean time from a prompt's first token until its cache is in the decode pool; NaN where the pools are too
    small."""


def pools_apart(
    service: Service,
    rate_per_s: float,
    targets: Sequence[LatencyTarget],
    transfer: KvTransfer,
    most: int,
    control: RunControl = UNCONTROLLED,
) -> ApartPools:
    """Size a prefill pool and a decode pool of equal replicas.

    Nothing flows back from decoding, so that the first tokens follow from the prefill pool alone: it is sized by the
    targets of TTFT, and the decode pool behind it by all. `transfer` is that of one replica; as many prompts are sent
    at once as there are pairs of replicas.

    References
    ----------
    .. [1] Zhong et al., DistServe, OSDI 2024: the pools are sized one after the other.
    """
    requests = service.traffic.at_rate(rate_per_s)

    def run(prefill: int, decode: int) -> DisaggregatedResult:
        first = ReplicaPool(service.table, service.settings, prefill, service.routing)
        links = replace(transfer, links=min(prefill, decode))
        return simulate_disaggregated(
            first, replace(first, replicas=decode), links, requests, service.traffic.seed, control
        )

    first = [target for target in targets if target.metric == "ttft"]
    prefill = _fewest(lambda count: meets(service.seen(run(count, most).served), first), most)
    decode = _fewest(lambda count: _serves(service, run(prefill, count), targets), most) if prefill else 0
    if not decode:
        return ApartPools(prefill, 0, float("nan"))
    return ApartPools(prefill, decode, run(prefill, decode).mean_transfer_s)


def _serves(service: Service, result: DisaggregatedResult, targets: Sequence[LatencyTarget]) -> bool:
    """Every target kept, and no backlog that grows before the decode pool, which first tokens do not tell."""
    waits = result.decode.e2e_s[warm_up_requests(result.decode) :]
    middle = len(waits) // 2
    grows = middle > 0 and bool(np.nanmean(waits[middle:]) > DECODE_GROWTH * np.nanmean(waits[:middle]))
    return not grows and meets(service.seen(result.served), targets)


def _fewest(is_enough: Callable[[int], bool], most: int) -> int:
    """0 if `most` are not enough."""
    return smallest(is_enough, 0, most) if is_enough(most) else 0


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
    # Of users their own rate, which no class states.
    rate = plan.serving.peak_rate_per_s / serving.availability.target_utilisation
    targets, control = scenario_targets(scenario), RunControl(is_cancelled)
    found = arrangements(service, rate, targets, most, control)
    transfer = kv_transfer(scenario, context, chosen)
    apart = NOT_APART
    if transfer is not None and _can_be_apart(serving, service):
        entry_s = calibration.engine(serving.engine.engine).pool_entry_s
        admission = replace(service.admission, request_host_s=service.admission.request_host_s + entry_s)
        entered = replace(service, admission=admission)
        apart = pools_apart(entered, rate, targets, transfer, most, control)
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


def _can_be_apart(serving: ServingWorkload, service: ClientService) -> bool:
    """Whether pools one behind the other can be simulated: of requests that come by themselves, in mixed batches."""
    is_mixed = service.settings.batching is not Batching.PREFILL_FIRST and service.has_closed_form
    return is_mixed and serving.traffic.arrivals != "users"


def kv_transfer(scenario: Scenario, context: Context, chosen: ServingCandidates) -> KvTransfer | None:
    """What sends a prompt's cache from one replica of a candidate to another; None for models without one.

    Each device sends its own part over its own network.
    """
    demand = demand_of(scenario.service, scenario.model)
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
