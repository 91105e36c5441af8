"""Worked case E14, and what zones, availability and slack of batches must do."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.simulation.failures import FailureRule, done_in_time_share
from gpuplanner_gui.engine.simulation.replicas import (
    availability,
    enough_replicas_share,
    replicas_for_availability,
    replicas_needed,
    replicas_over_zones,
)


def test_peak_over_capacity_with_headroom_and_spares() -> None:
    assert pytest.approx(8.602151, abs=5e-7) == 40.0 / (6.2 * 0.75)
    assert replicas_needed(40.0, 6.2, 0.75) == 9
    assert replicas_needed(40.0, 6.2, 0.75, 1) == 10
    assert replicas_over_zones(9, 3) == 15


def test_whole_ratio_needs_no_further_replica() -> None:
    assert replicas_needed(0.3, 0.1, 1.0) == 3


def test_availability_of_nine_of_more() -> None:
    assert availability(720.0, 3.6) == pytest.approx(0.995024876, abs=5e-10)
    shares = [float(enough_replicas_share(9, replicas, 0.995)) for replicas in (9, 10, 11)]
    assert shares == pytest.approx([0.955889578, 0.998904609, 0.999979985], abs=5e-10)
    minutes = [(1 - share) * 365 * 24 * 60 for share in shares]
    assert minutes == pytest.approx([23_184, 575.7, 10.52], rel=1e-4)


def test_a_fleet_of_any_size_is_summed_up_at_once() -> None:
    by_definition = sum(math.comb(400, up) * 0.99**up * 0.01 ** (400 - up) for up in range(395, 401))
    assert float(enough_replicas_share(395, 400, 0.99)) == pytest.approx(by_definition, rel=1e-9)
    # The mean of so many is a whole number, and near it half of the outcomes lie on either side.
    assert float(enough_replicas_share(995 * 10**6, 10**9, 0.995)) == pytest.approx(0.5, abs=1e-3)
    # On either side of where a normal distribution takes over: a standard deviation of 2 999 and of 3 001 replicas.
    sizes = [round(spread**2 / (0.995 * 0.005)) for spread in (2999, 3001)]
    summed, approximated = (float(enough_replicas_share(round(0.995 * n - 3000), n, 0.995)) for n in sizes)
    assert summed == pytest.approx(approximated, abs=3e-4)
    assert summed == pytest.approx(0.8413, abs=1e-3)
    assert replicas_for_availability(10**6, 0.995, 0.999) == pytest.approx(10**6 / 0.995 + 3.09 * 71, abs=3)


def test_nobody_or_too_many_needed() -> None:
    assert float(enough_replicas_share(0, 3, 0.2)) == 1.0
    assert float(enough_replicas_share(4, 3, 0.999)) == 0.0
    assert enough_replicas_share(2, 3, np.array([0.0, 0.5, 1.0])).tolist() == pytest.approx([0.0, 0.5, 1.0])


def test_common_causes_bound_what_spares_can_do() -> None:
    share = enough_replicas_share(2, 20, 0.99, common_cause_share=0.1)
    assert share == pytest.approx(1 - 0.1 * 0.01, abs=1e-9)


def test_fewest_replicas_for_three_nines() -> None:
    assert replicas_for_availability(9, 0.995, 0.999) == 11
    with pytest.raises(ValueError, match="do not reach"):
        replicas_for_availability(9, 0.5, 0.999999, limit=10)


def test_slack_before_the_deadline_takes_a_batch_through_repairs() -> None:
    """Four hours of work and 8 h for it bear one repair of 3.6 h; five hours of work leave no time for any."""
    assert float(done_in_time_share(0.5, 1, 720.0, 3.6, 8.0)) == pytest.approx(0.9999846, abs=5e-8)
    assert float(done_in_time_share(0.625, 1, 720.0, 3.6, 8.0)) == pytest.approx(math.exp(-5 / 720))
    for target, fewest in ((0.99, [1, 1, 2]), (0.999, [1, 2, 2])):
        rule = FailureRule(target, 3.6, 8.0)
        assert rule.replicas(np.array([0.5, 0.625, 1.5]), 720.0).tolist() == fewest
    service = FailureRule(0.99, 3.6, None)
    assert service.replicas(np.array([0.5, 1.5, 8.2]), 720.0).tolist() == [1, 2, 10]


def test_a_failure_loses_no_more_than_the_time_of_the_batch() -> None:
    """One more replica takes the place of one that is down to the end, however long its repair."""
    assert FailureRule(0.999, 1e6, 1.0).replicas(np.array([1.0]), 100.0).tolist() == [2]
    assert float(done_in_time_share(1.0, 2, 100.0, 1e6, 1.0)) == pytest.approx(1.01 * math.exp(-0.01))
    assert FailureRule(0.999, 0.0, 1.0).replicas(np.array([1.0]), 1e-3).tolist() == [1]


WORK, HOURS = st.floats(1e-3, 1e5), st.floats(0.02, 9_000.0)


@given(
    work_h=WORK, time_h=HOURS, longer=st.floats(1.0, 50.0), between_h=HOURS, repair_h=st.floats(0.0, 500.0),
    target=st.floats(0.5, 0.999), nines=st.floats(0.01, 1.0),
)  # fmt: skip
def test_no_ease_takes_more_replicas_of_a_batch(
    work_h: float, time_h: float, longer: float, between_h: float, repair_h: float, target: float, nines: float
) -> None:
    """A later deadline, rarer failures, quicker repairs or a lower target; and the fewest are indeed as often done."""

    def fewest(time_h: float, between_h: float, repair_h: float, target: float) -> float:
        return float(FailureRule(target, repair_h, time_h).replicas(np.array([work_h / time_h]), between_h)[0])

    strict = 1 - (1 - target) * nines
    count = fewest(time_h, between_h, repair_h, strict)
    assert count >= work_h / time_h * (1 - 1e-9)
    easier = (time_h * longer, between_h, repair_h, strict), (time_h, between_h * longer, repair_h, strict), (
        time_h, between_h, repair_h / longer, strict
    ), (time_h, between_h, repair_h, target)  # fmt: skip
    assert all(fewest(*one) <= count for one in easier)
    held = FailureRule(strict, repair_h, time_h).held_share(work_h / time_h, int(count), between_h)
    assert float(held) >= strict - 1e-9


@given(
    peak=st.floats(0.1, 1e4), capacity=st.floats(0.01, 100), utilisation=st.floats(0.1, 1.0), zones=st.integers(2, 6)
)
def test_any_zone_may_fail(peak: float, capacity: float, utilisation: float, zones: int) -> None:
    base = float(replicas_needed(peak, capacity, utilisation))
    assert base * capacity * utilisation >= peak * (1 - 1e-8)
    total = float(replicas_over_zones(base, zones))
    assert total - total / zones >= base


def test_arrays_broadcast() -> None:
    assert replicas_needed(np.array([[10.0], [20.0]]), np.array([1.0, 3.0]), 1.0).tolist() == [[10, 4], [20, 7]]
