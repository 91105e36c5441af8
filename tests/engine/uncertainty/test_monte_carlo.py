import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.quantity import Lognormal, Range
from gpuplanner_gui.engine.uncertainty import monte_carlo as mc
from gpuplanner_gui.engine.uncertainty.sampling import sample_inputs

SAMPLE = sample_inputs({"price": Lognormal(2.0, 0.25), "hours": Range(900, 1_100)}, 2_500, seed=5)


def run_cost(values):
    """Two candidates: one pays by the hour, the other a fixed amount."""
    hourly = values["price"] * values["hours"]
    return {"usd": np.stack([hourly, np.full_like(hourly, 2_000.0)])}


def test_batches_change_no_result():
    whole = mc.run(run_cost, SAMPLE, batch=10_000)["usd"]
    pieces = mc.run(run_cost, SAMPLE, batch=333)["usd"]
    assert whole.shape == (2, 2_500)
    assert np.array_equal(whole, pieces)


def test_progress_rises_to_one():
    heard: list[float] = []
    mc.run(run_cost, SAMPLE, batch=1_000, on_progress=heard.append)
    assert heard == pytest.approx([0.4, 0.8, 1.0])


def test_cancel_stops_between_batches():
    answers = itertools.chain([False, False], itertools.repeat(True))
    heard: list[float] = []
    with pytest.raises(mc.Cancelled):
        mc.run(run_cost, SAMPLE, batch=100, on_progress=heard.append, is_cancelled=lambda: next(answers))
    assert len(heard) == 2


def test_band_of_known_values():
    band = mc.band(np.stack([np.arange(1.0, 101), np.arange(101.0, 201)]))
    assert band.p10.tolist() == [10, 110]
    assert band.p50.tolist() == [50, 150]
    assert band.p90.tolist() == [90, 190]


def test_impossible_samples_count_as_the_worst():
    values = np.arange(100.0)
    values[:20] = np.nan
    assert mc.band(values).p90 == np.inf
    assert mc.probability_at_most(values, 1_000.0) == pytest.approx(0.8)


def test_probabilities():
    usd = mc.run(run_cost, SAMPLE)["usd"]
    beats = mc.probability_cheaper(usd[0], usd[1])
    assert beats == pytest.approx(np.mean(usd[0] < 2_000))
    assert beats + mc.probability_cheaper(usd[1], usd[0]) == pytest.approx(1)
    assert mc.probability_best(usd) == pytest.approx([beats, 1 - beats])
    assert mc.probability_at_most(usd, 2_000.0) == pytest.approx([beats, 1.0])
    assert mc.probability_at_most(usd, np.array([np.inf, 0.0])) == pytest.approx([1, 0])


def test_meeting_everything_is_less_likely_than_each():
    first, second = np.arange(10) < 7, np.arange(10) > 3
    assert mc.probability_of_all(first, second) == pytest.approx(0.3)


def test_equal_plans_win_half_the_time():
    same = np.ones(10)
    assert mc.probability_cheaper(same, same) == 0.5
    assert mc.probability_best(np.stack([same, same, same + 1])) == pytest.approx([0.5, 0.5, 0])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200))
def test_percentiles_are_in_order_and_among_the_values(values: list[float]):
    band = mc.band(np.array(values))
    assert band.p10 <= band.p50 <= band.p90
    assert float(band.p50) in values
