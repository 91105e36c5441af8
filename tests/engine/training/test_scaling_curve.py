"""One device to a hundred thousand: the knee, and what a day saved costs."""

import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.engine.training.exploring import knee_index, scaling_curve, usd_per_day_saved

from .conftest import H100, LLAMA_8B, LLAMA_70B, ScenarioMaker

DAY_S = 86_400.0


@pytest.fixture(scope="module")
def curve(context, made: ScenarioMaker):
    return scaling_curve(made(LLAMA_70B, tokens=1e12), context, H100, lambda: None)


def test_from_one_device_to_a_hundred_thousand(curve):
    assert curve.devices[0] == 1
    assert curve.devices[-1] == 100_000
    assert len(curve.devices) == 18


def test_counts_that_cannot_run_say_why(curve):
    assert curve.reason[0] == Reason.DOES_NOT_FIT
    assert (curve.reason[curve.can_run] == Reason.NONE).all()
    assert np.isnan(curve.step_time_s[~curve.can_run]).all()


def test_more_devices_run_faster_with_less_each(curve):
    runs = curve.can_run
    assert (np.diff(curve.run_time_s[runs]) < 0).mean() > 0.8
    assert np.nanmax(curve.efficiency) == 1
    assert curve.efficiency[runs][-1] < 0.2
    assert curve.communication_share[runs][-1] > curve.communication_share[runs][0]


def test_the_knee_lies_where_doubling_no_longer_pays(curve):
    assert curve.can_run[curve.knee]
    assert 0.2 < curve.efficiency[curve.knee] < 0.9
    beyond = curve.knee + 2
    assert curve.usd_per_day_saved[beyond] > curve.usd_per_day_saved[curve.knee]


def test_days_saved_by_hand():
    found = usd_per_day_saved(np.array([100.0, 150.0, 400.0]), np.array([10.0, 5.0, 5.0]) * DAY_S)
    assert np.isnan(found[0])
    assert found[1] == pytest.approx(10.0)
    assert np.isinf(found[2])


def test_knee_by_hand():
    devices = np.array([1, 2, 4, 8, 16])
    ideal = 1.0 / devices
    assert knee_index(devices, ideal) == 4
    assert knee_index(devices, np.array([8.0, 4.0, 2.5, 2.4, 2.3])) == 2
    assert knee_index(devices, np.array([np.nan, 4.0, 2.0, 1.9, 1.8])) == 2
    assert knee_index(devices, np.full(5, np.nan)) == -1


def test_a_deadline_does_not_shorten_the_curve(context, made: ScenarioMaker):
    free = scaling_curve(made(LLAMA_8B), context, H100, lambda: None, most=64)
    bound = scaling_curve(made(LLAMA_8B, deadline_s=60.0), context, H100, lambda: None, most=64)
    np.testing.assert_array_equal(free.can_run, bound.can_run)
