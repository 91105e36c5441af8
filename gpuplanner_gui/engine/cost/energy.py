"""Power and energy of devices, nodes and facilities, and the limits that a facility sets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Values
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.engine.explaining.formula import formula

GRAMS_PER_KILOGRAM = 1000.0


@formula(
    title="Carbon of electricity",
    unit="kg",
    expression="energy_kwh·grid_g_per_kwh/1000",
    source="GHG Protocol Scope 2 Guidance, location-based method; market-based with the contract's intensity",
)
def electricity_carbon_kg(energy_kwh: Values, grid_g_per_kwh: Values) -> Values:
    """Carbon dioxide equivalent of metered energy. [kg]"""
    return energy_kwh * grid_g_per_kwh / GRAMS_PER_KILOGRAM


@formula(
    title="Embodied carbon",
    unit="kg",
    expression="device_kg·device_hours / (life_years·8760·lifetime_use)",
    source="Gupta et al. 2022, ACT: share of the lifetime that the work takes",
)
def embodied_carbon_kg(device_kg: Values, device_hours: Values, life_years: Values, lifetime_use: Values) -> Values:
    """Carbon of manufacture that falls on some device-hours; `lifetime_use` of 1 spreads it over all hours. [kg]"""
    return device_kg * device_hours / (np.asarray(life_years, float) * HOURS_PER_YEAR * lifetime_use)


@formula(title="Carbon", unit="kg", expression="electricity_kg + embodied_kg", source="sum of the parts")
def carbon_kg(electricity_kg: Values, embodied_kg: Values) -> Values:
    """Carbon dioxide equivalent of electricity and manufacture. [kg]"""
    return electricity_kg + embodied_kg


@formula(
    title="Water",
    unit="L",
    expression="it_energy_kwh·litres_per_kwh",
    source="ISO/IEC 30134-9, water usage effectiveness, on the energy of the machines",
)
def water_litres(it_energy_kwh: Values, litres_per_kwh: Values) -> Values:
    """Water that cooling evaporates. [L]"""
    return it_energy_kwh * litres_per_kwh


WATTS_PER_KW = 1000.0
JOULES_PER_KILOWATT_HOUR = 3.6e6


@dataclass(frozen=True)
class FacilityFit:
    """Whether racks fit a facility, and by how much they miss it."""

    rack_excess_w: Floats
    """Power that one node needs beyond the rack's limit. [W]"""
    total_excess_w: Floats
    """Power that the fleet needs beyond the facility's limit. [W]"""
    is_cooling_missing: NDArray[np.bool_]
    """True where the node needs liquid and the facility has none."""

    @property
    def is_over(self) -> NDArray[np.bool_]:
        return np.asarray((self.rack_excess_w > 0) | (self.total_excess_w > 0) | self.is_cooling_missing)


@formula(
    title="Share of time with a request",
    unit="",
    expression="Σ hours_share · running_share · (1 − e^(−sequences · load / running_share))",
    source="requests come at random: by Little's law n of them are there on average, and none for e^−n of the time",
)
def busy_share(sequences: Values, load: Floats, running_share: Floats, hours_share: Floats) -> Floats:
    """Share of all hours in which a replica has something to do. [1]

    `sequences` are there on average at the peak; the load as a share of the peak holds for a share of the hours, in
    which a share of the replicas runs.
    """
    of_each = np.divide(load, running_share, out=np.zeros(np.shape(load + running_share)), where=running_share > 0)
    busy = -np.expm1(-np.asarray(sequences)[..., None] * of_each)
    return np.asarray((hours_share * running_share * busy).sum(axis=-1))


@formula(
    title="Mean power of a device",
    unit="W",
    expression="running_share · idle_power_w + (power_w − idle_power_w)"
    " · (batch_one_share · max(busy_share, load) + (1 − batch_one_share) · load)",
    source="docs/derivations/cost.md#power-energy-and-carbon",
)
def mean_device_power_w(
    idle_power_w: Values,
    power_w: Values,
    busy_share: Values,
    load: Values,
    batch_one_share: float,
    running_share: Values,
) -> Floats:
    """Drawn on average by a device with its share of the node: idle, with a lone sequence, and up to its full load. [W]

    `load` is the mean share of what the device can do, `busy_share` the share of time in which it does anything,
    `running_share` that in which it is not switched off or released.
    """
    draw = batch_one_share * np.maximum(busy_share, load) + (1.0 - batch_one_share) * np.asarray(load)
    return np.asarray(running_share * idle_power_w + (np.asarray(power_w) - idle_power_w) * draw)


@formula(
    title="Mean draw of a device",
    unit="",
    expression="mean_power_w / power_w",
    source="definition",
)
def draw_share(mean_power_w: Values, power_w: Values) -> Floats:
    """Mean power of a device over its power under load; 1 where either is not known. [1]"""
    return np.nan_to_num(np.asarray(mean_power_w) / power_w, nan=1.0)


@formula(
    title="Mean draw of a device that is paid for",
    unit="",
    expression="(min(devices, paid_devices) · draw_share + max(paid_devices − devices, 0) · idle_share) / paid_devices",
    source="what a unit holds beyond the fleet's devices idles",
)
def paid_draw_share(draw_share: Values, idle_share: Values, devices: Values, paid_devices: Values) -> Floats:
    """Mean power of the devices of whole units over their power under load. [1]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        used = np.nan_to_num(np.minimum(np.asarray(devices) / paid_devices, 1.0), nan=1.0)
    return np.asarray(used * draw_share + (1.0 - used) * idle_share)


@formula(
    title="Owned device-hour at its mean draw",
    unit="USD/h",
    expression="usd_per_hour − energy_usd_per_hour · (1 − draw_share)",
    source="energy is billed as it is drawn, hour by hour",
)
def at_mean_draw(usd_per_hour: Values, energy_usd_per_hour: Values, draw_share: Values) -> Floats:
    """Price of an owned hour that holds electricity at the draw under load, at the mean draw instead. [USD/h]"""
    return np.asarray(usd_per_hour - np.asarray(energy_usd_per_hour) * (1.0 - np.asarray(draw_share)))


@formula(
    title="Power of switches and storage",
    unit="",
    expression="owned_power_share · (owned_devices / devices)",
    source="the owner feeds those of owned devices, a provider those of rented ones",
)
def infrastructure_share(
    owned_power_share: float, owned_devices: Values | NDArray[np.int64], devices: Values | NDArray[np.int64]
) -> Floats:
    """Power of switches and storage that the site feeds, over that of all devices. [1]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(owned_power_share * np.divide(owned_devices, devices))


@formula(
    title="Facility power",
    unit="W",
    expression="(devices · device_power_w + max(paid_devices − devices, 0) · running_share · idle_power_w)"
    " · (1 + infrastructure_share) · pue",
    source="mean draw of a device with its share of the node; ISO/IEC 30134-2, power usage effectiveness",
)
def fleet_power_w(
    devices: Values | NDArray[np.int64],
    device_power_w: Values,
    paid_devices: Values,
    idle_power_w: Values,
    running_share: Values,
    infrastructure_share: Values,
    pue: float,
) -> Floats:
    """Draw of a fleet at the meter, unused devices of its units, switches, cooling and losses included. [W]"""
    unused = np.fmax(np.asarray(paid_devices) - devices, 0.0)
    idle_w = unused * running_share * idle_power_w
    return np.asarray((devices * device_power_w + idle_w) * (1.0 + infrastructure_share) * pue)


@formula(
    title="Energy",
    unit="kWh",
    expression="power_w/1000·hours",
    source="power over time",
)
def energy_kwh(power_w: Values, hours: Values) -> Values:
    """Energy at a constant draw. [kWh]"""
    return power_w / WATTS_PER_KW * hours


@formula(title="Electricity cost", unit="USD", expression="energy_kwh·usd_per_kwh", source="metered energy")
def electricity_usd(energy_kwh: Values, usd_per_kwh: Values) -> Values:
    """Price of metered energy. [USD]"""
    return energy_kwh * usd_per_kwh


@formula(
    title="Energy per token",
    unit="J",
    expression="power_w·pue / tokens_per_s",
    source="facility power over the rate of tokens",
)
def joules_per_token(power_w: Values, pue: Values, tokens_per_s: Values) -> Values:
    """Energy at the meter for one token. [J]"""
    return power_w * pue / tokens_per_s


@formula(
    title="Energy per million tokens",
    unit="kWh/Mtok",
    expression="joules_per_token·10⁶ / 3.6·10⁶",
    source="unit conversion",
)
def kwh_per_million_tokens(joules_per_token: Values) -> Values:
    """Energy at the meter for a million tokens. [kWh/Mtok]"""
    return joules_per_token * 1e6 / JOULES_PER_KILOWATT_HOUR


def facility_fit(
    nodes: Values,
    node_rated_w: Values,
    needs_liquid: Values,
    rack_limit_w: Values,
    facility_limit_w: Values,
    pue: Values,
    has_liquid: Values,
) -> FacilityFit:
    """Hold a fleet against a facility: power per rack (before cooling), power in all (after), kind of cooling.

    A limit of infinity is no limit.
    """
    rated = np.asarray(node_rated_w, float)
    rack_excess = np.maximum(0.0, rated - rack_limit_w)
    total_excess = np.maximum(0.0, nodes * rated * pue - facility_limit_w)
    cooling_missing = np.asarray(needs_liquid, bool) & ~np.asarray(has_liquid, bool)
    return FacilityFit(rack_excess, total_excess, cooling_missing)
