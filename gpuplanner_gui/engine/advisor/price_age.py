"""Whether the prices that a plan rests on have aged."""

from __future__ import annotations

from datetime import date

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.domain.plan import Plan, ServingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import NOTE, WARNING, finding, remedy
from gpuplanner_gui.engine.cost.offers import offers_of

OLD_PRICE_DAYS = 90
"""Contract prices of H100s moved by 38 % in five months of 2025-26: a quarter is enough to be wrong by 20 %."""
VERY_OLD_DAYS = 365


def price_findings(scenario: Scenario, plan: Plan, catalog: Catalog, today: date) -> tuple[Finding, ...]:
    """A finding for each workload whose recommended device has a price read long ago; quoted prices have no date."""
    quoted = {one.accelerator for one in scenario.economics.overrides}
    found = []
    terms: dict[str, Procurement] = {
        "serving": scenario.economics.serving_procurement,
        "training": scenario.economics.training_procurement,
    }
    for workload, answer in (("serving", plan.serving), ("training", plan.training)):
        if answer is None or answer.best < 0:
            continue
        entry = catalog.accelerators.get(plan.accelerators[int(answer.table.accelerator[answer.best])])
        if entry is None or entry.id in quoted:
            continue
        is_owned = terms[workload] == "own"
        offer = offers_of(catalog).quote(entry, terms[workload], scenario.economics).offer if not is_owned else None
        purchase = entry.price.as_of if entry.price else None
        read = day_of(purchase if is_owned else offer.as_of if offer is not None else None)
        age = (today - read).days if read else 0
        if age > OLD_PRICE_DAYS:
            cost = answer.table.usd_per_month if isinstance(answer, ServingPlan) else answer.table.usd_per_run
            severity = WARNING if age > VERY_OLD_DAYS else NOTE
            values = {"age_s": age * 86_400.0, "limit_s": OLD_PRICE_DAYS * 86_400.0, "device": entry.name}
            usd = 0.2 * float(cost[answer.best])
            found.append(finding("old_price", workload, severity, values, usd, remedy("read_price_again")))
    return tuple(found)


def day_of(text: str | None) -> date | None:
    """The first day of 2026-10-10, 2026-10 or 2026; None for nothing."""
    if not text:
        return None
    year, month, day = (*(int(part) for part in text.split("-")), 1, 1)[:3]
    return date(year, month, day)
