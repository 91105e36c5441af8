"""Fleets, terms, inputs and results in a planner's words; what a comparison of ways to pay takes for granted."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.decision import (
    FleetsAnswer,
    Headline,
    OwnershipAnswer,
    StrategyAnswer,
    UncertaintyAnswer,
    UnitCost,
    WorthOfKnowing,
)
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.plan import Resource, ServingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.traffic import DAYS_PER_WEEK, Traffic
from gpuplanner_gui.drawing.language import CodeNames, in_turn, tr
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.value_ranges import format_range
from gpuplanner_gui.drawing.words.candidates import accelerator_name, replicas_text, resource_name

NEEDS_BOTH = "To compare one fleet with two, plan a training job and a service whose prices are known."

strategy_name = CodeNames({
    "shared": "One shared fleet",
    "time_shared": "One fleet, training when idle",
    "two_fleets": "Two permanent fleets",
    "burst": "Training devices only during runs",
})  # fmt: skip
role_name = CodeNames({"shared": "both", "training": "training", "serving": "serving"})
term_name = CodeNames({
    "rent_on_demand": "Rent by the hour",
    "rent_1y": "Rent for a year",
    "rent_3y": "Rent for three years",
    "rent_spot": "Rent spot capacity",
    "own": "Own",
})  # fmt: skip
TERM_CODES = tuple(term_name)
NOTICED = 0.98
"""Share of a price below which another is told beside it."""


def providers_text(provider: str, quoted_by: str | None = None) -> str:
    """Whose prices something has: a provider's, and quoted ones beside them."""
    named = provider or tr("a provider of your own")
    if quoted_by is None:
        return named
    return tr("{provider} and {other}").format(provider=named, other=quoted_by or tr("a provider of your own"))


part_of_owning = CodeNames({
    "capital_usd": "Capital",
    "facility_usd": "Colocation",
    "energy_usd": "Electricity",
    "support_usd": "Hardware support",
    "software_usd": "Software",
    "staff_usd": "Staff",
    "insurance_and_tax_usd": "Insurance and tax",
})  # fmt: skip
_INPUTS = {
    "demand": "Peak demand",
    "prompt_length": "Prompt length",
    "output_length": "Answer length",
    "prefix_cache": "Prefix-cache hits",
    "burstiness": "Burstiness",
    "draft_acceptance": "Draft acceptance",
    "mean_over_peak": "Mean over peak",
    "growth": "Growth",
    "price_trend": "Price trend",
    "tokens": "Training tokens",
    "retry_share": "Retries",
    "validation_share": "Validation runs",
    "experiment_share": "Experiments",
    "failure_rate": "Failure rate",
    "preemption_interval": "Spot interruptions",
    "device_price": "Price of a device-hour",
    "purchase_price": "Purchase price",
    "useful_life": "Useful life",
    "residual": "Residual value",
    "cost_of_capital": "Cost of capital",
    "electricity": "Electricity price",
    "pue": "PUE",
    "power_use": "Power drawn",
    "rated_power": "Rated power, assumed from related devices",
    "serving_model": "Serving step time",
    "training_model": "Training step time",
}
_INPUT_UNITS = {
    "growth": "share", "price_trend": "share", "retry_share": "share", "validation_share": "share",
    "experiment_share": "share", "tokens": "tok", "useful_life": "y", "residual": "share", "cost_of_capital": "share",
    "electricity": "USD/kWh", "prefix_cache": "share", "draft_acceptance": "share", "mean_over_peak": "share",
    "power_use": "share",
}  # fmt: skip
_FACTORS = (
    "demand", "prompt_length", "output_length", "failure_rate", "preemption_interval", "device_price", "purchase_price",
    "rated_power", "serving_model", "training_model",
)  # fmt: skip
result_name = CodeNames({
    "serving.usd_per_month": "Cost of the planned fleet",
    "serving.usd_per_month_needed": "Cost of the fleet that each simulation needs",
    "serving.replicas_needed": "Replicas needed (with spares, without headroom)",
    "serving.usd_per_million_output_tokens": "Cost per M output tokens",
    "serving.lifetime_usd": "Planned fleet, present value",
    "serving.ttft_p95_s": "TTFT p95",
    "serving.tpot_p95_s": "TPOT p95",
    "serving.e2e_p95_s": "E2E p95",
    "training.run_time_s": "Run time",
    "training.usd_per_run": "Cost of the run",
    "training.mfu": "MFU",
    "training.device_hours": "Device-hours paid",
})  # fmt: skip
probability_name = CodeNames({
    "serving.targets": "Service meets its targets",
    "serving.load": "Service handles its load",
    "serving.deadline": "Batch finishes in time",
    "serving.availability": "Chance that availability meets its target",
    "serving.budget": "Service stays within budget",
    "training.date": "Run meets its deadline",
    "training.budget": "Run stays within budget",
    "everything": "All targets together",
})  # fmt: skip
criterion_name = CodeNames({
    "cost": "Cost",
    "latency": "Latency",
    "stability": "Tail latency",
    "certainty": "Certainty",
    "power": "Power",
})  # fmt: skip
unit_cost_name = CodeNames({
    "million_input": "per M input tokens",
    "million_cached_input": "per M cached input tokens",
    "million_output": "per M output tokens, cost of prompts included",
    "million_output_alone": "per M output tokens, cost of prompts excluded",
    "request": "per request",
    "user_month": "per user and month",
    "beside_devices": "per month for storage and egress",
    "run": "per run",
    "million_trained": "per M tokens trained",
})  # fmt: skip


def unit_of_cost(one: UnitCost) -> str:
    """What a cost is the cost of; with the requests of a user."""
    if not math.isfinite(one.requests_per_day):
        return unit_cost_name(one.code)
    text = tr("per user and month, at {count} requests a day each")
    return text.format(count=format_value(one.requests_per_day))


def short_name(accelerator_id: str, catalog: Catalog) -> str:
    """A device's name without its family and remarks, for narrow places: RTX 5090, MI300X."""
    name = accelerator_name(accelerator_id, catalog).split(" (")[0]
    for family in ("GeForce ", "Instinct "):
        name = name.removeprefix(family)
    return name


def input_name(name: str) -> str:
    """An uncertain input; one of a single class by the class's name."""
    kind, _, class_name = name.partition(":")
    if class_name:
        text = tr("Peak demand, {name}") if kind == "demand" else tr("Prefix-cache hits, {name}")
        return text.format(name=class_name)
    return tr(_INPUTS[name])


def input_value_text(name: str, value: float) -> str:
    """A value of an input as the planner knows it: a factor as a percentage of the plan."""
    if name in ("serving_model", "training_model"):
        return tr("{share} of predicted").format(share=format_value(value, "share", 2))
    if name in _FACTORS:
        return tr("{share} of plan").format(share=format_value(value, "share", 2))
    kind, _, class_name = name.partition(":")
    return format_value(value, "req/s" if class_name and kind == "demand" else _INPUT_UNITS.get(kind, ""))


def horizon_text(hours: float) -> str:
    """A horizon in years, or in days where it is shorter than two."""
    return format_value(hours / 8760, "y") if hours >= 2 * 8760 else format_value(hours * 3600, "s")


def band_text(one: Headline) -> str:
    """P50 with P10 and P90 beside it: $22.7 k (16.5–31.3)."""
    return _banded(one, one.p50)


def planned_text(one: Headline) -> str:
    """The planned value, as every page says it, with P10 and P90 beside it."""
    return _banded(one, one.planned if math.isfinite(one.p50) else one.p50)


def _banded(one: Headline, middle: float) -> str:
    if _may_overload(one) and math.isfinite(middle):
        return f"{format_value(middle, one.unit)} ({to_overload(one.p10)})"
    return band_of(one.p10, middle, one.p90, one.unit)


def _may_overload(one: Headline) -> bool:
    """Whether a result is a latency without an upper end: that of a service that can't keep up."""
    is_latency = one.code.startswith("serving.") and one.unit == "s"
    return is_latency and math.isfinite(one.p10) and not math.isfinite(one.p90)


def headline_range(one: Headline) -> str:
    """The 80 % range of a result; a latency without an upper end is that of an overloaded service, as verdicts say."""
    return to_overload(one.p10) if _may_overload(one) else range_of(one.p10, one.p90, one.unit)


def to_overload(low_s: float) -> str:
    """The range of a latency that begins so, and ends with a service that can't keep up."""
    return tr("{low} to overload").format(low=format_value(low_s, "s", 2))


def range_of(p10: float, p90: float, unit: str) -> str:
    """The 80 % range alone: 57–1 310 ms."""
    if not math.isfinite(p10):
        return tr("never reached")
    if not math.isfinite(p90):
        return tr("{low} or more").format(low=format_value(p10, unit, 2))
    return format_range(p10, p90, unit, 2)


def band_of(p10: float, p50: float, p90: float, unit: str) -> str:
    if not math.isfinite(p50):
        return tr("never reached")
    if math.isfinite(p90):
        ends = p10, p90
        # What it is paid for is said once.
        paid_for = unit[len("USD") :] if unit.startswith("USD/") else ""
        return f"{format_value(p50, unit)} ({format_range(*ends, unit, 2, beside=p50).removesuffix(paid_for)})"
    return tr("{middle} ({low} or more)").format(middle=format_value(p50, unit), low=format_value(p10, unit, 2))


def fleets_sentence(answer: FleetsAnswer, catalog: Catalog) -> str:
    """What to do about fleets, in a sentence with its saving."""
    best = answer.best
    if best is None:
        return tr("No fleet for both workloads has a known price")
    horizon = horizon_text(answer.horizon_h)
    devices = " + ".join(dict.fromkeys(short_name(fleet.accelerator, catalog) for fleet in best.fleets))
    shared = answer.of("shared")
    text = tr(
        "Cheapest for both workloads: {strategy} ({devices}), {usd} over {horizon} (present value; what is rented by "
        "the hour is autoscaled)"
    ).format(strategy=strategy_name(best.strategy), devices=devices, usd=format_value(best.usd, "USD"), horizon=horizon)
    if best.strategy in ("shared", "time_shared") or not shared.is_possible:
        return text
    more = format_value(shared.usd - best.usd, "USD")
    return tr("{text}. One shared fleet costs {more} more").format(text=text, more=more)


def waste_sentence(strategy: StrategyAnswer, catalog: Catalog) -> str:
    """What a fleet pays for and does not use, of the resource with most money unused beside compute."""
    fleet = max(strategy.fleets, key=lambda one: one.usd)
    money = list(zip(fleet.paid.values(), fleet.used.values(), strict=True))
    place = max(range(1, len(money)), key=lambda one: money[one][0] - money[one][1])
    paid, used = money[place]
    return tr("{fleet}: {paid} of the cost is {resource}, of which {share} is used").format(
        fleet=short_name(fleet.accelerator, catalog), paid=format_value(paid, "USD"),
        resource=resource_name(Resource(place)), share=format_value(used / paid if paid > 0 else 0.0, "share", 2),
    )  # fmt: skip


def measurement_text(answer: UncertaintyAnswer) -> str:
    """What to find out before deciding; that nothing would change the choice, if so."""
    if not answer.measurements:
        return tr("No single better estimate would change the recommendation.")
    first = answer.measurements[0]
    text = tr(
        "Measure this before you choose a device: {name}. It can change which device is cheapest; choosing after "
        "measuring it saves about {usd} on average."
    ).format(name=input_name(first.input), usd=worth_text(first, answer))
    rest = [input_name(one.input) for one in answer.measurements[1:3]]
    return in_turn(text, tr("Then: {names}.").format(names=", ".join(rest))) if rest else text


def just_enough_text(answer: UncertaintyAnswer, served: ServingPlan | None) -> str:
    """That the order is the planned replicas, and what the just sufficient ones are beside them; empty without both."""
    if answer.headline("serving.replicas_needed") is None or served is None or served.best < 0:
        return ""
    replicas = float(served.table.replicas[served.best])
    text = tr(
        "“Needed” means the replicas that just meet the targets in a simulation, plus spares, with no headroom. They "
        "are whole, so that small changes of an input may cost nothing. The plan has {count}."
    )
    return text.format(count=replicas_text(replicas))


def skewed_text(answer: UncertaintyAnswer) -> str:
    """Which inputs are planned at a value that is not the middle of their cases, a sentence each; empty for none."""
    text = tr("{name}: the plan uses its most likely value{planned}; half of the simulations use more than {median}.")
    lowest = tr(
        "{name}: the plan uses its most likely value{planned}, which is also its lowest; half of the simulations use "
        "more than {median}."
    )
    return in_turn(*(
        (lowest if one.is_lowest else text).format(
            name=input_name(one.input), median=input_value_text(one.input, one.median),
            planned="" if one.input in _FACTORS else f" ({input_value_text(one.input, one.planned)})",
        )
        for one in answer.skewed
    ))  # fmt: skip


def worth_text(one: WorthOfKnowing, answer: UncertaintyAnswer) -> str:
    """What knowing an input saves: in a month of service, in a run, or in both together."""
    of = {rival.workload for rival in answer.rivals}
    if of == {"serving", "training"}:
        return tr("{usd} over a run and a month of service").format(usd=format_value(one.value_usd, "USD", 2))
    return format_value(one.value_usd, "USD/month", 2) if "serving" in of else tr("{usd} per run").format(
        usd=format_value(one.value_usd, "USD", 2)
    )  # fmt: skip


def percent(value: float) -> str:
    return format_value(value, "share", 2) if math.isfinite(value) else NOTHING


def runs_text(runs_per_year: float, years: float) -> str:
    """How many runs a horizon has, and how that number comes about: 3 runs in 3 y, one a year."""
    total, horizon = runs_per_year * years, format_value(years, "y")
    if total == 1:
        return tr("one run in {years}").format(years=horizon)
    words = (
        tr("{total} runs in {years}, one a year")
        if runs_per_year == 1
        else tr("{total} runs in {years}, {each} a year")
    )
    return words.format(total=format_value(total), years=horizon, each=format_value(runs_per_year))


def assumed_text(answer: OwnershipAnswer, scenario: Scenario) -> str:
    """Horizon and interest, growth and fleets, life and taxes, the week behind the mean load; a sentence each."""
    return in_turn(*_sentences(answer, scenario))


def _sentences(answer: OwnershipAnswer, scenario: Scenario) -> Iterator[str]:
    economics = scenario.economics
    yield tr(
        "Terms are compared by present value over {years}, at a cost of capital of {rate} per year, before income tax."
    ).format(
        years=format_value(answer.horizon_years, "y"),
        rate=format_value(central(economics.ownership.cost_of_capital), "share", 2),
    )
    if answer.workload == "training":
        yield tr("They are compared for {runs}: set the runs a year under Money › Fleets over time.").format(
            runs=runs_text(central(economics.fleets.training_runs_per_year), answer.horizon_years)
        )
    if answer.growth_per_year and len(answer.replicas_by_year) > 1:
        yield fleets_text(answer)
    yield _life_text(answer, economics)
    if answer.bought_devices > answer.devices:
        yield tr(
            "Devices are sold in whole cards, nodes or racks: {bought} are bought for the {devices} in use, and the "
            "cost of all {bought} is spread over the hours of the {devices}."
        ).format(bought=format_value(answer.bought_devices), devices=format_value(answer.devices))
    available = central(economics.ownership.availability)
    if available < 1 and any(one.term == "own" and math.isfinite(one.usd_per_device_hour) for one in answer.terms):
        yield tr("Owned devices are out of order {share} of the time; their price per hour covers that.").format(
            share=format_value(1 - available, "share", 2)
        )
    if any(math.isfinite(one.usd_per_device_hour) and not one.usd_by_year for one in answer.terms):
        yield tr("Terms longer than the horizon are not compared.")
    yield from _providers(answer)
    if answer.workload == "serving" and scenario.serving is not None:
        yield load_text(scenario.serving.traffic)


def _providers(answer: OwnershipAnswer) -> Iterator[str]:
    """Whose price each term is, in how many devices, and what the same offer asks by the hour; said once of terms that
    are alike."""
    terms: dict[str, list[str]] = {}
    for one in answer.terms:
        if one.reason or not one.provider or not math.isfinite(one.usd_per_device_hour):
            continue
        parts = [one.provider]
        if one.paid_devices > answer.devices:
            words = tr("{rented} rented for the {count} in use")
            parts.append(words.format(rented=format_value(one.paid_devices), count=format_value(answer.devices)))
        if one.term != "rent_on_demand" and math.isfinite(one.by_the_hour_usd):
            hourly = format_value(one.by_the_hour_usd, "USD/h")
            parts[0] = tr("{provider} (on demand {hourly})").format(provider=one.provider, hourly=hourly)
        if one.lowest_usd < NOTICED * one.usd_per_device_hour:
            parts.append(tr("the lowest offer is {usd}").format(usd=format_value(one.lowest_usd, "USD/h")))
        terms.setdefault(", ".join(parts), []).append(term_name(one.term))
    for offer, names in terms.items():
        yield tr("{terms}: {offer}.").format(terms=" · ".join(names), offer=offer)


def fleets_text(answer: OwnershipAnswer) -> str:
    """The steps of what is held where the load grows or falls."""
    steps = " → ".join(format_value(one) for one in answer.replicas_by_year)
    text = tr(
        "Load changes by {growth} per year. Reserved and bought fleets are sized for the highest load of "
        "each year ({steps} replicas). What the mix of terms rents by the hour is autoscaled."
    )
    return text.format(growth=format_value(answer.growth_per_year, "share", 2), steps=steps)


def _life_text(answer: OwnershipAnswer, economics: Economics) -> str:
    life = central(economics.ownership.useful_life_years)
    if answer.horizon_years < life:
        text = tr(
            "Owned devices are used for {years} of their useful life of {life}; their remaining value is then "
            "subtracted."
        )
    elif answer.horizon_years > life:
        text = tr("Owned devices last {life} and are then replaced at today's price.")
    else:
        return tr("Owned devices cost their whole useful life, less their resale value.")
    return text.format(years=format_value(answer.horizon_years, "y"), life=format_value(life, "y"))


def load_text(traffic: Traffic) -> str:
    """The mean load that costs of a request are spread over, and what it follows from."""
    share = format_value(traffic.mean_share_of_peak, "share", 2)
    if traffic.week_share == 1.0:
        return tr("Unit costs are those of the mean load, {share} of the peak.").format(share=share)
    text = tr(
        "Unit costs are those of the mean load, {share} of the peak ({day} within the busiest day × {week} for the "
        "week)."
    )
    found = text.format(
        share=share,
        day=format_value(traffic.mean_share_of_peak / traffic.week_share, "share", 2),
        week=format_value(traffic.week_share, "share", 2),
    )
    left_out = DAYS_PER_WEEK - len(traffic.days)
    if left_out <= 0:
        return found
    stated = tr("{count} days of the week have no load stated, so the plan assumes none.").format(count=left_out)
    return in_turn(
        found, stated if left_out > 1 else tr("One day of the week has no load stated, so the plan assumes none.")
    )
