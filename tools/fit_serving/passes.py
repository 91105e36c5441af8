"""Kernel times of many cases once, so that a fit only combines them: passes of all models under one engine joined."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.engine.context import Context

T = TypeVar("T")


def neutral_context(catalog: Catalog, calibration: Calibration) -> Context:
    """A context in which no family of devices changes the kernels, so that a fit can."""
    return Context(catalog, msgspec.structs.replace(calibration, families=()))


def joined_passes(cases: Sequence[ServingCase], passes_of: Callable[[Sequence[ServingCase], str], T], engine: str) -> T:
    """Passes of cases of one engine and many models, in their order."""
    groups: dict[int, list[int]] = defaultdict(list)
    for index, case in enumerate(cases):
        groups[id(case.model)].append(index)
    parts, order = [], []
    for members in groups.values():
        parts.append((passes_of([cases[index] for index in members], engine), len(members)))
        order += members
    back = np.argsort(np.array(order))
    return _joined([part for part, _ in parts], [size for _, size in parts], back)


def _joined(parts: list[Any], sizes: list[int], back: NDArray[np.int64]) -> Any:
    """Arrays of equal structs one after the other, in the order of the cases."""
    first = parts[0]
    if is_dataclass(first) and not isinstance(first, type):
        columns = {
            field.name: _joined([getattr(part, field.name) for part in parts], sizes, back) for field in fields(first)
        }
        return type(first)(**columns)
    wide = [np.broadcast_to(np.asarray(part, np.float64), (size,)) for part, size in zip(parts, sizes)]
    return np.concatenate(wide)[back]


def chosen(struct: T, index: NDArray[np.int64]) -> T:
    """Some entries of a struct of arrays."""
    if is_dataclass(struct) and not isinstance(struct, type):
        columns = {field.name: chosen(getattr(struct, field.name), index) for field in fields(struct)}
        return type(struct)(**columns)
    return np.asarray(struct)[index]  # type: ignore[return-value]


KERNELS = ("product_launch", "attention_launch", "expert_launch", "small_launch")


def with_families(struct: T, factors: dict[str, Floats]) -> T:
    """Passes whose kernels' floors and times are multiplied by their families' factors."""
    if not is_dataclass(struct) or isinstance(struct, type):
        return struct
    if hasattr(struct, "product_launch_s"):
        changes = {f"{name}_s": getattr(struct, f"{name}_s") * factors[name] for name in KERNELS if name in factors}
        if "compute_time" in factors:
            changes["compute_s"] = struct.compute_s * factors["compute_time"]  # type: ignore[attr-defined]
        if "memory_time" in factors:
            changes["bandwidth_s"] = struct.bandwidth_s * factors["memory_time"]  # type: ignore[attr-defined]
        return replace(struct, **changes)
    columns = {field.name: with_families(getattr(struct, field.name), factors) for field in fields(struct)}
    return type(struct)(**columns)
