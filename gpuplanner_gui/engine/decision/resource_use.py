"""How much of each resource a candidate uses while its devices work: 0 to 1, one value per candidate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.plan import Plan, ServingTable, TrainingTable, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context, kept_in_context
from gpuplanner_gui.engine.cost.prices import OwnedPrices
from gpuplanner_gui.engine.cost.resources import Resources, resource_cost_shares
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed
from gpuplanner_gui.engine.fleet.service_week import service_week
from gpuplanner_gui.engine.model.table_memory import SERVING_MEMORY, TRAINING_MEMORY
from gpuplanner_gui.engine.training.communication import cluster_for


@kept_in_context()
def owned_of(context: Context, economics: Economics) -> OwnedPrices:
    """Every accelerator of the catalogue as its owner pays for it."""
    return context.price_book.owned(economics)


@kept_in_context()
def cost_shares(context: Context, economics: Economics, procurement: Procurement) -> Resources:
    """Shares of cost of every accelerator; they sum to 1.

    Owners pay for the network that their terms state; nobody sells the links of what is rented apart. A device without
    scale-up links spends nothing on them. Where no price is known, a node of unit price stands in.
    """
    owned = owned_of(context, economics)
    node = np.where(np.isnan(owned.node_usd), 1.0, owned.node_usd)
    network = np.broadcast_to(np.asarray(central(economics.ownership.network_usd_per_device), float), node.shape)
    storage = np.broadcast_to(np.asarray(central(economics.ownership.storage_usd_per_device), float), node.shape)
    is_owned = procurement == "own"
    network = network * is_owned
    priced = ~np.isnan(owned.node_usd)
    split = context.calibration.economics.resource_split.centrals()
    has_links = np.array([entry.scale_up is not None and is_owned for entry in context.accelerators], bool)
    has_ports = ~np.isnan(context.devices.scale_out_bytes_per_s) & np.bool_(is_owned)
    return resource_cost_shares(
        node,
        np.where(priced, network, 0.0),
        np.where(priced, storage, 0.0),
        split["device_share_of_node"],
        np.where(has_links, split["scale_up_share_of_node"], 0.0),
        np.where(has_ports, split["scale_out_share_of_node"], 0.0),
        split["memory_share_of_device"],
        split["capacity_share_of_memory"],
    )


Rows = NDArray[np.int64]

FULL_GRADIENT_TRIPS, SHARDED_TRIPS = 2.0, 3.0
"""Bytes that data parallelism moves, over those of the weights: an all-reduce, or two gathers and a scatter."""


def serving_use(scenario: Scenario, plan: Plan, rows: Rows) -> Resources:
    """Use while a service holds its devices: of the time that replicas are busy, by what bounds their steps.

    Prompts are read at the rate of compute; decode steps divide as in the plan. Memory holds weights and the cache of
    the planned load all the time. Rows of -1 use nothing.
    """
    if plan.serving is None or scenario.serving is None or not len(rows):
        return _nothing(len(rows))
    of = _columns_of(plan.serving.table, rows)
    step, rate = of("decode_step_s"), _rate_of_a_replica(scenario, plan, rows)
    busy = np.minimum(_ratio(rate, of("max_rate_per_s")), 1.0)
    prefill = np.minimum(busy, rate * of("prefill_s"))
    decode = busy - prefill
    return Resources(
        np.clip(prefill + decode * _ratio(of("decode_compute_s"), step), 0, 1),
        np.clip(decode * _ratio(of("decode_bandwidth_s"), step), 0, 1),
        np.clip(_ratio(np.sum([of(name) for name in SERVING_MEMORY], axis=0), of("memory_capacity_bytes")), 0, 1),
        np.clip(decode * _ratio(of("decode_interconnect_s"), step), 0, 1),
        np.clip(decode * _ratio(of("decode_host_s"), step), 0, 1),
    )


def _columns_of(table: ServingTable | TrainingTable, rows: Rows) -> Callable[[str], Floats]:
    """Columns at some rows, by name; 0 where nothing is known, and for rows of -1."""
    return lambda name: np.where(rows >= 0, np.nan_to_num(np.asarray(column(table, name), float))[rows], 0.0)


def _rate_of_a_replica(scenario: Scenario, plan: Plan, rows: Rows) -> Floats:
    """Mean requests over the replicas that are held hour by hour: what is not whole, and spares, stand idle. [1/s]"""
    profile = service_week(scenario.service.traffic).ravel() * plan.served.peak_rate_per_s
    held = ServiceNeed.of(plan.served, rows, scenario.service.availability).along(profile).sum(axis=1)
    return np.where(np.isfinite(held) & (held > 0), profile.sum() / np.maximum(held, 1.0), 0.0)


def training_use(scenario: Scenario, plan: Plan, context: Context, rows: Rows) -> Resources:
    """Use while a run holds its devices: model FLOPs over peak, time of the other resources over the step.

    Interconnect counts exchanges also where computing hides them. Rows of -1 use nothing.
    """
    if plan.training is None or not len(rows):
        return _nothing(len(rows))
    table, of = plan.training.table, _columns_of(plan.training.table, rows)
    step = of("step_time_s")
    exchanged = np.maximum(of("data_communication_s"), _data_exchange_s(scenario, context, table, rows, of))
    links = of("tensor_communication_s") + of("pipeline_communication_s") + of("expert_communication_s") + exchanged
    return Resources(
        np.clip(of("hfu"), 0, 1),
        np.clip(_ratio(of("bandwidth_s"), step), 0, 1),
        np.clip(_ratio(np.sum([of(name) for name in TRAINING_MEMORY], axis=0), of("memory_capacity_bytes")), 0, 1),
        np.clip(_ratio(links, step), 0, 1),
        np.clip(_ratio(of("host_s") + of("input_s"), step), 0, 1),
    )


def _data_exchange_s(scenario: Scenario, context: Context, table: Any, rows: Rows, of: Any) -> Floats:
    """Time that the exchange of gradients takes on the links, hidden or not. [s]"""
    cluster = cluster_for(context.catalog, scenario.hardware)
    who = table.accelerator[np.maximum(rows, 0)]
    copies = np.maximum(of("data_parallel"), 1.0)
    is_sharded = of("zero_stage") >= 3
    moved = of("weights_bytes") * np.where(is_sharded, SHARDED_TRIPS * copies, FULL_GRADIENT_TRIPS)
    moved = moved * (copies - 1) / copies
    inside = of("devices") <= cluster.domain_devices[who]
    rate = np.where(inside, cluster.scale_up_bytes_per_s[who], cluster.network_bytes_per_s[who])
    return np.where(rows >= 0, _ratio(moved, rate), 0.0)


def _ratio(part: Floats, whole: Floats) -> Floats:
    return np.divide(part, whole, out=np.zeros(np.shape(part)), where=whole > 0)


def _nothing(count: int) -> Resources:
    return Resources(*(np.zeros(count) for _ in range(5)))
