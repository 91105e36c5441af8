"""Speculative decoding: tokens that a step yields, and what drafting and verifying add to it.

Each step drafts some tokens for every sequence, passes them through the model beside the sequence's last token, and
keeps those up to the first that the model would not have chosen. A step so yields several tokens at once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.workload import EngineSettings
from gpuplanner_gui.engine.explaining.formula import formula
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
        """Of the tokens that a step yields. [tokens²]"""
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


def speculation_of(engine: EngineSettings, model: Model) -> Speculation | None:
    """Drafts as an engine is set up; a draft of no stated size is a head of one of the model's layers."""
    if not engine.speculative_tokens:
        return None
    layers = max(sum(group.count for group in model.layers), 1)
    share = 1.0 / layers if engine.draft_share is None else engine.draft_share
    return Speculation(engine.speculative_tokens, central(engine.draft_acceptance), share)
