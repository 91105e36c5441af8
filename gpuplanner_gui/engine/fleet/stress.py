"""Stress: what a service does in a burst, when it loses or reloads replicas, with a cold cache, with longer prompts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.load_result import StressResult
from gpuplanner_gui.engine.simulation.arrivals import ProfileArrivals
from gpuplanner_gui.engine.simulation.pool import Outage
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.requests import Requests
from gpuplanner_gui.engine.simulation.result import LatencyTarget, SimulationResult, measured_between_s
from gpuplanner_gui.engine.simulation.service import Service

MOST_REQUESTS = 1_000_000
"""Most requests of one test; a start of a day or an extreme peak would fill the memory."""
CALM_REQUESTS, CALM_TIMES = 500, 2.0
"""Requests before the disturbance, from which the service's usual TTFT is known; so many times as many as the replicas
hold at once, where that is more: a disturbed service is one that is full already."""

FEWEST_REQUESTS = 100
"""Requests from a disturbance's beginning on, below which a service that is seldom used is disturbed again: one request
in an hour would miss an outage of minutes as often as not."""

USUAL_FACTOR = 2.0
"""A request is still disturbed while its TTFT is above this multiple of the usual p95, and above the target; its E2E
where that alone has targets."""

_UNRECOVERED_SHARE = 0.02
"""Last share of the run in which disturbed requests mean that the service has not recovered."""
_TOGETHER, _LATE_TOGETHER = 20, 5
"""A late request is disturbed where more than so many of the so many that end with it are late."""


MOST_TIMES = 1000
"""Most times that a disturbance begins again; whoever asks more seldom hardly meets one."""


class Disturbance(Enum):
    BURST = "burst"
    REPLICA_LOSS = "replica_loss"
    RELOAD = "reload"
    COLD_CACHE = "cold_cache"
    LONGER_PROMPTS = "longer_prompts"
    LONGER_REQUESTS = "longer_requests"


@dataclass(frozen=True)
class Users:
    """Who wait for their answers, and think between them for a mean time."""

    number: int
    think_s: float


@dataclass(frozen=True)
class StressTest:
    """One disturbance, and how long the service is watched afterwards.

    `factor` is the burst's rate or the prompts' length over the usual; `replicas` are those lost (a zone, say) or, for
    a reload, those reloaded, `at_once` of them together; what they were running starts over. A burst, a cold cache and
    longer prompts last for `duration_s`; a reload takes `duration_s` for each replica.
    """

    disturbance: Disturbance
    duration_s: float
    watched_s: float = 60.0
    factor: float = 1.0
    replicas: tuple[int, ...] = ()
    at_once: int = 0
    named: str = ""
    """What it is shown under where the disturbance alone does not say."""
    calm_requests: float = CALM_REQUESTS
    """Requests before the disturbance."""
    share_of_lost: float = 1.0
    """Rate per replica of the simulated fleet over that of the whole one, so that what remains of either when replicas
    are lost is equally busy: of a smaller fleet, one replica is a larger part."""

    @property
    def code(self) -> str:
        return self.named or self.disturbance.value

    @property
    def waves(self) -> int:
        if self.disturbance is not Disturbance.RELOAD or not self.at_once:
            return 1
        return math.ceil(len(self.replicas) / self.at_once)

    @property
    def disturbed_s(self) -> float:
        """Length of the disturbance. [s]"""
        return self.duration_s * self.waves

    def starts_s(self, rate_per_s: float) -> Floats:
        """When the disturbance begins, and begins again; as often as enough requests come from the first on."""
        period_s = self.disturbed_s + self.watched_s
        times = max(math.ceil(min(FEWEST_REQUESTS / (rate_per_s * period_s), MOST_TIMES)), 1)
        starts: Floats = self.calm_requests / rate_per_s + period_s * np.arange(times, dtype=np.float64)
        return starts

    def outages(self, start_s: float) -> list[Outage]:
        if self.disturbance is Disturbance.REPLICA_LOSS:
            return [Outage(start_s, self.duration_s, replica) for replica in self.replicas]
        if self.disturbance is Disturbance.RELOAD:
            together = self.at_once or len(self.replicas)
            return [
                Outage(start_s + place // together * self.duration_s, self.duration_s, replica)
                for place, replica in enumerate(self.replicas)
            ]
        return []

    def shortened(self, share: float) -> StressTest:
        """The same disturbance for a part of its time, and of the time watched."""
        return replace(self, duration_s=share * self.duration_s, watched_s=share * self.watched_s)


class StressTooLongError(ValueError):
    """A test would need more requests than `MOST_REQUESTS`."""


def stress(
    service: Service,
    rate_per_s: float,
    test: StressTest,
    targets: Sequence[LatencyTarget],
    control: RunControl = UNCONTROLLED,
    users: Users | None = None,
) -> StressResult:
    """Run a service at a steady rate, or under users who make it, disturb it, and watch it recover.

    Parameters
    ----------
    service : Service
        Its traffic is repeated as often as the test needs.
    rate_per_s : float
        Of the whole service before and after. [1/s]

    Raises
    ------
    ValueError
        If the test takes down a replica that the service does not have, or needs more than `MOST_REQUESTS`.
    CancelledError
        When `control.is_cancelled` says so.
    """
    if any(not 0 <= replica < service.replicas for replica in test.replicas):
        raise ValueError(f"the service has replicas 0 to {service.replicas - 1}")
    starts_s = test.starts_s(rate_per_s)
    start_s, end_s = float(starts_s[0]), float(starts_s[-1]) + test.disturbed_s
    requests = _requests(service, rate_per_s, test, starts_s, end_s + test.watched_s)
    outages = [one for begin_s in starts_s for one in test.outages(float(begin_s))]
    if users is None:
        result = service.serve(requests, outages, control)
    else:
        result = service.run_users(users.number, users.think_s, requests, outages, control)
    last_s = float(np.nanmax(result.sent_s))
    answered = np.isfinite(result.finish_s)
    return StressResult(
        disturbance=test.code,
        factor=test.factor,
        duration_s=test.disturbed_s,
        replicas_hit=test.at_once or len(test.replicas),
        targets=tuple(one.answered(measured_between_s(result, one, start_s, last_s)) for one in targets),
        worst_ttft_s=float(np.nanmax(result.ttft_s[result.sent_s >= start_s], initial=0.0)),
        recovery_s=_recovery_s(result, targets, start_s, float(starts_s[-1]), end_s),
        rejected=len(result.rejected),
        preemptions=result.preemptions,
        unanswered=int((~answered).sum()) - len(result.rejected),
    )


def of_the_whole(
    part: StressResult, whole: StressTest, share: float, usual_s: Sequence[float], piles_up: bool
) -> StressResult:
    """What the whole of a disturbance does, from a `share` of it.

    A backlog grows with the time that it has, and is worked off in proportion; what a service can carry takes no
    longer the longer it lasts. `usual_s` are the latencies without a disturbance.
    """
    times = 1.0 / share if piles_up else 1.0
    targets = tuple(
        msgspec.structs.replace(one, measured_s=usual + max(one.measured_s - usual, 0.0) * times)
        if one.measured_s > usual
        else one
        for one, usual in zip(part.targets, usual_s, strict=True)
    )
    return msgspec.structs.replace(
        part, duration_s=whole.disturbed_s, targets=targets, worst_ttft_s=part.worst_ttft_s * times,
        recovery_s=part.recovery_s / share,
    )  # fmt: skip


def _requests(service: Service, rate_per_s: float, test: StressTest, starts_s: Floats, last_s: float) -> Requests:
    """Requests from time 0 to `last_s`, disturbed as the test says from each of `starts_s` on."""
    extra = len(starts_s) * (test.factor - 1) * test.disturbed_s if test.disturbance is Disturbance.BURST else 0.0
    count = math.ceil(rate_per_s * (last_s + extra))
    if count > MOST_REQUESTS:
        raise StressTooLongError(f"a test of {count:.3g} requests takes too long to simulate")
    sample = service.traffic.of_length(count)
    requests = sample.at_rate(rate_per_s)
    if test.disturbance is Disturbance.BURST:
        knots = np.concatenate([[0.0], np.stack([starts_s, starts_s + test.disturbed_s], axis=1).ravel()])
        factors = np.concatenate([[1.0], np.tile([test.factor, 1.0], len(starts_s))])
        burst = ProfileArrivals(sample.arrivals, knots, factors)
        return requests.arriving(burst.times_s(count, rate_per_s, sample.seed))
    since_s = requests.arrival_s - starts_s[0]
    disturbed = (since_s >= 0) & (since_s % (test.disturbed_s + test.watched_s) < test.disturbed_s)
    if test.disturbance is Disturbance.COLD_CACHE:
        return requests.replaced(disturbed, requests.without_cache())
    if test.disturbance is Disturbance.LONGER_PROMPTS:
        return requests.replaced(disturbed, requests.with_prompts_scaled(test.factor))
    if test.disturbance is Disturbance.LONGER_REQUESTS:
        longer = requests.with_prompts_scaled(test.factor).with_answers_scaled(test.factor)
        return requests.replaced(disturbed, longer)
    return requests


def _recovery_s(
    result: SimulationResult, targets: Sequence[LatencyTarget], calm_s: float, start_s: float, end_s: float
) -> float:
    """Time from the end of the disturbance to the last request that waited unusually long among others that did. [s]

    Requests sent before `calm_s` were not disturbed; the disturbance is the last one, from `start_s` to `end_s`.
    A long prompt waits long at any time: one late request among many is no disturbance.
    """
    metrics = {target.metric for target in targets}
    metric = "e2e" if metrics == {"e2e"} else "ttft"
    latency_s = result.e2e_s if metric == "e2e" else result.ttft_s
    calm = latency_s[result.sent_s < calm_s]
    limits = [target.limit_s for target in targets if target.metric == metric]
    usual_s = float(np.nanquantile(calm, 0.95)) if np.isfinite(calm).any() else 0.0
    tolerated_s = max([USUAL_FACTOR * usual_s, *limits])
    order = np.argsort(result.sent_s, kind="stable")
    sent_s, latency_s = result.sent_s[order], latency_s[order]
    is_late = (sent_s >= start_s) & ~(latency_s <= tolerated_s)
    late_so_far = np.concatenate([np.zeros(_TOGETHER), np.cumsum(is_late)])
    disturbed = np.flatnonzero(is_late & (late_so_far[_TOGETHER:] - late_so_far[:-_TOGETHER] > _LATE_TOGETHER))
    if not len(disturbed):
        return 0.0
    if disturbed[-1] >= len(sent_s) * (1 - _UNRECOVERED_SHARE):
        return math.inf
    return max(0.0, float(sent_s[disturbed[-1]]) - end_s)
