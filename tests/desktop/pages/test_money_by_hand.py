"""Three decisions worth millions, worked out by hand from the offers: window, command line and workbook say the same.

Only what the hardware can do is taken from the plan: replicas, devices, device-hours. What is money, power or carbon
is plain arithmetic here, from the catalogue's own file and the formulas of docs/derivations/cost.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.cli import main
from gpuplanner_gui.desktop.pages.cost import CostPage
from gpuplanner_gui.domain.economics import Economics, ExchangeRate, FleetTerms, RentalTerms, UncertaintyTerms
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.training_workload import TrainingWorkload
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.drawing.in_depth import in_depth
from gpuplanner_gui.drawing.plots.ownership import OwnedPartsPlot, TermsPlot
from gpuplanner_gui.drawing.report import rendered, report_of
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.shown_money import money_of, money_shown
from gpuplanner_gui.drawing.words.verdict import verdicts
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import project_to_bytes
from gpuplanner_gui.paths import catalogs_dir
from tests.drawing.report.spreadsheet import ReadSheet, read_workbook

Show = Callable[[QWidget], None]
H200, H100 = "nvidia-h200-sxm-141gb", "nvidia-h100-sxm-80gb"
BIG = RequestClass(peak_rate_per_s=600.0, prompt_tokens=1500.0, output_tokens=300.0, prefix_cache_share=0.4)


TYPICAL = {
    H200: {"on_demand_usd_per_h": "nebius-hgx-h200-global"},
    H100: {
        "on_demand_usd_per_h": "nebius-hgx-h100-global",
        "reserved_3y_usd_per_h": "google-cloud-a3-megagpu-8g-us-east4",
        "spot_usd_per_h": "coreweave-hgx-h100-global",
    },
}
"""By hand from the catalogue's list: the middle of 11 and of 12 providers by the hour, marketplaces left out. For three
years only Google's, the fourth of its six; on spot the one whose hour is nearest to the middle."""


def offers(name: str) -> dict[str, float]:
    """Typical prices of an accelerator as the offers have them. [USD/h]"""
    entries = {one["id"]: one for one in json.loads((catalogs_dir() / "offers.json").read_text(encoding="utf-8"))}
    return {term: entries[key][term] / entries[key]["accelerator_count"] for term, key in TYPICAL[name].items()}


@dataclass(frozen=True)
class Told:
    """What each face of the program says about one scenario."""

    results: Results
    row: dict[str, float]
    """Of the command line's JSON: the best candidate."""
    text: str
    """Of the command line's table and verdict."""
    facts: str
    """Under the window's plots."""
    terms: dict[str, tuple[float, float]]
    """Of the window's plot: device-hour, and cost over the horizon."""
    parts: dict[str, float]
    """Of the window's plot of owning, a year."""
    up: dict[str, float]
    """Of the same, an hour in which the device is up."""
    sheets: dict[str, dict[str, float]]
    """Of the workbook: title of a row, value."""


@pytest.fixture
def told(qapp: QApplication, shown: Show, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    def ask(scenario: Scenario, workload: str) -> Told:
        project = Project(name="money", scenarios=(scenario,))
        results = in_depth(answered(project)[0], load_calibration())
        path = tmp_path / "money.gpuplan"
        path.write_bytes(project_to_bytes(project))
        assert main(["plan", str(path), "--json", "--top", "1"]) == 0
        row = json.loads(capsys.readouterr().out)["scenarios"][0][workload][0]
        assert main(["plan", str(path), "--top", "1"]) == 0
        text = capsys.readouterr().out
        report = report_of(project, [results])
        book = read_workbook(rendered(report, ".xlsx", {}, Path("plan.xlsx"))[Path("plan.xlsx")])
        with money_shown(money_of(scenario.economics)):
            page = CostPage()
            shown(page)
            page.draw(results)
            facts = page.facts.text()
            terms, owned = TermsPlot(workload), OwnedPartsPlot(workload)
            for plot in (terms, owned):
                plot.show(results)
            open_terms = [one for one in terms.as_rows().cells if one[2] is not None]
            rows = {str(one[0]): (float(one[2] or 0), float(one[-3] or 0)) for one in open_terms}
            parts = {str(one[0]): float(one[1]) for one in owned.as_rows().cells if one[1] is not None}
            up = {str(one[0]): float(one[2] or 0) for one in owned.as_rows().cells}
        return Told(results, row, text, facts, rows, parts, up, {sheet.name: by_title(sheet) for sheet in book})

    return ask


def by_title(sheet: ReadSheet) -> dict[str, float]:
    """The number right of each text; the first where a text stands twice."""
    found: dict[str, float] = {}
    for where, text in sheet.texts.items():
        column, line = where.rstrip("0123456789"), where.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
        right = f"{chr(ord(column) + 1)}{line}" if len(column) == 1 else ""
        if right in sheet.numbers:
            found.setdefault(text, sheet.numbers[right])
    return found


def service(name: str, economics: Economics, traffic: Traffic) -> Scenario:
    return Scenario(
        name="money", model=load_shipped_catalog().models["llama-3.1-8b"].model, economics=economics,
        serving=ServingWorkload(classes=(BIG,), traffic=traffic), hardware=HardwareChoice(accelerators=(name,)),
    )  # fmt: skip


def three(value: float) -> str:
    """Three significant digits, as every page writes them."""
    return f"{value:#.3g}".removesuffix(".")


def close(value: float) -> object:
    return pytest.approx(value, rel=1e-9)


def test_owning_a_fleet_of_h200(told: Callable[..., Told]) -> None:
    """HGX H200: 340,000 USD and 10.4 kW for eight. Four years, a tenth resold, 10 % a year; PUE 1.25 at 8.5 ct/kWh."""
    found = told(service(H200, Economics(serving_procurement="own"), Traffic(mean_over_peak=0.5)), "serving")
    devices = found.row["devices"]
    # Replicas stay in their box of eight, which needs a plain port of 1,000.
    assert found.row["devices_per_replica"] <= 8 < devices
    bought = (340_000 / 8 + 1_000 / 8 + 600) * 1.02
    assert bought == pytest.approx(44_089.5)
    capital = (bought - 0.1 * bought / 1.1**4) * 0.1 / (1 - 1.1**-4)
    kilowatts = 10.4 / 8 * 1.08
    # Those in use draw what the plan tells of them, the rest of each box idles: 2.2 of 10.2 kW, as boxes of H100 do.
    paid = 8 * math.ceil(devices / 8)
    drawn = found.row["power_w"] / 1000 / paid
    assert 2.2 / 10.2 * kilowatts * 1.25 < drawn < kilowatts * 0.76 * 1.25
    year = {
        "Capital": capital, "Colocation": 195 * kilowatts * 12, "Electricity": drawn * 0.085 * 8760,
        "Hardware support": 0.05 * bought, "Software": 0.0, "Staff": 400.0, "Insurance and tax": 0.005 * bought,
    }  # fmt: skip
    total = sum(year.values())
    hour, up = total / 8760, total / 8760 / 0.97
    in_use = up * paid / devices
    # The window.
    for part, usd in year.items():
        assert found.parts[part] == close(usd), part
    assert found.parts["Total"] == close(total)
    # Beside others' hours and rented ones, which are hours in which a device is up.
    assert found.up["Total"] == close(in_use)
    assert found.up["Rent by the hour"] == close(offers(H200)["on_demand_usd_per_h"])
    worth = sum(total * 1.1 ** -(y + 1) for y in range(3))
    assert found.terms["Own"] == (close(in_use), close(paid / 0.97 * worth))
    # The command line.
    assert (found.row["paid_devices"], found.row["unit_devices"]) == (paid, 8)
    assert found.row["usd_per_device_hour"] == close(in_use)
    assert found.row["usd_per_month"] == close(paid * up * 730)
    per_request = paid * up / (3600 * 600 * 0.5)
    assert found.row["usd_per_request"] == close(per_request)
    assert found.row["usd_per_million_output_tokens"] == close(per_request / 300 * 1e6)
    assert f"${three(per_request / 300 * 1e6).rstrip('0')} per M output tokens" in found.text
    # The workbook.
    sheet = found.sheets["Cost sheet"]
    assert sheet["Owning a device, per year"] == close(total)
    assert sheet["Per calendar hour"] == close(hour)
    # The purchase against renting, by the year, from its cash flows.
    invest = found.results.decision.ownership["serving"].investment
    rent = offers(H200)["on_demand_usd_per_h"]
    saved = rent * 8760 * 0.97 * devices - (total - capital) * paid
    flows, times = [-bought * paid] + [saved] * 4 + [0.1 * bought * paid], (0, 1, 2, 3, 4, 4)
    assert list(invest.cash_flows_usd) == [close(one) for one in flows]
    assert invest.npv_usd == close(sum(flow / 1.1**y for y, flow in zip(times, flows, strict=True)))
    left = sum(flow / (1 + invest.irr) ** y for y, flow in zip(times, flows, strict=True))
    assert left == pytest.approx(0, abs=bought * 1e-3)
    assert invest.payback_years == close(bought * paid / saved)
    # Where owning breaks even.
    terms = {one.term: one for one in found.results.decision.ownership["serving"].terms}
    assert terms["rent_on_demand"].break_even_share == close(in_use / rent)


@pytest.mark.deep
def test_renting_h200_for_working_days_in_euros(told: Callable[..., Told]) -> None:
    """50 TB out and 10 TB kept a month, a tenth for support; five days a week, half more load a year; 1.1 USD/EUR."""
    economics = Economics(
        rates=(ExchangeRate("EUR", 1.1),), display_currency="EUR",
        renting=RentalTerms(serving_egress_bytes_per_month=50e12, stored_bytes=10e12, support_share=0.1),
        uncertainty=UncertaintyTerms(confidence="expected"),
    )  # fmt: skip
    traffic = Traffic(mean_over_peak=0.5, days=(1.0,) * 5, growth_per_year=0.5)
    found = told(service(H200, economics, traffic), "serving")
    price, devices = offers(H200)["on_demand_usd_per_h"], found.row["devices"]
    month = (devices * price * 730 + 50_000 * 0.09 + 10_000 * 0.023) * 1.1
    assert found.row["usd_per_device_hour"] == close(price)
    assert found.row["usd_per_month"] == close(month)
    mean = 0.5 * 5 / 7
    per_request = month / 730 / (3600 * 600 * mean)
    assert found.row["usd_per_request"] == close(per_request)
    assert found.row["usd_per_million_output_tokens"] == close(per_request / 300 * 1e6)
    # In euros where it is read, in dollars where it is computed.
    assert f"€{three(per_request / 300 * 1e6 / 1.1)} per M output tokens" in found.text
    (told_first,) = [part for part in verdicts(found.results)[0].detail.split(" · ") if "per M output" in part]
    assert told_first.partition(" (")[0] in found.text
    costs = {one.code: one.value for one in found.results.decision.ownership["serving"].unit_costs}
    assert f"€{three(costs['million_output_alone'] / 1.1)} per M output tokens, cost of prompts excluded" in found.facts
    assert costs["beside_devices"] == close((50_000 * 0.09 + 10_000 * 0.023) * 1.1)
    assert costs["user_month"] == close(per_request * 20 * 365 / 12)
    # Prompt and answer make the request: 1,500 tokens of which 600 come from the cache.
    parts = 900 * costs["million_input"] + 600 * costs["million_cached_input"] + 300 * costs["million_output_alone"]
    assert parts / 1e6 == close(per_request)
    # Each year's fleet, bill and worth.
    table, best = found.results.plan.serving.table, found.results.plan.serving.best
    # The simulation put the number of replicas right: each is planned for what falls to it now.
    rate, each = float(table.load_per_replica_per_s[best]), int(table.devices_per_replica[best])
    beside_load = round(float(table.replicas[best])) - round(600 / rate)
    fleets = [(math.ceil(600 * 1.5**year / rate - 1e-9) + beside_load) * each for year in (1, 2, 3)]
    grown = [(1.5 ** (y + 1) - 1.5**y) / math.log(1.5) for y in range(3)]
    bills = [
        (fleet * price * 8760 + (50_000 * 0.09 * load + 10_000 * 0.023) * 12) * 1.1
        for fleet, load in zip(fleets, grown, strict=True)
    ]
    worth = sum(bill * 1.1 ** -(year + 1) for year, bill in enumerate(bills))
    assert found.terms["Rent by the hour"] == (close(price), close(worth))
    mixed = found.results.decision.ownership["serving"].commitment_usd
    assert found.terms["Reserve some and rent the rest"][1] == close(mixed)
    assert mixed < min(usd for name, (_, usd) in found.terms.items() if name.startswith("Rent"))
    # What is taken for granted stands below.
    steps = " → ".join(str(fleet // each) for fleet in fleets)
    assert f"({steps} replicas)" in found.facts
    assert "36 % of the peak (50 % within the busiest day × 71 % for the week)" in found.facts
    assert "2 days of the week have no load stated, so the plan assumes none." in found.facts
    # The workbook turns every amount by the same rate.
    sheet = found.sheets["Cost sheet"]
    assert sheet["Fleet, per month"] == close(month / 1.1)
    assert sheet["Price of a device"] == close(price / 1.1)
    assert sheet["Mean over peak"] == close(mean)


def test_training_on_h100_by_the_hour(told: Callable[..., Told]) -> None:
    """Two runs a year of 20 B tokens; 12 TB out of each, 30 TB kept all year, a twentieth for support."""
    economics = Economics(
        fleets=FleetTerms(training_runs_per_year=2.0),
        renting=RentalTerms(training_egress_bytes_per_run=12e12, stored_bytes=30e12, support_share=0.05),
    )
    scenario = Scenario(
        name="money", model=load_shipped_catalog().models["llama-3.1-8b"].model, economics=economics,
        training=TrainingWorkload(tokens=20e9, restartable=True),
        hardware=HardwareChoice(accelerators=(H100,), training_devices=64),
    )  # fmt: skip
    found = told(scenario, "training")
    price, hours, devices = offers(H100)["on_demand_usd_per_h"], found.row["device_hours"], found.row["devices"]
    beside = 30_000 * 0.023 * 6 + 12_000 * 0.09
    run = (hours * price + beside) * 1.05
    assert found.row["usd_per_run"] == close(run)
    assert f"${float(f'{run:.3g}'):,.0f}".replace(",", "\N{NO-BREAK SPACE}") in found.text
    sheet = found.sheets["Cost sheet"]
    assert sheet["Cost of the run"] == close(run)
    assert sheet["Per million tokens trained"] == close(run / 20e9 * 1e6)
    # Over three years: six runs by the hour, or a fleet that is kept.
    worth = sum(1.1 ** -(year + 1) for year in range(3))
    assert found.terms["Rent by the hour"] == (close(price), close(2 * run * worth))
    reserved = offers(H100)["reserved_3y_usd_per_h"]
    kept = (devices * 8760 * reserved + 2 * beside) * 1.05
    assert found.terms["Rent for three years"] == (close(reserved), close(kept * worth))
    # Spot is cheaper by the hour and takes more hours.
    spot = offers(H100)["spot_usd_per_h"]
    shown_spot = found.terms["Rent spot capacity"]
    assert shown_spot[0] == close(spot)
    assert (2 * (hours * spot + beside) * 1.05 * worth) < shown_spot[1] < found.terms["Rent by the hour"][1]
    # Power, energy and carbon of a run: eight in 10.2 kW, 76 % drawn while they work, 2.2 kW while they wait for their
    # host, for other stages and in 600 s of start-up; PUE 1.25; 369 g/kWh, 328 kg over four years.
    energy = found.results.decision.ownership["training"].energy
    row = found.row
    working = (1 - (row["bubble_s"] + row["host_s"] + row["input_s"]) / row["step_time_s"]) * (
        1 - 600 / row["run_time_s"]
    )
    kilowatt_hours = (10.2 * 0.76 * working + 2.2 * (1 - working)) / 8 * 1.25 * hours
    assert energy.energy_kwh == close(kilowatt_hours)
    assert energy.electricity_carbon_kg == close(kilowatt_hours * 0.369)
    assert energy.embodied_carbon_kg == close(328 * hours / (4 * 8760))
    assert energy.carbon_kg == close(energy.electricity_carbon_kg + energy.embodied_carbon_kg)
    assert energy.water_litres == close(kilowatt_hours / 1.25)
    assert energy.kwh_per_million_tokens == close(kilowatt_hours / 20e3)
    # Whose prices they are, and what the same offer asks by the hour.
    assert "Nebius" in found.facts
    assert "Rent for three years: Google Cloud (on demand $11.62/h)." in found.facts
    assert f"{three(kilowatt_hours)} kWh" in found.facts
