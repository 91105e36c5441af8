"""Classes on one pool or on two, prefill and decode on one or apart: what each arrangement needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.engine.simulation.disaggregated import (
    DisaggregatedResult,
    KvTransfer,
    ReplicaPool,
    simulate_disaggregated,
)
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.summary import (
    LatencyMetric,
    LatencyTarget,
    meets,
    warm_up_requests,
)
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
    """From a prompt's first token until its cache is where it is decoded; NaN where the pools are not enough."""


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

    first = [target for target in targets if target.metric is LatencyMetric.TTFT]
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
    """By bisection; 0 if `most` are not enough."""
    if not is_enough(most):
        return 0
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
