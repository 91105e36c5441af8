"""An estate's plan as rows: periods with money and power, where workloads run, and orders by date."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuplanner_gui.domain.estate import MONTHS_OF
from gpuplanner_gui.engine.estate.answer import EstateAnswer


def month_of(answer: EstateAnswer, period: int) -> str:
    """The first month of a period: 2027-01."""
    year, month = map(int, answer.estate.start.split("-"))
    after = month - 1 + period * MONTHS_OF[answer.estate.period]
    return f"{year + after // 12}-{after % 12 + 1:02d}"


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
                        "pool": problem.pools[load.pool].name,
                        "hardware": problem.units[choice.hardware].name,
                        "from": month_of(answer, period),
                        "until": month_of(answer, period + 1),
                        "most_devices": int(choice.devices[period].max()),
                        "rented_apart": choice.is_apart,
                        "candidate": choice.candidate,
                    }
                )
            before = number
    return rows


def order_rows(answer: EstateAnswer) -> list[dict[str, Any]]:
    """What is ordered, signed, rented by the hour and sold, by date."""
    problem, made = answer.problem, answer.found.decisions
    rows: list[dict[str, Any]] = []

    def add(period: int, kind: str, pool: int, hardware: int, units: int, usd: float, note: str = "") -> None:
        rows.append(
            {
                "month": month_of(answer, period),
                "kind": kind,
                "pool": problem.pools[pool].name,
                "hardware": problem.units[hardware].name,
                "units": units,
                "usd": usd,
                "note": note,
            }
        )

    for period in range(problem.periods):
        for pool in range(len(problem.pools)):
            for hardware, unit in enumerate(problem.units):
                bought, sold = int(made.bought[pool, hardware, period]), int(made.sold[pool, hardware, period])
                if bought:
                    arrives = month_of(answer, period + unit.lead_periods)
                    add(period, "buy", pool, hardware, bought, bought * float(unit.buy_usd[period]), arrives)
                if sold:
                    add(period, "sell", pool, hardware, sold, sold * float(unit.resale_usd[period]))
                for term, terms in enumerate(unit.reservations):
                    signed = int(made.reserved[pool, hardware, term][period])
                    if signed:
                        usd = signed * float(terms.usd_per_unit[period]) * terms.periods
                        add(period, "reserve", pool, hardware, signed, usd, month_of(answer, period + terms.periods))
                rented = made.rented[pool, hardware, period]
                if rented.any():
                    usd = float(rented @ problem.hours[period] * unit.rent_usd_per_hour[period])
                    add(period, "rent", pool, hardware, int(rented.max()), usd, " / ".join(str(int(n)) for n in rented))
        for index, load in enumerate(problem.loads):
            hours = float(made.run_hours[index][period].sum()) if index in made.run_hours else 0.0
            choice = load.choices[int(made.choice[index, period])]
            if hours and choice.is_apart:
                units = problem.apart_units(choice)
                usd = hours * units * float(problem.units[choice.hardware].rent_usd_per_hour[period])
                add(period, "rent", load.pool, choice.hardware, units, usd, f"{load.name}: {hours:.0f} h")
    return rows
