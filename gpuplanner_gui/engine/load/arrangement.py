"""Latency-critical and throughput traffic on one pool or on two: what each arrangement needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.engine.load.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.load.service import Service
from gpuplanner_gui.engine.load.summary import LatencyTarget
from gpuplanner_gui.engine.load.traffic import TrafficSample


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
        Its traffic has two classes or more; targets name theirs.
    rate_per_s : float
        Of all classes together; each keeps its share. [1/s]
    most : int
        Replicas to try up to, in each pool. [1]

    Notes
    -----
    A class without a target only has to be served without a growing backlog.
    """
    sample = service.traffic
    equal = replace(sample.requests, priority=np.zeros(len(sample), dtype=np.int64))
    first_come = replace(service, traffic=replace(sample, requests=equal))
    alone = []
    for number in np.unique(sample.requests.class_index).tolist():
        mine = np.flatnonzero(sample.requests.class_index == number)
        only = TrafficSample(sample.requests.take(mine), sample.arrivals, sample.seed)
        wanted = [replace(target, class_index=None) for target in targets if target.class_index in (number, None)]
        share = len(mine) / len(sample)
        pool = replace(service, traffic=only)
        alone.append(pool.fewest_replicas(rate_per_s * share, wanted, most, control=control))
    return Arrangements(
        shared=first_come.fewest_replicas(rate_per_s, targets, most, control=control),
        shared_with_priorities=service.fewest_replicas(rate_per_s, targets, most, control=control),
        separate=tuple(alone),
    )
