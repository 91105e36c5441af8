"""Which measured efficiency each accelerator uses for each precision: chosen once per catalogue and engine, then picked
per candidate by index."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.engine.devices import DeviceTable
from gpuplanner_gui.engine.efficiency import ParameterTable, compute_units, nearest_set, parameter_tables
from gpuplanner_gui.engine.operation_time import (
    DecodeAttentionParameters,
    ElementwiseParameters,
    GemmParameters,
    PrefillAttentionParameters,
    gathered,
)
from gpuplanner_gui.engine.precision import PRECISIONS

Integers = NDArray[np.int64]

NATIVE_KERNEL = {"bf16": "bf16", "fp16": "bf16", "fp32": "bf16", "tf32": "bf16", "fp8": "fp8", "int8": "int8",
                 "fp6": "fp8", "mxfp4": "mxfp4", "nvfp4": "nvfp4", "int4": "int4_weight"}  # fmt: skip
UNPACKED_KERNEL = {"fp8": "int8_weight", "int8": "int8_weight", "fp6": "int8_weight", "mxfp4": "int4_weight",
                   "nvfp4": "int4_weight", "int4": "int4_weight"}  # fmt: skip
"""The calibration's name for products with weights in a format, run natively or unpacked first."""

WIDE_CACHE = {"fp32", "tf32", "bf16", "fp16"}
KERNEL_ENGINES = {"vllm": "vllm", "sglang": "sglang", "trtllm": "trtllm", "llama_cpp": "vllm", "generic": "vllm"}
"""Whose kernels stand for an engine's."""


@dataclass(frozen=True)
class Kernels:
    """Per accelerator, and per precision where it matters: the row of each parameter table, and how it is known."""

    gemm: GemmParameters
    prefill_attention: PrefillAttentionParameters
    decode_attention: DecodeAttentionParameters
    elementwise: ElementwiseParameters
    gemm_row: Integers
    """Shape (accelerators, precisions)."""
    prefill_row: Integers
    """Shape (accelerators, 2): wide and narrow cache."""
    decode_row: Integers
    elementwise_row: Integers
    is_measured: NDArray[np.bool_]
    """Shape (accelerators, precisions): the device itself was timed at this precision."""
    log_sd: NDArray[np.float64]
    """Shape (accelerators, precisions): spread of one kernel's error."""
    relative: tuple[tuple[str, ...], ...]
    """Accelerator whose timings stand for each."""
    compute_units: NDArray[np.float64]

    def gemm_of(self, accelerator: Integers, precision: Integers) -> GemmParameters:
        return gathered(self.gemm, self.gemm_row[accelerator, precision])

    def prefill_of(self, accelerator: Integers, is_narrow: Integers) -> PrefillAttentionParameters:
        return gathered(self.prefill_attention, self.prefill_row[accelerator, is_narrow])

    def decode_of(self, accelerator: Integers, is_narrow: Integers) -> DecodeAttentionParameters:
        return gathered(self.decode_attention, self.decode_row[accelerator, is_narrow])

    def elementwise_of(self, accelerator: Integers) -> ElementwiseParameters:
        return gathered(self.elementwise, self.elementwise_row[accelerator])


def bound_kernels(
    accelerators: tuple[Accelerator, ...], devices: DeviceTable, calibration: Calibration, engine: str
) -> Kernels:
    """Choose the nearest measured parameters for every accelerator and precision of a catalogue."""
    tables = parameter_tables(calibration.kernels)
    kernel_engine = KERNEL_ENGINES[engine]

    def chosen(table: ParameterTable, accelerator: Accelerator, precision: str) -> tuple[int, bool, float, str]:
        found = nearest_set(table, calibration.kernels, accelerator, kernel_engine, precision)
        return found.index, found.level == "measured", found.log_sd, found.accelerator

    gemm = [
        [chosen(tables["gemm"], entry, _kernel_name(name, devices.is_emulated[row, column]))
         for column, name in enumerate(PRECISIONS)]
        for row, entry in enumerate(accelerators)
    ]  # fmt: skip
    caches = ("bf16_kv_bf16", "bf16_kv_fp8")
    prefill = [[chosen(tables["prefill_attention"], entry, cache)[0] for cache in caches] for entry in accelerators]
    decode = [[chosen(tables["decode_attention"], entry, cache)[0] for cache in caches] for entry in accelerators]
    elementwise = [chosen(tables["elementwise"], entry, "any")[0] for entry in accelerators]
    shape = (len(accelerators), len(PRECISIONS))
    return Kernels(
        gemm=tables["gemm"].parameters,
        prefill_attention=tables["prefill_attention"].parameters,
        decode_attention=tables["decode_attention"].parameters,
        elementwise=tables["elementwise"].parameters,
        gemm_row=np.array([[one[0] for one in row] for row in gemm], np.int64).reshape(shape),
        prefill_row=np.array(prefill, np.int64).reshape(-1, 2),
        decode_row=np.array(decode, np.int64).reshape(-1, 2),
        elementwise_row=np.array(elementwise, np.int64),
        is_measured=np.array([[one[1] for one in row] for row in gemm], bool).reshape(shape),
        log_sd=np.array([[one[2] for one in row] for row in gemm], np.float64).reshape(shape),
        relative=tuple(tuple(one[3] for one in row) for row in gemm),
        compute_units=np.array([compute_units(entry, calibration.kernels) for entry in accelerators], np.float64),
    )


def _kernel_name(precision: str, is_emulated: bool) -> str:
    return UNPACKED_KERNEL.get(precision, "bf16") if is_emulated else NATIVE_KERNEL[precision]
