"""What a fleet's money buys, compute, bandwidth, memory, interconnect, host and storage, and how much of it is used."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gpuplanner_gui.domain.decision import ResourceMoney
from gpuplanner_gui.engine.explaining.formula import formula


class Resources(NamedTuple):
    """One figure for each of the five resources, in the order of `ResourceMoney`: a share of cost, or a use from 0
    to 1."""

    compute: float
    bandwidth: float
    capacity: float
    interconnect: float
    host_and_storage: float


NOTHING_USED = Resources(0.0, 0.0, 0.0, 0.0, 0.0)


@formula(
    title="Share of cost by resource",
    unit="1",
    expression=(
        "device·(1 − memory) → compute; device·memory·(1 − capacity) → bandwidth; device·memory·capacity → capacity; "
        "scale-up, NICs and network → interconnect; the rest → host and storage"
    ),
    source="capital by part; HBM against ordinary memory of the same size tells bandwidth from capacity",
)
def resource_cost_shares(
    node_usd: float,
    network_usd: float,
    storage_usd: float,
    device_share_of_node: float,
    scale_up_share_of_node: float,
    scale_out_share_of_node: float,
    memory_share_of_device: float,
    capacity_share_of_memory: float,
) -> Resources:
    """How each dollar of a fleet divides among the resources that it buys; the shares sum to 1.

    Parameters
    ----------
    node_usd, network_usd, storage_usd : capital per device. [USD]
    device_share_of_node, scale_up_share_of_node, scale_out_share_of_node : accelerators, links inside the scale-up
        domain, network cards, each as a share of the node's price, together at most 1. [1]
    memory_share_of_device : of the accelerator's price. [1]
    capacity_share_of_memory : what ordinary memory of the same size would cost over what this one does. [1]

    Notes
    -----
    Power, space and staff are spread like the capital. Devices without fast memory have a capacity share near 1.
    """
    device = node_usd * device_share_of_node
    memory = device * memory_share_of_device
    links = node_usd * (scale_up_share_of_node + scale_out_share_of_node)
    interconnect = links + network_usd
    host = node_usd - device - links + storage_usd
    total = node_usd + network_usd + storage_usd
    return Resources(
        (device - memory) / total,
        memory * (1 - capacity_share_of_memory) / total,
        memory * capacity_share_of_memory / total,
        interconnect / total,
        host / total,
    )


def resource_account(
    usd: float, shares: Resources, paid_hours: float, worked_hours: tuple[tuple[float, Resources], ...]
) -> tuple[ResourceMoney, ResourceMoney]:
    """What was paid for each resource of a fleet, and the part of it that did work.

    Parameters
    ----------
    usd : cost of the fleet. [USD]
    shares : how its cost divides, summing to 1. [1]
    paid_hours : device-hours paid for. [h]
    worked_hours : for each workload the device-hours it ran [h] and its use of each resource meanwhile, 0 to 1.
    """
    paid = np.array(shares) * usd
    busy = sum((hours * np.array(use) for hours, use in worked_hours), np.zeros(len(paid)))
    use = busy / paid_hours if paid_hours > 0 else np.zeros(len(paid))
    return ResourceMoney(*paid.tolist()), ResourceMoney(*(paid * np.clip(use, 0.0, 1.0)).tolist())
