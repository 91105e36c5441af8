"""The serving model tabulated: step times of many deployments around the work that is usual for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import partial

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import carried, formula
from gpuplanner_gui.engine.model.operations import AttentionCore, LatentCore
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.operation import StepWork
from gpuplanner_gui.engine.serving.rates import WITHOUT_OVERHEADS, EngineRates, rates_of
from gpuplanner_gui.engine.serving.samples import SLICES, SamplePasses
from gpuplanner_gui.engine.serving.step import (
    StepTimes,
    decode_busy_s,
    kernel_times,
    longer_s,
    prefill_busy_s,
    prefill_launch_s,
    small_kernels_s,
    step_times,
    total_step_s,
)
from gpuplanner_gui.engine.serving.step_table import (
    DeploymentSteps,
    SampleSteps,
    interpolated_s,
    step_with_cache_s,
)
from gpuplanner_gui.engine.simulation.arrays import as_floats
from gpuplanner_gui.engine.simulation.requests import RequestMix
from gpuplanner_gui.engine.simulation.step_time import Speculation, drafted_step_s

NONE = as_floats(0.0)
ONE_GROUP = np.ones(1)
WORKING_BATCH = 64.0
"""Sequences at which costs per cached token and per sequence are taken, where an engine runs as many."""
CONTEXT_SPAN = (0.5, 1.5)
"""Span around the mean context and the mean chunk of a prompt: between them costs per token and per pair are taken."""


@dataclass(frozen=True)
class TablePoints:
    """How fine the tables are: points per octave of sequences and of prompt tokens."""

    batch: float
    batch_with_experts: float
    """Batches touch more experts as they grow, which bends the table."""
    tokens: float
    from_one_token: bool
    """Else from half of the usual chunk: in closed form no step has fewer tokens of prompts."""


OF_MANY = TablePoints(batch=0.5, batch_with_experts=1.0, tokens=1.0, from_one_token=False)
"""Points of the table for a search over many deployments."""
OF_ONE = TablePoints(batch=4.0, batch_with_experts=4.0, tokens=3.0, from_one_token=True)
"""Points of the table for a single deployment, as in a simulation."""


@dataclass(frozen=True)
class UsualWork:
    """What steps work on in the mean, in tokens: around it the tables are exact."""

    context_tokens: float
    """Mean context of a decoding sequence."""
    chunk_tokens: float
    """New tokens of a prompt in one step."""
    cached_tokens: float
    """Cached tokens of a prompt before such a chunk."""


def usual_work(mix: RequestMix, token_budget: float) -> UsualWork:
    """Mean context while decoding, and mean chunk of prompts that a step's tokens cut."""
    chunks = max(1.0, math.ceil(mix.computed_tokens / token_budget))
    chunk = max(1.0, mix.computed_tokens / chunks)
    reached = mix.attention_pairs / max(mix.computed_tokens, 1.0)
    return UsualWork(
        context_tokens=max(1.0, mix.decode_kv_token_steps / max(mix.output_tokens, 1.0)),
        chunk_tokens=chunk,
        cached_tokens=max(reached - chunk / 2, 0.0),
    )


def sample_steps(passes: SamplePasses, most_samples: float) -> SampleSteps:
    """Tabulate slices of passes over up to so many samples."""
    batch = octave_grid(1.0, most_samples, 4.0)
    compute_s, memory_s, host_s = passes.parts_s(batch[:, None])
    slice_s = np.asarray(compute_s + memory_s + host_s) / SLICES
    none = np.zeros(slice_s.shape[1])
    return SampleSteps(batch, slice_s, batch[:2], slice_s[:2], none, none, none, none, further_stages=none)


def deployment_steps(
    deployed: Deployments, usual: UsualWork, token_budget: float, most_tokens: float
) -> DeploymentSteps:
    """Tabulate the serving model for one kind of usual work, as finely as one deployment is; see `steps_together`."""
    (table,) = steps_together(deployed, (usual,), token_budget, most_tokens, OF_ONE)
    return table


def steps_together(
    deployed: Deployments,
    usual: Sequence[UsualWork],
    token_budget: float,
    most_tokens: float,
    points: TablePoints = OF_MANY,
    groups: Floats = ONE_GROUP,
) -> tuple[DeploymentSteps, ...]:
    """Tabulate the serving model, once for each kind of usual work: their rows pass it as one, entry for entry alike.

    Parameters
    ----------
    deployed : Deployments
        What is tabulated, with its engine's overheads.
    usual : sequence of UsualWork
        Around which the tables are exact: a decode step at the usual context takes what the serving model says at each
        tabulated batch, and so does a step of usual chunks at each tabulated number of tokens.
    token_budget : float
        Tokens of a step, of one group of attention. [tokens]
    most_tokens : float
        Tokens that decoding sequences of one group put through the model in a step at most. [tokens]
    points : TablePoints
        How fine the tables are.
    groups : float array
        Numbers of groups of attention that occur, ascending; tables reach to all of the last's tokens, and hold the
        limits of each, so that a deployment's step does not depend on what else is searched. [1]
    """
    if deployed.samples is not None:
        return (sample_steps(deployed.samples, most_tokens),) * len(usual)
    rates = rates_of(deployed.engine)
    per_octave = points.batch_with_experts if deployed.counts.expert_layers else points.batch
    batch = _with_limits(octave_grid(1.0, most_tokens * float(groups[-1]), per_octave), most_tokens * groups)
    working = np.array([1.0, min(WORKING_BATCH, float(most_tokens))])
    rows = [_Rows.of(one, batch, working, token_budget, points, groups, rates) for one in usual]
    slopes = _slopes(deployed, usual, working[1], rates)
    decode = _each_s(deployed, [one.decode for one in rows], rates)
    alone = _each_s(deployed, [one.alone for one in rows], rates)
    both = _each_s(deployed, [one.both for one in rows], rates)
    return tuple(map(partial(_table, deployed), rows, slopes, decode, alone, both))


@dataclass(frozen=True)
class _Rows:
    """What is asked of the serving model for one table."""

    usual: UsualWork
    chunk: float
    batch: Floats
    working: Floats
    tokens: Floats
    prompts: Floats
    """Chunks that a row's tokens are of, shape (tokens, 1)."""

    @classmethod
    def of(
        cls, usual: UsualWork, batch: Floats, working: Floats, token_budget: float, points: TablePoints,
        groups: Floats, rates: EngineRates,
    ) -> _Rows:  # fmt: skip
        fewest = 1.0 if points.from_one_token else max(min(usual.chunk_tokens, token_budget) / 2, 1.0)
        tokens = octave_grid(np.floor(fewest), token_budget * float(groups[-1]), points.tokens)
        tokens = _with_edge(_with_limits(tokens, token_budget * groups), rates)
        chunk = min(usual.chunk_tokens, float(token_budget))
        return cls(usual, chunk, batch, working, tokens, np.maximum(tokens / chunk, 1.0)[:, None])

    @property
    def decode(self) -> StepWork:
        return StepWork(self.batch[:, None], as_floats(self.usual.context_tokens), NONE, NONE, NONE)

    @property
    def alone(self) -> StepWork:
        """Prompts and nothing beside them."""
        return StepWork(NONE, NONE, self.tokens[:, None], self.prompts, as_floats(self.usual.cached_tokens))

    @property
    def both(self) -> StepWork:
        """A chunk beside decoding sequences."""
        context, cached = as_floats(self.usual.context_tokens), as_floats(self.usual.cached_tokens)
        return StepWork(self.working[:, None], context, as_floats(self.chunk), as_floats(1.0), cached)


def _table(
    deployed: Deployments, rows: _Rows, slopes: _Slopes, decode: Floats, alone: Floats, both: Floats
) -> DeploymentSteps:
    context, cached, chunk = rows.usual.context_tokens, rows.usual.cached_tokens, rows.chunk
    tokens, prompts, working = rows.tokens, rows.prompts, rows.working
    pairs = tokens[:, None] * (cached + tokens[:, None] / prompts / 2)
    prompt_s = without_attention_s(alone, slopes.pair_s, pairs, slopes.cache_token_s, prompts * cached)
    read = working[:, None] * context + cached
    without = interpolated_s(np.broadcast_to(working[:, None] + chunk, (2, len(deployed))), tokens, prompt_s)
    tabulated = step_with_cache_s(
        without, slopes.cache_token_s, read, slopes.pair_s, as_floats(chunk * (cached + chunk / 2))
    )
    beside, sequence = _beside(both - tabulated, working)
    encoder = deployed.encoder_token_s
    return DeploymentSteps(
        batch=rows.batch,
        decode_s=without_attention_s(decode, NONE, NONE, slopes.cache_token_s, rows.batch[:, None] * context),
        tokens=tokens,
        prompt_s=prompt_s,
        cache_token_s=slopes.cache_token_s,
        pair_s=slopes.pair_s,
        beside_s=beside,
        sequence_s=sequence,
        encoder_token_s=np.zeros(len(deployed)) if encoder is None else encoder,
        further_stages=np.broadcast_to(deployed.layout.pipeline_parallel - 1.0, (len(deployed),)),
    )


def octave_grid(first: float, last: float, per_octave: float) -> Floats:
    """Whole numbers from `first` to `last`, ever further apart; at least two."""
    last = max(last, first + 1.0)
    steps = np.arange(int(np.ceil(np.log2(last / first) * per_octave)) + 1)
    grid = np.unique(np.round(first * np.exp2(steps / per_octave)))
    return np.asarray(np.union1d(grid[grid < last], [last]))


def _with_limits(grid: Floats, limits: Floats) -> Floats:
    return np.union1d(grid, limits[(limits > grid[0]) & (limits < grid[-1])])


def _with_edge(grid: Floats, rates: EngineRates) -> Floats:
    """The grid with both sides of the number of tokens up to which steps run from captured graphs."""
    edge = float(np.max(rates.captured_tokens))
    return np.union1d(grid, [edge, edge + 1.0]) if grid[0] <= edge < grid[-1] else grid


@dataclass(frozen=True)
class _Slopes:
    cache_token_s: Floats
    pair_s: Floats


def _slopes(deployed: Deployments, usual: Sequence[UsualWork], batch: float, rates: EngineRates) -> list[_Slopes]:
    """What one more cached token, and one more query-key pair, adds to a step: slopes of the attention kernels."""
    cores = tuple(one for one in deployed.operations if isinstance(one, (AttentionCore, LatentCore)))
    if not cores:
        return [_Slopes(np.zeros(len(deployed)), np.zeros(len(deployed)))] * len(usual)
    attention = replace(deployed, operations=cores)
    span = np.array(CONTEXT_SPAN)[:, None]
    reads = [StepWork(as_floats(batch), one.context_tokens * span, NONE, NONE, NONE) for one in usual]
    computes = [
        StepWork(NONE, NONE, one.chunk_tokens * span, as_floats(1.0), as_floats(one.cached_tokens)) for one in usual
    ]
    reading_s = _each_s(attention, reads, WITHOUT_OVERHEADS)
    computing_s = _each_s(attention, computes, WITHOUT_OVERHEADS)
    found = []
    for one, read_s, compute_s in zip(usual, reading_s, computing_s, strict=True):
        context, chunk = one.context_tokens * span, one.chunk_tokens * span
        pairs = chunk * (one.cached_tokens + chunk / 2)
        pair_s = attention_slope_s(_row(compute_s, 1), _row(compute_s, 0), float(pairs[1, 0] - pairs[0, 0]))
        token_s = attention_slope_s(_row(read_s, 1), _row(read_s, 0), batch * float(context[1, 0] - context[0, 0]))
        found.append(_Slopes(token_s, carried(pair_s * rates.prefill_factor, pair_s)))
    return found


def _row(steps_s: Floats, row: int) -> Floats:
    return carried(steps_s[row], steps_s)


@formula(
    title="Cost of a cached token or of a query-key pair",
    unit="s",
    expression="(long_s - short_s) / more",
    source="slope of the measured attention kernels around the mean context, and around the mean chunk of a prompt",
)
def attention_slope_s(long_s: Floats, short_s: Floats, more: float) -> Floats:
    """Time that one more token read, or pair computed, adds to a step. [s]"""
    return np.maximum(long_s - short_s, 0.0) / more


@formula(
    title="Table of step times",
    unit="s",
    expression="max(step_s - pair_s · pairs - cache_token_s · kv_tokens_read, 0)",
    source="the serving model, less what attention's slopes add again for the work at hand",
)
def without_attention_s(
    step_s: Floats, pair_s: Floats, pairs: Floats, cache_token_s: Floats, kv_tokens_read: Floats
) -> Floats:
    """Steps over a grid of sequences or tokens before what attention reads and computes; never falling. [s]"""
    left = np.maximum(step_s - pair_s * pairs - cache_token_s * kv_tokens_read, 0.0)
    return np.asarray(np.maximum.accumulate(left, axis=0))


def _beside(more_s: Floats, batch: Floats) -> tuple[Floats, Floats]:
    """What decoding adds to a step with prompts: at once, and for each sequence."""
    sequence = np.maximum((more_s[1] - more_s[0]) / max(batch[1] - batch[0], 1.0), 0.0)
    return np.maximum(more_s[0] - sequence * batch[0], 0.0), sequence


def _each_s(deployed: Deployments, works: Sequence[StepWork], rates: EngineRates) -> Sequence[Floats]:
    """Steps of each of several works, whose rows pass the serving model together."""
    if len(works) == 1:
        return (_steps_s(deployed, works[0], rates),)
    columns = [np.broadcast_arrays(*vars(work).values(), np.zeros((1, 1)))[:-1] for work in works]
    together = StepWork(*map(np.concatenate, zip(*columns, strict=True)))
    ends = np.cumsum([len(parts[0]) for parts in columns])
    return np.split(_steps_s(deployed, together, rates), ends[:-1])


def _steps_s(deployed: Deployments, work: StepWork, rates: EngineRates) -> Floats:
    """Steps of all deployments, shape (rows of work, deployments): decoding alone, or all with prompts. [s]"""
    rows = np.broadcast_shapes(*(np.shape(part) for part in vars(work).values()))
    shape = np.broadcast_shapes(rows, (len(deployed),))
    first, run = deployed.replica.alike_but_for_cache()
    if len(first) == len(deployed):
        total = total_step_s(step_times(deployed.operations, work, deployed.replica, rates))
        return total if total.shape == shape else carried(np.broadcast_to(total, shape), total)
    # Kernels without a cache are timed once for deployments that differ in its format alone.
    cores = tuple(one for one in deployed.operations if isinstance(one, (AttentionCore, LatentCore)))
    others = tuple(one for one in deployed.operations if one not in cores)
    has_prompts = bool((work.prefill_tokens > 0).any())
    busy_of = prefill_busy_s if has_prompts else decode_busy_s
    busy_s = np.broadcast_to(
        busy_of(kernel_times(others, work, deployed.replica.at(first)), rates), (*shape[:-1], len(first))
    )[..., run]
    if cores:
        busy_s = busy_s + busy_of(kernel_times(cores, work, deployed.replica, has_hops=False), rates)
    if has_prompts:
        launch_s = prefill_launch_s(deployed.counts, rates, work.tokens)
        busy_s = longer_s(busy_s, launch_s) + rates.prefill_step_host_s
    return np.asarray(np.broadcast_to(busy_s + small_kernels_s(deployed.counts, work, rates), shape))


def breakdown(
    deployed: Deployments, batch: Floats, context_tokens: float, speculation: Speculation | None = None
) -> StepTimes:
    """A decode step of each deployment at its own batch, by resource; with drafts, what they add is in each part."""
    if deployed.samples is not None:
        compute_s, memory_s, host_s = deployed.samples.parts_s(batch)
        return StepTimes(compute_s, memory_s, np.zeros_like(compute_s), host_s)
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
