"""What one request looks like on average: the moments of length that queues and capacity depend on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats

BIN_EDGES = (0.0, 0.15, 0.3, 0.45, 0.55, 0.65, 0.75, 0.83, 0.88, 0.92, 0.94, 0.96, 0.985, 0.995, 1.0)
"""Quantiles between which lengths are averaged: narrow in the tail, with p50, p90, p95 and p99 inside a bin each."""


@dataclass(frozen=True)
class LengthBins:
    """A distribution as a few values with their shares, shape (bins,)."""

    value: Floats
    share: Floats


@dataclass(frozen=True)
class RequestMix:
    """Moments of the requests of one class, or of several mixed.

    `context_output` is E[prompt·output], `output_squared` E[output²], `attention_pairs` E[(prompt² − cached²)/2];
    `computed_tokens` is E[prompt − cached].
    """

    computed_tokens: float
    output_tokens: float
    context_output: float
    output_squared: float
    attention_pairs: float
    computed_bins: LengthBins
    output_bins: LengthBins
    verified_tokens: int = 1
    """That an entry of the outputs puts through the model: more than one where they count in steps with drafts."""

    @property
    def tokens(self) -> float:
        """Tokens that pass through the model per request. [tokens]"""
        return self.computed_tokens + self.output_tokens * self.verified_tokens

    @property
    def decode_kv_token_steps(self) -> float:
        """KV tokens × decode steps per request, E[I·O + O²/2]. [tokens]"""
        return self.context_output + self.output_squared / 2

    def kv_token_steps(self, token_budget: Numbers) -> Floats:
        """KV tokens × steps per request with prompts in chunks of `token_budget`. [tokens]"""
        return self.decode_kv_token_steps + self.attention_pairs / as_floats(token_budget)

    def in_steps(self, tokens_per_step: float, verified_tokens: int = 1) -> RequestMix:
        """The same requests when each decode step yields several tokens: outputs counted in steps."""
        return replace(
            self,
            verified_tokens=verified_tokens,
            output_tokens=self.output_tokens / tokens_per_step,
            context_output=self.context_output / tokens_per_step,
            output_squared=self.output_squared / tokens_per_step,
            output_bins=LengthBins(self.output_bins.value / tokens_per_step, self.output_bins.share),
        )


def request_mix(
    prompt_tokens: Numbers, output_tokens: Numbers, cached_tokens: Numbers = 0.0, weight: Numbers = 1.0
) -> RequestMix:
    """Moments of a sample of requests.

    Parameters
    ----------
    prompt_tokens, output_tokens, cached_tokens : array, shape (n,) or scalar
        Lengths of each request; cached tokens are the part of the prompt found in the prefix cache. [tokens]
    weight : array
        Relative frequency. [1]
    """
    columns = np.broadcast_arrays(
        *(np.atleast_1d(as_floats(column)) for column in (prompt_tokens, output_tokens, cached_tokens, weight))
    )
    prompt, output, cached, relative = columns
    share = relative / relative.sum()
    return RequestMix(
        computed_tokens=float(share @ (prompt - cached)),
        output_tokens=float(share @ output),
        context_output=float(share @ (prompt * output)),
        output_squared=float(share @ output**2),
        attention_pairs=float(share @ (prompt**2 - cached**2)) / 2,
        computed_bins=_bins(prompt - cached, share),
        output_bins=_bins(output, share),
    )


def _bins(values: Floats, share: Floats) -> LengthBins:
    """Means between quantiles, so that the mean of the bins is the mean of the values."""
    order = np.argsort(values, kind="stable")
    ordered, mass = values[order], share[order]
    if ordered[0] == ordered[-1]:
        return LengthBins(ordered[:1], np.ones(1))
    below = np.concatenate([[0.0], np.cumsum(mass)])
    moment = np.concatenate([[0.0], np.cumsum(mass * ordered)])
    edges = np.asarray(BIN_EDGES) * below[-1]
    moments = np.interp(edges, below, moment)
    shares = np.diff(edges)
    return LengthBins(np.diff(moments) / shares, shares / shares.sum())


@dataclass(frozen=True)
class ReplicaCaps:
    """Limits of one replica's engine; scalars or arrays over candidates.

    `kv_tokens` is what the KV cache holds; `reserves_output` says that a request gets room for its whole output when it
    is admitted.
    """

    token_budget: Numbers
    max_sequences: Numbers
    kv_tokens: Numbers
    reserves_output: bool = False

    def kv_token_steps(self, mix: RequestMix) -> Floats:
        """KV tokens held × steps per request. [tokens]"""
        if self.reserves_output:
            held = mix.context_output + mix.output_squared
            return held + mix.attention_pairs / as_floats(self.token_budget)
        return mix.kv_token_steps(self.token_budget)

    def requests_per_step(self, mix: RequestMix) -> tuple[Floats, Integers]:
        """Largest throughput per step, in requests, and which of token budget, sequences and cache sets it."""
        bounds = np.stack(
            np.broadcast_arrays(
                as_floats(self.token_budget) / mix.tokens,
                as_floats(self.max_sequences) / mix.output_tokens,
                as_floats(self.kv_tokens) / self.kv_token_steps(mix),
            )
        )
        return np.asarray(bounds.min(axis=0)), np.asarray(bounds.argmin(axis=0))
