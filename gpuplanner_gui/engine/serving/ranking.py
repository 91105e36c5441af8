"""Which serving candidate comes first, and plans over different candidates of one scenario as one."""

from __future__ import annotations

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.measurement import EvidenceKind
from gpuplanner_gui.domain.plan import Reason, ServingPlan, ServingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX, cache_bytes_per_value, weight_bytes_per_value

OVER_SITE = (Reason.OVER_POWER, Reason.COOLING)
AS_CHEAP = 1.01
"""Cost over the least that is as good as the same: fleets of whole nodes often cost the same but for their power. Our
choice."""
DOUBT = 1.15
"""So many times as dear may a device be that is preferred to one of which nobody has timed any of its kind. Our choice:
a verdict on such a device stays uncertain."""
UNPACKED = 1e-3
"""Less than any format drops. [bytes]"""
AS_NEAR = 1.1
"""Candidates that miss a target at the confidence by no more than this over the least are as near as any. Our choice:
well within what a prediction of their times is sure of."""


def merged(
    scenario: Scenario, context: Context, parts: tuple[ServingPlan, ...], places: Integers | None = None
) -> ServingPlan:
    """Plans over different candidates of one scenario as one, ranked anew; rows in the order of `places`."""
    columns = {}
    for name in ServingTable.__struct_fields__:
        column = np.concatenate([getattr(part.table, name) for part in parts])
        columns[name] = column if places is None else column[places]
    columns["order"] = np.zeros(len(columns["reason"]), np.int64)
    table = ServingTable(**columns)
    order = ranking(scenario, table, price_tier(scenario, context, table))
    table = msgspec.structs.replace(table, order=order)
    sizes = np.cumsum([0, *(len(part.table.reason) for part in parts)])
    row = int(order[0])
    own = row if places is None else int(np.asarray(places)[row])
    part = int(np.searchsorted(sizes, own, side="right") - 1)
    return msgspec.structs.replace(parts[part], table=table, best=row if table.fits[row] else -1)


def price_tier(scenario: Scenario, context: Context, table: ServingTable) -> Integers:
    """0 where several providers ask a price, or none has to be paid; 1 where few do, 2 without one."""
    economics = scenario.economics
    prices = context.prices(economics, economics.serving_procurement, context.site_of(scenario, scenario.serving))
    added = prices.added_devices(table.accelerator, table.devices, table.devices_per_replica)
    is_borne_out = prices.is_borne_out_for(table.accelerator, added)
    return np.where(table.reason == Reason.NO_PRICE, 2, np.where(is_borne_out, 0, 1))


def ranking(scenario: Scenario, table: ServingTable, price_tier: Integers) -> Integers:
    """Those that meet every target at the confidence by cost, where few providers ask a price last, then those that
    only more replicas than is sensible would make sure enough, those without a price by devices, those of less
    confidence and the others, each by nearness and then by cost.

    Of those that come about as near to the confidence as any, the cheapest is first: none may be sold as enough, and a
    fleet of ten times the price for two hundredths is nobody's second choice.
    """
    reason, devices = table.reason, table.devices_per_replica
    is_good = (reason == Reason.NONE) | (reason == Reason.NO_PRICE)
    nearest = (
        Reason.BELOW_CONFIDENCE, Reason.OVER_POWER, Reason.COOLING, Reason.MISSES_TARGET, Reason.NOT_MEASURED
    )  # fmt: skip
    tiers = np.arange(len(Reason)) + 5 + len(nearest)
    tiers[list(nearest)] = 5 + np.arange(len(nearest))
    is_unsure = reason == Reason.BELOW_CONFIDENCE
    over = np.fmax(table.reason_value, 1.0)
    least = np.min(over, where=is_unsure, initial=np.inf)
    near = np.where((over <= 1.0) & np.isfinite(table.usd_per_hour), 2, 4)
    tiers_or_near = np.where(is_unsure & (over <= AS_NEAR * least), near, tiers[reason])
    group = np.where(is_good, np.where(price_tier == 2, 3, price_tier), tiers_or_near)
    fleet = table.replicas * devices
    key = np.where(group == 3, fleet, np.where(group <= 4, table.usd_per_hour, table.reason_value))
    key = np.nan_to_num(key, nan=np.inf)
    priced, others = np.flatnonzero(group < 2), np.flatnonzero(group >= 2)
    usd = np.nan_to_num(table.usd_per_hour[others], nan=np.inf)
    narrow = (table.kv_precision[others], table.weight_precision[others], devices[others])
    order = np.lexsort((*narrow, usd, key[others], group[others]))
    return np.concatenate([cheapest_first(scenario, table, priced, price_tier), others[order]])


def cheapest_first(scenario: Scenario, table: ServingTable, rows: Integers, price_tier: Integers) -> Integers:
    """Those of `rows`, which meet every target and have a price, by cost, where few providers ask a price last.

    Of those that cost as good as the least, one that runs bear out comes before one that none do, then the one that
    narrows weights and cache least, uses the fewest devices, has the smallest replicas, and is the fastest: nobody
    doubts a model's answers to save the power of one device.
    """
    usd, tier = usd_with_doubt(scenario, table)[rows], price_tier[rows]
    first = tier == tier.min(initial=2)
    least = np.min(usd, where=first, initial=np.inf)
    is_cheapest = first & (usd <= AS_CHEAP * least)
    unseen = table.evidence_kind[rows] > EvidenceKind.PUBLISHED
    weights, cache = (one[rows] for one in _bytes_dropped(scenario, table))
    slow = np.nan_to_num(table.e2e_mean_s[rows], nan=np.inf)
    each = table.devices_per_replica[rows]
    used = table.replicas[rows] * each
    judged = (np.where(is_cheapest, one, 0) for one in (slow, each, used, cache, weights, unseen))
    narrow = (table.kv_precision[rows], table.weight_precision[rows], each)
    return rows[np.lexsort((*narrow, usd, *judged, np.where(is_cheapest, least, usd), tier))]


def usd_with_doubt(scenario: Scenario, table: ServingTable) -> Floats:
    """Cost by which candidates that meet every target are compared: what is known by its datasheet alone counts as
    dearer, unless the planner named devices. [USD/h]"""
    is_doubted = (table.evidence_kind == EvidenceKind.DATASHEET) & (not scenario.hardware.accelerators)
    return np.asarray(table.usd_per_hour * np.where(is_doubted, DOUBT, 1.0))


def _bytes_dropped(scenario: Scenario, table: ServingTable) -> tuple[Floats, Floats]:
    """Bytes per value that weights and KV cache have less than the makers publish: 16 bits, or the model's own format.

    Weights unpacked from that format are no better than packed, so they come right after it.
    """
    held, cache = weight_bytes_per_value(), np.maximum(2 - cache_bytes_per_value(), 0.0)
    own = scenario.model.weight_format.quantized
    published = 2.0 if own is None else held[PRECISION_INDEX[own]]
    weights = np.maximum(published - held, 0.0 if own is None else UNPACKED)
    if own is not None:
        weights[PRECISION_INDEX[own]] = 0.0
    return weights[table.weight_precision], cache[table.kv_precision]
