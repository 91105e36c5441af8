"""A mailed plan with figures of its own is not believed in silence: check, plan and report say both values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sized
from pathlib import Path
from typing import Any

import msgspec
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.domain.economics import Economics, RentedTerm
from gpuplanner_gui.domain.estate import EstateHardware
from gpuplanner_gui.domain.quantity import Triangular
from gpuplanner_gui.drawing import carried
from gpuplanner_gui.drawing.carried import carried_lines, estate_brought, with_own_figures
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.findings import all_findings, finding_text
from gpuplanner_gui.engine import context, plan
from gpuplanner_gui.engine.cost.offers import offers_of
from gpuplanner_gui.engine.estate.draft import PriceTerms, drafted_estate, offered_hardware, with_offered_prices
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project, project_to_bytes
from tests.conftest import SMALL_CHAT

pytestmark = pytest.mark.usefixtures("short_simulations")

EXAMPLE = SMALL_CHAT
EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
DEVICE = "amd-mi300x"


@pytest.fixture
def lying(tmp_path: Path) -> Path:
    """The attack: four times the bandwidth, a fifth of the price, no headlines that would tell."""
    content = json.loads(EXAMPLE.read_bytes())
    (device,) = (one for one in content["catalog"]["accelerators"] if one["id"] == DEVICE)
    device["memory_bandwidth_bytes_per_s"] *= 4
    device["rental"]["on_demand_usd_per_h"] = 0.5
    content["headlines"] = []
    path = tmp_path / "lying.gpuplan"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_check_lists_both_values(lying: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(lying)]) == 0
    told = capsys.readouterr().out
    assert "Instinct MI300X: Memory bandwidth is 21.2 TB/s in this file, 5.30 TB/s in your catalogue." in told
    assert "Rental price, on demand is $0.50/h in this file, $2.59/h" in told


def test_a_files_figures_are_in_the_currency_of_its_scenario(
    lying: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads(lying.read_bytes())
    content["scenarios"][0]["economics"].update(
        display_currency="CNY", rates=[{"currency": "CNY", "usd_per_unit": 0.125}]
    )
    path = tmp_path / "yuan.gpuplan"
    path.write_text(json.dumps(content), encoding="utf-8")
    assert main(["check", str(path)]) == 0
    assert "Rental price, on demand is CN¥4/h in this file" in capsys.readouterr().out
    assert main(["plan", str(path), "--top", "1"]) == 0
    told = capsys.readouterr().out.partition("This file has its own figures")[2]
    assert "Rental price, on demand is CN¥4/h in this file" in told
    assert re.search(r"M output is CN¥\S+ with the file.s figures, CN¥", told)


def test_plan_says_what_comes_out_with_either(lying: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(lying), "--top", "1"]) == 0
    told = capsys.readouterr().out
    assert "Instinct MI300X †" in told
    assert "The recommended Instinct MI300X (†) uses figures from this file" in told
    assert "with the file's figures" in told
    assert "with yours" in told
    assert main(["plan", str(lying), "--top", "1", "--own-figures"]) == 0
    own = capsys.readouterr().out
    assert "this file" not in own
    assert "†" not in own
    compared = re.search(r"\$/M output is (\S+) with the file's figures, (\S+) with yours", told)
    assert compared is not None
    verdicts = [re.search(r"(\S+) per M output tokens", text) for text in (told, own)]
    assert [one.group(1) for one in verdicts if one is not None] == list(compared.groups()), "of the plans shown"
    assert main(["plan", str(EXAMPLE), "--top", "1"]) == 0
    untouched = capsys.readouterr().out
    assert own.split("\n\n")[0] == untouched.split("\n\n")[0]


def test_a_plan_as_json_lists_them_too(lying: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(lying), "--top", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["carried"]) == 2
    assert {one["code"] for one in told["with_own_figures"]} > {"serving.devices", "serving.usd_per_month"}
    assert told["scenarios"][0]["findings"][0]["code"] == "carried_figures"


@pytest.mark.parametrize("ending", ["md", *(pytest.param(one, marks=pytest.mark.deep) for one in ("html", "csv"))])
def test_every_report_says_so(lying: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"report.{ending}"
    assert main(["report", str(lying), "-o", str(out)]) == 0
    told = out.read_text(encoding="utf-8")
    assert "uses figures from this file" in told
    assert "21.2 TB/s in this file, 5.30 TB/s in your catalogue" in told
    assert main(["report", str(lying), "-o", str(out), "--own-figures"]) == 0
    assert "this file" not in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "command",
    [["order"], ["load", "--requests", "20"], ["flags"], ["roofline"], ["deploy", "--target", "slurm", "-o", "{out}"]],
)
def test_other_commands_say_that_they_use_figures_of_the_file(
    lying: Path, tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    options = [part.format(out=tmp_path / "out") for part in command[1:]]
    assert main([command[0], str(lying), *options]) == 0
    assert capsys.readouterr().err.count("This file has its own figures") == 1


def test_a_file_without_figures_of_its_own_is_not_said_to_have_some(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["flags", str(EXAMPLE)]) == 0
    assert "its own figures" not in capsys.readouterr().err


def test_a_comparison_lists_figures_of_one_file_alone(lying: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "Instinct MI300X: Memory bandwidth is 21.2 TB/s in this file, 5.30 TB/s in your catalogue."
    assert main(["diff", str(EXAMPLE), str(lying), "--inputs-only"]) == 0
    told = capsys.readouterr().out
    assert "Figures of B alone that differ from your catalogue" in told
    assert line in told
    assert main(["diff", str(lying), str(lying), "--inputs-only"]) == 0
    assert "alone" not in capsys.readouterr().out
    assert main(["diff", str(EXAMPLE), str(lying), "--inputs-only", "--json"]) == 0
    (compared,) = json.loads(capsys.readouterr().out)
    assert compared["carried"]["a"] == []
    assert line in compared["carried"]["b"]


def test_a_device_that_is_not_recommended_and_one_that_is_unknown_are_told() -> None:
    project = load_project(EXAMPLE)
    own = load_shipped_catalog()
    cheap = next(one for one in project.catalog.accelerators if one.id != DEVICE)
    assert cheap.rental is not None
    dear = msgspec.structs.replace(
        cheap, rental=msgspec.structs.replace(cheap.rental, on_demand_usd_per_h=Triangular(90.0, 91.0, 92.0))
    )
    unknown = msgspec.structs.replace(cheap, id="acme-x", name="Acme X", rental=None, price=None)
    snapshot = msgspec.structs.replace(project.catalog, accelerators=(dear, unknown))
    catalog = merged_with_snapshot(own, snapshot)
    scenario = project.scenarios[0]
    results = Results(
        project=project, scenario=scenario, plan=plan(scenario, catalog, load_calibration()), catalog=catalog
    )
    told = [finding_text(one) for one in all_findings(results) if one.code == "carried_entries"]
    assert len(told) == 1
    assert cheap.name in told[0]
    assert "Acme X" in told[0]


def mailed(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """The example, changed by whoever mails it, without headlines that would tell."""
    content = json.loads(EXAMPLE.read_bytes())
    content["headlines"] = []
    change(content)
    path = tmp_path / "mailed.gpuplan"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def lines_of(path: Path) -> list[str]:
    project = load_project(path)
    return carried_lines(merged_with_snapshot(load_shipped_catalog(), project.catalog), project)


def own_price(path: Path) -> float:
    """What the device costs by the hour in a plan with own figures. [USD/h]"""
    own = load_shipped_catalog()
    catalog = merged_with_snapshot(own, with_own_figures(load_project(path), own).catalog)
    return offers_of(catalog).quote(catalog.accelerators[DEVICE], "rent_on_demand", Economics()).usd_per_hour


def test_a_quoted_price_is_told_beside_the_catalogues(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quote = {"accelerator": DEVICE, "rent_per_device_hour": {"amount": 0.5, "currency": "USD"}}
    path = mailed(tmp_path, lambda one: one["scenarios"][0]["economics"].update(overrides=[quote]))
    assert "Instinct MI300X: Rent on demand is $0.50/h in this file, $2.59/h in your catalogue." in lines_of(path)
    assert main(["plan", str(path), "--top", "1"]) == 0
    told = capsys.readouterr().out
    assert "Instinct MI300X †" in told
    assert "The recommended Instinct MI300X (†) is planned with prices quoted in this file" in told
    (own,) = with_own_figures(load_project(path), load_shipped_catalog()).scenarios
    assert own.economics.overrides == ()


UNSOLD: RentedTerm = "rent_3y"


def test_a_quotation_of_one_term_is_told_and_left_beside_the_catalogues_price_of_that_term(tmp_path: Path) -> None:
    """The catalogue has a price of the device on demand, and none for three years."""
    own = load_shipped_catalog()
    assert math.isnan(offers_of(own).quote(own.accelerators[DEVICE], UNSOLD, Economics()).usd_per_hour)
    rows = [
        {"accelerator": DEVICE, "term": term, "rent_per_device_hour": {"amount": usd, "currency": "USD"}}
        for term, usd in (("rent_on_demand", 0.5), (UNSOLD, 0.25))
    ]
    path = mailed(tmp_path, lambda one: one["scenarios"][0]["economics"].update(overrides=rows))
    told = [one for one in lines_of(path) if one.startswith("Instinct MI300X: Rent")]
    assert told[0] == "Instinct MI300X: Rent on demand is $0.50/h in this file, $2.59/h in your catalogue."
    assert len(told) == 2
    (left,) = with_own_figures(load_project(path), own).scenarios
    assert [one.term for one in left.economics.overrides] == [UNSOLD], "the catalogue has no such price"


def test_another_model_under_a_known_name_is_told_and_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = mailed(tmp_path, lambda one: one["scenarios"][0]["model"]["layers"][0].update(count=8))
    assert "Llama 3.1 70B: Layers is 8 in this file, 80 in your catalogue." in lines_of(path)
    assert main(["plan", str(path), "--top", "1"]) == 0
    told = capsys.readouterr().out
    assert "Llama 3.1 70B differs from the model of the same name in your catalogue" in told
    assert "Serving: Devices is 2 devices" in told
    (own,) = with_own_figures(load_project(path), load_shipped_catalog()).scenarios
    assert own.model.layers[0].count == 80


def only_the_dearest(content: dict[str, Any]) -> None:
    """Every offer is genuine; the cheaper ones are left out."""
    offers = content["catalog"]["offers"]
    ours = [one for one in offers if one["accelerator_id"] == DEVICE]
    dearest = max(ours, key=lambda one: one.get("on_demand_usd_per_h") or 0)
    content["catalog"]["offers"] = [one for one in offers if one not in ours or one is dearest]


def an_invented_offer(content: dict[str, Any]) -> None:
    """Under an identifier that no catalogue knows, it would be the device's only one."""
    first = next(one for one in content["catalog"]["offers"] if one["accelerator_id"] == DEVICE)
    invented = {**first, "id": "new", "market": "own", "on_demand_usd_per_h": 0.01}
    content["catalog"]["offers"] = [invented]


@pytest.mark.parametrize("lie", [only_the_dearest, an_invented_offer])
def test_prices_that_offers_lead_to_are_told_and_left(lie: Callable[[dict[str, Any]], None], tmp_path: Path) -> None:
    path = mailed(tmp_path, lie)
    told = [line for line in lines_of(path) if line.startswith("Instinct MI300X: Rent on demand is ")]
    assert len(told) == 1
    assert "$2.59/h in your catalogue" in told[0]
    assert own_price(path) == pytest.approx(2.59)


def renamed(content: dict[str, Any]) -> None:
    (device,) = (one for one in content["catalog"]["accelerators"] if one["id"] == DEVICE)
    device["name"] = "H100 SXM 80GB"


def own_price_claimed(content: dict[str, Any]) -> None:
    """A price by the hour that says that it is the planner's own stands before all offers."""
    (device,) = (one for one in content["catalog"]["accelerators"] if one["id"] == DEVICE)
    device["rental"]["confidence"] = "user"


@pytest.mark.parametrize(
    ("lie", "words"),
    [(renamed, "Name is H100 SXM 80GB in this file, Instinct MI300X"), (own_price_claimed, "kind of source is user")],
)
def test_what_is_no_number_is_told_too(lie: Callable[[dict[str, Any]], None], words: str, tmp_path: Path) -> None:
    assert words in " ".join(lines_of(mailed(tmp_path, lie)))


def test_the_sets_of_measurements_of_a_file_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = mailed(tmp_path, lambda one: one.update(measurements=[{"name": "mine"}, {"name": "off", "is_used": False}]))
    assert main(["plan", str(path), "--top", "1"]) == 0
    assert "Predictions are calibrated with measurements from this file: 1 sets." in capsys.readouterr().out


def test_a_known_model_with_nothing_to_do_is_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def idle(content: dict[str, Any]) -> None:
        content["scenarios"][0].pop("serving")
        content["scenarios"][0]["model"]["hidden_size"] = 1

    assert main(["plan", str(mailed(tmp_path, idle)), "--json"]) == 0


@pytest.mark.parametrize("example", sorted(EXAMPLES.glob("*.gpuplan")), ids=lambda path: path.stem)
def test_nothing_is_told_of_files_that_agree(example: Path) -> None:
    """The estate's prices are quotations of its own: a test of theirs is below."""
    project = load_project(example)
    catalog = merged_with_snapshot(load_shipped_catalog(), project.catalog)
    assert carried_lines(catalog, msgspec.structs.replace(project, estate=None)) == []


def test_a_new_source_or_date_is_no_new_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = load_project(EXAMPLE)
    noted = tuple(msgspec.structs.replace(one, notes=("read again",)) for one in project.catalog.accelerators)
    snapshot = msgspec.structs.replace(project.catalog, accelerators=noted)
    path = tmp_path / "noted.gpuplan"
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, catalog=snapshot)))
    assert main(["check", str(path)]) == 0
    assert "own figures" not in capsys.readouterr().out


ESTATE = EXAMPLES / "estate-12-quarters.gpuplan"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.gpuplan")), ids=lambda path: path.stem)
def test_no_example_brings_figures_of_its_own(path: Path) -> None:
    project = load_project(path)
    assert carried_lines(merged_with_snapshot(load_shipped_catalog(), project.catalog), project) == []


@pytest.fixture
def own_estate(tmp_path: Path) -> Path:
    """The example with half the rent, and purchases that no fabric's share explains."""
    project = load_project(ESTATE)
    assert project.estate is not None
    hardware = tuple(
        msgspec.structs.replace(
            one, rent_usd_per_device_hour=(one.rent_usd_per_device_hour or 0.0) / 2,
            purchase_usd=(one.purchase_usd or 0.0) / 2, running_usd_per_month=1.0,
        )
        for one in project.estate.hardware
    )  # fmt: skip
    path = tmp_path / "estate.gpuplan"
    estate = msgspec.structs.replace(project.estate, hardware=hardware)
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, estate=estate)))
    return path


def test_an_estates_prices_are_told_beside_the_catalogues(own_estate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = load_project(own_estate)
    assert project.estate is not None
    own = load_shipped_catalog()
    catalog = merged_with_snapshot(own, project.catalog)
    assert main(["check", str(own_estate)]) == 0
    told = capsys.readouterr().out
    for one in project.estate.hardware:
        rent = format_value(one.rent_usd_per_device_hour, "USD/h")
        assert f"{one.name}: Rent per device, on demand is {rent} in this file" in told, "of a device, not of a node"
        assert f"{one.name}: Purchase price per unit is" in told
    first, second = project.scenarios[:2]
    assert any("Rent per device" in line for line in carried_lines(catalog, project, [first]))
    assert not any("Rent per device" in line for line in carried_lines(catalog, project, [second])), "told once"
    own_prices = with_own_figures(project, own)
    assert own_prices.estate is not None
    assert not estate_brought(own_prices, catalog)
    assert [one.lead_time_months for one in own_prices.estate.hardware] == [
        one.lead_time_months for one in project.estate.hardware
    ], "what the catalogue does not know stays"


def test_an_estate_takes_the_prices_that_a_first_one_is_made_with(own_estate: Path) -> None:
    project, catalog, calibration = load_project(own_estate), load_shipped_catalog(), load_calibration()
    assert project.estate is not None
    plans = {one.name: plan(one, catalog, calibration) for one in project.scenarios[1:2]}
    terms = PriceTerms(catalog, calibration, project.scenarios[0], plans)
    renewed = with_offered_prices(project.estate, terms)
    assert not estate_brought(msgspec.structs.replace(project, estate=renewed), catalog)
    for before, after in zip(project.estate.hardware, renewed.hardware, strict=True):
        (bought,) = (one for one in offered_hardware(after.accelerator, terms) if one.purchase_usd is not None)
        assert (after.purchase_usd, after.running_usd_per_month) == (bought.purchase_usd, bought.running_usd_per_month)
        assert (after.name, after.lead_time_months) == (before.name, before.lead_time_months)
        assert after.rent_trend_per_year == before.rent_trend_per_year


def test_an_estate_at_the_catalogues_prices_brings_none_of_its_own() -> None:
    project, catalog = load_project(ESTATE), load_shipped_catalog()
    plans = {one.name: plan(one, catalog, load_calibration()) for one in project.scenarios[1:2]}
    drafted = drafted_estate(project, catalog, load_calibration(), plans)
    assert drafted.hardware
    assert not estate_brought(msgspec.structs.replace(project, estate=drafted), catalog)


def test_powers_are_guessed_once_for_all_units_of_an_estate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every device of the catalogue is held against every other for it: per unit, the window stood still."""
    project, catalog = load_project(ESTATE), load_shipped_catalog()
    asked: list[int] = []

    def noted(entries: Sized) -> dict[str, float]:
        asked.append(len(entries))
        return {}

    context.context_of.cache_clear()
    monkeypatch.setattr(context, "assumed_power", noted)
    estate_brought(project, catalog)
    assert project.estate is not None
    assert len(project.estate.hardware) > 1
    assert asked == [len(catalog.accelerators)]
    context.context_of.cache_clear()


def test_an_edit_of_one_unit_of_an_estate_asks_for_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """The window asks at each edit, and would stand still for all of them."""
    project, catalog = load_project(ESTATE), load_shipped_catalog()
    assert project.estate is not None
    before = estate_brought(project, catalog)
    first, *others = project.estate.hardware
    dearer = msgspec.structs.replace(first, purchase_usd=2 * (first.purchase_usd or 1.0))
    estate = msgspec.structs.replace(project.estate, hardware=(dearer, *others))
    edited = msgspec.structs.replace(project, estate=estate)
    asked: list[str] = []
    known_unit = carried._known_unit

    def noted(unit: EstateHardware, terms: PriceTerms) -> EstateHardware | None:
        asked.append(unit.name)
        return known_unit(unit, terms)

    monkeypatch.setattr(carried, "_known_unit", noted)
    assert estate_brought(edited, catalog) != before
    assert estate_brought(project, catalog) == before
    assert asked == [first.name]
