"""An estate in a file: it reads back as it was, and what contradicts itself is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.project import load_project, project_from_bytes, project_to_bytes

KEPT = Path(__file__).parent / "versions" / "version_4.gpuplan"


def test_an_estate_reads_back_as_it_was():
    project = load_project(KEPT)
    assert project.estate is not None
    assert project.estate.workloads[0].growth_per_year == 0.3
    assert project_from_bytes(project_to_bytes(project)).estate == project.estate


def test_a_file_from_before_estates_has_none():
    assert load_project(KEPT.with_name("version_3.gpuplan")).estate is None


@pytest.mark.parametrize(
    ("path", "value", "place"),
    [
        (("workloads", 0, "scenario"), "nobody", "$.estate.workloads[0].scenario"),
        (("workloads", 0, "part"), "training", "$.estate.workloads[0].part"),
        (("workloads", 0, "pool"), "none", "$.estate.workloads[0].pool"),
        (("workloads", 0, "end"), "2026-01", "$.estate.workloads[0].end"),
        (("workloads", 0, "load_shares"), [1.0], "$.estate.workloads[0].load_shares"),
        (("pools", 0, "site"), "moon", "$.estate.pools[0].site"),
        (("hours", 0, "hours_per_day"), 7.0, "$.estate.hours"),
        (("periods",), 60, "$.estate.periods"),
    ],
)
def test_what_contradicts_itself_is_refused_with_its_place(path, value, place):
    data = json.loads(KEPT.read_bytes())
    spot = data["estate"]
    for key in path[:-1]:
        spot = spot[key]
    spot[path[-1]] = value
    with pytest.raises(FileProblem) as caught:
        project_from_bytes(json.dumps(data).encode())
    assert place in str(caught.value)
