"""Kernel times: never faster with more work, never slower on better hardware, parts that add up, numbers by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.columns import gathered
from gpuplanner_gui.engine.kernels import operation_time as ot
from gpuplanner_gui.engine.kernels import special_time
from gpuplanner_gui.engine.kernels.efficiency import PARAMETER_TYPES, parameter_tables
from gpuplanner_gui.files.knowledge import load_kernel_calibration

CALIBRATION = load_kernel_calibration(
    Path(__file__).resolve().parents[2] / "catalogs" / "calibration_kernels.json"
).calibration
TABLES = parameter_tables(CALIBRATION)
H100 = ot.Device(np.asarray(989.4e12), np.asarray(3.35e12), np.asarray(132.0))

sizes = st.integers(1, 200_000).map(float)
counts = st.integers(1, 512).map(float)
growth = st.floats(1.0, 50.0)
SHAPES: dict[str, dict[str, Any]] = {
    "gemm": {"rows": sizes, "columns": sizes, "depth": sizes},
    "prefill_attention": {
        "batch": counts, "new_tokens": sizes, "cached_tokens": sizes, "window_tokens": sizes | st.just(np.inf),
        "query_heads": counts, "kv_heads": counts, "head_dim": counts,
    },
    "decode_attention": {
        "batch": counts, "context_tokens": sizes, "window_tokens": sizes | st.just(np.inf), "query_heads": counts,
        "kv_heads": counts, "head_dim": counts,
    },
    "elementwise": {"bytes_moved": sizes},
    "latent_decode_attention": {"batch": counts, "context_tokens": sizes, "heads": counts},
    "experts": {
        "pairs": sizes, "seen_pairs": sizes, "touched": counts, "hidden": sizes, "size": sizes, "matrices": counts,
    },
    "state_prefill": {
        "batch": counts, "new_tokens": sizes, "state_flop_per_token": sizes, "values_per_token": sizes,
        "state_bytes": sizes,
    },
    "state_decode": {"batch": counts, "state_bytes": sizes},
}  # fmt: skip
SHAPES["latent_prefill_attention"] = SHAPES["prefill_attention"]
EXTRA = {
    "gemm": {"weight_bytes_per_element": 2.0, "activation_bytes_per_element": 2.0},
    "prefill_attention": {"kv_bytes_per_element": 2.0},
    "decode_attention": {"kv_bytes_per_element": 2.0},
    "elementwise": {},
    "latent_prefill_attention": {"kv_bytes_per_element": 2.0},
    "latent_decode_attention": {"latent_dim": 512.0, "rope_dim": 64.0, "kv_bytes_per_element": 2.0},
    "experts": {"weight_bytes_per_element": 1.0},
    "state_prefill": {},
    "state_decode": {},
}
FUNCTIONS: dict[str, Callable[..., ot.OperationTime]] = {
    "gemm": ot.gemm_time,
    "prefill_attention": ot.prefill_attention_time,
    "decode_attention": ot.decode_attention_time,
    "elementwise": ot.elementwise_time,
    "latent_prefill_attention": ot.prefill_attention_time,
    "latent_decode_attention": special_time.latent_decode_time,
    "experts": special_time.expert_time,
    "state_prefill": special_time.state_prefill_time,
    "state_decode": special_time.state_decode_time,
}
OPERATIONS = sorted(SHAPES)


def time_of(operation: str, shape: dict[str, Any], device: ot.Device = H100) -> ot.OperationTime:
    """Time on every parameter set of the shipped calibration at once."""
    arrays = {name: np.asarray(value) for name, value in shape.items()}
    return FUNCTIONS[operation](**arrays, **EXTRA[operation], device=device, parameters=TABLES[operation].parameters)


def test_every_operation_has_a_test() -> None:
    assert set(SHAPES) == set(PARAMETER_TYPES)


@pytest.mark.parametrize("operation", OPERATIONS)
@given(data=st.data())
def test_more_work_never_takes_less_time(operation: str, data: st.DataObject) -> None:
    shape = data.draw(st.fixed_dictionaries(SHAPES[operation]))
    larger = data.draw(st.sampled_from(sorted(shape)))
    more = shape | {larger: shape[larger] * data.draw(growth)}
    before, after = time_of(operation, shape).total, time_of(operation, more).total
    assert np.all(after >= before * (1 - 1e-12))


@pytest.mark.parametrize("operation", OPERATIONS)
@given(data=st.data())
def test_better_hardware_is_never_slower(operation: str, data: st.DataObject) -> None:
    shape = data.draw(st.fixed_dictionaries(SHAPES[operation]))
    figure = data.draw(st.sampled_from(["peak_flop_per_s", "bandwidth_bytes_per_s"]))
    better = dataclasses.replace(H100, **{figure: getattr(H100, figure) * data.draw(growth)})
    assert np.all(time_of(operation, shape, better).total <= time_of(operation, shape).total * (1 + 1e-12))


@pytest.mark.parametrize("operation", OPERATIONS)
@given(data=st.data())
def test_parts_are_not_negative_and_no_faster_than_the_roofline(operation: str, data: st.DataObject) -> None:
    made = time_of(operation, data.draw(st.fixed_dictionaries(SHAPES[operation])))
    for part in (made.floor_s, made.compute_s, made.memory_s):
        assert np.all(part >= -1e-18)
    np.testing.assert_allclose(made.total, made.floor_s + made.compute_s + made.memory_s)


physical_s = st.just(0.0) | st.floats(1e-12, 1e3)


@given(physical_s, physical_s, st.floats(0, 1))
def test_overlap_lies_between_maximum_and_sum(compute_s: float, memory_s: float, loss: float) -> None:
    made = ot.overlapped(0.0, np.asarray(compute_s), np.asarray(memory_s), np.asarray(loss))
    assert max(compute_s, memory_s) * (1 - 1e-9) <= made.total <= (compute_s + memory_s) * (1 + 1e-9)


def test_overlap_by_hand() -> None:
    made = ot.overlapped(1.0, np.asarray(3.0), np.asarray(4.0), np.asarray(1.0))
    assert made.total == pytest.approx(8.0)
    assert (float(made.compute_s), float(made.memory_s)) == pytest.approx((3.0, 4.0))
    hidden = ot.overlapped(1.0, np.asarray(3.0), np.asarray(4.0), np.asarray(0.0))
    assert hidden.total == pytest.approx(5.0)
    assert float(hidden.compute_s) == pytest.approx(0.0)


def test_gemm_by_hand() -> None:
    ideal = ot.GemmParameters(*(np.asarray(v) for v in (1e-6, 0.5, 0.5, 0.0, 0, 0, 0, 0, 0.0, 1.0)))
    device = ot.Device(np.asarray(100e12), np.asarray(1e12), np.asarray(100.0))
    square = ot.gemm_time(*(np.asarray(4096.0),) * 3, np.asarray(2.0), np.asarray(2.0), device, ideal)
    assert square.total == pytest.approx(1e-6 + 2 * 4096**3 / 50e12)
    single = ot.gemm_time(np.asarray(1.0), *(np.asarray(4096.0),) * 2, np.asarray(2.0), np.asarray(2.0), device, ideal)
    assert single.total == pytest.approx(1e-6 + (2 * 4096**2 + 4 * 4096) / 0.5e12)


@pytest.mark.parametrize(
    ("new", "cached", "window", "mean"),
    [(4, 0, np.inf, 2.5), (4, 10, np.inf, 12.5), (4, 0, 2, 1.75), (4, 10, 3, 3.0), (1, 7, np.inf, 8.0)],
)
def test_attended_tokens_counts_what_a_mask_lets_through(new: float, cached: float, window: float, mean: float) -> None:
    made = ot.attended_tokens(np.asarray(new), np.asarray(cached), np.asarray(window))
    counted = np.mean([min(cached + i, window) for i in range(1, int(new) + 1)])
    assert made == pytest.approx(mean) == pytest.approx(counted)


def test_attended_tokens_of_an_encoder_is_everything() -> None:
    assert ot.attended_tokens(np.asarray(9.0), np.asarray(0.0), np.asarray(np.inf), is_causal=False) == 9.0


def test_h100_gemm_agrees_with_published_measurements() -> None:
    """Bandwidth-bound and compute-bound BF16 products of vLLM on H100 (aiconfigurator-core tables): 15.5 us, 166 us."""
    index = next(
        i for i, made in enumerate(TABLES["gemm"].sets)
        if (made.accelerator, made.engine, made.precision) == ("nvidia-h100-sxm-80gb", "vllm", "bf16")
    )  # fmt: skip
    parameters = gathered(TABLES["gemm"].parameters, np.array([index, index]))
    rows, side = np.array([16.0, 4096.0]), np.asarray(4096.0)
    made = ot.gemm_time(rows, side, side, np.asarray(2.0), np.asarray(2.0), H100, parameters)
    np.testing.assert_allclose(made.total, [15.5e-6, 166e-6], rtol=0.12)
    assert made.memory_s[0] > made.compute_s[0]
    assert made.compute_s[1] > made.memory_s[1]


def test_experts_touched_by_hand() -> None:
    one = special_time.experts_touched(np.array([1.0, 1e9]), np.asarray(8.0), np.asarray(256.0))
    np.testing.assert_allclose(one, [8.0, 256.0])
    dense = special_time.experts_touched(np.asarray(3.0), np.asarray(4.0), np.asarray(4.0))
    assert dense == pytest.approx(4.0)


@given(counts, growth, st.integers(1, 64), st.integers(64, 512))
def test_more_tokens_never_touch_fewer_experts(tokens: float, factor: float, top_k: int, experts: int) -> None:
    fewer = special_time.experts_touched(np.asarray(tokens), np.asarray(top_k), np.asarray(experts))
    more = special_time.experts_touched(np.asarray(tokens * factor), np.asarray(top_k), np.asarray(experts))
    assert fewer <= more * (1 + 1e-12) <= experts * (1 + 1e-9)


def test_h100_experts_agree_with_published_measurements() -> None:
    """vLLM's FP8 block kernels, 128 experts of 4096 x 1536, 8 per token, even routing, four-way tensor parallel: 85,
    256 and 965 us for 4, 64 and 4096 tokens (aiconfigurator-core tables)."""
    index = next(
        i for i, made in enumerate(TABLES["experts"].sets)
        if (made.accelerator, made.engine, made.precision) == ("nvidia-h100-sxm-80gb", "vllm", "fp8_block")
    )  # fmt: skip
    pairs = 8 * np.array([4.0, 64.0, 4096.0])
    made = special_time.expert_time(
        pairs, pairs, np.minimum(pairs, 128), np.asarray(4096.0), np.asarray(384.0), np.asarray(3.0), np.asarray(1.0),
        dataclasses.replace(H100, peak_flop_per_s=np.asarray(1978.9e12)),
        gathered(TABLES["experts"].parameters, np.array(index)),
    )  # fmt: skip
    np.testing.assert_allclose(made.total, [85e-6, 256e-6, 965e-6], rtol=0.15)


def test_gathered_picks_one_set_per_candidate() -> None:
    table = TABLES["gemm"].parameters
    picked = gathered(table, np.array([[2, 0], [1, 1]]))
    assert picked.floor_s.shape == (2, 2)
    assert picked.floor_s[0, 0] == table.floor_s[2]
