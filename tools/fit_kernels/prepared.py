"""What a kind of kernel needs to be fitted (rows, engine function, what is held out), and the robust fit itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.knowledge import Residual
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


SHARES = ("overlap_loss",)
"""Parameters between 0 and 1; all others are positive."""

LOG_BEST = np.log(1.1)
"""Best efficiency allowed: nearly the peak, with some room for clocks above the stated ones."""

LOSS_SCALE = 0.08
PULL = 0.02
"""Weight of one parameter's pull, per e-fold from its usual value, relative to one log unit of residual rms."""


def residual_of(log_error: Floats) -> Residual:
    low, middle, high = np.quantile(log_error, (0.1, 0.5, 0.9))
    error = np.abs(np.expm1(log_error))
    return Residual(
        median_error=round(float(np.median(error)), 4),
        p90_error=round(float(np.quantile(error, 0.9)), 4),
        median_log_bias=round(float(middle), 4),
        log_sd=round(float((high - low) / 2.5631), 4),
        log_p10=round(float(low), 4),
        log_p90=round(float(high), 4),
        rows=len(log_error),
    )


def encoded(values: dict[str, float]) -> Floats:
    return np.array([np.log(v / (1 - v)) if name in SHARES else np.log(v) for name, v in values.items()])


def decoded(kind: type, names: tuple[str, ...], vector: Floats) -> Any:
    values = {
        name: 1 / (1 + np.exp(-x)) if name in SHARES else np.exp(x) for name, x in zip(names, vector, strict=True)
    }
    return kind(**{field.name: np.asarray(values[field.name]) for field in fields(kind)})


def fitted(
    kind: type,
    usual: dict[str, float],
    seconds_of: Callable[[Any], Floats],
    measured_s: Floats,
    weights: Floats,
    start: Floats | None = None,
    limits: dict[str, float] | None = None,
) -> Floats:
    """Encoded parameters of least weighted soft-L1 error of log time; `limits` bounds some of them from above."""
    names = tuple(usual)
    centre = encoded(usual)
    target = np.log(measured_s)
    root = np.sqrt(weights / np.mean(weights))
    pull = PULL * LOSS_SCALE * np.sqrt(len(target))

    def errors(vector: Floats) -> Floats:
        difference = np.log(seconds_of(decoded(kind, names, vector))) - target
        return np.concatenate([root * difference, pull * (vector - centre)])

    first = centre if start is None else start
    highest = np.array([_log_limit(name, x, limits or {}) for name, x in zip(names, centre, strict=True)])
    inside = np.clip(first, centre - 9, highest - 1e-3)
    bounds = (centre - 10, highest)
    result = least_squares(errors, inside, loss="soft_l1", f_scale=LOSS_SCALE, max_nfev=60, bounds=bounds)
    vector: Floats = result.x
    return vector


def _log_limit(name: str, usual: float, limits: dict[str, float]) -> float:
    if name in limits:
        return float(np.log(limits[name]))
    return float(LOG_BEST) if name.endswith("_efficiency") else usual + 10
