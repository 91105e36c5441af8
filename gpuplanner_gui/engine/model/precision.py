"""Number formats: bytes per value, and what an accelerator does with weights stored in one.

A format that the matrix units take runs natively. Any other is unpacked to 16 bits before each product: the memory is
saved, the arithmetic is not, and the unpacking costs time. INT4 weights are made for that (weight-only), so they count
as emulated only where 16-bit products are missing too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.model import Precision, WeightFormat
from gpuplanner_gui.domain.serving_engine import (
    ANY_FORMAT,
    SUPPORTED_OPERATIONS,
    FormatRule,
    FormatSupport,
    PrecisionSupport,
    Support,
    SupportedOperation,
)
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


LEVELS = {"native": Support.NATIVE, "emulated": Support.EMULATED, "none": Support.NONE}


def hardware_support(accelerator: Accelerator, precision: str) -> Support:
    """What the catalogued rates say: native, unpacked to 16 bits, or no rate at all."""
    rate, is_emulated = compute_rate(accelerator, precision)
    if math.isnan(rate):
        return Support.NONE
    return Support.EMULATED if is_emulated else Support.NATIVE


def rule_for(
    rules: Sequence[FormatRule], accelerator: Accelerator, precision: str, operation: SupportedOperation
) -> FormatRule | None:
    """The first rule that speaks of a format, an operation and a device."""
    for rule in rules:
        if operation not in rule.operations or not {precision, ANY_FORMAT} & set(rule.formats):
            continue
        if _is_about(rule, accelerator):
            return rule
    return None


def format_support(
    support: PrecisionSupport, engine: str, accelerator: Accelerator, precision: str, operation: SupportedOperation
) -> FormatSupport:
    """One cell of the matrix.

    Notes
    -----
    An engine can refuse or unpack what the hardware runs; it cannot run natively what the hardware does not, except in
    the KV cache, which is only stored in the format.
    """
    hardware = hardware_support(accelerator, precision)
    rule = rule_for(support.rules(engine), accelerator, precision, operation)
    own = LEVELS[rule.level] if rule is not None else hardware
    level = own if operation == "kv_cache" and rule is not None else max(own, hardware)
    return FormatSupport(
        accelerator=accelerator.id,
        engine=engine,
        precision=precision,
        operation=operation,
        hardware=int(hardware),
        level=int(level),
        is_recorded=rule is not None,
        note=rule.note if rule is not None else "",
        source=rule.source if rule is not None else "",
    )


def support_matrix(
    support: PrecisionSupport, engines: Sequence[str], accelerators: Sequence[Accelerator]
) -> Iterator[FormatSupport]:
    """All cells: accelerator by engine by format by operation."""
    for accelerator in accelerators:
        for engine in engines:
            for precision in PRECISIONS:
                for operation in SUPPORTED_OPERATIONS:
                    yield format_support(support, engine, accelerator, precision, operation)


def refused(
    support: PrecisionSupport, engine: str, accelerators: Sequence[Accelerator], operation: SupportedOperation
) -> NDArray[np.bool_]:
    """Formats that an engine's rules refuse, shape (accelerators, precisions).

    Where nothing is recorded, nothing is refused: a missing rate is told apart, by its own reason.
    """
    refuses = np.zeros((len(accelerators), len(PRECISIONS)), bool)
    is_open = np.ones_like(refuses)
    for rule in support.rules(engine):
        if operation not in rule.operations:
            continue
        devices = np.array([_is_about(rule, accelerator) for accelerator in accelerators], bool)
        formats = np.array([name in rule.formats or ANY_FORMAT in rule.formats for name in PRECISIONS], bool)
        applies = devices[:, None] & formats & is_open
        refuses |= applies & (rule.level == "none")
        is_open &= ~applies
    return refuses


def _is_about(rule: FormatRule, accelerator: Accelerator) -> bool:
    if rule.ecosystems and accelerator.ecosystem not in rule.ecosystems:
        return False
    return not rule.architectures or accelerator.architecture.startswith(rule.architectures)
