"""An estate's plan as rows: periods with money and power, where workloads run, and orders by date."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gpuplanner_gui.domain.estate import month_after
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows

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
    "power_kw": ("Power", "kW"), "emissions_t": ("Emissions", "t"), "fill": ("In use at peak", "share"),
    "workload": ("Workload", ""), "pool": ("Pool", ""), "hardware": ("Hardware", ""), "from": ("From", ""),
    "until": ("Until", ""),
    "most_devices": ("Devices at most", ""), "rented_apart": ("Rented for this workload alone", ""),
    "kind": ("Order", ""),
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
SHOWN_DIGITS = 5
"""Of an optimality gap: smaller parts are nothing to anybody."""
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
        return tr("yes") if value else tr("no") if key == "rented_apart" else ""
    if key == "gap":
        return round(value, SHOWN_DIGITS)
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
                **{kind: float(getattr(checked, kind)[period]) for kind in (*CASH, "proceeds_usd")},
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
        hours = hours_text(rented, [one.hours_per_day for one in answer.estate.hours])
        usd = float(rented @ problem.hours[period] * unit.rent_usd_per_hour[period])
        yield "rent", int(rented.max()), usd, hours, 0


def hours_text(rented: np.ndarray, hours_per_day: Sequence[float]) -> str:
    """How many units are rented in how many hours of a day, the most first."""
    long: dict[int, float] = {}
    for count, hours in sorted(zip(rented, hours_per_day, strict=True), key=lambda one: -one[0]):
        long[int(count)] = long.get(int(count), 0.0) + hours
    if len(long) == 1:
        return tr("all day")
    texts = [tr("{count} in the {hours} busiest hours of a day"), *[tr("{count} in the next {hours}")] * len(long)]
    told = [
        text.format(count=count, hours=f"{of_day:.3g}") for text, (count, of_day) in zip(texts, long.items()) if count
    ]
    return ", ".join([*told, tr("none in the rest")] if 0 in long else told)


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
