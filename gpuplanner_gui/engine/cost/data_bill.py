"""Data beside a fleet's devices over a horizon: what a provider bills for holding and moving them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.engine.cost.finance import Values
from gpuplanner_gui.engine.explaining.formula import formula, leaf


@dataclass(frozen=True)
class DataTerms:
    """Data of one workload over the horizon, and what a provider asks for them."""

    stored_gb: float = 0.0
    months: float = 0.0
    """In which they are held."""
    storage_usd_per_gb_month: float = 0.0
    egress_gb: Any = 0.0
    """Moved out over the whole time: a number, or an array of cases."""
    egress_usd_per_gb: float = 0.0
    support_share: float = 0.0


NO_DATA = DataTerms()
GIGABYTE = 1e9


def data_terms(economics: Economics, months: float, egress_bytes: Values) -> DataTerms:
    """What a scenario's rental terms ask for data that are held so long, and for those that move out."""
    terms, source = economics.renting, "scenario: rental bill"
    return DataTerms(
        stored_gb=leaf(central(terms.stored_bytes) / GIGABYTE, "stored_gb", "GB", source),
        months=leaf(months, "months", "months", "a month, a run's share of a year, or the horizon of the fleets"),
        storage_usd_per_gb_month=leaf(
            central(terms.storage_usd_per_gb_month), "storage_usd_per_gb_month", "USD/GB/month", source
        ),
        egress_gb=leaf(egress_bytes / GIGABYTE, "egress_gb", "GB", source),
        egress_usd_per_gb=leaf(central(terms.egress_usd_per_gb), "egress_usd_per_gb", "USD/GB", source),
        support_share=leaf(central(terms.support_share), "support_share", "", source),
    )


@formula(
    title="Share of a fleet that is rented",
    unit="1",
    expression="1 − owned_hours / paid_hours",
    source="an owner is billed for no data; of a fleet that is partly rented, that part carries its share of them",
)
def rented_share(owned_hours: Floats, paid_hours: Floats) -> Floats:
    """Device-hours that a provider bills, over all that are paid for; 0 where there are none. [1]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(paid_hours > 0, 1.0 - owned_hours / paid_hours, 0.0))


@formula(
    title="Storage of a rented fleet",
    unit="USD",
    expression="rented_share · stored_gb · months · storage_usd_per_gb_month · (1 + support_share)",
    source="list prices of clouds, per decimal gigabyte (docs/derivations/cost.md#storage-egress-and-support)",
)
def storage_usd(
    rented_share: Floats, stored_gb: float, months: float, storage_usd_per_gb_month: float, support_share: float
) -> Floats:
    """What holding the data of a workload costs over the horizon. [USD]"""
    return rented_share * stored_gb * months * storage_usd_per_gb_month * (1.0 + support_share)


@formula(
    title="Egress of a rented fleet",
    unit="USD",
    expression="rented_share · egress_gb · egress_usd_per_gb · (1 + support_share)",
    source="list prices of clouds, per decimal gigabyte (docs/derivations/cost.md#storage-egress-and-support)",
)
def egress_usd(rented_share: Floats, egress_gb: float, egress_usd_per_gb: float, support_share: float) -> Floats:
    """What moving the data of a workload out costs over the horizon. [USD]"""
    return rented_share * egress_gb * egress_usd_per_gb * (1.0 + support_share)


def data_usd(terms: tuple[DataTerms, ...], share: Floats) -> tuple[Floats, Floats]:
    """Storage and egress of the workloads that a fleet carries. [USD]"""
    share = np.nan_to_num(share)
    stored = [
        storage_usd(share, one.stored_gb, one.months, one.storage_usd_per_gb_month, one.support_share) for one in terms
    ]
    moved = [egress_usd(share, one.egress_gb, one.egress_usd_per_gb, one.support_share) for one in terms]
    nothing = np.zeros_like(share)
    return sum(stored, nothing), sum(moved, nothing)
