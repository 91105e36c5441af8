"""A service as its clients see it: what the simulated replicas do, and what the engine adds before and after."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.serving.admission import Admission
from gpuplanner_gui.engine.serving.load.first_token import pipeline_fill_s
from gpuplanner_gui.engine.serving.load.states import load_states
from gpuplanner_gui.engine.serving.load.steps import in_steps
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps, apart_steps, drafted_steps
from gpuplanner_gui.engine.simulation.pool import Outage
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.requests import Requests
from gpuplanner_gui.engine.simulation.result import SimulationResult
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.settings import Batching

SHARES = np.linspace(0.005, 1.0, 60)
"""Of the most requests per step, at which the closed form is asked."""


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
        host_s, late_steps = self.admission.host_s, self.delivery_steps + self.admission.late_steps
        if late_steps:
            host_s += late_steps * (result.itl.mean_s() if result.itl.steps.size else 0.0)
        before_s = host_s + self._fill_s(result.requests)
        spent_s = float((before_s * result.is_finished).sum())
        return replace(result, sent_s=result.sent_s - before_s, request_seconds=result.request_seconds + spent_s)

    def _fill_s(self, requests: Requests) -> Floats:
        """By which the end of each prompt comes later through the further stages of a pipeline. [s]"""
        computed = (requests.prompt_tokens - requests.cached_tokens).astype(np.float64)
        last = computed - (np.ceil(computed / self.settings.token_budget) - 1.0) * self.settings.token_budget
        step = self.step_time
        pairs = last * (requests.prompt_tokens - last / 2)
        return pipeline_fill_s(step.further_stages, last, step.prompt_token_s, pairs, step.pair_s)
