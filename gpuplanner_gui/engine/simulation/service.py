"""A service under test: replicas of one configuration and the traffic that they get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.serving.engine_release import Admission
from gpuplanner_gui.engine.serving.load.balance import load_states
from gpuplanner_gui.engine.serving.load.first_token import pipeline_fill_s
from gpuplanner_gui.engine.serving.load.steps import in_steps
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps, apart_steps, drafted_steps
from gpuplanner_gui.engine.simulation.arrays import smallest
from gpuplanner_gui.engine.simulation.pool import Outage, Routing
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.requests import ReplicaCaps, Requests
from gpuplanner_gui.engine.simulation.result import LatencyTarget, SimulationResult, meets
from gpuplanner_gui.engine.simulation.run import simulate, simulate_users
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings
from gpuplanner_gui.engine.simulation.step_time import StepTable, StepTime
from gpuplanner_gui.engine.simulation.traffic import TrafficSample

PILOTS, PILOT_REQUESTS, PILOT_ROUNDS = 3, 300, 4
"""Short runs, their requests at least, and requests of each user, from which it is known how long answers take."""
_ROUNDS = 5
"""Requests of a saturated run over the places for them."""

_MIDDLE = (0.2, 0.8)
"""Part of the answers of a saturated run over which its throughput is taken."""


@dataclass(frozen=True)
class Service:
    """Everything a run needs but the rate. Rates are of the whole service, not of one replica."""

    step_time: StepTime
    table: StepTable
    settings: ReplicaSettings
    traffic: TrafficSample
    replicas: int = 1
    routing: Routing = Routing.LEAST_LOAD
    think_s: float | None = field(default=None, kw_only=True)
    """Mean time from an answer to the same user's next request; None: requests come at random. [s]"""

    @property
    def caps(self) -> ReplicaCaps:
        """Limits of one replica."""
        settings = self.settings
        return ReplicaCaps(
            settings.token_budget, settings.sequences_at_once, settings.kv_tokens, settings.reserves_output
        )

    def with_replicas(self, replicas: int) -> Service:
        return replace(self, replicas=replicas)

    def run(
        self,
        rate_per_s: float,
        count: int | None = None,
        outages: Sequence[Outage] = (),
        control: RunControl = UNCONTROLLED,
    ) -> SimulationResult:
        """Serve the first `count` requests of the traffic (all by default) at a rate.

        Where users ask them, as many users as send that many: whole ones, who think a little longer or shorter for it.
        """
        if self.think_s is None:
            return self.serve(self.traffic.at_rate(rate_per_s, count), outages, control)
        sample = self.traffic.of_length(len(self.traffic) if count is None else min(count, len(self.traffic)))
        users, think_s = self._users_at(rate_per_s, self.think_s, control)
        return self.run_users(users, think_s, sample.requests, outages, control)

    def _users_at(self, rate_per_s: float, think_s: float, control: RunControl) -> tuple[int, float]:
        """How many users send requests at a rate, and how long each thinks, from how long a few answers take then."""
        answer_s, users = 0.0, max(round(rate_per_s * think_s), 1)
        for _ in range(PILOTS):
            few = self.traffic.of_length(min(len(self.traffic), max(PILOT_REQUESTS, PILOT_ROUNDS * users))).requests
            pilot = self.run_users(users, think_s, few, control=control)
            answered = pilot.e2e_s[len(pilot.e2e_s) // 4 :]
            answer_s = float(np.nanmean(answered)) if np.isfinite(answered).any() else answer_s
            before, users = users, max(round(rate_per_s * (think_s + answer_s)), 1)
            if users == before:
                break
        return users, max(users / rate_per_s - answer_s, 0.0)

    def serve(
        self, requests: Requests, outages: Sequence[Outage] = (), control: RunControl = UNCONTROLLED
    ) -> SimulationResult:
        """Serve given requests at their own times."""
        seed = self.traffic.seed
        return simulate(
            self.table, self.settings, requests, self.replicas, self.routing, outages, seed, control=control
        )

    def run_users(
        self,
        users: int,
        think_s: float,
        requests: Requests | None = None,
        outages: Sequence[Outage] = (),
        control: RunControl = UNCONTROLLED,
    ) -> SimulationResult:
        """Serve requests (the traffic's by default) as so many users ask them, who wait for an answer and think for
        `think_s`."""
        traffic = self.traffic
        found = simulate_users(
            self.table, self.settings, traffic.requests if requests is None else requests, users, think_s,
            self.replicas, self.routing, traffic.seed, control, outages,
        )  # fmt: skip
        return self.seen(found)

    def seen(self, result: SimulationResult) -> SimulationResult:
        """A run as the clients see it; here as the replicas do."""
        return result

    def saturation_rate_per_s(self, control: RunControl = UNCONTROLLED) -> float:
        """Requests per second when there is always one waiting: the capacity for this mix of lengths.

        All requests are sent at once, enough of them to fill every place several times; throughput is taken between the
        first and the last fifth of the answers, where the batch is neither filling nor emptying. 0 if no request fits.
        """
        places = self.replicas * self._places_per_replica()
        sample = self.traffic.of_length(max(len(self.traffic), _ROUNDS * places)).requests
        first_come = replace(sample, priority=np.zeros(len(sample), dtype=np.int64))
        at_once = first_come.arriving(np.zeros(len(sample)))
        result = self.serve(at_once, control=control)
        finish = np.sort(result.finish_s[result.is_finished])
        first, last = (int(share * (len(finish) - 1)) for share in _MIDDLE)
        if last <= first or finish[last] <= finish[first]:
            return 0.0
        return float((last - first) / (finish[last] - finish[first]))

    def _places_per_replica(self) -> int:
        """Sequences that run at the same time when there is always one waiting."""
        limit = self.settings.sequences_at_once
        if self.settings.kv_tokens == np.inf:
            return limit
        held = self.caps.kv_token_steps(self.traffic.mix()) / self.traffic.mix().output_tokens
        return max(1, min(limit, int(self.settings.kv_tokens / float(held))))

    def slo_rate_per_s(
        self,
        targets: Sequence[LatencyTarget],
        low_per_s: float,
        high_per_s: float,
        halvings: int = 7,
        count: int | None = None,
        control: RunControl = UNCONTROLLED,
    ) -> float:
        """Largest rate, between one that is assumed to meet every target and one above, found by bisection."""
        for _ in range(halvings):
            middle = 0.5 * (low_per_s + high_per_s)
            if meets(self.run(middle, count, control=control), targets):
                low_per_s = middle
            else:
                high_per_s = middle
        return low_per_s

    def fewest_replicas(
        self,
        rate_per_s: float,
        targets: Sequence[LatencyTarget],
        most: int,
        control: RunControl = UNCONTROLLED,
    ) -> int:
        """Fewest replicas that meet every target at a rate, by bisection; 0 if `most` do not."""

        def is_enough(replicas: int) -> bool:
            return meets(self.with_replicas(replicas).run(rate_per_s, control=control), targets)

        return smallest(is_enough, 0, most) if is_enough(most) else 0


SHARES = np.linspace(0.005, 1.0, 60)
"""Shares of the most requests per step at which the closed form is evaluated."""


@dataclass(frozen=True)
class ClientService(Service):
    """Replicas of one deployment, whose step table serves the closed form and the simulation alike."""

    step_time: DeploymentSteps
    admission: Admission = field(kw_only=True)
    """What each request spends beside the replica's work."""
    delivery_steps: float = field(default=0.0, kw_only=True)
    """Mean steps by which a token reaches its client late."""

    @property
    def has_closed_form(self) -> bool:
        """Whether the closed form of load is about this kind of batching."""
        return self.settings.batching in (Batching.CHUNKED, Batching.MIXED, Batching.PREFILL_FIRST)

    def closed_means(self, rate_per_s: Floats) -> tuple[Floats, Floats]:
        """Mean TTFT and step in closed form at rates of the whole service; NaN beyond saturation or without one. [s]"""
        nothing = np.full(rate_per_s.shape, np.nan)
        if not self.has_closed_form or not len(rate_per_s):
            return nothing, nothing
        drafts, mix = self.settings.speculation, self.traffic.mix()
        is_apart = self.settings.batching is Batching.PREFILL_FIRST
        step = apart_steps(self.step_time) if is_apart else self.step_time
        step = step if drafts is None else drafted_steps(step, drafts)
        most, _ = self.caps.requests_per_step(in_steps(mix, drafts))
        states = load_states(
            step, SHARES[:, None] * most, mix, self.settings.token_budget, 1.0, self.admission, is_apart, drafts
        )
        stable = states.utilisation[:, 0] < 1
        known = states.rate_per_s[stable, 0]
        if not len(known):
            return nothing, nothing
        ttft, itl = (
            np.interp(rate_per_s / self.replicas, known, column[stable, 0], right=np.nan)
            for column in (states.ttft_mean_s, states.step_s)
        )
        return ttft, itl

    def serve(
        self, requests: Requests, outages: Sequence[Outage] = (), control: RunControl = UNCONTROLLED
    ) -> SimulationResult:
        """See `Service.serve`."""
        return self.seen(super().serve(requests, outages, control))

    def seen(self, result: SimulationResult) -> SimulationResult:
        """Requests are sent that much earlier than they reach a replica."""
        late_steps = self.delivery_steps + self.admission.late_steps
        host_s = self.admission.request_host_s + self.admission.token_host_s * result.requests.prompt_tokens
        if late_steps:
            host_s = host_s + late_steps * (result.itl.mean_s() if result.itl.steps.size else 0.0)
        before_s = host_s + self._fill_s(result.requests)
        spent_s = float((before_s * result.is_finished).sum())
        return replace(result, sent_s=result.sent_s - before_s, request_seconds=result.request_seconds + spent_s)

    def _fill_s(self, requests: Requests) -> Floats:
        """Extra time of the last chunk of each prompt through the further pipeline stages. [s]"""
        computed = (requests.prompt_tokens - requests.cached_tokens).astype(np.float64)
        last = computed - (np.ceil(computed / self.settings.token_budget) - 1.0) * self.settings.token_budget
        step = self.step_time
        pairs = last * (requests.prompt_tokens - last / 2)
        return pipeline_fill_s(step.further_stages, last, step.prompt_token_s, pairs, step.pair_s)
