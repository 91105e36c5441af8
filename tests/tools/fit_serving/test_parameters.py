"""Parameters of a fit: what deviates by engine and family, and the slopes that follow."""

from __future__ import annotations

import numpy as np
import pytest

from tools.fit_serving.parameters import Parameter, ParameterSpace, index_of

SPACE = ParameterSpace(
    (Parameter("floor", 2.0, 0.5, by_engine=True, by_family=True), Parameter("host_s", 1e-3, 1.0)),
    ("vllm", "sglang"),
    ("Hopper", "Blackwell"),
)
ENGINE, FAMILY = np.array([0, 1, 1]), np.array([0, 0, -1])


def test_nothing_told_leaves_everything_usual():
    found = SPACE.values(np.zeros(len(SPACE.slots)), ENGINE, FAMILY)
    assert found["floor"] == pytest.approx([2.0, 2.0, 2.0])
    assert found["host_s"] == pytest.approx([1e-3] * 3)


def test_deviations_multiply():
    vector = np.zeros(len(SPACE.slots))
    for position, slot in enumerate(SPACE.slots):
        vector[position] = {"common": 0.0, "engine": 2.0 * slot.index, "family": 1.0}[slot.kind]
    found = SPACE.values(vector, ENGINE, FAMILY)
    assert found["floor"] == pytest.approx([2 * np.exp(0.5), 2 * np.exp(1.5), 2 * np.exp(1.0)])
    assert found["host_s"] == pytest.approx([1e-3] * 3)
    assert SPACE.engine_values(vector, 1)["floor"] == pytest.approx(2 * np.exp(1.0))
    assert SPACE.family_factors(vector, 0) == {"floor": pytest.approx(np.exp(0.5))}


def test_a_moved_parameter_moves_where_its_numbers_touch():
    vector, step = np.zeros(len(SPACE.slots)), 1e-6
    at = SPACE.values(vector, ENGINE, FAMILY)["floor"]
    moved = SPACE.values(vector, ENGINE, FAMILY, (0, step))["floor"]
    touched = SPACE.touched(ENGINE, FAMILY)
    for column, slot in enumerate(SPACE.slots):
        if slot.parameter != 0:
            continue
        one = vector.copy()
        one[column] += step
        own = SPACE.values(one, ENGINE, FAMILY)["floor"] - at
        assert own == pytest.approx(touched[:, column] * (moved - at), abs=1e-12)


def test_unknown_names_have_no_position():
    assert index_of(["b", "x"], ("a", "b")).tolist() == [1, -1]
