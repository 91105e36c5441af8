"""`gpuplanner diff A B`: inputs that differ, and what they do to the results."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.domain.economics import ExchangeRate
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.project import load_project, project_to_bytes

pytestmark = pytest.mark.usefixtures("short_simulations")


@pytest.fixture
def files(tmp_path):
    scenario = Scenario(
        name="chat",
        model=load_shipped_catalog().models["llama-3.1-8b"].model,
        serving=ServingWorkload(classes=(RequestClass(peak_rate_per_s=20.0),)),
        hardware=HardwareChoice(accelerators=("nvidia-l40s",)),
    )
    busier = replaced(scenario, "serving.classes[0].peak_rate_per_s", 80.0)
    first, second = tmp_path / "a.gpuplan", tmp_path / "b.gpuplan"
    first.write_bytes(project_to_bytes(Project(scenarios=(scenario,))))
    extra = msgspec.structs.replace(scenario, name="extra")
    second.write_bytes(project_to_bytes(Project(scenarios=(busier, extra))))
    return first, second


def test_inputs_and_results_that_differ_are_printed(files, capsys):
    assert main(["diff", *map(str, files)]) == 0
    printed = capsys.readouterr().out
    assert "serving.classes[0].peak_rate_per_s  20 req/s  80 req/s" in printed
    assert "Serving: Devices" in printed
    assert "extra: only in B" in printed


def test_json_is_in_base_units(files, capsys):
    assert main(["diff", "--json", *map(str, files)]) == 0
    (chat, extra) = json.loads(capsys.readouterr().out)
    assert chat["inputs"] == [{"path": "serving.classes[0].peak_rate_per_s", "unit": "req/s", "a": 20.0, "b": 80.0}]
    devices = next(one for one in chat["results"] if one["code"] == "serving.devices")
    assert devices["b"] > devices["a"]
    assert extra == {"a": None, "b": "extra"}


def test_amounts_are_in_the_currency_that_the_first_shows(files, tmp_path, capsys):
    (scenario,) = load_project(files[0]).scenarios
    rates = (ExchangeRate("EUR", 1.25),)
    euros = msgspec.structs.replace(scenario.economics, display_currency="EUR", rates=rates)
    shown = tmp_path / "euros.gpuplan"
    shown.write_bytes(project_to_bytes(Project(scenarios=(msgspec.structs.replace(scenario, economics=euros),))))
    cells = {}
    for pair in ((files[0], files[0]), (shown, files[0])):
        assert main(["diff", *map(str, pair)]) == 0
        (line,) = [one for one in capsys.readouterr().out.splitlines() if one.startswith("Serving: Cost per month")]
        cells[pair[0]] = re.findall(r"([$€])([\d.,\s]*\d)", line)
    (dollars, _), (in_euros, other) = cells[files[0]], cells[shown]
    assert (dollars[0], in_euros[0]) == ("$", "€")
    assert in_euros == other, "one currency in both columns"
    amounts = [float(re.sub(r"[\s,]", "", text)) for _, text in (dollars, in_euros)]
    assert amounts[1] == pytest.approx(amounts[0] / 1.25, rel=0.01)


def test_results_are_those_that_plan_prints(capsys):
    corrected = str(Path(__file__).parents[1] / "cases" / "s12-single-spark.gpuplan")
    assert main(["plan", corrected, "--json", "--top", "1"]) == 0
    (planned,) = json.loads(capsys.readouterr().out)["scenarios"]
    assert planned["simulated"]["replicas"] != planned["simulated"]["quick_replicas"], "a simulation that corrects"
    assert main(["diff", corrected, corrected, "--json"]) == 0
    (compared,) = json.loads(capsys.readouterr().out)
    results = {one["code"]: (one["a"], one["b"]) for one in compared["results"]}
    best = planned["serving"][0]
    for column in ("devices", "ttft_p95_s", "usd_per_month"):
        assert results[f"serving.{column}"] == (best[column], best[column]), column


def test_inputs_only_plans_nothing(files, capsys):
    assert main(["diff", "--inputs-only", *map(str, files)]) == 0
    printed = capsys.readouterr().out
    assert "peak_rate_per_s" in printed
    assert "Serving: Devices" not in printed


def test_a_file_that_is_no_project_is_one_sentence(files, tmp_path, capsys):
    wrong = tmp_path / "wrong.gpuplan"
    wrong.write_text("{}")
    assert main(["diff", str(files[0]), str(wrong)]) == 1
    assert "not a GPU Planner project" in capsys.readouterr().err
