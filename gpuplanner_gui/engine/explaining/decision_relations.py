"""How numbers about the decision are made: fleets, owning and renting, samples, comparisons."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Relation:
    """How a number comes about, who says so, and what goes in."""

    expression: str
    source: str
    inputs: tuple[str, ...] = ()
    formula: str = ""
    """Key of the formula that makes it (`cost.energy.energy_kwh`), which then says expression and source."""


def made_by(formula: str, *inputs: str) -> Relation:
    """A field that a registered formula makes."""
    return Relation("", "", inputs, formula)


OWNING = "docs/derivations/cost.md#cost-of-owning"


def _as_stated(name: str) -> Relation:
    """A part of owning that the scenario states."""
    return Relation("as stated", "scenario", (f"scenario:economics.ownership.{name}",))


def _share_of_capital(name: str) -> Relation:
    """A part of owning that is a share of the capital."""
    return Relation("capital · share", OWNING, ("../capital/total", f"scenario:economics.ownership.{name}"))


SAMPLES = (
    "Latin hypercube over the inputs' distributions, model error included (docs/derivations/uncertainty.md#sampling)"
)
FLEETS = "hour by hour over the horizon"
_SAMPLED = ("planned", "../samples", "../seed")

FLEET_RELATIONS: dict[str, Relation] = {
    "decision.FleetsAnswer.horizon_h": Relation("years · 8760", "scenario", ("scenario:economics.horizon_years",)),
    "decision.FleetsAnswer.opens_h": Relation(
        "as stated, or when the first run ends", "scenario",
        ("scenario:economics.fleets.service_opens_s", "windows_h/0/1"),
    ),
    "decision.FleetsAnswer.windows_h": Relation(
        "runs evenly spread over a year, each as long as the time for a run or the recommended run", "scenario",
        ("scenario:economics.fleets.training_runs_per_year", "scenario:economics.fleets.first_run_s",
         "scenario:economics.fleets.training_window_s", "scenario:training.deadline_s",
         "column:training:run_time_confident_s", "column:training:device_hours", "column:training:devices"),
    ),
    "decision.FleetsAnswer.options": Relation(
        "kinds of device that can do both, the cheapest for a year and a run", "plan",
        ("column:serving:usd_per_month", "column:training:usd_per_run"),
    ),
    "decision.StrategyAnswer.usd": Relation("sum over the fleets", FLEETS, ("fleets/*/usd",)),
    "decision.StrategyAnswer.unused_usd": Relation(
        "paid − used, over resources and fleets", FLEETS, ("fleets/*/paid/total", "fleets/*/used/total")
    ),
    "decision.Fleet.usd": Relation("devices + storage and egress", FLEETS, ("devices_usd", "data_usd")),
    "decision.Fleet.devices_usd": Relation(
        "cheapest mix of one provider's terms, present value (docs/derivations/cost.md#present-value)", FLEETS,
        ("paid_hours", "devices", "../timeline/*/usd", "column:serving:usd_per_device_hour",
         "column:training:usd_per_device_hour"),
    ),
    "decision.Fleet.data_usd": made_by(
        "cost.bill.storage_and_egress_usd",
        "scenario:economics.renting.stored_bytes", "scenario:economics.renting.storage_usd_per_gb_month",
        "scenario:economics.renting.serving_egress_bytes_per_month",
        "scenario:economics.renting.training_egress_bytes_per_run", "scenario:economics.renting.egress_usd_per_gb",
        "scenario:economics.renting.support_share",
    ),
    "decision.Fleet.devices": Relation(
        "the most that either workload, or both at once, need in any hour, in units as sold", FLEETS,
        ("column:serving:devices_per_replica", "column:serving:slo_rate_per_s", "column:training:device_hours"),
    ),
    "decision.Fleet.paid_hours": Relation(
        "devices · hours held, and what is rented by the hour", FLEETS, ("devices", "../../horizon_h", "../../opens_h")
    ),
    "decision.Fleet.training_hours": Relation(
        "device-hours of a run · runs over the horizon", FLEETS,
        ("column:training:device_hours", "scenario:economics.fleets.training_runs_per_year", "../../horizon_h"),
    ),
    "decision.Fleet.serving_hours": Relation(
        "replicas of each hour, spares included · devices of a replica", FLEETS,
        ("column:serving:devices_per_replica", "column:serving:slo_rate_per_s", "column:serving:replicas"),
    ),
    "decision.Fleet.busy_share": Relation(
        "(training_hours + serving_hours) / paid_hours", FLEETS, ("training_hours", "serving_hours", "paid_hours")
    ),
    "decision.Fleet.unused_usd": Relation("paid − used", FLEETS, ("paid/total", "used/total")),
    "decision.FleetSpan.*": Relation(
        "devices from the first to the last hour of the period, at their price", FLEETS,
        ("devices", "start_h", "end_h", "usd", "../../horizon_h"),
    ),
    "decision.ResourceMoney.*": Relation(
        "cost of the fleet's devices · share that buys the resource · use while busy · share of hours busy",
        "what a device's price buys; use by each workload's step "
        "(docs/derivations/cost.md#what-a-devices-price-buys)",
        ("../devices_usd", "../paid_hours", "../training_hours", "../serving_hours",
         "column:serving:decode_step_s", "column:training:mfu"),
    ),
}  # fmt: skip

MONEY_RELATIONS: dict[str, Relation] = {
    "decision.OwnershipAnswer.devices": Relation(
        "figure of the recommended candidate", "plan", ("column:serving:devices", "column:training:devices")
    ),
    "decision.OwnershipAnswer.use_share": Relation(
        "1 for a service; hours of the runs / hours of a year, or of a long run's whole years held", "plan",
        ("column:training:run_time_s", "scenario:economics.fleets.training_runs_per_year"),
    ),
    "decision.OwnershipAnswer.node_usd": Relation(
        "purchase price of the node / its devices, after the planner's own prices", "catalogue",
        ("scenario:economics.price_level", "capital/node_usd"),
    ),
    "decision.OwnershipAnswer.straight_line_usd_per_hour": Relation(
        "(capital − resale) / life / 8760", "accounting depreciation",
        ("capital/total", "scenario:economics.ownership.residual_share",
         "scenario:economics.ownership.useful_life_years"),
    ),
    "decision.OwnershipAnswer.owned_usd_per_calendar_hour": made_by("cost.ownership.owned_usd_per_hour", "annual/*"),
    "decision.OwnershipAnswer.held_usd_per_hour": Relation(
        "cost of a year / hours that a device is up · devices bought / devices in use", OWNING,
        ("annual/*", "bought_devices", "devices", "scenario:economics.ownership.availability"),
    ),
    "decision.OwnershipAnswer.owned_usd_per_useful_hour": made_by(
        "cost.ownership.useful_usd_per_hour",
        "owned_usd_per_calendar_hour", "bought_devices", "devices", "use_share",
        "scenario:economics.ownership.availability",
    ),
    "decision.OwnershipAnswer.horizon_years": Relation(
        "horizon of the scenario, ten years at most", "scenario", ("scenario:economics.horizon_years",)
    ),
    "decision.OwnershipAnswer.growth_per_year": Relation(
        "growth of the scenario's load", "scenario", ("scenario:serving.traffic.growth_per_year",)
    ),
    "decision.OwnershipAnswer.replicas": Relation(
        "figure of the recommended candidate", "plan", ("column:serving:replicas",)
    ),
    "decision.OwnershipAnswer.replicas_by_year": Relation(
        "replicas for the highest load of each year, zones and spares included", "plan",
        ("replicas", "growth_per_year", "scenario:serving.traffic.growth_per_year"),
    ),
    "decision.OwnershipAnswer.commitment_usd": Relation(
        "sum over the years of the cheapest mix, discounted", "docs/derivations/cost.md#mix-of-terms",
        ("commitments/*/usd", "scenario:economics.ownership.cost_of_capital"),
    ),
    "ownership.CapitalParts.total": made_by("cost.ownership.device_capital_total_usd", "*"),
    "ownership.CapitalParts.node_usd": Relation(
        "price of a device with its server · (1 − discount)", OWNING,
        ("../node_usd", "scenario:economics.ownership.capital_discount"),
    ),
    "ownership.CapitalParts.network_usd": made_by(
        "cost.units.owned_network_usd", "scenario:economics.ownership.network_usd_per_device",
        "scenario:hardware.network", "scenario:hardware.oversubscription",
    ),
    "ownership.CapitalParts.storage_usd": _as_stated("storage_usd_per_device"),
    "ownership.CapitalParts.installation_usd": Relation(
        "(devices and servers + network + storage) · installation share", OWNING,
        ("node_usd", "network_usd", "storage_usd", "scenario:economics.ownership.installation_share"),
    ),
    "ownership.OwnedParts.total": made_by("cost.ownership.owned_usd_per_year", "*"),
    "ownership.OwnedParts.capital_usd": made_by(
        "cost.ownership.annual_capital_usd",
        "../capital/total", "scenario:economics.ownership.cost_of_capital",
        "scenario:economics.ownership.useful_life_years", "scenario:economics.ownership.residual_share",
    ),
    "ownership.OwnedParts.facility_usd": made_by(
        "cost.ownership.facility_usd_per_year", "scenario:economics.ownership.facility_usd_per_kw_month"
    ),
    "ownership.OwnedParts.energy_usd": made_by(
        "cost.ownership.electricity_usd_per_year",
        "scenario:economics.site.power_share_of_rating", "scenario:economics.site.pue",
        "scenario:economics.site.electricity_usd_per_kwh",
    ),
    "ownership.OwnedParts.support_usd": _share_of_capital("support_share_per_year"),
    "ownership.OwnedParts.software_usd": _as_stated("software_usd_per_device_year"),
    "ownership.OwnedParts.staff_usd": _as_stated("staff_usd_per_device_year"),
    "ownership.OwnedParts.insurance_and_tax_usd": _share_of_capital("insurance_and_tax_share_per_year"),
    "decision.TermAnswer.usd_per_device_hour": Relation(
        "price of the term for this device; owned: cost per available hour", "catalogue of offers, or owning",
        ("../owned_usd_per_calendar_hour", "scenario:economics.price_level", "column:serving:usd_per_device_hour"),
    ),
    "decision.TermAnswer.by_the_hour_usd": Relation(
        "on-demand price of the same offer", "catalogue of offers", ("scenario:economics.price_level",)
    ),
    "decision.TermAnswer.lowest_usd": Relation(
        "least of the offers on the term", "catalogue of offers", ("scenario:economics.price_level",)
    ),
    "decision.TermAnswer.usd": Relation(
        "payments of each year, discounted from its end; an owner's capital as equal payments over the useful life",
        "net present value (docs/derivations/cost.md#present-value)",
        ("usd_by_year/*", "usd_per_device_hour", "../devices", "../use_share", "scenario:economics.horizon_years",
         "scenario:economics.price_trend_per_year", "scenario:economics.ownership.cost_of_capital"),
    ),
    "decision.TermAnswer.usd_by_year": Relation(
        "device-hours of the year's fleet · price, plus storage, egress and support; not discounted",
        "docs/derivations/cost.md#storage-egress-and-support",
        ("usd_per_device_hour", "../devices", "../growth_per_year", "scenario:economics.price_trend_per_year"),
    ),
    "decision.TermAnswer.break_even_share": made_by(
        "cost.ownership.break_even_utilisation",
        "usd", "../owned_usd_per_calendar_hour", "usd_per_device_hour", "scenario:economics.renting.support_share",
    ),
    "decision.TermAnswer.paid_devices": made_by("cost.units.paid_devices", "../devices"),
    "decision.OwnersTerms.*": made_by(
        "cost.ownership.useful_usd_per_hour", "../node_usd", "../use_share", "../bought_devices"
    ),
    "decision.Investment.*": Relation(
        "purchase now, rent saved less running costs at the end of each year, resale at the end of the useful life",
        "docs/derivations/cost.md#cost-of-owning",
        ("rent_usd_per_hour", "cash_flows_usd/*", "scenario:economics.ownership.cost_of_capital"),
    ),
    "decision.CommitmentYear.*": Relation(
        ("a replica is reserved if it is needed in a larger share of hours than the ratio of reserved to "
        "on-demand price"),
        "docs/derivations/cost.md#mix-of-terms",
        ("three_years", "one_year", "by_the_hour", "../terms/*/usd_per_device_hour", "column:serving:replicas"),
    ),
    "decision.EnergyAnswer.energy_kwh": made_by("cost.energy.energy_kwh", "facility_power_w", "../use_share"),
    "decision.EnergyAnswer.electricity_usd": made_by(
        "cost.energy.electricity_usd", "energy_kwh", "scenario:economics.site.electricity_usd_per_kwh"
    ),
    "decision.EnergyAnswer.electricity_carbon_kg": made_by(
        "cost.energy.electricity_carbon_kg", "energy_kwh", "scenario:economics.site.grid_g_co2e_per_kwh"
    ),
    "decision.EnergyAnswer.embodied_carbon_kg": made_by(
        "cost.energy.embodied_carbon_kg", "../devices", "column:serving:running_share",
        "scenario:economics.ownership.useful_life_years"
    ),
    "decision.EnergyAnswer.carbon_kg": made_by(
        "cost.energy.carbon_kg", "electricity_carbon_kg", "embodied_carbon_kg"
    ),
    "decision.EnergyAnswer.water_litres": made_by(
        "cost.energy.water_litres", "it_power_w", "scenario:economics.site.water_litres_per_kwh"
    ),
    "decision.PowerAtLoad.power_w": made_by(
        "cost.energy.fleet_power_w", "../../devices", "column:serving:running_share",
        "scenario:economics.site.power_share_of_rating",
        "scenario:economics.site.idle_share_of_rating", "scenario:economics.site.batch_one_power_share",
        "scenario:economics.site.pue",
    ),
    "decision.PowerAtLoad.*": Relation(
        ("hours of a typical week by load; for a run: hours at work and hours waiting for stages, host, data "
        "and start"),
        "docs/derivations/cost.md#power-energy-and-carbon",
        ("../../use_share",),
    ),
    "decision.EnergyAnswer.*": Relation(
        "mean power over the hours of each load · PUE · hours, times price, carbon and water of a kWh",
        "docs/derivations/cost.md#power-energy-and-carbon",
        ("rated_power_w", "by_load/*/power_w", "it_power_w", "facility_power_w", "energy_kwh",
         "scenario:economics.site.pue",
         "scenario:economics.site.electricity_usd_per_kwh", "scenario:economics.site.grid_g_co2e_per_kwh",
         "scenario:economics.site.water_litres_per_kwh", "assumed_log_sd"),
    ),
    "decision.LeverAnswer.*": Relation(
        "cost of the run · (1 − factor of hours · factor of price), after the measures before it",
        "factors multiply; spot stretched by interruptions (docs/derivations/cost.md#spot)",
        ("alone_usd", "in_order_usd", "column:training:usd_per_run", "column:training:device_hours"),
    ),
    "decision.UnitCost.*": Relation(
        "cost of the fleet / units served or trained", "docs/derivations/cost.md#unit-costs",
        ("column:serving:usd_per_request", "column:serving:usd_per_million_output_tokens",
         "column:training:usd_per_run"),
    ),
}  # fmt: skip

SAMPLE_RELATIONS: dict[str, Relation] = {
    "decision.UncertaintyAnswer.*": Relation("as requested", "scenario", ("scenario:economics.uncertainty.samples",)),
    "decision.Headline.limit": Relation("", "target, budget or deadline of the scenario"),
    "decision.Headline.planned": Relation("figure of the plan", "plan", ("column:code",)),
    "decision.Headline.input_share": Relation(
        "variance without model error / variance with it", SAMPLES, ("p10", "p90", *_SAMPLED)
    ),
    "decision.Headline.*": Relation("percentile over the simulations", SAMPLES, _SAMPLED),
    "decision.Probability.*": Relation(
        "share of the simulations in which it is met", SAMPLES, ("../samples", "../seed", "../headlines/*/limit")
    ),
    "verdict.Verdict.chance": Relation(
        "share of the simulations in which every target is met", SAMPLES, ("../headlines/*/limit",)
    ),
    "verdict.Verdict.chance_of_expected_fleet": Relation(
        "share of the simulations in which every target is met by the replicas of the expected load", SAMPLES,
        ("chance",),
    ),
    "verdict.Verdict.confidence": Relation("four in five", "the confidence that a verdict asks for", ("chance",)),
    "verdict.Verdict.weakest_chance": Relation(
        "share of the simulations in which the weakest target is met", SAMPLES, ("../headlines/*/limit",)
    ),
    "verdict.MeasuredAlternative.more_usd": Relation(
        "cost of the cheapest measured candidate − cost of the recommended one", "plan",
        ("column:serving:usd_per_month", "column:training:usd_per_run"),
    ),
    "verdict.Raising.value": Relation("80th percentile of the need", SAMPLES, ("../confidence",)),
    "decision.Tornado.middle": Relation("every input at its median", SAMPLES, ("../headlines/*/planned",)),
    "decision.SkewedInput.planned": Relation("", "the scenario's value, of a distribution the most likely one"),
    "decision.SkewedInput.median": Relation("median of the input", SAMPLES, ("planned",)),
    "decision.TornadoBar.low_input": Relation("10th percentile of the input", SAMPLES, ("high_input",)),
    "decision.TornadoBar.high_input": Relation("90th percentile of the input", SAMPLES, ("low_input",)),
    "decision.TornadoBar.*": Relation(
        "this input at its 10th or 90th percentile, the others at their medians", SAMPLES,
        ("low_input", "high_input", "../middle"),
    ),
    "decision.Rival.*": Relation(
        "cost of the candidate in the same simulations, idle time of held devices included where the ranking counts "
        "it; candidates that miss targets do not count", SAMPLES,
        ("../samples", "column:serving:usd_per_month", "column:training:usd_per_run"),
    ),
    "decision.WorthOfKnowing.value_usd": Relation(
        "expected cost of deciding now − expected cost of deciding when the input is known",
        "value of information by regression (Strong, Oakley and Brennan 2014)", ("../samples", "../rivals/*/p50_usd"),
    ),
    "decision.ComparedScenario.score": Relation(
        "weighted mean of the criteria", "weights of the ranking", ("scores/*", "scenario:economics.ranking.cost",
         "scenario:economics.ranking.latency", "scenario:economics.ranking.certainty"),
    ),
    "decision.ComparedScenario.scores": Relation(
        "0 for the worst of the scenarios, 1 for the best", "criteria of the ranking", ("headlines/*/p50",)
    ),
    "decision.ComparisonAnswer.beats": Relation(
        "share of the simulations in which the row costs less than the column", SAMPLES,
        ("scenarios/*/headlines/0/p50",),
    ),
    "decision.ComparisonAnswer.ranking": Relation("by score", "weights of the ranking", ("scenarios/*/score",)),
}  # fmt: skip
