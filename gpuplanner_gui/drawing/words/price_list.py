"""A price list's rows and faults in words."""

from __future__ import annotations

from collections.abc import Sequence

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.price import PriceRow
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import NOTHING, decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.engine.advisor.evidence_rules import OLD_PRICE_DAYS

TERM_WORDS = {
    "purchase": "Purchase",
    "on_demand": "On demand, per hour",
    "reserved_1y": "Reserved 1 year, per hour",
    "reserved_3y": "Reserved 3 years, per hour",
    "spot": "Spot, per hour",
}
FIELD_WORDS = {
    "device": "Device",
    "price": "Price",
    "currency": "Currency",
    "term": "Price is for",
    "date": "Date",
    "provider": "Provider",
    "region": "Region",
    "count": "Devices",
}
LEAST_PURCHASE_USD, MOST_USD_PER_H = 20.0, 500.0
"""Beyond what any accelerator in the catalogue costs to buy, used, or to rent."""
FAULTS = {
    "no_device": "The row has no device.",
    "unknown_device": "“{detail}” is not in the catalogue.",
    "no_price": "The row has no price.",
    "bad_price": "“{detail}” is not a price.",
    "bad_currency": "“{detail}” is not a known currency.",
    "no_rate": "Enter an exchange rate for {detail}.",
    "bad_date": "“{detail}” is not a date. Enter one such as 2026-10-31.",
    "future_date": "{detail} is in the future.",
    "unknown_term": (
        "“{detail}” is neither a purchase nor a kind of rental. Use purchase, on demand, 1 year, 3 years or spot."
    ),
    "not_hourly": "“{detail}” is not per hour. Enter rents per hour: a month's divided by 730, a year's by 8 760.",
    "in_cents": "“{detail}” is in cents. Enter prices in dollars, or in whole units of another currency.",
    "bad_count": "“{detail}” is not a number of devices.",
}
PRICE_HEADINGS = ("Line", "Device", "Price is for", "Price", "In dollars", "As of", "Provider", "Remark")


def fault_sentence(row: PriceRow) -> str:
    """Why a row can't be used, or that its price is old; empty when all is well."""
    if row.fault is not None:
        return tr(FAULTS[row.fault]).format(detail=row.detail)
    if is_doubtful(row):
        shown = format_value(row.usd, "USD")
        if row.term == "purchase":
            return tr("{price} to buy one looks like an hourly price.").format(price=shown)
        return tr("{price} for an hour looks like a purchase price.").format(price=shown)
    if is_old(row):
        return tr("{age} old.").format(age=format_value((row.age_days or 0) * 86_400.0, "s"))
    return ""


def is_old(row: PriceRow) -> bool:
    return row.fault is None and row.age_days is not None and row.age_days > OLD_PRICE_DAYS


def is_doubtful(row: PriceRow) -> bool:
    """A price that none is known to have, as where a column is taken for the wrong kind; it may still be right."""
    if row.fault is not None:
        return False
    return row.usd < LEAST_PURCHASE_USD if row.term == "purchase" else row.usd > MOST_USD_PER_H


def has_remark(row: PriceRow) -> bool:
    return row.fault is not None or is_doubtful(row) or is_old(row)


def row_cells(row: PriceRow, catalog: Catalog) -> tuple[str, ...]:
    """A row under `PRICE_HEADINGS`."""
    is_priced = row.amount == row.amount
    known = accelerator_name(row.accelerator_id, catalog) if row.accelerator_id else row.device
    unit = "USD" if row.term == "purchase" else "USD/h"
    return (
        str(row.line),
        known or NOTHING,
        tr(TERM_WORDS[row.term]) if is_priced else NOTHING,
        f"{_amount(row.amount)} {row.currency}" if is_priced else NOTHING,
        format_value(row.usd, unit) if row.usd == row.usd else NOTHING,
        row.as_of or NOTHING,
        row.provider or NOTHING,
        fault_sentence(row),
    )


def _amount(amount: float) -> str:
    """To the cent, as a list states it."""
    return decimals_text(amount, 0 if amount == round(amount) else 2)


def rows_summary(rows: Sequence[PriceRow]) -> str:
    """How many prices of how many devices can be used, and how many rows can't or are old."""
    usable = [row for row in rows if row.fault is None]
    devices = len({row.accelerator_id for row in usable})
    said = (
        tr("{usable} of {total} rows can be used: prices of one device.")
        if devices == 1
        else tr("{usable} of {total} rows can be used: prices of {devices} devices.")
    )
    parts = [said.format(usable=len(usable), total=len(rows), devices=devices)]
    doubtful = sum(is_doubtful(row) for row in rows)
    if doubtful:
        several, one = (
            tr("{count} prices look wrong: see the remarks."),
            tr("{count} price looks wrong: see its remark."),
        )
        parts.append((one if doubtful == 1 else several).format(count=doubtful))
    old = sum(is_old(row) for row in rows)
    if old:
        age = format_value(OLD_PRICE_DAYS * 86_400.0, "s")
        several = tr("{old} prices are older than {age}: ask for new ones.")
        one = tr("{old} price is older than {age}: ask for a new one.")
        parts.append((one if old == 1 else several).format(old=old, age=age))
    return " ".join(parts)
