"""What a provider bills beside the devices: data held, data moved out, support. An owner is billed none of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import MONTHS_PER_YEAR
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.cost.data_bill import data_terms
from gpuplanner_gui.engine.cost.finance import Values
from gpuplanner_gui.engine.explaining.formula import formula


@dataclass(frozen=True)
class Beside:
    """What is billed beside the devices, before support, and the support on the whole bill."""

    usd: Floats
    """In a month of service, or for a training run. [USD]"""
    support_share: float

    def billed_usd(self, devices_usd: Values) -> Floats:
        """The whole bill where the devices cost so much. [USD]"""
        return np.asarray((devices_usd + self.usd) * (1.0 + self.support_share))


NOTHING_BESIDE = Beside(np.asarray(0.0), 0.0)


@formula(
    title="Storage and egress",
    unit="USD",
    expression="stored_gb · months · storage_usd_per_gb_month + egress_gb · egress_usd_per_gb",
    source="list prices of clouds, per decimal gigabyte (docs/derivations/cost.md#storage-egress-and-support)",
)
def storage_and_egress_usd(
    stored_gb: float, months: float, storage_usd_per_gb_month: float, egress_gb: Values, egress_usd_per_gb: float
) -> Floats:
    """What data cost beside the devices. [USD]"""
    usd = stored_gb * months * storage_usd_per_gb_month + egress_gb * egress_usd_per_gb
    return np.asarray(usd, np.float64)


def beside_month(economics: Economics, procurement: Procurement, load: Values = 1.0) -> Beside:
    """Beside the devices of a service, in a month with so many times today's load: what moves out grows with it."""
    moved = central(economics.renting.serving_egress_bytes_per_month) * load
    return _beside(economics, procurement, 1.0, moved)


def beside_run(economics: Economics, procurement: Procurement) -> Beside:
    """Beside the devices of a training run, which carries its share of a year's storage."""
    runs = central(economics.fleets.training_runs_per_year)
    months = MONTHS_PER_YEAR / runs if runs > 0 else 0.0
    return _beside(economics, procurement, months, central(economics.renting.training_egress_bytes_per_run))


def beside_year(economics: Economics, procurement: Procurement, load: Values, is_service: bool) -> Beside:
    """Beside the devices in a year: of a service at so many times today's load, or of a year's training runs."""
    if is_service:
        each, times = beside_month(economics, procurement, load), float(MONTHS_PER_YEAR)
    else:
        each, times = beside_run(economics, procurement), central(economics.fleets.training_runs_per_year)
    return Beside(each.usd * times, each.support_share)


def _beside(economics: Economics, procurement: Procurement, months: float, egress_bytes: Values) -> Beside:
    if procurement == "own":
        return NOTHING_BESIDE
    data = data_terms(economics, months, egress_bytes)
    usd = storage_and_egress_usd(
        data.stored_gb, data.months, data.storage_usd_per_gb_month, data.egress_gb, data.egress_usd_per_gb
    )
    return Beside(usd, data.support_share)
