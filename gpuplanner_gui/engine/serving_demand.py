"""What a scenario asks of a service, in numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.workload import ServingWorkload, Slo
from gpuplanner_gui.engine.lengths import class_mix, mean_prompt_tokens
from gpuplanner_gui.engine.load.mix import RequestMix


@dataclass(frozen=True)
class Demand:
    """What the scenario asks of a service, in numbers."""

    mix: RequestMix
    prompt_tokens: float
    output_tokens: float
    peak_rate_per_s: float
    slos: tuple[Slo, ...]
    """The strictest target of each latency and percentile."""
    slo_positions: tuple[int, ...]
    """Where each stands among the targets of all classes, in their order."""
    token_budget: int
    max_sequences: int
    context_tokens: float
    longest_tokens: float
    arrival_cv: float


def demand_of(serving: ServingWorkload, max_context: int) -> Demand:
    """Sum the request classes up: one mix of lengths, one rate, the strictest target of each kind and percentile."""
    mix = class_mix(serving.classes)
    prompt = mean_prompt_tokens(serving.classes)
    longest = float(serving.max_context or 2 * (prompt + mix.output_tokens))
    strictest: dict[tuple[str, float], tuple[int, Slo]] = {}
    for position, slo in enumerate(slo for one in serving.classes for slo in one.slos):
        key = (slo.metric, slo.percentile)
        if key not in strictest or slo.limit_s < strictest[key][1].limit_s:
            strictest[key] = (position, slo)
    return Demand(
        mix=mix,
        prompt_tokens=prompt,
        output_tokens=mix.output_tokens,
        peak_rate_per_s=sum(central(one.peak_rate_per_s) for one in serving.classes),
        slos=tuple(slo for _, slo in strictest.values()),
        slo_positions=tuple(position for position, _ in strictest.values()),
        token_budget=serving.engine.token_budget,
        max_sequences=serving.engine.max_sequences,
        context_tokens=prompt + mix.output_tokens / 2,
        longest_tokens=min(longest, float(max_context)) if max_context else longest,
        arrival_cv=central(serving.traffic.burstiness_cv),
    )


def at_any_rate(demand: Demand) -> Demand:
    """What is the same whatever rate is asked for, and whatever targets: all that load grids follow from."""
    return replace(demand, peak_rate_per_s=0.0, slos=(), slo_positions=())
