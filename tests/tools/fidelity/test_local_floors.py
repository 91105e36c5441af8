"""What would remain of a group's error if more were known: by hand on groups made to order."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.domain.local_calibration import CovarianceTerm
from tests.engine.local_fit.conftest import point, prior
from tools.fidelity.local_floors import apart, best_factor, floors_of, floors_report, median_error, most_telling
from tools.fit_local_prior.measured import GroupedPoints

BY_ENGINE = prior(
    terms=(CovarianceTerm(same=("model",), log_sd=0.05), CovarianceTerm(same=("model", "engine"), log_sd=0.3)),
    noise_log_sd=0.02,
)


def test_the_best_factor_leaves_the_least_median_error():
    residuals = np.array([0.2, 0.2, 0.21, 0.19, 1.5, -0.7])
    found = best_factor(residuals)
    assert found == pytest.approx(0.2, abs=0.01)
    assert median_error(residuals, np.full(6, found)) < 0.01 < median_error(residuals, np.zeros(6))


def test_the_most_telling_points_are_of_parts_not_met_before():
    points = [point(0.0, engine=name) for name in ("a", "a", "a", "b", "b", "c")]
    chosen = most_telling(BY_ENGINE, points, 3)
    assert sorted(points[index].engine for index in chosen) == ["a", "b", "c"]
    assert points[chosen[0]].engine == "a"


def test_a_group_of_two_engines_needs_a_factor_each():
    chance = np.random.default_rng(3)
    points = [
        point((0.3 if engine == "a" else -0.3) + 0.01 * chance.normal(), engine=engine)
        for engine in ("a", "b") for _ in range(15)
    ]  # fmt: skip
    found = floors_of("made", GroupedPoints(points, ["g"] * 30), {"g": BY_ENGINE}, 5, 1)
    none, one, by_engine, by_release, others, chosen, own = found.error[0]
    assert none > 0.25
    assert one > 0.2
    assert max(by_engine, by_release, others, chosen) < 0.03
    assert own < 0.1
    assert found.factors.tolist() == [2]
    assert 0.05 < found.if_right[0] < 0.6
    assert "| g |" in floors_report([found])


def test_runs_alike_are_told_apart_by_their_figures_alone():
    alike = [point(0.0, release="1.0"), point(0.2, release="1.0"), point(0.2, release="1.0")]
    others = [point(0.5, release="1.1"), point(0.5, release="1.0", log2_batch=5.0), point(0.5, quantity="itl")]
    assert sorted(apart([*alike, *others])) == pytest.approx([0.0, 0.2, 0.2])
    # What was predicted is not what is stated: a fit may take two builds of one release for different.
    assert len(apart([point(0.1), point(0.3, log2_time=-5.0)])) == 1
    assert not len(apart(others))
