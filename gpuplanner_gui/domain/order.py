"""The order list: what is bought or rented to carry out a plan, at what price, from where, and when it is paid."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.economics import OrderItem, Procurement
from gpuplanner_gui.domain.field import about

Paid = Literal["once", "yearly", "not_bought"]
"""Capital; running cost; or a figure that the site must know, without a price of its own."""

Topology = Literal["none", "single_switch", "leaf_spine", "fat_tree", "ports", "unknown"]


class OrderLine(msgspec.Struct, frozen=True, kw_only=True):
    """One position. NaN is unknown, of a quantity and of a price."""

    item: OrderItem
    paid: Paid
    name: str = ""
    """Name of the product, or the planner's own words."""
    quantity: float
    unit: str = ""
    """Unit of the quantity; none: pieces. A price is for one of it, each year where it is paid yearly."""
    unit_usd: Annotated[float, about("Unit price", "USD")] = float("nan")
    source: str = ""
    date: str = ""
    lead_time_s: Annotated[float, about("Lead time", "s")] = float("nan")
    is_own: bool = False
    """Entered by the planner; it is no part of the plan's cost."""
    values: dict[str, float] = {}
    """What stands beside the quantity, by name with the unit in it: rates, copies."""

    @property
    def usd(self) -> float:
        return 0.0 if self.paid == "not_bought" else self.quantity * self.unit_usd

    @property
    def is_unknown(self) -> bool:
        return math.isnan(self.quantity) or math.isnan(self.usd)


class CashQuarter(msgspec.Struct, frozen=True, kw_only=True):
    """What is paid in three months of the plan."""

    capital_usd: Annotated[float, about("Capital", "USD")]
    operating_usd: Annotated[float, about("Operating", "USD")]

    @property
    def usd(self) -> float:
        return self.capital_usd + self.operating_usd


class RentalOrder(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of a provider. Nothing is empty that the offer states."""

    provider: str
    instance: str
    region: str
    quota_devices: Annotated[float, about("Quota to ask for", "devices")]
    largest_cluster: int | None
    term_years: int
    """0: by the hour."""


class OrderList(msgspec.Struct, frozen=True, kw_only=True):
    """One workload's fleet of the first day, on the scenario's term."""

    workload: Literal["serving", "training"]
    accelerator: str
    term: Procurement
    devices: Annotated[float, about("Devices ordered", "devices")]
    stock_devices: Annotated[float, about("Devices already owned", "devices")]
    lines: tuple[OrderLine, ...]
    cash: tuple[CashQuarter, ...]
    present_value_usd: float
    cost_of_capital: float
    """Rate at which the cash is discounted: capital at once, each year's payments at its middle. [1/y]"""
    topology: Topology = "none"
    rental: RentalOrder | None = None
    planned_usd_per_year: float = float("nan")
    """The plan's own cost, rebuilt from the lines that are not own entries: capital as an annuity, down time carried,
    and of a fleet that trains the hours of the runs alone."""

    @property
    def capital_usd(self) -> float:
        """Sum of the lines with a known price, paid once. [USD]"""
        return self._sum("once")

    @property
    def yearly_usd(self) -> float:
        """Yearly sum of the lines with a known price. [USD/y]"""
        return self._sum("yearly")

    @property
    def unknown(self) -> tuple[OrderItem, ...]:
        """Items without a price or a quantity: totals are at least what they say."""
        return tuple(dict.fromkeys(one.item for one in self.lines if one.is_unknown))

    def _sum(self, paid: Paid) -> float:
        return math.fsum(one.usd for one in self.lines if one.paid == paid and not one.is_unknown)
