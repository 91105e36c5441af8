"""Step time of one replica as the simulation asks for it: the serving model, tabulated finely around the usual work."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.load.arrays import Numbers, as_floats
from gpuplanner_gui.engine.operations import AttentionCore, LatentCore, Operation
from gpuplanner_gui.engine.serving.step import Replica, StepWork, step_times, total_step_s

Floats = NDArray[np.float64]

BATCHES_PER_OCTAVE = 4
TOKENS_PER_OCTAVE = 3
CONTEXT_SPAN = 0.5
"""The cost of a cached token is the slope between half and one and a half times the usual context."""


@dataclass(frozen=True)
class UsualWork:
    """What a step of a replica usually works on, in tokens."""

    context_tokens: float
    """Of a decoding sequence."""
    chunk_tokens: float
    """New tokens of a prompt in one step."""
    cached_tokens: float = 0.0
    """Of a prompt, before such a chunk."""


@dataclass(frozen=True)
class ReplicaStepTime:
    """`engine.load.step_time.StepTime` of one configuration.

    Tables over decoding sequences (`batch`) and over tokens of a step that prefills (`tokens`), linear between entries;
    `mixed_extra_s` is what n decoding sequences add to a step that prefills, beyond their tokens and their cache.
    """

    batch: Floats
    decode_s: Floats
    kv_token_s: Floats
    mixed_extra_s: Floats
    tokens: Floats
    mixed_s: Floats
    attention_pair_s: float

    def step_time_s(
        self,
        decode_sequences: Numbers,
        prefill_tokens: Numbers,
        kv_tokens_read: Numbers,
        attention_pairs: Numbers = 0.0,
    ) -> Floats:
        """See `engine.load.step_time.StepTime`."""
        decoding, prefilling = np.broadcast_arrays(as_floats(decode_sequences), as_floats(prefill_tokens))
        mixed = _along(decoding + prefilling, self.tokens, self.mixed_s)
        mixed = mixed + np.interp(decoding, self.batch, self.mixed_extra_s)
        base = np.where(prefilling > 0, mixed, _along(decoding, self.batch, self.decode_s))
        slope = np.interp(decoding, self.batch, self.kv_token_s)
        return np.asarray(base + slope * as_floats(kv_tokens_read) + self.attention_pair_s * as_floats(attention_pairs))


def replica_step_time(
    operations: tuple[Operation, ...],
    replica: Replica,
    engine: EngineFacts,
    usual: UsualWork,
    max_sequences: int,
    token_budget: int,
) -> ReplicaStepTime:
    """Tabulate the serving model for one replica.

    Parameters
    ----------
    operations : tuple of Operation
        Of the model.
    replica : Replica
        One candidate: arrays of shape (1,).
    engine : EngineFacts
        Host time, and what the engine makes of the kernels.
    usual : UsualWork
        Around which the table is exact.
    max_sequences, token_budget : int
        Largest batch, and tokens of a step. [1, tokens]

    Notes
    -----
    A step of the usual context and chunk takes exactly what the serving model says, at each tabulated batch; times are
    linear in cached tokens and attention pairs, which the simulation's runs of steps rest on.
    """
    batch = _octaves(max_sequences, BATCHES_PER_OCTAVE)
    context = max(usual.context_tokens, 1.0)
    short, long = context * (1 - CONTEXT_SPAN), context * (1 + CONTEXT_SPAN)
    at_short = _decode_s(operations, replica, engine, batch, short)
    at_long = _decode_s(operations, replica, engine, batch, long)
    slope = np.maximum(at_long - at_short, 0.0) / (batch * (long - short))
    decode = np.maximum(at_short - slope * batch * short, 0.0)

    tokens = _with_edge(_octaves(token_budget, TOKENS_PER_OCTAVE), engine.captured_tokens)
    chunk = min(max(usual.chunk_tokens, 1.0), float(token_budget))
    pair_s = _attention_pair_s(operations, replica, engine, chunk, usual.cached_tokens)
    prompts = np.maximum(tokens / chunk, 1.0)
    pairs = tokens * (usual.cached_tokens + tokens / prompts / 2)
    reads = prompts * usual.cached_tokens
    alone = _mixed_s(operations, replica, engine, np.zeros(1), context, tokens, prompts, usual.cached_tokens)
    mixed = np.maximum.accumulate(np.maximum(alone - pair_s * pairs - slope[0] * reads, 0.0))
    beside = _mixed_s(operations, replica, engine, batch, context, np.full(1, chunk), np.ones(1), usual.cached_tokens)
    tabulated = _along(batch + chunk, tokens, mixed) + slope * (batch * context + usual.cached_tokens)
    tabulated = tabulated + pair_s * chunk * (usual.cached_tokens + chunk / 2)
    return ReplicaStepTime(
        batch=np.concatenate([[0.0], batch]),
        decode_s=np.concatenate([decode[:1], decode]),
        kv_token_s=np.concatenate([slope[:1], slope]),
        mixed_extra_s=np.concatenate([[0.0], beside - tabulated]),
        tokens=tokens,
        mixed_s=mixed,
        attention_pair_s=pair_s,
    )


def _octaves(highest: int, per_octave: int) -> Floats:
    """Whole numbers from 1 to `highest`, ever further apart; at least two."""
    top = max(highest, 2)
    steps = np.arange(int(np.ceil(np.log2(top) * per_octave)) + 1)
    grid = np.unique(np.round(np.exp2(steps / per_octave)))
    return np.asarray(np.union1d(grid[grid < top], [float(top)]))


def _with_edge(grid: Floats, edge: float) -> Floats:
    """The grid with both sides of a number at which times leap, where it lies inside."""
    return np.union1d(grid, [edge, edge + 1.0]) if 1 <= edge < grid[-1] else grid


_NONE = np.zeros(1)


def _decode_s(
    operations: tuple[Operation, ...], replica: Replica, engine: EngineFacts, batch: Floats, context: float
) -> Floats:
    work = StepWork(batch[:, None], np.full(1, context), _NONE, _NONE, _NONE)
    return _seconds(operations, replica, engine, work)


def _mixed_s(
    operations: tuple[Operation, ...],
    replica: Replica,
    engine: EngineFacts,
    batch: Floats,
    context: float,
    tokens: Floats,
    prompts: Floats,
    cached: float,
) -> Floats:
    work = StepWork(batch[:, None], np.full(1, context), tokens[:, None], prompts[:, None], np.full(1, cached))
    return _seconds(operations, replica, engine, work)


def _attention_pair_s(
    operations: tuple[Operation, ...], replica: Replica, engine: EngineFacts, chunk: float, cached: float
) -> float:
    """Time that one more query–key pair takes, around a usual chunk: slope of the attention kernels. [s]"""
    others = tuple(one for one in operations if not isinstance(one, (AttentionCore, LatentCore)))
    size = chunk * np.array([1 - CONTEXT_SPAN, 1 + CONTEXT_SPAN])
    pairs = size * (cached + size / 2)
    whole = _mixed_s(operations, replica, engine, _NONE, 1.0, size, np.ones(2), cached)
    without = _mixed_s(others, replica, engine, _NONE, 1.0, size, np.ones(2), cached)
    attention = whole - without
    return float(max(attention[1] - attention[0], 0.0) / (pairs[1] - pairs[0]))


def _seconds(operations: tuple[Operation, ...], replica: Replica, engine: EngineFacts, work: StepWork) -> Floats:
    """Times of steps of one replica, one-dimensional."""
    return np.asarray(total_step_s(step_times(operations, work, replica, engine)))[:, 0]


def _along(at: Floats, grid: Floats, values: Floats) -> Floats:
    """Linear between grid points, and beyond the last with its slope."""
    slope = (values[-1] - values[-2]) / (grid[-1] - grid[-2])
    return np.asarray(np.interp(at, grid, values) + slope * np.maximum(at - grid[-1], 0.0))
