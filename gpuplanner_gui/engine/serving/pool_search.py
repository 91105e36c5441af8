"""Which layouts are tried as separate prefill and decode pools: a few per accelerator and formats, by what they do
together, so that the search stays small."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.serving.candidates import ServingCandidates

LARGE_MODEL_PARAMETERS = 100e9
"""From here on operators publish separate pools for models with experts."""
ENGINES_WITH_POOLS = ("vllm", "sglang", "trtllm")
MOST_GROUPS = 40
"""Accelerators and formats with pools: those whose saturated replicas cost least per request."""
LAYOUTS_EACH = 3
"""Tried for each pool of such a group."""
PREFILL_LAYOUTS_EACH = 2


@dataclass(frozen=True)
class PoolPairs:
    """Pairs of layouts, their ratio still open."""

    candidates: ServingCandidates
    left_out: int
    """Pairs that fit and were not tried."""


def tries_pools(scenario: Scenario) -> bool:
    """Whether separate pools are searched: where the planner says so, or the model is large and has experts.

    The closed form of pools is for requests at a steady random rate; engines batch continuously in them.
    """
    serving = scenario.serving
    if serving is None or serving.pools == "together" or serving.engine.engine not in ENGINES_WITH_POOLS:
        return False
    if serving.traffic.arrivals not in ("poisson", "gamma") or serving.engine.batching in ("static", "dynamic"):
        return False
    if serving.pools == "separate":
        return True
    parameters = model_parameters(scenario.model)
    return parameters.routed_experts > 0 and parameters.total >= LARGE_MODEL_PARAMETERS


def pool_pairs(table: ServingTable) -> PoolPairs:
    """The best layouts of each accelerator and formats, paired; those without a pipeline only.

    For prompts those with the highest rate per device, for answers these and the one of the most tensor parallelism,
    whose tokens come fastest. Neither depends on the rate that is asked for, so that load grids outlive its edits.
    """
    every = ServingCandidates.of_table(table)
    runs = np.flatnonzero(table.fits & (every.pipeline_parallel == 1) & ~every.is_apart & (table.max_rate_per_s > 0))
    groups, of_row = np.unique(
        np.stack([every.accelerator[runs], every.weight_precision[runs], every.kv_precision[runs]]), axis=1,
        return_inverse=True,
    )  # fmt: skip
    count, of_row = groups.shape[1], of_row.reshape(-1)
    sizes = np.bincount(of_row, minlength=count)
    full_usd = table.usd_per_device_hour[runs] * table.devices_per_replica[runs] / table.max_rate_per_s[runs]
    cheapest = np.full(count, np.inf)
    np.fmin.at(cheapest, of_row, np.nan_to_num(full_usd, nan=np.inf))
    kept = np.argsort(cheapest, kind="stable")[:MOST_GROUPS]
    per_device = table.max_rate_per_s[runs] / table.devices_per_replica[runs]
    most = _first_of_groups(of_row, -per_device, LAYOUTS_EACH - 1)
    fastest = _first_of_groups(of_row, -every.tensor_parallel[runs].astype(np.float64), 1)
    first, then = [], []
    for group in kept:
        decode = np.unique(np.concatenate([most[group], fastest[group]]))
        prefill = most[group][:PREFILL_LAYOUTS_EACH]
        first.append(np.repeat(prefill, len(decode)))
        then.append(np.tile(decode, len(prefill)))
    none = np.zeros(0, np.int64)
    prefill_rows, decode_rows = (runs[np.concatenate([none, *one])] for one in (first, then))
    return PoolPairs(_paired(every, prefill_rows, decode_rows), int((sizes**2).sum()) - len(decode_rows))


def _first_of_groups(of_row: Integers, key: Floats, most: int) -> list[Integers]:
    """Positions of the lowest keys of each group."""
    order = np.lexsort((key, of_row))
    starts = np.searchsorted(of_row[order], np.arange(int(of_row.max(initial=-1)) + 2))
    return [order[start:end][:most] for start, end in pairwise(starts)]


def _paired(every: ServingCandidates, prefill: Integers, decode: Integers) -> ServingCandidates:
    first = every.at(prefill)
    return replace(
        every.at(decode),
        prefill_tensor_parallel=first.tensor_parallel,
        prefill_data_parallel=first.data_parallel,
        prefill_expert_parallel=first.expert_parallel,
    )
