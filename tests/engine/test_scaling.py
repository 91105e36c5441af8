import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine import scaling

PARAMETERS = 8_030_261_248
GRADIENT_BYTES = 2.0 * PARAMETERS
NODES, DEVICES_PER_NODE = 32, 8
FAST_NETWORK = 50e9
"""Eight 400G ports per node: one per device."""
SLOW_NETWORK = 12.5e9 / 8
"""One 100G port per node, shared by eight devices."""


def compute_s() -> float:
    return scaling.step_compute_s(PARAMETERS, 8_192, 989.5e12, 0.45)


def between_nodes_s(network: float) -> float:
    return scaling.hierarchical_all_reduce_s(GRADIENT_BYTES, NODES, DEVICES_PER_NODE, np.inf, network).total


def test_compute_and_network_times():
    assert compute_s() == pytest.approx(0.886426, abs=5e-7)
    assert between_nodes_s(FAST_NETWORK) == pytest.approx(0.077793, abs=5e-7)
    assert between_nodes_s(SLOW_NETWORK) == pytest.approx(2.489381, abs=5e-7)


@pytest.mark.parametrize(
    ("network", "overlap", "expected"),
    [
        (FAST_NETWORK, 0.0, 0.919320),
        (SLOW_NETWORK, 0.0, 0.262582),
        (FAST_NETWORK, scaling.BACKWARD_SHARE, 1.0),
        (SLOW_NETWORK, scaling.BACKWARD_SHARE, 0.318302),
    ],
)
def test_efficiency_of_fast_and_slow_networks(network: float, overlap: float, expected: float):
    exposed = scaling.exposed_communication_s(between_nodes_s(network), compute_s(), overlap)
    assert scaling.scaling_efficiency(compute_s(), exposed) == pytest.approx(expected, abs=5e-7)


def test_parts_within_and_between_nodes():
    parts = scaling.hierarchical_all_reduce_s(GRADIENT_BYTES, NODES, DEVICES_PER_NODE, 450e9, FAST_NETWORK)
    assert parts.within_nodes_s == pytest.approx(2 * 7 / 8 * GRADIENT_BYTES / 450e9)
    assert parts.total == pytest.approx(parts.within_nodes_s + parts.between_nodes_s)


def test_one_device_sends_nothing():
    assert scaling.hierarchical_all_reduce_s(GRADIENT_BYTES, 1, 1, 450e9, FAST_NETWORK).total == 0


@given(nodes=st.integers(1, 10_000), more=st.integers(1, 1_000), faster=st.floats(1, 100), overlap=st.floats(0, 2 / 3))
def test_more_nodes_never_scale_better_and_more_bandwidth_never_worse(nodes, more, faster, overlap):
    def efficiency(count: int, network: float) -> float:
        reduce_s = scaling.hierarchical_all_reduce_s(GRADIENT_BYTES, count, 8, 450e9, network).total
        exposed = scaling.exposed_communication_s(reduce_s, compute_s(), overlap)
        return float(scaling.scaling_efficiency(compute_s(), exposed))

    base = efficiency(nodes, SLOW_NETWORK)
    assert 0 < base <= 1
    assert efficiency(nodes + more, SLOW_NETWORK) <= base + 1e-12
    assert efficiency(nodes, SLOW_NETWORK * faster) >= base - 1e-12


def test_slowdown_on_serving_nodes():
    assert scaling.slowdown(3.4, 1.0) == pytest.approx(3.4)
