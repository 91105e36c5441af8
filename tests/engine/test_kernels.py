"""Which timings stand for which device and format: its own where it was timed, unpacked where it has no format."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.kernels.choice import FORMATS, KERNEL_ENGINES, kernel_engine
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX


@pytest.fixture(scope="module")
def context(catalog, calibration) -> Context:
    return Context(catalog, calibration)


def place(context: Context, accelerator: str) -> int:
    return context.devices.ids.index(accelerator)


@pytest.mark.parametrize("engine", KERNEL_ENGINES)
def test_timed_devices_stand_for_themselves(engine, context):
    kernels, h100 = context.kernels(engine), place(context, "nvidia-h100-sxm-80gb")
    for name in ("bf16", "fp8"):
        column = PRECISION_INDEX[name]
        assert kernels.is_measured[h100, column]
        assert "h100" in kernels.relative[h100][column]


def test_devices_nobody_timed_take_a_relative_and_spread_more(context):
    kernels, bf16 = context.kernels("vllm"), PRECISION_INDEX["bf16"]
    timed, other = place(context, "nvidia-h100-sxm-80gb"), place(context, "amd-mi300x")
    assert not kernels.is_measured[other, bf16]
    assert kernels.relative[other][bf16] != "amd-mi300x"
    assert kernels.log_sd[other, bf16] > kernels.log_sd[timed, bf16]


def test_every_row_exists_for_every_device_and_format(context):
    for engine in KERNEL_ENGINES:
        kernels = context.kernels(engine)
        assert kernels.gemm.row.shape == (len(context.accelerators), len(FORMATS))
        for one in (
            kernels.gemm, kernels.experts, kernels.prefill, kernels.decode, kernels.latent_decode, kernels.elementwise,
        ):  # fmt: skip
            first = np.asarray(next(iter(vars(one.parameters).values())))
            assert one.row.min() >= 0
            assert one.row.max() < len(first)
        assert np.all(kernels.log_sd > 0)


def test_formats_that_a_device_lacks_are_unpacked(context):
    kernels, a100 = context.kernels("vllm"), place(context, "nvidia-a100-sxm-80gb")
    h100 = place(context, "nvidia-h100-sxm-80gb")
    assert context.devices.is_emulated[a100, PRECISION_INDEX["fp8"]]
    # Where FP8 is unpacked, products with it do as those with 8-bit integer weights.
    eight = np.array([PRECISION_INDEX["fp8"], FORMATS.index("fp8_block")])
    assert len(set(kernels.gemm.row[a100, eight])) == 1
    assert len(set(kernels.gemm.row[h100, eight])) == 2


def test_a_relatives_padding_does_not_bind_thin_products(context):
    """4 bits on RTX 3090 by A100's timings: 71 TFLOP/s at 936 GB/s instead of 312 at 2039, half the FLOPs per byte."""
    kernels, four = context.kernels("vllm"), np.array([PRECISION_INDEX["int4"]])
    timed, card = (np.array([place(context, name)]) for name in ("nvidia-a100-sxm-80gb", "nvidia-rtx-3090"))
    assert kernels.gemm.row[timed, four] == kernels.gemm.row[card, four]
    assert kernels.gemm_thin[timed, four] == 1.0
    assert kernels.gemm_thin[card, four] == pytest.approx((71.0 / 936) / (312.0 / 2039), rel=0.01)
    own, others = kernels.gemm_of(card, four), kernels.gemm_of(timed, four)
    assert own.row_padding / others.row_padding == kernels.gemm_thin[card, four]
    assert own.memory_efficiency == others.memory_efficiency
    assert ((kernels.gemm_thin > 0) & (kernels.gemm_thin <= 1)).all()


def test_engines_without_timings_borrow_vllms(context):
    assert kernel_engine("trtllm") == "trtllm"
    assert kernel_engine("llama_cpp") == "vllm"
    assert np.array_equal(context.kernels("generic").gemm.row, context.kernels("vllm").gemm.row)
