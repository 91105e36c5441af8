"""What hardware costs to buy and to rent, and answers by the token: dated figures with source; lines of price lists.

And the order list: what is bought or rented to carry out a plan, from where, and when it is paid.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, get_args

import msgspec

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.economics import OrderItem, Procurement
from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.quantity import Quantity

Confidence = Literal["datasheet", "secondary", "estimate", "user"]
"""How a figure is known: a vendor's document, somebody's report of it, an estimate, or the planner's own entry."""

MOST_USD_PER_H = 1e6
"""Highest price of an instance. [USD/h]"""


def _per_hour(title: str, help: str = "") -> msgspec.Meta:  # noqa: A002  (as `about` has it)
    """Annotation for the price of an hour."""
    return about(title, "USD/h", help, minimum=0, maximum=MOST_USD_PER_H)


IsoDate = Annotated[str, msgspec.Meta(pattern=r"^\d{4}(-\d{2}(-\d{2})?)?$", examples=["2026-10-31"])]
"""A day, a month or a year: 2026-10-10, 2026-10 or 2026."""


class PurchasePrice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one piece costs to buy."""

    usd: Annotated[
        Quantity, about("Purchase price", "USD", "Street price, as a range where known.", minimum=0, maximum=1e10)
    ]
    as_of: Annotated[IsoDate | None, about("As of")] = None
    confidence: Annotated[Confidence | None, about("Kind of source")] = None
    source: Annotated[str, about("Source")] = ""
    launch_list_usd: Annotated[float | None, about("List price at launch", "USD", minimum=0, maximum=1e10)] = None
    launch_date: Annotated[IsoDate | None, about("Launched")] = None


class RentalPrice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one accelerator costs to rent for an hour, summed up over the offers that name it."""

    on_demand_usd_per_h: Annotated[
        Quantity | None, _per_hour("On demand", "Lowest, typical and highest price found.")
    ] = None
    lowest_provider: Annotated[str, about("Cheapest on demand")] = ""
    highest_provider: Annotated[str, about("Dearest on demand")] = ""
    marketplace_usd_per_h: Annotated[float | None, _per_hour("Marketplaces")] = None
    neocloud_usd_per_h: Annotated[float | None, _per_hour("GPU clouds")] = None
    hyperscaler_usd_per_h: Annotated[float | None, _per_hour("Hyperscalers")] = None
    reserved_1y_usd_per_h: Annotated[float | None, _per_hour("Reserved for a year")] = None
    reserved_3y_usd_per_h: Annotated[float | None, _per_hour("Reserved for three years")] = None
    spot_usd_per_h: Annotated[float | None, _per_hour("Spot")] = None
    offers_counted: Annotated[int, about("Offers counted", minimum=0)] = 0
    as_of_from: Annotated[IsoDate | None, about("Oldest offer")] = None
    as_of_to: Annotated[IsoDate | None, about("Newest offer")] = None
    confidence: Annotated[Confidence | None, about("Kind of source")] = None
    source: Annotated[str, about("Source")] = ""


Market = Literal["hyperscaler", "neocloud", "marketplace", "own"]


class Offer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A rentable instance: so many accelerators of one type, in a region, per hour of the whole instance."""

    id: Annotated[str, about("Identifier")]
    provider: Annotated[str, about("Provider")]
    market: Annotated[Market, about("Market", choices=("hyperscaler", "neocloud", "marketplace", "own"))]
    instance: Annotated[str, about("Instance type")]
    accelerator_id: Annotated[str, about("Accelerator")]
    accelerator_count: Annotated[int, about("Accelerators", minimum=1)]
    region: Annotated[str, about("Region")] = ""
    on_demand_usd_per_h: Annotated[float | None, _per_hour("On demand")] = None
    reserved_1y_usd_per_h: Annotated[float | None, _per_hour("Reserved for a year")] = None
    reserved_3y_usd_per_h: Annotated[float | None, _per_hour("Reserved for three years")] = None
    spot_usd_per_h: Annotated[float | None, _per_hour("Spot")] = None
    as_of: Annotated[IsoDate | None, about("As of")] = None
    as_of_precision: Annotated[Literal["day", "month", "estimated"], about("Date known to")] = "day"
    spot_as_of: Annotated[IsoDate | None, about("Spot price as of")] = None
    source: Annotated[str, about("Source")] = ""
    spot_source: Annotated[str, about("Source of the spot price")] = ""
    confidence: Annotated[Confidence | None, about("Kind of source")] = None
    largest_cluster: Annotated[
        int | None,
        about("Largest cluster", "devices", "Most accelerators that the provider connects in one cluster.", minimum=1),
    ] = None
    note: Annotated[str, about("Note")] = ""

    @property
    def on_demand_usd_per_accelerator_h(self) -> float | None:
        return self._per_accelerator(self.on_demand_usd_per_h)

    @property
    def reserved_1y_usd_per_accelerator_h(self) -> float | None:
        return self._per_accelerator(self.reserved_1y_usd_per_h)

    @property
    def reserved_3y_usd_per_accelerator_h(self) -> float | None:
        return self._per_accelerator(self.reserved_3y_usd_per_h)

    @property
    def spot_usd_per_accelerator_h(self) -> float | None:
        return self._per_accelerator(self.spot_usd_per_h)

    def _per_accelerator(self, usd_per_h: float | None) -> float | None:
        return None if usd_per_h is None else usd_per_h / self.accelerator_count


class SourcedFigure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A value, range or distribution that somebody can check."""

    value: Annotated[Quantity, about("Value")]
    source: Annotated[str, about("Source")]
    as_of: Annotated[IsoDate | None, about("As of")] = None


PriceTerm = Literal["purchase", "on_demand", "reserved_1y", "reserved_3y", "spot"]
PRICE_TERMS: tuple[PriceTerm, ...] = get_args(PriceTerm)
PriceFault = Literal[
    "no_device", "unknown_device", "no_price", "bad_price", "bad_currency", "no_rate", "bad_date", "future_date",
    "unknown_term", "bad_count", "not_hourly", "in_cents",
]  # fmt: skip


class PriceRow(msgspec.Struct, frozen=True, kw_only=True):
    """One price of one device; with a fault it is not taken."""

    line: int
    device: str
    """The device as written."""
    accelerator_id: str = ""
    term: PriceTerm = "purchase"
    amount: float = float("nan")
    """Price of one device, in the list's own currency."""
    currency: str = "USD"
    usd: float = float("nan")
    as_of: str = ""
    provider: str = ""
    region: str = ""
    fault: PriceFault | None = None
    detail: str = ""
    """What stands there that could not be read."""
    age_days: int | None = None


class ApiPrice(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One provider's price for one model of the catalogue."""

    model: Annotated[str, about("Model", "", "Identifier of the model in the catalogue.")]
    provider: Annotated[str, about("Provider", longest=80)]
    name: Annotated[str, about("Name there", longest=120)]
    input_usd_per_million: Annotated[float, about("Prompt", "USD", "Price of a million prompt tokens.", minimum=0)]
    output_usd_per_million: Annotated[float, about("Answer", "USD", "Price of a million answer tokens.", minimum=0)]
    page: Annotated[str, about("Page", longest=400)]


class ApiPrices(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of prices by the token: shipped, or the planner's own of the same form."""

    date: Annotated[str, about("As of", longest=20)]
    source: Annotated[str, about("Source", longest=400)]
    prices: Annotated[tuple[ApiPrice, ...], about("Prices", most=10_000)]


AlternativeKind = Literal["api", "smaller_model", "cpu"]


class Alternative(msgspec.Struct, frozen=True, kw_only=True):
    """Another way to answer a service's requests, beside the planned fleet."""

    kind: AlternativeKind
    model: str
    """Name of the model in the catalogue, or at the API."""
    usd_per_month: float
    """Monthly cost; of an API at the mean load, without discounts for cached prompts or batches. NaN: unknown."""
    fleet_usd_per_month: float
    mean_rate_per_s: float
    """Requests a second, on average, of both monthly costs."""
    wins_above_per_s: float
    """Mean requests a second above which the planned fleet costs less; inf: not within what it can serve."""
    price: ApiPrice | None = None
    date: str = ""
    accelerator: str = ""
    devices: float = float("nan")
    reason: int = 0
    """The `Reason` why its nearest fleet is not recommended."""


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
    connected_devices: Annotated[
        float, about("Devices to ask for in one node", "devices", "0: the offer's instances hold what works together.")
    ] = 0.0
    after_horizon_usd: Annotated[
        float, about("Rent after the horizon", "USD", "That the term commits; no cash counts it.")
    ] = 0.0


class OrderList(msgspec.Struct, frozen=True, kw_only=True):
    """One workload's fleet of the first day, on the scenario's term; cash and present value are those of all years."""

    workload: Literal["serving", "training"]
    accelerator: str
    term: Procurement
    devices: Annotated[float, about("Devices ordered", "devices")]
    stock_devices: Annotated[float, about("Devices already owned", "devices")]
    runs_per_year: Annotated[float, about("Training runs", "1/y", "Runs that a year's money pays for; 0: a service.")]
    run_time_s: Annotated[float, about("Run time", "s", "Of one run, from start to last step; 0: a service.")]
    paid_run_h: Annotated[float, about("Hours paid for a run", "h", "Of each device: run time, retries, experiments.")]
    clusters: Annotated[float, about("Clusters", "", "That train side by side for a year's runs; 0: a service.")]
    used_share: Annotated[float, about("Utilisation", "", "Share of the hours of its years that the fleet is needed.")]
    horizon_years: Annotated[float, about("Horizon", "y", "Period that the payments cover.")]
    lines: tuple[OrderLine, ...]
    cash: tuple[CashQuarter, ...]
    present_value_usd: float
    cost_of_capital: float
    """Rate at which the cash is discounted: capital on its day, each year's payments at its end. [1/y]"""
    topology: Topology = "none"
    rental: RentalOrder | None = None
    planned_usd_per_year: float = float("nan")
    """The plan's own cost, rebuilt from the lines that are not own entries: capital as an annuity, down time carried,
    and of a fleet that trains the hours of the runs alone."""
    devices_by_year: tuple[float, ...] = ()
    """Devices that the load needs in each year; empty where neither load nor what is paid for a device changes."""
    replacement_usd: float = 0.0
    """Part of the cash's capital that buys again what has reached its useful life. [USD]"""
    unpriced_from_year: int = 0
    """First year that needs devices without a known price, which the cash leaves out from then on; 0: none. [y]"""
    uncounted_years: float = 0.0
    """Years of the scenario's horizon beyond the longest that payments are counted for. [y]"""

    @property
    def capital_usd(self) -> float:
        """Sum of the lines with a known price, paid once. [USD]"""
        return self._sum("once")

    @property
    def later_capital_usd(self) -> float:
        """Capital of the cash beyond the first day's lines: for growth, and for what is worn out. [USD]"""
        return math.fsum(one.capital_usd for one in self.cash) - self.capital_usd

    @property
    def yearly_usd(self) -> float:
        """Yearly sum of the lines with a known price. [USD/y]"""
        return self._sum("yearly")

    @property
    def outlasts_year(self) -> bool:
        """Whether the runs of a year take their clusters for longer than a year has hours."""
        return self.runs_per_year * self.paid_run_h > self.clusters * HOURS_PER_YEAR

    @property
    def unknown(self) -> tuple[OrderItem, ...]:
        """Items without a price or a quantity: totals are at least what they say."""
        return tuple(dict.fromkeys(one.item for one in self.lines if one.is_unknown))

    def _sum(self, paid: Paid) -> float:
        return math.fsum(one.usd for one in self.lines if one.paid == paid and not one.is_unknown)
