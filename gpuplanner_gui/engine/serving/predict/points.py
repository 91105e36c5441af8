"""Kernel times of the passes that a closed loop is made of, an entry per case; what an engine adds comes later."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.rates import EngineRates, LayerCounts
from gpuplanner_gui.engine.serving.step import (
    KernelTimes,
    StepWork,
    decode_busy_s,
    kernel_times,
    longer_s,
    prefill_busy_s,
    prefill_launch_s,
    small_kernels_s,
    step_of,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Pass:
    """One kind of pass: what it works on and its kernels."""

    work: StepWork
    kernels: KernelTimes
    counts: LayerCounts

    def total_s(self, rates: EngineRates) -> Floats:
        """Seconds of the pass under an engine."""
        return np.asarray(step_of(self.kernels, self.work, self.counts, rates).total)

    def decode_busy_s(self, rates: EngineRates) -> Floats:
        """Its kernels as a decode step runs them."""
        return decode_busy_s(self.kernels, rates)

    def prefill_busy_s(self, rates: EngineRates) -> Floats:
        """Its kernels as a step with prompts runs them."""
        return prefill_busy_s(self.kernels, rates)

    def small_s(self, rates: EngineRates) -> Floats:
        """Small kernels and the host's part of a step."""
        return small_kernels_s(self.counts, self.work, rates)

    def launch_s(self, rates: EngineRates) -> Floats:
        """Time that the host takes to launch it, layer by layer."""
        return np.asarray(prefill_launch_s(self.counts, rates, self.work.tokens))

    def uncaptured_launch_s(self, rates: EngineRates) -> Floats:
        """The same without graphs of few tokens, which other stacks do not have."""
        return np.asarray(prefill_launch_s(self.counts, rates, np.inf))

    def prompts_s(self, rates: EngineRates) -> Floats:
        """Seconds of a pass of prompts alone, whose launches its kernels hide or not."""
        return np.asarray(longer_s(self.prefill_busy_s(rates), self.launch_s(rates)) + rates.prefill_step_host_s)


def one_pass(
    cases: Deployments,
    decoding: Floats,
    context_tokens: Floats,
    prompts: Floats,
    prompt_tokens: Floats,
    cached_tokens: Floats,
) -> Pass:
    """A pass of `decoding` sequences beside `prompts` prompts of `prompt_tokens` new tokens each."""
    work = StepWork(decoding, context_tokens, prompts * prompt_tokens, prompts, cached_tokens)
    return Pass(work, kernel_times(cases.operations, work, cases.replica), cases.counts)


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
    engine: EngineFacts,
) -> ClosedLoopPasses:
    """Kernel times of the passes of closed loops."""
    groups = cases.replica.layout.data_parallel
    held = cases.sequences_held(prompt_tokens + output_tokens * (1.0 if engine.reserves_answers else 0.5))
    batch = np.maximum(np.minimum(np.minimum(concurrency, held), max_sequences * groups), 1.0)
    context = prompt_tokens + output_tokens / 2
    budget = cases.token_budget
    chunks = np.ceil(prompt_tokens / budget)
    chunk = prompt_tokens / chunks
    cached = (chunks - 1) * chunk / 2
    zero = np.zeros_like(batch)
    gathering = np.where(groups > 1, engine.gathering_steps, 1.0)
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
