"""AIPerf's and GenAI-Perf's summary in CSV: a block of statistics, a block of single values, names with units."""

from __future__ import annotations

import csv

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext
from gpuplanner_gui.files.measurements.aiperf_names import metric_figures, metric_key
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import count, positive


def recognises(look: Look) -> bool:
    first = look.head.partition("\n")[0].strip().lower()
    return first.startswith("metric,avg") and "request latency" in look.head.lower()


def read(source: Source, look: Look) -> Findings:
    """The one run that the file sums up. It names neither model nor load."""
    findings = Findings()
    figures: list[Figure] = []
    means: dict[str, float] = {}
    columns: list[str] = []
    for _, text in source.lines():
        try:
            cells = next(csv.reader([text]), [])
        except csv.Error:
            continue
        if not cells or not cells[0].strip():
            continue
        if cells[0] == "Metric":
            columns = ["avg" if one == "Value" else one.strip() for one in cells[1:]]
        elif cells[0] == "Endpoint":
            break
        else:
            key, unit = metric_key(cells[0])
            values = dict(zip(columns, cells[1:], strict=False))
            values.pop("sum", None)
            figures += metric_figures(key, unit, values)
            means[key] = positive(values.get("avg"))
    context = MeasurementContext(
        prompt_tokens=means.get("input_sequence_length", 0.0),
        output_tokens=means.get("output_sequence_length", 0.0),
        requests=count(means.get("request_count")),
        duration_s=means.get("benchmark_duration", 0.0),
    )
    findings.add(context, figures)
    return findings


IMPORTER = Importer("aiperf_csv", "AIPerf or GenAI-Perf summary", recognises, read)
