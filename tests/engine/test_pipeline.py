import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine import pipeline as p

SAMPLE_RATE = 400 / 0.224
"""ResNet-50 samples per second of one H100 (MLPerf Storage)."""
SAMPLE_BYTES = 114_700.0


def test_eight_devices_fed_by_96_cores():
    demand = p.demanded_rate(8, SAMPLE_RATE)
    stages = p.input_stages(SAMPLE_BYTES, 150_528.0, 100e9, 50e9, 96, 120, 8 * 50e9)
    rate = p.input_rate(stages)
    assert demand == pytest.approx(14_285.714, rel=1e-7)
    assert rate == pytest.approx(11_520)
    assert p.input_bound_utilisation(rate, demand) == pytest.approx(0.8064)
    assert p.STAGES[int(p.limiting_stage(stages))] == "preprocessing"
    assert demand / 120 == pytest.approx(119.05, abs=0.005)
    assert p.cores_needed(demand, 120) == 120


def test_whole_quotients_cost_no_extra_core():
    assert p.cores_needed(0.1 * 3 * 10, 1.0) == 3


def test_shortage_is_what_closes_the_gap():
    stages = p.input_stages(SAMPLE_BYTES, 150_528.0, 1e9, 50e9, 96, 120, 8 * 50e9)
    demand = p.demanded_rate(8, SAMPLE_RATE)
    short = p.stage_shortage(stages, demand, SAMPLE_BYTES, 150_528.0, 120)
    assert short.network_bytes_per_s == 0
    assert short.device_link_bytes_per_s == 0
    cured = p.input_stages(
        SAMPLE_BYTES, 150_528.0, 1e9 + short.storage_bytes_per_s, 50e9, 96 + short.preprocessing_cores, 120, 8 * 50e9
    )
    assert p.input_rate(cured) >= demand * (1 - 1e-12)


def test_storage_for_one_device_feeds_two_by_half():
    """3D-UNet of MLPerf Storage: 7 samples of 146.6 MB in 0.323 s take 3.18 GB/s."""
    stages = p.input_stages(146.6e6, 146.6e6, 3.18e9, np.inf, np.inf, 1.0, np.inf)
    use = p.input_bound_utilisation(p.input_rate(stages), p.demanded_rate(2, 7 / 0.323))
    assert use == pytest.approx(0.5, abs=2e-3)


def test_checkpoint_of_70b():
    size = p.checkpoint_bytes(70_553_706_496, 14)
    assert size == pytest.approx(987.751891e9, rel=1e-9)
    assert p.checkpoint_write_s(size, 40e9) == pytest.approx(24.693797, rel=1e-7)


def test_write_rate_is_the_slowest_of_storage_network_and_links():
    rates = p.checkpoint_bytes_per_s(np.array([40e9, 1e12, 1e12]), 8, np.array([50e9, 25e9, 1e12]), 64, 10e9)
    assert rates.tolist() == [40e9, 200e9, 640e9]


def test_storage_for_a_share_of_stall_and_retained_copies():
    assert p.storage_bytes_per_s_for_stall(1e12, 0.05, 1_000.0) == pytest.approx(20e9)
    assert p.checkpoint_capacity_bytes(1e12, 3, 1.5) == pytest.approx(4.5e12)


rates = st.floats(1.0, 1e6)


@given(storage=rates, network=rates, cores=rates, link=rates, demand=rates, more=st.floats(1, 10))
def test_more_of_any_stage_never_slows_and_more_devices_never_speed_up(storage, network, cores, link, demand, more):
    base = p.input_rate(p.InputStages(storage, network, cores, link))
    assert p.input_rate(p.InputStages(storage * more, network, cores, link)) >= base
    assert p.input_rate(p.InputStages(storage, network, cores * more, link)) >= base
    use = p.input_bound_utilisation(base, demand)
    assert 0 <= use <= 1
    assert p.input_bound_utilisation(base, demand * more) <= use


def test_samples_of_no_bytes_hold_nothing_up():
    stages = p.input_stages(0.0, 0.0, 1e9, 50e9, 96, 120, 8 * 50e9)
    assert p.input_rate(stages) == 96 * 120
