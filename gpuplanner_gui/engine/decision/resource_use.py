"""How much of each resource a candidate uses while its devices work, 0 to 1; and what a device's price buys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.plan import Plan, ServingTable, TrainingTable, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context, kept_in_context
from gpuplanner_gui.engine.cost.prices import OwnedPrices
from gpuplanner_gui.engine.cost.resources import NOTHING_USED, Resources, resource_cost_shares
from gpuplanner_gui.engine.fleet.service_need import ServiceNeed, service_week
from gpuplanner_gui.engine.model.table_memory import SERVING_MEMORY, TRAINING_MEMORY
from gpuplanner_gui.engine.training.communication import cluster_for


@kept_in_context()
def owned_of(context: Context, economics: Economics) -> OwnedPrices:
    """Every accelerator of the catalogue as its owner pays for it."""
    return context.price_book.owned(economics)


def cost_shares(context: Context, economics: Economics, procurement: Procurement, accelerator: int) -> Resources:
    """Shares of cost of an accelerator; they sum to 1.

    Owners pay for the network that their terms state; nobody sells the links of what is rented apart. A device without
    scale-up links spends nothing on them. Where no price is known, a node of unit price stands in.
    """
    node, entry = float(owned_of(context, economics).node_usd[accelerator]), context.accelerators[accelerator]
    is_priced, is_owned = not np.isnan(node), procurement == "own"
    has_ports = not np.isnan(context.devices.scale_out_bytes_per_s[accelerator])
    split = context.calibration.economics.resource_split.centrals()
    own = economics.ownership
    return resource_cost_shares(
        node if is_priced else 1.0,
        central(own.network_usd_per_device) if is_priced and is_owned else 0.0,
        central(own.storage_usd_per_device) if is_priced else 0.0,
        split["device_share_of_node"],
        split["scale_up_share_of_node"] if entry.scale_up is not None and is_owned else 0.0,
        split["scale_out_share_of_node"] if has_ports and is_owned else 0.0,
        split["memory_share_of_device"],
        split["capacity_share_of_memory"],
    )


FULL_GRADIENT_TRIPS, SHARDED_TRIPS = 2.0, 3.0
"""Bytes that data parallelism moves, over those of the weights: an all-reduce, or two gathers and a scatter."""


def reading_share(table: ServingTable, rows: Sequence[int]) -> Floats:
    """Share of the busy time in which prompts are read, shape (rows,): of separate pools that of their workers, and
    nothing where requests are no tokens. [1]"""
    at = np.asarray(rows, np.int64)
    first, then = table.prefill_workers[at], table.decode_workers[at]
    share = np.where(first > 0, first / np.maximum(first + then, 1), table.max_rate_per_s[at] * table.prefill_s[at])
    return np.where(np.isfinite(table.output_tokens_per_s_per_device[at]), np.clip(np.nan_to_num(share), 0.0, 1.0), 0.0)


def serving_use(scenario: Scenario, plan: Plan, row: int) -> Resources:
    """Use while a service holds its devices: of the time that replicas are busy, by what bounds their steps.

    Prompts are read at the rate of compute; decode steps divide as in the plan. Memory holds weights and the cache of
    the planned load all the time. A row of -1 uses nothing.
    """
    if row < 0:
        return NOTHING_USED
    of = _columns_at(plan.served.table, row)
    step, rate = of("decode_step_s"), _rate_of_a_replica(scenario, plan, row)
    busy = min(_ratio(rate, of("max_rate_per_s")), 1.0)
    prefill = busy * float(reading_share(plan.served.table, (row,))[0])
    decode = busy - prefill
    memory = sum(of(name) for name in SERVING_MEMORY)
    return _up_to_one(
        prefill + decode * _ratio(of("decode_compute_s"), step),
        decode * _ratio(of("decode_bandwidth_s"), step),
        _ratio(memory, of("memory_capacity_bytes")),
        decode * _ratio(of("decode_interconnect_s"), step),
        decode * _ratio(of("decode_host_s"), step),
    )


def _columns_at(table: ServingTable | TrainingTable, row: int) -> Callable[[str], float]:
    """Columns at a row, by name; 0 where nothing is known."""
    return lambda name: float(np.nan_to_num(float(column(table, name)[row])))


def _rate_of_a_replica(scenario: Scenario, plan: Plan, row: int) -> float:
    """Mean requests over the replicas that are held hour by hour: what is not whole, and spares, stand idle. [1/s]"""
    profile = service_week(scenario.service.traffic).ravel() * plan.served.peak_rate_per_s
    need = ServiceNeed.of(plan.served, np.array([row]), scenario.service)
    held = float(need.along(profile).sum())
    return float(profile.sum()) / max(held, 1.0) if np.isfinite(held) and held > 0 else 0.0


def training_use(scenario: Scenario, plan: Plan, context: Context, row: int) -> Resources:
    """Use while a run holds its devices: model FLOPs over peak, time of the other resources over the step.

    Interconnect counts exchanges also where computing hides them. A row of -1 uses nothing.
    """
    if row < 0:
        return NOTHING_USED
    table = plan.trained.table
    of = _columns_at(table, row)
    step = of("step_time_s")
    exchanged = max(of("data_communication_s"), _data_exchange_s(scenario, context, int(table.accelerator[row]), of))
    links = of("tensor_communication_s") + of("pipeline_communication_s") + of("expert_communication_s") + exchanged
    return _up_to_one(
        of("hfu"),
        _ratio(of("bandwidth_s"), step),
        _ratio(sum(of(name) for name in TRAINING_MEMORY), of("memory_capacity_bytes")),
        _ratio(links, step),
        _ratio(of("host_s") + of("input_s"), step),
    )


def _data_exchange_s(scenario: Scenario, context: Context, who: int, of: Callable[[str], float]) -> float:
    """Time that the exchange of gradients takes on the links, hidden or not. [s]"""
    cluster = cluster_for(context.catalog, scenario.hardware)
    copies = max(of("data_parallel"), 1.0)
    trips = SHARDED_TRIPS * copies if of("zero_stage") >= 3 else FULL_GRADIENT_TRIPS
    moved = of("weights_bytes") * trips * (copies - 1) / copies
    is_inside = of("devices") <= cluster.domain_devices[who]
    rate = cluster.scale_up_bytes_per_s[who] if is_inside else cluster.network_bytes_per_s[who]
    return _ratio(moved, float(rate))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else 0.0


def _up_to_one(*uses: float) -> Resources:
    return Resources(*(min(max(one, 0.0), 1.0) for one in uses))
