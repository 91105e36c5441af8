"""Comparison, ways to pay and alternatives as tables and lines: the same for window, report and command line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.price import Alternative
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.language import CodeNames, in_turn, listed, tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows, table_of
from gpuplanner_gui.drawing.shown_money import rounded_amount
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name, replicas_text
from gpuplanner_gui.drawing.words.decision import (
    percent,
    providers_text,
    term_name,
    unit_of_cost,
)
from gpuplanner_gui.drawing.words.reasons import reason_for_many
from gpuplanner_gui.drawing.words.request_kinds import has_tokens, request_cost_unit
from gpuplanner_gui.drawing.words.simulated_fleet import known_multiple
from gpuplanner_gui.engine.fleet.service_need import BY_THE_HOUR

_REASONS = {
    "no_offer": "No offer with this term is known for the device.",
    "outlasts_horizon": "The term is longer than the horizon of {horizon}.",
    "must_not_stop": "Spot can be interrupted; this workload must not be.",
    "nothing_missing": "You own all devices that are needed.",
    "no_purchase_price": "No purchase price is known.",
    "site_too_small": "Your site lacks the power or the cooling for the year with the most devices.",
    "no_hourly": "No on-demand price is known.",
    "together": "All devices of a run are needed at once.",
}
_ORDER: tuple[Procurement, ...] = ("rent_on_demand", "rent_spot", "rent_1y", "rent_3y", "own")


@dataclass(frozen=True)
class TermRow:
    """Amounts are NaN where the way is not open."""

    term: Procurement | Literal["mixed"]
    name: str
    usd_per_device_hour: float
    usd: float
    break_even_share: float
    reason: str
    provider: str = ""


def term_rows(answer: OwnershipAnswer) -> Iterator[TermRow]:
    """Rows of the terms: by the hour, spot, one year, three years, own, mixed."""
    known = {one.term: one for one in answer.terms}
    for term in _ORDER:
        one = known.get(term)
        reason = one.reason if one is not None else "no_offer"
        if one is None or reason:
            why = tr(_REASONS[reason]).format(horizon=format_value(answer.horizon_years, "y"))
            yield TermRow(term, term_name(term), math.nan, math.nan, math.nan, why)
        else:
            figures = (one.usd_per_device_hour, one.usd, one.break_even_share)
            yield TermRow(term, term_name(term), *figures, "", one.provider)
    mixed, is_enough = answer.commitment_usd, any(one.reason == "nothing_missing" for one in answer.terms)
    lacking = "together" if answer.workload == "training" else "nothing_missing" if is_enough else "no_hourly"
    why = "" if math.isfinite(mixed) else tr(_REASONS[lacking])
    name = tr("Reserve some and rent the rest")
    if answer.commitments and not any(one.three_years or one.one_year for one in answer.commitments):
        many = tr("Rent by the hour, autoscaled")
        name = tr("Rent by the hour, off in whole hours without load") if _is_single(answer) else many
    yield TermRow("mixed", name, math.nan, mixed, math.nan, why, _mix_prices(answer) if not why else "")


def planned_row(answer: OwnershipAnswer) -> TermRow | None:
    """The way to pay of the order, which is the scenario's; None where it is not open."""
    order = answer.order
    return next((one for one in term_rows(answer) if order and one.term == order.term and not one.reason), None)


def _mix_prices(answer: OwnershipAnswer) -> str:
    """Whose prices the mix has, and what an hour costs there: a row beside is by the hour at another provider."""
    first = answer.commitments[0]
    hour = format_value(first.on_demand_usd_per_device_hour, "USD/h")
    return tr("{provider}, {hour} by the hour").format(
        provider=providers_text(first.provider, first.quoted_by), hour=hour
    )


def _is_single(answer: OwnershipAnswer) -> bool:
    """Whether the mix is one replica, which is on or off."""
    return all((one.three_years, one.one_year, one.by_the_hour) == (0, 0, 1) for one in answer.commitments)


def usd_per_paid_hour(answer: OwnershipAnswer, one: TermRow) -> float:
    """What an hour costs that is paid for, used or not; an owned device draws little between runs. [USD/h]"""
    return answer.held_usd_per_hour if one.term == "own" and not one.reason else one.usd_per_device_hour


def usd_per_hour_in_use(answer: OwnershipAnswer, term: str, usd_per_device_hour: float) -> float:
    """What an hour in use costs: of what is held, with the hours in which it waits for the next run. [USD/h]"""
    return usd_per_device_hour / (1.0 if term in BY_THE_HOUR else answer.use_share)


def ways_rows(answer: OwnershipAnswer, is_rounded: bool = False) -> Rows:
    """Every way to pay as a table; rounded, prices of an hour have four decimals and amounts two."""
    hour, whole = (4, 2) if is_rounded else (None, None)
    in_use = tr("Per hour of a device in use")
    if answer.use_share < 1:
        in_use = tr("Per hour in use ({share} of the time)").format(share=format_value(answer.use_share, "share", 2))
    paid = (tr("Per hour that is paid for"), "USD/h", lambda one: _known(usd_per_paid_hour(answer, one), hour))

    def used(one: TermRow) -> float | None:
        return _known(usd_per_hour_in_use(answer, one.term, usd_per_paid_hour(answer, one)), hour)

    return table_of(
        term_rows(answer),
        (tr("Way to pay"), "", lambda one: one.name),
        (tr("Offered by"), "", lambda one: one.provider),
        *((paid,) if answer.use_share < 1 else ()),
        (in_use, "USD/h", used),
        (tr("Present value over the horizon"), "USD", lambda one: _known(one.usd, whole)),
        (tr("Use above which buying is cheaper"), "", lambda one: break_even_text(one.break_even_share, one.term)),
        (tr("Not available because"), "", lambda one: one.reason),
    )  # fmt: skip


def break_even_text(share: float, term: str) -> str:
    """The share of the hours above which buying a device is cheaper; "never" where all of them are too few.

    What is reserved is paid for in all hours, as what is bought: the use decides nothing.
    """
    if not math.isfinite(share):
        return ""
    if share > 1:
        return tr("never")
    if term not in BY_THE_HOUR:
        return tr("any: both are paid for in all hours")
    return tr("{share} of the hours").format(share=format_value(share, "share", 2))


def _known(value: float, digits: int | None) -> float | None:
    if not math.isfinite(value):
        return None
    return value if digits is None else rounded_amount(value, digits)


def _alternative_name(one: Alternative, catalog: Catalog) -> str:
    if one.price is not None:
        return tr("API of {provider}: {model}").format(provider=one.price.provider, model=one.model)
    text = tr("Smaller model: {model}") if one.kind == "smaller_model" else tr("CPU servers for {model}")
    named = text.format(model=one.model)
    if math.isnan(one.devices):
        return named
    fleet = tr("{count} × {accelerator}").format(
        count=format_value(one.devices), accelerator=accelerator_name(one.accelerator, catalog)
    )
    return f"{named}, {fleet}"


def break_even_load_text(one: Alternative) -> str:
    """The mean load above which the planned fleet is cheaper, or why there is none."""
    if math.isnan(one.wins_above_per_s):
        return tr("none: {why}").format(why=_unavailable_text(one))
    if math.isinf(one.wins_above_per_s):
        return tr("none: cheaper than the fleet, or as cheap, at every load that the fleet can carry")
    if one.wins_above_per_s == 0:
        return tr("none: the fleet is cheaper at every load")
    return tr("{rate} on average").format(rate=format_value(one.wins_above_per_s, "req/s"))


def _unavailable_text(one: Alternative) -> str:
    if one.reason == Reason.NO_PRICE:
        return tr("price unknown, so no cost is computed")
    return tr("no plan, because the candidates {reason}").format(reason=reason_for_many(one.reason))


def alternative_rows(results: Results) -> Rows:
    """The planned fleet, then APIs, smaller models and processors for its requests, all at its mean load."""
    found, _, _ = _carried_alternatives(results)
    if not found:
        return NO_ROWS
    rate = format_value(found[0].mean_rate_per_s, "req/s")
    made = table_of(
        found,
        (tr("Instead"), "", lambda one: _alternative_name(one, results.catalog)),
        (tr("Per M input tokens"), "USD", lambda one: one.price.input_usd_per_million if one.price else ""),
        (tr("Per M output tokens"), "USD", lambda one: one.price.output_usd_per_million if one.price else ""),
        (tr("At {rate} on average").format(rate=rate), "USD/month", lambda one: _known(one.usd_per_month, 2)),
        (tr("Break-even load (above it, the fleet is cheaper)"), "", break_even_load_text),
        (tr("As of"), "", lambda one: one.date),
        (tr("Page"), "", lambda one: one.price.page if one.price else ""),
    )  # fmt: skip
    planned = (tr("The planned fleet"), "", "", _known(found[0].fleet_usd_per_month, 2), "", "", "")
    return Rows(made.columns, (planned, *made.cells))


def alternatives_text(results: Results) -> str:
    """The planned fleet, then the cheapest API, each smaller model and processors, a line each."""
    found, most, is_simulated = _carried_alternatives(results)
    if not found:
        return ""
    apis = [one for one in found if one.kind == "api"]
    text = tr("The planned fleet costs {fleet} at {rate} on average and can carry {most} on average. Instead:")
    if not is_simulated:
        text = tr(
            "The planned fleet costs {fleet} at {rate} on average and can carry {most} on average (quick estimate). "
            "Instead:"
        )
    fleet = text.format(
        fleet=format_value(found[0].fleet_usd_per_month, "USD/month"),
        rate=format_value(found[0].mean_rate_per_s, "req/s"), most=format_value(most, "req/s"),
    )  # fmt: skip
    lines = [fleet, *(_beside_text(one, results.catalog) for one in (*apis[:1], *found[len(apis) :]))]
    if not apis and has_tokens(results.scenario):
        lines.append(tr("No API price is known for this model. Enter one in api_prices.json of your catalogue folder."))
    if any(one.kind == "smaller_model" for one in found):
        lines.append(tr("Compare a smaller model's answers with the larger one's on your own tasks first."))
    return "\n".join(lines)


def _carried_alternatives(results: Results) -> tuple[tuple[Alternative, ...], float, bool]:
    """Alternatives beside the mean load that the planned fleet takes within its targets, and whether that is simulated:
    from a higher load on it is cheaper than none of them. [1/s]"""
    found, answer = results.known.alternatives, results.plan.serving
    if answer is None or answer.best < 0 or not found:
        return (), math.nan, False
    times, is_simulated = known_multiple(results, answer)
    most = found[0].mean_rate_per_s * max(1.0, times)
    shown = (
        msgspec.structs.replace(one, wins_above_per_s=math.inf) if one.wins_above_per_s > most else one for one in found
    )
    return tuple(shown), most, is_simulated


def _beside_text(one: Alternative, catalog: Catalog) -> str:
    text = tr("{name}: {usd}; the fleet is cheaper above {above} on average.")
    if math.isnan(one.usd_per_month) or math.isnan(one.wins_above_per_s):
        text = tr("{name}: {why}.")
    elif math.isinf(one.wins_above_per_s):
        text = tr("{name}: {usd}; cheaper than the plan, or as cheap, at every load that the plan can carry.")
    elif one.wins_above_per_s == 0:
        text = tr("{name}: {usd}; the fleet is cheaper at every load.")
    return text.format(
        name=_alternative_name(one, catalog), usd=format_value(one.usd_per_month, "USD/month"),
        why=_unavailable_text(one), above=format_value(one.wins_above_per_s, "req/s"),
    )  # fmt: skip


def investment_text(answer: OwnershipAnswer) -> str:
    """Buying against renting in a line; empty where rent or purchase price is not known."""
    found = answer.investment
    if found is None:
        return ""
    life = format_value(found.life_years, "y")
    if answer.horizon_years < found.life_years:
        life = tr("{life} (the chart covers {horizon})").format(
            life=life, horizon=format_value(answer.horizon_years, "y")
        )
    text = tr("Buying instead of renting at {rent}: NPV {worth}, {paid_back}, over the useful life of {life}")
    back = tr("IRR {rate}, payback {years}") if np.isfinite(found.payback_years) else tr("no payback")
    back = back.format(
        rate=format_value(found.irr, "share", 2) if np.isfinite(found.irr) else NOTHING,
        years=format_value(found.payback_years, "y"),
    )
    return text.format(
        rent=format_value(found.rent_usd_per_hour, "USD/h"), worth=format_value(found.npv_usd, "USD"),
        life=life, paid_back=back,
    )  # fmt: skip


PER_TOKENS = ("million_input", "million_cached_input", "million_output", "million_output_alone")
"""Unit costs of text: an hour of audio has few tokens, and is priced by the hour."""
APART = ("million_input", "million_cached_input", "million_output_alone")
"""Unit costs that are the whole together; each of the others is the whole, for another unit."""


def unit_costs_text(answer: OwnershipAnswer, scenario: Scenario) -> str:
    """$1.69 per M output tokens · $0.0004 per request; of images, documents and audio in their own unit."""
    unit = request_cost_unit(scenario) if answer.workload == "serving" else None
    said: list[str] = []
    apart: list[str] = []
    for one in answer.unit_costs:
        if not np.isfinite(one.value) or (unit is not None and one.code in PER_TOKENS):
            continue
        text = f"{format_value(one.value, 'USD')} {unit_of_cost(one)}"
        if unit is not None and one.code == "request":
            text = tr(unit.text).format(cost=format_value(one.value * unit.requests, "USD"))
        (apart if one.code in APART else said).append(text)
    whole = " · ".join(said)
    if not apart:
        return whole
    lines = (tr("Whole cost, per unit: {costs}"), tr("Same cost, split by kind of token: {costs}"))
    return "\n".join(line.format(costs=costs) for line, costs in zip(lines, (whole, " · ".join(apart))) if costs)


lever_name = CodeNames({"faster": "FP8", "spot": "spot capacity"})


def levers_text(answer: OwnershipAnswer) -> str:
    """The sentence about savings on a run; empty for none."""
    saved = [f"{lever_name(one.code)} {format_value(one.alone_usd, 'USD')}" for one in answer.levers]
    if not saved:
        return ""
    if len(saved) > 1:
        together = sum(one.in_order_usd for one in answer.levers)
        saved.append(tr("both {usd}").format(usd=format_value(together, "USD")))
    return tr("Possible savings on the run: {levers}").format(levers=" · ".join(saved))


def energy_text(answer: OwnershipAnswer) -> str:
    """Power, energy, carbon and water of a year of service or of the run."""
    energy = answer.energy
    period = tr("a year") if answer.workload == "serving" else tr("the run")
    loads = (
        tr("{high} in the busiest hours, {low} in the quietest") if answer.workload == "serving"
        else tr("{high} while devices work, {low} while they wait")
    )  # fmt: skip
    text = tr(
        "Mean power {power} including cooling ({loads}); {period}: {energy}, {carbon} CO₂e ({embodied} of it "
        "from manufacture), {water} of water"
    )
    high, low = (format_value(one.power_w, "W") for one in (energy.by_load[0], energy.by_load[-1]))
    said = text.format(
        power=format_value(energy.facility_power_w, "W"), loads=loads.format(high=high, low=low), period=period,
        energy=format_value(energy.energy_kwh * 3.6e6, "J"), carbon=mass_text(energy.carbon_kg),
        embodied=percent(energy.embodied_carbon_kg / energy.carbon_kg if energy.carbon_kg else 0.0),
        water=f"{format_value(energy.water_litres / 1e3)} m³",
    )  # fmt: skip
    return f"{said}. {_assumed_power_text(answer)}" if energy.assumed_log_sd > 0 else said


def _assumed_power_text(answer: OwnershipAnswer) -> str:
    """The sentence that the power is assumed, from what, and its band."""
    energy, factor = answer.energy, float(np.exp(Z_80 * answer.energy.assumed_log_sd))
    each = energy.rated_power_w / answer.devices
    text = tr(
        "The maker does not state this device's power. {each} per device, with its share of the node, is "
        "assumed from related devices (80 % range: {low} to {high})."
    )
    return text.format(
        each=format_value(each, "W"), low=format_value(each / factor, "W", 2), high=format_value(each * factor, "W", 2)
    )


def mass_text(kilograms: float) -> str:
    """Kilograms, or tonnes from one on."""
    return f"{format_value(kilograms / 1e3)} t" if kilograms >= 1e3 else f"{format_value(kilograms)} kg"


def _costs_as_always_on(answer: OwnershipAnswer) -> bool:
    """Whether a mix of replicas by the hour alone reads as dear as all of them by the hour, always on."""
    plain = next((one.usd for one in answer.terms if one.term == "rent_on_demand" and not one.reason), math.nan)
    reads = format_value(answer.commitment_usd, "USD") == format_value(plain, "USD")
    return reads and not any(one.three_years or one.one_year for one in answer.commitments)


def commitment_text(answer: OwnershipAnswer) -> str:
    """The cheapest mix of terms to rent for a load that varies; empty where there is none."""
    if not answer.commitments or not np.isfinite(answer.commitment_usd):
        return ""
    first = answer.commitments[0]
    hourly = tr("rent up to {replicas} by the hour, autoscaled")
    if _is_single(answer):
        hourly = tr("rent {replicas} by the hour, off in whole hours without load")
    if _costs_as_always_on(answer):
        hourly = tr("rent {replicas} by the hour (autoscaling saves nothing)")
        if _is_single(answer):
            hourly = tr("rent {replicas} by the hour (switching it off saves nothing)")
    parts = [
        (first.three_years, tr("reserve {replicas} for three years")),
        (first.one_year, tr("reserve {replicas} for a year")),
        (first.by_the_hour, hourly),
    ]
    mix = listed(words.format(replicas=replicas_text(count)) for count, words in parts if count)
    text = tr("Cheapest to rent over {years}: {mix}; {usd} (present value).").format(
        mix=mix, usd=format_value(answer.commitment_usd, "USD"), years=format_value(answer.horizon_years, "y")
    )
    return in_turn(text, tr("Prices: {provider}.").format(provider=_mix_prices(answer)))
