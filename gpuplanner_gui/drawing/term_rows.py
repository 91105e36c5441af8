"""Every way to pay for a fleet, the mix last; one that is not open says why."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.decision import term_name

_REASONS = {
    "no_offer": "No offer of this term is known for the device.",
    "outlasts_horizon": "The term is longer than the horizon of {horizon}.",
    "must_not_stop": "The workload must not be interrupted.",
    "no_purchase_price": "No purchase price is known.",
}
_ORDER: tuple[Procurement, ...] = ("rent_on_demand", "rent_spot", "rent_1y", "rent_3y", "own")


@dataclass(frozen=True)
class TermRow:
    """Amounts are NaN where the way is not open."""

    name: str
    usd_per_device_hour: float
    usd: float
    break_even_share: float
    reason: str


def term_rows(answer: OwnershipAnswer) -> Iterator[TermRow]:
    """By the hour, spot, one year, three years, own, mixed."""
    known = {one.term: one for one in answer.terms}
    for term in _ORDER:
        one = known.get(term)
        reason = one.reason if one is not None else "no_offer"
        if one is None or reason:
            why = tr(_REASONS[reason]).format(horizon=format_value(answer.horizon_years, "y"))
            yield TermRow(term_name(term), math.nan, math.nan, math.nan, why)
        else:
            yield TermRow(term_name(term), one.usd_per_device_hour, one.usd, one.break_even_share, "")
    mixed = answer.commitment_usd
    why = "" if math.isfinite(mixed) else tr("No price by the hour is known to mix with.")
    yield TermRow(tr("Mixed: reserve some, rent the rest by the hour"), math.nan, mixed, math.nan, why)


def closed_text(answer: OwnershipAnswer) -> str:
    """Ways to pay that are not open, with the reason, a line each."""
    return "\n".join(f"{one.name}: {one.reason}" for one in term_rows(answer) if one.reason)


def ways_rows(answer: OwnershipAnswer) -> Rows:
    """Every way to pay as a table."""
    columns = (
        Column(tr("Way to pay")), Column(tr("Present value over the horizon"), "USD"), Column(tr("Not open because")),
    )  # fmt: skip
    cells = ((one.name, round(one.usd, 2) if math.isfinite(one.usd) else "", one.reason) for one in term_rows(answer))
    return Rows(columns, tuple(cells))
