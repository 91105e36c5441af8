"""What a fleet's money buys, compute, bandwidth, memory, interconnect, host and storage, and how much of it is used."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.decision import ResourceMoney
from gpuplanner_gui.engine.cost.ownership import Values
from gpuplanner_gui.engine.explaining.formula import formula


@dataclass(frozen=True)
class Resources:
    """One figure for each of the five resources: a share of cost, a use from 0 to 1, or dollars."""

    compute: Values
    bandwidth: Values
    capacity: Values
    interconnect: Values
    host_and_storage: Values

    @property
    def total(self) -> Values:
        return self.compute + self.bandwidth + self.capacity + self.interconnect + self.host_and_storage

    def stacked(self) -> NDArray[np.float64]:
        """Resources on the first axis, in the order of `RESOURCES`."""
        return np.stack(np.broadcast_arrays(*(np.asarray(getattr(self, name), float) for name in RESOURCES)))

    def of(self, index: int) -> Resources:
        """The figures of one hardware option."""
        return Resources(*(float(value[index]) for value in self.stacked()))


RESOURCES = tuple(field.name for field in fields(Resources))


@dataclass(frozen=True)
class ResourceAccount:
    """What was paid for each resource, and the part of it that did work."""

    paid: ResourceMoney
    used: ResourceMoney


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
    node_usd: Values,
    network_usd: Values,
    storage_usd: Values,
    device_share_of_node: Values,
    scale_up_share_of_node: Values,
    scale_out_share_of_node: Values,
    memory_share_of_device: Values,
    capacity_share_of_memory: Values,
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
    total = np.asarray(node_usd + network_usd + storage_usd, float)
    return Resources(
        (device - memory) / total,
        memory * (1 - capacity_share_of_memory) / total,
        memory * capacity_share_of_memory / total,
        interconnect / total,
        host / total,
    )


def resource_account(
    usd: float, shares: Resources, paid_hours: float, worked_hours: tuple[tuple[float, Resources], ...]
) -> ResourceAccount:
    """Split a fleet's cost by resource, and find what of each did work.

    Parameters
    ----------
    usd : cost of the fleet. [USD]
    shares : how its cost divides, summing to 1. [1]
    paid_hours : device-hours paid for. [h]
    worked_hours : for each workload the device-hours it ran [h] and its use of each resource meanwhile, 0 to 1.
    """
    paid = shares.stacked() * usd
    busy = sum((hours * use.stacked() for hours, use in worked_hours), np.zeros(len(RESOURCES)))
    use = busy / paid_hours if paid_hours > 0 else np.zeros(len(RESOURCES))
    return ResourceAccount(ResourceMoney(*paid.tolist()), ResourceMoney(*(paid * np.clip(use, 0.0, 1.0)).tolist()))
