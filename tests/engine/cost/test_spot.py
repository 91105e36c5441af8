import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine import reliability
from gpuplanner_gui.engine.cost import spot

SPOT_USD, ON_DEMAND_USD = 1.97, 3.93
CHECKPOINT_S, INTERVAL_S, RECOVERY_S, REACQUIRE_S = 45.0, 8 * 3600.0, 600.0, 900.0


def test_worked_case_of_spot_at_half_the_price():
    efficiency = spot.spot_efficiency(CHECKPOINT_S, INTERVAL_S, RECOVERY_S)
    price = spot.spot_usd_per_useful_hour(SPOT_USD, efficiency)
    assert efficiency == pytest.approx(0.923264967, rel=1e-9)
    assert price == pytest.approx(2.133732, abs=5e-7)
    assert spot.saving_over_on_demand(price, ON_DEMAND_USD) == pytest.approx(0.457066, abs=5e-7)


def test_wall_clock_stretch_of_the_worked_case():
    interval = np.sqrt(2 * CHECKPOINT_S * INTERVAL_S)
    share = reliability.checkpointed_efficiency(interval, CHECKPOINT_S, INTERVAL_S, RECOVERY_S + REACQUIRE_S)
    assert interval == pytest.approx(1_609.968944, rel=1e-9)
    assert share == pytest.approx(0.897160617, rel=1e-9)
    assert 1 / share == pytest.approx(1.114628, abs=5e-7)


def test_interval_where_spot_equals_on_demand():
    interval = spot.spot_break_even_interval_s(SPOT_USD, ON_DEMAND_USD, CHECKPOINT_S, RECOVERY_S)
    assert interval == pytest.approx(2_068.12, abs=0.005)
    efficiency = spot.spot_efficiency(CHECKPOINT_S, interval, RECOVERY_S)
    assert spot.spot_usd_per_useful_hour(SPOT_USD, efficiency) == pytest.approx(ON_DEMAND_USD)


def test_spot_that_costs_more_by_the_list_never_breaks_even():
    assert spot.spot_break_even_interval_s(4.0, 3.93, 45.0, 600.0) == np.inf


def test_break_even_without_recovery_time():
    interval = spot.spot_break_even_interval_s(1.0, 2.0, 50.0, 0.0)
    assert interval == pytest.approx(2 * 50 / 0.5**2)


def test_job_of_many_instances_is_interrupted_that_much_more_often():
    assert spot.gang_interruption_interval_s(64 * 3600.0, 64) == pytest.approx(3600)


def test_only_restartable_work_without_promises_goes_to_spot():
    eligible = spot.is_spot_eligible(
        np.array([True, True, False, True]), np.array([False, True, False, False]), np.array([0.9, 0.9, 0.9, 0.3]), 0.5
    )
    assert eligible.tolist() == [True, False, False, False]


@given(
    interval=st.floats(10, 1e7), longer=st.floats(1.01, 100), checkpoint=st.floats(0, 600), recovery=st.floats(0, 3600)
)
def test_rarer_interruptions_never_cost_more(interval, longer, checkpoint, recovery):
    often = spot.spot_efficiency(checkpoint, interval, recovery)
    rarely = spot.spot_efficiency(checkpoint, interval * longer, recovery)
    assert 0 <= often <= rarely <= 1
    assert spot.spot_usd_per_useful_hour(1.0, often) >= spot.spot_usd_per_useful_hour(1.0, rarely)
