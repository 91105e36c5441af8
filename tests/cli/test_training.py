"""`gpuplanner layouts` and `gpuplanner scaling`: ranked layouts with reasons, and a run on ever more devices."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.files.project import load_project, project_to_bytes
from gpuplanner_gui.paths import resources_dir

H100 = "nvidia-h100-sxm-80gb"


@pytest.fixture(scope="module")
def project_path(tmp_path_factory) -> Path:
    project = load_project(resources_dir() / "examples" / "7b-continued-pretraining.gpuplan")
    hardware = HardwareChoice(accelerators=(H100,), training_devices=64, max_training_devices=128)
    scenario = msgspec.structs.replace(project.scenarios[0], hardware=hardware)
    path = tmp_path_factory.mktemp("training") / "run.gpuplan"
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, scenarios=(scenario,))))
    return path


def answer(capsys, *arguments: str) -> dict:
    assert main(list(arguments)) == 0
    (scenario,) = json.loads(capsys.readouterr().out)["scenarios"]
    return scenario


def test_layouts_as_json_are_ranked_with_what_each_lost_by(project_path, capsys):
    found = answer(capsys, "layouts", str(project_path), "--top", "20", "--json")
    assert found["accelerator"] == H100
    assert found["tried"] > found["fitting"] > 20
    first, *others = found["layouts"]
    assert first["rank"] == 1
    assert first["on_front"]
    assert first["lost_by"] is None
    assert len(others) == 19
    for row in others:
        assert row["devices"] == 64
        assert row["run_time_s"] >= first["run_time_s"]
        assert row["lost_by"].endswith("_s")
        assert row["lost_by_s"] > 0


def test_layouts_as_text_say_why_they_lost(project_path, capsys):
    assert main(["layouts", str(project_path), "--top", "3", "--by", "cost"]) == 0
    printed = capsys.readouterr().out
    assert "Lowest cost: " in printed
    assert "why it lost" in printed
    assert "the best" in printed
    assert len(re.findall(r"\S+ \S+ slower: ", printed)) == 2


def test_devices_that_the_planner_ruled_out_are_no_rivals(project_path, capsys):
    assert main(["plan", str(project_path), "--top", "40"]) == 0
    printed = capsys.readouterr().out
    assert "H100 SXM5 80GB" in printed
    assert "excluded by the hardware choice" not in printed


def test_layouts_by_devices_need_a_deadline(project_path, tmp_path, capsys):
    project = load_project(project_path)
    free = msgspec.structs.replace(project.scenarios[0].training, deadline_s=None)
    scenario = msgspec.structs.replace(project.scenarios[0], training=free)
    path = tmp_path / "free.gpuplan"
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, scenarios=(scenario,))))
    assert main(["layouts", str(path), "--by", "devices"]) == 1
    assert "deadline" in capsys.readouterr().err


def test_scaling_as_json_names_the_knee(project_path, capsys):
    found = answer(capsys, "scaling", str(project_path), "--json")
    devices = [point["devices"] for point in found["points"]]
    assert devices[0] == 1
    assert devices[-1] == 100_000
    assert found["knee_devices"] in devices
    runs = [point for point in found["points"] if point["can_run"]]
    assert runs[0]["run_time_s"] > runs[-1]["run_time_s"]
    assert all(0 < point["efficiency"] <= 1 for point in runs)
    assert any(point["usd_per_day_saved"] is not None for point in runs)


def test_scaling_as_text_marks_the_knee(project_path, capsys):
    assert main(["scaling", str(project_path)]) == 0
    printed = capsys.readouterr().out
    assert printed.count("(knee)") == 1
    assert "Cost of each hour saved" in printed


@pytest.mark.parametrize("command", ["layouts", "scaling"])
def test_what_cannot_be_asked_is_refused_in_a_sentence(command, project_path, capsys):
    assert main([command, str(resources_dir() / "examples" / "70b-chat.gpuplan")]) == 1
    assert "no scenario trains" in capsys.readouterr().err
    assert main([command, str(project_path), "--scenario", "nobody's"]) == 1
    assert "nobody" in capsys.readouterr().err
    assert main([command, str(project_path), "--accelerator", "abacus"]) == 1
    assert "abacus" in capsys.readouterr().err
