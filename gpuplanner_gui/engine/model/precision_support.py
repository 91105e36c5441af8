"""Whether a number format runs natively, emulated or not at all, by hardware and engine together."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.precision_support import (
    ANY_FORMAT,
    SUPPORTED_OPERATIONS,
    FormatRule,
    FormatSupport,
    PrecisionSupport,
    Support,
    SupportedOperation,
)
from gpuplanner_gui.engine.model.precision import PRECISIONS, compute_rate

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
