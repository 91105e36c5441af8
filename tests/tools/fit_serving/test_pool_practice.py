"""The habits that times were made with are found again; a row without a time near a set-up tells nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tools.fit_serving.pools import OpenPools, fitted_practice, joined
from tools.observation.habits import TRAITS, PoolPractice
from tools.observation.pools import shares_of

ROWS, CHOICES = 600, 6
MADE_WITH = {"groups_by_load": 1.0, "drafts": -1.5, "devices": 0.8}


def made(practice: dict[str, float], seed: int = 0) -> OpenPools:
    """Rows of which each ran one of some set-ups, drawn as operators with this practice do; times tell which."""
    draw = np.random.default_rng(seed)
    traits = draw.normal(size=(ROWS * CHOICES, len(TRAITS)))
    of = np.repeat(np.arange(ROWS), CHOICES)
    share = shares_of(traits @ np.array([practice.get(name, 0.0) for name in TRAITS]), of)
    ran = [row * CHOICES + draw.choice(CHOICES, p=share[of == row]) for row in range(ROWS)]
    errors = draw.normal(0.0, 1.0, ROWS * CHOICES)
    errors[ran] = draw.normal(0.0, 0.02, ROWS)
    return OpenPools(traits, errors, of, tuple(f"group {row % 3}" for row in range(ROWS)))


def test_habits_are_found_again():
    found = fitted_practice(made(MADE_WITH))
    for name in TRAITS:
        assert getattr(found, name) == pytest.approx(MADE_WITH.get(name, 0.0), abs=0.3)


def test_rows_of_several_engines_count_together_and_apart():
    whole = made(MADE_WITH)
    rows = np.arange(ROWS)
    parts = [whole.at(rows < 100), whole.at(rows >= 100)]
    assert [len(part.groups) for part in parts] == [100, ROWS - 100]
    assert fitted_practice(joined(parts)) == fitted_practice(whole)


def test_without_open_rows_nothing_is_preferred():
    nothing = OpenPools(np.zeros((0, len(TRAITS))), np.zeros(0), np.zeros(0, np.int64), ())
    assert fitted_practice(nothing) == PoolPractice()
