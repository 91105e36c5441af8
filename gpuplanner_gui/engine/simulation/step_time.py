"""Time of one forward pass: what the load model asks of the serving model."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.quantity import Quantity, central
from gpuplanner_gui.domain.workload import EngineSettings
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats


@formula(
    title="Tokens per step with drafts",
    unit="tok",
    expression="(1 - acceptance^(draft_tokens + 1)) / (1 - acceptance); draft_tokens + 1 if all are accepted",
    source="Leviathan, Kalman, Matias, Fast Inference from Transformers via Speculative Decoding, 2023, equation 1",
)
def tokens_per_step(draft_tokens: Numbers, acceptance: float) -> Floats:
    """1 + a + a² + …: each draft is kept with chance `acceptance` if the one before was. [tokens]

    Examples
    --------
    >>> float(tokens_per_step(3, 0.5))
    1.875
    """
    drafts = as_floats(draft_tokens)
    if acceptance >= 1:
        return drafts + 1.0
    return np.asarray((1.0 - acceptance ** (drafts + 1.0)) / (1.0 - acceptance))


@formula(
    title="Step with drafts",
    unit="s",
    expression="verify_s · (1 + draft_share) + (draft_tokens - 1) · draft_share · pass_s",
    source="one pass of the draft over all that the model sees, prompts included, and one of a token per sequence for"
    " each further draft",
)
def drafted_step_s(verify_s: Numbers, pass_s: Numbers, draft_tokens: Numbers, draft_share: float) -> Floats:
    """A step that drafts and verifies. [s]

    Parameters
    ----------
    verify_s : float array
        Pass of the model over each sequence's last token and its drafts. [s]
    pass_s : float array
        Pass of the model over one token of each sequence. [s]
    draft_tokens : float array
        Drafts for each sequence, 1 or more. [tokens]
    draft_share : float
        What a pass of the draft takes of one of the model. [1]
    """
    further = (as_floats(draft_tokens) - 1.0) * draft_share
    return np.asarray(as_floats(verify_s) * (1.0 + draft_share) + as_floats(pass_s) * further)


@dataclass(frozen=True)
class Speculation:
    """Speculative decoding: `draft_tokens` guesses, each accepted with probability `acceptance` if the one before was.

    A pass of what drafts takes `draft_share` of a pass of the model: a head of one layer its share of the layers, a
    draft model its share of the weights, n-grams nothing. Its memory is in the same proportion.
    """

    draft_tokens: int
    acceptance: float
    draft_share: float = 0.0

    def __post_init__(self) -> None:
        if self.draft_tokens < 1:
            raise ValueError("draft_tokens needs to be 1 or more; without drafts there is no speculation")

    @cached_property
    def tokens_per_step(self) -> float:
        """Mean tokens that a step yields; see `tokens_per_step` of this module."""
        return float(tokens_per_step(self.draft_tokens, self.acceptance))

    @property
    def verified_tokens(self) -> int:
        """Tokens that each decoding sequence puts through the model in a step."""
        return self.draft_tokens + 1

    @cached_property
    def variance(self) -> float:
        """Variance of the tokens that a step yields. [tokens²]"""
        counts = np.arange(1, self.draft_tokens + 2, dtype=np.float64)
        reaches = self.acceptance ** (counts - 1)
        return max(float(((2 * counts - 1) * reaches).sum()) - self.tokens_per_step**2, 0.0)

    def steps(self, tokens: Floats) -> Floats:
        """Mean steps that an answer of so many further tokens takes. [1]"""
        return tokens / self.tokens_per_step

    def steps_sd(self, tokens: Floats) -> Floats:
        """Standard deviation of the same, in the normal limit of the renewal process. [1]"""
        return np.sqrt(np.maximum(tokens * (self.variance / self.tokens_per_step**3), 0.0))

    @cached_property
    def spread(self) -> float:
        """Relative standard deviation of the steps that an answer takes, times the square root of its tokens. [1]"""
        return math.sqrt(self.variance / self.tokens_per_step)


USUAL_ACCEPTANCE = 0.7
"""Acceptance of a draft head that nobody measured: what DeepSeek-V3's own MTP layer reaches over chat, code and
mathematics."""


def acceptance_of(engine: EngineSettings, model: Model) -> Quantity:
    """Chance that a drafted token is accepted: as stated, else as published of the model's draft head."""
    if engine.draft_acceptance is not None:
        return engine.draft_acceptance
    head = model.drafts if engine.draft_share is None else None
    return USUAL_ACCEPTANCE if head is None or head.acceptance is None else head.acceptance


def speculation_of(engine: EngineSettings, model: Model) -> Speculation | None:
    """Drafts as an engine is set up; None without any."""
    if not engine.speculative_tokens:
        return None
    share = draft_share_of(engine, model)
    return Speculation(engine.speculative_tokens, central(acceptance_of(engine, model)), share)


def draft_share_of(engine: EngineSettings, model: Model) -> float:
    """Size of what drafts over the model's; where it is not stated, that of a head of one of the model's layers.

    MTP layers end in the model's own output head, over its whole vocabulary.
    """
    if engine.draft_share is not None:
        return engine.draft_share
    layer = 1.0 / max(sum(group.count for group in model.layers), 1)
    if model.drafts is None or model.drafts.kind != "mtp":
        return layer
    return layer + model.vocab_size * model.hidden_size / model_parameters(model).active


class StepTime(Protocol):
    """Time of one step (iteration) of a replica, as a function of what the step works on.

    The time is affine in `kv_tokens_read` and in `attention_pairs` when the other arguments are held. Runs of decode
    steps at a fixed batch can therefore be summed exactly.
    """

    def step_time_s(
        self,
        decode_sequences: Numbers,
        prefill_tokens: Numbers,
        kv_tokens_read: Numbers,
        attention_pairs: Numbers = 0.0,
    ) -> Floats:
        """Step time, all arguments broadcast.

        Parameters
        ----------
        decode_sequences : array
            Tokens that running sequences decode in this step (with speculation, also those to verify). [tokens]
        prefill_tokens : array
            Prompt tokens computed in this step. [tokens]
        kv_tokens_read : array
            Tokens whose keys and values are read: contexts of decoding sequences, and what earlier steps prefilled of
            the prompts in this step. [tokens]
        attention_pairs : array
            Query–key pairs of the prompt tokens, causal. [pairs]

        Returns
        -------
        float array, broadcast shape. [s]
        """
        ...


@dataclass(frozen=True)
class SpeculativeStepTime:
    """A step in which each decoding sequence drafts and verifies several tokens; decode counts are sequences."""

    target: StepTime
    speculation: Speculation

    def step_time_s(
        self,
        decode_sequences: Numbers,
        prefill_tokens: Numbers,
        kv_tokens_read: Numbers,
        attention_pairs: Numbers = 0.0,
    ) -> Floats:
        """See `StepTime`."""
        drafts, decoding = self.speculation, as_floats(decode_sequences)
        verify_s = self.target.step_time_s(
            decoding * drafts.verified_tokens, prefill_tokens, kv_tokens_read, attention_pairs
        )
        pass_s = np.where(decoding > 0, self.target.step_time_s(decoding, 0.0, kv_tokens_read), 0.0)
        return drafted_step_s(verify_s, pass_s, drafts.draft_tokens, drafts.draft_share)


@dataclass(frozen=True)
class StepTable:
    """Step time of one configuration as plain lists, for the event loop.

    `decode_s` and `kv_token_s` are by decoding sequences 0 … S; `mixed_s` is by tokens that a step works on, 0 … limit,
    and grows by `mixed_s_per_token` beyond; `mixed_sequences_s` is what n decoding sequences add to a step that
    prefills.
    """

    decode_s: list[float]
    kv_token_s: list[float]
    mixed_s: list[float]
    mixed_s_per_token: float
    mixed_sequences_s: list[float]
    attention_pair_s: float

    def scaled(self, factor: float) -> StepTable:
        """The same configuration, each step `factor` times as long."""
        return StepTable(
            [time * factor for time in self.decode_s],
            [time * factor for time in self.kv_token_s],
            [time * factor for time in self.mixed_s],
            self.mixed_s_per_token * factor,
            [time * factor for time in self.mixed_sequences_s],
            self.attention_pair_s * factor,
        )


REFERENCE_CONTEXT_TOKENS = 2048.0
"""Context at which the time per KV token read is taken; it does not matter if the time is affine."""


def step_table(step_time: StepTime, max_sequences: int, token_budget: int, tokens_per_sequence: int = 1) -> StepTable:
    """Tabulate a step time for the event loop.

    Parameters
    ----------
    step_time : StepTime
        Of one configuration: scalar coefficients, or arrays of shape (1,); with drafts a `SpeculativeStepTime`.
    max_sequences, token_budget : int
        Largest batch, and tokens of a step. [1, tokens]
    tokens_per_sequence : int
        Tokens each sequence puts through the model in a step; above 1 with speculation. [tokens]

    Notes
    -----
    Exact when the time of a mixed step depends on its tokens, plus a part that depends on the decoding sequences alone.
    """
    batch = np.arange(max_sequences + 1, dtype=np.float64)
    tokens = np.arange(token_budget + 1, dtype=np.float64)
    read = np.maximum(batch, 1.0) * REFERENCE_CONTEXT_TOKENS
    budget = float(token_budget)

    decode = _times(step_time, batch)
    slope = (_times(step_time, batch, kv_tokens=read) - decode) / read
    mixed = _times(step_time, prefill=tokens)
    beyond = _times(step_time, prefill=2 * budget)[0] - mixed[-1]
    probe = max(1.0, budget / 2)
    beside = probe + batch * tokens_per_sequence
    with_sequences = _times(step_time, batch, probe) - _times(step_time, prefill=beside)
    pairs = budget**2 / 2
    attention = _times(step_time, prefill=budget, pairs=pairs)[0] - mixed[-1]
    return StepTable(
        decode_s=decode.tolist(),
        kv_token_s=slope.tolist(),
        mixed_s=mixed.tolist(),
        mixed_s_per_token=float(beyond) / budget,
        mixed_sequences_s=with_sequences.tolist(),
        attention_pair_s=float(attention) / pairs,
    )


def _times(
    step_time: StepTime,
    decode: Numbers = 0.0,
    prefill: Numbers = 0.0,
    kv_tokens: Numbers = 0.0,
    pairs: Numbers = 0.0,
) -> Floats:
    """Step times of one configuration, one-dimensional; arguments go in as columns: candidates are the last axis."""
    columns = np.broadcast_arrays(*(np.atleast_1d(as_floats(column)) for column in (decode, prefill, kv_tokens, pairs)))
    times = as_floats(step_time.step_time_s(*(column[:, None] for column in columns)))
    return np.broadcast_to(times, (len(columns[0]), 1))[:, 0]
