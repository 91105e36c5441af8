"""A run as a fluid: nothing is lost, places bound it, and cases that can be reckoned by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.serving.predict.open_loop import Pace, Paces, SentRequests, run_in_time
from gpuplanner_gui.engine.simulation.requests import LengthBins

EQUAL = LengthBins(np.array([200.0]), np.array([1.0]))
UNEVEN = LengthBins(np.array([50.0, 200.0, 800.0]), np.array([0.4, 0.4, 0.2]))


def paces(decode_s=0.01, one_s=0.0, further_s=0.0, most=1e9):
    """The same at every batch."""
    same = np.ones(2)
    return Paces(np.array([0.1, 1e6]), decode_s * same, one_s * same, further_s * same, most * same)


def mean_of_tokens(run):
    """Batch as the mean token meets it."""
    return float((run.sequences**2).sum() / run.sequences.sum())


@given(
    st.floats(0.1, 100.0), st.floats(1.0, 2000.0), st.floats(1.0, 300.0), st.floats(0.0, 0.05), st.floats(0.5, 20.0),
    st.booleans(),
)  # fmt: skip
def test_all_requests_begin_and_no_more_than_there_are_places(rate, count, places, one_s, most, is_even):
    answers = EQUAL if is_even else UNEVEN
    run = run_in_time(SentRequests(rate, count, answers), paces(0.01, one_s, one_s / 2, most), places)
    assert run.begun.sum() <= count * (1 + 1e-9)
    assert run.begun.sum() >= count * 0.999
    assert run.sequences.max() <= places * 1.2
    assert (np.diff(run.times_s) > 0).all()
    assert (run.delays_s >= 0).all()
    tokens = float((run.sequences * run.steps).sum())
    assert tokens == pytest.approx(count * float(answers.share @ answers.value), rel=0.02)


def test_a_calm_run_has_no_backlog_and_the_batch_of_littles_law():
    run = run_in_time(SentRequests(10.0, 3000.0, EQUAL), paces(0.01), 100.0)
    assert run.delays_s.max() == 0.0
    # Ten a second for two seconds each; the run lasts 300 s and ends with its last answer.
    assert mean_of_tokens(run) == pytest.approx(20.0, rel=0.02)
    assert run.end_s == pytest.approx(302.0, rel=0.02)


def test_a_run_as_long_as_an_answer_rises_and_falls():
    """All come while the first answer is made: by hand two thirds of them as the mean token meets it."""
    run = run_in_time(SentRequests(25.0, 50.0, EQUAL), paces(0.01), 1000.0)
    assert mean_of_tokens(run) == pytest.approx(50 * 2 / 3, rel=0.03)
    uneven = run_in_time(SentRequests(1e6, 50.0, UNEVEN), paces(0.01), 1000.0)
    # At once, of unequal length: ∫n² over ∫n, n falling to 30 after 50 steps and to 10 after 200.
    by_hand = (50 * 50**2 + 150 * 30**2 + 600 * 10**2) / (50 * 50 + 150 * 30 + 600 * 10)
    assert mean_of_tokens(uneven) == pytest.approx(by_hand, rel=0.05)


def test_the_backlog_of_too_few_places_grows_by_what_they_lack():
    """Four places of 2 s each serve two a second; of five a second, the last waits for the other three fifths."""
    run = run_in_time(SentRequests(5.0, 400.0, EQUAL), paces(0.01), 4.0)
    assert run.end_s == pytest.approx(400 / 2.0, rel=0.05)
    assert run.delays_s[run.begun > 0].max() == pytest.approx(400 / 2.0 - 400 / 5.0, rel=0.06)


def test_prompts_that_steps_cannot_take_in_pile_up():
    run = run_in_time(SentRequests(50.0, 500.0, EQUAL), paces(0.02, 0.02, 0.02, 2.0), 1e6)
    # Two prompts in a step of 60 ms: 33 a second.
    assert run.delays_s.max() == pytest.approx(500 / (2 / 0.06) - 500 / 50.0, rel=0.06)


def test_a_step_takes_in_what_came_during_the_last():
    pace = Pace(decode_s=0.01, one_s=0.02, further_s=0.005, most_begun=10.0)
    for rate in (5.0, 30.0, 60.0, 120.0):
        begun = pace.begun_at(rate)
        assert begun < 10.0
        assert begun == pytest.approx(rate * pace.step_s(begun))
    assert pace.begun_at(300.0) == 10.0


def test_answers_take_the_steps_of_their_own_time():
    run = run_in_time(SentRequests(10.0, 100.0, UNEVEN), paces(0.01), 1000.0)
    spent, lengths, shares = run.answers_s(run.moments(10))
    assert spent == pytest.approx(np.broadcast_to(lengths * 0.01, spent.shape))
    assert shares.sum() == pytest.approx(1.0)
