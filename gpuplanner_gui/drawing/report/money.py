"""Cost tables: units of work, rent or buy, what owning consists of, energy; and the calculation behind them."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuplanner_gui.domain.decision import OwnershipAnswer, StrategyAnswer, UncertaintyAnswer
from gpuplanner_gui.drawing.decision_rows import commitment_text, energy_text, investment_text, lever_name
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.cost_sheet import cost_sheets
from gpuplanner_gui.drawing.report.model import Block, Cell, Section, amount, paragraph, section, table, words
from gpuplanner_gui.drawing.report.summary import WORKLOAD_TITLES
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.decision import (
    fleets_sentence,
    input_name,
    input_value_text,
    measurement_text,
    part_of_owning,
    result_name,
    role_name,
    strategy_name,
    term_name,
    unit_cost_name,
)
from gpuplanner_gui.drawing.words.decision import percent as share_text
from gpuplanner_gui.drawing.words.paying import assumed_text


def money_sections(results: Results) -> Iterator[Section]:
    known = results.decision
    for answer in known.ownership.values() if known is not None else ():
        title = tr("{workload}: rent or buy").format(workload=tr(WORKLOAD_TITLES[answer.workload]))
        assumed = assumed_text(answer, results.scenario)
        lines = (commitment_text(answer), investment_text(answer), energy_text(answer), assumed)
        yield from section(title, [*_ownership_tables(answer), *(paragraph(line) for line in lines)])
    if known is not None and known.fleets is not None:
        yield from section(tr("One fleet or two"), list(_fleets(results)))
    yield from section(tr("Cost sheet"), list(cost_sheets(results)))


def certainty_sections(results: Results) -> Iterator[Section]:
    """What moves the results, and what to find out first."""
    known = results.decision.uncertainty if results.decision is not None else None
    if known is None:
        return
    rows = list(_movers(known))
    headings = (tr("Result"), tr("Input"), tr("From"), tr("Gives"), tr("To"), tr("Gives"))
    note = tr("{samples} samples, seed {seed}; the other inputs at their medians.").format(
        samples=format_value(known.samples), seed=known.seed
    )
    made = table(tr("What moves the results most"), headings, rows)
    yield from section(tr("How sure"), [paragraph(measurement_text(known)), made, paragraph(note, "quiet")])


def _movers(known: UncertaintyAnswer) -> Iterator[tuple[Cell, ...]]:
    for tornado in known.tornados:
        for bar in tornado.bars[:4]:
            yield (
                words(result_name(tornado.code)), words(input_name(bar.input)),
                words(input_value_text(bar.input, bar.low_input)), amount(bar.result_at_low, tornado.unit),
                words(input_value_text(bar.input, bar.high_input)), amount(bar.result_at_high, tornado.unit),
            )  # fmt: skip


def _ownership_tables(answer: OwnershipAnswer) -> Iterator[Block | None]:
    costs = [
        (words(unit_cost_name(one.code)), amount(one.value, one.unit))
        for one in answer.unit_costs
        if math.isfinite(one.value)
    ]
    yield table(tr("What a unit of work costs"), (tr("Unit"), tr("Cost")), costs)
    levers = [
        (words(lever_name(one.code)), amount(one.alone_usd, "USD"), amount(one.in_order_usd, "USD"))
        for one in answer.levers
    ]
    if levers:
        yield table(tr("What makes the run cheaper"), (tr("Lever"), tr("Saves alone"), tr("Saves in turn")), levers)
    terms = [
        (
            words(term_name(one.term)), amount(one.usd_per_device_hour, "USD/h"), amount(one.usd, "USD"),
            amount(one.break_even_share, "share", 2),
        )
        for one in answer.terms
    ]  # fmt: skip
    headings = (
        tr("Term"),
        tr("Device-hour"),
        tr("Fleet over the horizon, present value"),
        tr("Owning pays above use of"),
    )
    yield table(tr("Terms"), headings, terms)
    owned = [
        (words(part_of_owning(name)), amount(getattr(answer.annual, name), "USD/y"),
         words(share_text(getattr(answer.annual, name) / answer.annual.total if answer.annual.total else math.nan)))
        for name in answer.annual.__struct_fields__
    ]  # fmt: skip
    total = (words(tr("Together")), amount(answer.annual.total, "USD/y"), words(NOTHING))
    if math.isfinite(answer.annual.total):
        yield table(tr("Owning one device, a year"), (tr("Part"), tr("Cost"), tr("Share")), [*owned, total])


def _fleets(results: Results) -> Iterator[Block | None]:
    known = results.decision.fleets if results.decision is not None else None
    if known is None:
        return
    yield paragraph(fleets_sentence(known, results.catalog), "strong")
    rows = [
        (
            words(strategy_name(one.strategy)),
            words(" + ".join(accelerator_name(name, results.catalog) for name in dict.fromkeys(_devices_of(one)))),
            amount(sum(fleet.devices for fleet in one.fleets) if one.is_possible else math.nan),
            amount(one.usd, "USD"), amount(one.unused_usd, "USD"),
        )
        for one in known.strategies
    ]  # fmt: skip
    headings = (
        tr("Way"),
        tr("On"),
        tr("Devices"),
        tr("Cost over the horizon, undiscounted"),
        tr("Paid for and not used"),
    )
    yield table(tr("Ways to cover both workloads"), headings, rows)
    elsewhere = [
        (
            words(role_name(one.workload)), words(accelerator_name(one.home, results.catalog)),
            words(accelerator_name(one.elsewhere, results.catalog)), amount(one.slowdown), amount(one.home_usd, "USD"),
            amount(one.elsewhere_usd, "USD"),
        )
        for one in known.misplaced
    ]  # fmt: skip
    columns = (
        tr("Workload"),
        tr("At home on"),
        tr("Instead on"),
        tr("Times slower"),
        tr("Cost at home"),
        tr("Instead"),
    )
    yield table(tr("On the other's devices"), columns, elsewhere)


def _devices_of(strategy: StrategyAnswer) -> Iterator[str]:
    return (fleet.accelerator for fleet in strategy.fleets)
