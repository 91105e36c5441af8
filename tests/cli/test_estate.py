"""`gpuplanner estate`: the shipped example as text and JSON, and a file without an estate."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.drawing.words.estate import missing_workloads_text
from gpuplanner_gui.engine.estate.answer import MissingWorkloadsError, workload_options
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project, project_to_bytes

pytestmark = pytest.mark.usefixtures("short_simulations")

EXAMPLES = Path(__file__).parents[2] / "resources" / "examples"
ESTATE = str(EXAMPLES / "estate-12-quarters.gpuplan")


def test_json_has_periods_orders_and_the_gap(capsys):
    assert main(["estate", ESTATE, "--json", "--gap", "0.3", "--seconds", "300"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["periods"]) == 12
    assert found["violations"] == []
    assert found["left_out"] == []
    assert 0 <= found["gap"] <= 0.3
    assert {one["workload"] for one in found["workloads"]} == {
        "Assistant 70B", "Search 8B", "Support 13B", "Spring tuning 8B", "Autumn tuning 70B",
    }  # fmt: skip
    bought = sum(one["usd"] for one in found["orders"] if one["kind"] == "buy")
    rented = sum(one["usd"] for one in found["orders"] if one["kind"] == "rent")
    assert abs(sum(one["capital_usd"] for one in found["periods"]) - bought) < 0.01
    assert abs(sum(one["rented_usd"] for one in found["periods"]) - rented) < 0.01


def test_text_leads_with_the_cost_and_says_why_no_limit_is_listed(capsys):
    assert main(["estate", ESTATE, "--gap", "0.5", "--seconds", "300", "--why"]) == 0
    found = capsys.readouterr().out
    assert found.startswith("$")
    assert "No limit is binding" in found
    assert "\n\n\n" not in found


def test_a_workload_that_no_scenario_plans_is_named():
    """In a window the estate may be newer than the scenarios that were planned."""
    project = load_project(ESTATE)
    lost = msgspec.structs.replace(project, scenarios=project.scenarios[1:])
    with pytest.raises(MissingWorkloadsError) as raised:
        workload_options(lost, load_shipped_catalog(), load_calibration())
    assert raised.value.workloads == (("Assistant 70B", "serving"),)
    assert "Assistant 70B (serving)" in missing_workloads_text(raised.value.workloads)


def test_plan_names_the_command_that_plans_the_estate(tmp_path, capsys):
    """Of the example with each scenario's work at a small model on one kind of device, without targets to simulate."""
    project = load_project(ESTATE)
    small = load_shipped_catalog().models["llama-3.1-8b"].model
    scenarios = []
    for one in project.scenarios:
        hardware = msgspec.structs.replace(one.hardware, accelerators=("nvidia-h200-sxm-141gb",))
        served = one.serving and msgspec.structs.replace(
            one.serving, classes=tuple(msgspec.structs.replace(it, slos=()) for it in one.serving.classes)
        )
        scenarios.append(msgspec.structs.replace(one, model=small, hardware=hardware, serving=served))
    path = tmp_path / "estate.gpuplan"
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, scenarios=tuple(scenarios))))
    assert main(["plan", str(path), "--top", "1"]) == 0
    assert f"an estate of 5 workloads: `gpuplanner estate {path}`" in capsys.readouterr().out


def test_a_file_without_an_estate_is_told(capsys):
    assert main(["estate", str(EXAMPLES / "70b-chat.gpuplan")]) == 1
    assert "no estate" in capsys.readouterr().err
