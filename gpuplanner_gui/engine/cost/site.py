"""What of a fleet stands at the planner's site, against what that feeds and cools: rack, power in all, cooling."""

from __future__ import annotations

import math

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.cost.energy import WATTS_PER_KW, FacilityFit, facility_fit
from gpuplanner_gui.engine.cost.prices import DevicePrices, PriceBook, needs_liquid
from gpuplanner_gui.engine.cost.units import owned_size


def has_limits(scenario: Scenario) -> bool:
    """Whether anything about the site is stated."""
    hardware = scenario.hardware
    is_limited = hardware.max_kw_per_rack is not None or hardware.max_kw_total is not None
    return is_limited or bool(hardware.cooling and "liquid" not in hardware.cooling)


def fed_devices(scenario: Scenario, device: PriceBook, node_devices: int, owned: int) -> int:
    """Of so many owned devices of one kind, those that the site feeds and cools: whole boards of what is sold on
    boards, any number of cards, in nodes of so many."""
    hardware, rated_w = scenario.hardware, float(device.rated_power_w[0])
    if hardware.cooling and "liquid" not in hardware.cooling and needs_liquid(device.cooling[0]):
        return 0
    total_w = (hardware.max_kw_total or math.inf) * WATTS_PER_KW / central(scenario.economics.site.pue)
    rack_w = (hardware.max_kw_per_rack or math.inf) * WATTS_PER_KW
    in_node, in_all = (limit_w / rated_w * (1 + 1e-9) for limit_w in (rack_w, total_w))
    most = in_all if in_node >= node_devices else min(in_node, in_all)  # One node that is not full.
    board = min(owned_size(*device.bought[0]), owned)
    step = max(board, node_devices) if most >= node_devices else board
    return owned if not math.isfinite(most) else min(owned, int(most // step * step))


def devices_at_site(
    prices: DevicePrices, who: Integers, devices: Floats | Integers, paid_devices: Floats | Integers,
    together: Floats | Integers, is_one_job: bool = False,
) -> Floats:  # fmt: skip
    """Devices of fleets that stand at the planner's site: all that are paid for, of rented fleets those owned already.

    Of each fleet its accelerator, devices in use, those paid for, and those that work together. Devices of which it is
    not known how they are sold are paid for one by one. What is rented stands at its provider.
    """
    if prices.quotes:
        return np.asarray(devices - prices.added_devices(who, devices, together, is_one_job))
    return np.where(np.isfinite(paid_devices), paid_devices, devices)


def held_devices(
    prices: DevicePrices, node_devices: Floats | float, devices: Floats, at_site: Floats, unit_devices: Floats
) -> Floats:
    """Devices of one node at the site, of fleets by their devices in use, those at the site, and those of a unit sold.

    A board that is bought draws its power however many of it work; cards fill a node as far as they go.
    """
    unit = np.where(np.isfinite(unit_devices), unit_devices, devices) if not prices.quotes else np.ones_like(at_site)
    return np.asarray(np.maximum(np.minimum(node_devices, np.minimum(devices, at_site)), np.minimum(unit, at_site)))


def site_fit(
    scenario: Scenario, prices: DevicePrices, node_devices: Floats, who: Integers, devices: Floats, at_site: Floats,
    unit_devices: Floats,
) -> FacilityFit:  # fmt: skip
    """Hold against the site what of fleets stands there. `node_devices` is by accelerator; the rest is as above."""
    hardware = scenario.hardware
    held = np.maximum(held_devices(prices, node_devices[who], devices, at_site, unit_devices), 1.0)
    stands = at_site > 0
    is_liquid = (prices.needs_liquid[who] & stands).astype(np.float64)
    return facility_fit(
        np.ceil(at_site / held), np.where(stands, prices.rated_power_w[who] * held, 0.0), is_liquid,
        (hardware.max_kw_per_rack or np.inf) * WATTS_PER_KW, (hardware.max_kw_total or np.inf) * WATTS_PER_KW,
        central(scenario.economics.site.pue), not hardware.cooling or "liquid" in hardware.cooling,
    )  # fmt: skip
