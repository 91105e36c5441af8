"""Kernel times of single passes, an entry per case; what an engine adds comes later."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.quantity import Lognormal, Quantity, Range
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.operation import StepWork
from gpuplanner_gui.engine.serving.rates import EngineRates, LayerCounts
from gpuplanner_gui.engine.serving.step import (
    KernelTimes,
    decode_busy_s,
    kernel_times,
    longer_s,
    prefill_busy_s,
    prefill_launch_s,
    small_kernels_s,
    step_of,
)


def prompt_length(case: ServingCase) -> Quantity:
    """A case's prompts as a planner would state them."""
    return _length(case.prompt_tokens, case.shortest_share, case.prompt_spread)


def answer_length(case: ServingCase) -> Quantity:
    """Likewise its answers."""
    return _length(case.output_tokens, case.shortest_share, case.output_spread)


def _length(stated: float, shortest_share: float, spread: float) -> Quantity:
    tokens = max(stated, 1.0)
    if shortest_share < 1.0:
        return Range(low=max(tokens * shortest_share, 1.0), high=tokens)
    if spread == 0:
        return tokens
    variance = float(np.log1p(spread**2))
    return Lognormal(median=float(tokens * np.exp(-variance / 2)), sigma=float(np.sqrt(variance)))


def mean_share(cases: Sequence[ServingCase]) -> Floats:
    """Mean length over the stated one: even between the shortest share and 1."""
    return np.array([(1.0 + case.shortest_share) / 2.0 for case in cases])


def column(cases: Sequence[ServingCase], name: str) -> Floats:
    """One number of every case."""
    return np.array([getattr(case, name) for case in cases], np.float64)


def replicas_of(cases: Sequence[ServingCase]) -> Floats:
    """Replicas that share the requests."""
    return np.array([max(case.layout.replicas, 1.0) for case in cases])


def devices_of(cases: Sequence[ServingCase]) -> Floats:
    """All devices of a case."""
    return np.array(
        [case.layout.devices_stated or case.layout.devices * max(case.layout.replicas, 1) for case in cases],
        np.float64,
    )


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
        """Kernel time of the pass in a decode step."""
        return decode_busy_s(self.kernels, rates)

    def prefill_busy_s(self, rates: EngineRates) -> Floats:
        """Kernel time of the pass in a step with prompts."""
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
