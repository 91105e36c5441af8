"""Answers as JSON, which knows no NaN and no infinity: what is not known is null."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np


def json_text(value: Any) -> str:
    """A value as indented JSON by its standard; NumPy's numbers as numbers, those that are not finite as null."""
    return json.dumps(_plain(value), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    return None if isinstance(value, float) and not math.isfinite(value) else value
