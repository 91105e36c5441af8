"""What a provider bills for the recommended fleet: devices, storage, data moved out, support."""

from __future__ import annotations

from gpuplanner_gui.domain.constants import MONTHS_PER_YEAR
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.advisor.case import ServingCase, TrainingCase
from gpuplanner_gui.engine.cost.rented_beside import beside_month, beside_run


def rented_usd_per_year(
    case: ServingCase | TrainingCase, device_hours: float, usd_per_device_hour: float, load: float = 1.0
) -> float:
    """Bill of a year with so many device-hours at a price, and so many times today's load. [USD/y]"""
    economics, devices_usd = case.scenario.economics, device_hours * usd_per_device_hour
    if isinstance(case, ServingCase):
        month = beside_month(economics, "rent_on_demand", load)
        return month.billed_usd(devices_usd / MONTHS_PER_YEAR) * MONTHS_PER_YEAR
    run, runs = beside_run(economics, "rent_on_demand"), central(economics.fleets.training_runs_per_year)
    return run.billed_usd(devices_usd / runs) * runs if runs > 0 else devices_usd
