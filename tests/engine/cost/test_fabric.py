import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.cost import fabric


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


def test_cost_by_part():
    capital = fabric.fabric_capital_usd(fabric.fat_tree(1_024, 64), 30_000, 800, 100, 1_500, 0.5)
    assert capital.switches_usd == pytest.approx(48 * 30_000)
    assert capital.optics_usd == pytest.approx(2_048 * 2 * 0.5 * 800)
    assert capital.nics_usd == pytest.approx(1_024 * 1_500)
    assert sum(getattr(capital, f.name) for f in dataclasses.fields(capital)) == pytest.approx(capital.total)


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
