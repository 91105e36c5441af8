"""The order list as tables and lines: the same for window, report and command line."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.order import OrderLine, OrderList
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.shown_money import shown_amount
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.order import (
    UNKNOWN,
    beside_text,
    item_name,
    rental_lines,
    topology_text,
    unknown_text,
)

DAY_S = 86_400.0
_PAID = {"once": "once", "yearly": "each year", "not_bought": ""}


def order_rows(order: OrderList) -> Rows:
    """Every position; what is not known says so."""
    columns = (
        Column(tr("Item")), Column(tr("Quantity")), Column(tr("Unit price"), "USD"), Column(tr("Price"), "USD"),
        Column(tr("Paid")), Column(tr("Lead time")), Column(tr("Beside")), Column(tr("Source")), Column(tr("As of")),
    )  # fmt: skip
    return Rows(columns, tuple(_cells(line) for line in order.lines))


def _cells(line: OrderLine) -> tuple[str | float | None, ...]:
    unknown = tr(UNKNOWN)
    has_price = line.paid != "not_bought"
    lead = unknown if math.isnan(line.lead_time_s) else format_value(line.lead_time_s / DAY_S, "", 3) + " " + tr("days")
    return (
        item_name(line),
        quantity_text(line),
        _known(line.unit_usd, 4) if has_price else "",
        _known(line.usd) if has_price else "",
        tr(_PAID[line.paid]) if has_price else "",
        lead if line.paid == "once" else "",
        beside_text(line),
        tr(line.source),
        line.date,
    )


def _known(usd: float, digits: int = 2) -> float | str:
    return tr(UNKNOWN) if math.isnan(usd) else round(usd, digits)


def quantity_text(line: OrderLine) -> str:
    """With its unit: 8; 40 kW."""
    if math.isnan(line.quantity):
        return tr(UNKNOWN)
    unit = line.unit if line.unit in ("bytes", "W", "kW", "kWh") else ""
    text = format_value(line.quantity, "bytes on disk" if unit == "bytes" else unit, 6 if not unit else 3)
    return f"{text} {tr(line.unit)}" if line.unit and not unit else text


def amount_text(usd: float) -> str:
    """To the cent, so that a reader can add it up; in the money shown. 1,276,586.67"""
    text = f"{shown_amount(usd, 'USD'):,.4f}"
    return text[:-2] if text.endswith("00") else text


def cash_rows(order: OrderList) -> Rows:
    """What is paid in each quarter, capital and running cost apart."""
    columns = (
        Column(tr("Quarter")),
        Column(tr("Capital"), "USD"),
        Column(tr("Operating"), "USD"),
        Column(tr("Together"), "USD"),
    )
    rows: list[tuple[str | float, ...]] = []
    for place, one in enumerate(order.cash):
        year, quarter = divmod(place, 4)
        amounts = round(one.capital_usd, 2), round(one.operating_usd, 2), round(one.usd, 2)
        rows.append((f"Y{year + 1} Q{quarter + 1}", *amounts))
    return Rows(columns, tuple(rows))


def order_lines(order: OrderList) -> tuple[str, ...]:
    """Totals first, then what they leave out, the network, and the rental."""
    totals = tr("Capital {capital}, then {yearly} a year. Present value {present} at {rate} a year.").format(
        capital=format_value(order.capital_usd, "USD"),
        yearly=format_value(order.yearly_usd, "USD"),
        present=format_value(order.present_value_usd, "USD"),
        rate=format_value(order.cost_of_capital, "share"),
    )
    stock = ""
    if order.stock_devices:
        stock = tr("{count} devices are there already and are used first.").format(
            count=format_value(order.stock_devices)
        )
    scope = tr("The order is for the fleet of the first day; growth is not in it. No resale is counted.")
    found = (totals, unknown_text(order), topology_text(order), stock, *rental_lines(order), scope)
    return tuple(one for one in found if one)
