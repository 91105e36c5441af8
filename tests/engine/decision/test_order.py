"""The order list: its lines add up to the plan, and to what report and command line print."""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import cast

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.cli.main import main
from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.domain.economics import ExchangeRate, OrderEntry, OrderItem, PriceOverride, Procurement
from gpuplanner_gui.domain.plan import column
from gpuplanner_gui.domain.price import OrderList
from gpuplanner_gui.domain.quantity import Money, central
from gpuplanner_gui.domain.scenario import OwnedStock, Project, Scenario
from gpuplanner_gui.drawing.order_rows import (
    order_conditions,
    order_lines,
    order_sentence,
    quantity_text,
    rental_lines,
    run_hours_text,
)
from gpuplanner_gui.drawing.report import rendered, report_of
from gpuplanner_gui.drawing.report.model import Table
from gpuplanner_gui.drawing.report.money import order_sections
from gpuplanner_gui.drawing.results import Decision, Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.engine.cost.bill import PlanYears
from gpuplanner_gui.engine.cost.fabric import fabric_unit_usd, fat_tree
from gpuplanner_gui.engine.cost.ownership import bought_over_years, cash_by_quarter, held_over_years
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project, project_to_bytes
from tests.conftest import with_deep
from tests.drawing.report.spreadsheet import read_workbook

pytestmark = pytest.mark.usefixtures("short_simulations")

CASES = sorted((Path(__file__).parent / "order_cases").glob("*.gpuplan"))
EXAMPLES = sorted(Path("resources/examples").glob("*.gpuplan"))
PLANS = sorted(Path("tests/cases").glob("*.gpuplan"))
CENT = 0.005
BOX = 8
"""Devices of a node as it is bought."""
AT_NIGHT = (
    "estate-12-quarters", "70b-chat", "agent", "code-completion", "rag", "voice", "autoscaled-chat", "s16-own",
    "own-4090", "s02b-70b-h100", "s12-single-spark", "embedding-index",
)  # fmt: skip
"""Ordered as one of the others is: one service, rented by the hour or owned."""


def orders_of(project: Project) -> Iterator[tuple[Results, OrderList]]:
    for results in answered(project, is_judged=False):
        found = doors.ownership(results.scenario, results.catalog, load_calibration(), results.plan) or {}
        for one in found.values():
            assert one.order is not None
            yield Results(
                project=project, scenario=results.scenario, plan=results.plan, catalog=results.catalog,
                decision=Decision(ownership=found),
            ), one.order  # fmt: skip


@lru_cache(len(EXAMPLES))
def orders_of_file(path: Path) -> tuple[tuple[Results, OrderList], ...]:
    """Of a file that several tests ask about."""
    return tuple(orders_of(load_project(path)))


@pytest.mark.parametrize("path", [one for one in EXAMPLES if "estate" not in one.name], ids=lambda one: one.stem)
def test_rented_instances_have_the_price_and_the_size_of_the_offer_that_is_named(path: Path) -> None:
    for results, order in orders_of_file(path):
        for line in order.lines:
            if line.item != "instances":
                continue
            named = [
                one for one in results.catalog.offers.values()
                if order.rental is not None and one.provider == order.rental.provider and one.instance == line.name
            ]  # fmt: skip
            assert named, "an instance that the catalogue offers"
            assert {one.accelerator_count for one in named} == {line.values["devices_each"]}


def planned_usd_per_year(results: Results, order: OrderList) -> float:
    answer = results.answer(order.workload)
    assert answer is not None
    if order.workload == "serving":
        return float(column(answer.table, "usd_per_month")[answer.best]) * 12
    runs = central(results.scenario.economics.fleets.training_runs_per_year)
    return float(column(answer.table, "usd_per_run")[answer.best]) * runs


def workbook_numbers(results: Results) -> Iterator[float]:
    """Every number on the sheet of orders, in cents."""
    report = report_of(results.project, (results,), subjects=("order",))
    path = Path("plan.xlsx")
    for sheet in read_workbook(rendered(report, ".xlsx", {}, path)[path]):
        yield from (round(one, 2) for one in sheet.numbers.values())


@pytest.mark.parametrize("path", with_deep([*EXAMPLES, *CASES, *PLANS], *AT_NIGHT), ids=lambda path: path.stem)
def test_totals_equal_plan_and_report_to_a_cent(path: Path) -> None:
    for results, order in orders_of_file(path):
        assert order.planned_usd_per_year == pytest.approx(planned_usd_per_year(results, order), abs=CENT)
        printed = [
            block.rows for one in order_sections(results) for block in one.blocks if isinstance(block, Table)
        ]  # fmt: skip
        cash = [row for rows in printed for row in rows if "Y1 Q1" in row[0].text]
        shown = sum(one.capital_usd + one.operating_usd for one in order.cash[:1])
        assert any(row[3].number == pytest.approx(shown, abs=CENT) for row in cash)
        known = [one for one in order.lines if not one.is_unknown]
        assert sum(one.usd for one in known) == pytest.approx(order.capital_usd + order.yearly_usd, abs=CENT)
        assert set(workbook_numbers(results)) >= {
            round(one, 2) for quarter in order.cash for one in (quarter.capital_usd, quarter.operating_usd)
        }  # fmt: skip
        horizon = central(results.scenario.economics.horizon_years)
        paid = sum(one.usd for one in order.cash)
        if not order.devices_by_year:
            assert paid == pytest.approx(order.capital_usd + horizon * order.yearly_usd, rel=1e-9)


def test_a_rack_is_bought_whole() -> None:
    ((_, order),) = orders_of(load_project(Path(__file__).parent / "order_cases/own-chat-1gb200.gpuplan"))
    assert order.devices == 72
    nodes = next(one for one in order.lines if one.item == "nodes")
    assert (nodes.quantity, nodes.values["devices_each"]) == (1, 72)
    assert nodes.source
    assert nodes.date
    site = {one.item: (one.quantity, one.unit) for one in order.lines}
    known: dict[OrderItem, tuple[float, str]] = {"weight": (1_360, "kg"), "floor_space": (0.72, "m²"), "racks": (1, "")}
    assert {name: site[name] for name in known} == known
    assert not set(known) & set(order.unknown)


def test_network_is_the_fat_tree_of_the_devices() -> None:
    ((_, order),) = orders_of(load_project(Path(__file__).parent / "order_cases/racks.gpuplan"))
    assert (order.devices, order.topology) == (512, "leaf_spine")
    counts = {one.item: one.quantity for one in order.lines}
    # 512 ports on switches of 64: 16 leaves with 32 ports down, 8 spines.
    assert (counts["leaf_switches"], counts["spine_switches"]) == (16, 8)
    assert (counts["node_links"], counts["switch_links"]) == (512, 512)
    assert next(one for one in order.lines if one.item == "node_links").values["optical_modules"] == 1024


def test_parts_of_a_fabric_cost_what_a_full_one_does() -> None:
    tree = fat_tree(1024, 64)
    assert (float(tree.leaf_switches), float(tree.spine_switches), float(tree.links)) == (32, 16, 2048)
    switch, link = fabric_unit_usd(4_000.0, 1.0, 0.44)
    assert float(tree.switches * switch + tree.links * link) == pytest.approx(1024 * 4_000)


def own_scenario(**changes: object) -> Project:
    project = load_project(Path(__file__).parent / "order_cases/own-70b-serve.gpuplan")
    scenario: Scenario = project.scenarios[0]
    economics = msgspec.structs.replace(scenario.economics, **changes)
    return msgspec.structs.replace(
        project, scenarios=(msgspec.structs.replace(scenario, economics=economics),)
    )  # fmt: skip


@pytest.mark.usefixtures("whole_simulations")
def test_what_no_catalogue_knows_is_unknown_until_it_is_entered() -> None:
    ((_, before),) = orders_of(own_scenario())
    assert {"racks", "weight", "spare_nodes", "licences"} <= set(before.unknown)
    assert all(math.isnan(one.lead_time_s) for one in before.lines)
    entries = (
        OrderEntry(item="racks", quantity=3, unit_price=Money(2_500.0, "USD"), source="quotation 17"),
        OrderEntry(item="licences", unit_price=Money(4_500.0, "USD"), is_yearly=True),
        OrderEntry(item="nodes", lead_time_s=90 * 86_400.0, unit_price=Money(1.0, "USD")),
        OrderEntry(item="other", name="Bastion host", unit_price=Money(8_000.0, "USD")),
    )
    ((_, after),) = orders_of(own_scenario(order=entries))
    assert after.capital_usd - before.capital_usd == pytest.approx(3 * 2_500 + 8_000)
    assert after.yearly_usd - before.yearly_usd == pytest.approx(56 * 4_500)
    assert not {"racks", "licences"} & set(after.unknown)
    nodes = next(one for one in after.lines if one.item == "nodes")
    planned = next(one for one in before.lines if one.item == "nodes")
    assert (nodes.lead_time_s, nodes.unit_usd) == (90 * 86_400.0, planned.unit_usd), "the plan's price stands"
    assert after.planned_usd_per_year == before.planned_usd_per_year


@pytest.mark.parametrize("term", ["own", "rent_on_demand"])
def test_each_entry_counts_and_is_paid_as_it_says_whether_or_not_the_list_has_its_item(term: Procurement) -> None:
    rows = (("licences", 1e4, False), ("licences", 7e3, True), ("racks", 3e3, True), ("racks", 800.0, False))
    entries = tuple(
        OrderEntry(item=cast(OrderItem, item), quantity=2, unit_price=Money(usd), is_yearly=is_yearly)
        for item, usd, is_yearly in rows
    )
    ((_, before),) = orders_of(own_scenario(serving_procurement=term))
    ((_, after),) = orders_of(own_scenario(serving_procurement=term, order=entries))
    assert after.capital_usd - before.capital_usd == pytest.approx(2 * (10_000 + 800))
    assert after.yearly_usd - before.yearly_usd == pytest.approx(2 * (7_000 + 3_000))
    assert after.cash[0].capital_usd - before.cash[0].capital_usd == pytest.approx(2 * (10_000 + 800))
    assert after.cash[1].operating_usd - before.cash[1].operating_usd == pytest.approx(2 * (7_000 + 3_000) / 4)


@pytest.mark.parametrize("item", ["support", "storage_and_egress"])
def test_an_entry_counts_where_the_plan_pays_nothing(item: OrderItem) -> None:
    """A provider's support and data at $0 are figures that nobody stated, until the planner does."""
    entry = OrderEntry(item=item, unit_price=Money(2_000.0), is_yearly=True)
    ((_, before),) = orders_of(own_scenario(serving_procurement="rent_on_demand"))
    ((_, after),) = orders_of(own_scenario(serving_procurement="rent_on_demand", order=(entry,)))
    assert [one.usd for one in before.lines if one.item == item] == [0.0]
    assert [(one.usd, one.is_own) for one in after.lines if one.item == item] == [(2_000.0, True)]
    assert after.yearly_usd - before.yearly_usd == pytest.approx(2_000)


def test_the_longest_lead_time_of_what_the_plan_prices_counts() -> None:
    entries = tuple(OrderEntry(item="nodes", lead_time_s=days * 86_400.0) for days in (30, 90, 60))
    ((_, order),) = orders_of(own_scenario(order=entries))
    assert [one.lead_time_s for one in order.lines if one.item == "nodes"] == [90 * 86_400.0]


@pytest.mark.usefixtures("whole_simulations")
def test_stock_is_used_before_anything_is_ordered() -> None:
    project = own_scenario()
    ((results, before),) = orders_of(project)
    scenario = project.scenarios[0]
    hardware = msgspec.structs.replace(
        scenario.hardware, accelerators=(before.accelerator,),
        owned=(OwnedStock(accelerator=before.accelerator, devices=16),),
    )  # fmt: skip
    changed = msgspec.structs.replace(project, scenarios=(msgspec.structs.replace(scenario, hardware=hardware),))
    ((results, after),) = orders_of(changed)
    # 52 work, and whole nodes hold all but 12 of them.
    assert after.stock_devices == 12
    assert after.devices == before.devices - 16
    assert after.capital_usd < before.capital_usd
    assert after.planned_usd_per_year == pytest.approx(planned_usd_per_year(results, after), abs=CENT)


@pytest.mark.parametrize(("owned", "switches", "links"), [(8, 1, 32), (12, 0, 24), (24, 0, 8)])
def test_what_is_bought_beside_owned_devices_is_cabled_to_them(owned: int, switches: int, links: int) -> None:
    """32 devices of one run hang on one switch of 64 ports. Owned boxes have one already, a single box has none."""
    project = load_project(Path("resources/examples/7b-continued-pretraining.gpuplan"))
    scenario, device = project.scenarios[0], "nvidia-h100-sxm-80gb"
    hardware = msgspec.structs.replace(
        scenario.hardware, accelerators=(device,), owned=(OwnedStock(accelerator=device, devices=owned),),
        training_devices=32,
    )  # fmt: skip
    economics = msgspec.structs.replace(scenario.economics, training_procurement="own")
    joined = msgspec.structs.replace(scenario, hardware=hardware, economics=economics)
    ((results, order),) = orders_of(msgspec.structs.replace(project, scenarios=(joined,)))
    counts = {one.item: one.quantity for one in order.lines}
    assert (counts.get("leaf_switches", 0), counts["node_links"]) == (switches, links)
    (told,) = [one for one in results.plan.findings if one.code == "bought_for_the_run"]
    assert told.values["capital_usd"] == pytest.approx(order.capital_usd)
    assert order.planned_usd_per_year == pytest.approx(planned_usd_per_year(results, order), abs=CENT)


def test_owned_devices_that_take_no_part_make_no_order_dearer() -> None:
    """Of 20 owned H100, whole nodes leave 16 in a run on 64: the other four got a second tier of switches."""
    project = load_project(Path("resources/examples/7b-continued-pretraining.gpuplan"))
    scenario, device = project.scenarios[0], "nvidia-h100-sxm-80gb"
    economics = msgspec.structs.replace(scenario.economics, training_procurement="own")
    capital = []
    for owned in (16, 20):
        hardware = msgspec.structs.replace(
            scenario.hardware, accelerators=(device,), owned=(OwnedStock(accelerator=device, devices=owned),),
            training_devices=64,
        )  # fmt: skip
        joined = msgspec.structs.replace(scenario, hardware=hardware, economics=economics)
        ((_, order),) = orders_of(msgspec.structs.replace(project, scenarios=(joined,)))
        capital.append(order.capital_usd)
    assert capital[1] == pytest.approx(capital[0])


def run_on_owned_devices(term: Procurement, used: int = 0) -> tuple[Results, OrderList]:
    project = load_project(Path("resources/examples/7b-continued-pretraining.gpuplan"))
    scenario = project.scenarios[0]
    stock = (OwnedStock(accelerator="nvidia-h100-sxm-80gb", devices=32),)
    hardware = msgspec.structs.replace(
        scenario.hardware,
        accelerators=("nvidia-h100-sxm-80gb",),
        owned=stock,
        max_training_devices=32,
        training_devices=used,
    )
    economics = msgspec.structs.replace(scenario.economics, training_procurement=term)
    owner = msgspec.structs.replace(scenario, hardware=hardware, economics=economics)
    ((results, order),) = orders_of(msgspec.structs.replace(project, scenarios=(owner,)))
    return results, order


@pytest.mark.parametrize("term", ["rent_on_demand", "rent_1y"])
def test_owned_devices_cost_the_same_however_others_would_be_paid_for(term: Procurement) -> None:
    """Nothing is rented or reserved: a term changes no dollar, and renting instead has the price of offers."""
    (results, order), (owner, owned) = run_on_owned_devices(term), run_on_owned_devices("own")
    assert order.yearly_usd == pytest.approx(owned.yearly_usd)
    assert order.present_value_usd == pytest.approx(owned.present_value_usd)
    assert order.term == "own"
    told, expected = (one.known.ownership["training"] for one in (results, owner))
    assert [one.usd for one in told.terms] == pytest.approx([one.usd for one in expected.terms], nan_ok=True)
    own, hourly = ({one.term: one for one in told.terms}[name] for name in ("own", "rent_on_demand"))
    assert hourly.provider
    assert hourly.usd_per_device_hour > 1.5 * own.usd_per_device_hour
    # No annuity: the payments of each of three years at its end, at 10 %.
    by_hand = sum(usd / 1.1 ** (year + 1) for year, usd in enumerate(own.usd_by_year))
    assert own.usd == pytest.approx(by_hand)
    (said,) = verdicts(results)
    assert "reservation" not in said.detail


def test_an_order_says_how_many_owned_devices_are_used_not_how_many_there_are() -> None:
    """It told a planner with 32 devices: "You own 16 devices"."""
    _, order = run_on_owned_devices("own", used=16)
    assert "The run uses 16 devices that you own." in " ".join(order_conditions(order))


def test_no_rent_moves_what_a_run_on_owned_devices_costs() -> None:
    """Its range is that of power, site and staff, as the owner's own term has it; no rent, no purchase is in it."""
    found = []
    for term in ("rent_1y", "own"):
        results, _ = run_on_owned_devices(term)
        given = results.scenario, results.catalog, load_calibration(), results.plan
        sure = doors.uncertainty(*given, 1, 400)
        assert sure is not None
        assert "device_price" not in sure.inputs
        band = sure.headline("training.usd_per_run")
        assert band is not None
        assert band.planned == pytest.approx(float(results.plan.trained.table.usd_per_run[results.plan.trained.best]))
        found.append((band.p10, band.p90))
    assert found[0] == pytest.approx(found[1])


def test_owned_devices_cost_the_same_when_replicas_follow_the_load() -> None:
    """A stopped replica saves rent; power at idle, space and staff of an owned device are paid on."""
    project = load_project(Path(__file__).parent / "order_cases/autoscaled-chat.gpuplan")
    found = {}
    for term in ("rent_on_demand", "own"):
        scenario = project.scenarios[0]
        economics = msgspec.structs.replace(scenario.economics, serving_procurement=term)
        device = "nvidia-h100-sxm-80gb"
        stock = (OwnedStock(accelerator=device, devices=64),)
        hardware = msgspec.structs.replace(scenario.hardware, accelerators=(device,), owned=stock)
        owner = msgspec.structs.replace(scenario, hardware=hardware, economics=economics)
        ((results, order),) = orders_of(msgspec.structs.replace(project, scenarios=(owner,)))
        assert order.devices == 0
        assert order.planned_usd_per_year == pytest.approx(planned_usd_per_year(results, order), abs=CENT)
        found[term] = order
    rented, owned = found.values()
    assert rented.stock_devices == owned.stock_devices
    assert rented.planned_usd_per_year == pytest.approx(owned.planned_usd_per_year)
    assert rented.yearly_usd == pytest.approx(owned.yearly_usd)


def test_nothing_is_asked_of_a_provider_where_the_run_has_devices_enough() -> None:
    results, order = run_on_owned_devices("rent_on_demand")
    assert (order.devices, order.rental) == (0, None)
    assert "Rent" not in " ".join(order_conditions(order))
    assert "priced_one_by_one" not in {one.code for one in results.plan.findings}


def test_cash_comes_by_quarter() -> None:
    cash = cash_by_quarter(((0.0, 1_000.0), (1.0, 300.0)), (400.0, 800.0), 1.5)
    assert [one.capital_usd for one in cash] == [1_000.0, 0, 0, 0, 300.0, 0]
    assert [one.operating_usd for one in cash] == [100.0] * 4 + [200.0] * 2


def bought(needed: list[float], life: float, horizon: float) -> list[tuple[float, float]]:
    years = PlanYears.of(horizon)
    return [(at, float(usd)) for at, usd in bought_over_years(np.array(needed), years.starts, years.ends, life)]


def test_what_is_worn_out_is_bought_again_while_the_horizon_lasts() -> None:
    """A life of 1.5 years ends in the third quarter of year 2 and at the end of year 3; no life begins at the end."""
    found = bought([900.0, 950.0, 950.0, 950.0], 1.5, 4.0)
    assert found == [(0.0, 900.0), (1.0, 50.0), (1.5, 900.0), (2.5, 50.0), (3.0, 900.0)]
    cash = cash_by_quarter(found, (0.0,) * 4, 4.0)
    assert {place: one.capital_usd for place, one in enumerate(cash) if one.capital_usd} == {
        0: 900.0, 4: 50.0, 6: 900.0, 10: 50.0, 12: 900.0,
    }  # fmt: skip
    assert bought([900.0] * 4, 4.0, 4.0) == [(0.0, 900.0)]


def test_what_is_worn_out_is_bought_again_as_far_as_it_is_needed() -> None:
    """32 last for two years; of 12 that are left to be bought then, 4 are needed no more after another two."""
    assert bought([32.0, 24.0, 12.0, 10.0, 8.0], 2.0, 5.0) == [(0.0, 32.0), (2.0, 12.0), (4.0, 8.0)]
    years = PlanYears.of(5.0)
    held = held_over_years(np.array([32.0, 24.0, 12.0, 10.0, 8.0]), years.starts, years.ends, 2.5)
    assert held == pytest.approx([32.0, 32.0, 22.0, 12.0, 12.0]), "half of year 3 with 32, half with 12"


@pytest.mark.parametrize("life", [2.0, 4.0])
def test_an_order_replaces_no_more_than_a_falling_load_needs(life: float) -> None:
    """Boxes of eight, by hand: what lives runs, what is worn out is bought again for the load of that year on."""
    project = own_scenario()
    scenario = project.scenarios[0]
    assert scenario.serving is not None
    traffic = msgspec.structs.replace(scenario.serving.traffic, growth_per_year=-0.3)
    terms = msgspec.structs.replace(scenario.economics.ownership, useful_life_years=life)
    falling = msgspec.structs.replace(
        scenario, serving=msgspec.structs.replace(scenario.serving, traffic=traffic),
        economics=msgspec.structs.replace(scenario.economics, ownership=terms, horizon_years=5.0),
    )  # fmt: skip
    ((results, order),) = orders_of(msgspec.structs.replace(project, scenarios=(falling,)))
    boxes = [math.ceil(count / BOX) for count in order.devices_by_year]
    held = [boxes[int(year // life * life)] for year in range(5)]
    assert boxes[0] > held[-1]
    box_usd = order.capital_usd / boxes[0]
    capital = {place / 4: one.capital_usd for place, one in enumerate(order.cash) if one.capital_usd}
    assert capital == pytest.approx({year: boxes[int(year)] * box_usd for year in np.arange(0.0, 5.0, life)})
    running = [sum(one.operating_usd for one in order.cash[place : place + 4]) for place in range(0, 20, 4)]
    assert running == pytest.approx([order.yearly_usd * count / boxes[0] for count in held])
    (way,) = (one for one in results.known.ownership["serving"].terms if one.term == "own")
    assert way.usd_by_year == pytest.approx([way.usd_by_year[0] * count / boxes[0] for count in held], rel=0.01)
    told = " ".join(order_lines(order))
    assert "Cash counts whole units, bought as they are needed" in told
    assert "Cash counts the growth" not in told


@pytest.mark.parametrize(("life", "horizon", "again_at"), [(4.0, 8.0, (4.0,)), (1.0, 3.0, (1.0, 2.0))])
def test_an_order_replaces_what_reaches_its_useful_life(
    life: float, horizon: float, again_at: tuple[float, ...]
) -> None:
    """The hardware of the plan is due again, at today's price; what the planner entered is paid once, as entered."""
    entry = OrderEntry(item="other", name="Bastion host", unit_price=Money(8_000.0, "USD"))
    terms = msgspec.structs.replace(own_scenario().scenarios[0].economics.ownership, useful_life_years=life)
    ((_, order),) = orders_of(own_scenario(ownership=terms, horizon_years=horizon, order=(entry,)))
    hardware = order.capital_usd - 8_000
    capital = {place / 4: one.capital_usd for place, one in enumerate(order.cash) if one.capital_usd}
    assert capital == pytest.approx({0.0: order.capital_usd, **dict.fromkeys(again_at, hardware)})
    rate = 1 + order.cost_of_capital
    by_hand = order.capital_usd + sum(hardware / rate**year for year in again_at)
    by_hand += sum(order.yearly_usd / rate ** (year + 1) for year in range(int(horizon)))
    assert order.present_value_usd == pytest.approx(by_hand)
    assert order.replacement_usd == pytest.approx(hardware * len(again_at))
    told = " ".join(order_lines(order))
    again = format_value(order.replacement_usd, "USD")
    assert f"for today's load and another {again} over the horizon" in told
    assert f"Cash counts {again} for hardware that is bought again at the end of its useful life." in told
    assert "price trend" not in told


@pytest.mark.parametrize("trend", [-0.7, 0.0, 0.3])
@pytest.mark.parametrize(("term", "horizon"), [("rent_3y", 2.0), ("rent_3y", 2.5), ("rent_1y", 0.5)])
def test_a_term_that_is_signed_keeps_its_price_past_the_horizon(
    term: Procurement, horizon: float, trend: float
) -> None:
    """Nothing grows: every quarter is a quarter of the year that is ordered, and what the term commits beyond the
    horizon is said."""
    project = load_project(EXAMPLES[1])
    economics = msgspec.structs.replace(
        project.scenarios[0].economics, serving_procurement=term, horizon_years=horizon, price_trend_per_year=trend
    )
    hardware = msgspec.structs.replace(project.scenarios[0].hardware, accelerators=("nvidia-h100-sxm-80gb",))
    scenario = msgspec.structs.replace(project.scenarios[0], economics=economics, hardware=hardware)
    ((_, order),) = orders_of(msgspec.structs.replace(project, scenarios=(scenario,)))
    assert [one.operating_usd for one in order.cash] == pytest.approx([order.yearly_usd / 4] * math.ceil(horizon * 4))
    ends = [min(year + 1.0, horizon) for year in range(math.ceil(horizon))]
    parts = np.diff(ends, prepend=0.0)
    by_hand = sum(order.yearly_usd * part / 1.1**end for part, end in zip(parts, ends, strict=True))
    assert order.present_value_usd == pytest.approx(by_hand)
    assert order.rental is not None
    after = order.rental.after_horizon_usd
    assert after == pytest.approx(order.yearly_usd * (order.rental.term_years - horizon))
    assert f"leave out {format_value(after, 'USD')} of rent that is due after it" in " ".join(order_lines(order))


@pytest.mark.usefixtures("whole_simulations")  # Findings are of the quick estimate here.
@pytest.mark.parametrize("support", [0.0, 0.1])
def test_rent_after_the_horizon_is_of_all_that_the_first_year_takes(support: float) -> None:
    """A quotation of $1.50 for three years, planned for two of growth: what the first year's bill pays, once more."""
    project = load_project(EXAMPLES[1])
    scenario, device = project.scenarios[0], "nvidia-h100-sxm-80gb"
    assert scenario.serving is not None
    row = PriceOverride(accelerator=device, term="rent_3y", rent_per_device_hour=Money(1.5), provider="Acme")
    economics = msgspec.structs.replace(
        scenario.economics, serving_procurement="rent_3y", horizon_years=2.0, overrides=(row,),
        renting=msgspec.structs.replace(scenario.economics.renting, support_share=support),
    )  # fmt: skip
    traffic = msgspec.structs.replace(scenario.serving.traffic, growth_per_year=0.5)
    growing = msgspec.structs.replace(
        scenario, economics=economics, serving=msgspec.structs.replace(scenario.serving, traffic=traffic),
        hardware=msgspec.structs.replace(scenario.hardware, accelerators=(device,)),
    )  # fmt: skip
    ((results, order),) = orders_of(msgspec.structs.replace(project, scenarios=(growing,)))
    assert order.rental is not None
    assert order.devices_by_year[0] > order.devices
    by_hand = order.devices_by_year[0] * 1.5 * 8760 * (1 + support)
    assert order.rental.after_horizon_usd == pytest.approx(by_hand)
    assert sum(one.operating_usd for one in order.cash[:4]) == pytest.approx(by_hand)
    # The finding told today's fleet without support.
    (told,) = (one.values for one in results.plan.findings if one.code == "term_outlasts_horizon")
    assert told["commitment_usd"] == pytest.approx(3 * by_hand)


@pytest.mark.usefixtures("whole_simulations")  # Findings are of the quick estimate here.
def test_what_is_rented_beside_owned_devices_has_the_price_of_its_own_number() -> None:
    """20 beside 8 of which 6 are used are five instances of four: a finding took the price that suits all 26."""
    project = load_project(EXAMPLES[1])
    scenario, device = project.scenarios[0], "nvidia-h100-sxm-80gb"
    economics = msgspec.structs.replace(scenario.economics, serving_procurement="rent_3y")
    hardware = msgspec.structs.replace(
        scenario.hardware, accelerators=(device,), owned=(OwnedStock(accelerator=device, devices=8),)
    )
    beside = msgspec.structs.replace(scenario, economics=economics, hardware=hardware)
    ((results, order),) = orders_of(msgspec.structs.replace(project, scenarios=(beside,)))
    (rented,) = (one for one in order.lines if one.item == "instances")
    (told,) = (one.values for one in results.plan.findings if one.code == "owned_first")
    assert told["added"] == order.devices == rented.values["instances"] * rented.values["devices_each"]
    assert told["added_usd_per_hour"] == pytest.approx(rented.values["instances"] * rented.unit_usd)


@pytest.mark.parametrize(("horizon", "counted"), [(12.0, 10.0), (10.0, 10.0)])
def test_an_order_tells_the_years_that_it_counts(horizon: float, counted: float) -> None:
    ((_, order),) = orders_of(own_scenario(horizon_years=horizon))
    assert (order.horizon_years, len(order.cash)) == (counted, counted * 4)
    told = "Cash and present value cover 10 y at most; the horizon is 12 y."
    assert (told in " ".join(order_lines(order)).replace("\N{NO-BREAK SPACE}", " ")) == (horizon > counted)


def test_the_order_is_worth_what_its_way_to_pay_is() -> None:
    """Nothing grows and nothing is sold: two present values of one rental are one number."""
    for path in (EXAMPLES[1], CASES[-2]):
        ((results, order),) = orders_of(load_project(path))
        answer = results.known.ownership[order.workload]
        assert answer.growth_per_year == 0
        (way,) = (one for one in answer.terms if one.term == order.term)
        assert order.term in ("rent_on_demand", "rent_1y")
        assert order.present_value_usd == pytest.approx(way.usd, abs=CENT)
        # By hand: the payments of each of three years at its end, at 10 %.
        by_hand = sum(order.yearly_usd / 1.1 ** (year + 1) for year in range(3))
        assert order.present_value_usd == pytest.approx(order.capital_usd + by_hand)


@pytest.mark.parametrize(("term", "horizon"), [("rent_3y", 5.0), ("rent_3y", 4.0), ("rent_1y", 2.5)])
def test_years_in_which_no_term_fits_are_billed_as_the_comparison_of_terms_bills_them(
    term: Procurement, horizon: float
) -> None:
    """After one term of three years, two are left: they are paid for by the year, not as three fifths of another.
    Years may cost less at other providers."""
    project = load_project(EXAMPLES[1])
    economics = msgspec.structs.replace(project.scenarios[0].economics, serving_procurement=term, horizon_years=horizon)
    hardware = msgspec.structs.replace(project.scenarios[0].hardware, accelerators=("nvidia-h100-sxm-80gb",))
    scenario = msgspec.structs.replace(project.scenarios[0], economics=economics, hardware=hardware)
    ((results, order),) = orders_of(msgspec.structs.replace(project, scenarios=(scenario,)))
    (way,) = (one for one in results.known.ownership[order.workload].terms if one.term == term)
    quarters = [one.operating_usd for one in order.cash]
    assert sum(quarters) == pytest.approx(sum(way.usd_by_year), rel=1e-6)
    assert abs(quarters[-1] / quarters[0] - 1) > 0.05
    assert order.present_value_usd == pytest.approx(way.usd, rel=1e-6)
    assert "shorter terms in years that are left" in " ".join(order_lines(order))


@pytest.mark.parametrize("term", ["rent_on_demand", "rent_1y", "own"])
def test_cash_counts_the_growth_that_the_comparison_of_terms_counts(term: Procurement) -> None:
    """A load that doubles each year: the rented cash is the term's own, what is bought grows by what is added."""
    project = load_project(EXAMPLES[1])
    scenario = project.scenarios[0]
    assert scenario.serving is not None
    traffic = msgspec.structs.replace(scenario.serving.traffic, growth_per_year=1.0)
    growing = msgspec.structs.replace(
        scenario,
        serving=msgspec.structs.replace(scenario.serving, traffic=traffic),
        economics=msgspec.structs.replace(scenario.economics, serving_procurement=term, price_trend_per_year=-0.1),
    )
    ((results, order),) = orders_of(msgspec.structs.replace(project, scenarios=(growing,)))
    answer = results.known.ownership["serving"]
    (way,) = (one for one in answer.terms if one.term == term)
    years = [order.cash[place : place + 4] for place in (0, 4, 8)]
    held = answer.replicas_by_year
    if term == "own":
        bought = [sum(one.capital_usd for one in quarters) for quarters in years]
        boxes = [math.ceil(one * answer.devices / answer.replicas / BOX) for one in held]
        assert bought == pytest.approx(np.diff(boxes, prepend=0) * order.capital_usd * BOX / order.devices)
    else:
        paid = [sum(one.operating_usd for one in quarters) for quarters in years]
        assert paid == pytest.approx(way.usd_by_year, rel=1e-6)
        assert order.present_value_usd == pytest.approx(way.usd, rel=1e-6)
    steps = " → ".join(format_value(one) for one in order.devices_by_year)
    assert f"{steps} devices in the years" in " ".join(order_lines(order))
    (said,) = verdicts(results)
    assert f"at today's load ({format_value(held[-1])} replicas in year 3, at 100 % growth a year)" in said.detail


def test_an_order_is_told_in_the_scenarios_currency(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Amounts and headings alike, by the command and in the report."""
    project = load_project(EXAMPLES[1])
    economics = msgspec.structs.replace(
        project.scenarios[0].economics, display_currency="EUR", rates=(ExchangeRate("EUR", 1.25),)
    )
    scenario = msgspec.structs.replace(project.scenarios[0], economics=economics)
    euros = msgspec.structs.replace(project, scenarios=(scenario,))
    ((results, order),) = orders_of(euros)
    (tmp_path / "euros.gpuplan").write_bytes(project_to_bytes(euros))
    assert main(["order", str(tmp_path / "euros.gpuplan")]) == 0
    report = report_of(results.project, (results,), subjects=("order",))
    page = rendered(report, ".md", {}, Path("plan.md"))[Path("plan.md")].decode()
    for printed in (capsys.readouterr().out, page):
        told = printed.replace("\N{NO-BREAK SPACE}", " ")
        assert f"€{round(order.yearly_usd / 1.25, -3):,.0f} a year".replace(",", " ") in told
        assert f"{order.yearly_usd / 4 / 1.25:,.2f}".replace(",", " ") in told
        assert "EUR" in told
        assert "[USD" not in told.replace("\\", "")
        assert "$" not in told


def test_the_command_prints_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    path = Path(__file__).parent / "order_cases/s16-rent_1y.gpuplan"
    ((_, order),) = orders_of(load_project(path))
    assert main(["order", str(path), "--json"]) == 0
    (printed,) = json.loads(capsys.readouterr().out)
    assert printed["yearly_usd"] == order.yearly_usd
    assert printed["rental"]["provider"]
    assert printed["rental"]["term_years"] == 1
    assert main(["order", str(path)]) == 0
    text = capsys.readouterr().out
    assert "Cancel before month 12 ends" in text
    assert f"{order.yearly_usd / 4:,.2f}".replace(",", "\u00a0") in text


BILLS = list(csv.DictReader(Path("tests/fidelity/data/public_cluster_bills.csv").read_text().splitlines()))


@pytest.mark.parametrize("bill", BILLS, ids=lambda bill: bill["name"])
def test_published_bills_are_met_within_a_fifth(bill: dict[str, str]) -> None:
    """Servers, switches and cables of a bought cluster, storage and installation left out.

    DGX systems are dearer than what the catalogue prices, HGX servers: their price is entered, as a planner would.
    """
    project = load_project(Path("resources/examples/7b-continued-pretraining.gpuplan"))
    replace, scenario, count = msgspec.structs.replace, project.scenarios[0], int(bill["devices"])
    hardware = replace(
        scenario.hardware, accelerators=(bill["accelerator"],), training_devices=count, max_training_devices=count
    )  # fmt: skip
    quoted = Money(amount=float(bill["hardware_usd"]) / count) if bill["name"].startswith("dgx") else None
    prices = (PriceOverride(accelerator=bill["accelerator"], purchase_per_device=quoted),) if quoted else ()
    economics = replace(scenario.economics, training_procurement="own", overrides=prices)
    bought = replace(scenario, hardware=hardware, economics=economics)
    ((_, order),) = orders_of(replace(project, scenarios=(bought,)))
    assert order.devices == count
    on_bills = {"nodes", "leaf_switches", "spine_switches", "core_switches", "node_links", "switch_links", "network"}
    usd = sum(one.usd for one in order.lines if one.item in on_bills and not one.is_unknown)
    assert usd == pytest.approx(float(bill["total_usd"]), rel=0.2)


def test_a_price_by_the_device_asks_for_what_works_together() -> None:
    """Sixteen devices of one job are offered one by one: their links are asked for, not taken for granted."""
    ((_, order),) = orders_of(load_project(Path("resources/examples/7b-continued-pretraining.gpuplan")))
    assert order.rental is not None
    assert order.lines[0].values["devices_each"] == 1
    assert order.rental.connected_devices == 8
    assert "8 devices connected in each node" in " ".join(rental_lines(order))


def test_the_hours_of_an_order_add_up_to_run_time_and_what_has_no_date() -> None:
    ((results, order),) = orders_of(load_project(Path("resources/examples/7b-continued-pretraining.gpuplan")))
    table, best = results.plan.trained.table, results.plan.trained.best
    told = run_hours_text(order)
    paid, run, more = (float(one) for one in re.findall(r"([\d.]+)\s?h\b", told))
    assert quantity_text(order.lines[0]).endswith(f"{paid:g} h")
    assert paid == pytest.approx(run + more, abs=1e-9), "as they are printed"
    assert run == pytest.approx(table.run_time_s[best] / 3600, rel=1e-3)
    assert more / run == pytest.approx(0.15, rel=0.01)
    assert run_hours_text(msgspec.structs.replace(order, paid_run_h=run)).startswith(
        "Each run is billed for its run time"
    )
    assert not run_hours_text(msgspec.structs.replace(order, paid_run_h=0.0, run_time_s=0.0)), "a service"


def test_a_reservation_is_ordered_for_all_of_its_year_however_short_the_run() -> None:
    """Who reserves 32 devices for a run of 43 days pays 8,760 hours of each: the order is what finance signs."""
    project = load_project(Path("resources/examples/7b-continued-pretraining.gpuplan"))
    scenario = project.scenarios[0]
    economics = msgspec.structs.replace(scenario.economics, training_procurement="rent_1y")
    hardware = msgspec.structs.replace(scenario.hardware, accelerators=("nvidia-h100-pcie-80gb",))
    reserved = msgspec.structs.replace(scenario, economics=economics, hardware=hardware)
    ((results, order),) = orders_of(msgspec.structs.replace(project, scenarios=(reserved,)))
    line = order.lines[0]
    assert line.item == "instances"
    assert line.quantity == order.devices / line.values["devices_each"] * 8760
    (term,) = [one for one in results.known.ownership["training"].terms if one.term == "rent_1y"]
    assert order.present_value_usd == pytest.approx(term.usd, rel=0.01)
    assert "paid for all year; the runs use" in " ".join(order_lines(order))
    (said,) = verdicts(results)
    assert f"; the reservation costs {format_value(line.usd, 'USD/y')}" in said.detail


def many_runs(
    term: Procurement, runs_per_year: float, devices: int, tokens: float, **site: float
) -> tuple[Results, OrderList]:
    project = load_project(Path("resources/examples/7b-continued-pretraining.gpuplan"))
    scenario = project.scenarios[0]
    assert scenario.training is not None
    fleets = msgspec.structs.replace(scenario.economics.fleets, training_runs_per_year=runs_per_year)
    economics = msgspec.structs.replace(
        scenario.economics, training_procurement=term, fleets=fleets,
        site=msgspec.structs.replace(scenario.economics.site, **site),
    )  # fmt: skip
    hardware = msgspec.structs.replace(
        scenario.hardware, accelerators=("nvidia-h100-pcie-80gb",), training_devices=devices
    )
    training = msgspec.structs.replace(scenario.training, tokens=tokens)
    often = msgspec.structs.replace(scenario, economics=economics, hardware=hardware, training=training)
    ((results, order),) = orders_of(msgspec.structs.replace(project, scenarios=(often,)))
    return results, order


@pytest.mark.parametrize("term", ["rent_on_demand", "rent_1y", "own"])
def test_as_many_clusters_are_ordered_as_a_years_runs_need(term: Procurement) -> None:
    """Thirty runs of about 20 days take two clusters, of which a year has hours enough."""
    _, once = many_runs(term, 1.0, 32, 400e9)
    results, order = many_runs(term, 30.0, 32, 400e9)
    (told,) = [one for one in results.plan.findings if one.code == "runs_exceed_year"]
    assert 8760 < 30 * order.paid_run_h < 2 * 8760
    assert told.values["clusters"] == 2
    assert order.devices == 2 * once.devices
    assert "2 clusters train side by side" in " ".join(order_lines(order))
    use = 30 * order.paid_run_h / 2 / 8760
    if order.rental is not None:
        assert order.rental.quota_devices == order.devices
        (line,) = [one for one in order.lines if one.item == "instances"]
        hours = line.quantity / line.values["instances"]
        assert hours == pytest.approx(8760 if term == "rent_1y" else use * 8760)
    if term == "rent_1y":
        assert f"use {format_value(use, 'share', 2)} of it" in " ".join(order_lines(order))
    elif term == "rent_on_demand":
        assert order.planned_usd_per_year == pytest.approx(planned_usd_per_year(results, order), abs=CENT)
    (paid,) = [one for one in results.known.ownership["training"].terms if one.term == term]
    if term != "own":
        assert order.present_value_usd == pytest.approx(paid.usd, rel=0.01)


def test_one_run_that_outlasts_a_year_has_one_cluster() -> None:
    """It pays for whole years of it, not for more hours than a year has."""
    results, order = many_runs("rent_on_demand", 1.0, 2, 800e9)
    assert order.paid_run_h > 8760
    assert "runs_exceed_year" not in {one.code for one in results.plan.findings}
    (line,) = [one for one in order.lines if one.item == "instances"]
    assert (order.devices, line.quantity / line.values["instances"]) == (2, 8760)
    assert order_sentence(order, results).endswith("a year.")


@pytest.mark.parametrize(
    ("tokens", "said"), [(800e9, "the order counts all hours of 3 y"), (8e12, "the first 3 y only")]
)
@pytest.mark.parametrize("term", ["rent_on_demand", "rent_1y", "own"])
def test_an_order_says_how_much_of_a_run_of_years_it_holds(term: Procurement, tokens: float, said: str) -> None:
    """The horizon is three years; the run once took 17, and was "counted once in each year"."""
    results, order = many_runs(term, 1.0, 2, tokens)
    text = " ".join(order_lines(order))
    assert said in text
    assert "once in each year" not in text
    told = [one.values for one in results.plan.findings if one.code == "run_outlasts_horizon"]
    assert [one["run_s"] for one in told] == ([3600 * order.paid_run_h] if order.paid_run_h > 3 * 8760 else [])
    assert bool(told) == (tokens > 1e12)


@pytest.mark.parametrize("term", ["rent_1y", "own"])
def test_a_run_of_more_than_a_year_does_not_fill_the_last_year_that_is_paid_for(term: Procurement) -> None:
    """The order said that a run of 2.51 years uses 100 % of a reservation, of which three years are paid for."""
    results, order = many_runs(term, 1.0, 2, 800e9)
    years = order.paid_run_h / 8760
    use = years / math.ceil(years)
    assert 1 < years < 3
    assert 0.5 <= use < 0.99
    answer = results.known.ownership["training"]
    assert (order.used_share, answer.use_share) == (pytest.approx(use), pytest.approx(use))
    assert answer.owned_usd_per_useful_hour == pytest.approx(answer.held_usd_per_hour / use)
    if term == "rent_1y":
        assert f"use {format_value(use, 'share', 2)} of it" in " ".join(order_lines(order))


def test_a_bought_cluster_pays_for_what_it_draws_in_a_year() -> None:
    """At idle it draws a quarter of its rating here, and nothing there: the difference is that of the hours between."""
    kwh = {}
    for idle in (0.0, 0.25):
        results, order = many_runs("own", 3.0, 32, 400e9, idle_share_of_rating=idle, pue=1.25)
        answer = results.known.ownership["training"]
        (line,) = [one for one in order.lines if one.item == "electricity"]
        kwh[idle] = line.quantity, answer.energy.energy_kwh, answer.energy.rated_power_w / 1e3
        assert line.usd == pytest.approx(answer.annual.energy_usd * order.devices)
        assert order.planned_usd_per_year == pytest.approx(planned_usd_per_year(results, order), abs=CENT)
    year, run, _ = kwh[0.0]
    assert year == pytest.approx(3 * run)
    year, run, rated_kw = kwh[0.25]
    own = results.scenario.economics.ownership
    idle_kw = 0.25 * rated_kw * 1.25 * (1 + central(own.infrastructure_power_share))
    assert year == pytest.approx(3 * run + (8760 - 3 * order.paid_run_h) * idle_kw)
