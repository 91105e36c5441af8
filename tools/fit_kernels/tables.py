"""Compact tables of kernel timings: read, write and the columns that each kind of kernel has.

One compressed NumPy file per kind: `groups` names each measured configuration (system, engine, version, kernel,
precisions …, joined by "|"), `group` gives the row's group, the shape columns are integers, `latency_code` holds
the logarithm of the time, round(2000 ln(seconds / 1 ns)), 0.05 % steps in two bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

CODES_PER_E = 2000.0


@dataclass(frozen=True)
class KernelTable:
    """All rows of one kind of kernel."""

    key_names: tuple[str, ...]
    groups: tuple[tuple[str, ...], ...]
    group: NDArray[np.int64]
    shapes: dict[str, NDArray[np.float64]]
    seconds: NDArray[np.float64]

    def __iter__(self) -> Iterator[tuple[dict[str, str], dict[str, NDArray[np.float64]], NDArray[np.float64]]]:
        """Each group's key, its shapes and its times."""
        order = np.argsort(self.group, kind="stable")
        bounds = np.searchsorted(self.group[order], np.arange(len(self.groups) + 1))
        for number, key in enumerate(self.groups):
            rows = order[bounds[number] : bounds[number + 1]]
            shapes = {name: column[rows] for name, column in self.shapes.items()}
            yield dict(zip(self.key_names, key, strict=True)), shapes, self.seconds[rows]


def save(path: Path, table: KernelTable) -> None:
    columns: dict[str, NDArray[np.generic]] = {name: column.astype(np.int32) for name, column in table.shapes.items()}
    np.savez_compressed(
        path,
        key_names=np.array(table.key_names),
        groups=np.array(["|".join(key) for key in table.groups]),
        group=table.group.astype(np.uint16),
        latency_code=np.round(CODES_PER_E * np.log(table.seconds * 1e9)).astype(np.uint16),
        shape_names=np.array(list(columns)),
        allow_pickle=False,
        **{f"shape_{name}": column for name, column in columns.items()},
    )


def load(path: Path) -> KernelTable:
    with np.load(path, allow_pickle=False) as file:
        shapes = {str(name): file[f"shape_{name}"].astype(np.float64) for name in file["shape_names"]}
        return KernelTable(
            tuple(str(name) for name in file["key_names"]),
            tuple(tuple(str(key).split("|")) for key in file["groups"]),
            file["group"].astype(np.int64),
            shapes,
            np.exp(file["latency_code"].astype(np.float64) / CODES_PER_E) * 1e-9,
        )
