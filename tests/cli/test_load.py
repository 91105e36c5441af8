"""`gpuplanner load`: percentiles against rate, beside the quick estimate; a trace in place of the classes."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.scenario import HardwareChoice
from gpuplanner_gui.files.project import load_project, project_to_bytes
from gpuplanner_gui.paths import resources_dir
from tests.conftest import SMALL_CHAT

TRACE = Path(__file__).parents[1] / "files" / "traces" / "data" / "azure-llm-2023-conv.csv"


@pytest.fixture(scope="module")
def project_path(tmp_path_factory) -> Path:
    project = load_project(SMALL_CHAT)
    scenario = msgspec.structs.replace(
        project.scenarios[0], hardware=HardwareChoice(accelerators=("nvidia-h200-sxm-141gb",))
    )
    path = tmp_path_factory.mktemp("load") / "chat.gpuplan"
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, scenarios=(scenario,))))
    return path


def test_json_holds_every_percentile_and_the_key_rates(project_path, capsys):
    assert main(["load", str(project_path), "--requests", "300", "--json"]) == 0
    (scenario,) = json.loads(capsys.readouterr().out)["scenarios"]
    curve = scenario["curve"]
    assert scenario["accelerator"] == "nvidia-h200-sxm-141gb"
    assert curve["max_rate_per_s"] > curve["slo_rate_per_s"] > 0
    assert scenario["closed_form"]["max_rate_per_s"] == pytest.approx(curve["max_rate_per_s"], rel=0.25)
    assert len(curve["points"]) == 20
    for point in curve["points"]:
        for metric in ("ttft_s", "itl_s", "tpot_s", "e2e_s"):
            assert list(point[metric]) == ["mean", "p50", "p90", "p95", "p99"]
        assert {"kv_use", "preemptions", "throughput_per_s", "closed_form_ttft_mean_s", "ttft_differs"} <= set(point)
    assert curve["littles_law_error"] < 0.01
    assert scenario["trace_replay"] is None


def test_text_names_saturation_targets_and_knee(project_path, capsys):
    assert main(["load", str(project_path), "--requests", "300"]) == 0
    printed = capsys.readouterr().out
    for words in ("TTFT, one replica", "ITL, one replica", "E2E, one replica", "quick estimate, mean", "preempted"):
        assert words in printed
    assert "Saturates at " in printed
    assert "Every target is met up to " in printed


def test_stated_rates_are_simulated_in_order(project_path, capsys):
    assert main(["load", str(project_path), "--rates", "2,0.5", "--requests", "200", "--json"]) == 0
    (scenario,) = json.loads(capsys.readouterr().out)["scenarios"]
    assert [point["rate_per_s"] for point in scenario["curve"]["points"]] == [0.5, 2.0]


def test_a_trace_is_replayed_at_its_own_rate_too(project_path, capsys):
    arguments = ["load", str(project_path), "--trace", str(TRACE), "--rates", "1", "--requests", "600", "--json"]
    assert main(arguments) == 0
    (scenario,) = json.loads(capsys.readouterr().out)["scenarios"]
    (replay,) = scenario["trace_replay"]["points"]
    assert replay["rate_per_s"] == pytest.approx(600 / 148.19, rel=1e-3)
    assert scenario["trace_replay"]["requests_per_rate"] == 600
    assert scenario["closed_form"] is None


@pytest.mark.parametrize("rates", ["0", "-1", "one", "nan", "1,,2"])
def test_what_is_no_rate_is_told_in_a_sentence(project_path, capsys, rates):
    assert main(["load", str(project_path), f"--rates={rates}"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "--rates" in captured.err


def test_an_unknown_scenario_is_told(project_path, capsys):
    assert main(["load", str(project_path), "--scenario", "none"]) == 1
    assert "no scenario 'none' serves" in capsys.readouterr().err


def test_a_project_without_serving_is_told(capsys):
    path = resources_dir() / "examples" / "7b-continued-pretraining.gpuplan"
    assert main(["load", str(path)]) == 1
    assert "serving load" in capsys.readouterr().err
