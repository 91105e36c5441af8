"""The page for the board: recommendation and its chance, order, cash by year, ways to pay, three risks, a picture."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.domain.price import OrderList
from gpuplanner_gui.drawing.decision_rows import TermRow, planned_row, term_rows
from gpuplanner_gui.drawing.language import labelled, tr
from gpuplanner_gui.drawing.order_rows import (
    changes_text,
    item_name,
    order_sentence,
    quantity_text,
    rental_lines,
    unknown_text,
)
from gpuplanner_gui.drawing.report.model import (
    Block,
    Callout,
    ReportFigure,
    ReportSection,
    amount,
    clean,
    paragraph,
    table,
)
from gpuplanner_gui.drawing.report.plots import figure_of
from gpuplanner_gui.drawing.report.risks import open_risks
from gpuplanner_gui.drawing.report.summary import choice_blocks
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.choices import WORKLOAD_TITLES
from gpuplanner_gui.drawing.words.findings import MARKS, all_findings, finding_text
from gpuplanner_gui.drawing.words.verdict import verdicts

POSITIONS = 4
"""Most positions of an order, the dearest first; the annex has all."""
RISKS = 3
GRAVITY = ("good", "warning", "bad")
PICTURE_HEIGHT = 280
"""Less than that of others, so that one page holds all."""
YEARS = 5


def board_sections(results: Results, starts_page: bool) -> Iterator[ReportSection]:
    """One page; nothing of a scenario without an answer but its verdict."""
    orders = _orders(results)
    blocks: list[Block | None] = [*choice_blocks(results), *_recommendation(results, orders)]
    blocks += [*_dearer(results), *_api(results)]
    blocks += _order_blocks(orders)
    blocks += [
        _cash(orders),
        *(paragraph(changes_text(one), "quiet") for one in orders),
        _ways(results),
        *_risks(results),
        _picture(results),
    ]
    title = tr("For the board: {scenario}").format(scenario=clean(results.scenario.name))
    kept = tuple(one for one in blocks if one is not None)
    yield ReportSection(title, kept, level=2, starts_page=starts_page, subject="board")


def _orders(results: Results) -> list[OrderList]:
    return [one.order for one in results.known.ownership.values() if one.order is not None]


def _recommendation(results: Results, orders: list[OrderList]) -> Iterator[Block]:
    """The recommendation, and its chance of meeting every target: a sentence each."""
    found = verdicts(results)
    told: dict[str, str] = {one.workload: order_sentence(one, results) for one in orders}
    lines = [
        line
        for one in found
        for line in (paragraph(told.get(one.workload, one.headline), "strong"), paragraph(one.state))
        if line
    ]
    worst = max(found, key=lambda one: GRAVITY.index(one.status), default=None)
    if worst is not None:
        yield Callout(tr("Recommendation"), worst.status, tuple(lines))


def _order_blocks(orders: list[OrderList]) -> Iterator[Block | None]:
    rows = []
    for order in orders:
        title = tr(WORKLOAD_TITLES[order.workload])
        priced = [one for one in order.lines if one.usd > 0]
        for line in sorted(priced, key=lambda one: -one.usd)[:POSITIONS]:
            paid = tr("once") if line.paid == "once" else tr("each year")
            rows.append((title, item_name(line), quantity_text(line), amount(line.usd, "USD"), paid))
        totals = (
            (tr("Total capital"), order.capital_usd, tr("once")),
            (tr("Total running cost"), order.yearly_usd, tr("each year")),
        )
        rows += [
            (title, name, "", amount(usd, "USD"), paid) for name, usd, paid in totals if usd > 0 and len(priced) > 1
        ]
    headings = (tr("For"), tr("Order"), tr("Quantity"), tr("Price"), tr("Paid"))
    yield table(tr("What to order"), headings, rows)
    said = (" ".join((*rental_lines(order)[:1], unknown_text(order))) for order in orders)
    yield from (paragraph(one, "quiet") for one in dict.fromkeys(said))


def _cash(orders: list[OrderList]) -> Block | None:
    """Payments of all orders, by year and in total."""
    years = max((math.ceil(len(order.cash) / 4) for order in orders), default=0)
    periods = [(tr("Year {number}").format(number=year + 1), slice(4 * year, 4 * year + 4)) for year in range(years)]
    rows = []
    for name, when in (*periods[:YEARS], (tr("All years"), slice(None))):
        quarters = [one for order in orders for one in order.cash[when]]
        capital = math.fsum(one.capital_usd for one in quarters)
        operating = math.fsum(one.operating_usd for one in quarters)
        rows.append((name, amount(capital, "USD"), amount(operating, "USD"), amount(capital + operating, "USD")))
    headings = (tr("Year"), tr("Capital"), tr("Operating"), tr("Total"))
    return table(tr("Cash by year"), headings, rows if orders else [])


def _ways(results: Results) -> Block | None:
    """Every way to pay beside each other, and why one is not open."""
    answers = list(results.known.ownership.values())
    rows = []
    for ways in zip(*(term_rows(one) for one in answers)):
        rows.append((ways[0].name, *(amount(one.usd, "USD") for one in ways), _why_not(answers, ways)))
    titles = (tr(WORKLOAD_TITLES[one.workload]) for one in answers)
    return table(
        tr("Own, rent or spot: present value over the horizon"),
        (tr("Term"), *titles, tr("Not available because")),
        rows,
    )


def _why_not(answers: list[OwnershipAnswer], ways: tuple[TermRow, ...]) -> str:
    """Why a way to pay is not open; with the workload where it is open for the other."""
    reasons = [one.reason for one in ways]
    if len(set(reasons)) == 1:
        return reasons[0]
    titles = (tr(WORKLOAD_TITLES[one.workload]) for one in answers)
    return " ".join(labelled(title, reason) for title, reason in zip(titles, reasons, strict=True) if reason)


def _dearer(results: Results) -> Iterator[Block | None]:
    """The sentence that a cheaper term is available; empty if there is none."""
    for answer in results.known.ownership.values():
        rows = [one for one in term_rows(answer) if not one.reason]
        planned = planned_row(answer)
        least = min(rows, key=lambda one: one.usd, default=None)
        if planned is not None and least is not None and least.usd < planned.usd:
            text = tr("The scenario sets “{planned}”. “{least}” would save about {usd} over {years} (present value).")
            yield paragraph(text.format(
                planned=planned.name, least=least.name, usd=format_value(planned.usd - least.usd, "USD"),
                years=format_value(answer.horizon_years, "y"),
            ))  # fmt: skip


def _api(results: Results) -> Iterator[Block | None]:
    """The sentence that an API would cost less than the fleet; empty if none is known."""
    yield from (paragraph(finding_text(one)) for one in all_findings(results) if one.code == "cheaper_api")


def _risks(results: Results) -> Iterator[Block | None]:
    """Serious findings, then what stays open, other findings."""
    findings = [one for one in all_findings(results) if one.severity > 0]
    serious = [f"{MARKS[one.severity]} {finding_text(one)}" for one in findings if one.severity > 1]
    others = [f"{MARKS[one.severity]} {finding_text(one)}" for one in findings if one.severity == 1]
    found = [*serious, *(risk for risk, _, _ in open_risks(results)), *others]
    yield paragraph(tr("Main risks") if found else "", "strong")
    yield from (paragraph(one) for one in found[:RISKS])


def _picture(results: Results) -> ReportFigure | None:
    names = [f"{workload}-{kind}" for kind in ("terms", "cost") for workload in results.workloads()]
    return figure_of(results, names, "board", PICTURE_HEIGHT)
