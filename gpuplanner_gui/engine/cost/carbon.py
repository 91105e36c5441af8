"""Carbon of running and of making the hardware, and water."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.engine.cost.finance import Values
from gpuplanner_gui.engine.explaining.formula import formula

GRAMS_PER_KILOGRAM = 1000.0


@dataclass(frozen=True)
class Carbon:
    """Greenhouse gas as carbon dioxide equivalent. [kg]"""

    electricity_kg: Values
    embodied_kg: Values

    @property
    def total(self) -> Values:
        return self.electricity_kg + self.embodied_kg


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
def carbon_kg(electricity_kg: Values, embodied_kg: Values) -> Carbon:
    """Carbon dioxide equivalent, by part. [kg]"""
    return Carbon(electricity_kg, embodied_kg)


@formula(
    title="Water",
    unit="L",
    expression="it_energy_kwh·litres_per_kwh",
    source="ISO/IEC 30134-9, water usage effectiveness, on the energy of the machines",
)
def water_litres(it_energy_kwh: Values, litres_per_kwh: Values) -> Values:
    """Water that cooling evaporates. [L]"""
    return it_energy_kwh * litres_per_kwh
