"""Switches, links and optics of a fat-tree network, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.cost.finance import Values
from gpuplanner_gui.engine.formula import formula


@dataclass(frozen=True)
class FatTree:
    """Parts of a folded Clos network of equal switches. NaN everywhere where three tiers do not reach. [1]"""

    tiers: NDArray[np.float64]
    leaf_switches: NDArray[np.float64]
    spine_switches: NDArray[np.float64]
    core_switches: NDArray[np.float64]
    endpoint_links: NDArray[np.float64]
    switch_links: NDArray[np.float64]

    @property
    def switches(self) -> NDArray[np.float64]:
        count: NDArray[np.float64] = self.leaf_switches + self.spine_switches + self.core_switches
        return count

    @property
    def links(self) -> NDArray[np.float64]:
        count: NDArray[np.float64] = self.endpoint_links + self.switch_links
        return count


@dataclass(frozen=True)
class FabricCapital:
    """What a network costs to buy. [USD]"""

    switches_usd: Values
    optics_usd: Values
    cables_usd: Values
    nics_usd: Values

    @property
    def total(self) -> Values:
        return self.switches_usd + self.optics_usd + self.cables_usd + self.nics_usd


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
    title="Cost of the network",
    unit="USD",
    expression="switches·price + links·2·optical_share·optic price + links·cable price + endpoints·NIC price",
    source="sum of the parts; an optical link has a module at each end",
)
def fabric_capital_usd(
    tree: FatTree,
    switch_usd: Values,
    optic_usd: Values,
    cable_usd: Values,
    nic_usd: Values,
    optical_share: Values,
) -> FabricCapital:
    """What a fat tree costs to buy, by part; `optical_share` of the links need a module at each end. [USD]"""
    return FabricCapital(
        tree.switches * switch_usd,
        tree.links * 2 * optical_share * optic_usd,
        tree.links * cable_usd,
        tree.endpoint_links * nic_usd,
    )


def _leaf_down_ports(ports: Values, oversubscription: Values) -> NDArray[np.float64]:
    k, ratio = np.asarray(ports, float), np.asarray(oversubscription, float)
    down: NDArray[np.float64] = np.floor(k * ratio / (1 + ratio))
    return down
