"""Energy, carbon and water of the recommended fleet: of a year of service, or of one training run."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.decision import EnergyAnswer, PowerAtLoad
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.advisor.case import ServingCase, TrainingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.carbon import carbon_kg, electricity_carbon_kg, embodied_carbon_kg, water_litres
from gpuplanner_gui.engine.cost.energy import (
    electricity_usd,
    energy_kwh,
    fleet_power_w,
    joules_per_token,
    kwh_per_million_tokens,
)
from gpuplanner_gui.engine.cost.prices import DevicePrices, is_power_assumed
from gpuplanner_gui.engine.fleet.service_week import LoadHours, load_hours
from gpuplanner_gui.engine.serving.power import USE_COLUMNS, device_power_w, peak_use
from gpuplanner_gui.engine.training.run import working_share


def energy_of(case: ServingCase | TrainingCase) -> EnergyAnswer:
    """What the fleet draws and emits, at the site that the scenario describes."""
    best, economics = case.best, case.scenario.economics
    who, devices = int(best.table.accelerator[best.row]), best.of("devices")
    prices = case.context.prices(economics, case.procurement)
    if isinstance(case, ServingCase):
        hours, millions = float(HOURS_PER_YEAR), _millions_served(case)
        device_hours = devices * hours
    else:
        device_hours = best.of("device_hours")
        hours, millions = device_hours / devices, case.plan.training.tokens / 1e6 if case.plan.training else 1.0
    at_meter, pue = best.of("power_w"), central(economics.site.pue)
    it_w = at_meter / pue
    kwh = float(energy_kwh(at_meter, hours))
    life = central(economics.ownership.useful_life_years)
    carbon = carbon_kg(
        electricity_carbon_kg(kwh, central(economics.site.grid_g_co2e_per_kwh)),
        embodied_carbon_kg(central(economics.site.embodied_kg_co2e_per_device), device_hours, life, 1.0),
    )
    rate = millions * 1e6 / (hours * 3600)
    joules = float(joules_per_token(it_w, pue, rate)) if rate > 0 else float("inf")
    return EnergyAnswer(
        it_power_w=it_w,
        facility_power_w=at_meter,
        rated_power_w=devices * float(prices.rated_power_w[who]),
        by_load=tuple(_by_load(case, prices, hours, pue)),
        energy_kwh=kwh,
        electricity_usd=float(electricity_usd(kwh, central(economics.site.electricity_usd_per_kwh))),
        electricity_carbon_kg=float(carbon.electricity_kg),
        embodied_carbon_kg=float(carbon.embodied_kg),
        water_litres=float(water_litres(it_w / 1e3 * hours, central(economics.site.water_litres_per_kwh))),
        kwh_per_million_tokens=float(kwh_per_million_tokens(joules)),
        grams_per_million_tokens=float(carbon.total) * 1e3 / millions,
        assumed_log_sd=assumed_power_log_sd(case.context, best.accelerator),
    )


def _by_load(case: ServingCase | TrainingCase, prices: DevicePrices, hours: float, pue: float) -> Iterator[PowerAtLoad]:
    """Hours and draw at each load, from the highest; of a run, working and waiting."""
    best, table = slice(case.best.row, case.best.row + 1), case.best.table
    who = table.accelerator[best]
    if isinstance(case, ServingCase):
        use = peak_use(case.peak_rate_per_s, *(getattr(table, name)[best] for name in ("replicas", *USE_COLUMNS)))
        levels = load_hours(case.workload.traffic)
        draws = [device_power_w(prices, who, use, LoadHours(one, np.ones(1))) for one in levels.load[:, None]]
        loads, shares = levels.load, levels.share
    else:
        bubble, host, data, step, run = (getattr(table, name)[best] for name in WORKING_COLUMNS)
        works = working_share(bubble, host, data, step, central(case.workload.start_up_s), run)[0]
        draws = [prices.idle_power_w[who], prices.power_w[who]]
        loads, shares = np.array([0.0, 1.0]), np.array([1.0 - works, works])
    for load, share, draw in reversed(list(zip(loads, shares, draws, strict=True))):
        power = fleet_power_w(table.devices[best], draw, pue)
        yield PowerAtLoad(load=float(load), hours=float(share) * hours, power_w=float(power[0]))


WORKING_COLUMNS = ("bubble_s", "host_s", "input_s", "step_time_s", "run_time_s")


def _millions_served(case: ServingCase) -> float:
    """Millions of output tokens in a year at the mean load."""
    assert case.plan.serving is not None
    rate = case.peak_rate_per_s * case.mean_over_peak * case.plan.serving.mean_output_tokens
    return rate * HOURS_PER_YEAR * 3600 / 1e6


def assumed_power_log_sd(context: Context, entry: Accelerator) -> float:
    """Spread of the logarithm of a device's power where it is taken from relatives; 0 where it is stated."""
    if not is_power_assumed(entry, context.catalog.nodes_of(entry.id)) or entry.id not in context.assumed_power:
        return 0.0
    return context.assumed_power[entry.id].log_sd
