"""Kernel times of the passes that a closed loop is made of, at its own batch and lengths, an entry per case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.predict.points import Pass, column, mean_share, one_pass, replicas_of


@dataclass(frozen=True)
class ClosedLoopPasses:
    """The passes of a closed loop at a batch; all arrays have the cases' shape."""

    batch: Floats
    """Sequences that run at once."""
    concurrency: Floats
    prompt_tokens: Floats
    """Mean."""
    output_tokens: Floats
    """Mean."""
    length_spread: Floats
    """Width of the answers' even distribution, over its mean."""
    groups: Floats
    """Of data-parallel attention."""
    chunks: Floats
    """Passes that a prompt takes."""
    joining: Floats
    """Prompts that join a pass together when they are many."""
    burst_prompts: Floats
    """Prompts of a pass that is full of them."""
    decode: Pass
    mixed: Pass
    """The batch beside the prompts that usually join it."""
    alone: Pass
    """One prompt (chunk) alone."""
    full: Pass
    """A pass full of prompts, as at the start of a run."""


def closed_loop_passes(
    cases: Deployments,
    concurrency: Floats,
    prompt_tokens: Floats,
    output_tokens: Floats,
    length_spread: Floats,
    max_sequences: Floats,
    gathering_steps: float = 1.0,
) -> ClosedLoopPasses:
    """Kernel times of the passes of closed loops."""
    groups = cases.replica.layout.data_parallel
    held = cases.sequences_held(prompt_tokens + output_tokens * (1.0 if cases.engine.reserves_answers else 0.5))
    batch = np.maximum(np.minimum(np.minimum(concurrency, held), max_sequences * groups), 1.0)
    context = prompt_tokens + output_tokens / 2
    budget = cases.token_budget
    chunks = np.ceil(prompt_tokens / budget)
    chunk = prompt_tokens / chunks
    cached = (chunks - 1) * chunk / 2
    zero = np.zeros_like(batch)
    gathering = np.where(groups > 1, gathering_steps, 1.0)
    joining = np.clip(gathering * batch * chunks / output_tokens, 1.0, np.maximum(budget * groups / chunk, 1.0))
    fit = np.maximum(np.floor(budget / chunk), 1.0) * groups
    burst = np.minimum(np.minimum(concurrency, batch), fit)
    return ClosedLoopPasses(
        batch=batch,
        concurrency=concurrency,
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        length_spread=length_spread,
        groups=groups,
        chunks=chunks,
        joining=joining,
        burst_prompts=burst,
        decode=one_pass(cases, batch, context, zero, zero, zero),
        mixed=one_pass(cases, np.maximum(batch - joining, 0.0), context, joining, chunk, cached),
        alone=one_pass(cases, zero, zero, np.ones_like(batch), chunk, cached),
        full=one_pass(cases, zero, zero, burst, chunk, cached),
    )


def loop_passes(cases: Sequence[ServingCase], found: Deployments, gathering_steps: float = 1.0) -> ClosedLoopPasses:
    """The passes of closed loops at the cases' own concurrency; attention groups gather prompts for so many steps."""
    mean = mean_share(cases)
    concurrency = column(cases, "concurrency") / replicas_of(cases)
    return closed_loop_passes(
        found,
        np.where(concurrency > 0, np.maximum(concurrency, 1.0), np.inf),
        np.maximum(mean * column(cases, "prompt_tokens"), 1.0),
        np.maximum(mean * column(cases, "output_tokens"), 1.0),
        spread_of_lengths(cases),
        np.array([case.max_sequences or found.engine.max_sequences for case in cases], np.float64),
        gathering_steps,
    )


def spread_of_lengths(cases: Sequence[ServingCase]) -> Floats:
    """Width of the answers' even distribution over its mean; of as wide a one where only a deviation is known."""
    even = np.array([2.0 * (1.0 - case.shortest_share) / (1.0 + case.shortest_share) for case in cases])
    stated = np.array([case.output_spread for case in cases]) * np.sqrt(12.0)
    return np.asarray(np.maximum(even, stated))
