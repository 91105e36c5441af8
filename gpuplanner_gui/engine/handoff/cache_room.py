"""The cache of a plan as engines allocate it that take it whole at their start: tokens of all slots together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gpuplanner_gui.domain.plan import Plan, column
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.model.precision import cache_bytes_per_value
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.deployments import Role
from gpuplanner_gui.engine.serving.memory import cache_groups, device_cache_bytes, with_draft_bytes
from gpuplanner_gui.engine.simulation.arrays import as_floats

PADDING = 256
"""Tokens to whose multiples engines round the cache up."""


def cache_room(
    scenario: Scenario,
    plan: Plan,
    one: ServingCandidates,
    row: int,
    role: Role,
    longest_tokens: int,
    stored_bytes: Mapping[str, float],
) -> dict[str, str | int | float]:
    """Slots that decode together, tokens of the cache for all of them, and slots that could all be full.

    Parameters
    ----------
    one : ServingCandidates
        The candidate alone.
    row : int
        Its row in the plan's table.
    longest_tokens : int
        Largest context. [tokens]
    stored_bytes : mapping
        Bytes per cached value of formats that an engine stores with scales, by format. [bytes]

    Returns
    -------
    dict
        `slots`, `cache_tokens`, `full_slots`, `pool_bytes`. What grows with a sequence is filled up to the plan's pool,
        after windows and recurrent states of all slots; never with more than all slots need at the largest context.
    """
    table, engine = plan.served.table, scenario.service.engine
    pool = float(column(table, f"{'prefill_' if role == 'prefill' else ''}kv_pool_bytes")[row])
    precision = plan.precisions[int(table.kv_precision[row])]
    value_bytes = stored_bytes.get(precision, float(cache_bytes_per_value()[table.kv_precision[row]]))
    held = device_cache_bytes(
        cache_groups(scenario.model), np.array([longest_tokens, 2.0 * longest_tokens]),
        as_floats(one.tensor_parallel), as_floats(one.pipeline_parallel), np.array([value_bytes]),
    )  # fmt: skip
    if table.draft_tokens[row] > 0 and engine.draft_share:
        held = with_draft_bytes(held, np.array([engine.draft_share]))
    first, twice = (float(bytes_each) for bytes_each in held)
    per_token = (twice - first) / longest_tokens
    fixed = first - per_token * longest_tokens
    most = float(table.max_sequences[row])
    slots = max(1, int(min(engine.max_sequences, most if np.isfinite(most) else engine.max_sequences)))
    if fixed > 0:
        slots = max(1, min(slots, int((pool - per_token * longest_tokens) / fixed)))
    needed = slots * longest_tokens
    room = (pool - slots * fixed) / per_token if per_token > 0 else float(needed)
    tokens = needed if room >= needed else max(int(room) // PADDING * PADDING, longest_tokens)
    return {
        "slots": slots, "cache_tokens": tokens, "full_slots": max(1, tokens // longest_tokens), "pool_bytes": int(pool),
    }  # fmt: skip
