"""The network between owned boxes: a fat tree of equal switches, and what its switches and links cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Values
from gpuplanner_gui.engine.explaining.formula import formula

SWITCH_PORTS = 64


@dataclass(frozen=True)
class FatTree:
    """Parts of a folded Clos network of equal switches. NaN everywhere where three tiers do not reach. [1]"""

    tiers: NDArray[np.float64]
    leaf_switches: NDArray[np.float64]
    spine_switches: NDArray[np.float64]
    core_switches: NDArray[np.float64]
    endpoint_links: NDArray[np.float64]
    switch_links: NDArray[np.float64]

    def beyond(self, standing: FatTree) -> FatTree:
        """What has to be added to a smaller tree that stands already."""
        own, less = (np.array(list(vars(one).values())[1:]) for one in (self, standing))
        return FatTree(self.tiers, *(own - less))

    @property
    def switches(self) -> NDArray[np.float64]:
        return np.asarray(self.leaf_switches + self.spine_switches + self.core_switches, np.float64)

    @property
    def links(self) -> NDArray[np.float64]:
        return np.asarray(self.endpoint_links + self.switch_links, np.float64)


@formula(
    title="Most endpoints of a fat tree",
    unit="1",
    expression="1 tier: k; 2 tiers: k²/2; 3 tiers: k³/4, times 2·s/(1 + s) for an oversubscription s",
    source="Al-Fares, Loukissas and Vahdat 2008, section 2.2",
)
def fat_tree_endpoint_limit(ports: Values, tiers: Values, oversubscription: Values = 1.0) -> NDArray[np.float64]:
    """Endpoints that switches of `ports` ports reach with one, two or three tiers. [1]

    `oversubscription` is down-link over up-link bandwidth of the leaf switches, 1 for a non-blocking network.
    """
    half = np.asarray(ports, float) / 2
    down = _leaf_down_ports(ports, oversubscription)
    return np.where(np.equal(tiers, 1), ports, np.where(np.equal(tiers, 2), ports * down, ports * half * down))


@formula(
    title="Fat tree",
    unit="1",
    expression="leaves n/d, spine u·leaves/k, third tier: spine 2·u·leaves/k, core u·leaves/k; d + u = k ports",
    source="Al-Fares, Loukissas and Vahdat 2008, section 2.2",
)
def fat_tree(endpoints: Values, ports: Values, oversubscription: Values = 1.0) -> FatTree:
    """Switches and links for some endpoints, with as few tiers as reach them.

    Parameters
    ----------
    endpoints : network ports of nodes, one per NIC port. [1]
    ports : ports of one switch at the endpoints' rate. [1]
    oversubscription : down-link over up-link bandwidth of the leaves, at least 1. [1]

    Notes
    -----
    Counts are rounded up, tier by tier. Multi-rail networks have the same counts.

    Examples
    --------
    >>> float(fat_tree(1024, 64).switches)
    48.0
    """
    n, k, ratio = np.broadcast_arrays(*(np.asarray(x, float) for x in (endpoints, ports, oversubscription)))
    tiers = np.select([n <= fat_tree_endpoint_limit(k, t, ratio) for t in (1.0, 2.0, 3.0)], [1.0, 2.0, 3.0], np.nan)
    down = _leaf_down_ports(k, ratio)
    leaves = np.where(tiers == 1, 1.0, np.ceil(n / down))
    uplinks = np.ceil(n / ratio)
    spines = np.where(tiers == 2, np.ceil(uplinks / k), np.ceil(uplinks / (k / 2)))
    cores = np.ceil(uplinks / k)
    reached = np.where(np.isnan(tiers), np.nan, 1.0)
    return FatTree(
        tiers,
        leaves * reached,
        np.where(tiers == 1, 0.0, spines) * reached,
        np.where(tiers == 3, cores, 0.0) * reached,
        n * reached,
        uplinks * (tiers - 1),
    )


@formula(
    title="Cost of a fabric per device",
    unit="USD",
    expression="full_usd·rate_share·(switch_share·switches·64/(3·devices) + (1 − switch_share)·links/(2·devices))",
    source="parts of a fat tree of 64-port switches, against a full tree of two tiers: three switch ports and two "
    "links per device",
)
def fabric_usd_per_device(
    full_usd: float, rate_share: Values, devices: Values, oversubscription: Values, switch_share: float
) -> NDArray[np.float64]:
    """Switches and links of a fat tree over its devices, against the full tree that `full_usd` pays for. [USD]

    Beyond three tiers the price of a full tree of three stands.

    Examples
    --------
    >>> float(fabric_usd_per_device(4_000.0, 1.0, 2_048.0, 1.0, 0.44))
    4000.0
    """
    reached = np.minimum(devices, fat_tree_endpoint_limit(SWITCH_PORTS, 3.0, oversubscription))
    tree = fat_tree(reached, SWITCH_PORTS, oversubscription)
    switch_usd, link_usd = fabric_unit_usd(full_usd, rate_share, switch_share)
    return np.asarray((tree.switches * switch_usd + tree.links * link_usd) / reached, np.float64)


def fabric_unit_usd(
    full_usd: float, rate_share: Values, switch_share: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Price of one switch, and of one link: a cable with the modules at both ends. [USD]"""
    full = np.asarray(full_usd * np.asarray(rate_share), np.float64)
    return full * switch_share * SWITCH_PORTS / 3, full * (1 - switch_share) / 2


def _leaf_down_ports(ports: Values, oversubscription: Values) -> NDArray[np.float64]:
    k, ratio = np.asarray(ports, float), np.asarray(oversubscription, float)
    return np.asarray(np.floor(k * ratio / (1 + ratio)), np.float64)
