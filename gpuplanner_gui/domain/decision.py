"""What the engine answers about the decision itself: fleets over time, rent or buy, how sure, which scenario."""

from __future__ import annotations

from math import nan
from typing import Annotated, Literal

import msgspec
import numpy as np

from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.ownership import CapitalParts, OwnedParts
from gpuplanner_gui.domain.price import OrderList
from gpuplanner_gui.domain.verdict import Verdict

Strategy = Literal["shared", "time_shared", "two_fleets", "burst"]
FleetRole = Literal["shared", "training", "serving"]
Tier = Literal["committed", "by_the_hour"]
TermReason = Literal[
    "", "no_offer", "outlasts_horizon", "no_purchase_price", "site_too_small", "must_not_stop", "nothing_missing"
]


class ResourceMoney(msgspec.Struct, frozen=True):
    """Dollars by resource, in the order of `domain.plan.Resource`."""

    compute: Annotated[float, about("Compute", "USD")]
    bandwidth: Annotated[float, about("Memory bandwidth", "USD")]
    capacity: Annotated[float, about("Memory capacity", "USD")]
    interconnect: Annotated[float, about("Interconnect", "USD")]
    host_and_storage: Annotated[float, about("Host and storage", "USD")]

    def values(self) -> tuple[float, ...]:
        return (self.compute, self.bandwidth, self.capacity, self.interconnect, self.host_and_storage)

    @property
    def total(self) -> float:
        return sum(self.values())


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """Devices of one kind, held for one workload or both."""

    role: FleetRole
    accelerator: str
    serving_candidate: Annotated[int, about("Serving candidate", "", "Index in the plan's table; -1: none.")] = -1
    training_candidate: Annotated[int, about("Training candidate", "", "Index in the plan's table; -1: none.")] = -1
    devices: Annotated[float, about("Devices", "devices", "Most held at once.")]
    provider: Annotated[
        str, about("Provider", "", "Provider of what is rented; empty: owned, or your quotation names nobody.")
    ] = ""
    devices_usd: Annotated[float, about("Cost of devices", "USD", "Present value, a provider's support included.")]
    data_usd: Annotated[float, about("Storage and egress", "USD", "Present value, of data beside rented devices.")] = (
        0.0
    )
    paid_hours: Annotated[float, about("Device-hours paid", "h")]
    training_hours: Annotated[float, about("Device-hours trained", "h")]
    serving_hours: Annotated[float, about("Device-hours served", "h")]
    paid: Annotated[ResourceMoney, about("Paid for", "", "With the devices' cost.")]
    used: Annotated[ResourceMoney, about("Of that, used")]

    @property
    def usd(self) -> float:
        """Devices and data over the horizon, present value. [USD]"""
        return self.devices_usd + self.data_usd

    @property
    def unused_usd(self) -> float:
        """Paid for what stands idle, over the horizon. [USD]"""
        return self.paid.total - self.used.total

    @property
    def busy_share(self) -> float:
        """Share of the paid device-hours in which devices work."""
        return (self.training_hours + self.serving_hours) / self.paid_hours if self.paid_hours else 0.0


class FleetSpan(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of the horizon in which a fleet holds devices."""

    role: FleetRole
    tier: Tier
    accelerator: str
    start_h: Annotated[float, about("From", "h")]
    end_h: Annotated[float, about("Until", "h")]
    devices: Annotated[
        float, about("Devices", "devices", "Devices held throughout; where they follow the load, the average.")
    ]
    usd: Annotated[float, about("Cost", "USD")]


class StrategyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One way to cover both workloads, with the hardware that is cheapest for it."""

    strategy: Strategy
    fleets: tuple[Fleet, ...]
    timeline: tuple[FleetSpan, ...]

    @property
    def usd(self) -> float:
        return sum(fleet.usd for fleet in self.fleets)

    @property
    def is_possible(self) -> bool:
        return bool(np.isfinite(self.usd))

    @property
    def unused_usd(self) -> float:
        return sum(fleet.paid.total - fleet.used.total for fleet in self.fleets)


class FleetsAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Every strategy over the horizon, in a fixed order."""

    strategies: tuple[StrategyAnswer, ...]
    horizon_h: Annotated[float, about("Horizon", "h")]
    windows_h: tuple[tuple[float, float], ...]
    """When training runs may take place."""
    opens_h: Annotated[float, about("Service opens", "h")]
    options: Annotated[int, about("Accelerators compared")]

    @property
    def best(self) -> StrategyAnswer | None:
        """The cheapest strategy that is possible; None if none is."""
        possible = [one for one in self.strategies if one.is_possible]
        return min(possible, key=lambda one: one.usd) if possible else None

    def of(self, strategy: Strategy) -> StrategyAnswer:
        return next(one for one in self.strategies if one.strategy == strategy)


class TermAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """One way to pay for the same fleet over the horizon."""

    term: Procurement
    provider: Annotated[str, about("Provider", "", "Who offers it; empty: you own it or have a quotation.")] = ""
    by_the_hour_usd: Annotated[float, about("On-demand price there", "USD/h", "On-demand price of the same offer.")] = (
        float("nan")
    )
    lowest_usd: Annotated[float, about("Lowest price", "USD/h", "The least that a provider asks on this term.")] = (
        float("nan")
    )
    usd_per_device_hour: Annotated[float, about("Device-hour", "USD/h", "Per hour in which the device works.")]
    paid_devices: Annotated[
        float, about("Devices paid for", "devices", "Those in use and the rest of the nodes or instances they come in.")
    ]
    usd: Annotated[
        float,
        about(
            "Cost over the horizon",
            "USD",
            "Present value at the cost of capital; empty where the term is longer than the horizon.",
        ),
    ]
    break_even_share: Annotated[
        float,
        about(
            "Break-even share of hours",
            "",
            "A device needed in more of the hours is cheaper bought than on this term, support included.",
        ),
    ]
    usd_by_year: Annotated[tuple[float, ...], about("Cost by year", "USD", "Paid in each year, undiscounted.")] = ()
    reason: TermReason = ""
    """Why it is not open; empty where it is."""


class OwnersTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What an hour costs another kind of owner."""

    id: str
    title: str
    usd_per_device_hour: Annotated[float, about("Owned device-hour", "USD/h")]


class Investment(msgspec.Struct, frozen=True, kw_only=True):
    """Buying instead of renting, as cash flows over the useful life."""

    rent_usd_per_hour: Annotated[float, about("Rent saved", "USD/h")]
    life_years: Annotated[float, about("Useful life", "y")]
    cash_flows_usd: tuple[float, ...]
    """Purchase now, rent saved less running costs at the end of each year of the useful life, resale at its end."""
    npv_usd: Annotated[float, about("Net present value (NPV)", "USD")]
    irr: Annotated[float, about("Internal rate of return (IRR)", "1/y")]
    payback_years: Annotated[float, about("Payback", "y")]


class CommitmentYear(msgspec.Struct, frozen=True, kw_only=True):
    """Replicas by term in one year of the cheapest mix."""

    three_years: int
    one_year: int
    by_the_hour: int
    """The most that are rented by the hour at once."""
    provider: Annotated[
        str,
        about("Provider", "", "Provider of the reserved and on-demand devices; empty: the price is your quotation."),
    ] = ""
    quoted_by: Annotated[
        str | None,
        about("Quoted by", "", "Who else quoted some of the prices to you; empty: your quotation names nobody."),
    ] = None
    on_demand_usd_per_device_hour: Annotated[
        float, about("By the hour", "USD/h", "Today's on-demand price of a device in use at that provider.")
    ] = float("nan")
    usd: Annotated[float, about("Paid in the year", "USD", "Includes storage, egress and support; not discounted.")]


class PowerAtLoad(msgspec.Struct, frozen=True, kw_only=True):
    """What a fleet draws at one load, and for how long."""

    load: Annotated[
        float, about("Load", "", "Load as a share of the peak; for a run 1 while it computes, 0 while it waits.")
    ]
    hours: Annotated[float, about("Hours", "h", "Hours at this load, in a year of service or in the run.")]
    power_w: Annotated[float, about("Power at this load", "W", "Power at the meter, cooling included.")]


class EnergyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Energy, carbon and water of a year of service, or of a training run."""

    it_power_w: Annotated[float, about("Mean power of the machines", "W")]
    facility_power_w: Annotated[float, about("Mean power at the meter", "W")]
    rated_power_w: Annotated[float, about("Rated power", "W")]
    by_load: tuple[PowerAtLoad, ...]
    """Power by load, from the highest load; hours times power add up to the energy."""
    energy_kwh: Annotated[float, about("Energy", "kWh")]
    electricity_usd: Annotated[float, about("Electricity", "USD", "For machines, not switches or storage.")]
    electricity_carbon_kg: Annotated[float, about("Carbon of electricity", "kg")]
    embodied_carbon_kg: Annotated[float, about("Carbon of manufacture", "kg")]
    water_litres: Annotated[float, about("Water", "L")]
    kwh_per_million_tokens: Annotated[float, about("Energy per M tokens", "kWh")]
    grams_per_million_tokens: Annotated[float, about("Carbon per M tokens", "g")]
    assumed_log_sd: Annotated[
        float,
        about("Spread of the power", "",
              "Spread (of the logarithm) where the power is assumed from related devices; 0: the maker states it."),
    ] = 0.0  # fmt: skip

    @property
    def carbon_kg(self) -> float:
        return self.electricity_carbon_kg + self.embodied_carbon_kg


class UnitCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a unit of work costs."""

    code: str
    value: float
    unit: str
    requests_per_day: Annotated[float, about("Requests per user", "1/day", "Those that a user's cost is for.")] = nan


class LeverAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A measure that makes a run cheaper."""

    code: Literal["faster", "spot"]
    alone_usd: Annotated[float, about("Saved alone", "USD", "Saving if only this measure is taken.")]
    in_order_usd: Annotated[float, about("Saved in turn", "USD", "Saving after the measures above it; these add up.")]


class OwnershipAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Rent or buy the recommended fleet of one workload."""

    workload: Literal["serving", "training"]
    accelerator: str
    candidate: int
    devices: Annotated[float, about("Devices", "devices")]
    bought_devices: Annotated[float, about("Devices bought", "devices", "Rounded up to the unit sold.")]
    draw_share: Annotated[float, about("Mean draw", "", "Mean power of a bought device over its power under load.")]
    use_share: Annotated[float, about("Utilisation", "", "Share of hours in which the fleet is needed.")]
    node_usd: Annotated[float, about("Price of a device with its server", "USD")]
    capital: CapitalParts[float]
    annual: OwnedParts[float]
    """Both per device."""
    straight_line_usd_per_hour: Annotated[float, about("Depreciation alone", "USD/h", "Without interest.")]
    owned_usd_per_calendar_hour: Annotated[float, about("Owned device-hour", "USD/h", "Used or not.")]
    held_usd_per_hour: Annotated[
        float, about("Held device-hour", "USD/h", "While up, used or not, with idle devices of whole servers.")
    ]
    owned_usd_per_useful_hour: Annotated[float, about("Device-hour in use", "USD/h", "While up and in use.")]
    terms: tuple[TermAnswer, ...]
    owners: tuple[OwnersTerms, ...]
    investment: Investment | None
    commitments: tuple[CommitmentYear, ...]
    commitment_usd: float
    """Present value of the cheapest mix over the horizon; NaN where no hourly price is known. [USD]"""
    energy: EnergyAnswer
    unit_costs: tuple[UnitCost, ...]
    levers: tuple[LeverAnswer, ...] = ()
    """Ways to make a training run cheaper: FP8, spot capacity."""
    horizon_years: Annotated[float, about("Horizon", "y")] = 0.0
    growth_per_year: Annotated[float, about("Growth", "1/y", "Constant growth of the load from the first day.")] = 0.0
    replicas: Annotated[float, about("Replicas", "", "Replicas of the recommended fleet; 0 for training.")] = 0.0
    replicas_by_year: tuple[float, ...] = ()
    """Held for each year's highest load, by every term but the mix; none for training."""
    order: OrderList | None = None
    """What is bought or rented for the fleet of the first day, on the scenario's term."""
    is_owned_already: bool = False
    """The planner has the whole fleet: owning costs its running alone, and nothing is to be bought."""


class Headline(msgspec.Struct, frozen=True, kw_only=True):
    """A result with its band over the samples."""

    code: str
    unit: str
    planned: Annotated[float, about("Planned")]
    p10: Annotated[float, about("P10")]
    p50: Annotated[float, about("P50")]
    p90: Annotated[float, about("P90")]
    input_share: Annotated[float, about("Spread from inputs", "", "Share of the spread that the inputs cause.")]
    limit: float = float("nan")
    """Target, budget or date that belongs to it."""


class TornadoBar(msgspec.Struct, frozen=True, kw_only=True):
    """What one input does to a result, the others at their medians."""

    input: str
    low_input: float
    high_input: float
    result_at_low: float
    result_at_high: float

    @property
    def swing(self) -> float:
        return abs(self.result_at_high - self.result_at_low)


class Tornado(msgspec.Struct, frozen=True, kw_only=True):
    """One result and the inputs that move it, the strongest first."""

    code: str
    unit: str
    middle: float
    bars: tuple[TornadoBar, ...]


class Probability(msgspec.Struct, frozen=True, kw_only=True):
    """How likely a condition holds for the plan as it stands."""

    code: str
    value: float


class Rival(msgspec.Struct, frozen=True, kw_only=True):
    """A candidate against the recommended one, over the same samples."""

    workload: str
    candidate: int
    accelerator: str
    p10_usd: float
    p50_usd: float
    p90_usd: float
    best_share: Annotated[
        float, about("Cheapest", "", "Share of simulations in which it is the cheapest that meets the targets.")
    ]
    beats_recommended: Annotated[float, about("Cheaper than the recommended", "", "Share of samples.")]


class WorthOfKnowing(msgspec.Struct, frozen=True, kw_only=True):
    """What knowing an input before the decision is worth."""

    input: str
    value_usd: float


class SkewedInput(msgspec.Struct, frozen=True, kw_only=True):
    """An input of which clearly more or fewer than half of the cases lie above the plan."""

    input: str
    planned: Annotated[float, about("Planned")]
    median: Annotated[float, about("P50")]
    is_lowest: bool = False
    """Whether no case lies below the plan."""


class UncertaintyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """How sure a plan is."""

    samples: int
    seed: int
    headlines: tuple[Headline, ...]
    tornados: tuple[Tornado, ...]
    probabilities: tuple[Probability, ...]
    rivals: tuple[Rival, ...]
    measurements: tuple[WorthOfKnowing, ...]
    """Best first; what is worth no more than chance is left out."""
    inputs: tuple[str, ...]
    skewed: tuple[SkewedInput, ...] = ()

    def probability(self, code: str) -> float:
        """NaN for a condition that the scenario does not set."""
        return next((one.value for one in self.probabilities if one.code == code), float("nan"))

    def headline(self, code: str) -> Headline | None:
        return next((one for one in self.headlines if one.code == code), None)


class DifferingInput(msgspec.Struct, frozen=True, kw_only=True):
    """A place in the scenarios that is not the same in all of them."""

    path: str
    titles: tuple[str, ...]
    """Titles of the sections and the field, from the outside in."""
    unit: str
    values: tuple[object, ...]
    """One for each scenario; None where the place does not exist."""


class ComparedScenario(msgspec.Struct, frozen=True, kw_only=True):
    """One column of a comparison."""

    name: str
    serving: str
    """Accelerator recommended; empty without a service."""
    training: str
    headlines: tuple[Headline, ...]
    scores: dict[str, float]
    """Each criterion from 0, the worst of the scenarios, to 1, the best."""
    score: float
    verdict: Verdict | None = None
    """Verdict on both workloads together."""

    def headline(self, code: str) -> Headline | None:
        return next((one for one in self.headlines if one.code == code), None)


class ComparisonAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Scenarios beside each other."""

    scenarios: tuple[ComparedScenario, ...]
    differing: tuple[DifferingInput, ...]
    beats: tuple[tuple[float, ...], ...]
    """Row beats column on cost: share of the same samples. NaN where one serves or trains and the other does not."""
    ranking: tuple[int, ...]
