"""The order list in words: what is paid once and what goes on, and amounts in the currency of the reader."""

from __future__ import annotations

import msgspec
import pytest

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.domain.price import OrderLine
from gpuplanner_gui.drawing.decision_rows import ways_rows
from gpuplanner_gui.drawing.order_rows import order_lines, order_rows, order_sentence
from gpuplanner_gui.drawing.plots.ownership import TermsPlot
from gpuplanner_gui.drawing.plots.strategies import StrategiesPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.shown_money import ShownMoney, money_shown, shown_amount
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.decision import result_name
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from tests.conftest import SMALL_CHAT

EUROS = ShownMoney("EUR", 1.17)


@pytest.fixture(scope="module")
def chat() -> Results:
    (results,) = answered(load_project(SMALL_CHAT), is_judged=False)
    return results


@pytest.fixture(scope="module")
def owned(chat: Results) -> OwnershipAnswer:
    found = doors.ownership(chat.scenario, chat.catalog, load_calibration(), chat.plan) or {}
    return found["serving"]


@pytest.mark.parametrize(
    ("term", "runs", "paid"),
    [("rent_on_demand", 1.0, "a run"), ("rent_spot", 1.0, "a run"), ("rent_1y", 1.0, "a year"),
     ("own", 1.0, "a year"), ("rent_on_demand", 4.0, "a year"), ("rent_on_demand", 0.0, "a year")],
)  # fmt: skip
def test_what_is_reserved_or_bought_for_one_run_is_paid_each_year(
    chat: Results, owned: OwnershipAnswer, term: str, runs: float, paid: str
) -> None:
    order = msgspec.structs.replace(owned.order, workload="training", term=term, runs_per_year=runs, devices_by_year=())
    assert order_sentence(order, chat).endswith(f"{paid}.")


def test_what_is_paid_beside_the_rent_of_runs_is_not_told_by_the_run(owned: OwnershipAnswer) -> None:
    """Two runs a year, by hand; staff that is paid all year is no part of a run."""
    hours = OrderLine(item="instances", unit="h", quantity=10.0, unit_usd=40.0, paid="yearly")
    order = msgspec.structs.replace(
        owned.order, workload="training", term="rent_on_demand", runs_per_year=2.0, devices_by_year=(), lines=(hours,),
        horizon_years=3.0,
    )  # fmt: skip
    assert order_lines(order)[0].replace("\N{NO-BREAK SPACE}", " ").startswith("$200 per run; 6 runs in 3 y, 2 a year")
    staff = OrderLine(item="staff", unit="", quantity=1.0, unit_usd=1_000.0, paid="yearly")
    beside = msgspec.structs.replace(order, lines=(hours, staff))
    assert order_lines(beside)[0].replace("\N{NO-BREAK SPACE}", " ").startswith("$1 400 a year. Present value ")


def test_amounts_are_rounded_in_the_currency_that_is_shown(owned: OwnershipAnswer) -> None:
    """To a hundredth of a percent of an hour's price, and cents of amounts: not to cents of a dollar, then turned."""
    exact, order = ways_rows(owned), owned.order
    assert order is not None
    with money_shown(EUROS):
        rounded, places = ways_rows(owned, is_rounded=True), {"USD/h": 4, "USD": 2}
        for row, precise in zip(rounded.cells, exact.cells, strict=True):
            for cell, value, column in zip(row, precise, exact.columns, strict=True):
                if isinstance(value, float) and isinstance(cell, float):
                    assert shown_amount(cell, "USD") == pytest.approx(
                        round(value / 1.17, places[column.unit]), abs=1e-9
                    )
        price = [column.title for column in order_rows(order).columns].index("Price")
        for cells, line in zip(order_rows(order).cells, order.lines, strict=True):
            if isinstance(cell := cells[price], float):
                assert shown_amount(cell, "USD") == pytest.approx(round(line.usd / 1.17, 2), abs=1e-9)


def test_the_present_value_of_planned_inputs_and_the_range_of_the_planned_fleet_have_names_of_their_own(
    owned: OwnershipAnswer,
) -> None:
    """A range of one fleet and figures of several stood under one name, "Cost over the horizon"."""
    assert owned.order is not None
    said = order_lines(owned.order)[0].replace("\N{NO-BREAK SPACE}", " ")
    present = format_value(owned.order.present_value_usd, "USD").replace("\N{NO-BREAK SPACE}", " ")
    assert f"Present value {present} over 3 y at " in said
    assert result_name("serving.lifetime_usd") == "Planned fleet, present value"
    titles = [one.title for one in ways_rows(owned).columns]
    assert str(TermsPlot.LENGTH) == str(StrategiesPlot.LENGTH) == "Present value over the horizon"
    assert str(TermsPlot.LENGTH) in titles
