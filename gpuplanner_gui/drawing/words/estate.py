"""What is said of an estate's plan: its cost, the first orders, what it leaves out, and why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gpuplanner_gui.domain.constants import HOURS_PER_MONTH, MONTHS_PER_YEAR, SECONDS_PER_HOUR
from gpuplanner_gui.domain.estate import LONGEST_YEARS, Estate, months_between
from gpuplanner_gui.drawing.estate_rows import last_month, order_rows
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import LEAST_SHARE, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.verdict_level import held_back_text, verdict_cell
from gpuplanner_gui.engine.estate.left_out import (
    left_out_data_usd,
    left_out_stock,
    longest_horizon_years,
    owned_stock,
    replaced_after_years,
)
from gpuplanner_gui.engine.fleet.devices_over_time import USUAL_WINDOW_H, stated_window_s

if TYPE_CHECKING:
    from gpuplanner_gui.domain.catalog import Catalog
    from gpuplanner_gui.domain.decision import ComparisonAnswer
    from gpuplanner_gui.domain.scenario import Project

    # The search is read by its task: the page that draws would hold up the window while it is.
    from gpuplanner_gui.engine.estate.answer import EstateAnswer, Robust

ORDERED = {
    "buy": "buy {units} × {hardware}", "sell": "sell {units} × {hardware}", "reserve": "reserve {units} × {hardware}",
    "rent": "rent up to {units} × {hardware} by the hour",
}  # fmt: skip
NOTED = ("buy", "reserve")
MOST_ORDERS = 12
"""Orders that the headline names, all of a date or none."""
MOST_SHARE = 0.5


def estate_lines(answer: EstateAnswer) -> list[str]:
    """Sentences about the plan: cost, distance from the optimum, first orders, and workloads left out."""
    checked = answer.found.evaluation
    lines = [f"{_cost_line(answer)} {_proof_line(answer)}", orders_line(answer), *_owned_lines(answer)]
    lines += _unserved_lines(answer)
    if checked.violations:
        lines.append(tr("The check found {count} violated limits: do not use this plan.").format(
            count=len(checked.violations)
        ))  # fmt: skip
    return lines


def _unserved_lines(answer: EstateAnswer) -> list[str]:
    """Workloads that are left out, those that no hardware of the estate can run apart from the others."""
    left_out = [answer.problem.loads[one] for one in answer.found.evaluation.unserved]
    limited = tr("Not served, because of limits: {names}")
    if not answer.found.are_most_served:
        limited = tr("Not served: {names}. A longer search may serve more of them.")
    without_hardware, told = tr("Not served, because the estate has no hardware for it: {names}"), []
    for text, can_run in ((without_hardware, False), (limited, True)):
        same = sorted((one for one in left_out if bool(one.choices) == can_run), key=lambda one: one.priority)
        names = ", ".join(tr("{name} (priority {number})").format(name=one.name, number=one.priority) for one in same)
        told += [text.format(names=names)] if same else []
    return told


def _cost_line(answer: EstateAnswer) -> str:
    checked, count = answer.found.evaluation, len(answer.problem.loads)
    text = tr("{cost} for all {count} workloads, {first} to {last} (present value; hardware left at the end is sold).")
    if checked.unserved:
        text = tr(
            "{cost} for {served} of {count} workloads, {first} to {last} (present value; hardware left at the end is "
            "sold)."
        )
    return text.format(
        served=count - len(checked.unserved), count=count, cost=format_value(checked.present_value_usd, "USD"),
        first=answer.estate.start, last=last_month(answer),
    )  # fmt: skip


def _proof_line(answer: EstateAnswer) -> str:
    """How much cheaper another plan could be, which says nothing of what prices and loads will be."""
    found, accelerators = answer.found, [one.accelerator for one in answer.estate.hardware]
    less = format_value(found.gap, "share", 2)
    if found.gap > MOST_SHARE:
        # Resale may bring the cost near to nothing, of which any amount is a large share.
        less = format_value(found.evaluation.present_value_usd - found.bound_usd, "USD")
    if len(set(accelerators)) < len(accelerators):
        # Devices alike of two kinds of unit could share a workload, but the search puts it on one kind at a time.
        if found.gap < LEAST_SHARE:
            return tr(
                "At these prices and loads, no other plan that serves the same workloads, each on one kind of unit at "
                "a time, would cost less."
            )
        text = tr(
            "At these prices and loads, no other plan that serves the same workloads, each on one kind of unit at a "
            "time, would save more than {less}."
        )
        return text.format(less=less)
    if found.gap < LEAST_SHARE:
        if found.evaluation.unserved:
            return tr("At these prices and loads, no other plan for the same workloads would cost less.")
        return tr("At these prices and loads, no other plan would cost less.")
    text = tr("At these prices and loads, no other plan would save more than {less}.")
    if found.evaluation.unserved:
        text = tr("At these prices and loads, no other plan for the same workloads would save more than {less}.")
    return text.format(less=less)


def _owned_lines(answer: EstateAnswer) -> list[str]:
    """What is there on the first day, which no purchase pays for."""
    units: dict[str, int] = {}
    for pool in answer.estate.pools:
        for one in pool.standing:
            units[one.hardware] = units.get(one.hardware, 0) + one.units
    names = ", ".join(f"{count} × {name}" for name, count in units.items() if count)
    return [tr("Owned from the start, so no purchase is counted: {names}.").format(names=names)] if names else []


def unsure_lines(comparison: ComparisonAnswer | None, answer: EstateAnswer) -> list[str]:
    """Workloads whose own plan may miss a target, once scenarios are compared: the estate does not test them."""
    named = {load.scenario for load in answer.estate.workloads}
    compared = comparison.scenarios if comparison is not None else ()
    told = []
    for one in compared:
        if one.name in named and one.verdict is not None and one.verdict.level != "holds":
            told.append(f"{one.name} ({held_back_text(one.verdict) or verdict_cell(one.verdict)})")
    return [tr("May miss a target even when planned alone: {names}.").format(names=", ".join(told))] if told else []


def left_out_lines(project: Project, estate: Estate, catalog: Catalog) -> list[str]:
    """What the estate does not count of its scenarios: owned devices, data, and years beyond the longest estate; and
    where its running costs hold a replacement."""
    owned, told = owned_stock(project), []
    stock = ", ".join(
        tr("{count} of {owned} × {device}").format(
            count=count, owned=owned[name], device=accelerator_name(name, catalog)
        )
        for name, count in left_out_stock(project, estate).items()
    )
    if stock:
        text = tr(
            "Owned, but not in the estate: {stock}. An estate holds whole units, and a drafted one only those that its "
            "site has power and cooling for."
        )
        told.append(text.format(stock=stock))
    bills = ", ".join(
        (tr("{name} {usd} a month at today's load") if part == "serving" else tr("{name} {usd} a run")).format(
            name=name, usd=format_value(usd, "USD")
        )
        for (name, part), usd in left_out_data_usd(project, estate).items()
    )
    if bills:
        told.append(tr("Not counted: storage and egress where devices are rented ({bills}).").format(bills=bills))
    if (horizon := longest_horizon_years(project)) > LONGEST_YEARS:
        text = tr("An estate covers {most} at most; the longest horizon is {horizon}.")
        told.append(text.format(most=format_value(LONGEST_YEARS, "y"), horizon=format_value(horizon, "y")))
    if (life := replaced_after_years(project, estate)) is not None:
        text = tr("Owned hardware is replaced every {life}: the running costs of a drafted estate include it.")
        told.append(text.format(life=format_value(life, "y")))
    return told


def assumed_windows_line(project: Project, drafted: Estate) -> str:
    """The time that a first estate allows for runs whose scenarios state none; empty: each states one."""
    unstated = {one.name for one in project.scenarios if one.training is not None and stated_window_s(one) is None}
    months = {
        load.scenario: months_between(load.start, load.end)
        for load in drafted.workloads
        if load.part == "training" and load.scenario in unstated and load.start and load.end
    }
    if not months:
        return ""
    text = tr(
        "No deadline or time per run is entered. Each run may take as long as the recommended run, at least {least}, "
        "rounded up to months: {runs}."
    )
    runs = (f"{name} {format_value(one * HOURS_PER_MONTH * SECONDS_PER_HOUR, 's')}" for name, one in months.items())
    return text.format(least=format_value(USUAL_WINDOW_H * SECONDS_PER_HOUR, "s", 2), runs=", ".join(runs))


def orders_line(answer: EstateAnswer) -> str:
    """What to order and sell in the first year, by date, and how many orders follow."""
    rows = order_rows(answer)
    if not rows:
        if answer.found.evaluation.unserved:
            return tr("Nothing to order.")
        return tr("Nothing to order: the owned hardware is enough.")
    first_year = [row for row in rows if row["period"] * answer.months_per_period < MONTHS_PER_YEAR]
    by_month: dict[str, list[dict[str, Any]]] = {}
    for row in first_year or rows[:1]:
        by_month.setdefault(row["month"], []).append(row)
    told: list[str] = []
    left = len(rows)
    for month, orders in by_month.items():
        if told and len(rows) - left + len(orders) > MOST_ORDERS:
            break
        left -= len(orders)
        told.append(f"{month}: {', '.join(map(_order_text, orders))}")
    text = tr("Order {orders}.").format(orders="; ".join(told))
    if not left:
        return text
    more = tr("{text} 1 more order until {last}: see the table of orders.")
    if left > 1:
        more = tr("{text} {count} more orders until {last}: see the table of orders.")
    return more.format(text=text, count=left, last=last_month(answer))


def _order_text(row: dict[str, Any]) -> str:
    text = tr(ORDERED[row["kind"]]).format(**row)
    return f"{text} ({row['note']})" if row["kind"] in NOTED else text


def no_plan_text(has_pins: bool) -> str:
    """Why a search ended without a plan."""
    if has_pins:
        return tr("No plan satisfies every pinned decision. Remove a pin and plan again.")
    return tr("The search was stopped before the first plan. Plan again.")


def missing_workloads_text(workloads: Sequence[tuple[str, str]]) -> str:
    """The sentence about workloads of an estate that no scenario plans."""
    part = {"serving": tr("serving"), "training": tr("training")}
    names = ", ".join(f"{scenario} ({part[which]})" for scenario, which in workloads)
    text = tr("The estate names workloads that the project does not plan: {names}. Choose Inputs… and remove them.")
    return text.format(names=names)


def futures_line(ahead: Robust) -> str:
    """The sentence about the common first orders: expected cost, and largest extra cost over foresight."""
    worst = max(ahead.futures, key=lambda one: one.regret_usd)
    text = tr(
        "Expected cost {usd} over {count} futures. In the worst of them ({name}), these first orders cost {regret} "
        "more than orders made with that future known."
    )
    if worst.regret_usd < 0.5:
        text = tr("Expected cost {usd} over {count} futures. The same first orders are the cheapest in each of them.")
    return text.format(
        usd=format_value(ahead.expected_usd, "USD"), count=len(ahead.futures), name=worst.name,
        regret=format_value(max(worst.regret_usd, 0.0), "USD"),
    )  # fmt: skip


def futures_meaning(answer: EstateAnswer) -> str:
    """How demand and prices develop in each future, beside what is planned."""
    told = []
    for one in answer.estate.futures:
        changes = [
            (tr("demand {change} a year"), one.demand_per_year),
            (tr("prices {change} a year"), one.price_per_year),
        ]
        texts = [
            words.format(change=f"{'+' if change > 0 else '−'}{format_value(abs(change), 'share', 2)}")
            for words, change in changes
            if change
        ]
        told.append(tr("{name}: {changes}").format(name=one.name, changes=", ".join(texts) or tr("as planned")))
    return tr("Beside the planned growth and trends: {futures}.").format(futures="; ".join(told))
