"""For whose money: renting or owning, power, and how long."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.quantity import Currency, Lognormal, Money, Quantity, Triangular

Procurement = Literal["rent_on_demand", "rent_1y", "rent_3y", "rent_spot", "own"]
RentedTerm = Literal["rent_on_demand", "rent_1y", "rent_3y", "rent_spot"]
RENTED_TERMS: tuple[Procurement, ...] = get_args(RentedTerm)
PriceLevel = Literal["low", "typical", "high"]
OrderItem = Literal[
    "nodes", "leaf_switches", "spine_switches", "core_switches", "node_links", "switch_links", "node_ports", "network",
    "storage", "installation", "spare_nodes", "spare_links", "racks", "rack_units", "power_feed", "weight",
    "floor_space", "colocation", "electricity", "support", "licences", "staff", "insurance_and_tax", "owned_devices",
    "instances", "storage_and_egress", "checkpoint_storage", "weight_storage", "data_storage", "other",
]  # fmt: skip
"""A position of an order list."""


class Ownership(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What owning costs beside the devices. Defaults: docs/derivations/cost.md#cost-of-owning."""

    capital_discount: Annotated[
        Quantity, about("Discount", "share", "On the catalogue's purchase price.", minimum=0, maximum=0.95)
    ] = 0.0
    network_usd_per_device: Annotated[
        Quantity,
        about("Network", "USD", "Per device of a full 400 Gb/s fabric. Smaller networks cost in proportion.",
              minimum=0),
    ] = 4_000.0  # fmt: skip
    storage_usd_per_device: Annotated[Quantity, about("Storage", "USD", "Storage, per device.", minimum=0)] = 600.0
    installation_share: Annotated[
        Quantity,
        about("Installation", "share", "Freight and commissioning, as a share of the rest.", minimum=0, maximum=2),
    ] = 0.02
    useful_life_years: Annotated[Quantity, about("Useful life", "y", above=0, maximum=30)] = Triangular(4.0, 4.0, 6.0)
    residual_share: Annotated[
        Quantity,
        about("Residual value", "share", "Resale value at the end of life, as a share of the purchase price.",
              minimum=0, maximum=1),
    ] = 0.1  # fmt: skip
    cost_of_capital: Annotated[Quantity, about("Cost of capital", "1/y", minimum=0, maximum=1)] = Triangular(
        0.07, 0.10, 0.15
    )
    facility_usd_per_kw_month: Annotated[
        Quantity, about("Colocation", "USD/kW/month", "Per provisioned kW, power excluded.", minimum=0)
    ] = 195.0
    infrastructure_power_share: Annotated[
        Quantity,
        about("Switches and storage power", "share", "As a share of the nodes' rated power.", minimum=0, maximum=2),
    ] = 0.08
    support_share_per_year: Annotated[
        Quantity, about("Hardware support", "1/y", "Per year, as a share of the purchase price.", minimum=0, maximum=1)
    ] = 0.05
    software_usd_per_device_year: Annotated[
        Quantity, about("Software", "USD/y", "Licences, per device.", minimum=0)
    ] = 0.0
    staff_usd_per_device_year: Annotated[
        Quantity, about("Staff", "USD/y", "Per device and year; assumes one engineer for 500 devices.", minimum=0)
    ] = 400.0
    insurance_and_tax_share_per_year: Annotated[
        Quantity, about("Insurance and tax", "1/y", "Per year, as a share of the purchase price.", minimum=0, maximum=1)
    ] = 0.005
    availability: Annotated[Quantity, about("Device availability", "share", above=0, maximum=1)] = 0.97


class Site(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Power and what it emits."""

    electricity_usd_per_kwh: Annotated[Quantity, about("Electricity", "USD/kWh", minimum=0, maximum=10)] = 0.085
    pue: Annotated[
        Quantity, about("PUE", "", "Power of the whole facility over power of its machines.", minimum=1, maximum=4)
    ] = Triangular(1.1, 1.25, 1.6)
    grid_g_co2e_per_kwh: Annotated[Quantity, about("Grid carbon", "g/kWh", minimum=0, maximum=2000)] = 369.0
    power_share_of_rating: Annotated[
        Quantity, about("Power drawn under load", "share", "Share of the rated power.", above=0, maximum=1.5)
    ] = Triangular(0.6, 0.76, 0.85)
    idle_share_of_rating: Annotated[
        Quantity | None,
        about(
            "Power drawn when idle",
            "",
            "Share of the rated power; empty: the catalogue's figure for each node.",
            minimum=0,
            maximum=1,
            advanced=True,
        ),
    ] = None
    batch_one_power_share: Annotated[
        Quantity,
        about(
            "Power at batch 1",
            "",
            "Power at batch 1: how far it lies between idle power (0) and power under load (1).",
            minimum=0,
            maximum=1,
            advanced=True,
        ),
    ] = Triangular(0.27, 0.33, 0.38)
    embodied_kg_co2e_per_device: Annotated[
        Quantity,
        about(
            "Embodied carbon",
            "kg",
            "CO₂e of manufacturing one device and its share of the node.",
            minimum=0,
            maximum=100_000,
            advanced=True,
        ),
    ] = Triangular(246.0, 328.0, 492.0)
    water_litres_per_kwh: Annotated[
        Quantity,
        about(
            "Water (WUE)",
            "L/kWh",
            "Water evaporated per kWh of the machines; 0: dry cooling.",
            minimum=0,
            maximum=20,
            advanced=True,
        ),
    ] = Triangular(0.0, 1.0, 1.8)


class PriceOverride(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A price that the planner was quoted, in place of the catalogue's."""

    accelerator: Annotated[
        str,
        about(
            "Accelerator", "",
            "Identifier in the catalogue. Of several rows for one accelerator, the lowest rent of each term and the "
            "lowest purchase price count.",
        ),
    ]  # fmt: skip
    term: Annotated[
        RentedTerm | None,
        about(
            "Term", "", "Term of the rent; empty: every term. A term without a quotation keeps the catalogue's price."
        ),
    ] = None
    rent_per_device_hour: Annotated[
        Money | None,
        about("Rent", "1/h", "Per device. Replaces the catalogue's price on the term of this row.", minimum=0),
    ] = None
    purchase_per_device: Annotated[
        Money | None,
        about(
            "Purchase", "",
            "Per device. With its share of the server where the catalogue prices that server; else of the device "
            "alone: the plan adds the server's estimated price.",
            minimum=0,
        ),
    ] = None  # fmt: skip
    provider: Annotated[str, about("Provider", "", "Who quoted the price.")] = ""
    note: Annotated[str, about("Note")] = ""


class OrderEntry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A position of the order list that the planner fills in: what no catalogue knows, or a lead time."""

    item: Annotated[OrderItem, about("Item", "", "Line of the order list, or “other” for a new line.")] = "other"
    name: Annotated[str, about("Name", "", "Product or supplier.")] = ""
    quantity: Annotated[
        float | None, about("Quantity", "", "Empty: the quantity in the order list.", minimum=0, maximum=1e9)
    ] = None
    unit_price: Annotated[
        Money | None, about("Unit price", "", "Used where the plan has no price of its own.", minimum=0)
    ] = None
    is_yearly: Annotated[bool, about("Paid each year", "", "Off: paid once.")] = False
    lead_time_s: Annotated[Quantity | None, about("Lead time", "s", "Time from order to delivery.", minimum=0)] = None
    source: Annotated[str, about("Source", "", "Quotation or web page.")] = ""
    date: Annotated[str, about("As of", "", "Date of the quotation, such as 2026-11-23.", longest=40)] = ""


class ExchangeRate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one unit of a currency is worth."""

    currency: Annotated[Currency, about("Currency")]
    usd_per_unit: Annotated[float, about("Rate", "USD", above=0, maximum=1e6)]


class FleetTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When training and service take place: what one shared fleet, two fleets and rented bursts are compared over."""

    training_runs_per_year: Annotated[
        Quantity,
        about("Training runs per year", "1/y", "Runs like this one, spread evenly over the year.", minimum=0,
              maximum=1000),
    ] = 1.0  # fmt: skip
    first_run_s: Annotated[Quantity, about("First run starts", "s", "After the plan starts.", minimum=0)] = 0.0
    training_window_s: Annotated[
        Quantity | None,
        about(
            "Time per run",
            "s",
            "Time allowed for each run; empty: the deadline, else the time that the recommended run takes, at least "
            "30 days.",
            above=0,
        ),
    ] = None
    service_opens_s: Annotated[
        Quantity | None,
        about("Service opens", "s", "Time from the start of the plan to the opening; empty: after the first run.",
              minimum=0),
    ] = None  # fmt: skip
    switching_loss: Annotated[
        Quantity,
        about(
            "Switch-over loss",
            "",
            "Share of idle hours lost to starting and stopping training in them.",
            minimum=0,
            maximum=0.9,
        ),
    ] = 0.05
    training_virtualisation_loss: Annotated[
        Quantity,
        about(
            "Virtualisation loss, training",
            "",
            "Performance lost to virtual machines; 0: bare metal.",
            minimum=0,
            maximum=0.9,
            advanced=True,
        ),
    ] = 0.0
    serving_virtualisation_loss: Annotated[
        Quantity,
        about(
            "Virtualisation loss, serving",
            "",
            "Performance lost to virtual machines; 0: bare metal.",
            minimum=0,
            maximum=0.9,
            advanced=True,
        ),
    ] = 0.03


class RentalTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a provider bills beside the devices. Prices: docs/derivations/cost.md#storage-egress-and-support."""

    egress_usd_per_gb: Annotated[
        Quantity,
        about("Egress price", "USD/GB", "List price of data moved out to the internet.", minimum=0, maximum=100),
    ] = 0.09
    serving_egress_bytes_per_month: Annotated[
        Quantity,
        about("Egress per month, service", "bytes on disk", "Data moved out per month: answers, logs, copies.",
              minimum=0),
    ] = 0.0  # fmt: skip
    training_egress_bytes_per_run: Annotated[
        Quantity,
        about("Egress per run, training", "bytes on disk", "Data moved out per run: checkpoints and data.", minimum=0),
    ] = 0.0
    stored_bytes: Annotated[
        Quantity,
        about("Stored data", "bytes on disk", "Data held all year by each workload; the runs of a year share it.",
              minimum=0),
    ] = 0.0  # fmt: skip
    storage_usd_per_gb_month: Annotated[
        Quantity,
        about("Storage price", "USD/GB/month", "Price of object storage; fast file systems cost about 0.14.",
              minimum=0, maximum=100),
    ] = 0.023  # fmt: skip
    support_share: Annotated[
        Quantity, about("Provider's support", "share", "As a share of the rest of the bill.", minimum=0, maximum=1)
    ] = 0.0


Confidence = Literal["expected", "p80", "p95"]


class UncertaintyTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How ranges and probabilities are found, and how sure a plan has to be."""

    confidence: Annotated[
        Confidence,
        about("Confidence", "", "Probability with which the fleet must meet every target. The fleet is sized for it."),
    ] = "p80"
    measured_only: Annotated[
        bool,
        about("Measured hardware only", "",
              "Consider only candidates with own runs, or with at least five published runs in their format."),
    ] = False  # fmt: skip
    usual_spreads: Annotated[
        bool, about("Default ranges", "", "Give every input that has no range of its own its default range.")
    ] = True
    new_product: Annotated[bool, about("New product", "", "On: demand is a guess. Off: past demand is known.")] = False
    samples: Annotated[int, about("Simulations", minimum=100, maximum=100_000, advanced=True)] = 2_000


class RankingWeights(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What counts when scenarios are ranked; only ratios matter."""

    cost: Annotated[float, about("Cost", minimum=0, maximum=100)] = 5.0
    latency: Annotated[float, about("Latency", "", "TTFT at the target's percentile.", minimum=0, maximum=100)] = 2.0
    stability: Annotated[float, about("Tail latency", "", "TTFT p99 over p50.", minimum=0, maximum=100)] = 1.0
    certainty: Annotated[
        float, about("Certainty", "", "Probability that every target is met.", minimum=0, maximum=100)
    ] = 2.0
    power: Annotated[float, about("Power", minimum=0, maximum=100)] = 1.0


class Economics(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Prices and terms. Where a price is missing, the candidate is shown without cost, and why."""

    training_procurement: Annotated[
        Procurement, about("Training fleet", "", "How the training devices are paid for.")
    ] = "rent_on_demand"
    serving_procurement: Annotated[Procurement, about("Serving fleet", "", "How the serving devices are paid for.")] = (
        "rent_on_demand"
    )
    price_level: Annotated[
        PriceLevel, about("Price level", "", "Lowest, typical or highest offers in the catalogue.")
    ] = "typical"
    overrides: Annotated[tuple[PriceOverride, ...], about("Quoted prices", most=500)] = ()
    order: Annotated[
        tuple[OrderEntry, ...],
        about("Order list", "", "Prices and lead times that the catalogue does not have.", most=200),
    ] = ()
    rates: Annotated[
        tuple[ExchangeRate, ...],
        about(
            "Exchange rates", "", "One for each currency. If two rates of a currency differ, neither is used.", most=50
        ),
    ] = ()
    display_currency: Annotated[Currency, about("Currency shown")] = "USD"
    horizon_years: Annotated[
        Quantity, about("Horizon", "y", "Period over which costs are compared.", above=0, maximum=30)
    ] = 3.0
    serving_budget_usd_per_month: Annotated[
        Quantity | None,
        about("Budget of the service", "USD/month", "Monthly budget for the whole serving fleet.", above=0),
    ] = None
    price_trend_per_year: Annotated[
        Quantity,
        about("Trend of rental prices", "1/y", "Yearly change of rental prices; -0.2: 20 % cheaper each year.",
              minimum=-0.9, maximum=10, advanced=True),
    ] = 0.0  # fmt: skip
    requests_per_user_day: Annotated[
        Quantity,
        about("Requests per user", "1/day", "Used for the cost per user and month, unless arrivals are by users: their "
              "think time then says it.", above=0, maximum=1e6),
    ] = 20.0  # fmt: skip
    spot_interruption_interval_s: Annotated[
        Quantity,
        about("Time between spot interruptions", "s", "Mean time until the provider takes a spot node back.", above=0),
    ] = Lognormal(259_200.0, 0.8)
    fleets: Annotated[FleetTerms, about("Fleets over time")] = FleetTerms()
    renting: Annotated[RentalTerms, about("Storage, egress, support", "", "Beside the devices.", advanced=True)] = (
        RentalTerms()
    )
    uncertainty: Annotated[UncertaintyTerms, about("Uncertainty")] = UncertaintyTerms()
    ranking: Annotated[RankingWeights, about("Weights of the ranking", advanced=True)] = RankingWeights()
    ownership: Annotated[Ownership, about("Owning")] = Ownership()
    site: Annotated[Site, about("Power and site")] = Site()

    def usd_per_unit(self, currency: Currency) -> float:
        """What one unit of a currency is worth; NaN where no rate says it, or several that differ. [USD]"""
        worths = {1.0} if currency == "USD" else {one.usd_per_unit for one in self.rates if one.currency == currency}
        return worths.pop() if len(worths) == 1 else float("nan")
