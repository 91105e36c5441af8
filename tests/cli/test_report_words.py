"""Reports of the examples hold no names of code; `make test-deep` reads every example's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gpuplanner_gui.cli.main import main
from gpuplanner_gui.paths import resources_dir
from tests.identifiers import identifiers_in

EXAMPLES = sorted((resources_dir() / "examples").glob("*.gpuplan"))
USUAL = "one-developer"
SECTIONS = "board,summary,order,money,risks,monitoring,candidates,inputs,costs,sources"


@pytest.mark.parametrize(
    "example",
    [pytest.param(one, marks=() if one.stem == USUAL else pytest.mark.deep) for one in EXAMPLES],
    ids=lambda one: one.stem,
)
def test_a_report_holds_no_names_of_code(example: Path, tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    assert main(["report", str(example), "-o", str(path), "--sections", SECTIONS]) == 0
    text = re.sub(r"```.*?```", "", path.read_text("utf-8"), flags=re.DOTALL).replace("\\_", "_")
    assert len(text) > 2_000
    assert identifiers_in(text) == set()
