"""The inverse questions of memory: largest model, longest context, largest concurrency; what is missing, and where."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.curves import MemoryPart, ServingLimits
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import demand_of
from gpuplanner_gui.engine.serving.deployments import Deployments, candidate_deployments
from gpuplanner_gui.engine.serving.memory import ServingMemory
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats

MOST_TOKENS = 2.0**31
"""Contexts beyond this count as unlimited."""
HALVINGS = 40
CONTEXTS: Floats = np.exp2(np.arange(4, 21, dtype=np.float64))
"""16 tokens to a million."""


@formula(
    title="Largest model",
    unit="param",
    expression="parameters · (usable − activations − runtime − concurrency · cache) / weights",
    source="a model of the same mix of formats and the same cache, spread over the same devices",
)
def largest_parameters(
    parameters: Numbers,
    usable: Numbers,
    activations: Numbers,
    runtime: Numbers,
    concurrency: Numbers,
    cache: Numbers,
    weights: Numbers,
) -> Floats:
    """Parameters whose weights fill what the rest leaves; 0 where the rest alone does not fit. [parameters]

    All memory in bytes of one device, `cache` of one sequence; arguments broadcast.

    Examples
    --------
    >>> float(largest_parameters(8e9, 72e9, 1e9, 2e9, 10, 1e8, 16e9))
    34000000000.0
    """
    room = usable - activations - runtime - concurrency * np.asarray(cache, np.float64)
    return np.asarray(parameters * np.maximum(room, 0.0) / weights)


@formula(
    title="Largest concurrency",
    unit="seq",
    expression="⌊pool / cache of one sequence⌋",
    source="the engine's KV pool divided evenly",
)
def largest_concurrency(pool: Numbers, cache: Numbers) -> Floats:
    """Sequences that a pool holds at once; infinite where they cache nothing. [sequences]

    Examples
    --------
    >>> float(largest_concurrency(10e9, 3e9)), float(largest_concurrency(-1.0, 3e9))
    (3.0, 0.0)
    """
    held, each = np.broadcast_arrays(np.maximum(as_floats(pool), 0.0), as_floats(cache))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(each > 0, np.floor(held / each), np.where(held > 0, np.inf, 0.0))


def longest_context(deployed: Deployments, concurrency: Numbers, reserved_tokens: float = 0.0) -> Floats:
    """Whole tokens that each of `concurrency` sequences may hold; infinite where a window ends their growth.

    By halving an interval: windows and recurrent states make the cache a broken line of the context. [tokens]
    """
    pool = deployed.memory.pool * deployed.layout.data_parallel

    def fits(tokens: Floats) -> NDArray[np.bool_]:
        return np.asarray(concurrency * deployed.cache_bytes_per_sequence(tokens + reserved_tokens) <= pool)

    low, high = np.zeros(pool.shape), np.full(pool.shape, MOST_TOKENS)
    for _ in range(HALVINGS):
        middle = np.floor((low + high) / 2)
        inside = fits(middle)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.where(fits(np.full(pool.shape, MOST_TOKENS)), np.inf, np.where(fits(low), low, 0.0))


def runs_out_at(memory: ServingMemory, cache_bytes: Floats) -> Integers:
    """The first part at which a device's usable memory is exceeded; a `MemoryPart`."""
    parts = np.stack(np.broadcast_arrays(memory.weights, memory.activation, memory.runtime, cache_bytes))
    over = np.cumsum(parts, axis=0) > memory.usable
    first = np.where(over.any(axis=0), over.argmax(axis=0) + int(MemoryPart.WEIGHTS), int(MemoryPart.NONE))
    return np.asarray(np.where(np.isnan(memory.usable), int(MemoryPart.UNKNOWN), first), np.int64)


def limits_of(
    scenario: Scenario, context: Context, candidates: ServingCandidates, concurrency: float, context_tokens: float
) -> ServingLimits:
    """Answers for every candidate, under the scenario's engine. Raises ValueError without a serving workload.

    Sequences take as much cache as the plan's do, so that both say the same largest batch.
    """
    if scenario.serving is None:
        raise ValueError("the scenario has no serving workload")
    deployed = candidate_deployments(scenario, context, candidates)
    memory, groups = deployed.memory, deployed.layout.data_parallel
    reserved = demand_of(scenario.serving, scenario.model).reserved_tokens(deployed.engine.reserves_answers)
    each = deployed.cache_bytes_per_sequence(context_tokens + reserved)
    # Each group of attention holds the caches of its own sequences.
    cache, pool = concurrency / groups * each, memory.pool * groups
    free = np.broadcast_to(memory.pool - cache, memory.pool.shape)
    total = float(model_parameters(scenario.model).total)
    activation, runtime = (np.broadcast_to(one, memory.pool.shape) for one in (memory.activation, memory.runtime))
    by_context = deployed.cache_bytes_per_sequence(CONTEXTS[:, None] + reserved)
    return ServingLimits(
        concurrency=concurrency,
        context_tokens=context_tokens,
        model_parameters=total,
        model_context=scenario.model.max_context,
        free_bytes=free,
        missing_bytes=np.maximum(-free, 0.0),
        runs_out_at=runs_out_at(memory, cache),
        largest_concurrency=largest_concurrency(pool, each),
        longest_context=longest_context(deployed, concurrency, reserved),
        longest_alone=longest_context(deployed, 1.0, reserved),
        largest_parameters=largest_parameters(
            total, memory.usable, activation, runtime, concurrency / groups, each, memory.weights
        ),
        contexts=CONTEXTS,
        concurrency_by_context=largest_concurrency(pool, by_context),
    )


def plan_limits(
    scenario: Scenario, catalog: Catalog, calibration: Calibration, plan: Plan, concurrency: float = 0.0
) -> ServingLimits:
    """The door: answers for every candidate of a plan's serving table, at its mean context.

    `concurrency` 0 takes the recommended candidate's planned batch. Raises ValueError for a plan without serving.
    """
    if plan.serving is None or scenario.serving is None:
        raise ValueError("the plan has no serving table")
    table, best = plan.serving.table, plan.serving.best
    candidates = ServingCandidates.of_table(table)
    planned = float(table.batch[best]) if best >= 0 else np.nan
    batch = concurrency or (max(1.0, np.round(planned)) if np.isfinite(planned) else 1.0)
    demand = demand_of(scenario.serving, scenario.model)
    return limits_of(scenario, context_of(catalog, calibration), candidates, float(batch), demand.context_tokens)
