"""MLPerf LoadGen's `mlperf_log_summary.txt`: `key : value` lines, latencies in nanoseconds.

It names neither hardware nor model. A run that broke the contest's rules is marked INVALID and imports with that note.
"""

from __future__ import annotations

import re

from gpuplanner_gui.domain.measurement import Figure, MeasuredLoad, MeasurementContext, Statistic
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import figures_of, positive, statistic_named, word

TITLE = "MLPerf Results Summary"
_PAIR = re.compile(r"\s*(.{1,80}?)\s*:\s*(\S.*?)\s*")
_LATENCY = re.compile(
    r"(?:(min|max|mean)|(\d{2}\.\d{2}) percentile) (first token latency|time (?:per|to) output token|latency) \(ns\)"
)
_OF = {"latency": "e2e", "first token latency": "ttft", "time per output token": "tpot", "time to output token": "tpot"}
_LOADS: dict[str, tuple[MeasuredLoad, float]] = {
    "Offline": ("offline", 0.0),
    "Server": ("open_loop", 0.0),
    "SingleStream": ("closed_loop", 1.0),
    "MultiStream": ("batch", 8.0),
}
_RATES = (
    ("requests_per_s", ("completed samples per second", "samples per second", "scheduled samples per second")),
    ("output_tokens_per_s", ("completed tokens per second", "tokens per second")),
)
MOST_LINES = 10_000


def recognises(look: Look) -> bool:
    return TITLE in look.head[:2000]


def read(source: Source, look: Look) -> Findings:
    """The one run of a summary."""
    findings = Findings()
    values: dict[str, str] = {}
    recommendations: list[str] = []
    is_recommending = False
    for number, text in source.lines():
        if number > MOST_LINES or text.startswith("===="):
            is_recommending = False
        if is_recommending and text.strip():
            recommendations.append(word(text).lstrip("* "))
        pair = _PAIR.fullmatch(text[:300])
        if pair is not None:
            values.setdefault(pair[1].strip().lower(), pair[2])
        is_recommending = is_recommending or text.strip() == "Recommendations:"
    scenario = values.get("scenario", "")
    if scenario not in _LOADS or "result is" not in values:
        raise source.problem("", "the summary ends before its scenario and verdict", "Copy the complete file")
    load, concurrency = _LOADS[scenario]
    rate = positive(values.get("scheduled samples per second")) or positive(values.get("target_qps"))
    context = MeasurementContext(
        load=load,
        concurrency=concurrency,
        rate_per_s=rate if load == "open_loop" else 0.0,
        requests=int(positive(values.get("min_query_count"))) if load == "open_loop" else 0,
    )
    findings.add(context, _figures(values), 0, _verdict(values["result is"], recommendations))
    return findings


def _figures(values: dict[str, str]) -> list[Figure]:
    latencies: dict[tuple[str, Statistic], object] = {}
    for key, value in values.items():
        found = _LATENCY.fullmatch(key)
        if found is None:
            continue
        name = statistic_named(found[1] or found[2])
        if name is not None:
            latencies[(_OF[found[3]], name)] = value
    rates = {
        (quantity, "mean"): next((values[name] for name in names if name in values), None) for quantity, names in _RATES
    }
    return figures_of(latencies, 1e-9) + figures_of(rates)


def _verdict(result: str, recommendations: list[str]) -> str:
    if result.strip() == "VALID":
        return ""
    # A heading without anything beneath it says nothing.
    following = [*recommendations[1:], ":"]
    told = [one for one, then in zip(recommendations, following) if not (one.endswith(":") and then.endswith(":"))]
    return " ".join(["LoadGen calls the run INVALID.", *told])[:500]


IMPORTER = Importer("loadgen", "MLPerf LoadGen summary", recognises, read)
