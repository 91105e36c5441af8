"""Pieces that entries of several kinds are made of."""

from __future__ import annotations

from typing import Any

Entry = dict[str, Any]


def without_unknowns(entry: Entry) -> Entry:
    return {key: value for key, value in entry.items() if value not in (None, "", [], {})}


def spread(low: float, typical: float, high: float, factor: float = 1.0) -> Any:
    if low == typical == high:
        return tidy(typical * factor)
    return {
        "type": "triangular",
        "low": tidy(low * factor),
        "mode": tidy(typical * factor),
        "high": tidy(high * factor),
    }


def tidy(number: float) -> float:
    """Twelve significant digits, without the noise that a change of units leaves."""
    rounded = float(f"{number:.12g}")
    return int(rounded) if rounded.is_integer() else rounded


def pcie_entry(generation: int, lanes: int, lane_bytes_per_s: dict[int, float]) -> Entry:
    rate = tidy(lane_bytes_per_s[generation] * lanes)
    return {"generation": generation, "lanes": lanes, "bytes_per_s_per_direction": rate}
