"""Latency of serving candidates against load: every candidate on the same grid of load, in closed form.

The grid runs over requests per step, from almost idle to the tightest cap; the request rate follows from the step time,
so that no equation has to be solved. What is asked at a given rate is read off between two grid points.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.engine.serving.load.first_token import (
    beside_steps_s,
    class_ttft_s,
    class_wait_s,
    closed_form_e2e_s,
    end_step_s,
    itl_percentile_s,
    pipeline_fill_s,
    prefill_s,
)
from gpuplanner_gui.engine.serving.load.percentiles import (
    drafted_tpot_s,
    low_percentile_ttft_s,
    quiet_ttft_s,
    spread_by_prompts_s,
    spread_e2e_s,
    spread_tpot_s,
    spread_ttft_s,
)
from gpuplanner_gui.engine.serving.load.steps import (
    Prompt,
    PromptChunks,
    longest_step_s,
    prompt_chunks,
    relative_spread,
    token_of_step_s,
)
from gpuplanner_gui.engine.simulation.arrays import as_floats
from gpuplanner_gui.engine.simulation.requests import RequestMix
from gpuplanner_gui.engine.simulation.step_time import Speculation

NONE = as_floats(0.0)

LOAD_GRID = np.array([1e-5, 0.005, 0.02, 0.05, 0.1, 0.17, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.84, 0.91, 0.96, 1.0])
"""Requests per step over the most that the caps allow, from an idle replica on."""


@dataclass(frozen=True)
class ClassLengths:
    """Means and spreads of one class of requests, among others that it shares a replica with."""

    prompts: RequestMix = field(compare=False)
    output_tokens: float = field(compare=False)
    output_spread: float = field(compare=False)
    lengths: tuple[float, ...]
    """Prompt lengths of the class and their shares, moments of its answers, and its place in the queue: what classes
    differ by."""
    before: float = field(default=0.0, compare=False)
    """Share of the prompt work that is served before this class, by its priority,"""
    up_to: float = field(default=1.0, compare=False)
    """and no later than it."""


class ClassSlo(Slo, frozen=True, kw_only=True):
    """A target of one class of requests whose lengths or priority are not those of all."""

    lengths: ClassLengths


def lengths_of(mix: RequestMix) -> ClassLengths:
    """What a class's own latencies follow from."""
    bins = mix.computed_bins
    spread = relative_spread(mix.output_squared, mix.output_tokens)
    lengths = (*bins.value.tolist(), *bins.share.tolist(), mix.attention_pairs, mix.output_tokens, spread)
    return ClassLengths(mix, mix.output_tokens, spread, lengths)


@dataclass(frozen=True)
class LoadStates:
    """Latency and occupancy at each point of the grid, shape (points, candidates)."""

    rate_per_s: Floats
    step_s: Floats
    """Mean over the steps of an answer,"""
    mean_step_s: Floats
    """and over all of the replica's."""
    empty_step_s: Floats
    """A step for a single token."""
    decode_step_s: Floats
    mixed_step_s: Floats
    mixed_share: Floats
    batch: Floats
    cached_tokens: Floats
    prompt_step_s: Floats
    """A step with a mean prompt's end and those that came at the same time, before their attention,"""
    step_tokens: Floats
    """with so many tokens of prompts, of which"""
    others_tokens: Floats
    """are others'."""
    full_step_s: Floats
    """A step that prompts fill, likewise, and"""
    room_tokens: Floats
    """their tokens in it."""
    full_token_s: Floats
    """Time of each of these."""
    pair_s: Floats
    """Time of a pair of query and key in prompts' attention."""
    prefill_s: Floats
    further_stages: Floats
    """Pipeline stages beyond the first, and"""
    prompt_token_s: Floats
    """what a token of a prompt adds to a step."""
    token_host_s: Floats
    """Host time of each token of a prompt, before its steps."""
    occupied_s: Floats
    """Time that a prompt takes of the steps' tokens, which prompts of one step share,"""
    occupied_square_s2: Floats
    """and its mean square."""
    wait_s: Floats
    rest_s: Floats
    """Mean rest of the step that a prompt arrives in."""
    step_sd_s: Floats
    """Standard deviation of steps, over those with prompts and those without."""
    utilisation: Floats
    ttft_mean_s: Floats
    e2e_mean_s: Floats
    output_spread: float
    """Standard deviation of the answer's length over its mean."""
    output_tokens: float
    prompts: PromptChunks
    token_budget: float
    prefills_apart: bool = False
    speculation: Speculation | None = None
    """Drafts, with which a step yields several tokens; None: one."""

    @property
    def token_s(self) -> Floats:
        """Mean time per output token: that of a step without drafts. [s]"""
        return token_of_step_s(self.step_s, self.speculation)

    def of_class(self, lengths: ClassLengths) -> LoadStates:
        """The same replica and steps, as requests of one of its classes meet them."""
        prompts = prompt_chunks(lengths.prompts, self.token_budget, self.prompts.mean_last_tokens)
        prefill = self.read_s(prompts.mean)
        known, place = self._known_wait_s, (lengths.before, lengths.up_to)
        wait = class_wait_s(self.wait_s, self.utilisation, self.full_step_s, *place)
        ttft = class_ttft_s(
            self.ttft_mean_s + (np.where(np.isfinite(wait), wait, 0.0) - known),
            prefill + self.beside_s(prompts.mean), self._first_read_s,
        )  # fmt: skip
        return replace(
            self,
            wait_s=wait,
            prompts=prompts,
            prefill_s=prefill,
            ttft_mean_s=ttft,
            e2e_mean_s=closed_form_e2e_s(ttft, lengths.output_tokens, self.token_s),
            output_spread=lengths.output_spread,
            output_tokens=lengths.output_tokens,
        )

    def read_s(self, prompt: Prompt, is_alone: bool = False) -> Floats:
        """Time from a prompt's first chunk to its first token, beside others or alone. [s]"""
        within = as_floats(prompt.within_tokens) if is_alone else prompt.within_tokens + self.others_tokens
        end_s = end_step_s(
            within, prompt.beyond_tokens, self.step_tokens, self.decode_step_s, self.prompt_step_s, self.full_step_s,
            self.room_tokens,
        )  # fmt: skip
        if self.prefills_apart:
            end_s = end_s - self.decode_step_s
        others = NONE if is_alone else self.others_tokens * self.prompts.pairs_per_token
        return prefill_s(
            prompt.full_tokens, self.full_token_s, end_s, prompt.last_tokens, self.room_tokens, prompt.pairs, others,
            self.pair_s,
        )  # fmt: skip

    def beside_s(self, prompt: Prompt) -> Floats:
        """What a prompt takes beside the steps that read it: tokenising, and its last chunk's way through the further
        pipeline stages. [s]"""
        fill_s = pipeline_fill_s(
            self.further_stages, prompt.last_tokens, self.prompt_token_s, prompt.last_pairs, self.pair_s
        )
        return beside_steps_s(fill_s, self.token_host_s, prompt.whole_tokens)

    @property
    def _first_read_s(self) -> Floats:
        """A mean prompt until its first token is there. [s]"""
        return np.asarray(self.prefill_s + self.beside_s(self.prompts.mean))

    @property
    def _known_wait_s(self) -> Floats:
        """The wait before the first chunk; 0 where it has no end. [s]"""
        return np.where(np.isfinite(self.wait_s), self.wait_s, 0.0)

    @property
    def prompt_alone_s(self) -> Floats:
        """Prefill of a mean prompt beside the decoding batch, without other prompts. [s]"""
        return self.read_s(self.prompts.mean, is_alone=True)

    def waiting(self, wait_s: Floats) -> LoadStates:
        """The same with another wait before the first chunk."""
        known = np.isfinite(self.wait_s)
        ttft = np.where(known, self.ttft_mean_s, self._first_read_s + self.rest_s) - self._known_wait_s + wait_s
        return replace(
            self, wait_s=wait_s, ttft_mean_s=ttft, e2e_mean_s=closed_form_e2e_s(ttft, self.output_tokens, self.token_s)
        )

    def first_point(self) -> LoadStates:
        """The lowest load of the grid alone."""
        first: dict[str, Any] = {name: one[:1] for name, one in vars(self).items() if isinstance(one, np.ndarray)}
        return replace(self, **first)

    def tpot_s(self, percentile: float) -> Floats:
        """Percentile over requests of a request's mean time per output token. [s]"""
        drafts = self.speculation
        steps = self.output_tokens if drafts is None else self.output_tokens / drafts.tokens_per_step
        spread = spread_by_prompts_s(
            self.mean_step_s, self.decode_step_s, self.rate_per_s, self.occupied_square_s2, self.step_s,
            self.output_spread, steps,
        )  # fmt: skip
        longest = longest_step_s(self.full_step_s, self.room_tokens, self.prompts.pairs_per_token, self.pair_s)
        of_steps_s = spread_tpot_s(
            self.step_s, self.empty_step_s, self.decode_step_s, self.mean_step_s, spread, longest, self.batch,
            percentile,
        )  # fmt: skip
        if drafts is None:
            return of_steps_s
        return drafted_tpot_s(
            of_steps_s, self.step_s, drafts.tokens_per_step, drafts.spread, self.output_tokens, percentile
        )

    def ttft_s(self, percentile: float) -> Floats:
        """Percentile over requests of the time to first token. [s]"""
        prompt = self.prompts.at(percentile)
        beside_s, mean_read_s = self.beside_s(prompt), self._first_read_s
        read = self.read_s(prompt) + beside_s
        found = spread_ttft_s(
            self.ttft_mean_s, mean_read_s, read, self.wait_s, self.rest_s, self.step_sd_s, self.utilisation,
            percentile,
        )  # fmt: skip
        if percentile > 50:
            return found
        quiet = quiet_ttft_s(
            self.ttft_mean_s, self.wait_s, mean_read_s, self.read_s(prompt, is_alone=True) + beside_s, self.rest_s,
            self.decode_step_s, self.batch,
        )  # fmt: skip
        return low_percentile_ttft_s(
            quiet, found, self.mixed_share, self.decode_step_s, self.mean_step_s, self.batch, percentile
        )

    def e2e_s(self, percentile: float) -> Floats:
        """Percentile over requests of the time from request to last token. [s]"""
        return spread_e2e_s(
            self.e2e_mean_s, self.ttft_s(percentile), self.ttft_mean_s, self.token_s, self.tpot_s(percentile),
            self.output_tokens, self.output_spread, percentile,
        )  # fmt: skip

    def itl_s(self, percentile: float) -> Floats:
        """Percentile of the gap between what a client gets and gets next: a step with prefill or one without. [s]

        With drafts, tokens that come with a step come at once and count as one, as vLLM's benchmark counts them.
        """
        return itl_percentile_s(self.decode_step_s, self.mixed_step_s, self.mixed_share, percentile / 100)

    def latency_s(self, slo: Slo) -> Floats:
        """The latency that a target limits, of the class that it is about."""
        met = self.of_class(slo.lengths) if isinstance(slo, ClassSlo) else self
        by_metric = {"ttft": met.ttft_s, "tpot": met.tpot_s, "itl": met.itl_s, "e2e": met.e2e_s}
        return by_metric[slo.metric](slo.percentile)
