"""Writes what a fit found into the catalogue, figures rounded, software and families as they stand."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_engine import StackBand
from gpuplanner_gui.engine.serving.predict.door import quantity_of
from tools.fit_inference.fit import Design, EffectKey

FEWEST = 25
"""Rows from which a class has a band of its own."""
LOW, HIGH = 0.1, 0.9
NARROWEST = 0.01
"""A band holds its own prediction, however one-sided the residuals are."""


@dataclass(frozen=True)
class Residual:
    """Logarithm of measured over predicted of a row whose group was left out, and the class it belongs to."""

    load: str
    metric: str
    is_known: bool
    log: float


def bands_of(residuals: Sequence[Residual]) -> tuple[StackBand, ...]:
    """The bands of all classes with enough rows, the more special first."""
    return tuple(_bands(residuals))


def _bands(residuals: Sequence[Residual]) -> Iterator[StackBand]:
    loads = sorted({one.load for one in residuals})
    quantities = sorted({quantity_of(one.metric) for one in residuals})
    classes: list[tuple[str, str, bool | None]] = [
        (load, quantity, known) for load in loads for quantity in quantities for known in (True, False)
    ]
    classes += [(load, "", known) for load in loads for known in (True, False)]
    classes += [("", "", known) for known in (True, False)]
    classes.append(("", "", None))
    for load, quantity, known in classes:
        logs = [
            one.log
            for one in residuals
            if load in ("", one.load) and quantity in ("", quantity_of(one.metric)) and known in (None, one.is_known)
        ]
        if len(logs) >= FEWEST:
            low, high = np.quantile(logs, [LOW, HIGH])
            yield StackBand(
                load=load,
                quantity=quantity,
                is_known=known,
                low=round(min(float(low), -NARROWEST), 3),
                high=round(max(float(high), NARROWEST), 3),
                rows=len(logs),
            )


FILE = Path(__file__).parents[2] / "catalogs" / "inference_stacks.json"
SMALLEST = 0.01
"""Effects below are left out."""


def write_stacks(design: Design, effects: NDArray[np.float64], bands: Sequence[StackBand]) -> None:
    """Replace effects and bands."""
    found: dict[EffectKey, dict[str, float]] = defaultdict(dict)
    for (parameter, key), value in zip(design.keys, effects):
        logs = found[key]
        if abs(value) >= SMALLEST:
            logs[parameter] = round(float(value), 3)
    entry: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    entry["effects"] = [_stated(key) | {"logs": logs} for key, logs in sorted(found.items())]
    entry["bands"] = [msgspec.to_builtins(band) for band in bands]
    FILE.write_text(_lines(entry), encoding="utf-8")


def _stated(key: EffectKey) -> dict[str, Any]:
    return {name: value for name, value in asdict(key).items() if value}


def _lines(entry: dict[str, Any]) -> str:
    """One line for each thing in a list."""
    parts = []
    for name, value in entry.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            rows = ",\n".join(f"  {json.dumps(one, ensure_ascii=False)}" for one in value)
            parts.append(f'"{name}": [\n{rows}\n]')
        else:
            parts.append(f'"{name}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"
