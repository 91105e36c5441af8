import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.training import data_input as p

SAMPLE_RATE = 400 / 0.224
"""ResNet-50 samples per second of one H100 (MLPerf Storage)."""
SAMPLE_BYTES = 114_700.0


def test_eight_devices_fed_by_96_cores():
    stages = p.input_stages(SAMPLE_BYTES, 150_528.0, 100e9, 50e9, 96, 120, 8 * 50e9)
    rate = p.input_rate(stages)
    assert rate == stages.preprocessing == pytest.approx(11_520)
    assert rate / (8 * SAMPLE_RATE) == pytest.approx(0.8064)


def test_storage_for_one_device_feeds_two_by_half():
    """3D-UNet of MLPerf Storage: 7 samples of 146.6 MB in 0.323 s take 3.18 GB/s."""
    stages = p.input_stages(146.6e6, 146.6e6, 3.18e9, np.inf, np.inf, 1.0, np.inf)
    assert p.input_rate(stages) / (2 * 7 / 0.323) == pytest.approx(0.5, abs=2e-3)


def test_checkpoint_of_70b():
    size = p.checkpoint_bytes(70_553_706_496, 14)
    assert size == pytest.approx(987.751891e9, rel=1e-9)
    assert p.checkpoint_write_s(size, 40e9) == pytest.approx(24.693797, rel=1e-7)


rates = st.floats(1.0, 1e6)


@given(stages=st.lists(rates, min_size=4, max_size=4), stage=st.integers(0, 3), more=st.floats(1.01, 10))
def test_only_more_of_the_slowest_stage_speeds_input_up(stages: list[float], stage: int, more: float):
    base = float(p.input_rate(p.InputStages(*stages)))
    raised = [rate * more if place == stage else rate for place, rate in enumerate(stages)]
    is_alone_slowest = all(rate > stages[stage] for place, rate in enumerate(stages) if place != stage)
    assert (float(p.input_rate(p.InputStages(*raised))) > base) == is_alone_slowest


def test_samples_of_no_bytes_hold_nothing_up():
    stages = p.input_stages(0.0, 0.0, 1e9, 50e9, 96, 120, 8 * 50e9)
    assert p.input_rate(stages) == 96 * 120
