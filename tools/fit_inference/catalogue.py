"""Writes what a fit found into the catalogue, figures rounded, software and families as they stand."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_engine import StackBand
from tools.fit_inference.fit import Design, EffectKey

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
