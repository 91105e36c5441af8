"""An estate's plan as rows: periods with money and power, where workloads run, and orders by date."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuplanner_gui.domain.estate import month_after
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows
from gpuplanner_gui.drawing.units import format_value

if TYPE_CHECKING:
    # The search is read by its task: the page that draws would hold up the window while it is.
    from gpuplanner_gui.engine.estate.answer import EstateAnswer, Robust
    from gpuplanner_gui.engine.estate.why import Reasons

CASH = ("capital_usd", "running_usd", "rented_usd", "reserved_usd", "moving_usd")
"""Kinds of payment, as `engine.estate.check.Evaluation` has them."""
TITLES = {
    "month": ("Period", ""), "capital_usd": ("Purchases", "USD"), "running_usd": ("Running costs, own hardware", "USD"),
    "rented_usd": ("Rent by the hour", "USD"), "reserved_usd": ("Reservations", "USD"),
    "moving_usd": ("Migration", "USD"), "proceeds_usd": ("Sold", "USD"), "net_usd": ("Net cost", "USD"),
    "power_kw": ("Power", "kW"), "emissions_t": ("Emissions", "t"), "fill": ("In use", "share"),
    "workload": ("Workload", ""), "pool": ("Pool", ""), "hardware": ("Hardware", ""), "from": ("From", ""),
    "until": ("Until", ""),
    "most_devices": ("Devices at most", ""), "rented_apart": ("Rented on demand", ""), "kind": ("Order", ""),
    "units": ("Units", ""), "usd": ("Amount", "USD"), "note": ("Note", ""), "is_pinned": ("Pinned", ""),
    "name": ("Future", ""), "probability": ("Probability", "share"), "present_value_usd": ("Cost", "USD"),
    "alone_usd": ("Cost if this future were known", "USD"), "regret_usd": ("Regret", "USD"),
    "alone": ("If known in advance", ""), "can_wait": ("Advice", ""), "limit": ("Limit", ""), "place": ("Where", ""),
    "usd_per_unit": ("One more unit saves", "USD"), "extra_usd": ("Extra cost, at most", "USD"),
    "gap": ("Optimality gap", "share"),
}  # fmt: skip
"""Columns as people read them, and their units, by the keys of JSON."""
WORDS = {
    "buy": "Buy", "sell": "Sell", "rent": "Rent", "reserve": "Reserve", "capital": "Capital budget ($)",
    "operating": "Operating budget ($)", "emissions": "Emissions (t)", "power": "Power feed (kW)",
    "racks": "Racks", "air": "Air cooling (kW)", "liquid": "Liquid cooling (kW)",
    "wave": "Deliveries per period (units)", "date": "Fixed date (hour)",
}  # fmt: skip
"""Codes as people read them."""
ORDERED = {
    "buy": "buy {units} × {hardware}", "sell": "sell {units} × {hardware}", "reserve": "reserve {units} × {hardware}",
    "rent": "rent up to {units} × {hardware} by the hour",
}  # fmt: skip
NOTED = ("buy", "reserve")
MOST_MONTHS = 3
"""Dates whose orders the headline names."""
MOST_SHARE = 0.5
NOT_SHOWN = ("candidate", "period", "term_months", "scenario", "part")


def shown_title(key: str) -> str:
    return tr(TITLES[key][0])


def shown(rows: list[dict[str, Any]]) -> Rows:
    """Rows of JSON as a table for people."""
    if not rows:
        return NO_ROWS
    keys = [key for key in rows[0] if key not in NOT_SHOWN]
    columns = tuple(Column(shown_title(key), TITLES[key][1]) for key in keys)
    return Rows(columns, tuple(tuple(_cell(key, row[key]) for key in keys) for row in rows))


def _cell(key: str, value: Any) -> Cell:
    if key == "can_wait":
        return tr("Order more later") if value else tr("Order now")
    if isinstance(value, bool):
        return tr("yes") if value else ""
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    if isinstance(value, float) and not math.isfinite(value):
        return tr("no alternative")
    return tr(WORDS[value]) if value in WORDS and key in ("kind", "limit") else value


def month_of(answer: EstateAnswer, period: int) -> str:
    """The first month of a period: 2027-01."""
    return month_after(answer.estate.start, period * answer.months_per_period)


def last_month(answer: EstateAnswer) -> str:
    """The last month of the plan: 2029-12."""
    return month_after(answer.estate.start, answer.problem.periods * answer.months_per_period - 1)


def period_rows(answer: EstateAnswer) -> list[dict[str, Any]]:
    """Each period: cash by kind, power at the socket, emissions, and how full the fleets are in their busiest hours."""
    checked = answer.found.evaluation
    rows = []
    for period in range(answer.problem.periods):
        there, used = checked.capacity[:, :, period], checked.used[:, :, period]
        rows.append(
            {
                "month": month_of(answer, period),
                "capital_usd": float(checked.capital_usd[period]),
                "running_usd": float(checked.running_usd[period]),
                "rented_usd": float(checked.rented_usd[period]),
                "reserved_usd": float(checked.reserved_usd[period]),
                "moving_usd": float(checked.moving_usd[period]),
                "proceeds_usd": float(checked.proceeds_usd[period]),
                "power_kw": float(checked.site_kw[:, period].sum()),
                "emissions_t": float(checked.emissions_kg[period]) / 1000,
                "fill": float(_fill(there, used)),
            }
        )
    return rows


def _fill(there: np.ndarray, used: np.ndarray) -> float:
    """Devices in use over devices there, in the hour class in which most are used."""
    by_class, in_use = there.sum(axis=(0, 1)), used.sum(axis=(0, 1))
    busiest = int(in_use.argmax())
    return float(in_use[busiest] / by_class[busiest]) if by_class[busiest] else 0.0


def workload_rows(answer: EstateAnswer) -> list[dict[str, Any]]:
    """Each stretch of periods in which a workload runs on the same hardware."""
    problem, made = answer.problem, answer.found.decisions
    rows: list[dict[str, Any]] = []
    pinned = {(one.load, one.period) for one in problem.pins if one.kind == "run_on"}
    for index, load in enumerate(problem.loads):
        at_work = made.choice[index] >= 0
        if load.is_run and at_work.any():
            at_work = made.run_hours[index].sum(axis=1) > 0
        before = -1
        for period in range(problem.periods):
            number = int(made.choice[index, period]) if at_work[period] else -1
            if number >= 0 and number == before:
                rows[-1]["until"] = month_of(answer, period + 1)
                rows[-1]["most_devices"] = max(
                    rows[-1]["most_devices"], int(load.choices[number].devices[period].max())
                )
            elif number >= 0:
                choice = load.choices[number]
                rows.append(
                    {
                        "workload": load.name,
                        "scenario": answer.estate.workloads[index].scenario,
                        "part": answer.estate.workloads[index].part,
                        "pool": problem.pools[load.pool].name,
                        "hardware": problem.units[choice.hardware].name,
                        "from": month_of(answer, period),
                        "until": month_of(answer, period + 1),
                        "most_devices": int(choice.devices[period].max()),
                        "rented_apart": choice.is_apart,
                        "candidate": choice.candidate,
                        "is_pinned": (index, period) in pinned,
                        "period": period,
                    }
                )
            before = number
    return rows


def order_rows(answer: EstateAnswer) -> list[dict[str, Any]]:
    """Rows of orders, reservations, hourly rentals and sales, by date."""
    problem = answer.problem
    pinned = {(one.kind, one.period, one.pool, one.hardware) for one in problem.pins}
    orders = [
        (period, pool, hardware, *order)
        for period in range(problem.periods)
        for pool in range(len(problem.pools))
        for hardware in range(len(problem.units))
        for order in _orders_of(answer, period, pool, hardware)
    ]
    orders += [one for period in range(problem.periods) for one in _rented_apart(answer, period)]
    return [
        {
            "month": month_of(answer, period),
            "kind": kind,
            "pool": problem.pools[pool].name,
            "hardware": problem.units[hardware].name,
            "units": units,
            "usd": usd,
            "note": note,
            "is_pinned": (kind, period, pool, hardware) in pinned,
            "period": period,
            "term_months": term,
        }
        for period, pool, hardware, kind, units, usd, note, term in sorted(orders, key=lambda one: one[0])
    ]


def _orders_of(
    answer: EstateAnswer, period: int, pool: int, hardware: int
) -> Iterator[tuple[str, int, float, str, int]]:
    """Kind, units, money, a note and the term in months of what a pool orders of one kind of hardware."""
    problem, made = answer.problem, answer.found.decisions
    unit = problem.units[hardware]
    bought, sold = int(made.bought[pool, hardware, period]), int(made.sold[pool, hardware, period])
    if bought:
        arrives = tr("from {month} on").format(month=month_of(answer, period + unit.lead_periods))
        yield "buy", bought, bought * float(unit.buy_usd[period]), arrives, 0
    if sold:
        yield "sell", sold, sold * float(unit.resale_usd[period]), "", 0
    for term, terms in enumerate(unit.reservations):
        signed = int(made.reserved[pool, hardware, term][period])
        if signed:
            ends = tr("until {month}").format(month=month_of(answer, period + terms.periods))
            usd = signed * float(terms.usd_per_unit[period]) * terms.periods
            yield "reserve", signed, usd, ends, terms.periods * answer.months_per_period
    rented = made.rented[pool, hardware, period]
    if rented.any():
        long = {int(count): 0.0 for count in sorted(rented, reverse=True) if count}
        for one, count in zip(answer.estate.hours, rented, strict=True):
            long[int(count)] = long.get(int(count), 0.0) + one.hours_per_day
        text = tr("{count} during {hours} h of the day")
        hours = ", ".join(text.format(count=count, hours=f"{of_day:.3g}") for count, of_day in long.items() if count)
        usd = float(rented @ problem.hours[period] * unit.rent_usd_per_hour[period])
        yield "rent", int(rented.max()), usd, hours, 0


def _rented_apart(answer: EstateAnswer, period: int) -> Iterator[tuple[int, int, int, str, int, float, str, int]]:
    """Devices that runs rent for themselves."""
    problem, made = answer.problem, answer.found.decisions
    for index, load in enumerate(problem.loads):
        hours = float(made.run_hours[index][period].sum()) if index in made.run_hours else 0.0
        if not hours:
            continue
        choice = load.choices[int(made.choice[index, period])]
        if choice.is_apart:
            units = problem.apart_units(choice)
            usd = hours * units * float(problem.units[choice.hardware].rent_usd_per_hour[period])
            yield period, load.pool, choice.hardware, "rent", units, usd, f"{load.name}: {hours:.0f} h", 0


def future_rows(ahead: Robust) -> list[dict[str, Any]]:
    """Rows of the futures: cost with the common first orders, and what foresight would have saved."""
    return [
        {
            "name": one.name,
            "probability": one.probability,
            "present_value_usd": one.evaluation.present_value_usd,
            "alone_usd": one.alone.evaluation.present_value_usd,
            "regret_usd": one.regret_usd,
        }
        for one in ahead.futures
    ]


def first_rows(answer: EstateAnswer, ahead: Robust) -> list[dict[str, Any]]:
    """Rows of the first period: what to order in any future, and what can wait."""
    return [
        {
            "kind": one.kind,
            "pool": answer.problem.pools[one.pool].name,
            "hardware": answer.problem.units[one.hardware].name,
            "units": one.units,
            "alone": list(one.alone),
            "can_wait": one.can_wait,
        }
        for one in ahead.orders
    ]


def now_lines(answer: EstateAnswer, ahead: Robust) -> list[str]:
    """Sentences about the first period: what to decide, and what can wait."""
    lines = []
    for row in first_rows(answer, ahead):
        alone = ", ".join(f"{one.name} {count}" for one, count in zip(ahead.futures, row["alone"]))
        text = tr(
            "Now: {kind} {units} × {hardware} for {pool}. If the future were known, the number would be: {alone}."
        )
        if row["can_wait"]:
            text = tr(
                "Now: {kind} {units} × {hardware} for {pool}; more can wait. If the future were known, the number "
                "would be: {alone}."
            )
        if not row["units"]:
            text = tr(
                "Wait: {kind} no {hardware} for {pool} yet. If the future were known, the number would be: {alone}."
            )
        kind = tr(WORDS[row["kind"]]).lower()
        lines.append(text.format(kind=kind, alone=alone, **{key: row[key] for key in ("units", "hardware", "pool")}))
    return lines or [tr("In the first period you need not buy or reserve anything.")]


def price_rows(answer: EstateAnswer, reasons: Reasons) -> list[dict[str, Any]]:
    """Rows of the binding limits: the saving from one more unit of each."""
    return [
        {"limit": one.limit, "place": place_text(answer, one.limit, one.place), "usd_per_unit": one.usd_per_unit}
        for one in reasons.prices
    ]


def limit_lines(answer: EstateAnswer, reasons: Reasons) -> list[str]:
    """Why no limit is listed."""
    if reasons.prices:
        return []
    if answer.found.evaluation.unserved:
        return [tr("Looser limits would not make the planned workloads cheaper, but might make room for the others.")]
    return [tr("No limit is binding: more budget, power or time would save nothing.")]


def place_text(answer: EstateAnswer, limit: str, place: tuple[int, ...]) -> str:
    """The place of a limit: a year, a site or a kind of hardware from a month on, a workload."""
    problem = answer.problem
    if limit in ("capital", "operating", "emissions"):
        return month_after(answer.estate.start, 12 * place[0])[:4]
    if limit == "date":
        return problem.loads[place[0]].name
    name = problem.units[place[0]].name if limit == "wave" else problem.sites[place[0]].name
    return f"{name}, {month_of(answer, place[1])}"


def runner_up_rows(answer: EstateAnswer, reasons: Reasons) -> list[dict[str, Any]]:
    """Rows of the second choices: hardware for each workload, and its extra cost."""
    return [
        {
            "workload": answer.problem.loads[one.load].name,
            "hardware": [answer.problem.units[index].name for index in one.hardware],
            "extra_usd": one.extra_usd,
            "gap": one.gap,
        }
        for one in reasons.runners_up
    ]


def estate_lines(answer: EstateAnswer) -> list[str]:
    """Sentences about the plan: cost, distance from the optimum, and workloads left out."""
    found, checked = answer.found, answer.found.evaluation
    cost, most = checked.present_value_usd, checked.present_value_usd - found.bound_usd
    less = format_value(found.gap, "share", 2)
    if found.gap > MOST_SHARE:
        # Resale may bring the cost near to nothing, of which any amount is a large share.
        less = format_value(most, "USD")
    count = len(answer.problem.loads)
    sentence = tr(
        "{cost} for all {count} workloads, {first} to {last} (present value after resale); within {less} of the "
        "cheapest possible plan."
    )
    if checked.unserved:
        sentence = tr(
            "{cost} for {served} of {count} workloads, {first} to {last} (present value after resale); within {less} "
            "of the cheapest possible plan for the same workloads."
        )
    lines = [sentence.format(
        served=count - len(checked.unserved), count=count, cost=format_value(cost, "USD"), less=less,
        first=answer.estate.start, last=last_month(answer),
    )]  # fmt: skip
    lines += [orders_line(answer)]
    if checked.unserved:
        loads = sorted((answer.problem.loads[one] for one in checked.unserved), key=lambda one: one.priority)
        names = ", ".join(tr("{name} (priority {number})").format(name=one.name, number=one.priority) for one in loads)
        text = tr("Not served, because of limits: {names}")
        if not found.are_most_served:
            text = tr("Not served: {names}. A longer search may serve more of them.")
        lines.append(text.format(names=names))
    if checked.violations:
        lines.append(tr("The check found {count} violated limits: do not use this plan.").format(
            count=len(checked.violations)
        ))  # fmt: skip
    return lines


def orders_line(answer: EstateAnswer) -> str:
    """What to order and sell by date, the first dates only; of what is rented by the hour, the first period's."""
    by_month: dict[str, list[str]] = {}
    rows = [row for row in order_rows(answer) if row["kind"] != "rent" or row["period"] == 0]
    for row in rows:
        text = tr(ORDERED[row["kind"]]).format(**row)
        by_month.setdefault(row["month"], []).append(f"{text} ({row['note']})" if row["kind"] in NOTED else text)
    if not by_month:
        return tr("Nothing to buy, reserve or sell; rent by the hour is listed under Orders.")
    told = [f"{month}: {', '.join(texts)}" for month, texts in list(by_month.items())[:MOST_MONTHS]]
    more = sum(map(len, list(by_month.values())[MOST_MONTHS:]))
    text = tr("Order {orders}.").format(orders="; ".join(told))
    return tr("{text} Later: {count} more under Orders.").format(text=text, count=more) if more else text


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
        text = tr(
            "Expected cost {usd} over {count} futures. With any of them known, the first orders would be no cheaper."
        )
    return text.format(
        usd=format_value(ahead.expected_usd, "USD"), count=len(ahead.futures), name=worst.name,
        regret=format_value(max(worst.regret_usd, 0.0), "USD"),
    )  # fmt: skip
