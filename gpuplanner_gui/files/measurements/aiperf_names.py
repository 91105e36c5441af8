"""Metrics and units of AIPerf and GenAI-Perf, in JSON keys and in the display names of their CSV."""

from __future__ import annotations

import re
from typing import Any

from gpuplanner_gui.domain.measurement import Figure, Statistic, figure
from gpuplanner_gui.files.measurements.importer import LARGEST_VALUE
from gpuplanner_gui.files.measurements.latency_keys import percentile_name
from gpuplanner_gui.files.measurements.values import SECONDS, JsonObject, number

METRICS = {
    "time_to_first_token": "ttft",
    "inter_token_latency": "itl",
    "request_latency": "e2e",
    "request_throughput": "requests_per_s",
    "output_token_throughput": "output_tokens_per_s",
    "input_token_throughput": "input_tokens_per_s",
    "total_token_throughput": "total_tokens_per_s",
    "output_token_throughput_per_user": "tokens_per_s_per_user",
    "goodput": "goodput_per_s",
}
"""Inter-token latency here is the mean over an answer's tokens but the first: what others call TPOT."""

LONGEST_NAME = 200
_STATISTICS: dict[str, Statistic] = {"avg": "mean", "std": "sd", "min": "min", "max": "max"}
_NAMED = re.compile(r"(.*?)\s*\(([^()]*)\)\s*")


def metric_key(name: str) -> tuple[str, str]:
    """Key and unit of a display name: `Time to First Token (ms)`."""
    found = _NAMED.fullmatch(name[:LONGEST_NAME].strip())
    text, unit = (found[1], found[2]) if found else (name, "")
    return re.sub(r"[^a-z0-9]+", "_", text.strip().lower()).strip("_"), unit


def metric_figures(key: str, unit: str, columns: dict[str, Any]) -> list[Figure]:
    """Figures of one metric from its statistics; none for a metric that nobody plans with."""
    quantity = METRICS.get(key)
    if quantity is None:
        return []
    scale = SECONDS.get(unit.strip().lower(), 1.0) if quantity in ("ttft", "itl", "e2e") else 1.0
    found = []
    for column, value in columns.items():
        statistic = _STATISTICS.get(column) or (percentile_name(column) if column.startswith("p") else None)
        read = number(value)
        if statistic is None or read is None or not 0 <= read * scale < LARGEST_VALUE:
            continue
        found.append(figure("tpot" if quantity == "itl" else quantity, read * scale, statistic))
    return found


def statistics_of(metric: JsonObject) -> dict[str, Any]:
    return {key: metric.value(key) for key in sorted(metric.keys()) if key not in ("unit", "count", "sum")}
