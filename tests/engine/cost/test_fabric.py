import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.cost import fabric, units
from gpuplanner_gui.engine.training.communication import Wires, exposed_s, half_exchange_s


def test_reach_of_64_port_switches():
    assert fabric.fat_tree_endpoint_limit(64, np.array([1, 2, 3])).tolist() == [64, 2_048, 65_536]


def test_full_three_tier_tree():
    tree = fabric.fat_tree(65_536, 64)
    assert (tree.tiers, tree.switches) == (3, 5_120)
    assert tree.links == 3 * 65_536


def test_1024_endpoints():
    tree = fabric.fat_tree(1_024, 64)
    assert (tree.leaf_switches, tree.spine_switches, tree.core_switches) == (32, 16, 0)
    assert tree.switches == 48
    assert tree.links == 2_048


def test_one_switch_is_enough_for_its_ports():
    tree = fabric.fat_tree(np.array([1, 64]), 64)
    assert tree.switches.tolist() == [1, 1]
    assert tree.links.tolist() == [1, 64]


def test_more_endpoints_than_three_tiers_reach_have_no_tree():
    tree = fabric.fat_tree(65_537, 64)
    assert np.isnan(tree.tiers)
    assert np.isnan(tree.switches)
    assert np.isnan(tree.links)


def test_oversubscription_saves_upper_switches_and_reaches_further():
    full, thin = fabric.fat_tree(1_536, 64), fabric.fat_tree(1_536, 64, 3.0)
    assert thin.switches < full.switches
    assert thin.switch_links == pytest.approx(full.switch_links / 3)
    assert fabric.fat_tree_endpoint_limit(64, 2, 3.0) == 64 * 48


def per_device(devices, rate=1.0, ratio=1.0) -> np.ndarray:
    return fabric.fabric_usd_per_device(4_000.0, rate, np.asarray(devices, float), ratio, 0.44)


def test_a_full_tree_of_two_tiers_costs_what_the_figure_says():
    """At 2,048 ports 96 switches and two links each; 65,536 on three tiers 5,120 and three: 1.67 and 1.5 times."""
    assert per_device(2_048) == pytest.approx(4_000)
    assert per_device(65_536) == pytest.approx(4_000 * (0.44 * 5 / 3 + 0.56 * 1.5))
    assert per_device(64) == pytest.approx(4_000 * (0.44 / 3 + 0.56 / 2))
    assert per_device(1_000_000) == pytest.approx(per_device(65_536))


def test_a_slower_and_a_thinner_fabric_cost_less():
    assert per_device(512, rate=0.25) == pytest.approx(per_device(512) / 4)
    assert per_device(2_048, ratio=3.0) < per_device(2_048)


def test_none_in_one_box_and_a_port_where_no_replica_leaves_its_box():
    """Eight of a board; sixteen of replicas of two; 64 that train together; 42 of replicas of two, in six boxes."""
    cost = units.owned_network_usd(
        np.array([8.0, 16.0, 64.0, 42.0]), np.array([8.0, 2.0, 64.0, 2.0]), np.full(4, 8.0), 1_000.0,
        per_device([8, 16, 64, 42]),
    )  # fmt: skip
    assert cost.tolist() == [0.0, 125.0, per_device(64), pytest.approx(6_000 / 42)]


@given(endpoints=st.integers(1, 65_536), more=st.integers(0, 5_000), ratio=st.sampled_from([1.0, 2.0, 3.0]))
def test_more_endpoints_never_need_less(endpoints: int, more: int, ratio: float):
    few = fabric.fat_tree(endpoints, 64, ratio)
    many = fabric.fat_tree(min(65_536, endpoints + more), 64, ratio)
    assert many.switches >= few.switches
    assert many.links >= few.links


@given(endpoints=st.integers(1, 65_536))
def test_switches_have_ports_for_all_links(endpoints: int):
    tree = fabric.fat_tree(endpoints, 64)
    ends = tree.endpoint_links + 2 * tree.switch_links
    assert tree.switches * 64 >= ends


GRADIENT_BYTES = 2 * 8_030_261_248
COMPUTE_S = 6 * 8_030_261_248 * 8_192 / (0.45 * 989.5e12)
"""Of a step of 8,192 tokens a device, at an MFU of 0.45."""


@pytest.mark.parametrize(
    ("bytes_per_s", "exchange_s", "alone", "overlapped", "usd"),
    [(50e9, 0.077793, 0.919320, 1.0, 4_000.0), (12.5e9 / 8, 2.489381, 0.262582, 0.318302, 125.0)],
)
def test_a_fabric_buys_the_scaling_that_it_costs(bytes_per_s, exchange_s, alone, overlapped, usd):
    """Case E24: 256 devices in 32 nodes, a 400G port each against one 100G port a node; links inside cost no time."""
    one, rate = np.ones(1), np.array([bytes_per_s])
    wires = Wires(np.array([256]), 8 * one, one > 0, np.inf * one, 0 * one, rate, 0 * one)
    exchange = 2 * half_exchange_s(np.array([float(GRADIENT_BYTES)]), np.array([256]), 8 * one, wires)
    assert exchange == pytest.approx(exchange_s, rel=1e-5)
    assert COMPUTE_S / (COMPUTE_S + exchange) == pytest.approx(alone, rel=1e-5)
    left = exposed_s(exchange, COMPUTE_S * 2 / 3 * one, 0.0)
    assert COMPUTE_S / (COMPUTE_S + left) == pytest.approx(overlapped, rel=1e-5)
    # Eight leaves, four spines and two links a device: the parts of a full tree, by the rate.
    tree = fabric.fat_tree(256, 64)
    assert (tree.leaf_switches, tree.spine_switches, tree.links) == (8, 4, 512)
    assert per_device(256, rate=bytes_per_s / 50e9) == pytest.approx(usd)
