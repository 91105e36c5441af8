"""What a client measured who kept a number of requests running, on top of the deployment's plain steady state.

The client starts all at once, so the first generation of prompts queues for its prefill; as answers differ in length,
later generations come apart. A run of m prompts per unit of concurrency reports the mean over m generations; a service
that goes on sees the last state alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.predict.points import Pass, column, mean_share, one_pass, replicas_of
from gpuplanner_gui.engine.serving.rates import EngineRates
from gpuplanner_gui.engine.serving.step import longer_s
from gpuplanner_gui.engine.simulation.arrays import Numbers


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


def loop_passes(cases: Sequence[ServingCase], found: Deployments, gathering_steps: float) -> ClosedLoopPasses:
    """The passes of closed loops at the cases' own concurrency; attention groups gather prompts for so many steps."""
    mean, stated = mean_share(cases), column(cases, "concurrency") / replicas_of(cases)
    concurrency = np.where(stated > 0, np.maximum(stated, 1.0), np.inf)
    prompt_tokens = np.maximum(mean * column(cases, "prompt_tokens"), 1.0)
    output_tokens = np.maximum(mean * column(cases, "output_tokens"), 1.0)
    max_sequences = np.array([case.max_sequences or found.engine.max_sequences for case in cases], np.float64)
    groups = found.replica.layout.data_parallel
    held = found.sequences_held(prompt_tokens + output_tokens * (1.0 if found.engine.reserves_answers else 0.5))
    batch = np.maximum(np.minimum(np.minimum(concurrency, held), max_sequences * groups), 1.0)
    context = prompt_tokens + output_tokens / 2
    budget = found.token_budget
    chunks = np.ceil(prompt_tokens / budget)
    chunk = prompt_tokens / chunks
    cached = (chunks - 1) * chunk / 2
    zero = np.zeros_like(batch)
    gathering = np.where(groups > 1, gathering_steps, 1.0)
    joining = np.clip(gathering * batch * chunks / output_tokens, 1.0, np.maximum(budget * groups / chunk, 1.0))
    fit = np.maximum(np.floor(budget / chunk), 1.0) * groups
    burst = np.minimum(np.minimum(concurrency, batch), fit)
    return ClosedLoopPasses(
        batch=batch,
        concurrency=concurrency,
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        length_spread=spread_of_lengths(cases),
        groups=groups,
        chunks=chunks,
        joining=joining,
        burst_prompts=burst,
        decode=one_pass(found, batch, context, zero, zero, zero),
        mixed=one_pass(found, np.maximum(batch - joining, 0.0), context, joining, chunk, cached),
        alone=one_pass(found, zero, zero, np.ones_like(batch), chunk, cached),
        full=one_pass(found, zero, zero, burst, chunk, cached),
    )


def spread_of_lengths(cases: Sequence[ServingCase]) -> Floats:
    """Width of the answers' even distribution over its mean; of as wide a one where only a deviation is known."""
    even = np.array([2.0 * (1.0 - case.shortest_share) / (1.0 + case.shortest_share) for case in cases])
    stated = np.array([case.output_spread for case in cases]) * np.sqrt(12.0)
    return np.asarray(np.maximum(even, stated))


MOST_GENERATIONS = 30
ARRIVAL_WINDOW = 0.35
"""Part of an answer's time within which a generation's prompts come: between all at once and evenly spread."""


@dataclass(frozen=True)
class SteadyLoop:
    """Plain steady state of users who ask anew as soon as they are answered, an entry per deployment."""

    users: Floats
    batch: Floats
    """Of them, running at once."""
    output_tokens: Floats
    output_spread: Floats
    """Width of the even distribution of answers' lengths, over its mean."""
    groups: Floats
    """Of data-parallel attention."""
    decode_s: Floats
    """A step without prompts."""
    prompt_s: Floats
    """What one prompt adds to the others' steps."""
    own_prefill_s: Floats
    """Prefill of one's own prompt among the others."""
    in_turn_s: Floats
    """A prompt's share of a pass full of prompts."""
    prompts_per_pass: Floats
    host_s: Floats
    """Arrival to reply, steps apart."""
    mixes_prefill: bool


@dataclass(frozen=True)
class LoopHabits:
    """What a source's client and recipe did, an entry per row; names as in `EngineHabits`."""

    prompts_per_user: Floats
    admission_steps: Floats
    """As the recipe has them for such models in such a crowd; groups apart."""
    group_admission_steps: Floats
    start_delay_s: Floats
    clump_prompts: Floats
    arrival_chance: Floats


@dataclass(frozen=True)
class Observed:
    """What the source's client reports, means over a run. [s]"""

    ttft_s: Floats
    tpot_s: Floats


def steady_loop(passes: ClosedLoopPasses, rates: EngineRates) -> SteadyLoop:
    """The steady state of closed loops, of exact passes and an engine's overheads."""
    decode_s = passes.decode.decode_busy_s(rates) + passes.decode.small_s(rates)
    prompt_s, own_s, in_turn_s = _prefill_times(passes, rates, decode_s)
    return SteadyLoop(
        users=passes.concurrency,
        batch=passes.batch,
        output_tokens=passes.output_tokens,
        output_spread=passes.length_spread,
        groups=passes.groups,
        decode_s=decode_s,
        prompt_s=prompt_s,
        own_prefill_s=own_s,
        in_turn_s=in_turn_s,
        prompts_per_pass=passes.burst_prompts,
        host_s=np.asarray(rates.request_host_s + rates.prompt_token_host_s * passes.prompt_tokens),
        mixes_prefill=rates.mixes_prefill,
    )


def observed(loop: SteadyLoop, habits: LoopHabits) -> Observed:
    """TTFT and TPOT as a source's client reports them.

    References
    ----------
    .. [1] docs/derivations/closed-loops.md#start-burst: a reported TTFT holds a share of the start burst.
    .. [2] docs/derivations/closed-loops.md#balance-of-a-closed-loop: balance of steps with prefill and decode.
    """
    batch, output, prompts = loop.batch, loop.output_tokens, habits.prompts_per_user
    in_step = share_in_step(loop.output_spread * output)
    together = share_together(loop.output_spread * output, loop.mixes_prefill)
    tpot_s = interrupted_tpot_s(loop.decode_s, loop.prompt_s, batch, output, together, prompts)
    cycle_s = output * tpot_s + loop.own_prefill_s
    queued_s = np.where(loop.users > batch, (loop.users / batch - 1.0) * cycle_s, 0.0)
    steps = habits.admission_steps + np.where(loop.groups > 1, habits.group_admission_steps, 0.0)
    entry_s = loop.host_s + steps * tpot_s
    burst_s = burst_ttft_s(loop.in_turn_s, loop.prompts_per_pass, batch)
    later_s = entry_s + loop.own_prefill_s + queued_s + _gathered_s(loop, habits)
    if loop.mixes_prefill:
        spread_s = loop.output_spread * output * tpot_s
        mixing = spread_s / np.hypot(spread_s, cycle_s / batch)
        chance_s = habits.arrival_chance * mixing * loop.in_turn_s * np.sqrt(np.maximum(batch - 1.0, 0.0))
        later_s = later_s + later_generations_wait_s(loop.in_turn_s * batch, chance_s, spread_s, cycle_s, prompts)
        later_s = later_s + in_step * _clump_wait_s(loop, habits)
    else:
        later_s = later_s + in_step * (burst_s - loop.in_turn_s)
    first_s = entry_s + burst_s + queued_s
    return Observed(reported_ttft_s(first_s, later_s, habits.start_delay_s, prompts), tpot_s)


def _prefill_times(passes: ClosedLoopPasses, rates: EngineRates, decode_s: Floats) -> tuple[Floats, Floats, Floats]:
    """What a prompt adds to the others' steps, how long its own prefill takes, and its turn in a full pass. [s]"""
    mixed_s, launch_s = passes.mixed.prefill_busy_s(rates), passes.mixed.launch_s(rates)
    waiting = passes.batch * launch_s / (ARRIVAL_WINDOW * passes.output_tokens * decode_s)
    together = np.clip(waiting, 1.0, passes.batch)
    if rates.mixes_prefill:
        added_s = np.maximum(mixed_s - passes.decode.prefill_busy_s(rates), 0.0) / passes.joining
        exposed_s = np.maximum(launch_s - decode_s, 1e-6) / together
        own_s = longer_s(mixed_s, launch_s) + passes.mixed.small_s(rates)
    else:
        added_s, exposed_s = passes.alone.prefill_busy_s(rates), launch_s / together
        own_s = longer_s(added_s, launch_s)
    host_s = rates.prefill_step_host_s
    return (
        np.asarray(passes.chunks * (longer_s(added_s, exposed_s) + host_s)),
        np.asarray(passes.chunks * (own_s + host_s)),
        np.asarray(passes.chunks * passes.full.prompts_s(rates) / passes.burst_prompts),
    )


def _gathered_s(loop: SteadyLoop, habits: LoopHabits) -> Floats:
    """Prefill of the other prompts that an engine took in at the same look at its queue. [s]

    Engines that mix let prompts ride on steps that run anyway; the others prefill at once what came between two looks,
    which are twice the mean wait for one apart.
    """
    if loop.mixes_prefill:
        return np.zeros_like(loop.in_turn_s)
    came = 2.0 * habits.admission_steps * loop.batch / loop.output_tokens
    return np.asarray(loop.in_turn_s * (np.clip(came, 1.0, loop.prompts_per_pass) - 1.0))


def _clump_wait_s(loop: SteadyLoop, habits: LoopHabits) -> Floats:
    """Wait for the others of a clump: prompts whose answers began together, are as long, and so ended together. [s]"""
    clump = np.clip(habits.clump_prompts, 1.0, loop.batch)
    whole_s = burst_ttft_s(loop.in_turn_s, np.minimum(loop.prompts_per_pass, clump), clump)
    return np.asarray(whole_s - loop.in_turn_s)


def share_in_step(spread_steps: Floats) -> Floats:
    """Share of a generation's answers that end in one step, `spread_steps` wide as they differ in length. [1]"""
    return np.asarray(1.0 / np.maximum(spread_steps, 1.0))


@formula(
    title="Prompts of a generation that come together",
    unit="",
    expression="1 / max(spread_steps, 1) where prompts stop all decoding, none where they ride on decode steps",
    source="answers of equal length that began together end in one step, and so do the next; mixed steps draw apart"
    " what prefill had to take in turn",
)
def share_together(spread_steps: Floats, mixes_prefill: bool) -> Floats:
    """Share of a generation's prompts that arrive at the same step, `spread_steps` wide as its answers differ. [1]"""
    together = share_in_step(spread_steps)
    return np.zeros_like(together) if mixes_prefill else np.asarray(together)


@formula(
    title="TPOT in a closed loop",
    unit="s",
    expression="decode_s + (1 - (1/m + (1 - 1/m) · together)/2) · (batch - 1) · prefill_s / output_tokens,"
    " m = prompts_per_user",
    source="docs/derivations/closed-loops.md#tpot-in-a-closed-loop: every other request's prefill falls once into an"
    " answer; of prompts that came together, as in the start burst, half of them",
)
def interrupted_tpot_s(
    decode_s: Floats,
    prefill_s: Floats,
    batch: Floats,
    output_tokens: Floats,
    together: Floats,
    prompts_per_user: Floats,
) -> Floats:
    """Mean time per output token of a request. [s]"""
    first = 1.0 / np.maximum(prompts_per_user, 1.0)
    share = 1.0 - (first + (1.0 - first) * together) / 2.0
    return np.asarray(decode_s + share * (batch - 1.0) * prefill_s / np.maximum(output_tokens, 1.0))


@formula(
    title="TTFT in the start burst",
    unit="s",
    expression="in_turn_s · (batch + prompts_together) / 2",
    source="docs/derivations/closed-loops.md#start-burst: the last prompt waits for all the others' prefill",
)
def burst_ttft_s(in_turn_s: Floats, prompts_together: Floats, batch: Floats) -> Floats:
    """Mean wait and prefill of prompts that come all at once and go `prompts_together` at a time. [s]"""
    return np.asarray(in_turn_s * (batch + prompts_together) / 2.0)


@formula(
    title="TTFT as a benchmark reports it",
    unit="s",
    expression="(burst_s + (m - 1) · later_s) / m + start_delay_s, m = prompts_per_user",
    source="docs/derivations/closed-loops.md#mean-over-generations: mean over the generations of a run",
)
def reported_ttft_s(burst_s: Floats, later_s: Floats, start_delay_s: Numbers, prompts_per_user: Floats) -> Floats:
    """Mean over the start burst and what follows. [s]"""
    generations = np.maximum(prompts_per_user, 1.0)
    return np.asarray((burst_s + (generations - 1.0) * later_s) / generations + start_delay_s)


def later_generations_wait_s(
    generation_s: Floats, chance_s: Floats, spread_s: Floats, cycle_s: Floats, prompts_per_user: Floats
) -> Floats:
    """Mean wait for prefill in the generations after the first. [s]

    A generation's prompts come within the time over which the one before began to answer, widened by the answers'
    different lengths; what comes faster than it can be prefilled (`generation_s` for all) waits.
    """
    width = generation_s
    total = np.zeros_like(width)
    count = np.maximum(prompts_per_user - 1.0, 1e-9)
    for generation in range(1, MOST_GENERATIONS):
        share = np.clip(prompts_per_user - generation, 0.0, 1.0)
        if not np.any(share > 0):
            break
        width = np.minimum(np.hypot(np.maximum(width, generation_s), spread_s), np.maximum(cycle_s, generation_s))
        total = total + share * window_wait_s(generation_s, chance_s, width)
    return total / count


@formula(
    title="Wait of prompts that come within a window",
    unit="s",
    expression="(d + √(d² + chance_s²)) / 2, d = (generation_s - width_s) / 2",
    source="d: arrivals at an even rate faster than served; chance: wide windows then have the wait of random arrivals"
    " at a constant service (Pollaczek-Khinchine), n prompts of s seconds: chance_s = s · √(n - 1)",
)
def window_wait_s(generation_s: Floats, chance_s: Floats, width_s: Floats) -> Floats:
    """Mean wait of prompts that come at random within a window and are prefilled in turn. [s]"""
    drift = (generation_s - width_s) / 2.0
    return np.asarray((drift + np.hypot(drift, chance_s)) / 2.0)
