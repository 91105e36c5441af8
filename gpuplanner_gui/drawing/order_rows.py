"""The order list as tables, lines and words: the same for window, report and command line."""

from __future__ import annotations

import math

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR, SECONDS_PER_HOUR
from gpuplanner_gui.domain.economics import OrderItem, Procurement
from gpuplanner_gui.domain.price import OrderLine, OrderList
from gpuplanner_gui.drawing.language import in_turn, listed, tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Rows, table_of
from gpuplanner_gui.drawing.shown_money import rounded_amount, shown_amount
from gpuplanner_gui.drawing.unit_words import counted_text, is_counted
from gpuplanner_gui.drawing.units import decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.decision import runs_text, term_name

UNKNOWN = "unknown"
_ITEMS: dict[OrderItem, str] = {
    "nodes": "Nodes or racks, as sold",
    "leaf_switches": "Leaf switches",
    "spine_switches": "Spine switches",
    "core_switches": "Core switches",
    "node_links": "Links to nodes, with optics",
    "switch_links": "Links between switches, with optics",
    "node_ports": "Ethernet ports of the nodes",
    "network": "Network",
    "storage": "Storage",
    "installation": "Freight and installation",
    "spare_nodes": "Spare nodes on the shelf",
    "spare_links": "Spare cables and optics",
    "racks": "Racks",
    "rack_units": "Rack units",
    "power_feed": "Power to provision",
    "weight": "Weight",
    "floor_space": "Floor space",
    "colocation": "Colocation",
    "electricity": "Electricity",
    "support": "Support",
    "licences": "Software licences",
    "staff": "Staff",
    "insurance_and_tax": "Insurance and tax",
    "owned_devices": "Running cost of devices already owned",
    "instances": "Rented instances",
    "storage_and_egress": "Storage and egress",
    "checkpoint_storage": "Capacity for checkpoints",
    "weight_storage": "Storage for one copy of the weights",
    "data_storage": "Capacity for training data",
    "other": "Other",
}
_BESIDE = {
    "devices_each": ("{value} each", "devices"),
    "spare_replicas": ("spare replicas included: {value}", ""),
    "optical_modules": ("optical modules: {value}", ""),
    "ports_each": ("{value} ports each", ""),
    "bytes_per_s": ("{value} a port", "bytes/s"),
    "pue": ("before cooling; PUE {value}", ""),
    "copies": ("{value} copies", ""),
    "needed_write_bytes_per_s": ("needed write rate {value}", "bytes/s"),
    "write_bytes_per_s": ("planned write rate {value}", "bytes/s"),
    "needed_read_bytes_per_s": ("needed read rate {value}", "bytes/s"),
    "read_bytes_per_s": ("planned read rate {value} for all devices", "bytes/s"),
}
_TOPOLOGIES = {
    "single_switch": "Network: a single switch.",
    "leaf_spine": "Network: two tiers (leaf and spine). A rail-optimised network has the same parts.",
    "fat_tree": "Network: fat tree with three tiers.",
    "ports": "Network: Ethernet ports only, because every replica fits in one node.",
    "unknown": "Network: too large for three tiers of switches; its parts are unknown.",
}


def item_name(line: OrderLine) -> str:
    """The position, with the product where it is known."""
    name = line.name if line.item == "other" and line.name else tr(_ITEMS[line.item])
    return f"{name}: {line.name}" if line.name and line.item != "other" else name


def beside_text(line: OrderLine) -> str:
    """Rates, sizes and copies of a position; whose entry it is."""
    parts = [tr("1 GB = 10⁹ bytes")] if line.unit == "bytes" else []
    for name, value in line.values.items():
        text, unit = _BESIDE.get(name, ("", ""))
        if line.item == "weight_storage" and name == "read_bytes_per_s":
            text = "all replicas share one store of {value}"
        if text and value == value and not (name == "spare_replicas" and not value):
            parts.append(tr(text).format(value=format_value(value, unit)))
    if line.item == "instances":
        parts.append(tr("price per instance and hour"))
    if _is_unpriced(line):
        parts.append(tr("enter data and prices under Money › Storage, egress, support"))
    if line.is_own:
        parts.append(tr("your entry, in addition to the plan's cost"))
    return ", ".join(parts)


def _is_unpriced(line: OrderLine) -> bool:
    """Whether the scenario has no price for what a provider bills beside devices."""
    return line.item in ("storage_and_egress", "support") and line.unit_usd == 0 and not line.is_own


def unknown_text(order: OrderList) -> str:
    """Sentences about unknown prices that the totals leave out; empty if all are known."""
    items, later = "", ""
    if order.unknown:
        names = listed(tr(_ITEMS[one]).lower() for one in order.unknown)
        items = tr("The totals leave out what is unknown: {names}. Enter prices under Money › Order list.")
        items = items.format(names=names)
    if order.unpriced_from_year:
        later = tr(
            "Cash and present value leave out the devices that the load needs beyond today's fleet from year {year} "
            "on: no price is known for them."
        ).format(year=format_value(order.unpriced_from_year))
    return in_turn(items, later)


_BY_TERM: dict[Procurement, str] = {
    "rent_on_demand": "Rent {count} × {device} by the hour from {provider} to {work}, for {paid}.",
    "rent_spot": "Rent {count} × {device} as spot capacity from {provider} to {work}, for {paid}.",
    "rent_1y": "Reserve {count} × {device} for a year at {provider} to {work}, for {paid}.",
    "rent_3y": "Reserve {count} × {device} for three years at {provider} to {work}, for {paid}.",
    "own": "Buy {count} × {device} to {work}, for {capital} and {paid}.",
}


_BY_HOUR: tuple[Procurement, ...] = ("rent_on_demand", "rent_spot")


def order_sentence(order: OrderList, results: Results) -> str:
    """The order as a sentence for a reader who knows no layouts: buy or rent how many of what, for what, at what
    cost."""
    text = tr(_BY_TERM[order.term]) if order.devices else tr("Use the devices you own to {work}, for {paid}.")
    work = tr("serve {model}") if order.workload == "serving" else tr("train {model}")
    # What trains once on rented hours is paid once; a service goes on, and so does what is reserved or bought.
    is_once = order.runs_per_year == 1 and order.term in _BY_HOUR and not order.outlasts_year
    paid = tr("{usd} a run") if is_once else tr("{usd} a year")
    paid = tr("{usd} a year at today's load") if changes_text(order) and order.workload == "serving" else paid
    return text.format(
        count=format_value(order.devices), device=accelerator_name(order.accelerator, results.catalog),
        provider=(order.rental.provider if order.rental else "") or tr("a provider"),
        work=work.format(model=results.scenario.model.name),
        capital=format_value(order.capital_usd, "USD"), paid=paid.format(usd=format_value(order.yearly_usd, "USD")),
    )  # fmt: skip


def topology_text(order: OrderList) -> str:
    return tr(_TOPOLOGIES[order.topology]) if order.topology in _TOPOLOGIES else ""


def rental_lines(order: OrderList) -> tuple[str, ...]:
    """Sentences about a rental: what to ask the provider for, and when to cancel."""
    rental = order.rental
    if rental is None:
        return ()
    unknown = tr(UNKNOWN)
    asked = tr("Rent from {provider}: {instance}, region {region}. Ask for a quota of {devices}.").format(
        provider=rental.provider or unknown, instance=rental.instance or unknown, region=rental.region or unknown,
        devices=format_value(rental.quota_devices, "devices"),
    )  # fmt: skip
    if rental.connected_devices:
        nodes = tr("The price is by the device, but the plan needs {count} connected in each node: ask for that.")
        asked = in_turn(asked, nodes.format(count=format_value(rental.connected_devices, "devices")))
    if rental.largest_cluster is None:
        cluster = tr("How many devices the provider can connect in one cluster is unknown.")
    else:
        cluster = tr("The provider connects at most {count} in one cluster.").format(
            count=format_value(rental.largest_cluster, "devices")
        )
    if rental.term_years == 0:
        end = tr("Term: {term}. You can release it at any hour.")
    else:
        end = tr("Term: {term}. Cancel before month {months} ends; the notice period is unknown.")
    end = end.format(term=term_name(order.term), months=12 * rental.term_years)
    if rental.after_horizon_usd > 0:
        after = tr(
            "The term outlasts the horizon: cash and present value leave out {usd} of rent that is due after it."
        )
        end = in_turn(end, after.format(usd=format_value(rental.after_horizon_usd, "USD")))
    return asked, cluster, end


DAY_S = 86_400.0
HOUR_DIGITS = 4
"""Digits of hours, in the order's quantity and where they are explained."""
_PAID = {"once": "once", "yearly": "each year", "not_bought": ""}


def order_rows(order: OrderList) -> Rows:
    """Every position; what is not known says so."""
    return table_of(
        order.lines,
        (tr("Item"), "", item_name),
        (tr("Quantity"), "", quantity_text),
        (tr("Unit price"), "USD", lambda line: _known(line, line.unit_usd, 4)),
        (tr("Price"), "USD", lambda line: _known(line, line.usd, 2)),
        (tr("Paid"), "", lambda line: tr(_PAID[line.paid]) if line.paid != "not_bought" else ""),
        (tr("Lead time"), "", _lead_text),
        (tr("Details"), "", beside_text),
        (tr("Source"), "", lambda line: tr(line.source)),
        (tr("As of"), "", lambda line: line.date),
    )


def _lead_text(line: OrderLine) -> str:
    if line.paid != "once":
        return ""
    if math.isnan(line.lead_time_s):
        return tr(UNKNOWN)
    return format_value(line.lead_time_s / DAY_S, "", 3) + " " + tr("days")


def _known(line: OrderLine, usd: float, digits: int) -> float | str:
    """An amount of what is bought."""
    if line.paid == "not_bought":
        return ""
    if _is_unpriced(line):
        return tr("not priced")
    return tr(UNKNOWN) if math.isnan(usd) else rounded_amount(usd, digits)


def quantity_text(line: OrderLine) -> str:
    """A quantity with its unit: 8; 40 kW."""
    if math.isnan(line.quantity):
        return tr(UNKNOWN)
    if line.item == "instances":
        each = format_value(line.quantity / line.values["instances"], "", HOUR_DIGITS)
        return tr("{count} × {hours} h").format(count=format_value(line.values["instances"]), hours=each)
    unit = line.unit if line.unit in ("bytes", "W", "kW", "kWh") else ""
    text = format_value(line.quantity, "bytes on disk" if unit == "bytes" else unit, 6 if not unit else 3)
    if is_counted(line.unit):
        return counted_text(text, line.unit)
    return f"{text} {tr(line.unit)}" if line.unit and not unit else text


def amount_text(usd: float) -> str:
    """An amount to the cent, in the shown currency, so that a reader can add it up: 1 276 586.67; prices of less than
    100 to four decimals."""
    shown = shown_amount(usd, "USD")
    text = decimals_text(shown if abs(shown) < 100 else round(shown, 2), 4)
    return text[:-2] if text.endswith("00") else text


def cash_rows(order: OrderList) -> Rows:
    """Rows of payments by quarter, capital and running cost; quarters that pay the same are one row."""
    ends: list[tuple[int, int]] = []
    for place, one in enumerate(order.cash):
        is_same = bool(ends) and one == order.cash[ends[-1][0]]
        ends[-1:] = [(ends[-1][0], place)] if is_same else [*ends[-1:], (place, place)]
    return table_of(
        ends,
        (tr("Quarter"), "", lambda one: _quarters_text(*one)),
        (tr("Capital"), "USD", lambda one: rounded_amount(order.cash[one[0]].capital_usd, 2)),
        (tr("Operating"), "USD", lambda one: rounded_amount(order.cash[one[0]].operating_usd, 2)),
        (tr("Total"), "USD", lambda one: rounded_amount(order.cash[one[0]].usd, 2)),
    )


def _quarters_text(first: int, last: int) -> str:
    names = [f"Y{one // 4 + 1} Q{one % 4 + 1}" for one in (first, last)]
    return names[0] if first == last else tr("each from {first} to {last}").format(first=names[0], last=names[1])


def run_hours_text(order: OrderList) -> str:
    """How the hours paid for a run come about from the run time, which alone has a date; empty for a service."""
    if not order.paid_run_h > 0 or (order.rental is not None and order.rental.term_years):
        return ""
    decimals = max(0, HOUR_DIGITS - 1 - math.floor(math.log10(order.paid_run_h)))
    paid, run = (round(one, decimals) for one in (order.paid_run_h, order.run_time_s / SECONDS_PER_HOUR))
    words = {"paid": decimals_text(paid, decimals), "run": decimals_text(run, decimals)}
    words |= {"more": decimals_text(paid - run, decimals), "time": format_value(order.run_time_s, "s")}
    if paid <= run:
        return tr("Each run is billed for its run time: {run} h ({time}).").format(**words)
    text = tr(
        "Each run is billed for {paid} h: {run} h of run time ({time}), and {more} h of retries, validation runs and "
        "experiments that the run time does not count."
    )
    return text.format(**words)


def _long_text(order: OrderList) -> str:
    """How much of a run that takes longer than a year is ordered."""
    run_years = order.paid_run_h / HOURS_PER_YEAR
    text = tr("A run takes its devices for {time}; the order counts all hours of {horizon}.")
    if run_years > order.horizon_years:
        text = tr("A run takes its devices for {time}; the order holds the first {horizon} only.")
    return text.format(time=format_value(run_years, "y"), horizon=format_value(order.horizon_years, "y"))


def _is_paid_by_run(order: OrderList) -> bool:
    """Whether all that is paid is the rent of runs by the hour, each as much as another."""
    beside = any(one.paid != "not_bought" and one.item != "instances" and one.usd > 0 for one in order.lines)
    is_long = order.outlasts_year or bool(order.devices_by_year)
    return order.runs_per_year > 0 and order.term in _BY_HOUR and not is_long and not beside


def order_lines(order: OrderList) -> tuple[str, ...]:
    """Totals first, then what they leave out, the network, and the rental."""
    return (*order_totals(order), *order_conditions(order))


def order_totals(order: OrderList) -> tuple[str, ...]:
    """What the order costs, and what that leaves out."""
    text = tr(
        "{yearly} a year. Present value {present} over {horizon} at {rate} a year, counted as paid at each year's end."
    )
    if order.capital_usd > 0:
        # The comparison of terms counts what the devices sell for at the end.
        text = tr(
            "Capital {capital}, then {yearly} a year. Present value {present} over {horizon} at {rate} a year, "
            "counted as paid at each year's end, without resale."
        )
    if order.devices_by_year:
        text = tr(
            "Capital {capital}, then {yearly} a year at first. Present value {present} over {horizon} at {rate} a "
            "year, counted as paid at each year's end, with what changes over the years."
        )
    if order.later_capital_usd > 0:
        text = tr(
            "Capital {capital} for today's load and another {later} over the horizon, and {yearly} a year at first. "
            "Present value {present} over {horizon} at {rate} a year, counted as paid at each year's end, with what "
            "changes over the years."
        )
    if _is_paid_by_run(order):
        text = tr(
            "{each} per run; {runs} (Training runs per year, under Money › Fleets over time). Present value "
            "{present} over {horizon} at {rate} a year, counted as paid at each year's end."
        )
    totals = text.format(
        capital=format_value(order.capital_usd, "USD"),
        later=format_value(order.later_capital_usd, "USD"),
        yearly=format_value(order.yearly_usd, "USD"),
        each=format_value(order.yearly_usd / (order.runs_per_year or 1.0), "USD"),
        runs=runs_text(order.runs_per_year, order.horizon_years),
        present=format_value(order.present_value_usd, "USD"),
        rate=format_value(order.cost_of_capital, "share"),
        horizon=format_value(order.horizon_years, "y"),
    )
    return tuple(one for one in (totals, unknown_text(order)) if one)


def changes_text(order: OrderList) -> str:
    """What cash counts beyond the fleet of the first day; empty where neither load nor what is paid changes."""
    if not order.devices_by_year:
        return ""
    again = ""
    if order.replacement_usd > 0:
        again = tr("Cash counts {usd} for hardware that is bought again at the end of its useful life.")
        again = again.format(usd=format_value(order.replacement_usd, "USD"))
    is_steady = len(set(order.devices_by_year)) == 1 and not order.unpriced_from_year
    if is_steady and again:
        return in_turn(tr("The order covers the fleet on the first day."), again, tr("Resale is not counted."))
    if is_steady:
        return tr(
            "The order covers the fleet on the first day. Cash counts the price trend, and shorter terms in years that "
            "are left where the term no longer fits the horizon. Resale is not counted."
        )
    steps = " → ".join(format_value(one) for one in order.devices_by_year)
    text = tr(
        "The order covers the fleet on the first day. Cash counts the growth of the load and the price trend: "
        "{steps} devices in the years, each sized for its highest load. Resale is not counted."
    )
    if order.term == "own":
        # What is bought later costs what it costs today: no trend of rents moves it.
        text = tr(
            "The order covers the fleet on the first day. The load needs {steps} devices in the years, each sized for "
            "its highest load. Cash counts whole units, bought as they are needed and run until their useful "
            "life ends. Resale is not counted."
        )
    if order.unpriced_from_year:
        text = tr(
            "The order covers the fleet on the first day. The load needs {steps} devices in the years, each sized for "
            "its highest load. Resale is not counted."
        )
    return in_turn(text.format(steps=steps), again)


def _clusters_text(order: OrderList) -> str:
    """How many clusters train at once; empty for one."""
    if order.clusters <= 1:
        return ""
    text = tr("{count} clusters train side by side: a year has too few hours for its runs on one.")
    return text.format(count=format_value(order.clusters))


def order_conditions(order: OrderList) -> tuple[str, ...]:
    """The network, the devices used first, what to ask a provider for, and what the order covers."""
    stock = ""
    if order.stock_devices:
        of_run = tr("The run uses {count} that you own.")
        of_service = tr("The service uses {count} that you own.")
        used = of_run if order.workload == "training" else of_service
        stock = used.format(count=format_value(order.stock_devices, "devices"))
        if order.topology != "none":
            stock = in_turn(stock, tr("Switches and links that they have already are not listed."))
    scope = changes_text(order) or tr("The order covers the fleet on the first day, without growth or resale.")
    if _is_paid_by_run(order):
        spread = tr("The table spreads a year's cost evenly over its quarters.")
        scope = in_turn(spread, _clusters_text(order), run_hours_text(order))
    elif order.workload == "training":
        counted = tr(
            "The run is counted once in each year of the horizon (Training runs per year, under Money › Fleets over "
            "time); its cost is spread evenly over the quarters."
        )
        if order.runs_per_year != 1:
            counted = tr(
                "{count} runs are counted in each year of the horizon (Training runs per year, under Money › Fleets "
                "over time); their cost is spread evenly over the quarters."
            )
        if order.outlasts_year:
            counted = _long_text(order)
        if order.rental is not None and order.rental.term_years:
            used = tr("The reservation is paid for all year; the runs use {share} of it.").format(
                share=format_value(order.used_share, "share", 2)
            )
            counted = in_turn(used, counted) if order.outlasts_year else used
        counted = counted.format(count=format_value(order.runs_per_year))
        scope = in_turn(scope, counted, _clusters_text(order), run_hours_text(order))
    cut = ""
    if order.uncounted_years > 0:
        stated = order.horizon_years + order.uncounted_years
        cut = tr("Cash and present value cover {most} at most; the horizon is {horizon}.").format(
            most=format_value(order.horizon_years, "y"), horizon=format_value(stated, "y")
        )
    found = (topology_text(order), stock, *rental_lines(order), scope, cut)
    return tuple(one for one in found if one)
