"""Step times of many candidates as tables, so that the load model can ask for any mix of work at once."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields, replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.formula import carried, formula, leaf
from gpuplanner_gui.engine.load.arrays import Numbers, as_floats
from gpuplanner_gui.engine.load.mix import RequestMix
from gpuplanner_gui.engine.load.speculation import Speculation, drafted_step_s
from gpuplanner_gui.engine.operations import AttentionCore, LatentCore, Operation
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.rates import (
    VOCABULARY_UNIT,
    WITHOUT_OVERHEADS,
    EngineRates,
    layer_counts,
    rates_of,
    without_prefill_host,
)
from gpuplanner_gui.engine.serving.step import (
    Replica,
    StepTimes,
    StepWork,
    longer_s,
    prefill_launch_s,
    step_times,
    total_step_s,
)

Floats = NDArray[np.float64]

TOKEN_GRID = np.array([1.0, 4.0, 16.0, 64.0, 192.0, 512.0, 2048.0, 8192.0])
ONE_TOKEN = as_floats(1.0)
NONE = as_floats(0.0)


@dataclass(frozen=True)
class CandidateStepTime:
    """Step time of every candidate (`engine.load.step_time.StepTime` over arrays).

    Tokens through the weights are read off a table, linear between entries; decoding sequences, cached tokens read and
    attention pairs of prompts add their own slopes. Fewer prompt tokens than a chunk are the mean of steps with a whole
    one and without.
    """

    tokens: Floats
    base_s: Floats
    """Shape (tokens, candidates): a step without reading any cache, and without what sequences add to tokens."""
    cache_token_s: Floats
    pair_s: Floats
    prefill_extra_s: Floats
    """What a step with a prefill adds beyond its tokens: floors of attention kernels and host time."""
    chunk_tokens: float
    sequence_s: Floats = field(default_factory=lambda: NONE, kw_only=True)
    """What a decoding sequence adds beyond its token and its cache: its share of attention kernels, the host's work."""

    def at(self, part: slice) -> CandidateStepTime:
        """Some of the candidates."""
        return replace(
            self,
            base_s=np.ascontiguousarray(self.base_s[:, part]),
            cache_token_s=self.cache_token_s[part],
            pair_s=self.pair_s[part],
            prefill_extra_s=self.prefill_extra_s[part],
            sequence_s=self.sequence_s[part] if self.sequence_s.ndim else self.sequence_s,
        )

    def step_time_s(
        self,
        decode_sequences: Numbers,
        prefill_tokens: Numbers,
        kv_tokens_read: Numbers,
        attention_pairs: Numbers = 0.0,
    ) -> Floats:
        """See `engine.load.step_time.StepTime`; arrays of shape (…, candidates)."""
        decoding = as_floats(decode_sequences)
        without_s = self.weights_pass_s(decoding)
        return self.with_cache_s(without_s, decoding, prefill_tokens, kv_tokens_read, attention_pairs)

    def weights_pass_s(self, decoding: Floats, prompt_tokens: Numbers | None = None) -> Floats:
        """A step of so many sequences and prompt tokens without reading any cache, shape (…, candidates). [s]"""
        tokens = decoding if prompt_tokens is None else decoding + prompt_tokens
        return with_sequences_s(interpolated_s(tokens, self.tokens, self.base_s), self.sequence_s, decoding)

    def full_step_s(self, decoding: Floats, kv_tokens_read: Floats) -> Floats:
        """A step whose tokens the prompts beside the decoding fill, before attention of the prompts. [s]"""
        full_s = with_sequences_s(self.base_s[-1], self.sequence_s, decoding)
        return tabulated_step_s(full_s, self.prefill_extra_s, self.cache_token_s, kv_tokens_read, self.pair_s, NONE)

    def with_cache_s(
        self,
        without_s: Floats,
        decoding: Floats,
        prefill_tokens: Numbers,
        kv_tokens_read: Numbers,
        attention_pairs: Numbers = 0.0,
    ) -> Floats:
        """As `step_time_s`, where the pass of the decoding tokens is known: several mixes of work share it. [s]"""
        prefill = as_floats(prefill_tokens)
        share = np.minimum(1.0, prefill / self.chunk_tokens)
        if not (share > 0).any():
            return tabulated_step_s(
                without_s, NONE, self.cache_token_s, as_floats(kv_tokens_read), self.pair_s, as_floats(attention_pairs)
            )
        with_chunk_s = self.weights_pass_s(decoding, np.maximum(prefill, self.chunk_tokens))
        return tabulated_step_s(
            sometimes_prefilling_s(without_s, with_chunk_s, share),
            self.prefill_extra_s * share,
            self.cache_token_s,
            as_floats(kv_tokens_read),
            self.pair_s,
            as_floats(attention_pairs),
        )


@dataclass(frozen=True)
class DraftedStepTime(CandidateStepTime):
    """Step times of candidates that draft and verify tokens; decode counts are sequences.

    The same as `engine.load.step_time.SpeculativeStepTime` of `plain`, whose costs per cached token and pair are
    multiplied once for all loads.
    """

    plain: CandidateStepTime
    speculation: Speculation

    def at(self, part: slice) -> DraftedStepTime:
        """Some of the candidates."""
        return drafted_steps(self.plain.at(part), self.speculation)

    def weights_pass_s(self, decoding: Floats, prompt_tokens: Numbers | None = None) -> Floats:
        """A step of so many sequences and prompt tokens without reading any cache, shape (…, candidates). [s]"""
        drafts = self.speculation
        verify_s = self.plain.weights_pass_s(decoding * float(drafts.verified_tokens), prompt_tokens)
        pass_s = self.plain.weights_pass_s(decoding)
        return drafted_step_s(verify_s, pass_s, drafts.draft_tokens, drafts.draft_share)

    def full_step_s(self, decoding: Floats, kv_tokens_read: Floats) -> Floats:
        """See `CandidateStepTime`."""
        drafts, plain = self.speculation, self.plain
        verify_s = with_sequences_s(plain.base_s[-1], plain.sequence_s, decoding * float(drafts.verified_tokens))
        pass_s = plain.weights_pass_s(decoding)
        full_s = drafted_step_s(verify_s, pass_s, drafts.draft_tokens, drafts.draft_share)
        return tabulated_step_s(full_s, self.prefill_extra_s, self.cache_token_s, kv_tokens_read, self.pair_s, NONE)


def drafted_steps(step: CandidateStepTime, speculation: Speculation) -> DraftedStepTime:
    """Tables of step times with what drafting adds: every cached token is read by each pass of the draft too."""
    drafts, share = speculation.draft_tokens, speculation.draft_share
    return DraftedStepTime(
        tokens=step.tokens,
        base_s=step.base_s,
        cache_token_s=drafted_step_s(step.cache_token_s, step.cache_token_s, drafts, share),
        pair_s=with_draft_s(step.pair_s, share),
        prefill_extra_s=with_draft_s(step.prefill_extra_s, share),
        sequence_s=step.sequence_s,
        chunk_tokens=step.chunk_tokens,
        plain=step,
        speculation=speculation,
    )


@formula(
    title="Prompt with a draft",
    unit="s",
    expression="prompt_s · (1 + draft_share)",
    source="what drafts reads the prompt too, in one pass",
)
def with_draft_s(prompt_s: Floats, draft_share: float) -> Floats:
    """Time that prompts take where what drafts reads them too. [s]"""
    return prompt_s * (1.0 + draft_share)


@formula(
    title="Step under load",
    unit="s",
    expression="weights_pass_s + prefill_extra_s + cache_token_s · kv_tokens_read + pair_s · attention_pairs",
    source="engine notes, load, A1: time affine in cached tokens read at a fixed batch",
)
def tabulated_step_s(
    weights_pass_s: Floats,
    prefill_extra_s: Floats,
    cache_token_s: Floats,
    kv_tokens_read: Floats,
    pair_s: Floats,
    attention_pairs: Floats,
) -> Floats:
    """A pass of tokens through the weights, plus what attention reads and computes. [s]"""
    return np.asarray(weights_pass_s + prefill_extra_s + cache_token_s * kv_tokens_read + pair_s * attention_pairs)


@formula(
    title="Pass, of which a share prefills",
    unit="s",
    expression="(1 - share) · without_s + share · with_chunk_s",
    source="engine notes, load, A3: steps with a chunk of a prompt and steps without are two kinds",
)
def sometimes_prefilling_s(without_s: Floats, with_chunk_s: Floats, share: Floats) -> Floats:
    """Mean pass where whole chunks come in a share of the steps: less than a chunk per step on average. [s]"""
    return np.asarray((1.0 - share) * without_s + share * with_chunk_s)


@formula(
    title="Pass of sequences and prompts",
    unit="s",
    expression="tokens_s + sequence_s · sequences",
    source="attention kernels and the host have a cost per sequence, which a prompt's tokens have not",
)
def with_sequences_s(tokens_s: Floats, sequence_s: Floats, sequences: Floats) -> Floats:
    """A step without reading any cache. [s]"""
    return tokens_s + sequence_s * sequences


@formula(
    title="Pass of tokens through the weights",
    unit="s",
    expression="read off the table of step times, linear between its entries",
    source="the serving model, tabulated over tokens per step",
)
def interpolated_s(at: Floats, grid: Floats, values: Floats) -> Floats:
    """Per candidate linear between grid points, beyond the last with its slope. `at` (…, N), `values` (points, N)."""
    candidates = values.shape[1]
    below = np.searchsorted(grid[1:-1], at)
    # Positions in the flattened table: one gather along a line is several times faster than one over two axes.
    low = below * candidates + np.arange(candidates)
    start_s = np.take(values, low)
    rise_s = np.take(values, low + candidates) - start_s
    part = np.maximum((at - np.take(grid, below)) * np.take(1.0 / (grid[1:] - grid[:-1]), below), 0.0)
    return np.asarray(start_s + part * rise_s)


def candidate_step_time(
    deployed: Deployments,
    mix: RequestMix,
    token_budget: int,
    max_sequences: int,
    rates: EngineRates | None = None,
) -> CandidateStepTime:
    """Tabulate the serving model for the load model.

    Steps of up to `max_sequences` tokens are decodes; beyond, the rest is prefill. The cost of a cached token is taken
    at a working batch and the requests' mean context, that of a query-key pair at their mean chunk.
    """
    operations, replica = deployed.operations, deployed.replica
    grid = np.union1d(TOKEN_GRID[token_budget > TOKEN_GRID], [float(token_budget)])
    context = max(1.0, mix.decode_kv_token_steps / max(mix.output_tokens, 1.0))
    chunks = max(1.0, math.ceil(mix.computed_tokens / token_budget))
    chunk = max(1.0, mix.computed_tokens / chunks)
    others = tuple(one for one in operations if not isinstance(one, (AttentionCore, LatentCore)))
    cores = tuple(one for one in operations if isinstance(one, (AttentionCore, LatentCore)))
    decoding = np.minimum(grid, float(max_sequences))[:, None]
    prefilling = grid[:, None] - decoding
    work = StepWork(decoding, NONE, prefilling, np.ceil(prefilling / chunk), NONE)
    rates = rates_of(deployed.engine) if rates is None else rates
    base = _passes_s(others, work, replica, replace(without_prefill_host(rates), sequence_host_s=0.0))
    batch = float(min(max_sequences, 64))
    idle, alone, full = _decoding_cores(cores, replica, (batch, 1.0), (1.0, 1.0), (batch, context))
    attention_s = sequence_attention_s(idle, alone, max(batch - 1.0, 1.0))
    host_s = rates.sequence_host_s * layer_counts(operations).vocabulary / VOCABULARY_UNIT
    short, long = PROBED_CHUNKS[0] * chunk, PROBED_CHUNKS[1] * chunk
    cached = max(mix.attention_pairs / max(mix.computed_tokens, 1.0) - chunk / 2, 0.0)
    low, high = short * (cached + short / 2), long * (cached + long / 2)
    at_short, at_long = _prefilling_cores(cores, replica, (short, long), cached)
    pair_s = attention_pair_s(at_long, at_short, high - low)
    return CandidateStepTime(
        tokens=grid,
        base_s=with_attention_floor_s(base, alone, attention_s),
        cache_token_s=cache_token_s(full, idle, batch * max(context - 1.0, 1.0)),
        pair_s=pair_s,
        prefill_extra_s=_prefill_extra_s(operations, grid, base, chunk, rates) + prefill_floor_s(at_short, pair_s, low),
        chunk_tokens=chunk,
        sequence_s=sequence_s(attention_s, leaf(float(host_s), "sequence_host_s", "s", "engine facts, by vocabulary")),
    )


def _passes_s(operations: tuple[Operation, ...], work: StepWork, replica: Replica, rates: EngineRates) -> Floats:
    """Passes that read no cache, timed once for candidates that differ in their cache's format alone."""
    first, run = replica.alike_but_for_cache()
    if len(first) == len(replica):
        return total_step_s(step_times(operations, work, replica, rates))
    return np.asarray(total_step_s(step_times(operations, work, replica.at(first), rates)))[:, run]


@formula(
    title="Table of step times",
    unit="s",
    expression="pass_s + max(alone_s - sequence_attention_s, 0)",
    source="attention kernels have a floor, which rides on every step, and a cost per sequence",
)
def with_attention_floor_s(pass_s: Floats, alone_s: Floats, sequence_attention_s: Floats) -> Floats:
    """Step time over the grid of tokens. [s]"""
    return pass_s + np.maximum(alone_s - sequence_attention_s, 0.0)


@formula(
    title="Attention per sequence",
    unit="s",
    expression="(working_batch_s - alone_s) / further_sequences",
    source="attention kernels of batches without context: of one sequence, and of a working batch",
)
def sequence_attention_s(working_batch_s: Floats, alone_s: Floats, further_sequences: float) -> Floats:
    """What one more sequence adds to attention kernels before its cache. [s]"""
    return np.maximum(working_batch_s - alone_s, 0.0) / further_sequences


@formula(
    title="Cost of a sequence",
    unit="s",
    expression="sequence_attention_s + sequence_host_s",
    source="beside its token's pass through the weights, and its cache",
)
def sequence_s(sequence_attention_s: Floats, sequence_host_s: float) -> Floats:
    """Time that one more decoding sequence adds to a step. [s]"""
    return sequence_attention_s + sequence_host_s


@formula(
    title="Cost of a cached token",
    unit="s",
    expression="(attention_s - attention_floor_s) / tokens_read",
    source="slope of the measured attention kernels at a working batch",
)
def cache_token_s(attention_s: Floats, attention_floor_s: Floats, tokens_read: float) -> Floats:
    """Time that reading one token of the cache adds to a step. [s]"""
    return np.maximum(attention_s - attention_floor_s, 0.0) / tokens_read


PROBED_CHUNKS = (0.5, 1.5)
"""Of the mean chunk of a prompt: between them the cost of a query-key pair is taken."""


@formula(
    title="Cost of a query-key pair",
    unit="s",
    expression="(long_chunk_s - short_chunk_s) / pairs",
    source="slope of the measured attention kernels around the mean chunk of a prompt",
)
def attention_pair_s(long_chunk_s: Floats, short_chunk_s: Floats, pairs: float) -> Floats:
    """Time that one more pair of a prompt's token and a token before it adds to a step. [s]"""
    return np.maximum(long_chunk_s - short_chunk_s, 0.0) / pairs


@formula(
    title="Floor of a prompt's attention",
    unit="s",
    expression="max(short_chunk_s - pair_s · pairs, 0)",
    source="what the measured attention kernels take beside their pairs",
)
def prefill_floor_s(short_chunk_s: Floats, pair_s: Floats, pairs: float) -> Floats:
    """Attention kernels of a step with a chunk of a prompt, before any pair. [s]"""
    return np.maximum(short_chunk_s - pair_s * pairs, 0.0)


def _prefilling_cores(
    cores: tuple[Operation, ...], replica: Replica, chunks: tuple[float, ...], cached: float
) -> tuple[Floats, ...]:
    """Attention kernels of one prompt's chunks of so many tokens, after those in the cache, timed in one go."""
    sizes = np.array(chunks)[:, None]
    total = _cores(cores, StepWork(NONE, NONE, sizes, ONE_TOKEN, as_floats(cached)), replica)
    return tuple(carried(total[row], total) for row in range(len(chunks)))


def _decoding_cores(
    cores: tuple[Operation, ...], replica: Replica, *batches: tuple[float, float]
) -> tuple[Floats, ...]:
    """Attention kernels of decode steps of so many sequences at such a context each, timed in one go."""
    sequences, contexts = np.array(batches, np.float64).T[:, :, None]
    total = _cores(cores, StepWork(sequences, contexts, NONE, NONE, NONE), replica)
    return tuple(carried(total[row], total) for row in range(len(batches)))


def _cores(cores: tuple[Operation, ...], work: StepWork, replica: Replica) -> Floats:
    """Attention kernels of a step alone, without host time."""
    shape = np.broadcast_shapes(work.tokens.shape, (len(replica),))
    if not cores:
        return np.zeros(shape)
    total = total_step_s(step_times(cores, work, replica, NO_OVERHEADS))
    return total if total.shape == shape else carried(np.broadcast_to(total, shape), total)


def _prefill_extra_s(
    operations: tuple[Operation, ...], grid: Floats, base: Floats, chunk: float, rates: EngineRates
) -> Floats:
    """What a step with a whole chunk of a prompt takes beyond its tokens: launches not hidden, and the host."""
    at = np.full((1, base.shape[1]), chunk)
    kernels_s = interpolated_s(at, grid, np.asarray(base))[0]
    launch_s = prefill_launch_s(layer_counts(operations), rates, chunk)
    return np.asarray(longer_s(kernels_s, launch_s) - kernels_s + rates.prefill_step_host_s)


NO_OVERHEADS = WITHOUT_OVERHEADS
"""Kernels as they were timed, for operations on their own."""


def breakdown(
    deployed: Deployments,
    batch: Floats,
    context_tokens: float,
    speculation: Speculation | None = None,
) -> StepTimes:
    """A decode step of each candidate at its own batch, by resource; with drafts, what they add is in each part."""
    operations, replica, engine = deployed.operations, deployed.replica, deployed.engine
    if speculation is None:
        return step_times(operations, StepWork(batch, as_floats(context_tokens), NONE, NONE, NONE), replica, engine)
    each = float(speculation.verified_tokens)
    # The cache is read once for all tokens of a sequence.
    verified = StepWork(batch * each, as_floats(context_tokens / each), NONE, NONE, NONE)
    verify = step_times(operations, verified, replica, engine)
    one = breakdown(deployed, batch, context_tokens)
    drafts, share = speculation.draft_tokens, speculation.draft_share
    return StepTimes(
        *(
            drafted_step_s(getattr(verify, part.name), getattr(one, part.name), drafts, share)
            for part in fields(StepTimes)
        )
    )
