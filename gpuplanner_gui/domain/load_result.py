"""What a simulated load says: curves, stress, replicas, search. Codes and values; arrays over rates."""

from __future__ import annotations

import math
from enum import IntEnum

import msgspec

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.workload import LatencyMetric

STATISTICS = ("mean", "p50", "p90", "p95", "p99")
METRICS: tuple[LatencyMetric, ...] = ("ttft", "itl", "tpot", "e2e")


class Stage(IntEnum):
    """How exact a curve is."""

    COARSE = 0
    REFINING = 1
    FINAL = 2


class SimulatedCurve(msgspec.Struct, frozen=True, kw_only=True):
    """One replica (or a whole service) simulated at rising rates; every array has one entry per rate.

    Latencies are by metric (`METRICS`) and statistic (`STATISTICS`); `band_s` is half the width of the 80 % confidence
    band of each percentile, for the chance in one run. NaN where no request tells.
    """

    candidate: int
    replicas: int
    stage: Stage
    requests: int
    """Per rate."""
    rates_per_s: Floats
    latency_s: dict[str, dict[str, Floats]]
    band_s: dict[str, dict[str, Floats]]
    throughput_per_s: Floats
    output_tokens_per_s: Floats
    batch: Floats
    kv_use: Floats
    peak_kv_use: Floats
    preemptions: Integers
    rejected: Integers
    is_overloaded: Booleans
    meets_targets: Booleans
    closed_ttft_s: Floats
    """Mean of the closed form at the same rates; NaN where there is none."""
    closed_itl_s: Floats
    ttft_differs: Booleans
    """The closed form is further from the simulation than is usual for it."""
    itl_differs: Booleans
    max_rate_per_s: float
    slo_rate_per_s: float
    knee_rate_per_s: float
    """NaN if there is no knee."""
    operating_rate_per_s: float
    littles_law_error: float
    """The largest of all runs."""
    is_trace: bool = False
    """Lengths and arrivals are those of a recorded trace."""
    targets_s: tuple[Floats, ...] = ()
    """What each target limits, of the class that it is about; targets in the scenario's order. NaN as above."""

    def latency(self, metric: LatencyMetric, statistic: str) -> Floats:
        return self.latency_s[metric][statistic]


class TargetResult(msgspec.Struct, frozen=True, kw_only=True):
    """One target and what a run gave for it."""

    metric: LatencyMetric
    percentile: float
    """The percentile, in percent."""
    limit_s: float
    measured_s: float
    class_index: int = -1
    """−1: all requests."""

    @property
    def is_kept(self) -> bool:
        return not self.measured_s > self.limit_s


class StressResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a service came through one disturbance at its peak rate."""

    disturbance: str
    """Code: burst, replica_loss, zone_loss, reload, cold_cache, longer_prompts, longer_requests."""
    factor: float
    duration_s: float
    replicas_hit: int
    targets: tuple[TargetResult, ...]
    worst_ttft_s: float
    recovery_s: float
    """Time from the end of the disturbance until requests are served as usual; infinite if never. [s]"""
    rejected: int
    preemptions: int
    unanswered: int

    @property
    def passes(self) -> bool:
        is_served = not self.rejected and not self.unanswered
        return is_served and math.isfinite(self.recovery_s) and all(one.is_kept for one in self.targets)


class Readiness(msgspec.Struct, frozen=True, kw_only=True):
    """Stress tests of a whole service."""

    candidate: int
    replicas: int
    simulated_replicas: int
    """Fewer than the service has where it is large; the rate is in proportion."""
    rate_per_s: float
    """Rate of the simulated replicas together."""
    steady: StressResult
    """The same service undisturbed."""
    tests: tuple[StressResult, ...]
    is_complete: bool = True

    @property
    def passes(self) -> bool:
        return self.steady.passes and all(test.passes for test in self.tests)


class StartTimes(msgspec.Struct, frozen=True, kw_only=True):
    """Cold start of a replica in parts that follow each other. [s]"""

    provision_s: float
    image_s: float
    weights_s: float
    compile_s: float
    graph_capture_s: float
    warm_up_s: float

    @property
    def total_s(self) -> float:
        return self.provision_s + self.image_s + self.weights_s + self.compile_s + self.graph_capture_s + self.warm_up_s


class FleetSplit(msgspec.Struct, frozen=True, kw_only=True):
    """What the replicas of a fleet are for; the parts add up to the total."""

    total: int
    expected: int
    """Carry the peak with its headroom if every input is as expected; those of further zones included."""
    added: int
    """Beyond those: for the confidence that is asked for."""
    spares: int
    zones: int
    chance: float
    """Chance that every target holds, as it is asked for."""
    kept_up: int = 0
    """Beyond all others: for the availability."""


class FleetSizing(msgspec.Struct, frozen=True, kw_only=True):
    """Replicas of one candidate: for the peak, for failures, over a day; and how they start."""

    candidate: int
    slo_rate_per_s: float
    """Rate at targets of one replica; simulated where a simulation ran."""
    is_simulated: bool
    peak_rate_per_s: float
    base: int
    """Carry the peak."""
    split: FleetSplit | None
    """None where the replicas are unknown."""
    replaced_at_once: int
    """Replicas that a rollout replaces together."""
    spares: int
    zones: int
    total: int
    replica_availability: float
    enough_up_share: float
    """Share of time that `base` of `total` replicas are up."""
    availability_target: float
    needed_for_availability: int
    """Fewest replicas of which `base` are up for the share of time asked for; 0 where none are enough."""
    slots: int
    """Sequences that `base` replicas run at once at most."""
    users: int
    """People who wait for their answers; 0 where requests come by themselves."""
    waiting_share: float
    """Requests that find no free slot at the peak: by Erlang's delay formula, or of so many users."""
    weight_bytes: float
    """Bytes of weights that a replica loads."""
    start: StartTimes
    start_together_s: float
    """All replicas at once, sharing the store."""
    rollout_s: float
    headroom_per_s: float
    """Rate to keep free so that growth is carried until a new replica serves."""
    growth_per_s2: float
    """Steepest growth of the load over a day."""
    static_replica_hours: float
    """A week, for the peak all the time."""
    autoscaled_replica_hours: float
    mean_gap_s: float
    """Between requests, over the week."""
    scale_to_zero_saving: float
    """Of a replica's hours, over the week."""
    cold_share: float
    """Of the week's requests."""
    scale_to_zero_breaks_targets: bool
    is_batch: bool = False
    """All requests are there at once: none waits for a slot by chance, and no load grows over the day."""
    is_stopped: bool = False
    """The plan pays only for the replicas that run."""


class PoolArrangement(msgspec.Struct, frozen=True, kw_only=True):
    """Replicas that are needed in one pool, in one with priorities, in one for each class, and in one for prefill with
    one for decode; 0: not within the limit."""

    shared: int
    shared_with_priorities: int
    separate: tuple[int, ...]
    usd_per_replica_hour: float
    most: int
    prefill: int = -1
    decode: int = -1
    """−1 where prompts are not sent from one replica to another."""
    transfer_s: float = float("nan")
    """Mean time that a prompt's cache takes from prefill to decode, waiting for a link included."""

    @property
    def apart_total(self) -> int:
        return self.prefill + self.decode if min(self.prefill, self.decode) > 0 else 0

    @property
    def separate_total(self) -> int:
        return sum(self.separate) if all(self.separate) else 0


class SearchOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One configuration in a search by targets, confirmed by simulation."""

    candidate: int
    max_sequences: int
    token_budget: int
    replicas: int
    """Replicas that it needs, spares and zones included; 0: no number is enough."""
    usd_per_hour: float
    slo_rate_per_s: float
    """Largest simulated rate of one replica within every target; for a runner-up a bound."""
    lost_on: str
    """Code: cost, target, idle (a target that even little load breaks), or empty for the winner."""
    tightest: TargetResult | None
    """The target that is missed most, or nearest to its limit, at the rate that the winner's cost would allow."""
    price_factor: float
    """Times its price at which it would win."""


class SearchResult(msgspec.Struct, frozen=True, kw_only=True):
    """The cheapest configuration whose simulated percentiles meet every target, and those that lost."""

    winner: SearchOutcome | None
    runners_up: tuple[SearchOutcome, ...]
    considered: int
    simulated: int
    is_complete: bool
    """False where a limit ended the search before every promising configuration was simulated."""
