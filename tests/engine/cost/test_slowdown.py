import numpy as np

from gpuplanner_gui.engine.cost.fleet_plan import slowdown


def test_work_that_takes_longer_elsewhere_is_slowed_down_by_more_than_one() -> None:
    assert np.asarray(slowdown(np.array([6.8, 2.0, 1.0]), np.array([2.0, 2.0, 2.0]))).tolist() == [3.4, 1.0, 0.5]
