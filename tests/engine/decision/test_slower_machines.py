"""Slower machines answer later and are busier: the load curve's band, the verdict's first range and the tornado."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.engine import load_curve
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan
from gpuplanner_gui.engine.serving.curves import latency_band_s, planned_band


@pytest.fixture(scope="module")
def curve(service, service_plan, catalog, calibration):
    return load_curve(service, catalog, calibration, service_plan, service_plan.serving.best)


@pytest.mark.parametrize("metric", ["ttft", "tpot"])
def test_the_bands_first_range_is_what_the_tornado_says_of_the_step_time(service, service_plan, context, curve, metric):
    answer = uncertainty_of_plan(service, service_plan, context, seed=1, samples=200)
    swing = next(one for one in answer.tornados if one.code == f"serving.{metric}_p95_s")
    bar = next(one for one in swing.bars if one.input == "serving_model")
    low, high = planned_band(curve, metric)
    assert low == pytest.approx(bar.result_at_low / swing.middle, rel=0.02)
    assert high == pytest.approx(bar.result_at_high / swing.middle, rel=0.02)


def test_the_band_is_that_of_a_busier_replica_and_ends_where_it_cannot_keep_up(curve):
    p95, rates = curve.tpot_s["p95"], curve.rates_per_s
    low, high = latency_band_s(curve, "tpot", p95, rates, curve.max_rate_per_s)
    slow = curve.high80_factor
    half = int(np.argmin(np.abs(rates - 0.5 * curve.max_rate_per_s / slow)))
    assert high[half] == pytest.approx(slow * np.interp(slow * rates[half], rates, p95))
    assert high[half] > slow * p95[half]
    assert low[half] < curve.low80_factor * p95[half]
    beyond = rates * slow >= curve.max_rate_per_s
    assert np.isinf(high[beyond]).all()
    assert np.isfinite(high[~beyond]).all()
    at_plan = msgspec.structs.replace(curve, planned_rate_per_s=float(rates[beyond][0]))
    assert planned_band(at_plan, "tpot")[1] == np.inf


def test_users_who_wait_for_slower_answers_ask_less(curve):
    """Who asks again at once keeps a slower replica as busy as the planned one: all takes so many times as long."""
    low, high = planned_band(curve, "tpot", think_s=0.0)
    assert (low, high) == pytest.approx((curve.low80_factor, curve.high80_factor))
    assert high < planned_band(curve, "tpot", think_s=60.0)[1] <= planned_band(curve, "tpot")[1]


@pytest.mark.parametrize("think_s", [None, 0.0, 60.0])
def test_the_drawn_band_at_the_planned_rate_is_the_verdicts(curve, think_s):
    """A chart drew a fixed rate's band beside the verdict's, of a user who waits for the answers."""
    p95, rates, planned = curve.tpot_s["p95"], curve.rates_per_s, curve.planned_rate_per_s
    drawn = latency_band_s(curve, "tpot", p95, rates, curve.max_rate_per_s, think_s)
    at_plan = [float(np.interp(planned, rates, end) / np.interp(planned, rates, p95)) for end in drawn]
    assert at_plan == pytest.approx(planned_band(curve, "tpot", think_s), rel=0.02)
