"""The fit of the prior of local calibration: its slope, and what it finds in results that are made to order."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.local_calibration import NUMBERS, CovarianceTerm
from tests.engine.local_fit.conftest import LENGTHS, point, prior
from tools.fit_local_prior.likelihood import Handfuls, fitted, fitted_without, kinds_of, negative_log_likelihood
from tools.fit_local_prior.measured import GroupedPoints


def test_slope_is_that_of_the_likelihood():
    chance = np.random.default_rng(5)
    alike = np.ones((3, 6, 4, 4))
    alike[0] = (chance.integers(0, 2, (6, 4, 1)) == np.zeros((6, 1, 4))) * 1.0
    alike[0] = alike[0] * alike[0].transpose(0, 2, 1)
    gaps = chance.normal(size=(len(NUMBERS), 6, 4))
    squares = (gaps[:, :, :, None] - gaps[:, :, None, :]) ** 2
    terms = (*prior().terms, CovarianceTerm(same=(), lengths={"log2_batch": 1.0}, log_sd=0.1))
    by_name = dict(zip(NUMBERS, squares))
    pairs = Handfuls(chance.normal(size=(6, 4)) * 0.2, alike, by_name, kinds_of(terms))
    assert [kind.names for kind in pairs.kinds] == [tuple(LENGTHS), ("log2_batch",)]
    vector = np.log(np.array([0.1, 0.2, 0.15, *[1.5] * (len(LENGTHS) + 1), 0.05]))
    _, slope = negative_log_likelihood(vector, pairs)
    for index in range(len(vector)):
        moved = np.zeros(len(vector))
        moved[index] = 1e-5
        above, below = (negative_log_likelihood(vector + sign * moved, pairs)[0] for sign in (1, -1))
        assert slope[index] == pytest.approx((above - below) / 2e-5, rel=1e-4, abs=1e-6)


def test_groups_that_are_off_as_a_whole_get_a_wide_constant_and_little_noise():
    chance = np.random.default_rng(6)
    points, groups = [], []
    for group in range(8):
        off = chance.normal() * 0.3
        for _ in range(20):
            points.append(point(off + chance.normal() * 0.01, model=f"m{group}", log2_batch=chance.uniform(0, 8)))
            groups.append(f"g{group}")
    found = fitted(
        msgspec.structs.replace(prior(), noise_log_sd=0.05), GroupedPoints(points, groups), sorted(set(groups))
    )
    constant, smooth = (term.log_sd for term in found.terms)
    assert constant > 0.1
    assert smooth < 0.05
    assert found.noise_log_sd < 0.02


def test_a_group_is_judged_by_a_prior_of_the_others():
    chance = np.random.default_rng(7)
    points, groups = [], []
    for group in range(5):
        for _ in range(12):
            wild = group == 0
            points.append(point(chance.normal() * (0.5 if wild else 0.01), model=f"m{group}"))
            groups.append(f"g{group}")
    found = fitted_without(prior(), GroupedPoints(points, groups))
    assert sorted(found) == sorted(set(groups))
    assert found["g0"].noise_log_sd < min(found[f"g{group}"].noise_log_sd for group in range(1, 5))
