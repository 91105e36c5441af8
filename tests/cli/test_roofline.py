"""`gpuplanner roofline`: the operations of a project's recommended candidates."""

from __future__ import annotations

import json

from gpuplanner_gui.cli import main
from gpuplanner_gui.paths import resources_dir

EXAMPLE = str(resources_dir() / "examples" / "13b-two-deployments.gpuplan")


def test_operations_of_every_phase_with_their_parts(capsys):
    assert main(["roofline", EXAMPLE, "--json"]) == 0
    answers = {one["workload"]: one for one in json.loads(capsys.readouterr().out)}
    assert set(answers) == {"serving", "training"}
    serving = answers["serving"]
    assert {"prefill", "decode"} == {one["phase"] for one in serving["points"]}
    for one in serving["points"]:
        parts = one["compute_s"] + one["bandwidth_s"] + one["interconnect_s"] + one["host_s"]
        assert abs(parts - one["time_s"]) <= 1e-9 * one["time_s"]
        assert one["limit"] in ("compute", "memory_bandwidth", "interconnect", "host", "partly_filled_tiles")
    assert serving["largest_batch"] >= serving["planned_batch"] >= 1


def test_text_names_ceilings_and_operations(capsys):
    assert main(["roofline", EXAMPLE]) == 0
    out = capsys.readouterr().out
    for words in ("by the datasheet", "measured", "LM head", "Prefill", "Decode", "Training step"):
        assert words in out


def test_a_scenario_that_is_not_there_is_told(capsys):
    assert main(["roofline", EXAMPLE, "--scenario", "nobody"]) == 1
    assert "no scenario is named 'nobody'" in capsys.readouterr().err
