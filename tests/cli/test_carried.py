"""A mailed plan with figures of its own is not believed in silence: check, plan and report say both values."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.domain.quantity import Triangular
from gpuplanner_gui.drawing.findings import all_findings
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.findings import finding_text
from gpuplanner_gui.engine import plan
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project, project_to_bytes

EXAMPLE = Path(__file__).parents[2] / "resources" / "examples" / "70b-chat.gpuplan"
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
    assert "Rental price, on demand is $0.500/h in this file, $2.59/h" in told


def test_plan_says_what_comes_out_with_either(lying: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(lying), "--top", "1"]) == 0
    told = capsys.readouterr().out
    assert "Instinct MI300X †" in told
    assert "The recommended Instinct MI300X is planned with figures of this file" in told
    assert "with the file's figures" in told
    assert "with yours" in told
    assert main(["plan", str(lying), "--top", "1", "--own-figures"]) == 0
    own = capsys.readouterr().out
    assert "this file" not in own
    assert "†" not in own
    assert main(["plan", str(EXAMPLE), "--top", "1"]) == 0
    untouched = capsys.readouterr().out
    assert own.split("\n\n")[0] == untouched.split("\n\n")[0]


def test_a_plan_as_json_lists_them_too(lying: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(lying), "--top", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["carried"]) == 2
    assert told["scenarios"][0]["findings"][0]["code"] == "carried_figures"


@pytest.mark.parametrize("ending", ["md", "html", "csv"])
def test_every_report_says_so(lying: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"report.{ending}"
    assert main(["report", str(lying), "-o", str(out)]) == 0
    told = out.read_text(encoding="utf-8")
    assert "planned with figures of this file" in told
    assert "21.2 TB/s in this file, 5.30 TB/s in your catalogue" in told
    assert main(["report", str(lying), "-o", str(out), "--own-figures"]) == 0
    assert "this file" not in out.read_text(encoding="utf-8")


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


def test_a_new_source_or_date_is_no_new_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = load_project(EXAMPLE)
    noted = tuple(msgspec.structs.replace(one, notes=("read again",)) for one in project.catalog.accelerators)
    snapshot = msgspec.structs.replace(project.catalog, accelerators=noted)
    path = tmp_path / "noted.gpuplan"
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, catalog=snapshot)))
    assert main(["check", str(path)]) == 0
    assert "own figures" not in capsys.readouterr().out
