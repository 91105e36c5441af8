"""Which layouts are tried further, as separate prefill and decode pools and with draft tokens: a few per accelerator
and formats, so that the search stays small."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.serving_engine import SupportedOperation
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.kernels.choice import FORMAT_WEIGHT_BYTES
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX, PRECISIONS
from gpuplanner_gui.engine.serving.candidates import (
    ServingCandidates,
    searched_kv_precisions,
    searched_weight_precisions,
    serving_candidates,
    stated_layout,
    tried_layouts,
)
from gpuplanner_gui.engine.serving.samples import is_of_samples

LARGE_MODEL_PARAMETERS = 100e9
"""Parameters from which operators publish separate pools for mixtures of experts."""
SETTINGS_OF_BOTH = {"pool_role", "mtp_drafts"}
"""What an engine that is told of separate pools and of MTP layers as drafts has options for."""
MOST_GROUPS = 40
"""Accelerators and formats that are tried further: those whose saturated replicas cost least per request."""
LAYOUTS_EACH = 3
"""Tried for each pool of such a group."""
PREFILL_LAYOUTS_EACH = 2
DRAFTED_GROUPS = 16
"""Groups that are also tried with draft tokens: the cheapest at saturation, and as many of the first places."""
DRAFT_TOKENS = (1, 3)
"""Tried where the planner states none: what vLLM's and SGLang's guides set for MTP layers."""


@dataclass(frozen=True)
class Variants:
    """Candidates that are tried further; of pools, their ratio still open."""

    candidates: ServingCandidates
    left_out: int
    """Variants that fit but were not tried."""


NO_VARIANTS = Variants(ServingCandidates(*[np.zeros(0, np.int64)] * 5), 0)


def searched_candidates(scenario: Scenario, context: Context) -> tuple[ServingCandidates, int]:
    """What the search begins with, and how many candidates whose weights cannot fit are left out of it.

    Four bits of other checkpoints than the one at hand are tried on devices with units for them, under engines that
    run them. Raises TooManyCandidates.
    """
    serving, model = scenario.service, scenario.model
    formats = searched_weight_precisions(serving, model)
    usable = context.devices.memory_bytes * serving.engine.memory_fraction
    parameters, own = model_parameters(model), (model.weight_format.native, model.weight_format.quantized)
    # No part is stored in fewer bytes than the format asked for or the checkpoint's own.
    least = [min(FORMAT_WEIGHT_BYTES[PRECISION_INDEX[one]] for one in (name, *own) if one) for name in formats]
    operation: SupportedOperation = "experts" if parameters.routed_experts else "products"
    fewest = parameters.total * np.array(least) / usable[:, None]
    fewest = np.where(np.isnan(fewest), 1.0, fewest)
    for place, name in enumerate(formats):
        if name not in (*serving.weight_precisions, own[1]):
            index = PRECISION_INDEX[name]
            has_none = np.isnan(context.devices.peak_flop_per_s[:, index]) | context.devices.is_emulated[:, index]
            fewest[has_none | context.refused(serving.engine.engine, operation)[:, index], place] = np.inf
    stated, most = stated_layout(serving), scenario.hardware.max_devices_per_replica
    caches = searched_kv_precisions(serving, model)
    found = serving_candidates(len(usable), formats, caches, most, model, stated, fewest)
    layouts = len(tried_layouts(model, stated, most)) * max(len(caches), 1)
    return found, int(np.isfinite(fewest).sum()) * layouts - len(found)


def tries_pools(scenario: Scenario, context: Context) -> bool:
    """Whether separate pools are searched: where the planner says so, or the model is large and has experts.

    The closed form of pools is for requests at a steady random rate; engines batch continuously in them.
    """
    serving = scenario.serving
    if serving is None or serving.pools == "together" or not _is_of_streams(serving, context):
        return False
    if serving.traffic.arrivals not in ("poisson", "gamma"):
        return False
    if serving.pools == "separate":
        return True
    parameters = model_parameters(scenario.model)
    return parameters.routed_experts > 0 and parameters.total >= LARGE_MODEL_PARAMETERS


def drafts_tried(scenario: Scenario, context: Context) -> tuple[int, ...]:
    """Numbers of draft tokens that the search tries beside none: where the checkpoint brings layers that draft and the
    planner leaves the number open."""
    serving, head = scenario.serving, scenario.model.drafts
    if serving is None or serving.engine.speculative_tokens is not None or not _is_of_streams(serving, context):
        return ()
    is_shipped = head is not None and head.kind == "mtp"
    return DRAFT_TOKENS if is_shipped and not is_of_samples(serving, scenario.model) else ()


def has_pools_and_drafts(engine: str, context: Context) -> bool:
    """Whether an engine has options for both, by the launchers' releases."""
    launchers = context.calibration.launchers
    return any(one.id == engine and {flag.setting for flag in one.flags} >= SETTINGS_OF_BOTH for one in launchers)


def _is_of_streams(serving: ServingWorkload, context: Context) -> bool:
    engine = serving.engine
    return engine.batching not in ("static", "dynamic") and has_pools_and_drafts(engine.engine, context)


@dataclass(frozen=True)
class _Groups:
    """Rows of a table that run without a pipeline, by accelerator and formats."""

    rows: Integers
    of_row: Integers
    kept: Integers
    """Groups in their order, the cheapest per request first."""
    sizes: Integers
    """Rows of each group."""
    per_device: Floats
    """Rate of each row's replica at saturation, over its devices."""


def _groups(table: ServingTable, every: ServingCandidates) -> _Groups:
    """Groups of candidates that do not depend on the rate, so that load grids survive its edits."""
    runs = np.flatnonzero(table.fits & (every.pipeline_parallel == 1) & ~every.is_apart & (table.max_rate_per_s > 0))
    groups, of_row = np.unique(_kind(every.at(runs)), return_inverse=True)
    count = len(groups)
    # Per device paid for, since the share of those left over goes with the rate.
    is_sized = np.isfinite(table.devices[runs]) & (table.paid_devices[runs] > 0)
    used = np.where(is_sized, table.devices[runs] / table.paid_devices[runs], 1.0)
    full_usd = used * table.usd_per_device_hour[runs] * table.devices_per_replica[runs] / table.max_rate_per_s[runs]
    cheapest = np.full(count, np.inf)
    np.fmin.at(cheapest, of_row, np.nan_to_num(full_usd, nan=np.inf))
    kept = np.argsort(cheapest, kind="stable")[:MOST_GROUPS]
    sizes = np.bincount(of_row, minlength=count)
    return _Groups(runs, of_row, kept, sizes, table.max_rate_per_s[runs] / table.devices_per_replica[runs])


def pool_pairs(table: ServingTable) -> Variants:
    """The best layouts of each accelerator and formats, paired; those without a pipeline only.

    For prompts those with the highest rate per device, for answers these and the one of the most tensor parallelism,
    whose tokens come fastest.
    """
    every = ServingCandidates.of_table(table)
    groups = _groups(table, every)
    most = _first_of_groups(groups.of_row, -groups.per_device, LAYOUTS_EACH - 1)
    fastest = _first_of_groups(groups.of_row, -every.tensor_parallel[groups.rows].astype(np.float64), 1)
    first, then = [], []
    for group in groups.kept:
        decode = np.unique(np.concatenate([most[group], fastest[group]]))
        prefill = most[group][:PREFILL_LAYOUTS_EACH]
        first.append(np.repeat(prefill, len(decode)))
        then.append(np.tile(decode, len(prefill)))
    prefill_rows, decode_rows = (groups.rows[_joined(one)] for one in (first, then))
    paired = _paired(every, prefill_rows, decode_rows)
    return Variants(paired, int((groups.sizes**2).sum()) - len(decode_rows))


def drafted_layouts(table: ServingTable, pairs: Variants, drafts: tuple[int, ...]) -> Variants:
    """Pairs of pools for the first accelerators and formats, and the layouts with the highest rate per device, the
    most tensor parallelism, the fewest devices and the first places, each with every number of draft tokens."""
    every, apart = ServingCandidates.of_table(table), pairs.candidates
    groups = _groups(table, every)
    place = np.argsort(table.order).astype(np.float64)
    ranked = groups.of_row[np.argsort(place[groups.rows])]
    ahead = ranked[np.sort(np.unique(ranked, return_index=True)[1])][:DRAFTED_GROUPS]
    kept = np.union1d(groups.kept[:DRAFTED_GROUPS], ahead)
    keys = (-groups.per_device, -every.tensor_parallel[groups.rows].astype(np.float64),
            table.devices_per_replica[groups.rows].astype(np.float64), place[groups.rows])  # fmt: skip
    chosen = [_first_of_groups(groups.of_row, key, LAYOUTS_EACH) for key in keys]
    rows = groups.rows[np.unique(_joined([one[group] for one in chosen for group in kept]))]
    of_kept = np.isin(_kind(apart), _kind(every.at(groups.rows[np.isin(groups.of_row, kept)])))
    parts = [
        replace(one.at(np.repeat(own, len(drafts))), draft_tokens=np.tile(drafts, len(own)))
        for one, own in ((every, rows), (apart, np.flatnonzero(of_kept)))
    ]
    tried = ServingCandidates(*(np.concatenate(columns) for columns in zip(*(vars(one).values() for one in parts))))
    return Variants(tried, len(drafts) * (len(groups.rows) - len(rows)))


def _kind(some: ServingCandidates) -> Integers:
    """A number for each accelerator and formats."""
    return (some.accelerator * len(PRECISIONS) + some.weight_precision) * len(PRECISIONS) + some.kv_precision


def _joined(positions: list[Integers]) -> Integers:
    return np.concatenate([np.zeros(0, np.int64), *positions])


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
