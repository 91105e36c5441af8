"""Distributions that no plan can be made of are told by the place where they stand."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.field import fields_of, problems_of
from gpuplanner_gui.domain.quantity import Lognormal, Normal
from gpuplanner_gui.domain.workload import RequestClass


@pytest.mark.parametrize(
    ("lengths", "code"),
    [
        (Lognormal(500.0, 5.0), None),
        (Lognormal(500.0, 5.1), "over"),
        (Lognormal(500.0, 1e8), "over"),
        (Lognormal(500.0, -1.0), "below"),
        (Normal(500.0, -1.0), "below"),
    ],
)
def test_spreads_have_bounds(lengths: Normal | Lognormal, code: str | None) -> None:
    found = [
        one
        for one in problems_of(RequestClass(peak_rate_per_s=1.0, prompt_tokens=lengths))
        if one.path == "prompt_tokens"
    ]
    assert [one.code for one in found] == ([code] if code else [])


def test_numbers_that_may_be_uncertain_are_told_from_other_fields() -> None:
    found = {field.name: field.is_quantity for field in fields_of(RequestClass)}
    assert found["peak_rate_per_s"]
    assert found["prompt_tokens"]
    assert not found["name"]
    assert not found["slos"]
