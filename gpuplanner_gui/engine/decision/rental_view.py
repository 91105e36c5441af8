"""What a provider bills for the recommended fleet: devices, storage, data moved out, support."""

from __future__ import annotations

from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.advisor.case import ServingCase, TrainingCase
from gpuplanner_gui.engine.cost.ownership import MONTHS_PER_YEAR
from gpuplanner_gui.engine.cost.rental import rental_bill_usd


def rented_usd_per_year(case: ServingCase | TrainingCase, device_hours: float, usd_per_device_hour: float) -> float:
    """Bill of a year with so many device-hours at a price. [USD/y]"""
    economics = case.scenario.economics
    terms = economics.renting
    if isinstance(case, ServingCase):
        moved = central(terms.serving_egress_bytes_per_month)
    else:
        runs = central(economics.fleets.training_runs_per_year)
        moved = central(terms.training_egress_bytes_per_run) * runs / MONTHS_PER_YEAR
    month = rental_bill_usd(
        device_hours / MONTHS_PER_YEAR, usd_per_device_hour, central(terms.stored_bytes),
        central(terms.storage_usd_per_gb_month), moved, central(terms.egress_usd_per_gb), central(terms.support_share),
    )  # fmt: skip
    return float(month.total) * MONTHS_PER_YEAR
