"""Fleets against what a site feeds and cools: power of a rack, power in all, kind of cooling."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.cost.energy import WATTS_PER_KW, FacilityFit, facility_fit
from gpuplanner_gui.engine.cost.prices import DevicePrices


def has_limits(scenario: Scenario) -> bool:
    """Whether anything about the site is stated."""
    hardware = scenario.hardware
    is_limited = hardware.max_kw_per_rack is not None or hardware.max_kw_total is not None
    return is_limited or bool(hardware.cooling and "liquid" not in hardware.cooling)


def held_devices(
    node_devices: Floats | float, devices: Floats | float, paid: Floats | float, unit: Floats | float
) -> Floats:
    """Devices of one node: a board draws its power however many of it work; cards fill a node as far as they go."""
    return np.asarray(np.maximum(np.minimum(node_devices, devices), np.minimum(unit, paid)))


def site_fit(
    scenario: Scenario,
    prices: DevicePrices,
    node_devices: Floats,
    who: Integers,
    devices: Floats,
    paid_devices: Floats,
    unit_devices: Floats,
) -> FacilityFit:
    """Hold fleets against the site: of each its accelerator, devices in use and paid for, and those of a unit sold.

    `node_devices` is by accelerator. Devices of which it is not known how they are sold are paid for one by one.
    """
    hardware = scenario.hardware
    paid, unit = (np.where(np.isfinite(one), one, devices) for one in (paid_devices, unit_devices))
    held = np.maximum(held_devices(node_devices[who], devices, paid, unit), 1.0)
    needs_liquid = (prices.is_liquid_cooled[who] & ~prices.is_air_cooled[who]).astype(np.float64)
    return facility_fit(
        np.ceil(paid / held), prices.rated_power_w[who] * held, needs_liquid,
        (hardware.max_kw_per_rack or np.inf) * WATTS_PER_KW, (hardware.max_kw_total or np.inf) * WATTS_PER_KW,
        central(scenario.economics.site.pue), not hardware.cooling or "liquid" in hardware.cooling,
    )  # fmt: skip
