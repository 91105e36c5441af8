"""Number formats: bytes per value, and what an accelerator does with weights stored in one.

A format that the matrix units take runs natively. Any other is unpacked to 16 bits before each product: the memory is
saved, the arithmetic is not, and the unpacking costs time. INT4 weights are made for that (weight-only), so they count
as emulated only where 16-bit products are missing too.
"""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.model import Precision, WeightFormat
from gpuplanner_gui.engine.model.weight_sizes import BYTES_PER_VALUE, USUAL_FORMATS, bytes_per_quantized_weight

PRECISIONS: tuple[str, ...] = get_args(Precision)
PRECISION_INDEX = {name: index for index, name in enumerate(PRECISIONS)}

NATIVE_RATES = {
    "fp32": ("fp32",),
    "tf32": ("tf32",),
    "bf16": ("bf16", "fp16", "fp32"),
    "fp16": ("fp16", "bf16", "fp32"),
    "fp8": ("fp8",),
    "int8": ("int8",),
    "fp6": ("fp6",),
    "mxfp4": ("fp4",),
    "nvfp4": ("fp4",),
    "int4": ("bf16", "fp16"),
}
UNPACKED_RATES = ("bf16", "fp16", "fp32")


def weight_bytes_per_value() -> NDArray[np.float64]:
    """Bytes per quantized weight for each of `PRECISIONS`, block scales included. [bytes]"""
    return np.array(
        [bytes_per_quantized_weight(USUAL_FORMATS.get(name, WeightFormat())) for name in get_args(Precision)]
    )


def cache_bytes_per_value() -> NDArray[np.float64]:
    """Bytes per cached number for each of `PRECISIONS`. [bytes]"""
    return np.array([BYTES_PER_VALUE[name] for name in get_args(Precision)])


def compute_rate(accelerator: Accelerator, precision: str) -> tuple[float, bool]:
    """Peak rate at which products with weights in a format run [flop/s], and whether the format is unpacked first.

    Returns NaN where the catalogue has no rate for the format nor for any that it could be unpacked to.
    """
    native, unpacked = (_first_rate(accelerator, names) for names in (NATIVE_RATES[precision], UNPACKED_RATES))
    if precision in ("fp32", "tf32"):
        return native, False
    # Where the units for a narrow format are slower than those for 16 bits, engines unpack it.
    if not math.isnan(native) and not native < unpacked:
        return native, False
    return unpacked, True


def _first_rate(accelerator: Accelerator, names: tuple[str, ...]) -> float:
    """Rate in the first format that the catalogue has one for; NaN without any. [flop/s]"""
    rates = (accelerator.peak_flop_per_s(name) for name in names)
    return next((rate for rate in rates if rate is not None), math.nan)
