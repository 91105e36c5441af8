"""What a fit ships, in memory: usual values where a fit moves nothing, all else as it stands."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from tools.fit_serving.catalogue import calibration_of, habit_changes
from tools.fit_serving.closed_loops import (
    QUEUE_SPACE,
    LoopFit,
    left_out_fits,
    logs_of,
    loop_problem,
    measured_families,
    neutral_context,
    step_space,
)
from tools.fit_serving.tables import measured_cases
from tools.observation.habits import EngineHabits


@pytest.fixture(scope="module")
def problem():
    catalog, calibration = load_shipped_catalog(), load_calibration()
    cases, _ = measured_cases("serving", catalog, calibration)
    loops = [one for one in cases if one.case.load == "closed_loop" and one.case.engine == "vllm"]
    return loop_problem(loops[::40], "vllm", neutral_context(catalog, calibration), measured_families())


@pytest.fixture(scope="module")
def still():
    """A fit that has moved nothing."""
    space = step_space()
    return LoopFit(space, np.zeros(len(space.slots)), np.zeros(len(QUEUE_SPACE.slots)), {}, {})


def test_a_fit_that_moves_nothing_ships_usual_values(problem, still):
    calibration = load_calibration()
    found = calibration_of(calibration, still, [problem])
    vllm = found.engine("vllm")
    assert (vllm.product_launch, vllm.collective_factor, vllm.decode_step_host_s) == (0.8, 1.1, 3e-4)
    assert vllm.admission_steps == 1.0
    assert found.engine("sglang") == calibration.engine("sglang")
    assert {family.product_launch for family in found.families} == {1.0}


def test_habits_that_nothing_told_are_usual(still):
    found = habit_changes(still, "vllm", recipe_looks_less_often=False)
    assert found["admission_steps"] == {"usual": 2.0, "sweep": 1.0}
    assert found["crowd_steps"] == {"usual": 1.0, "sweep": 1.0}
    assert found["drafts_gain"] == 1.15
    assert habit_changes(still, "sglang", recipe_looks_less_often=True)["crowd_steps"] == {"usual": 1.0}
    assert set(found) <= set(EngineHabits.__struct_fields__)


def test_every_group_has_a_fit_that_has_not_seen_it(problem, still):
    """Measurements of one group that are ten times as long move all fits but its own."""
    group = problem.cases[0].group
    own = np.array([one.group == group for one in problem.cases])
    longer = problem.at(np.arange(len(problem.cases)))
    longer.log_tpot[own] += np.log(10.0)
    before, after = (left_out_fits([one], still.space, still) for one in (problem, longer))
    assert np.array_equal(before[group].step, after[group].step)
    assert all(not np.array_equal(before[name].step, after[name].step) for name in before if name != group)
    logs = logs_of([problem], before)["vllm"]
    assert logs[1][own] == pytest.approx(before[group].logs(problem.at(np.flatnonzero(own)))[1])
