"""What a kind of kernel needs to be fitted: which rows, which engine function, what is held out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.kernels import operation_time as ot
from tools.repository import CATALOGS, ROOT
from tools.repository import DATA as FIDELITY_DATA

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


DATA = FIDELITY_DATA / "kernels"
FITTED = ROOT / "build" / "fit_kernels"
CATALOGUE = CATALOGS / "calibration_kernels.json"

Numbers = NDArray[np.floating[Any]]
Shapes = dict[str, Floats]
Key = dict[str, str]


@dataclass(frozen=True)
class Prepared:
    """One group's rows, ready to fit."""

    seconds_of: Callable[[Any], Floats]
    least_s: Floats
    """Time below which the row was served from cache, not from memory: such rows are left out."""
    shape_group: Numbers
    """Rows with the same number are held out together."""
    weights: Floats
    is_cold: NDArray[np.bool_] | None = None
    """False where the data may have stayed in the cache between repetitions, as they do not in use; None: never."""


@dataclass(frozen=True)
class FittedOperation:
    """A kind of kernel: its table, its parameters and how its rows become a call of the engine."""

    name: str
    table: str
    parameters: type
    usual: dict[str, float]
    precision_of: Callable[[Key], str | None]
    """The catalogue's name of a group's precision; None for a group that is not used."""
    prepare: Callable[[Key, Shapes, dict[str, Any]], Prepared]
    fewest_rows: int = 200
    output: str = ""
    """File for the fitted sets, where it is not the operation's name."""
    model_columns: tuple[str, ...] = ()
    """What tells models apart in the table; given where an engine's kernels for the same models are fitted as one,
    because it chooses among them by parallelism."""
    highest: dict[str, float] = field(default_factory=dict)
    """Upper bounds of parameters that the data leaves open."""


HIDDEN_SHARE_OF_CACHE, LARGEST_CACHED_SHARE = 0.05, 1.2


def is_cold(traffic_bytes: Floats, specification: dict[str, Any]) -> NDArray[np.bool_]:
    """Whether a repeated kernel's traffic is too large for the last-level cache, or too small to matter beside launch.

    Decode kernels were timed in loops over the same cache of keys and values; on devices with large caches, those with
    0.05 to 1.2 of its size run faster than memory allows.
    """
    share = traffic_bytes / specification["l2_bytes"]
    return np.asarray((share < HIDDEN_SHARE_OF_CACHE) | (share > LARGEST_CACHED_SHARE))


def device_of(specification: dict[str, Any], peak: str) -> ot.Device:
    peaks = specification["peak_flop_per_s"]
    return ot.Device(
        np.asarray(peaks.get(peak, peaks["bf16"])),
        np.asarray(specification["bandwidth_bytes_per_s"]),
        np.asarray(specification["compute_units"]),
    )
