"""Worked case E4: ridge points, decode ceilings, crossover."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.roofline_limits import (
    crossover_batch,
    decode_ceiling_tokens_per_s,
    ridge_flop_per_byte,
    roofline_time_s,
)

H100_PEAK, H100_BANDWIDTH, H200_BANDWIDTH = 989.5e12, 3.35e12, 4.8e12
WEIGHTS_8B, KV_8B = 16_060_522_496, 131_072


def test_ridge_of_h100():
    assert float(ridge_flop_per_byte(H100_PEAK, H100_BANDWIDTH)) == pytest.approx(295.373134, rel=1e-8)


def test_peak_ratios_of_h100_and_a100():
    assert pytest.approx(H100_PEAK / 312e12, rel=1e-6) == 3.171474
    assert pytest.approx(H100_BANDWIDTH / 2.039e12, rel=1e-6) == 1.642963


@pytest.mark.parametrize(("bandwidth", "expected"), [(H100_BANDWIDTH, 208.585991), (H200_BANDWIDTH, 298.869470)])
def test_decode_ceiling_at_batch_one(bandwidth, expected):
    assert float(decode_ceiling_tokens_per_s(1, WEIGHTS_8B, 0, KV_8B, bandwidth)) == pytest.approx(expected, rel=1e-7)


def test_batch_of_64_is_bound_by_memory():
    kv_bytes = 64 * 1024 * KV_8B
    assert kv_bytes == 8_589_934_592
    moved = WEIGHTS_8B + kv_bytes
    assert moved == 24_650_457_088
    # E4 counts 2 N FLOPs per token, embedding included.
    flop = 64 * 2 * 8_030_261_248
    assert flop / H100_PEAK == pytest.approx(1.038781e-3, rel=1e-6)
    assert flop / moved == pytest.approx(41.697947, rel=1e-6)
    assert float(roofline_time_s(flop, moved, H100_PEAK, H100_BANDWIDTH)) == pytest.approx(7.358345e-3, rel=1e-6)
    assert float(decode_ceiling_tokens_per_s(64, WEIGHTS_8B, 1024, KV_8B, H100_BANDWIDTH)) == pytest.approx(
        8_697.607482, rel=1e-8
    )


@pytest.mark.parametrize(("bandwidth", "expected"), [(800e9, 199.246), (460.8e9, 114.766), (120e9, 29.887)])
def test_decode_ceilings_of_small_machines(bandwidth, expected):
    weights = 8_030_261_248 * 0.5
    assert float(decode_ceiling_tokens_per_s(1, weights, 0, KV_8B, bandwidth)) == pytest.approx(expected, abs=1e-3)


def test_crossover_is_where_both_times_are_equal():
    batch = float(crossover_batch(WEIGHTS_8B, 2 * 8_030_261_248, 128, KV_8B, H100_PEAK, H100_BANDWIDTH))
    compute = batch * 2 * 8_030_261_248 / H100_PEAK
    memory = (WEIGHTS_8B + batch * 128 * KV_8B) / H100_BANDWIDTH
    assert compute == pytest.approx(memory, rel=1e-9)


def test_long_contexts_stay_bound_by_memory_at_any_batch():
    assert np.isinf(crossover_batch(WEIGHTS_8B, 2 * 8_030_261_248, 8192, KV_8B, H100_PEAK, H100_BANDWIDTH))


@given(
    flop=st.floats(1, 1e18),
    moved=st.floats(1, 1e15),
    peak=st.floats(1e9, 1e16),
    bandwidth=st.floats(1e9, 1e14),
    factor=st.floats(1, 100),
)
def test_more_bandwidth_or_compute_is_never_slower(flop, moved, peak, bandwidth, factor):
    base = roofline_time_s(flop, moved, peak, bandwidth)
    assert roofline_time_s(flop, moved, peak * factor, bandwidth) <= base
    assert roofline_time_s(flop, moved, peak, bandwidth * factor) <= base
    assert roofline_time_s(flop * factor, moved, peak, bandwidth) >= base
