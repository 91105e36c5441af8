"""Cost tables: units of work, rent or buy, owning, the order list; and the calculation behind them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from gpuplanner_gui.domain.constants import HOURS_PER_MONTH, HOURS_PER_YEAR, MONTHS_PER_YEAR
from gpuplanner_gui.domain.decision import OwnershipAnswer, UncertaintyAnswer
from gpuplanner_gui.domain.economics import Economics, Procurement
from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.decision_rows import (
    PER_TOKENS,
    alternative_rows,
    alternatives_text,
    commitment_text,
    energy_text,
    investment_text,
    lever_name,
    usd_per_hour_in_use,
    ways_rows,
)
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.order_rows import amount_text, cash_rows, order_lines, order_rows
from gpuplanner_gui.drawing.report.model import (
    Block,
    Cell,
    ReportSection,
    Row,
    Sheet,
    SheetRow,
    amount,
    paragraph,
    rows_table,
    section,
    table,
    words,
)
from gpuplanner_gui.drawing.report.summary import WORKLOAD_TITLES
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import table_of
from gpuplanner_gui.drawing.shown_money import shown_amount, shown_unit
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.decision import (
    assumed_text,
    fleets_sentence,
    input_name,
    input_value_text,
    measurement_text,
    part_of_owning,
    result_name,
    strategy_name,
    term_name,
    unit_of_cost,
)
from gpuplanner_gui.drawing.words.decision import percent as share_text
from gpuplanner_gui.drawing.words.request_kinds import request_cost_unit
from gpuplanner_gui.engine.cost.bill import Beside, beside_month, beside_run
from gpuplanner_gui.engine.cost.prices import ownership_terms


def order_sections(results: Results) -> Iterator[ReportSection]:
    for answer in results.known.ownership.values():
        if answer.order is None:
            continue
        title = tr("{workload}: order list").format(workload=tr(WORKLOAD_TITLES[answer.workload]))
        blocks: list[Block | None] = [paragraph(line) for line in order_lines(answer.order)]
        blocks.append(rows_table(title, order_rows(answer.order), cell=_to_the_cent))
        by_quarter = tr("{title}: cash by quarter").format(title=title)
        blocks.append(rows_table(by_quarter, cash_rows(answer.order), cell=_to_the_cent))
        yield from section(title, blocks)


def _to_the_cent(value: str | float | None, unit: str) -> Cell:
    if not isinstance(value, float):
        return words(value or "")
    return Cell(amount_text(value), shown_amount(value, unit), shown_unit(unit))


def cost_sheets(results: Results) -> Iterator[Sheet]:
    """The fleet of each workload as planned, then what owning one device costs, where prices are known."""
    for workload in results.workloads():
        answer = results.answer(workload)
        if isinstance(answer, ServingPlan) and answer.best >= 0:
            yield from _known(tr("Cost of the service"), _serving_rows(results, answer))
        elif isinstance(answer, TrainingPlan) and answer.best >= 0:
            yield from _known(tr("Cost of training"), _training_rows(results, answer))
    for owned in results.known.ownership.values():
        title = tr("Owning, serving") if owned.workload == "serving" else tr("Owning, training")
        yield from _known(title, _owning_rows(results, owned))


def _known(title: str, rows: Iterator[SheetRow]) -> Iterator[Sheet]:
    """A calculation with a number that is not known is none."""
    made = tuple(rows)
    if made and all(math.isfinite(row.value) for row in made):
        yield Sheet(title, tuple(_in_shown_money(row) for row in made))


def _in_shown_money(row: SheetRow) -> SheetRow:
    """Every amount is turned by the same rate, so that the formulas between them hold."""
    return replace(row, value=shown_amount(row.value, row.unit), unit=shown_unit(row.unit))


def _serving_rows(results: Results, answer: ServingPlan) -> Iterator[SheetRow]:
    found, row = answer.table, answer.best
    serving = results.scenario.serving
    if serving is None:
        return
    of = {name: float(getattr(found, name)[row]) for name in (
        "replicas", "devices_per_replica", "devices", "usd_per_device_hour", "usd_per_hour", "usd_per_month",
        "usd_per_request", "usd_per_million_output_tokens")}  # fmt: skip
    yield SheetRow("replicas", tr("Replicas, spares included"), "", of["replicas"])
    yield SheetRow("each", tr("Devices per replica"), "", of["devices_per_replica"])
    yield SheetRow("devices", tr("Devices"), "", of["devices"], "{replicas}*{each}")
    yield SheetRow("price", tr("Price of a device"), "USD/h", of["usd_per_device_hour"])
    economics = results.scenario.economics
    beside = beside_month(economics, _paid_as(results, "serving", economics.serving_procurement))
    whole = "{devices}*{price}"
    if beside.billed_usd(1.0) != 1.0:
        yield from _beside_rows(economics, beside, 1.0, central(economics.renting.serving_egress_bytes_per_month))
        whole = f"({whole}+{{beside}}/{HOURS_PER_MONTH})*(1+{{support}})"
    yield SheetRow("hour", tr("Fleet, per hour"), "USD/h", of["usd_per_hour"], whole)
    yield SheetRow("month", tr("Fleet, per month"), "USD/month", of["usd_per_month"], f"{{hour}}*{HOURS_PER_MONTH}")
    yield SheetRow("year", tr("Fleet, per year"), "USD/y", of["usd_per_hour"] * HOURS_PER_YEAR,
                   f"{{hour}}*{HOURS_PER_YEAR}")  # fmt: skip
    yield SheetRow("peak", tr("Requests at the peak"), "req/s", answer.peak_rate_per_s)
    yield SheetRow("mean", tr("Mean over peak"), "share", serving.traffic.mean_share_of_peak)
    yield SheetRow("request", tr("Per request"), "USD", of["usd_per_request"], "{hour}/(3600*{peak}*{mean})")
    yield SheetRow("output", tr("Tokens per answer"), "tok", answer.mean_output_tokens)
    yield SheetRow("million", tr("Per million output tokens"), "USD", of["usd_per_million_output_tokens"],
                   "1000000*{request}/{output}")  # fmt: skip


def _paid_as(results: Results, workload: str, stated: Procurement) -> Procurement:
    """The scenario's term, unless the planner has the whole fleet."""
    answer = results.known.ownership.get(workload)
    return "own" if answer is not None and answer.is_owned_already else stated


def _beside_rows(economics: Economics, beside: Beside, months: float, egress_bytes: float) -> Iterator[SheetRow]:
    """Storage, egress and support, as a provider bills them."""
    terms = economics.renting
    yield SheetRow("stored", tr("Stored data"), "GB", central(terms.stored_bytes) / 1e9)
    yield SheetRow("months", tr("Months"), "months", months)
    yield SheetRow("storage_price", tr("Storage"), "USD/GB/month", central(terms.storage_usd_per_gb_month))
    yield SheetRow("egress", tr("Data moved out"), "GB", egress_bytes / 1e9)
    yield SheetRow("egress_price", tr("Egress"), "USD/GB", central(terms.egress_usd_per_gb))
    yield SheetRow("beside", tr("Storage and egress"), "USD", float(beside.usd),
                   "{stored}*{months}*{storage_price}+{egress}*{egress_price}")  # fmt: skip
    yield SheetRow("support", tr("Support, share of the bill"), "share", float(beside.support_share))


def _training_rows(results: Results, answer: TrainingPlan) -> Iterator[SheetRow]:
    found, row = answer.table, answer.best
    hours, price, usd = (float(one[row]) for one in (found.device_hours, found.usd_per_device_hour, found.usd_per_run))
    yield SheetRow("hours", tr("Device-hours, retries and experiments included"), "h", hours)
    yield SheetRow("price", tr("Price of a device"), "USD/h", price)
    economics, whole = results.scenario.economics, "{hours}*{price}"
    beside = beside_run(economics, _paid_as(results, "training", economics.training_procurement))
    if beside.billed_usd(1.0) != 1.0:
        runs = central(economics.fleets.training_runs_per_year)
        moved = central(economics.renting.training_egress_bytes_per_run)
        yield from _beside_rows(economics, beside, MONTHS_PER_YEAR / runs if runs > 0 else 0.0, moved)
        whole = f"({whole}+{{beside}})*(1+{{support}})"
    yield SheetRow("run", tr("Cost of the run"), "USD", usd, whole)
    yield SheetRow("tokens", tr("Tokens trained"), "tok", answer.tokens)
    yield SheetRow(
        "million", tr("Per million tokens trained"), "USD", usd / answer.tokens * 1e6, "{run}/{tokens}*1000000"
    )


def _owning_rows(results: Results, owned: OwnershipAnswer) -> Iterator[SheetRow]:
    terms, economics = ownership_terms(results.scenario.economics), results.scenario.economics
    given = (
        ("server", tr("Device and its share of the server"), "USD", owned.node_usd),
        ("discount", tr("Discount"), "share", terms.capital_discount),
        ("network", tr("Network"), "USD", owned.capital.network_usd),
        ("storage", tr("Storage"), "USD", terms.storage_usd_per_device),
        ("installation_share", tr("Installation, share of the rest"), "share", terms.installation_share),
        ("life", tr("Useful life"), "y", terms.useful_life_years),
        ("residual", tr("Residual value"), "share", terms.residual_share),
        ("rate", tr("Cost of capital"), "share", terms.cost_of_capital),
        ("power", tr("Rated power of a device"), "W", owned.energy.rated_power_w / owned.devices),
        ("infrastructure", tr("Switches and storage, share of power"), "share", terms.infrastructure_power_share),
        ("power_use", tr("Power drawn under load"), "share", terms.power_share_of_rating),
        ("draw", tr("Mean draw, share of that under load"), "share", owned.draw_share),
        ("pue", tr("PUE"), "", terms.pue),
        ("electricity", tr("Electricity"), "USD/kWh", terms.electricity_usd_per_kwh),
        ("colocation", tr("Colocation"), "USD/kW/month", terms.facility_usd_per_kw_month),
        ("support_share", tr("Hardware support, share of capital"), "share", terms.support_share_per_year),
        ("software", tr("Software"), "USD/y", terms.software_usd_per_device_year),
        ("staff", tr("Staff"), "USD/y", terms.staff_usd_per_device_year),
        ("tax_share", tr("Insurance and tax, share of capital"), "share", terms.insurance_and_tax_share_per_year),
        ("availability", tr("Availability"), "share", central(economics.ownership.availability)),
        ("use", tr("Hours in use"), "share", owned.use_share),
        ("devices", tr("Devices"), "", owned.devices),
        ("bought", tr("Devices bought, in whole units"), "", owned.bought_devices),
    )
    for key, title, unit, value in given:
        yield SheetRow(key, title, unit, float(value))
    yield from _capital_rows(owned)
    yearly = tuple(_yearly_rows(owned, central(economics.ownership.availability)))
    available = next(one.value for one in yearly if one.key == "available_hour")
    yield from yearly
    for term in owned.terms:
        if term.term != "own" and math.isfinite(term.usd_per_device_hour):
            key = term.term
            yield SheetRow(key, term_name(key), "USD/h", term.usd_per_device_hour)
            even, share = tr("Break-even share of hours against renting"), term.break_even_share
            if share > 0:
                # What the present values hold beside today's prices: support, data and the trend.
                over = available / (term.usd_per_device_hour * share)
                yield SheetRow(f"{key}_over", tr("Rent over the horizon, over today's price"), "", over)
                yield SheetRow(f"{key}_even", even, "share", share, f"{{available_hour}}/({{{key}}}*{{{key}_over}})")


def _capital_rows(owned: OwnershipAnswer) -> Iterator[SheetRow]:
    capital = owned.capital
    yield SheetRow("node", tr("Device and server after discount"), "USD", capital.node_usd, "{server}*(1-{discount})")
    yield SheetRow("installation", tr("Installation"), "USD", capital.installation_usd,
                   "({node}+{network}+{storage})*{installation_share}")  # fmt: skip
    yield SheetRow("capital", tr("Capital of a device"), "USD", capital.total,
                   "{node}+{network}+{storage}+{installation}")  # fmt: skip
    yield SheetRow("fleet_capital", tr("Capital of the fleet"), "USD", capital.total * owned.bought_devices,
                   "{capital}*{bought}")  # fmt: skip


def _yearly_rows(owned: OwnershipAnswer, availability: float) -> Iterator[SheetRow]:
    """Rows of a device's yearly cost, and the cost of an hour."""
    annual = owned.annual
    whole, part = "(1-POWER(1+{rate},-INT({life})))/{rate}", "({life}-INT({life}))*POWER(1+{rate},-{life})"
    recovery = f"IF({{rate}}=0,1/{{life}},1/({whole}+{part}))"
    drawn = "{power}/1000*(1+{infrastructure})"
    parts = (
        (
            "capital_usd",
            "year_capital",
            f"({{capital}}-{{residual}}*{{capital}}/POWER(1+{{rate}},{{life}}))*{recovery}",
        ),
        ("facility_usd", "year_facility", f"{{colocation}}*{drawn}*12"),
        ("energy_usd", "year_energy", f"{drawn}*{{power_use}}*{{draw}}*{{pue}}*{{electricity}}*{HOURS_PER_YEAR}"),
        ("support_usd", "year_support", "{support_share}*{capital}"),
        ("software_usd", "year_software", "{software}"),
        ("staff_usd", "year_staff", "{staff}"),
        ("insurance_and_tax_usd", "year_tax", "{tax_share}*{capital}"),
    )
    for name, key, expression in parts:
        title = tr("{part}, per year").format(part=part_of_owning(name))
        yield SheetRow(key, title, "USD/y", float(getattr(annual, name)), expression)
    total = "+".join(f"{{{key}}}" for _, key, _ in parts)
    yield SheetRow("year", tr("Owning a device, per year"), "USD/y", annual.total, total)
    yield SheetRow("hour", tr("Per calendar hour"), "USD/h", owned.owned_usd_per_calendar_hour,
                   f"{{year}}/{HOURS_PER_YEAR}")  # fmt: skip
    available = owned.owned_usd_per_calendar_hour / availability * owned.bought_devices / owned.devices
    yield SheetRow("available_hour", tr("Per hour available and in use"), "USD/h", available,
                   "{hour}/{availability}*{bought}/{devices}")  # fmt: skip
    yield SheetRow("useful_hour", tr("Per hour of work"), "USD/h", owned.owned_usd_per_useful_hour,
                   "{available_hour}/{use}")  # fmt: skip


def money_sections(results: Results) -> Iterator[ReportSection]:
    for answer in results.known.ownership.values():
        title = tr("{workload}: rent or buy").format(workload=tr(WORKLOAD_TITLES[answer.workload]))
        assumed = assumed_text(answer, results.scenario)
        lines = (commitment_text(answer), investment_text(answer), energy_text(answer), assumed)
        yield from section(
            title,
            [*_ownership_tables(answer, results.scenario), *(paragraph(line) for line in lines), _power_table(answer)],
        )
    title = tr("Instead of this fleet")
    beside = [paragraph(one) for one in alternatives_text(results).splitlines()]
    yield from section(title, [rows_table(title, alternative_rows(results)), *beside])
    yield from section(tr("One fleet or two"), _fleets(results))


def _power_table(answer: OwnershipAnswer) -> Block | None:
    """Table of the fleet's power and hours at each load."""
    is_service = answer.workload == "serving"
    headings = (
        tr("Load, share of the peak") if is_service else tr("Devices"),
        tr("Hours a year") if is_service else tr("Hours of the run"), tr("Power"),
    )  # fmt: skip
    rows = (
        (
            amount(one.load, "share") if is_service else _busy(one.load),
            amount(one.hours, "h", 4), amount(one.power_w, "W"),
        )
        for one in answer.energy.by_load
    )  # fmt: skip
    return table(tr("Power by load, cooling included"), headings, rows)


def _busy(load: float) -> str:
    return tr("computing") if load else tr("waiting for host, data or network")


def certainty_sections(results: Results) -> Iterator[ReportSection]:
    """Sections on uncertainty: what moves the results, and what to find out first."""
    known = results.known.uncertainty
    if known is None:
        return
    rows = list(_movers(known))
    headings = (
        tr("Result"), tr("All inputs at their medians"), tr("Input"), tr("Low input"), tr("Result at low input"),
        tr("High input"), tr("Result at high input"),
    )  # fmt: skip
    note = tr("{samples} simulations, seed {seed}; other inputs at their medians.").format(
        samples=format_value(known.samples), seed=known.seed
    )
    made = table(tr("Inputs with the largest effect"), headings, rows)
    yield from section(tr("Certainty"), [paragraph(measurement_text(known)), made, paragraph(note, "quiet")])


def _movers(known: UncertaintyAnswer) -> Iterator[Row]:
    for tornado in known.tornados:
        for bar in tornado.bars[:3]:
            ends = (format_value(value, tornado.unit) for value in (bar.result_at_low, bar.result_at_high))
            if len(set(ends)) < 2:
                continue
            yield (
                result_name(tornado.code), amount(tornado.middle, tornado.unit), input_name(bar.input),
                input_value_text(bar.input, bar.low_input), amount(bar.result_at_low, tornado.unit),
                input_value_text(bar.input, bar.high_input), amount(bar.result_at_high, tornado.unit),
            )  # fmt: skip


def _ownership_tables(answer: OwnershipAnswer, scenario: Scenario) -> Iterator[Block | None]:
    unit = request_cost_unit(scenario) if answer.workload == "serving" else None
    costs = [
        (tr(unit.title), amount(one.value * unit.requests, one.unit))
        if unit is not None and one.code == "request"
        else (unit_of_cost(one), amount(one.value, one.unit))
        for one in answer.unit_costs
        if math.isfinite(one.value) and not (unit is not None and one.code in PER_TOKENS)
    ]
    yield table(tr("Unit costs"), (tr("Unit"), tr("Cost")), costs)
    levers = [
        (lever_name(one.code), amount(one.alone_usd, "USD"), amount(one.in_order_usd, "USD")) for one in answer.levers
    ]
    if levers:
        headings = (tr("Lever"), tr("Saving alone"), tr("Saving in sequence"))
        yield table(tr("How to make the run cheaper"), headings, levers)
    yield rows_table(tr("Terms"), ways_rows(answer), has_units=False)
    owned = [
        (part_of_owning(name), amount(getattr(answer.annual, name), "USD/y"),
         share_text(getattr(answer.annual, name) / answer.annual.total if answer.annual.total else math.nan))
        for name in answer.annual.__struct_fields__
    ]  # fmt: skip
    total = (tr("Total"), amount(answer.annual.total, "USD/y"), NOTHING)
    held = answer.held_usd_per_hour
    by_hour = {tr("Per hour in use, idle devices of whole servers included"): held}
    title, use = tr("Owning one device, per year"), format_value(answer.use_share, "share", 2)
    if answer.use_share < 1:
        title = tr("Owning one device, per year in which it is in use {use}").format(use=use)
        by_hour = {
            tr("Per hour that it is up, idle devices of whole servers included"): held,
            tr("Per hour in use"): usd_per_hour_in_use(answer, "own", held),
        }
    hourly = [(name, amount(usd, "USD/h"), NOTHING) for name, usd in by_hour.items() if usd < math.inf]
    if math.isfinite(answer.annual.total):
        yield table(title, (tr("Part"), tr("Cost"), tr("Share")), [*owned, total, *hourly])


def _fleets(results: Results) -> Iterator[Block | None]:
    known = results.known.fleets
    if known is None:
        return
    yield paragraph(fleets_sentence(known, results.catalog), "strong")
    name = partial(accelerator_name, catalog=results.catalog)
    rows = table_of(
        known.strategies,
        (tr("Strategy"), "", lambda one: strategy_name(one.strategy)),
        (tr("On"), "", lambda one: " + ".join(map(name, dict.fromkeys(fleet.accelerator for fleet in one.fleets)))),
        (tr("Devices"), "", lambda one: sum(fleet.devices for fleet in one.fleets) if one.is_possible else math.nan),
        (tr("Present value over the horizon"), "USD", lambda one: one.usd),
        (tr("Paid for and not used"), "USD", lambda one: one.unused_usd),
    )
    yield rows_table(tr("Strategies for both workloads"), rows, has_units=False)
