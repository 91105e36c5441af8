"""The probe: its files import with their phases, it needs nothing but PyTorch, and processors speak for themselves."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from gpuplanner_gui.domain.measurement import missing_context
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by
from gpuplanner_gui.files.measurements import import_file
from gpuplanner_gui.files.measurements.sets import completed, read_sets
from gpuplanner_gui.paths import resources_dir

PROCESSOR = {"gpu": "Xeon 8480C"}


def probe_script():
    return resources_dir() / "probe" / "gpuplanner_probe.py"


def run_probe(*arguments, folder):
    command = [sys.executable, str(probe_script()), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder, check=False)


@pytest.fixture
def changed(samples, tmp_path):
    """A real probe file with some of its parts replaced."""

    def make(device=(), **parts):
        found = json.loads((samples / "probe-cpu-2.json").read_text())
        path = tmp_path / "probe.json"
        path.write_text(json.dumps(found | {"device": found["device"] | dict(device)} | parts))
        return path

    return make


def test_it_imports_nothing_but_pytorch_and_what_python_has():
    names = set()
    for node in ast.walk(ast.parse(probe_script().read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
    assert names - set(sys.stdlib_module_names) == {"torch"}
    assert not names & {"socket", "http", "urllib", "ssl"}


def test_python_3_8_reads_it():
    tree = ast.parse(probe_script().read_text(encoding="utf-8"), feature_version=(3, 8))
    values = [node.value for node in ast.walk(tree) if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value]
    built_in = {"list", "dict", "tuple", "set", "type"}
    evaluated = [
        part.value.id
        for value in values
        for part in ast.walk(value)
        if isinstance(part, ast.Subscript) and isinstance(part.value, ast.Name)
    ]
    assert not built_in & set(evaluated)
    called = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    assert not called & {"removeprefix", "removesuffix", "is_relative_to", "readlink", "UTC", "pairwise"}


def test_without_pytorch_it_says_so_in_a_sentence(tmp_path):
    found = run_probe(folder=tmp_path)
    assert found.returncode == 1
    assert found.stderr.startswith("gpuplanner_probe: it needs PyTorch, and this Python (")
    assert "Traceback" not in found.stderr
    assert list(tmp_path.iterdir()) == []


def test_its_help_needs_no_pytorch_and_says_what_was_never_tried(tmp_path):
    found = run_probe("--help", folder=tmp_path)
    assert found.returncode == 0
    assert "What was not: several GPUs and NCCL, FP4, ROCm, XPU and MPS" in found.stdout


def test_the_first_run_loads_kernels_and_never_counts(monkeypatch, tmp_path):
    """On an H200 the first training step of a block took 1.6 s and those after it 12 ms."""
    spec = importlib.util.spec_from_file_location("the_probe", probe_script())
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "the_probe", module)
    spec.loader.exec_module(module)
    runs = iter([1.6, *[0.012] * 100])
    monkeypatch.setattr(module, "run_time", lambda probe, work: next(runs))
    machine = module.Probe(SimpleNamespace(type="cpu"), tmp_path / "probe.json", 0, None)
    assert module.timed(machine, lambda _: None).p50 == 0.012
    runs = iter([1.7, 1.6])
    assert module.timed(machine, lambda _: None).figures[0] == ("kernel_time", "p50", 1.6)


@pytest.mark.parametrize(
    "wrong", [("--minutes", "nan"), ("--minutes", "-1"), ("--memory-share", "5"), ("--ranks", "two")]
)
def test_an_option_that_can_not_be_is_refused_before_anything_else(wrong, tmp_path):
    found = run_probe(*wrong, folder=tmp_path)
    assert found.returncode == 2
    assert wrong[1] in found.stderr


def test_results_carry_their_phase(samples, catalog, calibration):
    found = read_sets(samples / "probe-cpu-2.json", catalog, calibration, PROCESSOR)
    runs = found.sets[0].measurements
    assert {phase for run in runs for phase in run.phases} == {
        "prefill", "decode", "training", "kernel", "communication",
    }  # fmt: skip
    assert [run for run in runs if missing_context(run)] == []
    collective = next(run for run in runs if run.context.operation == "all_reduce")
    assert (collective.context.devices, collective.context.message_bytes) == (2, 8192.0)


def test_memory_of_a_training_step_is_memory_and_not_a_step(changed):
    figures = [
        {"quantity": "kernel_time", "statistic": "p50", "value": 0.01},
        {"quantity": "memory_used", "statistic": "max", "value": 2e9},
    ]
    result = {"operation": "block", "precision": "bf16", "shape": "x", "phase": "training", "figures": figures}
    (run,) = import_file(changed(results=[result])).measurements
    assert [one.phase for one in run.figures] == ["training", "memory"]


def test_how_a_kernel_was_launched_stays_with_its_shape(changed):
    figures = [{"quantity": "kernel_time", "statistic": "p50", "value": 1e-5}]
    gemm = {"operation": "gemm", "precision": "bf16", "shape": "m=1 n=2 k=3", "figures": figures, "launch": "graph"}
    (run,) = import_file(changed(results=[gemm])).measurements
    assert run.context.shape == "m=1 n=2 k=3 launch=graph"


def test_a_device_that_no_catalogue_has_is_asked_for_and_a_processor_is_not(samples, changed, catalog, calibration):
    unknown = changed(device={"name": "NVIDIA Never Heard Of", "kind": "cuda"})
    assert read_sets(unknown, catalog, calibration).missing == ("accelerator",)
    assert read_sets(samples / "probe-cpu-2.json", catalog, calibration).missing == ()


def test_figures_of_a_busy_device_and_of_different_devices_are_noted(changed):
    busy = import_file(changed(conditions={"utilization.gpu": "37"})).measurements
    assert {run.note for run in busy} == {"the device was 37 % busy before"}
    mixed = import_file(changed(device={"names": ["NVIDIA A10", "NVIDIA L4"]})).measurements
    assert {run.context.devices for run in mixed if run.note} == {2}
    for idle in ("3", "[N/A]", "-1", "nan", "1e9"):
        assert not any(run.note for run in import_file(changed(conditions={"utilization.gpu": idle})).measurements)


def test_what_ran_on_a_processor_never_speaks_for_an_accelerator(samples, catalog, calibration):
    with pytest.raises(FileProblem, match="measured on a processor"):
        read_sets(samples / "probe-cpu-2.json", catalog, calibration, {"gpu": "H100"})
    unnamed = read_sets(samples / "probe-cpu-2.json", catalog, calibration)
    assert any("not used to plan accelerators" in remark for remark in unnamed.remarks)
    with pytest.raises(FileProblem, match="measured on a processor"):
        completed(unnamed.sets[0], {"gpu": "H100"}, catalog, calibration)
    named = read_sets(samples / "probe-cpu-2.json", catalog, calibration, PROCESSOR)
    assert named.sets[0].measurements[0].context.accelerator == "intel-xeon-8480c"
    assert calibrated_by(named.sets, catalog, calibration) is calibration


def test_a_slice_of_a_device_does_not_speak_for_the_device(changed, catalog, calibration):
    name = "NVIDIA H100 80GB HBM3 MIG 1g.10gb"
    found = read_sets(changed(device={"name": name, "kind": "cuda"}), catalog, calibration)
    assert found.missing == ("accelerator",)
    assert any("slice" in remark for remark in found.remarks)


def test_files_of_the_first_version_are_still_read(samples):
    assert len(import_file(samples / "probe-cpu.json").measurements) == 38


def test_a_stopped_probe_says_so_and_a_newer_one_is_refused(changed):
    stopped = import_file(changed(is_complete=False, remarks=["stopped before the end"]))
    assert "stopped before the end" in stopped.remarks
    assert any("did not finish" in remark for remark in stopped.remarks)
    with pytest.raises(FileProblem, match="newer probe"):
        import_file(changed(version=3))
    for strange in (None, "two", -1, [2]):
        with pytest.raises(FileProblem, match="the probe's version"):
            import_file(changed(version=strange))


def test_a_file_that_was_cut_or_holds_nonsense_gets_a_sentence(samples, tmp_path, changed):
    whole = (samples / "probe-cpu-2.json").read_bytes()
    cut = tmp_path / "cut.json"
    cut.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FileProblem, match="GPU Planner probe, but it is cut off in the middle"):
        import_file(cut)
    wrong = {"quantity": "kernel_time", "statistic": "p50", "value": -1.0}
    strange = [{"operation": "gemm", "figures": [wrong]}, {"figures": "none"}, 7, {"figures": [{"value": 1e300}]}]
    for results in ([], strange, "none"):
        with pytest.raises(FileProblem, match="contains no measurement"):
            import_file(changed(results=results))
