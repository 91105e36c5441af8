"""TTFT and TPOT of a closed loop in closed form: what a client measures who keeps a number of requests running.

The client starts all at once, so the first generation of prompts queues for its prefill; as answers differ in length,
later generations come apart. A run of m prompts per unit of concurrency reports the mean over m generations; a service
that goes on sees the last state alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.serving_predict.points import ClosedLoopPasses

Floats = NDArray[np.float64]

MOST_GENERATIONS = 40


@dataclass(frozen=True)
class ClosedLoop:
    """Means over requests. [s]"""

    ttft_s: Floats
    """As the benchmark reports it, its start burst included."""
    steady_ttft_s: Floats
    tpot_s: Floats
    decode_s: Floats
    """A step without prefill."""
    prefill_s: Floats
    """What one prompt adds to the run."""
    cycle_s: Floats
    """From one request of a client to its next."""


def closed_loop(passes: ClosedLoopPasses, engine: EngineFacts, prompts_per_client: Floats) -> ClosedLoop:
    """Mean latencies of closed loops.

    Parameters
    ----------
    passes : ClosedLoopPasses
        From `closed_loop_passes`.
    engine : EngineFacts
        Host overheads; its fields may be arrays of the cases' shape.
    prompts_per_client : float array
        Prompts of the whole run over concurrency. [1]

    References
    ----------
    .. [1] engine notes, serving clients: a reported TTFT holds a share of the start burst.
    .. [2] engine notes, load, A2 and A3: balance of steps with prefill and decode.
    """
    decode_s, alone_s = passes.decode.total_s(engine), passes.alone.total_s(engine)
    mixed_s, full_s = passes.mixed.total_s(engine), passes.full.total_s(engine)
    added_s = np.where(engine.mixes_prefill, np.maximum(mixed_s - decode_s, 0.0) / passes.joining, alone_s)
    prefill_s = passes.chunks * added_s
    tpot_s = interrupted_tpot_s(decode_s, prefill_s, passes.batch, passes.output_tokens)
    own_s = passes.chunks * np.where(engine.mixes_prefill, np.maximum(mixed_s, alone_s), alone_s)
    in_turn_s = passes.chunks * full_s / passes.burst_prompts
    cycle_s = passes.output_tokens * tpot_s + own_s
    queued_s = np.maximum(passes.concurrency / passes.batch - 1.0, 0.0) * cycle_s
    base_s = engine.request_host_s + 0.5 * decode_s + own_s + queued_s
    burst_s = engine.request_host_s + burst_ttft_s(in_turn_s, passes.burst_prompts, passes.batch) + queued_s
    spread_s = passes.length_spread * passes.output_tokens * tpot_s
    later_s = later_generations_wait_s(in_turn_s * passes.batch, spread_s, cycle_s, prompts_per_client)
    reported_s = (burst_s + (prompts_per_client - 1.0) * (base_s + later_s)) / prompts_per_client
    return ClosedLoop(reported_s, base_s, tpot_s, decode_s, prefill_s, cycle_s)


@formula(
    title="TPOT in a closed loop",
    unit="s",
    expression="decode_s + (batch - 1) · prefill_s / output_tokens",
    source="engine notes, load, A2: every other request's prefill falls once into an answer",
)
def interrupted_tpot_s(decode_s: Floats, prefill_s: Floats, batch: Floats, output_tokens: Floats) -> Floats:
    """Mean time per output token of a request. [s]"""
    return np.asarray(decode_s + (batch - 1.0) * prefill_s / np.maximum(output_tokens, 1.0))


@formula(
    title="TTFT in the start burst",
    unit="s",
    expression="in_turn_s · (batch + prompts_together) / 2",
    source="engine notes, serving clients: the last prompt waits for all the others' prefill",
)
def burst_ttft_s(in_turn_s: Floats, prompts_together: Floats, batch: Floats) -> Floats:
    """Mean wait and prefill of prompts that come all at once and go `prompts_together` at a time. [s]"""
    return np.asarray(in_turn_s * (batch + prompts_together) / 2.0)


def later_generations_wait_s(
    generation_s: Floats, spread_s: Floats, cycle_s: Floats, prompts_per_client: Floats
) -> Floats:
    """Mean wait for prefill in the generations after the first. [s]

    A generation's prompts come within the time over which the one before began to answer, widened by the answers'
    different lengths; what comes faster than it can be prefilled (`generation_s` for all) waits.
    """
    width = generation_s
    total = np.zeros_like(width)
    count = np.maximum(prompts_per_client - 1.0, 1e-9)
    for generation in range(1, MOST_GENERATIONS):
        share = np.clip(prompts_per_client - generation, 0.0, 1.0)
        if not np.any(share > 0):
            break
        width = np.minimum(np.hypot(np.maximum(width, generation_s), spread_s), np.maximum(cycle_s, generation_s))
        total = total + share * np.maximum(generation_s - width, 0.0) / 2.0
    return total / count
