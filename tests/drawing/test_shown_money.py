"""Money is read in the scenario's currency, by its own rate; inputs and dollars stay what they are."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from xml.etree import ElementTree

import msgspec
import pytest

from gpuplanner_gui.domain.economics import Economics, ExchangeRate
from gpuplanner_gui.domain.quantity import Money
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.plots.axes import AxisScale, ValueAxis
from gpuplanner_gui.drawing.plots.cost import CostPlot
from gpuplanner_gui.drawing.report.build import rate_note, report_of
from gpuplanner_gui.drawing.report.model import Callout, Paragraph, Report, Sheet, Table, amount
from gpuplanner_gui.drawing.report.xlsx import number_cell, xlsx_bytes
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.shown_money import (
    DOLLARS,
    ShownMoney,
    missing_rate,
    money_of,
    money_shown,
    shown_money,
)
from gpuplanner_gui.drawing.units import exact_text, format_value
from gpuplanner_gui.drawing.value_ranges import format_range
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.cost.quotations import money_usd
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tests.drawing.report.spreadsheet import MAIN

EUROS = ShownMoney("EUR", 1.25)
FRANCS = ShownMoney("CHF", 1.25)


@pytest.fixture
def euros() -> Iterator[None]:
    with money_shown(EUROS):
        yield


@pytest.mark.usefixtures("euros")
def test_amounts_are_turned_by_the_rate_and_carry_their_sign() -> None:
    assert format_value(1.25, "USD") == "€1"
    assert format_value(-2.5, "USD/h") == "−€2/h"
    assert format_value(5e6, "USD") == "€4 M"
    assert format_range(1.25, 2.5, "USD") == "€1–2"
    assert format_value(0.0, "USD") == "€0"
    assert format_value(0.1, "USD/GB") == "€0.08/GB"


@pytest.mark.usefixtures("euros")
def test_a_million_is_one_of_the_shown_currency() -> None:
    """1.1 million dollars are 880 thousand euros, and stay thousands."""
    assert format_value(1.1e6, "USD") == "€880\u00a0000"


@pytest.mark.usefixtures("euros")
def test_inputs_and_other_units_stay_as_they_are() -> None:
    assert exact_text(1.25, "USD") == "$1.25"
    assert format_value(1.25, "s") == "1.25 s"
    assert format_value(3.0, "EUR/h") == "€3/h", "an amount that is in the currency already"


def test_a_currency_without_a_sign_has_its_code() -> None:
    with money_shown(FRANCS):
        assert format_value(1.25, "USD/h") == "CHF\u00a01/h"
    assert shown_money() is DOLLARS


def test_ticks_are_round_in_the_shown_currency(qapp: object) -> None:
    for scale in (AxisScale(), AxisScale(is_log=True)):
        with money_shown(EUROS):
            axis = ValueAxis("bottom", "USD", scale)
        low, high = (scale.place_one(125.0), scale.place_one(12_500.0)) if scale.is_log else (0.0, 1000.0)
        ticks = axis.tickValues(low, high, 600)[0][1]
        texts = axis.tickStrings(ticks, 1.0, 1.0)
        assert len(texts) > 2
        for text in texts:
            found = re.fullmatch(r"€?([\d\u00a0]+)", text)
            assert found, f"{text}: painted later, when dollars may be shown elsewhere, and not round"
            assert found[1].strip("0\u00a0") in ("", "1", "2", "4", "5", "6", "8"), text


@pytest.mark.usefixtures("euros")
def test_tables_for_a_spreadsheet_are_in_the_shown_currency() -> None:
    rows = Rows((Column("Name"), Column("Cost", "USD/h"), Column("Time", "s")), (("a", 2.5, 7.0), ("b", None, 8.0)))
    assert rows.csv_text().splitlines() == ["Name,Cost [EUR/h],Time [s]", "a,2.0,7.0", "b,,8.0"]
    assert rows.tabbed_text().splitlines()[1] == "a\t2.0\t7.0"


@pytest.mark.usefixtures("euros")
def test_cells_of_a_report_hold_the_amount_that_they_say() -> None:
    cell = amount(2.5, "USD/h")
    assert (cell.text, cell.number, cell.unit) == ("€2/h", 2.0, "EUR/h")
    assert amount(2.5, "s").number == 2.5


def test_a_spreadsheet_has_a_format_for_every_currency() -> None:
    assert number_cell("A1", 1.0, "EUR/h") != number_cell("A1", 1.0, "other")
    assert number_cell("A1", 1.0, "CHF/month") != number_cell("A1", 1.0, "EUR/month")


def test_amounts_from_a_thousand_up_have_no_cents() -> None:
    assert format_value(12_800.53, "USD", 7) == "$12\u00a0801"
    assert format_value(-1_280.5, "USD/month", 7) == "\u2212$1\u00a0280/month"
    assert format_value(999.5, "USD", 5) == "$999.50"


def test_cells_of_a_spreadsheet_have_cents_below_a_thousand_alone() -> None:
    """They read $12,800.00 and $12,800.5312."""
    with zipfile.ZipFile(io.BytesIO(xlsx_bytes(Report("", (), "", ())))) as archive:
        styles = ElementTree.fromstring(archive.read("xl/styles.xml"))
    codes = {one.get("numFmtId"): one.get("formatCode") for one in styles.iter(f"{MAIN}numFmt")}
    formats = [codes.get(one.get("numFmtId")) for cells in styles.iter(f"{MAIN}cellXfs") for one in cells]
    for usd, form in ((22.98, '"$"#,##0.00##'), (12_800.53, '"$"#,##0'), (-12_800.53, '"$"#,##0')):
        (style,) = re.findall(r' s="(\d+)"', number_cell("A1", usd, "USD"))
        assert formats[int(style)] == form


def test_the_rate_is_the_scenarios_own() -> None:
    rates = (ExchangeRate("EUR", 1.1), ExchangeRate("JPY", 0.0067))
    assert money_of(Economics()) is DOLLARS
    assert money_of(Economics(display_currency="JPY", rates=rates)) == ShownMoney("JPY", 0.0067)
    assert "0.0067" in rate_note(Economics(display_currency="JPY", rates=rates))
    lacking = Economics(display_currency="CHF", rates=rates)
    assert money_of(lacking) is DOLLARS
    assert "CHF" in missing_rate(lacking)
    assert rate_note(lacking) == missing_rate(lacking)
    assert missing_rate(Economics(rates=rates)) == rate_note(Economics()) == ""


def test_two_rates_of_one_currency_count_alike_for_prices_and_what_is_shown() -> None:
    same = Economics(display_currency="EUR", rates=(ExchangeRate("EUR", 1.25),) * 2)
    assert (money_of(same), money_usd(Money(2.0, "EUR"), same)) == (ShownMoney("EUR", 1.25), 2.5)
    for rates in ((1.25, 2.5), (2.5, 1.25)):
        differ = Economics(display_currency="EUR", rates=tuple(ExchangeRate("EUR", one) for one in rates))
        assert money_of(differ) is DOLLARS
        assert "different exchange rates for EUR" in missing_rate(differ)
        assert math.isnan(money_usd(Money(2.0, "EUR"), differ))
        assert money_usd(Money(2.0), differ) == 2.0


@pytest.fixture(scope="module")
def priced() -> Results:
    catalog = load_shipped_catalog()
    scenario = Scenario(
        name="8B",
        model=catalog.models["llama-3.1-8b"].model,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=10.0),)),
        hardware=HardwareChoice(accelerators=("nvidia-h100-sxm-80gb",), max_devices_per_replica=1),
    )
    found = plan(scenario, catalog, load_calibration())
    return Results(project=Project(name="p", scenarios=(scenario,)), scenario=scenario, plan=found, catalog=catalog)


def in_currency(results: Results, code: str, *rates: ExchangeRate) -> Results:
    economics = msgspec.structs.replace(results.scenario.economics, display_currency=code, rates=rates)
    scenario = msgspec.structs.replace(results.scenario, economics=economics)
    return replace(results, project=Project(name="p", scenarios=(scenario,)), scenario=scenario)


def test_verdict_follows_and_says_when_no_rate_is_given(priced: Results) -> None:
    assert "$" in verdicts(priced)[0].detail
    euro = verdicts(in_currency(priced, "EUR", ExchangeRate("EUR", 1.25)))[0].detail
    assert "€" in euro
    assert "$" not in euro
    lacking = verdicts(in_currency(priced, "CHF"))[0].detail
    assert "$" in lacking
    assert "no exchange rate for CHF" in lacking


def test_plot_and_report_follow_their_own_scenario(priced: Results) -> None:
    euro = in_currency(priced, "EUR", ExchangeRate("EUR", 1.25))
    plot = CostPlot()
    plot.show(euro)
    assert "€" in plot.title
    assert shown_money() is DOLLARS
    report = report_of(euro.project, (euro,))
    sheets = [block for one in report.sections for block in one.blocks if isinstance(block, Sheet)]
    rows = {row.key: row for row in sheets[0].rows}
    table, best = priced.plan.serving.table, priced.plan.serving.best
    assert rows["hour"].unit == "EUR/h"
    assert rows["hour"].value == pytest.approx(float(table.usd_per_hour[best]) / 1.25)
    assert rows["hour"].value == pytest.approx(rows["devices"].value * rows["price"].value)
    blocks = [block for one in report.sections for block in one.blocks]
    paragraphs = [block.text for block in blocks if isinstance(block, Paragraph)]
    assert "Amounts in EUR; 1 EUR is 1.25 US dollars." in paragraphs
    callouts = [line.text for block in blocks if isinstance(block, Callout) for line in block.lines]
    assert any("€" in line for line in callouts)
    cells = [cell for block in blocks if isinstance(block, Table) for row in block.rows for cell in row]
    assert not [cell for cell in cells if cell.unit.startswith("USD")], "an amount that is still in dollars"
    assert not [line for line in callouts if "$" in line]
