"""Kernel times of many cases once, so that a fit only combines them: passes of all models under one engine joined."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

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
    whole = joined([part for part, _ in parts], [size for _, size in parts])
    return chosen(whole, np.argsort(np.array(order)))


def joined(parts: Sequence[T], sizes: Sequence[int]) -> T:
    """Equal structs of arrays, each of so many entries, one after the other."""
    first = parts[0]
    if is_dataclass(first) and not isinstance(first, type):
        columns = {field.name: joined([getattr(one, field.name) for one in parts], sizes) for field in fields(first)}
        return type(first)(**columns)
    wide = [np.broadcast_to(_as_array(part), (size,)) for part, size in zip(parts, sizes)]
    return np.concatenate(wide)  # type: ignore[return-value]


def _as_array(part: Any) -> NDArray[Any]:
    return part if isinstance(part, np.ndarray) else np.asarray(part, np.float64)


def chosen(struct: T, index: NDArray[np.int64]) -> T:
    """Some entries of a struct of arrays."""
    if is_dataclass(struct) and not isinstance(struct, type):
        columns = {field.name: chosen(getattr(struct, field.name), index) for field in fields(struct)}
        return type(struct)(**columns)
    return np.asarray(struct)[index]  # type: ignore[return-value]
