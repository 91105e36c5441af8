"""Bands from errors of groups left out: hold what they should, widen by trait, shrink where groups are few."""

from __future__ import annotations

import numpy as np
import pytest

from tools.fit_serving.bands import Residual, ServingBand, bands_of
from tools.fit_serving.parameters import weighted_quantile


def residuals(spread: dict[str, float], groups: int, rows: int = 40) -> list[Residual]:
    draw = np.random.default_rng(7)
    return [
        Residual("closed_loop", "decode", f"{engine} {group}", {"engine": engine}, float(draw.normal(0, size)))
        for engine, size in spread.items()
        for group in range(groups)
        for _ in range(rows)
    ]


def held(band: ServingBand, rows: list[Residual]) -> float:
    return float(np.mean([band.low <= one.log / band.width(dict(one.levels)) <= band.high for one in rows]))


def test_four_rows_of_five_lie_in_the_band():
    rows = residuals({"vllm": 0.1, "trtllm": 0.3}, groups=20)
    (band,) = bands_of(rows)
    assert held(band, rows) == pytest.approx(0.82, abs=0.02)
    for engine in ("vllm", "trtllm"):
        assert 0.75 < held(band, [one for one in rows if one.levels["engine"] == engine]) < 0.9


def test_levels_of_few_groups_stay_near_the_usual_width():
    many = bands_of(residuals({"vllm": 0.1, "trtllm": 0.3}, groups=30))[0]
    few = bands_of(residuals({"vllm": 0.1, "trtllm": 0.3}, groups=1))[0]
    assert many.width({"engine": "trtllm"}) / many.width({"engine": "vllm"}) > 1.8
    assert few.width({"engine": "trtllm"}) / few.width({"engine": "vllm"}) < 2.0
    assert (few.rows, few.groups, many.groups) == (80, 2, 60)


def test_one_sided_errors_make_a_one_sided_band_that_holds_the_prediction():
    rows = [Residual("disaggregated", "prefill", str(n % 5), {}, 0.1 + n / 100) for n in range(50)]
    (band,) = bands_of(rows)
    assert band.low < 0 < band.high
    assert abs(band.low) < 0.1 * band.high


def test_unknown_levels_are_as_wide_as_the_widest_and_never_narrower_than_usual():
    factors = {("engine", "vllm"): 0.8, ("engine", "trtllm"): 1.3, ("kind", "dense"): 0.7}
    band = ServingBand(load="closed_loop", quantity="decode", low=-0.2, high=0.2, factors=factors)
    assert band.width({"engine": "vllm", "kind": "dense"}) == pytest.approx(0.56)
    assert band.width({"engine": "new", "kind": "new", "memory": "new"}) == pytest.approx(1.3)


def test_quantiles_weigh_rows():
    values, weight = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 1.0, 1.0, 7.0])
    assert weighted_quantile(values, np.ones(4), 0.5) == pytest.approx(1.5)
    assert weighted_quantile(values, weight, 0.5) > 2.0
