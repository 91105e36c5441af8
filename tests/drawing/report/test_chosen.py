"""A report about the candidates and scenarios that the planner chose."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from gpuplanner_gui.api import plan as answered
from gpuplanner_gui.cli.main import main
from gpuplanner_gui.drawing.in_depth import about, ranked_candidate
from gpuplanner_gui.drawing.report.model import Paragraph
from gpuplanner_gui.drawing.report.money import cost_sheets
from gpuplanner_gui.drawing.report.summary import summary_sections
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.engine.advisor.reasons import plan_about
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

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
