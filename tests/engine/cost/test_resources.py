import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.cost import resources as res
from gpuplanner_gui.files.shipped_tables import load_economics_presets


def test_h100_node_divides_by_its_parts():
    shares = res.resource_cost_shares(36_000, 3_000, 1_000, 0.75, 0.06, 0.05, 0.41, 0.25)
    device = 36_000 * 0.75
    assert shares.compute == pytest.approx(device * 0.59 / 40_000)
    assert shares.bandwidth == pytest.approx(device * 0.41 * 0.75 / 40_000)
    assert shares.capacity == pytest.approx(device * 0.41 * 0.25 / 40_000)
    assert shares.interconnect == pytest.approx((36_000 * 0.11 + 3_000) / 40_000)
    assert shares.host_and_storage == pytest.approx((36_000 * 0.14 + 1_000) / 40_000)


@given(
    node=st.floats(100, 1e6),
    network=st.floats(0, 1e5),
    storage=st.floats(0, 1e5),
    memory=st.floats(0, 1),
    capacity=st.floats(0, 1),
)
def test_shares_sum_to_one_whatever_the_machine(node, network, storage, memory, capacity):
    split = load_economics_presets().resource_split.centrals()
    split |= {"memory_share_of_device": memory, "capacity_share_of_memory": capacity}
    shares = res.resource_cost_shares(node, network, storage, **split)
    assert sum(shares) == pytest.approx(1)
    assert np.all(np.array(shares) >= 0)


def test_idle_fleet_uses_nothing():
    shares = res.Resources(0.4, 0.2, 0.1, 0.2, 0.1)
    paid, used = res.resource_account(1_000.0, shares, 100.0, ())
    assert used.total == 0
    assert paid.total == pytest.approx(1_000)


def test_two_workloads_share_the_use():
    shares = res.Resources(0.4, 0.2, 0.1, 0.2, 0.1)
    half, tenth = (res.Resources(*[value] * 5) for value in (0.5, 0.1))
    paid, used = res.resource_account(1_000.0, shares, 100.0, ((40.0, half), (50.0, tenth)))
    assert used.compute == pytest.approx(400 * (0.4 * 0.5 + 0.5 * 0.1))
    assert used.total == pytest.approx(0.25 * paid.total)


def test_fleet_without_cost_wastes_nothing():
    paid, used = res.resource_account(0.0, res.Resources(0.2, 0.2, 0.2, 0.2, 0.2), 0.0, ())
    assert paid.total == used.total == 0
