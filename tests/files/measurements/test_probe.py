"""The probe: what it writes imports with its phases, and it needs nothing but PyTorch."""

from __future__ import annotations

import ast
import json
import sys

import pytest

from gpuplanner_gui.domain.measurement import missing_context
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.measurements import import_file
from gpuplanner_gui.files.measurements.sets import read_sets
from gpuplanner_gui.paths import resources_dir


def probe_script():
    return resources_dir() / "probe" / "gpuplanner_probe.py"


def test_it_imports_nothing_but_pytorch_and_what_python_has():
    names = set()
    for node in ast.walk(ast.parse(probe_script().read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    assert names - set(sys.stdlib_module_names) == {"torch"}
    assert not names & {"socket", "http", "urllib", "ssl"}


def test_results_carry_their_phase(samples, catalog, calibration):
    found = read_sets(samples / "probe-cpu.json", catalog, calibration, {"gpu": "H100"})
    runs = found.sets[0].measurements
    assert {phase for run in runs for phase in run.phases} == {
        "prefill", "decode", "training", "kernel", "communication",
    }  # fmt: skip
    assert [run for run in runs if missing_context(run)] == []
    collective = next(run for run in runs if run.context.operation == "all_reduce")
    assert (collective.context.devices, collective.context.message_bytes) == (2, 8192.0)


def test_a_device_that_no_catalogue_has_is_asked_for(samples, catalog, calibration):
    assert read_sets(samples / "probe-cpu.json", catalog, calibration).missing == ("accelerator",)


def test_a_stopped_probe_says_so_and_a_newer_one_is_refused(samples, tmp_path):
    probe = json.loads((samples / "probe-cpu.json").read_text())
    stopped = tmp_path / "stopped.json"
    stopped.write_text(json.dumps(probe | {"is_complete": False, "remarks": ["stopped before the end"]}))
    assert "stopped before the end" in import_file(stopped).remarks
    newer = tmp_path / "newer.json"
    newer.write_text(json.dumps(probe | {"version": 2}))
    with pytest.raises(FileProblem, match="newer probe"):
        import_file(newer)
