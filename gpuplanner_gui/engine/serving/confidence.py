"""Fleets that keep their targets with a chance: what is uncertain of a replica's load, for all candidates at once.

A machine that is slower by a factor keeps targets at a load so many times as small as one whose targets are so many
times as tight. The load at a chance is therefore read off the grid that stands, with tighter targets. Derivation:
docs/derivations/uncertainty.md#fleets-at-a-confidence.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.preset import UncertaintyDefault
from gpuplanner_gui.domain.quantity import central, is_uncertain
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import step_log_sd
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.load.rates import Slowdown
from gpuplanner_gui.engine.serving.load.states import LoadStates
from gpuplanner_gui.engine.serving.pace import ServingPace
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile
from gpuplanner_gui.engine.uncertainty.sampling import (
    hits_bounds,
    log_sd_of,
    own_or_usual,
    score_asked,
    sigma_of_band,
    sure_between_failures_s,
)

DIRECTIONS = tuple(math.radians(one) for one in (0.0, 30.0, 60.0, 90.0))
"""Angles between a slow machine alone (0) and a heavy load alone (90°) at which the worst case is searched. [rad]"""


@dataclass(frozen=True)
class Doubt:
    """Required confidence, and how uncertain machine and load are; one entry per deployment."""

    score: float
    """Score of the standard normal for the confidence; 0: as expected."""
    step_log_sd: Floats
    first_token_log_sd: Floats
    demand_log_sd: float
    prompt_log_sd: float
    answer_log_sd: float
    between_failures_s: float
    """Time between failures of a replica, at the confidence."""

    def at(self, part: slice | Integers) -> Doubt:
        return replace(
            self, step_log_sd=self.step_log_sd[part], first_token_log_sd=self.first_token_log_sd[part]
        )  # fmt: skip

    def slowdown(self, score: float) -> Slowdown:
        """Machines that are slower by so much of what is uncertain of them."""
        return Slowdown(np.exp(self.step_log_sd * score), np.exp(self.first_token_log_sd * score))

    def load_log_sd(self, states: LoadStates) -> Floats:
        """Spread (of the logarithm) of the demanded work: requests, and their lengths by the share of a replica that
        each takes."""
        busy = np.nan_to_num(states.rate_per_s[-1] * states.occupied_s[-1])
        prompts = np.clip(busy, 0.0, 1.0)
        squared = self.demand_log_sd**2 + (prompts * self.prompt_log_sd) ** 2
        return np.asarray(np.sqrt(squared + ((1.0 - prompts) * self.answer_log_sd) ** 2))

    def share_kept(self, expected: Floats, load_log_sd: Floats, slowed: Callable[[Slowdown], Floats]) -> Floats:
        """Load within the targets at the chance over the expected one; 0 where none is.

        Of all pairs of a slowdown and a load that are as likely as the chance allows, the worst: the first-order
        reliability method. `slowed` gives the load within the targets on slower machines.
        """
        kept = np.ones_like(expected)
        if self.score <= 0:
            return kept
        for direction in DIRECTIONS:
            own, others = self.score * math.cos(direction), self.score * math.sin(direction)
            load = expected if own < 1e-9 else slowed(self.slowdown(own))
            with np.errstate(invalid="ignore", divide="ignore"):
                share = np.where(expected > 0, load / expected, 0.0) * np.exp(-others * load_log_sd)
            kept = np.minimum(kept, share)
        return kept


def doubt_of(
    scenario: Scenario,
    context: Context,
    chosen: ServingCandidates,
    deployed: Deployments,
    pace: ServingPace | None,
    prefill_pace: ServingPace | None = None,
) -> Doubt:
    """Doubt about candidates that own measurements have not settled."""
    serving = scenario.service
    asked = (context, serving.engine.engine, scenario.model.kind, chosen.accelerator, chosen.weight_precision)
    step, first = step_log_sd(*asked), step_log_sd(*asked, "prefill")
    if deployed.samples is not None:
        step = first = np.array(deployed.samples.log_sd)
    if pace is not None:
        step, first = step * pace.decode_width, first * (prefill_pace or pace).prefill_width
    known = {one.id: one for one in context.calibration.uncertainty.inputs}
    has_lengths = serving.has_next_tokens
    is_usual, is_new = scenario.economics.uncertainty.usual_spreads, scenario.economics.uncertainty.new_product
    demand = log_sd_of(known["peak_rate_new" if is_new else "peak_rate_established"].distribution.value)
    return Doubt(
        score=score_asked(scenario),
        step_log_sd=step,
        first_token_log_sd=first,
        demand_log_sd=_demand_log_sd(serving, demand if is_usual else 0.0),
        prompt_log_sd=_prompt_log_sd(serving, known, is_usual),
        answer_log_sd=log_sd_of(known["output_length"].distribution.value) if is_usual and has_lengths else 0.0,
        between_failures_s=sure_between_failures_s(scenario, context.calibration.uncertainty),
    )


def _demand_log_sd(serving: ServingWorkload, usual: float) -> float:
    """Spread (of the logarithm) of the demand over all classes: those with a range of their own vary by themselves,
    the others together."""
    rates = [central(one.peak_rate_per_s) for one in serving.classes]
    own = [is_uncertain(one.peak_rate_per_s) for one in serving.classes]
    common = sum(rate for rate, is_own in zip(rates, own, strict=True) if not is_own) * usual
    apart = [
        rate * log_sd_of(one.peak_rate_per_s)
        for rate, is_own, one in zip(rates, own, serving.classes, strict=True) if is_own
    ]  # fmt: skip
    total = sum(rates)
    return math.sqrt(common**2 + sum(one**2 for one in apart)) / total if total > 0 else 0.0


def _prompt_log_sd(serving: ServingWorkload, known: dict[str, UncertaintyDefault], is_usual: bool) -> float:
    """Spread (of the logarithm) of the prompt tokens that are computed: their length, and what the prefix cache
    leaves of them."""
    length = log_sd_of(known["prompt_length"].distribution.value) if is_usual else 0.0
    hits = max((one.prefix_cache_share for one in serving.classes), key=central)
    if central(hits) <= 0:
        return length
    spread = own_or_usual(hits, known["prefix_cache"], is_usual)
    left = 1.0 - bounded_quantile(spread, np.array([0.1, 0.9]), *hits_bounds(hits))
    return math.hypot(length, float(sigma_of_band(left[1], left[0])))
