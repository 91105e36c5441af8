"""A report about the candidates and scenarios that the planner chose."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.api import save
from gpuplanner_gui.cli.main import main
from gpuplanner_gui.drawing.candidate_keys import candidate_key
from gpuplanner_gui.drawing.in_depth import about, ranked_candidate
from gpuplanner_gui.drawing.report.model import Paragraph, Table
from gpuplanner_gui.drawing.report.money import cost_sheets
from gpuplanner_gui.drawing.report.sections import candidates_sections, sources_sections
from gpuplanner_gui.drawing.report.summary import summary_sections
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text
from gpuplanner_gui.drawing.words.targets import column_of, targets_of
from gpuplanner_gui.engine.advisor.reasons import plan_about
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

pytestmark = pytest.mark.usefixtures("short_simulations", "plans_made_once")

EXAMPLE = resources_dir() / "examples" / "13b-two-deployments.gpuplan"


@cache
def planned() -> Results:
    return answered(load_project(EXAMPLE), is_judged=False)[0]


def test_a_chosen_candidate_takes_the_recommended_ones_place() -> None:
    before = planned()
    assert before.plan.serving is not None
    second = ranked_candidate(before, "serving", 2)
    after = about(before, load_calibration(), {"serving": second})
    assert after.plan.serving is not None
    assert after.plan.serving.best == second
    assert after.recommended == {"serving": before.plan.serving.best}
    month = {
        row.key: row.value for sheet in cost_sheets(after) for row in sheet.rows if sheet.title.endswith("service")
    }
    assert month["month"] == after.plan.serving.table.usd_per_month[second]
    said = [
        block.text
        for section in summary_sections(after)
        for block in section.blocks
        if isinstance(block, Paragraph) and "describes the selected candidate" in block.text
    ]
    assert len(said) == 1


def test_cards_have_the_memory_that_they_are_sold_with() -> None:
    """288 GB, of which programs can use 269 GB: the catalogue and the report told another each."""
    sold = {one.name: one for one in planned().catalog.accelerators.values()}
    (table,) = (block for one in sources_sections(planned()) for block in one.blocks)
    assert isinstance(table, Table)
    told = {row[0].text: row[1].text for row in table.rows}
    assert told == {name: format_value(sold[name].memory_nominal_bytes, "bytes") for name in told}
    assert any(sold[name].memory_bytes < 0.99 * sold[name].memory_nominal_bytes for name in told)


def test_pinned_candidates_are_compared_beside_the_recommended_one() -> None:
    results = planned()
    second = ranked_candidate(results, "serving", 2)
    first, *_ = candidates_sections(replace(results, pinned={"serving": (second,)}), "serving")
    assert "pinned candidates" in first.title
    assert results.plan.serving is not None
    shown = (results.plan.serving.best, second)
    names = [candidate_text(results.plan, results.catalog, "serving", one) for one in shown]
    assert [row[0].text for block in first.blocks if isinstance(block, Table) for row in block.rows] == names


def test_the_recommended_one_chosen_changes_nothing() -> None:
    before = planned()
    assert before.plan.training is not None
    same = about(before, load_calibration(), {"training": before.plan.training.best, "serving": 10**6})
    assert same.plan is before.plan
    assert same.recommended == {}


def test_what_cannot_run_is_refused() -> None:
    results = planned()
    assert results.plan.serving is not None
    unfit = next(row for row, fits in enumerate(results.plan.serving.table.fits) if not fits)
    arguments = (results.scenario, results.catalog, load_calibration(), results.plan)
    with pytest.raises(ValueError, match="cannot run"):
        plan_about(*arguments, {"serving": unfit})
    with pytest.raises(IndexError):
        plan_about(*arguments, {"serving": -1})
    assert about(replace(results, selected={}), load_calibration(), {"serving": unfit}).recommended == {}


def test_command_line_refuses_what_the_project_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "plan.md")
    assert main(["report", str(EXAMPLE), "-o", out, "--scenario", "nobody"]) != 0
    assert "nobody" in capsys.readouterr().err
    assert main(["report", str(EXAMPLE), "-o", out, "--serving-rank", "999999"]) != 0
    assert "999999" in capsys.readouterr().err
    assert not Path(out).exists()


def _named(tmp_path: Path, rank: int) -> tuple[Path, Results, int]:
    """A file that names the service at a rank, its plan, and the candidate."""
    results = planned()
    row = ranked_candidate(results, "serving", rank)
    key = candidate_key(results.plan, "serving", row)
    scenario = msgspec.structs.replace(results.scenario, training=None, chosen_serving=key)
    path = tmp_path / "named.gpuplan"
    save(scenario, path)
    return path, results, row


def test_every_output_is_about_the_candidate_that_the_file_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, results, row = _named(tmp_path, 3)
    table = results.plan.served.table
    assert table.devices[row] != table.devices[results.plan.served.best], "else orders could not be told apart"
    name, said = candidate_text(results.plan, results.catalog, "serving", row), "describes the selected candidate"
    assert main(["plan", str(path)]) == 0
    assert f"The file names another candidate, {name}" in capsys.readouterr().out
    assert main(["flags", str(path)]) == 0
    assert name in capsys.readouterr().out
    assert main(["order", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["devices"] == table.devices[row]
    assert main(["order", str(path)]) == 0
    assert said in capsys.readouterr().out


def test_a_report_follows_the_file_and_the_rank_follows_the_command(tmp_path: Path) -> None:
    path, results, _ = _named(tmp_path, 3)
    plain = tmp_path / "plain.gpuplan"
    save(msgspec.structs.replace(results.scenario, training=None), plain)

    def written(file: Path, *rank: str) -> str:
        out = tmp_path / "out.md"
        assert main(["report", str(file), "-o", str(out), *rank, "--sections", "summary,deploy"]) == 0
        return out.read_text()

    named = written(path)
    assert "describes the selected candidate" in named
    assert named == written(plain, "--serving-rank", "3")
    assert written(path, "--serving-rank", "1") == written(plain)


def test_a_named_candidate_that_cannot_run_leaves_the_recommended_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = planned()
    unfit = next(row for row, fits in enumerate(results.plan.served.table.fits) if not fits)
    key = candidate_key(results.plan, "serving", unfit)
    path = tmp_path / "unfit.gpuplan"
    save(msgspec.structs.replace(results.scenario, training=None, chosen_serving=key), path)
    assert main(["plan", str(path)]) == 0
    assert "names a candidate that cannot run here" in capsys.readouterr().out
    assert main(["flags", str(path)]) == 0
    best = candidate_text(results.plan, results.catalog, "serving", results.plan.served.best)
    assert best in capsys.readouterr().out


def test_latencies_of_targets_are_those_of_the_chosen_candidate() -> None:
    before = planned()
    second = ranked_candidate(before, "serving", 2)
    after = about(before, load_calibration(), {"serving": second}).plan.served
    targets = targets_of(before.scenario)
    columns = [column_of(slo) for _, slo in targets]
    assert len(before.scenario.service.classes) == 1
    assert any(columns)
    for place, column in enumerate(columns):
        if column is not None:
            assert after.target_latency_s[place] == pytest.approx(float(getattr(after.table, column)[second]))
