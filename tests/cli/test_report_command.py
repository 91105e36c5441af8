"""`gpuplanner report`: the format by the name's ending, scenarios compared, words where it cannot be written."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from gpuplanner_gui.cli import main
from gpuplanner_gui.files.project import load_project, project_to_bytes
from gpuplanner_gui.paths import resources_dir

JOB = resources_dir() / "examples" / "7b-continued-pretraining.gpuplan"


@pytest.mark.slow
def test_scenarios_of_a_project_are_compared_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = load_project(JOB)
    (one,) = project.scenarios
    assert one.training is not None
    longer = msgspec.structs.replace(one.training, tokens=4e11)
    scenarios = (one, msgspec.structs.replace(one, name="Twice the tokens", training=longer))
    path = tmp_path / "two.gpuplan"
    path.write_bytes(project_to_bytes(msgspec.structs.replace(project, scenarios=scenarios)))
    assert main(["report", str(path), "-o", str(tmp_path / "two.md")]) == 0
    text = (tmp_path / "two.md").read_text(encoding="utf-8")
    assert 0 < text.index("## Scenarios compared") < text.index("## Twice the tokens")
    assert "| Training tokens |" in text.replace("Training › ", "")
    assert "two.md" in capsys.readouterr().out


def test_an_unknown_ending_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(JOB), "-o", str(tmp_path / "plan.docx")]) == 1
    assert "not a report format" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["report", str(JOB), "-o", str(tmp_path / "file" / "plan.csv")]) == 1
    error = capsys.readouterr().err
    assert "can't be written" in error
    assert "Traceback" not in error
