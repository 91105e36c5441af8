from __future__ import annotations

import pytest

from gpuplanner_gui.desktop.store import BadPath, joined, replaced, steps_of, value_at
from gpuplanner_gui.domain.field import Problem, problems_of
from gpuplanner_gui.domain.scenario import Project, Scenario

RATE = "serving.classes[0].peak_rate_per_s"


@pytest.fixture
def scenario(project: Project) -> Scenario:
    return project.scenarios[0]


def test_path_is_read_as_names_and_indices() -> None:
    assert steps_of("serving.classes[0].slos[12].limit_s") == ("serving", "classes", 0, "slos", 12, "limit_s")
    assert steps_of("") == ()


@pytest.mark.parametrize("path", ["a..b", "a[", "a[x]", ".a", "a[0]b", "a b"])
def test_malformed_path_is_refused(path: str) -> None:
    with pytest.raises(BadPath, match="cannot be read"):
        steps_of(path)


def test_replaced_value_is_found_again_and_the_original_is_untouched(scenario: Scenario) -> None:
    before = value_at(scenario, RATE)
    changed = replaced(scenario, RATE, 77.0)
    assert value_at(changed, RATE) == 77.0
    assert value_at(scenario, RATE) == before


def test_what_is_beside_the_path_is_shared(scenario: Scenario) -> None:
    changed = replaced(scenario, RATE, 77.0)
    assert changed.model is scenario.model
    assert changed.serving.traffic is scenario.serving.traffic


@pytest.mark.parametrize("path", ["nothing", "serving.classes[9].name", "serving.nothing", "name[0]", "name.x"])
def test_path_that_leads_nowhere_is_refused(scenario: Scenario, path: str) -> None:
    with pytest.raises(BadPath, match="there is no"):
        value_at(scenario, path)
    with pytest.raises(BadPath, match="there is no"):
        replaced(scenario, path, 1)


def test_paths_of_domain_problems_lead_to_the_faulty_value(scenario: Scenario) -> None:
    faulty = replaced(scenario, "serving.classes[0].slos[1].limit_s", -1.0)
    (problem,) = problems_of(faulty)
    assert isinstance(problem, Problem)
    assert value_at(faulty, problem.path) == -1.0


def test_joined_paths() -> None:
    assert joined("serving", "classes") == "serving.classes"
    assert joined("classes", "[0].name") == "classes[0].name"
    assert joined("", "name") == "name"
    assert joined("name", "") == "name"
