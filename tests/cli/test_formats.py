"""`gpuplanner formats`: the matrix of formats as text and JSON."""

from __future__ import annotations

import json

from gpuplanner_gui.cli import main


def test_matrix_of_some_accelerators(capsys):
    assert main(["formats", "a100-80gb", "h100-sxm", "rtx-5090"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split()[:3] == ["Accelerator", "FP32", "BF16"]
    assert "emulated" in lines[2]
    assert "not supported" in lines[4]


def test_json_has_every_operation_with_its_source(capsys):
    assert main(["formats", "h100-sxm", "--json", "--engine", "trtllm"]) == 0
    cells = json.loads(capsys.readouterr().out)
    assert {one["operation"] for one in cells} == {"products", "experts", "kv_cache"}
    fp8 = next(one for one in cells if (one["precision"], one["operation"]) == ("fp8", "products"))
    assert (fp8["support"], fp8["hardware"], fp8["is_recorded"]) == ("native", "native", True)
    assert "support matrix" in fp8["source"]


def test_unknown_accelerators_are_told(capsys):
    assert main(["formats", "abacus"]) == 1
    assert "not in the catalogue" in capsys.readouterr().err
